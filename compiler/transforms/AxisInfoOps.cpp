// What each operation does to axis information. In every rule, runs along one dimension are looked at with
// all other indices held fixed, so dimensions do not mix; see AxisInfo.h for what the numbers mean.
#include "compiler/transforms/AxisInfo.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/ttg/Dialect.h"

#include "llvm/ADT/bit.h"

namespace nereid {

namespace arith = mlir::arith;
using mlir::Operation;
using mlir::Value;
using Operands = llvm::ArrayRef<AxisInfo>;

static int64_t powerOfTwoIn(int64_t value) {
  if (value == 0)
    return AxisInfo::maxDivisibility;
  // The lowest number's power of two is no number of the type.
  return int64_t(std::min(uint64_t(value) & -uint64_t(value), uint64_t(AxisInfo::maxDivisibility)));
}

static int64_t multiply(int64_t a, int64_t b) {
  return a >= AxisInfo::maxDivisibility / b ? AxisInfo::maxDivisibility : a * b;
}

/// Bytes from one element to the next behind a pointer, or behind those of a tensor.
static unsigned getBytesOfPointee(mlir::Type type) {
  auto pointer = mlir::cast<tt::PointerType>(mlir::getElementTypeOrSelf(type));
  return std::max(1u, tt::getElementBits(pointer.getPointeeType()) / 8);
}

/// Sizes of the result's dimensions, one of size 1 for scalars. What counts is the power of two in them.
static llvm::SmallVector<int64_t, 4> getShape(Value value) {
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(value.getType()))
    if (tensor.getRank())
      return llvm::SmallVector<int64_t, 4>(tensor.getShape());
  return {1};
}

static AxisInfo splatOf(Value result, int64_t divisibility, std::optional<int64_t> constant,
                        bool nonNegative) {
  AxisInfo info;
  info.constancy = getShape(result);
  info.contiguity.assign(info.constancy.size(), 1);
  info.divisibility.assign(info.constancy.size(), divisibility);
  info.constant = constant;
  info.nonNegative = nonNegative;
  return info;
}

static AxisInfo inferConstant(arith::ConstantOp op) {
  mlir::Attribute value = op.getValue();
  if (auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(value)) {
    if (!dense.isSplat())
      return AxisInfo::unknown(op.getResult());
    value = dense.getSplatValue<mlir::Attribute>();
  }
  auto integer = mlir::dyn_cast<mlir::IntegerAttr>(value);
  if (!integer || integer.getValue().getBitWidth() > 64)
    return splatOf(op.getResult(), 1, std::nullopt, false);
  // A boolean counts as 0 or 1.
  int64_t number = integer.getType().isInteger(1) ? integer.getValue().getZExtValue() : integer.getInt();
  return splatOf(op.getResult(), powerOfTwoIn(number), number, number >= 0);
}

/// Results of a pure function of each element: where all operands repeat, so does the result.
static AxisInfo inferElementwise(Operation *op, Operands operands) {
  AxisInfo info = AxisInfo::unknown(op->getResult(0));
  if (operands.empty())
    return info;
  for (unsigned d = 0; d != info.getRank(); ++d) {
    int64_t constancy = AxisInfo::maxDivisibility;
    for (const AxisInfo &operand : operands)
      if (operand.getRank() == info.getRank())
        constancy = std::min(constancy, operand.constancy[d]);
      else if (operand.getRank() != 1 || operand.constancy[0] != 1)
        constancy = 1;
    info.constancy[d] = std::min(constancy, getShape(op->getResult(0))[d]);
  }
  return info;
}

