// Chooses one layout for every tensor, so that few conversions remain.
//
// The layouts of anchors (memory accesses, products) are given. From them layouts spread through the program,
// each tensor taking the first that reaches it:
//
//   1. Forward, from the results of anchors to what is computed from them. Conversions are looked through. A
//      reduction's result becomes a slice, and expand_dims of that slice comes back to the layout that it was
//      reduced from, so a row's maximum meets the row without moving. Seven waves, one after another:
//        - from matrix units' products. What sums meet is brought to them, in as few bits as it was loaded,
//          rather than sums in f32 to it, and what a loop carries from product to product never moves: sums
//          of one loop that go on in another one, whose products lie otherwise, move once between the two.
//          Brought to sums is also a tile of which everything that is computed meets some: for q * exp(g)
//          and k * exp(-g) it is g, once. Outside loops, a tile of 32-bit elements is loaded there in the
//          first place: a row of a warp's sums is as long as a sector of memory;
//        - from loads outside loops all of which goes, element by element and in scans, to two stores or more
//          of another layout, in no fewer bits: it is brought to them as it was loaded, once rather than once
//          for each store, and scans run along the lanes that store neighbours;
//        - from loads of which bytes are stored along the other axis of the tile: a thread loads as many rows
//          as make a word of these (TransposedTiles.h);
//        - from loads that are split into halves: what the halves meet, an angle for each pair, say, is
//          brought to them rather than both of them to it, and the results, joined, lie as the load does;
//        - from other anchors: loaded elements stay in the threads that loaded them;
//        - from tiles that are loaded element by element, as nothing is known of their addresses: they are
//          brought to what vectors have brought, and that is stored as it lies;
//        - from loads of more elements than there are warps but fewer than threads, and from those that are
//          compared and no more: what is left of 64-bit indices is a bit each, which is brought to what it
//          chooses from.
//      A loop without products gets its layouts from the loads in it first: a sum of products that goes on
//      there is moved once before the loop, not what is added to it in each round.
//      None of them passes a broadcast: the layout of a column would give each thread of a tile a whole row.
//   2. Backward, from anchors and from everything that has a layout now, to operands that have none:
//      addresses, masks, constants, broadcasts. They are computed in the layout in which they are used.
//      So are factors that go to memory on chip, in vectors, where no load has given them a layout.
//      Then forward from loads of an element a warp or less, such as coordinates of a tile's rows: what is
//      computed of them is computed beside the rows that it is for, where a thread has no more of it.
//   3. Forward from splits whose halves lie in different threads, where no use has asked for anything else:
//      threads exchange as little as brings the halves together, so that a row of butterflies, each of which
//      splits the sums of the one before, moves half of its elements once a stage.
//   4. Forward from everything that has a layout by now: what is computed beside it, of things that lie
//      nowhere yet. Where elements are sorted with their places, broadcasts are compared, which have their
//      layout from step 2, and the places go where the condition is. Only where a thread holds no more by it,
//      or a few: a row of a product's sums, say, would be computed by many threads.
//   5. Forward again, through the broadcasts that no layout has reached.
//   6. Large tiles that are left, computed of rows and columns alone, and what meets them: evenly over both
//      axes.
//
// A store of few elements, such as one number a row, gives way: it is done in the layout in which its value
// was computed, if that takes a thread only few registers. A conversion would cost more than coalescing
// gains. Not so where a load may come behind it that reads the same memory: kernels hand themselves numbers
// that way, and count on it that a thread loads what it has stored, as it does with the layouts that are best
// for memory.
//
// What a loop carries has one layout throughout: the block argument and the loop's result are bound together
// and take a layout as one, be it from the initial value, from the value of the next iteration, or from a
// use.
//
// Then types are changed in place, the old conversions are dropped, and a conversion is put before each use
// that wants another layout than its operand has. Those are the conversions that are really needed, or that
// the next pass removes by computing cheap values twice.
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/PointerRoots.h"
#include "compiler/transforms/ScanLayout.h"
#include "compiler/transforms/ScratchMemory.h"
#include "compiler/transforms/TransposedTiles.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

#include "llvm/ADT/SetVector.h"

#include <deque>

namespace nereid {

using mlir::Attribute;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::OpOperand;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct AssignLayouts : mlir::PassWrapper<AssignLayouts, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AssignLayouts)

  llvm::StringRef getArgument() const final { return "nereid-ttg-assign-layouts"; }
  llvm::StringRef getDescription() const final { return "Spread layouts of memory accesses and products"; }
  void runOnOperation() final;
};

/// What it does no harm that many threads hold, each the same.
constexpr unsigned fewRegisters = 4;

bool isTensor(Value value) { return mlir::isa<RankedTensorType>(value.getType()); }

unsigned countRegisters(RankedTensorType type, Attribute layout) {
  return ttg::toLinearLayout(type.getShape(), layout).getInSize(Dim::Register);
}

