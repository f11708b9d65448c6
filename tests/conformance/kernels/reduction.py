"""Reductions over either axis of a tile."""
import triton
import triton.language as tl


@triton.jit
def reduce_rows(x_ptr, out_ptr, M, N, OP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.arange(0, BN)
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    if OP == "sum":
        x = tl.load(x_ptr + rm[:, None] * N + rn[None, :], mask=mask, other=0)
        r = tl.sum(x, axis=1)
    elif OP == "max":
        x = tl.load(x_ptr + rm[:, None] * N + rn[None, :], mask=mask, other=float("-inf"))
        r = tl.max(x, axis=1)
    else:
        x = tl.load(x_ptr + rm[:, None] * N + rn[None, :], mask=mask, other=float("inf"))
        r = tl.min(x, axis=1)
    tl.store(out_ptr + rm, r, mask=rm < M)


@triton.jit
def sum_columns(x_ptr, out_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rn = tl.program_id(0) * BN + tl.arange(0, BN)
    acc = tl.zeros((BN,), dtype=tl.float32)
    for start in range(0, M, BM):
        rm = start + tl.arange(0, BM)
        mask = (rm[:, None] < M) & (rn[None, :] < N)
        acc += tl.sum(tl.load(x_ptr + rm[:, None] * N + rn[None, :], mask=mask, other=0.0), axis=0)
    tl.store(out_ptr + rn, acc, mask=rn < N)


@triton.jit
def sum_all(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0)
    tl.store(out_ptr + tl.program_id(0), tl.sum(x))


@triton.jit
def _widest(a, b):
    return tl.where(tl.abs(a) > tl.abs(b), a, b)


@triton.jit
def custom_reduce(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * N + cols, mask=cols < N, other=0.0)
    tl.store(out_ptr + tl.program_id(0), tl.reduce(x, 0, _widest))


@triton.jit
def argmax_rows(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * N + cols, mask=cols < N, other=float("-inf"))
    tl.store(out_ptr + tl.program_id(0), tl.argmax(x, axis=0))


@triton.jit
def sum_columns_of_centered(x_ptr, mean_ptr, out_ptr, stride, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Every thread needs all means, which a warp's lanes load, and has much of the tile."""
    rows, cols = tl.arange(0, ROWS), tl.arange(0, COLS)
    x = tl.load(x_ptr + rows[:, None] * COLS + cols[None, :])
    mean = tl.load(mean_ptr + rows * stride)
    tl.store(out_ptr + cols, tl.sum(x - mean[:, None], axis=0))
