# libdevice for targets that do not have NVIDIA's library: the functions that no operation stands for.
#
# `add_rd(x, y)` is add_directed(x, y, "d"): the letters of the rounding modes are n (nearest, ties to even), z
# (towards zero), d (down) and u (up). A directed result is the nearest one and, where that lies on the wrong
# side of the exact one, its neighbour; which side is found from the exact error of the operation, as below.
import triton
import triton.language as tl
from triton.language.extra import libdevice


# Directed rounding.


@triton.jit
def _neighbour(x, UP: tl.constexpr):
    integer: tl.constexpr = tl.int32 if x.dtype == tl.float32 else tl.int64
    bits = x.to(integer, bitcast=True)
    if UP:
        moved = tl.where(x > 0, bits + 1, bits - 1)
        beyond_zero = tl.full(x.shape, 1, integer)
    else:
        moved = tl.where(x > 0, bits - 1, bits + 1)
        beyond_zero = tl.full(x.shape, 1, integer) | (tl.full(x.shape, 1, integer) << (x.dtype.primitive_bitwidth - 1))
    return tl.where(x == 0, beyond_zero, moved).to(x.dtype, bitcast=True)


@triton.jit
def _direct(nearest, below, above, finite, MODE: tl.constexpr):
    # below: the exact result is less than the nearest one. Where finite operands overflow, it is finite.
    overflow = finite & (tl.abs(nearest) == float("inf"))
    below = tl.where(overflow, nearest > 0, below)
    above = tl.where(overflow, nearest < 0, above)
    if MODE == "d":
        return tl.where(below, _neighbour(nearest, False), nearest)
    if MODE == "u":
        return tl.where(above, _neighbour(nearest, True), nearest)
    if MODE == "z":
        smaller = tl.where(below & (nearest > 0), _neighbour(nearest, False), nearest)
        return tl.where(above & (nearest < 0), _neighbour(nearest, True), smaller)
    return nearest


@triton.jit
def _is_finite(x):
    return tl.abs(x) < float("inf")


@triton.jit
def _sum_error(x, y, total):
    # Knuth: total + error is x + y exactly.
    part = total - x
    return (x - (total - part)) + (y - part)


@triton.jit
def add_directed(x, y, MODE: tl.constexpr):
    total = x + y
    error = _sum_error(x, y, total)
    result = _direct(total, error < 0, error > 0, _is_finite(x) & _is_finite(y), MODE)
    if MODE == "d":
        # x + -x is -0 when rounding down.
        integer: tl.constexpr = tl.int32 if x.dtype == tl.float32 else tl.int64
        bits = x.to(integer, bitcast=True) | y.to(integer, bitcast=True)
        result = tl.where((total == 0) & (bits != 0), -tl.abs(total), result)
    return result


@triton.jit
def sub_directed(x, y, MODE: tl.constexpr):
    return add_directed(x, -y, MODE)


@triton.jit
def mul_directed(x, y, MODE: tl.constexpr):
    if x.dtype == tl.float32:
        return double2float_directed(x.to(tl.float64) * y.to(tl.float64), MODE)
    product = x * y
    error = tl.fma(x, y, -product)
    return _direct(product, error < 0, error > 0, _is_finite(x) & _is_finite(y), MODE)


@triton.jit
def div_directed(x, y, MODE: tl.constexpr):
    quotient = tl.div_rn(x, y) if x.dtype == tl.float32 else x / y
    wide = y.to(tl.float64)
    remainder = tl.fma(-quotient.to(tl.float64), wide, x.to(tl.float64))
    below = ((remainder < 0) & (wide > 0)) | ((remainder > 0) & (wide < 0))
    above = ((remainder > 0) & (wide > 0)) | ((remainder < 0) & (wide < 0))
    return _direct(quotient, below, above, _is_finite(x) & (y != 0), MODE)


@triton.jit
def rcp_directed(x, MODE: tl.constexpr):
    return div_directed(tl.full(x.shape, 1, x.dtype), x, MODE)


@triton.jit
def sqrt_directed(x, MODE: tl.constexpr):
    root = libdevice.sqrt_rn(x)
    wide = root.to(tl.float64)
    remainder = tl.fma(-wide, wide, x.to(tl.float64))
    return _direct(root, remainder < 0, remainder > 0, x != x, MODE)


