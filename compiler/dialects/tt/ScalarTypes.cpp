// One switch over the language's number types.
#include "compiler/dialects/tt/ScalarTypes.h"

#include "mlir/IR/BuiltinTypes.h"

namespace nereid::tt {

mlir::Type getScalarType(ScalarKind kind, mlir::MLIRContext *context) {
  if (isInteger(kind))
    return mlir::IntegerType::get(context, getScalarBits(kind));
  switch (kind) {
  case ScalarKind::FP8E4NV:
    return mlir::Float8E4M3FNType::get(context);
  case ScalarKind::FP8E4B8:
    return mlir::Float8E4M3FNUZType::get(context);
  case ScalarKind::FP8E5:
    return mlir::Float8E5M2Type::get(context);
  case ScalarKind::FP8E5B16:
    return mlir::Float8E5M2FNUZType::get(context);
  case ScalarKind::FP16:
    return mlir::Float16Type::get(context);
  case ScalarKind::BF16:
    return mlir::BFloat16Type::get(context);
  case ScalarKind::FP64:
    return mlir::Float64Type::get(context);
  case ScalarKind::FP8E4B15:
    // Its bits travel in an integer, as in upstream.
    return mlir::IntegerType::get(context, 8);
  default:
    return mlir::Float32Type::get(context);
  }
}

} // namespace nereid::tt
