"""Products of all shapes and types, in the forms in which kernels have them."""
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, out_ptr, FORM: tl.constexpr, COLUMNS_A: tl.constexpr, COLUMNS_B: tl.constexpr,
            PRECISION: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """One tile. COLUMNS_A, COLUMNS_B: the operand's columns are contiguous in memory, not its rows."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    if COLUMNS_A:
        a = tl.load(a_ptr + m[:, None] + k[None, :] * M)
    else:
        a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    if COLUMNS_B:
        b = tl.load(b_ptr + k[:, None] + n[None, :] * K)
    else:
        b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    if FORM == "trans":
        # What was loaded as [K, M] and [N, K], turned in the kernel.
        a = tl.trans(tl.load(a_ptr + k[:, None] * M + m[None, :]))
        b = tl.load(b_ptr + n[:, None] * K + k[None, :]).T
    if FORM == "computed":
        a = (a.to(tl.float32) * 2.0).to(a.dtype)
        b = (b.to(tl.float32) * 0.5).to(b.dtype)
    if FORM == "widened":
        # For tf32, from fewer bits.
        a = a.to(tl.float32) * 2.0
        b = b.to(tl.float32) * 0.5
    if FORM == "half":
        c = tl.dot(a, b, out_dtype=tl.float16)
    elif FORM == "imprecise":
        c = tl.dot(a, b, max_num_imprecise_acc=32)
    elif FORM == "int":
        c = tl.dot(a, b, out_dtype=tl.int32)
    elif FORM == "double":
        c = tl.dot(a, b, out_dtype=tl.float64)
    else:
        c = tl.dot(a, b, input_precision=PRECISION)
    if FORM == "bias":
        c += tl.load(c_ptr + n)[None, :]
    if FORM == "sums":
        c = c / tl.sum(tl.abs(c), 1)[:, None]
    if FORM == "erf":
        # Branches that tell lanes apart, while the product goes on.
        c *= tl.math.erf(tl.load(c_ptr + m[:, None] * N + n[None, :]).to(tl.float32))
    if FORM == "chain":
        # [M, N] times [N, N]
        second = tl.load(c_ptr + n[:, None] * N + n[None, :])
        c = tl.dot(c.to(a.dtype), second, input_precision=PRECISION)
    tl.store(out_ptr + m[:, None] * N + n[None, :], c)


@triton.jit
def product_in_loop(a_ptr, b_ptr, out_ptr, K, FORM: tl.constexpr, COLUMNS_A: tl.constexpr, COLUMNS_B: tl.constexpr,
                    PRECISION: tl.constexpr, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    """K need not be a multiple of BK, nor positive. What is missing of a "filled" one are twos."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    if COLUMNS_A:
        a_ptrs = a_ptr + m[:, None] + k[None, :] * M
        a_step = BK * M
    else:
        a_ptrs = a_ptr + m[:, None] * K + k[None, :]
        a_step = BK
    if COLUMNS_B:
        b_ptrs = b_ptr + k[:, None] + n[None, :] * K
        b_step = BK
    else:
        b_ptrs = b_ptr + k[:, None] * N + n[None, :]
        b_step = BK * N
    c = tl.zeros((M, N), tl.float16 if FORM == "half" else tl.float32)
    d = tl.zeros((M, N), tl.float32)
    even = K % BK == 0
    for start in range(0, K, BK):
        if FORM == "even":
            if even:
                a = tl.load(a_ptrs)
                b = tl.load(b_ptrs)
            else:
                a = tl.load(a_ptrs, mask=k[None, :] < K - start, other=0.0)
                b = tl.load(b_ptrs, mask=k[:, None] < K - start, other=0.0)
        else:
            a = tl.load(a_ptrs, mask=k[None, :] < K - start, other=2.0 if FORM == "filled" else 0.0)
            b = tl.load(b_ptrs, mask=k[:, None] < K - start, other=2.0 if FORM == "filled" else 0.0)
        if FORM == "two":
            d = tl.dot(a, b, d, input_precision=PRECISION)
            c = tl.dot(a * 2.0, b, c, input_precision=PRECISION)
        elif FORM == "scaled":
            c = c * 0.5
            c = tl.dot(a, b, c, input_precision=PRECISION)
        elif FORM == "used":
            d += tl.dot(a, b, input_precision=PRECISION)
            c = tl.maximum(c, d)
        elif FORM == "half":
            c = tl.dot(a, b, c, out_dtype=tl.float16)
        elif FORM == "halves":
            c += tl.dot(a, b, out_dtype=tl.float16)
        else:
            c = tl.dot(a, b, c, input_precision=PRECISION)
        a_ptrs += a_step
        b_ptrs += b_step
    if FORM == "two":
        c -= d
    if FORM == "used":
        c += d
    tl.store(out_ptr + m[:, None] * N + n[None, :], c)


