"""Vector addition, for vectors of any length and of any type that can be added."""

import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """out = x + y. Each program adds BLOCK elements; the last one masks those beyond the end."""
    first = tl.program_id(axis=0) * BLOCK
    offsets = first + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    y = tl.load(y_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, x + y, mask=inside)
