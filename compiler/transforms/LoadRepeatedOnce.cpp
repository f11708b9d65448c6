// Loads once what neighbours along a summed axis have in common.
//
// Weights of four bits are two to a byte, and their scales one to 16 or 32. Kernels load both element by
// element of the unpacked tile:
//
//     %k = %k0 + arange(0, 64)
//     %x = tt.load %row + %k / 2        64 addresses a row, each twice: they are no run
//
// Loaded is a tile of one element for each run of equal addresses instead, and its elements are repeated in
// registers:
//
//     %y = tt.load %row + %k0 / 2 + arange(0, 32)        a run of 32 bytes, read as vectors
//     %x = reshape (join %y, %y)
//
// Both vectors and neighbours come of this: to AxisInfo, `(2 * i + %k0) / 2` says nothing, so quotients of
// runs are divided term by term, which is exact where each term can be.
//
// Only where all that becomes of the tile, also of what is looked up by it, is summed along the axis: a
// thread takes a row's neighbours then, and joins them where they are. Rows that are stored or multiplied as
// matrices have their elements in other places.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/transforms/AxisInfo.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/GatherLayout.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

namespace arith = mlir::arith;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

class LoadRepeatedOnce : public mlir::PassWrapper<LoadRepeatedOnce, mlir::OperationPass<mlir::ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LoadRepeatedOnce)

  llvm::StringRef getArgument() const final { return "nereid-tt-load-repeated-once"; }
  llvm::StringRef getDescription() const final { return "Load once what neighbours have in common"; }
  void runOnOperation() final;
};

/// Makes tensors of every `run`-th element along an axis, from what they are computed from.
class Thinned {
public:
  Thinned(OpBuilder &builder, const AxisInfoAnalysis &axes, unsigned axis, int64_t run)
      : builder(builder), axes(axes), axis(axis), run(run) {}

  /// Every run-th element of the tensor; null where that can't be had.
  Value get(Value value) { return find(value, axis, /*isQuotient=*/false); }

private:
  /// With `isQuotient`, of what that is when divided by run, without a remainder. Before an axis was put in,
  /// `d` is not what `axis` says.
  Value find(Value value, unsigned d, bool isQuotient);
  Value make(Value value, unsigned d, bool isQuotient);
  Value makeQuotient(Operation *op, unsigned d);
  Value divide(Operation *division, unsigned d);
  Value compare(arith::CmpIOp comparison, unsigned d);
  Value clone(Operation *op, unsigned d);
  RankedTensorType thin(mlir::Type type, unsigned d) const;
  bool isThin(Value value, unsigned d) const {
    return mlir::cast<RankedTensorType>(value.getType()).getDimSize(d) == 1;
  }

  OpBuilder &builder;
  const AxisInfoAnalysis &axes;
  unsigned axis;
  int64_t run;
  llvm::DenseMap<std::tuple<Value, unsigned, unsigned>, Value> made;
};

RankedTensorType Thinned::thin(mlir::Type type, unsigned d) const {
  auto tensor = mlir::cast<RankedTensorType>(type);
  llvm::SmallVector<int64_t> shape(tensor.getShape());
  if (shape[d] != 1)
    shape[d] /= run;
  return tensor.clone(shape);
}

Value makeConstant(OpBuilder &builder, mlir::Location loc, RankedTensorType type, int64_t value) {
  auto attribute = mlir::DenseElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(), value));
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value Thinned::find(Value value, unsigned d, bool isQuotient) {
  auto [known, isNew] = made.try_emplace(std::tuple(value, d, unsigned(isQuotient)));
  if (!isNew)
    return known->second;
  Value result = make(value, d, isQuotient);
  return made[std::tuple(value, d, unsigned(isQuotient))] = result;
}

Value Thinned::make(Value value, unsigned d, bool isQuotient) {
  if (!isQuotient && isThin(value, d))
    return value;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1 || op->getNumRegions() != 0)
    return {};
  mlir::Location loc = op->getLoc();
  RankedTensorType type = thin(value.getType(), d);
  if (auto expand = mlir::dyn_cast<tt::ExpandDimsOp>(op)) {
    if (expand.getAxis() == d) // an axis of one element
      return {};
    Value source = find(expand.getSrc(), d - (d > expand.getAxis()), isQuotient);
    return source ? tt::ExpandDimsOp::create(builder, loc, type, source, expand.getAxis()) : Value();
  }
  if (auto broadcast = mlir::dyn_cast<tt::BroadcastOp>(op)) {
    Value source = find(broadcast.getSrc(), d, isQuotient);
    return source ? tt::BroadcastOp::create(builder, loc, type, source) : Value();
  }
  if (isQuotient)
    return makeQuotient(op, d);
  if (auto splat = mlir::dyn_cast<tt::SplatOp>(op))
    return tt::SplatOp::create(builder, loc, type, splat.getSrc());
  if (auto constant = mlir::dyn_cast<arith::ConstantOp>(op)) {
    auto elements = mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
    if (!elements || !elements.isSplat())
      return {};
    return arith::ConstantOp::create(builder, loc, elements.resizeSplat(type));
  }
  if (Value quotient = divide(op, d))
    return quotient;
  if (auto comparison = mlir::dyn_cast<arith::CmpIOp>(op))
    if (Value condition = compare(comparison, d))
      return condition;
  if (auto range = mlir::dyn_cast<tt::MakeRangeOp>(op)) {
    Value steps = tt::MakeRangeOp::create(builder, loc, type, 0, uint32_t(type.getDimSize(0)));
    steps = arith::MulIOp::create(builder, loc, steps, makeConstant(builder, loc, type, run));
    Value start = makeConstant(builder, loc, type, int32_t(range.getStart()));
    return arith::AddIOp::create(builder, loc, steps, start);
  }
  return clone(op, d);
}

