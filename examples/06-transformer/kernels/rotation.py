"""Rotary position embedding of queries and keys, and the way of keys and values into the cache."""

import triton
import triton.language as tl


@triton.jit
def rotate_kernel(qkv_ptr, turns_ptr, state_ptr, keys_ptr, values_ptr, count, heads, kv_heads, capacity,
                  HEAD: tl.constexpr, BLOCK_H: tl.constexpr):
    """A row of qkv has a token's query heads, then its key heads, then its value heads, HEAD numbers each.

    Of queries and keys, numbers i and i + HEAD / 2 are the two coordinates of a point, which is turned by an angle that
    grows with the token's position. A row of `turns` has the cosines of a position, then the sines. Queries stay where
    they are; keys and values go into the cache, [kv_heads, capacity, HEAD], into the token's row.
    """
    HALF: tl.constexpr = HEAD // 2
    token = tl.program_id(0)
    position = tl.load(state_ptr) + token
    head = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)[:, None]
    i = tl.arange(0, HALF)[None, :]
    at = qkv_ptr + token.to(tl.int64) * (heads + 2 * kv_heads) * HEAD + head * HEAD + i
    there = head < heads + 2 * kv_heads
    x = tl.load(at, mask=there, other=0.0)
    y = tl.load(at + HALF, mask=there, other=0.0)
    cosine = tl.load(turns_ptr + position * HEAD + i)
    sine = tl.load(turns_ptr + position * HEAD + HALF + i)
    turned_x = (x.to(tl.float32) * cosine - y.to(tl.float32) * sine).to(x.dtype)
    turned_y = (y.to(tl.float32) * cosine + x.to(tl.float32) * sine).to(x.dtype)

    query = head < heads
    tl.store(at, turned_x, mask=query)
    tl.store(at + HALF, turned_y, mask=query)
    key_head = head - heads
    key = (key_head >= 0) & (key_head < kv_heads)
    key_at = keys_ptr + (key_head.to(tl.int64) * capacity + position) * HEAD + i
    tl.store(key_at, turned_x, mask=key)
    tl.store(key_at + HALF, turned_y, mask=key)
    value_head = key_head - kv_heads
    value = (value_head >= 0) & (value_head < kv_heads)
    value_at = values_ptr + (value_head.to(tl.int64) * capacity + position) * HEAD + i
    tl.store(value_at, x, mask=value)
    tl.store(value_at + HALF, y, mask=value)
