"""The kernels behind the files in Inputs/, which Triton 3.6.0 dumped.

Between them they use most of the language, so that its printed IR shows most of the dialects. Paths in locations were
shortened afterwards; nothing else was changed. The tests read the dumps only: neither Python nor Triton is needed.

NAME-raw.ttir is what the frontend gave before any pass: combine functions are still calls there.

Specializations: matmul "*fp16:16 ... BM=128, BN=128, BK=64"; those of descriptors and attention in fp16 for sm_90 with 4 warps,
BM=128, BN=64, BK=64, H=64 (specialized: BM=64, BN=128, BK=64); matmul-of-clusters is matmul with num_ctas=2; the others with BLOCK=256 and pointers divisible by 16.
"""
import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, sam, sbk, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a = a_ptr + rm[:, None] * sam + rk[None, :]
    b = b_ptr + rk[:, None] * sbk + rn[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a, mask=rk[None, :] < K - k, other=0.0)
        y = tl.load(b, mask=rk[:, None] < K - k, other=0.0)
        acc = tl.dot(x, y, acc)
        a += BK
        b += BK * sbk
    tl.store(c_ptr + rm[:, None] * scm + rn[None, :], acc.to(tl.float16))


@triton.jit
def scaled(a_ptr, b_ptr, as_ptr, bs_ptr, o, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = tl.load(a_ptr + tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :])
    b = tl.load(b_ptr + tl.arange(0, K)[:, None] * N + tl.arange(0, N)[None, :])
    sa = tl.load(as_ptr + tl.arange(0, M)[:, None] * (K // 32) + tl.arange(0, K // 32)[None, :])
    sb = tl.load(bs_ptr + tl.arange(0, N)[:, None] * (K // 32) + tl.arange(0, K // 32)[None, :])
    c = tl.dot_scaled(a, sa, "e4m3", b, sb, "e5m2")
    tl.store(o + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], c)


@triton.jit
def descriptors(a_ptr, o_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    d = tl.make_tensor_descriptor(a_ptr, [M, N], [N, 1], [BM, BN])
    o = tl.make_tensor_descriptor(o_ptr, [M, N], [N, 1], [BM, BN])
    i = tl.program_id(0) * BM
    x = d.load([i, 0])
    o.store([i, BN], x)
    o.atomic_add([i, 0], x)
    rows = tl.make_tensor_descriptor(a_ptr, [M, N], [N, 1], [1, BN], padding_option="nan")
    y = rows.gather(tl.arange(0, 32), 16)
    rows.scatter(y, tl.arange(0, 32) + 1, 0)


@triton.jit
def _step(a, b, c, d):
    return a + c, b * d


@triton.jit(noinline=True)
def _scale(x, y):
    return x * y + 1.0


@triton.jit
def _choose(x, y):
    if x > y:
        return x - y
    return y


@triton.jit
def shapes(p, q, o, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(p + i, mask=i < n, other=1.0, cache_modifier=".cg")
    y = tl.load(q + i, eviction_policy="evict_last", volatile=True)
    s = tl.cumsum(x, 0)
    z = tl.associative_scan((x, s), 0, _step, reverse=True)
    r = tl.reduce((x, s), 0, _step)
    x = x + z[0] + z[1] + r[0] * r[1]
    j = tl.join(x, s)
    t = tl.permute(j, 1, 0)
    left, right = tl.split(tl.reshape(t, (BLOCK, 2)))
    w = tl.reshape(t, (2 * BLOCK,), can_reorder=True)
    c = tl.cat(x, s, can_reorder=True)
    h = tl.histogram(tl.load(q.to(tl.pointer_type(tl.int32)) + i), 128, mask=i < n)
    g = tl.gather(x, BLOCK - 1 - i, 0)
    am = tl.argmax(x, 0)
    mn, at = tl.min(x, 0, return_indices=True)
    tl.store(o + i, x + y + s + left + right + g + am + mn + at)
    tl.store(o + tl.arange(0, 2 * BLOCK), w + c, cache_modifier=".cs")
    tl.store(o + tl.arange(0, 128), h.to(tl.float32))


@triton.jit
def elementwise(p, q, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * tl.num_programs(1) + tl.arange(0, BLOCK)
    x = tl.load(p + i)
    y = tl.load(q + i)
    m = tl.math.rsqrt(x) + tl.sqrt_rn(x) + tl.div_rn(x, y) + tl.clamp(x, 0.0, 1.0) + tl.erf(x) + tl.fma(x, y, x)
    back = x.to(tl.float8e5).to(tl.float32) + y.to(tl.float8e4nv).to(tl.float32)
    half = x.to(tl.float16, fp_downcast_rounding="rtz").to(tl.float32)
    bits = x.to(tl.uint32, bitcast=True)
    high = tl.umulhi(bits, bits)
    pointers = (p + i).to(tl.int64).to(tl.pointer_type(tl.float32))
    tl.store(pointers, x)
    tl.atomic_add(o + i, x, mask=i < n, sem="relaxed", scope="sys")
    tl.atomic_max(o + i, x)
    tl.atomic_xchg(o + i, x)
    tl.atomic_cas(o.to(tl.pointer_type(tl.int32)), n, n + 1)
    tl.device_print("values", x, n)
    tl.device_assert(x > 0, "positive")
    e = tl.inline_asm_elementwise("add.f32 $0, $1, $2;", "=f,f,f", [x, y], dtype=tl.float32, is_pure=True, pack=1)
    v = _scale(tl.sum(x), tl.max(y))
    c = tl.map_elementwise(_choose, x, y)
    tl.debug_barrier()
    tl.assume(n > 0)
    k = 0
    while k < n:
        if k % 2 == 0:
            v += 1.0
        k += 1
    tl.store(o + i, m + back + half + high.to(tl.float32) + e + v + c)


@triton.jit
def matmul_of_descriptors(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    pm = tl.program_id(0) * BM
    pn = tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([pm, k]), b.load([pn, k]).T, acc)
    c.store([pm, pn], acc.to(tl.float16))


@triton.jit
def descriptor_arguments(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm = tl.program_id(0) * BM
    pn = tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([pm, k]), b.load([pn, k]).T, acc)
    c.store([pm, pn], acc.to(tl.float16))


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, N, scale, H: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    z = tl.program_id(1).to(tl.int64) * N * H
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.arange(0, BN)
    d = tl.arange(0, H)
    q = tl.load(q_ptr + z + m[:, None] * H + d[None, :])
    top = tl.full((BM, ), -float("inf"), tl.float32)
    total = tl.zeros((BM, ), tl.float32)
    acc = tl.zeros((BM, H), tl.float32)
    for s in range(0, (tl.program_id(0) + 1) * BM, BN):
        k = tl.load(k_ptr + z + (s + n)[None, :] * H + d[:, None])
        x = tl.dot(q, k) * scale
        x = tl.where(m[:, None] >= (s + n)[None, :], x, -float("inf"))
        new = tl.maximum(top, tl.max(x, 1))
        p = tl.math.exp2(x - new[:, None])
        alpha = tl.math.exp2(top - new)
        total = total * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + z + (s + n)[:, None] * H + d[None, :])
        acc = tl.dot(p.to(tl.float16), v, acc * alpha[:, None])
        top = new
    tl.store(o_ptr + z + m[:, None] * H + d[None, :], (acc / total[:, None]).to(tl.float16))


@triton.jit
def matmul_specialized(a, b, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    columns = tl.cdiv(N, BN)
    pm = (pid // columns) * BM
    pn = (pid % columns) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, tl.cdiv(K, BK), warp_specialize=True, num_stages=3):
        acc = tl.dot(a.load([pm, k * BK]), b.load([pn, k * BK]).T, acc)
    rows = pm + tl.arange(0, BM)
    tl.store(c_ptr + rows[:, None] * N + (pn + tl.arange(0, BN))[None, :], acc.to(tl.float16))


@triton.jit
def grouped_matmul(a_ptrs, b_ptrs, c_ptrs, sizes, groups, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tile = tl.program_id(0)
    end = 0
    for g in range(groups):
        M = tl.load(sizes + 3 * g)
        N = tl.load(sizes + 3 * g + 1)
        K = tl.load(sizes + 3 * g + 2)
        columns = tl.cdiv(N, BN)
        first = end
        end += tl.cdiv(M, BM) * columns
        if tile < end:
            a = tl.make_tensor_descriptor(tl.load(a_ptrs + g).to(tl.pointer_type(tl.float16)), [M, K], [K, 1], [BM, BK])
            b = tl.make_tensor_descriptor(tl.load(b_ptrs + g).to(tl.pointer_type(tl.float16)), [N, K], [K, 1], [BN, BK])
            c = tl.make_tensor_descriptor(tl.load(c_ptrs + g).to(tl.pointer_type(tl.float16)), [M, N], [N, 1], [BM, BN])
            while tile < end:
                pm = (tile - first) // columns * BM
                pn = (tile - first) % columns * BN
                acc = tl.zeros((BM, BN), tl.float32)
                for k in range(0, K, BK):
                    acc = tl.dot(a.load([pm, k]), b.load([pn, k]).T, acc)
                c.store([pm, pn], acc.to(tl.float16))
                tile += tl.num_programs(0)
