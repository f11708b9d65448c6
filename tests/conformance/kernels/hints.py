"""Hints to the compiler, checks and messages."""
import triton
import triton.language as tl


@triton.jit
def hints(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    tl.assume(n > 0)
    tl.assume(n <= BLOCK)
    i = tl.arange(0, BLOCK)
    i = tl.max_contiguous(tl.multiple_of(i, BLOCK), BLOCK)
    n = tl.multiple_of(n, 4)
    group = tl.max_constancy(i // 4, 4)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.debug_barrier()
    tl.store(out_ptr + i, x + group, mask=i < n)


@triton.jit
def promises(x_ptr, out_ptr, stride, n, four, BLOCK: tl.constexpr):
    tl.assume((stride % 8 == 0) & (n % 4 == 0))
    row = tl.program_id(0) * stride
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row + i, mask=i < n, other=0.0)
    if n > 8:
        tl.assume(four == 4)
        x *= four
    else:
        x += four
    tl.store(out_ptr + row + i, x, mask=i < n)


@triton.jit
def hints_of_tiles(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    at = tl.max_contiguous(tl.multiple_of(at, (1, N)), [1, N])
    at = tl.max_constancy(at, [1, 1])
    tl.store(out_ptr + at, tl.load(x_ptr + at))


@triton.jit
def wrapped(x_ptr, out_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """The hints say more than holds in the last tile, as those of many matrix products do."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    from_m = tl.max_contiguous(tl.multiple_of(m % M, BM), BM)
    from_n = tl.max_contiguous(tl.multiple_of(n % N, BN), BN)
    x = tl.load(x_ptr + from_m[:, None] * N + from_n[None, :])
    tl.store(out_ptr + m[:, None] * tl.num_programs(1) * BN + n[None, :], x)


@triton.jit
def checks(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK % 8 == 0)
    tl.static_assert(BLOCK >= 8, "BLOCK must be at least 8")
    tl.static_print("BLOCK is", BLOCK)
    tl.static_print(f"twice that is {BLOCK * 2}")
    assert BLOCK < 1024, f"BLOCK is too large: {BLOCK}"
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.device_assert(x >= 0, "negative")
    tl.device_assert(n > 0)
    tl.device_assert(x < 1000, mask=i < n)
    tl.store(out_ptr + i, x)


@triton.jit
def static_assert_fails(out_ptr, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK == 7, "BLOCK must be seven")
    tl.store(out_ptr, BLOCK)


@triton.jit
def assert_fails(out_ptr, BLOCK: tl.constexpr):
    assert BLOCK == 7, f"seven, not {BLOCK}"
    tl.store(out_ptr, BLOCK)


@triton.jit
def prints(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.device_print("value", x)
    tl.device_print("pair", i, tl.program_id(0))
    tl.device_print("nothing else")
    tl.device_print("hex", i, hex=True)
    print("builtin", tl.program_id(0))
    tl.store(out_ptr + i, x)


@triton.jit
def empty_assembly(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    y = tl.inline_asm_elementwise("", "=r,0", [tl.load(x_ptr + i)], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out_ptr + i, y)


@triton.jit
def assembly(out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    y = tl.inline_asm_elementwise("add.s32 $0, $1, 1;", "=r,r", [i], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out_ptr + i, y)
