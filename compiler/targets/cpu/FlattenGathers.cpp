// Counts the lanes of a function's gathers and scatters first: a few of them stay as they are.
#include "compiler/targets/cpu/FlattenGathers.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid {

namespace {

/// A masked gather or scatter.
struct LaneAccess {
  IntrinsicInst *call;
  bool isGather;

  unsigned getAddressOperand() const { return isGather ? 0 : 1; }
  Value *getAddresses() const { return call->getArgOperand(getAddressOperand()); }
  Value *getMask() const { return call->getArgOperand(isGather ? 1 : 2); }
  FixedVectorType *getType() const {
    return cast<FixedVectorType>(isGather ? call->getType() : call->getArgOperand(0)->getType());
  }
};

} // namespace

/// Accesses that would become branches: a constant mask needs none.
static SmallVector<LaneAccess> findBranching(Function &function) {
  SmallVector<LaneAccess> found;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
      bool isGather = call->getIntrinsicID() == Intrinsic::masked_gather;
      if (!isGather && call->getIntrinsicID() != Intrinsic::masked_scatter)
        continue;
      LaneAccess access{call, isGather};
      if (!isa<Constant>(access.getMask()))
        found.push_back(access);
    }
  return found;
}

static void flatten(const LaneAccess &access, Value *spare) {
  IntrinsicInst *call = access.call;
  IRBuilder<> b(call);
  FixedVectorType *type = access.getType();
  Type *element = type->getElementType();
  unsigned lanes = type->getNumElements();
  Align align = call->getParamAlign(access.getAddressOperand()).valueOrOne();
  Value *addresses =
      b.CreateSelect(access.getMask(), access.getAddresses(), b.CreateVectorSplat(lanes, spare));
  if (!access.isGather) {
    for (unsigned lane = 0; lane < lanes; ++lane)
      b.CreateAlignedStore(b.CreateExtractElement(call->getArgOperand(0), lane),
                           b.CreateExtractElement(addresses, lane), align);
  } else {
    Value *loaded = PoisonValue::get(type);
    for (unsigned lane = 0; lane < lanes; ++lane)
      loaded = b.CreateInsertElement(
          loaded, b.CreateAlignedLoad(element, b.CreateExtractElement(addresses, lane), align), lane);
    call->replaceAllUsesWith(b.CreateSelect(access.getMask(), loaded, call->getArgOperand(2)));
  }
  call->eraseFromParent();
}

void flattenGathers(Module &module) {
  // Where most lanes are left out, branches read less memory; a few hundred of them cost nothing to compile.
  constexpr unsigned manyLanes = 1000;
  const DataLayout &layout = module.getDataLayout();
  for (Function &function : module) {
    SmallVector<LaneAccess> accesses = findBranching(function);
    unsigned lanes = 0;
    uint64_t size = 0;
    Align align;
    for (const LaneAccess &access : accesses) {
      lanes += access.getType()->getNumElements();
      size = std::max<uint64_t>(size, layout.getTypeStoreSize(access.getType()->getElementType()));
      align = std::max(align, access.call->getParamAlign(access.getAddressOperand()).valueOrOne());
    }
    if (lanes <= manyLanes)
      continue;
    IRBuilder<> b(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    AllocaInst *spare = b.CreateAlloca(ArrayType::get(b.getInt8Ty(), size));
    spare->setAlignment(align);
    for (const LaneAccess &access : accesses)
      flatten(access, spare);
  }
}

} // namespace nereid
