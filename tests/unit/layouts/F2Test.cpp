// f2 against enumeration of every vector of small spaces.
#include "compiler/layouts/F2.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace nereid;
using f2::Vector;
using f2::Vectors;

namespace {

std::set<Vector> membersOf(llvm::ArrayRef<Vector> generators) {
  std::set<Vector> members;
  for (Vector x = 0; x != Vector(1) << generators.size(); ++x)
    members.insert(f2::multiply(generators, x));
  return members;
}

class F2Random : public testing::TestWithParam<int> {
protected:
  Vectors random(unsigned count, unsigned bits) {
    Vectors result;
    for (unsigned i = 0; i != count; ++i)
      result.push_back(engine() & ((Vector(1) << bits) - 1));
    return result;
  }
  std::mt19937 engine{unsigned(GetParam())};
};

TEST_P(F2Random, SpanAgreesWithEnumeration) {
  Vectors generators = random(GetParam() % 7, 6);
  std::set<Vector> members = membersOf(generators);
  f2::Span span(generators);
  EXPECT_EQ(size_t(1) << span.rank(), members.size());
  for (Vector v = 0; v != 64; ++v) {
    EXPECT_EQ(span.contains(v), members.count(v) == 1);
    std::optional<Vector> combination = span.express(v);
    ASSERT_EQ(combination.has_value(), members.count(v) == 1);
    if (combination)
      EXPECT_EQ(f2::multiply(generators, *combination), v);
    EXPECT_EQ(members.count(span.reduce(v) ^ v), 1u);
  }
}

TEST_P(F2Random, IntersectionAndComplement) {
  Vectors a = random(GetParam() % 5, 6), b = random(GetParam() % 4, 6);
  std::set<Vector> inA = membersOf(a), inB = membersOf(b), both;
  for (Vector v : inA)
    if (inB.count(v))
      both.insert(v);
  Vectors meet = f2::intersection(a, b);
  EXPECT_EQ(membersOf(meet), both);
  EXPECT_EQ(f2::rank(meet), meet.size());

  Vectors complement = f2::complement(a, f2::units(6));
  EXPECT_EQ(complement.size() + f2::rank(a), 6u);
  Vectors all = a;
  all.append(complement);
  EXPECT_EQ(f2::rank(all), 6u);
}

TEST_P(F2Random, Kernel) {
  Vectors columns = random(GetParam() % 8, 4);
  std::set<Vector> zeros;
  for (Vector x = 0; x != Vector(1) << columns.size(); ++x)
    if (f2::multiply(columns, x) == 0)
      zeros.insert(x);
  Vectors kernel = f2::kernel(columns);
  EXPECT_EQ(membersOf(kernel), zeros);
  EXPECT_EQ(f2::rank(kernel), kernel.size());
}

INSTANTIATE_TEST_SUITE_P(Seeds, F2Random, testing::Range(0, 100));

} // namespace
