// A call of assembly is a call instruction whose callee is the assembly itself.
#include "compiler/targets/nvidia/InlineAssembly.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace nereid {

const InlineAsm *getInlineAssembly(const Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  return call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
}

StringRef getAssemblyText(const Instruction &instruction) {
  const InlineAsm *assembly = getInlineAssembly(instruction);
  return assembly ? assembly->getAsmString() : StringRef();
}

} // namespace nereid
