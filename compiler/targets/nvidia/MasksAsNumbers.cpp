// The number is made by assembly, so that LLVM knows nothing of it, and in front of the load, so that the
// predicate's last use is the load itself. A selection between two values is one LOP3 for ptxas: (a & m) | (b
// & ~m).
#include "compiler/targets/nvidia/MasksAsNumbers.h"

#include "compiler/targets/nvidia/InlineAssembly.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace nereid {

/// The mask of a load of global memory; null for everything else.
static Value *getMaskOfLoad(Instruction &instruction) {
  StringRef text = getAssemblyText(instruction);
  auto *call = dyn_cast<CallInst>(&instruction);
  if (!text.contains("ld.") || !text.contains(".global") || !call->arg_size())
    return nullptr;
  Value *mask = call->getArgOperand(call->arg_size() - 1);
  return mask->getType()->isIntegerTy(1) && !isa<Constant>(mask) ? mask : nullptr;
}

static bool fitsRegister(Type *type) {
  unsigned bits = type->getPrimitiveSizeInBits();
  return bits == 32 || bits == 16;
}

static Value *selectByNumber(SelectInst &select, Value *number) {
  IRBuilder<> builder(&select);
  Type *type = select.getType(), *bits = builder.getIntNTy(type->getPrimitiveSizeInBits());
  number = builder.CreateTrunc(number, bits);
  auto isZero = [](Value *value) { return match(value, m_Zero()) || match(value, m_PosZeroFP()); };
  auto take = [&](Value *value, Value *where) -> Value * {
    return isZero(value) ? nullptr : builder.CreateAnd(builder.CreateBitCast(value, bits), where);
  };
  Value *ifSet = take(select.getTrueValue(), number);
  Value *otherwise =
      isZero(select.getFalseValue()) ? nullptr : take(select.getFalseValue(), builder.CreateNot(number));
  Value *both = ifSet && otherwise ? builder.CreateOr(ifSet, otherwise) : ifSet ? ifSet : otherwise;
  return both ? builder.CreateBitCast(both, type) : Constant::getNullValue(type);
}

namespace {

struct MaskedLoad {
  Instruction *first; // of the block's loads with this mask
  SmallVector<SelectInst *> selections;
};

} // namespace

static void keepMasksAsNumbers(BasicBlock &block, const DominatorTree &dominators) {
  // Of seven predicates, one for a loop's end or the like.
  constexpr unsigned mostPredicates = 6;
  // Numbers that live as long as what is loaded must not cost more than it does.
  constexpr unsigned mostRegisters = 16;
  MapVector<Value *, MaskedLoad> masks;
  for (Instruction &instruction : block)
    if (Value *mask = getMaskOfLoad(instruction))
      masks.insert({mask, {&instruction, {}}});
  if (masks.size() <= mostPredicates)
    return;
  for (auto &[mask, load] : masks)
    for (User *user : mask->users())
      if (auto *select = dyn_cast<SelectInst>(user); select && select->getCondition() == mask &&
                                                     fitsRegister(select->getType()) &&
                                                     dominators.dominates(load.first, select))
        load.selections.push_back(select);
  // A number for one selection is an instruction more.
  constexpr size_t fewestSelections = 2;
  masks.remove_if([](const auto &entry) { return entry.second.selections.size() < fewestSelections; });
  if (masks.size() <= mostPredicates || masks.size() > mostRegisters)
    return;
  for (auto &[mask, load] : masks) {
    IRBuilder<> builder(load.first);
    auto *type = FunctionType::get(builder.getInt32Ty(), builder.getInt1Ty(), /*isVarArg=*/false);
    Value *number = builder.CreateCall(
        InlineAsm::get(type, "selp.b32 $0, -1, 0, $1;", "=r,b", /*hasSideEffects=*/false), mask);
    for (SelectInst *select : load.selections) {
      select->replaceAllUsesWith(selectByNumber(*select, number));
      select->eraseFromParent();
    }
  }
}

void keepMasksAsNumbers(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree dominators(function);
    for (BasicBlock &block : function)
      keepMasksAsNumbers(block, dominators);
  }
}

} // namespace nereid
