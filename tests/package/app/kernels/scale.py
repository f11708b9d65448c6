"""One kernel that is compiled for several element types."""

import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, factor, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets, mask=inside) * factor, mask=inside)
