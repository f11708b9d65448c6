// Turns scaled products into ordinary ones, whatever the target.
//
// In tt.dot_scaled each run of 32 elements along the reduced axis shares a scale 2^(s - 127), s a byte.
// Elements of 4 bits come in pairs, the lower half first. The left operand of a product [M, K] x [K, N] has
// its scales as [M, K/32], the right one as [N, K/32]. Both operands are unpacked and scaled in float, and
// multiplied like any others: a value and its scale are exact in float, so the products are at least as exact
// as on GPUs.
#include "compiler/transforms/RewriteScaledProducts.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace nereid {

namespace {

using mlir::Value;

class Expander {
public:
  Expander(mlir::OpBuilder &b, mlir::Location location) : b(b), location(location) {}

  /// The operand as float, with `reduced` its axis that is summed over.
  Value expand(Value operand, Value scale, tt::ScaleDotElemType kind, bool packedAlongReduced,
               unsigned reduced);

private:
  mlir::RankedTensorType typeOf(Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()); }
  Value integers(Value like, int64_t value) {
    auto type = typeOf(like);
    return mlir::arith::ConstantOp::create(
        b, location, mlir::DenseElementsAttr::get(type, b.getIntegerAttr(type.getElementType(), value)));
  }
  Value floats(Value like, llvm::APFloat value) {
    auto type = typeOf(like);
    return mlir::arith::ConstantOp::create(
        b, location, mlir::DenseElementsAttr::get(type, b.getFloatAttr(type.getElementType(), value)));
  }
  Value reshape(Value value, llvm::ArrayRef<int64_t> shape) {
    return tt::ReshapeOp::create(b, location, typeOf(value).clone(shape), value, mlir::UnitAttr(),
                                 mlir::UnitAttr());
  }
  Value transpose(Value value, llvm::ArrayRef<int32_t> order) {
    llvm::SmallVector<int64_t> shape;
    for (int32_t axis : order)
      shape.push_back(typeOf(value).getDimSize(axis));
    return tt::TransOp::create(b, location, typeOf(value).clone(shape), value, b.getDenseI32ArrayAttr(order));
  }
  Value unpack(Value pairs, unsigned axis);
  Value decodeE2M1(Value nibbles);
  Value decodeScale(Value scale);

  mlir::OpBuilder &b;
  mlir::Location location;
};

/// Bytes to pairs of 4-bit numbers, as i32, next to each other along the axis.
Value Expander::unpack(Value pairs, unsigned axis) {
  auto type = typeOf(pairs).clone(b.getI32Type());
  Value wide = mlir::arith::ExtUIOp::create(b, location, type, pairs);
  Value low = mlir::arith::AndIOp::create(b, location, wide, integers(wide, 15));
  Value high = mlir::arith::ShRUIOp::create(b, location, wide, integers(wide, 4));
  llvm::SmallVector<int64_t> joined(type.getShape()), shape(type.getShape());
  joined.push_back(2);
  shape[axis] *= 2;
  Value both = tt::JoinOp::create(b, location, type.clone(joined), low, high);
  if (axis == 0)
    both = transpose(both, {0, 2, 1});
  return reshape(both, shape);
}

/// Sign, two bits of exponent, one of fraction: placed where float has them, then corrected for its larger
/// bias.
Value Expander::decodeE2M1(Value nibbles) {
  auto floatType = typeOf(nibbles).clone(b.getF32Type());
  Value magnitude = mlir::arith::AndIOp::create(b, location, nibbles, integers(nibbles, 7));
  magnitude = mlir::arith::ShLIOp::create(b, location, magnitude, integers(nibbles, 22));
  Value sign = mlir::arith::ShRUIOp::create(b, location, nibbles, integers(nibbles, 3));
  sign = mlir::arith::ShLIOp::create(b, location, sign, integers(nibbles, 31));
  Value bits = mlir::arith::OrIOp::create(b, location, magnitude, sign);
  Value value = tt::BitcastOp::create(b, location, floatType, bits);
  return mlir::arith::MulFOp::create(b, location, value, floats(value, llvm::APFloat(0x1p126f)));
}