@triton.jit
def fma_directed(x, y, z, MODE: tl.constexpr):
    finite = _is_finite(x) & _is_finite(y) & _is_finite(z)
    if x.dtype == tl.float32:
        # The product is exact in double precision.
        product = x.to(tl.float64) * y.to(tl.float64)
        total = product + z.to(tl.float64)
        error = _sum_error(product, z.to(tl.float64), total)
        nearest = tl.fma(x, y, z)
        wide = nearest.to(tl.float64)
        below = (total < wide) | ((total == wide) & (error < 0))
        above = (total > wide) | ((total == wide) & (error > 0))
        return _direct(nearest, below, above, finite, MODE)
    nearest = tl.fma(x, y, z)
    product = x * y
    low = tl.fma(x, y, -product)
    total = product + z
    rest = _sum_error(product, z, total)
    # Exactly: total + rest + low - nearest.
    small = rest + low
    smaller = _sum_error(rest, low, small)
    difference = (total - nearest) + small
    difference = tl.where(difference == 0, smaller, difference)
    return _direct(nearest, difference < 0, difference > 0, finite, MODE)


@triton.jit
def rsqrt_rn(x):
    return (1 / libdevice.sqrt_rn(x.to(tl.float64))).to(x.dtype)


# Conversions.


@triton.jit
def double2float_directed(x, MODE: tl.constexpr):
    nearest = x.to(tl.float32)
    wide = nearest.to(tl.float64)
    return _direct(nearest, x < wide, x > wide, _is_finite(x), MODE)


@triton.jit
def _to_whole(x, MODE: tl.constexpr):
    wide = x.to(tl.float64)
    if MODE == "n":
        return libdevice.rint(wide)
    if MODE == "z":
        return libdevice.trunc(wide)
    if MODE == "d":
        return tl.floor(wide)
    return tl.ceil(wide)


@triton.jit
def _to_integer(x, SIGNED: tl.constexpr, BITS: tl.constexpr, MODE: tl.constexpr):
    # Saturates as the hardware does; what a NaN becomes depends on the types.
    whole = _to_whole(x, MODE)
    if BITS == 32:
        low: tl.constexpr = -2147483648.0 if SIGNED else 0.0
        high: tl.constexpr = 2147483647.0 if SIGNED else 4294967295.0
        result = tl.minimum(tl.maximum(whole, low), high).to(tl.int64).to(tl.int32)
    elif SIGNED:
        result = tl.where(whole >= 9223372036854775808.0, 9223372036854775807, whole.to(tl.int64))
        result = tl.where(whole < -9223372036854775808.0, -9223372036854775807 - 1, result)
    else:
        result = whole.to(tl.uint64).to(tl.int64, bitcast=True)
        result = tl.where(whole >= 18446744073709551616.0, -1, tl.where(whole > 0, result, 0))
    if BITS == 32 and x.dtype == tl.float32:
        return tl.where(x == x, result, 0)
    return tl.where(x == x, result, tl.full(x.shape, 1, result.dtype) << (BITS - 1))


@triton.jit
def float2int_directed(x, MODE: tl.constexpr):
    return _to_integer(x, True, 32, MODE)


@triton.jit
def float2uint_directed(x, MODE: tl.constexpr):
    return _to_integer(x, False, 32, MODE)


@triton.jit
def float2ll_directed(x, MODE: tl.constexpr):
    return _to_integer(x, True, 64, MODE)


@triton.jit
def float2ull_directed(x, MODE: tl.constexpr):
    return _to_integer(x, False, 64, MODE)


@triton.jit
def double2int_directed(x, MODE: tl.constexpr):
    return _to_integer(x, True, 32, MODE)


@triton.jit
def double2uint_directed(x, MODE: tl.constexpr):
    return _to_integer(x, False, 32, MODE)


@triton.jit
def double2ll_directed(x, MODE: tl.constexpr):
    return _to_integer(x, True, 64, MODE)


@triton.jit
def double2ull_directed(x, MODE: tl.constexpr):
    return _to_integer(x, False, 64, MODE)


@triton.jit
def llrint(x):
    return _to_integer(x, True, 64, "n")


@triton.jit
def llround(x):
    return _to_integer(libdevice.round(x), True, 64, "z")


@triton.jit
def _from_integer(x, FLOAT: tl.constexpr, MODE: tl.constexpr):
    nearest = x.to(FLOAT)
    limit: tl.constexpr = 9223372036854775808.0 if x.dtype == tl.int64 else 18446744073709551616.0
    beyond = nearest >= limit
    back = nearest.to(x.dtype)
    return _direct(nearest, beyond | (x < back), (nearest < limit) & (x > back), x == x, MODE)


@triton.jit
def int2float_directed(x, MODE: tl.constexpr):
    return double2float_directed(x.to(tl.float64), MODE)


