"""Mixtures of experts: choosing them, sorting tokens by them, one product for all, and the sum of what they give."""
import triton
import triton.language as tl


@triton.jit
def choose(logits_ptr, weight_ptr, expert_ptr, T, E, K: tl.constexpr, BT: tl.constexpr, BE: tl.constexpr):
    """The K largest of each row, one after the other, and their softmax."""
    t = tl.program_id(0) * BT + tl.arange(0, BT)
    e = tl.arange(0, BE)
    left = tl.load(logits_ptr + t[:, None] * E + e[None, :], mask=(t[:, None] < T) & (e[None, :] < E),
                   other=float("-inf")).to(tl.float32)
    first = tl.max(left, axis=1)
    total = tl.zeros((BT, ), dtype=tl.float32)
    for k in tl.static_range(K):
        value, index = tl.max(left, axis=1, return_indices=True)
        weight = tl.exp(value - first)
        total += weight
        tl.store(weight_ptr + t * K + k, weight, mask=t < T)
        tl.store(expert_ptr + t * K + k, index, mask=t < T)
        left = tl.where(e[None, :] == index[:, None], float("-inf"), left)
    tl.debug_barrier()
    for k in tl.static_range(K):
        weight = tl.load(weight_ptr + t * K + k, mask=t < T, other=0.0)
        tl.store(weight_ptr + t * K + k, weight / total, mask=t < T)


@triton.jit
def count(expert_ptr, count_ptr, N, BLOCK: tl.constexpr, BE: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    expert = tl.load(expert_ptr + at, mask=at < N, other=0)
    counts = tl.histogram(expert, BE, mask=at < N)
    tl.atomic_add(count_ptr + tl.arange(0, BE), counts, mask=counts > 0)


@triton.jit
def place(expert_ptr, count_ptr, start_ptr, order_ptr, N, BLOCK: tl.constexpr, BE: tl.constexpr):
    """One program an expert: its entries in their order, from where the experts before it end."""
    own = tl.program_id(0)
    e = tl.arange(0, BE)
    counts = tl.load(count_ptr + e)
    ends = tl.cumsum(counts, axis=0)
    next_place = tl.sum(tl.where(e == own, ends - counts, 0), axis=0)
    tl.store(start_ptr + own, next_place)
    if own == tl.num_programs(0) - 1:
        tl.store(start_ptr + own + 1, tl.max(ends, axis=0))
    for first in range(0, N, BLOCK):
        at = first + tl.arange(0, BLOCK)
        mine = (tl.load(expert_ptr + at, mask=at < N, other=-1) == own).to(tl.int32)
        to = next_place + tl.cumsum(mine, axis=0) - 1
        tl.store(order_ptr + to, at, mask=mine != 0)
        next_place += tl.sum(mine, axis=0)


@triton.jit
def place_one_by_one(expert_ptr, next_ptr, order_ptr, N, E):
    """The same by one program, a scalar at a time: counts, their sums in place, and places that are taken."""
    for expert in range(0, E):
        tl.store(next_ptr + expert, 0)
    for i in range(0, N):
        expert = tl.load(expert_ptr + i)
        tl.store(next_ptr + expert, tl.load(next_ptr + expert) + 1)
    total = 0
    for expert in range(0, E):
        size = tl.load(next_ptr + expert)
        tl.store(next_ptr + expert, total)
        total += size
    for i in range(0, N):
        expert = tl.load(expert_ptr + i)
        to = tl.load(next_ptr + expert)
        tl.store(order_ptr + to, i)
        tl.store(next_ptr + expert, to + 1)


@triton.jit
def grouped_product(x_ptr, w_ptr, start_ptr, order_ptr, out_ptr, E, N, D, K: tl.constexpr, GATHER: tl.constexpr,
                    BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr, PROGRAMS: tl.constexpr):
    """A few programs take all the tiles in turn, and find out as they go which expert a tile belongs to."""
    tile = tl.program_id(0)
    tiles_n = tl.cdiv(N, BN)
    seen = 0
    for expert in range(E):
        start = tl.load(start_ptr + expert)
        size = tl.load(start_ptr + expert + 1) - start
        if size > 0:
            tiles = tl.cdiv(size, BM) * tiles_n
            while tile < seen + tiles:
                within = tile - seen
                m = within // tiles_n * BM + tl.arange(0, BM)
                n = within % tiles_n * BN + tl.arange(0, BN)
                row = start + m
                if GATHER:
                    row = tl.load(order_ptr + row, mask=m < size, other=0) // K
                acc = tl.zeros((BM, BN), dtype=tl.float32)
                for first in tl.range(0, D, BD, num_stages=2):
                    d = first + tl.arange(0, BD)
                    x = tl.load(x_ptr + row[:, None] * D + d[None, :], mask=(m[:, None] < size) & (d[None, :] < D),
                                other=0.0)
                    w = tl.load(w_ptr + (expert * N + n[None, :]).to(tl.int64) * D + d[:, None],
                                mask=(n[None, :] < N) & (d[:, None] < D), other=0.0)
                    acc = tl.dot(x, w, acc, input_precision="ieee")
                to = start + m
                tl.store(out_ptr + to[:, None] * N + n[None, :], acc.to(out_ptr.dtype.element_ty),
                         mask=(m[:, None] < size) & (n[None, :] < N))
                tile += PROGRAMS
            seen += tiles


@triton.jit
def combine(y_ptr, weight_ptr, order_ptr, out_ptr, R, N, K: tl.constexpr, BLOCK: tl.constexpr):
    """A sorted row, with its weight, goes to its token, to which other programs add as well."""
    r = tl.program_id(0)
    n = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    entry = tl.load(order_ptr + r)
    y = tl.load(y_ptr + r * N + n, mask=n < N, other=0.0).to(tl.float32)
    tl.atomic_add(out_ptr + entry // K * N + n, y * tl.load(weight_ptr + entry), mask=n < N, sem="relaxed")


@triton.jit
def weight_gradient(x_ptr, dy_ptr, start_ptr, order_ptr, dw_ptr, N, D, K: tl.constexpr, BM: tl.constexpr,
                    BN: tl.constexpr, BD: tl.constexpr):
    """dy^T x for each expert; one without entries gets zeros."""
    expert = tl.program_id(2)
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    start = tl.load(start_ptr + expert)
    end = tl.load(start_ptr + expert + 1)
    acc = tl.zeros((BN, BD), dtype=tl.float32)
    for first in range(start, end, BM):
        m = first + tl.arange(0, BM)
        token = tl.load(order_ptr + m, mask=m < end, other=0) // K
        dy = tl.load(dy_ptr + m[None, :] * N + n[:, None], mask=(m[None, :] < end) & (n[:, None] < N), other=0.0)
        x = tl.load(x_ptr + token[:, None] * D + d[None, :], mask=(m[:, None] < end) & (d[None, :] < D), other=0.0)
        acc = tl.dot(dy, x, acc, input_precision="ieee")
    tl.store(dw_ptr + (expert * N + n[:, None]) * D + d[None, :], acc, mask=(n[:, None] < N) & (d[None, :] < D))
