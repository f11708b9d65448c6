"""A product of matrices, squared, as builds with triton.tools.compile have it: strides are arguments, tiles compile-time values."""
import triton
import triton.language as tl
import kernel_utils


@triton.jit
def kernel(C, A, B, M, N, K, stride_cm, stride_cn, stride_am, stride_ak, stride_bk, stride_bn,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        depth = k + tl.arange(0, BLOCK_K)
        a = tl.load(A + rows[:, None] * stride_am + depth[None, :] * stride_ak,
                    mask=(rows < M)[:, None] & (depth < K)[None, :], other=0.0)
        b = tl.load(B + depth[:, None] * stride_bk + columns[None, :] * stride_bn,
                    mask=(depth < K)[:, None] & (columns < N)[None, :], other=0.0)
        sums += tl.dot(a, b)
    tl.store(C + rows[:, None] * stride_cm + columns[None, :] * stride_cn, kernel_utils.square(sums),
             mask=(rows < M)[:, None] & (columns < N)[None, :])


@triton.jit
def scalars(out, single, half, brain, double, flag, count, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = single + half.to(tl.float32) + brain.to(tl.float32) + double.to(tl.float32)
    tl.store(out + at, tl.where(flag, value, -value), mask=at < count)


@triton.jit
def fill(SIZE: tl.constexpr, out, value, stride):
    tl.store(out + tl.arange(0, SIZE) * stride, value)


@triton.jit
def transpose(out, x, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    block = tl.load(x + at[:, None] * SIZE + at[None, :])
    tl.store(out + at[:, None] * SIZE + at[None, :], tl.trans(block))


@triton.jit
def copy_described(out, x, size, SIZE: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [size, SIZE], [SIZE, 1], [16, SIZE])
    target = tl.make_tensor_descriptor(out, [size, SIZE], [SIZE, 1], [16, SIZE])
    row = tl.program_id(0) * 16
    target.store([row, 0], source.load([row, 0]))
