// What is read off PTX of loops and of threads that wait for one another.
#include "compiler/targets/nvidia/LoopLoads.h"

#include "gtest/gtest.h"

using namespace nereid;

TEST(LoopLoads, CountTheRoundThatLoadsMost) {
  EXPECT_EQ(measureLoopLoads("ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];\n").bytesOfRound, 0u);
  EXPECT_EQ(measureLoopLoads("\tld.global.b32 %r0, [%rd0];\n"
                             "$L__BB0_1:                              // =>This Inner Loop Header\n"
                             "\tld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];\n"
                             "\t@%p1 ld.global.L1::evict_first.v2.u16 {%rs1, %rs2}, [%rd2];\n"
                             "\tld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%r9];\n"
                             "\t@%p2 bra \t$L__BB0_1;\n"
                             "$L__BB0_2:\n"
                             "\tld.global.b64 %rd5, [%rd1];\n"
                             "\t@%p3 bra $L__BB0_3;\n"
                             "\tbra.uni $L__BB0_2;\n"
                             "$L__BB0_3:\n"
                             "\tld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];\n"
                             "\tret;\n")
                .bytesOfRound,
            20u);
}

TEST(LoopLoads, CountWhatIsKeptTogetherAsWell) {
  std::string ptx = "$L__BB0_1:\n"
                    "\tld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];\n"
                    "\tld.global.L1::evict_first.v2.u16 {%rs1, %rs2}, [%rd2];\n"
                    "\t@%p2 bra \t$L__BB0_1;\n";
  EXPECT_EQ(measureLoopLoads(ptx).bytesOfRound, 20u);
  EXPECT_EQ(measureLoopLoads(keepLoadsTogether(ptx)).bytesOfRound, 20u);
}

TEST(LoopLoads, CountWhatStoresOfTheRoundHoldBack) {
  LoopLoads loads = measureLoopLoads("\tst.global.b32 [%rd0], %r0;\n"
                                     "$L__BB0_1:\n"
                                     "\tld.global.b32 %r1, [%rd1];\n"
                                     "\tst.shared.b32 [%r9], %r1;\n"
                                     "\tld.global.v2.b32 {%r2, %r3}, [%rd1];\n"
                                     "\t@%p1 st.global.b32 [%rd2], %r1;\n"
                                     "\tld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd1];\n"
                                     "\t@%p2 bra \t$L__BB0_1;\n");
  EXPECT_EQ(loads.bytesOfRound, 28u);
  EXPECT_EQ(loads.bytesBehindStores, 16u);
}

TEST(LoopLoads, ThreadsThatExchange) {
  EXPECT_FALSE(exchangesBetweenThreads("\tadd.s32 %r1, %r2, %r3;\n"));
  EXPECT_TRUE(exchangesBetweenThreads("\tshfl.sync.bfly.b32 \t%r1, %r2, 16, 31, -1;\n"));
  EXPECT_TRUE(exchangesBetweenThreads("\tbar.sync \t0;\n"));
}

TEST(LoopLoads, PlainOnesCanBeKeptTogether) {
  EXPECT_EQ(keepLoadsTogether("\t@%p1 ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];\n"
                              "\tld.global.L1::evict_first.b32 %r1, [%rd1];\n"
                              "\tld.global.cg.b32 %r1, [%rd1];\n\tld.global.nc.b32 %r1, [%rd1];\n"
                              "\tld.volatile.global.b32 %r1, [%rd1];\n\tst.global.b32 [%rd1], %r1;\n"),
            "\t@%p1 ld.relaxed.cta.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];\n"
            "\tld.relaxed.cta.global.L1::evict_first.b32 %r1, [%rd1];\n"
            "\tld.global.cg.b32 %r1, [%rd1];\n\tld.global.nc.b32 %r1, [%rd1];\n"
            "\tld.volatile.global.b32 %r1, [%rd1];\n\tst.global.b32 [%rd1], %r1;\n");
}

// A fence stands behind the last load of a group, with what is computed of the others in front of it: that
// may move past it. Another group begins behind a load at a loaded address, behind what others see, and in
// another block.
TEST(LoopLoads, GroupsAreFenced) {
  auto load = [](int number, const char *address = "%rd1") {
    std::string n = std::to_string(number);
    return "\t@%p1 ld.global.v2.b32 {%r" + n + "0, %r" + n + "1}, [" + address + "];\n";
  };
  const std::string fence = "\tfence.acq_rel.cta;\n",
                    sum = "\tadd.f32 %r99, %r10, %r11;\n\tmov.b64 %rd9, {%r99, %r10};\n";
  std::string four = load(1) + sum + load(2) + "\tld.shared.b32 %r7, [%r8];\n" + load(3) + load(4);
  EXPECT_EQ(fenceLoads(four + "\tret;\n"), four + fence + "\tret;\n");
  std::string three = load(1) + load(2) + load(3);
  EXPECT_EQ(fenceLoads(three + "\tret;\n"), three + "\tret;\n");
  EXPECT_EQ(fenceLoads(three + sum + load(4, "%rd9") + "\tret;\n"),
            three + sum + load(4, "%rd9") + "\tret;\n");
  for (std::string between :
       {"$L__BB0_1:\n", "\t@%p2 bra $L__BB0_1;\n", "\tst.shared.b32 [%r8], %r7;\n", "\tbar.sync 0;\n"}) {
    EXPECT_EQ(fenceLoads(three + between + load(4) + "\tret;\n"), three + between + load(4) + "\tret;\n")
        << between;
    EXPECT_EQ(fenceLoads(four + between + four + "\tret;\n"),
              four + fence + between + four + fence + "\tret;\n");
  }
}
