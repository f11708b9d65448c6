// Loops, conditions and branches: scalars that they pass on become phis, tensors are copied into the buffer
// of what receives them. Passing several at once must look as if all were copied at the same moment: `yield
// b, a` exchanges.
#include "compiler/lowering/cpu/FunctionLowering.h"
#include "compiler/lowering/cpu/Waiting.h"

#include "mlir/IR/RegionGraphTraits.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

namespace nereid::cpu {

FunctionLowering::Reads FunctionLowering::getReads(mlir::Value value, const Buffer &buffer) {
  Reads worst = Reads::No;
  DenseSet<std::pair<mlir::Value, unsigned>> seen;
  std::function<void(mlir::Value, bool)> visit = [&](mlir::Value current, bool sameElement) {
    if (!mlir::isa<mlir::RankedTensorType>(current.getType()) || !seen.insert({current, sameElement}).second)
      return;
    mlir::Operation *op = current.getDefiningOp();
    if (!op || !TilePlan::isVirtual(op) || plan.isMaterialized(current)) {
      auto it = values.buffers.find(current);
      if (it != values.buffers.end() && it->second.pointer == buffer.pointer)
        worst = std::max(worst, sameElement ? Reads::SameElement : Reads::AnyElement);
      return;
    }
    sameElement &= isElementwise(op) || mlir::isa<tt::LoadOp>(op);
    for (mlir::Value operand : op->getOperands())
      visit(operand, sameElement);
  };
  visit(value, true);
  return worst;
}

void FunctionLowering::assign(ArrayRef<Assignment> assignments) {
  SmallVector<Assignment> direct, copies;
  SmallVector<std::pair<Buffer, Buffer>> fromTemporary;
  for (const Assignment &assignment : assignments) {
    auto known = values.buffers.find(assignment.source);
    bool isInPlace = known != values.buffers.end() && known->second.pointer == assignment.target.pointer;
    bool needsTemporary = false;
    for (const Assignment &other : assignments) {
      if (&other == &assignment && isInPlace)
        continue;
      Reads reads = getReads(assignment.source, other.target);
      bool sameShape = other.target.type.getShape() == assignment.target.type.getShape();
      needsTemporary |= reads == Reads::AnyElement || (reads == Reads::SameElement && !sameShape);
    }
    if (isInPlace)
      continue;
    if (!needsTemporary) {
      direct.push_back(assignment);
      continue;
    }
    Buffer temporary = createBuffer(assignment.target.type);
    temporary.stored = assignment.target.stored;
    if (temporary.stored != emitter.memoryType(temporary.type))
      temporary = createBuffer(assignment.target.type, true);
    copies.push_back({assignment.source, temporary});
    fromTemporary.push_back({assignment.target, temporary});
  }
  // Temporaries first, while nothing has been overwritten; then each shape in one nest of loops.
  for (SmallVector<Assignment> *list : {&copies, &direct}) {
    SmallVector<bool> done(list->size(), false);
    for (unsigned i = 0; i < list->size(); ++i) {
      if (done[i])
        continue;
      auto shape = (*list)[i].target.type.getShape();
      SmallVector<std::unique_ptr<Sink>> sinks;
      SmallVector<Sink *> pointers;
      for (unsigned j = i; j < list->size(); ++j)
        if (!done[j] && (*list)[j].target.type.getShape() == shape) {
          sinks.push_back(createFillSink(*this, (*list)[j].source, (*list)[j].target));
          pointers.push_back(sinks.back().get());
          done[j] = true;
        }
      loops.emit(shape, pointers, {});
    }
  }
  for (auto &[to, from] : fromTemporary) {
    uint64_t bytes = to.type.getNumElements() *
                     (to.stored->isPointerTy() ? 8 : divideCeil(to.stored->getPrimitiveSizeInBits(), 8));
    b.CreateMemCpy(to.pointer, Align(8), from.pointer, Align(8), bytes);
  }
}

SmallVector<Value *> FunctionLowering::passValues(mlir::ValueRange sources, mlir::ValueRange targets) {
  SmallVector<Value *> scalars;
  SmallVector<Assignment> tensors;
  for (auto [from, to] : llvm::zip(sources, targets)) {
    if (mlir::isa<mlir::RankedTensorType>(to.getType())) {
      tensors.push_back({from, getBuffer(to)});
      scalars.push_back(nullptr);
    } else {
      scalars.push_back(getScalar(from));
    }
  }
  assign(tensors);
  return scalars;
}

void FunctionLowering::declare(mlir::ValueRange targets, SmallVectorImpl<PHINode *> &phis) {
  for (mlir::Value value : targets) {
    PHINode *phi = nullptr;
    if (mlir::isa<mlir::RankedTensorType>(value.getType()))
      getBuffer(value);
    else
      values.scalars[value] = phi = b.CreatePHI(emitter.registerType(value.getType()), 2);
    phis.push_back(phi);
  }
}

static void addIncoming(ArrayRef<PHINode *> phis, ArrayRef<Value *> values, BasicBlock *block) {
  for (auto [phi, value] : llvm::zip(phis, values))
    if (phi)
      phi->addIncoming(value, block);
}

void FunctionLowering::emitFor(mlir::scf::ForOp loop) {
  LLVMContext &context = b.getContext();
  Value *lower = getScalar(loop.getLowerBound()), *upper = getScalar(loop.getUpperBound()),
        *step = getScalar(loop.getStep());
  // The results live in the buffers of what the loop carries.
  for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
    if (mlir::isa<mlir::RankedTensorType>(result.getType())) {
      Buffer buffer = getBuffer(argument);
      values.buffers[result] = buffer;
    }
  SmallVector<Value *> initial = passValues(loop.getInitArgs(), loop.getRegionIterArgs());
  BasicBlock *before = b.GetInsertBlock();
  BasicBlock *header = BasicBlock::Create(context, "for", function);
  BasicBlock *body = BasicBlock::Create(context, "for.body", function);
  BasicBlock *exit = BasicBlock::Create(context, "for.end");
  b.CreateBr(header);
  b.SetInsertPoint(header);
  PHINode *index = b.CreatePHI(lower->getType(), 2);
  values.scalars[loop.getInductionVar()] = index;
  index->addIncoming(lower, before);
  SmallVector<PHINode *> phis;
  declare(loop.getRegionIterArgs(), phis);
  addIncoming(phis, initial, before);
  Value *goesOn = loop.getUnsignedCmp() ? b.CreateICmpULT(index, upper) : b.CreateICmpSLT(index, upper);
  b.CreateCondBr(goesOn, body, exit);
  b.SetInsertPoint(body);
  emitBlock(*loop.getBody());
  SmallVector<Value *> next;
  if (!hasFailed())
    next = passValues(loop.getBody()->getTerminator()->getOperands(), loop.getRegionIterArgs());
  BasicBlock *end = b.GetInsertBlock();
  index->addIncoming(b.CreateAdd(index, step), end);
  addIncoming(phis, next, end);
  b.CreateBr(header);
  exit->insertInto(function);
  b.SetInsertPoint(exit);
  for (auto [phi, result] : llvm::zip(phis, loop.getResults()))
    if (phi)
      values.scalars[result] = phi;
}

void FunctionLowering::emitWhile(mlir::scf::WhileOp loop) {
  LLVMContext &context = b.getContext();
  mlir::Block &beforeBlock = *loop.getBeforeBody(), &afterBlock = *loop.getAfterBody();
  SmallVector<Value *> initial = passValues(loop.getInits(), beforeBlock.getArguments());
  BasicBlock *before = b.GetInsertBlock();
  BasicBlock *header = BasicBlock::Create(context, "while", function);
  b.CreateBr(header);
  b.SetInsertPoint(header);
  SmallVector<PHINode *> phis;
  declare(beforeBlock.getArguments(), phis);
  addIncoming(phis, initial, before);
  emitBlock(beforeBlock);
  if (hasFailed())
    return;
  auto condition = mlir::cast<mlir::scf::ConditionOp>(beforeBlock.getTerminator());
  SmallVector<Value *> passed = passValues(condition.getArgs(), loop.getResults());
  for (auto [scalar, result, argument] : llvm::zip(passed, loop.getResults(), afterBlock.getArguments())) {
    if (scalar) {
      values.scalars[result] = values.scalars[argument] = scalar;
    } else {
      Buffer buffer = getBuffer(result);
      values.buffers[argument] = buffer;
    }
  }
  BasicBlock *body = BasicBlock::Create(context, "while.body", function);
  BasicBlock *exit = BasicBlock::Create(context, "while.end");
  b.CreateCondBr(getScalar(condition.getCondition()), body, exit);
  b.SetInsertPoint(body);
  emitStopCheck();
  if (isWaitingLoop(loop))
    b.CreateCall(module.getOrInsertFunction("sched_yield", b.getInt32Ty()));
  emitBlock(afterBlock);
  SmallVector<Value *> next;
  if (!hasFailed())
    next = passValues(afterBlock.getTerminator()->getOperands(), beforeBlock.getArguments());
  addIncoming(phis, next, b.GetInsertBlock());
  b.CreateBr(header);
  exit->insertInto(function);
  b.SetInsertPoint(exit);
}

void FunctionLowering::emitIfOp(mlir::scf::IfOp op) {
  LLVMContext &context = b.getContext();
  BasicBlock *merge = BasicBlock::Create(context, "endif");
  BasicBlock *branches[2] = {BasicBlock::Create(context, "if", function),
                             BasicBlock::Create(context, "else")};
  b.CreateCondBr(getScalar(op.getCondition()), branches[0], branches[1]);
  SmallVector<Value *> results[2];
  BasicBlock *ends[2];
  for (unsigned i : {0, 1}) {
    if (i == 1)
      branches[1]->insertInto(function);
    b.SetInsertPoint(branches[i]);
    mlir::Region &region = i == 0 ? op.getThenRegion() : op.getElseRegion();
    if (!region.empty()) {
      emitBlock(region.front());
      if (hasFailed())
        return;
      results[i] = passValues(region.front().getTerminator()->getOperands(), op.getResults());
    }
    ends[i] = b.GetInsertBlock();
    b.CreateBr(merge);
  }
  merge->insertInto(function);
  b.SetInsertPoint(merge);
  SmallVector<PHINode *> phis;
  declare(op.getResults(), phis);
  for (unsigned i : {0, 1})
    addIncoming(phis, results[i], ends[i]);
}

void FunctionLowering::emitRegions(mlir::Region &body) {
  mlir::Block *first = &body.front();
  ReversePostOrderTraversal<mlir::Block *> order(first);
  for (mlir::Block *block : order) {
    if (block == first)
      continue;
    blocks[block] = BasicBlock::Create(b.getContext(), "bb", function);
    IRBuilderBase::InsertPointGuard guard(b);
    b.SetInsertPoint(blocks[block]);
    // A region may be emitted several times.
    emittedBlocks.erase(block);
    blockPhis[block].clear();
    declare(block->getArguments(), blockPhis[block]);
  }
  for (mlir::Block *block : order) {
    if (block != first)
      b.SetInsertPoint(blocks[block]);
    emittedBlocks.insert(block);
    emitBlock(*block);
    if (hasFailed())
      return;
  }
}

void FunctionLowering::emitBranch(mlir::Operation *terminator) {
  auto jump = [&](mlir::Block *target, mlir::ValueRange operands) {
    if (emittedBlocks.contains(target))
      emitStopCheck();
    SmallVector<Value *> passed = passValues(operands, target->getArguments());
    addIncoming(blockPhis[target], passed, b.GetInsertBlock());
    b.CreateBr(blocks[target]);
  };
  if (auto branch = mlir::dyn_cast<mlir::cf::BranchOp>(terminator)) {
    jump(branch.getDest(), branch.getDestOperands());
    return;
  }
  // What is passed differs by branch, so each gets a block of its own.
  auto branch = mlir::cast<mlir::cf::CondBranchOp>(terminator);
  BasicBlock *onTrue = BasicBlock::Create(b.getContext(), "br.true", function);
  BasicBlock *onFalse = BasicBlock::Create(b.getContext(), "br.false", function);
  b.CreateCondBr(getScalar(branch.getCondition()), onTrue, onFalse);
  b.SetInsertPoint(onTrue);
  jump(branch.getTrueDest(), branch.getTrueDestOperands());
  b.SetInsertPoint(onFalse);
  jump(branch.getFalseDest(), branch.getFalseDestOperands());
}

} // namespace nereid::cpu
