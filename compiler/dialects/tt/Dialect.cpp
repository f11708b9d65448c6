// Registration of the tt dialect, and its generated enumerations.
#include "compiler/dialects/tt/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/InliningUtils.h"

#include "compiler/dialects/tt/Dialect.cpp.inc"
#include "compiler/dialects/tt/Enums.cpp.inc"

using namespace mlir;

namespace nereid::tt {

namespace {

// Everything in tt may be inlined, except calls that the author marked noinline.
struct TTInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *callable, bool) const final {
    auto noinline = callable->getAttrOfType<BoolAttr>("noinline");
    return !noinline || !noinline.getValue();
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }

  void handleTerminator(Operation *op, Block *newDest) const final {
    if (!isa<ReturnOp>(op))
      return;
    OpBuilder builder(op);
    cf::BranchOp::create(builder, op->getLoc(), newDest, op->getOperands());
    op->erase();
  }
  void handleTerminator(Operation *op, ValueRange valuesToReplace) const final {
    for (auto [old, value] : llvm::zip(valuesToReplace, op->getOperands()))
      old.replaceAllUsesWith(value);
  }
};

} // namespace

void TTDialect::initialize() {
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "compiler/dialects/tt/ProgramOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/dialects/tt/ElementwiseOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/dialects/tt/ShapeOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/dialects/tt/MemoryOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/dialects/tt/ComputeOps.cpp.inc"
      >();
  addInterfaces<TTInlinerInterface>();
}

Operation *TTDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location location) {
  return arith::ConstantOp::materialize(builder, value, type, location);
}

} // namespace nereid::tt
