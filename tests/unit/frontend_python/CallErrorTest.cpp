// Calls, conversions and signatures that do not fit.
//
// Columns and lines are those of a file whose first three lines import triton and triton.language as tl.
#include "tests/unit/frontend_python/EmitSource.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

const ErrorCase errors[] = {
    {"NoAttribute",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = n.foo\n",
     "*fp32, i32", "6:9: error: a run-time value of type int32 has no attribute 'foo'\n"},
    {"NotSupportedYet",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.foo(n)\n",
     "*fp32, i32", "6:9: error: 'tl.foo' is not supported yet\n"},
    {"UnknownKeyword",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.load(x, msk=n > 0)\n",
     "*fp32, i32", "6:9: error: tl.load() has no parameter 'msk'\n"},
    {"TooManyArguments",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.program_id(0, 1)\n",
     "*fp32, i32", "6:9: error: tl.program_id() takes 1 argument, but 2 are given\n"},
    {"MissingArgument",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.arange(16)\n",
     "*fp32, i32", "6:9: error: tl.arange() is missing the argument 'end'\n"},
    {"ArgumentTwice",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.load(x, pointer=x)\n",
     "*fp32, i32", "6:9: error: tl.load() gets the argument 'pointer' twice\n"},
    {"ProgramIdAxis",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.program_id(3)\n",
     "*fp32, i32", "6:9: error: the axis of the grid must be 0, 1 or 2, not 3\n"},
    {"CallOfInteger",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = n(1)\n",
     "*fp32, i32", "6:9: error: a run-time value of type int32 cannot be called\n"},
    {"CalleeArity",
     "@triton.jit\n"
     "def g(a, b):\n"
     "    return a + b\n"
     "\n"
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = g(n)\n",
     "*fp32, i32",
     "10:9: error: g() is missing the argument 'b'\n"
     "5:5: note: 'g' is defined here\n"},
    {"CalleeKeyword",
     "@triton.jit\n"
     "def g(a, b=1):\n"
     "    return a + b\n"
     "\n"
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = g(n, c=1)\n",
     "*fp32, i32",
     "10:9: error: g() has no parameter 'c'\n"
     "5:5: note: 'g' is defined here\n"},
    {"ErrorInCallee",
     "@triton.jit\n"
     "def h(a):\n"
     "    return tl.exp(a)\n"
     "\n"
     "@triton.jit\n"
     "def g(a):\n"
     "    return h(a)\n"
     "\n"
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = g(n)\n",
     "*fp32, i32",
     "6:12: error: Expected dtype ['fp32', 'fp64'] but got int32\n"
     "10:12: note: in the call of 'h'\n"
     "14:9: note: in the call of 'g'\n"},
    {"Recursion",
     "@triton.jit\n"
     "def g(a):\n"
     "    return g(a + 1)\n"
     "\n"
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = g(n)\n",
     "*fp32, i32",
     "6:12: error: calls are nested more than 100 deep; does 'g' call itself?\n"
     "6:12: note: in the call of 'g'\n"
     "10:9: note: in the call of 'g'\n"},
    {"ReturnTypesDiffer",
     "@triton.jit\n"
     "def g(a):\n"
     "    if a > 0:\n"
     "        return a\n"
     "    return 1.5\n"
     "\n"
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = g(n)\n",
     "*fp32, i32",
     "6:5: error: 'g' returns a run-time value of type int32 on one path and a run-time value of type fp32 "
     "on another; which one is taken is only known at run time\n"
     "12:9: note: in the call of 'g'\n"},
    {"PlainFunctionRunTime",
     "def g(a):\n"
     "    return a\n"
     "\n"
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = g(n)\n",
     "*fp32, i32",
     "9:9: error: 'g' is not a @triton.jit function, so it cannot take the run-time value 'a' (run-time "
     "value of type int32)\n"
     "4:5: note: 'g' is defined here\n"},
    {"ForeignModule",
     "import torch\n"
     "\n"
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.load(x).to(torch.float16)\n",
     "*fp32, i32",
     "8:9: error: 'torch.float16' cannot be used in a kernel: module 'torch' is not available when kernels "
     "are compiled\n"},
    {"MissingModule",
     "from .nowhere import helper\n"
     "\n"
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = helper(n)\n",
     "*fp32, i32",
     "8:9: error: 'helper' cannot be called in a kernel: module '.nowhere', from which it is imported, was "
     "not found\n"},
    {"ConditionalExpressionTypes",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = n if n > 0 else 1.5\n",
     "*fp32, i32",
     "6:9: error: the two values of this conditional expression have different types, run-time value of type "
     "int32 and run-time value of type fp32, and which is taken is only known at run time\n"},
    {"ConditionalExpressionOfTexts",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = 'above' if n > 0 else 'below'\n",
     "*fp32, i32",
     "6:9: error: each of the two values of this conditional expression is a compile-time str, and which is "
     "taken is only "
     "known at run time\n"},
    {"ConstexprOfRunTime",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v: tl.constexpr = n + 1\n"
     "    w = tl.arange(0, v)\n",
     "*fp32, i32",
     "6:23: warning: 'v' is declared tl.constexpr, but its value is only known at run time (run-time value "
     "of "
     "type int32)\n"
     "7:9: error: the end of tl.arange must be known at compile time (a tl.constexpr), but is a run-time "
     "value "
     "of type int32\n"},
    {"CompareWithNone",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    if n == None:\n"
     "        pass\n",
     "*fp32, i32",
     "6:8: error: operator == does not go with run-time value of type int32 and None; None is asked for with "
     "'is'\n"},
    {"MaximumOfOne",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = max(n)\n",
     "*fp32, i32",
     "6:9: error: max() compares several values, but gets a single run-time value of type int32; use "
     "tl.max\n"},
    {"FillIntegersWithFloat",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.full([16], 1.5, tl.int8)\n",
     "*fp32, i32", "6:9: error: tl.full cannot fill a block of type int8 with 1.5\n"},
    {"FillUnsignedWithNegative",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.full([16], -1, tl.uint8)\n",
     "*fp32, i32", "6:9: error: tl.full cannot fill a block of type uint8 with -1\n"},
    {"TopOfThree",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.topk(tl.arange(0, 16), 3)\n",
     "*fp32, i32",
     "6:9: error: static assertion failed: k of tl.topk must be a power of 2 and not more than there are "
     "elements\n"},
    {"MultiplyHighOfBytes",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.umulhi(n.to(tl.int8), n)\n",
     "*fp32, i32", "6:9: error: Expected dtype ['int32', 'int64', 'uint32', 'uint64'] but got int8\n"},
    {"StaticAssert",
     "@triton.jit\n"
     "def f(x, BLOCK: tl.constexpr):\n"
     "    tl.static_assert(BLOCK > 32, \"too small\")\n",
     "*fp32, 16", "6:5: error: static assertion failed: too small\n"},
    {"Assert",
     "@triton.jit\n"
     "def f(x, BLOCK: tl.constexpr):\n"
     "    assert BLOCK > 32, \"too small\"\n",
     "*fp32, 16", "6:12: error: this assertion fails: too small\n"},
    {"StaticAssertRunTime",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    tl.static_assert(n > 32)\n",
     "*fp32, i32",
     "6:5: error: the condition of tl.static_assert must be known at compile time, but this is a run-time "
     "value of type int1\n"},
    {"FStringRunTime",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    tl.static_print(f\"{n}\")\n",
     "*fp32, i32",
     "6:24: error: an f-string can only show compile-time values, but this is a run-time value of type "
     "int32; use tl.device_print for it\n"},
    {"DotInner",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.dot(tl.zeros((16, 32), tl.float16), tl.zeros((16, 32), tl.float16))\n",
     "*fp32, i32",
     "6:9: error: the inner dimensions of tl.dot differ: <[16, 32], fp16> has 32 columns and <[16, 32], "
     "fp16> has 16 rows\n"},
    {"DotTypes",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float32))\n",
     "*fp32, i32", "6:9: error: both operands of tl.dot must have the same type, not fp16 and fp32\n"},
    {"ReshapeCount",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.reshape(tl.arange(0, 16), (4, 8))\n",
     "*fp32, i32",
     "6:9: error: cannot reshape <[16], int32> to [4, 8]: they have different numbers of elements\n"},
    {"PermuteTwice",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.permute(tl.zeros((4, 8), tl.float32), (0, 0))\n",
     "*fp32, i32", "6:9: error: dimension 0 is named twice\n"},
    {"ReduceAxis",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.sum(tl.arange(0, 16), axis=1)\n",
     "*fp32, i32", "6:9: error: axis 1 is out of range for a block of type <[16], int32>\n"},
    {"ReduceScalar",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.sum(n, axis=0)\n",
     "*fp32, i32", "6:9: error: tl.reduce takes a block, not a scalar of type int32\n"},
    {"CastToString",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = n.to(\"fp32\")\n",
     "*fp32, i32", "6:9: error: expected a dtype such as tl.float32, but got a compile-time str\n"},
    {"BitcastWidth",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = n.to(tl.int8, bitcast=True)\n",
     "*fp32, i32", "6:9: error: cannot take the bits of int32 as int8: they have 32 and 8 bits\n"},
    {"RoundingMode",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.load(x).to(tl.float16, fp_downcast_rounding=\"up\")\n",
     "*fp32, i32", "6:9: error: unknown rounding mode 'up'; there are 'rtne' and 'rtz'\n"},
    {"RoundingModeWidening",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = n.to(tl.float16, fp_downcast_rounding=\"rtz\")\n",
     "*fp32, i32",
     "6:9: error: fp_downcast_rounding only goes with a conversion to a narrower float, not from int32 to "
     "fp16\n"},
    {"AtomicOnBool",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.atomic_add(x, 1)\n",
     "*i8, i32", "6:9: error: tl.atomic_add does not go with elements of type int8\n"},
    {"AtomicOrder",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.atomic_add(x, 1.0, sem=\"strong\")\n",
     "*fp32, i32",
     "6:9: error: memory order 'strong' is not known; there are 'acquire', 'release', 'acq_rel' and "
     "'relaxed'\n"},
    {"ComplexNumber",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = 1j\n",
     "*fp32, i32", "6:9: error: complex numbers are not supported in a kernel\n"},
    {"Bytes",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = b\"a\"\n",
     "*fp32, i32", "6:9: error: bytes are not supported in a kernel\n"},
    {"MathOfRunTime",
     "import math\n"
     "\n"
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = math.sqrt(n)\n",
     "*fp32, i32",
     "8:9: error: math.sqrt() takes compile-time numbers; use tl.sqrt for a run-time value of type int32\n"},
    {"IntOfRunTime",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = int(n)\n",
     "*fp32, i32",
     "6:9: error: int() takes compile-time values; use .to(tl.int32) on a run-time value of type int32\n"},
    {"CircularGlobal",
     "A = B\n"
     "B = A\n"
     "\n"
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = A\n",
     "*fp32, i32", "5:5: error: the value of 'A' depends on itself\n"},
    {"WhereTypes",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.where(n > 0, x, 1)\n",
     "*fp32, i32",
     "6:9: error: the values of tl.where have types pointer<fp32> and int32, which do not go together\n"},
    {"StarredParameter",
     "@triton.jit\n"
     "def f(x, *rest):\n"
     "    pass\n",
     "*fp32, i32", "5:11: error: a kernel cannot have the parameter '*rest'; list its parameters\n"},
    {"NotJit",
     "def f(x, n):\n"
     "    pass\n",
     "*fp32, i32", "4:5: error: 'f' is not decorated with @triton.jit\n"},
    {"NoSuchKernel",
     "@triton.jit\n"
     "def g(x, n):\n"
     "    pass\n",
     "*fp32, i32", "nereid: error: there is no kernel 'f' in 'kernel.py'; its decorated functions are g\n"},
    {"KernelUnderACondition",
     "FAST = False\n"
     "if FAST:\n"
     "    @triton.jit\n"
     "    def f(x, n):\n"
     "        pass\n",
     "*fp32, i32",
     "7:5: error: 'f' is not defined, as it stands under a condition that does not hold here\n"
     "5:4: note: the condition\n"},
    {"KernelUnderTheOuterCondition",
     "FAST, LARGE = True, True\n"
     "if FAST:\n"
     "    size = 64\n"
     "else:\n"
     "    if LARGE:\n"
     "        @triton.jit\n"
     "        def f(x, n):\n"
     "            pass\n",
     "*fp32, i32",
     "10:9: error: 'f' is not defined, as it stands in the 'else' of a condition that holds here\n"
     "5:4: note: the condition\n"},
    {"KernelIsAValue", "f = 3\n", "*fp32, i32",
     "nereid: error: 'f' in 'kernel.py' is not a kernel (compile-time int)\n"},
    {"SignatureTooShort",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    pass\n",
     "*fp32",
     "signature:1:1: error: the signature has no type for the parameter 'n'\n"
     "5:5: note: 'f' has the parameters x, n\n"},
    {"SignatureTooLong",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    pass\n",
     "*fp32, i32, i32",
     "signature:1:13: error: the signature has 3 parameters, but 'f' has 2\n"
     "5:5: note: 'f' has the parameters x, n\n"},
    {"SignatureTypeForConstexpr",
     "@triton.jit\n"
     "def f(x, BLOCK: tl.constexpr):\n"
     "    pass\n",
     "*fp32, i32:16",
     "signature:1:8: error: the parameter 'BLOCK' is tl.constexpr and needs a value, not the type i32:16\n"
     "5:10: note: it is declared here\n"},
    {"SignatureUnknownName",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    pass\n",
     "x=*fp32, m=i32",
     "signature:1:10: error: 'f' has no parameter 'm'\n"
     "5:5: note: 'f' has the parameters x, n\n"},
    {"SignatureMissingName",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    pass\n",
     "x=*fp32",
     "signature:1:1: error: the signature has no type for the parameter 'n'\n"
     "5:5: note: 'f' has the parameters x, n\n"},
    {"SyntaxError",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = (1\n",
     "*fp32, i32", "6:9: error: '(' was never closed\n"},
    {"LaunchInKernel",
     "@triton.jit\n"
     "def g(x, n):\n"
     "    pass\n"
     "\n"
     "@triton.jit\n"
     "def f(x, n):\n"
     "    g[(1,)](x, n)\n",
     "*fp32, i32", "10:5: error: a kernel cannot launch kernels: function 'g' cannot be indexed\n"},
    {"SumIntoTuple",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = n + (1, 2)\n",
     "*fp32, i32", "6:9: error: operator + does not go with run-time value of type int32 and tuple\n"},
    {"NegatePointer",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = -x\n",
     "*fp32, i32", "6:9: error: unary - does not go with pointer<fp32>\n"},
    {"DotOfUnsigned",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.zeros([16, 16], tl.uint8)\n"
     "    w = tl.dot(v, v)\n",
     "*fp32, i32", "7:9: error: of integers, tl.dot only takes int8, not uint8\n"},
    {"DotToBFloat16",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.zeros([16, 16], tl.float16)\n"
     "    w = tl.dot(v, v, out_dtype=tl.bfloat16)\n",
     "*fp32, i32",
     "7:9: error: tl.dot has no out_dtype bf16; leave it out and convert the result with .to(tl.bfloat16)\n"},
    {"DotToInteger",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.zeros([16, 16], tl.float16)\n"
     "    w = tl.dot(v, v, out_dtype=tl.int32)\n",
     "*fp32, i32", "7:9: error: out_dtype of a tl.dot of fp16 must be fp32 or fp16, not int32\n"},
    {"AdvanceUnused",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    b = tl.make_block_ptr(x, (64, 64), (64, 1), (0, 0), (16, 16), (1, 0))\n"
     "    tl.advance(b, (16, 0))\n",
     "*fp32, i32",
     "7:5: error: this block pointer is not used: tl.advance does not move the one that it is given, but "
     "returns another, which is to be assigned\n"},
    {"AdvanceBy64Bits",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    b = tl.make_block_ptr(x, (64, 64), (64, 1), (0, 0), (16, 16), (1, 0))\n"
     "    b = tl.advance(b, (n, 0))\n",
     "*fp32, i64",
     "7:9: error: the offsets of tl.advance have 32 bits, but this one is an int64; convert it with "
     ".to(tl.int32)\n"},
    {"OffsetOutOfRange",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    b = tl.make_block_ptr(x, (64,), (1,), (8589934592,), (16,), (0,))\n",
     "*fp32, i64",
     "6:9: error: the offsets of a block pointer have 32 bits, but 8589934592 is out of their range\n"},
    {"StoreOtherTypeToBlock",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    b = tl.make_block_ptr(x, (64, 64), (64, 1), (0, 0), (16, 16), (1, 0))\n"
     "    tl.store(b, tl.zeros([16, 16], tl.float16))\n",
     "*fp32, i32",
     "7:5: error: the value stored has elements of type fp16, but the block pointer points to <[16, 16], "
     "fp32>; convert it with .to\n"},
    {"DescriptorReduction",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    d = tl.make_tensor_descriptor(x, [64, 64], [64, 1], [16, 16])\n"
     "    d.atomic_or([0, 0], tl.zeros([16, 16], tl.float32))\n",
     "*fp32, i32", "7:5: error: .atomic_or of a tensor descriptor does not go with elements of type fp32\n"},
    {"TooManyIndices",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.arange(0, 16)[:, :, None]\n",
     "*fp32, i32", "6:9: error: too many indices for a block of type <[16], int32>\n"},
    {"StaticVariableChangedInLoop",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    for i in tl.static_range(4):\n"
     "        pass\n"
     "    for j in range(n):\n"
     "        for i in tl.static_range(2):\n"
     "            tl.store(x, i)\n"
     "    tl.store(x, i)\n",
     "*fp32, i32",
     "11:17: error: name 'i' may be one of two things here\n"
     "8:5: note: 'i' is 3 before this loop and 1 in it\n"},
    {"CombineReturns",
     "@triton.jit\n"
     "def g(a, b):\n"
     "    return a + b + 0.5\n"
     "\n"
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.reduce(tl.arange(0, 16), 0, g)\n",
     "*fp32, i32", "10:9: error: function 'g' must return what it combines, int32, but returns fp32\n"},
    {"CombineArity",
     "@triton.jit\n"
     "def g(a):\n"
     "    return a\n"
     "\n"
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.reduce(tl.arange(0, 16), 0, g)\n",
     "*fp32, i32",
     "10:9: error: g() takes 1 argument, but 2 are given\n"
     "5:5: note: 'g' is defined here\n"},
    {"Ellipsis",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.arange(0, 16)[..., None]\n",
     "*fp32, i32", "6:26: error: '...' is not supported in a kernel\n"},
    {"ScaledDotFormat",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    a = tl.zeros((16, 32), tl.uint8)\n"
     "    v = tl.dot_scaled(a, None, \"e3m3\", a.T, None, \"e2m1\")\n",
     "*fp32, i32",
     "7:9: error: the format 'e3m3' is not known; there are 'e2m1', 'e4m3', 'e5m2', 'bf16' and 'fp16'\n"},
    {"MapElementwiseScalar",
     "@triton.jit\n"
     "def g(a):\n"
     "    return a\n"
     "\n"
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.map_elementwise(g, n)\n",
     "*fp32, i32", "10:9: error: tl.map_elementwise takes blocks, not a scalar of type int32\n"},
    {"HeuristicAtRunTime",
     "@triton.heuristics({\"E\": lambda args: args[\"n\"] % 2 == 0})\n"
     "@triton.jit\n"
     "def f(x, n, E: tl.constexpr):\n"
     "    pass\n",
     "x=*fp32, n=i32",
     "signature:1:1: error: the parameter 'E' is computed by @triton.heuristics from what is only known at "
     "run time; give its value in the signature\n"
     "4:39: note: 'n' cannot be used in a kernel: its value is only known at run time\n"},
    {"DefaultOfKernel",
     "@triton.jit\n"
     "def f(x, n=undefined):\n"
     "    pass\n",
     "*fp32", "5:12: error: name 'undefined' is not defined\n"},
    {"ErrorInPrelude",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.softmax(tl.load(x))\n",
     "*fp32, i32", "6:9: error: tl.reduce takes a block, not a scalar of type fp32\n"},
    {"SortAxis",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.sort(tl.zeros((4, 4), tl.float32), 0)\n",
     "*fp32, i32", "6:9: error: static assertion failed: tl.sort sorts along the last dimension only\n"},
    {"TypeOfCall",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.zeros((16,), 3)\n",
     "*fp32, i32", "6:9: error: expected a dtype such as tl.float32, but got a compile-time int\n"},
    {"UnknownImport",
     "from triton.language import foo\n"
     "\n"
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = foo(n)\n",
     "*fp32, i32",
     "8:9: error: 'foo' cannot be called in a kernel: module 'triton.language' has no 'foo' that is "
     "supported yet\n"},
    {"UnknownInModule",
     "from math import foo\n"
     "\n"
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = foo(n)\n",
     "*fp32, i32",
     "8:9: error: 'foo' cannot be called in a kernel: module 'math' has no 'foo' that is supported yet\n"},
    {"ComparandOfACasThatIsABlock",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    tl.atomic_cas(x, tl.arange(0, 16), n)\n",
     "*i32, i32", "6:5: error: what tl.atomic_cas compares with must be a scalar, as the pointer is one\n"},
    {"PacksThatAreNotWhole",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.inline_asm_elementwise('mov.u32 $0, $1;', '=r,r', [tl.arange(0, 16)], tl.int32, True, 3)\n",
     "*i32, i32", "6:9: error: pack is 3, which does not divide the 16 elements of <[16], int32>\n"},
    {"SumOfFP8E4B15",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.load(x)\n"
     "    tl.store(x, v + v)\n",
     "*fp8e4b15, i32",
     "7:17: error: there is no arithmetic on fp8e4b15; convert it first: x.to(tl.float16)\n"},
    {"NegatedFP8E4B15",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.load(x)\n"
     "    tl.store(x, -v)\n",
     "*fp8e4b15, i32",
     "7:17: error: there is no arithmetic on fp8e4b15; convert it first: x.to(tl.float16)\n"},
    {"ComparedFP8E4B15",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.load(x)\n"
     "    tl.store(x, tl.where(v < v, v, v))\n",
     "*fp8e4b15, i32",
     "7:26: error: there is no arithmetic on fp8e4b15; convert it first: x.to(tl.float16)\n"},
    {"DescriptorAsElement",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    d = tl.make_tensor_descriptor(x, [64, 64], [64, 1], [16, 16])\n"
     "    d[:, None]\n",
     "*fp32, i32",
     "7:5: error: a value of type tensor_descriptor<<[16, 16], fp32>> cannot be the element of a block\n"},
    {"TruthOfABlockPointer",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    b = tl.make_block_ptr(x, (64, 64), (64, 1), (0, 0), (16, 16), (1, 0))\n"
     "    y = b and n\n",
     "*fp32, i32", "7:9: error: cannot convert pointer<<[16, 16], fp32>> to int64\n"},
    {"ScaleOfTooFewRows",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    a = tl.zeros([32, 64], tl.uint8)\n"
     "    b = tl.zeros([64, 32], tl.uint8)\n"
     "    y = tl.dot_scaled(a, tl.zeros([16, 2], tl.uint8), 'e5m2', b, None, 'e5m2')\n",
     "*fp32, i32",
     "8:9: error: lhs_scale of tl.dot_scaled must be a block of uint8, or of fp8e4nv, with 32 rows, each "
     "with a "
     "scale for every run of the 64 elements that are summed, not <[16, 2], uint8>\n"},
    {"ScaleThatIsAScalar",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    a = tl.zeros([32, 64], tl.uint8)\n"
     "    b = tl.zeros([64, 32], tl.uint8)\n"
     "    y = tl.dot_scaled(a, None, 'e5m2', b, 1, 'e5m2')\n",
     "*fp32, i32",
     "8:9: error: rhs_scale of tl.dot_scaled must be a block of uint8, or of fp8e4nv, with 32 rows, each "
     "with a "
     "scale for every run of the 64 elements that are summed, not int32\n"},
    {"OtherAxisOfAScaledProduct",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    a = tl.zeros([32, 64], tl.uint8)\n"
     "    b = tl.zeros([64, 32], tl.uint8)\n"
     "    y = tl.dot_scaled(a, None, 'e5m2', b, None, 'e5m2', lhs_k_pack=False)\n",
     "*fp32, i32", "8:9: error: lhs_k_pack=False of tl.dot_scaled is for operands of format 'e2m1' alone\n"},
    {"ResultOfAScaledProduct",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    a = tl.zeros([32, 64], tl.uint8)\n"
     "    b = tl.zeros([64, 32], tl.uint8)\n"
     "    y = tl.dot_scaled(a, None, 'e5m2', b, None, 'e5m2', out_dtype=tl.float16)\n",
     "*fp32, i32", "8:9: error: out_dtype of tl.dot_scaled must be float32, not fp16\n"},
    {"BatchesOfAScaledProduct",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    a = tl.zeros([2, 32, 64], tl.uint8)\n"
     "    b = tl.zeros([4, 64, 32], tl.uint8)\n"
     "    y = tl.dot_scaled(a, None, 'e5m2', b, None, 'e5m2')\n",
     "*fp32, i32",
     "8:9: error: the batch dimensions of tl.dot_scaled differ: <[2, 32, 64], fp8e5> and <[4, 64, 32], "
     "fp8e5>\n"},
};

class CallErrors : public ::testing::TestWithParam<ErrorCase> {};
TEST_P(CallErrors, SaysWhatAndWhere) { expectError(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Refused, CallErrors, ::testing::ValuesIn(errors),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace nereid::test
