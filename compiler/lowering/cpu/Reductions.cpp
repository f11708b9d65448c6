// Reductions and scans along an axis of a tile, with any combining region over any number of tensors.
//
// If the lanes run along the axis, partial results stay in vector registers, several of them so that the next
// addition need not wait for the last; at the end of a row the lanes are combined by halves. If they run
// across it, each element of the result is its own lane, and the result's buffer holds the partial results.
//
// A combining region has no known neutral element in general. Where it has one, partial results start from
// it; elsewhere the first chunk is selected in place of the combination.
#include "compiler/lowering/cpu/FunctionLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

namespace nereid::cpu {

/// The value e with combine(e, x) = x for every x, or null.
static Constant *getNeutral(mlir::Region &region, ElementEmitter &emitter) {
  mlir::Block &block = region.front();
  if (block.getNumArguments() != 2 || std::distance(block.begin(), block.end()) != 2)
    return nullptr;
  mlir::Operation &op = block.front();
  mlir::Operation *last = block.getTerminator();
  if (op.getNumResults() != 1 || op.getNumOperands() != 2 || last->getNumOperands() != 1 ||
      last->getOperand(0) != op.getResult(0) || op.getOperand(0) == op.getOperand(1))
    return nullptr;
  for (mlir::Value operand : op.getOperands())
    if (!mlir::isa<mlir::BlockArgument>(operand) || operand.getParentBlock() != &block)
      return nullptr;
  mlir::Type type = op.getResult(0).getType();
  StringRef name = op.getName().getStringRef();
  if (auto floatType = mlir::dyn_cast<mlir::FloatType>(type)) {
    const fltSemantics &semantics = floatType.getFloatSemantics();
    bool hasInfinity = APFloat::semanticsHasInf(semantics);
    auto constant = [&](const APFloat &value) {
      return emitter.constant(mlir::FloatAttr::get(type, value), type);
    };
    if (name == "arith.addf")
      return constant(APFloat::getZero(semantics, /*Negative=*/true));
    if (name == "arith.mulf")
      return constant(APFloat::getOne(semantics));
    if (name == "arith.maxnumf" || name == "arith.minnumf")
      return constant(APFloat::getNaN(semantics));
    if (hasInfinity && name == "arith.maximumf")
      return constant(APFloat::getInf(semantics, /*Negative=*/true));
    if (hasInfinity && name == "arith.minimumf")
      return constant(APFloat::getInf(semantics));
    return nullptr;
  }
  auto integer = mlir::dyn_cast<mlir::IntegerType>(type);
  if (!integer)
    return nullptr;
  unsigned bits = integer.getWidth();
  auto constant = [&](const APInt &value) {
    return emitter.constant(mlir::IntegerAttr::get(type, value), type);
  };
  if (name == "arith.addi" || name == "arith.ori" || name == "arith.xori" || name == "arith.maxui")
    return constant(APInt::getZero(bits));
  if (name == "arith.muli")
    return constant(APInt(bits, 1));
  if (name == "arith.andi" || name == "arith.minui")
    return constant(APInt::getAllOnes(bits));
  if (name == "arith.maxsi")
    return constant(APInt::getSignedMinValue(bits));
  if (name == "arith.minsi")
    return constant(APInt::getSignedMaxValue(bits));
  return nullptr;
}

namespace {

/// What reductions and scans have in common: sources, an axis, and a combining region.
class CombiningSink : public Sink {
public:
  CombiningSink(FunctionLowering &lowering, mlir::ValueRange sources, mlir::ValueRange results, unsigned axis,
                mlir::Region &region)
      : lowering(lowering), b(lowering.getBuilder()), sources(sources.begin(), sources.end()),
        results(results.begin(), results.end()), axis(axis), region(region) {}

  void getInputs(SmallVectorImpl<mlir::Value> &values, SmallVectorImpl<mlir::Value> &masks) override {
    values.append(sources.begin(), sources.end());
  }
  void begin(const NestShape &shape) override {
    nest = shape;
    isAlongLanes = nest.laneDim == axis;
  }

protected:
  using Values = SmallVector<Value *, 2>;

  Values evaluateSources(const Indices &indices) {
    Values values;
    for (mlir::Value source : sources)
      values.push_back(
          lowering.getEmitter().toLanes(lowering.getEvaluator().evaluate(source, indices), nest.lanes));
    return values;
  }
  Values combine(const Values &lhs, const Values &rhs) {
    Values combined;
    if (!lowering.combine(region, lhs, rhs, combined))
      return rhs;
    // A region may return one of its arguments, or a constant.
    for (Value *&value : combined)
      value = lowering.getEmitter().toLanes(value, ElementEmitter::getLanes(rhs.front()));
    return combined;
  }
  /// `first` in the first step along the axis, `rest` later.
  Values select(Value *isFirst, const Values &first, const Values &rest) {
    Values selected;
    for (auto [a, c] : llvm::zip(first, rest))
      selected.push_back(b.CreateSelect(isFirst, a, c));
    return selected;
  }
  Values load(ArrayRef<AllocaInst *> locals) {
    Values values;
    for (AllocaInst *local : locals)
      values.push_back(b.CreateLoad(local->getAllocatedType(), local));
    return values;
  }
  void store(ArrayRef<AllocaInst *> locals, const Values &values) {
    for (auto [local, value] : llvm::zip(locals, values))
      b.CreateStore(value, local);
  }
  Type *getElement(mlir::Value source) { return lowering.getEmitter().registerType(source.getType()); }
  Type *getLanesType(mlir::Value source) {
    Type *element = getElement(source);
    return nest.lanes == 1 ? element : FixedVectorType::get(element, nest.lanes);
  }

