# A file that says itself what is to be made of it.
import triton
import triton.language as tl


# nereid: grid = cdiv(n, BLOCK)
# nereid: targets = cpu
# nereid: function = triple
# nereid: signature = *fp32, i32, 32
@triton.jit
def triple_kernel(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * 3, mask=i < n)
