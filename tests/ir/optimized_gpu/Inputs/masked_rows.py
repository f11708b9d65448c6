"""Rows whose masks are used twice."""
import triton
import triton.language as tl


@triton.jit
def sums(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """Sums of what is loaded and of its largest element: the masks are used twice."""
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    x = tl.load(x_ptr + columns, mask=inside, other=-float("inf"))
    tl.store(y_ptr, tl.sum(tl.where(inside, x, 0.0)) + tl.max(x))
    tl.store(y_ptr + 1, tl.sum(tl.where(inside, 1.0, x)))
