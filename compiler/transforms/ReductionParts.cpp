// Cuts axes, and makes the operations. See ReductionParts.h.
#include "compiler/transforms/ReductionParts.h"

#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/layouts/ConversionPlan.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/ScratchMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace nereid {

namespace arith = mlir::arith;
using mlir::Attribute;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Type;
using mlir::Value;

namespace {

/// A run of bits of an element's place along the axis that are all a thread's own, or all other threads'.
struct Piece {
  bool isOwn;
  unsigned bits;
};

} // namespace

/// The axis from its highest bits on; empty if some thread's places along it are no bits of it.
static llvm::SmallVector<Piece, 4> cutAxis(const LinearLayout &layout, Dim axis) {
  llvm::SmallVector<int, 16> owner(layout.getOutBits(axis), -1);
  for (Dim in : {Dim::Register, Dim::Lane, Dim::Warp})
    for (unsigned bit = 0; bit < layout.getInBits(in); ++bit)
      if (uint32_t step = layout.getBasis(in, bit, axis)) {
        if (!llvm::isPowerOf2_32(step) || owner[llvm::Log2_32(step)] >= 0)
          return {};
        owner[llvm::Log2_32(step)] = in == Dim::Register;
      }
  llvm::SmallVector<Piece, 4> pieces;
  for (int isOwn : llvm::reverse(owner)) {
    if (isOwn < 0)
      return {};
    if (pieces.empty() || pieces.back().isOwn != bool(isOwn))
      pieces.push_back({bool(isOwn), 0});
    ++pieces.back().bits;
  }
  return pieces;
}

/// The type of the same elements with the axes that `getAxes` makes of each axis's size or coordinate.
static RankedTensorType withAxes(
    RankedTensorType type,
    llvm::function_ref<void(unsigned axis, int64_t, bool isSize, llvm::SmallVectorImpl<int64_t> &)> getAxes) {
  LinearLayout layout = ttg::toLinearLayout(type);
  llvm::SmallVector<int64_t> shape;
  for (auto [axis, size] : llvm::enumerate(type.getShape()))
    getAxes(axis, size, /*isSize=*/true, shape);
  auto getBases = [&](Dim in) {
    llvm::SmallVector<int32_t> bases;
    for (unsigned bit = 0; bit < layout.getInBits(in); ++bit) {
      llvm::SmallVector<int64_t> place;
      for (unsigned axis = 0; axis < type.getRank(); ++axis)
        getAxes(axis, layout.getBasis(in, bit, tensorDim(axis)), /*isSize=*/false, place);
      bases.append(place.begin(), place.end());
    }
    return bases;
  };
  return RankedTensorType::get(shape, type.getElementType(),
                               ttg::LinearEncodingAttr::get(type.getContext(), shape.size(),
                                                            getBases(Dim::Register), getBases(Dim::Lane),
                                                            getBases(Dim::Warp), getBases(Dim::Block)));
}

static Value reshape(OpBuilder &builder, mlir::Location location, RankedTensorType type, Value value) {
  return tt::ReshapeOp::create(builder, location, type, value, mlir::UnitAttr(), mlir::UnitAttr());
}

/// The same reduction of another tile along another axis.
static Value reduceLike(OpBuilder &builder, tt::ReduceOp op, Value source, unsigned axis) {
  auto copy = mlir::cast<tt::ReduceOp>(builder.insert(op->clone()));
  copy->setOperands(source);
  copy.setAxis(axis);
  auto type = mlir::cast<RankedTensorType>(source.getType());
  Type element = type.getElementType();
  for (mlir::BlockArgument argument : copy.getCombineOp().getArguments())
    argument.setType(element);
  copy.getSingleCombiner()->getResult(0).setType(element);
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  Attribute layout = ttg::SliceEncodingAttr::get(op.getContext(), axis, type.getEncoding());
  copy->getResult(0).setType(shape.empty() ? element : RankedTensorType::get(shape, element, layout));
  return copy->getResult(0);
}

/// The axis in its pieces.
static RankedTensorType cutInPieces(RankedTensorType type, unsigned axis, llvm::ArrayRef<Piece> pieces) {
  return withAxes(type, [&](unsigned d, int64_t number, bool isSize, auto &numbers) {
    if (d != axis) {
      numbers.push_back(number);
      return;
    }
    unsigned shift = llvm::Log2_64(type.getDimSize(axis));
    for (Piece piece : pieces) {
      shift -= piece.bits;
      int64_t size = int64_t(1) << piece.bits;
      numbers.push_back(isSize ? size : number >> shift & (size - 1));
    }
  });
}

