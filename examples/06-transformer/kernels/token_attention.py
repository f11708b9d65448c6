"""Attention of one token over the cache, in two steps.

One token has few heads, and a GPU many processors. So the cache's length is split, each part makes a result of its own,
and a second kernel combines them.
"""

import triton
import triton.language as tl

from launches import let_next_begin, wait_for_last


@triton.jit
def turn(row_ptr, turns_ptr, mask, HEAD: tl.constexpr):
    """The head at `row_ptr`, one or several of them, turned as kernels/rotation.py does it, in a single block."""
    HALF: tl.constexpr = HEAD // 2
    d = tl.arange(0, HEAD)
    other = (d + HALF) % HEAD
    cosine = tl.load(turns_ptr + d % HALF)
    sine = tl.where(d < HALF, -1.0, 1.0) * tl.load(turns_ptr + HALF + d % HALF)
    x = tl.load(row_ptr + d[None, :], mask=mask, other=0.0)
    y = tl.load(row_ptr + other[None, :], mask=mask, other=0.0)
    return (x.to(tl.float32) * cosine[None, :] + y.to(tl.float32) * sine[None, :]).to(x.dtype)


@triton.jit
def attend(sums, total, largest, q, k, v, inside, scale):
    """Adds a block of keys, of which some are `inside`."""
    scores = tl.where(inside[None, :], tl.dot(q, k.T, input_precision="ieee") * scale, float("-inf"))
    now_largest = tl.maximum(largest, tl.max(scores, 1))
    # Where no key was inside so far, everything is minus infinity.
    weights = tl.where(inside[None, :], tl.exp2(scores - now_largest[:, None]), 0.0)
    shrink = tl.where(largest == float("-inf"), 0.0, tl.exp2(largest - now_largest))
    total = total * shrink + tl.sum(weights, 1)
    sums = tl.dot(weights.to(v.dtype), v, sums * shrink[:, None], input_precision="ieee")
    return sums, total, now_largest


@triton.jit
def token_attention_kernel(qkv_ptr, turns_ptr, keys_ptr, values_ptr, sums_ptr, largest_ptr, total_ptr, state_ptr,
                           heads, kv_heads, capacity, splits, scale, HEAD: tl.constexpr, ROWS: tl.constexpr,
                           BLOCK_N: tl.constexpr):
    """One program: a part of the cache, one key head and the query heads that share it, as rows of a product.

    ROWS is at least as many as those, and 16, as a product needs. Results are relative to each part's largest score.
    The token's queries and key are turned here, and its key and value written to the cache, by the last part, which has
    them from `qkv`. What is in the cache already was there before the last kernel began, as was the position: so the
    first block is loaded before that has ended.
    """
    let_next_begin()
    kv_head, part = tl.program_id(0), tl.program_id(1)
    position = tl.load(state_ptr)
    share = tl.cdiv(tl.cdiv(position, splits), BLOCK_N) * BLOCK_N
    first = part * share
    last = min(position, first + share)

    d = tl.arange(0, HEAD)
    row_in_cache = kv_head.to(tl.int64) * capacity
    keys_ptr += row_in_cache * HEAD
    values_ptr += row_in_cache * HEAD
    n = first + tl.arange(0, BLOCK_N)
    k = tl.load(keys_ptr + n[:, None] * HEAD + d[None, :], mask=n[:, None] < last, other=0.0)
    v = tl.load(values_ptr + n[:, None] * HEAD + d[None, :], mask=n[:, None] < last, other=0.0)
    turns_ptr += position * HEAD
    wait_for_last()

    group = heads // kv_heads
    row = tl.arange(0, ROWS)
    head = kv_head * group + row
    there = row < group
    q = turn(qkv_ptr + head[:, None] * HEAD, turns_ptr, there[:, None], HEAD)
    scale *= 1.4426950408889634  # exp(x) = exp2(x log2 e)
    largest = tl.full((ROWS,), float("-inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    sums = tl.zeros((ROWS, HEAD), tl.float32)
    sums, total, largest = attend(sums, total, largest, q, k, v, n < last, scale)
    for start in range(first + BLOCK_N, last, BLOCK_N):
        n = start + tl.arange(0, BLOCK_N)
        k = tl.load(keys_ptr + n[:, None] * HEAD + d[None, :], mask=n[:, None] < last, other=0.0)
        v = tl.load(values_ptr + n[:, None] * HEAD + d[None, :], mask=n[:, None] < last, other=0.0)
        sums, total, largest = attend(sums, total, largest, q, k, v, n < last, scale)

    if part == splits - 1:
        one = tl.arange(0, 1)[:, None]
        new_k = turn(qkv_ptr + (heads + kv_head) * HEAD + one, turns_ptr, one < 1, HEAD)
        new_v = tl.load(qkv_ptr + (heads + kv_heads + kv_head) * HEAD + one + d[None, :])
        tl.store(keys_ptr + position * HEAD + one + d[None, :], new_k)
        tl.store(values_ptr + position * HEAD + one + d[None, :], new_v)
        score = tl.sum(q.to(tl.float32) * new_k.to(tl.float32), 1) * scale
        now_largest = tl.maximum(largest, score)
        weight = tl.exp2(score - now_largest)
        shrink = tl.exp2(largest - now_largest)
        total = total * shrink + weight
        sums = sums * shrink[:, None] + weight[:, None] * new_v.to(tl.float32)
        largest = now_largest
    at = head * splits + part
    tl.store(sums_ptr + at[:, None] * HEAD + d[None, :], sums, mask=there[:, None])
    tl.store(largest_ptr + at, largest, mask=there)
    tl.store(total_ptr + at, total, mask=there)


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
