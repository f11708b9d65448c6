# Random numbers from counters: Philox 4x32 (4x64 for 64-bit counters), so that a program's numbers only depend on the
# seed and on the offsets it asks for. The bits are those of Triton.

N_ROUNDS_DEFAULT = 10


@triton.jit
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = 10):
    if c0.dtype.primitive_bitwidth == 32:
        multiplier_a: tl.constexpr = 0xD2511F53
        multiplier_b: tl.constexpr = 0xCD9E8D57
        key_a: tl.constexpr = 0x9E3779B9
        key_b: tl.constexpr = 0xBB67AE85
    else:
        multiplier_a: tl.constexpr = 0xD2E7470EE14C6C93
        multiplier_b: tl.constexpr = 0xCA5A826395121157
        key_a: tl.constexpr = 0x9E3779B97F4A7C15
        key_b: tl.constexpr = 0xBB67AE8584CAA73B
    word = c0.dtype
    for _ in tl.static_range(n_rounds):
        a, b = c0, c2
        c0 = tl.umulhi(tl.full([], multiplier_b, word), b) ^ c1 ^ k0
        c2 = tl.umulhi(tl.full([], multiplier_a, word), a) ^ c3 ^ k1
        c1 = tl.mul(b, multiplier_b, sanitize_overflow=False)
        c3 = tl.mul(a, multiplier_a, sanitize_overflow=False)
        k0 = tl.add(k0, key_a, sanitize_overflow=False)
        k1 = tl.add(k1, key_b, sanitize_overflow=False)
    return c0, c1, c2, c3


@triton.jit
def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = 10):
    seed = tl.to_tensor(seed).to(tl.uint64)
    c0 = tl.to_tensor(c0)
    if c0.dtype.primitive_bitwidth == 32:
        word = tl.uint32
        low = (seed & 0xFFFFFFFF).to(word)
        high = ((seed >> 32) & 0xFFFFFFFF).to(word)
    else:
        word = tl.uint64
        low = seed
        high = tl.full([], 0, word)
    return philox_impl(
        c0.to(word, bitcast=True),
        tl.to_tensor(c1).to(word, bitcast=True),
        tl.to_tensor(c2).to(word, bitcast=True),
        tl.to_tensor(c3).to(word, bitcast=True),
        low,
        high,
        n_rounds,
    )


@triton.jit
def randint4x(seed, offset, n_rounds: tl.constexpr = 10):
    # An offset of 64 bits fills two words of the counter.
    offset = tl.to_tensor(offset)
    low = offset.to(tl.uint32)
    zero = low & 0
    if offset.dtype.primitive_bitwidth > 32:
        high = (offset >> 32).to(tl.uint32)
    else:
        high = zero
    return philox(seed, low, high, zero, zero, n_rounds)


@triton.jit
def randint(seed, offset, n_rounds: tl.constexpr = 10):
    first, _, _, _ = randint4x(seed, offset, n_rounds)
    return first


@triton.jit
def uint_to_uniform_float(x):
    # The top bit becomes a sign and the sign is dropped, so that 0 and the largest number are as likely as any.
    if x.dtype.primitive_bitwidth == 32:
        x = x.to(tl.int32, bitcast=True)
        scale: tl.constexpr = 4.6566127342e-10
    else:
        x = x.to(tl.int64, bitcast=True)
        scale: tl.constexpr = 1.0842020432385337e-19
    return tl.where(x < 0, ~x, x) * scale


@triton.jit
def rand(seed, offset, n_rounds: tl.constexpr = 10):
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@triton.jit
def rand4x(seed, offsets, n_rounds: tl.constexpr = 10):
    a, b, c, d = randint4x(seed, offsets, n_rounds)
    return uint_to_uniform_float(a), uint_to_uniform_float(b), uint_to_uniform_float(c), uint_to_uniform_float(d)


@triton.jit
def pair_uniform_to_normal(u1, u2):
    # Box and Muller's transform; u1 is kept away from the logarithm's pole.
    radius = tl.sqrt(-2.0 * tl.log(tl.maximum(1.0e-7, u1)))
    angle = 6.283185307179586 * u2
    return radius * tl.cos(angle), radius * tl.sin(angle)


@triton.jit
def randn(seed, offset, n_rounds: tl.constexpr = 10):
    a, b, _, _ = randint4x(seed, offset, n_rounds)
    normal, _ = pair_uniform_to_normal(uint_to_uniform_float(a), uint_to_uniform_float(b))
    return normal


@triton.jit
def randn4x(seed, offset, n_rounds: tl.constexpr = 10):
    a, b, c, d = rand4x(seed, offset, n_rounds)
    n1, n2 = pair_uniform_to_normal(a, b)
    n3, n4 = pair_uniform_to_normal(c, d)
    return n1, n2, n3, n4
