"""tl.dot_scaled in a loop over the depth: what build.py compiles and compare.py measures."""
import triton
import triton.language as tl


@triton.jit
def scaled_matmul(a_ptr, as_ptr, b_ptr, bs_ptr, c_ptr, M, N, K, FA: tl.constexpr, FB: tl.constexpr, PA: tl.constexpr,
                  PB: tl.constexpr, A_SCALED: tl.constexpr, B_SCALED: tl.constexpr, B_COL: tl.constexpr,
                  FAST: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    ka = tl.arange(0, BK // PA)
    kb = tl.arange(0, BK // PB)
    ks = tl.arange(0, BK // 32)
    a_ptrs = a_ptr + rm[:, None] * (K // PA) + ka[None, :]
    if B_COL:
        b_ptrs = b_ptr + rn[None, :] * (K // PB) + kb[:, None]
    else:
        b_ptrs = b_ptr + rn[None, :] + kb[:, None] * N
    as_ptrs = as_ptr + rm[:, None] * (K // 32) + ks[None, :]
    bs_ptrs = bs_ptr + rn[:, None] * (K // 32) + ks[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        a = tl.load(a_ptrs)
        b = tl.load(b_ptrs)
        if A_SCALED:
            sa = tl.load(as_ptrs)
        else:
            sa = None
        if B_SCALED:
            sb = tl.load(bs_ptrs)
        else:
            sb = None
        acc = tl.dot_scaled(a, sa, FA, b, sb, FB, acc, fast_math=FAST)
        a_ptrs += BK // PA
        if B_COL:
            b_ptrs += BK // PB
        else:
            b_ptrs += (BK // PB) * N
        as_ptrs += BK // 32
        bs_ptrs += BK // 32
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc)
