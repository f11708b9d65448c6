// Hands the copies of a loop's tiles to a warp of their own, the producer, which does nothing else:
//
//     ttg.warp_specialize(%a, %b, %rings, %full, %empty)
//     default {                                             partition0 {
//       scf.for … {                                           scf.for … {
//         wait_barrier %full[r], phase                          wait_barrier %empty[c], phase'
//         warp_group_dot %rings[r], …                           barrier_expect %full[c]
//         (the product of the round before is done)             async_tma_copy … %rings[c], %full[c]
//         arrive_barrier %empty[r - 1]                        }
//       }                                                   }
//       …                                                   }
//     }
//
// The kernel's own warps compute as before. What is gone from their loop is the barrier of the block before
// each copy: a buffer has two mbarriers. One counts the bytes that arrive, and each thread waits there; at
// the other each warp arrives when it is done with the buffer, and there the producer waits. No warp waits
// for another, so that two groups of four drift apart by themselves: one multiplies while the other computes
// what comes between its products. And the producer runs ahead as far as the ring is long, also from tile to
// tile where a loop around this one takes one after the other.
//
// Tiles that the same operation reads first, and the same one last, share their mbarriers. A product that
// outlasts its round (LateProducts.h) is done with its buffers in the next one, so those are released there,
// and behind the loop where another round of the outer one follows.
//
// The producer computes the tiles' coordinates itself, from the kernel's arguments, so that it can begin with
// the kernel: the specialized part is all of the kernel's body behind what the producer needs.
#include "compiler/transforms/LoopPipeline.h"

#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/ScratchMemory.h"
#include "compiler/transforms/TensorMaps.h"

#include "mlir/IR/IRMapping.h"

namespace nereid {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::Value;

namespace {

/// What the coordinates of a loop's tiles are computed from.
class CopySlice {
public:
  CopySlice(mlir::scf::ForOp loop, mlir::scf::ForOp outer) : loop(loop), outer(outer) {}

  /// Adds a value with all that it takes. False if another warp can't have it.
  bool add(Value value);
  bool addBounds(mlir::scf::ForOp of) {
    return add(of.getLowerBound()) && add(of.getUpperBound()) && add(of.getStep());
  }
  bool contains(Operation *op) const { return operations.contains(op); }
  bool contains(Value value) const { return seen.contains(value); }
  /// Values that are not computed again, but handed over.
  llvm::ArrayRef<Value> getCaptures() const { return captures.getArrayRef(); }

private:
  bool isOfNest(Operation *op) const { return op == loop || (outer && op == outer); }
  bool canBeRepeated(Operation *op) const {
    return (mlir::isPure(op) || isDivision(op)) &&
           llvm::none_of(op->getResultTypes(), llvm::IsaPred<mlir::RankedTensorType, ttg::MemDescType>);
  }

