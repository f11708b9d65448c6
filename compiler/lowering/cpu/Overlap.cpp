// Pointers that start from different arguments are taken to be apart. Within one array, rows of equal steps
// that begin at a known distance are compared exactly; all else may overlap.
#include "compiler/lowering/cpu/Overlap.h"

#include "compiler/lowering/cpu/Strides.h"

#include "compiler/dialects/tt/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace llvm;

namespace nereid::cpu {

/// The pointer that the addresses are counted from: an argument of the function, or what some other operation
/// gives.
static mlir::Value getBase(mlir::Value pointer) {
  for (;;) {
    if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(pointer)) {
      auto loop = mlir::dyn_cast<mlir::scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop || argument == loop.getInductionVar())
        return pointer;
      pointer = loop.getTiedLoopInit(argument)->get();
      continue;
    }
    mlir::Operation *op = pointer.getDefiningOp();
    if (!mlir::isa<tt::AddPtrOp, tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::ReshapeOp, tt::TransOp,
                   tt::BitcastOp>(op))
      return pointer;
    pointer = op->getOperand(0);
  }
}

namespace {

/// Addresses as `pointer + offset + constant`, where the offset may be missing.
struct Address {
  mlir::Value pointer, offset;
  int64_t constant = 0;
};

} // namespace

/// Takes the constants off a chain of additions to a pointer; gives what is left.
static mlir::Value peel(mlir::Value pointer, int64_t &constant) {
  while (auto add = pointer.getDefiningOp<tt::AddPtrOp>()) {
    auto number = getConstantInteger(add.getOffset());
    if (!number)
      break;
    constant += *number;
    pointer = add.getPtr();
  }
  return pointer;
}

static Address getAddress(mlir::Value pointer) {
  Address address;
  address.pointer = peel(pointer, address.constant);
  if (auto add = address.pointer.getDefiningOp<tt::AddPtrOp>()) {
    address.pointer = peel(add.getPtr(), address.constant);
    address.offset = add.getOffset();
  }
  if (auto splat = address.pointer.getDefiningOp<tt::SplatOp>())
    address.pointer = peel(splat.getSrc(), address.constant);
  while (address.offset) {
    auto sum = address.offset.getDefiningOp<mlir::arith::AddIOp>();
    auto constant = sum ? getConstantInteger(sum.getRhs()) : std::nullopt;
    if (!constant)
      break;
    address.constant += *constant;
    address.offset = sum.getLhs();
  }
  return address;
}

bool mayOverlap(mlir::Value first, mlir::Value second) {
  if (first == second || getBase(first) != getBase(second))
    return false;
  // Rows of equal steps that begin at a known distance.
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(first.getType());
  if (!type || first.getType() != second.getType() || type.getRank() != 1)
    return true;
  Address a = getAddress(first), b = getAddress(second);
  if (a.pointer != b.pointer || a.offset != b.offset)
    return true;
  int64_t distance = b.constant - a.constant;
  auto stride = Strides([](mlir::Value) { return false; }).getLaneStride(first, {1}, type.getNumElements());
  if (distance == 0)
    return false;
  if (!stride)
    return true;
  return *stride != 0 && distance % *stride == 0 && std::abs(distance / *stride) < type.getNumElements();
}

} // namespace nereid::cpu
