import triton
import triton.language as tl


@triton.jit
def attend(q, k, v, out, n, stride, PER_ROUND: tl.constexpr):
    rows, columns = tl.arange(0, 64), tl.arange(0, 64)
    here = rows[:, None] * stride + columns[None, :]
    queries = tl.load(q + here)
    sums = tl.zeros((64, 64), tl.float32)
    for i in range(0, n, 64):
        if PER_ROUND:
            queries = tl.load(q + i * stride + here)
        keys = tl.load(k + i * stride + here)
        weights = tl.exp(tl.dot(queries, keys.T)).to(tl.float16)
        sums = tl.dot(weights, tl.load(v + i * stride + here), sums)
    tl.store(out + here, sums)
