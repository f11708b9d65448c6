// See CrowdedBlocks.h.
#include "compiler/targets/CrowdedBlocks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid {

bool hasCrowdedBlock(const Module &module) {
  constexpr unsigned most = 1000;
  return any_of(module, [](const Function &function) {
    return any_of(function, [](const BasicBlock &block) {
      return count_if(block, [](const Instruction &instruction) {
               return isa<LoadInst, StoreInst>(instruction);
             }) > most;
    });
  });
}

} // namespace nereid
