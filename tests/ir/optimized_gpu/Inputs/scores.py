"""Queries that stay in registers, and keys that come in rounds."""
import triton
import triton.language as tl


@triton.jit
def largest_score(query_ptr, key_ptr, out_ptr, n, stride, ROWS: tl.constexpr, KEYS: tl.constexpr, SIZE: tl.constexpr):
    rows, keys, size = tl.arange(0, ROWS), tl.arange(0, KEYS), tl.arange(0, SIZE)
    query = tl.load(query_ptr + rows[:, None] * SIZE + size[None, :])
    best = tl.full([ROWS], float("-inf"), tl.float32)
    for start in range(0, n, KEYS):
        key = tl.load(key_ptr + (start + keys)[None, :] * stride + size[:, None])
        best = tl.maximum(best, tl.max(tl.dot(query, key), 1))
    tl.store(out_ptr + rows, best)


@triton.jit
def product(x_ptr, y_ptr, out_ptr, depth, stride, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STEP: tl.constexpr):
    rows, columns, step = tl.arange(0, ROWS), tl.arange(0, COLUMNS), tl.arange(0, STEP)
    sums = tl.zeros([ROWS, COLUMNS], tl.float32)
    for first in range(0, depth, STEP):
        x = tl.load(x_ptr + rows[:, None] * stride + (first + step)[None, :])
        y = tl.load(y_ptr + columns[None, :] * stride + (first + step)[:, None])
        sums = tl.dot(x, y, sums)
    tl.store(out_ptr + rows[:, None] * COLUMNS + columns[None, :], sums)
