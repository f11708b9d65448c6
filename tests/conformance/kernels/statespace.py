"""Recurrences of state space models: a scan in chunks as four kernels, a depthwise convolution, an LSTM."""
import triton
import triton.language as tl


@triton.jit
def _softplus(x):
    return tl.where(x <= 20.0, tl.log(1.0 + tl.exp(x)), x)


@triton.jit
def step_sums(dt_ptr, a_ptr, bias_ptr, step_ptr, sum_ptr, S, H, CHUNK: tl.constexpr, BH: tl.constexpr):
    """The steps' lengths, and the logarithm of the decay from a chunk's start to each of its steps."""
    t = tl.program_id(0) * CHUNK + tl.arange(0, CHUNK)
    h = tl.program_id(1) * BH + tl.arange(0, BH)
    inside = (h[:, None] < H) & (t[None, :] < S)
    step = tl.load(dt_ptr + t[None, :] * H + h[:, None], mask=inside, other=0.0).to(tl.float32)
    step = _softplus(step + tl.load(bias_ptr + h, mask=h < H, other=0.0)[:, None])
    step = tl.where(inside, step, 0.0)
    a = tl.load(a_ptr + h, mask=h < H, other=0.0)
    at = h[:, None] * S + t[None, :]
    tl.store(step_ptr + at, step, mask=inside)
    tl.store(sum_ptr + at, tl.cumsum(step * a[:, None], axis=1), mask=inside)


@triton.jit
def chunk_states(x_ptr, b_ptr, step_ptr, sum_ptr, state_ptr, S, H, P, N, CHUNK: tl.constexpr, BP: tl.constexpr,
                 BN: tl.constexpr, BK: tl.constexpr):
    """What each chunk alone adds to the state: x^T b, weighted by the decay from each step to the chunk's end."""
    chunk = tl.program_id(1)
    head = tl.program_id(2)
    tiles_n = tl.cdiv(N, BN)
    p = tl.program_id(0) // tiles_n * BP + tl.arange(0, BP)
    n = tl.program_id(0) % tiles_n * BN + tl.arange(0, BN)
    first = chunk * CHUNK
    length = min(CHUNK, S - first)
    step_ptr += head * S + first
    sum_ptr += head * S + first
    k = tl.arange(0, BK)
    x_ptrs = x_ptr + ((first + k[None, :]) * H + head) * P + p[:, None]
    b_ptrs = b_ptr + (first + k[:, None]) * N + n[None, :]
    total = tl.load(sum_ptr + length - 1)
    acc = tl.zeros((BP, BN), dtype=tl.float32)
    for start in range(0, length, BK):
        x = tl.load(x_ptrs, mask=(p[:, None] < P) & (k[None, :] < length - start), other=0.0)
        b = tl.load(b_ptrs, mask=(k[:, None] < length - start) & (n[None, :] < N), other=0.0).to(tl.float32)
        step = tl.load(step_ptr + start + k, mask=k < length - start, other=0.0)
        so_far = tl.load(sum_ptr + start + k, mask=k < length - start, other=0.0)
        b *= (tl.exp(total - so_far) * step)[:, None]
        acc += tl.dot(x, b.to(x_ptr.dtype.element_ty))
        x_ptrs += BK * H * P
        b_ptrs += BK * N
    tl.store(state_ptr + ((chunk * H + head) * P + p[:, None]) * N + n[None, :], acc,
             mask=(p[:, None] < P) & (n[None, :] < N))


@triton.jit
def pass_states(state_ptr, sum_ptr, initial_ptr, last_ptr, S, H, SIZE, CHUNK: tl.constexpr, BLOCK: tl.constexpr):
    """Replaces what a chunk adds by the state that enters it."""
    head = tl.program_id(1)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < SIZE
    if initial_ptr is None:
        state = tl.zeros((BLOCK, ), dtype=tl.float32)
    else:
        state = tl.load(initial_ptr + head * SIZE + at, mask=inside, other=0.0)
    for chunk in range(tl.cdiv(S, CHUNK)):
        place = state_ptr + (chunk * H + head) * SIZE + at
        added = tl.load(place, mask=inside, other=0.0)
        tl.store(place, state, mask=inside)
        total = tl.load(sum_ptr + head * S + min((chunk + 1) * CHUNK, S) - 1)
        state = tl.exp(total) * state + added
    tl.store(last_ptr + head * SIZE + at, state, mask=inside)