/// Whether matrix units multiply somewhere in the operation's regions.
bool hasMatrixProducts(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        bool isProduct = mlir::isa<tt::DotOp, ttng::WarpGroupDotOp>(inner) &&
                         mlir::isa<ttg::NvidiaMmaEncodingAttr>(getLayout(inner->getResult(0)));
        return isProduct ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// The values that one use hands its operand to: a loop's block argument, an if's result. Empty for other
/// uses.
llvm::SmallVector<Value, 2> getReceivers(OpOperand &use) {
  Operation *op = use.getOwner();
  unsigned index = use.getOperandNumber();
  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op)) {
    unsigned first = loop.getNumControlOperands();
    return index < first ? llvm::SmallVector<Value, 2>()
                         : llvm::SmallVector<Value, 2>{loop.getRegionIterArg(index - first)};
  }
  if (auto loop = mlir::dyn_cast<mlir::scf::WhileOp>(op))
    return {loop.getBeforeArguments()[index]};
  if (auto condition = mlir::dyn_cast<mlir::scf::ConditionOp>(op)) {
    if (index == 0)
      return {};
    return {mlir::cast<mlir::scf::WhileOp>(op->getParentOp()).getAfterArguments()[index - 1]};
  }
  if (mlir::isa<mlir::scf::YieldOp>(op)) {
    if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op->getParentOp()))
      return {loop.getRegionIterArg(index)};
    if (auto loop = mlir::dyn_cast<mlir::scf::WhileOp>(op->getParentOp()))
      return {loop.getBeforeArguments()[index]};
    if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op->getParentOp()))
      return {branch.getResult(index)};
  }
  return {};
}

/// The values bound to this one, itself included: a loop's block argument and its result.
llvm::SmallVector<Value, 2> getBound(Value value) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  Operation *op = argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  unsigned index = argument ? argument.getArgNumber() : mlir::cast<mlir::OpResult>(value).getResultNumber();
  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op)) {
    unsigned carried = argument ? index - loop.getNumInductionVars() : index;
    return {loop.getRegionIterArg(carried), loop.getResult(carried)};
  }
  if (auto loop = mlir::dyn_cast<mlir::scf::WhileOp>(op))
    if (!argument || argument.getOwner()->getParent() == &loop.getAfter())
      return {loop.getAfterArguments()[index], loop.getResult(index)};
  return {value};
}

/// The operands whose values arrive in a block argument or result of control flow. Empty for other values.
llvm::SmallVector<OpOperand *, 2> getSenders(Value value) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  Operation *op = argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  unsigned index = argument ? argument.getArgNumber() : mlir::cast<mlir::OpResult>(value).getResultNumber();
  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op)) {
    unsigned carried = argument ? index - loop.getNumInductionVars() : index;
    return {&loop.getInitArgsMutable()[carried], &loop.getBody()->getTerminator()->getOpOperand(carried)};
  }
  if (auto loop = mlir::dyn_cast<mlir::scf::WhileOp>(op)) {
    if (argument && argument.getOwner()->getParent() == &loop.getBefore())
      return {&loop->getOpOperand(index), &loop.getYieldOp()->getOpOperand(index)};
    return {&loop.getConditionOp()->getOpOperand(index + 1)};
  }
  if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op))
    return {&branch.thenYield()->getOpOperand(index), &branch.elseYield()->getOpOperand(index)};
  return {};
}

/// Which anchors' results spread first.
enum class Rank { Product, Halved, Large, Single, Small, Tiny };

/// Loads of which something is split into halves, element by element until then.
llvm::DenseSet<Value> findHalvedLoads(mlir::ModuleOp module) {
  llvm::DenseSet<Value> seen, loads;
  llvm::SmallVector<Value> pending;
  module.walk([&](tt::SplitOp split) { pending.push_back(split.getSrc()); });
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !isTensor(value) || !seen.insert(value).second)
      continue;
    if (mlir::isa<tt::LoadOp>(op))
      loads.insert(value);
    else if (op->hasTrait<mlir::OpTrait::Elementwise>() ||
             mlir::isa<tt::ReshapeOp, tt::TransOp, ttg::ConvertLayoutOp>(op))
      llvm::append_range(pending, op->getOperands());
  }
  return loads;
}

/// Whether nothing is left of a value but the results of comparisons.
bool isComparedAlone(Value value) {
  return !value.use_empty() && llvm::all_of(value.getUsers(), [](Operation *user) {
    return mlir::isa<mlir::arith::CmpIOp, mlir::arith::CmpFOp>(user) ||
           (mlir::isa<ttg::ConvertLayoutOp>(user) && isComparedAlone(user->getResult(0)));
  });
}