/// An operation on elements, on thinned operands.
Value Thinned::clone(Operation *op, unsigned d) {
  if (!mlir::isMemoryEffectFree(op) ||
      (!op->hasTrait<mlir::OpTrait::Elementwise>() && !mlir::isa<tt::AddPtrOp>(op)))
    return {};
  llvm::SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    bool isTensor = mlir::isa<RankedTensorType>(operand.getType());
    operands.push_back(isTensor ? find(operand, d, /*isQuotient=*/false) : operand);
    if (!operands.back())
      return {};
  }
  mlir::IRMapping mapping;
  for (auto [operand, thinned] : llvm::zip(op->getOperands(), operands))
    mapping.map(operand, thinned);
  Operation *copy = builder.clone(*op, mapping);
  copy->getResult(0).setType(thin(op->getResult(0).getType(), d));
  return copy->getResult(0);
}

/// x / c, for c a multiple of the run: (x / run) / (c / run).
Value Thinned::divide(Operation *division, unsigned d) {
  bool isShift = mlir::isa<arith::ShRSIOp, arith::ShRUIOp>(division);
  if (!isShift && !mlir::isa<arith::DivSIOp, arith::DivUIOp>(division))
    return {};
  std::optional<int64_t> amount = axes.get(division->getOperand(1)).constant;
  if (!amount || *amount < 0 || (isShift && *amount > 30))
    return {};
  int64_t divisor = isShift ? int64_t(1) << *amount : *amount;
  if (divisor == 0 || divisor % run != 0)
    return {};
  // Of the unsigned ones, only those of numbers that look the same as signed ones: the terms do not wrap.
  if (mlir::isa<arith::DivUIOp, arith::ShRUIOp>(division) && !axes.get(division->getOperand(0)).nonNegative)
    return {};
  Value quotient = find(division->getOperand(0), d, /*isQuotient=*/true);
  if (!quotient || divisor == run)
    return quotient;
  mlir::Location loc = division->getLoc();
  auto type = mlir::cast<RankedTensorType>(quotient.getType());
  if (isShift) {
    Value rest = makeConstant(builder, loc, type, *amount - llvm::Log2_64(run));
    return arith::ShRSIOp::create(builder, loc, quotient, rest);
  }
  return arith::DivSIOp::create(builder, loc, quotient, makeConstant(builder, loc, type, divisor / run));
}

/// x < y, for both multiples of the run: x / run < y / run, by which a mask's runs are known.
Value Thinned::compare(arith::CmpIOp comparison, unsigned d) {
  Value left = comparison.getLhs(), right = comparison.getRhs();
  bool isSigned = comparison.getPredicate() <= arith::CmpIPredicate::sge;
  if (!isSigned && !(axes.get(left).nonNegative && axes.get(right).nonNegative))
    return {};
  left = find(left, d, /*isQuotient=*/true);
  right = left ? find(right, d, /*isQuotient=*/true) : Value();
  if (!right)
    return {};
  return arith::CmpIOp::create(builder, comparison.getLoc(), comparison.getPredicate(), left, right);
}

