"""A layer of PyTorch whose kernels are written in Triton, and come from a package: compiled ahead of time, they need neither
Triton nor a compiler where this runs, and run on the CPU as well.

    PYTHONPATH=build/nereid/norms python main.py [--device cuda] [--backend inductor] [--bench]

checks the layer's results and gradients against PyTorch's own layer, alone, in a model that learns, and compiled. Where there
is no PyTorch, it checks the kernels with NumPy.
"""
import argparse
import statistics
import sys
import time

try:
    import torch
except ImportError:
    torch = None
try:
    import numpy
except ImportError:
    numpy = None
if torch is None and numpy is None:
    print("skipped: there is neither PyTorch nor NumPy ('pip install torch')")
    sys.exit(77)
import norms  # Behind PyTorch, so that it registers its functions there.


def check(what, error, most):
    print("{:<60} error {:.2g}".format(what, error))
    if not error <= most:
        sys.exit("{}: the error {} is more than {}".format(what, error, most))


def run_numpy():
    random = numpy.random.default_rng(0)
    x, dy = random.standard_normal((2, 50, 700), numpy.float32)
    w = random.standard_normal(700, numpy.float32)
    y, rstd = norms.rms_norm_forward(x, w)
    dx, dw = norms.rms_norm_backward(dy, x, w, rstd)
    x, w, dy = x.astype(float), w.astype(float), dy.astype(float)
    r = 1 / numpy.sqrt((x * x).mean(1, keepdims=True) + 1e-6)
    check("NumPy: forward", abs(y - x * r * w).max(), 1e-5)
    expected = r * (dy * w - x * r * (x * r * dy * w).mean(1, keepdims=True))
    check("NumPy: gradients", max(abs(dx - expected).max(), abs(dw.sum(0) - (dy * x * r).sum(0)).max()), 1e-4)


if torch is not None:

    class Norm(torch.autograd.Function):
        """What was two launches of Triton's is two calls of the package."""

        @staticmethod
        def forward(ctx, x, weight, eps):
            rows = x.reshape(-1, x.shape[-1])
            y, rstd = norms.rms_norm_forward(rows, weight, eps)
            ctx.save_for_backward(rows, weight, rstd)
            return y.view(x.shape)

        @staticmethod
        def backward(ctx, dy):
            rows, weight, rstd = ctx.saved_tensors
            dx, parts = norms.rms_norm_backward(dy.reshape(rows.shape).contiguous(), rows, weight, rstd)
            return dx.view(dy.shape), parts.sum(0).to(weight.dtype), None

    class RMSNorm(torch.nn.Module):
        """In place of torch.nn.RMSNorm."""

        def __init__(self, size, eps=1e-6, device=None, dtype=None):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(size, device=device, dtype=dtype))
            self.eps = eps

        def forward(self, x):
            return Norm.apply(x, self.weight, self.eps)


def gradients(layer, x, dy):
    x = x.clone().requires_grad_()
    y = layer(x)
    return (y.detach(),) + torch.autograd.grad(y, (x, layer.weight), dy)


def distance(got, wanted):
    """The largest of all differences, measured by the largest value of its tensor."""
    return max(((a.double() - b).abs().max() / b.abs().max()).item() for a, b in zip(got, wanted))


def check_layer(device):
    for dtype, most in ((torch.float32, 1e-5), (torch.float16, 4e-3), (torch.bfloat16, 3e-2)):
        for shape in ((37, 500), (2, 33, 1024), (5, 4095), (3, 8192)):
            torch.manual_seed(0)
            layer = RMSNorm(shape[-1], device=device, dtype=dtype)
            torch.nn.init.normal_(layer.weight)
            x, dy = torch.randn(2, *shape, device=device, dtype=dtype)
            exact = torch.nn.RMSNorm(shape[-1], 1e-6, device=device, dtype=torch.float64)
            exact.weight.data = layer.weight.data.double()
            error = distance(gradients(layer, x, dy), gradients(exact, x.double(), dy.double()))
            check("{} {}: forward and backward".format(str(dtype)[6:], shape), error, most)


def make_model(kind, device):
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(64, 256), kind(256, 1e-6), torch.nn.SiLU(), torch.nn.Linear(256, 64),
                               kind(64, 1e-6)).to(device)


