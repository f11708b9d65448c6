"""Kernels that clusters of blocks run: products by pointers and by descriptors, and a softmax of long rows."""
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    per_group = GROUP * (N // BN)
    first = pid // per_group * GROUP
    size = min(M // BM - first, GROUP)
    m = (first + pid % per_group % size) * BM + tl.arange(0, BM)
    n = (pid % per_group // size) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    pa = a + m[:, None] * K + k[None, :]
    pb = b + k[:, None] * N + n[None, :]
    for i in range(0, K, BK):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += BK
        pb += BK * N
    tl.store(c + m[:, None] * N + n[None, :], acc.to(tl.float16))


@triton.jit
def matmul_tiles(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    pid = tl.program_id(0)
    per_group = GROUP * (N // BN)
    first = pid // per_group * GROUP
    size = min(M // BM - first, GROUP)
    m = (first + pid % per_group % size) * BM
    n = (pid % per_group // size) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        acc = tl.dot(da.load([m, i]), db.load([i, n]), acc)
    dc.store([m, n], acc.to(tl.float16))


@triton.jit
def softmax(x, y, n, B: tl.constexpr):
    o = tl.arange(0, B)
    v = tl.load(x + tl.program_id(0) * n + o, mask=o < n, other=float("-inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + tl.program_id(0) * n + o, e / tl.sum(e, 0), mask=o < n)
