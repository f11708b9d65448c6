// The blocked layout that spreads a tensor over the threads, and what modules say of threads.
#include "compiler/dialects/ttg/Dialect.h"

#include "mlir/IR/Builders.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace nereid;

namespace {

struct Spread {
  SmallVector<unsigned> lanes, warps;
};

Spread spread(ArrayRef<int64_t> shape, ArrayRef<unsigned> sizePerThread, ArrayRef<unsigned> order,
              unsigned numWarps, unsigned threadsPerWarp) {
  MLIRContext context;
  context.loadDialect<ttg::TTGDialect>();
  auto layout =
      ttg::BlockedEncodingAttr::get(&context, shape, sizePerThread, order, numWarps, threadsPerWarp);
  return {SmallVector<unsigned>(layout.getThreadsPerWarp()), SmallVector<unsigned>(layout.getWarpsPerCTA())};
}

using Sizes = SmallVector<unsigned>;

TEST(BlockedLayoutTest, OneAxisTakesAllThreads) {
  Spread line = spread({1024}, {4}, {0}, 4, 32);
  EXPECT_EQ(line.lanes, Sizes{32});
  EXPECT_EQ(line.warps, Sizes{4});
}

TEST(BlockedLayoutTest, FastestAxisFirst) {
  // A row of 64 elements is 8 lanes of 8; the other lanes and all warps go down the column.
  Spread rows = spread({128, 64}, {1, 8}, {1, 0}, 4, 32);
  EXPECT_EQ(rows.lanes, (Sizes{4, 8}));
  EXPECT_EQ(rows.warps, (Sizes{4, 1}));
  Spread columns = spread({64, 128}, {8, 1}, {0, 1}, 4, 32);
  EXPECT_EQ(columns.lanes, (Sizes{8, 4}));
  EXPECT_EQ(columns.warps, (Sizes{1, 4}));
}

TEST(BlockedLayoutTest, WarpsFollowLanesAlongALongRow) {
  Spread rows = spread({4, 256}, {1, 4}, {1, 0}, 4, 32);
  EXPECT_EQ(rows.lanes, (Sizes{1, 32}));
  EXPECT_EQ(rows.warps, (Sizes{2, 2}));
}

TEST(BlockedLayoutTest, SmallTensorsAreRepeated) {
  Spread small = spread({2, 2}, {1, 1}, {1, 0}, 4, 64);
  EXPECT_EQ(small.lanes, (Sizes{32, 2}));
  EXPECT_EQ(small.warps, (Sizes{4, 1}));
}

TEST(BlockedLayoutTest, ModuleAttributes) {
  MLIRContext context;
  context.loadDialect<ttg::TTGDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  EXPECT_FALSE(ttg::maybeGetNumWarps(*module));
  EXPECT_EQ(ttg::getNumCTAs(*module), 1u);
  EXPECT_EQ(ttg::getTargetName(*module), "");
  ttg::setModuleAttributes(*module, 8, 64, 2, "hip:gfx942");
  EXPECT_EQ(ttg::getNumWarps(*module), 8u);
  EXPECT_EQ(ttg::getThreadsPerWarp(*module), 64u);
  EXPECT_EQ(ttg::getNumCTAs(*module), 2u);
  EXPECT_EQ(ttg::getTargetName(*module), "hip:gfx942");
}

} // namespace
