"""RMS normalization, y = x / sqrt(mean(x^2) + eps) * w of each row, and its gradients.

Each signature is there twice: rows whose addresses are divisible by 16, as almost all are, take loads of 16 bytes.
"""

import triton
import triton.language as tl


# nereid: python = M=x.shape[0], N=x.shape[1], stride_x=x.stride(0), eps=1e-6
# nereid: python = x.stride(1) == 1 or N == 1, w.shape[0] == N, contiguous(w)
# nereid: python = y=empty(M, N, like=x), rstd=empty(M, like=x), stride_y=y.stride(0)
# nereid: grid = M
# nereid: when = N <= BLOCK
# nereid: signature = x=*[fp32,fp16,bf16]:16, w=*[fp32,fp16,bf16]:16, y=*[fp32,fp16,bf16]:16, rstd=*fp32:16, M=i32, N=i32:16, stride_x=i32:16, stride_y=i32:16, eps=fp32, BLOCK=1024
# nereid: signature = x=*[fp32,fp16,bf16], w=*[fp32,fp16,bf16], y=*[fp32,fp16,bf16], rstd=*fp32, M=i32, N=i32, stride_x=i32, stride_y=i32, eps=fp32, BLOCK=1024
# nereid: signature = x=*[fp32,fp16,bf16]:16, w=*[fp32,fp16,bf16]:16, y=*[fp32,fp16,bf16]:16, rstd=*fp32:16, M=i32, N=i32:16, stride_x=i32:16, stride_y=i32:16, eps=fp32, BLOCK=4096
# nereid: num_warps = 8
# nereid: signature = x=*[fp32,fp16,bf16], w=*[fp32,fp16,bf16], y=*[fp32,fp16,bf16], rstd=*fp32, M=i32, N=i32, stride_x=i32, stride_y=i32, eps=fp32, BLOCK=4096
# nereid: num_warps = 8
# nereid: signature = x=*[fp32,fp16,bf16]:16, w=*[fp32,fp16,bf16]:16, y=*[fp32,fp16,bf16]:16, rstd=*fp32:16, M=i32, N=i32:16, stride_x=i32:16, stride_y=i32:16, eps=fp32, BLOCK=8192
# nereid: num_warps = 16
# nereid: signature = x=*[fp32,fp16,bf16], w=*[fp32,fp16,bf16], y=*[fp32,fp16,bf16], rstd=*fp32, M=i32, N=i32, stride_x=i32, stride_y=i32, eps=fp32, BLOCK=8192
# nereid: num_warps = 16
@triton.jit
def rms_norm_forward(x, w, y, rstd, M, N, stride_x, stride_y, eps, BLOCK: tl.constexpr):
    """A program normalizes a row, and keeps 1 / sqrt(…) for the gradients."""
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < N
    v = tl.load(x + row * stride_x + columns, mask=inside, other=0.0).to(tl.float32)
    g = tl.load(w + columns, mask=inside, other=0.0).to(tl.float32)
    r = tl.rsqrt(tl.sum(v * v) / N + eps)
    tl.store(y + row * stride_y + columns, (v * r * g).to(y.dtype.element_ty), mask=inside)
    tl.store(rstd + row, r)


# nereid: python = M=x.shape[0], N=x.shape[1], stride_x=x.stride(0), stride_dy=dy.stride(0), rows=32
# nereid: python = x.stride(1) == 1 or N == 1, dy.stride(1) == 1 or N == 1, w.shape[0] == N, contiguous(w, rstd)
# nereid: python = dy.shape[0] == M, dy.shape[1] == N, rstd.shape[0] == M
# nereid: python = dx=empty(M, N, like=x), dw=empty(cdiv(M, rows), N, like=x), stride_dx=dx.stride(0)
# nereid: grid = cdiv(M, rows)
# nereid: when = N <= BLOCK
# nereid: signature = dy=*[fp32,fp16,bf16]:16, x=*[fp32,fp16,bf16]:16, w=*[fp32,fp16,bf16]:16, rstd=*fp32:16, dx=*[fp32,fp16,bf16]:16, dw=*fp32:16, M=i32, N=i32:16, stride_dy=i32:16, stride_x=i32:16, stride_dx=i32:16, rows=i32[1..], BLOCK=1024
# nereid: signature = dy=*[fp32,fp16,bf16], x=*[fp32,fp16,bf16], w=*[fp32,fp16,bf16], rstd=*fp32, dx=*[fp32,fp16,bf16], dw=*fp32, M=i32, N=i32, stride_dy=i32, stride_x=i32, stride_dx=i32, rows=i32[1..], BLOCK=1024
# nereid: signature = dy=*[fp32,fp16,bf16]:16, x=*[fp32,fp16,bf16]:16, w=*[fp32,fp16,bf16]:16, rstd=*fp32:16, dx=*[fp32,fp16,bf16]:16, dw=*fp32:16, M=i32, N=i32:16, stride_dy=i32:16, stride_x=i32:16, stride_dx=i32:16, rows=i32[1..], BLOCK=4096
# nereid: num_warps = 8
# nereid: signature = dy=*[fp32,fp16,bf16], x=*[fp32,fp16,bf16], w=*[fp32,fp16,bf16], rstd=*fp32, dx=*[fp32,fp16,bf16], dw=*fp32, M=i32, N=i32, stride_dy=i32, stride_x=i32, stride_dx=i32, rows=i32[1..], BLOCK=4096
# nereid: num_warps = 8
# nereid: signature = dy=*[fp32,fp16,bf16]:16, x=*[fp32,fp16,bf16]:16, w=*[fp32,fp16,bf16]:16, rstd=*fp32:16, dx=*[fp32,fp16,bf16]:16, dw=*fp32:16, M=i32, N=i32:16, stride_dy=i32:16, stride_x=i32:16, stride_dx=i32:16, rows=i32[1..], BLOCK=8192
# nereid: num_warps = 16
# nereid: signature = dy=*[fp32,fp16,bf16], x=*[fp32,fp16,bf16], w=*[fp32,fp16,bf16], rstd=*fp32, dx=*[fp32,fp16,bf16], dw=*fp32, M=i32, N=i32, stride_dy=i32, stride_x=i32, stride_dx=i32, rows=i32[1..], BLOCK=8192
# nereid: num_warps = 16
@triton.jit
def rms_norm_backward(dy, x, w, rstd, dx, dw, M, N, stride_dy, stride_x, stride_dx, rows, BLOCK: tl.constexpr):
    """A program goes over some rows: it computes their gradients, and its part of the weights' as a row of dw."""
    program = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < N
    g = tl.load(w + columns, mask=inside, other=0.0).to(tl.float32)
    part = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(program * rows, tl.minimum(program * rows + rows, M)):
        v = tl.load(x + row * stride_x + columns, mask=inside, other=0.0).to(tl.float32)
        d = tl.load(dy + row * stride_dy + columns, mask=inside, other=0.0).to(tl.float32)
        r = tl.load(rstd + row)
        normal = v * r
        scaled = d * g
        mean = tl.sum(normal * scaled) / N
        tl.store(dx + row * stride_dx + columns, ((scaled - normal * mean) * r).to(dx.dtype.element_ty), mask=inside)
        part += d * normal
    tl.store(dw + program * N + columns, part, mask=inside)
