// Emits loop nests, after choosing the dimension that lanes run along: the one in which most accesses are
// contiguous.
#include "compiler/lowering/cpu/TileLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace nereid::cpu {

/// The chunks are vectors already, and as many at a time as is good.
static void markLoop(BranchInst *latch, bool isLong) {
  LLVMContext &context = latch->getContext();
  auto flag = [&](StringRef name) { return MDNode::get(context, MDString::get(context, name)); };
  Metadata *vectorized[] = {MDString::get(context, "llvm.loop.isvectorized"),
                            ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), 1))};
  StringRef unroll = isLong ? "llvm.loop.unroll.disable" : "llvm.loop.unroll.runtime.disable";
  MDNode *loop = MDNode::getDistinct(context, {nullptr, flag(unroll), MDNode::get(context, vectorized)});
  loop->replaceOperandWith(0, loop);
  latch->setMetadata(LLVMContext::MD_loop, loop);
}

/// Unrolling loops of many turns takes time and gains nothing: they do several chunks a turn already.
static bool isLongLoop(int64_t turns) { return turns > 8; }

void TileLoops::emitLoop(Value *first, Value *end, int64_t step, bool runsOnce,
                         llvm::function_ref<void(Value *)> body, bool isLong) {
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
  markLoop(b.CreateCondBr(b.CreateICmpSLT(next, end), header, exit), isLong);
  // Blocks that the body added stand behind the exit so far.
  exit->moveAfter(b.GetInsertBlock());
  b.SetInsertPoint(exit);
}

/// How well the accesses go with lanes along `dim`: contiguous ones count for it, gathers against. With
/// `mayAssume`, accesses that are contiguous if some scalars are 1 count nearly as much.
TileLoops::LaneChoice TileLoops::rateLaneDim(const Work &work, unsigned dim, bool mayAssume) {
  int64_t extent = work.shape[dim];
  SmallVector<int64_t> unit(work.shape.size(), 0);
  unit[dim] = 1;
  auto isOpaque = [&](mlir::Value value) {
    return !value.getDefiningOp() || !TilePlan::isVirtual(value.getDefiningOp()) ||
           (plan.isMaterialized(value) && !llvm::is_contained(work.produced, value));
  };
  Strides strides(isOpaque);
  LaneChoice choice;
  choice.dim = dim;
  DenseSet<mlir::Value> seen;
  auto rate = [](std::optional<int64_t> stride) {
    return !stride ? -4 : *stride == 1 ? 10 : *stride == 0 ? 6 : *stride == -1 ? 8 : -4;
  };
  auto rateAccess = [&](mlir::Value pointers, ArrayRef<int64_t> steps) {
    std::optional<int64_t> stride = strides.getLaneStride(pointers, steps, extent);
    SmallVector<mlir::Value> needed;
    if (!stride && mayAssume)
      strides.collectOnes(pointers, steps, extent, needed);
    if (!needed.empty()) {
      DenseSet<mlir::Value> ones(needed.begin(), needed.end());
      strides.setOnes(&ones);
      bool isRow = strides.getLaneStride(pointers, steps, extent) == 1;
      strides.setOnes(nullptr);
      if (isRow) {
        for (mlir::Value scalar : needed)
          if (!llvm::is_contained(choice.ones, scalar))
            choice.ones.push_back(scalar);
        choice.score += 9;
        return;
      }
    }
    choice.score += rate(stride);
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
      choice.score += rate(total == unknownStep ? std::optional<int64_t>() : total);
      return;
    }
    mlir::Operation *op = value.getDefiningOp();
    if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
      rateAccess(load.getPtr(), steps);
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
  for (mlir::Value pointers : work.written)
    rateAccess(pointers, unit);
  for (mlir::Value value : work.values)
    visit(value, unit);
  // Tiles that are being filled are row-major.
  for (mlir::Value value : work.produced)
    if (mlir::cast<mlir::RankedTensorType>(value.getType()).getShape() == work.shape)
      choice.score += dim + 1 == work.shape.size() ? 10 : -4;
  int64_t wanted = target.getLanes32();
  if (extent < wanted)
    choice.score -= 20 * (wanted / extent);
  return choice;
}

