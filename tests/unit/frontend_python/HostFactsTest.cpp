// What kernel files ask of the libraries around them, and kernels that live in classes.
#include "tests/unit/frontend_python/EmitSource.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

struct Fact {
  const char *expression;
  /// As the IR prints a constant.
  const char *expected;
  const char *messages = "";
};

class Facts : public testing::TestWithParam<Fact> {};

TEST_P(Facts, IsTheValue) {
  Emission emission = emitSource(std::string("import os\nimport numpy as np\nimport torch\n"
                                             "from torch import float16 as half, finfo\n"
                                             "@triton.jit\ndef f(x_ptr):\n    VALUE: tl.constexpr = ") +
                                     GetParam().expression + "\n    tl.store(x_ptr, VALUE)\n",
                                 "*fp64");
  EXPECT_EQ(emission.messages, GetParam().messages);
  EXPECT_NE(emission.ir.find(std::string("arith.constant ") + GetParam().expected), std::string::npos)
      << emission.ir;
}

INSTANTIATE_TEST_SUITE_P(
    Of, Facts,
    testing::Values(Fact{"torch.finfo(torch.float32).max", "3.4028234663852886E+38 : f64"},
                    Fact{"torch.finfo(torch.float32).tiny", "1.1754943508222875E-38 : f64"},
                    Fact{"torch.finfo(torch.bfloat16).eps", "7.812500e-03 : f64"},
                    Fact{"finfo(half).min", "-6.550400e+04 : f64"},
                    Fact{"torch.finfo(torch.float8_e4m3fn).max", "4.480000e+02 : f64"},
                    Fact{"torch.finfo(torch.float8_e5m2).max", "5.734400e+04 : f64"},
                    Fact{"torch.finfo(tl.float64).bits", "6.400000e+01 : f64"},
                    Fact{"torch.iinfo(torch.int8).min", "-1.280000e+02 : f64"},
                    Fact{"np.iinfo(np.uint8).max", "2.550000e+02 : f64"},
                    Fact{"torch.iinfo(torch.long).max", "9.2233720368547758E+18 : f64"},
                    Fact{"-np.inf", "0xFFF0000000000000 : f64"},
                    Fact{"float(os.getenv('NEREID_NO_SUCH_VARIABLE', '7'))", "7.000000e+00 : f64",
                         "10:33: warning: the environment variable 'NEREID_NO_SUCH_VARIABLE' is taken to be "
                         "unset\n"},
                    Fact{"2.0 if os.environ.get('PATH') is None else 3.0", "2.000000e+00 : f64",
                         "10:34: warning: the environment variable 'PATH' is taken to be unset\n"}));

TEST(Facts, LimitsOfSomethingElse) {
  expectError({"", R"(
import torch
@triton.jit
def f(x_ptr):
    tl.store(x_ptr, torch.finfo(torch.int32).max)
)",
               "*fp32", "8:21: error: finfo() expects a floating-point dtype, not 'torch.int32'\n"});
}

TEST(Facts, ModulesByTheirNames) {
  Emission emission = emitSource(R"(
import importlib.util
from importlib import import_module

def find(name):
    for place in ("triton.language.nowhere", "triton.language.extra.libdevice"):
        if spec := importlib.util.find_spec(place):
            module = importlib.util.module_from_spec(spec)
            assert spec.loader is not None
            spec.loader.exec_module(module)
            return getattr(module, name)
    raise ImportError("nowhere")

def can_import(name):
    try:
        import_module(name)
    except ImportError:
        return False
    return True

rsqrt = find("rsqrt")
language = import_module("triton.language")
HAS_OTHERS = can_import("flash_kernels") or importlib.util.find_spec("flash_kernels") is not None
HAS_TRITON = can_import("triton") and importlib.util.find_spec("torch") is not None

@triton.jit
def f(x_ptr):
    language.static_assert(HAS_TRITON and not HAS_OTHERS)
    tl.store(x_ptr, rsqrt(tl.load(x_ptr)))
)",
                                 "*fp32");
  // Of the language it is known which modules there are; of others, only which are here.
  EXPECT_EQ(llvm::StringRef(emission.messages)
                .count("warning: module 'flash_kernels' is not here and is taken to be missing, so that "
                       "'HAS_OTHERS' is False; -D HAS_OTHERS=VALUE says otherwise\n"),
            2u)
      << emission.messages;
  EXPECT_EQ(llvm::StringRef(emission.messages).count('\n'), 2u) << emission.messages;
  EXPECT_NE(emission.ir.find("rsqrt"), std::string::npos) << emission.ir;
}

const char *kernelInAClass = R"(
class Scale:
    BLOCK = tl.constexpr(16)
    @staticmethod
    @triton.jit
    def f(x_ptr, N: tl.constexpr):
        offs = tl.arange(0, N)
        tl.store(x_ptr + offs, tl.load(x_ptr + offs) * 2)
)";

TEST(Facts, AKernelInAClass) {
  Diagnostics diagnostics;
  auto declaration = findKernelInSource(kernelInAClass, "Scale.f", diagnostics);
  ASSERT_TRUE(declaration);
  EXPECT_EQ(declaration->name, "f");
  EXPECT_EQ(declaration->parameters.size(), 2u);
  EXPECT_FALSE(findKernelInSource(kernelInAClass, "Scale.g", diagnostics));
  EXPECT_NE(emitSource(kernelInAClass, "*fp32, 16").messages.find("its decorated functions are Scale.f"),
            std::string::npos);
}

} // namespace
} // namespace nereid::test