@triton.jit
def chunk_scan(x_ptr, b_ptr, c_ptr, step_ptr, sum_ptr, state_ptr, d_ptr, z_ptr, out_ptr, S, H, P, N,
               CHUNK: tl.constexpr, BM: tl.constexpr, BP: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    chunk = tl.program_id(1)
    head = tl.program_id(2)
    row_tile = tl.program_id(0) // tl.cdiv(P, BP)
    m = row_tile * BM + tl.arange(0, BM)
    p = tl.program_id(0) % tl.cdiv(P, BP) * BP + tl.arange(0, BP)
    n = tl.arange(0, BN)
    first = chunk * CHUNK
    length = min(CHUNK, S - first)
    sum_m = tl.load(sum_ptr + head * S + first + m, mask=m < length, other=0.0)
    c = tl.load(c_ptr + (first + m[:, None]) * N + n[None, :], mask=(m[:, None] < length) & (n[None, :] < N), other=0.0)
    state = tl.load(state_ptr + ((chunk * H + head) * P + p[None, :]) * N + n[:, None],
                    mask=(p[None, :] < P) & (n[:, None] < N), other=0.0)
    acc = tl.dot(c, state.to(c.dtype)) * tl.exp(sum_m)[:, None]
    x_base = x_ptr + (first * H + head) * P
    for start in range(0, min((row_tile + 1) * BM, length), BK):
        start = tl.multiple_of(start, BK)
        k = start + tl.arange(0, BK)
        b = tl.load(b_ptr + (first + k[None, :]) * N + n[:, None], mask=(k[None, :] < length) & (n[:, None] < N),
                    other=0.0)
        cb = tl.dot(c, b)
        sum_k = tl.load(sum_ptr + head * S + first + k, mask=k < length, other=0.0)
        cb *= tl.exp(tl.minimum(sum_m[:, None] - sum_k[None, :], 0.0))
        cb *= tl.load(step_ptr + head * S + first + k, mask=k < length, other=0.0)
        cb = tl.where(m[:, None] >= k[None, :], cb, 0.0)
        x = tl.load(x_base + k[:, None] * H * P + p[None, :], mask=(k[:, None] < length) & (p[None, :] < P), other=0.0)
        acc += tl.dot(cb.to(x.dtype), x)
    at = ((first + m[:, None]) * H + head) * P + p[None, :]
    inside = (m[:, None] < length) & (p[None, :] < P)
    acc += tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32) * tl.load(d_ptr + head)
    if z_ptr is not None:
        z = tl.load(z_ptr + at, mask=inside, other=0.0).to(tl.float32)
        acc *= z * tl.sigmoid(z)
    tl.store(out_ptr + at, acc, mask=inside)


@triton.jit
def depthwise_conv(x_ptr, w_ptr, bias_ptr, history_ptr, out_ptr, T, C, WIDTH: tl.constexpr, BT: tl.constexpr,
                   BC: tl.constexpr):
    """Each channel alone, over its last WIDTH steps; before the first step lies what `history` holds."""
    t = tl.program_id(0) * BT + tl.arange(0, BT)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    acc = tl.zeros((BT, BC), dtype=tl.float32)
    for i in tl.static_range(WIDTH):
        from_t = t - (WIDTH - 1 - i)
        x = tl.load(x_ptr + from_t[:, None] * C + c[None, :],
                    mask=((from_t >= 0) & (from_t < T))[:, None] & (c < C)[None, :], other=0.0)
        before = tl.load(history_ptr + (from_t + WIDTH - 1)[:, None] * C + c[None, :],
                         mask=(from_t < 0)[:, None] & (c < C)[None, :], other=0.0)
        w = tl.load(w_ptr + c * WIDTH + i, mask=c < C, other=0.0).to(tl.float32)
        acc += (x + before).to(tl.float32) * w[None, :]
    acc += tl.load(bias_ptr + c, mask=c < C, other=0.0).to(tl.float32)[None, :]
    tl.store(out_ptr + t[:, None] * C + c[None, :], (acc * tl.sigmoid(acc)).to(out_ptr.dtype.element_ty),
             mask=(t < T)[:, None] & (c < C)[None, :])


@triton.jit
def depthwise_conv_backward(x_ptr, w_ptr, dy_ptr, dx_ptr, dw_ptr, T, C, WIDTH: tl.constexpr, BT: tl.constexpr,
                            BC: tl.constexpr):
    """Without the activation; programs for different times add to the weights' gradients."""
    t = tl.program_id(0) * BT + tl.arange(0, BT)[:, None]
    c = tl.program_id(1) * BC + tl.arange(0, BC)[None, :]
    x = tl.load(x_ptr + t * C + c, mask=(t < T) & (c < C), other=0.0).to(tl.float32)
    dx = tl.zeros_like(x)
    for i in tl.static_range(WIDTH):
        to_t = t + WIDTH - 1 - i
        dy = tl.load(dy_ptr + to_t * C + c, mask=(to_t < T) & (c < C), other=0.0).to(tl.float32)
        dx += dy * tl.load(w_ptr + c * WIDTH + i, mask=c < C, other=0.0)
        tl.atomic_add(dw_ptr + c * WIDTH + i, tl.sum(dy * x, axis=0, keep_dims=True), mask=c < C)
    tl.store(dx_ptr + t * C + c, dx, mask=(t < T) & (c < C))


