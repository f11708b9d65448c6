// The IR of whole kernels: vector add, softmax and layer norm as their authors write them, control flow,
// calls.
#include "tests/unit/frontend_python/EmitSource.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

namespace nereid::test {
namespace {

/// Checks that the parts stand in the text in this order.
void expectInOrder(const std::string &text, std::initializer_list<const char *> parts) {
  size_t position = 0;
  for (const char *part : parts) {
    size_t found = text.find(part, position);
    EXPECT_NE(found, std::string::npos) << "missing, or not in order: " << part << "\nin:\n" << text;
    if (found != std::string::npos)
      position = found + 1;
  }
}

size_t count(const std::string &text, const std::string &part) {
  size_t number = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++number;
  return number;
}

Emission emitClean(const std::string &source, const std::string &signature,
                   const std::vector<std::pair<std::string, std::string>> &files = {},
                   const std::string &warnings = "") {
  Emission emission = emitSource(source, signature, files);
  EXPECT_EQ(emission.messages, warnings);
  EXPECT_NE(emission.ir, "");
  return emission;
}

const char *vectorAdd = R"(
@triton.jit
def f(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Adds."""
    pid = tl.program_id(axis=0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x + y, mask=mask)
)";

TEST(Kernels, VectorAdd) {
  Emission emission = emitClean(vectorAdd, "*fp32:16, *fp32:16, *fp32:16, i32:16, 1024");
  expectInOrder(emission.ir,
                {"tt.func public @f(%x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32}, ",
                 "%n: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {",
                 "%pid = tt.get_program_id x : i32", "%offs = arith.muli %pid, %c1024_i32",
                 "%offs_0 = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>",
                 "%offs_1 = tt.splat %offs : i32 -> tensor<1024xi32>",
                 "%offs_2 = arith.addi %offs_1, %offs_0", "%mask = tt.splat %n",
                 "arith.cmpi slt, %offs_2, %mask", "%x = tt.splat %x_ptr", "%x_4 = tt.addptr %x, %offs_2",
                 "%x_5 = tt.load %x_4, %mask_3 : tensor<1024x!tt.ptr<f32>>", "arith.addf %x_5, %y_7",
                 "tt.store", "tt.return"});
}

TEST(Kernels, InfoListsEveryParameter) {
  Emission emission =
      emitClean("@triton.jit\ndef f(x, n, m, BLOCK: tl.constexpr, FLAG: tl.constexpr = True):\n"
                "    tl.store(x + m + tl.arange(0, BLOCK), n)\n",
                "*fp16:16, i32:1, i64:16, 64");
  const auto &parameters = emission.info.parameters;
  ASSERT_EQ(parameters.size(), 5u);
  EXPECT_EQ(emission.info.name, "f");
  EXPECT_TRUE(parameters[0].isPointer && parameters[0].divisibleBy == 16 && parameters[0].isPassedToImage());
  EXPECT_EQ(parameters[0].element, ScalarKind::FP16);
  EXPECT_TRUE(parameters[1].equalsOne && !parameters[1].constant && !parameters[1].isPassedToImage());
  EXPECT_TRUE(parameters[2].divisibleBy == 16 && parameters[2].element == ScalarKind::Int64);
  EXPECT_EQ(std::get<int64_t>(*parameters[3].constant), 64);
  EXPECT_EQ(std::get<bool>(*parameters[4].constant), true);
  expectInOrder(emission.ir,
                {"@f(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i64 {tt.divisibility = 16 : i32})"});
}

TEST(Kernels, LocationsNameVariablesAndInlinedCalls) {
  Emission emission = emitClean("@triton.jit\ndef g(a):\n    return a * 2\n\n@triton.jit\ndef f(x, n):\n"
                                "    v = g(n)\n    tl.store(x, v)\n",
                                "*i32, i32");
  expectInOrder(emission.located, {"%arg0: !tt.ptr<i32> loc(\"x\"(", "kernel.py\":6:11", "kernel.py\":10:8"});
  EXPECT_NE(emission.located.find("callsite("), std::string::npos);
  EXPECT_NE(emission.located.find("loc(\"v\"("), std::string::npos);
}

TEST(Kernels, Softmax) {
  Emission emission = emitClean(R"(
@triton.jit
def f(output_ptr, input_ptr, input_row_stride, output_row_stride, n_rows, n_cols, BLOCK_SIZE: tl.constexpr):
    row_start = tl.program_id(0)
    row_step = tl.num_programs(0)
    for row_idx in tl.range(row_start, n_rows, row_step, num_stages=2):
        col_offsets = tl.arange(0, BLOCK_SIZE)
        mask = col_offsets < n_cols
        row = tl.load(input_ptr + row_idx * input_row_stride + col_offsets, mask=mask, other=-float('inf'))
        numerator = tl.exp(row - tl.max(row, axis=0))
        softmax_output = numerator / tl.sum(numerator, axis=0)
        tl.store(output_ptr + row_idx * output_row_stride + col_offsets, softmax_output, mask=mask)
)",
                                "*fp32, *fp32, i32, i32, i32, i32, 256");
  expectInOrder(emission.ir, {"dense<0xFF800000> : tensor<256xf32>", "tt.get_num_programs x",
                              "scf.for %row_idx = %row_start to %n_rows step %row_step  : i32 {", "tt.load",
                              "\"tt.reduce\"", "<{axis = 0 : i32}>", "arith.maxnumf", "tt.reduce.return",
                              "(tensor<256xf32>) -> f32", "arith.subf", "math.exp", "\"tt.reduce\"",
                              "arith.addf", "arith.divf", "tt.store", "{tt.num_stages = 2 : i32}"});
}

TEST(Kernels, SoftmaxOfBfloat16ComputesInFloat) {
  Emission emission = emitClean(R"(
@triton.jit
def f(out, inp, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    x = tl.load(inp + offs, mask=offs < n, other=float("-inf"))
    m = tl.max(x)
    y = tl.softmax(x.to(tl.float32)) + m
    tl.store(out + offs, y, mask=offs < n)
)",
                                "*bf16, *bf16, i32, 128");
  expectInOrder(emission.ir, {"tt.load", "arith.extf", "to tensor<128xf32>", "arith.maxnumf", "arith.truncf",
                              "to tensor<128xbf16>", "tt.store"});
}

const char *layerNorm = R"(
@triton.jit
def f(X, Y, W, B, stride, N, eps, BLOCK_SIZE: tl.constexpr, HAS_BIAS: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    Y += row * stride
    mean = 0
    _mean = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        a = tl.load(X + cols, mask=cols < N, other=0.).to(tl.float32)
        _mean += a
    mean = tl.sum(_mean, axis=0) / N
    rstd = 1 / tl.sqrt(mean + eps)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        mask = cols < N
        y = tl.load(X + cols, mask=mask, other=0.).to(tl.float32) * rstd * tl.load(W + cols, mask=mask)
        if HAS_BIAS:
            y += tl.load(B + cols, mask=mask)
        tl.store(Y + cols, y, mask=mask)
)";

TEST(Kernels, LayerNormCarriesOnlyWhatChanges) {
  Emission emission = emitClean(layerNorm, "*fp16, *fp16, *fp16, *fp16, i32, i32, fp32, 128, True");
  expectInOrder(emission.ir,
                {"= scf.for %off = %c0_i32 to %N step %c128_i32 iter_args(%_mean_", "tt.load", "arith.extf",
                 "scf.yield", "\"tt.reduce\"(%_mean", "arith.sitofp %N", "math.sqrt",
                 "scf.for %off = %c0_i32 to %N step %c128_i32  : i32 {", "arith.truncf", "tt.store"});
  EXPECT_EQ(count(emission.ir, "iter_args"), 1u);
}

TEST(Kernels, StaticConditionsArePruned) {
  Emission emission = emitClean(layerNorm, "*fp16, *fp16, *fp16, None, i32, i32, fp32, 128, False");
  EXPECT_EQ(count(emission.ir, "tt.load"), 3u);
  EXPECT_EQ(count(emission.ir, "scf.if"), 0u);
  // An untaken branch need not make sense.
  emitClean("@triton.jit\ndef f(x, B):\n    if B is not None:\n        tl.store(x, tl.load(B).nonsense)\n"
            "    v = 1.0 if B is None else nonsense\n    tl.store(x, v)\n",
            "*fp32, None");
}

TEST(ControlFlow, EarlyReturnPutsTheRestIntoTheOtherBranch) {
  Emission emission =
      emitClean("@triton.jit\ndef f(x, n):\n    if n > 3:\n        return\n    tl.store(x, 1.0)\n"
                "    if n > 2:\n        tl.store(x, 2.0)\n        return\n    tl.store(x, 3.0)\n",
                "*fp32, i32");
  expectInOrder(emission.ir, {"arith.cmpi", "scf.if", "tt.store", "scf.if", "tt.store", "tt.return"});
  EXPECT_EQ(count(emission.ir, "tt.return"), 1u);
}

TEST(ControlFlow, ReturnsFromBothBranchesOfACallee) {
  Emission emission =
      emitClean("@triton.jit\ndef g(a):\n    if a > 0:\n        return a, 1.0\n    return a + 1, 2.0\n\n"
                "@triton.jit\ndef f(x, n):\n    a, b = g(n)\n    tl.store(x, a * b)\n",
                "*fp32, i32");
  expectInOrder(emission.located, {"scf.if", "-> (i32, f32)", "scf.yield", "scf.yield"});
}

TEST(ControlFlow, IfMergesVariables) {
  Emission emission =
      emitClean("@triton.jit\ndef f(x, n):\n    p = x\n    c = tl.zeros((4,), tl.float32)\n"
                "    if n > 3:\n        c += tl.load(x + tl.arange(0, 4))\n        p = x + 4\n"
                "    tl.store(p + tl.arange(0, 4), c)\n",
                "*fp32, i32");
  expectInOrder(emission.ir, {"scf.if", "-> (", "!tt.ptr<f32>", "tt.load", "scf.yield", "else", "scf.yield"});
}

TEST(ControlFlow, While) {
  Emission emission =
      emitClean("@triton.jit\ndef f(x, n):\n    i = 0\n    s = 0.0\n    k = 5\n    while i < n:\n"
                "        s += tl.load(x + i)\n        i += k\n    tl.store(x, s)\n",
                "*fp32, i32");
  expectInOrder(emission.ir, {"scf.while", "arith.cmpi slt", "scf.condition", "do {", "tt.load", "arith.addf",
                              "scf.yield", "tt.store"});
}

TEST(ControlFlow, DescendingRange) {
  Emission emission = emitClean(
      "@triton.jit\ndef f(x, n):\n    for i in range(n, 0, -2):\n        tl.store(x + i, i)\n", "*i32, i32");
  expectInOrder(emission.ir, {"scf.for %i = %c0_i32 to %n step %c2_i32", "arith.subi %n, %i"});
}

TEST(ControlFlow, CounterBecomesVariable) {
  Emission emission = emitClean("@triton.jit\ndef f(x, n):\n    last = 0\n    for i in range(n):\n"
                                "        tl.store(x + i, last)\n        last = i\n",
                                "*i32, i32");
  expectInOrder(emission.ir, {"scf.for %i = ", "tt.store", "scf.yield %i : i32"});
}

TEST(ControlFlow, StaticRangeUnrolls) {
  Emission emission = emitClean("@triton.jit\ndef f(x):\n    for i in tl.static_range(0, 6, 2):\n"
                                "        if i == 4:\n            break\n        tl.store(x + i, i)\n",
                                "*i32");
  EXPECT_EQ(count(emission.ir, "tt.store"), 2u);
  EXPECT_EQ(count(emission.ir, "scf.for"), 0u);
}

TEST(ControlFlow, ReturnsCountWhereverTheyStand) {
  // The else of a loop that ran to its end returns, so the last store belongs to the other branch.
  auto source = [](const std::string &branch) {
    return "@triton.jit\ndef f(x, n):\n    if n > 0:\n" + branch + "    tl.store(x, 7)\n";
  };
  Emission inElse = emitClean(source("        for i in tl.static_range(2):\n            tl.store(x + i, 1)\n"
                                     "        else:\n            return\n"),
                              "*i32, i32");
  Emission plain = emitClean(
      source("        tl.store(x + 0, 1)\n        tl.store(x + 1, 1)\n        return\n"), "*i32, i32");
  EXPECT_EQ(inElse.ir, plain.ir);
}

TEST(ControlFlow, LoopsCarryWhatAnyExpressionAssigns) {
  auto source = [](const std::string &statement) {
    return "@triton.jit\ndef g(a, b):\n    return a\n@triton.jit\ndef f(x, n):\n    acc = 0\n"
           "    for i in range(n):\n        " +
           statement + "\n    tl.store(x, acc)\n";
  };
  for (const char *statement :
       {"d = {'a': (acc := acc + i)}", "g(*((acc := acc + i), 1))", "g(**{'a': (acc := acc + i), 'b': 1})"})
    expectInOrder(
        emitClean(source(statement), "*i32, i32").ir,
        {"%acc = scf.for", "iter_args(%acc_0 = %c0_i32)", "arith.addi %acc_0, %i", "tt.store %x, %acc"});
}

TEST(ControlFlow, LoopOptionsStayOnTheLoop) {
  Emission emission =
      emitClean("@triton.jit\ndef f(x, n):\n"
                "    for i in tl.range(0, n, loop_unroll_factor=2, flatten=True, warp_specialize=False,"
                " disallow_acc_multi_buffer=True):\n        tl.store(x + i, i)\n",
                "*i32, i32");
  expectInOrder(emission.ir, {"tt.disallow_acc_multi_buffer, tt.flatten, tt.loop_unroll_factor = 2 : i32"});
  EXPECT_EQ(count(emission.ir, "warp_specialize"), 0u);
}

TEST(ControlFlow, LoopOptionsMeanNothingToPlainRanges) {
  Emission emission =
      emitClean("@triton.jit\ndef f(x, n):\n    for i in range(n, num_stages=3, warp_specialize=True):\n"
                "        tl.store(x + i, i)\n",
                "*i32, i32");
  EXPECT_EQ(count(emission.ir, "num_stages"), 0u);
}

TEST(Calls, NamesTakeTheFirstOfMoreValues) {
  Emission emission =
      emitClean("@triton.jit\ndef f(x, n):\n    (m,) = n + 1, n + 2\n    tl.store(x, m)\n", "*i32, i32");
  expectInOrder(emission.ir, {"arith.addi %n, %c1_i32", "tt.store"});
}

TEST(Calls, ConstexprLeavesRunTimeValuesAsTheyAre) {
  Emission emission = emitClean("@triton.jit\ndef f(x, n):\n    m = tl.constexpr(n)\n"
                                "    tl.store(x, m * 3)\n",
                                "*i32, i32");
  expectInOrder(emission.ir, {"arith.muli %n", "tt.store"});
}

TEST(ControlFlow, NestedLoopsCarryThroughBoth) {
  Emission emission =
      emitClean("@triton.jit\ndef f(x, n):\n    s = 0.0\n    for i in range(n):\n"
                "        for j in range(i):\n            s += tl.load(x + j)\n    tl.store(x, s)\n",
                "*fp32, i32");
  EXPECT_EQ(count(emission.ir, "iter_args"), 2u);
}

TEST(Calls, KeywordsDefaultsAndTuples) {
  Emission emission = emitClean(R"(
@triton.jit
def g(a, b=2, *rest, scale: tl.constexpr = 3):
    return (a + b) * scale, rest[0]

@triton.jit
def f(x, n):
    pair = g(n, 5, n, scale=4)
    first, (second) = pair
    tl.store(x + pair[1], first)
)",
                                "*i32, i32");
  expectInOrder(emission.ir, {"arith.addi", "arith.muli", "tt.addptr %x, %n"});
}

TEST(Calls, NoInlineMakesAFunction) {
  Emission emission = emitClean(R"(
@triton.jit(noinline=True)
def g(a, B: tl.constexpr):
    return a * B

@triton.jit
def f(x, n):
    tl.store(x, g(n, 3) + g(n, 3) + g(n, 4))
)",
                                "*i32, i32");
  EXPECT_EQ(count(emission.located, "tt.call"), 3u);
  EXPECT_EQ(count(emission.located, "tt.func private"), 2u);
}

TEST(Calls, FunctionsOfOtherFiles) {
  Emission emission = emitClean(
      "from .helpers import twice, SIZE\nfrom helpers import thrice as t3\nimport pkg.more as more\n"
      "import tools\n"
      "@triton.jit\ndef f(x, n):\n"
      "    tl.store(x, twice(n) + t3(n) + more.plus_one(n) + SIZE + tools.ONE)\n",
      "*i32, i32",
      {{"helpers.py", "import triton\nfrom missing import nothing\n\n@triton.jit\n"
                      "def twice(a):\n    return a * 2\n\n@triton.jit\ndef thrice(a):\n"
                      "    return twice(a) + a\n\nSIZE = 1 << 4\n"},
       {"tools/__init__.py", "ONE = 1\n"},
       {"pkg/__init__.py", ""},
       {"pkg/more.py", "import triton\n\n@triton.jit\ndef plus_one(a):\n    return a + 1\n"}});
  EXPECT_EQ(emission.files.getFiles().size(), 4u);
  // A file is looked for before a package.
  auto isMissed = [&](llvm::StringRef end) {
    return llvm::any_of(emission.files.getMissed(),
                        [&](llvm::StringRef path) { return path.ends_with(end); });
  };
  EXPECT_TRUE(isMissed("tools.py"));
  EXPECT_FALSE(isMissed("helpers.py"));
}

TEST(Modules, TheLastBindingThatHoldsIsTheValue) {
  emitClean(
      R"(
import os
import torch
try:
    import no_such_module
    HAS = True
except ImportError:
    HAS = False
try:
    from triton.language.extra.libdevice import rsqrt
except ModuleNotFoundError:
    from triton.language.extra.cuda.libdevice import no_such_function as rsqrt
if torch.version.hip:
    WAVE = 64
else:
    WAVE = 32
A = 1
A = 2
A += 3
B, (C, D) = 4, (5, 6)
LOG = tl.constexpr(1.5)
TABLE = {"a": 1, "b": [2, 3]}
RUNS = torch.cuda.device_count()

@triton.jit
def f(x):
    tl.static_assert(A == 5 and B + C + D == 15 and not HAS)
    tl.static_assert(TABLE["b"][1] == 3 and LOG.value == 1.5)
    tl.store(x, rsqrt(tl.load(x)))
)",
      "*fp32", {},
      "8:5: warning: what 'import no_such_module' imports is not here and is taken to be missing, so that "
      "'HAS' is False; -D HAS=VALUE says otherwise\n");
}

TEST(Modules, NamesMeanWhatTheStatementsBeforeMadeOfThem) {
  std::string source = R"(
SIZE = 4
FIRST = SIZE + 1

@triton.jit
def double(x):
    return 2 * x

@triton.jit
def f(x, N: tl.constexpr):
    tl.static_assert(FIRST == 5 and SIZE == 7)
    tl.store(x, kernel_double(N))

kernel_double = double
kernel = f

def double(x):
    return torch.mul(x, 2)

def f(x):
    kernel[(1,)](x, 3)

SIZE = 7
)";
  // The kernel is found though its name has gone on to the function that launches it.
  expectInOrder(emitClean(source, "*i32, 21").ir, {"arith.constant 42 : i32", "tt.store"});
}

TEST(Modules, KernelsInFunctions) {
  const char *source = R"(
import numpy as np
import torch

def test_f(op, device='cuda'):
    SIZE = 8
    x = torch.randn(SIZE, device=device)
    from triton.language.extra import libdevice as ld

    @triton.jit
    def helper(v, by: tl.constexpr = 3):
        return ld.floor(v * by)

    @triton.jit
    def f(p, WHAT: tl.constexpr):
        tl.static_assert(WHAT != "op" or op == "+")
        off = tl.arange(0, 8)
        tl.store(p + off, helper(tl.load(p + off)))

    f[(1,)](x)
)";
  expectInOrder(emitClean(source, "*fp32, 1").ir, {"tt.func public @f", "__nv_floorf", "tt.store"});
  EXPECT_EQ(emitSource(source, "*fp32, 'op'").messages,
            "19:42: error: 'op' cannot be used in a kernel: its value is only known where 'test_f' runs\n");
}

TEST(Modules, KernelsInFunctionsUnderConditions) {
  // As a module has them that does without Triton until the kernel is asked for. What stands beside the way
  // to the kernel is unknown.
  const char *source = R"(
_KERNEL = None

def get(limit):
    global _KERNEL, tl
    COUNT = 3
    if _KERNEL is None:
        try:
            import triton
            import triton.language as tl
        except ImportError:
            SIZE = 4
        with open("log") as log:
            SIZE = 8

            @triton.jit
            def f(p, WHAT: tl.constexpr):
                tl.static_assert(SIZE == 8)
                if WHAT == 1:
                    tl.static_assert(log == 0)
                tl.store(p, SIZE * COUNT)

        _KERNEL = f
    else:
        COUNT = 5
    return _KERNEL
)";
  expectInOrder(emitClean(source, "*i32, 0").ir,
                {"tt.func public @f", "arith.constant 24 : i32", "tt.store"});
  EXPECT_EQ(emitSource(source, "*i32, 1").messages,
            "23:38: error: 'log' cannot be used in a kernel: its value is only known where 'get' runs\n");
}

TEST(Modules, KernelsInMethodsAndInFunctionsOfFunctions) {
  const char *source = R"(
class Layer:
    SIZE = 2

    def run(self, x):
        SIZE = 8
        if "f" not in self.cache:
            def make(by, SIZE=4):
                COUNT = 3

                @triton.jit
                def f(p, WHAT: tl.constexpr):
                    if WHAT == 1:
                        tl.static_assert(by == 0)
                    elif WHAT == 2:
                        tl.static_assert(SIZE == 8)
                    tl.store(p, COUNT)
                return f
            self.cache["f"] = make(5)
        self.cache["f"][(1,)](x)
)";
  expectInOrder(emitClean(source, "*i32, 0").ir, {"tt.func public @f", "arith.constant 3 : i32", "tt.store"});
  EXPECT_EQ(emitSource(source, "*i32, 1").messages,
            "17:42: error: 'by' cannot be used in a kernel: its value is only known where 'make' runs\n");
  // The inner of two parameters and variables of that name.
  EXPECT_EQ(emitSource(source, "*i32, 2").messages,
            "19:42: error: 'SIZE' cannot be used in a kernel: its value is only known where 'make' runs\n");
}

TEST(Modules, TheFirstOfSeveralKernelsInMethodsIsGuessed) {
  Emission emission = emitSource(R"(
class Left:
    def run(self):
        @triton.jit
        def f(p):
            tl.store(p, 1)

class Right:
    def run(self):
        @triton.jit
        def f(p):
            tl.store(p, 2)
)",
                                 "*i32");
  EXPECT_EQ(emission.messages,
            "8:9: warning: 'f' is taken to mean 'Left.run.f'; there is 'Right.run.f', too\n");
  expectInOrder(emission.ir, {"arith.constant 1 : i32", "tt.store"});
}

TEST(Modules, WhatIsNotFollowedBeforeAKernelIsUnknown) {
  // Whether BLOCK is 64 is not known: neither 32 nor 64 may be taken in silence.
  Emission emission = emitSource("def test(*shapes, **options):\n    BLOCK: tl.constexpr = 32\n"
                                 "    if len(shapes) > 1:\n        BLOCK = 64\n"
                                 "    @triton.jit\n    def f(x):\n        tl.store(x, BLOCK)\n",
                                 "*i32");
  EXPECT_EQ(emission.messages,
            "10:9: error: 'BLOCK' cannot be used in a kernel: its value is only known where "
            "'test' runs\n");
}

TEST(Modules, DecoratorsThatRealFilesCarry) {
  Emission emission = emitSource(R"(
from some_library import wrapped
from torch._inductor.runtime import triton_heuristics

@triton_heuristics.pointwise(size_hints={'x': 64}, filename=__file__, triton_meta={'constants': {}}, inductor_meta={})
@triton.autotune(configs=[triton.Config({'BLOCK': 64}, num_warps=4)], key=['n'])
@triton.heuristics({'EVEN': lambda args: args['BLOCK'] % 32 == 0, 'HAS_B': lambda args: args['b'] is not None})
@wrapped
@triton.jit(do_not_specialize=['n'])
def f(x, b, n, BLOCK: tl.constexpr, EVEN: tl.constexpr, HAS_B: "tl.constexpr"):
    tl.static_assert(EVEN and not HAS_B)
    tl.store(x + tl.arange(0, BLOCK), n)
)",
                                 "*i32, None, i32, 64");
  EXPECT_EQ(emission.messages, "11:2: warning: decorator 'wrapped' is not known and is ignored\n");
  EXPECT_NE(emission.ir, "");
}

TEST(Modules, WhatAConditionCannotTellIsTheElse) {
  emitClean(R"(
from importlib.util import find_spec

HAVE = find_spec("extras") is not None
SIZE = tl.constexpr(4) if HAVE else tl.constexpr(8)
KIND = 1 if not HAVE else 2

@triton.jit
def f(x):
    tl.static_assert(SIZE == 8 and KIND == 1)
    tl.store(x, 1.0)
)",
            "*fp32", {},
            "7:8: warning: module 'extras' is not here and is taken to be missing, so that 'SIZE' is 8; -D "
            "SIZE=VALUE says otherwise\n");
}

TEST(Modules, AKernelMayBeWrappedInWhatCannotBeMade) {
  emitClean(R"(
from collections import OrderedDict

class Cached:
    def __init__(self, kernel):
        self.kernel = kernel
        self.cache = OrderedDict()

@triton.jit
def f(x):
    tl.store(x, 1.0)

f = Cached(f)
)",
            "*fp32");
  EXPECT_EQ(
      emitSource("from collections import OrderedDict\n"
                 "f = OrderedDict()\n",
                 "*fp32")
          .messages,
      "5:5: error: 'OrderedDict' cannot be called in a kernel: module 'collections' has no 'OrderedDict' "
      "that is supported yet\n");
}

TEST(Modules, AnImportInAFunctionIsTakenToHaveRun) {
  emitClean(
      R"(
helper = None

def load():
    global helper
    if helper is None:
        from math import floor as found
        helper = found

@triton.jit
def f(x):
    tl.static_assert(helper(2.5) == 2)
    tl.store(x, 1.0)
)",
      "*fp32", {},
      "10:9: warning: 'from math import floor as found' in a function is taken to have run, which decides "
      "what 'helper' is; -D helper=VALUE says otherwise\n");
}

TEST(Language, OperatorsAreMethodsOfTensors) {
  Emission emission = emitClean(R"(
@triton.jit
def f(x):
    i = tl.arange(0, 16).to(tl.int8)
    low = i.__lshift__(4).__rshift__(4)
    tl.static_assert(low.dtype == tl.int8 and (i.__lt__(3)).dtype == tl.int1)
    tl.store(x + tl.arange(0, 16), low.__add__(1).__neg__())
)",
                                "*i8");
  expectInOrder(emission.ir, {"arith.shli", "arith.shrsi", "arith.addi"});
}

TEST(Modules, TheBranchThatImportsTritonIsTaken) {
  const std::string standIn = "from typing import TYPE_CHECKING\n"
                              "from importlib.util import find_spec\n"
                              "HAVE = find_spec('triton') is not None\n"
                              "if HAVE:\n"
                              "    HAVE = count_drivers() == 1\n"
                              "if not HAVE:\n"
                              "    HAVE = False\n"
                              "class StandIn:\n"
                              "    pass\n"
                              "if TYPE_CHECKING or HAVE:\n"
                              "    import triton\n"
                              "    import triton.language as tl\n"
                              "else:\n"
                              "    triton = StandIn()\n"
                              "    tl = StandIn()\n"
                              "if not HAVE:\n"
                              "    words = StandIn()\n"
                              "else:\n"
                              "    from triton import language as words\n";
  Emission emission = emitSource("from stand_in import triton, tl as t, words\n\n"
                                 "@triton.jit\ndef f(x):\n"
                                 "    i = t.arange(0, 16)\n    t.store(x + i, words.load(x + i))\n",
                                 "*fp32", {{"stand_in.py", standIn}});
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir.find("tt.make_range"), std::string::npos);
}

TEST(Modules, TritonThroughAModuleThatIsNotAtHand) {
  Emission emission = emitClean(R"(
from ..compat import triton, tl, tl as language
try:
    from project.shims import libdevice
except ImportError:
    libdevice = None
@triton.heuristics({"BLOCK": lambda args: 64})
@triton.jit
def f(x_ptr, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs).to(language.float32)
    tl.store(x_ptr + offs, libdevice.tanh(x))
)",
                                "*fp32");
  expectInOrder(emission.ir, {"tt.func public @f(", "tt.load", "__nv_tanhf", "tt.store"});
}

TEST(Modules, SpellingsOfConstexpr) {
  emitClean(R"(
import triton.language
import triton.language as language
from triton import language as other
from triton.language import constexpr, constexpr as CE

@triton.jit
def f(x, A: triton.language.constexpr, B: constexpr, C: CE, D: "tl.constexpr", E: other.constexpr, G: language.constexpr):
    tl.static_assert(A + B + C + D + E + G == 21)
)",
            "*i32, 1, 2, 3, 4, 5, 6");
}

TEST(Modules, AnImportedFileThatDoesNotParseIsTheOneError) {
  Emission emission = emitSource("from helpers import g\n\n@triton.jit\ndef f(x):\n    g(x)\n", "*fp32",
                                 {{"helpers.py", "def g(:\n"}});
  EXPECT_EQ(emission.ir, "");
  EXPECT_EQ(std::count(emission.messages.begin(), emission.messages.end(), '\n'), 1) << emission.messages;
  EXPECT_NE(emission.messages.find("helpers.py:1:7: error: "), std::string::npos) << emission.messages;
}

TEST(Declarations, NameParametersWithoutEmitting) {
  Diagnostics diagnostics;
  auto declaration = findKernelInSource(
      "import unknown_library\n\n@unknown_library.wrap\n"
      "@triton.heuristics({'E': lambda args: True})\n@triton.jit\n"
      "def f(x, n, eps=1e-5, *, BLOCK: tl.constexpr, E: tl.constexpr):\n    nonsense(\n        x)\n",
      "f", diagnostics);
  ASSERT_TRUE(declaration);
  EXPECT_EQ(declaration->name, "f");
  ASSERT_EQ(declaration->parameters.size(), 5u);
  EXPECT_EQ(declaration->parameters[1].name, "n");
  EXPECT_FALSE(declaration->parameters[1].isConstexpr || declaration->parameters[1].hasDefault);
  EXPECT_TRUE(declaration->parameters[2].hasDefault);
  EXPECT_TRUE(declaration->parameters[3].isConstexpr && !declaration->parameters[3].hasDefault);
  EXPECT_TRUE(declaration->parameters[4].isConstexpr && declaration->parameters[4].hasDefault);
  EXPECT_FALSE(diagnostics.hasErrors());
}

TEST(Declarations, OfNothingIsAnError) {
  Diagnostics diagnostics;
  EXPECT_FALSE(findKernelInSource("@triton.jit\ndef g():\n    pass\n", "f", diagnostics));
  EXPECT_EQ(diagnostics.getErrorCount(), 1u);
}

} // namespace
} // namespace nereid::test
