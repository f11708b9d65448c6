"""A kernel with a string constant in which every character means something to a shell, a build file or C."""

import triton
import triton.language as tl


@triton.jit
def mode_kernel(x_ptr, MODE: tl.constexpr):
    if MODE == "a;b $c 'd' #e (f) %g & h":
        tl.store(x_ptr, 1.0)
    else:
        tl.store(x_ptr, 2.0)
