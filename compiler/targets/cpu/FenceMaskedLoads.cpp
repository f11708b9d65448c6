// Only users that may become part of a fused multiplication get the fence: a conversion, say, may still take
// its operand from memory.
#include "compiler/targets/cpu/FenceMaskedLoads.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid {

static bool isArithmetic(const User *user) {
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(user))
    return intrinsic->getIntrinsicID() == Intrinsic::fma || intrinsic->getIntrinsicID() == Intrinsic::fmuladd;
  return isa<BinaryOperator>(user) || isa<UnaryOperator>(user);
}

void fenceMaskedLoads(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *load = dyn_cast<IntrinsicInst>(&instruction);
      if (!load || load->getIntrinsicID() != Intrinsic::masked_load || !load->getType()->isFPOrFPVectorTy() ||
          none_of(load->users(), isArithmetic))
        continue;
      IRBuilder<> b(load->getNextNode());
      Value *fenced = b.CreateUnaryIntrinsic(Intrinsic::arithmetic_fence, load);
      load->replaceUsesWithIf(fenced, [&](Use &use) { return isArithmetic(use.getUser()); });
    }
}

} // namespace nereid