  FunctionLowering &lowering;
  IRBuilder<> &b;
  SmallVector<mlir::Value, 2> sources, results;
  unsigned axis;
  mlir::Region &region;
  NestShape nest;
  bool isAlongLanes = false;
};

class ReduceSink : public CombiningSink {
public:
  ReduceSink(FunctionLowering &lowering, tt::ReduceOp reduce)
      : CombiningSink(lowering, reduce.getSrcs(), reduce.getResult(), reduce.getAxis(),
                      reduce.getCombineOp()),
        neutral(getNeutral(reduce.getCombineOp(), lowering.getEmitter())) {}

  unsigned getMaximumCopies() override { return neutral ? 4 : 1; }
  bool allowsColumns() override { return true; }
  std::optional<unsigned> getColumnAxis() override { return axis; }

  void begin(const NestShape &shape) override {
    CombiningSink::begin(shape);
    for (auto &locals : partial)
      locals.clear();
    if (isAlongLanes || nest.columnAxis)
      for (unsigned copy = 0; copy < nest.copies * nest.rows; ++copy)
        for (mlir::Value source : sources)
          partial[copy].push_back(lowering.createLocal(getLanesType(source)));
    for (mlir::Value result : results) {
      if (mlir::isa<mlir::RankedTensorType>(result.getType()))
        lowering.getBuffer(result);
      else if (totals.size() < results.size())
        totals.push_back(lowering.createLocal(getElement(result)));
    }
  }

  void beginRow(const Indices &row) override {
    if (isAlongLanes)
      beginPartial();
  }
  void beginColumns(ArrayRef<Indices> chunks) override { beginPartial(); }

  void evaluate(const Indices &indices, unsigned copy) override { values[copy] = evaluateSources(indices); }

  void commit(const Indices &indices, unsigned copy) override {
    if (lowering.hasFailed())
      return;
    Value *isFirst = b.CreateICmpEQ(indices[axis].base, b.getInt64(0));
    if (isAlongLanes || nest.columnAxis) {
      Values combined = combine(load(partial[copy]), values[copy]);
      store(partial[copy], neutral ? combined : select(isFirst, values[copy], combined));
      return;
    }
    Indices at = withoutAxis(indices);
    TileEvaluator &evaluator = lowering.getEvaluator();
    Values old;
    for (mlir::Value result : results)
      old.push_back(evaluator.readBuffer(lowering.getBuffer(result), at));
    Values combined = select(isFirst, values[copy], combine(old, values[copy]));
    for (auto [result, value] : llvm::zip(results, combined))
      evaluator.writeBuffer(lowering.getBuffer(result), at, value);
  }

  void endRow(const Indices &row) override {
    if (!isAlongLanes || lowering.hasFailed())
      return;
    Values total = load(partial[0]);
    for (unsigned copy = 1; copy < nest.copies; ++copy)
      total = combine(total, load(partial[copy]));
    for (unsigned lanes = nest.lanes; lanes > 1; lanes /= 2) {
      Values low, high;
      SmallVector<int> lowMask, highMask;
      for (unsigned i = 0; i < lanes / 2; ++i) {
        lowMask.push_back(i);
        highMask.push_back(i + lanes / 2);
      }
      for (Value *value : total) {
        // One lane alone is a scalar, as everywhere.
        low.push_back(lanes == 2 ? b.CreateExtractElement(value, uint64_t(0))
                                 : b.CreateShuffleVector(value, lowMask));
        high.push_back(lanes == 2 ? b.CreateExtractElement(value, uint64_t(1))
                                  : b.CreateShuffleVector(value, highMask));
      }
      total = combine(low, high);
    }
    if (totals.empty())
      writeResults(withoutAxis(row), total);
    else
      store(totals, total);
  }

  void endColumns(ArrayRef<Indices> chunks) override {
    if (lowering.hasFailed())
      return;
    for (unsigned copy = 0; copy < nest.copies; ++copy) {
      Values total = load(partial[copy]);
      for (unsigned row = 1; row < nest.rows; ++row)
        total = combine(total, load(partial[row * nest.copies + copy]));
      writeResults(withoutAxis(chunks[copy]), total);
    }
  }

