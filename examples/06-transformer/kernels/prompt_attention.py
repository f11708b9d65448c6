"""Attention of a prompt's tokens, causal, over all that the cache has; several query heads share a key head."""

import triton
import triton.language as tl


@triton.jit
def attend(sums, total, largest, q, keys, values, keys_ptr, values_ptr, row, m, first, last, scale,
           HEAD: tl.constexpr, BLOCK_N: tl.constexpr, MASKED: tl.constexpr):
    """Goes through the keys from `first` to `last`; the first key of all is in row `row` of the cache.

    MASKED: some of them may be no keys of some rows. What is behind `last` is loaded as zeros, since the cache may hold
    anything there.
    """
    d = tl.arange(0, HEAD)
    for start in range(first, last, BLOCK_N):
        n = start + tl.arange(0, BLOCK_N)
        at = (row + n).to(tl.int64)[:, None] * HEAD + d[None, :]
        if MASKED:
            k = tl.load(keys_ptr + at, mask=n[:, None] < last, other=0.0)
        else:
            k = keys.load([row + start, 0])
        scores = tl.dot(q, k.T, input_precision="ieee") * scale
        if MASKED:
            scores = tl.where(n[None, :] <= m[:, None], scores, float("-inf"))
        # What was added up so far is relative to the largest score so far. There is one in every row, since every row
        # sees the first key.
        now_largest = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.exp2(scores - now_largest[:, None])
        shrink = tl.exp2(largest - now_largest)
        total = total * shrink + tl.sum(weights, 1)
        sums = sums * shrink[:, None]
        if MASKED:
            v = tl.load(values_ptr + at, mask=n[:, None] < last, other=0.0)
        else:
            v = values.load([row + start, 0])
        sums = tl.dot(weights.to(v.dtype), v, sums, input_precision="ieee")
        largest = now_largest
    return sums, total, largest


@triton.jit
def prompt_attention_kernel(qkv_ptr, keys_ptr, values_ptr, out_ptr, state_ptr, count, heads, kv_heads, capacity, scale,
                            HEAD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """One program: BLOCK_M of the `count` tokens, one query head. The tokens' own keys are in the cache already."""
    # The last tokens have the most to do, so they come first.
    block, head = tl.num_programs(0) - 1 - tl.program_id(0), tl.program_id(1)
    before = tl.load(state_ptr)
    row = head // (heads // kv_heads) * capacity
    keys = tl.make_tensor_descriptor(keys_ptr, [kv_heads * capacity, HEAD], [HEAD, 1], [BLOCK_N, HEAD])
    values = tl.make_tensor_descriptor(values_ptr, [kv_heads * capacity, HEAD], [HEAD, 1], [BLOCK_N, HEAD])
    token = block * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, HEAD)
    q_ptrs = qkv_ptr + token.to(tl.int64)[:, None] * ((heads + 2 * kv_heads) * HEAD) + head * HEAD + d[None, :]
    q = tl.load(q_ptrs, mask=token[:, None] < count, other=0.0)
    largest = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    sums = tl.zeros((BLOCK_M, HEAD), tl.float32)
    scale *= 1.4426950408889634  # exp(x) = exp2(x log2 e)

    # First the blocks of keys that all rows see, then the rest. Row `first_seen` of the cache is the first row's own.
    first_seen = before + block * BLOCK_M
    full = (first_seen + 1) // BLOCK_N * BLOCK_N
    last = min(before + count, first_seen + BLOCK_M)
    m = before + token
    sums, total, largest = attend(sums, total, largest, q, keys, values, keys_ptr, values_ptr, row, m, 0, full, scale,
                                  HEAD, BLOCK_N, False)
    sums, total, largest = attend(sums, total, largest, q, keys, values, keys_ptr, values_ptr, row, m, full, last, scale,
                                  HEAD, BLOCK_N, True)
    out_ptrs = out_ptr + token.to(tl.int64)[:, None] * (heads * HEAD) + head * HEAD + d[None, :]
    tl.store(out_ptrs, (sums / total[:, None]).to(out_ptr.dtype.element_ty), mask=token[:, None] < count)
