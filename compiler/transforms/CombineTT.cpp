// Small rewrites on tt IR that make programs simpler for all that comes after, beyond what folding and each
// operation's own canonical form do:
//
//   - An element-wise operation on splats becomes a splat of the scalar operation; on broadcasts of one shape
//     (and splats) it becomes a broadcast. Scalars cost one register, small tensors few.
//   - addptr of addptr becomes one, where the sum of the offsets cannot overflow.
//   - select(m, load(p, splat of the same m), x) becomes a load whose value for masked-off elements is x.
//   - select(m, load(p, m, c), c) becomes the load, also where both were converted to another type in
//   between.
//   - A quotient that is only chosen where its divisor is zero becomes a product.
//   - dot(a, b, 0) + c becomes dot(a, b, c), unless a round of a loop would have to wait for c before it can
//     multiply.
//   - Two gathers that change places by twos, one after the other, become a single one or none, also with a
//     reshape between them: of a row that is turned round after each of its halves was, halves change places.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/transforms/ButterflyGather.h"
#include "compiler/transforms/LoadsOfRound.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace nereid {

namespace arith = mlir::arith;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::PatternRewriter;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct Combine : mlir::PassWrapper<Combine, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Combine)

  llvm::StringRef getArgument() const final { return "nereid-tt-combine"; }
  llvm::StringRef getDescription() const final { return "Simplify tt programs"; }
  void runOnOperation() final;
};

bool isElementwise(Operation *op) {
  return op->hasTrait<mlir::OpTrait::Elementwise>() && op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         op->getNumOperands() > 0 && mlir::isPure(op) &&
         mlir::isa<RankedTensorType>(op->getResult(0).getType());
}

/// The scalar that a tensor repeats everywhere: a splat's operand, or a constant made where `rewriter`
/// stands. Null for others, and for constants if there is no rewriter.
Value getSplatScalar(Value value, PatternRewriter *rewriter) {
  if (auto splat = value.getDefiningOp<tt::SplatOp>())
    return splat.getSrc();
  if (auto constant = value.getDefiningOp<arith::ConstantOp>(); constant && rewriter) {
    auto elements = mlir::dyn_cast<mlir::SplatElementsAttr>(constant.getValue());
    if (elements)
      return arith::ConstantOp::create(
          *rewriter, constant.getLoc(),
          mlir::cast<mlir::TypedAttr>(elements.getSplatValue<mlir::Attribute>()));
  }
  return {};
}

bool isSplat(Value value) {
  if (value.getDefiningOp<tt::SplatOp>())
    return true;
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  return constant && mlir::isa<mlir::SplatElementsAttr>(constant.getValue());
}

Operation *cloneWithType(Operation *op, mlir::ValueRange operands, mlir::Type resultType,
                         PatternRewriter &rewriter) {
  mlir::OperationState state(op->getLoc(), op->getName(), operands, resultType,
                             llvm::to_vector(op->getDiscardableAttrs()));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return rewriter.create(state);
}

/// Promises about a tensor's runs mean nothing for a scalar, and the other way round.
bool hasPromises(Operation *op) {
  return op->hasAttr("tt.contiguity") || op->hasAttr("tt.divisibility") || op->hasAttr("tt.constancy");
}

