// The check that an operation's results have the types that follow from its operands. Operations call it from
// verify(), which runs before MLIR's own check of the same, whose message does not say what was expected of
// whom.
#ifndef NEREID_COMPILER_DIALECTS_TT_RESULTTYPES_H
#define NEREID_COMPILER_DIALECTS_TT_RESULTTYPES_H

#include "compiler/dialects/tt/LayoutInterface.h"

namespace nereid::tt {

template <typename Op> mlir::LogicalResult verifyResultTypes(Op op) {
  llvm::SmallVector<mlir::Type> inferred;
  mlir::Operation *operation = op;
  if (failed(Op::inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(),
                                  operation->getRawDictionaryAttrs(), operation->getPropertiesStorage(),
                                  op->getRegions(), inferred)))
    return mlir::failure();
  if (areTypesEquivalent(inferred, op->getResultTypes()))
    return mlir::success();
  return op->emitOpError("gives ") << inferred << ", but is written to give " << op->getResultTypes();
}

} // namespace nereid::tt

#endif // NEREID_COMPILER_DIALECTS_TT_RESULTTYPES_H
