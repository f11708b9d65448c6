"""The rules of Triton's semantics: promotion, broadcasting, rounding of integer division, scopes."""
import triton
import triton.language as tl


@triton.jit
def promote(x_ptr, y_ptr, out_ptr, WANT: tl.constexpr, OP: tl.constexpr):
    """The type of an operation on two blocks. A type that is not WANT fails to compile."""
    i = tl.arange(0, 4)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    if OP == "+":
        z = x + y
    elif OP == "where":
        z = tl.where(i < 2, x, y)
    elif OP == "maximum":
        z = tl.maximum(x, y)
    elif OP == "&":
        z = x & y
    else:
        z = x / y
    tl.static_assert(z.dtype == WANT)
    tl.store(out_ptr + i, z)


@triton.jit
def promote_number(x_ptr, out_ptr, NUMBER: tl.constexpr, WANT: tl.constexpr, FORM: tl.constexpr):
    i = tl.arange(0, 4)
    x = tl.load(x_ptr + i)
    if FORM == "right":
        z = x + NUMBER
    elif FORM == "left":
        z = NUMBER + x
    elif FORM == "where":
        z = tl.where(i < 2, x, NUMBER)
    else:
        z = x + (NUMBER + 0)
    tl.static_assert(z.dtype == WANT)
    tl.store(out_ptr + i, z)


@triton.jit
def promote_bool_with_number(out_ptr):
    i = tl.arange(0, 4)
    b = i < 2
    tl.static_assert((b + 1).dtype == tl.int32)
    tl.static_assert((b * 2.0).dtype == tl.float32)
    tl.static_assert((b + True).dtype == tl.int1)
    tl.static_assert((b.to(tl.int8) + True).dtype == tl.int8)
    tl.store(out_ptr + i, b + 1)


@triton.jit
def kinds_of_numbers(out_ptr):
    i = tl.arange(0, 4)
    b = i < 2
    tl.static_assert((b + 2147483647).dtype == tl.int32)
    tl.static_assert((b + 2147483648).dtype == tl.uint32)
    tl.static_assert((b + 4294967295).dtype == tl.uint32)
    tl.static_assert((b + 4294967296).dtype == tl.int64)
    tl.static_assert((b + -2147483649).dtype == tl.int64)
    tl.static_assert((b + 9223372036854775808).dtype == tl.uint64)
    tl.static_assert((i + 1e300).dtype == tl.float64)
    tl.static_assert((i + 3.0e38).dtype == tl.float32)
    tl.static_assert((i + float("inf")).dtype == tl.float32)
    tl.static_assert((i.to(tl.float16) + 1e300).dtype == tl.float16)
    tl.store(out_ptr + i, i)


@triton.jit
def broadcast_shapes(out_ptr):
    """((3, 4), (5, 3, 4)) of the manual, with powers of two."""
    a = tl.reshape(tl.arange(0, 8), (2, 4))
    b = tl.reshape(tl.arange(0, 32), (4, 2, 4))
    c = a + b
    tl.static_assert(c.shape[0] == 4 and c.shape[1] == 2 and c.shape[2] == 4)
    d = tl.reshape(tl.arange(0, 4), (4, 1)) + tl.reshape(tl.arange(0, 2), (1, 2))
    tl.static_assert(d.shape[0] == 4 and d.shape[1] == 2)
    e = tl.reshape(tl.arange(0, 8), (1, 2, 4)) + tl.reshape(tl.arange(0, 32), (4, 2, 4))
    f = 1 + tl.sum(a) + b
    tl.store(out_ptr + b, c - e + f)
    tl.store(out_ptr + 32 + tl.reshape(tl.arange(0, 8), (4, 2)), d)


@triton.jit
def incompatible_shapes(out_ptr):
    a = tl.arange(0, 4)[:, None] + tl.zeros((4, 8), tl.int32)
    b = tl.zeros((4, 4), tl.int32)
    tl.store(out_ptr + a, a + b)


