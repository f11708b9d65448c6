// What is taken for granted and reaches a kernel is told; what does not reach it is not; a definition answers
// it.
#include "tests/unit/frontend_python/EmitSource.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

struct Case {
  const char *name;
  /// What stands before the kernel, which stores BLOCK.
  const char *source;
  /// In the messages: the warning, from its place on. Empty where there must be none.
  const char *warning;
  /// What is stored, as the IR has it.
  const char *stored;
  const char *target = "cuda:90a";
};
void PrintTo(const Case &c, std::ostream *os) { *os << c.name; }

class Guesses : public testing::TestWithParam<Case> {};

Emission emitBlock(const Case &c, const std::vector<std::string> &definitions = {}) {
  return emitSource(
      std::string(c.source) + "\n@triton.jit\ndef f(out):\n    tl.store(out, BLOCK)\n", "*i32",
      {{"sizes.py", "import os\nWIDE = os.getenv('WIDE', '0') == '1'\nSIZE = 32 if WIDE else 16\n"
                    "CERTAIN = 8\n"}},
      c.target, definitions);
}

TEST_P(Guesses, AreToldIfTheyReachTheKernel) {
  const Case &c = GetParam();
  Emission emission = emitBlock(c);
  if (*c.warning)
    EXPECT_NE(emission.messages.find(c.warning), std::string::npos) << emission.messages;
  else
    EXPECT_EQ(emission.messages, "");
  EXPECT_EQ(llvm::StringRef(emission.messages).count(": warning: "), *c.warning ? 1u : 0u)
      << emission.messages;
  EXPECT_NE(emission.ir.find(std::string("arith.constant ") + c.stored + " : i32"), std::string::npos)
      << emission.ir;
}

TEST_P(Guesses, AreAnsweredByADefinition) {
  Emission emission = emitBlock(GetParam(), {"BLOCK=77"});
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir.find("arith.constant 77 : i32"), std::string::npos) << emission.ir;
}

