"""Rotations by angles, and a sine alone."""
import triton
import triton.language as tl


@triton.jit
def rotate(X, Angles, Y):
    i = tl.arange(0, 128)
    x = tl.load(X + i)
    angle = tl.load(Angles + i)
    tl.store(Y + i, x * tl.cos(angle) + (1 - x) * tl.sin(angle))
    tl.store(Y + 128 + i, tl.sin(x))
