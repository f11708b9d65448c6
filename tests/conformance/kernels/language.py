"""What kernels take from Python: control flow, calls, compile-time values, containers, imports."""
from typing import NamedTuple

import triton
import triton.language as tl

import helpers.arithmetic as arithmetic
from helpers.arithmetic import add_offset as shifted, half_of
from .helpers import arithmetic as relative

FOUR = tl.constexpr(4)
TABLE = (1, 10, 100)
NAMES: tl.constexpr = tl.constexpr("sum")


@triton.jit
def loop(out_ptr, start, end, step, FORM: tl.constexpr):
    total = 0
    if FORM == "range":
        for i in range(start, end, step):
            total = total * 3 + i
    elif FORM == "tl.range":
        for i in tl.range(start, end, step):
            total = total * 3 + i
    elif FORM == "options":
        for i in tl.range(start, end, step, num_stages=2, loop_unroll_factor=2, disallow_acc_multi_buffer=True, flatten=True):
            total = total * 3 + i
    elif FORM == "warp_specialize":
        for i in tl.range(start, end, step, warp_specialize=True, disable_licm=True):
            total = total * 3 + i
    elif FORM == "one argument":
        for i in range(end):
            total = total * 3 + i
    elif FORM == "static":
        for i in tl.static_range(2, 8, 3):
            total = total * 3 + i
    elif FORM == "static down":
        for i in tl.static_range(3, 0, -1):
            total = total * 3 + i
    elif FORM == "constant down":
        for i in range(5, 0, -2):
            total = total * 3 + i
    else:
        i = start
        while i < end:
            total = total * 3 + i
            i += step
    tl.store(out_ptr, total)


@triton.jit
def loop_variable_after(out_ptr, start, end, step, n):
    """Where each loop left its variable; of a loop that did not run, what it was before."""
    i = -7
    for i in range(start, end, step):
        tl.store(out_ptr, i)
    tl.store(out_ptr + 1, i)
    for j in range(end, start, -3):
        tl.store(out_ptr, j)
    tl.store(out_ptr + 2, j)
    for i in range(n):
        for j in range(i):
            tl.store(out_ptr, j)
    tl.store(out_ptr + 3, i)
    tl.store(out_ptr + 4, j)


