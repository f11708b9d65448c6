// Each function of halves becomes one of floats between two conversions; where one feeds another, the
// conversions between them drop out, as the value is the same number in both types.
#include "compiler/targets/cpu/WidenHalfFunctions.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid {

void widenHalfFunctions(Module &module) {
  // Results that are the same number as float and as half.
  DenseMap<Value *, Value *> exact;
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      if (auto *extension = dyn_cast<FPExtInst>(&instruction))
        if (Value *wide = exact.lookup(extension->getOperand(0));
            wide && wide->getType() == extension->getType()) {
          extension->replaceAllUsesWith(wide);
          extension->eraseFromParent();
          continue;
        }
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (!call || !call->getType()->getScalarType()->isHalfTy() ||
          !is_contained({Intrinsic::maxnum, Intrinsic::minnum, Intrinsic::maximum, Intrinsic::minimum,
                         Intrinsic::sqrt, Intrinsic::floor, Intrinsic::ceil, Intrinsic::trunc,
                         Intrinsic::round, Intrinsic::roundeven, Intrinsic::rint, Intrinsic::nearbyint},
                        call->getIntrinsicID()))
        continue;
      IRBuilder<> b(call);
      Type *type = call->getType()->getWithNewType(b.getFloatTy());
      SmallVector<Value *, 2> operands;
      for (Value *operand : call->args()) {
        Value *wide = exact.lookup(operand);
        operands.push_back(wide ? wide : b.CreateFPExt(operand, type));
      }
      Value *result = b.CreateIntrinsic(call->getIntrinsicID(), {type}, operands);
      Value *narrow = b.CreateFPTrunc(result, call->getType());
      if (call->getIntrinsicID() != Intrinsic::sqrt)
        exact[narrow] = result;
      call->replaceAllUsesWith(narrow);
      call->eraseFromParent();
    }
}

} // namespace nereid
