"""Measures the library of build.py beside Triton's JIT, on a GPU: 4096 x 4096 x 4096, TFLOP/s.

    compare.py OUT

The largest difference of the two results is printed in relation to the largest element.
"""
import ctypes
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent))
import kernels  # noqa: E402
from cases import CASES, CONFIGS, constants, function  # noqa: E402

SIZE = 4096
TYPES = {"*bf16": torch.bfloat16, "*fp16": torch.float16, "*fp8e4nv": torch.float8_e4m3fn, "*fp8e5": torch.float8_e5m2}


class Stream(ctypes.Structure):
    _fields_ = [("backend", ctypes.c_int32), ("handle", ctypes.c_void_p)]


def make(type):
    if type == "*u8":
        return torch.randint(0, 256, (SIZE, SIZE // 2), device="cuda", dtype=torch.uint8)
    return torch.randn(SIZE, SIZE, device="cuda").to(TYPES[type])


def make_scales():
    return torch.randint(120, 130, (SIZE, SIZE // 32), device="cuda", dtype=torch.uint8)


def measure(launch, warmups=3, rounds=20):
    for _ in range(warmups):
        launch()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(rounds):
        launch()
    end.record()
    torch.cuda.synchronize()
    return 2 * SIZE**3 * rounds / begin.elapsed_time(end) / 1e9


library = ctypes.CDLL(str(Path(sys.argv[1]) / "libscaled.so"))
library.scaled_last_error.restype = ctypes.c_char_p
for case, (left, right, *_, columns) in CASES.items():
    a, b = make(left), make(right)
    if not columns:
        b = b.T.contiguous()
    tensors = [a, make_scales(), b, make_scales()]
    for index, config in enumerate(CONFIGS):
        ours, theirs = (torch.empty(SIZE, SIZE, device="cuda") for _ in range(2))
        call = library[f"scaled_{function(case, index)}"]

        def with_nereid():
            pointers = [ctypes.c_void_p(t.data_ptr()) for t in (*tensors, ours)]
            stream = Stream(1, torch.cuda.current_stream().cuda_stream)
            if call(stream, *pointers, *[ctypes.c_int32(SIZE)] * 3) != 0:
                sys.exit(library.scaled_last_error().decode())

        def with_triton():
            kernels.scaled_matmul[(SIZE // config[0], SIZE // config[1])](*tensors, theirs, SIZE, SIZE, SIZE,
                                                                         **constants(case, config), num_warps=config[3],
                                                                         num_stages=config[4])

        nereid, triton = measure(with_nereid), measure(with_triton)
        off = ((ours - theirs).abs().max() / theirs.abs().max()).item()
        print(f"{case:14} {config}: {nereid:.0f}, Triton {triton:.0f}, ratio {nereid / triton:.2f}, off by {off:.1e}",
              flush=True)
