"""Times libraries built by build_libraries.sh beside Triton's JIT of the same file, on one GPU, in one process.

    gpu_compare.py FOLDER

Needs PyTorch and Triton. Each figure is the median of the calls that triton.testing.do_bench makes, with the cache
flushed before each; bytes are those that the work must move (each input read once, each output written once). Results
are compared with PyTorch before anything is timed.
"""
import ctypes
import sys
from pathlib import Path

import torch
import triton

sys.path.insert(0, str(Path(__file__).parent))
import kernels  # noqa: E402


class Stream(ctypes.Structure):
    _fields_ = [("backend", ctypes.c_int32), ("handle", ctypes.c_void_p)]


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint32), ("y", ctypes.c_uint32), ("z", ctypes.c_uint32)]


class Library:
    """A library made by Nereid, called through its C interface."""

    def __init__(self, folder, name):
        self.name = name
        self.library = ctypes.CDLL(str(Path(folder) / f"lib{name}.so"))
        self.library[f"{name}_last_error"].restype = ctypes.c_char_p

    def call(self, function, *arguments):
        stream = Stream(1, torch.cuda.current_stream().cuda_stream)
        status = self.library[f"{self.name}_{function}"](stream, *arguments)
        if status != 0:
            raise RuntimeError(self.library[f"{self.name}_last_error"]().decode())


def pointer(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


def report(label, bytes_moved, ours, theirs):
    a = min(triton.testing.do_bench(ours, warmup=50, rep=300, return_mode="median") for _ in range(2))
    b = min(triton.testing.do_bench(theirs, warmup=50, rep=300, return_mode="median") for _ in range(2))
    print(f"{label:34} {bytes_moved / a / 1e6:8.0f} {bytes_moved / b / 1e6:8.0f} {b / a:7.3f}", flush=True)


def check(label, got, want, tolerance):
    error = ((got.double() - want.double()).norm() / want.double().norm()).item()
    if not error < tolerance:
        raise SystemExit(f"{label}: wrong result, relative error {error}")


def bench_add(folder, name, dtype):
    n = 1 << 28
    x = torch.randn(n, device="cuda", dtype=torch.float32).to(dtype)
    y = torch.randn(n, device="cuda", dtype=torch.float32).to(dtype)
    out = torch.full_like(x, float("nan"))
    theirs_out = torch.full_like(x, float("nan"))
    library = Library(folder, f"add_{name}")
    ours = lambda: library.call("add_kernel", pointer(x), pointer(y), pointer(out), ctypes.c_int32(n))
    theirs = lambda: kernels.add_kernel[(triton.cdiv(n, 1024),)](x, y, theirs_out, n, BLOCK=1024)
    ours()
    theirs()
    check("add", out, x + y, 1e-6)
    assert torch.equal(out, theirs_out)
    report(f"add {name} 2^28", 3 * x.numel() * x.element_size(), ours, theirs)


def bench_rows(folder, kind, name, dtype, warps):
    rows, cols = 4096, 8192
    x = torch.randn(rows, cols, device="cuda", dtype=torch.float32).to(dtype)
    out = torch.full_like(x, float("nan"))
    theirs_out = torch.full_like(x, float("nan"))
    library = Library(folder, f"{kind}_{name}_{warps}")
    grid = Dim3(rows, 1, 1)
    if kind == "softmax":
        want = torch.softmax(x.double(), 1)
        integers = (ctypes.c_int32(cols), ctypes.c_int32(cols))
        ours = lambda: library.call("softmax_kernel_grid", grid, pointer(out), pointer(x), *integers)
        theirs = lambda: kernels.softmax_kernel[(rows,)](theirs_out, x, cols, cols, BLOCK=8192, num_warps=warps)
    else:
        w = torch.randn(cols, device="cuda", dtype=torch.float32).to(dtype)
        b = torch.randn(cols, device="cuda", dtype=torch.float32).to(dtype)
        want = torch.nn.functional.layer_norm(x.double(), (cols,), w.double(), b.double(), 1e-5)
        rest = (ctypes.c_int32(cols), ctypes.c_int32(cols), ctypes.c_float(1e-5))
        ours = lambda: library.call(
            "layer_norm_kernel_grid", grid, pointer(x), pointer(out), pointer(w), pointer(b), *rest
        )
        theirs = lambda: kernels.layer_norm_kernel[(rows,)](
            x, theirs_out, w, b, cols, cols, 1e-5, BLOCK=8192, num_warps=warps
        )
    ours()
    theirs()
    check(kind, out, want, 1e-5 if dtype == torch.float32 else 2e-3)
    check(kind + " (Triton)", theirs_out, want, 1e-5 if dtype == torch.float32 else 2e-3)
    report(f"{kind} {name} {rows}x{cols}, {warps} warps", 2 * x.numel() * x.element_size(), ours, theirs)


def main():
    folder = sys.argv[1]
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, triton {triton.__version__}")
    print(f"{'work':34} {'Nereid':>8} {'Triton':>8} {'ratio':>7}   (GB/s)")
    for name, dtype in (("fp32", torch.float32), ("fp16", torch.float16)):
        bench_add(folder, name, dtype)
        for kind in ("softmax", "layer_norm"):
            for warps in (4, 8, 16):
                bench_rows(folder, kind, name, dtype, warps)


main()
