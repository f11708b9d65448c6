"""Loads and stores: masks, defaults, modifiers, block pointers, descriptors."""
import triton
import triton.language as tl


@triton.jit
def masked(x_ptr, out_ptr, n, OTHER: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    if OTHER is None:
        x = tl.load(x_ptr + i, mask=i < n)
    else:
        x = tl.load(x_ptr + i, i < n, OTHER)
    tl.store(out_ptr + i, x, mask=(i < n) | (OTHER is not None))


@triton.jit
def other_block(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n, other=-i))


@triton.jit
def holes(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    odd = i % 2 == 1
    x = tl.load(x_ptr + i, mask=odd, other=7)
    tl.store(out_ptr + i, x + 1, mask=~odd)


@triton.jit
def scalars(x_ptr, out_ptr, flag):
    x = tl.load(x_ptr)
    y = tl.load(x_ptr + 1, mask=flag != 0, other=9)
    tl.store(out_ptr, x + y)
    tl.store(out_ptr + 1, x, mask=flag != 0)
    tl.store(out_ptr + 2, 5, flag == 0)


@triton.jit
def gather_scatter(x_ptr, i_ptr, out_ptr, BLOCK: tl.constexpr):
    b = tl.arange(0, BLOCK)
    i = tl.load(i_ptr + b)
    x = tl.load(x_ptr + i, mask=i >= 0, other=-1)
    tl.store(out_ptr + b, x)


@triton.jit
def scatter(x_ptr, i_ptr, out_ptr, BLOCK: tl.constexpr):
    b = tl.arange(0, BLOCK)
    i = tl.load(i_ptr + b)
    tl.store(out_ptr + i, tl.load(x_ptr + b), mask=i >= 0)


@triton.jit
def modifiers(x_ptr, out_ptr, FORM: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    if FORM == "cg":
        x = tl.load(x_ptr + i, cache_modifier=".cg")
    elif FORM == "ca":
        x = tl.load(x_ptr + i, cache_modifier=".ca")
    elif FORM == "cv":
        x = tl.load(x_ptr + i, cache_modifier=".cv")
    elif FORM == "first":
        x = tl.load(x_ptr + i, eviction_policy="evict_first")
    elif FORM == "last":
        x = tl.load(x_ptr + i, eviction_policy="evict_last")
    elif FORM == "volatile":
        x = tl.load(x_ptr + i, volatile=True)
    else:
        x = tl.load(x_ptr + i)
    if FORM == "wb":
        tl.store(out_ptr + i, x, cache_modifier=".wb")
    elif FORM == "cs":
        tl.store(out_ptr + i, x, cache_modifier=".cs")
    elif FORM == "wt":
        tl.store(out_ptr + i, x, cache_modifier=".wt")
    elif FORM == "store_last":
        tl.store(out_ptr + i, x, eviction_policy="evict_last")
    else:
        (out_ptr + i).store(x)


@triton.jit
def broadcast_mask(x_ptr, out_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at, mask=(tl.arange(0, M) < m)[:, None], other=0.0)
    tl.store(out_ptr + at, x, mask=tl.arange(0, N)[None, :] < n)


@triton.jit
def store_number(out_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, BLOCK), 3)


@triton.jit
def booleans(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x & (i % 2 == 0))


@triton.jit
def block_pointer(x_ptr, out_ptr, m, n, PADDING: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    p = tl.make_block_ptr(x_ptr, shape=(m, n), strides=(n, 1), offsets=(tl.program_id(0) * M, 0), block_shape=(M, N),
                          order=(1, 0))
    q = tl.make_block_ptr(base=out_ptr, shape=(m, n), strides=(n, 1), offsets=(tl.program_id(0) * M, 0),
                          block_shape=(M, N), order=(1, 0))
    total = tl.zeros((M, 1), tl.float32)
    for _ in range(0, tl.cdiv(n, N)):
        x = tl.load(p, boundary_check=(0, 1), padding_option=PADDING)
        total += tl.sum(x, axis=1, keep_dims=True)
        tl.store(q, (x + total).to(out_ptr.dtype.element_ty), boundary_check=(0, 1))
        p = tl.advance(p, (0, N))
        q = q.advance((0, N))


@triton.jit
def block_pointer_transposed(x_ptr, out_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    p = tl.make_block_ptr(x_ptr, (n, m), (1, n), (0, 0), (N, M), (0, 1))
    q = tl.make_block_ptr(out_ptr, (n, m), (m, 1), (0, 0), (N, M), (1, 0))
    tl.store(q, tl.load(p, boundary_check=(0, 1), padding_option="zero"), boundary_check=(0, 1))


@triton.jit
def block_pointer_line(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    x = tl.load(p, boundary_check=(0,), padding_option="zero")
    q = tl.make_block_ptr(out_ptr, (n,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    tl.store(q, x * 2, boundary_check=(0,))


@triton.jit
def block_pointer_unchecked(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    p = tl.make_block_ptr(x_ptr, (n, n), (n, 1), (0, 0), (BLOCK, BLOCK), (1, 0))
    q = tl.make_block_ptr(out_ptr, (n, n), (n, 1), (0, 0), (BLOCK, BLOCK), (1, 0))
    for _ in range(2):
        tl.store(q, tl.load(p) + 1)
        p = tl.advance(p, [BLOCK, 0])
        q = tl.advance(q, [BLOCK, 0])


@triton.jit
def descriptor(x_ptr, out_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[m, n], strides=[n, 1], block_shape=[M, N])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[m, n], strides=[n, 1], block_shape=[M, N])
    i = tl.program_id(0) * M
    for j in range(0, n, N):
        out_desc.store([i, j], x_desc.load([i, j]) * 2)


@triton.jit
def descriptor_axes(x_ptr, out_ptr, sums_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    both = tl.make_tensor_descriptor(x_ptr, [2, m, n], [m * n, n, 1], [2, M, N])
    one = tl.make_tensor_descriptor(x_ptr, [2, 1, m, 1, n], [m * n, n, n, n, 1], [1, 1, M, 1, N])
    flat = tl.make_tensor_descriptor(x_ptr, [2 * m * n], [1], [1024])
    out = tl.make_tensor_descriptor(out_ptr, [1, m, n], [m * n, n, 1], [1, M, N])
    i = tl.program_id(0) * M
    for j in range(0, n, N):
        total = one.load([0, 0, i, 0, j]).reshape(M, N).to(tl.float32)
        total += one.load([1, 0, i, 0, j]).reshape(M, N)
        again = tl.sum(both.load([0, i, j]).to(tl.float32), 0)
        out.store([0, i, j], ((total + again) * 0.5)[None, :, :])
    if i == 0:
        sums = tl.zeros([1024], tl.float32)
        for k in range(0, 2 * m * n, 1024):
            sums += flat.load([k])
        tl.store(sums_ptr + tl.arange(0, 2), tl.sum(sums, 0))


@triton.jit
def descriptor_short_rows(x_ptr, out_ptr, m, M: tl.constexpr, N: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [m, N], [N, 1], [M, N])
    out = tl.make_tensor_descriptor(out_ptr, [m, N], [N, 1], [M, N])
    for i in range(0, m, M):
        out.store([i, 0], x.load([i, 0]) + 1)


@triton.jit
def descriptor_order(x_ptr, out_ptr, m, M: tl.constexpr, N: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [m, N], [N, 1], [M, N])
    out = tl.make_tensor_descriptor(out_ptr, [m, N], [N, 1], [M, N])
    row, column = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    tile = x.load([0, 0])
    for i in range(0, m, M):
        out.store([i, 0], tile + 1)
        # Each thread reads what others have stored.
        turned = tl.load(out_ptr + (i + M - 1 - row) * N + column)
        tl.store(out_ptr + (i + M - 1 - row) * N + column, turned + 1)
        out.store([i, 0], out.load([i, 0]) + 1)
        tile = out.load([i, 0])


@triton.jit
def descriptor_functions(x_ptr, out_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [M, N])
    out_desc = tl.make_tensor_descriptor(out_ptr, [m, n], [n, 1], [M, N])
    x = tl.load_tensor_descriptor(x_desc, [1, -2])
    tl.store_tensor_descriptor(out_desc, [0, 0], x)


@triton.jit
def descriptor_nan_padding(x_ptr, out_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [M, N], padding_option="nan")
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + at, x_desc.load([0, 0]))


@triton.jit
def descriptor_atomic(x_ptr, out_ptr, m, n, OP: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    desc = tl.make_tensor_descriptor(out_ptr, [m, n], [n, 1], [M, N])
    if OP == "add":
        desc.atomic_add([0, 0], x)
    elif OP == "min":
        desc.atomic_min([0, 0], x)
    elif OP == "max":
        desc.atomic_max([0, 0], x)
    elif OP == "and":
        desc.atomic_and([0, 0], x)
    elif OP == "or":
        desc.atomic_or([0, 0], x)
    else:
        desc.atomic_xor([0, 0], x)


@triton.jit
def descriptor_gather(x_ptr, i_ptr, out_ptr, m, n, ROWS: tl.constexpr, N: tl.constexpr):
    desc = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [1, N])
    rows = tl.load(i_ptr + tl.arange(0, ROWS))
    x = desc.gather(rows, 8)
    at = tl.arange(0, ROWS)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + at, x)


@triton.jit
def descriptor_scatter(x_ptr, i_ptr, out_ptr, m, n, ROWS: tl.constexpr, N: tl.constexpr):
    desc = tl.make_tensor_descriptor(out_ptr, [m, n], [n, 1], [1, N])
    rows = tl.load(i_ptr + tl.arange(0, ROWS))
    at = tl.arange(0, ROWS)[:, None] * N + tl.arange(0, N)[None, :]
    desc.scatter(tl.load(x_ptr + at), rows, 8)


@triton.jit
def descriptor_attributes(x_ptr, out_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    desc = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [M, N])
    tl.static_assert(desc.dtype == tl.float32)
    tl.static_assert(desc.block_shape[0] == M and desc.block_shape[1] == N)
    tl.store(out_ptr, desc.shape[0])
    tl.store(out_ptr + 1, desc.shape[1])
    tl.store(out_ptr + 2, desc.strides[0])


@triton.jit(noinline=True)
def _copy_and_advance(source, target, ROWS: tl.constexpr):
    tl.store(target, tl.load(source, boundary_check=(0, 1)) * 2, boundary_check=(0, 1))
    return tl.advance(source, (ROWS, 0)), tl.advance(target, (ROWS, 0))


@triton.jit(noinline=True)
def _add_described(descriptor, row, VALUE: tl.constexpr):
    descriptor.store([row, 0], descriptor.load([row, 0]) + VALUE)


@triton.jit
def carried_block_pointers(x_ptr, out_ptr, n, FORM: tl.constexpr):
    """out = 2 * x for n rows of 16, four rows at a time; the forms carry block pointers in their own ways."""
    source = tl.make_block_ptr(x_ptr, (n, 16), (16, 1), (0, 0), (4, 16), (1, 0))
    target = tl.make_block_ptr(out_ptr, (n, 16), (16, 1), (0, 0), (4, 16), (1, 0))
    left = n
    if FORM == "while":
        while left > 0:
            tl.store(target, tl.load(source, boundary_check=(0,)) * 2, boundary_check=(0,))
            source = tl.advance(source, (4, 0))
            target = tl.advance(target, (4, 0))
            left -= 4
    elif FORM == "noinline":
        while left > 0:
            source, target = _copy_and_advance(source, target, 4)
            left -= 4
    elif FORM == "made anew":
        for row in range(0, n, 4):
            tl.store(target, tl.load(source, boundary_check=(0,)) * 2, boundary_check=(0,))
            source = tl.make_block_ptr(x_ptr, (n, 16), (16, 1), (row + 4, 0), (4, 16), (1, 0))
            target = tl.make_block_ptr(out_ptr, (n, 16), (16, 1), (row + 4, 0), (4, 16), (1, 0))
    elif FORM == "exchanged":
        # Copies to and fro: after an odd number of turns out has what x had.
        for turn in range(3):
            for row in range(0, n, 4):
                tl.store(tl.advance(target, (row, 0)), tl.load(tl.advance(source, (row, 0)), boundary_check=(0,)), boundary_check=(0,))
            tl.debug_barrier()
            source, target = target, source
        _add_described(tl.make_tensor_descriptor(out_ptr, [n, 16], [16, 1], [4, 16]), 0, 1)


@triton.jit
def unrolled_search(sorted_ptr, x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Where each x would stand: every step loads from where the one before has come."""
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    low = tl.zeros([BLOCK], tl.int32)
    high = tl.full([BLOCK], n, tl.int32)
    for _ in tl.static_range(32):
        middle = (low + high) // 2
        value = tl.load(sorted_ptr + tl.minimum(middle, n - 1), mask=middle < n, other=2147483647)
        goes_right = value <= x
        low = tl.where(goes_right, middle + 1, low)
        high = tl.where(goes_right, high, middle)
    tl.store(out_ptr + i, low)


@triton.jit
def descriptor_of_program(in_ptr, out_ptr, rows, count, N, M: tl.constexpr, BN: tl.constexpr):
    """Each program doubles some matrices, of which the first `rows` rows exist, through descriptors made in a loop."""
    for i in range(count):
        z = tl.program_id(0) * count + i
        x = tl.make_tensor_descriptor(in_ptr + z * M * N, [rows, N], [N, 1], [M, BN])
        o = tl.make_tensor_descriptor(out_ptr + z * M * N, [M, N], [N, 1], [M, BN])
        for j in range(0, N, BN):
            o.store([0, j], x.load([0, j]) * 2)
