// Which conditions are computed again, and how.
#include "compiler/targets/nvidia/CompareAgain.h"

#include "gtest/gtest.h"

using namespace nereid;

static std::string makeConditions(unsigned count) {
  std::string text = "\t.reg .pred \t%p<99>;\n\tmov.u32 \t%r1, %tid.x;\n";
  for (unsigned i = 1; i <= count; ++i)
    text += "\tsetp.lt.s32 \t%p" + std::to_string(i) + ", %r1, " + std::to_string(i) + ";\n";
  return text;
}

/// A kernel that computes conditions %p1 to %p<count>, more by `before`, and needs all of the former, and
/// what is in `behind`, behind a loop.
static std::string makeKernel(unsigned count, const std::string &before, const std::string &behind) {
  std::string text = makeConditions(count);
  text += before +
          "$L__BB0_1:                              // =>This Inner Loop Header\n\t@%p90 bra \t$L__BB0_1;\n"
          "$L__BB0_2:\n";
  for (unsigned i = 1; i <= count; ++i)
    text += "\t@%p" + std::to_string(i) + " st.global.b32 [%rd1], %r2;\n";
  return text + behind;
}

/// A kernel that computes conditions %p1 to %p<count> and loads under the first of them; all are needed
/// behind `between`.
static std::string makeStraightKernel(unsigned count, const std::string &between) {
  std::string text = makeConditions(count);
  text += "\t@%p1 ld.global.b32 %r2, [%rd1];\n" + between;
  for (unsigned i = 1; i <= count; ++i)
    text += "\tselp.b32 \t%r" + std::to_string(10 + i) + ", 1, 0, %p" + std::to_string(i) + ";\n";
  return text;
}

static bool has(const std::string &text, const std::string &part) { return text.find(part) != text.npos; }

TEST(CompareAgain, WhatThreadsHavePredicatesForStays) {
  EXPECT_EQ(compareAgainBehindLoops(makeKernel(6, "", "")), "");
}

TEST(CompareAgain, ConditionsAreComputedBeforeTheirFirstUseInABlock) {
  std::string text =
      compareAgainBehindLoops(makeKernel(7, "", "\t@!%p7 ret;\n$L__BB0_3:\n\tselp.b32 \t%r3, 1, 0, %p7;\n"));
  EXPECT_TRUE(has(text, "\t.reg .pred \t%again<8>;\n\t.reg .pred"));
  EXPECT_TRUE(
      has(text, "$L__BB0_2:\n\tsetp.lt.s32 \t%again0, %r1, 1;\n\t@%again0 st.global.b32 [%rd1], %r2;\n"));
  EXPECT_TRUE(
      has(text, "\tsetp.lt.s32 \t%again6, %r1, 7;\n\t@%again6 st.global.b32 [%rd1], %r2;\n\t@!%again6 ret;\n"
                "$L__BB0_3:\n\tsetp.lt.s32 \t%again7, %r1, 7;\n\tselp.b32 \t%r3, 1, 0, %again7;\n"));
}

TEST(CompareAgain, ConditionsOfConditionsAreComputedOfThose) {
  std::string text =
      compareAgainBehindLoops(makeKernel(7, "\tsetp.eq.s32 \t%p20, %r1, 0;\n\tand.pred \t%p21, %p1, %p20;\n",
                                         "\tselp.b32 \t%r3, 1, 0, %p21;\n"));
  EXPECT_TRUE(has(text, "\tsetp.eq.s32 \t%again7, %r1, 0;\n\tand.pred \t%again8, %again0, %again7;\n"
                        "\tselp.b32 \t%r3, 1, 0, %again8;\n"));
}

