// Weights of 8 and 4 bits become factors of products by the million, and the instructions that convert them
// take one integer each, whose sign was extended before. Two at a time they are bits in the fractions of
// floating-point numbers, of which an addition takes away what else is in them, without rounding. f16 has
// 1024 + n for any n of ten bits, so that a signed byte gets 128 added by its sign bit's turning:
//
//     bytes b, c                   00cc00bb      by one permutation of four bytes loaded together
//     exclusive or 64806480                      1024 + (b + 128), 1024 + (c + 128)
//     less 1152, twice                           b, c
//
// bf16 has 128 + n for n of seven bits. The eighth is a number of its own, -128 or -256:
//
//     bytes b, c                   00cc00bb
//     7f of each, and 43004300                   128 + low bits
//     80 of each, and c300c300                   -128, or -256 where the sign is set
//     the sum                                    b, c
//
// moe-kernels' fused_moe_kernel with weights of 8 bits takes 159 us on an H200 so, and 193 with a conversion
// for each.
#include "compiler/lowering/gpu/IntegerPairs.h"

#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;

namespace nereid::gpu {

namespace {
/// What is known of an integer: that it is one of so many bits without a sign, or a signed byte.
struct SmallInteger {
  unsigned bits; // 64 where they are not few
  bool isByte;
};
} // namespace

static SmallInteger describe(Value *value, bool isSigned, const DataLayout &layout) {
  unsigned width = value->getType()->getIntegerBitWidth();
  unsigned bits = computeKnownBits(value, layout).countMaxActiveBits();
  // An integer that its type takes for negative is none without a sign.
  bool isNegative = isSigned && bits == width;
  return {isNegative ? 64 : bits, isSigned && width - ComputeNumSignBits(value, layout) + 1 <= 8};
}

/// The lowest 16 bits of both, or of bytes these and zeros: as a vector of bytes, which LLVM takes from the
/// word that they were loaded with.
static Value *pack(IRBuilder<> &b, Value *first, Value *second) {
  bool areBytes = first->getType()->isIntegerTy(8);
  Type *part = areBytes ? b.getInt8Ty() : b.getInt16Ty();
  unsigned step = areBytes ? 2 : 1;
  Value *parts = Constant::getNullValue(FixedVectorType::get(part, 2 * step));
  parts = b.CreateInsertElement(parts, b.CreateTrunc(first, part), uint64_t(0));
  parts = b.CreateInsertElement(parts, b.CreateTrunc(second, part), uint64_t(step));
  return b.CreateBitCast(parts, b.getInt32Ty());
}

/// Whether that takes fewer instructions than a conversion for each. Of bytes, where they come from a word:
/// others have a register each, and are put together by three. Longer ones become bf16 by way of f32, of
/// which two are narrowed at once.
static bool isWorthPacking(Value *first, Value *second, mlir::Type type) {
  if (first->getType()->isIntegerTy(8))
    return (type.isF16() || type.isBF16()) && isa<ExtractElementInst>(first) &&
           isa<ExtractElementInst>(second);
  return type.isF16() && first->getType()->getIntegerBitWidth() >= 16;
}

static uint32_t twice(uint16_t bits) { return uint32_t(bits) << 16 | bits; }

bool convertIntegerPair(Emitter &e, Value *first, Value *second, bool isSigned, mlir::Type type,
                        Registers &results) {
  if (!isWorthPacking(first, second, type))
    return false;
  IRBuilder<> &b = e.b;
  const DataLayout &layout = b.GetInsertBlock()->getModule()->getDataLayout();
  SmallInteger one = describe(first, isSigned, layout), other = describe(second, isSigned, layout);
  unsigned bits = std::max(one.bits, other.bits), fractionBits = type.isF16() ? 10 : 7;
  bool areBytes = one.isByte && other.isByte;
  if (bits > fractionBits && !areBytes)
    return false;

  auto *pairType = FixedVectorType::get(e.convertType(type), 2);
  auto asPair = [&](Value *word) { return b.CreateBitCast(word, pairType); };
  auto makePair = [&](double number) { return ConstantFP::get(pairType, number); };
  uint16_t base = type.isF16() ? 0x6400 : 0x4300; // 1024, 128
  double baseNumber = type.isF16() ? 1024 : 128;
  Value *word = pack(b, first, second);
  auto keepAndTurn = [&](uint16_t kept, uint16_t turned) {
    return asPair(e.target.keepAndTurnBits(b, word, twice(kept), twice(turned)));
  };
  Value *sum;
  if (bits <= fractionBits)
    sum = e.target.addPair(b, asPair(b.CreateOr(word, twice(base))), makePair(-baseNumber));
  else if (type.isF16())
    sum = e.target.addPair(b, keepAndTurn(0xFF, base | 0x80), makePair(-(baseNumber + 128)));
  else
    sum = e.target.addPair(b, keepAndTurn(0x7F, base), keepAndTurn(0x80, base | 0x8000));
  if (!sum)
    return false;
  results.push_back(b.CreateExtractElement(sum, uint64_t(0)));
  results.push_back(b.CreateExtractElement(sum, uint64_t(1)));
  return true;
}

} // namespace nereid::gpu
