"""Copies of tiles of rows, whose stride is known."""
import triton
import triton.language as tl


@triton.jit
def copy(x, y, n, ROWS: tl.constexpr, STRIDE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    at = row[:, None] * STRIDE + tl.arange(0, 64)[None, :]
    tl.store(y + at, tl.load(x + at) + 1)


@triton.jit
def copy_some(x, y, n, ROWS: tl.constexpr, STRIDE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    at = row[:, None] * STRIDE + tl.arange(0, 64)[None, :]
    mask = (row < n)[:, None]
    tl.store(y + at, tl.load(x + at, mask=mask) + 1, mask=mask)


@triton.jit
def copy_parts(x, y, n, PART: tl.constexpr, PARTS: tl.constexpr):
    row = tl.arange(0, 8)
    x += row[:, None] * (PART * PARTS)
    for first in tl.static_range(0, PART * PARTS, PART):
        column = first + tl.arange(0, PART)
        tl.store(y + column, tl.sum(tl.load(x + column[None, :], mask=(row < n)[:, None], other=0), 0))