  mlir::scf::ForOp loop, outer;
  llvm::DenseSet<Value> seen;
  llvm::DenseSet<Operation *> operations;
  llvm::SetVector<Value> captures;
};

bool CopySlice::add(Value value) {
  if (!seen.insert(value).second)
    return true;
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (mlir::isa<tt::FuncOp>(parent)) {
      captures.insert(value);
      return true;
    }
    if (!isOfNest(parent) || mlir::isa<mlir::RankedTensorType>(value.getType()))
      return false;
    auto of = mlir::cast<mlir::scf::ForOp>(parent);
    if (argument == of.getInductionVar())
      return addBounds(of);
    return add(of.getTiedLoopInit(argument)->get()) && add(of.getTiedLoopYieldedValue(argument)->get());
  }
  Operation *op = value.getDefiningOp();
  if (isOfNest(op)) {
    auto of = mlir::cast<mlir::scf::ForOp>(op);
    return addBounds(of) && add(of.getTiedLoopRegionIterArg(mlir::cast<mlir::OpResult>(value)));
  }
  if (!canBeRepeated(op)) {
    // Of what stands before the loops, the other warp is told.
    bool isBefore = mlir::isa<tt::FuncOp>(op->getParentOp());
    if (isBefore && value.getType().isIntOrIndexOrFloat())
      captures.insert(value);
    return isBefore && value.getType().isIntOrIndexOrFloat();
  }
  operations.insert(op);
  mlir::WalkResult result = op->walk([&](Operation *inner) {
    return mlir::WalkResult(mlir::success(llvm::all_of(inner->getOperands(), [&](Value operand) {
      return op->isAncestor(operand.getParentBlock()->getParentOp()) || add(operand);
    })));
  });
  return !result.wasInterrupted();
}

/// All that the copies of these loads take.
std::optional<CopySlice> findSlice(mlir::scf::ForOp loop, mlir::scf::ForOp outer,
                                   llvm::ArrayRef<PipelinedLoad> loads) {
  CopySlice slice(loop, outer);
  bool isWhole = slice.addBounds(loop) && (!outer || slice.addBounds(outer));
  for (const PipelinedLoad &pipelined : loads)
    for (Value operand : pipelined.load->getOperands())
      isWhole = isWhole && slice.add(operand);
  return isWhole ? std::optional(std::move(slice)) : std::nullopt;
}

/// The partition that copies. First the loops are repeated with nothing but the coordinates and copies of the
/// loads themselves, later those become copies into rings.
class Producer {
public:
  Producer(ttg::WarpSpecializeOp op, unsigned numBuffers) : op(op), numBuffers(numBuffers) {
    OpBuilder builder = OpBuilder::atBlockEnd(&op.getHolder().emplaceBlock());
    partitions = ttg::WarpSpecializePartitionsOp::create(builder, op.getLoc(), mlir::ValueRange(), 1);
    partitions.getRegions().front().emplaceBlock();
  }

  void repeat(const CopySlice &slice, mlir::scf::ForOp loop, mlir::scf::ForOp outer,
              llvm::ArrayRef<PipelinedLoad> loads);
  /// The partition's name for a value.
  Value capture(Value value);
  /// Where the copy of the load stands.
  Operation *getPlace(Operation *load) const { return places.lookup(load); }
  /// The buffer that a round's tiles go to, and for how many rounds of the ring it was not filled, modulo 2.
  Value buffer, phase;

private:
  mlir::scf::ForOp repeatLoop(OpBuilder &builder, mlir::scf::ForOp of, mlir::scf::ForOp inner,
                              mlir::ValueRange counters, const CopySlice &slice);

