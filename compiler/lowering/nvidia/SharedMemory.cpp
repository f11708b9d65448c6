// Shared memory in one instruction for a warp, and behind the threads' backs: ldmatrix, stmatrix and
// cp.async.
//
// A masked cp.async ignores its source and fills its destination with zeros (PTX ISA's ignore-src, a
// predicate as the hardware has it; a size of zero would have to be computed first). A thread that must not
// write at all leaves the instruction out. Copies of 16 bytes pass the first-level cache by.
#include "compiler/lowering/nvidia/NVIDIALowering.h"

#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace nereid::nvidia {

/// Assembly that changes memory or waits for what does.
static void callFixed(IRBuilder<> &b, StringRef text, StringRef constraints, ArrayRef<Value *> operands) {
  SmallVector<Type *> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  std::string all = constraints.str() + (constraints.empty() ? "~{memory}" : ",~{memory}");
  auto *assembly = InlineAsm::get(FunctionType::get(b.getVoidTy(), types, false), text, all,
                                  /*hasSideEffects=*/true);
  b.CreateCall(assembly, operands)->setDoesNotThrow();
}

SmallVector<Value *, 4> NVIDIALowering::loadMatrices(Builder &b, Value *base, Value *offset, unsigned count,
                                                     bool transposed) const {
  Value *address = b.CreateInBoundsGEP(b.getInt8Ty(), base, offset);
  std::string registers, constraints;
  for (unsigned i = 0; i != count; ++i) {
    registers += (i ? ", $" : "$") + std::to_string(i);
    constraints += i ? ",=r" : "=r";
  }
  std::string text = "ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) + (transposed ? ".trans" : "") +
                     ".shared.b16 {" + registers + "}, [$" + std::to_string(count) + "];";
  SmallVector<Type *> types(count, b.getInt32Ty());
  Type *result = count == 1 ? types.front() : StructType::get(b.getContext(), types);
  auto *assembly = InlineAsm::get(FunctionType::get(result, {address->getType()}, false), text,
                                  constraints + ",r,~{memory}", /*hasSideEffects=*/false);
  CallInst *call = b.CreateCall(assembly, {address});
  // What lanes read for one another was written before a barrier, which no access passes.
  call->setMemoryEffects(MemoryEffects::argMemOnly(ModRefInfo::Ref));
  call->setConvergent();
  call->setDoesNotThrow();
  call->addFnAttr(Attribute::WillReturn);
  if (count == 1)
    return {call};
  SmallVector<Value *, 4> words;
  for (unsigned i = 0; i != count; ++i)
    words.push_back(b.CreateExtractValue(call, i));
  return words;
}

void NVIDIALowering::storeMatrices(Builder &b, Value *base, Value *offset, ArrayRef<Value *> words,
                                   bool transposed) const {
  SmallVector<Value *> operands{b.CreateInBoundsGEP(b.getInt8Ty(), base, offset)};
  std::string registers, constraints = "r";
  for (Value *word : words) {
    registers += (operands.size() > 1 ? ", $" : "$") + std::to_string(operands.size());
    constraints += ",r";
    operands.push_back(word);
  }
  SmallVector<Type *> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  auto *assembly = InlineAsm::get(FunctionType::get(b.getVoidTy(), types, false),
                                  "stmatrix.sync.aligned.m8n8.x" + std::to_string(words.size()) +
                                      (transposed ? ".trans" : "") + ".shared.b16 [$0], {" + registers + "};",
                                  constraints + ",~{memory}", /*hasSideEffects=*/true);
  CallInst *call = b.CreateCall(assembly, operands);
  call->setConvergent();
  call->setDoesNotThrow();
}

void NVIDIALowering::copyAsync(Builder &b, Value *shared, Value *global, unsigned bytes, Value *predicate,
                               Value *writes) const {
  if (computeCapability < 80)
    return TargetLowering::copyAsync(b, shared, global, bytes, predicate, writes);
  std::string size = std::to_string(bytes);
  SmallVector<Value *> operands{shared, global};
  std::string text =
      std::string("cp.async.") + (bytes == 16 ? "cg" : "ca") + ".shared.global [$0], [$1], " + size;
  std::string constraints = "r,l";
  if (predicate) {
    text += ", $" + std::to_string(operands.size());
    constraints += ",b";
    operands.push_back(b.CreateNot(predicate));
  }
  if (writes) {
    text = "@$" + std::to_string(operands.size()) + " " + text;
    constraints += ",b";
    operands.push_back(writes);
  }
  callFixed(b, text + ";", constraints, operands);
}

void NVIDIALowering::commitCopies(Builder &b) const {
  if (computeCapability >= 80)
    callFixed(b, "cp.async.commit_group;", "", {});
}

void NVIDIALowering::waitForCopies(Builder &b, unsigned pending) const {
  if (computeCapability >= 80)
    callFixed(b, "cp.async.wait_group " + std::to_string(pending) + ";", "", {});
}

} // namespace nereid::nvidia
