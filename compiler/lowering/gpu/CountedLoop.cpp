// One block that tests behind each round, with a phi for the counter and for each carried value. See
// CountedLoop.h.
#include "compiler/lowering/gpu/CountedLoop.h"

namespace nereid::gpu {

mlir::FailureOr<llvm::BranchInst *>
emitCountedLoop(Emitter &e, const llvm::Twine &name, unsigned first, unsigned end, unsigned step,
                llvm::MutableArrayRef<llvm::Value *> carried,
                llvm::function_ref<mlir::LogicalResult(llvm::Value *counter)> body) {
  llvm::IRBuilder<> &b = e.b;
  llvm::BasicBlock *before = b.GetInsertBlock(), *loop = e.createBlock(name),
                   *exit = e.createBlock(name + ".end");
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode *counter = b.CreatePHI(b.getInt32Ty(), 2);
  counter->addIncoming(b.getInt32(first), before);
  llvm::SmallVector<llvm::PHINode *> phis;
  for (llvm::Value *&value : carried) {
    phis.push_back(b.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    value = phis.back();
  }
  if (mlir::failed(body(counter)))
    return mlir::failure();
  llvm::Value *next = b.CreateAdd(counter, b.getInt32(step), "", /*HasNUW=*/true, /*HasNSW=*/true);
  llvm::BasicBlock *last = b.GetInsertBlock();
  counter->addIncoming(next, last);
  for (auto [phi, value] : llvm::zip_equal(phis, carried))
    phi->addIncoming(value, last);
  llvm::BranchInst *back = b.CreateCondBr(b.CreateICmpULT(next, b.getInt32(end)), loop, exit);
  b.SetInsertPoint(exit);
  return back;
}

} // namespace nereid::gpu
