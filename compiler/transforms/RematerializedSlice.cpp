// Collects, weighs and copies what a conversion's source is computed from.
//
// Operations are collected backwards, down to splats, ranges and constants, or to values that have the wanted
// layout already. A value from outside ends the search, and so does an access of memory that is not tiny. If
// the conversion is to go, each operation's copies are made right after it. A value that is wanted in several
// layouts is computed in each of them.
//
// A loop that carries such a value carries another one beside it. A row that each round loads from a pointer
// that moves on is so loaded as it is needed:
//
//     scf.for … iter_args(%p = %row)                     scf.for … iter_args(%p = %row)
//       %x = tt.load %p                          →         %x = tt.load %p : #ttg.slice<…>
//       ttg.convert_layout %x : … -> #ttg.slice<…>         %next = tt.addptr %p, …
//       %next = tt.addptr %p, …                            scf.yield %next
//       scf.yield %next
//
// (DropDeadLoopValues then finds the old pointer.)
//
// A load that is made in another layout reads elements that other threads read and write in the accesses
// around it. Nothing keeps two warps together there: while one reads x for `store(q, trans(x))`, another may
// be at `store(p, x + 1)` already. Such loads are marked (movedLoadAttr), and PlaceBarriers puts barriers
// between them and writes of global memory, which still costs less than a way through shared memory. That
// does not help against other programs. Where they may be writing the same memory meanwhile, each element is
// loaded once: a volatile load, or one around the shared caches, and a load of what the kernel also accesses
// atomically or with volatile loads.
#include "compiler/transforms/RematerializedSlice.h"

#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/LoopRegisters.h"
#include "compiler/transforms/ScratchMemory.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace nereid {

using mlir::Attribute;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

bool isShortOfRegisters(ttg::ConvertLayoutOp convert, const RematerializationFacts &facts) {
  auto loop = convert->getParentOfType<mlir::scf::ForOp>();
  auto type = mlir::cast<RankedTensorType>(convert.getType());
  unsigned ofTile = nereid::getRegisters(type, ttg::getNumWarps(convert) * ttg::getThreadsPerWarp(convert));
  constexpr unsigned few = 16;
  if (!loop || ofTile < few)
    return false;
  auto [known, isNew] = facts.registersOfLoops.insert({loop, 0});
  if (isNew)
    known->second = estimateRegisters(loop);
  return known->second + ofTile + registersOfAddresses > getRegisterLimit(convert);
}