@triton.jit
def division_of_blocks(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    q = x // y
    r = x % y
    tl.store(out_ptr + i, q)
    tl.store(out_ptr + BLOCK + i, r)
    tl.store(out_ptr + 2 * BLOCK + i, x - y * q - r)


@triton.jit
def division_of_numbers(out_ptr, A: tl.constexpr, B: tl.constexpr):
    tl.store(out_ptr, A // B)
    tl.store(out_ptr + 1, A % B)
    tl.store(out_ptr + 2, A - B * (A // B))


@triton.jit
def mixed_signs(x_ptr, y_ptr, out_ptr):
    i = tl.arange(0, 4)
    tl.store(out_ptr + i, tl.load(x_ptr + i) // tl.load(y_ptr + i))


@triton.jit
def negative_number_with_unsigned(x_ptr, out_ptr):
    i = tl.arange(0, 4)
    tl.store(out_ptr + i, tl.load(x_ptr + i) + (-1))


@triton.jit
def number_out_of_range(x_ptr, out_ptr):
    i = tl.arange(0, 4)
    tl.store(out_ptr + i, tl.load(x_ptr + i) + 300)


@triton.jit
def defined_in_loop_only(out_ptr):
    for _ in range(0, 1):
        value = 1.0
    tl.store(out_ptr, value)


@triton.jit
def defined_before_loop(out_ptr):
    value = 0.0
    for _ in range(0, 1):
        value = 1.0
    tl.store(out_ptr, value)


@triton.jit
def defined_in_one_branch(out_ptr, n):
    if n > 0:
        value = 1.0
    tl.store(out_ptr, value)


@triton.jit
def defined_in_both_branches(out_ptr, n):
    if n > 0:
        value = 1.0
    else:
        value = 2.0
    tl.store(out_ptr, value)


@triton.jit
def defined_in_static_branch(out_ptr, FLAG: tl.constexpr):
    if FLAG:
        value = 1.0
    tl.store(out_ptr, value)


@triton.jit
def defined_in_while_only(out_ptr, n):
    while n > 0:
        value = 1.0
        n -= 1
    tl.store(out_ptr, value)


@triton.jit
def clamped_conversion(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, tl.clamp(tl.where(x != x, 0.0, x), -128.0, 127.0).to(tl.int8))


@triton.jit
def type_changes_in_loop(out_ptr):
    value = 0
    for i in range(3):
        value = value + 1.5
    tl.store(out_ptr, value)


@triton.jit
def compare_with_number(x_ptr, out_ptr, NUMBER: tl.constexpr):
    """1 where x is equal, 2 where it is less, 4 where it is greater."""
    i = tl.arange(0, 4)
    x = tl.load(x_ptr + i)
    equal = (x == NUMBER).to(tl.int32)
    less = (x < NUMBER).to(tl.int32)
    greater = (NUMBER < x).to(tl.int32)
    tl.store(out_ptr + i, equal + 2 * less + 4 * greater)


@triton.jit
def shift_by_other_sign(x_ptr, y_ptr, out_ptr):
    """Promotion gives both the unsigned type; the sign that is shifted in is the left operand's all the same."""
    i = tl.arange(0, 4)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.static_assert((x >> y).dtype == tl.uint32)
    tl.store(out_ptr + i, x >> y)
    tl.store(out_ptr + 4 + i, y >> (x & 1))


@triton.jit
def bfloat16_widens(x_ptr, out_ptr):
    """Minimum, maximum and clamp know no bfloat16; what follows them is computed in float32."""
    i = tl.arange(0, 4)
    x = tl.load(x_ptr + i)
    tl.static_assert(x.dtype == tl.bfloat16)
    tl.static_assert(tl.minimum(x, x).dtype == tl.float32)
    tl.static_assert(tl.maximum(x, x.to(tl.float16)).dtype == tl.float32)
    tl.static_assert(max(x, 0.0).dtype == tl.float32)
    tl.static_assert(tl.clamp(x, -1.0, 1.0).dtype == tl.float32)
    third = tl.maximum(x, 0.0) * x
    tl.store(out_ptr + i, third)


@triton.jit
def numbers_of_their_own_type(x_ptr, out_ptr):
    """A number that tl.fma or tl.maximum gets is a value of its own type, which takes part in promotion."""
    i = tl.arange(0, 4)
    x = tl.load(x_ptr + i)
    tl.static_assert(x.dtype == tl.float16)
    tl.static_assert(tl.maximum(x, 0.5).dtype == tl.float32)
    tl.static_assert(tl.fma(x, x, x).dtype == tl.float16)
    fused = tl.fma(x, 0.1, 1)
    tl.static_assert(fused.dtype == tl.float32)
    tl.store(out_ptr + i, fused)
