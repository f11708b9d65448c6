"""Kernels whose code for CPUs the tests of this folder read."""
import triton
import triton.language as tl


@triton.jit
def whole_tile(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i) * 2)


@triton.jit
def tail(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def any_mask(x_ptr, mask_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = tl.load(mask_ptr + i) != 0
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=mask, other=0.0) * 2, mask=mask)


@triton.jit
def every_second(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + 2 * i) * 2)


@triton.jit
def one_element(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + tl.zeros_like(i)) * 2)


@triton.jit
def gathered(x_ptr, at_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + tl.load(at_ptr + i)) * 2)


@triton.jit
def total(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + tl.program_id(0), tl.sum(tl.load(x_ptr + tl.program_id(0) * BLOCK + i)))


@triton.jit
def columns(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    tl.store(out_ptr + n, tl.sum(tl.load(x_ptr + m[:, None] * N + n[None, :]), axis=0))


@triton.jit
def exponential(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.exp(tl.load(x_ptr + i)))


@triton.jit
def scaled_total(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x / tl.sum(x))