Rank getRank(Value value, const llvm::DenseSet<Value> &halved) {
  Operation *op = value.getDefiningOp();
  auto type = mlir::cast<RankedTensorType>(value.getType());
  LinearLayout layout = ttg::toLinearLayout(type);
  bool isCopiedByWarps = layout.getFreeVariableMask(Dim::Warp) != 0;
  if (op && mlir::isa<tt::DotOp, ttng::WarpGroupDotOp>(op) &&
      mlir::isa<ttg::NvidiaMmaEncodingAttr>(type.getEncoding()) && !isCopiedByWarps)
    return Rank::Product;
  if (op && mlir::isa<tt::LoadOp>(op) && type.getNumElements() <= ttg::getNumWarps(op))
    return Rank::Tiny;
  if (op && mlir::isa<tt::LoadOp>(op) &&
      (type.getNumElements() < ttg::getNumWarps(op) * ttg::getThreadsPerWarp(op) || isComparedAlone(value)))
    return Rank::Small;
  if (halved.contains(value))
    return Rank::Halved;
  auto blocked = mlir::dyn_cast<ttg::BlockedEncodingAttr>(type.getEncoding());
  bool isSingle = op && mlir::isa<tt::LoadOp>(op) && type.getRank() > 1 && blocked &&
                  llvm::all_of(blocked.getSizePerThread(), [](unsigned size) { return size == 1; });
  return isSingle ? Rank::Single : Rank::Large;
}

class Assignment {
public:
  explicit Assignment(mlir::ModuleOp module) : module(module), roots(module) {
    module.walk([&](Operation *op) {
      isShared |= mlir::isa<tt::CallOp>(op) || (mayWriteGlobal(op) && !mlir::isa<tt::StoreOp>(op));
    });
  }

  void spread();
  void rewrite();

private:
  /// Gives a value and those bound to it a layout, if they have none yet and can have this one.
  void assign(Value value, Attribute layout);
  void drainForward();
  void drainBackward();
  void spreadForward(Value value);
  void spreadBackward(Value value);
  void wantOperands(Operation *op);
  void storeInVectors(ttg::LocalAllocOp alloc);
  void spreadEvenly(Operation *op);
  void letSmallStoreGiveWay(tt::StoreOp store);
  bool mayBeLoadedAgain(tt::StoreOp store);
  void meetSums(tt::LoadOp load);
  void meetStores(tt::LoadOp load);
  bool findMeeting(Value value, Attribute &meeting);
  void loadWordsOfColumns(tt::LoadOp load);

  /// The layout that this use needs; null where any will do.
  Attribute getWanted(OpOperand &use);

  mlir::ModuleOp module;
  PointerRootAnalysis roots;
  bool passesBroadcasts = false, entersAllLoops = false;
  /// Takes no layout by which a thread holds more than by the one that there is, unless that is few.
  bool sparesRegisters = false;
  bool isShared = false;                // global memory, with other programs while this one runs
  llvm::SmallVector<Value> heldBack;    // what is broadcast
  llvm::SmallVector<Value> beforeLoops; // what enters loops without products
  std::deque<OpOperand *> entries;      // into loops with products, which take what is in them first
  llvm::DenseMap<Value, Attribute> layouts;
  /// What anchors demand of their operands.
  llvm::DenseMap<OpOperand *, Attribute> demands;
  std::deque<Value> forward, backward;
};

/// Whether threads would hold many copies of what a result of this layout is reduced from. A few numbers fit
/// any layout, also that of an axis with one element, by which each thread has all: they are better
/// converted.
static bool reducesCopies(Operation *op, Attribute layout) {
  constexpr int64_t someRegisters = 32, manyTimes = 4;
  auto reduce = mlir::dyn_cast<tt::ReduceOp>(op);
  Attribute operandLayout = reduce ? inferOperandLayout(op, layout) : Attribute();
  if (!operandLayout)
    return false;
  auto type = mlir::cast<RankedTensorType>(reduce.getSrcs()[0].getType());
  int64_t registers = countRegisters(type, operandLayout);
  return registers > someRegisters && registers >= manyTimes * countRegisters(type, type.getEncoding());
}

void Assignment::assign(Value value, Attribute layout) {
  if (!layout || !isTensor(value) || layouts.count(value))
    return;
  if (Operation *op = value.getDefiningOp()) {
    if (op->getNumRegions() == 0 || mlir::isa<tt::ReduceOp, tt::ScanOp, tt::MapElementwiseOp>(op))
      if (!mlir::isa<ttg::ConvertLayoutOp>(op) && !canHaveResultLayout(op, layout))
        return;
    if (reducesCopies(op, layout))
      return;
  }
  auto type = mlir::cast<RankedTensorType>(value.getType());
  if (sparesRegisters &&
      countRegisters(type, layout) > std::max(fewRegisters, countRegisters(type, type.getEncoding())))
    return;
  for (Value bound : getBound(value)) {
    layouts[bound] = layout;
    forward.push_back(bound);
    backward.push_back(bound);
  }
}