struct ElementwiseOfSplats : mlir::RewritePattern {
  explicit ElementwiseOfSplats(mlir::MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 2, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const final {
    if (!isElementwise(op) || hasPromises(op) || !llvm::all_of(op->getOperands(), [](Value operand) {
          return isSplat(operand) || !mlir::isa<RankedTensorType>(operand.getType());
        }))
      return mlir::failure();
    if (llvm::none_of(op->getOperands(), [](Value operand) { return operand.getDefiningOp<tt::SplatOp>(); }))
      return mlir::failure(); // constants alone fold
    llvm::SmallVector<Value> scalars;
    for (Value operand : op->getOperands())
      scalars.push_back(mlir::isa<RankedTensorType>(operand.getType()) ? getSplatScalar(operand, &rewriter)
                                                                       : operand);
    mlir::Type resultType = op->getResult(0).getType();
    Operation *scalar = cloneWithType(op, scalars, mlir::getElementTypeOrSelf(resultType), rewriter);
    rewriter.replaceOpWithNewOp<tt::SplatOp>(op, resultType, scalar->getResult(0));
    return mlir::success();
  }
};

struct ElementwiseOfBroadcasts : mlir::RewritePattern {
  explicit ElementwiseOfBroadcasts(mlir::MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const final {
    if (!isElementwise(op) || hasPromises(op))
      return mlir::failure();
    RankedTensorType small;
    for (Value operand : op->getOperands()) {
      if (auto broadcast = operand.getDefiningOp<tt::BroadcastOp>()) {
        auto type = mlir::cast<RankedTensorType>(broadcast.getSrc().getType());
        if (small && (small.getShape() != type.getShape() || small.getEncoding() != type.getEncoding()))
          return mlir::failure();
        small = type;
      } else if (!isSplat(operand)) {
        return mlir::failure();
      }
    }
    if (!small)
      return mlir::failure();
    auto resized = [&](mlir::Type type) { return small.clone(mlir::getElementTypeOrSelf(type)); };
    llvm::SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (auto broadcast = operand.getDefiningOp<tt::BroadcastOp>())
        operands.push_back(broadcast.getSrc());
      else
        operands.push_back(tt::SplatOp::create(rewriter, op->getLoc(), resized(operand.getType()),
                                               getSplatScalar(operand, &rewriter)));
    }
    mlir::Type resultType = op->getResult(0).getType();
    Operation *computed = cloneWithType(op, operands, resized(resultType), rewriter);
    rewriter.replaceOpWithNewOp<tt::BroadcastOp>(op, resultType, computed->getResult(0));
    return mlir::success();
  }
};

struct AddPtrOfAddPtr : mlir::OpRewritePattern<tt::AddPtrOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tt::AddPtrOp op, PatternRewriter &rewriter) const final {
    auto inner = op.getPtr().getDefiningOp<tt::AddPtrOp>();
    if (!inner || inner.getOffset().getType() != op.getOffset().getType() || hasPromises(op) ||
        hasPromises(inner))
      return mlir::failure();
    // 32-bit offsets are extended before they are added to an address, so adding them first could wrap
    // around.
    bool isWide = mlir::getElementTypeOrSelf(op.getOffset().getType()).isInteger(64);
    llvm::APInt a, b;
    if (!isWide) {
      bool overflow = true;
      if (mlir::matchPattern(op.getOffset(), mlir::m_ConstantInt(&a)) &&
          mlir::matchPattern(inner.getOffset(), mlir::m_ConstantInt(&b)))
        (void)a.sadd_ov(b, overflow);
      if (overflow)
        return mlir::failure();
    }
    Value sum = arith::AddIOp::create(rewriter, op.getLoc(), inner.getOffset(), op.getOffset());
    rewriter.replaceOpWithNewOp<tt::AddPtrOp>(op, op.getResult().getType(), inner.getPtr(), sum);
    return mlir::success();
  }
};

struct SelectOfMaskedLoad : mlir::OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op, PatternRewriter &rewriter) const final {
    auto load = op.getTrueValue().getDefiningOp<tt::LoadOp>();
    if (!load || !load.getMask() || !load.getResult().hasOneUse())
      return mlir::failure();
    auto sameCondition = [&] {
      if (load.getMask() == op.getCondition())
        return true;
      Value scalar = getSplatScalar(load.getMask(), nullptr);
      return scalar && (scalar == op.getCondition() || scalar == getSplatScalar(op.getCondition(), nullptr));
    };
    // The other value has to be known where the load is.
    Operation *other = op.getFalseValue().getDefiningOp();
    if (!sameCondition() ||
        (other && !(other->getBlock() == load->getBlock() && other->isBeforeInBlock(load)) &&
         !mlir::isa<arith::ConstantOp>(other)) ||
        load->getBlock() != op->getBlock())
      return mlir::failure();
    rewriter.setInsertionPoint(load);
    Value otherValue = op.getFalseValue();
    if (mlir::isa_and_nonnull<arith::ConstantOp>(other))
      otherValue = rewriter.clone(*other)->getResult(0);
    rewriter.replaceOpWithNewOp<tt::LoadOp>(op, load.getPtr(), load.getMask(), otherValue, load.getCache(),
                                            load.getEvict(), load.getIsVolatile());
    return mlir::success();
  }
};

