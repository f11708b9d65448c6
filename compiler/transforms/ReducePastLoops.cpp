// Lets threads add up what is their own in the rounds of a loop, and meet behind it.
//
// Products of a matrix and a vector, norms of long rows and attention sum up what each round has:
//
//     %s = scf.for … iter_args(%sum = %zeros) {
//       %r = tt.reduce %products {axis = 1}          tensor<64x128xf32> -> tensor<64xf32>
//       %next = arith.addf %sum, %r
//       scf.yield %next
//     }
//
// Where 16 lanes share a row of the tile, each round takes four shuffles for each row, one after the other,
// and where warps share it a barrier. But only the last sum is read. So the loop carries one sum for each of
// these lanes instead, which takes as many registers of a thread:
//
//     %p = scf.for … iter_args(%sum = %zeros) {
//       %r = parts of %products (ReductionParts.h)              tensor<64x16xf32>
//       %next = arith.addf %sum, %r
//       scf.yield %next
//     }
//     %s = tt.reduce %p {axis = 1}
//
// A round may scale the sum by row, as online softmax does (`l * alpha + sum(p)`): then all lanes' sums are
// scaled. It may also widen or scale what it adds. Greatest and least elements and integers are found so,
// too.
//
// Floating-point numbers are added in another order than the program says. It has as many roundings one
// behind another as before or fewer: rounds, and then the logarithm of the lanes.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/transforms/LoopPipeline.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ReductionParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

namespace arith = mlir::arith;
using mlir::Attribute;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Type;
using mlir::Value;

namespace {

struct ReducePastLoops : mlir::PassWrapper<ReducePastLoops, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReducePastLoops)

  llvm::StringRef getArgument() const final { return "nereid-ttg-reduce-past-loops"; }
  llvm::StringRef getDescription() const final { return "Let threads meet behind loops that sum up"; }
  void runOnOperation() final;
};

/// What a loop carries as its variable `number` and only adds to.
struct Sum {
  unsigned number;
  Operation *combiner; // adds what a round has, or subtracts it
  ReducedTerm term;
  /// What the sum is multiplied by before, in this order.
  llvm::SmallVector<Value, 2> scales;
};

} // namespace

/// What leads to no change when it is combined with anything.
static mlir::TypedAttr getNeutral(tt::ReduceOp reduce, Type element) {
  // Asked of an operation of the sums' type.
  mlir::OwningOpRef<Operation *> holder = reduce.getSingleCombiner()->clone();
  (*holder)->getResult(0).setType(element);
  return *arith::getNeutralElement(holder.get());
}

static bool isNeutral(Value value, mlir::TypedAttr neutral, bool isSum) {
  if (isSum && isZero(value))
    return true;
  Attribute constant;
  if (!mlir::matchPattern(value, mlir::m_Constant(&constant)))
    return false;
  auto splat = mlir::dyn_cast<mlir::SplatElementsAttr>(constant);
  return (splat ? splat.getSplatValue<Attribute>() : constant) == neutral;
}

static std::optional<Sum> findSum(mlir::scf::ForOp loop, unsigned number) {
  Value carried = loop.getRegionIterArg(number);
  mlir::Block *block = loop.getBody();
  Sum sum{number, nullptr, {}, {}};
  Operation *user = nullptr;
  while (carried.hasOneUse()) {
    user = *carried.user_begin();
    if (user->getBlock() != block || user->getNumResults() != 1)
      return std::nullopt;
    if (auto scale = mlir::dyn_cast<arith::MulFOp>(user))
      sum.scales.push_back(scale.getLhs() == carried ? scale.getRhs() : scale.getLhs());
    else if (!mlir::isa<ttg::ConvertLayoutOp>(user))
      break;
    carried = user->getResult(0);
  }
  if (!carried.hasOneUse() || user->getNumOperands() != 2)
    return std::nullopt;
  bool isRight = user->getOperand(0) != carried;
  if (isRight && mlir::isa<arith::SubFOp>(user))
    return std::nullopt;
  std::optional<ReducedTerm> term = findReducedTerm(user->getOperand(!isRight), user);
  if (!term || (!mlir::isa<arith::AddFOp, arith::SubFOp>(user) && !sum.scales.empty()) ||
      !llvm::all_of(sum.scales, [&](Value scale) {
        return loop.isDefinedOutsideOfLoop(scale) || isWherePartsAre(scale, term->reduce);
      }))
    return std::nullopt;
  sum.combiner = user;
  sum.term = *term;
  Value next = user->getResult(0);
  while (next.hasOneUse() && mlir::isa<ttg::ConvertLayoutOp>(*next.user_begin()))
    next = next.user_begin()->getResult(0);
  if (!next.hasOneUse() || loop.getTiedLoopYieldedValue(loop.getRegionIterArg(number))->get() != next)
    return std::nullopt;
  return sum;
}

