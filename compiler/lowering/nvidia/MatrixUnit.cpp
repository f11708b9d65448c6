// Steps of NVIDIA's matrix unit as mma.sync (PTX ISA, "Multiply-and-Accumulate Instruction: mma").
//
// A step is one instruction of shape m16n8 where the GPU has it. Turing has only half of the depth for f16,
// and 8 rows with a quarter of it for bytes; f64 has 8 rows and 4 products everywhere. Such steps are several
// instructions, over rows and halves of the reduced axis. From sm_90 on, but for sm_120 and its like, there
// are none for 8-bit floats: ptxas widens them, multiplies from zero and adds the result to the sum. Here
// they are widened to f16 and multiplied onto the sum itself, which saves two additions an instruction.
#include "compiler/lowering/nvidia/NVIDIALowering.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid::nvidia {

using gpu::MatrixStep;
using Element = MatrixStep::Element;

static StringRef getElementName(Element element) {
  switch (element) {
  case Element::F16:
    return "f16";
  case Element::BF16:
    return "bf16";
  case Element::TF32:
    return "tf32";
  case Element::F64:
    return "f64";
  case Element::S8:
    return "s8";
  case Element::E4M3:
    return "e4m3";
  case Element::E5M2:
    return "e5m2";
  }
  llvm_unreachable("every element is listed above");
}

namespace {

/// One mma.sync of a shape such as `m16n8k16`.
struct Instruction {
  StringRef shape;
  const MatrixStep &step;

  SmallVector<Value *, 4> emit(IRBuilder<> &b, ArrayRef<Value *> left, ArrayRef<Value *> right,
                               ArrayRef<Value *> sums) const;
};

} // namespace

SmallVector<Value *, 4> Instruction::emit(IRBuilder<> &b, ArrayRef<Value *> left, ArrayRef<Value *> right,
                                          ArrayRef<Value *> sums) const {
  Type *sumType = sums.front()->getType();
  StringRef sumName = sumType->isDoubleTy()                                ? "f64"
                      : sumType->isFloatTy()                               ? "f32"
                      : sumType->isIntegerTy() && step.left == Element::S8 ? "s32"
                                                                           : "f16";
  auto constraintOf = [](Type *type) { return type->isDoubleTy() ? "d" : type->isFloatTy() ? "f" : "r"; };
  std::string constraints;
  unsigned number = 0;
  auto takeRegisters = [&](size_t count) {
    std::string text = "{";
    for (size_t i = 0; i != count; ++i)
      text += (i ? ", $" : "$") + std::to_string(number++);
    return text + "}";
  };
  for (size_t i = 0; i != sums.size(); ++i)
    constraints += (i ? ",=" : "=") + std::string(constraintOf(sumType));
  std::string text = "mma.sync.aligned." + shape.str() + ".row.col." + sumName.str() + "." +
                     getElementName(step.left).str() + "." + getElementName(step.right).str() + "." +
                     sumName.str() + " ";
  text += takeRegisters(sums.size());
  SmallVector<Value *> operands;
  for (ArrayRef<Value *> group : {left, right, sums}) {
    text += ", " + takeRegisters(group.size());
    for (auto [i, value] : enumerate(group)) {
      // The sum is read from where it is written.
      constraints += group.data() == sums.data() ? "," + std::to_string(i)
                                                 : "," + std::string(constraintOf(value->getType()));
      operands.push_back(value);
    }
  }
  text += ";";

  SmallVector<Type *> resultTypes(sums.size(), sumType), operandTypes;
  for (Value *operand : operands)
    operandTypes.push_back(operand->getType());
  auto *assembly = InlineAsm::get(
      FunctionType::get(StructType::get(b.getContext(), resultTypes), operandTypes, false), text, constraints,
      /*hasSideEffects=*/false);
  CallInst *call = b.CreateCall(assembly, operands);
  call->setConvergent();
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  SmallVector<Value *, 4> results;
  for (size_t i = 0; i != sums.size(); ++i)
    results.push_back(b.CreateExtractValue(call, i));
  return results;
}

