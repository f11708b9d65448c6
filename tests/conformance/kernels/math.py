"""tl.math and its copies in tl: one operation over a block. OP says which."""
import triton
import triton.language as tl
from triton.language import math as tlmath


@triton.jit
def unary(x_ptr, out_ptr, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    if OP == "exp":
        y = tl.exp(x)
    elif OP == "exp2":
        y = tl.exp2(x)
    elif OP == "log":
        y = tl.log(x)
    elif OP == "log2":
        y = tl.log2(x)
    elif OP == "sin":
        y = tl.sin(x)
    elif OP == "cos":
        y = tl.cos(x)
    elif OP == "sqrt":
        y = tl.sqrt(x)
    elif OP == "sqrt_rn":
        y = tl.sqrt_rn(x)
    elif OP == "rsqrt":
        y = tl.rsqrt(x)
    elif OP == "erf":
        y = tl.erf(x)
    elif OP == "floor":
        y = tl.floor(x)
    elif OP == "ceil":
        y = tl.ceil(x)
    elif OP == "abs":
        y = tl.abs(x)
    elif OP == "sigmoid":
        y = tl.sigmoid(x)
    elif OP == "neg":
        y = -x
    else:
        tl.static_assert(OP == "softmax", "unknown operation")
        y = tl.softmax(x)
    tl.store(out_ptr + i, y)


@triton.jit
def methods(x_ptr, out_ptr, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    if OP == "exp":
        y = x.exp()
    elif OP == "exp2":
        y = x.exp2()
    elif OP == "log":
        y = x.log()
    elif OP == "log2":
        y = x.log2()
    elif OP == "sin":
        y = x.sin()
    elif OP == "cos":
        y = x.cos()
    elif OP == "sqrt":
        y = x.sqrt()
    elif OP == "sqrt_rn":
        y = x.sqrt_rn()
    elif OP == "rsqrt":
        y = x.rsqrt()
    elif OP == "erf":
        y = x.erf()
    elif OP == "floor":
        y = x.floor()
    elif OP == "ceil":
        y = x.ceil()
    elif OP == "abs":
        y = x.abs()
    elif OP == "sigmoid":
        y = x.sigmoid()
    else:
        tl.static_assert(OP == "softmax", "unknown operation")
        y = x.softmax()
    tl.store(out_ptr + i, y)


@triton.jit
def math_module(x_ptr, out_ptr, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    if OP == "exp":
        y = tl.math.exp(x)
    elif OP == "exp2":
        y = tlmath.exp2(x)
    elif OP == "log":
        y = tl.math.log(x)
    elif OP == "log2":
        y = tlmath.log2(x)
    elif OP == "sin":
        y = tl.math.sin(x)
    elif OP == "cos":
        y = tlmath.cos(x)
    elif OP == "sqrt":
        y = tl.math.sqrt(x)
    elif OP == "sqrt_rn":
        y = tl.math.sqrt_rn(x)
    elif OP == "rsqrt":
        y = tl.math.rsqrt(x)
    elif OP == "erf":
        y = tl.math.erf(x)
    elif OP == "floor":
        y = tl.math.floor(x)
    elif OP == "abs":
        y = tl.math.abs(x)
    else:
        tl.static_assert(OP == "ceil", "unknown operation")
        y = tl.math.ceil(x)
    tl.store(out_ptr + i, y)


@triton.jit
def binary(x_ptr, y_ptr, out_ptr, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    if OP == "minimum":
        z = tl.minimum(x, y)
    elif OP == "maximum":
        z = tl.maximum(x, y)
    elif OP == "minimum_nan":
        z = tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL)
    elif OP == "maximum_nan":
        z = tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)
    elif OP == "fdiv":
        z = tl.fdiv(x, y)
    elif OP == "fdiv_ieee":
        z = tl.fdiv(x, y, ieee_rounding=True)
    elif OP == "div_rn":
        z = tl.div_rn(x, y)
    elif OP == "umulhi":
        z = tl.umulhi(x, y)
    elif OP == "cdiv":
        z = tl.cdiv(x, y)
    elif OP == "cdiv_method":
        z = x.cdiv(y)
    elif OP == "add":
        z = tl.add(x, y)
    elif OP == "sub":
        z = tl.sub(x, y)
    else:
        tl.static_assert(OP == "mul", "unknown operation")
        z = tl.mul(x, y, sanitize_overflow=False)
    tl.store(out_ptr + i, z)


@triton.jit
def fused_multiply_add(x_ptr, y_ptr, z_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    y = tl.fma(tl.load(x_ptr + i), tl.load(y_ptr + i), tl.load(z_ptr + i))
    tl.store(out_ptr + i, y)


@triton.jit
def clamp(x_ptr, lo_ptr, hi_ptr, out_ptr, PROPAGATE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    lo = tl.load(lo_ptr + i)
    hi = tl.load(hi_ptr + i)
    if PROPAGATE:
        y = tl.clamp(x, lo, hi, propagate_nan=tl.PropagateNan.ALL)
    else:
        y = tl.clamp(x, lo, hi)
    tl.store(out_ptr + i, y)


@triton.jit
def clamp_to_constants(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.clamp(tl.load(x_ptr + i), -1.0, 2.5))


@triton.jit
def softmax_of_tile(x_ptr, out_ptr, DIM: tl.constexpr, KEEP: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, tl.softmax(x, dim=DIM, keep_dims=KEEP))


@triton.jit
def cdiv_of_constants(out_ptr, n):
    tl.store(out_ptr, tl.cdiv(17, 5))
    tl.store(out_ptr + 1, triton.cdiv(16, 5))
    tl.store(out_ptr + 2, triton.next_power_of_2(65))
    tl.store(out_ptr + 3, tl.cdiv(n, 8))
