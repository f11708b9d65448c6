"""A program with kernels of many kinds. With --check, compares what it computed. DEVICE=cuda runs it on a GPU."""
import importlib.util
import os
import sys
import tempfile
from typing import NamedTuple

import torch
import triton
import triton.language as tl

try:
    from triton.tools.tensor_descriptor import TensorDescriptor
except ImportError:  # Triton 3.3
    TensorDescriptor = None

import ops.activations as activations
import stand_in  # noqa: F401
from ops import more
from ops.activations import leaky as soft, scale_kernel

torch.manual_seed(0)
torch.set_default_device(os.environ.get("DEVICE", "cpu"))
checking = "--check" in sys.argv
BIAS = tl.constexpr(float(torch.tensor([0.25, 0.5]).sum()))  # 0.75, which only the program knows
FAST = tl.constexpr(os.environ.get("NOBODY_SETS_THIS", "no") == "no")
LIMIT = tl.constexpr(float("inf"))
cdiv = triton.cdiv


def same(got, expected):
    if checking:
        torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-5)


def empty(*sizes, dtype=torch.float32):
    return torch.full(sizes, 77, dtype=dtype)


@triton.autotune(configs=[triton.Config({"BLOCK": 32}, num_warps=2), triton.Config({"BLOCK": 64}, num_warps=4),
                          triton.Config({"BLOCK": 128}, num_warps=8)], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def tuned_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(out_ptr + offsets, soft(tl.load(x_ptr + offsets)) + BIAS)
    else:
        mask = offsets < n
        tl.store(out_ptr + offsets, soft(tl.load(x_ptr + offsets, mask=mask)) + BIAS, mask=mask)


def tuned():
    for n in (256, 1000, 4096, 1000):
        x, out = torch.randn(n), empty(n)
        tuned_kernel[lambda meta: (cdiv(n, meta["BLOCK"]), )](x, out, n)
        same(out, torch.where(x > 0, x, x / 8) + 0.75)


class Tuner(triton.runtime.Autotuner):
    """As packages have them, with a key of their own."""

    def run(self, *args, **kwargs):
        key = self.key_of(args[2])
        if key not in self.cache:
            self.nargs = dict(zip(self.arg_names, args))
            times = {config: self._bench(*args, config=config, **kwargs)[0] for config in self.configs}
            self.cache[key] = min(times, key=times.get)
        self.best_config = self.cache[key]
        return self.fn.run(*args, **kwargs, **self.best_config.all_kwargs())

    @staticmethod
    def key_of(n):
        return (n + 99) // 100


def own_tuner(fn):
    configs = [triton.Config({"BLOCK": block}, num_warps=4) for block in (16, 32, 64)]
    return Tuner(fn, fn.arg_names, configs, ["n"], None, None)


@own_tuner
@triton.jit
def halve_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) / 2, mask=mask)


def tuned_by_a_package():
    for n in (100, 90, 333, 500, 310):
        x, out = torch.randn(n), empty(n)
        halve_kernel[lambda meta: (cdiv(n, meta["BLOCK"]), )](x, out, n)
        same(out, x / 2)


@triton.jit
def apply_kernel(x_ptr, bias_ptr, out_ptr, n, scale, negate, f: tl.constexpr, TYPE: tl.constexpr, MODE: tl.constexpr,
                 BLOCK: tl.constexpr = 64):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    if bias_ptr is not None:
        x += tl.load(bias_ptr + offsets, mask=mask)
    x = activations.square(f(x)) * scale
    if negate:
        x = -x
    if MODE == "half \"and\" half" and FAST:
        x = x / 2
    x = tl.minimum(x, LIMIT)
    tl.store(out_ptr + offsets, x.to(TYPE), mask=mask)


def applied():
    x, bias = torch.randn(500), torch.randn(500)
    for f, host in ((activations.leaky, lambda x: torch.where(x > 0, x, x / 8)), (activations.square, lambda x: x * x)):
        for given in (None, bias):
            for dtype, kind in ((torch.float32, tl.float32), (torch.float64, tl.float64)):
                for negate in (True, False):
                    out = empty(500, dtype=dtype)
                    apply_kernel[(8, )](x, given, out, 500, 1.5, negate, f, kind, 'half "and" half', num_warps=2)
                    y = host(x if given is None else x + given)**2 * 0.75
                    same(out, (-y if negate else y).to(dtype))
    out = empty(500)
    apply_kernel[(8, 1)](x, None, out, 500, 2, False, f=activations.square, TYPE=tl.float32, MODE="plain")
    same(out, x**4 * 2)


