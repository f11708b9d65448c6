"""Random numbers from a seed and offsets."""
import triton
import triton.language as tl


@triton.jit
def generate(out_ptr, seed, start, FORM: tl.constexpr, BLOCK: tl.constexpr):
    i = start + tl.arange(0, BLOCK)
    o = tl.arange(0, BLOCK)
    if FORM == "randint":
        tl.store(out_ptr + o, tl.randint(seed, i))
    elif FORM == "randint_rounds":
        tl.store(out_ptr + o, tl.randint(seed, i, n_rounds=6))
    elif FORM == "rand":
        tl.store(out_ptr + o, tl.rand(seed, i))
    elif FORM == "randn":
        tl.store(out_ptr + o, tl.randn(seed, i))
    elif FORM == "randint4x":
        a, b, c, d = tl.randint4x(seed, i)
        tl.store(out_ptr + o, a)
        tl.store(out_ptr + BLOCK + o, b)
        tl.store(out_ptr + 2 * BLOCK + o, c)
        tl.store(out_ptr + 3 * BLOCK + o, d)
    elif FORM == "rand4x":
        a, b, c, d = tl.rand4x(seed, i)
        tl.store(out_ptr + o, a)
        tl.store(out_ptr + BLOCK + o, b)
        tl.store(out_ptr + 2 * BLOCK + o, c)
        tl.store(out_ptr + 3 * BLOCK + o, d)
    elif FORM == "randn4x":
        a, b, c, d = tl.randn4x(seed, i)
        tl.store(out_ptr + o, a)
        tl.store(out_ptr + BLOCK + o, b)
        tl.store(out_ptr + 2 * BLOCK + o, c)
        tl.store(out_ptr + 3 * BLOCK + o, d)
    else:
        a, b, c, d = tl.philox(seed, i, i * 0 + 1, i * 0 + 2, i * 0 + 3)
        tl.store(out_ptr + o, a)
        tl.store(out_ptr + BLOCK + o, b)
        tl.store(out_ptr + 2 * BLOCK + o, c)
        tl.store(out_ptr + 3 * BLOCK + o, d)


@triton.jit
def constant_seed(out_ptr, SEED: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.randint(SEED, i))


@triton.jit
def scalar_offset(out_ptr, seed):
    tl.store(out_ptr, tl.rand(seed, tl.program_id(0)))


@triton.jit
def dropout(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    keep = tl.rand(seed, i) > p
    tl.store(out_ptr + i, tl.where(keep, x / (1 - p), 0.0), mask=i < n)


@triton.jit
def uniform_of_integers(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.uint_to_uniform_float(tl.load(x_ptr + i)))


@triton.jit
def normal_of_uniform(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.pair_uniform_to_normal(tl.load(x_ptr + i), tl.load(y_ptr + i))
    tl.store(out_ptr + i, a)
    tl.store(out_ptr + BLOCK + i, b)
