# What the kernels that TorchInductor writes take from torch._inductor.runtime.triton_helpers: a module of that name for
# where PyTorch is not at hand. With the folder that holds torch among the import paths, torch's own is taken.
#
# Comparisons follow torch: NaN is larger than every number, and of equal values the one with the smaller index wins.
import triton
import triton.language as tl
from triton.language import math
from triton.language.extra import libdevice
from triton.language.standard import _log2, _positions


def get_constexprs(kernel):
    return []


@triton.jit
def promote_to_tensor(x):
    # What a whole reduction gives becomes a block of one element, which has a shape.
    return x + tl.zeros((1,), tl.int1)


@triton.jit
def is_floating(x):
    return promote_to_tensor(x).dtype.is_floating()


# Python's integer division and remainder, which round down.


@triton.jit
def div_floor_integer(a, b):
    quotient = a // b
    is_inexact = quotient * b != a
    return tl.where(is_inexact & ((a < 0) != (b < 0)), quotient - 1, quotient)


@triton.jit
def remainder_integer(a, b):
    rest = a % b
    return tl.where((rest != 0) & ((rest < 0) != (b < 0)), rest + b, rest)


# Reductions.


@triton.jit
def _times(a, b):
    return a * b


@triton.jit
def prod(input, axis):
    return tl.reduce(input, axis, _times)


@triton.jit
def _or(a, b):
    return a | b


@triton.jit
def any(a, dim):
    return tl.reduce(a, dim, _or)


@triton.jit
def minimum(a, b):
    takes_a = a < b
    if is_floating(a):
        takes_a |= a != a
    return tl.where(takes_a, a, b)


@triton.jit
def maximum(a, b):
    takes_a = a > b
    if is_floating(a):
        takes_a |= a != a
    return tl.where(takes_a, a, b)


@triton.jit
def min2(a, dim):
    return tl.reduce(a, dim, minimum)


@triton.jit
def max2(a, dim):
    return tl.reduce(a, dim, maximum)


@triton.jit
def _comes_first(a, a_index, b, b_index, LARGEST: tl.constexpr, NAN_FIRST: tl.constexpr):
    # A total order of values with indices.
    first = a > b if LARGEST else a < b
    same = a == b
    if is_floating(a):
        a_nan = a != a
        b_nan = b != b
        first |= (a_nan & (b == b)) if NAN_FIRST else ((a == a) & b_nan)
        same |= a_nan & b_nan
    return first | (same & (a_index < b_index))


@triton.jit
def minimum_with_index(a_value, a_index, b_value, b_index):
    takes_a = _comes_first(a_value, a_index, b_value, b_index, False, True)
    return tl.where(takes_a, a_value, b_value), tl.where(takes_a, a_index, b_index)


@triton.jit
def maximum_with_index(a_value, a_index, b_value, b_index):
    takes_a = _comes_first(a_value, a_index, b_value, b_index, True, True)
    return tl.where(takes_a, a_value, b_value), tl.where(takes_a, a_index, b_index)


@triton.jit
def min_with_index(value, index, dim):
    return tl.reduce((value, index), dim, minimum_with_index)


@triton.jit
def max_with_index(value, index, dim):
    return tl.reduce((value, index), dim, maximum_with_index)


@triton.jit
def select_one(x, mask, dim, keep_dims=False):
    # The mask is true for one element of each row, whose bits are the sum of all bits that are kept.
    unsigned: tl.constexpr = tl.core.get_int_dtype(x.dtype.primitive_bitwidth, signed=False)
    bits = tl.sum(x.to(unsigned, bitcast=True) * mask, dim, keep_dims=keep_dims)
    return bits.to(x.dtype, bitcast=True)


# Softmax over rows that come in pieces: the largest value so far, and the sum of exponentials relative to it.


@triton.jit
def exp(x, use_fast_math: tl.constexpr):
    return math.exp(x) if use_fast_math else libdevice.exp(x)


@triton.jit
def _relative(x, largest, use_fast_math: tl.constexpr):
    # Where all is -inf, the difference would be NaN.
    return exp(tl.where(largest == float("-inf"), 0, x - largest), use_fast_math)


@triton.jit
def online_softmax_reduce(lhs_max, lhs_sum, dim, use_fast_math: tl.constexpr):
    largest = max2(lhs_max, dim)
    scale = _relative(lhs_max, tl.expand_dims(largest, dim), use_fast_math)
    return largest, tl.sum(lhs_sum * scale, dim)


@triton.jit
def online_softmax_combine(lhs_max, lhs_sum, rhs_max, use_fast_math: tl.constexpr):
    # The right side is one new value, whose sum is 1.
    largest = maximum(lhs_max, rhs_max)
    total = lhs_sum * _relative(lhs_max, largest, use_fast_math) + _relative(rhs_max, largest, use_fast_math)
    return largest, total


# Means and sums of squared distances from the mean, by Welford's method.