/// The axis as two: threads, and what each of them has.
static RankedTensorType cutInTwo(RankedTensorType type, unsigned axis, llvm::ArrayRef<Piece> pieces) {
  return withAxes(type, [&](unsigned d, int64_t number, bool isSize, auto &numbers) {
    if (d != axis) {
      numbers.push_back(number);
      return;
    }
    unsigned shift = llvm::Log2_64(type.getDimSize(axis));
    int64_t others = isSize, own = isSize;
    for (Piece piece : pieces) {
      shift -= piece.bits;
      int64_t size = int64_t(1) << piece.bits, &joined = piece.isOwn ? own : others;
      joined = joined * size + (isSize ? 0 : number >> shift & (size - 1));
    }
    numbers.append({others, own});
  });
}

RankedTensorType getPartsType(tt::ReduceOp op) {
  auto type = mlir::cast<RankedTensorType>(op.getSrcs().front().getType());
  unsigned axis = op.getAxis();
  llvm::SmallVector<Piece, 4> pieces = cutAxis(ttg::toLinearLayout(type), tensorDim(axis));
  if (pieces.size() < 2)
    return type;
  RankedTensorType two = cutInTwo(type, axis, pieces);
  llvm::SmallVector<int64_t> shape(two.getShape());
  shape.erase(shape.begin() + axis + 1);
  return RankedTensorType::get(shape, type.getElementType(),
                               ttg::SliceEncodingAttr::get(op.getContext(), axis + 1, two.getEncoding()));
}

/// Reduces what each thread has. Along the axis, one result is left for each thread.
static Value reduceOwn(OpBuilder &builder, tt::ReduceOp op) {
  Value tile = op.getSrcs().front();
  auto type = mlir::cast<RankedTensorType>(tile.getType());
  unsigned axis = op.getAxis();
  llvm::SmallVector<Piece, 4> pieces = cutAxis(ttg::toLinearLayout(type), tensorDim(axis));
  if (pieces.size() < 2)
    return tile;
  mlir::Location location = op.getLoc();
  tile = reshape(builder, location, cutInPieces(type, axis, pieces), tile);
  auto order = llvm::to_vector<8>(llvm::seq<int32_t>(0, type.getRank() - 1 + int32_t(pieces.size())));
  auto first = order.begin() + axis;
  std::stable_partition(first, first + pieces.size(), [&](int32_t d) { return !pieces[d - axis].isOwn; });
  tile = tt::TransOp::create(builder, location, tile, order);
  tile = reshape(builder, location, cutInTwo(type, axis, pieces), tile);
  return reduceLike(builder, op, tile, axis + 1);
}

static bool isUsedOnce(Operation *op, mlir::Block *block) {
  return op && op->getBlock() == block && op->getNumResults() == 1 && op->hasOneUse();
}

/// The reduction that a value is made of, with what becomes of it on the way.
static tt::ReduceOp findReduction(Value value, mlir::Block *block,
                                  llvm::SmallVectorImpl<Operation *> &steps) {
  Operation *op = value.getDefiningOp();
  if (!isUsedOnce(op, block))
    return {};
  if (auto reduce = mlir::dyn_cast<tt::ReduceOp>(op))
    return reduce;
  if (mlir::isa<ttg::ConvertLayoutOp>(op))
    return findReduction(op->getOperand(0), block, steps);
  if (!mlir::isa<arith::ExtFOp, arith::MulFOp, arith::DivFOp>(op))
    return {};
  for (unsigned i = 0; i < (mlir::isa<arith::MulFOp>(op) ? 2 : 1); ++i) {
    size_t before = steps.size();
    if (tt::ReduceOp reduce = findReduction(op->getOperand(i), block, steps)) {
      steps.push_back(op);
      return reduce;
    }
    steps.truncate(before);
  }
  return {};
}

/// Whether an operation combines results as the reduction does elements, in any order; one that subtracts
/// sums counts as one that adds them.
static bool isOfKind(Operation *combiner, tt::ReduceOp reduce) {
  Operation *inner = reduce->getNumOperands() == 1 ? reduce.getSingleCombiner() : nullptr;
  return mlir::isa_and_nonnull<arith::AddFOp, arith::AddIOp, arith::MaxNumFOp, arith::MinNumFOp,
                               arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp, arith::MinSIOp,
                               arith::MaxUIOp, arith::MinUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(
             inner) &&
         (inner->getName() == combiner->getName() ||
          (mlir::isa<arith::SubFOp>(combiner) && mlir::isa<arith::AddFOp>(inner)));
}

static bool isCheaplyConverted(Value value, RankedTensorType to) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  ConversionPlan::Kind kind = getConversionKind(ttg::toLinearLayout(type), ttg::toLinearLayout(to));
  return kind == ConversionPlan::Kind::None || kind == ConversionPlan::Kind::Registers;
}

