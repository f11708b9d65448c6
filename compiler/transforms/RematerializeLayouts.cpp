// Removes conversions by computing cheap values a second time, in the layout in which they are wanted.
//
// A tensor of indices that two accesses with different layouts need is better computed twice than sent
// through shared memory; and what is computed from a buffer on chip, as PipelineLoads makes them, is better
// read in the layout in which it is needed than read in another and sent through a second buffer: so the pass
// runs twice. A conversion goes if computing its source again, in the layout that is wanted, is possible
// (RematerializedSlice) and costs less (ConversionCosts).
//
// Where a loop has no registers left, a conversion in it costs more: its source waits for its turn, and is
// written to local memory meanwhile. A tile of 64x64 f32 beside two sums of that size, of two warps, is
// better read from its buffer twice.
//
// An exchange also holds up the tiles that a round loads behind it, as no load passes a barrier: all threads
// wait for what is exchanged, and for the tiles afterwards. So a row that has just been loaded may cost some
// more instructions where that spares the exchange.
//
// A conversion that must stay is moved to where there are the fewest elements, before broadcasts, and to
// where they are narrowest: before a widening cast, behind a narrowing one. Where what is converted is
// computed from less, that is converted instead (ConversionCut). Two with other shapes between become one.
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/transforms/ConversionCut.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ScratchMemory.h"

namespace nereid {

namespace arith = mlir::arith;
using mlir::Attribute;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct RematerializeLayouts : mlir::PassWrapper<RematerializeLayouts, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RematerializeLayouts)

  llvm::StringRef getArgument() const final { return "nereid-ttg-rematerialize"; }
  llvm::StringRef getDescription() const final {
    return "Compute cheap values again instead of converting layouts";
  }
  void runOnOperation() final;

  RematerializeLayouts() = default;
  RematerializeLayouts(const RematerializeLayouts &other) : PassWrapper(other) {}
  explicit RematerializeLayouts(bool aBeforePipelining) { beforePipelining = aBeforePipelining; }

private:
  Option<bool> beforePipelining{
      *this, "before-pipelining",
      llvm::cl::desc("Leave loads alone that PipelineLoads may start ahead; what it copies to memory on chip "
                     "can be read in any layout"),
      llvm::cl::init(false)};
};

/// Whether what a round has just loaded is exchanged, between barriers, before tiles that the round loads:
/// those start only when it has arrived.
bool holdsLoads(ttg::ConvertLayoutOp convert) {
  auto source = convert.getSrc().getDefiningOp<tt::LoadOp>();
  if (!source || source->getBlock() != convert->getBlock() ||
      !mlir::isa<mlir::scf::ForOp>(convert->getParentOp()) ||
      getConversionKind(ttg::toLinearLayout(convert.getSrc().getType()),
                        ttg::toLinearLayout(convert.getType())) != ConversionPlan::Kind::Shared)
    return false;
  return llvm::any_of(convert->getBlock()->getOps<tt::LoadOp>(), [&](tt::LoadOp load) {
    auto type = mlir::dyn_cast<RankedTensorType>(load.getType());
    return type && type.getRank() >= 2 && convert->isBeforeInBlock(load);
  });
}

unsigned getBits(Value value) { return tt::getElementBits(value.getType()); }

bool isCast(Operation *op) {
  return op &&
         mlir::isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncFOp, arith::TruncIOp,
                   tt::FpToFpOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp>(op);
}

/// Puts a conversion before the operation that computes its source, of which the wanted layout then asks for
/// the operand's. Users of the source in other layouts keep the original. The conversion that is left is
/// returned; null where the operand can't be converted for that.
ttg::ConvertLayoutOp moveBefore(ttg::ConvertLayoutOp convert, Operation *before) {
  Attribute layout = inferOperandLayout(before, getLayout(convert.getResult()));
  Value operand = before->getOperand(0);
  if (!layout || before->getNumOperands() != 1 || !mlir::isa<RankedTensorType>(operand.getType()))
    return {};
  OpBuilder builder(convert);
  auto moved =
      ttg::ConvertLayoutOp::create(builder, convert.getLoc(), withLayout(operand.getType(), layout), operand);
  Operation *copy = builder.clone(*before);
  copy->setOperand(0, moved);
  copy->getResult(0).setType(convert.getType());
  convert.getResult().replaceAllUsesWith(copy->getResult(0));
  convert.erase();
  if (before->use_empty())
    before->erase();
  return moved;
}

