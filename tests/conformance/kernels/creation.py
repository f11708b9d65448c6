"""Blocks out of nothing, program indices, and what the language knows of a block."""
import triton
import triton.language as tl


@triton.jit
def program_ids(out_ptr):
    x = tl.program_id(0)
    y = tl.program_id(axis=1)
    z = tl.program_id(2)
    nx = tl.num_programs(0)
    ny = tl.num_programs(axis=1)
    at = (z * ny + y) * nx + x
    tl.store(out_ptr + at, x + 10 * y + 100 * z + 1000 * nx + 10000 * ny + 100000 * tl.num_programs(2))


@triton.jit
def arange(out_ptr, START: tl.constexpr, END: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, END - START), tl.arange(START, END))


@triton.jit
def full(out_ptr, VALUE: tl.constexpr, BLOCK: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.full((BLOCK,), VALUE, out_ptr.dtype.element_ty))


@triton.jit
def full_of_argument(out_ptr, value, BLOCK: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.full([BLOCK], value, tl.float32))


@triton.jit
def zeros(out_ptr, FORM: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    if FORM == "tuple":
        z = tl.zeros((BLOCK,), dtype=tl.float32)
    elif FORM == "list":
        z = tl.zeros([BLOCK], tl.int32).to(tl.float32)
    elif FORM == "like":
        z = tl.zeros_like(tl.load(out_ptr + i))
    elif FORM == "add":
        z = tl.zeros((BLOCK,), tl.float32) + 0.0
    else:
        z = tl.full((BLOCK, ), 0, tl.float32)
    tl.store(out_ptr + i, z)


@triton.jit
def scalar_blocks(out_ptr):
    tl.store(out_ptr, tl.full((), 5, tl.int32))
    one = tl.full((1,), 7, tl.int32)
    tl.store(out_ptr + 1 + tl.arange(0, 1), one)
    tl.store(out_ptr + 2, tl.sum(tl.zeros((1, 1), tl.int32) + 3))


@triton.jit
def attributes(out_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.zeros((M, N), tl.float16)
    tl.static_assert(x.dtype == tl.float16)
    tl.static_assert(x.type.scalar == tl.float16)
    tl.static_assert(out_ptr.dtype.element_ty == tl.int32)
    tl.static_assert(out_ptr.type.element_ty == tl.int32)
    tl.static_assert(x.dtype.is_floating() and not x.dtype.is_int())
    tl.static_assert(x.shape[0] == M and x.shape[1] == N)
    tl.static_assert(len(x.shape) == 2)
    tl.static_assert(x.dtype.primitive_bitwidth == 16)
    tl.static_assert(tl.uint8.is_int_unsigned() and tl.int64.is_int_signed() and tl.bfloat16.is_bf16())
    tl.store(out_ptr, x.shape[0])
    tl.store(out_ptr + 1, x.shape[1])
    tl.store(out_ptr + 2, x.numel)
    tl.store(out_ptr + 3, x.dtype.primitive_bitwidth)
    tl.store(out_ptr + 4, len(x.shape))
