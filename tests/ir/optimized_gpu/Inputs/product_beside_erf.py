# A product that is computed while erf, whose branches tell lanes apart, is computed of something else.
import triton
import triton.language as tl


@triton.jit
def weighted(x_ptr, y_ptr, z_ptr, out_ptr, stride):
    steps = tl.arange(0, 64)
    tile = steps[:, None] * stride + steps[None, :]
    x = tl.load(x_ptr + tile)
    y = tl.load(y_ptr + tile)
    z = tl.load(z_ptr + tile).to(tl.float32)
    product = (tl.dot(x, y) * tl.math.erf(z)).to(tl.bfloat16)
    tl.store(out_ptr + tile, tl.dot(product, y))
