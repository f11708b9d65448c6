// Reduction plans, carried out on a model of a block in which every element is a distinct bit of a set: a
// result must contain each element of its slice exactly once.
#include "compiler/layouts/ReductionPlan.h"
#include "RandomLayouts.h"

#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace nereid;
using f2::Vector;

namespace {

const Dim dim0 = tensorDim(0), dim1 = tensorDim(1);

/// How often each element went into a partial result.
using Sum = std::map<Vector, int>;

void add(Sum &sum, const Sum &more) {
  for (auto [element, times] : more)
    sum[element] += times;
}

void check(const LinearLayout &layout, Dim axis) {
  std::optional<ReductionPlan> plan = planReduction(layout, axis);
  ASSERT_TRUE(plan);
  uint32_t lanes = layout.getInSize(Dim::Lane), warps = layout.getInSize(Dim::Warp);
  unsigned results = plan->groups.size();
  ASSERT_EQ(results, plan->result.getInSize(Dim::Register));

  std::vector<std::vector<std::vector<Sum>>> sums(warps, std::vector<std::vector<Sum>>(lanes));
  for (uint32_t warp = 0; warp != warps; ++warp)
    for (uint32_t lane = 0; lane != lanes; ++lane)
      for (const auto &group : plan->groups) {
        Sum sum;
        for (uint32_t reg : group)
          ++sum[layout.applyFlat(
              layout.packIn({{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}}))];
        sums[warp][lane].push_back(sum);
      }
  for (uint32_t bit = 0; bit != 32; ++bit)
    if (plan->laneMask >> bit & 1)
      for (uint32_t warp = 0; warp != warps; ++warp) {
        auto old = sums[warp];
        for (uint32_t lane = 0; lane != lanes; ++lane)
          for (unsigned r = 0; r != results; ++r)
            add(sums[warp][lane][r], old[lane ^ (1u << bit)][r]);
      }
  auto position = [&](uint32_t reg, uint32_t lane, uint32_t warp) {
    return plan->result.apply({{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}}, Dim::Offset);
  };
  if (plan->warpMask) {
    std::vector<Sum> scratch(plan->getScratchElements());
    std::vector<int> writers(scratch.size());
    for (uint32_t warp = 0; warp != warps; ++warp)
      for (uint32_t lane = 0; lane != lanes; ++lane)
        if (!(lane & plan->silentLanes) && !(warp & plan->silentWarps))
          for (unsigned r = 0; r != results; ++r) {
            unsigned slot = position(r, lane, warp) * plan->getNumWarps() + plan->getWarpIndex(warp);
            scratch[slot] = sums[warp][lane][r];
            ++writers[slot];
          }
    for (int count : writers)
      EXPECT_EQ(count, 1);
    for (uint32_t warp = 0; warp != warps; ++warp)
      for (uint32_t lane = 0; lane != lanes; ++lane)
        for (unsigned r = 0; r != results; ++r) {
          sums[warp][lane][r].clear();
          for (unsigned i = 0; i != plan->getNumWarps(); ++i)
            add(sums[warp][lane][r], scratch[position(r, lane, warp) * plan->getNumWarps() + i]);
        }
  }
  // Result register r of a thread is the slice through what its source registers of the group hold.
  for (uint32_t warp = 0; warp != warps; ++warp)
    for (uint32_t lane = 0; lane != lanes; ++lane)
      for (unsigned r = 0; r != results; ++r) {
        const Sum &sum = sums[warp][lane][r];
        EXPECT_EQ(sum.size(), layout.getOutSize(axis));
        Dim other = axis == dim0 ? dim1 : dim0;
        for (auto [element, times] : sum) {
          EXPECT_EQ(times, 1);
          for (auto [dim, value] : layout.unpackOut(element))
            if (dim == other)
              EXPECT_EQ(value, position(r, lane, warp));
        }
      }
}

TEST(ReductionPlan, SoftmaxRow) {
  LinearLayout layout =
      LinearLayout::identity1D(4, Dim::Register, dim0) * LinearLayout::identity1D(32, Dim::Lane, dim0) *
      LinearLayout::identity1D(4, Dim::Warp, dim0) * LinearLayout::identity1D(2, Dim::Register, dim0);
  std::optional<ReductionPlan> plan = planReduction(layout, dim0);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->groups.size(), 1u);
  EXPECT_EQ(plan->groups[0].size(), 8u);
  EXPECT_EQ(plan->laneMask, 31u);
  EXPECT_EQ(plan->warpMask, 3u);
  EXPECT_EQ(plan->getScratchElements(), 4u);
}

TEST(ReductionPlan, RefusesSwizzles) {
  LinearLayout layout =
      LinearLayout::fromBases({{Dim::Register, {{1, 1}}}, {Dim::Lane, {{0, 1}}}}, {{dim0, 1}, {dim1, 1}});
  EXPECT_FALSE(planReduction(layout, dim0));
}

class RandomReduction : public testing::TestWithParam<int> {};

TEST_P(RandomReduction, CombinesEachElementOnce) {
  RandomLayouts random(GetParam());
  for (int repeat = 0; repeat != 10; ++repeat) {
    auto outs = random.tensor(1 + random.below(6));
    LinearLayout layout = random.distributed(outs, random.below(4), random.below(3), random.below(3));
    check(layout, dim0);
    check(layout, dim1);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomReduction, testing::Range(0, 40));

} // namespace