INSTANTIATE_TEST_SUITE_P(
    Of, Guesses,
    testing::Values(
        Case{
            "AChange", "SIZES = [32]\nfor size in (64, 128):\n    SIZES.append(size)\nBLOCK = len(SIZES)",
            "warning: 'SIZES.append(size)' is not evaluated when kernels are compiled and is taken to change "
            "nothing, so that 'BLOCK' is 1; -D BLOCK=VALUE says otherwise",
            "1"},
        Case{"AChangeOfAnElement", "SIZES = {1: 32}\nSIZES[1] = 64\nBLOCK = SIZES[1]",
             "warning: 'SIZES[1]' is not evaluated", "32"},
        Case{"AChangeThatComesLater", "SIZES = [32]\nBLOCK = SIZES[0]\nSIZES.append(64)", "", "32"},
        Case{"ACall", "from missing import fast_path\nBLOCK = tl.constexpr(64 if fast_path() else 128)",
             "5:28: warning: 'fast_path()' is not known when kernels are compiled and is taken to be False, "
             "so "
             "that 'BLOCK' is 128; -D BLOCK=VALUE says otherwise\n5:28: note: 'fast_path' cannot be called "
             "in a "
             "kernel: module 'missing', from which it is imported, was not found",
             "128"},
        Case{
            "AnIf",
            "from missing import fast_path\nif not fast_path():\n    BLOCK = tl.constexpr(3)\nelse:\n    "
            "BLOCK "
            "= tl.constexpr(4)",
            "5:8: warning: 'fast_path()' is not known when kernels are compiled and is taken to be False, so "
            "that 'BLOCK' is 3",
            "3"},
        Case{"AnIfAfterADefault",
             "import torch\nBLOCK = tl.constexpr(3)\nif torch.backends.fast():\n    BLOCK = tl.constexpr(4)",
             "6:4: warning: 'torch.backends.fast()' is not known", "3"},
        Case{"AnImport",
             "try:\n    import flash_kernels\n    BLOCK = tl.constexpr(3)\nexcept ImportError:\n    BLOCK = "
             "tl.constexpr(4)",
             "5:5: warning: what 'import flash_kernels' imports is not here and is taken to be missing, so "
             "that 'BLOCK' is 4",
             "4"},
        Case{
            "AnAttempt",
            "import torch\ntry:\n    BLOCK = tl.constexpr(torch.cuda.device_count())\nexcept Exception:\n    "
            "BLOCK = tl.constexpr(4)",
            "6:5: warning: 'BLOCK = tl.constexpr(torch.cuda.device_count())' cannot be followed here and is "
            "taken to fail, so that 'BLOCK' is 4",
            "4"},
        Case{"AnAttemptInAFunction",
             "import torch\ndef count():\n    try:\n        return torch.cuda.device_count()\n    except "
             "Exception:\n        return 2\nBLOCK = tl.constexpr(count())",
             "7:16: warning: 'torch.cuda.device_count()' cannot be followed here and is taken to fail, so "
             "that "
             "'BLOCK' is 2",
             "2"},
        Case{"TheEnvironment", "import os\nBLOCK = tl.constexpr(int(os.environ.get('SIZE', 12)))",
             "5:26: warning: the environment variable 'SIZE' is taken to be unset, so that 'BLOCK' is 12",
             "12"},
        Case{"AVersion", "import torch\nBLOCK = tl.constexpr(1 if torch.__version__ >= '2.1' else 2)",
             "5:27: warning: 'torch.__version__' is taken to be 2.10.0, so that 'BLOCK' is", "1"},
        Case{"AVersionOfSomethingElse",
             "import missing\nBLOCK = tl.constexpr(5 if missing.__version__ >= '2.1' else 6)",
             "5:27: warning: 'missing.__version__ >= '2.1'' is not known when kernels are compiled and is "
             "taken "
             "to be True, so that 'BLOCK' is 5",
             "5"},
        Case{"AModuleToFind",
             "import importlib.util\nBLOCK = tl.constexpr(7 if importlib.util.find_spec('flash_kernels') "
             "else 9)",
             "5:27: warning: module 'flash_kernels' is not here and is taken to be missing, so that 'BLOCK' "
             "is 9",
             "9"},
        Case{"ThroughOtherNames",
             "from missing import fast\nFAST = fast()\nif FAST:\n    SIZE = 2\nelse:\n    SIZE = 3\nBLOCK = "
             "tl.constexpr(SIZE * 10)",
             "6:4: warning: 'FAST' is not known when kernels are compiled and is taken to be False, so that "
             "'BLOCK' is 30",
             "30"},
        Case{"InAnotherFile", "from sizes import SIZE\nBLOCK = tl.constexpr(SIZE)",
             "sizes.py:2:8: warning: the environment variable 'WIDE' is taken to be unset", "16"},
        Case{"TheMachineOfACPU",
             "import torch\nBLOCK = tl.constexpr(1 if torch.cuda.get_device_capability()[0] >= 9 else 2)",
             "5:27: warning: 'torch.cuda.get_device_capability()[0] >= 9' is not known", "2",
             "cpu:x86-64-v3"},
        // What is certain of the target, of the language and of this compiler is no guess.
        Case{"TheTarget",
             "import torch\nBLOCK = tl.constexpr(1 if torch.cuda.get_device_capability()[0] >= 9 else 2)", "",
             "1"},
        Case{"TheVendor", "import torch\nBLOCK = tl.constexpr(1 if torch.version.hip else 2)", "", "2"},
        Case{"TritonItself",
             "try:\n    import torch\n    import triton.language as tl\n    BLOCK = tl.constexpr(1)\nexcept "
             "ImportError:\n    BLOCK = 2",
             "", "1"},
        Case{"TheLanguage",
             "try:\n    from triton.language.extra.libdevice import nonsense as size\nexcept ImportError:\n  "
             "  "
             "def size():\n        return 2\nBLOCK = tl.constexpr(size())",
             "", "2"},
        // What decides nothing is not worth a word.
        Case{"WhatDoesNotReachIt",
             "from missing import fast\nOTHER = 1 if fast() else 2\nif fast():\n    MORE = 1\nelse:\n    "
             "MORE = "
             "2\nBLOCK = tl.constexpr(9)",
             "", "9"},
        Case{"NoAlternative", "from missing import fast\nif fast():\n    BLOCK = tl.constexpr(9)", "", "9"},
        Case{"WhatIsDecidedAnyway",
             "from missing import fast\nBLOCK = tl.constexpr(1 if fast() and False else 2)", "", "2"},
        Case{"AnotherNameOfThatFile", "from sizes import CERTAIN\nBLOCK = tl.constexpr(CERTAIN)", "", "8"}),
    [](const testing::TestParamInfo<Case> &info) { return info.param.name; });

TEST(Guess, IsToldOnceForAllItsUses) {
  Emission emission = emitSource(R"(
from missing import fast
A = 1 if fast() else 2
B = A + 1
@triton.jit
def helper(x):
    return x + A + B
@triton.jit
def f(out):
    tl.store(out, helper(A) + B)
)",
                                 "*i32");
  EXPECT_EQ(llvm::StringRef(emission.messages).count("warning"), 1u) << emission.messages;
}

