"""Loops, conditions, helper functions and compile-time values."""
import triton
import triton.language as tl

SCALE = tl.constexpr(2)


@triton.jit
def _affine(x, a, b=1.0):
    return x * a + b


@triton.jit
def _two(x):
    return x + 1, x * 2


@triton.jit
def helpers(x_ptr, out_ptr, n, MODE: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0.0)
    if MODE == 0:
        y = _affine(x, 3.0)
    elif MODE == 1:
        y = _affine(x, a=SCALE, b=0.5)
    else:
        a, b = _two(x)
        y = a - b
    tl.store(out_ptr + offs, y, mask=mask)


@triton.jit
def unrolled_powers(x_ptr, out_ptr, n, K: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    acc = x
    for i in tl.static_range(1, K):
        acc = acc * x if i % 2 == 1 else acc + i
    tl.store(out_ptr + offs, acc, mask=offs < n)


@triton.jit
def run_time_branch(x_ptr, out_ptr, n, threshold, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    if pid >= threshold:
        y = x + 10
        z = y * 2
    else:
        z = -x
    tl.store(out_ptr + offs, z, mask=mask)


@triton.jit
def while_collatz(x_ptr, out_ptr):
    pid = tl.program_id(0)
    v = tl.load(x_ptr + pid)
    steps = 0
    while v != 1:
        if v % 2 == 0:
            v = v // 2
        else:
            v = 3 * v + 1
        steps += 1
    tl.store(out_ptr + pid, steps)


@triton.jit
def early_return(x_ptr, out_ptr, n):
    pid = tl.program_id(0)
    if pid >= n:
        return
    tl.store(out_ptr + pid, tl.load(x_ptr + pid) + 1)


@triton.jit
def nested_loops(out_ptr, rows, cols):
    total = 0
    for i in range(rows):
        for j in range(cols - 1, -1, -1):
            total += i * j
    tl.store(out_ptr, total)


@triton.jit
def rounds_at_most(x_ptr, out_ptr, n, most, BLOCK: tl.constexpr):
    # Sums the first rows, no more of them than `most`, of those from the second on.
    columns = tl.arange(0, BLOCK)
    total = tl.full([BLOCK], -1.0, tl.float32)
    last = 100
    for i in range(1, min(n, most) + 1):
        total += tl.load(x_ptr + i * BLOCK + columns)
        last = i
    tl.store(out_ptr + columns, total)
    tl.store(out_ptr + BLOCK + columns, tl.zeros([BLOCK], tl.float32) + last)
