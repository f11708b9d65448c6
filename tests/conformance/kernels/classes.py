"""Classes that kernels use: aggregates of run-time values, named tuples, plain classes at compile time."""
from dataclasses import dataclass
from typing import NamedTuple

import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate


@aggregate
class Complex:
    re: tl.tensor
    im: tl.tensor

    @triton.constexpr_function
    def __init__(self, re, im):
        self.re = re
        self.im = im

    @triton.jit
    def __add__(self, other):
        return Complex(self.re + other.re, self.im + other.im)

    @triton.jit
    def __mul__(self, other):
        return Complex(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    @triton.jit
    def norm(self, scale=1.0):
        return (self.re * self.re + self.im * self.im) * scale


@aggregate
class Window:
    start: tl.tensor
    width: tl.constexpr
    value: Complex

    def __init__(self, start, width, value):
        self.start = start
        self.width = tl.constexpr(width)
        self.value = value

    @triton.jit
    def offsets(self):
        return self.start + tl.arange(0, self.width)

    @triton.constexpr_function
    def doubled(self):
        return self.width * 2

    @triton.jit
    def moved(self, by):
        return Window(self.start + by, self.width, self.value)


@triton.jit
def square(z):
    return z * z, z.norm()


@triton.jit
def powers(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """z ** (n + 1) for each element z = x + 1j; then its norm, unless n is odd."""
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    one = tl.full((BLOCK,), 1.0, tl.float32)
    z = Complex(x, one)
    power = z
    for _ in range(n):
        power = power * z
    tl.store(out_ptr + i, power.re)
    tl.store(out_ptr + BLOCK + i, power.im)
    if n % 2 == 1:
        power = Complex(one, one)
    while n > 100:
        power = power + power
        n -= 100
    tl.store(out_ptr + 2 * BLOCK + i, power.norm(scale=0.5))


@triton.jit
def nested(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Sums the squares of windows of x, which an aggregate in an aggregate in a tuple keeps."""
    tl.static_assert(isinstance(Complex, tl.constexpr) == False)
    zero = tl.zeros((BLOCK,), tl.float32)
    start = n * 0
    state = (Window(start, BLOCK, Complex(zero, zero)), start)
    tl.static_assert(state[0].doubled() == 2 * BLOCK)
    for _ in range(n):
        window, count = state
        tl.static_assert(isinstance(window, Window) and not isinstance(window, Complex))
        z = Complex(tl.load(x_ptr + window.offsets()), zero)
        squared, norm = square(z)
        window = Window(window.start, BLOCK, window.value + Complex(squared.re, norm))
        state = (window.moved(BLOCK), count + 1)
    window, count = state
    tl.store(out_ptr + tl.arange(0, BLOCK), window.value.re)
    tl.store(out_ptr + BLOCK + tl.arange(0, BLOCK), window.value.im)
    tl.store(out_ptr + 2 * BLOCK, count)
    tl.store(out_ptr + 2 * BLOCK + 1, window.start)


@triton.jit(noinline=True)
def moved_apart(window, by):
    return window.moved(by)


@triton.jit(noinline=True)
def scaled_by_text(x, FACTOR: tl.constexpr):
    return x * (10 if FACTOR == "a.b" else 100)


@triton.jit
def through_noinline(out_ptr, n):
    tl.store(out_ptr + 13, scaled_by_text(n, "a.b") + scaled_by_text(n, "a+b"))
    value = Complex(n.to(tl.float32), 2.0 * n)
    near = moved_apart(Window(n, 4, value), 1)
    far = moved_apart(Window(n, 8, value), 1)
    tl.store(out_ptr + tl.arange(0, 4), near.offsets())
    tl.store(out_ptr + 4 + tl.arange(0, 8), far.offsets())
    tl.store(out_ptr + 12, far.value.im)


class Range(NamedTuple):
    first: tl.tensor
    count: tl.tensor
    STEP = 2

    @triton.jit
    def last(self):
        return self.first + (self.count - 1) * self.STEP


@dataclass(frozen=True)
class Tiling:
    rows: int
    columns: int = 4
    order: tuple = (1, 0)

    @property
    def size(self):
        return self.rows * self.columns

    @staticmethod
    def square(n):
        return Tiling(n, n)

    def transposed(self):
        return Tiling(rows=self.columns, columns=self.rows)


class Plan:
    LIMIT = 64

    def __init__(self, tiling):
        self.tiling = tiling
        self.steps = []
        self.grow(tiling.size)

    def grow(self, size):
        while size < self.LIMIT:
            size *= 2
            self.steps.append(size)


@triton.constexpr_function
def planned(rows):
    plan = Plan(Tiling(rows).transposed())
    assert Tiling(2, 2) == Tiling.square(2) and plan.tiling != Tiling(4)
    return plan.steps[-1] + plan.tiling.rows


@triton.jit
def plain_classes(out_ptr, n, ROWS: tl.constexpr):
    tl.store(out_ptr, Range(n, n + 1).last())
    PLANNED: tl.constexpr = planned(ROWS)
    tl.store(out_ptr + 1 + tl.arange(0, triton.next_power_of_2(PLANNED)), PLANNED)