@triton.jit
def uint2float_directed(x, MODE: tl.constexpr):
    return double2float_directed(x.to(tl.float64), MODE)


@triton.jit
def ll2float_directed(x, MODE: tl.constexpr):
    return _from_integer(x, tl.float32, MODE)


@triton.jit
def ull2float_directed(x, MODE: tl.constexpr):
    return _from_integer(x, tl.float32, MODE)


@triton.jit
def ll2double_directed(x, MODE: tl.constexpr):
    return _from_integer(x, tl.float64, MODE)


@triton.jit
def ull2double_directed(x, MODE: tl.constexpr):
    return _from_integer(x, tl.float64, MODE)


@triton.jit
def int2double_rn(x):
    return x.to(tl.float64)


@triton.jit
def uint2double_rn(x):
    return x.to(tl.float64)


# Bits.


@triton.jit
def hiloint2double(high, low):
    bits = (high.to(tl.int64) << 32) | low.to(tl.uint32, bitcast=True).to(tl.int64)
    return bits.to(tl.float64, bitcast=True)


@triton.jit
def double2loint(x):
    return x.to(tl.int64, bitcast=True).to(tl.int32)


@triton.jit
def double2hiint(x):
    return (x.to(tl.int64, bitcast=True) >> 32).to(tl.int32)


@triton.jit
def rcp64h(x):
    bits = (1 / x).to(tl.int64, bitcast=True)
    return ((bits >> 32) << 32).to(tl.float64, bitcast=True)


@triton.jit
def signbit(x):
    return (x.to(tl.int32 if x.dtype == tl.float32 else tl.int64, bitcast=True) < 0).to(tl.int32)


@triton.jit
def isnan(x):
    return (x != x).to(tl.int32)


@triton.jit
def isinf(x):
    return (tl.abs(x) == float("inf")).to(tl.int32)


@triton.jit
def finitef(x):
    return _is_finite(x).to(tl.int32)


@triton.jit
def isfinited(x):
    return _is_finite(x).to(tl.int32)


@triton.jit
def ilogb(x):
    wide = x.to(tl.float64)
    subnormal = tl.abs(wide) < 2.2250738585072014e-308
    scaled = tl.where(subnormal, wide * 18014398509481984.0, wide)
    exponent = ((scaled.to(tl.int64, bitcast=True) >> 52) & 0x7FF).to(tl.int32) - 1023
    exponent = tl.where(subnormal, exponent - 54, exponent)
    exponent = tl.where(_is_finite(x), exponent, 2147483647)
    return tl.where((x == x) & (x != 0), exponent, -2147483647 - 1)


@triton.jit
def _power_of_two(exponent):
    return ((exponent + 1023).to(tl.int64) << 52).to(tl.float64, bitcast=True)


@triton.jit
def ldexp(x, exponent):
    if x.dtype == tl.float32:
        # Exact in double precision, so that it is rounded once.
        exponent = tl.minimum(tl.maximum(exponent, -400), 400)
        return (x.to(tl.float64) * _power_of_two(exponent)).to(tl.float32)
    exponent = tl.minimum(tl.maximum(exponent, -3000), 3000)
    for _ in tl.static_range(2):
        # 2**-969: what is left of the exponent is normal, and nothing is rounded before the last product.
        low = exponent < -1022
        x = tl.where(low, x * 2.004168360008973e-292, x)
        exponent = tl.where(low, exponent + 969, exponent)
        high = exponent > 1023
        x = tl.where(high, x * 8.98846567431158e307, x)
        exponent = tl.where(high, exponent - 1023, exponent)
    return x * _power_of_two(tl.minimum(tl.maximum(exponent, -1022), 1023))


@triton.jit
def scalbn(x, exponent):
    return ldexp(x, exponent)


# Integers.


@triton.jit
def byte_perm(x, y, selector):
    pair = (y.to(tl.uint32, bitcast=True).to(tl.uint64) << 32) | x.to(tl.uint32, bitcast=True).to(tl.uint64)
    result = tl.zeros_like(x)
    for i in tl.static_range(4):
        shift = ((selector >> (4 * i)) & 7) * 8
        result |= ((pair >> shift.to(tl.uint64)).to(tl.int32) & 255) << (8 * i)
    return result


