"""Attention of one token over the cache, in two steps.

One token has few heads, and a GPU many processors. So the cache's length is split, each part makes a result of its own,
and a second kernel combines them.
"""

import triton
import triton.language as tl

from launches import let_next_begin, wait_for_last


@triton.jit
def token_attention_kernel(qkv_ptr, keys_ptr, values_ptr, sums_ptr, largest_ptr, total_ptr, state_ptr, heads, kv_heads,
                           capacity, splits, scale, HEAD: tl.constexpr, ROWS: tl.constexpr, BLOCK_N: tl.constexpr):
    """One program: a part of the cache, one key head and the query heads that share it, as rows of a product.

    ROWS is at least as many as those, and 16, as a product needs. Results are relative to each part's largest score.
    """
    let_next_begin()
    wait_for_last()
    kv_head, part = tl.program_id(0), tl.program_id(1)
    length = tl.load(state_ptr) + 1
    share = tl.cdiv(tl.cdiv(length, splits), BLOCK_N) * BLOCK_N
    first = part * share
    last = min(length, first + share)

    group = heads // kv_heads
    row = tl.arange(0, ROWS)
    head = kv_head * group + row
    d = tl.arange(0, HEAD)
    q = tl.load(qkv_ptr + head[:, None] * HEAD + d[None, :], mask=row[:, None] < group, other=0.0)
    in_cache = kv_head.to(tl.int64) * capacity * HEAD
    keys_ptr += in_cache
    values_ptr += in_cache
    largest = tl.full((ROWS,), float("-inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    sums = tl.zeros((ROWS, HEAD), tl.float32)
    scale *= 1.4426950408889634  # exp(x) = exp2(x log2 e)
    for start in range(first, last, BLOCK_N):
        n = start + tl.arange(0, BLOCK_N)
        inside = n < last
        k = tl.load(keys_ptr + n[None, :] * HEAD + d[:, None], mask=inside[None, :], other=0.0)
        scores = tl.dot(q, k, input_precision="ieee") * scale
        scores = tl.where(inside[None, :], scores, float("-inf"))
        now_largest = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.exp2(scores - now_largest[:, None])
        shrink = tl.exp2(largest - now_largest)
        total = total * shrink + tl.sum(weights, 1)
        v = tl.load(values_ptr + n[:, None] * HEAD + d[None, :], mask=inside[:, None], other=0.0)
        sums = tl.dot(weights.to(v.dtype), v, sums * shrink[:, None], input_precision="ieee")
        largest = now_largest
    at = head * splits + part
    tl.store(sums_ptr + at[:, None] * HEAD + d[None, :], sums, mask=row[:, None] < group)
    tl.store(largest_ptr + at, largest, mask=row < group)
    tl.store(total_ptr + at, total, mask=row < group)


@triton.jit
def combine_kernel(sums_ptr, largest_ptr, total_ptr, out_ptr, heads, splits, HEAD: tl.constexpr, PARTS: tl.constexpr):
    """One head's parts, at most PARTS, to its result. Parts without keys have a largest score of minus infinity.

    `heads` is here for the grid.
    """
    let_next_begin()
    wait_for_last()
    head = tl.program_id(0)
    part = tl.arange(0, PARTS)
    d = tl.arange(0, HEAD)
    there = part < splits
    at = head * splits + part
    largest = tl.load(largest_ptr + at, mask=there, other=float("-inf"))
    weight = tl.exp2(largest - tl.max(largest, 0))
    total = tl.sum(weight * tl.load(total_ptr + at, mask=there, other=0.0), 0)
    sums = tl.load(sums_ptr + at[:, None] * HEAD + d[None, :], mask=there[:, None], other=0.0)
    result = tl.sum(weight[:, None] * sums, 0) / total
    tl.store(out_ptr + head * HEAD + d, result.to(out_ptr.dtype.element_ty))
