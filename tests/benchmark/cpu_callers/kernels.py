# A kernel that memory bounds, and one that arithmetic does.
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, n, B: tl.constexpr):
    rows = tl.program_id(0) * B + tl.arange(0, B)
    columns = tl.program_id(1) * B + tl.arange(0, B)
    depth = tl.arange(0, B)
    sums = tl.zeros((B, B), dtype=tl.float32)
    for i in range(0, n, B):
        a = tl.load(a_ptr + rows[:, None] * n + (i + depth)[None, :])
        b = tl.load(b_ptr + (i + depth)[:, None] * n + columns[None, :])
        sums += tl.dot(a, b)
    tl.store(c_ptr + rows[:, None] * n + columns[None, :], sums)