@triton.jit
def welford_reduce(value, mean, m2, weight, first_iteration):
    if first_iteration:
        return value, tl.zeros_like(m2), tl.full(weight.shape, 1, weight.dtype)
    else:
        count = weight + 1
        distance = value - mean
        moved = mean + distance / count
        return moved, m2 + distance * (value - moved), count


@triton.jit
def welford_combine(mean_1, m2_1, weight_1, mean_2, m2_2, weight_2):
    count = weight_1 + weight_2
    share = tl.where(count == 0.0, 0.0, weight_2 / count)
    distance = mean_2 - mean_1
    return mean_1 + distance * share, m2_1 + m2_2 + distance * distance * weight_1 * share, count


@triton.jit
def welford(mean, m2, weight, dim):
    return tl.reduce((mean, m2, weight), dim, welford_combine)


# Single values.


@triton.jit
def device_assert_then(cond, msg, r):
    tl.device_assert(cond, msg)
    return r


@triton.jit
def randint64(seed, offset, low, high):
    lower, upper, _, _ = tl.randint4x(seed, offset)
    bits = lower.to(tl.uint64) | (upper.to(tl.uint64) << 32)
    return (bits % (high - low).to(tl.uint64)).to(tl.int64) + low


@triton.jit
def frexp(x):
    exponent = tl.where(x == 0, 0, libdevice.ilogb(x) + 1)
    return tl.where(x == 0, 0, libdevice.ldexp(x, -exponent)), exponent


def constexpr_next_power_of_2(n, *, _builder=None):
    return triton.next_power_of_2(n)


def if_mask(mask, val, *, _builder=None):
    # tl.load takes no `other` where it takes no mask.
    return None if mask is None else val


# Searching and sorting.


@triton.jit
def bucketize_binary_search(values, boundaries_ptr, BOUNDARIES_SIZE, BOUNDARIES_UNDERLYING_NUMEL, BOUNDARIES_STRIDE,
                            boundary_indices, indexing_dtype, right, sorter_ptr, SORTER_STRIDE, sorter_indices):
    # Halves [low, high] until it is empty: each value's answer is how many boundaries are below it (or not above it).
    low = tl.zeros(values.shape, dtype=indexing_dtype)
    high = tl.full(values.shape, BOUNDARIES_SIZE, dtype=indexing_dtype)
    candidates = BOUNDARIES_SIZE + 1
    while candidates > 1:
        middle = (low + high) // 2
        is_inside = middle * BOUNDARIES_STRIDE + boundary_indices < BOUNDARIES_UNDERLYING_NUMEL
        is_inside &= middle < BOUNDARIES_SIZE
        if sorter_ptr is None or SORTER_STRIDE is None:
            place = middle
        else:
            place = tl.load(sorter_ptr + sorter_indices + SORTER_STRIDE * middle, mask=is_inside, other=0)
        boundary = tl.load(boundaries_ptr + boundary_indices + BOUNDARIES_STRIDE * place, mask=is_inside, other=0)
        if right:
            is_above = values >= boundary
        else:
            is_above = values > boundary
        low = tl.where(is_above & is_inside, middle + 1, low)
        high = tl.where(is_above, high, middle)
        candidates = (candidates + 1) // 2
    return low


@triton.jit
def _merge_with_index(x, idxs, rnumel, stage: tl.constexpr, alternating: tl.constexpr, descending: tl.constexpr):
    # One stage of a bitonic network, as in tl.sort.
    axis: tl.constexpr = len(x.shape) - 1
    position = _positions(x.shape, axis)
    for step in tl.static_range(stage):
        bit: tl.constexpr = stage - 1 - step
        other = tl.gather(x, position ^ (1 << bit), axis)
        other_index = tl.gather(idxs, position ^ (1 << bit), axis)
        is_later = _comes_first(other, other_index, x, idxs, descending, descending)
        if rnumel is not None:
            # What lies beyond the end stays there.
            is_inside = idxs < rnumel
            other_inside = other_index < rnumel
            is_later = (other_inside & ~is_inside) | ((other_inside == is_inside) & is_later)
        takes_earlier = ((position >> bit) & 1) == 0
        if alternating:
            takes_earlier = takes_earlier == (((position >> stage) & 1) == 0)
        x = tl.where(is_later == takes_earlier, other, x)
        idxs = tl.where(is_later == takes_earlier, other_index, idxs)
    return x, idxs


@triton.jit
def sort_with_index(x, idxs, rnumel, dim: tl.constexpr = None, stable: tl.constexpr = False,
                    descending: tl.constexpr = False):
    # Always stable: the order that ties are broken by is what makes the network's comparisons agree.
    x, idxs = tl.broadcast(x, idxs)
    axis: tl.constexpr = len(x.shape) - 1
    tl.static_assert(dim is None or dim == axis, "sort_with_index sorts along the last dimension only")
    stages: tl.constexpr = _log2(x.shape[axis])
    for stage in tl.static_range(1, stages + 1):
        x, idxs = _merge_with_index(x, idxs, rnumel, stage, stage < stages, descending)
    return x, idxs


