"""Rows that end anywhere."""
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """Nothing is known of n, so that a row may end within a vector."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n, other=1.0) * 2, mask=at < n)


@triton.jit
def inner(x_ptr, y_ptr, first, last, BLOCK: tl.constexpr):
    """Rows that begin and end anywhere."""
    at = tl.arange(0, BLOCK)
    inside = (at >= first) & (last > at)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=inside), mask=inside)


@triton.jit
def odd(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """A mask that changes more than once in a vector."""
    at = tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at % n == 0), mask=at % n == 0)