  ttg::WarpSpecializeOp op;
  unsigned numBuffers;
  ttg::WarpSpecializePartitionsOp partitions;
  /// While the loops are repeated; later their values are no more.
  mlir::IRMapping mapping;
  llvm::DenseMap<Value, Value> captured;
  llvm::DenseMap<Operation *, Operation *> places;
};

Value Producer::capture(Value value) {
  Value &argument = captured[value];
  if (!argument) {
    partitions.getCapturesMutable().append(value);
    argument = partitions.getRegions().front().addArgument(value.getType(), value.getLoc());
  }
  return argument;
}

/// A loop with two counters more, of buffers and of times around the ring.
mlir::scf::ForOp Producer::repeatLoop(OpBuilder &builder, mlir::scf::ForOp of, mlir::scf::ForOp inner,
                                      mlir::ValueRange counters, const CopySlice &slice) {
  llvm::SmallVector<unsigned> carried;
  llvm::SmallVector<Value> inits;
  for (auto [i, argument] : llvm::enumerate(of.getRegionIterArgs()))
    if (slice.contains(argument)) {
      carried.push_back(i);
      inits.push_back(mapping.lookup(of.getInitArgs()[i]));
    }
  llvm::append_range(inits, counters);
  mlir::Location location = of.getLoc();
  auto copy =
      mlir::scf::ForOp::create(builder, location, mapping.lookup(of.getLowerBound()),
                               mapping.lookup(of.getUpperBound()), mapping.lookup(of.getStep()), inits);
  copy.setUnsignedCmp(of.getUnsignedCmp());
  mapping.map(of.getInductionVar(), copy.getInductionVar());
  for (auto [i, number] : llvm::enumerate(carried)) {
    mapping.map(of.getRegionIterArg(number), copy.getRegionIterArg(i));
    mapping.map(of.getResult(number), copy.getResult(i));
  }
  llvm::SmallVector<Value> next(copy.getRegionIterArgs().take_back(2));
  OpBuilder body = OpBuilder::atBlockEnd(copy.getBody());
  for (Operation &inside : of.getBody()->without_terminator()) {
    if (&inside == inner.getOperation()) {
      mlir::scf::ForOp repeated = repeatLoop(body, inner, {}, next, slice);
      next = llvm::to_vector_of<Value>(repeated.getResults().take_back(2));
    } else if (places.contains(&inside)) {
      places[&inside] = body.clone(inside, mapping);
    } else if (slice.contains(&inside)) {
      body.clone(inside, mapping);
    }
  }
  if (!inner) {
    buffer = next[0];
    phase = next[1];
    Value zero = mlir::arith::ConstantIntOp::create(body, location, 0, 32);
    Value one = mlir::arith::ConstantIntOp::create(body, location, 1, 32);
    Value count = mlir::arith::ConstantIntOp::create(body, location, numBuffers, 32);
    Value sum = mlir::arith::AddIOp::create(body, location, buffer, one);
    Value isEnd = mlir::arith::CmpIOp::create(body, location, mlir::arith::CmpIPredicate::eq, sum, count);
    Value other = mlir::arith::XOrIOp::create(body, location, phase, one);
    next[0] = mlir::arith::SelectOp::create(body, location, isEnd, zero, sum);
    next[1] = mlir::arith::SelectOp::create(body, location, isEnd, other, phase);
  }
  llvm::SmallVector<Value> yielded;
  for (unsigned number : carried)
    yielded.push_back(mapping.lookup(of.getYieldedValues()[number]));
  llvm::append_range(yielded, next);
  mlir::scf::YieldOp::create(body, location, yielded);
  return copy;
}

void Producer::repeat(const CopySlice &slice, mlir::scf::ForOp loop, mlir::scf::ForOp outer,
                      llvm::ArrayRef<PipelinedLoad> loads) {
  for (Value value : slice.getCaptures())
    mapping.map(value, capture(value));
  for (const PipelinedLoad &pipelined : loads)
    places[pipelined.load] = nullptr;
  mlir::scf::ForOp outermost = outer ? outer : loop;
  OpBuilder builder = OpBuilder::atBlockEnd(&partitions.getRegions().front().front());
  for (Operation &before : *outermost->getBlock())
    if (slice.contains(&before))
      builder.clone(before, mapping);
  Value zero = mlir::arith::ConstantIntOp::create(builder, loop.getLoc(), 0, 32);
  // The ring is empty when the kernel begins, as if the time around before had been waited for.
  Value one = mlir::arith::ConstantIntOp::create(builder, loop.getLoc(), 1, 32);
  repeatLoop(builder, outermost, outer ? loop : mlir::scf::ForOp(), {zero, one}, slice);
  ttg::WarpReturnOp::create(builder, loop.getLoc());
}

/// The operation that first needs what a product gives, of those in its block; other products that add to it
/// need it only when somebody needs theirs.
Operation *findFirstUser(ttng::WarpGroupDotOp product) {
  mlir::Block *block = product->getBlock();
  Operation *first = block->getTerminator();
  for (mlir::OpOperand &use : product->getUses()) {
    Operation *user = block->findAncestorOpInBlock(*use.getOwner());
    if (auto next = mlir::dyn_cast_or_null<ttng::WarpGroupDotOp>(user); next && next.getC() == product)
      user = findFirstUser(next);
    if (user && user->isBeforeInBlock(first))
      first = user;
  }
  return first;
}

/// The operation by which a product of the round before is done: as its sum is used, or what a product gives
/// that began after it.
Operation *findFirstUserInNextRound(ttng::WarpGroupDotOp product) {
  auto loop = mlir::cast<mlir::scf::ForOp>(product->getParentOp());
  Operation *first = loop.getBody()->getTerminator();
  for (mlir::OpOperand &yield : product->getUses()) {
    if (yield.getOwner() != loop.getBody()->getTerminator())
      continue;
    for (Operation *user : loop.getRegionIterArg(yield.getOperandNumber()).getUsers()) {
      Operation *inRound = loop.getBody()->findAncestorOpInBlock(*user);
      if (inRound && !mlir::isa<ttng::WarpGroupDotOp>(inRound) && inRound->isBeforeInBlock(first))
        first = inRound;
    }
  }
  for (auto later : loop.getBody()->getOps<ttng::WarpGroupDotOp>())
    if (Operation *user = findFirstUser(later); user->isBeforeInBlock(first))
      first = user;
  return first;
}

/// The operations that read a ring, through whatever views.
llvm::SetVector<Operation *> findReaders(Value ring, mlir::scf::ForOp loop) {
  llvm::SetVector<Operation *> readers;
  llvm::SmallVector<Value> views{ring};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      bool isView = user->getNumResults() == 1 && mlir::isPure(user) &&
                    mlir::isa<ttg::MemDescType>(user->getResult(0).getType());
      if (isView)
        views.push_back(user->getResult(0));
      else if (loop->isProperAncestor(user))
        readers.insert(user);
    }
  return readers;
}

