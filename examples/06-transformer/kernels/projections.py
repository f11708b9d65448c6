"""Products of one token's numbers with weights, which are read once: the memory's speed is all that counts.

So a thread should hold little else than weights. It reads VECTOR of them at once, 16 bytes, and adds up their products
there and then: blocks have an axis of VECTOR neighbouring numbers, which comes first and is added up in each round. A
CPU has registers for sums of 4 rows of 64 numbers; there, the axis has a single one.

Weights are loaded a round ahead, the first ones before the last kernel has ended.
"""

import triton
import triton.language as tl

from launches import let_next_begin, wait_for_last


@triton.jit
def load_x(x_ptr, scale_ptr, place, depth):
    """A part of x as float32, multiplied by the norm's scales if there are some, and the squares of the numbers."""
    x = tl.load(x_ptr + place, mask=place < depth, other=0.0).to(tl.float32)
    squares = tl.sum(x * x, 0)
    if scale_ptr is not None:
        x *= tl.load(scale_ptr + place, mask=place < depth, other=0.0).to(tl.float32)
    return x, squares


@triton.jit
def projection_kernel(x_ptr, scale_ptr, w_ptr, out_ptr, rows, depth, eps, ADD: tl.constexpr, BLOCK_N: tl.constexpr,
                      GPU_BLOCK_K: tl.constexpr):
    """out = W x for BLOCK_N rows of W. ADD: out += W x.

    With a `scale_ptr` that is not None, x is normed before, as by norm.py. Every program adds up the squares on the way
    and divides at the end, which is cheaper than a kernel that does it before.
    """
    GPU: tl.constexpr = tl.target_info.is_cuda() or tl.target_info.is_hip()
    BLOCK_K: tl.constexpr = GPU_BLOCK_K if GPU else 64
    VECTOR: tl.constexpr = 128 // w_ptr.dtype.element_ty.primitive_bitwidth if GPU else 1
    let_next_begin()
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K // VECTOR)[None, :] * VECTOR + tl.arange(0, VECTOR)[:, None]
    w_ptrs = w_ptr + n.to(tl.int64)[None, :, None] * depth + k[:, None, :]
    there = n[None, :, None] < rows
    next_w = tl.load(w_ptrs, mask=there & (k[:, None, :] < depth), other=0.0)
    wait_for_last()
    sums = tl.zeros((BLOCK_N, BLOCK_K // VECTOR), tl.float32)
    squares = tl.zeros((BLOCK_K // VECTOR,), tl.float32)
    for start in range(0, depth, BLOCK_K):
        w = next_w
        next_k = start + BLOCK_K + k
        next_w = tl.load(w_ptrs + start + BLOCK_K, mask=there & (next_k[:, None, :] < depth), other=0.0)
        x, more = load_x(x_ptr, scale_ptr, start + k, depth)
        squares += more
        sums += tl.sum(w.to(tl.float32) * x[:, None, :], 0)
    result = tl.sum(sums, 1)
    if scale_ptr is not None:
        result *= tl.rsqrt(tl.sum(squares, 0) / depth + eps)
    if ADD:
        result += tl.load(out_ptr + n, mask=n < rows)
    tl.store(out_ptr + n, result.to(out_ptr.dtype.element_ty), mask=n < rows)


@triton.jit
def gated_projection_kernel(x_ptr, scale_ptr, w_ptr, out_ptr, rows, depth, eps, BLOCK_N: tl.constexpr,
                            GPU_BLOCK_K: tl.constexpr):
    """out = silu(G x') * (U x'), where x' is x, normed. W has the rows of G, then those of U, `rows` each."""
    GPU: tl.constexpr = tl.target_info.is_cuda() or tl.target_info.is_hip()
    BLOCK_K: tl.constexpr = GPU_BLOCK_K if GPU else 64
    VECTOR: tl.constexpr = 128 // w_ptr.dtype.element_ty.primitive_bitwidth if GPU else 1
    let_next_begin()
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K // VECTOR)[None, :] * VECTOR + tl.arange(0, VECTOR)[:, None]
    gate_ptrs = w_ptr + n.to(tl.int64)[None, :, None] * depth + k[:, None, :]
    up_ptrs = gate_ptrs + rows.to(tl.int64) * depth
    there = n[None, :, None] < rows
    next_gate = tl.load(gate_ptrs, mask=there & (k[:, None, :] < depth), other=0.0)
    next_up = tl.load(up_ptrs, mask=there & (k[:, None, :] < depth), other=0.0)
    wait_for_last()
    gates = tl.zeros((BLOCK_N, BLOCK_K // VECTOR), tl.float32)
    ups = tl.zeros((BLOCK_N, BLOCK_K // VECTOR), tl.float32)
    squares = tl.zeros((BLOCK_K // VECTOR,), tl.float32)
    for start in range(0, depth, BLOCK_K):
        gate, up = next_gate, next_up
        inside = there & ((start + BLOCK_K + k)[:, None, :] < depth)
        next_gate = tl.load(gate_ptrs + start + BLOCK_K, mask=inside, other=0.0)
        next_up = tl.load(up_ptrs + start + BLOCK_K, mask=inside, other=0.0)
        x, more = load_x(x_ptr, scale_ptr, start + k, depth)
        squares += more
        gates += tl.sum(gate.to(tl.float32) * x[:, None, :], 0)
        ups += tl.sum(up.to(tl.float32) * x[:, None, :], 0)
    factor = tl.rsqrt(tl.sum(squares, 0) / depth + eps)
    gate = tl.sum(gates, 1) * factor
    result = gate / (1.0 + tl.exp(-gate)) * (tl.sum(ups, 1) * factor)
    tl.store(out_ptr + n, result.to(out_ptr.dtype.element_ty), mask=n < rows)
