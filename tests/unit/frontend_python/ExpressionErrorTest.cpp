// Blocks, memory accesses and operators that do not fit together.
//
// Columns and lines are those of a file whose first three lines import triton and triton.language as tl.
#include "tests/unit/frontend_python/EmitSource.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

const ErrorCase errors[] = {
    {"ArangeRunTime",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.arange(0, n)\n",
     "*fp32, i32",
     "6:9: error: the end of tl.arange must be known at compile time (a tl.constexpr), but is a run-time "
     "value of type int32\n"},
    {"ArangeNotPowerOf2",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.arange(0, 100)\n",
     "*fp32, i32", "6:9: error: the length of tl.arange must be a power of 2, but 100 - 0 is 100\n"},
    {"ArangeEmpty",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.arange(16, 16)\n",
     "*fp32, i32",
     "6:9: error: the end of tl.arange must be greater than its start, but it goes from 16 to 16\n"},
    {"ArangeVariable",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    m = 16\n"
     "    v = tl.arange(0, m)\n",
     "*fp32, i32",
     "7:9: error: the end of tl.arange must be known at compile time (a tl.constexpr), but is a run-time "
     "value of type int32\n"},
    {"ZerosNotPowerOf2",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.zeros((3,), tl.float32)\n",
     "*fp32, i32", "6:9: error: a size of a block must be a power of 2, but this one is 3\n"},
    {"TooManyElements",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.zeros((2048, 1024), tl.float32)\n",
     "*fp32, i32", "6:9: error: a block of shape [2048, 1024] has more than 1048576 elements\n"},
    {"ExpOfHalf",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.exp(tl.load(x))\n",
     "*fp16, i32", "6:9: error: Expected dtype ['fp32', 'fp64'] but got fp16\n"},
    {"LoadOfInteger",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.load(n)\n",
     "*fp32, i32", "6:9: error: tl.load takes a pointer or a block of pointers, not a value of type int32\n"},
    {"LoadOfNone",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.load(x)\n",
     "None, i32", "6:9: error: tl.load takes a pointer or a block of pointers, not None\n"},
    {"OtherWithoutMask",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.load(x, other=0.0)\n",
     "*fp32, i32", "6:9: error: `other` of tl.load needs a mask\n"},
    {"BlockMaskScalarPointer",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.load(x, mask=tl.arange(0, 16) < n)\n",
     "*fp32, i32",
     "6:9: error: the mask of tl.load is a block of type <[16], int1>, but the pointer is a scalar\n"},
    {"FloatMask",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.load(x + tl.arange(0, 16), mask=1.5)\n",
     "*fp32, i32", "6:9: error: the mask of tl.load must be of type int1, not fp32\n"},
    {"StoreBlockScalarPointer",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    tl.store(x, tl.arange(0, 16))\n",
     "*fp32, i32", "6:5: error: cannot store a block of type <[16], int32> through a scalar pointer\n"},
    {"StoreShape",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    tl.store(x + tl.arange(0, 16), tl.zeros((4, 16), tl.float32))\n",
     "*fp32, i32",
     "6:5: error: the block of pointers has shape [16], but the value or the mask has shape [4, 16]\n"},
    {"CacheModifier",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.load(x, cache_modifier=\".xx\")\n",
     "*fp32, i32", "6:9: error: cache modifier '.xx' is not known here; there are '.ca', '.cg', '.cv'\n"},
    {"EvictionPolicy",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.load(x, eviction_policy=\"never\")\n",
     "*fp32, i32",
     "6:9: error: eviction policy 'never' is not known here; there are 'evict_first', 'evict_last', "
     "'evict_normal'\n"},
    {"BoundaryCheckOnPointer",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.load(x, boundary_check=(0,))\n",
     "*fp32, i32",
     "6:9: error: boundary_check and padding_option only go with block pointers; use mask and other\n"},
    {"BroadcastShapes",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.arange(0, 16) + tl.arange(0, 32)\n",
     "*fp32, i32",
     "6:9: error: blocks of shapes [16] and [32] do not go together: at dimension 0 they have 16 and 32 "
     "elements\n"},
    {"BroadcastTo",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.broadcast_to(tl.arange(0, 16)[:, None], (32, 16))\n",
     "*fp32, i32",
     "6:9: error: cannot broadcast [16, 1] to [32, 16]: dimension 0 is 16 and only 1 can grow\n"},
    {"PointerTimesInteger",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = x * 2\n",
     "*fp32, i32", "6:9: error: invalid operands of type pointer<fp32> and int32\n"},
    {"PointerPlusFloat",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = x + 1.5\n",
     "*fp32, i32", "6:9: error: invalid operands of type pointer<fp32> and fp32\n"},
    {"PointerPlusPointer",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = x + x\n",
     "*fp32, i32", "6:9: error: cannot add two pointers\n"},
    {"FloatFloorDivision",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.load(x) // 2\n",
     "*fp32, i32", "6:9: error: // takes integers, not fp32; use / and tl.floor, or cast the operands\n"},
    {"ShiftOfFloat",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.load(x) << 1\n",
     "*fp32, i32", "6:9: error: << takes integers, not fp32 and fp32\n"},
    {"PowerOfTensor",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = n ** 2\n",
     "*fp32, i32",
     "6:9: error: ** is only supported between compile-time numbers; multiply, or use tl.exp2 and tl.log2\n"},
    {"MatMulOperator",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = n @ n\n",
     "*fp32, i32", "6:9: error: @ is not supported in a kernel; use tl.dot\n"},
    {"MixedSignDivision",
     "@triton.jit\n"
     "def f(x, n, m):\n"
     "    v = n // m\n",
     "*fp32, i32, u32",
     "6:9: error: cannot divide int32 and uint32: one is signed and the other is not; cast one of them\n"},
    {"NegativeForUnsigned",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = n + -1\n",
     "*fp32, u32", "6:9: error: cannot combine a uint32 with the negative number -1; cast one of them\n"},
    {"LiteralOutOfRange",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = n + 300\n",
     "*fp32, i8", "6:9: error: the number 300 is out of range for type int8\n"},
    {"LiteralTooWide",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = n + 18446744073709551616\n",
     "*fp32, i32", "6:9: error: the integer 18446744073709551616 does not fit in 64 bits\n"},
    {"InvertFloat",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = ~tl.load(x)\n",
     "*fp32, i32", "6:9: error: unary ~ does not go with fp32\n"},
    {"DivisionByZero",
     "@triton.jit\n"
     "def f(x, BLOCK: tl.constexpr):\n"
     "    v = BLOCK // 0\n",
     "*fp32, 16", "6:9: error: division by zero\n"},
    {"StringPlusInt",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = \"a\" + 1\n",
     "*fp32, i32", "6:9: error: operator + does not go with compile-time str and compile-time int\n"},
    {"IndexBlock",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.arange(0, 16)\n"
     "    w = v[3]\n",
     "*fp32, i32",
     "7:9: error: a block can only be indexed with ':' and None, not with compile-time int; use masks, "
     "tl.gather or pointers\n"},
    {"IndexPointer",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = x[n]\n",
     "*fp32, i32", "6:9: error: a pointer cannot be indexed in a kernel; use tl.load(pointer + offset)\n"},
    {"TupleIndexRange",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = (1, 2)\n"
     "    w = v[5]\n",
     "*fp32, i32", "7:9: error: index 5 is out of range for a tuple of 2\n"},
    {"TupleIndexRunTime",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = (1, 2)\n"
     "    w = v[n]\n",
     "*fp32, i32",
     "7:9: error: an index of a tuple must be known at compile time, but this is a run-time value of type "
     "int32\n"},
};

class ExpressionErrors : public ::testing::TestWithParam<ErrorCase> {};
TEST_P(ExpressionErrors, SaysWhatAndWhere) { expectError(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Refused, ExpressionErrors, ::testing::ValuesIn(errors),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace nereid::test
