"""Attention and a product whose masks leave other values than zeros."""
import triton
import triton.language as tl


@triton.jit
def biased(q_ptr, k_ptr, v_ptr, bias_ptr, out_ptr, n, stride: tl.constexpr):
    """Attention of 64 queries and heads of 32, whose bias is minus infinity behind the last key."""
    rows, keys, depth = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 32)
    q = tl.load(q_ptr + rows[:, None] * 32 + depth[None, :])
    k_ptrs = k_ptr + keys[None, :] * 32 + depth[:, None]
    v_ptrs = v_ptr + keys[:, None] * 32 + depth[None, :]
    most = tl.full([64], -float("inf"), tl.float32)
    total = tl.zeros([64], tl.float32)
    sums = tl.zeros([64, 32], tl.float32)
    for start in range(0, n, 64):
        inside = keys < n - start
        k = tl.load(k_ptrs + start * 32, mask=inside[None, :], other=0.0)
        v = tl.load(v_ptrs + start * 32, mask=inside[:, None], other=0.0)
        bias = tl.load(bias_ptr + rows[:, None] * stride + start + keys[None, :], mask=inside[None, :], other=-float("inf"))
        scores = tl.dot(q, k) + bias
        larger = tl.maximum(most, tl.max(scores, 1))
        weights = tl.exp(scores - larger[:, None])
        scale = tl.exp(most - larger)
        total = total * scale + tl.sum(weights, 1)
        sums = tl.dot(weights.to(tl.bfloat16), v, sums * scale[:, None])
        most = larger
    tl.store(out_ptr + rows[:, None] * 32 + depth[None, :], sums / total[:, None])


@triton.jit
def filled(a_ptr, b_ptr, out_ptr, n):
    """A product whose factors, which take much memory, are ones behind the last column."""
    rows, depth = tl.arange(0, 128), tl.arange(0, 64)
    sums = tl.zeros([128, 128], tl.float32)
    for start in range(0, n, 64):
        inside = depth < n - start
        a = tl.load(a_ptr + rows[:, None] * n + start + depth[None, :], mask=inside[None, :], other=1.0)
        b = tl.load(b_ptr + rows[None, :] * n + start + depth[:, None], mask=inside[:, None], other=1.0)
        sums = tl.dot(a, b, sums)
    tl.store(out_ptr + rows[:, None] * 128 + rows[None, :], sums)