# Programs that wait for each other. All of them must run at once, or in order.


@triton.jit
def pack_value_flag(value, flag, DTYPE_VALUE_AS_UINT: tl.constexpr, DTYPE_PACK: tl.constexpr):
    bits = value.to(DTYPE_VALUE_AS_UINT, bitcast=True).to(DTYPE_PACK)
    return (bits << DTYPE_VALUE_AS_UINT.primitive_bitwidth) | flag.to(DTYPE_PACK)


@triton.jit
def unpack_value(pack, DTYPE_VALUE: tl.constexpr, DTYPE_VALUE_AS_UINT: tl.constexpr):
    bits = pack >> DTYPE_VALUE_AS_UINT.primitive_bitwidth
    return bits.to(DTYPE_VALUE_AS_UINT).to(DTYPE_VALUE, bitcast=True)


@triton.jit
def unpack_flag(pack, DTYPE_FLAG: tl.constexpr):
    return pack.to(DTYPE_FLAG)


# A block that is scanned publishes its own value with flag 1, and then its inclusive scan with flag 2. A value of up to 32
# bits is packed with its flag; one of 64 bits stands behind its flag, in a place of its own for each flag.


@triton.jit
def _publish(scratch_base, index, value, FLAG: tl.constexpr, DTYPE_VALUE_AS_UINT: tl.constexpr, DTYPE_PACK: tl.constexpr):
    flag = tl.full([], FLAG, DTYPE_VALUE_AS_UINT)
    if DTYPE_PACK is None:
        own = scratch_base + 3 * index
        tl.store(own + FLAG, value.to(DTYPE_VALUE_AS_UINT, bitcast=True))
        tl.debug_barrier()
        tl.atomic_xchg(own, flag, sem="release")
    else:
        packed = pack_value_flag(value, flag, DTYPE_VALUE_AS_UINT, DTYPE_PACK)
        tl.atomic_xchg(scratch_base + index, packed, sem="relaxed")


@triton.jit
def _await(scratch_base, index, DTYPE_VALUE: tl.constexpr, DTYPE_VALUE_AS_UINT: tl.constexpr, DTYPE_PACK: tl.constexpr):
    # What a block has published, once it has: the flag and the value.
    flag = tl.full([], 0, DTYPE_VALUE_AS_UINT)
    if DTYPE_PACK is None:
        place = scratch_base + 3 * index
        while flag == 0:
            flag = tl.atomic_add(place, 0, sem="acquire")
        return flag, tl.load(place + flag.to(tl.int32)).to(DTYPE_VALUE, bitcast=True)
    else:
        packed = tl.full([], 0, DTYPE_PACK)
        while flag == 0:
            packed = tl.atomic_add(scratch_base + index, 0, sem="relaxed")
            flag = unpack_flag(packed, DTYPE_VALUE_AS_UINT)
        return flag, unpack_value(packed, DTYPE_VALUE, DTYPE_VALUE_AS_UINT)


@triton.jit
def exclusive_scan_decoupled_lookback(scratch_base, block_value, index, combine_fn, DTYPE_VALUE_AS_UINT: tl.constexpr,
                                      DTYPE_PACK: tl.constexpr):
    # The scan of all blocks before this one, in one pass (Merrill and Garland, "Single-pass Parallel Prefix Scan with
    # Decoupled Look-back"): a block looks back at its predecessors until one of them has flag 2.
    if index > 0:
        _publish(scratch_base, index, block_value, 1, DTYPE_VALUE_AS_UINT, DTYPE_PACK)
    before = tl.zeros([], block_value.dtype)
    is_known = False
    looks_at = index - 1
    while looks_at >= 0:
        flag, value = _await(scratch_base, looks_at, block_value.dtype, DTYPE_VALUE_AS_UINT, DTYPE_PACK)
        if is_known:
            before = combine_fn(value, before)
        else:
            before = value
            is_known = True
        looks_at = tl.where(flag == 2, -1, looks_at - 1)
    through = block_value
    if is_known:
        through = combine_fn(before, block_value)
    _publish(scratch_base, index, through, 2, DTYPE_VALUE_AS_UINT, DTYPE_PACK)
    return before


@triton.jit
def exclusive_scan_decoupled_lookback_64(scratch_base, block_value, index, combine_fn):
    return exclusive_scan_decoupled_lookback(scratch_base, block_value, index, combine_fn, tl.uint64, None)


@triton.jit
def x_grid_barrier(sem):
    # Arrivals add up to 2**31 in all, which flips the highest bit for everyone that waits.
    tl.debug_barrier()
    arrival = tl.full([], 1, tl.uint32)
    if tl.program_id(0) == 0:
        arrival = 0x80000000 - (tl.num_programs(0).to(tl.uint32) - arrival)
    before = tl.atomic_add(sem, arrival, sem="release")
    is_flipped = False
    while not is_flipped:
        is_flipped = ((before ^ tl.atomic_add(sem, 0, sem="acquire")) & 0x80000000) != 0
    tl.debug_barrier()
