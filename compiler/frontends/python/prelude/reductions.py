# Reductions and scans, each a combining function over tl.reduce or tl.associative_scan.
#
# All files of this folder are one module, the part of triton.language that is written in the language itself. A name
# that starts with an underscore is for this module alone. Narrow types are widened before they are combined: bfloat16
# and float16 to float32 for comparisons, small integers to 32 bits for sums, as kernels rely on.
import triton
import triton.language as tl


@triton.jit
def _add(a, b):
    return a + b


@triton.jit
def _multiply(a, b):
    return a * b


@triton.jit
def _xor(a, b):
    return a ^ b


@triton.jit
def _or(a, b):
    return a | b


@triton.jit
def _larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def _smaller(a, b):
    return tl.minimum(a, b)


@triton.jit
def _larger_with_index(a, i, b, j):
    first = a > b
    return tl.where(first, a, b), tl.where(first, i, j)


@triton.jit
def _larger_with_lower_index(a, i, b, j):
    first = (a > b) | ((a == b) & (i < j))
    return tl.where(first, a, b), tl.where(first, i, j)


@triton.jit
def _smaller_with_index(a, i, b, j):
    first = a < b
    return tl.where(first, a, b), tl.where(first, i, j)


@triton.jit
def _smaller_with_lower_index(a, i, b, j):
    first = (a < b) | ((a == b) & (i < j))
    return tl.where(first, a, b), tl.where(first, i, j)


def _sum_type(element, wanted):
    if wanted is not None:
        return wanted
    if element.is_int() and element.int_bitwidth < 32:
        return tl.int32 if element.is_int_signed() else tl.uint32
    return element


def _comparison_type(element):
    if element.primitive_bitwidth >= 32:
        return element
    return tl.float32 if element.is_floating() else tl.int32


def _indexed_type(element):
    return tl.float32 if element.is_bf16() else element


@triton.jit
def sum(input, axis=None, keep_dims=False, dtype: tl.constexpr = None):
    return tl.reduce(input.to(_sum_type(input.dtype, dtype)), axis, _add, keep_dims=keep_dims)


@triton.jit
def xor_sum(input, axis=None, keep_dims=False):
    tl.static_assert(input.dtype.is_int(), "tl.xor_sum takes integers")
    return tl.reduce(input, axis, _xor, keep_dims=keep_dims)


@triton.jit
def reduce_or(input, axis=None, keep_dims=False):
    tl.static_assert(input.dtype.is_int(), "tl.reduce_or takes integers")
    return tl.reduce(input, axis, _or, keep_dims=keep_dims)


@triton.jit
def max(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    if return_indices:
        pair = tl._with_indices(input.to(_indexed_type(input.dtype)), axis)
        if return_indices_tie_break_left:
            return tl.reduce(pair, axis, _larger_with_lower_index, keep_dims=keep_dims)
        else:
            return tl.reduce(pair, axis, _larger_with_index, keep_dims=keep_dims)
    return tl.reduce(input.to(_comparison_type(input.dtype)), axis, _larger, keep_dims=keep_dims)


@triton.jit
def min(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    if return_indices:
        pair = tl._with_indices(input.to(_indexed_type(input.dtype)), axis)
        if return_indices_tie_break_left:
            return tl.reduce(pair, axis, _smaller_with_lower_index, keep_dims=keep_dims)
        else:
            return tl.reduce(pair, axis, _smaller_with_index, keep_dims=keep_dims)
    return tl.reduce(input.to(_comparison_type(input.dtype)), axis, _smaller, keep_dims=keep_dims)


@triton.jit
def argmax(input, axis, tie_break_left=True, keep_dims=False):
    return max(input, axis, True, tie_break_left, keep_dims)[1]


@triton.jit
def argmin(input, axis, tie_break_left=True, keep_dims=False):
    return min(input, axis, True, tie_break_left, keep_dims)[1]


@triton.jit
def cumsum(input, axis=0, reverse=False, dtype: tl.constexpr = None):
    widened = input.to(_sum_type(_indexed_type(input.dtype), dtype))
    return tl.associative_scan(widened, axis, _add, reverse)


@triton.jit
def cumprod(input, axis=0, reverse=False):
    return tl.associative_scan(input.to(_indexed_type(input.dtype)), axis, _multiply, reverse)
