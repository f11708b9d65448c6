"""The kernels that compare.py times beside NumPy and C; add, softmax and layer norm are those of ../kernels.py."""
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_a, stride_b, stride_c,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    pid = tl.program_id(0)
    blocks_m = tl.cdiv(M, BLOCK_M)
    blocks_n = tl.cdiv(N, BLOCK_N)
    in_group = GROUP_M * blocks_n
    first_m = pid // in_group * GROUP_M
    group_m = min(blocks_m - first_m, GROUP_M)
    pid_m = first_m + pid % in_group % group_m
    pid_n = pid % in_group // group_m
    offs_m = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offs_n = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + offs_m[:, None] * stride_a + offs_k[None, :]
    b_ptrs = b_ptr + offs_k[:, None] * stride_b + offs_n[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_K, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * stride_b
    rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(c_ptr + rows[:, None] * stride_c + cols[None, :], acc.to(c_ptr.dtype.element_ty), mask=mask)


@triton.jit
def attention_kernel(Q, K, V, Out, scale, N, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    head = tl.program_id(1)
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    base = head * N * D
    q = tl.load(Q + base + rows[:, None] * D + d[None, :], mask=rows[:, None] < N, other=0.0)
    q = q * (scale * 1.44269504)
    largest = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    for start in range(0, N, BLOCK_N):
        cols = start + tl.arange(0, BLOCK_N)
        k = tl.load(K + base + cols[:, None] * D + d[None, :], mask=cols[:, None] < N, other=0.0)
        scores = tl.dot(q, tl.trans(k))
        scores = tl.where(cols[None, :] < N, scores, -float("inf"))
        new_largest = tl.maximum(largest, tl.max(scores, 1))
        p = tl.exp2(scores - new_largest[:, None])
        alpha = tl.exp2(largest - new_largest)
        total = total * alpha + tl.sum(p, 1)
        v = tl.load(V + base + cols[:, None] * D + d[None, :], mask=cols[:, None] < N, other=0.0)
        acc = tl.dot(p, v, acc * alpha[:, None])
        largest = new_largest
    tl.store(Out + base + rows[:, None] * D + d[None, :], acc / total[:, None], mask=rows[:, None] < N)
