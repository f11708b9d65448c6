// LinearLayout: the worked example of its header, and every operation against enumeration of all inputs.
#include "RandomLayouts.h"

#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace nereid;
using f2::Vector;

namespace {

const Dim dim0 = tensorDim(0), dim1 = tensorDim(1);

TEST(LinearLayout, WorkedExample) {
  LinearLayout layout = LinearLayout::identity1D(2, Dim::Register, dim0) *
                        LinearLayout::identity1D(4, Dim::Lane, dim0) *
                        LinearLayout::identity1D(2, Dim::Warp, dim0);
  EXPECT_EQ(layout.apply({{Dim::Register, 1}, {Dim::Lane, 3}, {Dim::Warp, 1}}, dim0), 15u);
  EXPECT_EQ(layout.apply({{Dim::Register, 1}, {Dim::Lane, 2}}, dim0), 5u);
  EXPECT_EQ(layout.getBasis(Dim::Lane, 1, dim0), 4u);
  EXPECT_TRUE(layout.isInvertible());
  EXPECT_EQ(layout.getNumConsecutive(Dim::Register, dim0), 2u);
  EXPECT_EQ(layout.str(), "register: 1 -> (1)\nlane: 1 -> (2), 2 -> (4)\nwarp: 1 -> (8)\n"
                          "where out dims are: [dim0 (size 16)]\n");
}

TEST(LinearLayout, FromBases) {
  // A 4x4 tile with rows swizzled: lane bit 1 moves down a row and flips the column.
  LinearLayout layout = LinearLayout::fromBases(
      {{Dim::Register, {{0, 1}, {0, 2}}}, {Dim::Lane, {{1, 0}, {2, 1}}}}, {{dim0, 2}, {dim1, 2}});
  EXPECT_EQ(layout.apply({{Dim::Register, 2}, {Dim::Lane, 2}}),
            (LinearLayout::Indices{{dim0, 2u}, {dim1, 3u}}));
  EXPECT_EQ(layout.getNumConsecutive(Dim::Register, dim1), 1u);
  EXPECT_FALSE(layout.isTrivialOver(dim0));
}

TEST(LinearLayout, Broadcast) {
  LinearLayout layout = LinearLayout::identity1D(4, Dim::Register, dim0) *
                        LinearLayout::identity1D(8, Dim::Lane, dim0) *
                        LinearLayout::zeros1D(4, Dim::Lane, dim0) * LinearLayout::zeros1D(2, Dim::Warp, dim0);
  EXPECT_EQ(layout.getFreeVariableMask(Dim::Lane), 0b11000u);
  EXPECT_EQ(layout.getFreeVariableMask(Dim::Warp), 1u);
  EXPECT_EQ(layout.getFreeVariableMask(Dim::Register), 0u);
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_FALSE(layout.isInjective());
  EXPECT_EQ(layout.getOutSize(dim0), 32u);
}

TEST(LinearLayout, QuotientAndDivision) {
  LinearLayout kernel =
      LinearLayout::identity1D(4, Dim::Register, dim0) * LinearLayout::identity1D(8, Dim::Lane, dim1);
  LinearLayout whole = kernel * LinearLayout::identity1D(2, Dim::Warp, dim0) *
                       LinearLayout::identity1D(4, Dim::Block, Dim::Block);
  EXPECT_TRUE(whole.isTrivialOver(Dim::Block));
  EXPECT_FALSE(whole.isTrivialOver(dim0));
  std::optional<LinearLayout> withoutBlock = whole.quotient(Dim::Block);
  ASSERT_TRUE(withoutBlock);
  EXPECT_EQ(*withoutBlock, kernel * LinearLayout::identity1D(2, Dim::Warp, dim0));
  std::optional<LinearLayout> rest = withoutBlock->divideLeft(kernel);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->getInBits(Dim::Warp), 1u);
  EXPECT_EQ(kernel * *rest, *withoutBlock);
  // Registers in the wrong order are no factor.
  EXPECT_FALSE(withoutBlock->divideLeft(LinearLayout::identity1D(4, Dim::Register, dim1)));
}

