"""The product of two matrices."""

import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, rows, columns, depth, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                  BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    """C = A B, where A has `rows` rows of `depth` elements, and B `depth` rows of `columns`; all lie row by row.

    One program computes one tile of C, and adds up in float32. Programs with neighbouring numbers run together: they
    go through the tiles in groups of GROUP rows of tiles, column by column, so that what they read of A and B comes
    from the cache.
    """
    program = tl.program_id(0)
    tiles_down, tiles_across = tl.cdiv(rows, BLOCK_M), tl.cdiv(columns, BLOCK_N)
    group = program // (GROUP * tiles_across)
    within = program % (GROUP * tiles_across)
    height = min(tiles_down - group * GROUP, GROUP)  # the last group may be lower
    row = (group * GROUP + within % height) * BLOCK_M + tl.arange(0, BLOCK_M)
    column = within // height * BLOCK_N + tl.arange(0, BLOCK_N)
    row_inside = row[:, None] < rows
    column_inside = column[None, :] < columns

    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + row[:, None] * depth + k[None, :]
    b_ptrs = b_ptr + k[:, None] * columns + column[None, :]
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, depth, BLOCK_K):
        # Zeros outside of the matrices add nothing.
        a = tl.load(a_ptrs, mask=row_inside & (start + k[None, :] < depth), other=0.0)
        b = tl.load(b_ptrs, mask=(start + k[:, None] < depth) & column_inside, other=0.0)
        sums = tl.dot(a, b, sums)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * columns
    c_ptrs = c_ptr + row[:, None] * columns + column[None, :]
    tl.store(c_ptrs, sums.to(c_ptr.dtype.element_ty), mask=row_inside & column_inside)
