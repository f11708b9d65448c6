// Turns scaled products into ordinary ones.
//
// In tt.dot_scaled each run of 32 elements along the reduced axis shares a scale 2^(s - 127), s a byte; a
// byte of 255 makes the run NaN. (Scales that are 8-bit floats themselves, for runs of 16, are taken as they
// are.) Elements of 4 bits come in pairs, the lower half first. The left operand of a product [M, K] x [K, N]
// has its scales as [M, K/32], the right one as [N, K/32]. Both operands are unpacked, scaled, and multiplied
// like any others.
//
// Where matrix units multiply, operands become bf16, as Triton makes them: it holds every 4-bit and 8-bit
// number, and a scale changes nothing but its exponent. They become fp16 where one of them is fp16, and a
// scaled number that is too large for it becomes infinite. All others compute in float, which holds both.
//
// What concerns scales alone is done before they are spread over their runs, on one value for 32 elements:
//
//     2^(s - 127) in bf16   s << 7, where the exponent is; at least 0x0040, which is 2^-127; NaN for 255
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
  /// `element` is what operands become: float, bf16 or fp16.
  Expander(mlir::OpBuilder &b, mlir::Location location, mlir::FloatType element, bool scalesAreNumbers)
      : b(b), location(location), element(element), scalesAreNumbers(scalesAreNumbers) {}

  /// The operand with its scales applied, or null; `reduced` is its axis that is summed over.
  Value expand(Value operand, Value scale, tt::ScaleDotElemType kind, bool packedAlongReduced,
               unsigned reduced);

private:
  mlir::RankedTensorType typeOf(Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()); }
  Value integers(Value like, int64_t value) {
    auto type = typeOf(like);
    return mlir::arith::ConstantOp::create(
        b, location, mlir::DenseElementsAttr::get(type, b.getIntegerAttr(type.getElementType(), value)));
  }
  Value floats(Value like, int exponent) {
    auto type = typeOf(like);
    auto kind = mlir::cast<mlir::FloatType>(type.getElementType());
    llvm::APFloat one = llvm::APFloat::getOne(kind.getFloatSemantics());
    llvm::APFloat value = llvm::scalbn(one, exponent, llvm::APFloat::rmNearestTiesToEven);
    return mlir::arith::ConstantOp::create(b, location,
                                           mlir::DenseElementsAttr::get(type, b.getFloatAttr(kind, value)));
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
  Value bitcast(Value value, mlir::Type to) {
    if (typeOf(value).getElementType() == to)
      return value;
    return tt::BitcastOp::create(b, location, typeOf(value).clone(to), value);
  }
  Value convertFloat(Value value);
  Value decodeE2M1(Value pairs, unsigned axis);
  Value decodeScale(Value scale);

  mlir::OpBuilder &b;
  mlir::Location location;
  mlir::FloatType element;
  bool scalesAreNumbers;
};

Value Expander::convertFloat(Value value) {
  mlir::RankedTensorType wanted = typeOf(value).clone(element);
  if (typeOf(value) == wanted)
    return value;
  if (typeOf(value).getElementTypeBitWidth() > element.getWidth())
    return mlir::arith::TruncFOp::create(b, location, wanted, value);
  return tt::FpToFpOp::create(b, location, wanted, value, tt::RoundingModeAttr());
}