/// a + b, a - b, and pointers plus offsets, of which one step is `unit` bytes.
static AxisInfo inferSum(Operation *op, const AxisInfo &a, const AxisInfo &b, int64_t unit,
                         bool isDifference) {
  AxisInfo info = inferElementwise(op, {a, b});
  for (unsigned d = 0; d != info.getRank(); ++d) {
    int64_t run = std::min(a.contiguity[d], b.constancy[d]);
    if (!isDifference)
      run = std::max(run, std::min(a.constancy[d], b.contiguity[d]));
    info.contiguity[d] = run;
    info.divisibility[d] =
        std::min(a.getDivisibilityOfRuns(d, run), multiply(b.getDivisibilityOfRuns(d, run), unit));
  }
  if (a.constant && b.constant && unit == 1)
    info.constant = isDifference ? *a.constant - *b.constant : *a.constant + *b.constant;
  info.nonNegative = info.constant ? *info.constant >= 0 : !isDifference && a.nonNegative && b.nonNegative;
  return info;
}

static AxisInfo inferProduct(Operation *op, const AxisInfo &a, const AxisInfo &b) {
  AxisInfo info = inferElementwise(op, {a, b});
  for (unsigned d = 0; d != info.getRank(); ++d) {
    // Runs stay runs when multiplied by 1.
    int64_t run = b.constant == 1 ? a.contiguity[d] : a.constant == 1 ? b.contiguity[d] : 1;
    info.contiguity[d] = run;
    info.divisibility[d] = multiply(a.getDivisibilityOfRuns(d, run), b.getDivisibilityOfRuns(d, run));
  }
  if (a.constant && b.constant)
    info.constant = *a.constant * *b.constant;
  info.nonNegative = a.nonNegative && b.nonNegative;
  return info;
}

/// Whether an integer is made by sums and products of numbers of which none is seen to be negative, or taken
/// away: such as `row * width + arange`, whatever sign the width may have.
static bool isSumOfUnsigned(Value value, unsigned depth = 8) {
  Operation *op = value.getDefiningOp();
  if (mlir::IntegerAttr number; mlir::matchPattern(value, mlir::m_Constant(&number)))
    return !number.getValue().isNegative();
  if (mlir::DenseElementsAttr numbers; mlir::matchPattern(value, mlir::m_Constant(&numbers)))
    return numbers.isSplat() && !numbers.getSplatValue<llvm::APInt>().isNegative();
  if (!op) {
    auto argument = mlir::cast<mlir::BlockArgument>(value);
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(parent); loop && value == loop.getInductionVar())
      return depth && isSumOfUnsigned(loop.getLowerBound(), depth - 1) &&
             isSumOfUnsigned(loop.getStep(), depth - 1);
    auto function = mlir::dyn_cast<tt::FuncOp>(parent);
    return function && function.isPublic();
  }
  if (mlir::isa<tt::MakeRangeOp, tt::GetProgramIdOp, tt::GetNumProgramsOp>(op))
    return true;
  // A number that is looked up, such as which expert.
  if (mlir::isa<tt::LoadOp>(op))
    return !mlir::isa<mlir::RankedTensorType>(value.getType());
  bool isSum = mlir::isa<arith::AddIOp, arith::MulIOp, arith::ShLIOp, arith::ExtSIOp, arith::ExtUIOp,
                         arith::TruncIOp, arith::MaxSIOp, arith::MinSIOp, arith::DivSIOp, arith::RemSIOp,
                         tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, ttg::ConvertLayoutOp>(op);
  return isSum && depth &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isSumOfUnsigned(operand, depth - 1); });
}