void Assignment::spread() {
  // Anchors first, all of them, so that nothing else can claim what they fix.
  llvm::SmallVector<Value> fixed;
  module.walk([&](Operation *op) {
    if (auto function = mlir::dyn_cast<tt::FuncOp>(op))
      for (Value argument : function.getArguments())
        if (isTensor(argument))
          fixed.push_back(argument);
    if (!isLayoutAnchor(op))
      return;
    for (OpOperand &operand : op->getOpOperands())
      if (isTensor(operand.get()))
        demands[&operand] = getLayout(operand.get());
    for (Value result : op->getResults())
      if (isTensor(result))
        fixed.push_back(result);
  });
  for (Value value : fixed)
    layouts[value] = getLayout(value);

  llvm::DenseSet<Value> halved = findHalvedLoads(module);
  for (Rank rank : {Rank::Product, Rank::Halved, Rank::Large, Rank::Single, Rank::Small}) {
    for (Value value : fixed)
      if (getRank(value, halved) == rank)
        forward.push_back(value);
    drainForward();
    if (rank == Rank::Product) {
      module.walk([&](tt::LoadOp load) { meetSums(load); });
      drainForward();
      module.walk([&](tt::LoadOp load) { meetStores(load); });
      drainForward();
      module.walk([&](tt::LoadOp load) { loadWordsOfColumns(load); });
      drainForward();
    }
    entersAllLoops = true;
    if (rank == Rank::Large) {
      forward.assign(beforeLoops.begin(), beforeLoops.end());
      drainForward();
    }
  }
  module.walk([&](tt::StoreOp store) { letSmallStoreGiveWay(store); });
  module.walk([&](Operation *op) {
    if (isLayoutAnchor(op))
      wantOperands(op);
  });
  module.walk([&](ttg::LocalAllocOp alloc) { storeInVectors(alloc); });
  // What backward steps reach does not spread forward at once: its other users have layouts of their own to
  // ask for.
  drainBackward();

  forward.clear();
  for (Value value : fixed)
    if (getRank(value, halved) == Rank::Tiny)
      forward.push_back(value);
  drainForward();
  drainBackward();

  // Then what comes of halves that lie in different threads.
  forward.clear();
  module.walk([&](tt::SplitOp split) {
    if (Attribute layout = layouts.lookup(split.getSrc()); layout && !layouts.count(split.getOutLHS()))
      for (Value half : split.getResults())
        assign(half, inferSplitByExchange(split, layout));
    drainForward();
  });
  drainBackward();

  // Then what is computed of something that a use has given a layout.
  forward.clear();
  module.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (layouts.count(result))
        forward.push_back(result);
  });
  sparesRegisters = true;
  drainForward();
  sparesRegisters = false;
  drainBackward();

  passesBroadcasts = true;
  forward.clear();
  llvm::append_range(forward, heldBack);
  drainForward();
  drainBackward();

  // Last, what is left.
  module.walk([&](Operation *op) { spreadEvenly(op); });
}

void Assignment::drainForward() {
  while (!forward.empty() || !entries.empty()) {
    if (forward.empty()) {
      OpOperand *entry = entries.front();
      entries.pop_front();
      for (Value receiver : getReceivers(*entry))
        assign(receiver, layouts[entry->get()]);
      continue;
    }
    Value value = forward.front();
    forward.pop_front();
    spreadForward(value);
  }
}

void Assignment::drainBackward() {
  while (!backward.empty()) {
    Value value = backward.front();
    backward.pop_front();
    spreadBackward(value);
  }
}

void Assignment::spreadForward(Value value) {
  Attribute layout = layouts[value];
  for (OpOperand &use : value.getUses()) {
    Operation *op = use.getOwner();
    if (!entersAllLoops && mlir::isa<mlir::LoopLikeOpInterface>(op)) {
      if (hasMatrixProducts(op))
        entries.push_back(&use);
      else
        beforeLoops.push_back(value);
      continue;
    }
    for (Value receiver : getReceivers(use))
      assign(receiver, layout);
    if (op->hasTrait<mlir::OpTrait::IsTerminator>() || mlir::isa<mlir::RegionBranchOpInterface>(op))
      continue;
    if (mlir::isa<tt::BroadcastOp>(op) && !passesBroadcasts) {
      heldBack.push_back(value);
      continue;
    }
    Attribute resultLayout = inferResultLayout(op, layout);
    for (Value result : op->getResults())
      assign(result, resultLayout);
  }
}

/// Whether everything that is computed from a value meets sums of matrix units in one layout, or is reduced.
bool Assignment::findMeeting(Value value, Attribute &meeting) {
  for (Operation *user : value.getUsers()) {
    if (mlir::isa<tt::ReduceOp>(user))
      continue;
    if (!user->hasTrait<mlir::OpTrait::Elementwise>() && !mlir::isa<ttg::ConvertLayoutOp>(user))
      return false;
    Value result = user->getResult(0);
    Attribute layout = layouts.lookup(result);
    if (!layout) {
      if (!findMeeting(result, meeting))
        return false;
      continue;
    }
    if (!mlir::isa<ttg::NvidiaMmaEncodingAttr>(layout) || (meeting && layout != meeting))
      return false;
    meeting = layout;
  }
  return true;
}