@triton.jit
def loop_carries_several(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    low = tl.full((BLOCK,), float("inf"), tl.float32)
    high = -low
    p = x_ptr + i
    for _ in range(n):
        x = tl.load(p)
        low, high = tl.minimum(low, x), tl.maximum(high, x)
        p += BLOCK
    tl.store(out_ptr + i, low)
    tl.store(out_ptr + BLOCK + i, high)


@triton.jit
def nested_control(out_ptr, n):
    total = 0
    for i in range(n):
        if i % 2 == 0:
            for j in range(i):
                total += j
        elif i % 3 == 0:
            k = i
            while k > 0:
                total += 1
                k -= 2
        else:
            total -= 1
    tl.store(out_ptr, total)


@triton.jit
def while_and(x_ptr, out_ptr, n):
    i = 0
    found = -1
    while i < n and found < 0:
        if tl.load(x_ptr + i) > 10:
            found = i
        i += 1
    tl.store(out_ptr, found)


@triton.jit
def ternary(x_ptr, out_ptr, n, FLAG: tl.constexpr):
    pid = tl.program_id(0)
    x = tl.load(x_ptr + pid)
    y = x + 1 if pid < n else x * 2
    z = y if FLAG else tl.this_does_not_exist(y)
    tl.store(out_ptr + pid, z)


@triton.jit
def pruned(x_ptr, out_ptr, BIAS, MODE: tl.constexpr):
    x = tl.load(x_ptr)
    if BIAS is not None:
        x += tl.load(BIAS)
    if MODE == "double" or MODE == "twice":
        x = x * 2
    elif MODE in ("half", "halve"):
        x = x / 2
    else:
        x = no_such_function(x)
    tl.store(out_ptr, x)


@triton.jit
def early_return(x_ptr, out_ptr, n):
    pid = tl.program_id(0)
    if pid >= n:
        return
    x = tl.load(x_ptr + pid)
    if x < 0:
        tl.store(out_ptr + pid, -1)
        return
    tl.store(out_ptr + pid, x + 1)


@triton.jit
def _sign(x):
    if x < 0:
        return -1
    elif x > 0:
        return 1
    else:
        return 0


@triton.jit
def returns_in_branches(x_ptr, out_ptr):
    pid = tl.program_id(0)
    tl.store(out_ptr + pid, _sign(tl.load(x_ptr + pid)))


@triton.jit
def _scale(x, factor=2, *, bias=0):
    return x * factor + bias


@triton.jit
def _sum_all(first, *rest):
    total = first
    for i in tl.static_range(len(rest)):
        total += rest[i]
    return total


@triton.jit
def _minmax(a, b):
    return tl.minimum(a, b), tl.maximum(a, b)


@triton.jit
def _choose(x, KIND: tl.constexpr):
    if KIND == 0:
        return x
    elif KIND == 1:
        return x + _choose(x, KIND - 1)
    else:
        return x * _choose(x, KIND - 1)


@triton.jit(noinline=True)
def _not_inlined(x, y):
    return x * 10 + y


@triton.jit
def calls(x_ptr, out_ptr):
    x = tl.load(x_ptr)
    tl.store(out_ptr, _scale(x))
    tl.store(out_ptr + 1, _scale(x, 3))
    tl.store(out_ptr + 2, _scale(x, bias=1, factor=5))
    tl.store(out_ptr + 3, _scale(factor=4, x=x))
    tl.store(out_ptr + 4, _sum_all(x, 1, 2, 3))
    tl.store(out_ptr + 5, _sum_all(x))
    low, high = _minmax(x, 3)
    tl.store(out_ptr + 6, low * 100 + high)
    tl.store(out_ptr + 7, _minmax(x, 3)[1])
    tl.store(out_ptr + 8, _choose(x, 2))
    tl.store(out_ptr + 9, _not_inlined(x, 7))


@triton.jit
def _apply(x, f: tl.constexpr):
    return f(x)


@triton.jit
def _twice(x):
    return x + x


@triton.jit
def function_arguments(x_ptr, out_ptr):
    x = tl.load(x_ptr)
    tl.store(out_ptr, _apply(x, _twice))
    tl.store(out_ptr + 1, _apply(x, _sign))


@triton.jit
def imports(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr)
    tl.store(out_ptr, arithmetic.add_offset(x))
    tl.store(out_ptr + 1, shifted(x))
    tl.store(out_ptr + 2, relative.times_factor(x))
    tl.store(out_ptr + 3, half_of(N))
    tl.store(out_ptr + 4, x + arithmetic.OFFSET)


@triton.constexpr_function
def _log2(n):
    log = 0
    while n > 1:
        n //= 2
        log += 1
    return log


@triton.constexpr_function
def _powers(n):
    table = []
    for i in range(n):
        table.append(2**i)
    return table


@triton.constexpr_function
def _describe(name, **options):
    lengths = {key: len(key) for key in ("a", "bb", "ccc")}
    return sum(lengths.values()) + len(name) + options.get("extra", 0)


@triton.jit
def compile_time(out_ptr, N: tl.constexpr):
    LOG: tl.constexpr = _log2(N)
    HALF: tl.constexpr = N // 2
    tl.store(out_ptr, LOG)
    tl.store(out_ptr + 1, HALF + FOUR)
    table: tl.constexpr = _powers(4)
    tl.store(out_ptr + 2, table[3])
    squares: tl.constexpr = [i * i for i in range(4)]
    tl.store(out_ptr + 3, squares[2] + len(squares))
    tl.store(out_ptr + 4, _describe("four", extra=10))
    tl.store(out_ptr + 5, TABLE[2] if isinstance(N, int) and not isinstance(N, tl.constexpr) else 0)
    tl.store(out_ptr + 6, 1 if NAMES == "sum" else 0)
    tl.store(out_ptr + 7, tl.constexpr(5) * 2)


@triton.jit
def tuples(out_ptr, a, b):
    t = (a, b, a + b)
    tl.store(out_ptr, t[0])
    tl.store(out_ptr + 1, t[2])
    x, (y, z) = a, (b, 7)
    tl.store(out_ptr + 2, x * 100 + y * 10 + z)
    x, y = y, x
    tl.store(out_ptr + 3, x * 100 + y)
    tl.store(out_ptr + 4, len(t))
    nested = ((a, b), (b, a))
    tl.store(out_ptr + 5, nested[1][0])
    joined = t + (4, )
    tl.store(out_ptr + 6, joined[3] + len(joined))
    total = 0
    for v in tl.static_range(3):
        total += t[v]
    tl.store(out_ptr + 7, total)


@triton.jit
def tuples_through_control_flow(out_ptr, n):
    state = (1, 1)
    for _ in range(n):
        state = (state[1], state[0] + state[1])
    if n > 5:
        pair = (state[0], 1)
    else:
        pair = (state[1], 2)
    tl.store(out_ptr, pair[0])
    tl.store(out_ptr + 1, pair[1])


class Shape(NamedTuple):
    rows: tl.tensor
    cols: tl.tensor


@triton.jit
def _area(shape):
    return shape.rows * shape.cols


@triton.jit
def named_tuples(out_ptr, a, b):
    s = Shape(a, b)
    tl.store(out_ptr, _area(s))
    tl.store(out_ptr + 1, s[0] - s.cols)
    s = Shape(rows=s.cols, cols=s.rows)
    tl.store(out_ptr + 2, s.rows)


@triton.jit
def types_as_values(x_ptr, out_ptr, ACC: tl.constexpr):
    x = tl.load(x_ptr)
    acc = tl.zeros((1, ), dtype=ACC)
    tl.static_assert(acc.dtype == ACC)
    element: tl.constexpr = out_ptr.dtype.element_ty
    tl.static_assert(element == out_ptr.type.element_ty)
    if x.dtype == tl.float16:
        tl.store(out_ptr, 1)
    elif x.dtype == tl.int32:
        tl.store(out_ptr, 2)
    else:
        tl.store(out_ptr, 3)
    tl.store(out_ptr + 1, x.to(ACC).to(element))
    tl.store(out_ptr + 2, 1 if x.dtype.is_floating() else 0)
    tl.store(out_ptr + 3, ACC.primitive_bitwidth)


@triton.jit
def python_builtins(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr)
    tl.store(out_ptr, min(N, 3))
    tl.store(out_ptr + 1, max(N, 3))
    tl.store(out_ptr + 2, min(x, 3))
    tl.store(out_ptr + 3, max(x, 3))
    tl.store(out_ptr + 4, abs(-N))
    tl.store(out_ptr + 5, abs(x))
    tl.store(out_ptr + 6, int(7.5) + float(N))
    tl.store(out_ptr + 7, len((1, 2, 3)))
    tl.store(out_ptr + 8, float("inf") > N)
    tl.store(out_ptr + 9, isinstance(x, tl.tensor))


@triton.jit
def assignments(x_ptr, out_ptr, n):
    """Docstrings are nothing to a kernel."""
    a = b = tl.load(x_ptr)
    a += 1
    b: tl.float32 = b * 2
    c, d = a, b
    c -= d
    (c)
    pass
    tl.store(out_ptr, a)
    tl.store(out_ptr + 1, b)
    tl.store(out_ptr + 2, c)
    if (k := n + 1) > 0:
        tl.store(out_ptr + 3, k)


@triton.jit
def boolean_logic(out_ptr, n, A: tl.constexpr, B: tl.constexpr):
    tl.store(out_ptr, 1 if A and not B else 0)
    tl.store(out_ptr + 1, 1 if A or B else 0)
    tl.store(out_ptr + 2, 1 if (n > 0 and n < 10) or n == 100 else 0)
    tl.store(out_ptr + 3, 1 if not n == 5 else 0)
    tl.store(out_ptr + 4, 1 if A is True and B is not None else 0)
    tl.store(out_ptr + 5, 1 if 0 < FOUR <= 4 < 5 else 0)


@triton.autotune(configs=[
    triton.Config({"BLOCK": 64}, num_warps=2),
    triton.Config({"BLOCK": 128}, num_warps=4, num_stages=2),
], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def decorated(x_ptr, out_ptr, n, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(out_ptr + i, tl.load(x_ptr + i) + 1)
    else:
        tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) + 1, mask=i < n)


@triton.jit(do_not_specialize=["n"], debug=False)
def options(x_ptr, out_ptr, n: tl.int32, scale: "float", BLOCK: tl.constexpr = 16):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n, other=0) * scale)


