"""Larger kernels: attention, chunked linear attention, quantized products, convolution, gradients of a norm."""
import triton
import triton.language as tl


@triton.jit
def _attend(acc, l_i, m_i, q, k_ptr, v_ptr, offs_m, offs_n, start, end, n, scale, D: tl.constexpr, BN: tl.constexpr,
            MASKED: tl.constexpr):
    for begin in range(start, end, BN):
        cols = begin + offs_n
        k = tl.load(k_ptr + cols[None, :] * D + tl.arange(0, D)[:, None], mask=cols[None, :] < n, other=0.0)
        qk = tl.dot(q, k) * scale
        if MASKED:
            qk = tl.where((offs_m[:, None] >= cols[None, :]) & (cols[None, :] < n), qk, float("-inf"))
        else:
            qk = tl.where(cols[None, :] < n, qk, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.math.exp2(qk - m_new[:, None])
        alpha = tl.math.exp2(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(v_ptr + cols[:, None] * D + tl.arange(0, D)[None, :], mask=cols[:, None] < n, other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc)
        m_i = m_new
    return acc, l_i, m_i


@triton.jit
def attention_forward(q_ptr, k_ptr, v_ptr, lse_ptr, out_ptr, n, scale, D: tl.constexpr, BM: tl.constexpr,
                      BN: tl.constexpr, CAUSAL: tl.constexpr):
    head = tl.program_id(1)
    q_ptr += head * n * D
    k_ptr += head * n * D
    v_ptr += head * n * D
    out_ptr += head * n * D
    offs_m = tl.program_id(0) * BM + tl.arange(0, BM)
    offs_n = tl.arange(0, BN)
    at = offs_m[:, None] * D + tl.arange(0, D)[None, :]
    q = tl.load(q_ptr + at, mask=offs_m[:, None] < n, other=0.0)
    m_i = tl.full((BM, ), float("-inf"), tl.float32)
    l_i = tl.zeros((BM, ), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    if CAUSAL:
        full = tl.program_id(0) * BM // BN * BN
        acc, l_i, m_i = _attend(acc, l_i, m_i, q, k_ptr, v_ptr, offs_m, offs_n, 0, full, n, scale, D, BN, False)
        end = tl.minimum((tl.program_id(0) + 1) * BM, n)
        acc, l_i, m_i = _attend(acc, l_i, m_i, q, k_ptr, v_ptr, offs_m, offs_n, full, end, n, scale, D, BN, True)
    else:
        acc, l_i, m_i = _attend(acc, l_i, m_i, q, k_ptr, v_ptr, offs_m, offs_n, 0, n, n, scale, D, BN, False)
    acc = acc / l_i[:, None]
    tl.store(lse_ptr + head * n + offs_m, m_i + tl.math.log2(l_i), mask=offs_m < n)
    tl.store(out_ptr + at, acc.to(out_ptr.dtype.element_ty), mask=offs_m[:, None] < n)


@triton.jit
def attention_by_descriptors(q_ptr, k_ptr, v_ptr, lse_ptr, out_ptr, n, scale, D: tl.constexpr, BM: tl.constexpr,
                             BN: tl.constexpr, CAUSAL: tl.constexpr, SPECIALIZED: tl.constexpr = False):
    """The heads lie below each other; n is a multiple of both block sizes."""
    q_desc = tl.make_tensor_descriptor(q_ptr, [2 * n, D], [D, 1], [BM, D])
    k_desc = tl.make_tensor_descriptor(k_ptr, [2 * n, D], [D, 1], [BN, D])
    v_desc = tl.make_tensor_descriptor(v_ptr, [2 * n, D], [D, 1], [BN, D])
    out_desc = tl.make_tensor_descriptor(out_ptr, [2 * n, D], [D, 1], [BM, D])
    head = tl.program_id(1) * n
    first = tl.program_id(0) * BM
    offs_m = first + tl.arange(0, BM)
    m_i = tl.full((BM, ), float("-inf"), tl.float32)
    l_i = tl.zeros((BM, ), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    q = q_desc.load([head + first, 0])
    for begin in tl.range(0, first + BM if CAUSAL else n, BN, warp_specialize=SPECIALIZED):
        k = k_desc.load([head + begin, 0])
        qk = tl.dot(q, k.T) * scale
        if CAUSAL:
            qk = tl.where(offs_m[:, None] >= begin + tl.arange(0, BN)[None, :], qk, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.math.exp2(qk - m_new[:, None])
        alpha = tl.math.exp2(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = v_desc.load([head + begin, 0])
        acc = tl.dot(p.to(v.dtype), v, acc)
        m_i = m_new
    acc = acc / l_i[:, None]
    tl.store(lse_ptr + head + offs_m, m_i + tl.math.log2(l_i))
    out_desc.store([head + first, 0], acc.to(out_ptr.dtype.element_ty))


@triton.jit
def linear_attention(q_ptr, k_ptr, v_ptr, out_ptr, n, decay, D: tl.constexpr, C: tl.constexpr):
    """A state that decays by `decay` a step; chunks of C steps."""
    i = tl.arange(0, C)
    d = tl.arange(0, D)
    state = tl.zeros((D, D), tl.float32)
    log_decay = tl.log2(decay)
    within = tl.where(i[:, None] >= i[None, :], tl.exp2((i[:, None] - i[None, :]) * log_decay), 0.0)
    for chunk in range(0, n, C):
        at = (chunk + i)[:, None] * D + d[None, :]
        q = tl.load(q_ptr + at)
        k = tl.load(k_ptr + at)
        v = tl.load(v_ptr + at)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee") * within
        out = tl.dot(scores, v, input_precision="ieee")
        out += tl.dot(q, state, input_precision="ieee") * tl.exp2((i + 1) * log_decay)[:, None]
        tl.store(out_ptr + at, out)
        faded = k * tl.exp2((C - 1 - i) * log_decay)[:, None]
        state = state * tl.exp2(C * log_decay) + tl.dot(faded.T, v, input_precision="ieee")


@triton.jit
def int4_matmul(a_ptr, b_ptr, scale_ptr, out_ptr, M, N, K, GROUP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                BK: tl.constexpr):
    """b holds two unsigned 4-bit weights a byte along k, with a scale for each GROUP of them; 8 stands for zero."""
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        a = tl.load(a_ptr + rm[:, None] * K + rk[None, :], mask=rm[:, None] < M, other=0.0)
        packed = tl.load(b_ptr + (rk[:, None] // 2) * N + rn[None, :], mask=rn[None, :] < N, other=0)
        nibble = (packed >> ((rk[:, None] % 2) * 4).to(tl.uint8)) & 0xF
        scale = tl.load(scale_ptr + (rk[:, None] // GROUP) * N + rn[None, :], mask=rn[None, :] < N, other=0.0)
        b = (nibble.to(tl.float32) - 8.0) * scale
        acc += tl.dot(a, b.to(a.dtype))
    tl.store(out_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def int8_matmul(a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, out_ptr, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.arange(0, BM)
    rn = tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.int32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        a = tl.load(a_ptr + rm[:, None] * K + rk[None, :])
        b = tl.load(b_ptr + rk[:, None] * BN + rn[None, :])
        acc = tl.dot(a, b, acc, out_dtype=tl.int32)
    y = acc.to(tl.float32) * tl.load(a_scale_ptr + rm)[:, None] * tl.load(b_scale_ptr + rn)[None, :]
    tl.store(out_ptr + rm[:, None] * BN + rn[None, :], y)


@triton.jit
def convolution(x_ptr, w_ptr, out_ptr, C, H, W, KH: tl.constexpr, KW: tl.constexpr, PAD: tl.constexpr,
                BLOCK: tl.constexpr):
    """One output channel a program, a block of pixels at a time."""
    f = tl.program_id(0)
    p = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    y = p // W
    x = p % W
    acc = tl.zeros((BLOCK, ), tl.float32)
    for c in range(C):
        for i in tl.static_range(KH):
            for j in tl.static_range(KW):
                yy = y + i - PAD
                xx = x + j - PAD
                inside = (yy >= 0) & (yy < H) & (xx >= 0) & (xx < W) & (p < H * W)
                pixel = tl.load(x_ptr + (c * H + yy) * W + xx, mask=inside, other=0.0)
                acc += pixel * tl.load(w_ptr + ((f * C + c) * KH + i) * KW + j)
    tl.store(out_ptr + f * H * W + p, acc, mask=p < H * W)


@triton.jit
def layer_norm_backward(x_ptr, w_ptr, dy_ptr, dw_ptr, lock_ptr, out_ptr, n, eps, GROUPS: tl.constexpr,
                        BLOCK: tl.constexpr):
    """dx of a row, and the row's part of dw added to one of GROUPS rows under its lock."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + row * n + i, mask=mask, other=0.0)
    dy = tl.load(dy_ptr + row * n + i, mask=mask, other=0.0)
    w = tl.load(w_ptr + i, mask=mask, other=0.0)
    mean = tl.sum(x, 0) / n
    centred = tl.where(mask, x - mean, 0.0)
    rstd = tl.rsqrt(tl.sum(centred * centred, 0) / n + eps)
    xhat = centred * rstd
    wdy = w * dy
    c1 = tl.sum(xhat * wdy, 0) / n
    c2 = tl.sum(wdy, 0) / n
    tl.store(out_ptr + row * n + i, (wdy - (xhat * c1 + c2)) * rstd, mask=mask)
    group = row % GROUPS
    lock = lock_ptr + group
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    p = dw_ptr + group * n + i
    tl.store(p, tl.load(p, mask=mask, other=0.0) + dy * xhat, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)
