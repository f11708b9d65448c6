// What is computed at compile time, and the operation that each builtin becomes.
#include "tests/unit/frontend_python/EmitSource.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

struct TruthCase {
  const char *name;
  /// An expression over compile-time values that must be True.
  const char *expression;
};
void PrintTo(const TruthCase &truth, std::ostream *os) { *os << truth.name; }

class CompileTime : public ::testing::TestWithParam<TruthCase> {};

TEST_P(CompileTime, Holds) {
  Emission emission = emitSource(std::string(R"(
import math
from typing import NamedTuple
from triton.language.extra import libdevice

class Pair(NamedTuple):
    a: int
    b: int = 7

class Mode:
    FAST = 1
    SLOW = 2

def helper(n):
    total = 0
    items = []
    for i in range(n):
        if i == 2:
            continue
        total += i
        items.append(i)
    while (half := total // 2) > 50:
        total = half
    return total, items

@triton.constexpr_function
def log2(n):
    return 0 if n <= 1 else 1 + log2(n // 2)

def library_builtin(f):
    def wrapper(*args, _semantic, **kwargs):
        return f(*args, **kwargs)
    wrapper.__triton_builtin__ = True
    return wrapper

@library_builtin
def next_power(n, *, _builder=None):
    assert isinstance(n, tl.constexpr)
    return tl.constexpr(triton.next_power_of_2(n.value))

@library_builtin
def or_none(v, wanted):
    return v if wanted else tl.constexpr(None)

def prefers(library):
    def decorator(function):
        if hasattr(library, function.__name__):
            return getattr(library, function.__name__)
        return function
    return decorator

@prefers(libdevice)
@triton.jit
def floor(x):
    return x.to(tl.int8)

@prefers(libdevice)
@triton.jit
def not_there(x):
    return x.to(tl.int8)

@tl.constexpr
def int_type(bits, signed):
    bits = bits.value
    return tl.core.get_int_dtype(bits, signed)

@triton.jit
def f(x, n, A: tl.constexpr, S: tl.constexpr, T: tl.constexpr):
    v = tl.zeros((4, 8), tl.float16)
    tl.static_assert()") + GetParam().expression +
                                     ")\n",
                                 "*bf16, i64, 12, \"text\", float16");
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir, "");
}

const TruthCase truths[] = {
    {"Integers",
     "A * 2 - 4 == 20 and A ** 2 == 144 and A >> 2 == 3 and A & 4 == 4 and A ^ 1 == 13 and ~A == -13"},
    {"WideIntegers", "(1 << 100) // (1 << 98) == 4 and 0xFFFFFFFFFFFFFFFF + 1 == 18446744073709551616"},
    {"Floats",
     "A / 8 == 1.5 and 1e3 == 1000.0 and float('inf') > 1e308 and -7.5 // 2 == -4.0 and 7.5 % -2 == -0.5"},
    {"Comparison", "1 < A <= 12 != 13 and not 3 > A and (A == 12) is True and A is not None"},
    {"ShortCircuit", "A == 12 or undefined_name"},
    {"BoolOperatorsGiveValues", "(0 or 5) == 5 and (3 and 4) == 4 and (None or 'x') == 'x'"},
    {"Strings", "S == 'text' and S + '!' == 'text!' and 'ex' in S and S.startswith('te') and len(S) == 4 and "
                "S[1:3] == 'ex'"},
    {"FStrings", "f'{A}-{S!r}-{A:04d}-{1.5:.2f}-{A:#x}' == \"12-'text'-0012-1.50-0xc\""},
    {"Format", "'{} {1}'.format(1, 2) == '1 2' and '%d%s' % (1, 'a') == '1a'"},
    {"Conditional", "(1 if A > 5 else undefined_name) == 1"},
    {"Tuples",
     "(1, 2) + (3,) == (1, 2, 3) and (1, 2, 3)[-1] == 3 and (1, 2, 3)[:2] == (1, 2) and len((1,) * 4) == 4"},
    {"ListsAreTuples", "v.shape == [4, 8] and (1, [2]) == [1, (2,)] and not (v.shape != [4, 8])"},
    {"Lists", "[i * 2 for i in range(4) if i != 1] == [0, 4, 6] and [*range(2), 5] == [0, 1, 5]"},
    {"Dicts", "{'a': 1, 'b': A}['b'] == 12 and {k: v for k, v in zip(('a', 'b'), (1, 2))}['b'] == 2"},
    {"Lambdas", "(lambda a, b=2: a * b)(A) == 24"},
    {"Helpers", "helper(5) == (8, [0, 1, 3, 4])"},
    {"RecursiveConstexprFunction", "log2(64) == 6"},
    {"LibraryBuiltins",
     "next_power(A) == 16 and or_none(n, False) is None and or_none(v, True).shape == (4, 8)"},
    {"ReplacingDecorator",
     "floor(v.to(tl.float32)).dtype == tl.float32 and not_there(v.to(tl.float32)).dtype == tl.int8"},
    {"ConstexprDecorator", "int_type(v.dtype.primitive_bitwidth, True) == tl.int16"},
    {"NamedTuples", "Pair(1).b == 7 and Pair(1, b=2)[1] == 2 and isinstance(Pair(1), Pair)"},
    {"ClassConstants", "Mode.SLOW == 2"},
    {"Builtins",
     "len(v.shape) == 2 and min(3, A) == 3 and max(3, A) == 12 and abs(-A) == 12 and int(7.9) == 7"},
    {"MoreBuiltins", "sum((1, 2)) == 3 and any((0, 1)) and not all((0, 1)) and sorted((3, 1)) == [1, 3] and "
                     "divmod(7, 2) == (3, 1)"},
    {"Enumerate", "[i + c for i, c in enumerate((5, 6), start=1)] == [6, 8]"},
    {"IsInstance",
     "isinstance(A, int) and not isinstance(A, tl.constexpr) and isinstance(v, tl.tensor) and not "
     "isinstance(v, (int, str))"},
    {"HasAttribute", "hasattr(v, 'shape') and not hasattr(v, 'nonsense') and getattr(v, 'nonsense', 3) == 3"},
    {"MathModule",
     "math.ceil(math.sqrt(10)) == 4 and math.log2(8) == 3.0 and math.pi > 3.14 and math.inf > 1"},
    {"TritonFunctions",
     "triton.cdiv(10, 4) == 3 and triton.next_power_of_2(100) == 128 and tl.cdiv(A, 5) == 3"},
    {"Shapes", "v.shape == (4, 8) and v.numel == 32 and v.shape[0] * v.shape[1] == 32 and v[:, None, "
               ":].shape == (4, 1, 8)"},
    {"Types", "v.dtype == tl.float16 and T == tl.float16 and x.dtype.element_ty == tl.bfloat16 and "
              "x.type.element_ty.is_bf16() and v.dtype.value == tl.float16 and T.value.is_floating()"},
    {"TypeProperties",
     "tl.int32.primitive_bitwidth == 32 and tl.float32.is_floating() and tl.uint8.is_int_unsigned() and "
     "x.dtype.is_ptr() and tl.float16.fp_mantissa_width == 10 and tl.int8.itemsize == 1"},
    {"TypeNames", "str(tl.float32) == 'fp32' and f'{v.dtype}' == 'fp16' and str(v.type) == '<[4, 8], fp16>'"},
    {"PointerTypes",
     "tl.pointer_type(tl.int8) == tl.pointer_type(tl.int8) and x.dtype == tl.pointer_type(tl.bfloat16)"},
    {"RunTimeScalars", "n.dtype == tl.int64 and n.shape == () and (n + 1).dtype == tl.int64 and "
                       "n.to(tl.int8).dtype == tl.int8"},
    {"Methods",
     "v.to(tl.float32).sum(axis=1).shape == (4,) and v.T.shape == (8, 4) and v.reshape(32).shape == (32,)"},
    {"KeepDims",
     "tl.sum(v, 1, keep_dims=True).shape == (4, 1) and tl.max(v, keep_dims=True).shape == (1, 1)"},
    {"ReductionTypes", "tl.sum(v.to(tl.int8), 0).dtype == tl.int32 and tl.max(v, 0).dtype == tl.float32 and "
                       "tl.argmax(v, 1).dtype == tl.int32"},
    {"JoinAndSplit", "tl.join(v, v).shape == (4, 8, 2) and tl.split(tl.join(v, v))[0].shape == (4, 8) and "
                     "tl.interleave(v, v).shape == (4, 16)"},
    {"Sorting", "tl.sort(v.to(tl.float32)).shape == (4, 8) and tl.topk(v.to(tl.float32), 2).shape == (4, 2) "
                "and tl.flip(v, 0).shape == (4, 8)"},
    {"Random", "tl.rand(1, n).dtype == tl.float32 and tl.randint4x(1, tl.arange(0, 8))[3].dtype == tl.uint32 "
               "and tl.randn(0, tl.arange(0, 4)).shape == (4,)"},
};
INSTANTIATE_TEST_SUITE_P(Values, CompileTime, ::testing::ValuesIn(truths),
                         [](const auto &info) { return std::string(info.param.name); });

struct OperationCase {
  const char *name;
  /// Over p (pointer to fp32), q (pointer to i32), n (i32), a (block of 16 fp32), b (block of 16 i32), m (16
  /// x 16 fp16).
  const char *expression;
  /// What the IR must contain.
  const char *operation;
};
void PrintTo(const OperationCase &operation, std::ostream *os) { *os << operation.name; }

class Operations : public ::testing::TestWithParam<OperationCase> {};

TEST_P(Operations, IsEmitted) {
  Emission emission = emitSource(std::string(R"(
from triton.language.extra import libdevice

@triton.jit
def larger(a, b):
    return tl.maximum(a, b)

@triton.jit
def f(p, q, n):
    offs = tl.arange(0, 16)
    a = tl.load(p + offs)
    b = tl.load(q + offs)
    m = tl.load(p + offs[:, None] * 16 + offs[None, :]).to(tl.float16)
    v = )") + GetParam().expression + "\n    tl.device_print('v', v)\n",
                                 "*fp32, *i32, i32");
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir.find(GetParam().operation), std::string::npos) << emission.ir;
}

const OperationCase operations[] = {
    {"Exp", "tl.exp(a)", "math.exp %"},
    {"Exp2", "tl.math.exp2(a)", "math.exp2 %"},
    {"Log", "a.log()", "math.log %"},
    {"Log2", "tl.log2(a)", "math.log2 %"},
    {"Sin", "tl.sin(a)", "math.sin %"},
    {"Cos", "tl.cos(a)", "math.cos %"},
    {"Sqrt", "tl.sqrt(a)", "math.sqrt %"},
    {"Rsqrt", "tl.math.rsqrt(a)", "math.rsqrt %"},
    {"SqrtRn", "tl.sqrt_rn(a)", "tt.precise_sqrt %"},
    {"DivRn", "tl.div_rn(a, a + 1)", "tt.precise_divf %"},
    {"Erf", "tl.erf(a)", "math.erf %"},
    {"Floor", "tl.floor(a)", "math.floor %"},
    {"Ceil", "tl.ceil(a)", "math.ceil %"},
    {"Abs", "tl.abs(a)", "math.absf %"},
    {"AbsOfIntegers", "abs(b)", "math.absi %"},
    {"Fma", "tl.fma(a, a, a)", "math.fma %"},
    {"Fdiv", "tl.fdiv(a, a + 1)", "arith.divf %"},
    {"Umulhi", "tl.umulhi(b, b)", "tt.mulhiui %"},
    {"Clamp", "tl.clamp(a, 0.0, 1.0)", "tt.clampf %"},
    {"Maximum", "tl.maximum(a, 0.0)", "arith.maxnumf"},
    {"MaximumOfNaN", "tl.maximum(a, a + 1, propagate_nan=tl.PropagateNan.ALL)", "arith.maximumf"},
    {"MinimumOfIntegers", "tl.minimum(b, 3)", "arith.minsi"},
    {"MinOfScalars", "min(n, 3)", "arith.minsi"},
    {"Where", "tl.where(a > 0, a, -a)", "arith.select"},
    {"Sigmoid", "tl.sigmoid(a)", "arith.divf"},
    {"Softmax", "a.softmax()", "math.exp"},
    {"Tanh", "libdevice.tanh(a)", "symbol = \"__nv_tanhf\""},
    {"Pow", "libdevice.pow(a, 2.0)", "symbol = \"__nv_powf\""},
    {"LibdeviceByName", "libdevice.erfinv(a)", "symbol = \"__nv_erfinvf\""},
    {"Sum", "tl.sum(a)", "arith.addf"},
    {"XorSum", "tl.xor_sum(b, 0)", "arith.xori"},
    {"Argmax", "tl.argmax(a, 0)", "(tensor<16xf32>, tensor<16xi32>) -> (f32, i32)"},
    {"Reduce", "tl.reduce(a, 0, larger)", "arith.maxnumf"},
    {"Cumsum", "tl.cumsum(a, 0, reverse=True)", "reverse = true"},
    {"AssociativeScan", "tl.associative_scan(a, 0, larger)", "\"tt.scan\""},
    {"Histogram", "tl.histogram(b, 8)", "tt.histogram"},
    {"Gather", "tl.gather(a, b, 0)", "tt.gather"},
    {"Dot", "tl.dot(m, m)",
     "inputPrecision = tf32 : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>"},
    {"DotIEEE", "tl.dot(m, m, input_precision='ieee', out_dtype=tl.float16)", "-> tensor<16x16xf16>"},
    {"DotOfFP8E4B15", "tl.dot(m.to(tl.float8e4b15), m.to(tl.float8e5))",
     "tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>"},
    {"Trans", "tl.trans(m)", "tt.trans"},
    {"Permute", "tl.permute(m, 1, 0)", "order = array<i32: 1, 0>"},
    {"Reshape", "tl.reshape(a, (4, 4))", "tt.reshape"},
    {"View", "a.view(4, 4)", "allow_reorder"},
    {"ExpandDims", "tl.expand_dims(b, 0)", "tt.expand_dims"},
    {"BroadcastTo", "tl.broadcast_to(b[:, None], 16, 4)", "tt.broadcast"},
    {"Cat", "tl.cat(a, a, can_reorder=True)", "tt.cat"},
    {"Full", "tl.full((4,), n, tl.float32)", "arith.sitofp"},
    {"ToHalf", "a.to(tl.float16)", "arith.truncf"},
    {"ToHalfRtz", "a.to(tl.float16, fp_downcast_rounding='rtz')", "tt.fp_to_fp"},
    {"ToFP8", "a.to(tl.float8e5)", "rounding = rtne"},
    {"Bitcast", "a.to(tl.int32, bitcast=True)", "tt.bitcast"},
    {"PointerToInteger", "p.to(tl.int64)", "tt.ptr_to_int"},
    {"ToBool", "b.to(tl.int1)", "arith.cmpi ne"},
    {"AtomicAdd", "tl.atomic_add(p + offs, a, sem='relaxed')", "tt.atomic_rmw fadd, relaxed, gpu"},
    {"AtomicMaxOfFloats", "tl.atomic_max(p, 1.0)", "tt.atomic_rmw max, acq_rel, gpu"},
    {"AtomicCas", "tl.atomic_cas(q, 0, 1)", "tt.atomic_cas acq_rel, gpu"},
    {"AtomicExchange", "tl.atomic_xchg(q, n, scope='sys')", "tt.atomic_rmw exch, acq_rel, sys"},
    {"LoadModifiers", "tl.load(p + offs, cache_modifier='.cg', eviction_policy='evict_last', volatile=True)",
     "cacheModifier = cg evictionPolicy = evict_last {isVolatile = true}"},
    {"MultipleOf", "tl.load(p + tl.multiple_of(offs + n, 16))",
     "tt.divisibility = dense<16> : tensor<1xi32>"},
    {"MaxContiguous", "tl.max_contiguous(offs + n, 16)", "tt.contiguity = dense<16>"},
    {"UnsignedOffset", "p + n.to(tl.uint32)", "arith.extui"},
    {"BlockPointer",
     "tl.load(tl.make_block_ptr(p, (n, 16), (16, 1), (0, 0), (16, 16), (1, 0)), boundary_check=(0,), "
     "padding_option='zero')",
     "boundaryCheck = array<i32: 0>"},
    {"Advance",
     "tl.load(tl.advance(tl.make_block_ptr(p, (n, 16), (16, 1), (0, 0), (16, 16), (1, 0)), (0, n)))",
     "tt.advance"},
    {"Descriptor", "tl.make_tensor_descriptor(p, [n, 16], [16, 1], [16, 16]).load([0, n])",
     "tt.descriptor_load"},
    {"LogicalAnd", "a > 0 and b > 0", "arith.andi"},
    {"Not", "not n", "arith.cmpi eq"},
    {"ChainedComparison", "0 < b < 5", "arith.andi"},
};
INSTANTIATE_TEST_SUITE_P(Builtins, Operations, ::testing::ValuesIn(operations),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Programs, BarrierAndStaticPrint) {
  Emission emission =
      emitSource("@triton.jit\ndef f(x):\n    tl.debug_barrier()\n    tl.static_print('x is', 3)\n"
                 "    tl.device_assert(tl.load(x) > 0, 'no')\n",
                 "*fp32");
  EXPECT_NE(emission.ir.find("gpu.barrier"), std::string::npos);
  EXPECT_EQ(emission.messages, "7:5: note: x is 3\n");
}

TEST(Programs, BooleansLieInMemoryAsBytes) {
  Emission emission =
      emitSource("@triton.jit\ndef f(x):\n    v = tl.load(x)\n    tl.static_assert(v.dtype == tl.int1)\n"
                 "    tl.store(x, not v)\n",
                 "*i1");
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir.find("tt.bitcast %x : !tt.ptr<i1> -> !tt.ptr<i8>"), std::string::npos);
}

TEST(Programs, LibdeviceNamesFollowTheTarget) {
  Emission emission = emitSource("from triton.language.extra.hip import libdevice\n@triton.jit\ndef f(x):\n"
                                 "    tl.store(x, libdevice.erfinv(tl.load(x)))\n",
                                 "*fp64", {}, "hip:gfx942");
  EXPECT_NE(emission.ir.find("symbol = \"__ocml_erfinv_f64\""), std::string::npos);
}

} // namespace
} // namespace nereid::test