/// True for the first of the threads that share a row.
static Value isFirst(OpBuilder &builder, mlir::Location location, RankedTensorType type, unsigned axis) {
  Attribute layout = type.getEncoding();
  for (int d = int(type.getRank()) - 1; d >= 0; --d)
    if (d != int(axis))
      layout = ttg::SliceEncodingAttr::get(type.getContext(), d, layout);
  int64_t size = type.getDimSize(axis);
  auto places = RankedTensorType::get({size}, builder.getI32Type(), layout);
  Value place = tt::MakeRangeOp::create(builder, location, places, 0, int32_t(size));
  Value zero = arith::ConstantOp::create(builder, location,
                                         mlir::DenseElementsAttr::get(places, builder.getI32IntegerAttr(0)));
  Value first = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, place, zero);
  for (int d = 0; d < type.getRank(); ++d)
    if (d != int(axis))
      first = tt::ExpandDimsOp::create(builder, location, first, d);
  return tt::BroadcastOp::create(builder, location, type.clone(builder.getI1Type()), first);
}

/// Where a round's part is what an inner loop has summed up, from nothing, that goes on from what the outer
/// one carries instead; but not where it scales what it has, which is none of the outer one's.
static bool goOnFrom(Value carried, Value part, tt::ReduceOp old, Operation *next, mlir::TypedAttr neutral) {
  auto inner = part.getDefiningOp<mlir::scf::ForOp>();
  if (!inner || !llvm::all_of(part.getUsers(), [&](Operation *user) { return user == old || user == next; }))
    return false;
  auto result = mlir::cast<mlir::OpResult>(part);
  mlir::OpOperand *init = inner.getTiedLoopInit(result);
  Operation *adds = inner.getYieldedValues()[result.getResultNumber()].getDefiningOp();
  if (!isNeutral(init->get(), neutral, /*isSum=*/false) || !adds || adds->getName() != next->getName() ||
      !llvm::is_contained(adds->getOperands(), inner.getTiedLoopRegionIterArg(init)))
    return false;
  init->set(carried);
  return true;
}

/// The parts of the loop before it that a loop begins with. Takes what that began with for `init`, or null if
/// that was nothing. Null if a loop begins with something else.
static Value goOnFromLoop(Value &init, tt::ReduceOp like, RankedTensorType type, bool isScaled) {
  if (Value parts = findParts(init, like, type)) {
    init = {};
    return parts;
  }
  Operation *last = isScaled ? nullptr : init.getDefiningOp();
  if (!last || last->getName() != like.getSingleCombiner()->getName())
    return {};
  Value parts = findParts(last->getOperand(1), like, type);
  if (parts)
    init = last->getOperand(0);
  return parts;
}

static Value makeConstant(OpBuilder &builder, mlir::Location location, Type type, mlir::TypedAttr number) {
  if (auto tile = mlir::dyn_cast<RankedTensorType>(type))
    number = mlir::DenseElementsAttr::get(tile, Attribute(number));
  return arith::ConstantOp::create(builder, location, number);
}

