// Removes conversions by computing cheap values a second time, in the layout in which they are wanted.
//
// A tensor of indices that two accesses with different layouts need is better computed twice than sent
// through shared memory; and what is computed from a buffer on chip, as PipelineLoads makes them, is better
// read in the layout in which it is needed than read in another and sent through a second buffer: so the pass
// runs twice. For each conversion the operations that its source is computed from are collected,
// backwards, each with the layout that the wanted one asks of it, down to splats, ranges and constants, or to
// values that have that layout already. If nothing on the way forbids it (a value from outside, an access of
// memory that is not tiny) and the repeated work costs less than the conversion, copies of them are made,
// each right after its original. A value that is wanted in several layouts is computed in each of them.
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
// computed from less, that is converted instead (ConversionCut): a tile of halves and a column in place of
// their product in f32, or one tile of bytes in place of two that are computed from it, one of each byte's
// low and one of its high bits:
//
//     %x = arith.extf %half : f16 to f32                 %h = ttg.convert_layout %half
//     %y = arith.mulf %x, %broadcast             →       %c = ttg.convert_layout %column
//     ttg.convert_layout %y                              arith.extf, tt.broadcast, arith.mulf as before
//
// Not where %half converted would have to be kept for another use, in a loop that is short of registers, and
// takes many of them.
//
// What a row is computed from, as one of the sums of a tile's rows, is computed behind the conversion, too,
// where threads hold fewer elements there: each of 16 lanes would divide by all 16 sums that they share.
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/AxisInfo.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/LoopRegisters.h"
#include "compiler/transforms/ModuleTarget.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/PointerRoots.h"
#include "compiler/transforms/ScratchMemory.h"
#include "compiler/transforms/SharedAccessCost.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

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

// Costs, in instructions of one thread. They need only rank "a few integer operations" against "a round trip
// through shared memory with a barrier".
constexpr int64_t sharedConversionBase = 40, sharedConversionPerRegister = 4, shufflePerRegister = 3,
                  costOfLoad = 20;

/// Not counting copies in one thread, of which LLVM leaves one. A column in the layout of a warp group's sums
/// has as many as there are columns.
int64_t getRegisters(Value value, Attribute layout) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  LinearLayout linear = ttg::toLinearLayout(type.getShape(), layout);
  return linear.getInSize(Dim::Register) >> llvm::popcount(linear.getFreeVariableMask(Dim::Register));
}

int64_t getConversionCost(ttg::ConvertLayoutOp convert) {
  auto from = mlir::cast<RankedTensorType>(convert.getSrc().getType());
  auto to = mlir::cast<RankedTensorType>(convert.getResult().getType());
  LinearLayout target = ttg::toLinearLayout(to);
  int64_t registers = target.getInSize(Dim::Register);
  int64_t words = llvm::divideCeil(tt::getElementBits(from.getElementType()), 32);
  switch (getConversionKind(ttg::toLinearLayout(from), target)) {
  case ConversionPlan::Kind::None:
  case ConversionPlan::Kind::Registers:
    return 0;
  case ConversionPlan::Kind::Lanes:
    return shufflePerRegister * registers * words;
  case ConversionPlan::Kind::Shared: {
    int64_t cost = sharedConversionPerRegister * registers * words;
    // ConvertThroughBuffers finds better ways for tiles.
    bool isTile =
        from.getRank() >= 2 && llvm::is_contained({8u, 16u, 32u}, tt::getElementBits(from.getElementType()));
    std::optional<Target> target = getModuleTarget(convert);
    if (isTile && target && target->backend == Backend::CUDA)
      for (ttg::MemDescType buffer : listTileBuffers(from))
        cost = std::min<int64_t>(cost, getCostThroughBuffer(from, to, buffer, hasMatrixStores(convert)));
    return sharedConversionBase + cost;
  }
  }
  llvm_unreachable("all kinds are listed");
}

