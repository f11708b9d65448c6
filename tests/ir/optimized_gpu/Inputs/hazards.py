# Kernels whose accesses and calls must stay in the order in which they are written, whatever LLVM finds out about them.
import triton
import triton.language as tl


@triton.jit
def scalar_store(p, q, v, m, c):
    old = tl.load(p)
    tl.store(p, v, mask=m > 0)
    if c > 0:
        tl.store(q, old)


@triton.jit
def tile_store(p, q, v, m, c, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    old = tl.load(p + offsets)
    tl.store(p + offsets, v, mask=offsets < m)
    if c > 0:
        tl.store(q + offsets, old)


@triton.jit
def masked_load(p, q, v, m, c, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    old = tl.load(p + offsets, mask=offsets < m)
    tl.store(p + offsets, v)
    if c > 0:
        tl.store(q + offsets, old)


@triton.jit
def atomic(p, q, v, m, c):
    old = tl.load(p)
    tl.atomic_add(p, v, mask=m > 0, sem="relaxed")
    if c > 0:
        tl.store(q, old)


@triton.jit
def hinted_store(p, q, v, m, c, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    old = tl.load(p + offsets)
    tl.store(p + offsets, v, cache_modifier=".cs")
    if c > 0:
        tl.store(q + offsets, old)


@triton.jit
def impure_assembly(p, q, v, m, c, BLOCK: tl.constexpr, ASM: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    old = tl.load(p + offsets)
    tl.inline_asm_elementwise(ASM, "=r,r", [offsets], dtype=tl.int32, is_pure=False, pack=1)
    if c > 0:
        tl.store(q + offsets, old)


@triton.jit
def same_twice(p, q, v, m, c, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    a = tl.load(p + offsets, mask=offsets < m)
    tl.store(q + offsets, v)
    b = tl.load(p + offsets, mask=offsets < m)
    tl.store(q + offsets, a + b)


@triton.jit(noinline=True)
def total(p, BLOCK: tl.constexpr):
    return tl.sum(tl.load(p + tl.arange(0, BLOCK)), axis=0)


@triton.jit(noinline=True)
def total_of_total(p, BLOCK: tl.constexpr):
    return total(p, BLOCK) + 1.0


@triton.jit(noinline=True)
def square(x):
    return x * x


@triton.jit
def call(p, q, v, m, c, BLOCK: tl.constexpr):
    x = v
    if m > 0:
        x = tl.load(q)
    s = total_of_total(p, BLOCK)
    if m > 0:
        tl.store(q, s + x)


@triton.jit
def masked_call(p, q, v, m, c, BLOCK: tl.constexpr):
    x = tl.load(q, mask=m > 0)
    s = total(p, BLOCK)
    tl.store(q, s + x, mask=m > 0)


@triton.jit
def call_without_barrier(p, q, v, m, c):
    tl.store(q, square(v))


@triton.jit
def assembly_in_arms(p, q, v, m, c, BLOCK: tl.constexpr, ASM: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = offsets
    if m > 0:
        x = tl.load(q + offsets)
    y = tl.inline_asm_elementwise(ASM, "=r,r", [offsets], dtype=tl.int32, is_pure=True, pack=1)
    if m > 0:
        tl.store(q + offsets, x + y)