@triton.jit
def mulhi(x, y):
    if x.dtype == tl.int32 or x.dtype == tl.uint32:
        wide: tl.constexpr = tl.int64 if x.dtype == tl.int32 else tl.uint64
        return ((x.to(wide) * y.to(wide)) >> 32).to(x.dtype)
    high = tl.umulhi(x, y)
    if x.dtype == tl.int64:
        high = high - tl.where(x < 0, y, 0) - tl.where(y < 0, x, 0)
    return high


@triton.jit
def mul24(x, y):
    return ((x << 8) >> 8) * ((y << 8) >> 8)


@triton.jit
def brev(x):
    narrow: tl.constexpr = tl.uint32 if x.dtype == tl.int32 else tl.uint64
    bits = x.to(narrow, bitcast=True).to(tl.uint64)
    bits = ((bits >> 1) & 0x5555555555555555) | ((bits & 0x5555555555555555) << 1)
    bits = ((bits >> 2) & 0x3333333333333333) | ((bits & 0x3333333333333333) << 2)
    bits = ((bits >> 4) & 0x0F0F0F0F0F0F0F0F) | ((bits & 0x0F0F0F0F0F0F0F0F) << 4)
    bits = ((bits >> 8) & 0x00FF00FF00FF00FF) | ((bits & 0x00FF00FF00FF00FF) << 8)
    bits = ((bits >> 16) & 0x0000FFFF0000FFFF) | ((bits & 0x0000FFFF0000FFFF) << 16)
    bits = (bits >> 32) | (bits << 32)
    return (bits >> (64 - x.dtype.primitive_bitwidth)).to(narrow).to(x.dtype, bitcast=True)


@triton.jit
def sad(x, y, z):
    difference = tl.where(x > y, x - y, y - x)
    return (difference.to(tl.uint32, bitcast=True) + z).to(x.dtype, bitcast=True)


@triton.jit
def hadd(x, y):
    return (x & y) + ((x ^ y) >> 1)


@triton.jit
def rhadd(x, y):
    return (x | y) - ((x ^ y) >> 1)


@triton.jit
def ffs(x):
    return tl.where(x == 0, 0, libdevice.popc(x ^ (x - 1)))


# Functions of real numbers.


@triton.jit
def saturatef(x):
    return tl.where(x > 0, tl.where(x < 1, x, 1.0), 0.0)


@triton.jit
def norm4d(x, y, z, w):
    if x.dtype == tl.float32:
        return _norm(x.to(tl.float64), y.to(tl.float64), z.to(tl.float64), w.to(tl.float64)).to(tl.float32)
    # Scaled, because squares overflow before the result does.
    largest = tl.maximum(tl.maximum(tl.abs(x), tl.abs(y)), tl.maximum(tl.abs(z), tl.abs(w)))
    scale = tl.where((largest > 0) & _is_finite(largest), largest, 1.0)
    return _norm(x / scale, y / scale, z / scale, w / scale) * scale


@triton.jit
def _norm(x, y, z, w):
    return libdevice.sqrt_rn(x * x + y * y + z * z + w * w)


@triton.jit
def norm3d(x, y, z):
    return norm4d(x, y, z, tl.zeros_like(x))


@triton.jit
def rnorm4d(x, y, z, w):
    return 1 / norm4d(x, y, z, w)


@triton.jit
def rnorm3d(x, y, z):
    return 1 / norm3d(x, y, z)


@triton.jit
def exp10(x):
    return libdevice.pow(tl.full(x.shape, 10, x.dtype), x)


@triton.jit
def fast_exp10f(x):
    return exp10(x)


@triton.jit
def rcbrt(x):
    # One step of Newton's method mends what cbrt and the quotient rounded.
    root = 1 / libdevice.cbrt(x.to(tl.float64))
    error = libdevice.fma(-x.to(tl.float64) * root, root * root, tl.full(x.shape, 1, tl.float64))
    return tl.where(_is_finite(root) & (root != 0), root + root * error * 0.3333333333333333, root).to(x.dtype)


@triton.jit
def rhypot(x, y):
    return 1 / libdevice.hypot(x, y)


@triton.jit
def _sin_or_cos_pi(x, quarters: tl.constexpr):
    # x = q/2 + r, exactly, with |r| <= 1/4: near a zero no bit of the angle is lost. Then by the quadrant.
    q = libdevice.rint(x * 2)
    angle = (x - q * 0.5) * 3.141592653589793
    q += quarters
    quadrant = q - 4 * libdevice.floor(q * 0.25)
    value = tl.where((quadrant == 1) | (quadrant == 3), libdevice.cos(angle), libdevice.sin(angle))
    return tl.where(quadrant >= 2, -value, value)