@triton.jit
def descriptors_in_loop(a_ptr, b_ptr, out_ptr, K, COLUMNS_B: tl.constexpr, PRECISION: tl.constexpr, M: tl.constexpr,
                        N: tl.constexpr, BK: tl.constexpr):
    """Rows of K elements are a multiple of 16 bytes."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [M, BK])
    if COLUMNS_B:
        b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [N, BK])
    else:
        b_desc = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, N])
    out_desc = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], [M, N])
    c = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BK):
        a = a_desc.load([0, start])
        if COLUMNS_B:
            b = b_desc.load([0, start]).T
        else:
            b = b_desc.load([start, 0])
        c = tl.dot(a, b, c, input_precision=PRECISION)
    out_desc.store([0, 0], c)


@triton.jit
def tiles_in_turn(a_ptr, b_ptr, out_ptr, K, COLUMNS_B: tl.constexpr, PRECISION: tl.constexpr, M: tl.constexpr,
                  N: tl.constexpr, TM: tl.constexpr, TN: tl.constexpr, BK: tl.constexpr):
    """One program makes all tiles, those of a row of tiles after each other."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [TM, BK])
    if COLUMNS_B:
        b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [TN, BK])
    else:
        b_desc = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, TN])
    out_desc = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], [TM, TN])
    across = tl.cdiv(N, TN)
    for tile in range(tl.program_id(0), tl.cdiv(M, TM) * across, tl.num_programs(0)):
        row, column = tile // across * TM, tile % across * TN
        c = tl.zeros((TM, TN), tl.float32)
        for start in range(0, K, BK):
            a = a_desc.load([row, start])
            if COLUMNS_B:
                b = b_desc.load([column, start]).T
            else:
                b = b_desc.load([start, column])
            c = tl.dot(a, b, c, input_precision=PRECISION)
        out_desc.store([row, column], c)


@triton.jit
def rounds_of_tiles(a_ptr, b_ptr, out_ptr, K, COLUMNS_B: tl.constexpr, PRECISION: tl.constexpr, M: tl.constexpr,
                    N: tl.constexpr, TM: tl.constexpr, TN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr):
    """The same, with one loop over the rounds of all tiles: a branch finds out which tile comes next, and one stores it."""
    across = tl.cdiv(N, TN)
    rounds = tl.cdiv(K, BK)
    tiles = tl.cdiv(tl.cdiv(M, TM) * across - tl.program_id(0), PROGRAMS)
    tile = tl.program_id(0) - PROGRAMS
    round = -1
    m, n, k = tl.arange(0, TM), tl.arange(0, TN), tl.arange(0, BK)
    c = tl.zeros((TM, TN), tl.float32)
    for _ in range(0, rounds * tiles):
        round = tl.where(round == rounds - 1, 0, round + 1)
        if round == 0:
            tile += PROGRAMS
            m = tile // across * TM + tl.arange(0, TM)
            n = tile % across * TN + tl.arange(0, TN)
        at = round * BK + k
        a = tl.load(a_ptr + m[:, None] * K + at[None, :], mask=(m[:, None] < M) & (at[None, :] < K), other=0.0)
        if COLUMNS_B:
            b = tl.load(b_ptr + n[None, :] * K + at[:, None], mask=(n[None, :] < N) & (at[:, None] < K), other=0.0)
        else:
            b = tl.load(b_ptr + at[:, None] * N + n[None, :], mask=(n[None, :] < N) & (at[:, None] < K), other=0.0)
        c = tl.dot(a, b, c, input_precision=PRECISION)
        if round == rounds - 1:
            tl.store(out_ptr + m[:, None] * N + n[None, :], c, mask=(m[:, None] < M) & (n[None, :] < N))
            c = tl.zeros((TM, TN), tl.float32)


