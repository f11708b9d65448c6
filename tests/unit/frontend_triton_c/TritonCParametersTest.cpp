// A kernel's parameters: what the file says of them, what a signature adds, and what grids may name.
#include "tests/unit/frontend_triton_c/EmitTritonC.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

const char *const kernel =
    "__global__ void f(half *a __noalias __readonly __aligned(16), float *b __writeonly,\n"
    "                  int n __multipleof(8), int m __retune __multipleof(32), float scale) {\n"
    "  *b = n * m * scale;\n"
    "}\n";

/// The parameters as a signature has them.
std::string describe(const KernelInfo &info) {
  std::string text;
  for (const KernelParameter &parameter : info.parameters) {
    ParameterSpec spec;
    spec.name = parameter.name;
    spec.constant = parameter.constant;
    spec.isPointer = parameter.isPointer;
    spec.element = parameter.element;
    spec.divisibleBy = parameter.divisibleBy;
    spec.equalsOne = parameter.equalsOne;
    text += (text.empty() ? "" : ", ") + spec.str();
  }
  return text;
}

TEST(TritonCParameters, TheFileSaysTheTypes) {
  TritonCEmission emission = emitTritonC(kernel);
  EXPECT_EQ(emission.messages, "");
  EXPECT_EQ(describe(emission.info), "a=*fp16:16, b=*fp32, n=i32:8, m=i32:32, scale=fp32");
  expectParts(emission.ir, {"%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}", "%b: !tt.ptr<f32>,",
                            "%n: i32 {tt.divisibility = 8 : i32}", "%m: i32 {tt.divisibility = 32 : i32}",
                            "%scale: f32)"});
  EXPECT_TRUE(emission.info.parameters[0].readOnly);
}

TEST(TritonCParameters, SignaturesByPositionAndByName) {
  for (const char *signature : {"*fp16, *fp32:16, i32, i32, fp32", "b=*fp32:16", "b=*fp32:16, n=i32"}) {
    TritonCOptions options;
    options.signature = signature;
    TritonCEmission emission = emitTritonC(kernel, options);
    EXPECT_EQ(emission.messages, "");
    EXPECT_EQ(describe(emission.info), "a=*fp16:16, b=*fp32:16, n=i32:8, m=i32:32, scale=fp32");
  }
}

TEST(TritonCParameters, ValuesInSignaturesAreKnownWhileCompiling) {
  TritonCOptions options;
  options.signature = "n=i32:1, m=64, scale=0.5";
  TritonCEmission emission = emitTritonC(kernel, options);
  EXPECT_EQ(emission.messages, "");
  EXPECT_EQ(describe(emission.info), "a=*fp16:16, b=*fp32, n=i32:1, m=64, scale=0.5");
  expectParts(emission.ir,
              {"%a: !tt.ptr<f16>", "%b: !tt.ptr<f32>) ", "arith.constant 3.200000e+01 : f32", "tt.store %b"});
}

TEST(TritonCParameters, MacrosThatAreNumbersMayStandInGrids) {
  TritonCOptions options;
  options.definitions = {"TM=128", "TYPE=float", "FLAG=1"};
  TritonCEmission emission =
      emitTritonC("#define TN (TM / 4)\n#define GUARD\n#define ROWS rm\n#define F(x) x\n"
                  "__global__ void f(TYPE *p) { int rm[TM] = 0 ... TM; *(p + rm) = FLAG; }",
                  options);
  EXPECT_EQ(emission.messages, "");
  EXPECT_EQ(describe(emission.info), "p=*fp32, FLAG=1, TM=128, TN=32");
}

TEST(TritonCParameters, SignaturesThatDoNotFit) {
  auto expectRefused = [](const char *signature, const std::string &message) {
    TritonCOptions options;
    options.signature = signature;
    TritonCEmission emission = emitTritonC(kernel, options);
    EXPECT_EQ(emission.ir, "");
    EXPECT_EQ(emission.messages, message) << signature;
  };
  const std::string list = "1:17: note: 'f' has the parameters a=*fp16, b=*fp32, n=i32, m=i32, scale=fp32\n";
  expectRefused("*fp16, *fp32",
                "signature:1:1: error: the signature has 2 parameters, but 'f' has 5\n" + list);
  expectRefused("*fp16, *fp32, i32, i32, fp32, i32",
                "signature:1:31: error: the signature has 6 parameters, but 'f' has 5\n" + list);
  expectRefused("x=i32", "signature:1:1: error: 'f' has no parameter 'x'\n" + list);
  expectRefused("a=*fp32", "signature:1:1: error: the parameter 'a' is of type *fp16, not *fp32\n"
                           "1:25: note: the parameter is declared here\n");
  expectRefused("n=u32", "signature:1:1: error: the parameter 'n' is of type i32, not u32\n"
                         "2:23: note: the parameter is declared here\n");
  expectRefused("a=5",
                "signature:1:1: error: the parameter 'a' is of type *fp16, for which 'a=5' is no value\n"
                "1:25: note: the parameter is declared here\n");
  expectRefused("n=0.5",
                "signature:1:1: error: the parameter 'n' is an integer, for which n=0.5 is no value\n"
                "2:23: note: the parameter is declared here\n");
  expectRefused("n=5000000000",
                "signature:1:1: error: n=5000000000 does not fit in the parameter 'n', which is of type i32\n"
                "2:23: note: the parameter is declared here\n");
}

TEST(TritonCParameters, AttributesThatMakeNoSense) {
  expectTritonCError("__global__ void f(int n __aligned(16)) {}",
                     "1:25: error: '__aligned' goes with a pointer; of a number say __multipleof\n");
  expectTritonCError("__global__ void f(float x __multipleof(16)) {}",
                     "1:27: error: only of a pointer or an integer can this be promised\n");
  expectTritonCError("__global__ void f(int n __readonly) {}",
                     "1:25: error: this attribute goes with a pointer\n");
  expectTritonCError("__global__ void f(int n __multipleof(0)) {}",
                     "1:25: error: this must be a positive number, but is 0\n");
  expectTritonCError("__global__ void f(int n __multipleof) {}",
                     "1:37: error: expected '(' after '__multipleof', not ')'\n");
}

TEST(TritonCParameters, ADefinitionMayBreakAParameter) {
  TritonCOptions options;
  options.definitions = {"n=64"};
  expectTritonCError("__global__ void f(int n) {}",
                     "1:23: error: expected a name after the type, not '64'\n"
                     "<-D>:1:3: note: expanded from macro 'n'\n",
                     options);
}

} // namespace
} // namespace nereid::test