/// a / b and a % b. Division rounds towards zero, so runs across it are only understood where a is not
/// negative; where b is, quotients are those of -b with the other sign. Remainders are taken as if nothing
/// were: they only count otherwise behind a negative multiple of b, where the indices that kernels make of
/// them (`(pid * BLOCK + arange) % N`) would leave their array. Triton reads them so too, and most signs (of
/// `pid // width`, say) are not known. So it is with quotients of what nothing is taken away from, such as
/// the block of 64 codes that a scale is for: of a run, only what is at a negative multiple of b differs.
static AxisInfo inferDivision(Operation *op, const AxisInfo &a, const AxisInfo &b, bool isSigned,
                              bool isRemainder) {
  AxisInfo info = inferElementwise(op, {a, b});
  bool rising = !isSigned || isRemainder || a.nonNegative || isSumOfUnsigned(op->getOperand(0));
  for (unsigned d = 0; d != info.getRank(); ++d) {
    // Inside an aligned run that does not cross a multiple of b, the quotient is one and remainders count up.
    int64_t run = 1;
    if (rising)
      run = std::min({a.contiguity[d], a.divisibility[d], b.constancy[d], b.getDivisibilityOfRuns(d, 1)});
    if (isRemainder) {
      info.contiguity[d] = run;
      info.divisibility[d] = std::min(a.getDivisibilityOfRuns(d, run), b.getDivisibilityOfRuns(d, 1));
    } else {
      info.constancy[d] = std::max(info.constancy[d], run);
      if (b.constant == 1)
        info.contiguity[d] = a.contiguity[d], info.divisibility[d] = a.divisibility[d];
      else if (b.constant && *b.constant > 0 && llvm::isPowerOf2_64(*b.constant))
        info.divisibility[d] = std::max<int64_t>(1, a.getDivisibilityOfRuns(d, 1) / *b.constant);
    }
  }
  if (a.constant && b.constant && *a.constant >= 0 && *b.constant > 0)
    info.constant = isRemainder ? *a.constant % *b.constant : *a.constant / *b.constant;
  info.nonNegative = isRemainder ? a.nonNegative : a.nonNegative && b.nonNegative;
  return info;
}

/// x - x / n * n, which kernels write where they have the quotient anyway: it has the sign of x.
static bool isRemainder(arith::SubIOp subtraction) {
  Value dividend = subtraction.getLhs();
  auto product = subtraction.getRhs().getDefiningOp<arith::MulIOp>();
  auto isQuotient = [&](Value value, Value divisor) {
    Operation *division = value.getDefiningOp();
    return mlir::isa_and_nonnull<arith::DivSIOp, arith::DivUIOp>(division) &&
           division->getOperand(0) == dividend && division->getOperand(1) == divisor;
  };
  return product &&
         (isQuotient(product.getLhs(), product.getRhs()) || isQuotient(product.getRhs(), product.getLhs()));
}

/// x - x % n, down to a multiple of n, such as the rounds of a loop of which several are made one: the rest
/// of them begin there. It is no further from zero than x, and has its sign.
static bool isRoundedDown(arith::SubIOp subtraction) {
  Operation *remainder = subtraction.getRhs().getDefiningOp();
  return mlir::isa_and_nonnull<arith::RemSIOp, arith::RemUIOp>(remainder) &&
         remainder->getOperand(0) == subtraction.getLhs();
}

static AxisInfo constantLike(const AxisInfo &model, int64_t value) {
  AxisInfo info = model;
  info.constant = value;
  info.nonNegative = value >= 0;
  info.divisibility.assign(model.getRank(), powerOfTwoIn(value));
  return info;
}

static AxisInfo inferShift(Operation *op, const AxisInfo &a, const AxisInfo &b, bool left) {
  if (!b.constant || *b.constant < 0 || *b.constant > 31) {
    AxisInfo info = inferElementwise(op, {a, b});
    if (left)
      for (unsigned d = 0; d != info.getRank(); ++d)
        info.divisibility[d] = a.getDivisibilityOfRuns(d, 1);
    return info;
  }
  AxisInfo factor = constantLike(b, int64_t(1) << *b.constant);
  if (left)
    return inferProduct(op, a, factor);
  // Unlike a division, a shift to the right rounds down, so it never crosses zero badly.
  AxisInfo info = inferDivision(op, a, factor, /*isSigned=*/false, /*isRemainder=*/false);
  info.constant.reset();
  if (a.constant && *a.constant >= 0)
    info.constant = *a.constant >> *b.constant;
  return info;
}

