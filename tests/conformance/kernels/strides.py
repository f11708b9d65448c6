"""Accesses whose strides are known only when the kernel runs, or are not 1; tiles within and across their masks."""
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, out_ptr, M, N, x_m, x_n, out_m, out_n, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    inside = (m[:, None] < M) & (n[None, :] < N)
    x = tl.load(x_ptr + m[:, None] * x_m + n[None, :] * x_n, mask=inside)
    tl.store(out_ptr + m[:, None] * out_m + n[None, :] * out_n, x * 2 + 1, mask=inside)


@triton.jit
def triangle(x_ptr, out_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    inside = (M > m[:, None]) & (n[None, :] <= N - 1)
    x = tl.load(x_ptr + m[:, None] * N + n[None, :], mask=inside, other=0)
    x = tl.where(m[:, None] >= n[None, :], x, -1)
    tl.store(out_ptr + m[:, None] * N + n[None, :], x, mask=inside)


@triton.jit
def larger_magnitude(x, i, y, j):
    # Of equal magnitudes the first: a reduction may take its elements in any order.
    takes_y = (tl.abs(y) > tl.abs(x)) | ((tl.abs(y) == tl.abs(x)) & (j < i))
    return tl.where(takes_y, y, x), tl.where(takes_y, j, i)


@triton.jit
def columns(x_ptr, out_ptr, M, N, stride, KIND: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.arange(0, BM)
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    inside = (m[:, None] < M) & (n[None, :] < N)
    x = tl.load(x_ptr + m[:, None] * N + n[None, :] * stride, mask=inside, other=0)
    if KIND == "sum":
        result = tl.sum(x, 0)
    elif KIND == "max":
        result = tl.max(x, 0)
    elif KIND == "argmin":
        result = tl.argmin(x, 0).to(tl.float32)
    else:
        rows = tl.broadcast_to(m[:, None], BM, BN)
        magnitude, row = tl.reduce((x, rows), 0, larger_magnitude)
        result = magnitude * 1000 + row
    tl.store(out_ptr + n, result, mask=n < N)


@triton.jit
def every_other(x_ptr, out_ptr, n, STEP: tl.constexpr, FIRST: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + FIRST + i * STEP, mask=i < n)
    tl.store(out_ptr + FIRST + i * STEP, x + 1, mask=i < n)


@triton.jit
def turn_pairs(x_ptr, cos_ptr, sin_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    even = tl.load(x_ptr + 2 * i, mask=i < n)
    odd = tl.load(x_ptr + 2 * i + 1, mask=i < n)
    c = tl.load(cos_ptr + i, mask=i < n)
    s = tl.load(sin_ptr + i, mask=i < n)
    tl.store(out_ptr + 2 * i, even * c - odd * s, mask=i < n)
    tl.store(out_ptr + 2 * i + 1, even * s + odd * c, mask=i < n)


@triton.jit
def grouped(x_ptr, scale_ptr, out_ptr, first, n, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    i = first + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    packed = tl.load(x_ptr + i // 8, mask=i < n)
    digit = (packed >> ((i % 8) * 4)) & 15
    by = tl.load(scale_ptr + i // GROUP, mask=i < n)
    place = tl.load(scale_ptr + i % GROUP, mask=i < n)
    tl.store(out_ptr + i, digit * by + place, mask=i < n)


@triton.jit
def quotients(x_ptr, y_ptr, out_ptr, n, d, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(out_ptr + i, x // y)
    tl.store(out_ptr + n + i, x % y)
    tl.store(out_ptr + 2 * n + i, x // d)
    tl.store(out_ptr + 3 * n + i, x % d)


@triton.jit
def rows_then_columns(x_ptr, w_ptr, scaled_ptr, total_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    places = i[:, None] * N + i[None, :]
    x = tl.load(x_ptr + places)
    w = tl.load(w_ptr + i)
    # Needs the first reduction, and a tile of its own, before the second one.
    factor = w[:, None] * (w * tl.sum(x * x, axis=1))[:, None]
    total = tl.sum(w[:, None] * x, axis=0)
    tl.store(scaled_ptr + places, factor * x)
    tl.store(total_ptr + i, total)