/// Returns the loop that takes the place of this one.
static mlir::scf::ForOp movePast(mlir::IRRewriter &rewriter, mlir::scf::ForOp loop, Sum sum) {
  mlir::Location location = sum.combiner->getLoc();
  unsigned axis = sum.term.reduce.getAxis();
  rewriter.setInsertionPoint(sum.combiner);
  Value part = makeParts(rewriter, sum.term);
  auto type = mlir::cast<RankedTensorType>(part.getType());
  mlir::TypedAttr neutral = getNeutral(sum.term.reduce, type.getElementType());
  bool isSum = mlir::isa<arith::AddFOp, arith::SubFOp>(sum.combiner);

  rewriter.setInsertionPoint(loop);
  Value init = loop.getInitArgs()[sum.number];
  Type whole = init.getType();
  Value start = goOnFromLoop(init, sum.term.reduce, type, !sum.scales.empty());
  bool startsFromNothing = !init || isNeutral(init, neutral, isSum);
  if (!start)
    start = makeConstant(rewriter, location, type, neutral);
  if (!startsFromNothing && !sum.scales.empty())
    start = arith::SelectOp::create(rewriter, location, isFirst(rewriter, location, type, axis),
                                    widenToParts(rewriter, init, type, axis), start);
  // What is the same in each round is widened before; null for the others.
  auto scales = llvm::map_to_vector(sum.scales, [&](Value scale) {
    return loop.isDefinedOutsideOfLoop(scale) ? widenToParts(rewriter, scale, type, axis) : Value();
  });
  auto yield = [&](OpBuilder &builder, mlir::Location,
                   llvm::ArrayRef<mlir::BlockArgument> added) -> llvm::SmallVector<Value> {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(sum.combiner);
    Value carried = added.front();
    for (auto [scale, wide] : llvm::zip_equal(sum.scales, scales)) {
      Value here = wide ? wide : widenToParts(builder, scale, type, axis);
      carried = arith::MulFOp::create(builder, location, carried, here);
    }
    Operation *next = builder.clone(*sum.combiner);
    next->setOperands({carried, part});
    next->getResult(0).setType(type);
    if (sum.scales.empty() && !mlir::isa<arith::SubFOp>(next) &&
        goOnFrom(carried, part, sum.term.reduce, next, neutral)) {
      next->erase();
      return {part};
    }
    return {next->getResult(0)};
  };
  auto replaced = mlir::cast<mlir::scf::ForOp>(
      *loop.replaceWithAdditionalYields(rewriter, start, /*replaceInitOperandUsesInLoop=*/false, yield));
  rewriter.setInsertionPoint(replaced);
  // The old variable leads nowhere; what it began with must not look used.
  replaced.getInitArgsMutable()[sum.number].assign(makeConstant(rewriter, location, whole, neutral));
  Value old = replaced.getRegionIterArg(sum.number);
  replaced.getTiedLoopYieldedValue(mlir::cast<mlir::BlockArgument>(old))->set(old);

  rewriter.setInsertionPointAfter(replaced);
  Value total = reduceParts(rewriter, sum.term.reduce, replaced.getResults().back());
  if (total.getType() != whole)
    total = ttg::ConvertLayoutOp::create(rewriter, location, whole, total);
  if (!startsFromNothing && sum.scales.empty()) {
    Operation *last = rewriter.clone(*sum.term.reduce.getSingleCombiner());
    last->setOperands({init, total});
    last->getResult(0).setType(whole);
    total = last->getResult(0);
  }
  rewriter.replaceAllUsesWith(replaced.getResult(sum.number), total);
  return replaced;
}

void ReducePastLoops::runOnOperation() {
  if (getOperation()->hasAttr(ttg::reducesInLoopsName))
    return;
  llvm::SmallVector<mlir::scf::ForOp> loops; // inner ones first
  getOperation().walk([&](mlir::scf::ForOp loop) { loops.push_back(loop); });
  mlir::IRRewriter rewriter(&getContext());
  for (mlir::scf::ForOp loop : loops)
    for (unsigned number = 0, count = loop.getNumRegionIterArgs(); number < count; ++number)
      if (std::optional<Sum> sum = findSum(loop, number)) {
        loop = movePast(rewriter, loop, *sum);
        getOperation()->setAttr(ttg::reducesPastLoopsName, rewriter.getUnitAttr());
      }
}

std::unique_ptr<mlir::Pass> createReducePastLoopsPass() { return std::make_unique<ReducePastLoops>(); }

} // namespace nereid