/// Whether a warp that loads in the layout of sums reads whole sectors of memory: two of a row's neighbours
/// in a thread, eight in four lanes.
static bool fillsSectors(tt::LoadOp load) {
  constexpr unsigned bits = 32;
  auto type = mlir::cast<RankedTensorType>(load.getType());
  auto blocked = mlir::dyn_cast<ttg::BlockedEncodingAttr>(type.getEncoding());
  return blocked && tt::getElementBits(type.getElementType()) == bits && blocked.getOrder()[0] == 1 &&
         blocked.getSizePerThread()[1] > 1;
}

/// Loops are left alone: PipelineLoads copies to memory on chip what they load. Small tiles are loaded as is
/// best for memory: a kernel of Liger that waits for nothing else lost a seventh in the layout of sums. Where
/// sums take most registers, as large ones do, there is more to win.
void Assignment::meetSums(tt::LoadOp load) {
  auto type = mlir::dyn_cast<RankedTensorType>(load.getType());
  Attribute layout;
  if (!type || type.getRank() != 2 || load->getParentOfType<mlir::LoopLikeOpInterface>() ||
      !findMeeting(load.getResult(), layout) || !layout)
    return;
  constexpr int64_t manyRegisters = 64;
  bool isLarge = countRegisters(type, layout) >= manyRegisters;
  bool mayBeAnywhere = !looksAtOthers(load) && !isShared;
  if (isLarge && mayBeAnywhere && fillsSectors(load)) {
    layouts[load.getResult()] = layout;
    load->setAttr(movedLoadAttr, mlir::UnitAttr::get(load.getContext()));
    for (OpOperand &operand : load->getOpOperands())
      if (isTensor(operand.get()))
        demands[&operand] = layout;
  }
  for (Operation *user : load->getUsers())
    assign(user->getResult(0), inferResultLayout(user, layout));
}

/// What becomes of a value on its way to stores: what an operation makes of it goes on, ends there without
/// harm, or is in their way.
enum class Way { On, End, Blocked };

/// Adds the stores to which all of a value goes, and the operations between; false if some of it is blocked.
static bool findStores(Value value, llvm::function_ref<Way(Operation *)> getWay,
                       llvm::SetVector<Operation *> &between, llvm::SetVector<tt::StoreOp> &stores) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (auto store = mlir::dyn_cast<tt::StoreOp>(user)) {
      if (use.get() != store.getValue())
        return false;
      stores.insert(store);
      continue;
    }
    Way way = getWay(user);
    if (way == Way::End)
      continue;
    if (way == Way::Blocked || user->getNumResults() != 1 ||
        (between.insert(user) && !findStores(user->getResult(0), getWay, between, stores)))
      return false;
  }
  return true;
}

void Assignment::meetStores(tt::LoadOp load) {
  auto type = mlir::dyn_cast<RankedTensorType>(load.getType());
  // Element by element and in scans, and not to what has a layout.
  auto getWay = [&](Operation *user) {
    bool passes =
        user->hasTrait<mlir::OpTrait::Elementwise>() || mlir::isa<ttg::ConvertLayoutOp, tt::ScanOp>(user);
    return passes && !layouts.count(user->getResult(0)) ? Way::On : Way::Blocked;
  };
  llvm::SetVector<Operation *> between;
  llvm::SetVector<tt::StoreOp> stores;
  if (!type || type.getRank() < 2 || load->getParentOfType<mlir::LoopLikeOpInterface>() ||
      !findStores(load.getResult(), getWay, between, stores) || stores.size() < 2)
    return;
  tt::StoreOp first = stores.front();
  Attribute layout = getLayout(first.getValue());
  for (tt::StoreOp store : stores) {
    mlir::Type stored = store.getValue().getType();
    if (getLayout(stored) != layout ||
        tt::getElementBits(type.getElementType()) > tt::getElementBits(mlir::getElementTypeOrSelf(stored)))
      return;
  }
  if (layout == type.getEncoding())
    return;
  for (Operation *user : load->getUsers())
    assign(user->getResult(0), inferResultLayout(user, layout));
}

static Attribute passForward(Operation *op, Attribute layout) {
  return mlir::isa<ttg::ConvertLayoutOp>(op) ? layout : inferResultLayout(op, layout);
}