static AxisInfo inferAnd(Operation *op, const AxisInfo &a, const AxisInfo &b) {
  // x & (2^k - 1) is a remainder that is never negative; x & -2^k clears low bits.
  const AxisInfo &mask = b.constant ? b : a, &value = b.constant ? a : b;
  AxisInfo info = inferElementwise(op, {a, b});
  if (mask.constant && *mask.constant > 0 && llvm::isPowerOf2_64(*mask.constant + 1)) {
    info = inferDivision(op, value, constantLike(mask, *mask.constant + 1), /*isSigned=*/false,
                         /*isRemainder=*/true);
    info.constant.reset();
    if (value.constant)
      info.constant = *value.constant & *mask.constant;
    info.nonNegative = true;
    return info;
  }
  if (a.constant && b.constant)
    info.constant = *a.constant & *b.constant;
  for (unsigned d = 0; d != info.getRank(); ++d) {
    info.divisibility[d] = std::max(a.getDivisibilityOfRuns(d, 1), b.getDivisibilityOfRuns(d, 1));
    if (mask.constant) {
      int64_t granule = powerOfTwoIn(*mask.constant);
      info.constancy[d] =
          std::max(info.constancy[d], std::min({value.contiguity[d], value.divisibility[d], granule}));
    }
  }
  info.nonNegative = a.nonNegative || b.nonNegative;
  return info;
}

static AxisInfo inferComparison(arith::CmpIOp op, const AxisInfo &a, const AxisInfo &b) {
  using Predicate = arith::CmpIPredicate;
  AxisInfo info = inferElementwise(op, {a, b});
  Predicate predicate = op.getPredicate();
  auto is = [&](std::initializer_list<Predicate> list) { return llvm::is_contained(list, predicate); };
  bool runOnLeft = is({Predicate::slt, Predicate::ult, Predicate::sge, Predicate::uge});
  bool runOnRight = is({Predicate::sgt, Predicate::ugt, Predicate::sle, Predicate::ule});
  for (unsigned d = 0; d != info.getRank(); ++d) {
    // x < c for x, x+1, …, x+k-1 with both x and c multiples of k: all or none. Likewise c > x.
    auto together = [&](const AxisInfo &run, const AxisInfo &bound) {
      return std::min(
          {run.contiguity[d], run.divisibility[d], bound.constancy[d], bound.getDivisibilityOfRuns(d, 1)});
    };
    int64_t length = runOnLeft ? together(a, b) : runOnRight ? together(b, a) : 1;
    info.constancy[d] = std::max(info.constancy[d], length);
  }
  info.nonNegative = true;
  return info;
}

static AxisInfo inferSelect(Operation *op, const AxisInfo &condition, const AxisInfo &a, const AxisInfo &b) {
  AxisInfo info = AxisInfo::join(a, b);
  bool scalarCondition = !mlir::isa<mlir::RankedTensorType>(op->getOperand(0).getType());
  for (unsigned d = 0; d != info.getRank(); ++d) {
    int64_t together = scalarCondition ? AxisInfo::maxDivisibility : condition.constancy[d];
    int64_t run = std::min({a.contiguity[d], b.contiguity[d], together});
    info.contiguity[d] = run;
    info.constancy[d] = std::min({a.constancy[d], b.constancy[d], together});
    info.divisibility[d] = std::min(a.getDivisibilityOfRuns(d, run), b.getDivisibilityOfRuns(d, run));
  }
  return info;
}

/// Minimum and maximum. Two aligned runs can't be told apart inside; only where both repeat does the result.
static AxisInfo inferMinMax(Operation *op, const AxisInfo &a, const AxisInfo &b, bool isMax) {
  AxisInfo info = inferElementwise(op, {a, b});
  for (unsigned d = 0; d != info.getRank(); ++d)
    info.divisibility[d] = std::min(a.getDivisibilityOfRuns(d, 1), b.getDivisibilityOfRuns(d, 1));
  if (a.constant && b.constant)
    info.constant = isMax ? std::max(*a.constant, *b.constant) : std::min(*a.constant, *b.constant);
  info.nonNegative = isMax ? a.nonNegative || b.nonNegative : a.nonNegative && b.nonNegative;
  return info;
}

static AxisInfo inferExpandDims(tt::ExpandDimsOp op, const AxisInfo &source) {
  AxisInfo info = source;
  unsigned axis = op.getAxis();
  info.contiguity.insert(info.contiguity.begin() + axis, 1);
  info.constancy.insert(info.constancy.begin() + axis, 1);
  info.divisibility.insert(info.divisibility.begin() + axis, source.getDivisibilityOfAll());
  return info;
}