/// Bytes to pairs of numbers, next to each other along the axis. An element of 4 bits is a sign, two bits of
/// exponent and one of fraction. They are placed where the wider format has them, of both elements of a byte
/// at once where it has 16 bits, and one multiplication corrects the exponent's bias:
///
///     byte, in i32                                 s h h h  s l l l
///     bf16    s 0 0 0 0 0 0 h  h h 0 0 0 0 0 0   s 0 0 0 0 0 0 l  l l 0 0 0 0 0 0
Value Expander::decodeE2M1(Value pairs, unsigned axis) {
  Value wide = mlir::arith::ExtUIOp::create(b, location, typeOf(pairs).clone(b.getI32Type()), pairs);
  auto semantics = [&]() -> const llvm::fltSemantics & { return element.getFloatSemantics(); };
  unsigned width = element.getWidth(), fraction = llvm::APFloat::semanticsPrecision(semantics()) - 1;
  int bias = 1 - llvm::APFloat::semanticsMinExponent(semantics());
  Value low, high;
  if (width == 16) {
    auto place = [&](unsigned from, unsigned to, int64_t mask) -> Value {
      // The lower element moves by `to - from` bits, the higher one by 12 more.
      int64_t factor = (int64_t(1) << (to - from)) | (int64_t(1) << (to - from + 12));
      Value both = mlir::arith::MulIOp::create(b, location, wide, integers(wide, factor));
      return mlir::arith::AndIOp::create(b, location, both, integers(wide, mask));
    };
    int64_t magnitude = int64_t(7) << (fraction - 1);
    Value bits = mlir::arith::OrIOp::create(b, location, place(0, fraction - 1, magnitude | magnitude << 16),
                                            place(3, 15, int64_t(int32_t(0x80008000))));
    auto half = [&](Value value) {
      auto type = typeOf(value).clone(b.getI16Type());
      return bitcast(mlir::arith::TruncIOp::create(b, location, type, value), element);
    };
    low = half(bits);
    high = half(mlir::arith::ShRUIOp::create(b, location, bits, integers(bits, 16)));
  } else {
    auto decode = [&](Value code) {
      Value magnitude = mlir::arith::AndIOp::create(b, location, code, integers(code, 7));
      magnitude = mlir::arith::ShLIOp::create(b, location, magnitude, integers(code, fraction - 1));
      Value sign = mlir::arith::AndIOp::create(b, location, code, integers(code, 8));
      sign = mlir::arith::ShLIOp::create(b, location, sign, integers(code, width - 4));
      return bitcast(mlir::arith::OrIOp::create(b, location, magnitude, sign), element);
    };
    low = decode(wide);
    high = decode(mlir::arith::ShRUIOp::create(b, location, wide, integers(wide, 4)));
  }
  llvm::SmallVector<int64_t> joined(typeOf(low).getShape()), shape(typeOf(low).getShape());
  unsigned rank = shape.size();
  joined.push_back(2);
  shape[axis] *= 2;
  Value both = tt::JoinOp::create(b, location, typeOf(low).clone(joined), low, high);
  if (axis + 1 != rank) {
    // The axis of pairs goes behind the one that was packed.
    llvm::SmallVector<int32_t> order = llvm::to_vector(llvm::seq<int32_t>(0, rank));
    order.insert(order.begin() + axis + 1, rank);
    both = transpose(both, order);
  }
  Value numbers = reshape(both, shape);
  return mlir::arith::MulFOp::create(b, location, numbers, floats(numbers, bias - 1));
}

/// 2^(s - 127), also where that is subnormal; 255 stands for NaN.
Value Expander::decodeScale(Value scale) {
  if (!typeOf(scale).getElementType().isInteger(8))
    return convertFloat(scale);
  // fp16 has another range of exponents, and gets them by way of float.
  bool isBF16 = element.isBF16();
  mlir::Type integer = isBF16 ? b.getI16Type() : b.getI32Type();
  unsigned fraction = isBF16 ? 7 : 23;
  Value code = mlir::arith::ExtUIOp::create(b, location, typeOf(scale).clone(integer), scale);
  Value bits = mlir::arith::ShLIOp::create(b, location, code, integers(code, fraction));
  bits = mlir::arith::MaxSIOp::create(b, location, bits, integers(code, int64_t(1) << (fraction - 1)));
  if (!scalesAreNumbers) {
    Value isNaN =
        mlir::arith::CmpIOp::create(b, location, mlir::arith::CmpIPredicate::eq, code, integers(code, 255));
    Value nan = integers(code, int64_t(0x7FFF) << (isBF16 ? 0 : 16));
    bits = mlir::arith::SelectOp::create(b, location, isNaN, nan, bits);
  }
  return convertFloat(bitcast(bits, isBF16 ? mlir::Type(b.getBF16Type()) : b.getF32Type()));
}

