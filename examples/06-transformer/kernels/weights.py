"""Random weights, made where they are needed: a model of a billion of them takes no time to load."""

import triton
import triton.language as tl


@triton.jit
def fill_kernel(out_ptr, count, seed, scale, middle, BLOCK: tl.constexpr):
    """Numbers from `middle - scale` to `middle + scale`, each from its place and the seed alone.

    So the host, or another program, makes the same ones. What is rounded is the product with `scale`, and the result to
    its type; where `middle` is not zero, `scale` is a power of two, and the sum the only rounding.
    """
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = place.to(tl.uint32) + seed.to(tl.uint32) * 0x9E3779B9
    x = (x ^ (x >> 16)) * 0x85EBCA6B
    x = (x ^ (x >> 13)) * 0xC2B2AE35
    x = x ^ (x >> 16)
    part = (x >> 8).to(tl.float32) * 1.1920928955078125e-07 - 1.0  # 2^-23: from -1 to 1, exactly
    tl.store(out_ptr + place, (part * scale + middle).to(out_ptr.dtype.element_ty), mask=place < count)