/// The bits of the widest elements that are computed with for each chunk: 8 to 32, since wider ones just take
/// several registers. The numbers in masks and in the addresses of rows do not count, because main loops do
/// without them.
unsigned TileLoops::getWidestBits(const Work &work, const LaneChoice &choice) {
  unsigned widest = 8;
  if (!target.hasNarrowMasks())
    return 32;
  auto isOpaque = [&](mlir::Value value) {
    return !value.getDefiningOp() || !TilePlan::isVirtual(value.getDefiningOp()) ||
           (plan.isMaterialized(value) && !llvm::is_contained(work.produced, value));
  };
  Strides strides(isOpaque);
  DenseSet<mlir::Value> ones(choice.ones.begin(), choice.ones.end());
  strides.setOnes(&ones);
  SmallVector<int64_t> unit(work.shape.size(), 0);
  unit[choice.dim] = 1;
  auto addBits = [&](mlir::Type type) {
    type = mlir::getElementTypeOrSelf(type);
    widest = std::max(widest, type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 32);
  };
  auto addAccess = [&](mlir::Value pointers, ArrayRef<int64_t> steps) {
    auto stride = steps.size() == size_t(mlir::cast<mlir::RankedTensorType>(pointers.getType()).getRank())
                      ? strides.getLaneStride(pointers, steps, work.shape[choice.dim])
                      : std::nullopt;
    if (!stride || std::abs(*stride) > 1)
      widest = 32;
  };
  DenseSet<mlir::Value> seen;
  std::function<void(mlir::Value, ArrayRef<int64_t>)> visit = [&](mlir::Value value,
                                                                  ArrayRef<int64_t> steps) {
    if (widest >= 32 || !mlir::isa<mlir::RankedTensorType>(value.getType()) || !seen.insert(value).second)
      return;
    mlir::Operation *op = value.getDefiningOp();
    if (isOpaque(value) || mlir::isa<mlir::arith::ConstantOp, tt::SplatOp>(op))
      return addBits(value.getType());
    SmallVector<int64_t> mapped;
    if (mapSteps(op, steps, work.shape[choice.dim], mapped))
      return visit(op->getOperand(0), mapped);
    if (auto load = mlir::dyn_cast<tt::LoadOp>(op)) {
      addBits(value.getType());
      addAccess(load.getPtr(), steps);
      if (load.getOther())
        visit(load.getOther(), steps);
      return;
    }
    if (!isElementwise(op)) {
      widest = 32;
      return;
    }
    addBits(value.getType());
    // Narrow floats are computed with as floats.
    bool isMove = mlir::isa<mlir::arith::SelectOp, mlir::arith::BitcastOp, tt::BitcastOp>(op);
    if (!isMove && (getNarrowFloat(mlir::getElementTypeOrSelf(value.getType())) ||
                    getNarrowFloat(mlir::getElementTypeOrSelf(op->getOperand(0).getType()))))
      widest = 32;
    for (mlir::Value operand : op->getOperands())
      visit(operand, steps);
  };
  for (mlir::Value pointers : work.written)
    addAccess(pointers, unit);
  for (mlir::Value value : work.values)
    if (!llvm::is_contained(work.written, value) && !llvm::is_contained(work.masks, value))
      visit(value, unit);
  return std::min(widest, 32u);
}

