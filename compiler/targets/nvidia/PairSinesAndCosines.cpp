// Lowerings emit the functions of a tensor element by element, so that the two calls of an element lie in one
// block, however far apart.
#include "compiler/targets/nvidia/PairSinesAndCosines.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid {

static SmallVector<CallInst *> findCalls(Module &module, StringRef name) {
  SmallVector<CallInst *> calls;
  if (Function *function = module.getFunction(name))
    for (User *user : function->users())
      if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledFunction() == function)
        calls.push_back(call);
  return calls;
}

/// Where a function that has two results leaves one.
static AllocaInst *makePlace(CallInst &call, const Twine &name) {
  BasicBlock &entry = call.getFunction()->getEntryBlock();
  return IRBuilder<>(&entry, entry.begin()).CreateAlloca(call.getType(), nullptr, name);
}

static void join(CallInst &sine, CallInst &cosine) {
  AllocaInst *sinePlace = makePlace(sine, "sine"), *cosinePlace = makePlace(cosine, "cosine");
  IRBuilder<> builder(sine.comesBefore(&cosine) ? &sine : &cosine);
  FunctionCallee both = sine.getModule()->getOrInsertFunction(
      "__nv_sincosf", builder.getVoidTy(), sine.getType(), sinePlace->getType(), cosinePlace->getType());
  builder.CreateCall(both, {sine.getArgOperand(0), sinePlace, cosinePlace});
  sine.replaceAllUsesWith(builder.CreateLoad(sine.getType(), sinePlace));
  cosine.replaceAllUsesWith(builder.CreateLoad(cosine.getType(), cosinePlace));
  sine.eraseFromParent();
  cosine.eraseFromParent();
}

void pairSinesAndCosines(Module &module) {
  DenseMap<std::pair<BasicBlock *, Value *>, CallInst *> cosines;
  for (CallInst *cosine : findCalls(module, "__nv_cosf"))
    cosines[{cosine->getParent(), cosine->getArgOperand(0)}] = cosine;
  for (CallInst *sine : findCalls(module, "__nv_sinf")) {
    auto found = cosines.find({sine->getParent(), sine->getArgOperand(0)});
    if (found == cosines.end())
      continue;
    join(*sine, *found->second);
    cosines.erase(found);
  }
}

} // namespace nereid
