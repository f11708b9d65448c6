"""Losses of training with their gradients: divergences between distributions, a linear layer fused with its
cross entropy, sparsemax; an optimizer whose state is held in eight bits."""
import triton
import triton.language as tl


@triton.jit
def jensen_shannon(x_ptr, y_ptr, label_ptr, loss_ptr, dx_ptr, V, beta, scale, ignored: tl.constexpr,
                   KIND: tl.constexpr, BLOCK: tl.constexpr):
    """Of two rows of log-probabilities; the gradient is x's. KIND: the two limits that have no mixture, or the rest."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * V
    y_ptr += row * V
    loss_ptr += row * V
    dx_ptr += row * V
    if label_ptr is not None:
        if tl.load(label_ptr + row) == ignored:
            for start in range(0, V, BLOCK):
                at = start + tl.arange(0, BLOCK)
                tl.store(dx_ptr + at, 0.0, mask=at < V)
            return
    for start in range(0, V, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < V, other=float("-inf")).to(tl.float32)
        y = tl.load(y_ptr + at, mask=at < V, other=float("-inf")).to(tl.float32)
        if KIND == "forward":  # sum q (log q - log p)
            q = tl.exp(y)
            loss = q * (y - x)
            dx = -q
        elif KIND == "reverse":
            p = tl.exp(x)
            loss = p * (x - y)
            dx = loss + p
        else:
            p = tl.exp(x)
            q = tl.exp(y)
            m = beta * q + (1 - beta) * p
            log_m = tl.log(m)
            loss = beta * q * (y - log_m) + (1 - beta) * p * (x - log_m)
            dx = (1 - beta) * p * (x - log_m)
        tl.store(loss_ptr + at, loss * scale, mask=at < V)
        tl.store(dx_ptr + at, dx * scale, mask=at < V)


@triton.jit
def _logaddexp(a, b):
    high = tl.maximum(a, b)
    low = tl.minimum(a, b)
    return tl.where(low == float("-inf"), high, high + tl.log(1.0 + tl.exp(low - high)))


@triton.jit
def _capped(x, CAP: tl.constexpr):
    if CAP is None:
        return x
    else:
        return CAP * (2.0 * tl.sigmoid(2.0 * x / CAP) - 1.0)


@triton.jit
def _logits(e_ptr, c_ptr, rows, words, R, V, D, BD: tl.constexpr):
    acc = tl.zeros((rows.shape[0], words.shape[0]), dtype=tl.float32)
    for start in range(0, tl.cdiv(D, BD)):
        d = start * BD + tl.arange(0, BD)
        e = tl.load(e_ptr + rows[:, None] * D + d[None, :], mask=(rows[:, None] < R) & (d[None, :] < D), other=0.0)
        c = tl.load(c_ptr + words[:, None] * D + d[None, :], mask=(words[:, None] < V) & (d[None, :] < D), other=0.0)
        acc = tl.dot(e, c.T, acc, input_precision="ieee")
    return acc


@triton.jit
def linear_cross_entropy(e_ptr, c_ptr, label_ptr, lse_ptr, hit_ptr, lock_ptr, R, V, D, CAP: tl.constexpr,
                         BR: tl.constexpr, BV: tl.constexpr, BD: tl.constexpr):
    """Programs for the same rows merge their words' sums under a lock; one of them has the label's logit."""
    rows = tl.program_id(0) * BR + tl.arange(0, BR)
    words = tl.program_id(1) * BV + tl.arange(0, BV)
    logits = _capped(_logits(e_ptr, c_ptr, rows, words, R, V, D, BD), CAP)
    label = tl.load(label_ptr + rows, mask=rows < R, other=-1)
    is_label = (words[None, :] == label[:, None]) & (words[None, :] < V)
    tl.store(hit_ptr + rows, tl.sum(tl.where(is_label, logits, 0.0), axis=1), mask=tl.sum(is_label.to(tl.int32), 1) > 0)
    logits = tl.where(words[None, :] < V, logits, float("-inf"))
    largest = tl.max(logits, axis=1)
    lse = largest + tl.log(tl.sum(tl.exp(logits - largest[:, None]), axis=1))
    lock_ptr += tl.program_id(0)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    so_far = tl.load(lse_ptr + rows, mask=rows < R, other=0.0, volatile=True)
    tl.store(lse_ptr + rows, _logaddexp(so_far, lse), mask=rows < R)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def linear_cross_entropy_backward(e_ptr, c_ptr, label_ptr, lse_ptr, de_ptr, dc_ptr, scale, R, V, D,
                                  CAP: tl.constexpr, BR: tl.constexpr, BV: tl.constexpr, BD: tl.constexpr):
    rows = tl.program_id(0) * BR + tl.arange(0, BR)
    words = tl.program_id(1) * BV + tl.arange(0, BV)
    logits = _capped(_logits(e_ptr, c_ptr, rows, words, R, V, D, BD), CAP)
    lse = tl.load(lse_ptr + rows, mask=rows < R, other=float("inf"))
    label = tl.load(label_ptr + rows, mask=rows < R, other=-1)
    g = tl.exp(logits - lse[:, None]) - tl.where(words[None, :] == label[:, None], 1.0, 0.0)
    if CAP is not None:
        t = logits / CAP
        g *= 1.0 - t * t
    g = tl.where((rows[:, None] < R) & (words[None, :] < V), g * scale, 0.0).to(e_ptr.dtype.element_ty)
    for start in range(0, tl.cdiv(D, BD)):
        d = start * BD + tl.arange(0, BD)
        c = tl.load(c_ptr + words[:, None] * D + d[None, :], mask=(words[:, None] < V) & (d[None, :] < D), other=0.0)
        e = tl.load(e_ptr + rows[:, None] * D + d[None, :], mask=(rows[:, None] < R) & (d[None, :] < D), other=0.0)
        tl.atomic_add(de_ptr + rows[:, None] * D + d[None, :], tl.dot(g, c, input_precision="ieee"),
                      mask=(rows[:, None] < R) & (d[None, :] < D))
        tl.atomic_add(dc_ptr + words[:, None] * D + d[None, :], tl.dot(tl.trans(g), e, input_precision="ieee"),
                      mask=(words[:, None] < V) & (d[None, :] < D))


@triton.jit
def sparsemax(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    """The projection onto the simplex: what lies above the threshold that the sorted row's sums give."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + at, mask=at < N, other=float("-inf")).to(tl.float32)
    z = tl.sort(x, descending=True)
    sums = tl.cumsum(tl.where(at < N, z, 0.0), axis=0)
    rank = (at + 1).to(tl.float32)
    kept = (1.0 + rank * z > sums) & (at < N)
    count = tl.sum(kept.to(tl.int32), axis=0)
    threshold = (tl.sum(tl.where(kept, z, 0.0), axis=0) - 1.0) / count.to(tl.float32)
    tl.store(out_ptr + row * N + at, tl.maximum(x - threshold, 0.0), mask=at < N)


