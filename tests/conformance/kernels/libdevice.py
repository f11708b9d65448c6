"""libdevice: every function of up to four numbers, over a block. OP says which. The second half reaches it by other paths."""
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as cuda_libdevice
import triton.language.extra.libdevice as whole_path_libdevice


@triton.jit
def unary(x_ptr, out_ptr, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    if OP == "acos":
        y = libdevice.acos(x)
    elif OP == "acosh":
        y = libdevice.acosh(x)
    elif OP == "asin":
        y = libdevice.asin(x)
    elif OP == "asinh":
        y = libdevice.asinh(x)
    elif OP == "atan":
        y = libdevice.atan(x)
    elif OP == "atanh":
        y = libdevice.atanh(x)
    elif OP == "cbrt":
        y = libdevice.cbrt(x)
    elif OP == "ceil":
        y = libdevice.ceil(x)
    elif OP == "cos":
        y = libdevice.cos(x)
    elif OP == "cosh":
        y = libdevice.cosh(x)
    elif OP == "cospi":
        y = libdevice.cospi(x)
    elif OP == "cyl_bessel_i0":
        y = libdevice.cyl_bessel_i0(x)
    elif OP == "cyl_bessel_i1":
        y = libdevice.cyl_bessel_i1(x)
    elif OP == "erf":
        y = libdevice.erf(x)
    elif OP == "erfc":
        y = libdevice.erfc(x)
    elif OP == "erfcinv":
        y = libdevice.erfcinv(x)
    elif OP == "erfcx":
        y = libdevice.erfcx(x)
    elif OP == "erfinv":
        y = libdevice.erfinv(x)
    elif OP == "exp":
        y = libdevice.exp(x)
    elif OP == "exp10":
        y = libdevice.exp10(x)
    elif OP == "exp2":
        y = libdevice.exp2(x)
    elif OP == "expm1":
        y = libdevice.expm1(x)
    elif OP == "floor":
        y = libdevice.floor(x)
    elif OP == "j0":
        y = libdevice.j0(x)
    elif OP == "j1":
        y = libdevice.j1(x)
    elif OP == "lgamma":
        y = libdevice.lgamma(x)
    elif OP == "log":
        y = libdevice.log(x)
    elif OP == "log10":
        y = libdevice.log10(x)
    elif OP == "log1p":
        y = libdevice.log1p(x)
    elif OP == "log2":
        y = libdevice.log2(x)
    elif OP == "logb":
        y = libdevice.logb(x)
    elif OP == "nearbyint":
        y = libdevice.nearbyint(x)
    elif OP == "normcdf":
        y = libdevice.normcdf(x)
    elif OP == "normcdfinv":
        y = libdevice.normcdfinv(x)
    elif OP == "rcbrt":
        y = libdevice.rcbrt(x)
    elif OP == "rcp_rd":
        y = libdevice.rcp_rd(x)
    elif OP == "rcp_rn":
        y = libdevice.rcp_rn(x)
    elif OP == "rcp_ru":
        y = libdevice.rcp_ru(x)
    elif OP == "rcp_rz":
        y = libdevice.rcp_rz(x)
    elif OP == "rint":
        y = libdevice.rint(x)
    elif OP == "round":
        y = libdevice.round(x)
    elif OP == "rsqrt":
        y = libdevice.rsqrt(x)
    elif OP == "sin":
        y = libdevice.sin(x)
    elif OP == "sinh":
        y = libdevice.sinh(x)
    elif OP == "sinpi":
        y = libdevice.sinpi(x)
    elif OP == "sqrt":
        y = libdevice.sqrt(x)
    elif OP == "sqrt_rd":
        y = libdevice.sqrt_rd(x)
    elif OP == "sqrt_rn":
        y = libdevice.sqrt_rn(x)
    elif OP == "sqrt_ru":
        y = libdevice.sqrt_ru(x)
    elif OP == "sqrt_rz":
        y = libdevice.sqrt_rz(x)
    elif OP == "tan":
        y = libdevice.tan(x)
    elif OP == "tanh":
        y = libdevice.tanh(x)
    elif OP == "tgamma":
        y = libdevice.tgamma(x)
    elif OP == "trunc":
        y = libdevice.trunc(x)
    elif OP == "y0":
        y = libdevice.y0(x)
    elif OP == "y1":
        y = libdevice.y1(x)
    elif OP == "abs":
        y = libdevice.abs(x)
    elif OP == "fast_cosf":
        y = libdevice.fast_cosf(x)
    elif OP == "fast_exp10f":
        y = libdevice.fast_exp10f(x)
    elif OP == "fast_expf":
        y = libdevice.fast_expf(x)
    elif OP == "fast_log10f":
        y = libdevice.fast_log10f(x)
    elif OP == "fast_log2f":
        y = libdevice.fast_log2f(x)
    elif OP == "fast_logf":
        y = libdevice.fast_logf(x)
    elif OP == "fast_sinf":
        y = libdevice.fast_sinf(x)
    elif OP == "fast_tanf":
        y = libdevice.fast_tanf(x)
    elif OP == "saturatef":
        y = libdevice.saturatef(x)
    elif OP == "rsqrt_rn":
        y = libdevice.rsqrt_rn(x)
    elif OP == "rcp64h":
        y = libdevice.rcp64h(x)
    elif OP == "isnan":
        y = libdevice.isnan(x)
    elif OP == "isinf":
        y = libdevice.isinf(x)
    elif OP == "isfinited":
        y = libdevice.isfinited(x)
    elif OP == "finitef":
        y = libdevice.finitef(x)
    elif OP == "signbit":
        y = libdevice.signbit(x)
    elif OP == "ilogb":
        y = libdevice.ilogb(x)
    elif OP == "llrint":
        y = libdevice.llrint(x)
    elif OP == "llround":
        y = libdevice.llround(x)
    elif OP == "brev":
        y = libdevice.brev(x)
    elif OP == "clz":
        y = libdevice.clz(x)
    elif OP == "ffs":
        y = libdevice.ffs(x)
    elif OP == "popc":
        y = libdevice.popc(x)
    elif OP == "float_as_int":
        y = libdevice.float_as_int(x)
    elif OP == "int_as_float":
        y = libdevice.int_as_float(x)
    elif OP == "float_as_uint":
        y = libdevice.float_as_uint(x)
    elif OP == "uint_as_float":
        y = libdevice.uint_as_float(x)
    elif OP == "double_as_longlong":
        y = libdevice.double_as_longlong(x)
    elif OP == "longlong_as_double":
        y = libdevice.longlong_as_double(x)
    elif OP == "double2hiint":
        y = libdevice.double2hiint(x)
    elif OP == "double2loint":
        y = libdevice.double2loint(x)
    elif OP == "double2float_rn":
        y = libdevice.double2float_rn(x)
    elif OP == "double2float_rz":
        y = libdevice.double2float_rz(x)
    elif OP == "double2float_rd":
        y = libdevice.double2float_rd(x)
    elif OP == "double2float_ru":
        y = libdevice.double2float_ru(x)
    elif OP == "double2int_rn":
        y = libdevice.double2int_rn(x)
    elif OP == "double2int_rz":
        y = libdevice.double2int_rz(x)
    elif OP == "double2int_rd":
        y = libdevice.double2int_rd(x)
    elif OP == "double2int_ru":
        y = libdevice.double2int_ru(x)
    elif OP == "double2uint_rn":
        y = libdevice.double2uint_rn(x)
    elif OP == "double2uint_rz":
        y = libdevice.double2uint_rz(x)
    elif OP == "double2uint_rd":
        y = libdevice.double2uint_rd(x)
    elif OP == "double2uint_ru":
        y = libdevice.double2uint_ru(x)
    elif OP == "double2ll_rn":
        y = libdevice.double2ll_rn(x)
    elif OP == "double2ll_rz":
        y = libdevice.double2ll_rz(x)
    elif OP == "double2ll_rd":
        y = libdevice.double2ll_rd(x)
    elif OP == "double2ll_ru":
        y = libdevice.double2ll_ru(x)
    elif OP == "double2ull_rn":
        y = libdevice.double2ull_rn(x)
    elif OP == "double2ull_rz":
        y = libdevice.double2ull_rz(x)
    elif OP == "double2ull_rd":
        y = libdevice.double2ull_rd(x)
    elif OP == "double2ull_ru":
        y = libdevice.double2ull_ru(x)
    elif OP == "float2int_rn":
        y = libdevice.float2int_rn(x)
    elif OP == "float2int_rz":
        y = libdevice.float2int_rz(x)
    elif OP == "float2int_rd":
        y = libdevice.float2int_rd(x)
    elif OP == "float2int_ru":
        y = libdevice.float2int_ru(x)
    elif OP == "float2uint_rn":
        y = libdevice.float2uint_rn(x)
    elif OP == "float2uint_rz":
        y = libdevice.float2uint_rz(x)
    elif OP == "float2uint_rd":
        y = libdevice.float2uint_rd(x)
    elif OP == "float2uint_ru":
        y = libdevice.float2uint_ru(x)
    elif OP == "float2ll_rn":
        y = libdevice.float2ll_rn(x)
    elif OP == "float2ll_rz":
        y = libdevice.float2ll_rz(x)
    elif OP == "float2ll_rd":
        y = libdevice.float2ll_rd(x)
    elif OP == "float2ll_ru":
        y = libdevice.float2ll_ru(x)
    elif OP == "float2ull_rn":
        y = libdevice.float2ull_rn(x)
    elif OP == "float2ull_rz":
        y = libdevice.float2ull_rz(x)
    elif OP == "float2ull_rd":
        y = libdevice.float2ull_rd(x)
    elif OP == "float2ull_ru":
        y = libdevice.float2ull_ru(x)
    elif OP == "int2float_rn":
        y = libdevice.int2float_rn(x)
    elif OP == "int2float_rz":
        y = libdevice.int2float_rz(x)
    elif OP == "int2float_rd":
        y = libdevice.int2float_rd(x)
    elif OP == "int2float_ru":
        y = libdevice.int2float_ru(x)
    elif OP == "uint2float_rn":
        y = libdevice.uint2float_rn(x)
    elif OP == "uint2float_rz":
        y = libdevice.uint2float_rz(x)
    elif OP == "uint2float_rd":
        y = libdevice.uint2float_rd(x)
    elif OP == "uint2float_ru":
        y = libdevice.uint2float_ru(x)
    elif OP == "ll2float_rn":
        y = libdevice.ll2float_rn(x)
    elif OP == "ll2float_rz":
        y = libdevice.ll2float_rz(x)
    elif OP == "ll2float_rd":
        y = libdevice.ll2float_rd(x)
    elif OP == "ll2float_ru":
        y = libdevice.ll2float_ru(x)
    elif OP == "ull2float_rn":
        y = libdevice.ull2float_rn(x)
    elif OP == "ull2float_rz":
        y = libdevice.ull2float_rz(x)
    elif OP == "ull2float_rd":
        y = libdevice.ull2float_rd(x)
    elif OP == "ull2float_ru":
        y = libdevice.ull2float_ru(x)
    elif OP == "ll2double_rn":
        y = libdevice.ll2double_rn(x)
    elif OP == "ll2double_rz":
        y = libdevice.ll2double_rz(x)
    elif OP == "ll2double_rd":
        y = libdevice.ll2double_rd(x)
    elif OP == "ll2double_ru":
        y = libdevice.ll2double_ru(x)
    elif OP == "ull2double_rn":
        y = libdevice.ull2double_rn(x)
    elif OP == "ull2double_rz":
        y = libdevice.ull2double_rz(x)
    elif OP == "ull2double_rd":
        y = libdevice.ull2double_rd(x)
    elif OP == "ull2double_ru":
        y = libdevice.ull2double_ru(x)
    elif OP == "int2double_rn":
        y = libdevice.int2double_rn(x)
    elif OP == "uint2double_rn":
        y = libdevice.uint2double_rn(x)
    else:
        tl.static_assert(False, "unknown function")
    tl.store(out_ptr + i, y)


@triton.jit
def binary(a_ptr, b_ptr, out_ptr, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    if OP == "atan2":
        y = libdevice.atan2(a, b)
    elif OP == "copysign":
        y = libdevice.copysign(a, b)
    elif OP == "fdim":
        y = libdevice.fdim(a, b)
    elif OP == "fmod":
        y = libdevice.fmod(a, b)
    elif OP == "hypot":
        y = libdevice.hypot(a, b)
    elif OP == "nextafter":
        y = libdevice.nextafter(a, b)
    elif OP == "pow":
        y = libdevice.pow(a, b)
    elif OP == "remainder":
        y = libdevice.remainder(a, b)
    elif OP == "rhypot":
        y = libdevice.rhypot(a, b)
    elif OP == "fast_dividef":
        y = libdevice.fast_dividef(a, b)
    elif OP == "fast_powf":
        y = libdevice.fast_powf(a, b)
    elif OP == "ldexp":
        y = libdevice.ldexp(a, b)
    elif OP == "scalbn":
        y = libdevice.scalbn(a, b)
    elif OP == "jn":
        y = libdevice.jn(a, b)
    elif OP == "yn":
        y = libdevice.yn(a, b)
    elif OP == "mulhi":
        y = libdevice.mulhi(a, b)
    elif OP == "mul24":
        y = libdevice.mul24(a, b)
    elif OP == "hadd":
        y = libdevice.hadd(a, b)
    elif OP == "rhadd":
        y = libdevice.rhadd(a, b)
    elif OP == "hiloint2double":
        y = libdevice.hiloint2double(a, b)
    elif OP == "add_rn":
        y = libdevice.add_rn(a, b)
    elif OP == "add_rz":
        y = libdevice.add_rz(a, b)
    elif OP == "add_rd":
        y = libdevice.add_rd(a, b)
    elif OP == "add_ru":
        y = libdevice.add_ru(a, b)
    elif OP == "sub_rn":
        y = libdevice.sub_rn(a, b)
    elif OP == "sub_rz":
        y = libdevice.sub_rz(a, b)
    elif OP == "sub_rd":
        y = libdevice.sub_rd(a, b)
    elif OP == "sub_ru":
        y = libdevice.sub_ru(a, b)
    elif OP == "mul_rn":
        y = libdevice.mul_rn(a, b)
    elif OP == "mul_rz":
        y = libdevice.mul_rz(a, b)
    elif OP == "mul_rd":
        y = libdevice.mul_rd(a, b)
    elif OP == "mul_ru":
        y = libdevice.mul_ru(a, b)
    elif OP == "div_rn":
        y = libdevice.div_rn(a, b)
    elif OP == "div_rz":
        y = libdevice.div_rz(a, b)
    elif OP == "div_rd":
        y = libdevice.div_rd(a, b)
    elif OP == "div_ru":
        y = libdevice.div_ru(a, b)
    else:
        tl.static_assert(False, "unknown function")
    tl.store(out_ptr + i, y)


@triton.jit
def ternary(a_ptr, b_ptr, c_ptr, out_ptr, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    c = tl.load(c_ptr + i)
    if OP == "fma":
        y = libdevice.fma(a, b, c)
    elif OP == "norm3d":
        y = libdevice.norm3d(a, b, c)
    elif OP == "rnorm3d":
        y = libdevice.rnorm3d(a, b, c)
    elif OP == "byte_perm":
        y = libdevice.byte_perm(a, b, c)
    elif OP == "sad":
        y = libdevice.sad(a, b, c)
    elif OP == "fma_rn":
        y = libdevice.fma_rn(a, b, c)
    elif OP == "fma_rz":
        y = libdevice.fma_rz(a, b, c)
    elif OP == "fma_rd":
        y = libdevice.fma_rd(a, b, c)
    elif OP == "fma_ru":
        y = libdevice.fma_ru(a, b, c)
    else:
        tl.static_assert(False, "unknown function")
    tl.store(out_ptr + i, y)


@triton.jit
def quaternary(a_ptr, b_ptr, c_ptr, d_ptr, out_ptr, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    c = tl.load(c_ptr + i)
    d = tl.load(d_ptr + i)
    if OP == "norm4d":
        y = libdevice.norm4d(a, b, c, d)
    elif OP == "rnorm4d":
        y = libdevice.rnorm4d(a, b, c, d)
    else:
        tl.static_assert(False, "unknown function")
    tl.store(out_ptr + i, y)


@triton.jit
def other_paths(x_ptr, out_ptr, PATH: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    if PATH == "cuda":
        y = cuda_libdevice.log1p(x)
    elif PATH == "attribute":
        y = tl.extra.libdevice.log1p(x)
    elif PATH == "cuda attribute":
        y = tl.extra.cuda.libdevice.log1p(x)
    else:
        y = whole_path_libdevice.log1p(x)
    tl.store(out_ptr + i, y)


@triton.jit
def of_scalars(x_ptr, out_ptr):
    x = tl.load(x_ptr)
    tl.store(out_ptr, libdevice.pow(x, 3.0))
    tl.store(out_ptr + 1, libdevice.tanh(x))


@triton.jit
def pow_by_integers(x_ptr, n_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, libdevice.pow(tl.load(x_ptr + i), tl.load(n_ptr + i)))


@triton.jit
def answers(x_ptr, out_ptr, FINITE: tl.constexpr):
    """1 for NaN, 2 for an infinity, 4 for what is finite, each asked for with ~ as well."""
    i = tl.arange(0, 8)
    x = tl.load(x_ptr + i)
    nan = libdevice.isnan(x)
    infinite = libdevice.isinf(x)
    finite = libdevice.finitef(x) if FINITE else libdevice.isfinited(x)
    tl.static_assert(nan.dtype == tl.int1)
    tl.static_assert(infinite.dtype == tl.int1)
    tl.static_assert(finite.dtype == tl.int1)
    answer = tl.where(~nan, 0, 1) + tl.where(~infinite, 0, 2) + tl.where(~finite, 0, 4)
    tl.store(out_ptr + i, answer)
