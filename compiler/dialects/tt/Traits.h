// What many tt operations demand of their types, each check written once: sizes of tensors, and which
// operands and results must agree in shape, layout or element type. Every check names the operand that breaks
// the rule.
#ifndef NEREID_COMPILER_DIALECTS_TT_TRAITS_H
#define NEREID_COMPILER_DIALECTS_TT_TRAITS_H

#include "mlir/IR/OpDefinition.h"

namespace nereid::tt {

/// The most elements that a tensor may have, as upstream has it.
constexpr int64_t maxTensorElements = 1048576;

namespace detail {
mlir::LogicalResult verifyTensorSizes(mlir::Operation *op);
mlir::LogicalResult verifyTensorLayouts(mlir::Operation *op);
/// `mixScalars`: scalars may stand among tensors. `resultsToo`: the rule covers the results.
mlir::LogicalResult verifySameShapeAndLayout(mlir::Operation *op, bool mixScalars, bool resultsToo);
mlir::LogicalResult verifySameElementType(mlir::Operation *op);
} // namespace detail

template <typename ConcreteType>
struct TensorSizeTrait : mlir::OpTrait::TraitBase<ConcreteType, TensorSizeTrait> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return detail::verifyTensorSizes(op); }
};

template <typename ConcreteType>
struct VerifyTensorLayoutsTrait : mlir::OpTrait::TraitBase<ConcreteType, VerifyTensorLayoutsTrait> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return detail::verifyTensorLayouts(op); }
};

template <typename ConcreteType>
struct SameShapeAndLayoutTrait : mlir::OpTrait::TraitBase<ConcreteType, SameShapeAndLayoutTrait> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifySameShapeAndLayout(op, /*mixScalars=*/false, /*resultsToo=*/true);
  }
};

template <typename ConcreteType>
struct SameTensorShapeAndLayoutTrait : mlir::OpTrait::TraitBase<ConcreteType, SameTensorShapeAndLayoutTrait> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifySameShapeAndLayout(op, /*mixScalars=*/true, /*resultsToo=*/true);
  }
};

template <typename ConcreteType>
struct SameOperandShapeAndLayoutTrait
    : mlir::OpTrait::TraitBase<ConcreteType, SameOperandShapeAndLayoutTrait> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifySameShapeAndLayout(op, /*mixScalars=*/false, /*resultsToo=*/false);
  }
};

template <typename ConcreteType>
struct SameElementTypeTrait : mlir::OpTrait::TraitBase<ConcreteType, SameElementTypeTrait> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return detail::verifySameElementType(op); }
};

/// Marks matrix products, so that passes can treat them alike.
template <typename ConcreteType> struct DotLike : mlir::OpTrait::TraitBase<ConcreteType, DotLike> {};

} // namespace nereid::tt

#endif // NEREID_COMPILER_DIALECTS_TT_TRAITS_H