@triton.jit
def _nearest_code(x, code_ptr, CODES: tl.constexpr):
    """By bisection, each element for itself."""
    low = tl.zeros_like(x).to(tl.int32)
    high = tl.full(x.shape, CODES - 1, tl.int32)
    for _ in range(8):
        middle = (low + high) // 2
        above = x > tl.load(code_ptr + middle)
        low = tl.where(above, middle, low)
        high = tl.where(above, high, middle)
    below = tl.load(code_ptr + low)
    return tl.where(tl.abs(x - below) <= tl.abs(tl.load(code_ptr + high) - x), low, high)


@triton.jit
def momentum_in_eight_bits(p_ptr, g_ptr, state_ptr, largest_ptr, code_ptr, beta, rate, n, GROUP: tl.constexpr,
                           GROUPS: tl.constexpr):
    """The state is an index into 256 codes, times the largest magnitude of its group."""
    at = tl.program_id(0) * (GROUPS * GROUP) + tl.arange(0, GROUPS * GROUP)
    group = tl.program_id(0) * GROUPS + tl.arange(0, GROUPS)
    inside = at < n
    index = tl.load(state_ptr + at, mask=inside, other=0)
    code = tl.load(code_ptr + index.to(tl.int32))
    largest = tl.load(largest_ptr + group, mask=group * GROUP < n, other=0.0)
    state = tl.reshape(tl.reshape(code, (GROUPS, GROUP)) * largest[:, None], (GROUPS * GROUP, ))
    g = tl.load(g_ptr + at, mask=inside, other=0.0).to(tl.float32)
    state = tl.where(inside, state * beta + g, 0.0)
    p = tl.load(p_ptr + at, mask=inside).to(tl.float32) - rate * state
    tl.store(p_ptr + at, p, mask=inside)
    grouped = tl.reshape(state, (GROUPS, GROUP))
    largest = tl.max(tl.abs(grouped), axis=1)
    part = grouped / tl.where(largest == 0.0, 1.0, largest)[:, None]
    tl.store(largest_ptr + group, largest, mask=group * GROUP < n)
    index = _nearest_code(part, code_ptr, 256)
    tl.store(state_ptr + at, tl.reshape(index, (GROUPS * GROUP, )).to(tl.uint8), mask=inside)
