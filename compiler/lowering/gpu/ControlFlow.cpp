// Control flow: scf as it is nested, cf between the blocks of a function, calls and returns.
//
// A loop becomes a block that tests before each round, which LLVM turns around where that is better:
//
//     head:  i = phi(from, next); carried = phi(init, yielded); if (i < to) body else exit
//     body:  …; next = i + step; goto head
//
// and what the loop carries, a tensor perhaps, becomes one phi a register.
#include "compiler/lowering/gpu/LargeTiles.h"
#include "compiler/lowering/gpu/ScalarLoops.h"

using namespace mlir;

namespace nereid::gpu {

/// Has LLVM, too, compute in each round of the loop what all rounds have in common.
static void leaveInvariants(llvm::BranchInst *back) {
  llvm::LLVMContext &context = back->getContext();
  llvm::MDNode *leave = llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.licm.disable"));
  llvm::MDNode *id = llvm::MDNode::getDistinct(context, {nullptr, leave});
  id->replaceOperandWith(0, id);
  back->setMetadata(llvm::LLVMContext::MD_loop, id);
}

/// Has a loop that comes next be run by one warp, if that is enough; behind it goes on in the block that this
/// gives, null otherwise.
static llvm::BasicBlock *beginForOneWarp(Emitter &e, Operation *loop) {
  if (e.getNumThreads() <= e.target.getWarpSize() || !isScalarLoopAtEnd(loop))
    return nullptr;
  llvm::BasicBlock *alone = e.createBlock("loop.one_warp"), *behind = e.createBlock("loop.behind");
  e.b.CreateCondBr(e.b.CreateICmpEQ(e.warpId(), e.b.getInt32(0)), alone, behind);
  e.b.SetInsertPoint(alone);
  return behind;
}

static void endForOneWarp(Emitter &e, llvm::BasicBlock *behind) {
  if (!behind)
    return;
  e.b.CreateBr(behind);
  e.b.SetInsertPoint(behind);
}

static LogicalResult emitFor(Emitter &e, scf::ForOp op) {
  llvm::BasicBlock *behind = beginForOneWarp(e, op);
  e.large().declare(op.getRegionIterArgs());
  if (failed(e.large().assign(op.getRegionIterArgs(), op.getInitArgs())))
    return failure();
  llvm::BasicBlock *before = e.b.GetInsertBlock();
  llvm::BasicBlock *head = e.createBlock("loop"), *body = e.createBlock("loop.body"),
                   *exit = e.createBlock("loop.exit");
  llvm::Value *from = e.getScalar(op.getLowerBound()), *to = e.getScalar(op.getUpperBound()),
              *step = e.getScalar(op.getStep());
  e.b.CreateBr(head);

  e.b.SetInsertPoint(head);
  llvm::PHINode *counter = e.b.CreatePHI(from->getType(), 2);
  counter->addIncoming(from, before);
  e.set(op.getInductionVar(), counter);
  llvm::SmallVector<Registers> carried;
  for (auto [argument, initial] : llvm::zip_equal(op.getRegionIterArgs(), op.getInitArgs())) {
    carried.push_back(e.createPhis(argument.getType()));
    Emitter::addIncoming(carried.back(), e.get(initial), before);
    if (!e.large().isLarge(argument))
      e.set(argument, carried.back());
  }
  bool isUnsigned = op.getUnsignedCmp();
  e.b.CreateCondBr(isUnsigned ? e.b.CreateICmpULT(counter, to) : e.b.CreateICmpSLT(counter, to), body, exit);

  e.b.SetInsertPoint(body);
  if (failed(e.emitBody(*op.getBody())) ||
      failed(e.large().assign(op.getRegionIterArgs(), op.getYieldedValues())))
    return failure();
  llvm::BasicBlock *last = e.b.GetInsertBlock();
  // A loop whose counter overflowed would never end.
  counter->addIncoming(e.b.CreateAdd(counter, step, "", isUnsigned, !isUnsigned), last);
  for (auto [phis, yielded] : llvm::zip_equal(carried, op.getYieldedValues()))
    Emitter::addIncoming(phis, e.get(yielded), last);
  llvm::BranchInst *back = e.b.CreateBr(head);
  if (op->hasAttr("tt.disable_licm"))
    leaveInvariants(back);

  e.b.SetInsertPoint(exit);
  for (auto [result, argument, phis] : llvm::zip_equal(op.getResults(), op.getRegionIterArgs(), carried)) {
    e.set(result, phis);
    if (e.large().isLarge(result))
      e.large().setAlias(result, argument);
  }
  endForOneWarp(e, behind);
  return success();
}

/// LLVM moves a load that only one side of a branch needs into that side. Where programs that have nothing to
/// do return early, that makes a chain of what a program loads together, which takes as long as its links do:
///
///     start = load                       length = load
///     length = load                      if length > 0:
///     count = load              not        count = load
///     if length > 0:                       if length - count > …:
///       if length - count > …:               start = load
///
/// Of a program that fills a page of a cache of keys, this is half of what it waits for. So scalars that are
/// loaded in front of a branch stay there, outside of loops.
static void keepLoadsBefore(Emitter &e, scf::IfOp op) {
  if (op->getParentOfType<LoopLikeOpInterface>())
    return;
  for (Operation *before = op->getPrevNode(); before && !isa<scf::IfOp>(before);
       before = before->getPrevNode()) {
    auto load = dyn_cast<tt::LoadOp>(before);
    if (!load || load->use_empty() || isa<RankedTensorType>(load.getType()))
      continue;
    llvm::Value *value = e.getScalar(load.getResult());
    unsigned bits = value->getType()->getPrimitiveSizeInBits();
    if ((bits == 32 || bits == 64) && !isa<llvm::Constant>(value))
      e.target.keepHere(e.b, value);
  }
}

static LogicalResult emitIf(Emitter &e, scf::IfOp op) {
  e.large().declare(op.getResults());
  keepLoadsBefore(e, op);
  llvm::BasicBlock *join = e.createBlock("if.end");
  llvm::BasicBlock *then = e.createBlock("if.then");
  llvm::BasicBlock *otherwise = op.getElseRegion().empty() ? join : e.createBlock("if.else");
  e.b.CreateCondBr(e.getScalar(op.getCondition()), then, otherwise);

  llvm::SmallVector<std::pair<llvm::BasicBlock *, Block *>, 2> ends;
  for (auto [block, region] :
       {std::pair(then, &op.getThenRegion()), std::pair(otherwise, &op.getElseRegion())}) {
    if (region->empty())
      continue;
    e.b.SetInsertPoint(block);
    if (failed(e.emitBody(region->front())) ||
        failed(e.large().assign(op.getResults(), region->front().getTerminator()->getOperands())))
      return failure();
    ends.push_back({e.b.GetInsertBlock(), &region->front()});
    e.b.CreateBr(join);
  }

  e.b.SetInsertPoint(join);
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Registers phis = e.createPhis(result.getType());
    for (auto [block, source] : ends)
      Emitter::addIncoming(phis, e.get(source->getTerminator()->getOperand(i)), block);
    e.set(result, std::move(phis));
  }
  return success();
}

