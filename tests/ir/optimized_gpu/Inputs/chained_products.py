# A product that goes on from round to round, and one that uses its result.
import triton
import triton.language as tl


@triton.jit
def chained(x_ptr, y_ptr, out_ptr, depth, stride):
    steps = tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    for first in range(0, depth, 64):
        x = tl.load(x_ptr + steps[:, None] * stride + (first + steps)[None, :])
        y = tl.load(y_ptr + (first + steps)[:, None] * stride + steps[None, :])
        acc = tl.dot(x, y, acc)
    lower = tl.where(steps[:, None] >= steps[None, :], acc, 0.0).to(tl.bfloat16)
    w = tl.load(y_ptr + steps[:, None] * stride + steps[None, :] + 128)
    tl.store(out_ptr + steps[:, None] * stride + steps[None, :], tl.dot(lower, w))


@triton.jit
def once(x_ptr, y_ptr, out_ptr, end, stride):
    """A loop that makes one round or none, and another."""
    first = tl.program_id(0) * 64
    steps = tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    for i in range(first, first + 64, 64):
        x = tl.load(x_ptr + steps[:, None] * stride + (i + steps)[None, :])
        y = tl.load(y_ptr + (i + steps)[:, None] * stride + steps[None, :])
        acc = tl.dot(x, y, acc)
    for i in range(first + 64, end, 64):
        x = tl.load(x_ptr + steps[:, None] * stride + (i + steps)[None, :])
        y = tl.load(y_ptr + (i + steps)[:, None] * stride + steps[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(out_ptr + steps[:, None] * stride + steps[None, :], acc)