@triton.jit
def descriptors_of_three_axes(a_ptr, b_ptr, out_ptr, K, COLUMNS_B: tl.constexpr, PRECISION: tl.constexpr,
                              M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    """As above, with a leading axis; what is stored is loaded and stored again."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [1, M, K], [M * K, K, 1], [1, M, BK])
    if COLUMNS_B:
        b_desc = tl.make_tensor_descriptor(b_ptr, [1, N, K], [N * K, K, 1], [1, N, BK])
    else:
        b_desc = tl.make_tensor_descriptor(b_ptr, [1, K, N], [K * N, N, 1], [1, BK, N])
    out_desc = tl.make_tensor_descriptor(out_ptr, [1, M, N], [M * N, N, 1], [1, M, N])
    c = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BK):
        a = a_desc.load([0, 0, start]).reshape(M, BK)
        if COLUMNS_B:
            b = b_desc.load([0, 0, start]).reshape(N, BK).T
        else:
            b = b_desc.load([0, start, 0]).reshape(BK, N)
        c = tl.dot(a, b, c, input_precision=PRECISION)
    out_desc.store([0, 0, 0], (c - 1)[None, :, :])
    out_desc.store([0, 0, 0], out_desc.load([0, 0, 0]) + 1)


@triton.jit
def batched_product(a_ptr, b_ptr, out_ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    z = tl.arange(0, B)[:, None, None]
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + (z * M + m[None, :, None]) * K + k[None, None, :])
    b = tl.load(b_ptr + (z * K + k[None, :, None]) * N + n[None, None, :])
    tl.store(out_ptr + (z * M + m[None, :, None]) * N + n[None, None, :], tl.dot(a, b))


@triton.jit
def scaled_in_loop(a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, out_ptr, K, LEFT: tl.constexpr, RIGHT: tl.constexpr,
                   COLUMNS_B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    """K is a multiple of BK, and runs of 32 have a scale where the format is of 4 or 8 bits."""
    LEFT_PACK: tl.constexpr = 2 if LEFT == "e2m1" else 1
    RIGHT_PACK: tl.constexpr = 2 if RIGHT == "e2m1" else 1
    LEFT_SCALED: tl.constexpr = LEFT != "bf16" and LEFT != "fp16"
    RIGHT_SCALED: tl.constexpr = RIGHT != "bf16" and RIGHT != "fp16"
    m, n, runs = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK // 32)
    ka, kb = tl.arange(0, BK // LEFT_PACK), tl.arange(0, BK // RIGHT_PACK)
    a_ptrs = a_ptr + m[:, None] * (K // LEFT_PACK) + ka[None, :]
    if COLUMNS_B:
        b_ptrs = b_ptr + n[None, :] * (K // RIGHT_PACK) + kb[:, None]
        step = BK // RIGHT_PACK
    else:
        b_ptrs = b_ptr + n[None, :] + kb[:, None] * N
        step = BK // RIGHT_PACK * N
    a_scale_ptrs = a_scale_ptr + m[:, None] * (K // 32) + runs[None, :]
    b_scale_ptrs = b_scale_ptr + n[:, None] * (K // 32) + runs[None, :]
    c = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BK):
        a_scale = None
        b_scale = None
        if LEFT_SCALED:
            a_scale = tl.load(a_scale_ptrs)
        if RIGHT_SCALED:
            b_scale = tl.load(b_scale_ptrs)
        c = tl.dot_scaled(tl.load(a_ptrs), a_scale, LEFT, tl.load(b_ptrs), b_scale, RIGHT, c)
        a_ptrs += BK // LEFT_PACK
        b_ptrs += step
        a_scale_ptrs += BK // 32
        b_scale_ptrs += BK // 32
    tl.store(out_ptr + m[:, None] * N + n[None, :], c)


@triton.jit
def product_under_condition(a_ptr, b_ptr, out_ptr, K, ZEROS: tl.constexpr, PRECISION: tl.constexpr, M: tl.constexpr,
                            N: tl.constexpr, BK: tl.constexpr):
    """Of every third round and the last one alone; with ZEROS, the others have zeros on the right."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    c = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BK):
        holds = (start // BK % 3 == 0) | (start + BK >= K)
        if ZEROS:
            a = tl.load(a_ptr + m[:, None] * K + start + k[None, :])
            b = tl.zeros((BK, N), b_ptr.dtype.element_ty)
            if holds:
                b = tl.load(b_ptr + (start + k)[:, None] * N + n[None, :])
            c = tl.dot(a, b, c, input_precision=PRECISION)
        else:
            if holds:
                a = tl.load(a_ptr + m[:, None] * K + start + k[None, :])
                b = tl.load(b_ptr + (start + k)[:, None] * N + n[None, :])
                c = tl.dot(a, b, c, input_precision=PRECISION)
    tl.store(out_ptr + m[:, None] * N + n[None, :], c)