bool isWherePartsAre(Value scale, tt::ReduceOp reduce) {
  if (!mlir::isa<RankedTensorType>(scale.getType()) || scale.getDefiningOp<tt::SplatOp>() ||
      mlir::matchPattern(scale, mlir::m_Constant()))
    return true;
  auto sums = mlir::cast<RankedTensorType>(reduce->getResult(0).getType());
  return isCheaplyConverted(scale, sums) || isCheaplyConverted(withoutConversion(scale), sums);
}

/// Whether threads have to meet for it, and whether they can as well later.
static bool meets(tt::ReduceOp reduce) {
  // Results of so few rows in a thread need not be handed to others, wherever the sums are.
  constexpr unsigned few = 16, times = 4;
  auto type = mlir::cast<RankedTensorType>(reduce.getSrcs().front().getType());
  std::optional<ReductionPlan> plan = planReduction(reduce);
  if (!plan || !(plan->laneMask | plan->warpMask) ||
      ttg::toLinearLayout(type).getInSize(Dim::Register) >= int64_t(getManyRegisters(reduce)) ||
      cutAxis(ttg::toLinearLayout(type), tensorDim(reduce.getAxis())).empty())
    return false;
  auto convert = mlir::dyn_cast<ttg::ConvertLayoutOp>(*reduce->user_begin());
  return plan->groups.size() <= few || !convert ||
         plan->groups.size() <= times * ttg::toLinearLayout(convert.getType()).getInSize(Dim::Register);
}

std::optional<ReducedTerm> findReducedTerm(Value operand, Operation *combiner) {
  ReducedTerm term;
  term.reduce = findReduction(operand, combiner->getBlock(), term.steps);
  if (!term.reduce || !isOfKind(combiner, term.reduce) || !meets(term.reduce))
    return std::nullopt;
  bool isSum = mlir::isa<arith::AddFOp, arith::SubFOp>(combiner);
  if (!isSum && !term.steps.empty())
    return std::nullopt;
  Value whole = term.reduce->getResult(0);
  for (Operation *step : term.steps) {
    for (Value other : step->getOperands())
      if (withoutConversion(other) != whole && !isWherePartsAre(other, term.reduce))
        return std::nullopt;
    whole = step->getResult(0);
  }
  return term;
}

Value widenToParts(OpBuilder &builder, Value value, RankedTensorType type, unsigned axis) {
  mlir::Location location = value.getLoc();
  if (auto splat = value.getDefiningOp<tt::SplatOp>())
    value = splat.getSrc();
  if (!mlir::isa<RankedTensorType>(value.getType()))
    return tt::SplatOp::create(builder, location, type, value);
  mlir::DenseElementsAttr constant;
  if (mlir::matchPattern(value, mlir::m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(builder, location, constant.resizeSplat(type));
  Attribute layout = ttg::SliceEncodingAttr::get(type.getContext(), axis, type.getEncoding());
  auto rows = mlir::cast<RankedTensorType>(value.getType());
  if (!isCheaplyConverted(value, rows.cloneWithEncoding(layout)))
    value = withoutConversion(value);
  rows = mlir::cast<RankedTensorType>(value.getType());
  if (rows.getEncoding() != layout)
    value = ttg::ConvertLayoutOp::create(builder, location, rows.cloneWithEncoding(layout), value);
  value = tt::ExpandDimsOp::create(builder, location, value, axis);
  return tt::BroadcastOp::create(builder, location, type, value);
}

Value makeParts(OpBuilder &builder, ReducedTerm term) {
  Value part = reduceOwn(builder, term.reduce);
  Value whole = term.reduce->getResult(0);
  for (Operation *step : term.steps) {
    auto type =
        mlir::cast<RankedTensorType>(part.getType()).clone(mlir::getElementTypeOrSelf(step->getResult(0)));
    llvm::SmallVector<Value, 2> operands;
    for (Value operand : step->getOperands())
      operands.push_back(withoutConversion(operand) == whole
                             ? part
                             : widenToParts(builder, operand, type, term.reduce.getAxis()));
    Operation *copy = builder.clone(*step);
    copy->setOperands(operands);
    copy->getResult(0).setType(type);
    part = copy->getResult(0);
    whole = step->getResult(0);
  }
  return part;
}

Value reduceParts(OpBuilder &builder, tt::ReduceOp like, Value parts) {
  return reduceLike(builder, like, parts, like.getAxis());
}

Value findParts(Value results, tt::ReduceOp like, Type type) {
  auto reduce = withoutConversion(results).getDefiningOp<tt::ReduceOp>();
  return reduce && isOfKind(like.getSingleCombiner(), reduce) && reduce.getAxis() == like.getAxis() &&
                 reduce.getSrcs().front().getType() == type
             ? reduce.getSrcs().front()
             : Value();
}

} // namespace nereid