int64_t getCostPerRegister(Operation *op) {
  if (mlir::isa<arith::ConstantOp, tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp, tt::ReshapeOp,
                tt::JoinOp, tt::SplitOp, tt::BitcastOp>(op))
    return 0;
  // A special function's instruction, and a few around it.
  if (mlir::isa<mlir::math::Exp2Op, mlir::math::ExpOp, mlir::math::RsqrtOp>(op))
    return 5;
  if (mlir::isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::RemFOp>(
          op) ||
      llvm::is_contained({"math", "tt"}, op->getName().getDialectNamespace()))
    return mlir::isa<tt::AddPtrOp, tt::MakeRangeOp>(op) ? 1 : 16;
  return 1;
}

/// How many neighbours one instruction of a load takes in this layout.
int64_t getVectorElements(tt::LoadOp load, Attribute layout, const AxisInfoAnalysis &axes) {
  auto type = mlir::cast<RankedTensorType>(load.getResult().getType());
  LinearLayout linear = ttg::toLinearLayout(type.getShape(), layout);
  int64_t width = 1;
  for (unsigned d = 0; d != type.getRank(); ++d)
    width = std::max(width, std::min<int64_t>(linear.getNumConsecutive(Dim::Register, tensorDim(d)),
                                              axes.getContiguousElements(load.getPtr(), d)));
  return std::min<int64_t>(width, std::max(1u, 128 / tt::getElementBits(type)));
}

/// The instructions of one thread that a load takes in this layout.
int64_t getLoadInstructions(tt::LoadOp load, Attribute layout, const AxisInfoAnalysis &axes) {
  auto type = mlir::cast<RankedTensorType>(load.getResult().getType());
  LinearLayout linear = ttg::toLinearLayout(type.getShape(), layout);
  return std::max<int64_t>(1, linear.getInSize(Dim::Register) / getVectorElements(load, layout, axes));
}

/// The memory that programs of the same kernel talk to each other through.
class ContestedMemory {
public:
  explicit ContestedMemory(mlir::ModuleOp module) : roots(module) {
    module.walk([&](Operation *op) {
      auto load = mlir::dyn_cast<tt::LoadOp>(op);
      // Calls and assembly do with their pointers what they like.
      if ((load && looksAtOthers(load)) || mlir::isa<tt::CallOp>(op) ||
          (mayWriteGlobal(op) && !mlir::isa<tt::StoreOp>(op)))
        contested.merge(roots.getOfOperands(op));
    });
  }

  /// Whether the load may read it.
  bool mayRead(tt::LoadOp load) const {
    return !contested.empty() && contested.meets(roots.get(load.getPtr()));
  }

private:
  PointerRootAnalysis roots;
  PointerRoots contested;
};

/// What decides about the copies of one module.
struct Facts {
  AxisInfoAnalysis axes;
  ContestedMemory contested;
  bool beforePipelining;
  mutable llvm::DenseMap<Operation *, unsigned> registersOfLoops;
  Facts(mlir::ModuleOp module, bool beforePipelining)
      : axes(module), contested(module), beforePipelining(beforePipelining) {}
};

