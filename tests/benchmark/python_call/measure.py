"""Processor time of one call from Python, by each of the ways to the same kernels that there are here.

  measure.py FOLDER [cuda]       with the package `calls` of kernels.py and libcalls.so

On the CPU Triton launches nothing, as it has no kernels for that: with driver.c's libcuda.so.1 in LD_LIBRARY_PATH its launcher
is measured all the same, to where the driver would begin.
"""
import ctypes
import os
import statistics
import sys
import time
import types

import torch

folder = os.path.abspath(sys.argv[1])
on_gpu = sys.argv[2:] == ["cuda"]
sys.path.insert(0, folder)
import calls

device = torch.device("cuda" if on_gpu else "cpu")
wait = torch.cuda.synchronize if on_gpu else lambda: None


def measure(call, *arguments, **keywords):
    """The median of the microseconds of many batches, which a GPU's queue has room for."""
    times = []
    for _ in range(200):
        wait()
        start = time.thread_time_ns()
        for _ in range(200):
            call(*arguments, **keywords)
        times.append((time.thread_time_ns() - start) / 200)
    wait()
    return statistics.median(times) / 1e3


rows = []


def add(what, nothing, layer=None):
    def cell(run):
        return "" if run is None else "{:.2f}".format(measure(*run))

    rows.append((what, cell(nothing), cell(layer)))


x, y, z = (torch.zeros(64, device=device) for _ in range(3))
matrix, w = torch.zeros(1, 64, device=device), torch.zeros(64, device=device)

member = calls._package.library.calls_nothing
stream = calls._nereid._Stream(1 if on_gpu else 0, torch.cuda.current_stream().cuda_stream if on_gpu else None)
add("ctypes alone, with pointers at hand", (member, stream, x.data_ptr(), y.data_ptr(), z.data_ptr(), 1))
add("the package, PyTorch", (calls.nothing, x, y, z, 1), (calls.layer, matrix, w))
if not on_gpu:
    add("the package, NumPy", (calls.nothing, x.numpy(), y.numpy(), z.numpy(), 1),
        (calls.layer, matrix.numpy(), w.numpy()))
add("the package, `torch.ops`", (torch.ops.calls.nothing, x, y, z, 1, None))
try:
    import tvm_ffi
except ImportError:
    print("left out: there is no apache-tvm-ffi")
else:
    module = tvm_ffi.load_module(os.path.join(folder, "libcalls.so"))
    add("TVM FFI, PyTorch", (module.nothing, x, y, z, 1), (module.layer, matrix, w))
    if not on_gpu:
        add("TVM FFI, NumPy", (module.nothing, x.numpy(), y.numpy(), z.numpy(), 1), (module.layer, matrix.numpy(), w.numpy()))
    views = [tvm_ffi.from_dlpack(tensor) for tensor in (x, y, z, matrix, w)]
    add("TVM FFI, its own tensors", (module.nothing, *views[:3], 1), None if on_gpu else (module.layer, *views[3:]))
try:
    import triton
except ImportError:
    print("left out: there is no Triton")
else:
    if not on_gpu:
        from triton.backends.compiler import GPUTarget
        from triton.backends.nvidia.driver import CudaLauncher, CudaUtils

        triton.runtime.driver.set_active(types.SimpleNamespace(
            utils=CudaUtils(), launcher_cls=CudaLauncher, get_current_target=lambda: GPUTarget("cuda", 90, 32),
            get_current_device=lambda: 0, get_current_stream=lambda device=None: 0))
    import kernels

    def layer(x, w):
        out = torch.empty_like(x)
        kernels.layer[(x.shape[0],)](x, w, out, x.shape[0], x.shape[1], x.stride(0), out.stride(0), 1e-6)
        return out

    add("Triton's JIT" + ("" if on_gpu else ", idle driver"), (kernels.nothing[(1,)], x, y, z, 1), (layer, matrix, w))
add("`torch.add(x, y, out=z)`, `torch.add(x, w)`", (lambda: torch.add(x, y, out=z),), (torch.add, matrix, w))

print("| {} | three tensors and a number | a layer that makes its output |".format("on the GPU" if on_gpu else "on the CPU"))
print("| --- | --- | --- |")
for row in rows:
    print("| {} | {} | {} |".format(*row))