bool outlastsRound(Operation *op, mlir::scf::ForOp loop) {
  auto product = mlir::dyn_cast<ttng::WarpGroupDotOp>(op);
  return product && product.getIsAsync() && product->getParentOp() == loop;
}

} // namespace

bool canSpecialize(mlir::scf::ForOp loop, mlir::scf::ForOp outer, llvm::ArrayRef<PipelinedLoad> loads) {
  mlir::scf::ForOp outermost = outer ? outer : loop;
  auto function = mlir::dyn_cast<tt::FuncOp>(outermost->getParentOp());
  // All warps of a group have to take part in its products, and arrive for themselves.
  if (!function || !function.isPublic() || !function.getBody().hasOneBlock() ||
      !function.getOps<ttg::WarpSpecializeOp>().empty())
    return false;
  auto isUnorderedTile = [](const PipelinedLoad &pipelined) {
    auto load = mlir::dyn_cast<tt::DescriptorLoadOp>(pipelined.load);
    // The warp would have to acquire maps that the program makes.
    return load && !load.getDesc().getDefiningOp() && !isOrderedTensorMap(load.getDesc());
  };
  return llvm::all_of(loads, isUnorderedTile) && findSlice(loop, outer, loads);
}

/// Tiles that share mbarriers.
struct LoopPipeline::Group {
  llvm::SmallVector<unsigned> members; // numbers of loads
  unsigned bytes = 0;
  /// Of the loop's body: the first operation that reads them, and the one behind which nobody does any more;
  /// that of the next round, where a product outlasts its own.
  Operation *firstReader = nullptr, *release = nullptr;
  bool isReleasedInNextRound = false;
  Value full, empty; // a barrier for each buffer
};

std::vector<LoopPipeline::Group> LoopPipeline::groupRings() {
  std::vector<Group> groups;
  mlir::Block *body = loop.getBody();
  for (auto [i, ring] : llvm::enumerate(rings)) {
    Group group;
    llvm::SetVector<Operation *> readers = findReaders(ring, loop);
    group.isReleasedInNextRound =
        llvm::any_of(readers, [&](Operation *reader) { return outlastsRound(reader, loop); });
    for (Operation *reader : readers) {
      Operation *inRound = body->findAncestorOpInBlock(*reader);
      if (!group.firstReader || inRound->isBeforeInBlock(group.firstReader))
        group.firstReader = inRound;
      // In the next round, those that do not outlast theirs are done.
      bool outlasts = outlastsRound(reader, loop);
      if (outlasts != group.isReleasedInNextRound)
        continue;
      Operation *release = inRound;
      if (auto product = mlir::dyn_cast<ttng::WarpGroupDotOp>(inRound))
        release = outlasts ? findFirstUserInNextRound(product) : findFirstUser(product);
      if (!group.release || group.release->isBeforeInBlock(release))
        group.release = release;
    }
    auto same = llvm::find_if(groups, [&](const Group &other) {
      return other.firstReader == group.firstReader && other.release == group.release &&
             other.isReleasedInNextRound == group.isReleasedInNextRound;
    });
    if (same == groups.end())
      same = groups.insert(groups.end(), group);
    same->members.push_back(i);
    same->bytes += getBufferBytes(mlir::cast<ttg::MemDescType>(ring.getType())) / numBuffers;
  }
  return groups;
}

