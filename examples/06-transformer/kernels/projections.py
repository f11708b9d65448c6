"""Products of one token's numbers with weights, which are read once: the memory's speed is all that counts.

Weights are loaded a round ahead, the first ones before the last kernel has ended. On a CPU, sums of a narrower tile stay
in registers.
"""

import triton
import triton.language as tl

from launches import let_next_begin, wait_for_last


@triton.jit
def projection_kernel(x_ptr, scale_ptr, w_ptr, out_ptr, rows, depth, eps, ADD: tl.constexpr, BLOCK_N: tl.constexpr,
                      GPU_BLOCK_K: tl.constexpr):
    """out = W x for BLOCK_N rows of W. ADD: out += W x.

    With a `scale_ptr` that is not None, x is normed before, as by norm.py. Every program adds up the squares on the way
    and divides at the end, which is cheaper than a kernel that does it before.
    """
    BLOCK_K: tl.constexpr = GPU_BLOCK_K if tl.target_info.is_cuda() or tl.target_info.is_hip() else 64
    let_next_begin()
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    w_ptrs = w_ptr + n.to(tl.int64)[:, None] * depth + k[None, :]
    next_w = tl.load(w_ptrs, mask=(n[:, None] < rows) & (k[None, :] < depth), other=0.0)
    wait_for_last()
    sums = tl.zeros((BLOCK_N, BLOCK_K), tl.float32)
    squares = tl.zeros((BLOCK_K,), tl.float32)
    for start in range(0, depth, BLOCK_K):
        w = next_w
        next_w = tl.load(w_ptrs + start + BLOCK_K, mask=(n[:, None] < rows) & (start + BLOCK_K + k[None, :] < depth),
                         other=0.0)
        x = tl.load(x_ptr + start + k, mask=start + k < depth, other=0.0).to(tl.float32)
        if scale_ptr is not None:
            squares += x * x
            x *= tl.load(scale_ptr + start + k, mask=start + k < depth, other=0.0).to(tl.float32)
        sums += w.to(tl.float32) * x[None, :]
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
    BLOCK_K: tl.constexpr = GPU_BLOCK_K if tl.target_info.is_cuda() or tl.target_info.is_hip() else 64
    let_next_begin()
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    gate_ptrs = w_ptr + n.to(tl.int64)[:, None] * depth + k[None, :]
    up_ptrs = gate_ptrs + rows.to(tl.int64) * depth
    inside = (n[:, None] < rows) & (k[None, :] < depth)
    next_gate = tl.load(gate_ptrs, mask=inside, other=0.0)
    next_up = tl.load(up_ptrs, mask=inside, other=0.0)
    wait_for_last()
    gates = tl.zeros((BLOCK_N, BLOCK_K), tl.float32)
    ups = tl.zeros((BLOCK_N, BLOCK_K), tl.float32)
    squares = tl.zeros((BLOCK_K,), tl.float32)
    for start in range(0, depth, BLOCK_K):
        gate, up = next_gate, next_up
        inside = (n[:, None] < rows) & (start + BLOCK_K + k[None, :] < depth)
        next_gate = tl.load(gate_ptrs + start + BLOCK_K, mask=inside, other=0.0)
        next_up = tl.load(up_ptrs + start + BLOCK_K, mask=inside, other=0.0)
        x = tl.load(x_ptr + start + k, mask=start + k < depth, other=0.0).to(tl.float32)
        squares += x * x
        x *= tl.load(scale_ptr + start + k, mask=start + k < depth, other=0.0).to(tl.float32)
        gates += gate.to(tl.float32) * x[None, :]
        ups += up.to(tl.float32) * x[None, :]
    factor = tl.rsqrt(tl.sum(squares, 0) / depth + eps)
    gate = tl.sum(gates, 1) * factor
    result = gate / (1.0 + tl.exp(-gate)) * (tl.sum(ups, 1) * factor)
    tl.store(out_ptr + n, result.to(out_ptr.dtype.element_ty), mask=n < rows)