class RandomLayout : public testing::TestWithParam<int> {
protected:
  RandomLayouts random{unsigned(GetParam())};
  LinearLayout any(llvm::ArrayRef<LinearLayout::DimBits> outs) {
    unsigned lanes = random.below(4), warps = random.below(3), duplicates = random.below(3);
    return GetParam() % 2 ? random.linear(outs, lanes, warps, duplicates)
                          : random.distributed(outs, lanes, warps, duplicates);
  }
};

TEST_P(RandomLayout, PackingRoundTrips) {
  LinearLayout layout = any(random.tensor(1 + random.below(6)));
  for (Vector x = 0; x != Vector(1) << layout.getTotalInBits(); ++x) {
    EXPECT_EQ(layout.packIn(layout.unpackIn(x)), x);
    EXPECT_EQ(layout.packOut(layout.apply(layout.unpackIn(x))), layout.applyFlat(x));
  }
}

TEST_P(RandomLayout, RankIsSizeOfImage) {
  LinearLayout layout = any(random.tensor(1 + random.below(6)));
  std::set<Vector> image;
  for (Vector x = 0; x != Vector(1) << layout.getTotalInBits(); ++x)
    image.insert(layout.applyFlat(x));
  EXPECT_EQ(image.size(), size_t(1) << layout.rank());
  EXPECT_EQ(layout.isSurjective(), image.size() == size_t(1) << layout.getTotalOutBits());
  EXPECT_EQ(layout.isInjective(), image.size() == size_t(1) << layout.getTotalInBits());
}

TEST_P(RandomLayout, ProductActsOnBothParts) {
  LinearLayout a = any(random.tensor(1 + random.below(3))), b = any(random.tensor(1 + random.below(3)));
  LinearLayout product = a * b;
  for (Vector x = 0; x != Vector(1) << a.getTotalInBits(); ++x)
    for (Vector y = 0; y != Vector(1) << b.getTotalInBits(); ++y) {
      LinearLayout::Indices low = a.unpackIn(x), high = b.unpackIn(y), both;
      for (auto [dim, value] : low)
        both.push_back({dim, value});
      for (auto [dim, value] : high)
        for (auto &coordinate : both)
          if (coordinate.first == dim)
            coordinate.second |= value << a.getInBits(dim);
      for (Dim dim : {dim0, dim1})
        ASSERT_EQ(product.apply(both, dim), a.apply(low, dim) | b.apply(high, dim) << a.getOutBits(dim));
    }
}

TEST_P(RandomLayout, InvertAndComposeFindsTheElement) {
  auto outs = random.tensor(1 + random.below(6));
  LinearLayout a = any(outs), b = any(outs).reorderOuts({dim1, dim0});
  std::optional<LinearLayout> map = a.invertAndCompose(b);
  ASSERT_TRUE(map); // b holds everything
  for (Vector x = 0; x != Vector(1) << a.getTotalInBits(); ++x)
    for (Dim dim : {dim0, dim1})
      ASSERT_EQ(b.apply(map->apply(a.unpackIn(x)), dim), a.apply(a.unpackIn(x), dim));
  // A part of b that lacks something is refused.
  LinearLayout part = b.sublayout({Dim::Lane}, {dim0, dim1});
  EXPECT_EQ(a.invertAndCompose(part).has_value(), part.isSurjective());
}

TEST_P(RandomLayout, PseudoInverseIsRightInverse) {
  LinearLayout layout = any(random.tensor(1 + random.below(6)));
  LinearLayout inverse = layout.pseudoInvert();
  for (Vector y = 0; y != Vector(1) << layout.getTotalOutBits(); ++y)
    ASSERT_EQ(layout.applyFlat(inverse.applyFlat(y)), y);
  LinearLayout around = inverse.compose(layout);
  for (Vector y = 0; y != Vector(1) << layout.getTotalOutBits(); ++y)
    ASSERT_EQ(around.applyFlat(y), y);
}

