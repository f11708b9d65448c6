import triton
import triton.language as tl


@triton.jit
def sums(x_ptr, weight_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Each round reads a row, weights that are the same for all, and writes its sum."""
    columns = tl.arange(0, BLOCK)
    for row in range(n):
        x = tl.load(x_ptr + row * BLOCK + columns)
        w = tl.load(weight_ptr + columns)
        tl.store(out_ptr + row, tl.sum(x * w, axis=0))


@triton.jit
def last_rows(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """The last block of rows may end early."""
    rows = tl.arange(0, BLOCK)
    for first in range(0, n, BLOCK):
        x = tl.load(x_ptr + (first + rows) * 64, mask=first + rows < n, other=0)
        tl.store(out_ptr + first, tl.sum(x, axis=0))


@triton.jit
def chain(next_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Where the next round reads is what this one reads."""
    at = tl.arange(0, BLOCK)
    for _ in range(n):
        at = tl.load(next_ptr + at)
    tl.store(out_ptr + tl.arange(0, BLOCK), at)


@triton.jit
def products(a_ptr, scale_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Products' factors are copied ahead as it is."""
    i = tl.arange(0, BLOCK)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    sums = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(n):
        a = tl.load(a_ptr + k * BLOCK * BLOCK + i)
        sums = tl.dot(a, a, sums) * tl.load(scale_ptr + k)
    tl.store(out_ptr + i, sums)