@triton.jit
def _tanh(x):
    e = tl.exp(-2.0 * x)
    return (1.0 - e) / (1.0 + e)


@triton.jit
def lstm(wx_ptr, r_ptr, h_ptr, c_ptr, out_ptr, T, B, D: tl.constexpr, BB: tl.constexpr):
    """All steps in one program, the recurrent weights kept beside the state; gates i, f, z, o."""
    b = tl.program_id(0) * BB + tl.arange(0, BB)
    d = tl.arange(0, D)
    square = d[:, None] * D + d[None, :]
    r_i = tl.load(r_ptr + square)
    r_f = tl.load(r_ptr + D * D + square)
    r_z = tl.load(r_ptr + 2 * D * D + square)
    r_o = tl.load(r_ptr + 3 * D * D + square)
    at = b[:, None] * D + d[None, :]
    inside = b[:, None] < B
    h = tl.load(h_ptr + at, mask=inside, other=0.0)
    c = tl.load(c_ptr + at, mask=inside, other=0.0).to(tl.float32)
    for t in range(T):
        wx = wx_ptr + (t * B + b[:, None]) * 4 * D + d[None, :]
        i = tl.dot(h, r_i) + tl.load(wx, mask=inside, other=0.0)
        f = tl.dot(h, r_f) + tl.load(wx + D, mask=inside, other=0.0)
        z = tl.dot(h, r_z) + tl.load(wx + 2 * D, mask=inside, other=0.0)
        o = tl.dot(h, r_o) + tl.load(wx + 3 * D, mask=inside, other=0.0)
        c = tl.sigmoid(f) * c + tl.sigmoid(i) * _tanh(z)
        h = (tl.sigmoid(o) * _tanh(c)).to(h.dtype)
        tl.store(out_ptr + t * B * D + at, h, mask=inside)
    tl.store(c_ptr + at, c, mask=inside)


@triton.jit
def gated_chunk(q_ptr, k_ptr, state_ptr, gate_ptr, out_ptr, scores_ptr, scale, S, K, V, CHUNK: tl.constexpr,
                BK: tl.constexpr, BV: tl.constexpr):
    """What a chunk reads from the state before it, gated, and its rows' products with one another: two sums that
    have their left factor in common, which is computed, and go different ways behind the loop."""
    columns, chunk = tl.program_id(0), tl.program_id(1)
    step = tl.arange(0, CHUNK)
    out = tl.zeros([CHUNK, BV], dtype=tl.float32)
    scores = tl.zeros([CHUNK, CHUNK], dtype=tl.float32)
    for part in range(tl.cdiv(K, BK)):
        q = tl.load(tl.make_block_ptr(q_ptr, (S, K), (K, 1), (chunk * CHUNK, part * BK), (CHUNK, BK), (1, 0)),
                    boundary_check=(0, 1))
        q = (q * scale).to(q.dtype)
        k = tl.load(tl.make_block_ptr(k_ptr, (K, S), (1, K), (part * BK, chunk * CHUNK), (BK, CHUNK), (0, 1)),
                    boundary_check=(0, 1))
        state = tl.load(
            tl.make_block_ptr(state_ptr + chunk * K * V, (K, V), (V, 1), (part * BK, columns * BV), (BK, BV), (1, 0)),
            boundary_check=(0, 1))
        out += tl.dot(q, state)
        scores += tl.dot(q, k)
    gate = tl.load(
        tl.make_block_ptr(gate_ptr, (S, V), (V, 1), (chunk * CHUNK, columns * BV), (CHUNK, BV), (1, 0)),
        boundary_check=(0, 1))
    out = out * tl.exp(gate)
    tl.store(tl.make_block_ptr(out_ptr, (S, V), (V, 1), (chunk * CHUNK, columns * BV), (CHUNK, BV), (1, 0)),
             out.to(out_ptr.dtype.element_ty), boundary_check=(0, 1))
    scores = tl.where(step[:, None] >= step[None, :], scores, 0.)
    if columns == 0:
        tl.store(tl.make_block_ptr(scores_ptr, (S, CHUNK), (CHUNK, 1), (chunk * CHUNK, 0), (CHUNK, CHUNK), (1, 0)),
                 scores.to(scores_ptr.dtype.element_ty), boundary_check=(0, 1))