/// Where the operation is, or behind it.
static OpBuilder behind(Operation *op) {
  OpBuilder builder(op);
  if (!op->hasTrait<mlir::OpTrait::IsTerminator>())
    builder.setInsertionPointAfter(op);
  return builder;
}

void LoopPipeline::releaseInRound(const Group &group) {
  OpBuilder builder = behind(group.release);
  mlir::Location location = loop.getLoc();
  llvm::SmallVector<Value> buffers;
  for (unsigned member : group.members)
    buffers.push_back(getBuffer(builder, rings[member], numbers.read));
  ttng::ArriveBarrierOp::create(builder, location, getBuffer(builder, group.empty, numbers.read), /*count=*/1,
                                /*pred=*/Value(), buffers, /*eachWarp=*/true);
}

void LoopPipeline::releaseRoundBefore(const Group &group) {
  mlir::Location location = loop.getLoc();
  auto release = [&](OpBuilder &builder, Value next, Value condition) {
    Value zero = mlir::arith::ConstantIntOp::create(builder, location, 0, 32);
    Value one = mlir::arith::ConstantIntOp::create(builder, location, 1, 32);
    Value last = mlir::arith::ConstantIntOp::create(builder, location, numBuffers - 1, 32);
    Value isFirst =
        mlir::arith::CmpIOp::create(builder, location, mlir::arith::CmpIPredicate::eq, next, zero);
    Value difference = mlir::arith::SubIOp::create(builder, location, next, one);
    Value before = mlir::arith::SelectOp::create(builder, location, isFirst, last, difference);
    ttng::ArriveBarrierOp::create(builder, location, getBuffer(builder, group.empty, before), /*count=*/1,
                                  condition, /*deps=*/mlir::ValueRange(), /*eachWarp=*/true);
  };
  OpBuilder inRound = behind(group.release);
  release(inRound, numbers.read,
          mlir::arith::CmpIOp::create(inRound, location, mlir::arith::CmpIPredicate::ne,
                                      loop.getInductionVar(), loop.getLowerBound()));
  if (!outer)
    return;
  // That of the last round, as the other warp goes on to the next tile.
  OpBuilder afterLoop = behind(loop);
  auto predicate = loop.getUnsignedCmp() ? mlir::arith::CmpIPredicate::ult : mlir::arith::CmpIPredicate::slt;
  Value hasRounds =
      mlir::arith::CmpIOp::create(afterLoop, location, predicate, loop.getLowerBound(), loop.getUpperBound());
  release(afterLoop, loop.getResults().drop_back().back(), hasRounds);
}