  void finish() override {
    for (auto [result, value] : llvm::zip(results, load(totals)))
      lowering.getValues().scalars[result] = value;
  }

private:
  /// Without a neutral element the first combination is computed in vain, but with defined values.
  void beginPartial() {
    for (ArrayRef<AllocaInst *> locals : partial)
      for (AllocaInst *local : locals)
        b.CreateStore(neutral ? lowering.getEmitter().toLanes(neutral, nest.lanes)
                              : Constant::getNullValue(local->getAllocatedType()),
                      local);
  }
  Indices withoutAxis(const Indices &indices) {
    Indices at = indices;
    at.erase(at.begin() + axis);
    return at;
  }
  void writeResults(const Indices &at, const Values &total) {
    for (auto [result, value] : llvm::zip(results, total))
      lowering.getEvaluator().writeBuffer(lowering.getBuffer(result), at, value);
  }

  Constant *neutral;
  SmallVector<AllocaInst *, 2> partial[maximumCopies];
  /// Where the results are scalars: of whichever nest runs.
  SmallVector<AllocaInst *, 2> totals;
  Values values[maximumCopies];
};

class ScanSink : public CombiningSink {
public:
  ScanSink(FunctionLowering &lowering, tt::ScanOp scan)
      : CombiningSink(lowering, scan.getSrcs(), scan.getResult(), scan.getAxis(), scan.getCombineOp()),
        isReverse(scan.getReverse()) {}

  unsigned getMaximumCopies() override { return 1; }

  void begin(const NestShape &shape) override {
    CombiningSink::begin(shape);
    for (mlir::Value result : results)
      lowering.getBuffer(result);
    carried.clear();
    for (mlir::Value source : sources) {
      if (isAlongLanes) {
        carried.push_back(lowering.createLocal(getElement(source)));
        continue;
      }
      if (lasts.size() == sources.size())
        continue;
      // The last results of each lane, in a tile without the axis.
      auto type = mlir::cast<mlir::RankedTensorType>(source.getType());
      SmallVector<int64_t> sizes(type.getShape());
      sizes.erase(sizes.begin() + axis);
      lasts.push_back(lowering.createBuffer(mlir::RankedTensorType::get(sizes, type.getElementType())));
    }
  }

  void beginRow(const Indices &row) override {
    for (AllocaInst *local : carried)
      b.CreateStore(Constant::getNullValue(local->getAllocatedType()), local);
  }

  void evaluate(const Indices &indices, unsigned copy) override {
    mapped = indices;
    if (isReverse) {
      Index &index = mapped[axis];
      index.base = b.CreateSub(b.getInt64(nest.shape[axis] - 1), index.base);
      index.step = -index.step;
      index.level = lowering.getEvaluator().getLevel();
    }
    values = evaluateSources(mapped);
  }

  void commit(const Indices &indices, unsigned copy) override {
    if (lowering.hasFailed())
      return;
    TileEvaluator &evaluator = lowering.getEvaluator();
    Value *isFirst = b.CreateICmpEQ(indices[axis].base, b.getInt64(0));
    Values scanned;
    if (isAlongLanes) {
      scanned = values;
      // Each lane takes in the lane 1, 2, 4, … before it.
      for (unsigned distance = 1; distance < nest.lanes; distance *= 2) {
        Values shifted;
        SmallVector<int> mask;
        SmallVector<Constant *> isDone;
        for (int lane = 0; lane < int(nest.lanes); ++lane) {
          mask.push_back(std::max(lane - int(distance), 0));
          isDone.push_back(b.getInt1(lane < int(distance)));
        }
        for (Value *value : scanned)
          shifted.push_back(b.CreateShuffleVector(value, mask));
        scanned = select(ConstantVector::get(isDone), scanned, combine(shifted, scanned));
      }
      Values before;
      for (Value *value : load(carried))
        before.push_back(lowering.getEmitter().toLanes(value, nest.lanes));
      scanned = select(isFirst, scanned, combine(before, scanned));
      Values last;
      for (Value *value : scanned)
        last.push_back(nest.lanes == 1 ? value : b.CreateExtractElement(value, nest.lanes - 1));
      store(carried, last);
    } else {
      Indices at = indices;
      at.erase(at.begin() + axis);
      Values before;
      for (Buffer &last : lasts)
        before.push_back(evaluator.readBuffer(last, at));
      scanned = select(isFirst, values, combine(before, values));
      for (auto [last, value] : llvm::zip(lasts, scanned))
        evaluator.writeBuffer(last, at, value);
    }
    for (auto [result, value] : llvm::zip(results, scanned))
      evaluator.writeBuffer(lowering.getBuffer(result), mapped, value);
  }

private:
  bool isReverse;
  Indices mapped;
  Values values;
  SmallVector<AllocaInst *, 2> carried;
  SmallVector<Buffer, 2> lasts;
};

} // namespace

std::unique_ptr<Sink> createReduceSink(FunctionLowering &lowering, tt::ReduceOp reduce) {
  return std::make_unique<ReduceSink>(lowering, reduce);
}

std::unique_ptr<Sink> createScanSink(FunctionLowering &lowering, tt::ScanOp scan) {
  return std::make_unique<ScanSink>(lowering, scan);
}

} // namespace nereid::cpu