NestShape TileLoops::chooseShape(const Work &work, const LaneChoice &choice) {
  NestShape nest;
  nest.shape = work.shape;
  nest.laneDim = choice.dim;
  int64_t wanted = target.vectorBits / getWidestBits(work, choice);
  int64_t extent = work.shape.empty() ? 1 : work.shape[nest.laneDim];
  while (nest.lanes < wanted && extent % (nest.lanes * 2) == 0)
    nest.lanes *= 2;
  int64_t elements = 1;
  for (int64_t size : work.shape)
    elements *= size;
  bool mayFlatten = extent < wanted && elements > extent && isPowerOf2_64(elements), mayHaveColumns = true;
  unsigned most = 4;
  std::optional<unsigned> axis;
  for (Sink *sink : work.sinks) {
    mayFlatten = mayFlatten && sink->allowsFlattening();
    mayHaveColumns = mayHaveColumns && sink->allowsColumns();
    most = std::min(most, sink->getMaximumCopies());
    if (auto wantedAxis = sink->getColumnAxis()) {
      mayHaveColumns = mayHaveColumns && (!axis || *axis == *wantedAxis);
      axis = wantedAxis;
    }
  }
  if (mayFlatten) {
    nest.flattened = extent = elements;
    nest.lanes = std::min(wanted, elements);
  }
  unsigned cost = work.cost;
  nest.copies = std::min(most, cost <= 14 ? 4u : cost <= 40 ? 2u : 1u);
  while (nest.copies > 1 && extent % (int64_t(nest.lanes) * nest.copies) != 0)
    nest.copies /= 2;
  if (mayHaveColumns && axis && *axis != nest.laneDim && !mayFlatten && work.shape[*axis] > 1) {
    nest.columnAxis = axis;
    // Enough partial results to hide how long one addition takes.
    while (most > 1 && nest.copies * nest.rows < maximumCopies && cost * nest.copies * nest.rows <= 40 &&
           work.shape[*axis] % (nest.rows * 2) == 0)
      nest.rows *= 2;
  }
  return nest;
}

void TileLoops::emit(ArrayRef<int64_t> shape, ArrayRef<Sink *> sinks, ArrayRef<mlir::Value> produced) {
  Work work{shape, sinks, produced, {}, {}, {}, 0};
  bool single = shape.empty();
  for (Sink *sink : sinks) {
    sink->getInputs(work.values, work.masks);
    if (mlir::Value pointers = sink->getWrittenPointers())
      work.written.push_back(pointers);
    single |= sink->needsSingleLanes();
  }
  for (mlir::Value value : work.values)
    if (mlir::isa<mlir::RankedTensorType>(value.getType()))
      work.cost += plan.getCost(value);
  if (single) {
    NestShape nest;
    nest.shape = shape;
    nest.laneDim = shape.empty() ? 0 : shape.size() - 1;
    emitNest(work, nest, {});
    forEach(sinks, &Sink::finish);
    return;
  }
  LaneChoice plain;
  plain.dim = shape.size() - 1;
  plain.score = INT64_MIN;
  SmallVector<LaneChoice> assuming;
  for (unsigned d = shape.size(); d-- > 0;) {
    if (shape[d] == 1)
      continue;
    LaneChoice choice = rateLaneDim(work, d, false);
    if (choice.score > plain.score)
      plain = choice;
    choice = rateLaneDim(work, d, true);
    if (!choice.ones.empty())
      assuming.push_back(choice);
  }
  llvm::sort(assuming, [](const LaneChoice &x, const LaneChoice &y) {
    return std::pair(x.score, x.dim) > std::pair(y.score, y.dim);
  });
  // More than two guesses are not worth their code.
  if (assuming.size() > 2)
    assuming.resize(2);

  LLVMContext &context = b.getContext();
  Function *function = b.GetInsertBlock()->getParent();
  BasicBlock *done = nullptr;
  for (const LaneChoice &choice : assuming) {
    if (choice.score <= plain.score)
      continue;
    NestShape nest = chooseShape(work, choice);
    NestFacts facts;
    Value *condition = nullptr;
    for (mlir::Value scalar : choice.ones) {
      Value *value = evaluator.getScalar(scalar);
      Value *isOne = b.CreateICmpEQ(value, ConstantInt::get(value->getType(), 1));
      condition = condition ? b.CreateAnd(condition, isOne) : isOne;
      facts.ones.insert(scalar);
    }
    BasicBlock *then = BasicBlock::Create(context, "unit.stride", function);
    BasicBlock *otherwise = BasicBlock::Create(context, "any.stride", function);
    if (!done)
      done = BasicBlock::Create(context, "nest.done", function);
    b.CreateCondBr(condition, then, otherwise);
    b.SetInsertPoint(then);
    emitUnder(work, nest, facts);
    b.CreateBr(done);
    b.SetInsertPoint(otherwise);
  }
  emitUnder(work, chooseShape(work, plain), {});
  if (done) {
    b.CreateBr(done);
    done->moveAfter(b.GetInsertBlock());
    b.SetInsertPoint(done);
  }
  forEach(sinks, &Sink::finish);
}

