// The or stands behind the last wait of a round, where no product reads the register any more; otherwise
// ptxas would have all products wait for one another.
#include "compiler/targets/nvidia/KeepFactors.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid {

static const InlineAsm *getAssembly(const Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  return call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
}

/// The arguments of a warp group's product that are its left factor, or nothing where that is in memory. They
/// come first among those that are not the sums.
static SmallVector<unsigned, 4> findLeftFactor(const CallInst &product) {
  constexpr unsigned registersOfFactor = 4;
  SmallVector<unsigned, 4> found;
  unsigned argument = 0;
  for (const InlineAsm::ConstraintInfo &constraint : getAssembly(product)->ParseConstraints()) {
    if (constraint.Type != InlineAsm::isInput)
      continue;
    bool isSum = isDigit(constraint.Codes.front().front());
    if (!isSum && found.size() < registersOfFactor) {
      if (constraint.Codes.front() != "r")
        return {};
      found.push_back(argument);
    }
    ++argument;
  }
  return found;
}

namespace {

class FactorKeeper {
public:
  explicit FactorKeeper(Function &function) : function(function), dominators(function), loops(dominators) {}

  void run() {
    SmallVector<CallInst *> products;
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (auto *assembly = getAssembly(instruction);
            assembly && assembly->getAsmString().contains("wgmma.mma_async"))
          products.push_back(cast<CallInst>(&instruction));
    for (CallInst *product : products) {
      Loop *loop = loops.getLoopFor(product->getParent());
      SmallVector<unsigned, 4> factor = findLeftFactor(*product);
      bool isKept = loop && !factor.empty() && all_of(factor, [&](unsigned argument) {
                      return loop->isLoopInvariant(product->getArgOperand(argument));
                    });
      if (isKept)
        product->setArgOperand(factor.front(), keep(product->getArgOperand(factor.front()), *loop, product));
    }
  }

private:
  /// A number that is zero whenever the kernel runs.
  Value *getZero() {
    if (!zero) {
      IRBuilder<> b(&*function.getEntryBlock().getFirstInsertionPt());
      auto *type = FunctionType::get(b.getInt32Ty(), /*isVarArg=*/false);
      Value *size = b.CreateCall(
          InlineAsm::get(type, "mov.u32 $0, %dynamic_smem_size;", "=r", /*hasSideEffects=*/false));
      zero = b.CreateLShr(size, 31);
    }
    return zero;
  }

  /// Where a round of the loop is done with the factor: behind its last wait for all products that are under
  /// way, or for some if there is no such wait that each round comes by; else at the round's beginning.
  Instruction *findChange(const Loop &loop) {
    BasicBlock *latch = loop.getLoopLatch();
    for (StringRef text : {"wgmma.wait_group.sync.aligned 0", "wgmma.wait_group"}) {
      Instruction *last = nullptr;
      for (BasicBlock *block : loop.blocks())
        if (loops.getLoopFor(block) == &loop && latch && dominators.dominates(block, latch))
          for (Instruction &instruction : *block) {
            auto *assembly = getAssembly(instruction);
            if (assembly && assembly->getAsmString().starts_with(text) &&
                (!last || dominators.dominates(last, &instruction)))
              last = &instruction;
          }
      if (last)
        return last->getNextNode();
    }
    return &*loop.getHeader()->getFirstInsertionPt();
  }

  /// What stands for the value, which the loop does not change, where `user` is in the loop.
  Value *keep(Value *value, Loop &loop, const Instruction *user) {
    Kept kept = keptValues.lookup({&loop, value});
    if (!kept.before) {
      BasicBlock *header = loop.getHeader();
      Value *outside = value;
      if (Loop *outer = loop.getParentLoop(); outer && outer->isLoopInvariant(value))
        outside = keep(value, *outer, &*header->getFirstNonPHIOrDbg());
      kept.before = PHINode::Create(value->getType(), /*NumReservedValues=*/2, "", header->begin());
      IRBuilder<> b(findChange(loop));
      kept.behind = cast<Instruction>(b.CreateOr(kept.before, getZero()));
      for (BasicBlock *from : predecessors(header))
        kept.before->addIncoming(loop.contains(from) ? kept.behind : outside, from);
      keptValues[{&loop, value}] = kept;
    }
    return dominators.dominates(kept.behind, user) ? static_cast<Value *>(kept.behind) : kept.before;
  }

  /// The value before and behind the change in a round.
  struct Kept {
    PHINode *before = nullptr;
    Instruction *behind = nullptr;
  };

  Function &function;
  DominatorTree dominators;
  LoopInfo loops;
  Value *zero = nullptr;
  DenseMap<std::pair<Loop *, Value *>, Kept> keptValues;
};

} // namespace

void keepFactors(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      FactorKeeper(function).run();
}

} // namespace nereid
