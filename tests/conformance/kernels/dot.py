"""Matrix products of blocks."""
import triton
import triton.language as tl


@triton.jit
def dot(a_ptr, b_ptr, out_ptr, FORM: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    if FORM == "plain":
        c = tl.dot(a, b)
    elif FORM == "ieee":
        c = tl.dot(a, b, input_precision="ieee")
    elif FORM == "tf32":
        c = tl.dot(a, b, input_precision="tf32")
    elif FORM == "tf32x3":
        c = tl.dot(a, b, input_precision="tf32x3")
    elif FORM == "bf16x3":
        c = tl.dot(a, b, input_precision="bf16x3")
    elif FORM == "bf16x6":
        c = tl.dot(a, b, input_precision="bf16x6")
    elif FORM == "allow_tf32":
        c = tl.dot(a, b, allow_tf32=False)
    elif FORM == "allowed_tf32":
        c = tl.dot(a, b, allow_tf32=True)
    elif FORM == "acc":
        c = tl.dot(a, b, tl.full((M, N), 2, tl.float32))
    elif FORM == "acc_keyword":
        c = tl.dot(a, b, acc=tl.full((M, N), 2, tl.float32))
    elif FORM == "plus":
        c = tl.full((M, N), 2, tl.float32)
        c += tl.dot(a, b)
    elif FORM == "half":
        c = tl.dot(a, b, out_dtype=tl.float16)
    elif FORM == "acc_half":
        c = tl.dot(a, b, acc=tl.full((M, N), 2, tl.float16), out_dtype=tl.float16)
    elif FORM == "int32":
        c = tl.dot(a, b, out_dtype=tl.int32)
    elif FORM == "double":
        c = tl.dot(a, b, out_dtype=tl.float64)
    else:
        c = tl.dot(a, b, max_num_imprecise_acc=16)
    tl.store(out_ptr + m[:, None] * N + n[None, :], c)


@triton.jit
def dot_in_precision(a_ptr, b_ptr, c_ptr, out_ptr, PRECISION: tl.constexpr, COLUMNS_A: tl.constexpr,
                     COLUMNS_B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """COLUMNS_A, COLUMNS_B: the operand's columns are contiguous in memory, not its rows."""
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    if COLUMNS_A:
        a = tl.trans(tl.load(a_ptr + k[:, None] * M + m[None, :]))
    else:
        a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    if COLUMNS_B:
        b = tl.load(b_ptr + k[:, None] + n[None, :] * K)
    else:
        b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    c = tl.load(c_ptr + m[:, None] * N + n[None, :])
    tl.store(out_ptr + m[:, None] * N + n[None, :], tl.dot(a, b, c, input_precision=PRECISION))


@triton.jit
def dot_of_transposed(a_ptr, b_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = tl.load(a_ptr + tl.arange(0, K)[:, None] * M + tl.arange(0, M)[None, :])
    b = tl.load(b_ptr + tl.arange(0, N)[:, None] * K + tl.arange(0, K)[None, :])
    c = tl.dot(tl.trans(a), b.T)
    tl.store(out_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], c)


@triton.jit
def gathered_dots(a_ptr, b_ptr, rows_ptr, out_ptr, rounds, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
                  WIDEN: tl.constexpr):
    """Sums products with the rows of b that a table names, leaving out rounds whose first row is negative."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    everywhere = tl.zeros((M, N), dtype=tl.float32)
    somewhere = tl.zeros((M, N), dtype=tl.float32)
    for i in range(rounds):
        rows = tl.load(rows_ptr + i * K + k)
        b = tl.load(b_ptr + tl.abs(rows)[:, None] * N + n[None, :])
        everywhere = tl.dot(a, b, everywhere)
        if tl.load(rows_ptr + i * K) >= 0:
            if WIDEN:
                somewhere = tl.dot(a.to(tl.float32), b.to(tl.float32), somewhere)
            else:
                somewhere = tl.dot(a, b, somewhere)
    place = m[:, None] * N + n[None, :]
    tl.store(out_ptr + place, everywhere)
    tl.store(out_ptr + M * N + place, somewhere)


@triton.jit
def batched_dot(a_ptr, b_ptr, out_ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    z = tl.arange(0, B)[:, None, None]
    m = tl.arange(0, M)[None, :, None]
    n = tl.arange(0, N)[None, None, :]
    a = tl.load(a_ptr + (z * M + m) * K + tl.arange(0, K)[None, None, :])
    b = tl.load(b_ptr + (z * K + tl.arange(0, K)[None, :, None]) * N + n)
    tl.store(out_ptr + (z * M + m) * N + n, tl.dot(a, b))


@triton.jit
def nested_batches(a_ptr, b_ptr, out_ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Two batch dimensions, of 2 and B // 2, and an accumulator that has them too."""
    z = tl.arange(0, B)[:, None, None]
    m = tl.arange(0, M)[None, :, None]
    n = tl.arange(0, N)[None, None, :]
    a = tl.load(a_ptr + (z * M + m) * K + tl.arange(0, K)[None, None, :])
    b = tl.load(b_ptr + (z * K + tl.arange(0, K)[None, :, None]) * N + n)
    start = z * 100 + m + n
    sum = tl.dot(a.reshape(2, B // 2, M, K), b.reshape(2, B // 2, K, N),
                 start.to(tl.float32).reshape(2, B // 2, M, N))
    tl.static_assert(sum.shape[1] == B // 2)
    tl.store(out_ptr + (z * M + m) * N + n, sum.reshape(B, M, N) - start)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, BM: tl.constexpr,
           BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    """Grouped order of tiles, masks on every edge."""
    pid_m, pid_n = tl.swizzle2d(tl.program_id(0), tl.program_id(1), tl.num_programs(0), tl.num_programs(1), GROUP)
    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        a = tl.load(a_ptr + rm[:, None] * stride_am + rk[None, :] * stride_ak,
                    mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        b = tl.load(b_ptr + rk[:, None] * stride_bk + rn[None, :] * stride_bn,
                    mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc.to(c_ptr.dtype.element_ty),
             mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def rounds_of_tiles(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                    PROGRAMS: tl.constexpr):
    """One loop over the rounds of all tiles that fall to a program: a branch finds out which tile comes next, and another
    one stores what is complete."""
    across = tl.cdiv(N, BN)
    rounds = tl.cdiv(K, BK)
    tiles = tl.cdiv(tl.cdiv(M, BM) * across - tl.program_id(0), PROGRAMS)
    tile = tl.program_id(0) - PROGRAMS
    round = -1
    rm, rn = tl.arange(0, BM), tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, rounds * tiles):
        round = tl.where(round == rounds - 1, 0, round + 1)
        if round == 0:
            tile += PROGRAMS
            rm = tile // across * BM + tl.arange(0, BM)
            rn = tile % across * BN + tl.arange(0, BN)
        rk = round * BK + tl.arange(0, BK)
        a = tl.load(a_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        b = tl.load(b_ptr + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
        if round == rounds - 1:
            tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))
            acc = tl.zeros((BM, BN), tl.float32)


@triton.jit
def dot_of_widened(a_ptr, b_ptr, v_ptr, out_ptr, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    """(2 a @ b / 2) @ (2 v), in tf32 of narrower elements."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    x = tl.zeros((M, M), tl.float32)
    for start in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * K + (start + k)[None, :]).to(tl.float32) * 2.0
        b = tl.load(b_ptr + m[None, :] * K + (start + k)[:, None]).to(tl.float32) * 0.5
        x = tl.dot(a, b, x, input_precision="tf32")
    v = tl.load(v_ptr + m[:, None] * N + n[None, :]).to(tl.float32) * 2.0
    tl.store(out_ptr + m[:, None] * N + n[None, :], tl.dot(x, v, input_precision="tf32"))


@triton.jit
def dot_under_conditions(a_ptr, b_ptr, rows_ptr, out_ptr, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    """Of the rounds whose entry of rows is not negative, with what of b begins at that row; odd rounds count once
    more, and those whose number is a multiple of three have zeros for b."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    c = tl.zeros((M, N), tl.float32)
    for i in range(0, K // BK):
        row = tl.load(rows_ptr + i)
        if row >= 0:
            a = tl.load(a_ptr + m[:, None] * K + i * BK + k[None, :])
            b = tl.load(b_ptr + (row + k)[:, None] * N + n[None, :])
            c = tl.dot(a, b, c, input_precision="ieee")
        if i % 2 == 1:
            a = tl.load(a_ptr + m[:, None] * K + i * BK + k[None, :])
            b = tl.zeros((BK, N), b_ptr.dtype.element_ty)
            if i % 3 != 0:
                b = tl.load(b_ptr + (i * BK + k)[:, None] * N + n[None, :])
            c = tl.dot(a, b, c, input_precision="ieee")
    tl.store(out_ptr + m[:, None] * N + n[None, :], c)


@triton.jit
def dot_scaled(a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, out_ptr, A_FORMAT: tl.constexpr, B_FORMAT: tl.constexpr,
               M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, A_PER_BYTE: tl.constexpr, B_PER_BYTE: tl.constexpr,
               A_SCALED: tl.constexpr, B_SCALED: tl.constexpr, WITH_ACC: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    ka = tl.arange(0, K // A_PER_BYTE)
    kb = tl.arange(0, K // B_PER_BYTE)
    groups = tl.arange(0, K // 32)
    a = tl.load(a_ptr + m[:, None] * (K // A_PER_BYTE) + ka[None, :])
    b = tl.load(b_ptr + kb[:, None] * N + n[None, :])
    if A_SCALED:
        a_scale = tl.load(a_scale_ptr + m[:, None] * (K // 32) + groups[None, :])
    else:
        a_scale = None
    if B_SCALED:
        b_scale = tl.load(b_scale_ptr + n[:, None] * (K // 32) + groups[None, :])
    else:
        b_scale = None
    if WITH_ACC:
        c = tl.dot_scaled(a, a_scale, A_FORMAT, b, b_scale, B_FORMAT, acc=tl.full((M, N), 3, tl.float32))
    else:
        c = tl.dot_scaled(a, a_scale, A_FORMAT, b, b_scale, B_FORMAT)
    tl.store(out_ptr + m[:, None] * N + n[None, :], c)


@triton.jit
def dot_scaled_batches(a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, out_ptr, BATCHES: tl.constexpr, M: tl.constexpr,
                       N: tl.constexpr, K: tl.constexpr, RUN: tl.constexpr):
    """Pairs of e2m1 beside each other in columns of a and rows of b, RUN elements for a scale."""
    z = tl.arange(0, BATCHES)[:, None, None]
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    m2, n2, runs = tl.arange(0, M // 2), tl.arange(0, N // 2), tl.arange(0, K // RUN)
    a = tl.load(a_ptr + (z * (M // 2) + m2[None, :, None]) * K + k[None, None, :])
    b = tl.load(b_ptr + (z * K + k[None, :, None]) * (N // 2) + n2[None, None, :])
    a_scale = tl.load(a_scale_ptr + (z * M + m[None, :, None]) * (K // RUN) + runs[None, None, :])
    b_scale = tl.load(b_scale_ptr + (z * N + n[None, :, None]) * (K // RUN) + runs[None, None, :])
    c = tl.dot_scaled(a, a_scale, "e2m1", b, b_scale, "e2m1", lhs_k_pack=False, rhs_k_pack=False)
    tl.store(out_ptr + (z * M + m[None, :, None]) * N + n[None, None, :], c)


@triton.jit
def descriptor_matmul(a_ptr, b_ptr, c_ptr, M, N, K, TRANSPOSED: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                      BK: tl.constexpr, SPECIALIZED: tl.constexpr = False):
    """a @ b, and the sums of the first BK columns of a, by programs that go from tile to tile."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    if TRANSPOSED:
        b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    else:
        b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, BN])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    columns = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * columns, tl.num_programs(0), warp_specialize=SPECIALIZED):
        m = tile // columns * BM
        n = tile % columns * BN
        head = a.load([m, 0])
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            x = a.load([m, k])
            if TRANSPOSED:
                y = b.load([n, k]).T
            else:
                y = b.load([k, n])
            acc += tl.dot(x, y)
        acc += tl.sum(head.to(tl.float32), 1)[:, None]
        c.store([m, n], acc)


@triton.jit
def grouped_matmul(a_ptr, b_ptr, c_ptr, table, groups, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """a @ b.T of several sizes. A table says how large they are and where they begin."""
    tile = tl.program_id(0)
    end = 0
    for g in range(groups):
        M = tl.load(table + 6 * g)
        N = tl.load(table + 6 * g + 1)
        K = tl.load(table + 6 * g + 2)
        columns = tl.cdiv(N, BN)
        first = end
        end += tl.cdiv(M, BM) * columns
        if tile < end:
            a = tl.make_tensor_descriptor(a_ptr + tl.load(table + 6 * g + 3), [M, K], [K, 1], [BM, BK])
            b = tl.make_tensor_descriptor(b_ptr + tl.load(table + 6 * g + 4), [N, K], [K, 1], [BN, BK])
            c = tl.make_tensor_descriptor(c_ptr + tl.load(table + 6 * g + 5), [M, N], [N, 1], [BM, BN])
            while tile < end:
                m = (tile - first) // columns * BM
                n = (tile - first) % columns * BN
                acc = tl.zeros((BM, BN), tl.float32)
                for k in range(0, K, BK):
                    acc = tl.dot(a.load([m, k]), b.load([n, k]).T, acc)
                c.store([m, n], acc)
                tile += tl.num_programs(0)
