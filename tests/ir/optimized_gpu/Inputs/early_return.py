"""Programs that may have nothing to do, and load what says so."""
import triton
import triton.language as tl


@triton.jit
def fill_page(out, src, starts, lengths, counts, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    start = tl.load(starts + row)
    length = tl.load(lengths + row)
    count = tl.load(counts + row)
    if length <= 0:
        return
    block = (length - count) // BLOCK + tl.program_id(1)
    if block * BLOCK >= length:
        return
    offsets = start + block * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.load(src + offsets))


@triton.jit
def in_rounds(out, src, starts, flags, n, BLOCK: tl.constexpr):
    for i in range(n):
        start = tl.load(starts + i)
        if tl.load(flags + i) > 0:
            offsets = start + tl.arange(0, BLOCK)
            tl.store(out + offsets, tl.load(src + offsets))