namespace {

/// Whether PipelineLoads may start the load rounds ahead.
bool mayRunAhead(tt::LoadOp load) {
  return mlir::isa<mlir::scf::ForOp>(load->getParentOp()) &&
         mlir::isa<ttg::BlockedEncodingAttr>(getLayout(load.getResult())) &&
         llvm::any_of(*load->getBlock(), [](Operation &op) {
           return mlir::isa<tt::DotOp, ttng::WarpGroupDotOp>(op) &&
                  mlir::isa<ttg::NvidiaMmaEncodingAttr>(getLayout(op.getResult(0)));
         });
}

/// Whether lanes that are neighbours read what lies at most a vector of 16 bytes apart, so that what a warp
/// reads together lies together.
bool readsTogether(tt::LoadOp load, Attribute layout) {
  auto type = mlir::cast<RankedTensorType>(load.getResult().getType());
  unsigned elements =
      ttg::toLinearLayout(type.getShape(), layout).getNumConsecutive(Dim::Register, tensorDim(0));
  return elements * tt::getElementBits(type) <= 128;
}

/// In a few instructions, or of a row in no more than it takes as it is. (Of a tile, as many instructions may
/// read many more lines.) A few more may be better than that warps meet (`mostForLone`).
bool mayLoadAgain(Operation *op, Attribute layout, int64_t mostForLone, const RematerializationFacts &facts) {
  constexpr int64_t fewInstructions = 4;
  auto load = mlir::dyn_cast<tt::LoadOp>(op);
  auto type = load ? mlir::dyn_cast<RankedTensorType>(load.getPtr().getType()) : RankedTensorType();
  if (!type)
    return false;
  int64_t most = std::max(fewInstructions, mostForLone);
  if (type.getRank() == 1 && readsTogether(load, layout))
    most = std::max(most, getLoadInstructions(load, getLayout(load.getResult()), facts.axes));
  return getLoadInstructions(load, layout, facts.axes) <= most && !looksAtOthers(load) &&
         !facts.contested.mayHold(load.getPtr()) && !(facts.beforePipelining && mayRunAhead(load));
}

/// Where the conversion goes through memory, and is all that warps meet for in a round of its loop: how many
/// instructions are little beside those that load the round's tiles, an eighth. None for other conversions.
int64_t getMostForLone(ttg::ConvertLayoutOp convert, const AxisInfoAnalysis &axes) {
  constexpr int64_t little = 8;
  auto loop = convert->getParentOfType<mlir::scf::ForOp>();
  if (!loop || getConversionKind(convert) != ConversionPlan::Kind::Shared)
    return 0;
  int64_t ofTiles = 0;
  mlir::WalkResult walk = loop.walk([&](Operation *op) {
    auto load = mlir::dyn_cast<tt::LoadOp>(op);
    auto type = load ? mlir::dyn_cast<RankedTensorType>(load.getPtr().getType()) : RankedTensorType();
    if (type && type.getRank() >= 2)
      ofTiles += getLoadInstructions(load, getLayout(load.getResult()), axes);
    bool mayMeet = op != convert && (meetsForMemory(op) || mlir::isa<tt::DotOp, ttng::WarpGroupDotOp>(op));
    return mayMeet ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  return walk.wasInterrupted() ? 0 : ofTiles / little;
}

/// Copies are made after their originals, so the order of originals is an order for copies. Operations of one
/// block compare by position, others by the blocks around them: an operand's block encloses its user's.
bool isBefore(Operation *a, Operation *b) {
  if (a->getBlock() == b->getBlock())
    return a->isBeforeInBlock(b);
  if (Operation *ancestor = a->getBlock()->findAncestorOpInBlock(*b))
    return a->isBeforeInBlock(ancestor);
  if (Operation *ancestor = b->getBlock()->findAncestorOpInBlock(*a))
    return ancestor->isBeforeInBlock(b);
  return false;
}

} // namespace

RematerializedSlice::RematerializedSlice(ttg::ConvertLayoutOp convert, const RematerializationFacts &facts,
                                         const llvm::DenseSet<Operation *> *dying)
    : convert(convert), facts(facts), dying(dying),
      isShuffled(getConversionKind(convert) == ConversionPlan::Kind::Lanes),
      mostForLone(getMostForLone(convert, facts.axes)) {}

bool RematerializedSlice::collect() { return collect(convert.getSrc(), getLayout(convert.getResult())); }

bool RematerializedSlice::collect(Value value, Attribute layout, int64_t neighbours) {
  if (!layout)
    return false;
  if (getLayout(value) == layout)
    return true;
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value))
    return collectCarried(argument, layout);
  Operation *op = value.getDefiningOp();
  if (op->getNumResults() != 1)
    return false;
  if (mlir::isa<ttg::ConvertLayoutOp>(op))
    return collect(op->getOperand(0), layout, neighbours);
  if (auto known = operations.find(op); known != operations.end())
    for (Copy &copy : known->second)
      if (copy.layout == layout) {
        copy.neighbours = std::min(copy.neighbours, neighbours);
        return true;
      }
  if (++count > 200)
    return false;
  if (auto load = mlir::dyn_cast<tt::LoadOp>(op); load && isShuffled)
    neighbours = getVectorElements(load, layout, facts.axes);
  Attribute operandLayout = layout;
  if (!mayLoadAgain(op, layout, mostForLone, facts) && !mlir::isa<ttg::LocalLoadOp>(op)) {
    if (mlir::isa<tt::ReduceOp, tt::ScanOp>(op) || !mlir::isPure(op) || !canHaveResultLayout(op, layout))
      return false;
    operandLayout = inferOperandLayout(op, layout);
  }
  operations[op].push_back({layout, operandLayout, neighbours});
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return !mlir::isa<RankedTensorType>(operand.getType()) || collect(operand, operandLayout, neighbours);
  });
}

bool RematerializedSlice::collectCarried(mlir::BlockArgument argument, Attribute layout) {
  auto loop = mlir::dyn_cast<mlir::scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar())
    return false;
  unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
  auto &ofLoop = carried[loop];
  if (llvm::any_of(ofLoop,
                   [&](const Carried &other) { return other.index == index && other.layout == layout; }))
    return true;
  if (++count > 200)
    return false;
  ofLoop.push_back({index, layout});
  return collect(loop.getInitArgs()[index], layout) && collect(loop.getYieldedValues()[index], layout);
}

bool RematerializedSlice::isKept(Operation *op) const {
  return llvm::any_of(op->getUses(), [&](mlir::OpOperand &use) { return keeps(use); });
}