/// What a conversion that keeps all numbers makes of one of them; none for other operations.
std::optional<mlir::TypedAttr> convertExactly(Operation *conversion, mlir::TypedAttr number) {
  mlir::Type to = mlir::getElementTypeOrSelf(conversion->getResult(0).getType());
  if (auto real = mlir::dyn_cast<mlir::FloatAttr>(number); real && mlir::isa<arith::ExtFOp>(conversion)) {
    llvm::APFloat value = real.getValue();
    bool losesInfo = true;
    value.convert(mlir::cast<mlir::FloatType>(to).getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                  &losesInfo);
    if (!losesInfo)
      return mlir::FloatAttr::get(to, value);
  }
  auto integer = mlir::dyn_cast<mlir::IntegerAttr>(number);
  if (integer && mlir::isa<arith::ExtSIOp, arith::ExtUIOp>(conversion)) {
    unsigned bits = to.getIntOrFloatBitWidth();
    bool isSigned = mlir::isa<arith::ExtSIOp>(conversion);
    return mlir::IntegerAttr::get(to,
                                  isSigned ? integer.getValue().sext(bits) : integer.getValue().zext(bits));
  }
  if (integer && integer.getValue().isZero() && mlir::isa<arith::SIToFPOp, arith::UIToFPOp>(conversion))
    return mlir::FloatAttr::get(to, 0.0);
  return std::nullopt;
}

/// The number that a constant has everywhere; null for others.
mlir::TypedAttr getConstantNumber(Value value) {
  mlir::Attribute constant;
  if (!value || !mlir::matchPattern(value, mlir::m_Constant(&constant)))
    return {};
  if (auto elements = mlir::dyn_cast<mlir::SplatElementsAttr>(constant))
    return mlir::cast<mlir::TypedAttr>(elements.getSplatValue<mlir::Attribute>());
  return mlir::dyn_cast<mlir::TypedAttr>(constant);
}

/// A program that computes with f32 of what it loads as bf16 often chooses twice what stands for the rest:
///
///     x = tl.load(p, mask=m, other=0.0).to(tl.float32)
///     x = tl.where(m, x, 0.0)
///
/// The second choice takes an instruction for each element, and keeps all masks until then.
struct SelectOfConvertedLoad : mlir::OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op, PatternRewriter &rewriter) const final {
    llvm::SmallVector<Operation *, 2> conversions;
    Operation *source = op.getTrueValue().getDefiningOp();
    while (mlir::isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp,
                                 arith::UIToFPOp>(source)) {
      conversions.push_back(source);
      source = source->getOperand(0).getDefiningOp();
    }
    auto load = mlir::dyn_cast_if_present<tt::LoadOp>(source);
    if (!load || load.getMask() != op.getCondition())
      return mlir::failure();
    mlir::TypedAttr rest = getConstantNumber(load.getOther());
    for (Operation *conversion : llvm::reverse(conversions))
      if (rest)
        rest = convertExactly(conversion, rest).value_or(mlir::TypedAttr());
    if (!rest || rest != getConstantNumber(op.getFalseValue()))
      return mlir::failure();
    rewriter.replaceOp(op, op.getTrueValue());
    return mlir::success();
  }
};

