// A mask that is a constant says which lanes are stored.
#include "compiler/targets/cpu/NarrowMaskedStores.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid {

/// The only lane that a mask lets through, if it is known that there is just one.
static std::optional<unsigned> getSingleLane(const Value *mask) {
  auto *constant = dyn_cast<Constant>(mask);
  auto *type = dyn_cast<FixedVectorType>(mask->getType());
  if (!constant || !type)
    return std::nullopt;
  std::optional<unsigned> single;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    Constant *bit = constant->getAggregateElement(lane);
    if (!bit || !isa<ConstantInt>(bit))
      return std::nullopt;
    if (bit->isNullValue())
      continue;
    if (single)
      return std::nullopt;
    single = lane;
  }
  return single;
}

void narrowMaskedStores(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *store = dyn_cast<IntrinsicInst>(&instruction);
      if (!store || store->getIntrinsicID() != Intrinsic::masked_store)
        continue;
      Value *value = store->getArgOperand(0), *address = store->getArgOperand(1);
      auto lane = getSingleLane(store->getArgOperand(2));
      if (!lane)
        continue;
      IRBuilder<> b(store);
      Type *element = value->getType()->getScalarType();
      uint64_t distance = *lane * module.getDataLayout().getTypeStoreSize(element);
      Align align = commonAlignment(store->getParamAlign(1).valueOrOne(), distance);
      b.CreateAlignedStore(b.CreateExtractElement(value, *lane),
                           b.CreatePtrAdd(address, b.getInt64(distance)), align);
      store->eraseFromParent();
    }
}

} // namespace nereid
