"""Choosing elements: where, gather, swizzle2d, map_elementwise."""
import triton
import triton.language as tl


@triton.jit
def where(x_ptr, y_ptr, out_ptr, FORM: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    if FORM == "blocks":
        z = tl.where(i % 2 == 0, x, tl.load(y_ptr + i))
    elif FORM == "number":
        z = tl.where(i < 3, x, 0)
    elif FORM == "numbers":
        z = tl.where(i < 3, 1, 2).to(out_ptr.dtype.element_ty)
    elif FORM == "integers":
        z = tl.where(i, x, tl.load(y_ptr + i))
    elif FORM == "scalar":
        z = tl.where(tl.load(x_ptr) > 0, x, tl.load(y_ptr + i))
    else:
        z = tl.where(True, x, tl.load(y_ptr + i))
    tl.store(out_ptr + i, z)


@triton.jit
def where_broadcasts(out_ptr, M: tl.constexpr, N: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    tl.store(out_ptr + m[:, None] * N + n[None, :], tl.where(m[:, None] >= n[None, :], m[:, None], -n[None, :]))


@triton.jit
def where_hides_nan(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, tl.where(x != x, -1.0, x))


@triton.jit
def where_pointers(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(tl.where(i % 2 == 0, x_ptr + i, y_ptr + i)))


@triton.jit
def gather(x_ptr, i_ptr, out_ptr, FORM: tl.constexpr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
           IM: tl.constexpr, IN: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    at = tl.arange(0, IM)[:, None] * IN + tl.arange(0, IN)[None, :]
    i = tl.load(i_ptr + at)
    if FORM == "gather":
        y = tl.gather(x, i, axis=AXIS)
    else:
        y = x.gather(i, AXIS)
    tl.store(out_ptr + at, y)


@triton.jit
def gather_line(x_ptr, i_ptr, out_ptr, N: tl.constexpr, COUNT: tl.constexpr):
    b = tl.arange(0, COUNT)
    tl.store(out_ptr + b, tl.gather(tl.load(x_ptr + tl.arange(0, N)), tl.load(i_ptr + b), 0))


@triton.jit
def gather_in_turn(x_ptr, out_ptr, ROUNDS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """Adds up products of a tile's columns and rows, each taken from it in a round of its own."""
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    total = tl.zeros([M, N], tl.float32)
    for j in range(ROUNDS):
        row = tl.gather(x, tl.full([1, N], j, tl.int16), axis=0)
        column = tl.gather(x, tl.full([M, 1], j, tl.int64), axis=1)
        first = tl.sum(tl.gather(x, tl.full([1, N], j, tl.int32), axis=0), 0)
        total += column.to(tl.float32) * row.to(tl.float32) + first[None, :].to(tl.float32)
    tl.store(out_ptr + at, total)


@triton.jit
def swizzle2d(out_ptr, GROUP: tl.constexpr):
    i = tl.program_id(0)
    j = tl.program_id(1)
    si = tl.num_programs(0)
    sj = tl.num_programs(1)
    a, b = tl.swizzle2d(i, j, si, sj, GROUP)
    tl.store(out_ptr + i * sj + j, a * sj + b)


@triton.jit
def _order(a, b):
    if a < b:
        r = (a, b)
    else:
        r = (b, a)
    return r


@triton.jit
def _collatz(x):
    steps = 0
    while x != 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        steps += 1
    return steps


@triton.jit
def map_pairs(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    lo, hi = tl.map_elementwise(_order, tl.load(x_ptr + i), tl.load(y_ptr + i))
    tl.store(out_ptr + i, lo)
    tl.store(out_ptr + BLOCK + i, hi)


@triton.jit
def map_loop(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.map_elementwise(_collatz, tl.load(x_ptr + i)))
