// One rule for each kind of operation, from an address down to what it is computed from. See AddressSteps.h.
#include "compiler/transforms/AddressSteps.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/ttg/Dialect.h"

#include <cmath>

namespace nereid {

namespace arith = mlir::arith;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

/// The distance of neighbours that have nothing to do with one another: beyond all products of strides, also
/// when divided by some.
constexpr double anywhere = 1e30;
/// Of neighbours whose addresses are on average no further apart, nearly all are the same one.
constexpr double seldom = 1.0 / 16;

double AddressSteps::get(Value value, unsigned d) {
  auto type = mlir::dyn_cast<RankedTensorType>(value.getType());
  if (d < firstGridAxis && (!type || type.getDimSize(d) == 1))
    return 0;
  // What leads back to itself, through a loop, adds nothing.
  auto [found, isNew] = known.try_emplace({value, d}, 0);
  if (!isNew)
    return found->second;
  double step = compute(value, d);
  known[{value, d}] = step;
  return step;
}

bool AddressSteps::areAnywhere(Value value, unsigned d) { return get(value, d) >= std::sqrt(anywhere); }

double AddressSteps::ofOperands(Operation *op, unsigned d) {
  double step = 0;
  for (Value operand : op->getOperands())
    step = std::max(step, get(operand, d));
  return step;
}

/// What one factor multiplies the other's steps by: a number that is the same along the axis, or one of many.
double AddressSteps::getFactor(Value value, unsigned d) const {
  AxisInfo info = axes.get(value);
  if (info.constant)
    return std::abs(double(*info.constant));
  int64_t divisor = d < firstGridAxis ? info.getDivisibilityOfRuns(d, 1) : info.getDivisibilityOfAll();
  return unknownNumber * std::min<int64_t>(16, divisor);
}

double AddressSteps::compute(Value value, unsigned d) {
  bool isOfPrograms = d >= firstGridAxis;
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(parent)) {
      if (mlir::OpOperand *init = loop.getTiedLoopInit(argument))
        return get(init->get(), d);
      return get(loop.getLowerBound(), d);
    }
    return isOfPrograms && mlir::isa<tt::FuncOp>(parent) ? 0 : anywhere;
  }
  Operation *op = value.getDefiningOp();
  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op))
    return get(loop.getInits()[mlir::cast<mlir::OpResult>(value).getResultNumber()], d);
  if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op)) {
    unsigned number = mlir::cast<mlir::OpResult>(value).getResultNumber();
    return std::max(get(branch.thenYield().getOperand(number), d),
                    get(branch.elseYield().getOperand(number), d));
  }
  if (auto program = mlir::dyn_cast<tt::GetProgramIdOp>(op))
    return unsigned(program.getAxis()) + firstGridAxis == d;
  if (mlir::isa<tt::MakeRangeOp>(op))
    return !isOfPrograms;
  if (auto constant = mlir::dyn_cast<arith::ConstantOp>(op))
    return isOfPrograms || mlir::isa<mlir::SplatElementsAttr>(constant.getValue()) ? 0 : anywhere;
  if (mlir::isa<tt::GetNumProgramsOp>(op))
    return 0;
  if (mlir::isa<tt::SplatOp>(op))
    return isOfPrograms ? get(op->getOperand(0), d) : 0;
  if (auto expand = mlir::dyn_cast<tt::ExpandDimsOp>(op))
    return get(expand.getSrc(), isOfPrograms ? d : d - (d > expand.getAxis()));
  if (auto broadcast = mlir::dyn_cast<tt::BroadcastOp>(op))
    return get(broadcast.getSrc(), d);
  if (auto trans = mlir::dyn_cast<tt::TransOp>(op))
    return get(trans.getSrc(), isOfPrograms ? d : trans.getOrder()[d]);
  if (mlir::isa<arith::MulIOp>(op)) {
    double step = 0;
    for (unsigned i : {0, 1}) {
      double factor = get(op->getOperand(i), d);
      // Of programs, only the next few count.
      if (!isOfPrograms || factor > seldom)
        step = std::max(step, factor * getFactor(op->getOperand(1 - i), d));
    }
    return step;
  }
  if (mlir::isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op)) {
    AxisInfo amount = axes.get(op->getOperand(1));
    double factor = amount.constant ? std::ldexp(1, std::min<int64_t>(*amount.constant, 63)) : unknownNumber;
    double step = get(op->getOperand(0), d);
    return mlir::isa<arith::ShLIOp>(op) ? step * factor : step / factor;
  }
  if (mlir::isa<arith::DivSIOp, arith::DivUIOp>(op))
    return get(op->getOperand(0), d) / std::max(1.0, getFactor(op->getOperand(1), d));
  if (mlir::isa<arith::RemSIOp, arith::RemUIOp>(op))
    return get(op->getOperand(0), d);
  if (mlir::isa<arith::SelectOp>(op))
    return std::max(get(op->getOperand(1), d), get(op->getOperand(2), d));
  // What is loaded says nothing of its neighbours, unless most of them are loaded from one address. The last
  // ones that a mask leaves out do not count.
  if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
    return get(load.getPtr(), d) <= seldom ? 0 : anywhere;
  // Sums, extensions, minima and the like are as far apart as what they are computed from.
  bool followsOperands = op->hasTrait<mlir::OpTrait::Elementwise>() || mlir::isa<ttg::ConvertLayoutOp>(op);
  return followsOperands ? ofOperands(op, d) : anywhere;
}

} // namespace nereid