TEST(CompareAgain, WhatMayHaveChangedStays) {
  // Of a register that is written twice; written under a condition; what warps agree on, and what is made of
  // it.
  for (const char *before : {"\tmov.b32 \t%r8, 1;\n\tmov.b32 \t%r8, 2;\n\tsetp.eq.s32 \t%p20, %r8, 0;\n",
                             "\t@%p1 setp.eq.s32 \t%p20, %r1, 0;\n",
                             "\tsetp.eq.s32 \t%p20, %r1, 0;\n\tsetp.eq.s32 \t%p20, %r1, 1;\n",
                             "\tvote.sync.any.pred \t%p20, %p1, -1;\n"})
    EXPECT_TRUE(has(compareAgainBehindLoops(makeKernel(7, before, "\tselp.b32 \t%r3, 1, 0, %p20;\n")),
                    "\tselp.b32 \t%r3, 1, 0, %p20;\n"))
        << before;
  EXPECT_TRUE(has(compareAgainBehindLoops(
                      makeKernel(7, "\tvote.sync.any.pred \t%p20, %p1, -1;\n\tnot.pred \t%p21, %p20;\n",
                                 "\tselp.b32 \t%r3, 1, 0, %p21;\n")),
                  "\tnot.pred \t%again7, %p20;\n\tselp.b32 \t%r3, 1, 0, %again7;\n"));
}

static constexpr const char *barrier = "\tbar.sync \t0;\n", *store = "\tst.global.b32 [%rd2], %r2;\n";

TEST(CompareAgain, OppositesAreComparedBehindBarriersAndFirstStores) {
  EXPECT_EQ(compareAgain(makeStraightKernel(7, "")), "");
  EXPECT_EQ(compareAgain(makeStraightKernel(6, barrier)), "");
  for (const char *between : {barrier, store}) {
    std::string text = compareAgain(makeStraightKernel(7, between));
    EXPECT_TRUE(has(text, "\t@%p1 ld.global.b32 %r2, [%rd1];\n")) << text;
    EXPECT_TRUE(has(text, std::string(between) +
                              "\tsetp.ge.s32 \t%again0, %r1, 1;\n\tnot.pred \t%again1, %again0;\n"
                              "\tselp.b32 \t%r11, 1, 0, %again1;\n"))
        << text;
  }
  EXPECT_EQ(compareAgainBehindLoops(makeStraightKernel(7, barrier)), "");
}

TEST(CompareAgain, ConditionsAreComparedAgainInEachStep) {
  std::string text =
      compareAgain(makeStraightKernel(7, barrier) + barrier + "\tselp.b32 \t%r3, 1, 0, %p7;\n");
  EXPECT_TRUE(has(text, std::string(barrier) +
                            "\tsetp.ge.s32 \t%again14, %r1, 7;\n\tnot.pred \t%again15, %again14;\n"
                            "\tselp.b32 \t%r3, 1, 0, %again15;\n"))
      << text;
}

TEST(CompareAgain, StoresBehindStoresBeginNoStep) {
  // The conditions are first needed between two of them.
  std::string text = std::string(store) + makeStraightKernel(7, "");
  text.insert(text.find("\t@%p1 ld"), store);
  text.erase(text.find("\t@%p1 ld"), text.find("\tselp") - text.find("\t@%p1 ld"));
  EXPECT_EQ(compareAgain(text), "");
}

TEST(CompareAgain, TheOppositeOfNumbersIsTrueForNaN) {
  for (auto [comparison, opposite] : {std::pair("lt", "geu"),
                                      {"le", "gtu"},
                                      {"gt", "leu"},
                                      {"ge", "ltu"},
                                      {"eq", "neu"},
                                      {"ne", "equ"},
                                      {"ltu", "ge"},
                                      {"leu", "gt"},
                                      {"gtu", "le"},
                                      {"geu", "lt"},
                                      {"equ", "ne"},
                                      {"neu", "eq"}}) {
    std::string text = makeStraightKernel(7, barrier);
    std::string first = "setp.lt.s32 \t%p1, %r1, 1;", number = ".f32 \t%p1, %r1, %r1;";
    text.replace(text.find(first), first.size(), std::string("setp.") + comparison + number);
    EXPECT_TRUE(has(compareAgain(text), std::string("setp.") + opposite + ".f32 \t%again0, %r1, %r1;\n"))
        << comparison;
  }
  std::string text = makeStraightKernel(7, barrier);
  text.replace(text.find("setp.lt.s32"), 11, "setp.ne.s32");
  EXPECT_TRUE(has(compareAgain(text), "\tsetp.eq.s32 \t%again0, %r1, 1;\n"));
}