/// An operation is counted once if only copies take it, as if the first of them took its place; which it does
/// not where one of those stays as well. Of indices and masks that is little. But ten rounds that mix bits to
/// random numbers are not to be computed in a second layout for the sake of the bit that they end in: aiter's
/// _attn_fwd with dropout had 37581 instructions for Triton's 25620.
int64_t RematerializedSlice::getCost() const {
  constexpr int64_t much = 1024;
  int64_t besideOriginals = getCostBesideOriginals();
  return besideOriginals >= much ? besideOriginals : getCost([&](Operation *op) { return isKept(op); });
}

int64_t RematerializedSlice::getCostBesideOriginals() const {
  llvm::DenseSet<Operation *> staying;
  llvm::SmallVector<Operation *> behind;
  auto stay = [&](Operation *op) {
    if (operations.contains(op) && staying.insert(op).second)
      behind.push_back(op);
  };
  for (const auto &[op, wanted] : operations)
    if (isKept(op))
      stay(op);
  while (!behind.empty())
    for (Value operand : behind.pop_back_val()->getOperands())
      if (Operation *source = operand.getDefiningOp())
        stay(source);
  return getCost([&](Operation *op) { return staying.contains(op); });
}

int64_t RematerializedSlice::getCost(llvm::function_ref<bool(Operation *)> stays) const {
  auto loop = convert->getParentOfType<mlir::LoopLikeOpInterface>();
  int64_t cost = 0;
  for (const auto &[around, values] : carried)
    for (const Carried &value : values) {
      auto argument = mlir::cast<mlir::scf::ForOp>(around).getRegionIterArg(value.index);
      int64_t bits = tt::getElementBits(argument.getType());
      cost += llvm::divideCeil(getRegisters(argument, value.layout) * bits, 32);
    }
  for (const auto &[op, wanted] : operations)
    cost += getCost(op, wanted, stays(op)) / (loop && !loop->isAncestor(op) ? roundsOfLoop : 1);
  return cost;
}

bool RematerializedSlice::keeps(mlir::OpOperand &use) const {
  Operation *user = use.getOwner();
  if (user == convert || operations.contains(user) || mlir::isa<ttg::ConvertLayoutOp>(user) ||
      (dying && dying->contains(user)))
    return false;
  // What a loop carries goes with the last that needs it there.
  bool isYield = mlir::isa<mlir::scf::YieldOp>(user);
  auto loop = mlir::dyn_cast<mlir::scf::ForOp>(isYield ? user->getParentOp() : user);
  if (!loop || !carried.contains(loop))
    return true;
  unsigned index = use.getOperandNumber() - (isYield ? 0 : loop.getNumControlOperands());
  mlir::BlockArgument argument = loop.getRegionIterArg(index);
  return !loop.getResult(index).use_empty() || llvm::any_of(argument.getUses(), [&](mlir::OpOperand &other) {
    return other.getOwner() != user && keeps(other);
  });
}

int64_t RematerializedSlice::getCost(Operation *op, llvm::ArrayRef<Copy> wanted, bool stays) const {
  // An operation that nobody else uses is not computed twice: the first copy takes its place.
  Value result = op->getResult(0);
  int64_t cost = 0;
  for (const Copy &copy : wanted) {
    if (auto load = mlir::dyn_cast<tt::LoadOp>(op)) {
      // Loading twice has to earn its place in the cache; loading elsewhere only takes the place of what was.
      // Shuffles take their turn in the same unit, and barriers hold up all of it; so neither comes before
      // loads of a few bytes of a warp, for barriers a quarter of a line.
      int64_t ofLines = getLoadCost(load, copy.layout, facts.axes);
      bool isNarrow = 4 * ofLines <= costOfLoad * getLoadInstructions(load, copy.layout, facts.axes);
      bool isByLines = isShuffled || (mostForLone && isNarrow && !stays);
      auto getCostIn = [&](Attribute layout) {
        return isByLines ? getLoadCost(load, layout, facts.axes)
                         : costOfLoad * getLoadInstructions(load, layout, facts.axes);
      };
      int64_t there = getCostIn(copy.layout), before = getCostIn(getLayout(result));
      cost += stays ? 2 * there : std::max<int64_t>(0, there - before);
    } else if (auto read = mlir::dyn_cast<ttg::LocalLoadOp>(op)) {
      int64_t before = stays ? 0 : getReadCost(read, getLayout(result));
      cost += std::max<int64_t>(0, getReadCost(read, copy.layout) - before);
    } else {
      // In another layout, more threads may compute the same.
      int64_t before = stays ? 0 : getRegisters(result, getLayout(result));
      int64_t registers = llvm::divideCeil(getRegisters(result, copy.layout), copy.neighbours);
      cost += getCostPerRegister(op) * std::max<int64_t>(0, registers - before);
    }
    stays = true;
  }
  return cost;
}