static LogicalResult emitWhile(Emitter &e, scf::WhileOp op) {
  llvm::BasicBlock *behind = beginForOneWarp(e, op);
  e.large().declare(op.getBeforeArguments());
  if (failed(e.large().assign(op.getBeforeArguments(), op.getInits())))
    return failure();
  llvm::BasicBlock *enter = e.b.GetInsertBlock();
  llvm::BasicBlock *head = e.createBlock("while"), *body = e.createBlock("while.body"),
                   *exit = e.createBlock("while.exit");
  e.b.CreateBr(head);

  e.b.SetInsertPoint(head);
  llvm::SmallVector<Registers> carried;
  for (auto [argument, initial] : llvm::zip_equal(op.getBeforeArguments(), op.getInits())) {
    carried.push_back(e.createPhis(argument.getType()));
    Emitter::addIncoming(carried.back(), e.get(initial), enter);
    if (!e.large().isLarge(argument))
      e.set(argument, carried.back());
  }
  if (failed(e.emitBody(*op.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  e.b.CreateCondBr(e.getScalar(condition.getCondition()), body, exit);

  e.b.SetInsertPoint(body);
  auto pass = [&](ValueRange destinations) {
    for (auto [destination, passed] : llvm::zip_equal(destinations, condition.getArgs())) {
      e.set(destination, e.get(passed));
      if (e.large().isLarge(destination))
        e.large().setAlias(destination, passed);
    }
  };
  pass(op.getAfterArguments());
  if (failed(e.emitBody(*op.getAfterBody())) ||
      failed(e.large().assign(op.getBeforeArguments(), op.getYieldOp().getOperands())))
    return failure();
  for (auto [phis, yielded] : llvm::zip_equal(carried, op.getYieldOp().getOperands()))
    Emitter::addIncoming(phis, e.get(yielded), e.b.GetInsertBlock());
  e.b.CreateBr(head);

  e.b.SetInsertPoint(exit);
  pass(op.getResults());
  endForOneWarp(e, behind);
  return success();
}

/// Feeds the phis of a block of the function's body.
static LogicalResult passArguments(Emitter &e, Block *destination, ValueRange operands) {
  if (failed(e.large().assign(destination->getArguments(), operands)))
    return failure();
  for (auto [argument, operand] : llvm::zip_equal(destination->getArguments(), operands))
    Emitter::addIncoming(e.get(argument), e.get(operand), e.b.GetInsertBlock());
  return success();
}

static LogicalResult emitBranch(Emitter &e, cf::BranchOp op) {
  if (failed(passArguments(e, op.getDest(), op.getDestOperands())))
    return failure();
  e.b.CreateBr(e.getBlock(op.getDest()));
  return success();
}

static LogicalResult emitCondBranch(Emitter &e, cf::CondBranchOp op) {
  llvm::Value *condition = e.getScalar(op.getCondition());
  auto hasLarge = [&](ValueRange values) {
    return llvm::any_of(values, [&](Value value) { return e.large().isLarge(value); });
  };
  if (hasLarge(op.getTrueDestOperands()) || hasLarge(op.getFalseDestOperands())) {
    // A side that is not taken must not be written, so each gets a block of its own to write in.
    llvm::BasicBlock *whenTrue = e.createBlock("branch"), *whenFalse = e.createBlock("branch");
    e.b.CreateCondBr(condition, whenTrue, whenFalse);
    for (auto [block, destination, operands] :
         {std::tuple(whenTrue, op.getTrueDest(), ValueRange(op.getTrueDestOperands())),
          std::tuple(whenFalse, op.getFalseDest(), ValueRange(op.getFalseDestOperands()))}) {
      e.b.SetInsertPoint(block);
      if (failed(passArguments(e, destination, operands)))
        return failure();
      e.b.CreateBr(e.getBlock(destination));
    }
    return success();
  }
  if (failed(passArguments(e, op.getTrueDest(), op.getTrueDestOperands())) ||
      failed(passArguments(e, op.getFalseDest(), op.getFalseDestOperands())))
    return failure();
  e.b.CreateCondBr(condition, e.getBlock(op.getTrueDest()), e.getBlock(op.getFalseDest()));
  return success();
}

static LogicalResult emitReturnOp(Emitter &e, tt::ReturnOp op) { return e.emitReturn(op, op.getSrcs()); }

static LogicalResult emitCall(Emitter &e, tt::CallOp op) {
  llvm::Function *callee = e.state.module.getFunction(op.getCallee());
  if (!callee)
    return op.emitError() << "calls '" << op.getCallee() << "', which has no body";
  // A callee's scratch memory lies within its caller's.
  llvm::SmallVector<llvm::Value *> arguments{e.getScratch(op)};
  for (Value operand : op.getArgOperands())
    llvm::append_range(arguments, e.get(operand));
  llvm::CallInst *call = e.b.CreateCall(callee, arguments);
  call->setConvergent();
  unsigned index = 0;
  for (Value result : op.getResults()) {
    Registers registers;
    for (unsigned i = 0, n = e.countRegisters(result.getType()); i < n; ++i)
      registers.push_back(e.b.CreateExtractValue(call, index++));
    e.set(result, std::move(registers));
  }
  return success();
}

void addControlFlowEmitters(EmitterTable &table) {
  table.add<scf::ForOp, emitFor>();
  table.add<scf::IfOp, emitIf>();
  table.add<scf::WhileOp, emitWhile>();
  table.add<cf::BranchOp, emitBranch>();
  table.add<cf::CondBranchOp, emitCondBranch>();
  table.add<tt::ReturnOp, emitReturnOp>();
  table.add<tt::CallOp, emitCall>();
}

} // namespace nereid::gpu