/// The layout of a tile by which what is stored has the layout of its store.
static Attribute findLayoutOfStore(Value tile, tt::StoreOp store, llvm::SetVector<Operation *> &between) {
  Attribute layout = getLayout(store.getValue());
  for (Value value = store.getValue(); value != tile && layout;) {
    Operation *op = value.getDefiningOp();
    if (!mlir::isa<ttg::ConvertLayoutOp>(op))
      layout = inferOperandLayout(op, layout);
    value = *llvm::find_if(op->getOperands(), [&](Value operand) {
      return operand == tile || between.contains(operand.getDefiningOp());
    });
  }
  return layout;
}

/// Of what goes to stores along the other axis, in bytes, a thread loads rows that make words of them
/// (TransposedTiles.h).
void Assignment::loadWordsOfColumns(tt::LoadOp load) {
  auto type = mlir::dyn_cast<RankedTensorType>(load.getType());
  if (!type || type.getRank() != 2 || looksAtOthers(load) || isShared ||
      hasMatrixProducts(load->getParentOfType<tt::FuncOp>()))
    return;
  std::optional<unsigned> axis = findVectorAxis(type.getShape(), type.getEncoding());
  std::optional<TransposingLayouts> found = findTransposingLayouts(type);
  // As it is, turned, or element by element.
  auto getWay = [](Operation *user) {
    if (mlir::isa<tt::ReduceOp>(user))
      return Way::End;
    bool passes = user->hasTrait<mlir::OpTrait::Elementwise>() ||
                  mlir::isa<ttg::ConvertLayoutOp, tt::TransOp, tt::ReshapeOp>(user);
    return passes ? Way::On : Way::Blocked;
  };
  llvm::SetVector<Operation *> between;
  llvm::SetVector<tt::StoreOp> stores;
  if (!axis || !found || !findStores(load.getResult(), getWay, between, stores))
    return;
  constexpr unsigned bitsOfByte = 8;
  bool storesBytes = false;
  llvm::SetVector<Operation *> along; // stores of the load's rows
  for (tt::StoreOp store : stores) {
    Attribute layout = findLayoutOfStore(load.getResult(), store, between);
    std::optional<unsigned> ofStore = findVectorAxis(type.getShape(), layout);
    if (!ofStore)
      return;
    if (ofStore == axis)
      along.insert(store);
    else
      storesBytes |= tt::getElementBits(store.getValue().getType()) == bitsOfByte;
  }
  if (!storesBytes)
    return;
  // A store of rows has what the load has.
  llvm::DenseMap<Value, Attribute> loaded{{load.getResult(), found->loads}},
      turned{{load.getResult(), found->between}};
  for (Operation *op : between) {
    Value operand = *llvm::find_if(op->getOperands(), [&](Value value) { return turned.contains(value); });
    Value result = op->getResult(0);
    Attribute layout = passForward(op, turned[operand]), known = layouts.lookup(result);
    if (!layout || (known && known != layout))
      return;
    turned[result] = layout;
    loaded[result] = passForward(op, loaded[operand]);
  }
  auto demand = [&](Operation *access, Attribute layout) {
    for (OpOperand &operand : access->getOpOperands())
      if (isTensor(operand.get()))
        demands[&operand] = layout;
  };
  layouts[load.getResult()] = found->loads;
  load->setAttr(movedLoadAttr, mlir::UnitAttr::get(load.getContext()));
  demand(load, found->loads);
  for (Operation *store : along)
    demand(store, loaded[mlir::cast<tt::StoreOp>(store).getValue()]);
  for (Operation *op : between)
    assign(op->getResult(0), turned[op->getResult(0)]);
}

/// Whether `second` may run behind `first`.
static bool mayFollow(Operation *second, Operation *first) {
  for (Operation *outer = first->getParentOp(); outer; outer = outer->getParentOp())
    if (mlir::isa<mlir::LoopLikeOpInterface>(outer) && outer->isProperAncestor(second))
      return true;
  for (Operation *outer = first; outer->getBlock(); outer = outer->getParentOp())
    if (Operation *other = outer->getBlock()->findAncestorOpInBlock(*second))
      return outer->isBeforeInBlock(other);
  return true;
}