static AxisInfo inferBroadcast(tt::BroadcastOp op, const AxisInfo &source) {
  AxisInfo info = source;
  auto from = getShape(op.getSrc()), to = getShape(op.getResult());
  for (unsigned d = 0; d != info.getRank(); ++d)
    if (from[d] != to[d])
      info.constancy[d] = to[d];
  return info;
}

static AxisInfo inferTrans(tt::TransOp op, const AxisInfo &source) {
  AxisInfo info = source;
  for (auto [to, from] : llvm::enumerate(op.getOrder())) {
    info.contiguity[to] = source.contiguity[from];
    info.constancy[to] = source.constancy[from];
    info.divisibility[to] = source.divisibility[from];
  }
  return info;
}

static AxisInfo inferReshape(Operation *op, const AxisInfo &source) {
  // What holds of every element survives any shape; so do runs along the last dimension, up to the shorter of
  // the two.
  AxisInfo info = AxisInfo::unknown(op->getResult(0));
  auto from = getShape(op->getOperand(0)), to = getShape(op->getResult(0));
  info.divisibility.assign(info.getRank(), source.getDivisibilityOfAll());
  int64_t common = std::min(from.back(), to.back());
  info.contiguity.back() = std::min(source.contiguity.back(), common);
  info.divisibility.back() = source.getDivisibilityOfRuns(source.getRank() - 1, info.contiguity.back());
  info.constancy.back() = std::min(source.constancy.back(), common);
  bool allEqual = llvm::equal(source.constancy, from);
  if (allEqual)
    info.constancy = to;
  info.constant = source.constant;
  info.nonNegative = source.nonNegative;
  return info;
}

