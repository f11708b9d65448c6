"""Attention, forward: softmax(Q K^T * scale) V for each head, without the matrix of scores in memory."""

import triton
import triton.language as tl


@triton.jit
def attend(sums, total, largest, q, k_ptr, v_ptr, m, first, last, length, scale, HEAD: tl.constexpr,
           BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr):
    """Goes through the keys from `first` to `last`. MASKED: some of them may be no keys of some rows."""
    d = tl.arange(0, HEAD)
    for start in range(first, last, BLOCK_N):
        n = start + tl.arange(0, BLOCK_N)
        inside = n < length
        k_ptrs = k_ptr + n[None, :] * HEAD + d[:, None]
        v_ptrs = v_ptr + n[:, None] * HEAD + d[None, :]
        if MASKED:
            k = tl.load(k_ptrs, mask=inside[None, :], other=0.0)
        else:
            k = tl.load(k_ptrs)
        scores = tl.dot(q, k) * scale
        if MASKED:
            seen = inside[None, :]
            if CAUSAL:
                seen = seen & (n[None, :] <= m[:, None])
            scores = tl.where(seen, scores, float("-inf"))
        # What was added up so far is relative to the largest score so far. There is one in every row, since its first
        # block of keys has at least one that it sees.
        now_largest = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.exp2(scores - now_largest[:, None])
        shrink = tl.exp2(largest - now_largest)
        total = total * shrink + tl.sum(weights, 1)
        sums = sums * shrink[:, None]
        if MASKED:
            v = tl.load(v_ptrs, mask=inside[:, None], other=0.0)
        else:
            v = tl.load(v_ptrs)
        sums = tl.dot(weights.to(v.dtype), v, sums)
        largest = now_largest
    return sums, total, largest


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, heads, length, scale, HEAD: tl.constexpr, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    """One program computes BLOCK_M rows of one head. Heads lie behind each other, `length` rows of HEAD elements each.

    CAUSAL: a row sees the keys up to its own place. `heads` is here for the grid, which can only depend on arguments.
    """
    block, head = tl.program_id(0), tl.program_id(1)
    start = head.to(tl.int64) * length * HEAD
    q_ptr += start
    k_ptr += start
    v_ptr += start
    out_ptr += start
    m = block * BLOCK_M + tl.arange(0, BLOCK_M)
    rows = m[:, None] * HEAD + tl.arange(0, HEAD)[None, :]
    q = tl.load(q_ptr + rows, mask=m[:, None] < length, other=0.0)
    largest = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    sums = tl.zeros((BLOCK_M, HEAD), tl.float32)
    scale *= 1.4426950408889634  # exp(x) = exp2(x log2 e)

    # First the blocks of keys that all rows see, then the rest.
    last = length
    full = length // BLOCK_N * BLOCK_N
    if CAUSAL:
        last = min(length, (block + 1) * BLOCK_M)
        full = min(full, block * BLOCK_M // BLOCK_N * BLOCK_N)
    sums, total, largest = attend(sums, total, largest, q, k_ptr, v_ptr, m, 0, full, length, scale, HEAD, BLOCK_N,
                                  CAUSAL, False)
    sums, total, largest = attend(sums, total, largest, q, k_ptr, v_ptr, m, full, last, length, scale, HEAD, BLOCK_N,
                                  CAUSAL, True)
    tl.store(out_ptr + rows, (sums / total[:, None]).to(out_ptr.dtype.element_ty), mask=m[:, None] < length)