bool Assignment::mayBeLoadedAgain(tt::StoreOp store) {
  PointerRoots stored = roots.get(store.getPtr());
  auto function = store->getParentOfType<tt::FuncOp>();
  return function
      .walk([&](tt::LoadOp load) {
        bool isBehind = mayFollow(load, store) && roots.get(load.getPtr()).meets(stored);
        return isBehind ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

void Assignment::letSmallStoreGiveWay(tt::StoreOp store) {
  Value value = store.getValue();
  auto type = mlir::dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getNumElements() > ttg::getNumWarps(store) * ttg::getThreadsPerWarp(store) ||
      mayBeLoadedAgain(store))
    return;
  Attribute layout = layouts.lookup(withoutConversion(value));
  if (!layout || countRegisters(type, layout) > fewRegisters)
    return;
  for (OpOperand &operand : store->getOpOperands())
    if (isTensor(operand.get()))
      demands[&operand] = layout;
}

void Assignment::wantOperands(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    Attribute demand = demands.lookup(&operand);
    // Nothing is computed where each thread holds the whole reduced axis.
    if (!isScalarProductOperand(demand))
      assign(operand.get(), demand);
  }
}

/// A large tile that is computed of rows and columns alone, such as which of some numbers are equal, takes
/// few registers where a thread has about as many of its rows as of its columns. By rows of lanes, a thread
/// has two columns of 256x256, and all rows. On an H200 (registers, bytes of local memory, us):
///
///     flash-sd-kde's _gaussian_kde_kernel     128,    0, 781      64, 0, 467
///     grouped-nf4-gemm's _tile_table_r1       255, 1408, 15.9    230, 0, 8.8
void Assignment::spreadEvenly(Operation *op) {
  constexpr int64_t manyElements = 128; // of a thread
  if (op->getNumResults() != 1 || !isTensor(op->getResult(0)) || layouts.count(op->getResult(0)))
    return;
  auto type = mlir::cast<RankedTensorType>(op->getResult(0).getType());
  unsigned numWarps = ttg::getNumWarps(op), numLanes = ttg::getThreadsPerWarp(op);
  if (type.getRank() != 2 || type.getNumElements() < manyElements * numWarps * numLanes)
    return;
  unsigned ones[] = {1, 1}, warps[] = {numWarps, 1}, lanes[] = {1, numLanes}, order[] = {1, 0};
  auto countOfThread = [&](unsigned down) {
    return llvm::divideCeil(type.getDimSize(0), down * numWarps) +
           llvm::divideCeil(type.getDimSize(1), numLanes / down);
  };
  for (unsigned down = 2; down <= numLanes; down *= 2)
    if (countOfThread(down) < countOfThread(lanes[0])) {
      lanes[0] = down;
      lanes[1] = numLanes / down;
    }
  assign(op->getResult(0), ttg::BlockedEncodingAttr::get(type.getContext(), ones, lanes, warps, order,
                                                         llvm::ArrayRef<int32_t>()));
  drainForward();
  drainBackward();
}

/// Whether products read what is in memory on chip, and nothing else.
static bool holdsFactor(Value memory) {
  return llvm::all_of(memory.getUsers(), [](Operation *user) {
    if (auto trans = mlir::dyn_cast<ttg::MemDescTransOp>(user))
      return holdsFactor(trans.getResult());
    auto load = mlir::dyn_cast<ttg::LocalLoadOp>(user);
    return mlir::isa<ttg::LocalDotOp>(user) ||
           (load && mlir::isa<ttg::DotOperandEncodingAttr>(getLayout(load.getResult())));
  });
}

/// A factor that no load has given a layout, as what is decoded behind a reshape, is computed in the vectors
/// in which it goes to memory on chip. Not one for warp groups: along which axis those want it is no hint of
/// how it is read. (exllamav3's _paged_attn_prefill_kernel, whose keys are words along the other axis, took
/// 261 us in place of 167.)
void Assignment::storeInVectors(ttg::LocalAllocOp alloc) {
  constexpr unsigned vectorBits = 128;
  if (!alloc.getSrc() || layouts.count(alloc.getSrc()) || !holdsFactor(alloc.getResult()))
    return;
  auto type = mlir::cast<RankedTensorType>(alloc.getSrc().getType());
  if (type.getRank() != 2)
    return;
  auto swizzled = mlir::dyn_cast<ttg::SwizzledSharedEncodingAttr>(alloc.getType().getEncoding());
  if (!swizzled)
    return;
  unsigned first = swizzled.getOrder()[0];
  unsigned sizes[] = {1, 1}, order[] = {first, 1 - first};
  sizes[first] = std::min<unsigned>(type.getDimSize(first), vectorBits / tt::getElementBits(type));
  assign(alloc.getSrc(),
         ttg::BlockedEncodingAttr::get(type.getContext(), type.getShape(), sizes, order,
                                       ttg::getNumWarps(alloc), ttg::getThreadsPerWarp(alloc)));
}

void Assignment::spreadBackward(Value value) {
  Attribute layout = layouts[value];
  for (OpOperand *sender : getSenders(value))
    assign(sender->get(), layout);
  Operation *op = value.getDefiningOp();
  if (!op || mlir::isa<mlir::RegionBranchOpInterface>(op))
    return;
  if (Attribute operandLayout = inferOperandLayout(op, layout))
    for (Value operand : op->getOperands())
      assign(operand, operandLayout);
}

Attribute Assignment::getWanted(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto demand = demands.find(&use); demand != demands.end())
    return demand->second;
  for (Value receiver : getReceivers(use))
    return getLayout(receiver);
  for (Value result : op->getResults())
    if (isTensor(result)) {
      // What the operand's own layout leads to is the result's: nothing to do. (Inferring there and back may
      // write the same layout in another form.)
      if (inferResultLayout(op, getLayout(use.get())) == getLayout(result))
        return getLayout(use.get());
      return inferOperandLayout(op, getLayout(result));
    }
  return {};
}