static bool isSmallFloat(Element element) { return element == Element::E4M3 || element == Element::E5M2; }

/// Two of the four 8-bit floats in each register, as pairs of f16: the product of any two matrices is that of
/// the same columns of one and rows of the other, in whatever order.
static SmallVector<Value *, 4> widenHalves(IRBuilder<> &b, const NVIDIALowering &target,
                                           ArrayRef<Value *> registers, Element element, unsigned half) {
  SmallVector<Value *, 4> widened;
  for (Value *word : registers) {
    Value *pair = b.CreateTrunc(half ? b.CreateLShr(word, 16) : word, b.getInt16Ty());
    widened.push_back(
        b.CreateBitCast(target.widenSmallFloatPair(b, pair, element == Element::E4M3), b.getInt32Ty()));
  }
  return widened;
}

SmallVector<Value *, 4> NVIDIALowering::multiplyMatrices(Builder &b, const MatrixStep &step,
                                                         ArrayRef<Value *> left, ArrayRef<Value *> right,
                                                         ArrayRef<Value *> sums) const {
  bool widens = isSmallFloat(step.left) && computeCapability >= 90 && computeCapability < 120;
  if (isSmallFloat(step.left) && !widens)
    requirePTX(b, 84);

  // Pairs of f16 sums share a register.
  SmallVector<Value *, 4> packed(sums);
  if (step.sumsInHalf) {
    packed.clear();
    for (unsigned i = 0; i != sums.size(); i += 2) {
      Value *pair = PoisonValue::get(FixedVectorType::get(b.getHalfTy(), 2));
      pair = b.CreateInsertElement(pair, sums[i], uint64_t(0));
      pair = b.CreateInsertElement(pair, sums[i + 1], uint64_t(1));
      packed.push_back(b.CreateBitCast(pair, b.getInt32Ty()));
    }
  }

  bool isTuring = computeCapability < 80;
  if (step.left == Element::F64 || (step.left == Element::S8 && isTuring)) {
    Instruction instruction{step.left == Element::F64 ? "m8n8k4" : "m8n8k16", step};
    for (unsigned half : {0u, 1u})
      for (unsigned down : {0u, 1u}) {
        SmallVector<Value *, 4> part =
            instruction.emit(b, left[2 * half + down], right[half], ArrayRef(packed).slice(2 * down, 2));
        std::copy(part.begin(), part.end(), packed.begin() + 2 * down);
      }
  } else if (widens) {
    MatrixStep ofHalves = step;
    ofHalves.left = ofHalves.right = Element::F16;
    for (unsigned half : {0u, 1u})
      packed = Instruction{"m16n8k16", ofHalves}.emit(b, widenHalves(b, *this, left, step.left, half),
                                                      widenHalves(b, *this, right, step.right, half), packed);
  } else if (isTuring) {
    Instruction instruction{"m16n8k8", step};
    for (unsigned half : {0u, 1u})
      packed = instruction.emit(b, left.slice(2 * half, 2), right[half], packed);
  } else {
    StringRef shape = step.getElementsPerRegister() == 1   ? "m16n8k8"
                      : step.getElementsPerRegister() == 2 ? "m16n8k16"
                                                           : "m16n8k32";
    packed = Instruction{shape, step}.emit(b, left, right, packed);
  }

  if (!step.sumsInHalf)
    return packed;
  SmallVector<Value *, 4> unpacked;
  for (Value *word : packed) {
    Value *pair = b.CreateBitCast(word, FixedVectorType::get(b.getHalfTy(), 2));
    unpacked.push_back(b.CreateExtractElement(pair, uint64_t(0)));
    unpacked.push_back(b.CreateExtractElement(pair, uint64_t(1)));
  }
  return unpacked;
}

} // namespace nereid::nvidia
