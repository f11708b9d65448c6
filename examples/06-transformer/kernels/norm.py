"""Root mean square norm of rows, behind the addition of what the last layer found."""

import triton
import triton.language as tl


@triton.jit
def norm_kernel(hidden_ptr, more_ptr, scale_ptr, out_ptr, rows, width, eps, BLOCK: tl.constexpr):
    """hidden += more; out = hidden / sqrt(mean(hidden²) + eps) * scale, a row a program.

    `hidden` is float32, as everything is added up there. `more_ptr` may be None: there is nothing to add then.
    `rows` is here for the grid.
    """
    row = tl.program_id(0).to(tl.int64) * width
    hidden_ptr += row
    out_ptr += row
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, width, BLOCK):
        column = start + tl.arange(0, BLOCK)
        inside = column < width
        x = tl.load(hidden_ptr + column, mask=inside, other=0.0)
        if more_ptr is not None:
            x += tl.load(more_ptr + row + column, mask=inside, other=0.0).to(tl.float32)
            tl.store(hidden_ptr + column, x, mask=inside)
        squares += x * x
    factor = tl.rsqrt(tl.sum(squares, 0) / width + eps)
    for start in range(0, width, BLOCK):
        column = start + tl.arange(0, BLOCK)
        inside = column < width
        x = tl.load(hidden_ptr + column, mask=inside, other=0.0)
        scale = tl.load(scale_ptr + column, mask=inside, other=0.0).to(tl.float32)
        tl.store(out_ptr + column, (x * factor * scale).to(out_ptr.dtype.element_ty), mask=inside)
