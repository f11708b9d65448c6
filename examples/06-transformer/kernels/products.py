"""Products of a prompt's tokens with weights: out = x Wᵀ, where a row of W has the weights of one result."""

import triton
import triton.language as tl


@triton.jit
def place_of_tile(rows, columns, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP: tl.constexpr):
    """Programs with neighbouring numbers go through GROUP rows of tiles, column by column: they share the cache."""
    program = tl.program_id(0)
    tiles_down, tiles_across = tl.cdiv(rows, BLOCK_M), tl.cdiv(columns, BLOCK_N)
    group = program // (GROUP * tiles_across)
    within = program % (GROUP * tiles_across)
    height = min(tiles_down - group * GROUP, GROUP)  # the last group may be lower
    return (group * GROUP + within % height) * BLOCK_M, within // height * BLOCK_N


@triton.jit
def product_kernel(x_ptr, w_ptr, out_ptr, rows, columns, depth, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                   BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    m, n = place_of_tile(rows, columns, BLOCK_M, BLOCK_N, GROUP)
    # Outside of the matrices descriptors load zeros, which add nothing, and store nothing.
    x = tl.make_tensor_descriptor(x_ptr, [rows, depth], [depth, 1], [BLOCK_M, BLOCK_K])
    w = tl.make_tensor_descriptor(w_ptr, [columns, depth], [depth, 1], [BLOCK_N, BLOCK_K])
    out = tl.make_tensor_descriptor(out_ptr, [rows, columns], [columns, 1], [BLOCK_M, BLOCK_N])
    sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, depth, BLOCK_K):
        sums = tl.dot(x.load([m, k]), w.load([n, k]).T, sums, input_precision="ieee")
    out.store([m, n], sums.to(out_ptr.dtype.element_ty))


@triton.jit
def gated_product_kernel(x_ptr, w_ptr, out_ptr, rows, columns, depth, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                         BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    """out = silu(x Gᵀ) * (x Uᵀ). W has the rows of G, then those of U, `columns` each."""
    m, n = place_of_tile(rows, columns, BLOCK_M, BLOCK_N, GROUP)
    x = tl.make_tensor_descriptor(x_ptr, [rows, depth], [depth, 1], [BLOCK_M, BLOCK_K])
    w = tl.make_tensor_descriptor(w_ptr, [2 * columns, depth], [depth, 1], [BLOCK_N, BLOCK_K])
    out = tl.make_tensor_descriptor(out_ptr, [rows, columns], [columns, 1], [BLOCK_M, BLOCK_N])
    gate = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    up = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, depth, BLOCK_K):
        tile = x.load([m, k])
        gate = tl.dot(tile, w.load([n, k]).T, gate, input_precision="ieee")
        up = tl.dot(tile, w.load([columns + n, k]).T, up, input_precision="ieee")
    out.store([m, n], (gate / (1.0 + tl.exp(-gate)) * up).to(out_ptr.dtype.element_ty))