def library_wrapper(**options):
    return lambda f: f


@library_wrapper(name="decorated")
@triton.jit
def unknown_decorator(out_ptr):
    tl.store(out_ptr, 5)


@triton.jit
def specialized(out_ptr, one, n):
    if n == 1:
        tl.store(out_ptr, one)
    else:
        tl.store(out_ptr, one + n)


@triton.jit
def scalar_types(out_ptr, a, b, c, d):
    tl.static_assert(a.dtype == tl.int8 and b.dtype == tl.uint32 and c.dtype == tl.int64 and d.dtype == tl.float64)
    tl.store(out_ptr, a.to(tl.float64))
    tl.store(out_ptr + 1, b.to(tl.float64))
    tl.store(out_ptr + 2, c.to(tl.float64))
    tl.store(out_ptr + 3, d)


@triton.jit
def breaks(out_ptr, n):
    for i in range(n):
        if i == 3:
            break
        tl.store(out_ptr, i)


@triton.jit
def continues(out_ptr, n):
    for i in range(n):
        if i == 3:
            continue
        tl.store(out_ptr, i)


@triton.jit
def while_condition(out_ptr, n):
    i = 0
    while tl.condition(i < n, disable_licm=True):
        i += 2
    tl.store(out_ptr, i)


@triton.jit
def _store_twice(p, x):
    tl.store(p, x)
    tl.store(p + 1, x)


