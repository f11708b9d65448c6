// Which operations loops compute themselves.
#include "compiler/targets/nvidia/SinkIntoLoops.h"

#include "gtest/gtest.h"

using namespace nereid;

TEST(SinkIntoLoops, AddressesAreComputedBeforeTheirUses) {
  EXPECT_EQ(sinkIntoLoops("\t.reg .b32 \t%r<9>;\n"
                          "\tmov.u32 \t%r1, %tid.x;\n"
                          "\tadd.s32 \t%r5, %r1, 4096;\n"
                          "\tcvt.u64.u32 \t%rd1, %r5;\n"
                          "$L__BB0_1:                              // =>This Inner Loop Header\n"
                          "\t@%p1 st.shared.b32 [%r5], %r9;\n"
                          "\tld.shared.b32 \t%r7, [%rd1+16];\n"
                          "\t@%p2 bra \t$L__BB0_1;\n"
                          "\tst.shared.b32 [%r5], %r7;\n"),
            "\t.reg .b32 \t%sunk<3>;\n"
            "\t.reg .b64 \t%sunkd<3>;\n"
            "\t.reg .b32 \t%r<9>;\n"
            "\tmov.u32 \t%r1, %tid.x;\n"
            "\tadd.s32 \t%r5, %r1, 4096;\n"
            "\tcvt.u64.u32 \t%rd1, %r5;\n"
            "$L__BB0_1:                              // =>This Inner Loop Header\n"
            "\tadd.s32 \t%sunk0, %r1, 4096;\n"
            "\t@%p1 st.shared.b32 [%sunk0], %r9;\n"
            "\tadd.s32 \t%sunk1, %r1, 4096;\n"
            "\tcvt.u64.u32 \t%sunkd2, %sunk1;\n"
            "\tld.shared.b32 \t%r7, [%sunkd2+16];\n"
            "\t@%p2 bra \t$L__BB0_1;\n"
            "\tst.shared.b32 [%r5], %r7;\n");
}

/// Text with a loop in which `use` stands, behind `before`.
static std::string loop(const std::string &before, const std::string &use) {
  return "\t.reg .b32 \t%r<9>;\n\tmov.u32 \t%r1, %tid.x;\n" + before + "$L__BB0_1:\n" + use +
         "\t@%p2 bra \t$L__BB0_1;\n";
}

TEST(SinkIntoLoops, WhatMayHaveChangedStays) {
  // Written in the loop, under a condition, or by assembly that is not understood; of such; not cheap.
  for (const std::string &text :
       {loop("\tadd.s32 \t%r5, %r1, 4;\n", "\tst.shared.b32 [%r5], %r1;\n\tadd.s32 \t%r5, %r5, 4;\n"),
        loop("\t@%p1 add.s32 \t%r5, %r1, 4;\n", "\tst.shared.b32 [%r5], %r1;\n"),
        loop("\tadd.s32 \t%r5, %r1, 4;\n",
             "\t{ .reg .pred p; mad {%r5}, %r1; }\n\tst.shared.b32 [%r5], %r1;\n"),
        loop("\tmov.b32 \t%r2, 5;\n\tadd.s32 \t%r5, %r2, 4;\n",
             "\tst.shared.b32 [%r5], %r1;\n\tmov.b32 \t%r2, 7;\n"),
        loop("\tdiv.s32 \t%r5, %r1, 4;\n", "\tst.shared.b32 [%r5], %r1;\n"),
        loop("", "\tadd.s32 \t%r5, %r1, 4;\n\tst.shared.b32 [%r5], %r1;\n"),
        std::string("\tadd.s32 \t%r5, %r1, 4;\n\tst.shared.b32 [%r5], %r1;\n")})
    EXPECT_EQ(sinkIntoLoops(text), text);
}

TEST(SinkIntoLoops, LoopsAroundCountAsOne) {
  std::string text =
      "\t.reg .b32 \t%r<9>;\n\tmov.u32 \t%r1, %tid.x;\n$L__BB0_1:\n\tadd.s32 \t%r5, %r1, 4;\n"
      "$L__BB0_2:\n\tst.shared.b32 [%r5], %r1;\n\t@%p2 bra \t$L__BB0_2;\n\t@%p3 bra \t$L__BB0_1;\n";
  EXPECT_EQ(sinkIntoLoops(text), text);
}
