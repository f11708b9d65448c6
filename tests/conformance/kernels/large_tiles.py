"""Tiles of which a thread of a GPU has thousands of elements, and long sorts."""
import triton
import triton.language as tl


@triton.jit
def chain(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask, other=3)
    y = tl.load(y_ptr + i, mask=mask)
    s = x * 2 + y
    tl.store(out_ptr + i, tl.where(x > y, s * s, s - x), mask=mask)


@triton.jit
def sum_cube(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr):
    a = tl.arange(0, A)[:, None, None]
    b = tl.arange(0, B)[None, :, None]
    c = tl.arange(0, C)[None, None, :]
    s = tl.sum(tl.load(x_ptr + (a * B + b) * C + c), axis=AXIS)
    rows = tl.arange(0, s.shape[0])[:, None]
    columns = tl.arange(0, s.shape[1])[None, :]
    tl.store(out_ptr + rows * s.shape[1] + columns, s)


@triton.jit
def total_and_place(x_ptr, out_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    tl.store(out_ptr, tl.sum(x, axis=0))
    tl.store(out_ptr + 1, tl.argmax(x, axis=0))


@triton.jit
def transpose(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + i * N + j)
    tl.store(out_ptr + tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :], tl.trans(x))


@triton.jit
def carried(x_ptr, out_ptr, rounds, M: tl.constexpr, N: tl.constexpr):
    """Two tiles that change places, and a row that is added to both."""
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    a = tl.load(x_ptr + i)
    b = tl.full((M, N), 1, tl.int32)
    for k in range(rounds):
        row = tl.load(x_ptr + tl.arange(0, N))
        a, b = b + row[None, :], a * 2
        if k == 1:
            b = b - a
        else:
            b = b + k
    tl.store(out_ptr + i, a)
    tl.store(out_ptr + M * N + i, b)


@triton.jit
def halves(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    low, high = tl.split(tl.reshape(x, (BLOCK // 2, 2)))
    tl.store(out_ptr + i, tl.reshape(tl.join(high, low), (BLOCK, )))


@triton.jit
def scans(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + i, tl.cumsum(tl.load(x_ptr + i), axis=AXIS, reverse=REVERSE))


@triton.jit
def reversed_gather(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    along = tl.arange(0, N)[None, :] if AXIS else tl.arange(0, M)[:, None]
    index = tl.broadcast_to((N if AXIS else M) - 1 - along, (M, N))
    tl.store(out_ptr + i, tl.gather(tl.load(x_ptr + i), index, AXIS))


@triton.jit
def sorted_rows(x_ptr, out_ptr, ROWS: tl.constexpr, BLOCK: tl.constexpr, DESCENDING: tl.constexpr):
    i = tl.arange(0, ROWS)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    tl.store(out_ptr + i, tl.sort(tl.load(x_ptr + i), descending=DESCENDING))


@triton.jit
def largest(x_ptr, out_ptr, BLOCK: tl.constexpr, K: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, K), tl.topk(tl.load(x_ptr + tl.arange(0, BLOCK)), K))


@triton.jit
def merged(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.bitonic_merge(tl.load(x_ptr + i)))


@triton.jit
def atomics(x_ptr, sums_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + i)
    # Each column's sum, in whatever order, and each element's own.
    tl.atomic_add(sums_ptr + tl.arange(0, N)[None, :] + i * 0, x, mask=x > 0)
    old = tl.atomic_xchg(x_ptr + i, x + 1)
    before = tl.atomic_cas(x_ptr + i, old + 1, x * 2)
    tl.store(out_ptr + i, old * 3 + before)
    tl.store(out_ptr + M * N + i, tl.load(x_ptr + i))


@triton.jit
def counted(x_ptr, out_ptr, BLOCK: tl.constexpr, BINS: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    counts = tl.histogram(x, BINS, mask=x % 3 != 0)
    tl.store(out_ptr + tl.arange(0, BINS), counts)


@triton.jit
def atomics_among_others(x_ptr, places_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr,
                         GATHER: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]).to(tl.int8)
    row = tl.arange(0, N)[:, None]
    column = tl.arange(0, M)[None, :]
    if GATHER:
        turned = tl.gather(tl.trans(x), tl.broadcast_to(M - 1 - column, (N, M)), 1).to(tl.int32)
    else:
        turned = tl.load(x_ptr + (M - 1 - column) * N + row).to(tl.int8).to(tl.int32)
    sums = tl.cumsum(turned, axis=1)
    for k in range(3):
        sums += tl.sum(x.to(tl.int32), axis=0)[:, None] * k
    old = tl.atomic_xchg(places_ptr + row * M + column, sums)
    tl.store(out_ptr + row * M + column, old + tl.sum(sums, axis=1)[:, None])


@triton.jit
def product(a_ptr, b_ptr, out_ptr, rounds, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """A product whose factors are loaded K deep, the right one as it lies transposed."""
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    k = tl.arange(0, K)
    sums = tl.zeros((M, N), tl.int32 if a_ptr.dtype.element_ty.is_int() else tl.float32)
    for step in range(0, rounds * K, K):
        a = tl.load(a_ptr + i[:, None] * (rounds * K) + step + k[None, :])
        b = tl.load(b_ptr + j[:, None] * (rounds * K) + step + k[None, :])
        sums = tl.dot(a, tl.trans(b), sums)
    places = i[:, None] * N + j[None, :]
    tl.store(out_ptr + places, sums.to(tl.int32))


@triton.jit
def product_of_batches(a_ptr, b_ptr, out_ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
                       K: tl.constexpr):
    n = tl.arange(0, B)[:, None, None]
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    k = tl.arange(0, K)
    a = tl.load(a_ptr + (n * M + i[None, :, None]) * K + k[None, None, :])
    b = tl.load(b_ptr + (n * K + k[None, :, None]) * N + j[None, None, :])
    c = tl.dot(a, b, out_dtype=tl.float16)
    tl.store(out_ptr + (n * M + i[None, :, None]) * N + j[None, None, :], c.to(tl.int32))


@triton.jit
def product_of_products(x_ptr, y_ptr, out_ptr, M: tl.constexpr, K: tl.constexpr):
    """(x y) y^T, whose inner factor is a large tile itself."""
    i = tl.arange(0, M)
    k = tl.arange(0, K)
    x = tl.load(x_ptr + i[:, None] * K + k[None, :])
    y = tl.load(y_ptr + k[:, None] * M + i[None, :])
    inner = tl.dot(x, y, input_precision="ieee")
    outer = tl.dot(inner, tl.trans(y), input_precision="ieee")
    tl.store(out_ptr + i[:, None] * K + k[None, :], outer.to(tl.int32))


@triton.jit
def scan_cube(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a = tl.arange(0, A)[:, None, None]
    b = tl.arange(0, B)[None, :, None]
    c = tl.arange(0, C)[None, None, :]
    x = tl.load(x_ptr + (a * B + b) * C + c)
    tl.store(out_ptr + (a * B + b) * C + c, tl.cumsum(x, 1) + tl.max(x, 0)[None, :, :])
