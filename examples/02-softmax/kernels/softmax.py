"""Softmax over the rows of a matrix."""

import triton
import triton.language as tl


@triton.jit
def softmax_kernel(out_ptr, in_ptr, rows, columns, BLOCK: tl.constexpr):
    """One program normalizes one row, which it holds as a whole: BLOCK is at least the number of columns.

    `rows` is here for the grid, which can only depend on arguments.
    """
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    start = row * columns
    x = tl.load(in_ptr + start + offsets, mask=inside, other=float("-inf")).to(tl.float32)
    # Without the largest element taken off first, exp would overflow.
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + start + offsets, e / tl.sum(e, axis=0), mask=inside)
