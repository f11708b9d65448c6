// Names that builds written for Triton's tools count on; hashes are those of triton.tools.compile of
// Triton 3.6.
#include "linker/TritonNames.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace nereid;

static TritonNames nameSignature(const char *text, unsigned numWarps = 1) {
  Diagnostics diagnostics;
  StringRef source = diagnostics.addSource("<signature>", text);
  return nameForTriton(source, *parseSignature(source, diagnostics), numWarps, 3);
}

TEST(TritonNames, OfSignatures) {
  TritonNames names = nameSignature(
      "*fp32:16, *fp16:16, *fp16:16, i32, i32, i32, i32, i32:1, i32:16, i32:1, i32:16, i32:1, 16, 16, 16");
  EXPECT_EQ(names.hash, "75e64dbd");
  EXPECT_EQ(names.suffix, "0d1d2d34567c8d9c10d11c121314");
  EXPECT_EQ(names.algorithm, "16x16x16x1x1x1_warps1xstages3");
  // Spaces around entries do not count, what is written in them does.
  EXPECT_EQ(nameSignature("64,*i32:16  ,i32, i64:1", 2).hash, "a2091b10");
  EXPECT_NE(nameSignature("64, *i32:16, i32, i64: 1", 2).hash, "a2091b10");
  EXPECT_EQ(nameSignature("*i32").algorithm, "_warps1xstages3");
}

TEST(TritonNames, OfNumbers) {
  EXPECT_EQ(nameSignature("-8, True, None, 7").algorithm.substr(0, 13), "m8xTruexNonex");
  EXPECT_EQ(nameSignature("0.5, 1e5, 1e-5, 1e300, 0.1, -0.0").algorithm,
            "0p5x100000p0x1em05x1e300x0p1xm0p0_warps1xstages3");
}

TEST(TritonNames, OfFiles) {
  EXPECT_EQ(replaceSuffix("matmul", ".h"), "matmul.h");
  EXPECT_EQ(replaceSuffix("a.b/matmul", ".h"), "a.b/matmul.h");
  EXPECT_EQ(replaceSuffix("a.b/matmul.old.c", ".h"), "a.b/matmul.old.h");
  EXPECT_EQ(replaceSuffix(".matmul", ".h"), ".matmul.h");
  EXPECT_EQ(replaceSuffix("matmul.", ".h"), "matmul..h");
}
