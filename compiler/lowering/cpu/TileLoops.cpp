// Emits loop nests, after choosing the dimension that lanes run along: the one in which most accesses are
// contiguous.
#include "compiler/lowering/cpu/TileLoops.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace nereid::cpu {

/// The chunks are vectors already, and as many at a time as is good.
static void markLoop(BranchInst *latch) {
  LLVMContext &context = latch->getContext();
  auto flag = [&](StringRef name) { return MDNode::get(context, MDString::get(context, name)); };
  Metadata *vectorized[] = {MDString::get(context, "llvm.loop.isvectorized"),
                            ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), 1))};
  MDNode *loop = MDNode::getDistinct(
      context, {nullptr, flag("llvm.loop.unroll.runtime.disable"), MDNode::get(context, vectorized)});
  loop->replaceOperandWith(0, loop);
  latch->setMetadata(LLVMContext::MD_loop, loop);
}

void TileLoops::emitLoop(Value *first, Value *end, int64_t step, bool runsOnce,
                         llvm::function_ref<void(Value *)> body) {
  LLVMContext &context = b.getContext();
  Function *function = b.GetInsertBlock()->getParent();
  BasicBlock *before = b.GetInsertBlock();
  BasicBlock *header = BasicBlock::Create(context, "loop", function);
  BasicBlock *exit = BasicBlock::Create(context, "done", function);
  if (runsOnce)
    b.CreateBr(header);
  else
    b.CreateCondBr(b.CreateICmpSLT(first, end), header, exit);
  b.SetInsertPoint(header);
  PHINode *index = b.CreatePHI(b.getInt64Ty(), 2, "i");
  index->addIncoming(first, before);
  body(index);
  Value *next = b.CreateAdd(index, b.getInt64(step), "", /*HasNUW=*/true, /*HasNSW=*/true);
  index->addIncoming(next, b.GetInsertBlock());
  markLoop(b.CreateCondBr(b.CreateICmpSLT(next, end), header, exit));
  // Blocks that the body added stand behind the exit so far.
  exit->moveAfter(b.GetInsertBlock());
  b.SetInsertPoint(exit);
}

/// How well the accesses of `values` go with lanes along `dim`: contiguous ones count for it, gathers
/// against.
int64_t TileLoops::scoreLaneDim(unsigned dim, ArrayRef<int64_t> shape, ArrayRef<mlir::Value> values,
                                ArrayRef<mlir::Value> written, ArrayRef<mlir::Value> produced) {
  int64_t extent = shape[dim];
  SmallVector<int64_t> unit(shape.size(), 0);
  unit[dim] = 1;
  auto isOpaque = [&](mlir::Value value) {
    return !value.getDefiningOp() || !TilePlan::isVirtual(value.getDefiningOp()) ||
           (plan.isMaterialized(value) && !llvm::is_contained(produced, value));
  };
  Strides strides(isOpaque);
  int64_t score = 0;
  DenseSet<mlir::Value> seen;
  auto rate = [](std::optional<int64_t> stride) {
    return !stride ? -4 : *stride == 1 ? 10 : *stride == 0 ? 6 : *stride == -1 ? 8 : -4;
  };
  std::function<void(mlir::Value, ArrayRef<int64_t>)> visit = [&](mlir::Value value,
                                                                  ArrayRef<int64_t> steps) {
    auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
    if (!type || !seen.insert(value).second)
      return;
    if (isOpaque(value)) {
      int64_t total = 0, stride = 1;
      for (unsigned d = type.getRank(); d-- > 0;) {
        total = steps[d] == unknownStep || total == unknownStep ? unknownStep : total + steps[d] * stride;
        stride *= type.getDimSize(d);
      }
      score += rate(total == unknownStep ? std::optional<int64_t>() : total);
      return;
    }
    mlir::Operation *op = value.getDefiningOp();
    if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
      score += rate(strides.getLaneStride(load.getPtr(), steps, extent));
    SmallVector<int64_t> mapped;
    if (mapSteps(op, steps, extent, mapped)) {
      visit(op->getOperand(0), mapped);
    } else if (mlir::isa<tt::SplitOp>(op)) {
      mapped.assign(steps.begin(), steps.end());
      mapped.push_back(0);
      visit(op->getOperand(0), mapped);
    } else if (mlir::isa<tt::JoinOp>(op)) {
      for (mlir::Value operand : op->getOperands())
        visit(operand, steps.drop_back());
    } else if (isElementwise(op) || mlir::isa<tt::LoadOp>(op)) {
      for (mlir::Value operand : op->getOperands())
        visit(operand, steps);
    }
  };
  for (mlir::Value pointers : written)
    score += rate(strides.getLaneStride(pointers, unit, extent));
  for (mlir::Value value : values)
    visit(value, unit);
  return score;
}

