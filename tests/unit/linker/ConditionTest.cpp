// What conditions fall apart into, and how that reads.
#include "linker/Condition.h"
#include "Samples.h"

#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace nereid;

/// Each part as `kind: text`, ranges with their bounds.
static std::string read(StringRef text, int64_t block = 1024) {
  std::vector<KernelParameter> parameters = {makePointer("x"), makeInteger("n"), makeInteger("m"),
                                             makeConstant("BLOCK", block), makeConstant("EVEN", true)};
  Diagnostics diagnostics;
  auto condition = GridExpression::parseCondition(diagnostics.addSource("when", text.str()), diagnostics);
  if (!condition || !condition->check(parameters, diagnostics))
    return flush(diagnostics);
  std::vector<std::string> parts;
  auto bound = [](int64_t value) {
    return value == INT64_MIN || value == INT64_MAX ? std::string() : std::to_string(value);
  };
  for (const ConditionPart &part :
       readCondition(*condition, parameters, [](StringRef name) { return name.str(); }))
    parts.push_back(part.kind == ConditionPart::Kind::Never ? "never: " + part.text
                    : part.kind == ConditionPart::Kind::Divisible
                        ? part.subject + " by " + std::to_string(part.divisor)
                    : part.kind == ConditionPart::Kind::Range
                        ? part.subject + " in " + bound(part.range.least) + ".." + bound(part.range.most)
                        : "other: " + part.text);
  return join(parts, "; ");
}

TEST(Condition, Parts) {
  EXPECT_EQ(read("n <= BLOCK"), "n in ..1024");
  EXPECT_EQ(read("BLOCK / 2 < n and n <= BLOCK"), "n in 513..; n in ..1024");
  EXPECT_EQ(read("n > BLOCK / 2 && !(n > BLOCK)"), "n in 513..; n in ..1024");
  EXPECT_EQ(read("not (n < 5 or m == 3)"), "n in 5..; other: m != 3");
  EXPECT_EQ(read("n == 5"), "n in 5..5");
  EXPECT_EQ(read("BLOCK >= next_power_of_2(n)"), "next_power_of_2(n) in ..1024");
  EXPECT_EQ(read("n * m <= BLOCK * 2"), "n * m in ..2048");
  EXPECT_EQ(read("(n + m) * 2 - (n - m) >= 0"), "(n + m) * 2 - (n - m) in 0..");
  EXPECT_EQ(read("n % 16 == 0 and m % 3 == 0"), "n by 16; m % 3 in 0..0");
  EXPECT_EQ(read("n < m"), "other: n < m");
  EXPECT_EQ(read("n < 3 or m > 5"), "other: n < 3 or m > 5");
  EXPECT_EQ(read("not (n < 3 and m > 5)"), "other: not (n < 3 and m > 5)");
  EXPECT_EQ(read("min(n, m, 7) < max(BLOCK, 2)"), "min(min(n, m), 7) in ..1023");
  EXPECT_EQ(read("n"), "other: n");
  EXPECT_EQ(read("not n"), "n in 0..0");
  EXPECT_EQ(read("not n % 64 == 0"), "other: n % 64 != 0");
  EXPECT_EQ(read("not (n != 3)"), "n in 3..3");
  EXPECT_EQ(read("not (n < m)"), "other: n >= m");
}

TEST(Condition, ReadsAsWritten) {
  auto print = [](const char *text, bool isContrary = false) {
    Diagnostics diagnostics;
    auto condition = GridExpression::parseCondition(diagnostics.addSource("when", text), diagnostics);
    return condition ? printCondition(*condition, isContrary) : flush(diagnostics);
  };
  EXPECT_EQ(print("(((n % BLOCK) == 0)) and not ((n < BLOCK) or (m == 3))"),
            "n % BLOCK == 0 and not (n < BLOCK or m == 3)");
  EXPECT_EQ(print("((n % BLOCK) == 0)", true), "n % BLOCK != 0");
  EXPECT_EQ(print("n < m or m == 3", true), "not (n < m or m == 3)");
  EXPECT_EQ(print("not (n < m)", true), "n < m");
  EXPECT_EQ(print("(n + (m * 2)) >= cdiv(n, (m))"), "n + m * 2 >= cdiv(n, m)");
  EXPECT_EQ(print("flag", true), "not flag");
}

TEST(Condition, OnlyWhatMayFailIsAsked) {
  auto mayFail = [](const char *text) {
    std::vector<KernelParameter> parameters = {makeInteger("n"), makeInteger("m"),
                                               makeConstant("BLOCK", int64_t(64))};
    Diagnostics diagnostics;
    auto condition = GridExpression::parseCondition(diagnostics.addSource("when", text), diagnostics);
    std::vector<ConditionPart> parts =
        readCondition(*condition, parameters, [](StringRef name) { return name.str(); });
    return parts.front().mayFail;
  };
  EXPECT_FALSE(mayFail("n % BLOCK != 0"));
  EXPECT_FALSE(mayFail("n / BLOCK < 3 or m == 4"));
  EXPECT_FALSE(mayFail("min(n, m) < cdiv(m, BLOCK - 2)"));
  EXPECT_TRUE(mayFail("n % m != 0"));
  EXPECT_TRUE(mayFail("n / (BLOCK - 64) < 3"));
  EXPECT_TRUE(mayFail("n * m < 3"));
  EXPECT_TRUE(mayFail("next_power_of_2(n) <= BLOCK"));
}

TEST(Condition, WhatIsKnown) {
  EXPECT_EQ(read("BLOCK >= 512"), "");
  EXPECT_EQ(read("EVEN and n > 0"), "n in 1..");
  EXPECT_EQ(read("BLOCK < 512 and n > 0"), "never: BLOCK < 512 and n > 0");
  EXPECT_EQ(read("not EVEN"), "never: not EVEN");
  EXPECT_EQ(read("BLOCK < 512 or n > 0"), "n in 1..");
  // What cannot be computed stays, and does not hold.
  EXPECT_EQ(read("1 / (BLOCK - 1024) == 0"), "1 / 0 in 0..0");
}

TEST(Condition, Refused) {
  EXPECT_NE(read("n <").find("when:1:4: error: expected a number, a name or '(' here"), std::string::npos);
  EXPECT_NE(read("n < 5, m < 3").find("a condition is one expression: join several by 'and'"),
            std::string::npos);
  EXPECT_NE(read("n < 3 m").find("expected an operator here, not 'm'"), std::string::npos);
  EXPECT_NE(read("k < 3").find("'k' is not a parameter of the kernel"), std::string::npos);
  EXPECT_NE(read("x < 3").find("'x' is a pointer, so a condition cannot depend on it"), std::string::npos);
  EXPECT_NE(read("n < and").find("not 'and'"), std::string::npos);
  EXPECT_NE(read("1 < n < 3").find("comparisons cannot be chained"), std::string::npos);
}
