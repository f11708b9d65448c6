"""Results of several programs, added up one after the other."""
import triton
import triton.language as tl


@triton.jit
def weighted(x_ptr, scales_ptr, y_ptr, n, stride):
    """A round of few loads and much arithmetic."""
    columns = tl.arange(0, 128)
    total = tl.zeros([128], tl.float32)
    most = -float("inf")
    for i in range(n):
        x = tl.load(x_ptr + i * stride + columns)
        scale = tl.load(scales_ptr + i)
        larger = tl.maximum(most, scale)
        total = total * tl.exp(most - larger) + x * tl.exp(scale - larger) + tl.exp(x) * tl.exp(x * 2.0)
        most = larger
    tl.store(y_ptr + columns, total)


@triton.jit
def plain(x_ptr, scales_ptr, y_ptr, n, stride):
    """A short round."""
    columns = tl.arange(0, 128)
    total = tl.zeros([128], tl.float32)
    for i in range(n):
        total += tl.load(x_ptr + i * stride + columns)
    tl.store(y_ptr + columns, total)


@triton.jit
def merged(x_ptr, scales_ptr, y_ptr, n, stride):
    """A round of two loads and two powers, and hardly anything else."""
    columns = tl.arange(0, 128)
    total = tl.zeros([128], tl.float32)
    most = -float("inf")
    weights = 0.0
    for i in range(n):
        x = tl.load(x_ptr + i * stride + columns)
        scale = tl.load(scales_ptr + i)
        larger = tl.maximum(most, scale)
        old = tl.exp(most - larger)
        new = tl.exp(scale - larger)
        total = total * old + x * new
        weights = weights * old + new
        most = larger
    tl.store(y_ptr + columns, total / weights)


@triton.jit
def numbers(x_ptr, scales_ptr, y_ptr, n, stride):
    """A round of one number."""
    largest = 0.0
    for i in range(n):
        largest = tl.maximum(largest, tl.load(scales_ptr + i))
    columns = tl.arange(0, 128)
    tl.store(y_ptr + columns, tl.load(x_ptr + columns) * largest)