def train(model, device, steps=20):
    torch.manual_seed(2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(128, 64, device=device)
    for _ in range(steps):
        loss = torch.nn.functional.mse_loss(model(x), x.flip(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def check_model(device, backend):
    wanted = train(make_model(torch.nn.RMSNorm, device), device)
    check("20 steps of training", abs(train(make_model(RMSNorm, device), device) - wanted), 1e-4)
    compiled = torch.compile(make_model(RMSNorm, device), fullgraph=True, backend=backend)
    check("the same with torch.compile('{}')".format(backend), abs(train(compiled, device) - wanted), 1e-4)


def make_jit(device):
    """The layer as it was: the same file, by Triton's own compiler. It needs a GPU."""
    if device.type != "cuda":
        return None
    try:
        from kernels.norms import rms_norm_backward, rms_norm_forward
    except ImportError:
        return None

    def tiles(size):
        return next({"BLOCK": block, "num_warps": warps}
                    for block, warps in ((1024, 4), (4096, 8), (8192, 16)) if size <= block)

    class JIT(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, weight, eps):
            y, rstd = torch.empty_like(x), torch.empty(x.shape[0], device=x.device)
            rms_norm_forward[(x.shape[0],)](x, weight, y, rstd, *x.shape, x.stride(0), y.stride(0), eps,
                                            **tiles(x.shape[1]))
            ctx.save_for_backward(x, weight, rstd)
            return y

        @staticmethod
        def backward(ctx, dy):
            x, weight, rstd = ctx.saved_tensors
            dx, parts = torch.empty_like(x), torch.empty((x.shape[0] + 31) // 32, x.shape[1], device=x.device)
            rms_norm_backward[(parts.shape[0],)](dy, x, weight, rstd, dx, parts, *x.shape, dy.stride(0), x.stride(0),
                                                 dx.stride(0), 32, **tiles(x.shape[1]))
            return dx, parts.sum(0).to(weight.dtype), None

    layer = torch.nn.Module()
    layer.weight = torch.nn.Parameter(torch.ones(4096, device=device, dtype=torch.bfloat16))
    layer.forward = lambda x: JIT.apply(x, layer.weight, 1e-6)
    return layer


def bench(device, backend):
    rows, size = (8192, 4096) if device.type == "cuda" else (1024, 4096)
    options = {"device": device, "dtype": torch.bfloat16 if device.type == "cuda" else torch.float32}
    x, dy = torch.randn(2, rows, size, **options)
    x.requires_grad_()
    layers = [("the package", RMSNorm(size, **options)), ("Triton's JIT", make_jit(device)),
              ("PyTorch", torch.nn.RMSNorm(size, 1e-6, **options)),
              ("PyTorch, compiled", torch.compile(torch.nn.RMSNorm(size, 1e-6, **options), backend=backend))]
    print("{} rows of {}, {}, on {}".format(rows, size, str(options["dtype"])[6:], device))
    for name, layer in layers:
        if layer is None:
            print("{:<24} left out: it needs Triton and a GPU".format(name))
            continue
        begin = time.perf_counter()
        times = []
        for call in range(33):
            if device.type == "cuda":
                torch.cuda.synchronize()
            start = time.perf_counter()
            layer(x).backward(dy)
            if device.type == "cuda":
                torch.cuda.synchronize()
            times.append(time.perf_counter() - start)
            x.grad = None
            if call == 0:
                first = time.perf_counter() - begin
        print("{:<24} first call {:8.1f} ms, then forward and backward {:7.3f} ms".format(
            name, 1e3 * first, 1e3 * statistics.median(times[3:])))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--device", default="cuda" if torch is not None and torch.cuda.is_available() else "cpu")
    parser.add_argument("--backend", default="inductor", help="of torch.compile")
    parser.add_argument("--bench", action="store_true", help="how fast it is")
    options = parser.parse_args()
    if numpy is not None:
        run_numpy()
    else:
        print("left out: there is no NumPy")
    if torch is None:
        print("left out: the layer, as there is no PyTorch ('pip install torch')")
        return
    device = torch.device(options.device)
    check_layer(device)
    check_model(device, options.backend)
    if options.bench:
        bench(device, options.backend)
    print("all results are right")


if __name__ == "__main__":
    main()
