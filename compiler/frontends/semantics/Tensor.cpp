// The IR's types of pointers, blocks and descriptors.
#include "compiler/frontends/semantics/Tensor.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/tt/ScalarTypes.h"

namespace nereid::semantics {

mlir::Type toMLIR(const Type &type, mlir::MLIRContext *context) {
  switch (type.getKind()) {
  case Type::Kind::Void:
    return mlir::NoneType::get(context);
  case Type::Kind::Pointer:
    return tt::PointerType::get(toMLIR(type.getElement(), context), 1);
  case Type::Kind::Block:
    return mlir::RankedTensorType::get(type.getShape(), toMLIR(type.getElement(), context));
  case Type::Kind::Descriptor: {
    const Type &block = type.getElement();
    return tt::TensorDescType::get(context, mlir::cast<mlir::RankedTensorType>(toMLIR(block, context)),
                                   block.getScalar().isSignedInteger());
  }
  case Type::Kind::Scalar:
    break;
  }
  return tt::getScalarType(type.getScalarKind(), context);
}

} // namespace nereid::semantics
