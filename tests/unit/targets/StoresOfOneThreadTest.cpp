// Stores under a condition on the thread's number: which texts are changed, and when that is taken.
#include "compiler/targets/nvidia/StoresOfOneThread.h"

#include "Generated.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace nereid;

namespace {

/// A kernel's text with so many stores under `condition`.
std::string makeText(unsigned numStores, StringRef condition, StringRef numThreads = ".reqntid 384\n") {
  std::string text = (".visible .entry kernel(\n)\n" + numThreads +
                      "{\n\tmov.u32 \t%r1, %tid.x;\n\tmov.u32 \t%r2, %ctaid.x;\n\tsetp.eq.b32 \t%p1, " +
                      condition + ";\n\tsetp.eq.b32 \t%p2, %r1, 1;\n")
                         .str();
  for (unsigned i = 0; i < numStores; ++i)
    text += "\t@%p1 st.global.b32 [%rd1], %r2;\n";
  return text + "\t@%p2 st.global.b32 [%rd1], %r2;\n\tret;\n}\n";
}

TEST(StoresOfOneThread, NumbersOfThreadsAreHiddenWhereTheyGuardManyStores) {
  std::string text = makeText(4, "%r1, 0"), changed = text;
  StringRef read = "mov.u32 \t%r1, %tid.x;\n";
  changed.insert(changed.find(read) + read.size(), "\tand.b32 \t%r1, %r1, 511;\n");
  EXPECT_EQ(keepStoresOfOneThread(text), changed);
  EXPECT_EQ(keepStoresOfOneThread(makeText(3, "%r1, 0")), "");
  // Not a constant, nor the thread's number.
  EXPECT_EQ(keepStoresOfOneThread(makeText(4, "%r1, %r2")), "");
  EXPECT_EQ(keepStoresOfOneThread(makeText(4, "%r2, 0")), "");
  EXPECT_EQ(keepStoresOfOneThread(makeText(4, "%r1, 0", "")), "");
}

TEST(NVIDIA, StoresOfOneThreadStayTogether) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  auto compile = [](unsigned numStores) {
    std::string ir = "define ptx_kernel void @kernel__1(ptr addrspace(1) %p) #0 {\n"
                     "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %isFirst = icmp eq i32 %t, 0\n";
    for (unsigned i = 0; i < numStores; ++i) {
      std::string k = std::to_string(i);
      ir += "  %p" + k + " = getelementptr i64, ptr addrspace(1) %p, i64 " + k +
            "\n  call void asm sideeffect \"@$3 st.global.v2.b32 [$0], {$1, $2};\", \"l,r,r,b\"(ptr "
            "addrspace(1) %p" +
            k + ", i32 " + k + ", i32 0, i1 %isFirst)\n";
    }
    ir += "  ret void\n}\ndeclare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
          "attributes #0 = { \"nvvm.minctasm\"=\"1\" \"nvvm.reqntid\"=\"128\" }\n";
    Generated generated = generate("cuda:90", ir, std::nullopt, /*numWarps=*/4);
    EXPECT_TRUE(generated.ok) << generated.messages;
    return contains(generated.result.images.back().bytes, ", 127;");
  };
  EXPECT_TRUE(compile(24));
  EXPECT_FALSE(compile(2));
}

} // namespace
