# Programs that store where they have loaded other elements from: a tile is loaded as a whole before it is stored.
import triton
import triton.language as tl


@triton.jit
def reverse(x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x_ptr + i, tl.load(x_ptr + N - 1 - i))


@triton.jit
def permute(x_ptr, at_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x_ptr + i, tl.load(x_ptr + tl.load(at_ptr + i)))


@triton.jit
def shift(x_ptr, n, BY: tl.constexpr, N: tl.constexpr):
    """As states of convolutions are moved on."""
    i = tl.arange(0, N)
    later = tl.load(x_ptr + i + BY, mask=i + BY < n)
    tl.store(x_ptr + i, later, mask=i + BY < n)


@triton.jit
def shift_up(x_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(x_ptr + i + 1, 2 * tl.exp2(x), mask=i + 1 < n)


@triton.jit
def transpose(x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    at = x_ptr + i[:, None] * N + i[None, :]
    tl.store(at, tl.trans(tl.load(at)))


@triton.jit
def rotate(x_ptr, cos_ptr, sin_ptr, stride, N: tl.constexpr):
    """Rotary embedding of rows in two halves, each of which needs both."""
    row = x_ptr + tl.program_id(0) * stride
    i = tl.arange(0, N)
    cos = tl.load(cos_ptr + i)
    sin = tl.load(sin_ptr + i)
    a = tl.load(row + i)
    b = tl.load(row + N + i)
    tl.store(row + i, a * cos - b * sin)
    tl.store(row + N + i, b * cos + a * sin)


@triton.jit
def rotate_rolled(x_ptr, cos_ptr, sin_ptr, stride, N: tl.constexpr):
    """The same with the partners in a tile of their own."""
    row = x_ptr + tl.program_id(0) * stride
    i = tl.arange(0, 2 * N)
    cos = tl.load(cos_ptr + i % N)
    sin = tl.load(sin_ptr + i % N) * tl.where(i < N, -1, 1)
    tl.store(row + i, tl.load(row + i) * cos + tl.load(row + (i + N) % (2 * N)) * sin)


@triton.jit
def twice(x_ptr, y_ptr, BY: tl.constexpr, N: tl.constexpr):
    """Of two stores to one element the second counts."""
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(y_ptr + i + BY, x)
    tl.store(y_ptr + i, -x)


@triton.jit
def transform(x_ptr, STEPS: tl.constexpr, N: tl.constexpr):
    """A Hadamard transform whose elements meet in memory."""
    row = x_ptr + tl.program_id(0) * N
    i = tl.arange(0, N)
    tl.store(row + i, -tl.load(row + i), mask=i < N)
    tl.debug_barrier()
    for step in tl.static_range(STEPS):
        mine = tl.load(row + i, mask=i < N)
        other = tl.load(row + (i ^ (1 << step)), mask=(i ^ (1 << step)) < N)
        tl.store(row + i, tl.where((i & (1 << step)) == 0, mine + other, other - mine), mask=i < N)
        tl.debug_barrier()


@triton.jit
def look_around(x_ptr, y_ptr, n, N: tl.constexpr):
    """Loads what has been stored a part of, and what lies beside it."""
    i = tl.arange(0, N)
    tl.store(x_ptr + i, -tl.load(x_ptr + i), mask=i < n)
    tl.debug_barrier()
    tl.store(y_ptr + i, tl.load(x_ptr + (i ^ 1)))
    tl.store(x_ptr + i, 2 * tl.load(x_ptr + i))
    tl.debug_barrier()
    tl.store(y_ptr + N + i, tl.load(x_ptr + (i + 1)))
    tl.store(y_ptr + 2 * N + i, tl.load(x_ptr + (N - 1 - i), mask=i % 3 == 0, other=-1))
    tl.store(y_ptr + 3 * N + i, tl.load(x_ptr + (i + 3) % N))
