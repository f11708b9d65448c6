// See ProductParts.h. What is left out is below the last bit of f32's products for bf16x6, and a few of its
// last bits for the others.
#include "compiler/transforms/ProductParts.h"

#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/transforms/LayoutPropagation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

namespace nereid {

namespace arith = mlir::arith;
using mlir::OpBuilder;
using mlir::RankedTensorType;
using mlir::Value;

std::optional<ProductParts> getProductParts(tt::DotOp dot) {
  using Products = llvm::ArrayRef<std::pair<unsigned, unsigned>>;
  static constexpr std::pair<unsigned, unsigned> ofTwo[] = {{1, 0}, {0, 1}, {0, 0}};
  static constexpr std::pair<unsigned, unsigned> ofThree[] = {{1, 1}, {2, 0}, {0, 2}, {1, 0}, {0, 1}, {0, 0}};
  for (Value factor : {dot.getA(), dot.getB()})
    if (!mlir::cast<RankedTensorType>(factor.getType()).getElementType().isF32())
      return std::nullopt;
  mlir::MLIRContext *context = dot.getContext();
  switch (dot.getInputPrecision()) {
  case tt::InputPrecision::TF32:
  case tt::InputPrecision::IEEE:
    return std::nullopt;
  case tt::InputPrecision::TF32x3:
    return ProductParts{mlir::Float32Type::get(context), 2, Products(ofTwo)};
  case tt::InputPrecision::BF16x3:
    return ProductParts{mlir::BFloat16Type::get(context), 2, Products(ofTwo)};
  case tt::InputPrecision::BF16x6:
    return ProductParts{mlir::BFloat16Type::get(context), 3, Products(ofThree)};
  }
  llvm_unreachable("every precision is listed above");
}

llvm::SmallVector<Value, 3> splitFactor(OpBuilder &builder, mlir::Location location, Value factor,
                                        const ProductParts &parts) {
  RankedTensorType type = mlir::cast<RankedTensorType>(factor.getType()).clone(parts.element);
  llvm::SmallVector<Value, 3> split;
  for (unsigned part = 0; part != parts.count; ++part)
    split.push_back(ttg::FactorPartOp::create(builder, location, type, factor, part));
  return split;
}

static Value makeConstant(OpBuilder &builder, mlir::Location location, RankedTensorType type, double value) {
  mlir::Attribute number = builder.getFloatAttr(type.getElementType(), value);
  return arith::ConstantOp::create(builder, location, mlir::DenseElementsAttr::get(type, number));
}

Value addPartProducts(OpBuilder &builder, mlir::Location location, const ProductParts &parts, Value sum,
                      llvm::function_ref<Value(unsigned left, unsigned right, Value sum)> multiply) {
  auto type = mlir::cast<RankedTensorType>(sum.getType());
  Value zero = makeConstant(builder, location, type, 0), total = zero;
  for (auto [left, right] : parts.products.drop_back())
    total = multiply(left, right, total);
  Value infinity = makeConstant(builder, location, type, HUGE_VAL);
  Value magnitude = mlir::math::AbsFOp::create(builder, location, total);
  Value isFinite = arith::CmpFOp::create(builder, location, arith::CmpFPredicate::OLT, magnitude, infinity);
  total = arith::SelectOp::create(builder, location, isFinite, total, zero);
  auto [left, right] = parts.products.back();
  total = multiply(left, right, total);
  if (mlir::matchPattern(withoutConversion(sum), mlir::m_AnyZeroFloat()))
    return total;
  return arith::AddFOp::create(builder, location, sum, total);
}

} // namespace nereid
