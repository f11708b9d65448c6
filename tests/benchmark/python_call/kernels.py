"""Kernels that do nothing, so that what is left of a call is the call."""
import triton
import triton.language as tl


# nereid: grid = 1
# nereid: signature = x=*fp32, y=*fp32, z=*fp32, n=i32
@triton.jit
def nothing(x, y, z, n):
    if n < 0:
        tl.store(z, 1.0)


# nereid: python = M=x.shape[0], N=x.shape[1], stride_x=x.stride(0), eps=1e-6, w.shape[0] == N
# nereid: python = out=empty_like(x), stride_out=out.stride(0)
# nereid: grid = M
# nereid: signature = x=*[fp32,fp16], w=*[fp32,fp16], out=*[fp32,fp16], M=i32, N=i32, stride_x=i32, stride_out=i32, eps=fp32
@triton.jit
def layer(x, w, out, M, N, stride_x, stride_out, eps):
    if N < 0:
        tl.store(out, 1.0)