Value Expander::expand(Value operand, Value scale, tt::ScaleDotElemType kind, bool packedAlongReduced,
                       unsigned reduced) {
  Value value = operand;
  unsigned rank = typeOf(operand).getRank(), other = 2 * rank - 3 - reduced;
  if (kind == tt::ScaleDotElemType::E2M1) {
    value = decodeE2M1(operand, packedAlongReduced ? reduced : other);
  } else {
    if (typeOf(operand).getElementType().isInteger(8)) {
      if (kind == tt::ScaleDotElemType::E4M3)
        value = bitcast(value, mlir::Float8E4M3FNType::get(b.getContext()));
      else if (kind == tt::ScaleDotElemType::E5M2)
        value = bitcast(value, mlir::Float8E5M2Type::get(b.getContext()));
      else
        return {};
    }
    value = convertFloat(value);
  }
  if (!scale)
    return value;
  Value factors = decodeScale(scale);
  llvm::SmallVector<int64_t> shape(typeOf(value).getShape());
  // [M, K/32] to [M, K/32, 32] to [M, K]; of the right operand [N, K/32] to [K/32, 32, N] to [K, N].
  if (reduced + 1 != rank) {
    llvm::SmallVector<int32_t> order = llvm::to_vector(llvm::seq<int32_t>(0, rank));
    std::swap(order[rank - 2], order[rank - 1]);
    factors = transpose(factors, order);
  }
  llvm::SmallVector<int64_t> expanded(typeOf(factors).getShape());
  int64_t run = shape[reduced] / expanded[reduced];
  expanded.insert(expanded.begin() + reduced + 1, 1);
  factors = tt::ExpandDimsOp::create(b, location, typeOf(factors).clone(expanded), factors, reduced + 1);
  expanded[reduced + 1] = run;
  factors = tt::BroadcastOp::create(b, location, typeOf(factors).clone(expanded), factors);
  return mlir::arith::MulFOp::create(b, location, value, reshape(factors, shape));
}

/// What a product's operands become.
mlir::FloatType chooseElement(tt::DotScaledOp product, bool forMatrixUnits) {
  mlir::MLIRContext *context = product.getContext();
  if (!forMatrixUnits)
    return mlir::Float32Type::get(context);
  if (product.getAElemType() == tt::ScaleDotElemType::FP16 ||
      product.getBElemType() == tt::ScaleDotElemType::FP16)
    return mlir::Float16Type::get(context);
  return mlir::BFloat16Type::get(context);
}

struct RewriteScaledProducts : mlir::PassWrapper<RewriteScaledProducts, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RewriteScaledProducts)

  RewriteScaledProducts() = default;
  RewriteScaledProducts(const RewriteScaledProducts &other) : PassWrapper(other) {}
  explicit RewriteScaledProducts(bool isForMatrixUnits) { forMatrixUnits = isForMatrixUnits; }

  llvm::StringRef getArgument() const final { return "nereid-tt-rewrite-scaled-products"; }
  llvm::StringRef getDescription() const final { return "Turn scaled products into ordinary ones"; }
  void runOnOperation() final {
    if (mlir::failed(rewriteScaledProducts(getOperation(), forMatrixUnits)))
      signalPassFailure();
  }

private:
  Option<bool> forMatrixUnits{*this, "for-matrix-units",
                              llvm::cl::desc("Whether there are matrix units for bf16 and fp16"),
                              llvm::cl::init(false)};
};

} // namespace

mlir::LogicalResult rewriteScaledProducts(mlir::ModuleOp module, bool forMatrixUnits) {
  llvm::SmallVector<tt::DotScaledOp> products;
  module.walk([&](tt::DotScaledOp product) { products.push_back(product); });
  for (tt::DotScaledOp product : products) {
    mlir::OpBuilder b(product);
    Expander expander(b, product.getLoc(), chooseElement(product, forMatrixUnits), product.getFastMath());
    auto type = mlir::cast<mlir::RankedTensorType>(product.getD().getType());
    unsigned rank = type.getRank();
    Value lhs = expander.expand(product.getA(), product.getAScale(), product.getAElemType(),
                                product.getLhsKPack(), rank - 1);
    Value rhs = expander.expand(product.getB(), product.getBScale(), product.getBElemType(),
                                product.getRhsKPack(), rank - 2);
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

std::unique_ptr<mlir::Pass> createRewriteScaledProductsPass(const Target &target) {
  return std::make_unique<RewriteScaledProducts>(target.backend == Backend::CUDA &&
                                                 target.getComputeCapability() >= 80);
}

} // namespace nereid
