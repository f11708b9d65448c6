"""Functions that kernels of other files import."""
import triton
import triton.language as tl

OFFSET = tl.constexpr(100)
_FACTOR: tl.constexpr = 3


@triton.jit
def add_offset(x):
    return x + OFFSET


@triton.jit
def times_factor(x):
    return x * _FACTOR


@triton.constexpr_function
def half_of(n):
    return n // 2