/// The copy of `value` in this layout, through conversions that were looked through; or the value itself, if
/// it has the layout already.
Value RematerializedSlice::lookup(Value value, Attribute layout) const {
  while (getLayout(value) != layout) {
    if (Value copy = copies.lookup({value, layout}))
      return copy;
    value = mlir::cast<ttg::ConvertLayoutOp>(value.getDefiningOp()).getSrc();
  }
  return value;
}

void RematerializedSlice::extendLoops() {
  llvm::MapVector<Operation *, llvm::SmallVector<Carried, 2>> extended;
  for (auto &entry : carried) {
    auto loop = mlir::cast<mlir::scf::ForOp>(entry.first);
    llvm::SmallVector<Carried, 2> &values = entry.second;
    mlir::IRRewriter rewriter(loop);
    llvm::SmallVector<Value> inits;
    auto convertTo = [&](OpBuilder &builder, Value value, Attribute layout) -> Value {
      return ttg::ConvertLayoutOp::create(builder, loop.getLoc(), withLayout(value.getType(), layout), value);
    };
    for (Carried &value : values) {
      value.copy = loop.getNumRegionIterArgs() + inits.size();
      inits.push_back(convertTo(rewriter, loop.getInitArgs()[value.index], value.layout));
    }
    auto yieldMore = [&](OpBuilder &builder, mlir::Location, llvm::ArrayRef<mlir::BlockArgument>) {
      llvm::SmallVector<Value> yields;
      for (const Carried &value : values)
        yields.push_back(convertTo(builder, loop.getYieldedValues()[value.index], value.layout));
      return yields;
    };
    auto replaced =
        loop.replaceWithAdditionalYields(rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, yieldMore);
    auto longer = mlir::cast<mlir::scf::ForOp>(*mlir::cast<mlir::LoopLikeOpInterface>(**replaced));
    for (const Carried &value : values)
      copies[{longer.getRegionIterArg(value.index), value.layout}] = longer.getRegionIterArg(value.copy);
    extended.insert({longer, values});
  }
  carried = std::move(extended);
}

void RematerializedSlice::finishLoops() {
  for (auto &[op, values] : carried) {
    auto loop = mlir::cast<mlir::scf::ForOp>(op);
    for (const Carried &value : values)
      for (mlir::OpOperand *operand : {&loop.getInitArgsMutable()[value.copy],
                                       &loop.getBody()->getTerminator()->getOpOperand(value.copy)}) {
        auto convert = operand->get().getDefiningOp<ttg::ConvertLayoutOp>();
        operand->set(lookup(convert.getSrc(), value.layout));
        convert.erase();
      }
  }
}

/// Whether each thread has the same elements of both, as of eight that all warps have, in a layout of one
/// axis and in a slice of one with two.
static bool holdSameElements(Value a, Value b) {
  return ttg::toLinearLayout(mlir::cast<RankedTensorType>(a.getType())) ==
         ttg::toLinearLayout(mlir::cast<RankedTensorType>(b.getType()));
}

Value RematerializedSlice::rewrite() {
  extendLoops();
  llvm::SmallVector<Operation *> ordered;
  for (auto &[op, wanted] : operations)
    ordered.push_back(op);
  llvm::sort(ordered, isBefore);
  for (Operation *op : ordered) {
    for (const Copy &wanted : operations[op]) {
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      Operation *copy = builder.clone(*op);
      for (mlir::OpOperand &operand : copy->getOpOperands())
        if (mlir::isa<RankedTensorType>(operand.get().getType()))
          operand.set(lookup(operand.get(), wanted.operandLayout));
      setLayout(copy->getResult(0), wanted.layout);
      if (mlir::isa<tt::LoadOp>(copy) && !holdSameElements(copy->getResult(0), op->getResult(0)))
        copy->setAttr(movedLoadAttr, builder.getUnitAttr());
      copies[{op->getResult(0), wanted.layout}] = copy->getResult(0);
    }
  }
  finishLoops();
  return lookup(convert.getSrc(), getLayout(convert.getResult()));
}

} // namespace nereid