/// What a number is widened from, as far as that is a number, too.
Value skipWidening(Value value) {
  while (auto widening = value.getDefiningOp<arith::ExtFOp>())
    value = widening.getIn();
  return value;
}

/// Python's division, written out for tiles, leaves to the hardware what a number over zero is:
///
///     out = tl.where(y == 0.0, x / y, floor_of_quotient)
///
/// Of a whole division, ten instructions or more, that is x times an infinity with y's sign, and a zero has
/// no other bit than that.
struct SelectOfQuotientByZero : mlir::OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op, PatternRewriter &rewriter) const final {
    auto comparison = op.getCondition().getDefiningOp<arith::CmpFOp>();
    if (!comparison || !mlir::matchPattern(comparison.getRhs(), mlir::m_AnyZeroFloat()))
      return mlir::failure();
    unsigned chosen = 1;
    if (comparison.getPredicate() == arith::CmpFPredicate::UNE)
      chosen = 2;
    else if (comparison.getPredicate() != arith::CmpFPredicate::OEQ)
      return mlir::failure();
    auto quotient = op->getOperand(chosen).getDefiningOp<arith::DivFOp>();
    if (!quotient || !quotient->hasOneUse() ||
        skipWidening(quotient.getRhs()) != skipWidening(comparison.getLhs()))
      return mlir::failure();
    mlir::Type type = quotient.getType();
    auto element = mlir::cast<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
    mlir::Type bitsElement = rewriter.getIntegerType(element.getWidth());
    auto tensor = mlir::dyn_cast<RankedTensorType>(type);
    mlir::Type bitsType = tensor ? mlir::Type(tensor.clone(bitsElement)) : bitsElement;
    mlir::TypedAttr infinity = rewriter.getIntegerAttr(
        bitsElement, llvm::APFloat::getInf(element.getFloatSemantics()).bitcastToAPInt());
    if (tensor)
      infinity = mlir::DenseElementsAttr::get(mlir::cast<RankedTensorType>(bitsType), infinity);
    mlir::Location loc = quotient.getLoc();
    rewriter.setInsertionPoint(quotient);
    Value bits = tt::BitcastOp::create(rewriter, loc, bitsType, quotient.getRhs());
    bits = arith::OrIOp::create(rewriter, loc, bits, arith::ConstantOp::create(rewriter, loc, infinity));
    Value factor = tt::BitcastOp::create(rewriter, loc, type, bits);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(quotient, quotient.getLhs(), factor);
    return mlir::success();
  }
};

/// Whether a round could multiply while it still waits for what is to be added: a step of a recurrent network
/// has its state and its weights, and loads its input. flashrnn's _forward_sequence_kernel, 256 steps of few
/// programs, takes 570 us by that on an H200, and 600 without.
bool comesAfterProduct(Value addend, tt::DotOp dot) {
  Operation *loop = dot->getParentOp();
  return mlir::isa<mlir::LoopLikeOpInterface>(loop) && isLoadedInRound(loop, addend) &&
         !isLoadedInRound(loop, dot.getA()) && !isLoadedInRound(loop, dot.getB());
}

