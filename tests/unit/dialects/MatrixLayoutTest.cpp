// Layouts of NVIDIA's matrix instructions, against the formulas that the PTX ISA gives below its figures
// ("Matrix Fragments for mma.m16n8k16 with floating point type" and its siblings; "Register Fragments for
// wgmma.mma_async.m64nNk16"). There, groupID = lane / 4, threadID_in_group = lane % 4.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace nereid;

namespace {

using Place = std::pair<unsigned, unsigned>;

class MatrixLayoutTest : public testing::Test {
protected:
  MatrixLayoutTest() { context.loadDialect<ttg::TTGDialect>(); }

  ttg::NvidiaMmaEncodingAttr makeMma(unsigned version, ArrayRef<unsigned> warps,
                                     ArrayRef<unsigned> instruction) {
    return ttg::NvidiaMmaEncodingAttr::get(&context, version, 0, warps, ArrayRef<int32_t>(), instruction);
  }
  ttg::DotOperandEncodingAttr makeOperand(unsigned index, Attribute mma, unsigned width) {
    return ttg::DotOperandEncodingAttr::get(&context, index, mma, width);
  }

  /// Compares every register of every lane of warp 0.
  template <typename Formula>
  void check(ArrayRef<int64_t> shape, Attribute encoding, unsigned registers, Formula placeOf,
             unsigned warp = 0) {
    LinearLayout layout = ttg::toLinearLayout(shape, encoding);
    ASSERT_EQ(layout.getInSize(Dim::Register), registers);
    for (unsigned lane = 0; lane != 32; ++lane)
      for (unsigned i = 0; i != registers; ++i) {
        LinearLayout::Index index[] = {{Dim::Register, i}, {Dim::Lane, lane}, {Dim::Warp, warp}};
        Place place(layout.apply(index, tensorDim(0)), layout.apply(index, tensorDim(1)));
        EXPECT_EQ(place, placeOf(i, lane / 4, lane % 4)) << "register " << i << " of lane " << lane;
      }
  }

  MLIRContext context;
};

TEST_F(MatrixLayoutTest, Accumulator) {
  auto formula = [](unsigned i, unsigned group, unsigned thread) {
    return Place(i < 2 ? group : group + 8, thread * 2 + (i & 1));
  };
  check({16, 8}, makeMma(2, {1, 1}, {16, 8}), 4, formula);
}

TEST_F(MatrixLayoutTest, OperandsOf16Bits) {
  auto mma = makeMma(2, {1, 1}, {16, 8});
  check({16, 16}, makeOperand(0, mma, 2), 8, [](unsigned i, unsigned group, unsigned thread) {
    bool isUpper = i < 2 || (4 <= i && i < 6);
    return Place(isUpper ? group : group + 8, thread * 2 + (i & 1) + (i < 4 ? 0 : 8));
  });
  check({16, 8}, makeOperand(1, mma, 2), 4, [](unsigned i, unsigned group, unsigned thread) {
    return Place(thread * 2 + (i & 1) + (i < 2 ? 0 : 8), group);
  });
}

TEST_F(MatrixLayoutTest, OperandsOf32Bits) {
  auto mma = makeMma(2, {1, 1}, {16, 8});
  check({16, 8}, makeOperand(0, mma, 1), 4, [](unsigned i, unsigned group, unsigned thread) {
    return Place(i == 0 || i == 2 ? group : group + 8, i < 2 ? thread : thread + 4);
  });
  check({8, 8}, makeOperand(1, mma, 1), 2, [](unsigned i, unsigned group, unsigned thread) {
    return Place(i == 0 ? thread : thread + 4, group);
  });
}

TEST_F(MatrixLayoutTest, OperandsOf8Bits) {
  auto mma = makeMma(2, {1, 1}, {16, 8});
  check({16, 32}, makeOperand(0, mma, 4), 16, [](unsigned i, unsigned group, unsigned thread) {
    bool isUpper = i < 4 || (8 <= i && i < 12);
    return Place(isUpper ? group : group + 8, thread * 4 + (i & 3) + (i < 8 ? 0 : 16));
  });
  check({32, 8}, makeOperand(1, mma, 4), 8, [](unsigned i, unsigned group, unsigned thread) {
    return Place(thread * 4 + (i & 3) + (i < 4 ? 0 : 16), group);
  });
}

TEST_F(MatrixLayoutTest, AccumulatorOfAWarpGroup) {
  // m64n32: 16 rows a warp, 8 columns beside each other in every four registers.
  auto mma = makeMma(3, {4, 1}, {16, 32, 16});
  for (unsigned warp = 0; warp != 4; ++warp)
    check(
        {64, 32}, mma, 16,
        [&](unsigned i, unsigned group, unsigned thread) {
          return Place(16 * warp + group + (i % 4 < 2 ? 0 : 8), 8 * (i / 4) + thread * 2 + (i & 1));
        },
        warp);
}

TEST_F(MatrixLayoutTest, LeftOperandOfAWarpGroupInRegisters) {
  auto operand = makeOperand(0, makeMma(3, {4, 1}, {16, 32, 16}), 2);
  for (unsigned warp = 0; warp != 4; ++warp)
    check(
        {64, 16}, operand, 8,
        [&](unsigned i, unsigned group, unsigned thread) {
          bool isUpper = i < 2 || (4 <= i && i < 6);
          return Place(16 * warp + (isUpper ? group : group + 8), thread * 2 + (i & 1) + (i < 4 ? 0 : 8));
        },
        warp);
}

TEST_F(MatrixLayoutTest, WarpsTileTheResultAndShareOperands) {
  auto mma = makeMma(2, {2, 2}, {16, 8});
  auto placeOfWarp = [](Attribute encoding, ArrayRef<int64_t> shape, unsigned warp) {
    LinearLayout layout = ttg::toLinearLayout(shape, encoding);
    LinearLayout::Index index[] = {{Dim::Warp, warp}};
    return Place(layout.apply(index, tensorDim(0)), layout.apply(index, tensorDim(1)));
  };
  // Row after row before Hopper.
  EXPECT_EQ(placeOfWarp(mma, {32, 16}, 1), Place(0, 8));
  EXPECT_EQ(placeOfWarp(mma, {32, 16}, 2), Place(16, 0));
  // Warps beside each other need the same rows of the left operand, those below each other the same columns
  // of the right one.
  EXPECT_EQ(placeOfWarp(makeOperand(0, mma, 2), {32, 16}, 1), Place(0, 0));
  EXPECT_EQ(placeOfWarp(makeOperand(0, mma, 2), {32, 16}, 2), Place(16, 0));
  EXPECT_EQ(placeOfWarp(makeOperand(1, mma, 2), {16, 16}, 1), Place(0, 8));
  EXPECT_EQ(placeOfWarp(makeOperand(1, mma, 2), {16, 16}, 2), Place(0, 0));
}

TEST_F(MatrixLayoutTest, WiderOperandsHoldEachElementOnce) {
  // A kWidth of 8 for 16 bits: another order along the reduced axis, the same for both operands.
  auto mma = makeMma(2, {1, 1}, {16, 8});
  LinearLayout left = ttg::toLinearLayout({16, 64}, makeOperand(0, mma, 8));
  LinearLayout right = ttg::toLinearLayout({64, 8}, makeOperand(1, mma, 8));
  EXPECT_TRUE(left.isInvertible());
  EXPECT_TRUE(right.isInvertible());
  EXPECT_EQ(left.getNumConsecutive(Dim::Register, tensorDim(1)), 8u);
  EXPECT_EQ(right.getNumConsecutive(Dim::Register, tensorDim(0)), 8u);
}

} // namespace