@triton.jit
def sinpi(x):
    wide = x.to(tl.float64)
    value = _sin_or_cos_pi(wide, 0)
    # Zeros have the sign of x.
    return tl.where(value == 0, libdevice.copysign(tl.zeros_like(wide), wide), value).to(x.dtype)


@triton.jit
def cospi(x):
    wide = x.to(tl.float64)
    value = _sin_or_cos_pi(wide, 1)
    # Numbers so large are even, and adding a quarter to them is lost. Zeros are positive.
    value = tl.where((tl.abs(wide) >= 9007199254740992.0) & _is_finite(wide), 1.0, value)
    return tl.where(value == 0, 0.0, value).to(x.dtype)


@triton.jit
def normcdf(x):
    # erfc multiplies an error of its argument by its square, so that what rounding it lost is made good by the
    # derivative. Beyond 40 the result is 0 or 1.
    wide = x.to(tl.float64)
    wide = tl.where(tl.abs(wide) > 40, libdevice.copysign(tl.full(x.shape, 40, tl.float64), wide), wide)
    root = tl.full(x.shape, -0.7071067811865476, tl.float64)
    z = wide * root
    lost = libdevice.fma(wide, root, -z) + wide * 4.833646656726457e-17
    slope = libdevice.exp(-z * z) * -1.1283791670955126
    return (0.5 * (libdevice.erfc(z) + slope * lost)).to(x.dtype)


@triton.jit
def _inverse_erf(y, rest):
    # Solves erf(x) = y, 0 <= y <= 1, where rest = 1 - y is known more exactly than y near 1: Winitzki's estimate,
    # then Newton's method on erf or erfc, whichever is the smaller.
    half_log = libdevice.log(rest * (1 + y)) * 0.5
    shifted = 4.330746750799873 + half_log
    x = libdevice.sqrt_rn(libdevice.sqrt_rn(shifted * shifted - half_log * 13.605442176870748) - shifted)
    for _ in tl.static_range(4):
        error = tl.where(y < 0.5, libdevice.erf(x) - y, rest - libdevice.erfc(x))
        x -= error * 0.886226925452758 * libdevice.exp(x * x)
    return tl.where(rest == 0, float("inf"), x)


@triton.jit
def erfinv(x):
    size = tl.abs(x.to(tl.float64))
    root = _inverse_erf(size, 1 - size)
    return tl.where(x < 0, -root, root).to(x.dtype)


@triton.jit
def erfcinv(x):
    wide = x.to(tl.float64)
    rest = tl.where(wide > 1, 2 - wide, wide)
    root = _inverse_erf(1 - rest, rest)
    return tl.where(wide > 1, -root, root).to(x.dtype)


@triton.jit
def normcdfinv(x):
    return (erfcinv(2 * x.to(tl.float64)) * -1.4142135623730951).to(x.dtype)


@triton.jit
def erfcx(x):
    wide = x.to(tl.float64)
    # Beyond 10 the asymptotic series is exact before erfc underflows.
    step = -0.5 / (wide * wide)
    term = tl.full(x.shape, 1, tl.float64)
    total = term
    for k in tl.static_range(14):
        term *= step * (2 * k + 1)
        total += term
    return tl.where(wide < 10, libdevice.exp(wide * wide) * libdevice.erfc(wide),
                    total * 0.5641895835477563 / wide).to(x.dtype)


@triton.jit
def _modified_bessel(x, ORDER: tl.constexpr):
    # The power series, all of whose terms are positive, up to 30; the asymptotic one beyond.
    quarter = x * x * 0.25
    near = tl.full(x.shape, 1, tl.float64)
    near_term = near
    far = near
    far_term = near
    for k in range(1, 60):
        number = k.to(tl.float64)
        near_term *= quarter / (number * (number + ORDER))
        near += near_term
        odd = 2 * number - 1
        far_term *= tl.where(k < 25, (odd * odd - 4 * ORDER * ORDER) / (8 * number * x), 0.0)
        far += far_term
    if ORDER == 1:
        near *= x * 0.5
    growth = libdevice.exp(x * 0.5)
    return tl.where(x < 30, near, growth * (far / libdevice.sqrt_rn(x * 6.283185307179586)) * growth)


@triton.jit
def cyl_bessel_i0(x):
    return _modified_bessel(tl.abs(x.to(tl.float64)), 0).to(x.dtype)


@triton.jit
def cyl_bessel_i1(x):
    wide = x.to(tl.float64)
    size = _modified_bessel(tl.abs(wide), 1)
    return tl.where(wide < 0, -size, size).to(x.dtype)