/// The condition under which the tile lies wholly within its masks, with what follows from it in `facts`;
/// null where knowing that would gain little: a long row finds out for itself how far its masks hold.
Value *TileLoops::checkWholeTile(const Work &work, const NestShape &nest, NestFacts &facts) {
  int64_t elements = 1;
  for (int64_t size : nest.shape)
    elements *= size;
  int64_t extent = nest.shape[nest.laneDim];
  constexpr int64_t longRow = 16;
  constexpr unsigned muchCode = 60;
  if (!nest.columnAxis &&
      (extent >= longRow * nest.lanes * nest.copies || (elements == extent && work.cost > muchCode)))
    return nullptr;
  evaluator.beginNest(nest.lanes, work.produced);
  evaluator.setFacts(&facts);
  SmallVector<mlir::Value> masks(work.masks), choices;
  for (mlir::Value value : work.values)
    evaluator.collectMasks(value, masks, choices);
  Value *condition = nullptr;
  for (mlir::Value mask : masks)
    evaluator.checkWholeMask(mask, facts, condition);
  // Selections alone are not worth two nests.
  if (condition)
    for (mlir::Value choice : choices)
      evaluator.checkWholeMask(choice, facts, condition);
  evaluator.setFacts(nullptr);
  evaluator.endNest();
  return condition;
}

/// Emits the nest twice, for tiles that lie wholly within their masks and for the others, where that is worth
/// it.
void TileLoops::emitUnder(const Work &work, const NestShape &nest, const NestFacts &facts) {
  NestFacts ifWhole = facts;
  Value *isWhole = checkWholeTile(work, nest, ifWhole);
  if (!isWhole || evaluator.hasFailed())
    return emitNest(work, nest, facts);
  LLVMContext &context = b.getContext();
  Function *function = b.GetInsertBlock()->getParent();
  BasicBlock *whole = BasicBlock::Create(context, "whole.tile", function);
  BasicBlock *part = BasicBlock::Create(context, "part.tile", function);
  BasicBlock *done = BasicBlock::Create(context, "tile.done", function);
  b.CreateCondBr(isWhole, whole, part);
  b.SetInsertPoint(whole);
  emitNest(work, nest, ifWhole);
  b.CreateBr(done);
  b.SetInsertPoint(part);
  emitNest(work, nest, facts);
  b.CreateBr(done);
  done->moveAfter(b.GetInsertBlock());
  b.SetInsertPoint(done);
}

void TileLoops::emitNest(const Work &work, const NestShape &nest, const NestFacts &facts) {
  evaluator.beginNest(nest.lanes, work.produced);
  evaluator.setFacts(&facts);
  evaluator.setRowExtent(nest.shape.empty() ? 1 : nest.shape[nest.laneDim]);
  forEach(work.sinks, &Sink::begin, nest);
  Indices indices(nest.shape.size(), evaluator.constantIndex(0));
  if (nest.flattened)
    emitChunks(nest, nest.copies, b.getInt64(0), b.getInt64(nest.flattened), true, indices, work.sinks,
               nullptr);
  else
    emitDimension(nest, 0, indices, work.sinks);
  evaluator.setFacts(nullptr);
  evaluator.endNest();
}

