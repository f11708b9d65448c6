"""Kernels that begin before the last one has ended, where a GPU can do that: NVIDIA's from sm_90 on.

A token's kernels take microseconds, and of those it takes one or two until all processors are at work again. So each lets
the next one begin at once; that loads weights, which no kernel writes, and then waits until the last one has ended.
"""

import triton
import triton.language as tl


@triton.jit
def let_next_begin():
    if tl.target_info.cuda_capability_geq(9, 0):
        tl.extra.cuda.gdc_launch_dependents()


@triton.jit
def wait_for_last():
    if tl.target_info.cuda_capability_geq(9, 0):
        tl.extra.cuda.gdc_wait()
