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

static constexpr unsigned globalMemory = 1; // NVPTX's address space

bool loadsGlobalMemory(const Instruction &instruction) {
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return load->getPointerAddressSpace() == globalMemory;
  return getAssemblyText(instruction).contains("ld.global");
}

bool storesGlobalMemory(const Instruction &instruction) {
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    return store->getPointerAddressSpace() == globalMemory;
  return getAssemblyText(instruction).contains("st.global");
}

} // namespace nereid
