// What keeps a thread's arrays in local memory.
#include "compiler/targets/nvidia/LocalArrays.h"

#include "gtest/gtest.h"

using namespace nereid;

TEST(LocalArrays, AddressesAreNotToBeSeenThrough) {
  EXPECT_EQ(keepArraysInMemory("\t.local .align 4 .b8 \t__local_depot0[28];\n"
                               "\tst.local.b32 \t[%rd1+24], %r1;\n"
                               "\t@%p1 ld.local.b32 \t%r2, [%rd1];\n"
                               "\tst.shared.b32 \t[%rd1], %r1;\n"
                               "\tret;"),
            "\t.local .align 4 .b8 \t__local_depot0[28];\n"
            "\t{ .reg .b64 %at; and.b64 %at, %rd1, 0xffffffff;\n"
            "\tst.local.b32 \t[%at+24], %r1; }\n"
            "\t{ .reg .b64 %at; and.b64 %at, %rd1, 0xffffffff;\n"
            "\t@%p1 ld.local.b32 \t%r2, [%at]; }\n"
            "\tst.shared.b32 \t[%rd1], %r1;\n"
            "\tret;");
}

TEST(LocalArrays, NoneOrLargeOnesAreLeftAlone) {
  EXPECT_EQ(keepArraysInMemory("\tst.local.b32 \t[%rd1], %r1;\n"), "");
  EXPECT_EQ(keepArraysInMemory("\t.local .align 16 .b8 \t__local_depot0[4096];\n"
                               "\tst.local.b32 \t[%rd1], %r1;\n"),
            "");
}
