// Loads are taken in groups of as many as may be under way, and each waits for the last one of the group
// before. Were it only the first of a group that waits, ptxas would start the others ahead of it.
#include "compiler/targets/nvidia/PaceLoads.h"

#include "compiler/lowering/nvidia/ColumnNote.h"
#include "compiler/targets/nvidia/InlineAssembly.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid {

/// 1, or 2 for 16 bytes a lane; 0 of what is no load down a column.
static unsigned getWeight(StringRef assembly) {
  return assembly.contains(nvidia::columnNote) ? 1 + assembly.contains(".v4.b32") : 0;
}

unsigned countColumnLoads(StringRef ptx) {
  unsigned most = 0, sum = 0;
  for (StringRef line : split(ptx, '\n')) {
    if (line.starts_with("$L"))
      sum = 0;
    sum += getWeight(line);
    most = std::max(most, sum);
  }
  return most;
}

/// A zero of which neither LLVM nor ptxas knows that it is one: no block has 2^24 bytes of memory on chip.
static Value *makeHiddenZero(Function &function) {
  IRBuilder<> b(&*function.getEntryBlock().getFirstInsertionPt());
  auto *type = FunctionType::get(b.getInt32Ty(), /*isVarArg=*/false);
  auto *assembly = InlineAsm::get(type, "mov.u32 $0, %dynamic_smem_size;", "=r", /*hasSideEffects=*/false);
  CallInst *call = b.CreateCall(assembly, {});
  call->setDoesNotThrow();
  call->setDoesNotAccessMemory();
  return b.CreateLShr(call, 24);
}

/// Lets a load wait for another one, by a multiplication with one of the additions that there are (mad.wide).
static void putBehind(CallInst *load, Value *loaded, Value *zero) {
  IRBuilder<> b(load);
  if (loaded->getType()->isStructTy())
    loaded = b.CreateExtractValue(loaded, 0);
  Value *offset = b.CreateMul(b.CreateZExt(loaded, b.getInt64Ty()), b.CreateZExt(zero, b.getInt64Ty()));
  load->setArgOperand(0, b.CreatePtrAdd(load->getArgOperand(0), offset));
}

void paceLoads(Module &module, unsigned most) {
  for (Function &function : module) {
    Value *zero = nullptr;
    for (BasicBlock &block : function) {
      CallInst *last = nullptr, *lastOfGroup = nullptr;
      unsigned sum = 0;
      for (Instruction &instruction : block) {
        unsigned more = getWeight(getAssemblyText(instruction));
        if (!more)
          continue;
        auto *load = cast<CallInst>(&instruction);
        sum += more;
        if (last && sum > most) {
          lastOfGroup = last;
          sum = more;
        }
        if (lastOfGroup) {
          if (!zero)
            zero = makeHiddenZero(function);
          putBehind(load, lastOfGroup, zero);
        }
        last = load;
      }
    }
  }
}

} // namespace nereid