/// What is divided by the run without a remainder, term by term.
Value Thinned::makeQuotient(Operation *op, unsigned d) {
  mlir::Location loc = op->getLoc();
  RankedTensorType type = thin(op->getResult(0).getType(), d);
  if (auto range = mlir::dyn_cast<tt::MakeRangeOp>(op)) {
    int64_t start = int32_t(range.getStart()), end = int32_t(range.getEnd());
    if (type.getDimSize(0) * run != end - start || start % run != 0)
      return {};
    return tt::MakeRangeOp::create(builder, loc, type, uint32_t(start / run), uint32_t(end / run));
  }
  if (std::optional<int64_t> number = axes.get(op->getResult(0)).constant)
    return *number % run == 0 ? makeConstant(builder, loc, type, *number / run) : Value();
  if (auto splat = mlir::dyn_cast<tt::SplatOp>(op)) {
    Value source = splat.getSrc();
    if (axes.get(source).getDivisibilityOfAll() % run != 0)
      return {};
    Value shift = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(source.getType(), int64_t(llvm::Log2_64(run))));
    Value quotient = arith::ShRSIOp::create(builder, loc, source, shift);
    return tt::SplatOp::create(builder, loc, type, quotient);
  }
  if (mlir::isa<arith::AddIOp, arith::SubIOp>(op)) {
    Value left = find(op->getOperand(0), d, /*isQuotient=*/true);
    Value right = left ? find(op->getOperand(1), d, /*isQuotient=*/true) : Value();
    if (!right)
      return {};
    return mlir::isa<arith::AddIOp>(op) ? Value(arith::AddIOp::create(builder, loc, left, right))
                                        : Value(arith::SubIOp::create(builder, loc, left, right));
  }
  if (mlir::isa<arith::ExtSIOp>(op)) {
    Value source = find(op->getOperand(0), d, /*isQuotient=*/true);
    return source ? arith::ExtSIOp::create(builder, loc, type, source) : Value();
  }
  return {};
}

/// How many neighbours along an axis a load has in common everywhere; 1 where it is none, or all of them.
int64_t getRun(tt::LoadOp load, const AxisInfoAnalysis &axes, unsigned d) {
  int64_t size = mlir::cast<RankedTensorType>(load.getType()).getDimSize(d);
  int64_t run = axes.get(load.getPtr()).constancy[d];
  for (Value condition : {load.getMask(), load.getOther()})
    if (condition)
      run = std::min(run, axes.get(condition).constancy[d]);
  return run < size ? run : 1;
}

/// `tile` with each element `run` times along an axis.
Value repeat(OpBuilder &builder, mlir::Location loc, Value tile, unsigned axis, RankedTensorType type) {
  auto thin = mlir::cast<RankedTensorType>(tile.getType());
  for (int64_t size = thin.getDimSize(axis); size != type.getDimSize(axis); size *= 2)
    tile = tt::JoinOp::create(builder, loc, tile, tile);
  // The new axes go right behind the one that they repeat.
  unsigned rank = thin.getRank(), newRank = mlir::cast<RankedTensorType>(tile.getType()).getRank();
  if (axis + 1 != rank) {
    auto order = llvm::to_vector(llvm::seq<int32_t>(0, axis + 1));
    llvm::append_range(order, llvm::seq<int32_t>(rank, newRank));
    llvm::append_range(order, llvm::seq<int32_t>(axis + 1, rank));
    tile = tt::TransOp::create(builder, loc, tile, order);
  }
  return tt::ReshapeOp::create(builder, loc, type, tile, mlir::UnitAttr(), mlir::UnitAttr());
}

void LoadRepeatedOnce::runOnOperation() {
  llvm::SmallVector<tt::LoadOp> loads;
  getOperation().walk([&](tt::LoadOp load) {
    if (mlir::isa<RankedTensorType>(load.getType()) && !looksAtOthers(load))
      loads.push_back(load);
  });
  AxisInfoAnalysis axes(getOperation());
  for (tt::LoadOp load : loads) {
    auto type = mlir::cast<RankedTensorType>(load.getType());
    for (unsigned d = 0; d != type.getRank(); ++d) {
      int64_t run = getRun(load, axes, d);
      // What runs on within the run of indices is read by lanes that are neighbours.
      auto isLookup = [&](tt::LoadOp user) { return axes.get(user.getPtr()).contiguity[d] == 1; };
      if (run == 1 || !isOnlyReduced(load, d, isLookup))
        continue;
      OpBuilder builder(load);
      Thinned thinned(builder, axes, d, run);
      llvm::SmallVector<Value> operands;
      for (Value operand : load->getOperands())
        operands.push_back(thinned.get(operand));
      // What was made of some operands in vain is dead.
      if (llvm::is_contained(operands, Value()))
        continue;
      mlir::IRMapping mapping;
      for (auto [operand, thin] : llvm::zip(load->getOperands(), operands))
        mapping.map(operand, thin);
      Operation *narrow = builder.clone(*load, mapping);
      llvm::SmallVector<int64_t> shape(type.getShape());
      shape[d] /= run;
      narrow->getResult(0).setType(type.clone(shape));
      load.replaceAllUsesWith(repeat(builder, load.getLoc(), narrow->getResult(0), d, type));
      load.erase();
      break;
    }
  }
}

} // namespace

std::unique_ptr<mlir::Pass> createLoadRepeatedOncePass() { return std::make_unique<LoadRepeatedOnce>(); }

} // namespace nereid
