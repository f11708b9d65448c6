"""Reductions and scans of a tile along one axis or over everything; sorting and counting."""
import triton
import triton.language as tl


@triton.jit
def _load(x_ptr, M: tl.constexpr, N: tl.constexpr):
    return tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])


@triton.jit
def reduce_axis(x_ptr, out_ptr, OP: tl.constexpr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = _load(x_ptr, M, N)
    if OP == "sum":
        y = tl.sum(x, axis=AXIS)
    elif OP == "max":
        y = tl.max(x, AXIS)
    elif OP == "min":
        y = tl.min(x, AXIS)
    elif OP == "argmax":
        y = tl.argmax(x, AXIS)
    elif OP == "argmin":
        y = tl.argmin(x, axis=AXIS)
    elif OP == "argmax_fast":
        y = tl.argmax(x, AXIS, tie_break_left=False)
    elif OP == "xor_sum":
        y = tl.xor_sum(x, AXIS)
    elif OP == "reduce_or":
        y = tl.reduce_or(x, AXIS)
    elif OP == "sum_method":
        y = x.sum(AXIS)
    elif OP == "max_method":
        y = x.max(axis=AXIS)
    elif OP == "min_method":
        y = x.min(AXIS)
    elif OP == "argmax_method":
        y = x.argmax(AXIS)
    elif OP == "argmin_method":
        y = x.argmin(AXIS)
    else:
        y = x.xor_sum(AXIS)
    tl.store(out_ptr + tl.arange(0, N if AXIS == 0 else M), y)


@triton.jit
def reduce_all(x_ptr, out_ptr, OP: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = _load(x_ptr, M, N)
    if OP == "sum":
        y = tl.sum(x)
    elif OP == "max":
        y = tl.max(x)
    elif OP == "min":
        y = tl.min(x)
    elif OP == "xor_sum":
        y = tl.xor_sum(x)
    else:
        y = tl.sum(tl.sum(x, 1), 0)
    tl.store(out_ptr, y)


@triton.jit
def keep_dims(x_ptr, out_ptr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = _load(x_ptr, M, N)
    y = x - tl.max(x, AXIS, keep_dims=True) + tl.sum(x, AXIS, keep_dims=True) * 0
    tl.store(out_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], y)


@triton.jit
def keep_all_dims(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    total = tl.sum(_load(x_ptr, M, N), keep_dims=True)
    tl.static_assert(total.shape[0] == 1 and total.shape[1] == 1)
    tl.store(out_ptr + tl.arange(0, 1)[:, None] + tl.arange(0, 1)[None, :], total)


@triton.jit
def sum_as(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.sum(x, 0, dtype=out_ptr.dtype.element_ty))


@triton.jit
def value_and_index(x_ptr, value_ptr, out_ptr, LARGEST: tl.constexpr, TIE_LEFT: tl.constexpr, M: tl.constexpr,
                    N: tl.constexpr):
    x = _load(x_ptr, M, N)
    if LARGEST:
        v, i = tl.max(x, 1, return_indices=True, return_indices_tie_break_left=TIE_LEFT)
    else:
        v, i = tl.min(x, 1, return_indices=True, return_indices_tie_break_left=TIE_LEFT)
    tl.store(value_ptr + tl.arange(0, M), v)
    tl.store(out_ptr + tl.arange(0, M), i)


@triton.jit
def middle_axis(x_ptr, out_ptr, I: tl.constexpr, J: tl.constexpr, K: tl.constexpr):
    x = tl.reshape(tl.load(x_ptr + tl.arange(0, I * J * K)), (I, J, K))
    y = tl.sum(x, 1)
    tl.store(out_ptr + tl.arange(0, I)[:, None] * K + tl.arange(0, K)[None, :], y)


@triton.jit
def _product(a, b):
    return a * b


@triton.jit
def _welford(mean_1, m2_1, n_1, mean_2, m2_2, n_2):
    delta = mean_2 - mean_1
    n = n_1 + n_2
    share = tl.where(n == 0, 0.0, n_2 / n)
    return mean_1 + delta * share, m2_1 + m2_2 + delta * delta * n_1 * share, n


@triton.jit
def _first_non_zero(a, b):
    if a != 0:
        r = a
    else:
        r = b
    return r


@triton.jit
def reduce_with(x_ptr, out_ptr, OP: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = _load(x_ptr, M, N)
    if OP == "product":
        y = tl.reduce(x, 1, _product)
    elif OP == "method":
        y = x.reduce(1, _product)
    elif OP == "first":
        y = tl.reduce(x, axis=1, combine_fn=_first_non_zero)
    else:
        y = tl.reduce(x, 1, _product, keep_dims=True).reshape(M)
    tl.store(out_ptr + tl.arange(0, M), y)


@triton.jit
def welford(x_ptr, mean_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    x = _load(x_ptr, M, N)
    mean, m2, n = tl.reduce((x, tl.zeros_like(x), tl.full((M, N), 1.0, tl.float32)), 1, _welford)
    tl.store(mean_ptr + tl.arange(0, M), mean)
    tl.store(out_ptr + tl.arange(0, M), m2 / n)


@triton.jit
def _larger_with_place(v1, i1, v2, i2):
    take = (v1 > v2) | ((v1 == v2) & (i1 < i2))
    return tl.where(take, v1, v2), tl.where(take, i1, i2)


@triton.jit
def reduce_pairs(x_ptr, value_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    v, at = tl.reduce((tl.load(x_ptr + i), i), 0, _larger_with_place)
    tl.store(value_ptr, v)
    tl.store(out_ptr, at)


@triton.jit
def _sum_and_product(a, p, b, q):
    return a + b, p * q


@triton.jit
def _linear_recurrence(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def _keep_larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def scan(x_ptr, out_ptr, OP: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr, M: tl.constexpr,
         N: tl.constexpr):
    x = _load(x_ptr, M, N)
    if OP == "cumsum":
        y = tl.cumsum(x, AXIS, reverse=REVERSE)
    elif OP == "cumprod":
        y = tl.cumprod(x, AXIS, reverse=REVERSE)
    elif OP == "cumsum_method":
        y = x.cumsum(axis=AXIS, reverse=REVERSE)
    elif OP == "cumprod_method":
        y = x.cumprod(AXIS, REVERSE)
    elif OP == "max":
        y = tl.associative_scan(x, AXIS, _keep_larger, reverse=REVERSE)
    else:
        y = x.associative_scan(AXIS, _keep_larger, REVERSE)
    tl.store(out_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], y)


@triton.jit
def recurrence(a_ptr, b_ptr, out_ptr, REVERSE: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    _, h = tl.associative_scan((tl.load(a_ptr + i), tl.load(b_ptr + i)), 0, _linear_recurrence, reverse=REVERSE)
    tl.store(out_ptr + i, h)


@triton.jit
def cumsum_as(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.cumsum(tl.load(x_ptr + i), 0, dtype=tl.int64))


@triton.jit
def sort(x_ptr, out_ptr, FORM: tl.constexpr, DESCENDING: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = _load(x_ptr, M, N)
    if FORM == "sort":
        y = tl.sort(x, 1, DESCENDING)
    elif FORM == "default":
        y = tl.sort(x, descending=DESCENDING)
    else:
        y = x.sort(1, DESCENDING)
    tl.store(out_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], y)


@triton.jit
def sort_line(x_ptr, out_ptr, N: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, N), tl.sort(tl.load(x_ptr + tl.arange(0, N))))


@triton.jit
def topk(x_ptr, out_ptr, K: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    y = tl.topk(_load(x_ptr, M, N), K)
    tl.store(out_ptr + tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :], y)


@triton.jit
def bitonic_merge(x_ptr, out_ptr, DESCENDING: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.bitonic_merge(tl.load(x_ptr + i), descending=DESCENDING))


@triton.jit
def histogram(x_ptr, out_ptr, FORM: tl.constexpr, BINS: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    if FORM == "histogram":
        h = tl.histogram(x, BINS)
    elif FORM == "masked":
        h = tl.histogram(x, BINS, mask=i % 2 == 0)
    else:
        h = x.histogram(BINS)
    tl.store(out_ptr + tl.arange(0, BINS), h)


@triton.jit
def last_axis(x_ptr, out_ptr, I: tl.constexpr, J: tl.constexpr, K: tl.constexpr):
    x = tl.reshape(tl.load(x_ptr + tl.arange(0, I * J * K)), (I, J, K))
    y = tl.max(x, axis=-1)
    z = tl.sum(x, axis=-3)
    tl.store(out_ptr + tl.arange(0, I)[:, None] * J + tl.arange(0, J)[None, :], y)
    tl.store(out_ptr + I * J + tl.arange(0, J)[:, None] * K + tl.arange(0, K)[None, :], z)


@triton.jit
def four_axes(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N * N * N * N)).reshape(N, N, N, N)
    y = tl.sum(tl.sum(x, 3), 1)
    tl.store(out_ptr + tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :], y)


@triton.jit
def count_where(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.sum((x > 0).to(tl.int32)))
    tl.store(out_ptr + 1, tl.sum(x > 0))
    tl.store(out_ptr + 2, tl.max((x > 100).to(tl.int32), axis=0))


@triton.jit
def _later_of_greatest(x1, i1, x2, i2):
    keeps = (x1 > x2) | ((x1 == x2) & (i1 > i2))
    return tl.where(keeps, x1, x2), tl.where(keeps, i1, i2)


@triton.jit
def greatest_so_far(x_ptr, out_ptr, stride, REVERSE: tl.constexpr, N: tl.constexpr):
    """Where the greatest element up to each is, the last of equal ones. Nothing is known of the stride."""
    i = tl.arange(0, N)
    _, places = tl.associative_scan((tl.load(x_ptr + i * stride), i), 0, _later_of_greatest, reverse=REVERSE)
    tl.store(out_ptr + i, places)


@triton.jit
def segmented(x_ptr, flag_ptr, out_ptr, N: tl.constexpr, REVERSE: tl.constexpr = False):
    """A running sum that starts again at every flag."""
    i = tl.arange(0, N)
    flags = tl.load(flag_ptr + i)
    sums, _ = tl.associative_scan((tl.load(x_ptr + i), flags), 0, _restart_at_flags, reverse=REVERSE)
    tl.store(out_ptr + i, sums)


@triton.jit
def _restart_at_flags(x1, f1, x2, f2):
    return tl.where(f2 != 0, x2, x1 + x2), f1 | f2
