// A mark is assembly without a text that has an effect nobody sees.
#include "compiler/targets/nvidia/DeviceBranches.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid {

static constexpr StringLiteral markName = "nereid.device_branch";

static bool isDeviceFunction(const Function &function) {
  return !function.isDeclaration() && function.getName().starts_with("__nv_");
}

bool mayHaveDeviceBranches(const Module &module) {
  return any_of(module,
                [](const Function &function) { return isDeviceFunction(function) && function.size() > 1; });
}

/// Whether more is computed between the condition and where its ways meet than LLVM would select among
/// anyway.
static bool hasCalls(const BasicBlock *block) {
  while (block) {
    if (any_of(*block, [](const Instruction &instruction) { return isa<CallInst>(instruction); }))
      return true;
    block = block->getSingleSuccessor();
    if (block && !block->getSinglePredecessor())
      return false;
  }
  return false;
}

static void mark(BasicBlock &block) {
  LLVMContext &context = block.getContext();
  auto *type = FunctionType::get(Type::getVoidTy(context), /*isVarArg=*/false);
  auto *assembly = InlineAsm::get(type, "", "", /*hasSideEffects=*/true);
  CallInst *call = CallInst::Create(type, assembly, "", block.getFirstInsertionPt());
  call->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  call->setDoesNotThrow();
  call->addFnAttr(Attribute::WillReturn);
  call->setMetadata(markName, MDNode::get(context, {}));
}

void markDeviceBranches(Module &module) {
  for (Function &function : module) {
    if (!isDeviceFunction(function))
      continue;
    for (BasicBlock &block : function) {
      const BasicBlock *before = block.getSinglePredecessor();
      if (before && !before->getSingleSuccessor() && hasCalls(&block))
        mark(block);
    }
  }
}

bool unmarkDeviceBranches(Module &module) {
  bool hadAny = false;
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : make_early_inc_range(block))
        if (instruction.hasMetadata(markName)) {
          instruction.eraseFromParent();
          hadAny = true;
        }
  return hadAny;
}

} // namespace nereid
