"""Rows that a loop changes, element by element, between a masked load and a store with the same masks."""
import triton
import triton.language as tl


@triton.jit
def powers(x_ptr, y_ptr, n, rounds, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + columns, mask=columns < n, other=0.0)
    for _ in range(rounds):
        x = tl.exp(x) * 0.5
    tl.store(y_ptr + columns, x, mask=columns < n)


@triton.jit
def sums(x_ptr, y_ptr, n, rounds, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + columns, mask=columns < n, other=0.0)
    for _ in range(rounds):
        x += x * 0.5
    tl.store(y_ptr + columns, x, mask=columns < n)


@triton.jit
def choices(x_ptr, y_ptr, n, rounds, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + columns, mask=columns < n, other=0.0)
    for _ in range(rounds):
        x = tl.where(x > 1.0, x * 0.5, x + 3.0)
    tl.store(y_ptr + columns, x, mask=columns < n)
