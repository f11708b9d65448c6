// Encodings against their definitions, by enumeration of every register, lane and warp.
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"

#include "compiler/dialects/ttg/Dialect.h"

#include "gtest/gtest.h"

using namespace nereid;

namespace {

using Sizes = llvm::SmallVector<unsigned, 4>;

class Encodings : public testing::Test {
protected:
  Encodings() { context.loadDialect<ttg::TTGDialect>(); }

  ttg::BlockedEncodingAttr blocked(Sizes sizePerThread, Sizes threadsPerWarp, Sizes warpsPerCTA,
                                   Sizes order) {
    return ttg::BlockedEncodingAttr::get(&context, sizePerThread, threadsPerWarp, warpsPerCTA, order);
  }

  mlir::MLIRContext context;
};

/// Digits of a number in the mixed radix of `sizes`, the first of `order` fastest.
Sizes split(unsigned number, llvm::ArrayRef<unsigned> sizes, llvm::ArrayRef<unsigned> order) {
  Sizes digits(sizes.size());
  for (unsigned d : order) {
    digits[d] = number % sizes[d];
    number /= sizes[d];
  }
  return digits;
}

/// The definition of a blocked layout: boxes of elements a thread, threads of a warp, warps; repeated over
/// the tensor, wrapped around where it is smaller.
void checkBlocked(ttg::BlockedEncodingAttr encoding, llvm::ArrayRef<int64_t> shape) {
  LinearLayout layout = ttg::toLinearLayout(shape, encoding);
  llvm::ArrayRef<unsigned> order = encoding.getOrder();
  unsigned rank = shape.size(), inTile = 1;
  Sizes tile(rank), repetitions(rank);
  for (unsigned d = 0; d != rank; ++d) {
    inTile *= encoding.getSizePerThread()[d];
    tile[d] = encoding.getSizePerThread()[d] * encoding.getThreadsPerWarp()[d] * encoding.getWarpsPerCTA()[d];
    repetitions[d] = std::max<int64_t>(1, shape[d] / tile[d]);
  }
  for (uint32_t warp = 0; warp != layout.getInSize(Dim::Warp); ++warp)
    for (uint32_t lane = 0; lane != layout.getInSize(Dim::Lane); ++lane)
      for (uint32_t reg = 0; reg != layout.getInSize(Dim::Register); ++reg) {
        Sizes inThread = split(reg % inTile, encoding.getSizePerThread(), order);
        Sizes inWarp = split(lane, encoding.getThreadsPerWarp(), order);
        Sizes inBlock = split(warp, encoding.getWarpsPerCTA(), order);
        Sizes repetition = split(reg / inTile, repetitions, order);
        LinearLayout::Indices found =
            layout.apply({{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}, {Dim::Block, 0}});
        ASSERT_EQ(found.size(), rank);
        for (unsigned d = 0; d != rank; ++d) {
          unsigned expected =
              (inBlock[d] * encoding.getThreadsPerWarp()[d] + inWarp[d]) * encoding.getSizePerThread()[d] +
              inThread[d];
          expected = (expected + repetition[d] * tile[d]) % shape[d];
          ASSERT_EQ(found[d].first, tensorDim(d));
          ASSERT_EQ(found[d].second, expected) << "register " << reg << " lane " << lane << " warp " << warp;
        }
      }
  EXPECT_TRUE(layout.isSurjective());
}

TEST_F(Encodings, Blocked) {
  for (int64_t size : {1, 16, 128, 512, 1024, 4096})
    checkBlocked(blocked({4}, {32}, {4}, {0}), {size});
  for (int64_t height : {1, 8, 64})
    for (int64_t width : {1, 16, 256}) {
      checkBlocked(blocked({1, 4}, {2, 16}, {4, 1}, {1, 0}), {height, width});
      checkBlocked(blocked({4, 1}, {16, 2}, {1, 4}, {0, 1}), {height, width});
      checkBlocked(blocked({2, 2}, {4, 8}, {2, 2}, {0, 1}), {height, width});
    }
  checkBlocked(blocked({1, 2, 4}, {2, 4, 4}, {4, 1, 1}, {2, 0, 1}), {16, 8, 32});
}

TEST_F(Encodings, WavesOf64Lanes) { checkBlocked(blocked({1, 4}, {4, 16}, {2, 2}, {1, 0}), {32, 128}); }

TEST_F(Encodings, SliceIsParentWithoutADimension) {
  ttg::BlockedEncodingAttr parent = blocked({2, 4}, {4, 8}, {2, 2}, {1, 0});
  for (unsigned removed : {0u, 1u}) {
    llvm::SmallVector<int64_t, 2> shape = {64, 64};
    LinearLayout whole = ttg::toLinearLayout(shape, parent);
    LinearLayout slice = ttg::toLinearLayout(llvm::ArrayRef(shape).drop_front(),
                                             ttg::SliceEncodingAttr::get(&context, removed, parent));
    EXPECT_TRUE(slice.isSurjective());
    EXPECT_EQ(slice.getInBits(Dim::Lane), 5u);
    EXPECT_EQ(slice.getInBits(Dim::Warp), 2u);
    // A thread's slice registers are the distinct rows (or columns) of its registers in the parent, in order.
    for (uint32_t lane = 0; lane != 32; ++lane)
      for (uint32_t warp = 0; warp != 4; ++warp) {
        llvm::SmallVector<uint32_t> expected, found;
        for (uint32_t reg = 0; reg != whole.getInSize(Dim::Register); ++reg) {
          uint32_t row = whole.apply({{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}},
                                     tensorDim(1 - removed));
          if (!llvm::is_contained(expected, row))
            expected.push_back(row);
        }
        for (uint32_t reg = 0; reg != slice.getInSize(Dim::Register); ++reg)
          found.push_back(
              slice.apply({{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}}, tensorDim(0)));
        EXPECT_EQ(found, expected);
      }
  }
}

TEST_F(Encodings, SliceOfSlice) {
  ttg::BlockedEncodingAttr parent = blocked({1, 1, 4}, {2, 2, 8}, {4, 1, 1}, {2, 1, 0});
  auto outer = ttg::SliceEncodingAttr::get(&context, 0, ttg::SliceEncodingAttr::get(&context, 2, parent));
  LinearLayout layout = ttg::toLinearLayout({16}, outer);
  EXPECT_EQ(layout.getOutSize(tensorDim(0)), 16u);
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_EQ(layout.getFreeVariableMask(Dim::Warp), 3u);
}

TEST_F(Encodings, LinearRoundTrip) {
  LinearLayout layout = ttg::toLinearLayout({32, 64}, blocked({1, 4}, {2, 16}, {4, 1}, {1, 0}));
  mlir::Attribute linear = ttg::toLinearEncoding(&context, layout);
  EXPECT_EQ(ttg::toLinearLayout({32, 64}, linear), layout);
  // Over a larger tensor the tile repeats, over a smaller one it is cut.
  EXPECT_EQ(ttg::toLinearLayout({64, 64}, linear).getInBits(Dim::Register),
            layout.getInBits(Dim::Register) + 1);
  EXPECT_EQ(ttg::toLinearLayout({16, 64}, linear).getOutSize(tensorDim(0)), 16u);
}

TEST_F(Encodings, DotOperandHasTheReducedAxisInRegisters) {
  ttg::BlockedEncodingAttr parent = blocked({2, 2}, {4, 8}, {4, 1}, {1, 0});
  auto a = ttg::DotOperandEncodingAttr::get(&context, 0, parent, 0);
  LinearLayout layout = ttg::toLinearLayout({64, 16}, a), result = ttg::toLinearLayout({64, 64}, parent);
  // Every thread has 16 elements of each of its result's rows.
  for (uint32_t lane = 0; lane != 32; ++lane)
    for (uint32_t warp = 0; warp != 4; ++warp) {
      std::set<std::pair<uint32_t, uint32_t>> found, expected;
      for (uint32_t reg = 0; reg != layout.getInSize(Dim::Register); ++reg) {
        LinearLayout::Indices index =
            layout.apply({{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}});
        found.insert({index[0].second, index[1].second});
      }
      for (uint32_t reg = 0; reg != result.getInSize(Dim::Register); ++reg)
        for (uint32_t k = 0; k != 16; ++k)
          expected.insert(
              {result.apply({{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}}, tensorDim(0)), k});
      EXPECT_EQ(found, expected);
    }
}

} // namespace