/// 2^(s - 127), also where that is subnormal; 255 stands for NaN.
Value Expander::decodeScale(Value scale) {
  if (!typeOf(scale).getElementType().isInteger(8))
    scale = tt::BitcastOp::create(b, location, typeOf(scale).clone(b.getI8Type()), scale);
  auto type = typeOf(scale).clone(b.getI32Type());
  Value wide = mlir::arith::ExtUIOp::create(b, location, type, scale);
  Value exponent = mlir::arith::ShLIOp::create(b, location, wide, integers(wide, 23));
  using mlir::arith::CmpIPredicate;
  Value isZero = mlir::arith::CmpIOp::create(b, location, CmpIPredicate::eq, wide, integers(wide, 0));
  Value isNaN = mlir::arith::CmpIOp::create(b, location, CmpIPredicate::eq, wide, integers(wide, 255));
  Value bits = mlir::arith::SelectOp::create(b, location, isZero, integers(wide, 0x00400000), exponent);
  bits = mlir::arith::SelectOp::create(b, location, isNaN, integers(wide, 0x7FC00000), bits);
  return tt::BitcastOp::create(b, location, type.clone(b.getF32Type()), bits);
}

Value Expander::expand(Value operand, Value scale, tt::ScaleDotElemType kind, bool packedAlongReduced,
                       unsigned reduced) {
  Value value = operand;
  mlir::Type element = typeOf(operand).getElementType();
  if (kind == tt::ScaleDotElemType::E2M1) {
    value = decodeE2M1(unpack(operand, packedAlongReduced ? reduced : 1 - reduced));
  } else {
    if (element.isInteger(8)) {
      mlir::Type narrow;
      if (kind == tt::ScaleDotElemType::E4M3)
        narrow = mlir::Float8E4M3FNType::get(b.getContext());
      else if (kind == tt::ScaleDotElemType::E5M2)
        narrow = mlir::Float8E5M2Type::get(b.getContext());
      else
        return {};
      value = tt::BitcastOp::create(b, location, typeOf(value).clone(narrow), value);
    }
    auto floatType = typeOf(value).clone(b.getF32Type());
    if (typeOf(value) != floatType)
      value = tt::FpToFpOp::create(b, location, floatType, value, tt::RoundingModeAttr());
  }
  if (!scale)
    return value;
  Value factors = decodeScale(scale);
  llvm::SmallVector<int64_t> shape(typeOf(value).getShape());
  // [M, K/32] to [M, K/32, 32] to [M, K]; of the right operand [N, K/32] to [K/32, 32, N] to [K, N].
  if (reduced == 0)
    factors = transpose(factors, {1, 0});
  llvm::SmallVector<int64_t> expanded(typeOf(factors).getShape());
  int64_t run = shape[reduced] / expanded[reduced];
  expanded.insert(expanded.begin() + reduced + 1, 1);
  factors = tt::ExpandDimsOp::create(b, location, typeOf(factors).clone(expanded), factors, reduced + 1);
  expanded[reduced + 1] = run;
  factors = tt::BroadcastOp::create(b, location, typeOf(factors).clone(expanded), factors);
  return mlir::arith::MulFOp::create(b, location, value, reshape(factors, shape));
}

struct RewriteScaledProducts : mlir::PassWrapper<RewriteScaledProducts, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RewriteScaledProducts)

  llvm::StringRef getArgument() const final { return "nereid-tt-rewrite-scaled-products"; }
  llvm::StringRef getDescription() const final { return "Turn scaled products into ordinary ones"; }
  void runOnOperation() final {
    if (mlir::failed(rewriteScaledProducts(getOperation())))
      signalPassFailure();
  }
};

} // namespace

mlir::LogicalResult rewriteScaledProducts(mlir::ModuleOp module) {
  llvm::SmallVector<tt::DotScaledOp> products;
  module.walk([&](tt::DotScaledOp product) { products.push_back(product); });
  for (tt::DotScaledOp product : products) {
    mlir::OpBuilder b(product);
    Expander expander(b, product.getLoc());
    auto type = mlir::cast<mlir::RankedTensorType>(product.getD().getType());
    Value lhs, rhs;
    if (type.getRank() == 2) {
      lhs = expander.expand(product.getA(), product.getAScale(), product.getAElemType(),
                            product.getLhsKPack(), 1);
      rhs = expander.expand(product.getB(), product.getBScale(), product.getBElemType(),
                            product.getRhsKPack(), 0);
    }
    if (!lhs || !rhs)
      return product.emitError("a scaled product of these operands is not supported yet");
    Value sum =
        tt::DotOp::create(b, product.getLoc(), type, lhs, rhs, product.getC(), tt::InputPrecision::IEEE, 0);
    product.getD().replaceAllUsesWith(sum);
    product.erase();
  }
  return mlir::success();
}

std::unique_ptr<mlir::Pass> createRewriteScaledProductsPass() {
  return std::make_unique<RewriteScaledProducts>();
}

} // namespace nereid
