// The checks behind the traits in Traits.h.
#include "compiler/dialects/tt/Traits.h"

#include "compiler/dialects/tt/Dialect.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::tt {

namespace {

// "operand 2" or "result 0", for messages.
struct ValueName {
  bool isResult;
  unsigned index;
};

InFlightDiagnostic &operator<<(InFlightDiagnostic &diagnostic, ValueName name) {
  return diagnostic << (name.isResult ? "result " : "operand ") << name.index;
}

// The types of operands, then of results, each with its name; stops at the first failure.
LogicalResult forEachType(Operation *op, bool resultsToo,
                          function_ref<LogicalResult(ValueName, Type)> check) {
  for (auto [index, type] : llvm::enumerate(op->getOperandTypes()))
    if (failed(check({false, unsigned(index)}, type)))
      return failure();
  if (resultsToo)
    for (auto [index, type] : llvm::enumerate(op->getResultTypes()))
      if (failed(check({true, unsigned(index)}, type)))
        return failure();
  return success();
}

// The tensor that a type is or, for a block pointer, points to; null for scalars.
RankedTensorType tensorOf(Type type) {
  if (auto pointer = dyn_cast<PointerType>(type))
    type = pointer.getPointeeType();
  return dyn_cast<RankedTensorType>(type);
}

} // namespace

LogicalResult detail::verifyTensorSizes(Operation *op) {
  return forEachType(op, /*resultsToo=*/true, [&](ValueName name, Type type) -> LogicalResult {
    auto tensor = tensorOf(type);
    if (!tensor)
      return success();
    if (!tensor.hasStaticShape()) {
      auto diagnostic = op->emitOpError("needs sizes known at compile time, but ");
      return diagnostic << name << " has type " << type;
    }
    uint64_t elements = 1;
    for (int64_t size : tensor.getShape()) {
      if (size <= 0 || !llvm::isPowerOf2_64(size)) {
        auto diagnostic = op->emitOpError("needs tensors whose sizes are powers of two, but ");
        return diagnostic << name << " has type " << type;
      }
      elements = llvm::SaturatingMultiply(elements, uint64_t(size));
    }
    if (elements > uint64_t(maxTensorElements)) {
      auto diagnostic = op->emitOpError("needs tensors of at most ");
      return diagnostic << maxTensorElements << " elements, but " << name << " has " << elements;
    }
    return success();
  });
}

LogicalResult detail::verifyTensorLayouts(Operation *op) {
  return forEachType(op, /*resultsToo=*/true, [&](ValueName name, Type type) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.getEncoding())
      return success();
    auto *layouts = getLayoutInterface(tensor.getEncoding());
    if (!layouts)
      return success();
    return layouts->verifyTensor(tensor, op, [&] {
      auto diagnostic = op->emitOpError("has ");
      diagnostic << name << " whose layout does not fit: ";
      return diagnostic;
    });
  });
}

LogicalResult detail::verifySameShapeAndLayout(Operation *op, bool mixScalars, bool resultsToo) {
  std::optional<std::pair<ValueName, Type>> first;
  return forEachType(op, resultsToo, [&](ValueName name, Type type) -> LogicalResult {
    auto tensor = tensorOf(type);
    if (!tensor && mixScalars)
      return success();
    if (!first) {
      first = {name, type};
      return success();
    }
    auto expected = tensorOf(first->second);
    const char *difference = nullptr;
    if (bool(tensor) != bool(expected))
      difference = "all scalars or all tensors";
    else if (tensor && tensor.getShape() != expected.getShape())
      difference = "of one shape";
    else if (tensor && tensor.getEncoding() != expected.getEncoding())
      difference = "of one layout";
    if (!difference)
      return success();
    auto diagnostic = op->emitOpError(resultsToo ? "needs operands and results " : "needs operands ");
    return diagnostic << difference << ", but " << first->first << " has type " << first->second << " and "
                      << name << " has type " << type;
  });
}

LogicalResult detail::verifySameElementType(Operation *op) {
  std::optional<std::pair<ValueName, Type>> first;
  return forEachType(op, /*resultsToo=*/true, [&](ValueName name, Type type) -> LogicalResult {
    if (!first) {
      first = {name, type};
      return success();
    }
    if (getElementTypeOrSelf(type) == getElementTypeOrSelf(first->second))
      return success();
    auto diagnostic = op->emitOpError("needs one element type, but ");
    return diagnostic << first->first << " has type " << first->second << " and " << name << " has type "
                      << type;
  });
}

bool areTypesEquivalent(TypeRange lhs, TypeRange rhs) {
  if (lhs.size() != rhs.size())
    return false;
  for (auto [a, b] : llvm::zip(lhs, rhs)) {
    if (a == b)
      continue;
    auto tensorA = dyn_cast<RankedTensorType>(a), tensorB = dyn_cast<RankedTensorType>(b);
    if (!tensorA || !tensorB || tensorA.getShape() != tensorB.getShape() ||
        tensorA.getElementType() != tensorB.getElementType())
      return false;
    Attribute layoutA = tensorA.getEncoding(), layoutB = tensorB.getEncoding();
    auto *layouts = getLayoutInterface(layoutA);
    if (!layouts || !layoutB || !layouts->areEquivalent(tensorA.getShape(), layoutA, layoutB))
      return false;
  }
  return true;
}

} // namespace nereid::tt