@triton.jit
def _nothing(x):
    pass


@triton.jit
def procedures(out_ptr, n):
    _store_twice(out_ptr, n)
    _store_twice(out_ptr + 2, n + 1)
    _nothing(n)


@triton.jit
def bounds_of_any_type(out_ptr, n):
    total = n * 0
    for i in range(n):
        total += i
    for i in range(0, n, 2):
        total += i
    tl.store(out_ptr, total)


@triton.jit
def pointers_in_memory(address_ptr, out_ptr, BLOCK: tl.constexpr):
    """As grouped matrix products find their operands."""
    x_ptr = tl.load(address_ptr).to(tl.pointer_type(tl.float32))
    i = tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i) * 2)
    tl.store(out_ptr + i, tl.load(x_ptr + i))


@triton.jit
def nan_and_infinity(out_ptr):
    i = tl.arange(0, 4)
    x = tl.full((4, ), float("nan"), tl.float32)
    y = tl.where(i == 1, float("-inf"), x)
    z = tl.where(i == 2, float("inf"), y)
    tl.store(out_ptr + i, z)


@triton.jit
def constexpr_through_calls(out_ptr, N: tl.constexpr):
    value: tl.constexpr = N * 2 if N > 4 else N
    if value >= 16:
        tl.store(out_ptr, value)
    i = tl.arange(0, value)
    tl.store(out_ptr + 1, tl.sum(i))


@triton.jit
def loop_stages(x_ptr, out_ptr, n, STAGES: tl.constexpr, BLOCK: tl.constexpr):
    acc = tl.zeros((BLOCK, ), tl.float32)
    for k in tl.range(0, tl.cdiv(n, BLOCK), num_stages=STAGES):
        i = k * BLOCK + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(out_ptr, tl.sum(acc, axis=0))


@triton.jit
def unreached_assertion(x_ptr, out_ptr, KIND: tl.constexpr):
    i = tl.arange(0, 4)
    x = tl.load(x_ptr + i)
    pid = tl.program_id(0)
    if pid > 0:
        assert KIND == "known", "only the first program can be of another kind"
        x = x + 1
    tl.assume(KIND == "known")
    start: tl.constexpr = pid * 4
    tl.store(out_ptr + (start + i), x[:, :])


@triton.jit
def top_is_widened(x_ptr, out_ptr, WANT: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, 8))
    tl.static_assert(tl.topk(x, 8).dtype == x.dtype)
    top = tl.topk(x, 2)
    tl.static_assert(top.dtype == WANT)
    tl.store(out_ptr + tl.arange(0, 2), top)
