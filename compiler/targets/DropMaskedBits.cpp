// From each mask upwards, with the bits that count there. (InstCombine does the same along values of one
// use.)
#include "compiler/targets/DropMaskedBits.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace nereid {

/// Another value with the same of these bits, for which less is computed; null if there is none.
static Value *leaveOut(IRBuilder<> &b, Value *value, const APInt &bits, unsigned depth) {
  constexpr unsigned farthest = 6;
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || depth == farthest)
    return nullptr;
  auto look = [&](unsigned operand, const APInt &wanted) {
    return leaveOut(b, instruction->getOperand(operand), wanted, depth + 1);
  };
  // What is computed again starts no earlier than the mask, and says nothing of bits that it does not have.
  auto withOperands = [&](Value *left, Value *right) -> Value * {
    if (!left && !right)
      return nullptr;
    left = left ? left : instruction->getOperand(0);
    right = right ? right : instruction->getOperand(1);
    return b.CreateBinOp(cast<BinaryOperator>(instruction)->getOpcode(), left, right);
  };
  const APInt *constant = nullptr;
  bool hasConstant =
      instruction->getNumOperands() == 2 && match(instruction->getOperand(1), m_APInt(constant));
  switch (instruction->getOpcode()) {
  case Instruction::Or:
  case Instruction::Xor:
    if (hasConstant && !constant->intersects(bits)) {
      Value *rest = look(0, bits);
      return rest ? rest : instruction->getOperand(0);
    }
    return withOperands(look(0, bits), hasConstant ? nullptr : look(1, bits));
  case Instruction::And:
    if (hasConstant)
      return withOperands(look(0, bits & *constant), nullptr);
    return withOperands(look(0, bits), look(1, bits));
  case Instruction::Add: {
    // Bits carry upwards alone.
    APInt below = APInt::getLowBitsSet(bits.getBitWidth(), bits.getActiveBits());
    if (hasConstant && !constant->intersects(below)) {
      Value *rest = look(0, below);
      return rest ? rest : instruction->getOperand(0);
    }
    return withOperands(look(0, below), hasConstant ? nullptr : look(1, below));
  }
  case Instruction::Shl:
    if (hasConstant && constant->ult(bits.getBitWidth()))
      return withOperands(look(0, bits.lshr(*constant)), nullptr);
    return nullptr;
  case Instruction::LShr:
    if (hasConstant && constant->ult(bits.getBitWidth()))
      return withOperands(look(0, bits.shl(*constant)), nullptr);
    return nullptr;
  case Instruction::ZExt: {
    Value *narrow = look(0, bits.trunc(instruction->getOperand(0)->getType()->getScalarSizeInBits()));
    return narrow ? b.CreateZExt(narrow, instruction->getType()) : nullptr;
  }
  case Instruction::Trunc: {
    Value *wide = look(0, bits.zext(instruction->getOperand(0)->getType()->getScalarSizeInBits()));
    return wide ? b.CreateTrunc(wide, instruction->getType()) : nullptr;
  }
  default:
    return nullptr;
  }
}

PreservedAnalyses DropMaskedBits::run(Function &function, FunctionAnalysisManager &) {
  bool isChanged = false;
  for (Instruction &instruction : instructions(function)) {
    const APInt *mask = nullptr;
    if (!match(&instruction, m_And(m_Value(), m_APInt(mask))))
      continue;
    IRBuilder<> b(&instruction);
    if (Value *rest = leaveOut(b, instruction.getOperand(0), *mask, 0)) {
      instruction.setOperand(0, rest);
      isChanged = true;
    }
  }
  if (!isChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace nereid
