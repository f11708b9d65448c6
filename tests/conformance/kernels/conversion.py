"""Conversions between types, by value and by bits."""
import triton
import triton.language as tl


@triton.jit
def convert(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(out_ptr.dtype.element_ty))


@triton.jit
def convert_on_store(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i))


@triton.jit
def convert_rounding(x_ptr, out_ptr, ROUNDING: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(out_ptr.dtype.element_ty, fp_downcast_rounding=ROUNDING))


@triton.jit
def bitcast(x_ptr, out_ptr, FORM: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    if FORM == "to":
        y = x.to(out_ptr.dtype.element_ty, bitcast=True)
    elif FORM == "cast":
        y = tl.cast(x, out_ptr.dtype.element_ty, bitcast=True)
    else:
        y = tl.load((x_ptr + i).to(tl.pointer_type(out_ptr.dtype.element_ty)))
    tl.store(out_ptr + i, y)


@triton.jit
def to_bool(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    b = tl.load(x_ptr + i).to(tl.int1)
    tl.store(out_ptr + i, b.to(tl.int32) + 10 * tl.cast(b, tl.float32).to(tl.int32) + 100 * b)


@triton.jit
def integer_pointers(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    address = x_ptr.to(tl.int64) + 4 * i
    tl.store(out_ptr + i, tl.load(address.to(tl.pointer_type(tl.int32))))


@triton.jit
def scalar_conversions(x_ptr, out_ptr):
    x = tl.load(x_ptr)
    tl.store(out_ptr, x.to(tl.int32).to(tl.float32))
    tl.store(out_ptr + 1, tl.cast(3, tl.float32) / 2)
    tl.store(out_ptr + 2, x.to(tl.float16).to(tl.float32))
    tl.store(out_ptr + 3, tl.full((), 7, tl.int8).to(tl.float32))


@triton.jit
def one_of_a_block(x_ptr, out_ptr, LANE: tl.constexpr, BLOCK: tl.constexpr):
    """Which lane is stored is known when the kernel is compiled."""
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, (x + x).to(out_ptr.dtype.element_ty), mask=(i >= LANE) & (i <= LANE))


@triton.jit
def convert_blocks(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(out_ptr.dtype.element_ty))


@triton.jit
def convert_blocks_toward_zero(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(out_ptr.dtype.element_ty, fp_downcast_rounding="rtz"))