/// Whether the loop around a conversion, if any, has no registers left for its source.
bool isShortOfRegisters(ttg::ConvertLayoutOp convert, const Facts &facts) {
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

/// Whether PipelineLoads may start the load rounds ahead.
bool mayRunAhead(tt::LoadOp load) {
  return mlir::isa<mlir::scf::ForOp>(load->getParentOp()) &&
         mlir::isa<ttg::BlockedEncodingAttr>(getLayout(load.getResult())) &&
         llvm::any_of(*load->getBlock(), [](Operation &op) {
           return mlir::isa<tt::DotOp, ttng::WarpGroupDotOp>(op) &&
                  mlir::isa<ttg::NvidiaMmaEncodingAttr>(getLayout(op.getResult(0)));
         });
}

bool mayLoadAgain(Operation *op, Attribute layout, const Facts &facts) {
  constexpr int64_t fewInstructions = 4;
  auto load = mlir::dyn_cast<tt::LoadOp>(op);
  return load && mlir::isa<RankedTensorType>(load.getPtr().getType()) &&
         getLoadInstructions(load, layout, facts.axes) <= fewInstructions && !looksAtOthers(load) &&
         !facts.contested.mayRead(load) && !(facts.beforePipelining && mayRunAhead(load));
}

/// What would have to be computed again for one conversion to go.
class Slice {
public:
  /// `dying` are operations that will be gone with the conversion.
  Slice(ttg::ConvertLayoutOp convert, const Facts &facts, const llvm::DenseSet<Operation *> *dying = nullptr)
      : convert(convert), facts(facts), dying(dying),
        isShuffled(getConversionKind(ttg::toLinearLayout(convert.getSrc().getType()),
                                     ttg::toLinearLayout(convert.getType())) == ConversionPlan::Kind::Lanes) {
  }

  bool collect() { return collect(convert.getSrc(), getLayout(convert.getResult())); }
  int64_t getCost() const;
  /// Makes the copies; returns the new value for the conversion's result.
  Value rewrite(llvm::function_ref<bool(Operation *, Operation *)> isBefore);
  /// Whether there are loops that the rewriting replaces.
  bool changesLoops() const { return !carried.empty(); }

private:
  /// The layout in which a copy of an operation's only result is wanted, and the one that its operands must
  /// have then.
  struct Copy {
    Attribute layout, operandLayout;
    /// For how many neighbours one number is enough: an address or a mask for each vector of a load.
    int64_t neighbours;
  };

  bool collect(Value value, Attribute layout, int64_t neighbours = 1);
  bool collectCarried(mlir::BlockArgument argument, Attribute layout);
  int64_t getCost(Operation *op, llvm::ArrayRef<Copy> wanted) const;
  /// Whether a use is none of those that take copies, so that the original is needed, too.
  bool keeps(mlir::OpOperand &use) const;
  Value lookup(Value value, Attribute layout) const;
  /// Gives loops their new values, which begin and go on as conversions of the old ones until the copies are
  /// there.
  void extendLoops();
  void finishLoops();

  mutable ttg::ConvertLayoutOp convert;
  const Facts &facts;
  const llvm::DenseSet<Operation *> *dying;
  /// Whether the conversion is one of shuffles, a few for each vector that a load might bring as it is.
  bool isShuffled;
  llvm::MapVector<Operation *, llvm::SmallVector<Copy, 1>> operations;
  /// What loops carry in another layout, too; the numbers of their values.
  struct Carried {
    unsigned index;
    Attribute layout;
    unsigned copy = 0;
  };
  llvm::MapVector<Operation *, llvm::SmallVector<Carried, 2>> carried;
  llvm::DenseMap<std::pair<Value, Attribute>, Value> copies;
  unsigned count = 0;
};

/// What a read of a buffer costs a thread, in this layout.
int64_t getReadCost(ttg::LocalLoadOp load, Attribute layout) {
  auto type = mlir::cast<RankedTensorType>(withLayout(load.getType(), layout));
  return nereid::getReadCost(getSharedOffsets(type, load.getSrc().getType()),
                             getSharedElementBytes(tt::getElementBits(type.getElementType())));
}

bool Slice::collect(Value value, Attribute layout, int64_t neighbours) {
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
  if (!mayLoadAgain(op, layout, facts) && !mlir::isa<ttg::LocalLoadOp>(op)) {
    if (mlir::isa<tt::ReduceOp, tt::ScanOp>(op) || !mlir::isPure(op) || !canHaveResultLayout(op, layout))
      return false;
    operandLayout = inferOperandLayout(op, layout);
  }
  operations[op].push_back({layout, operandLayout, neighbours});
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return !mlir::isa<RankedTensorType>(operand.getType()) || collect(operand, operandLayout, neighbours);
  });
}

