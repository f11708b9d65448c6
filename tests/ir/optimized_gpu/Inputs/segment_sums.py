"""Sums over rows whose numbers are loaded."""
import triton
import triton.language as tl


@triton.jit
def segment(x_ptr, order_ptr, bounds_ptr, out_ptr):
    """The sum of the rows of a segment, and of their products, each found by its number."""
    program = tl.program_id(0)
    lanes = tl.arange(0, 32)
    sums, products = tl.zeros((32, ), tl.float32), tl.zeros((32, ), tl.float32)
    for i in range(tl.load(bounds_ptr + program), tl.load(bounds_ptr + program + 1)):
        row = tl.load(order_ptr + i).to(tl.int64) * 32
        x = tl.load(x_ptr + row + lanes)
        y = tl.load(x_ptr + row + lanes // 4)
        sums += tl.exp(x) * tl.exp(y) + tl.exp(x + y)
        products += x * y * tl.math.rsqrt(tl.abs(x) + 1.0) + tl.exp(x * 2.0)
    tl.store(out_ptr + program * 64 + lanes, sums)
    tl.store(out_ptr + program * 64 + 32 + lanes, products)


@triton.jit
def chosen(x_ptr, order_ptr, out_ptr, ROUNDS: tl.constexpr):
    """The sum of so many rows, each found by its number."""
    lanes = tl.arange(0, 32)
    sums = tl.zeros((32, ), tl.float32)
    for i in range(ROUNDS):
        sums += tl.load(x_ptr + tl.load(order_ptr + i) * 32 + lanes)
    tl.store(out_ptr + lanes, sums)


@triton.jit
def neighbours(x_ptr, order_ptr, bounds_ptr, out_ptr):
    """The sum of the rows of a segment, and of nothing else."""
    program = tl.program_id(0)
    lanes = tl.arange(0, 32)
    sums = tl.zeros((32, ), tl.float32)
    for i in range(tl.load(bounds_ptr + program), tl.load(bounds_ptr + program + 1)):
        sums += tl.load(x_ptr + tl.load(order_ptr + i) * 32 + lanes)
    tl.store(out_ptr + program * 32 + lanes, sums)
