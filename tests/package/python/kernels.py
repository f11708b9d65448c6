# Kernels for the test of the Python package: one for several types that makes its output, one whose calls choose by a
# value and by None, and one that does nothing, which shows what a call costs.
import triton
import triton.language as tl


# nereid: targets = cpu:x86-64-v3
# nereid: python = M=x.shape[0], N=x.shape[1], stride_x=x.stride(0), eps=1e-6, w.shape[0] == N
# nereid: python = out=empty_like(x), stride_out=out.stride(0)
# nereid: grid = M
# nereid: signature = x=*[fp32,fp16], w=*[fp32,fp16], out=*[fp32,fp16], M=i32, N=i32, stride_x=i32, stride_out=i32, eps=fp32, BLOCK=1024
@triton.jit
def rms_norm(x, w, out, M, N, stride_x, stride_out, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride_x + i, mask=i < N, other=0.0).to(tl.float32)
    g = tl.load(w + i, mask=i < N, other=0.0).to(tl.float32)
    r = tl.rsqrt(tl.sum(v * v) / N + eps)
    tl.store(out + row * stride_out + i, (v * r * g).to(out.dtype.element_ty), mask=i < N)


# nereid: targets = cpu:x86-64-v3
# nereid: python = n=x.numel(), contiguous(x, y, out)
# nereid: dispatch = SCALE
# nereid: grid = cdiv(n, BLOCK)
# nereid: signature = x=*fp32:16, y=[*fp32, None], out=*fp32, n=i32, SCALE=[1,2], BLOCK=64
@triton.jit
def add(x, y, out, n, SCALE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n) * SCALE
    if y is not None:
        v += tl.load(y + i, mask=i < n)
    tl.store(out + i, v, mask=i < n)


# nereid: targets = cpu:x86-64-v3
# nereid: grid = 1
# nereid: signature = *fp32, *fp32, *fp32, i32
@triton.jit
def nothing(x, y, z, n):
    if n < 0:
        tl.store(z, 1.0)


# Two outputs, of which the second parameter is the first result.
# nereid: targets = cpu:x86-64-v3
# nereid: python = n=x.numel(), sums=zeros(cdiv(n, 64), like=x), doubled=empty_like(x), contiguous(x, doubled)
# nereid: grid = cdiv(n, 64)
# nereid: signature = x=*fp32, doubled=*fp32, sums=*fp32, n=i32
@triton.jit
def parts(x, doubled, sums, n):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(doubled + i, v * 2, mask=i < n)
    tl.store(sums + tl.program_id(0), tl.load(sums + tl.program_id(0)) + tl.sum(v))


# nereid: targets = cpu:x86-64-v3
# nereid: grid = 1
# nereid: signature = x=*fp64, a=fp16, b=bf16, c=u64
@triton.jit
def numbers(x, a, b, c):
    tl.store(x, a.to(tl.float64))
    tl.store(x + 1, b.to(tl.float64))
    tl.store(x + 2, (c >> 32).to(tl.float64))


# An output like a tensor that may be None.
# nereid: targets = cpu:x86-64-v3
# nereid: python = n=x.numel(), out=empty_like(like)
# nereid: grid = cdiv(n, 64)
# nereid: signature = x=*fp32, like=[*fp32, None], out=*fp32, n=i32
@triton.jit
def copy(x, like, out, n):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)