bool Slice::collectCarried(mlir::BlockArgument argument, Attribute layout) {
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

int64_t Slice::getCost() const {
  // What is computed outside the loop around the conversion is computed far less often.
  constexpr int64_t roundsOfLoop = 4;
  auto loop = convert->getParentOfType<mlir::LoopLikeOpInterface>();
  int64_t cost = 0;
  for (const auto &[around, values] : carried)
    for (const Carried &value : values) {
      auto argument = mlir::cast<mlir::scf::ForOp>(around).getRegionIterArg(value.index);
      int64_t bits = tt::getElementBits(argument.getType());
      cost += llvm::divideCeil(getRegisters(argument, value.layout) * bits, 32);
    }
  for (const auto &[op, wanted] : operations)
    cost += getCost(op, wanted) / (loop && !loop->isAncestor(op) ? roundsOfLoop : 1);
  return cost;
}

bool Slice::keeps(mlir::OpOperand &use) const {
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

int64_t Slice::getCost(Operation *op, llvm::ArrayRef<Copy> wanted) const {
  // An operation that nobody else uses is not computed twice: the first copy takes its place.
  bool stays = llvm::any_of(op->getUses(), [&](mlir::OpOperand &use) { return keeps(use); });
  Value result = op->getResult(0);
  int64_t cost = 0;
  for (const Copy &copy : wanted) {
    if (auto load = mlir::dyn_cast<tt::LoadOp>(op)) {
      // Loading twice has to earn its place in the cache; loading elsewhere only takes the place of what was.
      int64_t instructions = getLoadInstructions(load, copy.layout, facts.axes);
      int64_t before = getLoadInstructions(load, getLayout(result), facts.axes);
      cost += costOfLoad * (stays ? 2 * instructions : std::max<int64_t>(0, instructions - before));
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
Value Slice::lookup(Value value, Attribute layout) const {
  while (getLayout(value) != layout) {
    if (Value copy = copies.lookup({value, layout}))
      return copy;
    value = mlir::cast<ttg::ConvertLayoutOp>(value.getDefiningOp()).getSrc();
  }
  return value;
}

void Slice::extendLoops() {
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

void Slice::finishLoops() {
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

Value Slice::rewrite(llvm::function_ref<bool(Operation *, Operation *)> isBefore) {
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
      if (mlir::isa<tt::LoadOp>(copy))
        copy->setAttr(movedLoadAttr, builder.getUnitAttr());
      copies[{op->getResult(0), wanted.layout}] = copy->getResult(0);
    }
  }
  finishLoops();
  return lookup(convert.getSrc(), getLayout(convert.getResult()));
}

unsigned getBits(Value value) { return tt::getElementBits(value.getType()); }

int64_t getElements(Value value) { return mlir::cast<RankedTensorType>(value.getType()).getNumElements(); }

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

/// Erases the operation and what only served it, but for conversions, of which lists are kept.
void eraseDead(Operation *op) {
  llvm::SmallVector<Operation *> dead;
  if (op)
    dead.push_back(op);
  while (!dead.empty()) {
    Operation *last = dead.pop_back_val();
    if (!mlir::isOpTriviallyDead(last) || mlir::isa<ttg::ConvertLayoutOp>(last))
      continue;
    for (Value operand : last->getOperands())
      if (Operation *def = operand.getDefiningOp(); def && !llvm::is_contained(dead, def))
        dead.push_back(def);
    last->erase();
  }
}

/// How many conversions might begin with a value in a layout in place of what is computed from it.
using Sharers = llvm::DenseMap<std::pair<Value, Attribute>, int64_t>;

/// Conversions by what they convert, and to which layout.
using KnownConversions = llvm::DenseMap<std::pair<Value, Attribute>, ttg::ConvertLayoutOp>;

/// Where else a conversion might be made: of what its source is computed from, element by element. Each value
/// on the way is either computed again in the layout that is wanted or converted, whichever costs less.
class ConversionCut {
public:
  ConversionCut(ttg::ConvertLayoutOp root, const Facts &facts, const Sharers &sharers,
                KnownConversions &known)
      : root(root), facts(facts), sharers(sharers), known(known) {}

  /// Whether that is cheaper than the conversion as it is.
  bool isBetter();
  /// Puts copies and conversions in the conversion's place, and erases it; returns the conversions that are
  /// new.
  llvm::SmallVector<ttg::ConvertLayoutOp> rewrite();

  /// Counts what conversions of this source could have in common.
  static void count(ttg::ConvertLayoutOp root, Sharers &sharers);

private:
  using Wanted = std::pair<Value, Attribute>;
  /// The layout of the operands if the operation may be repeated in this one.
  static std::optional<Attribute> mayRepeat(Operation *op, Attribute layout);
  int64_t choose(Value value, Attribute layout);
  int64_t getCostOfCopy(Operation *op, Attribute layout) const;
  int64_t getCostOfConversion(Value value, Attribute layout) const;
  int64_t getShare(Value value, Attribute layout) const {
    return std::max<int64_t>(1, sharers.lookup({value, layout}));
  }
  int64_t inLoop(Value value, int64_t cost) const;
  bool isRow() const { return mlir::cast<RankedTensorType>(root.getType()).getRank() < 2; }
  bool keepsTooMuch() const;
  /// Before which operation of the value's block something is made of it. That is where it is needed, not
  /// where the value is: a load between them need not wait.
  Operation *getPlace(Value value) const { return value.getParentBlock()->findAncestorOpInBlock(*root); }
  void listChosen(Value value, Attribute layout);

  mutable ttg::ConvertLayoutOp root;
  const Facts &facts;
  const Sharers &sharers;
  KnownConversions &known;
  llvm::DenseMap<Wanted, bool> isRepeated;
  llvm::SetVector<Wanted> copies, conversions;
  llvm::DenseSet<Operation *> dying;
};

std::optional<Attribute> ConversionCut::mayRepeat(Operation *op, Attribute layout) {
  if (!op || op->getNumResults() != 1 || op->getNumRegions() != 0 || !mlir::isPure(op) ||
      mlir::isa<ttg::ConvertLayoutOp>(op) || !canHaveResultLayout(op, layout))
    return std::nullopt;
  return inferOperandLayout(op, layout);
}

void ConversionCut::count(ttg::ConvertLayoutOp root, Sharers &sharers) {
  constexpr unsigned farthest = 16;
  llvm::SmallVector<Wanted> pending{{root.getSrc(), getLayout(root.getResult())}};
  llvm::DenseSet<Wanted> seen;
  while (!pending.empty() && seen.size() != farthest) {
    auto [value, layout] = pending.pop_back_val();
    if (!mlir::isa<RankedTensorType>(value.getType()) || !seen.insert({value, layout}).second)
      continue;
    ++sharers[{value, layout}];
    Operation *op = value.getDefiningOp();
    if (std::optional<Attribute> ofOperands = mayRepeat(op, layout))
      for (Value operand : op->getOperands())
        pending.push_back({operand, *ofOperands});
  }
}

/// What is done outside of the loop around the conversion is done far less often.
int64_t ConversionCut::inLoop(Value value, int64_t cost) const {
  constexpr int64_t roundsOfLoop = 4;
  auto loop = root->getParentOfType<mlir::LoopLikeOpInterface>();
  return loop && !loop->isAncestor(value.getParentBlock()->getParentOp()) ? cost / roundsOfLoop : cost;
}

int64_t ConversionCut::getCostOfCopy(Operation *op, Attribute layout) const {
  Value result = op->getResult(0);
  int64_t before = dying.contains(op) ? getRegisters(result, getLayout(result)) : 0;
  int64_t more = getRegisters(result, layout) - before;
  // Of a row, what threads need not compute any more is what there is to gain.
  return inLoop(result, getCostPerRegister(op) * (isRow() ? more : std::max<int64_t>(0, more)));
}

int64_t ConversionCut::getCostOfConversion(Value value, Attribute layout) const {
  auto other = known.lookup({value, layout});
  if (other && other != root && other->getBlock() == value.getParentBlock())
    return 0;
  OpBuilder builder(root);
  auto trial =
      ttg::ConvertLayoutOp::create(builder, root.getLoc(), withLayout(value.getType(), layout), value);
  int64_t cost = getConversionCost(trial);
  if (mlir::isa_and_nonnull<ttg::LocalLoadOp, tt::LoadOp>(value.getDefiningOp()))
    if (Slice slice(trial, facts, &dying); slice.collect())
      cost = std::min(cost, slice.getCost());
  trial.erase();
  return inLoop(value, llvm::divideCeil(cost, getShare(value, layout)));
}

int64_t ConversionCut::choose(Value value, Attribute layout) {
  constexpr unsigned mostValues = 64;
  constexpr int64_t never = int64_t(1) << 40;
  if (getLayout(value) == layout || isRepeated.contains({value, layout}))
    return 0; // it is there, or was counted
  Operation *op = value.getDefiningOp();
  std::optional<Attribute> ofOperands = mayRepeat(op, layout);
  // Copies that save another conversion the way are as good as the conversion. What a narrowing cast is
  // computed from is not less than its result.
  bool isMore = getBits(value) > getBits(root.getSrc()) && getElements(value) >= getElements(root.getSrc());
  int64_t cost = isMore ? never : getCostOfConversion(value, layout);
  isRepeated[{value, layout}] = false;
  if (!ofOperands || cost == 0 || isRepeated.size() > mostValues)
    return cost;
  bool dies =
      llvm::all_of(op->getUsers(), [&](Operation *user) { return user == root || dying.contains(user); });
  if (dies)
    dying.insert(op);
  int64_t ofCopies = getCostOfCopy(op, layout);
  bool isShared = false;
  for (Value operand : op->getOperands())
    if (mlir::isa<RankedTensorType>(operand.getType())) {
      ofCopies += choose(operand, *ofOperands);
      isShared |= getShare(operand, *ofOperands) > getShare(value, layout);
    }
  if (ofCopies < cost || (isShared && ofCopies == cost)) {
    isRepeated[{value, layout}] = true;
    return ofCopies;
  }
  if (dies)
    dying.erase(op);
  return cost;
}

/// Lists operands before their users.
void ConversionCut::listChosen(Value value, Attribute layout) {
  if (getLayout(value) == layout || !mlir::isa<RankedTensorType>(value.getType()))
    return;
  if (!isRepeated.lookup({value, layout})) {
    conversions.insert({value, layout});
    return;
  }
  Operation *op = value.getDefiningOp();
  Attribute ofOperands = *mayRepeat(op, layout);
  for (Value operand : op->getOperands())
    listChosen(operand, ofOperands);
  copies.insert({value, layout});
}

/// Whether the cut shares a conversion with others, and what that makes would have to be kept for them where
/// the loop is short of registers: it is there from the first use to the last. A quarter of a thread's
/// registers, 32 of 128, was stored and loaded again, which took longer than to convert the other value too;
/// 16 paid.
bool ConversionCut::keepsTooMuch() const {
  constexpr unsigned part = 4;
  return llvm::any_of(conversions, [&](const Wanted &wanted) {
    auto [value, layout] = wanted;
    auto other = known.lookup({value, layout});
    auto type = mlir::dyn_cast<RankedTensorType>(value.getType());
    return other && other != root && type && other->getBlock() == root->getBlock() &&
           nereid::getRegisters(type, ttg::getNumWarps(root) * ttg::getThreadsPerWarp(root)) * part >=
               getRegisterLimit(root) &&
           isShortOfRegisters(root, facts);
  });
}

bool ConversionCut::isBetter() {
  Attribute layout = getLayout(root.getResult());
  int64_t before = getConversionCost(root);
  if (before == 0)
    return false;
  choose(root.getSrc(), layout);
  if (!isRepeated.lookup({root.getSrc(), layout}))
    return false;
  // What was passed over on the way has not been counted; now it is known what is needed.
  listChosen(root.getSrc(), layout);
  if (keepsTooMuch())
    return false;
  int64_t cost = 0;
  for (auto [value, wanted] : copies)
    cost += getCostOfCopy(value.getDefiningOp(), wanted);
  for (auto [value, wanted] : conversions)
    cost += getCostOfConversion(value, wanted);
  // A row of indices or masks is little either way, and what it is made of is kept for longer. But a
  // division or a logarithm of each of a thread's sums may be one of one sum.
  constexpr int64_t muchOfRow = 128;
  if (isRow())
    return cost + muchOfRow <= before;
  // Registers, which are not counted, may be used for longer: it has to save a quarter.
  return cost * 4 <= before * 3;
}

llvm::SmallVector<ttg::ConvertLayoutOp> ConversionCut::rewrite() {
  llvm::DenseMap<Wanted, Value> made;
  llvm::SmallVector<ttg::ConvertLayoutOp> added;
  known.erase({root.getSrc(), getLayout(root.getResult())});
  for (auto [value, layout] : conversions) {
    Operation *place = getPlace(value);
    ttg::ConvertLayoutOp &convert = known[{value, layout}];
    if (!convert || convert->getBlock() != place->getBlock()) {
      OpBuilder builder(place);
      convert =
          ttg::ConvertLayoutOp::create(builder, root.getLoc(), withLayout(value.getType(), layout), value);
      added.push_back(convert);
    } else if (place->isBeforeInBlock(convert)) {
      convert->moveBefore(place);
    }
    made[{value, layout}] = convert;
  }
  auto lookup = [&](Value value, Attribute layout) {
    return getLayout(value) == layout ? value : made.lookup({value, layout});
  };
  for (auto [value, layout] : copies) {
    Operation *op = value.getDefiningOp();
    Attribute ofOperands = *mayRepeat(op, layout);
    OpBuilder builder(getPlace(value));
    Operation *copy = builder.clone(*op);
    for (mlir::OpOperand &operand : copy->getOpOperands())
      if (mlir::isa<RankedTensorType>(operand.get().getType()))
        operand.set(lookup(operand.get(), ofOperands));
    setLayout(copy->getResult(0), layout);
    made[{value, layout}] = copy->getResult(0);
  }
  Value source = root.getSrc();
  root.getResult().replaceAllUsesWith(made.lookup({source, getLayout(root.getResult())}));
  root.erase();
  eraseDead(source.getDefiningOp());
  return added;
}

void RematerializeLayouts::runOnOperation() {
  // Types and copies change, addresses do not: what is known of the originals stays true.
  std::optional<Facts> facts(std::in_place, getOperation(), beforePipelining);
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
      Slice slice(convert, *facts);
      constexpr int64_t costOfSpills = 4; // as a multiple
      constexpr int64_t costOfHeldLoads = 2 * costOfLoad;
      if (!slice.collect() ||
          slice.getCost() >
              getConversionCost(convert) * (isShortOfRegisters(convert, *facts) ? costOfSpills : 1) +
                  (holdsLoads(convert) ? costOfHeldLoads : 0)) {
        remaining.push_back(convert);
        continue;
      }
      convert.getResult().replaceAllUsesWith(slice.rewrite(isBefore));
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
}

} // namespace

std::unique_ptr<mlir::Pass> createRematerializeLayoutsPass(bool beforePipelining) {
  return std::make_unique<RematerializeLayouts>(beforePipelining);
}

} // namespace nereid
