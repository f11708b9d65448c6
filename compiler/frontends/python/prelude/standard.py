# Functions that are a few operations each: creation, activation functions, index arithmetic, reordering.


@triton.jit
def zeros(shape, dtype):
    return tl.full(shape, 0, dtype)


@triton.jit
def zeros_like(input):
    return tl.full(input.shape, 0, input.dtype)


@triton.jit
def cdiv(x, div):
    return (x + (div - 1)) // div


@triton.jit
def sigmoid(x):
    return 1 / (1 + tl.exp(-x))


@triton.jit
def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    axis: tl.constexpr = 0 if dim is None else dim
    shifted = x - max(x, axis, keep_dims=keep_dims)
    numerator = tl.exp(shifted)
    return tl.fdiv(numerator, sum(numerator, axis, keep_dims=keep_dims), ieee_rounding)


@triton.jit
def ravel(x, can_reorder=False):
    return tl.reshape(x, [x.numel], can_reorder=can_reorder)


@triton.jit
def interleave(a, b):
    pairs = tl.join(a, b)
    if len(pairs.shape) == 1:
        return pairs
    else:
        return tl.reshape(pairs, pairs.shape[:-2] + (2 * pairs.shape[-2],))


@triton.jit
def swizzle2d(i, j, size_i, size_j, size_g):
    # Walk groups of size_g rows column by column. The last group may have fewer rows.
    position = i * size_j + j
    group_size = size_g * size_j
    first_row = position // group_size * size_g
    rows = tl.minimum(size_i - first_row, size_g)
    within = position % group_size
    return first_row + within % rows, within // rows


def _log2(n):
    log = 0
    while n > 1:
        n //= 2
        log += 1
    return log


def _axis_shape(axis, shape):
    return [shape[d] if d == axis else 1 for d in range(len(shape))]


def _wrap(dim, shape):
    if dim is None:
        return len(shape) - 1
    return dim + len(shape) if dim < 0 else dim


@triton.jit
def _positions(shape, axis: tl.constexpr):
    along = tl.reshape(tl.arange(0, shape[axis]), _axis_shape(axis, shape))
    return tl.broadcast_to(along, shape)


@triton.jit
def flip(x, dim=None):
    axis: tl.constexpr = _wrap(dim, x.shape)
    return tl.gather(x, x.shape[axis] - 1 - _positions(x.shape, axis), axis)


@triton.jit
def _exchange(x, position, bit, takes_smaller):
    # Compares each element with the one whose position differs in one bit, and keeps the smaller or the larger.
    other = tl.gather(x, position ^ (1 << bit), len(x.shape) - 1)
    return tl.where((x > other) == takes_smaller, other, x)


@triton.jit
def _merge(x, stage: tl.constexpr, descending: tl.constexpr, alternating: tl.constexpr):
    # Each step compares an element with the one whose position differs in one bit; one of the two keeps the smaller, the
    # other the larger. Alternating, every other run of 2**stage elements is merged the other way round.
    position = _positions(x.shape, len(x.shape) - 1)
    for step in tl.static_range(stage):
        bit: tl.constexpr = stage - 1 - step
        lower = ((position >> bit) & 1) == 0
        if alternating:
            takes_smaller = lower == (((position >> stage) & 1) == (1 if descending else 0))
        elif descending:
            takes_smaller = not lower
        else:
            takes_smaller = lower
        x = _exchange(x, position, bit, takes_smaller)
    return x


# Networks are unrolled up to this length: longer ones are loops, whose code does not grow with them.
_LONGEST_UNROLLED: tl.constexpr = 2048


@triton.jit
def _merge_in_loop(x, stage, descending: tl.constexpr):
    # _merge where the stage is only known when the kernel runs. Beyond the last bit of a position there are zeros, so
    # that the last stage is merged one way throughout.
    position = _positions(x.shape, len(x.shape) - 1)
    ascends = ((position >> stage) & 1) == (1 if descending else 0)
    for step in range(stage):
        bit = stage - 1 - step
        x = _exchange(x, position, bit, (((position >> bit) & 1) == 0) == ascends)
    return x


@triton.jit
def bitonic_merge(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    axis: tl.constexpr = _wrap(dim, x.shape)
    tl.static_assert(axis == len(x.shape) - 1, "tl.bitonic_merge works along the last dimension only")
    stages: tl.constexpr = _log2(x.shape[axis])
    if x.shape[axis] > _LONGEST_UNROLLED:
        return _merge_in_loop(x, stages, descending)
    else:
        return _merge(x, stages, descending, False)


@triton.jit
def sort(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    # A bitonic network: in stage s, runs of 2**s elements are merged, every other one backwards.
    axis: tl.constexpr = _wrap(dim, x.shape)
    tl.static_assert(axis == len(x.shape) - 1, "tl.sort sorts along the last dimension only")
    stages: tl.constexpr = _log2(x.shape[axis])
    if x.shape[axis] > _LONGEST_UNROLLED:
        for stage in range(1, stages + 1):
            x = _merge_in_loop(x, stage, descending)
        return x
    else:
        for stage in tl.static_range(1, stages):
            x = _merge(x, stage, descending, True)
        return _merge(x, stages, descending, False)


@triton.jit
def _merge_runs(x, stage: tl.constexpr, is_long: tl.constexpr):
    # The largest first in even runs of 2**stage elements, which is the last one where there is but one.
    if is_long:
        return _merge_in_loop(x, stage, True)
    else:
        return _merge(x, stage, True, 2**stage < x.shape[len(x.shape) - 1])


@triton.jit
def topk(x, k: tl.constexpr, dim: tl.constexpr = None):
    # Runs of k elements are sorted, every other one backwards. Of two neighbours, the larger of each two elements are
    # the k largest, in an order that one merge sorts again: half as many elements remain. Maxima give fewer elements
    # their type.
    axis: tl.constexpr = _wrap(dim, x.shape)
    fits: tl.constexpr = k > 0 and k & (k - 1) == 0 and k <= x.shape[axis]
    tl.static_assert(fits, "k of tl.topk must be a power of 2 and not more than there are elements")
    tl.static_assert(axis == len(x.shape) - 1, "tl.topk works along the last dimension only")
    stages: tl.constexpr = _log2(k)
    halvings: tl.constexpr = _log2(x.shape[axis]) - stages
    is_long: tl.constexpr = x.shape[axis] > _LONGEST_UNROLLED
    for stage in tl.static_range(1, stages + 1):
        x = _merge_runs(x, stage, is_long)
    for _ in tl.static_range(halvings):
        pairs = tl.reshape(x, x.shape[:axis] + (x.shape[axis] // (2 * k), 2, k))
        x = tl.reshape(max(pairs, axis + 1), x.shape[:axis] + (x.shape[axis] // 2,))
        x = _merge_runs(x, stages, is_long)
    return x
