// Steps of the matrix unit, which the lanes of a warp do together. See Emulation.h.
#include "Emulation.h"

#include "compiler/lowering/gpu/TargetLowering.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

#include <algorithm>

namespace nereid::gpu::emulation {

namespace {

/// One element of a register of an operand.
double decodeElement(MatrixStep::Element element, uint64_t bits, unsigned position) {
  auto decode = [&](const llvm::fltSemantics &semantics, unsigned width) {
    llvm::APFloat number(semantics,
                         llvm::APInt(width, bits >> (position * width) & ((uint64_t(1) << width) - 1)));
    bool losesInfo;
    number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return number.convertToDouble();
  };
  switch (element) {
  case MatrixStep::Element::F16:
    return decode(llvm::APFloat::IEEEhalf(), 16);
  case MatrixStep::Element::BF16:
    return decode(llvm::APFloat::BFloat(), 16);
  case MatrixStep::Element::TF32:
    bits &= ~uint64_t(0x1fff); // the unit does not look at the last 13 bits
    return llvm::bit_cast<float>(uint32_t(bits));
  case MatrixStep::Element::F64:
    return llvm::bit_cast<double>(bits);
  case MatrixStep::Element::S8:
    return int8_t(bits >> (8 * position));
  case MatrixStep::Element::E4M3:
    return decode(llvm::APFloat::Float8E4M3FN(), 8);
  case MatrixStep::Element::E5M2:
    return decode(llvm::APFloat::Float8E5M2(), 8);
  }
  llvm_unreachable("every element is listed above");
}

/// A step as MatrixStep describes it. Sums are exact in double but for the final rounding, which the compiled
/// code does.
void emulatedMatrixStep(uint32_t leftElement, uint32_t rightElement, const uint64_t *left,
                        const uint64_t *right, double *sums) {
  unsigned self = block->current, lane = self % block->warpSize, firstLane = self - lane;
  std::vector<Block::Fragment> &slots = block->fragments[block->rounds[self]++ & 1];
  std::copy_n(left, 4, slots[self].left);
  std::copy_n(right, 2, slots[self].right);
  meet(Meeting::Matrix);
  MatrixStep step{MatrixStep::Element(leftElement), MatrixStep::Element(rightElement)};
  for (unsigned i = 0; i != 4; ++i) {
    unsigned row = lane / 4, down = i / 2, column = 2 * (lane % 4) + i % 2;
    for (unsigned half : {0, 1})
      for (unsigned quarter = 0; quarter != 4; ++quarter)
        for (unsigned position = 0; position != step.getElementsPerRegister(); ++position)
          sums[i] +=
              decodeElement(step.left, slots[firstLane + 4 * row + quarter].left[2 * half + down], position) *
              decodeElement(step.right, slots[firstLane + 4 * column + quarter].right[half], position);
  }
}

} // namespace

void addMatrixUnitSymbols(Symbols &symbols) { addSymbol(symbols, "emulatedMatrixStep", emulatedMatrixStep); }

} // namespace nereid::gpu::emulation
