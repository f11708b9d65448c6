// Which layout the result of a shape operation has, given its operand's, and whether a layout fits a tensor:
// what tt asks of the dialect that owns layouts. The result's layout always keeps every element in the
// register and thread where it was, so that the operation itself moves nothing.
#ifndef NEREID_COMPILER_DIALECTS_TTG_LAYOUTINFERENCE_H
#define NEREID_COMPILER_DIALECTS_TTG_LAYOUTINFERENCE_H

#include "compiler/dialects/tt/LayoutInterface.h"

namespace nereid::ttg {

class TTGLayoutInterface : public tt::LayoutInterface {
public:
  using tt::LayoutInterface::LayoutInterface;

  mlir::FailureOr<mlir::Attribute> inferReduce(mlir::Attribute layout, unsigned axis,
                                               OptionalLocation location) const override;
  mlir::FailureOr<mlir::Attribute> inferExpandDims(mlir::Attribute layout, unsigned axis,
                                                   OptionalLocation location) const override;
  mlir::FailureOr<mlir::Attribute> inferTrans(mlir::Attribute layout, ShapeRef shape,
                                              llvm::ArrayRef<int32_t> order,
                                              OptionalLocation location) const override;
  mlir::FailureOr<mlir::Attribute> inferJoin(mlir::Attribute layout, ShapeRef shape,
                                             OptionalLocation location) const override;
  mlir::FailureOr<mlir::Attribute> inferSplit(mlir::Attribute layout, ShapeRef shape,
                                              OptionalLocation location) const override;
  bool areEquivalent(ShapeRef shape, mlir::Attribute a, mlir::Attribute b) const override;
  mlir::LogicalResult verifyTensor(mlir::RankedTensorType type, mlir::Operation *op,
                                   llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const override;
  mlir::LogicalResult verifyDot(mlir::Attribute a, mlir::Attribute b, mlir::Attribute result,
                                mlir::Operation *op) const override;
};

} // namespace nereid::ttg

#endif // NEREID_COMPILER_DIALECTS_TTG_LAYOUTINFERENCE_H