void Assignment::rewrite() {
  for (auto [value, layout] : layouts)
    if (getLayout(value) != layout)
      setLayout(value, layout);
  llvm::SmallVector<Operation *> conversions;
  module.walk([&](ttg::ConvertLayoutOp convert) { conversions.push_back(convert); });
  for (Operation *convert : conversions) {
    convert->getResult(0).replaceAllUsesWith(convert->getOperand(0));
    convert->erase();
  }
  module.walk([&](Operation *op) {
    // Operations whose users see scalars only (a reduction to a scalar), and those that compare tensors of
    // any layout, take the layout of their first operand for all.
    Attribute common;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isTensor(operand.get()))
        continue;
      Attribute wanted = getWanted(operand);
      if (!wanted) {
        if (!common)
          common = getLayout(operand.get());
        wanted = common;
      }
      if (getLayout(operand.get()) == wanted)
        continue;
      OpBuilder builder(op);
      operand.set(ttg::ConvertLayoutOp::create(builder, op->getLoc(),
                                               withLayout(operand.get().getType(), wanted), operand.get()));
    }
  });
}

/// A layout in which a thread has a run of the axis, and as few warps as can be share it: lanes and warps go
/// across the axis first.
Attribute getScanLayout(RankedTensorType type, unsigned axis, unsigned numWarps, unsigned numLanes) {
  unsigned rank = type.getRank(), lanesLeft = numLanes, warpsLeft = numWarps;
  llvm::SmallVector<unsigned> sizes(rank, 1), lanes(rank, 1), warps(rank, 1), order;
  for (unsigned d = rank; d-- > 0;)
    order.push_back(d);
  llvm::SmallVector<unsigned> byPreference;
  llvm::copy_if(order, std::back_inserter(byPreference), [&](unsigned d) { return d != axis; });
  byPreference.push_back(axis);
  for (unsigned d : byPreference) {
    unsigned size = type.getDimSize(d);
    lanes[d] = d == axis ? lanesLeft : std::min(lanesLeft, size);
    warps[d] = d == axis ? warpsLeft : std::min(warpsLeft, std::max(1u, size / lanes[d]));
    lanesLeft /= lanes[d];
    warpsLeft /= warps[d];
  }
  sizes[axis] = std::max<unsigned>(1, type.getDimSize(axis) / (lanes[axis] * warps[axis]));
  return ttg::BlockedEncodingAttr::get(type.getContext(), sizes, lanes, warps, order,
                                       llvm::ArrayRef<int32_t>());
}

/// Reductions and scans read their steps off the layout, which a few linear layouts do not allow; then their
/// operands are converted first, and the results back. So are those of a scan in whose layout so many warps
/// take turns along the axis that their sums are more than shared memory holds, or that another layout saves
/// much.
void makePlannable(Operation *op) {
  auto type = op->getNumOperands() ? mlir::dyn_cast<RankedTensorType>(op->getOperand(0).getType())
                                   : RankedTensorType();
  unsigned numWarps = 0, numLanes = 0;
  Attribute layout;
  if (mlir::isa<tt::ReduceOp, tt::ScanOp>(op)) {
    numWarps = ttg::getNumWarps(op);
    numLanes = ttg::getThreadsPerWarp(op);
  }
  if (auto reduce = mlir::dyn_cast<tt::ReduceOp>(op)) {
    if (!planReduction(reduce))
      layout = getDefaultLayout(type, numWarps, numLanes);
  } else if (auto scan = mlir::dyn_cast<tt::ScanOp>(op)) {
    if (!planScan(scan))
      layout = getDefaultLayout(type, numWarps, numLanes);
    else if (getScratchBytes(scan) > getMemoryLimit(scan))
      layout = getScanLayout(type, scan.getAxis(), numWarps, numLanes);
    else
      layout = findGatheredLayout(scan);
  }
  if (!layout)
    return;
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands())
    operand.set(ttg::ConvertLayoutOp::create(builder, op->getLoc(),
                                             withLayout(operand.get().getType(), layout), operand.get()));
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults())
    if (isTensor(result)) {
      mlir::Type oldType = result.getType();
      setLayout(result, inferResultLayout(op, layout));
      auto back = ttg::ConvertLayoutOp::create(builder, op->getLoc(), oldType, result);
      result.replaceAllUsesExcept(back, back);
    }
}

void AssignLayouts::runOnOperation() {
  Assignment assignment(getOperation());
  assignment.spread();
  assignment.rewrite();
  getOperation().walk([](Operation *op) { makePlannable(op); });
}

} // namespace

std::unique_ptr<mlir::Pass> createAssignLayoutsPass() { return std::make_unique<AssignLayouts>(); }

} // namespace nereid