def make(op, times):

    @triton.jit
    def made_kernel(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        x = tl.load(x_ptr + offsets * stride, mask=mask)
        for _ in tl.static_range(times):
            x = op(x)
        tl.store(out_ptr + offsets * stride, x, mask=mask)

    return made_kernel


def captured():
    for op, times, host in ((activations.square, tl.constexpr(2), lambda x: x**4),
                            (activations.leaky, tl.constexpr(1), lambda x: torch.where(x > 0, x, x / 8))):
        kernel = make(op, times)
        for stride in (1, 3):
            x, out = torch.randn(100 * stride), empty(100 * stride)
            kernel[(4, )](x, out, 100, stride, 32)
            same(out[::stride], host(x[::stride]))


class Pair(NamedTuple):
    data: torch.Tensor
    size: int


@triton.jit
def tuples_kernel(inputs, weights, out: Pair, BLOCK: tl.constexpr, SIZES: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < out.size
    total = tl.zeros((BLOCK, ), tl.float32)
    for i in tl.static_range(len(inputs)):
        total += tl.load(inputs[i] + offsets, mask=mask) * weights[i] * SIZES[i]
    tl.store(out.data + offsets, total, mask=mask)


def tuples():
    for n in (200, 320):
        a, b, out = torch.randn(n), torch.randn(n), empty(n)
        tuples_kernel[(cdiv(n, 64), )]((a, b), (2.0, 3), Pair(out, n), 64, (4, 5))
        same(out, a * 8 + b * 15)


@triton.jit
def tiles_kernel(source, target, stride, BLOCK: tl.constexpr):
    rows, columns = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    tile = source.load([rows, columns])
    r = rows + tl.arange(0, BLOCK)[:, None]
    c = columns + tl.arange(0, BLOCK)[None, :]
    tl.store(target + r * stride + c, tile + 1)


def descriptors():
    for rows, columns in ((64, 32), (32, 96)) if TensorDescriptor else ():
        x, out = torch.randn(rows, columns), empty(rows, columns)
        source = TensorDescriptor.from_tensor(x, [32, 32])
        tiles_kernel[(rows // 32, columns // 32)](source, out, columns, 32)
        same(out, x + 1)


@triton.jit(do_not_specialize=["n"])
def wide_kernel(x_ptr, out_ptr, n, add, flag: tl.int1, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x_ptr + offsets, mask=offsets < n) + add
    tl.store(out_ptr + offsets, tl.where(flag, value, -value), mask=offsets < n)


def widths():
    x, out = torch.arange(64), empty(64, dtype=torch.int64)
    for n, add, flag in ((64, 1 << 40, True), (48, 3, False), (1, 1, True), (17, 16, True)):
        wide_kernel[(1, )](x, out, n, add, flag, BLOCK=64)
        same(out[:n], (x[:n] + add) * (1 if flag else -1))
    wide_kernel[(0, )](x, out, 64, 5, True, BLOCK=64)  # Nothing runs.
    wide_kernel[(1, )](torch.empty(0, dtype=torch.int64), torch.empty(0, dtype=torch.int64), 0, 5, True, BLOCK=64)


@tl.constexpr
def wider(dtype):
    """Runs when a kernel is compiled, though it is a function of Python's own."""
    if dtype.is_int():
        return tl.int64
    return OTHERS[dtype.primitive_bitwidth < 32]


OTHERS = (tl.float64, tl.float32)


@triton.jit
def widened_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    dtype: tl.constexpr = wider(x_ptr.dtype.element_ty)
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(dtype) * 3)


def calls_of_python():
    for kind, wide in ((torch.int32, torch.int64), (torch.float16, torch.float32), (torch.float32, torch.float64)):
        x, out = (torch.arange(32) * 1000003 % 60000).to(kind), empty(32, dtype=wide)
        widened_kernel[(1, )](x, out, 32)
        same(out, x.to(wide) * 3)


def two_of_a_name():
    x, out = torch.randn(128), empty(128)
    scale_kernel[(2, )](x, out, 128, 64)
    same(out, x * 2)
    more.scale_kernel[(2, )](x, out, 128, 64)
    same(out, x * 3)


def ahead():
    """As with persistent kernels: compiled first, asked what it needs, and launched by itself."""
    x, out = torch.randn(192), empty(192)
    kernel = scale_kernel.warmup(x, out, 192, BLOCK=32, grid=(1, ), num_warps=2)
    kernel._init_handles()
    assert kernel.n_regs >= 0 and kernel.metadata.shared >= 0 and kernel.metadata.num_warps >= 1
    kernel[(6, 1, 1)](x, out, 192, 32)
    same(out, x * 2)


def generated():
    """A file that is gone when the program ends, as compilers of graphs write them."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "made.py")
        with open(path, "w") as file:
            file.write("import triton\nimport triton.language as tl\nfrom ops.activations import square\n\n\n@triton.jit\n"
                       "def shifted(x_ptr, out_ptr, BLOCK: tl.constexpr):\n    i = tl.arange(0, BLOCK)\n"
                       "    tl.store(out_ptr + i, square(tl.load(x_ptr + i)) - 1)\n")
        spec = importlib.util.spec_from_file_location("made", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        x, out = torch.randn(64), empty(64)
        module.shifted[(1, )](x, out, 64)
    same(out, x * x - 1)


for part in (tuned, tuned_by_a_package, applied, captured, tuples, descriptors, widths, calls_of_python, two_of_a_name, ahead,
             generated):
    part()
print("all parts are done")