void TileLoops::emitDimension(const NestShape &nest, unsigned dim, Indices &indices, ArrayRef<Sink *> sinks) {
  if (dim >= nest.shape.size()) {
    if (nest.columnAxis)
      emitColumns(nest, indices, sinks);
    else
      emitRow(nest, indices, sinks);
    return;
  }
  if (dim == nest.laneDim || nest.shape[dim] == 1 || dim == nest.columnAxis) {
    emitDimension(nest, dim + 1, indices, sinks);
    return;
  }
  auto body = [&](Value *index) {
    evaluator.pushLevel();
    indices[dim] = evaluator.uniform(index, evaluator.getLevel());
    emitDimension(nest, dim + 1, indices, sinks);
    evaluator.popLevel();
  };
  emitLoop(b.getInt64(0), b.getInt64(nest.shape[dim]), 1, true, body, isLongLoop(nest.shape[dim]));
  indices[dim] = evaluator.constantIndex(0);
}

void TileLoops::emitRow(const NestShape &nest, Indices &indices, ArrayRef<Sink *> sinks) {
  forEach(sinks, &Sink::beginRow, indices);
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
  forEach(sinks, &Sink::endRow, indices);
}

void TileLoops::emitChunks(const NestShape &nest, unsigned copies, Value *first, Value *end, bool runsOnce,
                           Indices &indices, ArrayRef<Sink *> sinks, const TileEvaluator::Prefix *assumed,
                           bool truth) {
  auto body = [&](Value *start) {
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
      forEach(sinks, &Sink::evaluate, all[copy], copy);
    for (unsigned copy = 0; copy < copies; ++copy)
      forEach(sinks, &Sink::commit, all[copy], copy);
    evaluator.assume(nullptr);
    evaluator.popLevel();
  };
  int64_t step = int64_t(nest.lanes) * copies;
  auto *last = dyn_cast<ConstantInt>(end);
  emitLoop(first, end, step, runsOnce, body, last && isLongLoop(last->getSExtValue() / step));
}

/// The chunk loop around the loop of columnAxis. Masks are evaluated as they are: those of the rows would
/// have to be known before the chunk loop to be left out.
void TileLoops::emitColumns(const NestShape &nest, Indices &indices, ArrayRef<Sink *> sinks) {
  unsigned axis = *nest.columnAxis;
  int64_t lanes = nest.lanes;
  emitLoop(b.getInt64(0), b.getInt64(nest.shape[nest.laneDim]), lanes * nest.copies, true, [&](Value *start) {
    evaluator.pushLevel();
    SmallVector<Indices, 4> chunks(nest.copies, indices);
    for (unsigned copy = 0; copy < nest.copies; ++copy) {
      Value *base = copy ? b.CreateAdd(start, b.getInt64(copy * lanes)) : start;
      chunks[copy][nest.laneDim] = {base, lanes > 1 ? 1 : 0, nullptr, evaluator.getLevel(), true};
    }
    forEach(sinks, &Sink::beginColumns, chunks);
    auto row = [&](Value *first) {
      evaluator.pushLevel();
      SmallVector<Indices, maximumCopies> all;
      for (unsigned row = 0; row < nest.rows; ++row) {
        Value *index = row ? b.CreateAdd(first, b.getInt64(row)) : first;
        for (const Indices &chunk : chunks)
          all.emplace_back(chunk)[axis] = evaluator.uniform(index, evaluator.getLevel());
      }
      for (auto [copy, at] : llvm::enumerate(all))
        forEach(sinks, &Sink::evaluate, at, copy);
      for (auto [copy, at] : llvm::enumerate(all))
        forEach(sinks, &Sink::commit, at, copy);
      evaluator.popLevel();
    };
    emitLoop(b.getInt64(0), b.getInt64(nest.shape[axis]), nest.rows, true, row,
             isLongLoop(nest.shape[axis] / nest.rows));
    forEach(sinks, &Sink::endColumns, chunks);
    evaluator.popLevel();
  });
}

} // namespace nereid::cpu
