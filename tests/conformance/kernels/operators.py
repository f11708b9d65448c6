"""Operators between blocks, and between a block and a number. OP says which."""
import triton
import triton.language as tl


@triton.jit
def binary(x_ptr, y_ptr, out_ptr, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    if OP == "+":
        z = x + y
    elif OP == "-":
        z = x - y
    elif OP == "*":
        z = x * y
    elif OP == "/":
        z = x / y
    elif OP == "//":
        z = x // y
    elif OP == "%":
        z = x % y
    elif OP == "&":
        z = x & y
    elif OP == "|":
        z = x | y
    elif OP == "^":
        z = x ^ y
    elif OP == "<<":
        z = x << y
    elif OP == ">>":
        z = x >> y
    elif OP == "==":
        z = x == y
    elif OP == "!=":
        z = x != y
    elif OP == "<":
        z = x < y
    elif OP == "<=":
        z = x <= y
    elif OP == ">":
        z = x > y
    else:
        tl.static_assert(OP == ">=", "unknown operator")
        z = x >= y
    tl.store(out_ptr + i, z)


@triton.jit
def augmented(x_ptr, y_ptr, out_ptr, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    z = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    if OP == "+":
        z += y
    elif OP == "-":
        z -= y
    elif OP == "*":
        z *= y
    elif OP == "//":
        z //= y
    elif OP == "%":
        z %= y
    elif OP == "&":
        z &= y
    elif OP == "|":
        z |= y
    elif OP == "^":
        z ^= y
    elif OP == "<<":
        z <<= y
    else:
        tl.static_assert(OP == ">>", "unknown operator")
        z >>= y
    tl.store(out_ptr + i, z)


@triton.jit
def with_number(x_ptr, out_ptr, OP: tl.constexpr, NUMBER: tl.constexpr, REVERSED: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    # A number assigned to a variable would become an int32 or float32; here it stays a number.
    if OP == "+":
        z = NUMBER + x if REVERSED else x + NUMBER
    elif OP == "-":
        z = NUMBER - x if REVERSED else x - NUMBER
    elif OP == "*":
        z = NUMBER * x if REVERSED else x * NUMBER
    elif OP == "/":
        z = NUMBER / x if REVERSED else x / NUMBER
    elif OP == "//":
        z = NUMBER // x if REVERSED else x // NUMBER
    elif OP == "%":
        z = NUMBER % x if REVERSED else x % NUMBER
    elif OP == "<":
        z = NUMBER < x if REVERSED else x < NUMBER
    elif OP == "<<":
        z = NUMBER << x if REVERSED else x << NUMBER
    else:
        tl.static_assert(OP == "&", "unknown operator")
        z = NUMBER & x if REVERSED else x & NUMBER
    tl.store(out_ptr + i, z)


@triton.jit
def invert(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, ~tl.load(x_ptr + i))


@triton.jit
def invert_condition(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, ~(tl.load(x_ptr + i) > 0))


@triton.jit
def logical(x_ptr, y_ptr, out_ptr, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x_ptr + i) > 0
    b = tl.load(y_ptr + i) > 0
    if OP == "and":
        z = a and b
    elif OP == "or":
        z = a or b
    elif OP == "not":
        z = not a
    elif OP == "logical_and":
        z = a.logical_and(b)
    else:
        z = a.logical_or(b)
    tl.store(out_ptr + i, z)


@triton.jit
def chained_comparison(x_ptr, out_ptr, lo, hi):
    pid = tl.program_id(0)
    x = tl.load(x_ptr + pid)
    if lo < x and x <= hi:
        tl.store(out_ptr + pid, 1)
    else:
        tl.store(out_ptr + pid, 0)


@triton.jit
def scalar_division(x_ptr, y_ptr, out_ptr):
    pid = tl.program_id(0)
    x = tl.load(x_ptr + pid)
    y = tl.load(y_ptr + pid)
    tl.store(out_ptr + 2 * pid, x // y)
    tl.store(out_ptr + 2 * pid + 1, x % y)


@triton.jit
def constant_arithmetic(out_ptr, A: tl.constexpr, B: tl.constexpr):
    tl.store(out_ptr + 0, A // B)
    tl.store(out_ptr + 1, A % B)
    tl.store(out_ptr + 2, A ** 2)
    tl.store(out_ptr + 3, A + B * 2 - 1)
    tl.store(out_ptr + 4, (A << 2) | 1)
    tl.store(out_ptr + 5, A ^ B)
    tl.store(out_ptr + 6, -A)
    tl.store(out_ptr + 7, ~A)
    tl.store(out_ptr + 8, A & 6)
    tl.store(out_ptr + 9, A >> 1)
    tl.store(out_ptr + 10, 1 if A < B else 2)
    tl.store(out_ptr + 11, 1 if not A == B else 2)
    tl.store(out_ptr + 12, min(A, B) + max(A, B, 3) + abs(B))
    tl.store(out_ptr + 13, 1 if -8 < A < B and B != 0 or A == 100 else 0)
    tl.store(out_ptr + 14, int(7.9) + int(A / 2))


@triton.jit
def pointer_arithmetic(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(i + x_ptr)
    p = x_ptr + i
    p += BLOCK
    b = tl.load(p)
    p -= 2
    c = tl.load(p - 1 + i * 0)
    tl.store(out_ptr + i, a + 100 * b + 10000 * c)


@triton.jit
def unsigned_offsets(x_ptr, i_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.load(i_ptr + tl.arange(0, BLOCK))
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.load(x_ptr + i))