/// Moves a conversion to where there are fewer elements: before broadcasts of its source.
ttg::ConvertLayoutOp moveOverBroadcasts(ttg::ConvertLayoutOp convert) {
  while (Operation *before = convert.getSrc().getDefiningOp()) {
    if (!mlir::isa<tt::BroadcastOp, tt::ExpandDimsOp>(before))
      break;
    ttg::ConvertLayoutOp moved = moveBefore(convert, before);
    if (!moved)
      break;
    convert = moved;
  }
  return convert;
}

/// Layouts of different kinds may be the same map, as one that a reshape asks for and the one of the tile
/// that is reshaped. A second conversion of what is loaded to the same map becomes one of the first one's
/// result, which costs nothing, so that it is loaded once where it is loaded as it is needed. (Where it is
/// converted all the same, the canonicalizer takes that back.)
void shareEqualLayouts(llvm::ArrayRef<ttg::ConvertLayoutOp> conversions) {
  llvm::DenseMap<Value, llvm::SmallVector<ttg::ConvertLayoutOp, 2>> bySource;
  for (ttg::ConvertLayoutOp convert : conversions) {
    if (!convert.getSrc().getDefiningOp<tt::LoadOp>())
      continue;
    auto &others = bySource[convert.getSrc()];
    LinearLayout layout = ttg::toLinearLayout(convert.getType());
    auto found = llvm::find_if(others, [&](ttg::ConvertLayoutOp other) {
      return other->getBlock() == convert->getBlock() && other.getType() != convert.getType() &&
             ttg::toLinearLayout(other.getType()) == layout;
    });
    if (found == others.end()) {
      others.push_back(convert);
      continue;
    }
    if (convert->isBeforeInBlock(*found))
      (*found)->moveBefore(convert);
    convert.getSrcMutable().assign(found->getResult());
  }
}

/// Moves a conversion to the narrow side of a cast next to it. True if it moved.
bool moveOverCast(ttg::ConvertLayoutOp convert) {
  Operation *before = convert.getSrc().getDefiningOp();
  if (isCast(before) && getBits(before->getOperand(0)) < getBits(before->getResult(0)) &&
      moveBefore(convert, before))
    return true;
  Operation *after = convert->hasOneUse() ? *convert->user_begin() : nullptr;
  if (isCast(after) && getBits(after->getResult(0)) < getBits(after->getOperand(0))) {
    OpBuilder builder(convert->getContext());
    builder.setInsertionPointAfter(after);
    mlir::Type wantedType = after->getResult(0).getType();
    after->setOperand(0, convert.getSrc());
    setLayout(after->getResult(0), getLayout(convert.getSrc()));
    auto moved = ttg::ConvertLayoutOp::create(builder, convert.getLoc(), wantedType, after->getResult(0));
    after->getResult(0).replaceAllUsesExcept(moved, moved);
    convert.erase();
    return true;
  }
  return false;
}

/// Makes one conversion of two with nothing but other shapes between them:
///
///     convert (trans (reshape (convert %x)))    →    trans (reshape (convert %x))
///
/// The layout that is wanted behind the shapes is one before them.
void mergeOverShapes(ttg::ConvertLayoutOp convert) {
  llvm::SmallVector<Operation *, 4> shapes;
  llvm::SmallVector<Attribute, 4> layouts{getLayout(convert.getResult())}; // of the result of each
  Value source = convert.getSrc();
  while (Operation *op = source.getDefiningOp()) {
    auto reshape = mlir::dyn_cast<tt::ReshapeOp>(op);
    if (!mlir::isa<tt::TransOp>(op) && !(reshape && !reshape.getAllowReorder()))
      break;
    shapes.push_back(op);
    layouts.push_back(inferOperandLayout(op, layouts.back()));
    if (!layouts.back())
      return;
    source = op->getOperand(0);
  }
  auto first = source.getDefiningOp<ttg::ConvertLayoutOp>();
  if (!first || shapes.empty())
    return;
  OpBuilder builder(convert);
  Value value = ttg::ConvertLayoutOp::create(builder, convert.getLoc(),
                                             withLayout(first.getType(), layouts.back()), first.getSrc());
  for (auto [op, layout] : llvm::reverse(llvm::zip(shapes, llvm::ArrayRef(layouts).drop_back()))) {
    Operation *copy = builder.clone(*op);
    copy->setOperand(0, value);
    value = copy->getResult(0);
    value.setType(mlir::cast<RankedTensorType>(withLayout(value.getType(), layout)));
  }
  convert.getResult().replaceAllUsesWith(value);
  convert.erase();
  eraseDead(shapes.front());
}

