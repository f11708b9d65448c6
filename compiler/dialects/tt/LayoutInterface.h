// What tt asks of the dialect that owns a tensor's layout (its encoding attribute). tt itself knows no
// layouts: its operations carry whatever encodings their types have, and ask here which layout a result gets
// from an operand's, and whether a layout fits. Tensors without an encoding, as in fresh tt IR, never come
// here.
#ifndef NEREID_COMPILER_DIALECTS_TT_LAYOUTINTERFACE_H
#define NEREID_COMPILER_DIALECTS_TT_LAYOUTINTERFACE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectInterface.h"

#include <optional>

namespace nereid::tt {

class LayoutInterface : public mlir::DialectInterface::Base<LayoutInterface> {
public:
  explicit LayoutInterface(mlir::Dialect *dialect) : Base(dialect) {}

  using ShapeRef = llvm::ArrayRef<int64_t>;
  using OptionalLocation = std::optional<mlir::Location>;

  /// Layouts of results, from the layout and shape of the operand. Failure comes with a message at
  /// `location`.
  virtual mlir::FailureOr<mlir::Attribute> inferReduce(mlir::Attribute layout, unsigned axis,
                                                       OptionalLocation location) const = 0;
  virtual mlir::FailureOr<mlir::Attribute> inferExpandDims(mlir::Attribute layout, unsigned axis,
                                                           OptionalLocation location) const = 0;
  virtual mlir::FailureOr<mlir::Attribute> inferTrans(mlir::Attribute layout, ShapeRef shape,
                                                      llvm::ArrayRef<int32_t> order,
                                                      OptionalLocation location) const = 0;
  virtual mlir::FailureOr<mlir::Attribute> inferJoin(mlir::Attribute layout, ShapeRef shape,
                                                     OptionalLocation location) const = 0;
  virtual mlir::FailureOr<mlir::Attribute> inferSplit(mlir::Attribute layout, ShapeRef shape,
                                                      OptionalLocation location) const = 0;

  /// Whether two layouts place the elements of a tensor of this shape alike.
  virtual bool areEquivalent(ShapeRef shape, mlir::Attribute a, mlir::Attribute b) const { return a == b; }

  /// Whether a value of `op` may have this type; the reason why not goes to `emitError`.
  virtual mlir::LogicalResult
  verifyTensor(mlir::RankedTensorType type, mlir::Operation *op,
               llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const = 0;

  /// Whether a product may have operands and result of these layouts.
  virtual mlir::LogicalResult verifyDot(mlir::Attribute a, mlir::Attribute b, mlir::Attribute result,
                                        mlir::Operation *op) const = 0;
};

/// The interface of the dialect that `encoding` belongs to, or null.
inline const LayoutInterface *getLayoutInterface(mlir::Attribute encoding) {
  return encoding ? encoding.getDialect().getRegisteredInterface<LayoutInterface>() : nullptr;
}

/// Whether two lists of types are the same up to layouts that place elements alike.
bool areTypesEquivalent(mlir::TypeRange lhs, mlir::TypeRange rhs);

} // namespace nereid::tt

#endif // NEREID_COMPILER_DIALECTS_TT_LAYOUTINTERFACE_H
