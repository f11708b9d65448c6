# Softmax of rows, for each of eight lengths: what the libraries of this benchmark hold.
import triton
import triton.language as tl


# nereid: grid = n
# nereid: dispatch = BLOCK
# nereid: targets = cpu:x86-64-v3, cuda:90a
# nereid: signature = *fp32:16, *fp32:16, i32, [64, 128, 256, 512, 1024, 2048, 4096, 8192]
@triton.jit
def rows(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + i, e / tl.sum(e, axis=0))