TEST(Guess, ThatChoosesAFunction) {
  Emission emission = emitSource(R"(
try:
    from flash_math import exp
except ImportError:
    from triton.language import exp
@triton.jit
def f(out):
    tl.store(out, exp(tl.load(out)))
)",
                                 "*fp32");
  EXPECT_TRUE(
      llvm::StringRef(emission.messages)
          .starts_with("6:5: warning: what 'from flash_math import exp' imports is not here and is taken "
                       "to be missing, which decides what 'exp' is; -D exp=VALUE says otherwise\n"))
      << emission.messages;
  EXPECT_EQ(emitSource("try:\n    from flash_math import exp\nexcept ImportError:\n    from triton.language "
                       "import exp\n@triton.jit\ndef f(out):\n    tl.store(out, exp(tl.load(out)))\n",
                       "*fp32", {}, "cuda:90a", {"exp=tl.exp2"})
                .messages,
            "");
}

const char *definable = R"(
import sizes
from sizes import CERTAIN
BLOCK = tl.constexpr(64)
FLAG = False
def is_fast():
    return False
@triton.jit
def f(out, x: tl.constexpr = 5):
    tl.store(out, (1 if FLAG else BLOCK) + (1000 if is_fast() else 0) + sizes.SIZE + CERTAIN + EXTRA)
)";

/// What the kernel above stores under those definitions.
std::string storedUnder(std::vector<std::string> definitions) {
  definitions.push_back("EXTRA=0");
  Emission emission =
      emitSource(definable, "*i32", {{"sizes.py", "SIZE = 100\nCERTAIN = 10000\n"}}, "cuda:90a", definitions);
  if (!emission.messages.empty())
    return emission.messages;
  llvm::StringRef rest = llvm::StringRef(emission.ir).split("arith.constant ").second;
  return rest.split(' ').first.str();
}

TEST(DefinitionTest, ValuesAreExpressionsOfPython) {
  EXPECT_EQ(storedUnder({}), "10164");
  EXPECT_EQ(storedUnder({"BLOCK=128"}), "10228");
  EXPECT_EQ(storedUnder({" BLOCK = 1 << 3 "}), "10108");
  EXPECT_EQ(storedUnder({"BLOCK=2 * BLOCK"}), "10228");
  EXPECT_EQ(storedUnder({"BLOCK=sizes.SIZE"}), "10200");
  EXPECT_EQ(storedUnder({"FLAG=True"}), "10101");
  EXPECT_EQ(storedUnder({"is_fast=lambda: True"}), "11164");
  EXPECT_EQ(storedUnder({"sizes:SIZE=200"}), "10264");
  EXPECT_EQ(storedUnder({"CERTAIN=0"}), "164");
  EXPECT_EQ(storedUnder({"sizes:CERTAIN=0"}), "164");
}

TEST(DefinitionTest, MistakesArePointedAt) {
  EXPECT_EQ(storedUnder({"BLOK=128"}),
            "<-D>:1:1: error: 'kernel.py' has no module-level name 'BLOK'; did you mean 'BLOCK'?\n");
  EXPECT_NE(storedUnder({"sizes:NONE=1"}).find("sizes.py' has no module-level name 'NONE'"),
            std::string::npos);
  EXPECT_EQ(storedUnder({"nowhere:NONE=1"}), "<-D>:1:1: error: module 'nowhere' was not found\n");
  EXPECT_EQ(
      storedUnder({"BLOCK=fast"}),
      "<-D>:1:7: error: name 'fast' is not defined; a string is written with quotes, 'BLOCK=\"fast\"'\n");
  EXPECT_EQ(storedUnder({"BLOCK=x = 1"}), "<-D>:1:7: error: the value of 'BLOCK' must be an expression\n");
  EXPECT_EQ(storedUnder({"BLOCK=(1"}), "<-D>:1:7: error: '(' was never closed\n");
  EXPECT_EQ(storedUnder({"BLOCK="}), "<-D>:1:1: error: 'BLOCK' is given no value: expected NAME=VALUE\n");
  EXPECT_EQ(storedUnder({"BLOCK"}), "<-D>:1:1: error: 'BLOCK' is given no value: expected NAME=VALUE\n");
  EXPECT_EQ(storedUnder({"1=2"}),
            "<-D>:1:1: error: '1' is not a name: expected NAME=VALUE or MODULE:NAME=VALUE\n");
}

TEST(DefinitionTest, ADtypeMayStandAlone) {
  Emission emission = emitSource("KIND = tl.float32\n@triton.jit\ndef f(out):\n"
                                 "    tl.static_assert(KIND == tl.float16)\n",
                                 "*i32", {}, "cuda:90a", {"KIND=float16"});
  EXPECT_EQ(emission.messages, "");
}

} // namespace
} // namespace nereid::test