NestShape TileLoops::chooseShape(ArrayRef<int64_t> shape, ArrayRef<Sink *> sinks,
                                 ArrayRef<mlir::Value> produced) {
  NestShape nest;
  nest.shape = shape;
  SmallVector<mlir::Value> values, masks, written;
  bool single = false;
  nest.copies = 4;
  for (Sink *sink : sinks) {
    sink->getInputs(values, masks);
    if (mlir::Value pointers = sink->getWrittenPointers())
      written.push_back(pointers);
    single |= sink->needsSingleLanes();
    nest.copies = std::min(nest.copies, sink->getMaximumCopies());
  }
  nest.laneDim = shape.size() - 1;
  if (single) {
    nest.copies = 1;
    return nest;
  }
  // Integers of 8 and 16 bits alone could use more lanes, but index arithmetic in 32 bits goes with most of
  // them.
  int64_t wanted = target.getLanes32(), best = INT64_MIN;
  for (unsigned d = shape.size(); d-- > 0;) {
    if (shape[d] == 1)
      continue;
    int64_t score = scoreLaneDim(d, shape, values, written, produced);
    // Tiles that are being filled are row-major.
    for (mlir::Value value : produced)
      if (mlir::cast<mlir::RankedTensorType>(value.getType()).getShape() == shape)
        score += d + 1 == shape.size() ? 10 : -4;
    if (shape[d] < wanted)
      score -= 20 * (wanted / shape[d]);
    if (score > best) {
      best = score;
      nest.laneDim = d;
    }
  }
  int64_t extent = shape.empty() ? 1 : shape[nest.laneDim];
  while (nest.lanes < wanted && extent % (nest.lanes * 2) == 0)
    nest.lanes *= 2;
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  bool mayFlatten = extent < wanted && elements > extent && isPowerOf2_64(elements);
  for (Sink *sink : sinks)
    mayFlatten = mayFlatten && sink->allowsFlattening();
  if (mayFlatten) {
    nest.flattened = extent = elements;
    nest.lanes = std::min(wanted, elements);
  }
  unsigned cost = 0;
  for (mlir::Value value : values)
    if (mlir::isa<mlir::RankedTensorType>(value.getType()))
      cost += plan.getCost(value);
  unsigned copies = cost <= 14 ? 4 : cost <= 40 ? 2 : 1;
  nest.copies = std::min(nest.copies, copies);
  while (nest.copies > 1 && extent % (int64_t(nest.lanes) * nest.copies) != 0)
    nest.copies /= 2;
  return nest;
}

void TileLoops::emit(ArrayRef<int64_t> shape, ArrayRef<Sink *> sinks, ArrayRef<mlir::Value> produced) {
  // The loops' blocks must be free to grow at their end, whatever the builder's block holds.
  NestShape nest = chooseShape(shape, sinks, produced);
  evaluator.beginNest(nest.lanes, produced);
  evaluator.setRowExtent(shape.empty() ? 1 : shape[nest.laneDim]);
  for (Sink *sink : sinks)
    sink->begin(nest);
  Indices indices(shape.size(), evaluator.constantIndex(0));
  if (nest.flattened)
    emitChunks(nest, nest.copies, b.getInt64(0), b.getInt64(nest.flattened), true, indices, sinks, nullptr);
  else
    emitDimension(nest, 0, indices, sinks);
  evaluator.endNest();
  for (Sink *sink : sinks)
    sink->end();
}