void RematerializeLayouts::runOnOperation() {
  // Types and copies change, addresses do not: what is known of the originals stays true.
  std::optional<RematerializationFacts> facts(std::in_place, getOperation(), beforePipelining);
  // The last conversions first: they may look through earlier ones, which are then no longer needed.
  llvm::SmallVector<ttg::ConvertLayoutOp> conversions;
  getOperation().walk([&](ttg::ConvertLayoutOp convert) {
    if (!isForScalarProducts(convert))
      conversions.push_back(convert);
  });
  // Uses of one source in one layout share a conversion by now, and from here on also the conversions of what
  // is broadcast to different shapes; CSE finds those.
  for (ttg::ConvertLayoutOp &convert : conversions)
    convert = moveOverBroadcasts(convert);
  shareEqualLayouts(conversions);
  llvm::SmallVector<ttg::ConvertLayoutOp> remaining;
  auto computeAgain = [&](llvm::ArrayRef<ttg::ConvertLayoutOp> of) {
    for (ttg::ConvertLayoutOp convert : llvm::reverse(of)) {
      if (convert->use_empty()) {
        convert.erase();
        continue;
      }
      RematerializedSlice slice(convert, *facts);
      constexpr int64_t costOfSpills = 4; // as a multiple
      constexpr int64_t costOfHeldLoads = 2 * costOfLoad;
      if (!slice.collect() ||
          slice.getCost() >
              getConversionCost(convert) * (isShortOfRegisters(convert, *facts) ? costOfSpills : 1) +
                  (holdsLoads(convert) ? costOfHeldLoads : 0)) {
        remaining.push_back(convert);
        continue;
      }
      convert.getResult().replaceAllUsesWith(slice.rewrite());
      if (slice.changesLoops())
        facts.emplace(getOperation(), beforePipelining);
      Operation *source = convert.getSrc().getDefiningOp();
      convert.erase();
      // Originals that only served the conversion go, so that what they used becomes cheaper to copy.
      eraseDead(source);
    }
  };
  computeAgain(conversions);
  // What is left is made of less where that is cheaper. Of a narrowing cast the other side is.
  auto isNarrowedBehind = [](ttg::ConvertLayoutOp convert) {
    Operation *after = convert->hasOneUse() ? *convert->user_begin() : nullptr;
    return isCast(after) && getBits(after->getResult(0)) < getBits(after->getOperand(0));
  };
  llvm::erase_if(remaining, [](ttg::ConvertLayoutOp convert) { return convert->use_empty(); });
  KnownConversions known;
  for (ttg::ConvertLayoutOp convert : remaining)
    known[{convert.getSrc(), getLayout(convert.getResult())}] = convert;
  llvm::SmallVector<ttg::ConvertLayoutOp> candidates = std::exchange(remaining, {}), added;
  for (auto [i, convert] : llvm::enumerate(candidates)) {
    Sharers sharers; // anew, as values go
    for (ttg::ConvertLayoutOp other : llvm::ArrayRef(candidates).drop_front(i))
      ConversionCut::count(other, sharers);
    ConversionCut cut(convert, *facts, sharers, known);
    if (!isNarrowedBehind(convert) && cut.isBetter())
      llvm::append_range(added, cut.rewrite());
    else
      remaining.push_back(convert);
  }
  computeAgain(added);
  for (ttg::ConvertLayoutOp convert : remaining)
    if (!convert->use_empty())
      moveOverCast(convert);
  getOperation().walk([](ttg::ConvertLayoutOp convert) { mergeOverShapes(convert); });
}

} // namespace

std::unique_ptr<mlir::Pass> createRematerializeLayoutsPass(bool beforePipelining) {
  return std::make_unique<RematerializeLayouts>(beforePipelining);
}

} // namespace nereid