AxisInfo inferAxisInfo(Operation *op, Operands in) {
  Value result = op->getResult(0);
  if (auto constant = mlir::dyn_cast<arith::ConstantOp>(op))
    return inferConstant(constant);
  if (auto range = mlir::dyn_cast<tt::MakeRangeOp>(op)) {
    AxisInfo info = AxisInfo::unknown(result);
    int64_t start = int32_t(range.getStart());
    info.contiguity[0] = powerOfTwoIn(getShape(result)[0]);
    info.divisibility[0] = powerOfTwoIn(start);
    info.nonNegative = start >= 0;
    return info;
  }
  if (mlir::isa<tt::GetProgramIdOp, tt::GetNumProgramsOp>(op)) {
    AxisInfo info = AxisInfo::unknown(1);
    info.nonNegative = true;
    return info;
  }
  if (mlir::isa<tt::SplatOp>(op))
    return splatOf(result, in[0].divisibility[0], in[0].constant, in[0].nonNegative);
  if (auto expand = mlir::dyn_cast<tt::ExpandDimsOp>(op))
    return inferExpandDims(expand, in[0]);
  if (auto broadcast = mlir::dyn_cast<tt::BroadcastOp>(op))
    return inferBroadcast(broadcast, in[0]);
  if (auto trans = mlir::dyn_cast<tt::TransOp>(op))
    return inferTrans(trans, in[0]);
  if (auto reshape = mlir::dyn_cast<tt::ReshapeOp>(op))
    return reshape.getAllowReorder() ? AxisInfo::unknown(result) : inferReshape(op, in[0]);
  if (op->getName().getStringRef() == "ttg.convert_layout" || mlir::isa<arith::IndexCastOp>(op))
    return in[0];
  if (mlir::isa<arith::ExtSIOp>(op)) {
    AxisInfo info = in[0];
    if (mlir::getElementTypeOrSelf(op->getOperand(0).getType()).isInteger(1)) { // true becomes -1
      info.constant.reset();
      info.nonNegative = false;
    }
    return info;
  }
  if (mlir::isa<arith::ExtUIOp>(op)) {
    AxisInfo info = in[0];
    if (!info.nonNegative && info.constant)
      info.constant.reset();
    info.nonNegative = true;
    return info;
  }
  if (mlir::isa<arith::TruncIOp>(op)) {
    AxisInfo info = in[0];
    info.nonNegative = false;
    info.constant.reset();
    return info;
  }
  if (auto add = mlir::dyn_cast<tt::AddPtrOp>(op)) {
    auto pointer = mlir::cast<tt::PointerType>(mlir::getElementTypeOrSelf(result.getType()));
    if (mlir::isa<mlir::RankedTensorType>(pointer.getPointeeType()))
      return AxisInfo::unknown(result);
    return inferSum(op, in[0], in[1], getBytesOfPointee(pointer), false);
  }
  if (mlir::isa<arith::AddIOp>(op))
    return inferSum(op, in[0], in[1], 1, false);
  if (auto subtraction = mlir::dyn_cast<arith::SubIOp>(op)) {
    AxisInfo info = inferSum(op, in[0], in[1], 1, true);
    info.nonNegative |= (isRemainder(subtraction) || isRoundedDown(subtraction)) && in[0].nonNegative;
    return info;
  }
  if (mlir::isa<arith::MulIOp>(op))
    return inferProduct(op, in[0], in[1]);
  if (mlir::isa<arith::DivSIOp, arith::DivUIOp>(op))
    return inferDivision(op, in[0], in[1], mlir::isa<arith::DivSIOp>(op), false);
  if (mlir::isa<arith::RemSIOp, arith::RemUIOp>(op))
    return inferDivision(op, in[0], in[1], mlir::isa<arith::RemSIOp>(op), true);
  if (mlir::isa<arith::ShLIOp>(op))
    return inferShift(op, in[0], in[1], true);
  if (mlir::isa<arith::ShRSIOp, arith::ShRUIOp>(op))
    return inferShift(op, in[0], in[1], false);
  if (mlir::isa<arith::AndIOp>(op))
    return inferAnd(op, in[0], in[1]);
  if (mlir::isa<arith::OrIOp, arith::XOrIOp>(op)) {
    AxisInfo info = inferMinMax(op, in[0], in[1], false);
    info.constant.reset();
    return info;
  }
  if (mlir::isa<arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp>(op)) {
    AxisInfo info = inferMinMax(op, in[0], in[1], mlir::isa<arith::MaxSIOp, arith::MaxUIOp>(op));
    if (mlir::isa<arith::MinUIOp, arith::MaxUIOp>(op)) {
      info.constant.reset();
      info.nonNegative = in[0].nonNegative && in[1].nonNegative;
    }
    return info;
  }
  if (auto compare = mlir::dyn_cast<arith::CmpIOp>(op))
    return inferComparison(compare, in[0], in[1]);
  if (mlir::isa<arith::SelectOp>(op))
    return inferSelect(op, in[0], in[1], in[2]);
  if (mlir::isa<tt::BitcastOp>(op) &&
      mlir::isa<tt::PointerType>(mlir::getElementTypeOrSelf(result.getType()))) {
    // Same addresses, and consecutive elements still where they take as many bytes as before: booleans are
    // stored as bytes, and read through pointers to i8. Elements of another size are not.
    AxisInfo info = in[0];
    if (getBytesOfPointee(result.getType()) == getBytesOfPointee(op->getOperand(0).getType()))
      return info;
    for (unsigned d = 0; d != info.getRank(); ++d) {
      info.divisibility[d] = in[0].getDivisibilityOfRuns(d, 1);
      info.contiguity[d] = 1;
    }
    return info;
  }
  bool isPerElement = op->hasTrait<mlir::OpTrait::Elementwise>() || mlir::isa<tt::LoadOp>(op);
  if (isPerElement && llvm::all_of(op->getOperands(), [&](Value operand) {
        return !mlir::isa<tt::PointerType>(operand.getType()) ||
               !mlir::isa<mlir::RankedTensorType>(result.getType());
      }))
    return inferElementwise(op, in);
  return AxisInfo::unknown(result);
}

} // namespace nereid