void TileLoops::emitDimension(const NestShape &nest, unsigned dim, Indices &indices, ArrayRef<Sink *> sinks) {
  if (dim >= nest.shape.size()) {
    emitRow(nest, indices, sinks);
    return;
  }
  if (dim == nest.laneDim || nest.shape[dim] == 1) {
    emitDimension(nest, dim + 1, indices, sinks);
    return;
  }
  emitLoop(b.getInt64(0), b.getInt64(nest.shape[dim]), 1, true, [&](Value *index) {
    evaluator.pushLevel();
    indices[dim] = evaluator.uniform(index, evaluator.getLevel());
    emitDimension(nest, dim + 1, indices, sinks);
    evaluator.popLevel();
  });
  indices[dim] = evaluator.constantIndex(0);
}

void TileLoops::emitRow(const NestShape &nest, Indices &indices, ArrayRef<Sink *> sinks) {
  for (Sink *sink : sinks)
    sink->beginRow(indices);
  int64_t extent = nest.shape.empty() ? 1 : nest.shape[nest.laneDim];
  int64_t step = int64_t(nest.lanes) * nest.copies;
  Value *zero = b.getInt64(0), *end = b.getInt64(extent);
  TileEvaluator::Prefix prefix;
  if (nest.lanes > 1) {
    Indices chunk = indices;
    chunk[nest.laneDim] = {zero, 1, nullptr, evaluator.getLevel() + 1, true};
    SmallVector<mlir::Value> values, masks;
    for (Sink *sink : sinks)
      sink->getInputs(values, masks);
    for (mlir::Value mask : masks)
      evaluator.addMask(mask, chunk, extent, prefix);
    for (mlir::Value value : values)
      evaluator.collectPrefix(value, chunk, extent, prefix);
  }
  if (!prefix.count) {
    emitChunks(nest, nest.copies, zero, end, true, indices, sinks, nullptr);
  } else {
    Value *whole = b.CreateAnd(prefix.count, b.getInt64(-step));
    emitChunks(nest, nest.copies, zero, whole, false, indices, sinks, &prefix);
    Value *masked = end;
    if (prefix.none) {
      // Up to a whole number of steps again, so that the last loop's are whole.
      masked = b.CreateAnd(b.CreateAdd(prefix.none, b.getInt64(step - 1)), b.getInt64(-step));
      masked = b.CreateBinaryIntrinsic(Intrinsic::smax, masked, whole);
    }
    emitChunks(nest, 1, whole, masked, false, indices, sinks, nullptr);
    if (prefix.none)
      emitChunks(nest, nest.copies, masked, end, false, indices, sinks, &prefix, false);
  }
  for (Sink *sink : sinks)
    sink->endRow(indices);
}

void TileLoops::emitChunks(const NestShape &nest, unsigned copies, Value *first, Value *end, bool runsOnce,
                           Indices &indices, ArrayRef<Sink *> sinks, const TileEvaluator::Prefix *assumed,
                           bool truth) {
  emitLoop(first, end, int64_t(nest.lanes) * copies, runsOnce, [&](Value *start) {
    evaluator.pushLevel();
    evaluator.assume(assumed, truth);
    SmallVector<Indices, 4> all(copies, indices);
    for (unsigned copy = 0; copy < copies; ++copy) {
      if (nest.shape.empty())
        break;
      Value *base = copy ? b.CreateAdd(start, b.getInt64(int64_t(copy) * nest.lanes)) : start;
      if (nest.flattened) {
        Index index{base, nest.lanes > 1 ? 1 : 0, nullptr, evaluator.getLevel(), false};
        all[copy].clear();
        evaluator.mapReshape(nest.shape, {nest.flattened}, {index}, all[copy]);
        continue;
      }
      all[copy][nest.laneDim] = {base, nest.lanes > 1 ? 1 : 0, nullptr, evaluator.getLevel(), true};
    }
    for (unsigned copy = 0; copy < copies; ++copy)
      for (Sink *sink : sinks)
        sink->evaluate(all[copy], copy);
    for (unsigned copy = 0; copy < copies; ++copy)
      for (Sink *sink : sinks)
        sink->commit(all[copy], copy);
    evaluator.assume(nullptr);
    evaluator.popLevel();
  });
}

} // namespace nereid::cpu