template <typename AddOp> struct DotPlus : mlir::OpRewritePattern<AddOp> {
  using mlir::OpRewritePattern<AddOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const final {
    for (auto [product, addend] :
         {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
      auto dot = product.template getDefiningOp<tt::DotOp>();
      bool startsAtZero = dot && (mlir::matchPattern(dot.getC(), mlir::m_AnyZeroFloat()) ||
                                  mlir::matchPattern(dot.getC(), mlir::m_Zero()));
      // Partial sums of 8-bit products are added in their own way; leave those alone.
      if (!startsAtZero || dot.getMaxNumImpreciseAcc() != 0 || !dot->hasOneUse() ||
          comesAfterProduct(addend, dot))
        continue;
      rewriter.replaceOpWithNewOp<tt::DotOp>(op, addend.getType(), dot.getA(), dot.getB(), addend,
                                             dot.getInputPrecision(), dot.getMaxNumImpreciseAcc());
      return mlir::success();
    }
    return mlir::failure();
  }
};

/// The bits in which an element's number, counted row by row, differs from that of the one that it takes.
std::optional<uint64_t> getDifferenceOfNumbers(tt::GatherOp op) {
  if (!op || !isButterfly(op))
    return std::nullopt;
  llvm::ArrayRef<int64_t> shape = op.getType().getShape();
  if (!llvm::all_of(shape, [](int64_t size) { return llvm::isPowerOf2_64(size); }))
    return std::nullopt;
  return *getDifference(op) * llvm::product_of(shape.drop_front(op.getAxis() + 1));
}

struct ButterflyOfButterfly : mlir::OpRewritePattern<tt::GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tt::GatherOp op, PatternRewriter &rewriter) const final {
    auto reshape = op.getSrc().getDefiningOp<tt::ReshapeOp>();
    if (reshape && (reshape.getAllowReorder() || !reshape->hasOneUse()))
      return mlir::failure();
    auto first = (reshape ? reshape.getSrc() : op.getSrc()).getDefiningOp<tt::GatherOp>();
    std::optional<uint64_t> before = getDifferenceOfNumbers(first), after = getDifferenceOfNumbers(op);
    if (!before || !after || !first->hasOneUse())
      return mlir::failure();
    uint64_t difference = *before ^ *after, stride = 1;
    RankedTensorType type = op.getType();
    int64_t axis = type.getRank() - 1;
    for (; axis >= 0; stride *= type.getDimSize(axis--))
      if (difference % stride == 0 && difference < stride * type.getDimSize(axis))
        break;
    if (axis < 0)
      return mlir::failure(); // bits of several axes
    mlir::Location loc = op.getLoc();
    Value source = first.getSrc();
    if (reshape)
      source = tt::ReshapeOp::create(rewriter, loc, reshape.getType(), source);
    if (difference == 0) {
      rewriter.replaceOp(op, source);
      return mlir::success();
    }
    auto row = RankedTensorType::get({type.getDimSize(axis)}, rewriter.getI32Type());
    Value places = tt::MakeRangeOp::create(rewriter, loc, row, 0, type.getDimSize(axis));
    Value bits = arith::ConstantOp::create(
        rewriter, loc, mlir::DenseElementsAttr::get(row, rewriter.getI32IntegerAttr(difference / stride)));
    places = arith::XOrIOp::create(rewriter, loc, places, bits);
    for (int64_t d = 0; d != type.getRank(); ++d)
      if (d != axis)
        places = tt::ExpandDimsOp::create(rewriter, loc, places, d);
    places = tt::BroadcastOp::create(rewriter, loc, type.clone(rewriter.getI32Type()), places);
    rewriter.replaceOpWithNewOp<tt::GatherOp>(op, source, places, axis);
    return mlir::success();
  }
};

void Combine::runOnOperation() {
  mlir::MLIRContext *context = &getContext();
  mlir::RewritePatternSet patterns(context);
  patterns.add<ElementwiseOfSplats, ElementwiseOfBroadcasts, AddPtrOfAddPtr, SelectOfMaskedLoad,
               SelectOfConvertedLoad, SelectOfQuotientByZero, DotPlus<arith::AddFOp>, DotPlus<arith::AddIOp>,
               ButterflyOfButterfly>(context);
  tt::SplatOp::getCanonicalizationPatterns(patterns, context);
  tt::BroadcastOp::getCanonicalizationPatterns(patterns, context);
  tt::ExpandDimsOp::getCanonicalizationPatterns(patterns, context);
  if (mlir::failed(mlir::applyPatternsGreedily(getOperation(), std::move(patterns))))
    signalPassFailure();
}

} // namespace

std::unique_ptr<mlir::Pass> createCombinePass() { return std::make_unique<Combine>(); }

} // namespace nereid
