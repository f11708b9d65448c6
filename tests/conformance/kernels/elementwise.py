"""Element-wise kernels in the ways that real code bases write them."""
import triton
import triton.language as tl
from triton.language.extra import libdevice

LEAK = tl.constexpr(0.01)


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


@triton.jit
def swiglu_forward(a_ptr, b_ptr, c_ptr, stride, n_cols: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    a_ptr += row * stride
    b_ptr += row * stride
    c_ptr += row * stride
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    a = tl.load(a_ptr + cols, mask=mask, other=0).to(tl.float32)
    b = tl.load(b_ptr + cols, mask=mask, other=0)
    c = silu(a).cast(b.dtype) * b
    tl.store(c_ptr + cols, c, mask=mask)


@triton.jit
def gelu_tanh(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0.0).to(tl.float32)
    inner = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    y = 0.5 * x * (1 + libdevice.tanh(inner))
    tl.store(out_ptr + offs, y, mask=mask)


@triton.jit
def leaky_relu(x_ptr, out_ptr, n, slope, USE_GLOBAL: tl.constexpr, BLOCK: tl.constexpr = 128):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    if USE_GLOBAL:
        y = tl.where(x >= 0, x, LEAK * x)
    else:
        y = tl.where(x >= 0, x, slope * x)
    tl.store(out_ptr + offs, y, mask=mask)


@triton.jit
def integer_ops(x_ptr, y_ptr, div_ptr, mod_ptr, bits_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=1)
    y = tl.load(y_ptr + offs, mask=mask, other=1)
    tl.store(div_ptr + offs, x // y, mask=mask)
    tl.store(mod_ptr + offs, x % y, mask=mask)
    tl.store(bits_ptr + offs, ((x & y) | (x ^ 5)) << 1, mask=mask)


@triton.jit
def transpose_copy(x_ptr, out_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    tile = tl.load(x_ptr + rm[:, None] * N + rn[None, :], mask=mask)
    out = out_ptr + rn[:, None] * M + rm[None, :]
    tl.store(out, tl.trans(tile), mask=(rn[:, None] < N) & (rm[None, :] < M))


@triton.jit
def cast_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x.to(out_ptr.dtype.element_ty), mask=mask)


@triton.jit
def quotients_by_zero(x_ptr, y_ptr, out_ptr, n, FORM: tl.constexpr, BLOCK: tl.constexpr):
    """Quotients where a divisor is zero, and dividends elsewhere."""
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n)
    if FORM == "equal":
        tl.store(out_ptr + i, tl.where(y == 0, x / y, x), mask=i < n)
    elif FORM == "unequal":
        tl.store(out_ptr + i, tl.where(y != 0, x, x / y), mask=i < n)
    else:
        for j in range(n):
            a = tl.load(x_ptr + j)
            b = tl.load(y_ptr + j)
            tl.store(out_ptr + j, tl.where(b == 0, a / b, a))
