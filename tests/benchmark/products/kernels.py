"""Products as users write them: a matrix product with grouped ordering, and the forward pass of attention."""
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_bk, stride_cm, BLOCK_M: tl.constexpr,
                  BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr, ACC: tl.constexpr):
    program = tl.program_id(0)
    rows, columns = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    # Programs that run together share rows of A and columns of B in the cache.
    in_group = GROUP * columns
    first = program // in_group * GROUP
    height = min(rows - first, GROUP)
    row = first + program % in_group % height
    column = program % in_group // height

    m = (row * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    n = (column * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + m[:, None] * stride_am + k[None, :]
    b_ptrs = b_ptr + k[:, None] * stride_bk + n[None, :]
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=ACC)
    for i in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=k[None, :] < K - i * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < K - i * BLOCK_K, other=0.0)
        sums = tl.dot(a, b, sums, out_dtype=ACC)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * stride_bk
    m = row * BLOCK_M + tl.arange(0, BLOCK_M)
    n = column * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + m[:, None] * stride_cm + n[None, :]
    tl.store(c_ptrs, sums.to(c_ptr.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def matmul_transposed_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_bn, stride_cm, BLOCK_M: tl.constexpr,
                             BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr, ACC: tl.constexpr):
    """The same with rows of B^T in memory, as 8-bit types need it."""
    program = tl.program_id(0)
    rows, columns = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    in_group = GROUP * columns
    first = program // in_group * GROUP
    height = min(rows - first, GROUP)
    row = first + program % in_group % height
    column = program % in_group // height

    m = (row * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    n = (column * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + m[:, None] * stride_am + k[None, :]
    b_ptrs = b_ptr + k[:, None] + n[None, :] * stride_bn
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=ACC)
    for i in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=k[None, :] < K - i * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < K - i * BLOCK_K, other=0.0)
        sums = tl.dot(a, b, sums, out_dtype=ACC)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K
    m = row * BLOCK_M + tl.arange(0, BLOCK_M)
    n = column * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + m[:, None] * stride_cm + n[None, :]
    tl.store(c_ptrs, sums.to(c_ptr.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def attend(sums, total, largest, q, k_ptrs, v_ptrs, stride, first, last, m, n, CAUSAL: tl.constexpr,
           BLOCK_N: tl.constexpr):
    k_ptrs += first * stride
    v_ptrs += first * stride
    for start in range(first, last, BLOCK_N):
        k = tl.load(k_ptrs)
        scores = tl.dot(q, k)
        if CAUSAL:
            scores = tl.where(m[:, None] >= start + n[None, :], scores, -1.0e6)
        now_largest = tl.maximum(largest, tl.max(scores, 1))
        p = tl.math.exp2(scores - now_largest[:, None])
        scale = tl.math.exp2(largest - now_largest)
        total = total * scale + tl.sum(p, 1)
        sums = sums * scale[:, None]
        v = tl.load(v_ptrs)
        sums = tl.dot(p.to(v.dtype), v, sums)
        largest = now_largest
        k_ptrs += BLOCK_N * stride
        v_ptrs += BLOCK_N * stride
    return sums, total, largest


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, length, scale, HEAD: tl.constexpr, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    """Heads lie behind each other, `length` rows of HEAD elements each."""
    block, head = tl.program_id(0), tl.program_id(1)
    start = head.to(tl.int64) * length * HEAD
    m = block * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.arange(0, BLOCK_N)
    d = tl.arange(0, HEAD)
    rows = start + m[:, None] * HEAD + d[None, :]
    k_ptrs = k_ptr + start + n[None, :] * HEAD + d[:, None]
    v_ptrs = v_ptr + start + n[:, None] * HEAD + d[None, :]
    largest = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    sums = tl.zeros((BLOCK_M, HEAD), tl.float32)
    q = tl.load(q_ptr + rows)
    q = (q * (scale * 1.44269504)).to(q.dtype)
    if CAUSAL:
        sums, total, largest = attend(sums, total, largest, q, k_ptrs, v_ptrs, HEAD, 0, block * BLOCK_M, m, n, False,
                                      BLOCK_N)
        sums, total, largest = attend(sums, total, largest, q, k_ptrs, v_ptrs, HEAD, block * BLOCK_M,
                                      (block + 1) * BLOCK_M, m, n, True, BLOCK_N)
    else:
        sums, total, largest = attend(sums, total, largest, q, k_ptrs, v_ptrs, HEAD, 0, length, m, n, False, BLOCK_N)
    tl.store(out_ptr + rows, (sums / total[:, None]).to(out_ptr.dtype.element_ty))


@triton.jit
def attend_tiles(sums, total, largest, q, k_desc, v_desc, top, first, last, scale, m, CAUSAL: tl.constexpr,
                 BLOCK_N: tl.constexpr):
    n = tl.arange(0, BLOCK_N)
    for start in tl.range(first, last, BLOCK_N):
        scores = tl.dot(q, k_desc.load([top + start, 0]).T)
        if CAUSAL:
            scores = scores * scale + tl.where(m[:, None] >= start + n[None, :], 0, -1.0e6)
            now_largest = tl.maximum(largest, tl.max(scores, 1))
            scores -= now_largest[:, None]
        else:
            now_largest = tl.maximum(largest, tl.max(scores, 1) * scale)
            scores = scores * scale - now_largest[:, None]
        p = tl.math.exp2(scores)
        change = tl.math.exp2(largest - now_largest)
        sums = sums * change[:, None]
        sums = tl.dot(p.to(tl.float16), v_desc.load([top + start, 0]), sums)
        total = total * change + tl.sum(p, 1)
        largest = now_largest
    return sums, total, largest


@triton.jit
def attention_descriptor_kernel(q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, length, rows, scale, HEAD: tl.constexpr,
                                BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    """The rows of all heads behind each other, in one tensor."""
    q_desc = tl.make_tensor_descriptor(q_ptr, [rows, HEAD], [HEAD, 1], [BLOCK_M, HEAD])
    k_desc = tl.make_tensor_descriptor(k_ptr, [rows, HEAD], [HEAD, 1], [BLOCK_N, HEAD])
    v_desc = tl.make_tensor_descriptor(v_ptr, [rows, HEAD], [HEAD, 1], [BLOCK_N, HEAD])
    out_desc = tl.make_tensor_descriptor(out_ptr, [rows, HEAD], [HEAD, 1], [BLOCK_M, HEAD])
    block, head = tl.program_id(0), tl.program_id(1)
    top = head * length
    m = block * BLOCK_M + tl.arange(0, BLOCK_M)
    largest = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.full((BLOCK_M,), 1.0, tl.float32)
    sums = tl.zeros((BLOCK_M, HEAD), tl.float32)
    scale *= 1.44269504
    q = q_desc.load([top + block * BLOCK_M, 0])
    if CAUSAL:
        sums, total, largest = attend_tiles(sums, total, largest, q, k_desc, v_desc, top, 0, block * BLOCK_M, scale, m,
                                            False, BLOCK_N)
        sums, total, largest = attend_tiles(sums, total, largest, q, k_desc, v_desc, top, block * BLOCK_M,
                                            (block + 1) * BLOCK_M, scale, m, True, BLOCK_N)
    else:
        sums, total, largest = attend_tiles(sums, total, largest, q, k_desc, v_desc, top, 0, length, scale, m, False,
                                            BLOCK_N)
    tl.store(lse_ptr + top + m, largest + tl.math.log2(total))
    out_desc.store([top + block * BLOCK_M, 0], (sums / total[:, None]).to(tl.float16))


@triton.jit
def matmul_descriptor_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                             BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    """Tensor descriptors made in the kernel; rows of B^T in memory."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    program = tl.program_id(0)
    rows, columns = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    in_group = GROUP * columns
    first = program // in_group * GROUP
    height = min(rows - first, GROUP)
    row = first + program % in_group % height
    column = program % in_group // height
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        x = a.load([row * BLOCK_M, k])
        y = b.load([column * BLOCK_N, k])
        sums = tl.dot(x, y.T, sums)
    c.store([row * BLOCK_M, column * BLOCK_N], sums.to(c_ptr.dtype.element_ty))


@triton.jit
def matmul_persistent_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                             BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    """As many programs as there are processors, each with tile after tile."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    rows, columns = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    in_group = GROUP * columns
    for tile in tl.range(tl.program_id(0), rows * columns, tl.num_programs(0)):
        first = tile // in_group * GROUP
        height = min(rows - first, GROUP)
        row = first + tile % in_group % height
        column = tile % in_group // height
        sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(0, K, BLOCK_K):
            x = a.load([row * BLOCK_M, k])
            y = b.load([column * BLOCK_N, k])
            sums = tl.dot(x, y.T, sums)
        c.store([row * BLOCK_M, column * BLOCK_N], sums.to(c_ptr.dtype.element_ty))


@triton.jit
def tile_of(tile, rows, columns, GROUP: tl.constexpr):
    in_group = GROUP * columns
    first = tile // in_group * GROUP
    height = min(rows - first, GROUP)
    return first + tile % height, tile % in_group // height


@triton.jit
def matmul_persistent_flat_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                                  BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    """The same as Triton's users mostly write it: one loop asked for in place of two, and a second count of tiles for
    the stores, so that those need not keep the first one's numbers."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    rows, columns, rounds = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), tl.cdiv(K, BLOCK_K)
    programs = tl.num_programs(0)
    stored = tl.program_id(0) - programs
    for tile in tl.range(tl.program_id(0), rows * columns, programs, flatten=True):
        row, column = tile_of(tile, rows, columns, GROUP)
        sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(rounds):
            x = a.load([row * BLOCK_M, k * BLOCK_K])
            y = b.load([column * BLOCK_N, k * BLOCK_K])
            sums = tl.dot(x, y.T, sums)
        stored += programs
        row, column = tile_of(stored, rows, columns, GROUP)
        c.store([row * BLOCK_M, column * BLOCK_N], sums.to(c_ptr.dtype.element_ty))


@triton.jit
def matmul_persistent_pointer_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                                     BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    """The same by pointers; rows of B^T in memory."""
    rows, columns, rounds = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), tl.cdiv(K, BLOCK_K)
    programs = tl.num_programs(0)
    stored = tl.program_id(0) - programs
    first_k = tl.arange(0, BLOCK_K)
    for tile in tl.range(tl.program_id(0), rows * columns, programs, flatten=True):
        row, column = tile_of(tile, rows, columns, GROUP)
        m = row * BLOCK_M + tl.arange(0, BLOCK_M)
        n = column * BLOCK_N + tl.arange(0, BLOCK_N)
        m = tl.max_contiguous(tl.multiple_of(tl.where(m < M, m, 0), BLOCK_M), BLOCK_M)
        n = tl.max_contiguous(tl.multiple_of(tl.where(n < N, n, 0), BLOCK_N), BLOCK_N)
        sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for i in range(rounds):
            k = i * BLOCK_K + first_k
            x = tl.load(a_ptr + m[:, None] * K + k[None, :], mask=first_k[None, :] < K - i * BLOCK_K, other=0.0)
            y = tl.load(b_ptr + k[:, None] + n[None, :] * K, mask=first_k[:, None] < K - i * BLOCK_K, other=0.0)
            sums = tl.dot(x, y, sums)
        stored += programs
        row, column = tile_of(stored, rows, columns, GROUP)
        m = row * BLOCK_M + tl.arange(0, BLOCK_M)
        n = column * BLOCK_N + tl.arange(0, BLOCK_N)
        tl.store(c_ptr + m[:, None] * N + n[None, :], sums.to(c_ptr.dtype.element_ty),
                 mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def gradients_of_keys(dk, dv, k, v, q_ptr, do_ptr, lse_ptr, delta_ptr, first, last, n, d, HEAD: tl.constexpr,
                      BLOCK_M: tl.constexpr, CAUSAL: tl.constexpr):
    """What the queries from `first` to `last` add to a block of keys and values. Scores are transposed: a column a query."""
    m = first + tl.arange(0, BLOCK_M)
    qt_ptrs = q_ptr + m[None, :] * HEAD + d[:, None]
    do_ptrs = do_ptr + m[:, None] * HEAD + d[None, :]
    for start in range(first, last, BLOCK_M):
        qt = tl.load(qt_ptrs)
        m = start + tl.arange(0, BLOCK_M)
        lse = tl.load(lse_ptr + m)
        pt = tl.math.exp2(tl.dot(k, qt) - lse[None, :])
        if CAUSAL:
            pt = tl.where(m[None, :] >= n[:, None], pt, 0.0)
        do = tl.load(do_ptrs)
        dv += tl.dot(pt.to(do.dtype), do)
        delta = tl.load(delta_ptr + m)
        dpt = tl.dot(v, tl.trans(do)).to(tl.float32)
        dst = pt * (dpt - delta[None, :])
        dk += tl.dot(dst.to(qt.dtype), tl.trans(qt))
        qt_ptrs += BLOCK_M * HEAD
        do_ptrs += BLOCK_M * HEAD
    return dk, dv


@triton.jit
def gradient_of_queries(dq, q, do, lse, delta, k_ptr, v_ptr, first, last, m, d, HEAD: tl.constexpr,
                        BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    """What the keys from `first` to `last` add to a block of queries."""
    n = first + tl.arange(0, BLOCK_N)
    kt_ptrs = k_ptr + n[None, :] * HEAD + d[:, None]
    vt_ptrs = v_ptr + n[None, :] * HEAD + d[:, None]
    for start in range(first, last, BLOCK_N):
        kt = tl.load(kt_ptrs)
        vt = tl.load(vt_ptrs)
        p = tl.math.exp2(tl.dot(q, kt) - lse[:, None])
        if CAUSAL:
            n = start + tl.arange(0, BLOCK_N)
            p = tl.where(m[:, None] >= n[None, :], p, 0.0)
        dp = tl.dot(do, vt).to(tl.float32)
        ds = (p * (dp - delta[:, None])).to(kt.dtype)
        dq += tl.dot(ds, tl.trans(kt))
        kt_ptrs += BLOCK_N * HEAD
        vt_ptrs += BLOCK_N * HEAD
    return dq


@triton.jit
def attention_backward_kernel(q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, dq_ptr, dk_ptr, dv_ptr, length, scale,
                              HEAD: tl.constexpr, FEW: tl.constexpr, MANY: tl.constexpr, CAUSAL: tl.constexpr):
    """The gradients of MANY keys and values, then of MANY queries. Queries come times scale * log2(e), `lse` in base 2."""
    block, head = tl.program_id(0), tl.program_id(1)
    rows = head.to(tl.int64) * length
    start = rows * HEAD
    q_ptr += start
    k_ptr += start
    v_ptr += start
    do_ptr += start
    lse_ptr += rows
    delta_ptr += rows
    d = tl.arange(0, HEAD)
    here = block * MANY
    at = here + tl.arange(0, MANY)
    tile = at[:, None] * HEAD + d[None, :]

    k = tl.load(k_ptr + tile)
    v = tl.load(v_ptr + tile)
    dk = tl.zeros((MANY, HEAD), tl.float32)
    dv = tl.zeros((MANY, HEAD), tl.float32)
    if CAUSAL:
        dk, dv = gradients_of_keys(dk, dv, k, v, q_ptr, do_ptr, lse_ptr, delta_ptr, here, here + MANY, at, d, HEAD, FEW,
                                   True)
        dk, dv = gradients_of_keys(dk, dv, k, v, q_ptr, do_ptr, lse_ptr, delta_ptr, here + MANY, length, at, d, HEAD,
                                   FEW, False)
    else:
        dk, dv = gradients_of_keys(dk, dv, k, v, q_ptr, do_ptr, lse_ptr, delta_ptr, 0, length, at, d, HEAD, FEW, False)
    tl.store(dv_ptr + start + tile, dv.to(dv_ptr.dtype.element_ty))
    tl.store(dk_ptr + start + tile, (dk * 0.6931471824645996).to(dk_ptr.dtype.element_ty))

    q = tl.load(q_ptr + tile)
    do = tl.load(do_ptr + tile)
    lse = tl.load(lse_ptr + at)
    delta = tl.load(delta_ptr + at)
    dq = tl.zeros((MANY, HEAD), tl.float32)
    if CAUSAL:
        dq = gradient_of_queries(dq, q, do, lse, delta, k_ptr, v_ptr, here, here + MANY, at, d, HEAD, FEW, True)
        dq = gradient_of_queries(dq, q, do, lse, delta, k_ptr, v_ptr, 0, here, at, d, HEAD, FEW, False)
    else:
        dq = gradient_of_queries(dq, q, do, lse, delta, k_ptr, v_ptr, 0, length, at, d, HEAD, FEW, False)
    tl.store(dq_ptr + start + tile, (dq * scale).to(dq_ptr.dtype.element_ty))


@triton.jit
def grouped_kernel(a_ptrs, b_ptrs, c_ptrs, sizes, groups, PROGRAMS: tl.constexpr, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Products of several sizes, whose tensors lie wherever arrays of addresses say; rows of B^T in memory."""
    tile = tl.program_id(0)
    end = 0
    for group in range(groups):
        M = tl.load(sizes + 3 * group)
        N = tl.load(sizes + 3 * group + 1)
        K = tl.load(sizes + 3 * group + 2)
        columns = tl.cdiv(N, BLOCK_N)
        first = end
        end += tl.cdiv(M, BLOCK_M) * columns
        if tile < end:
            a = tl.make_tensor_descriptor(tl.load(a_ptrs + group).to(tl.pointer_type(tl.float16)), [M, K], [K, 1],
                                          [BLOCK_M, BLOCK_K])
            b = tl.make_tensor_descriptor(tl.load(b_ptrs + group).to(tl.pointer_type(tl.float16)), [N, K], [K, 1],
                                          [BLOCK_N, BLOCK_K])
            c = tl.make_tensor_descriptor(tl.load(c_ptrs + group).to(tl.pointer_type(tl.float16)), [M, N], [N, 1],
                                          [BLOCK_M, BLOCK_N])
            while tile < end:
                row = (tile - first) // columns * BLOCK_M
                column = (tile - first) % columns * BLOCK_N
                sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
                for k in range(0, K, BLOCK_K):
                    sums = tl.dot(a.load([row, k]), b.load([column, k]).T, sums)
                c.store([row, column], sums.to(tl.float16))
                tile += PROGRAMS