void LoopPipeline::specialize(std::optional<unsigned> registers) {
  // The specialized part begins as early as the other warp can.
  mlir::Location location = loop.getLoc();
  CopySlice slice = *findSlice(loop, outer, loads);
  mlir::Block *block = getOutermost()->getBlock();
  Operation *first = &block->front();
  for (Value value : slice.getCaptures())
    if (Operation *op = value.getDefiningOp(); op && !op->isBeforeInBlock(first))
      first = op->getNextNode();
  OpBuilder before(first);
  auto op =
      ttg::WarpSpecializeOp::create(before, location, mlir::TypeRange(), before.getDenseI32ArrayAttr({1}),
                                    /*warpGroupStartIds=*/mlir::DenseI32ArrayAttr(),
                                    /*requestedRegisters=*/mlir::DenseI32ArrayAttr(),
                                    /*actualRegisters=*/mlir::DenseI32ArrayAttr());
  if (registers) {
    int32_t own = *registers, producers = producerRegisters;
    op.setRequestedRegisters(llvm::ArrayRef(producers));
    op.setActualRegisters(llvm::ArrayRef<int32_t>{own, producers});
  }
  before.setInsertionPoint(op);
  Producer producer(op, numBuffers);
  producer.repeat(slice, loop, outer, loads);

  llvm::SmallVector<Operation *> places;
  for (const PipelinedLoad &pipelined : loads)
    places.push_back(producer.getPlace(pipelined.load));
  specialized = op;
  addCounters();
  makeRings();
  readRings();
  moveFences();

  std::vector<Group> groups = groupRings();
  OpBuilder end = behind(getOutermost());
  auto makeBarriers = [&](unsigned arrivals) {
    int64_t count = numBuffers;
    Value ring = ttg::LocalAllocOp::create(before, location, getTileBarriers(before.getContext(), {count, 1}),
                                           /*src=*/Value(), before.getI32IntegerAttr(16));
    for (int64_t i = 0; i < count; ++i) {
      Value number = mlir::arith::ConstantIntOp::create(before, location, i, 32);
      ttng::InitBarrierOp::create(before, location, getBuffer(before, ring, number), arrivals);
      number = mlir::arith::ConstantIntOp::create(end, location, i, 32);
      ttng::InvalBarrierOp::create(end, location, getBuffer(end, ring, number));
    }
    ttg::LocalDeallocOp::create(end, location, ring);
    return ring;
  };
  auto products = loop.getBody()->getOps<ttng::WarpGroupDotOp>();
  for (Group &group : groups) {
    group.full = makeBarriers(1);
    group.empty = makeBarriers(ttg::getNumWarps(loop));
    // Before the round's first product, not between two: ptxas (12.8 and 13.0) loses factors that stay in
    // registers where a loop, as a wait is, stands between products.
    if (!products.empty() && (*products.begin())->isBeforeInBlock(group.firstReader))
      group.firstReader = *products.begin();
    OpBuilder builder(group.firstReader);
    ttng::WaitBarrierOp::create(builder, location, getBuffer(builder, group.full, numbers.read), phase,
                                /*pred=*/Value(), /*deps=*/mlir::ValueRange());
    if (group.isReleasedInNextRound)
      releaseRoundBefore(group);
    else
      releaseInRound(group);

    // The copies, where the last of their coordinates is known.
    Operation *last = places[group.members.front()];
    for (unsigned member : group.members)
      if (last->isBeforeInBlock(places[member]))
        last = places[member];
    builder.setInsertionPoint(last);
    Value full = getBuffer(builder, producer.capture(group.full), producer.buffer);
    Value empty = getBuffer(builder, producer.capture(group.empty), producer.buffer);
    Value always = mlir::arith::ConstantIntOp::create(builder, location, 1, 1);
    ttng::WaitBarrierOp::create(builder, location, empty, producer.phase, /*pred=*/Value(),
                                /*deps=*/mlir::ValueRange());
    ttng::BarrierExpectOp::create(builder, location, full, group.bytes, always);
    for (unsigned member : group.members) {
      auto load = mlir::cast<tt::DescriptorLoadOp>(places[member]);
      ttng::AsyncTMACopyGlobalToLocalOp::create(
          builder, load.getLoc(), load.getDesc(), load.getIndices(), full,
          getBuffer(builder, producer.capture(rings[member]), producer.buffer), always, load.getCache(),
          load.getEvict(), /*isVolatile=*/false);
    }
  }
  for (Value ring : rings)
    ttg::LocalDeallocOp::create(end, location, ring);
  for (Operation *place : places)
    place->erase();
  // What threads did with the buffers' memory before is over when the first copy comes.
  ttng::FenceAsyncSharedOp::create(before, location);

  mlir::Block &body = op.getDefaultRegion().emplaceBlock();
  body.getOperations().splice(body.end(), block->getOperations(), std::next(op->getIterator()),
                              std::prev(block->end()));
  OpBuilder atEnd = OpBuilder::atBlockEnd(&body);
  ttg::WarpYieldOp::create(atEnd, location, mlir::ValueRange());
}

} // namespace nereid
