"""Checks and times kernels of clusters on an NVIDIA GPU, beside the same kernels of single blocks and cuBLAS.

    tests/benchmark/clusters/build.sh build/aot/nereid FOLDER        # no GPU needed
    python3 tests/benchmark/clusters/compare.py FOLDER                # needs PyTorch
"""
import ctypes
import sys
from pathlib import Path

import torch

library = ctypes.CDLL(str(Path(sys.argv[1]) / "libclusters.so"))
library.clusters_last_error.restype = ctypes.c_char_p


class Stream(ctypes.Structure):
    _fields_ = [("backend", ctypes.c_int32), ("handle", ctypes.c_void_p)]


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint32), ("y", ctypes.c_uint32), ("z", ctypes.c_uint32)]


def pointer(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


def call(function, *arguments):
    stream = Stream(1, torch.cuda.current_stream().cuda_stream)
    if library["clusters_" + function](stream, *arguments) != 0:
        raise RuntimeError(library.clusters_last_error().decode())


def milliseconds(work, count=20):
    for _ in range(3):
        work()
    begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
    begin.record()
    for _ in range(count):
        work()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / count


def report(label, work, out, want, tolerance, amount, unit):
    """`amount` is what the work comes to, in units that a millisecond has a thousandth of."""
    work()
    error = ((out.double() - want.double()).norm() / want.double().norm()).item()
    wrong = "" if error < tolerance else "  WRONG"
    print(f"{label:40} {amount / milliseconds(work):8.0f} {unit}   error {error:.1e}{wrong}", flush=True)
    return not wrong


def main():
    ok = True
    for size in (2048, 4096, 8192):
        a, b = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2))
        want = a @ b
        teraflops = 2 * size**3 / 1e9
        print(f"{f'cuBLAS {size}':40} {teraflops / milliseconds(lambda: torch.mm(a, b)):8.0f} TFLOP/s", flush=True)
        for kernel in ("matmul", "matmul_tiles"):
            for variant in ("1_128_8", "2_256_8", "2_128_4", "4_256_4"):
                out = torch.full_like(want, float("nan"))
                numbers = [ctypes.c_int32(size)] * 3
                work = lambda: call(f"{kernel}_{variant}", pointer(a), pointer(b), pointer(out), *numbers)
                ok &= report(f"{kernel}_{variant} {size}", work, out, want, 3e-3, teraflops, "TFLOP/s")
    rows, columns = 1024, 32768
    x = torch.randn(rows, columns, device="cuda")
    want = torch.softmax(x.double(), 1)
    for blocks in (1, 2, 4, 8):
        out = torch.full_like(x, float("nan"))
        work = lambda: call(f"softmax_{blocks}_grid", Dim3(rows, 1, 1), pointer(x), pointer(out), ctypes.c_int32(columns))
        ok &= report(f"softmax_{blocks} {rows}x{columns}", work, out, want, 1e-5, 8 * rows * columns / 1e6, "GB/s")
    raise SystemExit(not ok)


main()
