// Kernels that are made to take long are refused soon, and those that are nested deep leave the stack alone.
#include "tests/unit/frontend_triton_c/EmitTritonC.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

std::string repeat(const std::string &text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

TEST(TritonCWork, FunctionsThatCallFunctionsTwice) {
  std::string source = "int f0(int x) { return x + 1; }\n";
  for (int i = 1; i <= 40; ++i)
    source += "int f" + std::to_string(i) + "(int x) { return f" + std::to_string(i - 1) + "(x) + f" +
              std::to_string(i - 1) + "(x + 1); }\n";
  TritonCEmission emission = emitTritonC(source + "__global__ void f(int *p) { *p = f40(*p); }");
  EXPECT_NE(emission.messages.find("this takes more than 10000000 steps at compile time"), std::string::npos)
      << emission.messages;
}

TEST(TritonCWork, ManyStatements) {
  TritonCEmission emission =
      emitTritonC("__global__ void f(int *p) {\n" + repeat("*p = *p + 1;\n", 60000) + "}");
  EXPECT_NE(emission.messages.find("this takes more than"), std::string::npos) << emission.messages;
  EXPECT_NE(emitTritonC("__global__ void f(int *p) {\n" + repeat("*p = *p + 1;\n", 1000) + "}").ir, "");
}

TEST(TritonCWork, ManyEarlyReturns) {
  TritonCEmission emission = emitTritonC("__global__ void f(int *p, int n) {\n" +
                                         repeat("if (n == *p) return; *p = 1;\n", 3000) + "}");
  EXPECT_EQ(emission.ir, "");
  EXPECT_NE(emission.messages.find("are nested more than 128 levels deep"), std::string::npos)
      << emission.messages;
}

TEST(TritonCWork, LoopsInLoopsTakeNoLongerThanTheirNumber) {
  TritonCOptions options;
  options.target = "cuda:90a";
  options.stage = Stage::TTGIR;
  EXPECT_NE(emitTritonC("__global__ void f(int *p, int n) { int x = 0;" +
                            repeat("while (x < n) { if (x == 3) break; x++;", 40) + "*p = x;" +
                            repeat("}", 40) + "}",
                        options)
                .ir,
            "");
}

TEST(TritonCWork, DeepNesting) {
  EXPECT_NE(emitTritonC("__global__ void f(int *p, int n) {" + repeat("for (int i = 0; i < n; i++) {", 60) +
                        "*p = 1;" + repeat("}", 60) + "}")
                .ir,
            "");
  EXPECT_NE(emitTritonC("__global__ void f(int *p, int n) { *p = " + repeat("(", 150) + "n" +
                        repeat(")", 150) + "; }")
                .ir,
            "");
  EXPECT_NE(emitTritonC("__global__ void f(int *p, int n) { *p = n" + repeat(" + n", 400) + "; }").ir, "");
  EXPECT_NE(emitTritonC("__global__ void f(int *p, int n) { *p = " + repeat("n > 0 ? *(p + (", 20) + "0" +
                        repeat(")) : 1", 20) + "; }")
                .ir,
            "");
}

} // namespace
} // namespace nereid::test
