// Conversion plans, carried out step by step on a model of registers, lanes, warps and shared memory.
#include "compiler/layouts/ConversionPlan.h"
#include "RandomLayouts.h"
#include "compiler/layouts/MatrixLoadPlan.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <map>
#include <set>

using namespace nereid;
using f2::Vector;
using Kind = ConversionPlan::Kind;

namespace {

const Dim dim0 = tensorDim(0), dim1 = tensorDim(1);
constexpr Vector nothing = ~Vector(0);

/// values[warp][lane][register]: the flat number of the element held.
using Values = std::vector<std::vector<std::vector<Vector>>>;

Values fill(const LinearLayout &layout) {
  Values values(layout.getInSize(Dim::Warp));
  for (uint32_t warp = 0; warp != values.size(); ++warp) {
    values[warp].resize(layout.getInSize(Dim::Lane));
    for (uint32_t lane = 0; lane != values[warp].size(); ++lane)
      for (uint32_t reg = 0; reg != layout.getInSize(Dim::Register); ++reg)
        values[warp][lane].push_back(
            layout.applyFlat(layout.packIn({{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}})));
  }
  return values;
}

std::vector<std::vector<Vector>> exchange(const LaneExchange &plan, std::vector<std::vector<Vector>> lanes) {
  auto swap = [](std::vector<Vector> &values, uint32_t lane, llvm::ArrayRef<uint32_t> swaps) {
    for (auto [bit, mask] : llvm::enumerate(swaps))
      if (mask && lane >> bit & 1) {
        std::vector<Vector> old = values;
        for (size_t i = 0; i != values.size(); ++i)
          values[i] = old[i ^ mask];
      }
  };
  for (auto [lane, values] : llvm::enumerate(lanes))
    swap(values, lane, plan.sendSwap);
  std::vector<std::vector<Vector>> results(lanes.size());
  for (uint32_t lane = 0; lane != lanes.size(); ++lane) {
    uint32_t from = 0;
    for (auto [bit, column] : llvm::enumerate(plan.laneColumns))
      from ^= lane >> bit & 1 ? column : 0;
    std::vector<Vector> received;
    for (const LaneExchange::Round &round : plan.rounds)
      received.push_back(lanes[from ^ round.lane][round.send]);
    swap(received, lane, plan.receiveSwap);
    for (uint32_t copy : plan.copies)
      results[lane].push_back(received[copy]);
  }
  return results;
}

Values run(const ConversionPlan &plan, const LinearLayout &source, const LinearLayout &destination) {
  Values from = fill(source);
  Values result(from.size());
  std::vector<Vector> memory;
  if (plan.kind == Kind::Shared) {
    memory.assign(plan.shared.getNumElements(), nothing);
    auto threadOffset = [](const LinearLayout &offsets, uint32_t lane, uint32_t warp) {
      return offsets.apply({{Dim::Lane, lane}, {Dim::Warp, warp}}, Dim::Offset);
    };
    for (uint32_t warp = 0; warp != from.size(); ++warp)
      for (uint32_t lane = 0; lane != from[warp].size(); ++lane)
        for (const SharedAccess &access : plan.shared.writes)
          for (auto [i, reg] : llvm::enumerate(access.registers)) {
            uint32_t begin = access.offset ^ threadOffset(plan.shared.writeOffsets, lane, warp);
            EXPECT_EQ(begin % access.registers.size(), 0u);
            memory[begin + i] = from[warp][lane][reg];
          }
    for (uint32_t warp = 0; warp != from.size(); ++warp)
      for (uint32_t lane = 0; lane != from[warp].size(); ++lane) {
        std::vector<Vector> values(destination.getInSize(Dim::Register), nothing);
        for (const SharedAccess &access : plan.shared.reads)
          for (auto [i, reg] : llvm::enumerate(access.registers))
            values[reg] = memory[(access.offset ^ threadOffset(plan.shared.readOffsets, lane, warp)) + i];
        for (auto [copy, reg] : plan.shared.readCopies)
          values[copy] = values[reg];
        result[warp].push_back(values);
      }
    return result;
  }
  for (uint32_t warp = 0; warp != from.size(); ++warp) {
    if (plan.kind == Kind::Lanes) {
      result[warp] = exchange(plan.lanes, from[warp]);
      continue;
    }
    for (const std::vector<Vector> &lane : from[warp]) {
      result[warp].emplace_back();
      for (uint32_t reg : plan.sourceRegisters)
        result[warp].back().push_back(lane[reg]);
    }
  }
  return result;
}

/// Whether each thread (within = Lane), or each warp, holds in source all it wants in destination.
bool holdsAll(const LinearLayout &source, const LinearLayout &destination, Dim within) {
  Values from = fill(source), to = fill(destination);
  for (size_t warp = 0; warp != from.size(); ++warp) {
    std::set<Vector> inWarp;
    for (auto &lane : from[warp])
      inWarp.insert(lane.begin(), lane.end());
    for (size_t lane = 0; lane != from[warp].size(); ++lane) {
      std::set<Vector> held(from[warp][lane].begin(), from[warp][lane].end());
      for (Vector wanted : to[warp][lane])
        if (!(within == Dim::Lane ? held : inWarp).count(wanted))
          return false;
    }
  }
  return true;
}

class RandomConversion : public testing::TestWithParam<int> {};

TEST_P(RandomConversion, DeliversEveryElement) {
  RandomLayouts random(GetParam());
  for (int repeat = 0; repeat != 20; ++repeat) {
    auto outs = random.tensor(3 + random.below(6));
    unsigned lanes = 1 + random.below(5), warps = random.below(3);
    auto any = [&] {
      return random.below(4) ? random.distributed(outs, lanes, warps, random.below(3))
                             : random.linear(outs, lanes, warps, random.below(3));
    };
    LinearLayout source = any(), destination = any();
    if (random.below(2)) {
      // Keep the warps, so that exchanges between lanes come up often.
      f2::Vectors columns(destination.getColumns());
      unsigned total = columns.size();
      std::copy_n(source.getColumns().end() - warps, warps, columns.end() - warps);
      if (f2::rank(columns) == destination.getTotalOutBits())
        destination = LinearLayout::fromColumns(destination.getInDims(), outs, columns);
      ASSERT_EQ(total, columns.size());
    }
    for (unsigned bits : {1u, 8u, 16u, 32u, 64u}) {
      ConversionPlan plan = planConversion(source, destination.reorderOuts({dim1, dim0}), bits);
      EXPECT_EQ(plan.kind, getConversionKind(source, destination));
      ASSERT_EQ(run(plan, source, destination), fill(destination))
          << source.str() << destination.str() << int(plan.kind);
      // Data does not leave its thread or its warp without need.
      if (plan.kind == Kind::Lanes || plan.kind == Kind::Shared)
        EXPECT_FALSE(holdsAll(source, destination, Dim::Lane) &&
                     source.getColumns(Dim::Lane) == destination.getColumns(Dim::Lane) &&
                     source.getColumns(Dim::Warp) == destination.getColumns(Dim::Warp))
            << source.str() << destination.str() << int(plan.kind);
      if (plan.kind == Kind::Shared && source.isInjective() && destination.isInjective() &&
          destination.getInSize(Dim::Register) <= LaneExchange::maxRounds)
        EXPECT_FALSE(holdsAll(source, destination, Dim::Warp) &&
                     source.getColumns(Dim::Warp) == destination.getColumns(Dim::Warp))
            << source.str() << destination.str();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomConversion, testing::Range(0, 60));

LinearLayout row(unsigned rows, unsigned columns, unsigned perThread, unsigned lanes, unsigned warps,
                 bool transposed) {
  Dim fast = transposed ? dim0 : dim1, slow = transposed ? dim1 : dim0;
  unsigned fastSize = transposed ? rows : columns, slowSize = transposed ? columns : rows;
  unsigned fastLanes = std::min(lanes, fastSize / perThread);
  LinearLayout layout = LinearLayout::identity1D(perThread, Dim::Register, fast) *
                        LinearLayout::identity1D(fastLanes, Dim::Lane, fast) *
                        LinearLayout::identity1D(lanes / fastLanes, Dim::Lane, slow) *
                        LinearLayout::identity1D(warps, Dim::Warp, slow);
  layout *= LinearLayout::identity1D(fastSize / layout.getOutSize(fast), Dim::Register, fast) *
            LinearLayout::identity1D(slowSize / layout.getOutSize(slow), Dim::Register, slow);
  return layout;
}

TEST(ConversionPlan, SameLayoutNeedsNothing) {
  LinearLayout layout = row(32, 32, 4, 32, 4, false);
  EXPECT_EQ(getConversionKind(layout, layout), Kind::None);
  ConversionPlan plan = planConversion(layout, layout, 32);
  EXPECT_EQ(plan.getScratchBytes(32), 0u);
}

TEST(ConversionPlan, RegisterOrder) {
  LinearLayout a = LinearLayout::identity1D(2, Dim::Register, dim0) *
                   LinearLayout::identity1D(4, Dim::Register, dim1) *
                   LinearLayout::identity1D(32, Dim::Lane, dim0);
  LinearLayout b = LinearLayout::identity1D(4, Dim::Register, dim1) *
                   LinearLayout::identity1D(2, Dim::Register, dim0) *
                   LinearLayout::identity1D(32, Dim::Lane, dim0);
  ConversionPlan plan = planConversion(a, b, 32);
  EXPECT_EQ(plan.kind, Kind::Registers);
  EXPECT_EQ(plan.sourceRegisters, (llvm::SmallVector<uint32_t, 8>{0, 2, 4, 6, 1, 3, 5, 7}));
}

TEST(ConversionPlan, TransposeInAWarpTakesOneShuffleARegister) {
  LinearLayout a =
      LinearLayout::identity1D(4, Dim::Register, dim0) * LinearLayout::identity1D(4, Dim::Lane, dim1);
  LinearLayout b =
      LinearLayout::identity1D(4, Dim::Register, dim1) * LinearLayout::identity1D(4, Dim::Lane, dim0);
  ConversionPlan plan = planConversion(a, b, 32);
  EXPECT_EQ(plan.kind, Kind::Lanes);
  EXPECT_EQ(plan.lanes.rounds.size(), 4u);
  EXPECT_TRUE(plan.lanes.isLaneMapIdentity());
  EXPECT_EQ(plan.lanes.rounds[0].lane, 0u); // the diagonal stays
}

TEST(ConversionPlan, WhatIsSpreadOverLanesTakesShufflesAlone) {
  // Two elements a lane, and all 64 in each.
  LinearLayout spread =
      LinearLayout::identity1D(2, Dim::Register, dim0) * LinearLayout::identity1D(32, Dim::Lane, dim0);
  LinearLayout all =
      LinearLayout::identity1D(64, Dim::Register, dim0) * LinearLayout::zeros1D(32, Dim::Lane, dim0);
  ConversionPlan plan = planConversion(spread, all, 32);
  ASSERT_EQ(plan.kind, Kind::Lanes);
  ASSERT_EQ(plan.lanes.rounds.size(), 64u);
  for (uint32_t mask : plan.lanes.sendSwap)
    EXPECT_EQ(mask, 0u);
  for (uint32_t mask : plan.lanes.receiveSwap)
    EXPECT_EQ(mask, 0u);
  for (uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(plan.lanes.rounds[i].send, i % 2);
    EXPECT_EQ(plan.lanes.rounds[i].lane, i / 2);
  }
}

/// How often the lanes of one wave want different words of one bank, over all waves of one access; 1 is no
/// conflict.
unsigned countConflicts(const LinearLayout &offsets, const SharedAccess &access, unsigned vectorElements,
                        unsigned elementBytes, unsigned numLanes) {
  unsigned accessBytes = std::max(4u, vectorElements * elementBytes);
  unsigned waveLanes = std::min(numLanes, 128 / accessBytes), worst = 1;
  for (uint32_t first = 0; first < numLanes; first += waveLanes) {
    std::map<unsigned, std::set<unsigned>> words; // bank -> words wanted
    for (uint32_t lane = first; lane != first + waveLanes; ++lane) {
      unsigned byte = (access.offset ^ offsets.apply({{Dim::Lane, lane}}, Dim::Offset)) * elementBytes;
      for (unsigned word = byte / 4; word <= (byte + vectorElements * elementBytes - 1) / 4; ++word)
        words[word % 32].insert(word);
    }
    for (auto &[bank, wanted] : words)
      worst = std::max<unsigned>(worst, wanted.size());
  }
  return worst;
}

TEST(SharedExchange, TransposesAreFreeOfConflicts) {
  for (unsigned bits : {8u, 16u, 32u, 64u})
    for (unsigned perThread : {1u, 2u, 4u, 8u})
      for (unsigned size : {64u, 128u}) {
        LinearLayout a = row(size, size, perThread, 32, 4, false),
                     b = row(size, size, perThread, 32, 4, true);
        ConversionPlan plan = planConversion(a, b, bits);
        ASSERT_EQ(plan.kind, Kind::Shared);
        ASSERT_EQ(run(plan, a, b), fill(b.reorderOuts({dim1, dim0})));
        // Or of so few accesses that all of their waves are no more than those of single elements.
        unsigned worst = 1, waves = 0, single = 2 * a.getInSize(Dim::Register);
        for (auto [offsets, accesses] : {std::pair(&plan.shared.writeOffsets, &plan.shared.writes),
                                         std::pair(&plan.shared.readOffsets, &plan.shared.reads)})
          for (const SharedAccess &access : *accesses) {
            unsigned conflicts = countConflicts(*offsets, access, access.registers.size(), bits / 8, 32);
            worst = std::max(worst, conflicts);
            waves += conflicts * std::max<size_t>(1, access.registers.size() * bits / 32);
          }
        EXPECT_TRUE(worst == 1 || waves <= single)
            << bits << " bits, " << perThread << " a thread, " << size << ": " << worst << ", " << waves;
      }
}

TEST(SharedExchange, BothSidesUseVectorsWhereTheyCan) {
  // The same rows, dealt to the warps another way.
  LinearLayout a =
      LinearLayout::identity1D(4, Dim::Register, dim1) * LinearLayout::identity1D(32, Dim::Lane, dim1) *
      LinearLayout::identity1D(4, Dim::Warp, dim0) * LinearLayout::identity1D(2, Dim::Register, dim0);
  LinearLayout b =
      LinearLayout::identity1D(4, Dim::Register, dim1) * LinearLayout::identity1D(32, Dim::Lane, dim1) *
      LinearLayout::identity1D(2, Dim::Register, dim0) * LinearLayout::identity1D(4, Dim::Warp, dim0);
  EXPECT_EQ(planConversion(a, b, 32).shared.readElements, 4u);
  EXPECT_EQ(planConversion(a, b, 64).shared.readElements, 2u);
  EXPECT_EQ(planConversion(a, b, 32).getScratchBytes(32), 8u * 128 * 4);
  EXPECT_EQ(planConversion(a, b, 1).getScratchBytes(1), 8u * 128);
}

TEST(SharedExchange, WhoeverReadsMuchReadsVectors) {
  // 128 numbers, four a lane, for the rows of a tile that has every fourth row in a lane: 32 shuffles, or 8
  // reads.
  LinearLayout few = LinearLayout::identity1D(4, Dim::Register, dim0) *
                     LinearLayout::identity1D(32, Dim::Lane, dim0) *
                     LinearLayout::identity1D(1, Dim::Warp, dim0);
  LinearLayout many =
      LinearLayout::zeros1D(8, Dim::Lane, dim0) * LinearLayout::identity1D(4, Dim::Lane, dim0) *
      LinearLayout::identity1D(32, Dim::Register, dim0) * LinearLayout::identity1D(1, Dim::Warp, dim0);
  for (auto [bits, elements] : {std::pair(16u, 8u), {32u, 4u}, {64u, 2u}}) {
    ConversionPlan plan = planConversion(few, many, bits);
    ASSERT_EQ(plan.kind, Kind::Shared);
    EXPECT_EQ(run(plan, few, many), fill(many));
    EXPECT_EQ(plan.shared.readElements, elements);
    EXPECT_EQ(plan.shared.reads.size(), 32u / elements);
  }
  // The other way each lane takes what it has.
  EXPECT_EQ(planConversion(many, few, 32).kind, Kind::Lanes);
}

TEST(SharedExchange, OneSideAloneUsesVectorsWhereThatCostsLess) {
  // Neighbours in a thread for neighbours in lanes, and back: no vector is one of both sides.
  LinearLayout inThreads = LinearLayout::identity1D(8, Dim::Register, dim0) *
                           LinearLayout::identity1D(32, Dim::Lane, dim0) *
                           LinearLayout::identity1D(4, Dim::Warp, dim0);
  LinearLayout inLanes = LinearLayout::identity1D(32, Dim::Lane, dim0) *
                         LinearLayout::identity1D(4, Dim::Warp, dim0) *
                         LinearLayout::identity1D(8, Dim::Register, dim0);
  ConversionPlan plan = planConversion(inThreads, inLanes, 16), back = planConversion(inLanes, inThreads, 16);
  EXPECT_EQ(run(plan, inThreads, inLanes), fill(inLanes));
  EXPECT_EQ(run(back, inLanes, inThreads), fill(inThreads));
  for (auto [vectors, single] : {std::pair(&plan.shared.writes, &plan.shared.reads),
                                 std::pair(&back.shared.reads, &back.shared.writes)}) {
    EXPECT_EQ(vectors->size(), 1u);
    EXPECT_EQ(single->size(), 8u);
  }
  for (const SharedAccess &access : plan.shared.reads)
    EXPECT_EQ(countConflicts(plan.shared.readOffsets, access, 1, 2, 32), 1u);
}

TEST(SharedExchange, MatricesTransposeWithoutConflicts) {
  // Of a 64 x 64 tile rows of eight in a thread, and columns of eight, whose lanes run along other axes.
  LinearLayout rows = row(64, 64, 8, 32, 4, false);
  LinearLayout columns =
      LinearLayout::identity1D(8, Dim::Register, dim0) * LinearLayout::identity1D(8, Dim::Lane, dim0) *
      LinearLayout::identity1D(4, Dim::Lane, dim1) * LinearLayout::identity1D(4, Dim::Warp, dim1) *
      LinearLayout::identity1D(4, Dim::Register, dim1);
  columns = columns.reorderOuts({dim0, dim1});
  std::optional<LinearLayout> memory = planMatrixMemory(rows.reorderOuts({dim0, dim1}), columns);
  ASSERT_TRUE(memory);
  LinearLayout toOffset = memory->invert();
  LinearLayout written = rows.reorderOuts({dim0, dim1}).compose(toOffset), read = columns.compose(toOffset);
  EXPECT_EQ(getVectorBits(written, 16), 3u);
  for (const SharedAccess &access : listSharedAccesses(written, 3, nullptr))
    EXPECT_EQ(countConflicts(written, access, 8, 2, 8), 1u);
  std::optional<MatrixLoadPlan> plan = planMatrixLoads(read, 2);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->isTransposed);
  EXPECT_EQ(plan->loads.size(), 4u);
  // Eight rows of a matrix at a time, of 16 bytes in 16 different ones.
  for (uint32_t matrix = 0; matrix != 4; ++matrix) {
    std::set<uint32_t> banks;
    for (uint32_t lane = 8 * matrix; lane != 8 * matrix + 8; ++lane)
      banks.insert(plan->rowOffsets.apply({{Dim::Lane, lane}}, Dim::Offset) / 8 % 8);
    EXPECT_EQ(banks.size(), 8u);
  }
  // What the lanes of a matrix differ by is not in registers.
  EXPECT_FALSE(planMatrixMemory(columns, columns));
}

TEST(SharedExchange, ElementBytes) {
  EXPECT_EQ(getSharedElementBytes(1), 1u);
  EXPECT_EQ(getSharedElementBytes(16), 2u);
  EXPECT_EQ(getSharedElementBytes(24), 4u);
}

} // namespace
