"""What a launch costs the host: a kernel that does nothing, with three tensors and three integers.

DEVICE=cpu measures without a GPU: processor time, up to a driver that does nothing (../launch/idle_driver.c, for the library) or up to
Triton's own launcher in C, which is left out (stand_in.py).
"""
import os
import sys
import time
import timeit
from pathlib import Path

import torch
import triton
import triton.language as tl

device = os.environ.get("DEVICE", "cuda")
if device == "cpu":
    sys.path.append(str(Path(__file__).resolve().parents[2] / "package/record"))
    import stand_in  # noqa: F401


@triton.jit
def nothing_kernel(a, b, c, n, stride_a, stride_b, BLOCK: tl.constexpr):
    if n < 0:
        tl.store(a + tl.program_id(0), 0.0)


def main():
    x, y, z = (torch.zeros(64, device=device) for _ in range(3))
    synchronize = torch.cuda.synchronize if device == "cuda" else lambda: None
    timer = time.perf_counter if device == "cuda" else time.process_time

    def tuple_grid():
        nothing_kernel[(1, )](x, y, z, 64, 32, 1, BLOCK=64)

    def function_grid():
        nothing_kernel[lambda meta: (triton.cdiv(64, meta["BLOCK"]), )](x, y, z, 64, 32, 1, BLOCK=64, num_warps=8)

    for name, call in (("a tuple", tuple_grid), ("a function and an option", function_grid)):
        best, count = float("inf"), 200 if device == "cuda" else 5000
        for _ in range(30):
            call()
            synchronize()  # The queue never fills: it is the host's time.
            best = min(best, timeit.timeit(call, number=count, timer=timer) / count)
            synchronize()
        print(f"launch with {name} as the grid: {best * 1e6:.2f} us")


if __name__ == "__main__":
    main()
