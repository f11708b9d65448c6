"""Layer normalization with a scale and a shift for each column, in one kernel."""

import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(x_ptr, out_ptr, scale_ptr, shift_ptr, rows, columns, eps, BLOCK: tl.constexpr):
    """One program normalizes one row, of any length, in three passes over its blocks: mean, variance, result.

    Sums are kept for each lane of a block, and added up across the block once, after the loop. All arithmetic is in
    float32, whatever the type of the data.
    """
    row = tl.program_id(0)
    x_row = x_ptr + row * columns
    out_row = out_ptr + row * columns

    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(x_row + offsets, mask=offsets < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / columns

    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        inside = offsets < columns
        x = tl.load(x_row + offsets, mask=inside, other=0.0).to(tl.float32)
        difference = tl.where(inside, x - mean, 0.0)
        squares += difference * difference
    inverse_deviation = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / columns + eps)

    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        inside = offsets < columns
        x = tl.load(x_row + offsets, mask=inside, other=0.0).to(tl.float32)
        scale = tl.load(scale_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
        shift = tl.load(shift_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
        tl.store(out_row + offsets, (x - mean) * inverse_deviation * scale + shift, mask=inside)
