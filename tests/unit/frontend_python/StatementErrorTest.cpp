// Statements and names that a kernel cannot have.
//
// Columns and lines are those of a file whose first three lines import triton and triton.language as tl.
#include "tests/unit/frontend_python/EmitSource.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

const ErrorCase errors[] = {
    {"UnknownName",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    tl.store(x, valu)\n"
     "    value = 1\n",
     "*fp32, i32", "6:17: error: name 'valu' is not defined\n"},
    {"MisspeltName",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    value = tl.load(x)\n"
     "    tl.store(x, valu)\n",
     "*fp32, i32", "7:17: error: name 'valu' is not defined; did you mean 'value'?\n"},
    {"OnlyInLoop",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    for i in range(0, 1):\n"
     "        value = 1.0\n"
     "    tl.store(x, value)\n",
     "*fp32, i32",
     "8:17: error: name 'value' is not defined\n"
     "6:5: note: 'value' is only assigned inside this loop; assign it before as well\n"},
    {"OnlyInThen",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    if n > 0:\n"
     "        value = 1.0\n"
     "    tl.store(x, value)\n",
     "*fp32, i32",
     "8:17: error: name 'value' is not defined\n"
     "6:5: note: 'value' has a value at the end of only one branch of this 'if'; assign it before\n"},
    {"OnlyInWhile",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    i = 0\n"
     "    while i < n:\n"
     "        value = 1.0\n"
     "        i += 1\n"
     "    tl.store(x, value)\n",
     "*fp32, i32",
     "10:17: error: name 'value' is not defined\n"
     "7:5: note: 'value' is only assigned inside this loop; assign it before as well\n"},
    {"DifferentTypesInBranches",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    if n > 0:\n"
     "        v = 1.0\n"
     "    else:\n"
     "        v = 1\n"
     "    tl.store(x, v)\n",
     "*fp32, i32",
     "10:17: error: name 'v' may be one of two things here\n"
     "6:5: note: 'v' is a run-time value of type fp32 at the end of one branch of this 'if' and a run-time "
     "value of type int32 at the end of the other\n"},
    {"RedefinedInThen",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = 0\n"
     "    if n > 0:\n"
     "        v = 1.5\n"
     "    tl.store(x, v)\n",
     "*fp32, i32",
     "8:9: error: 'v' is of type int32 before the 'if' in line 7, but its then block redefines it as fp32\n"},
    {"LoopCarriedType",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    acc = 0\n"
     "    for i in range(n):\n"
     "        acc += tl.load(x + i)\n"
     "    tl.store(x, acc)\n",
     "*fp32, i32",
     "8:9: error: loop-carried variable 'acc' is of type int32 before the loop but is re-assigned to fp32 in "
     "it; make sure that its type stays the same\n"
     "7:5: note: this is the loop\n"},
    {"LoopCarriedShape",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    acc = 0.0\n"
     "    for i in range(n):\n"
     "        acc += tl.load(x + tl.arange(0, 16))\n"
     "    tl.store(x, acc)\n",
     "*fp32, i32",
     "8:9: error: loop-carried variable 'acc' is of type fp32 before the loop but is re-assigned to <[16], "
     "fp32> in it; make sure that its type stays the same\n"
     "7:5: note: this is the loop\n"},
    {"LoopCarriedConstexpr",
     "@triton.jit\n"
     "def f(x, n, BLOCK: tl.constexpr):\n"
     "    for i in range(n):\n"
     "        BLOCK = BLOCK * 2\n"
     "        tl.store(x, BLOCK)\n",
     "*fp32, i32, 16",
     "7:9: error: 'BLOCK' is a compile-time value (16) before the loop and cannot be re-assigned in it; "
     "assign it to another name\n"
     "6:5: note: this is the loop\n"},
    {"LoopCarriedNone",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    m = None\n"
     "    for i in range(n):\n"
     "        m = tl.load(x)\n"
     "    \n",
     "*fp32, i32",
     "8:9: error: 'm' is None before the loop and cannot be re-assigned in it; give it a value of the type "
     "it gets\n"
     "7:5: note: this is the loop\n"},
    {"ReturnInLoop",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    for i in range(n):\n"
     "        return\n",
     "*fp32, i32", "7:9: error: 'return' is not supported inside a loop that runs on the device\n"},
    {"ConditionalReturnInLoop",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    for i in range(n):\n"
     "        if i > 2:\n"
     "            return\n"
     "    \n",
     "*fp32, i32",
     "7:9: error: 'return' under a condition that is only known at run time is not supported inside a "
     "loop\n"},
    {"ReturnValueFromKernel",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    return tl.load(x)\n",
     "*fp32, i32", "6:12: error: a kernel cannot return a value; write it to memory with tl.store\n"},
    {"BreakInLoop",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    for i in range(n):\n"
     "        break\n",
     "*fp32, i32",
     "7:9: error: 'break' is not supported in a loop that runs on the device; use `while` with a "
     "condition\n"},
    {"ContinueInLoop",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    while n > 0:\n"
     "        continue\n",
     "*fp32, i32",
     "7:9: error: 'continue' is not supported in a loop that runs on the device; use `if` around the rest of "
     "the body\n"},
    {"EndlessLoop",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    while True:\n"
     "        tl.store(x, 1)\n",
     "*fp32, i32", "6:11: error: the condition of this loop is always true, so it does not end\n"},
    {"ElseOfLoop",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    for i in range(n):\n"
     "        pass\n"
     "    else:\n"
     "        pass\n",
     "*fp32, i32", "6:5: error: 'else' of a loop is not supported in a kernel\n"},
    {"TryInKernel",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    try:\n"
     "        pass\n"
     "    except Exception:\n"
     "        pass\n",
     "*fp32, i32", "6:5: error: 'try' is not supported in a kernel\n"},
    {"WithInKernel",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    with n:\n"
     "        pass\n",
     "*fp32, i32", "6:5: error: 'with' is not supported in a kernel\n"},
    {"ClassInKernel",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    class A:\n"
     "        pass\n",
     "*fp32, i32", "6:5: error: a class is not supported in a kernel\n"},
    {"FunctionInKernel",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    def g():\n"
     "        pass\n",
     "*fp32, i32", "6:5: error: a function in a function is not supported in a kernel\n"},
    {"DelInKernel",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = 1\n"
     "    del v\n",
     "*fp32, i32", "7:5: error: 'del' is not supported in a kernel\n"},
    {"ImportInKernel",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    import math\n",
     "*fp32, i32", "6:5: error: an import is not supported in a kernel\n"},
    {"GlobalInKernel",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    global g\n",
     "*fp32, i32", "6:5: error: 'global' is not supported in a kernel\n"},
    {"YieldInKernel",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    yield n\n",
     "*fp32, i32", "6:5: error: 'yield' is not supported in a kernel\n"},
    {"AwaitInKernel",
     "@triton.jit\n"
     "async def f(x, n):\n"
     "    await n\n",
     "*fp32, i32", "nereid: error: 'f' in 'kernel.py' is not a kernel: it is an async function\n"},
    {"MatchInKernel",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    match n:\n"
     "        case 1:\n"
     "            pass\n",
     "*fp32, i32", "6:5: error: 'match' is not supported in a kernel\n"},
    {"RaiseReached",
     "@triton.jit\n"
     "def f(x, BLOCK: tl.constexpr):\n"
     "    if BLOCK > 8:\n"
     "        raise ValueError(\"too large\")\n",
     "*fp32, 16", "7:9: error: this 'raise' is reached when the kernel is compiled: too large\n"},
    {"AttributeAssignment",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    x.y = 1\n",
     "*fp32, i32", "6:5: error: attributes cannot be assigned in a kernel\n"},
    {"SubscriptAssignment",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.arange(0, 16)\n"
     "    v[0] = 1\n",
     "*fp32, i32",
     "7:5: error: elements cannot be assigned in a kernel; use tl.where to choose between values, or "
     "tl.store to write memory\n"},
    {"UnpackCount",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    a, b, c = 1, 2\n",
     "*fp32, i32", "6:5: error: cannot unpack 2 values into 3 names\n"},
    {"UnpackScalar",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    a, b = n\n",
     "*fp32, i32", "6:5: error: a run-time value of type int32 cannot be unpacked into 2 names\n"},
    {"RangeOfFloat",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    for i in range(0.5):\n"
     "        pass\n",
     "*fp32, i32", "6:14: error: the end of this range must be an integer scalar, not fp32\n"},
    {"RangeStepZero",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    for i in range(0, n, 0):\n"
     "        pass\n",
     "*fp32, i32", "6:14: error: the step of this range is zero\n"},
    {"RangeOfBlock",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    for i in range(tl.arange(0, 16)):\n"
     "        pass\n",
     "*fp32, i32", "6:14: error: the end of this range must be an integer scalar, not <[16], int32>\n"},
    {"StaticRangeRunTime",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    for i in tl.static_range(n):\n"
     "        pass\n",
     "*fp32, i32",
     "6:14: error: a bound of tl.static_range must be known at compile time (a tl.constexpr), but is a "
     "run-time value of type int32\n"},
    {"ConditionBlock",
     "@triton.jit\n"
     "def f(x, n):\n"
     "    v = tl.arange(0, 16)\n"
     "    if v > 3:\n"
     "        pass\n",
     "*fp32, i32",
     "7:8: error: a condition must be a scalar, but this is a block of type <[16], int1>; choose between "
     "values with tl.where, or reduce it first\n"},
};

class StatementErrors : public ::testing::TestWithParam<ErrorCase> {};
TEST_P(StatementErrors, SaysWhatAndWhere) { expectError(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Refused, StatementErrors, ::testing::ValuesIn(errors),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace nereid::test