TEST_P(RandomLayout, FreeVariablesAreDuplicates) {
  LinearLayout layout = any(random.tensor(1 + random.below(5)));
  Vector freeBits = 0;
  for (auto [dim, mask] : llvm::zip(layout.getInDims(), layout.getFreeVariableMasks()))
    freeBits |= Vector(mask) << layout.getInShift(dim.dim);
  // The inputs without free bits hold every element exactly once.
  std::map<Vector, unsigned> count;
  for (Vector x = 0; x != Vector(1) << layout.getTotalInBits(); ++x)
    if ((x & freeBits) == 0)
      ++count[layout.applyFlat(x)];
  EXPECT_EQ(count.size(), size_t(1) << layout.rank());
  for (auto [element, times] : count)
    EXPECT_EQ(times, 1u);
}

TEST_P(RandomLayout, NumConsecutive) {
  LinearLayout layout = any(random.tensor(1 + random.below(5)));
  for (Dim dim : {dim0, dim1}) {
    // The longest aligned run of registers that is consecutive along dim in every thread, starting at a
    // multiple.
    auto holds = [&](unsigned run) {
      for (Vector x = 0; x != Vector(1) << layout.getTotalInBits(); ++x) {
        if ((x & (run - 1)) != 0)
          continue;
        LinearLayout::Indices first = layout.apply(layout.unpackIn(x));
        for (unsigned i = 0; i != run; ++i) {
          LinearLayout::Indices now = layout.apply(layout.unpackIn(x + i));
          for (auto [a, b] : llvm::zip(first, now))
            if (b.second != a.second + (a.first == dim ? i : 0) || (a.first == dim && a.second % run))
              return false;
        }
      }
      return true;
    };
    unsigned run = 1;
    while (run * 2 <= layout.getInSize(Dim::Register) && run * 2 <= layout.getOutSize(dim) && holds(run * 2))
      run *= 2;
    EXPECT_EQ(layout.getNumConsecutive(Dim::Register, dim), run) << layout.str();
  }
}

TEST_P(RandomLayout, SublayoutReorderReshapeDrop) {
  LinearLayout layout = any(random.tensor(1 + random.below(5)));
  LinearLayout part = layout.sublayout({Dim::Register, Dim::Warp}, {dim1});
  LinearLayout reordered = layout.reorderIns({Dim::Warp, Dim::Register, Dim::Lane}).reorderOuts({dim1, dim0});
  LinearLayout dropped = layout.dropOut(dim0);
  bool zero = true;
  for (Vector x = 0; x != Vector(1) << layout.getTotalInBits(); ++x) {
    LinearLayout::Indices index = layout.unpackIn(x);
    uint32_t reg = index[0].second, lane = index[1].second, warp = index[2].second;
    if (lane == 0) {
      ASSERT_EQ(part.apply({{Dim::Register, reg}, {Dim::Warp, warp}}, dim1), layout.apply(index, dim1));
      zero &= layout.apply(index, dim1) == 0;
    }
    for (Dim dim : {dim0, dim1})
      ASSERT_EQ(reordered.apply(index, dim), layout.apply(index, dim));
    ASSERT_EQ(dropped.apply(index, dim1), layout.apply(index, dim1));
  }
  EXPECT_EQ(layout.sublayoutIsZero({Dim::Register, Dim::Warp}, {dim1}), zero);
  LinearLayout flat = layout.reshapeOuts({{Dim::Offset, layout.getTotalOutBits()}});
  EXPECT_EQ(flat.getColumns(), layout.getColumns());
  EXPECT_TRUE(layout.isSameMap(layout.reorderOuts({dim1, dim0})));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLayout, testing::Range(0, 200));

} // namespace
