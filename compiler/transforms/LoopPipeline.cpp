// MLIR's loop pipeliner (scf::pipelineForLoop) makes the rounds before the loop, and hands on what later
// stages need. For it, loads become copies into rings and reads of them, each operation of a round gets a
// stage and a place in the round, and copies of rounds that there are not are masked off.
#include "compiler/transforms/LoopPipeline.h"

#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/OuterPipeline.h"
#include "compiler/transforms/ScratchMemory.h"
#include "compiler/transforms/SharedBuffers.h"
#include "compiler/transforms/TensorMaps.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/Matchers.h"

namespace nereid {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

bool isInRound(Operation *op, mlir::Block *block) {
  while (op->getBlock() != block && mlir::isa_and_nonnull<mlir::scf::IfOp>(op->getParentOp()))
    op = op->getParentOp();
  return op->getBlock() == block;
}

bool isZero(Value value) {
  return mlir::matchPattern(value, mlir::m_AnyZeroFloat()) || mlir::matchPattern(value, mlir::m_Zero());
}

bool makesFragments(Operation *op, mlir::Block *block) {
  auto convert = mlir::dyn_cast<ttg::ConvertLayoutOp>(op);
  auto layout = convert ? mlir::dyn_cast<ttg::DotOperandEncodingAttr>(convert.getType().getEncoding())
                        : ttg::DotOperandEncodingAttr();
  return layout && !isScalarProductOperand(layout) && isInRound(convert, block);
}

bool makesTransposedFragments(Operation *op, mlir::Block *block) {
  auto trans = mlir::dyn_cast<tt::TransOp>(op);
  return trans && trans.getOrder().size() == 2 && isInRound(trans, block) && !trans->use_empty() &&
         llvm::all_of(trans->getUsers(), [&](Operation *user) { return makesFragments(user, block); });
}

/// All operations of the loop's body that values are computed from, round after round: through the loop's
/// arguments to what the round before yields.
static void collectSources(mlir::scf::ForOp loop, Value value, llvm::SetVector<Operation *> &sources) {
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value))
    if (argument.getOwner() == loop.getBody() && argument != loop.getInductionVar())
      value = loop.getTiedLoopYieldedValue(argument)->get();
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || !sources.insert(op))
    return;
  // What branches and the like take from around them, too.
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (operand.getParentRegion()->isAncestor(loop.getBody()->getParent()))
        collectSources(loop, operand, sources);
  });
}

llvm::SetVector<Operation *> getSources(mlir::scf::ForOp loop, mlir::ValueRange values) {
  llvm::SetVector<Operation *> sources;
  for (Value value : values)
    collectSources(loop, value, sources);
  return sources;
}

llvm::SetVector<Operation *> getSources(mlir::scf::ForOp loop, Operation *op) {
  return getSources(loop, op->getOperands());
}

/// How many loads, one after another, the result of this one takes.
static unsigned countLoadsUpTo(mlir::scf::ForOp loop, Operation *load) {
  unsigned count = 0;
  for (Operation *op : getSources(loop, load))
    if (mlir::isa<tt::LoadOp>(op))
      count = std::max(count, countLoadsUpTo(loop, op));
  return count + 1;
}

Value withoutTranspositions(Value memory) {
  while (auto trans = memory.getDefiningOp<ttg::MemDescTransOp>())
    memory = trans.getSrc();
  return memory;
}

bool isExchangedForFirstProduct(const PipelinedLoad &pipelined) {
  mlir::Block *block = pipelined.load->getBlock();
  auto products = block->getOps<ttng::WarpGroupDotOp>();
  if (pipelined.isDirect || pipelined.isTile() || !llvm::hasNItemsOrMore(products, 2))
    return false;
  llvm::SetVector<Value> values;
  values.insert(pipelined.getResult());
  for (size_t i = 0; i != values.size(); ++i)
    for (Operation *user : values[i].getUsers()) {
      if (user->getBlock() != block)
        continue;
      auto convert = mlir::dyn_cast<ttg::ConvertLayoutOp>(user);
      bool exchanges = convert ? getConversionKind(convert) == ConversionPlan::Kind::Shared
                               : mlir::isa<ttg::LocalAllocOp>(user);
      if (exchanges && llvm::is_contained(user->getUsers(), *products.begin()))
        return true;
      if (!exchanges && user->hasTrait<mlir::OpTrait::Elementwise>())
        values.insert(user->getResult(0));
    }
  return false;
}

/// Two counters of rounds modulo the number of buffers, and one of the times round. Where the outer loop's
/// next round starts before this one ends, they go on counting in it.
void LoopPipeline::addCounters() {
  OpBuilder before(getSetup());
  mlir::Location location = loop.getLoc();
  // The other warp counts what is copied.
  llvm::SmallVector<unsigned> lengths(specialized ? 1 : 2, numBuffers);
  if (hasShorterRings())
    lengths.append(2, roundsAhead);
  Value zero = mlir::arith::ConstantIntOp::create(before, location, 0, 32);
  Value one = mlir::arith::ConstantIntOp::create(before, location, 1, 32);
  llvm::SmallVector<Value> ends;
  for (unsigned length : lengths)
    ends.push_back(mlir::arith::ConstantIntOp::create(before, location, length, 32));
  unsigned reader = specialized ? 0 : 1;
  mlir::IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  auto yield = [&](OpBuilder &builder, mlir::Location, llvm::ArrayRef<mlir::BlockArgument> added) {
    llvm::SmallVector<Value> next;
    Value isEndOfRead;
    for (auto [i, counter, end] : llvm::enumerate(added.take_front(ends.size()), ends)) {
      Value sum = mlir::arith::AddIOp::create(builder, location, counter, one);
      Value isEnd = mlir::arith::CmpIOp::create(builder, location, mlir::arith::CmpIPredicate::eq, sum, end);
      next.push_back(mlir::arith::SelectOp::create(builder, location, isEnd, zero, sum));
      if (i == reader)
        isEndOfRead = isEnd;
    }
    if (added.size() != ends.size()) {
      Value other = mlir::arith::XOrIOp::create(builder, location, added.back(), one);
      next.push_back(mlir::arith::SelectOp::create(builder, location, isEndOfRead, other, added.back()));
    }
    return next;
  };
  bool hasTiles = llvm::any_of(loads, std::mem_fn(&PipelinedLoad::isTile));
  llvm::SmallVector<Value> initial(lengths.size() + hasTiles, zero);
  auto replaced =
      loop.replaceWithAdditionalYields(rewriter, initial, /*replaceInitOperandUsesInLoop=*/false, yield);
  loop = mlir::cast<mlir::scf::ForOp>(replaced->getOperation());
  auto counters = loop.getRegionIterArgs().take_back(initial.size());
  if (!specialized)
    numbers.copied = counters[0];
  numbers.read = counters[reader];
  if (hasShorterRings())
    numbersOfShorter = {counters[2], counters[3]};
  phase = hasTiles ? Value(counters.back()) : Value();
  if (outer)
    carryCounters(initial);
}

void LoopPipeline::carryCounters(mlir::ValueRange initial) {
  mlir::IRRewriter rewriter(outer);
  // What is read next, and its phase if there are tiles.
  unsigned numCarried = phase ? 2 : 1;
  auto yield = [&](OpBuilder &, mlir::Location, llvm::ArrayRef<mlir::BlockArgument>) {
    return llvm::SmallVector<Value>(loop->getResults().take_back(numCarried));
  };
  auto replaced = outer.replaceWithAdditionalYields(rewriter, initial.take_back(numCarried),
                                                    /*replaceInitOperandUsesInLoop=*/false, yield);
  outer = mlir::cast<mlir::scf::ForOp>(replaced->getOperation());
  auto carried = outer.getRegionIterArgs().take_back(numCarried);
  auto inits = loop.getInitArgsMutable();
  unsigned first = inits.size() - initial.size();
  if (!specialized)
    inits[first++].set(carried[0]); // copied
  for (unsigned i = 0; i != numCarried; ++i)
    inits[first + i].set(carried[i]);
}

Value LoopPipeline::makeBuffers(const PipelinedLoad &pipelined) {
  OpBuilder before(getSetup());
  Operation *load = pipelined.load;
  auto type = mlir::cast<RankedTensorType>(pipelined.getResult().getType());
  llvm::SmallVector<int64_t> shape{int64_t(pipelined.hasShorterRing ? roundsAhead : numBuffers)};
  llvm::append_range(shape, type.getShape());
  auto space = ttg::SharedMemorySpaceAttr::get(load->getContext());
  auto ring =
      ttg::MemDescType::get(shape, type.getElementType(), pipelined.memory, space, /*mutableMemory=*/true);
  unsigned alignment = 16;
  if (pipelined.isTile())
    alignment = tileAlignment;
  for (Operation *user : load->getUsers())
    if (auto alloc = mlir::dyn_cast<ttg::LocalAllocOp>(user))
      alignment = std::max<unsigned>(alignment, alloc.getAlignmentOrDefault());
  return ttg::LocalAllocOp::create(before, load->getLoc(), ring, /*src=*/Value(),
                                   before.getI32IntegerAttr(alignment));
}

/// An mbarrier for each buffer of the rings. All threads see them before the loop begins.
void LoopPipeline::makeBarriers() {
  OpBuilder before(getOutermost());
  mlir::Location location = loop.getLoc();
  mlir::MLIRContext *context = before.getContext();
  int64_t count = numBuffers;
  barriers = ttg::LocalAllocOp::create(before, location, getTileBarriers(context, {count, 1}),
                                       /*src=*/Value(), before.getI32IntegerAttr(16));
  for (int64_t i = 0; i < count; ++i) {
    Value number = mlir::arith::ConstantIntOp::create(before, location, i, 32);
    ttng::InitBarrierOp::create(before, location, getBuffer(before, barriers, number), 1);
  }
  // What threads did with the buffers' memory before is over when the first copy comes.
  auto fence = ttng::FenceAsyncSharedOp::create(before, location);
  fence.setGlobal(llvm::any_of(loads, [](const PipelinedLoad &pipelined) {
    auto load = mlir::dyn_cast<tt::DescriptorLoadOp>(pipelined.load);
    return load && isOrderedTensorMap(load.getDesc());
  }));
  ttg::LocalBarrierOp::create(before, location);
  OpBuilder behind(context);
  behind.setInsertionPointAfter(getOutermost());
  for (int64_t i = 0; i < count; ++i) {
    Value number = mlir::arith::ConstantIntOp::create(behind, location, i, 32);
    ttng::InvalBarrierOp::create(behind, location, getBuffer(behind, barriers, number));
  }
  ttg::LocalDeallocOp::create(behind, location, barriers);
}

Value LoopPipeline::getBuffer(OpBuilder &builder, Value ring, Value number) {
  auto type = mlir::cast<ttg::MemDescType>(ring.getType());
  auto single = ttg::MemDescType::get(type.getShape().drop_front(), type.getElementType(), type.getEncoding(),
                                      type.getMemorySpace(), type.getMutableMemory(), type.getShape());
  return ttg::MemDescIndexOp::create(builder, ring.getLoc(), single, ring, number);
}

/// All tiles of a round together, behind the last of their loads.
void LoopPipeline::copyTiles() {
  Operation *last = nullptr;
  unsigned bytes = 0;
  for (const PipelinedLoad &pipelined : loads)
    if (pipelined.isTile()) {
      bytes += pipelined.getBytes();
      if (!last || last->isBeforeInBlock(pipelined.load))
        last = pipelined.load;
    }
  if (!last)
    return;
  makeBarriers();
  OpBuilder builder(last);
  Value always = mlir::arith::ConstantIntOp::create(builder, last->getLoc(), 1, 1);
  Value barrier = getBuffer(builder, barriers, numbers.copied);
  ahead.insert(ttng::BarrierExpectOp::create(builder, last->getLoc(), barrier, bytes, always));
  for (auto [pipelined, ring] : llvm::zip_equal(loads, rings))
    if (auto load = mlir::dyn_cast<tt::DescriptorLoadOp>(pipelined.load))
      ahead.insert(
          ttng::AsyncTMACopyGlobalToLocalOp::create(builder, load.getLoc(), load.getDesc(), load.getIndices(),
                                                    barrier, getBuffer(builder, ring, numbers.copied), always,
                                                    load.getCache(), load.getEvict(), /*isVolatile=*/false));
  builder.setInsertionPointToStart(loop.getBody());
  barrier = getBuffer(builder, barriers, numbers.read);
  waits.push_back(barrier.getDefiningOp());
  waits.push_back(ttng::WaitBarrierOp::create(builder, last->getLoc(), barrier, phase, /*pred=*/Value(),
                                              /*deps=*/mlir::ValueRange()));
}

/// By the threads, each its own, in one group a round.
void LoopPipeline::copyElements() {
  llvm::SmallVector<Value> tokens;
  Operation *last = nullptr; // copy in the order of the body
  for (auto [pipelined, ring] : llvm::zip_equal(loads, rings)) {
    auto load = mlir::dyn_cast<tt::LoadOp>(pipelined.load);
    if (!load)
      continue;
    OpBuilder builder(load);
    Value buffer = getBuffer(builder, ring, getNumbers(pipelined).copied);
    auto copy = ttg::AsyncCopyGlobalToLocalOp::create(
        builder, load.getLoc(), load.getPtr(), buffer, load.getMask(), /*other=*/Value(), load.getCache(),
        load.getEvict(), /*isVolatile=*/false, /*contiguity=*/1);
    ahead.insert(copy);
    tokens.push_back(copy.getToken());
    if (!last || last->isBeforeInBlock(copy))
      last = copy;
  }
  if (!last)
    return;
  OpBuilder builder(last->getContext());
  builder.setInsertionPointAfter(last);
  auto commit = ttg::AsyncCommitGroupOp::create(builder, last->getLoc(), tokens);
  ahead.insert(commit);
  builder.setInsertionPointToStart(loop.getBody());
  auto wait = ttg::AsyncWaitOp::create(builder, last->getLoc(), mlir::ValueRange(), int32_t(roundsAhead) - 1);
  waits.push_back(wait);
  token = wait.getRetToken();
  builder.setInsertionPointAfter(getOutermost());
  ttg::AsyncWaitOp::create(builder, loop.getLoc(), mlir::ValueRange(), 0);
}

/// Another view of a buffer, its two axes exchanged.
static Value transpose(OpBuilder &builder, Value buffer, mlir::DenseI32ArrayAttr order) {
  auto type = mlir::cast<ttg::MemDescType>(buffer.getType());
  mlir::Attribute encoding;
  if (auto matrix = mlir::dyn_cast<ttg::NVMMASharedEncodingAttr>(type.getEncoding())) {
    encoding = ttg::NVMMASharedEncodingAttr::get(
        type.getContext(), matrix.getSwizzlingByteWidth(), !matrix.getTransposed(),
        matrix.getElementBitWidth(), matrix.getFp4Padded(), matrix.getRank(), llvm::ArrayRef<int32_t>());
  } else {
    auto layout = mlir::cast<ttg::SwizzledSharedEncodingAttr>(type.getEncoding());
    unsigned turned[] = {1 - layout.getOrder()[0], 1 - layout.getOrder()[1]};
    encoding = ttg::SwizzledSharedEncodingAttr::get(type.getContext(), layout.getVec(), layout.getPerPhase(),
                                                    layout.getMaxPhase(), turned, llvm::ArrayRef<int32_t>());
  }
  llvm::SmallVector<int64_t> shape(llvm::reverse(type.getShape())), whole(type.getAllocShape());
  std::swap(whole.end()[-1], whole.end()[-2]);
  auto view = ttg::MemDescType::get(shape, type.getElementType(), encoding, type.getMemorySpace(),
                                    type.getMutableMemory(), whole);
  return ttg::MemDescTransOp::create(builder, buffer.getLoc(), view, buffer, order);
}

/// Reads fragments from a view of a buffer, where a conversion made them.
static void readInPlaceOf(ttg::ConvertLayoutOp convert, Value view, Value arrival) {
  OpBuilder builder(convert);
  convert.getResult().replaceAllUsesWith(
      ttg::LocalLoadOp::create(builder, convert.getLoc(), convert.getType(), view, arrival));
  convert.erase();
}

void LoopPipeline::makeRings() {
  for (const PipelinedLoad &pipelined : loads)
    rings.push_back(makeBuffers(pipelined));
}

/// In place of the loads.
void LoopPipeline::readRings() {
  for (auto [pipelined, ring] : llvm::zip_equal(loads, rings)) {
    Operation *load = pipelined.load;
    Value result = pipelined.getResult(), arrival = pipelined.isTile() ? Value() : token;
    if (!pipelined.isDirect) {
      OpBuilder atLoad(load);
      Value loaded = ttg::LocalLoadOp::create(atLoad, load->getLoc(), result.getType(),
                                              getBuffer(atLoad, ring, getNumbers(pipelined).read), arrival);
      result.replaceAllUsesWith(loaded);
      load->erase();
      continue;
    }
    Value readBack; // for everything else
    for (mlir::OpOperand &use : llvm::make_early_inc_range(load->getUses())) {
      Operation *user = use.getOwner();
      OpBuilder atUse(user);
      auto alloc = mlir::dyn_cast<ttg::LocalAllocOp>(user);
      if (alloc && alloc.getType().getEncoding() == pipelined.memory && isInRound(alloc, load->getBlock())) {
        replaceMemory(alloc.getResult(), getBuffer(atUse, ring, numbers.read));
        alloc.erase();
      } else if (makesFragments(user, load->getBlock())) {
        readInPlaceOf(mlir::cast<ttg::ConvertLayoutOp>(user), getBuffer(atUse, ring, numbers.read), arrival);
      } else if (makesTransposedFragments(user, load->getBlock())) {
        auto trans = mlir::cast<tt::TransOp>(user);
        Value view = transpose(atUse, getBuffer(atUse, ring, numbers.read), trans.getOrderAttr());
        for (Operation *convert : llvm::make_early_inc_range(trans->getUsers()))
          readInPlaceOf(mlir::cast<ttg::ConvertLayoutOp>(convert), view, arrival);
        trans.erase();
      } else {
        if (!readBack) {
          OpBuilder atLoad(load);
          readBack = ttg::LocalLoadOp::create(atLoad, load->getLoc(), result.getType(),
                                              getBuffer(atLoad, ring, numbers.read), arrival);
        }
        use.set(readBack);
      }
    }
    load->erase();
  }
}

/// Warp groups' products read memory behind the threads' backs, so that what threads have stored needs a
/// fence. What cp.async has copied is there behind its wait and a barrier: CUTLASS's and Triton's loops have
/// no fence for it either, and it would wait for the copies of later rounds. So products that read nothing
/// else that was written in the loop need none in the loop.
void LoopPipeline::moveFences() {
  bool readsOlderMemory = false, readsAnyNew = false;
  llvm::SmallVector<ttng::WarpGroupDotOp> products;
  loop->walk([&](ttng::WarpGroupDotOp product) {
    if (isInRound(product, loop.getBody()))
      products.push_back(product);
  });
  for (ttng::WarpGroupDotOp product : products) {
    // The product's own fence stands before it, perhaps with conversions of its other operands between.
    Operation *before = product->getPrevNode();
    while (before && !mlir::isa<ttng::FenceAsyncSharedOp, ttng::WarpGroupDotOp>(before))
      before = before->getPrevNode();
    auto fence = mlir::dyn_cast_or_null<ttng::FenceAsyncSharedOp>(before);
    bool readsNewMemory = false;
    for (Value operand : product->getOperands()) {
      auto alloc = withoutTranspositions(operand).getDefiningOp<ttg::LocalAllocOp>();
      if (!alloc)
        continue;
      bool isOlder = loop.isDefinedOutsideOfLoop(alloc.getResult());
      readsOlderMemory |= isOlder;
      readsNewMemory |= !isOlder;
    }
    readsAnyNew |= readsNewMemory;
    if (fence && !readsNewMemory)
      fence.erase();
  }
  // Those of stores that have become copies.
  if (!readsAnyNew)
    for (auto fence : llvm::make_early_inc_range(loop.getBody()->getOps<ttng::FenceAsyncSharedOp>()))
      fence.erase();
  if (readsOlderMemory) {
    OpBuilder builder(loop);
    ttng::FenceAsyncSharedOp::create(builder, loop.getLoc());
  }
}

bool readsFactorFromRing(ttng::WarpGroupDotOp product, llvm::ArrayRef<PipelinedLoad> loads) {
  auto convert = product.getA().getDefiningOp<ttg::ConvertLayoutOp>();
  if (!convert || !convert->hasOneUse() || !makesFragments(convert, product->getBlock()))
    return false;
  Value source = convert.getSrc();
  if (auto trans = source.getDefiningOp<tt::TransOp>()) {
    if (!trans->hasOneUse() || !makesTransposedFragments(trans, product->getBlock()))
      return false;
    source = trans.getSrc();
  }
  return llvm::any_of(loads, [&](const PipelinedLoad &pipelined) {
    return pipelined.isDirect && pipelined.getResult() == source;
  });
}

/// A part of a view from `offset` on along one of its two axes.
static Value getSlice(OpBuilder &builder, Value view, unsigned axis, int32_t offset, int64_t size) {
  auto type = mlir::cast<ttg::MemDescType>(view.getType());
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[axis] = size;
  int32_t offsets[] = {axis == 0 ? offset : 0, axis == 1 ? offset : 0};
  auto slice = ttg::MemDescType::get(shape, type.getElementType(), type.getEncoding(), type.getMemorySpace(),
                                     type.getMutableMemory(), type.getAllocShape());
  return ttg::MemDescSubsliceOp::create(builder, view.getLoc(), slice, view, offsets);
}

/// Those that may outlast their round though threads read one of their factors from a ring in each.
///
///     %a = ttg.local_load %left                       %a0 = ttg.local_load %left[0, 0]
///     %d = ttng.warp_group_dot %a, %right, %sums  →   %d0 = ttng.warp_group_dot %a0, %right[0, 0], %sums
///                                                     %a1 = ttg.local_load %left[0, 16]
///                                                     %d1 = ttng.warp_group_dot %a1, %right[16, 0], %d0
///
/// PlaceProductWaits.cpp lets each read wait for no more than the product that still has its registers.
void LoopPipeline::splitProducts() {
  constexpr int64_t mostPieces = 2, bytesOfStep = 32;
  for (auto product : llvm::make_early_inc_range(loop.getBody()->getOps<ttng::WarpGroupDotOp>())) {
    auto read = product.getA().getDefiningOp<ttg::LocalLoadOp>();
    if (!product.getIsAsync() || !read || read->getBlock() != loop.getBody())
      continue;
    OpBuilder builder(product);
    RankedTensorType type = read.getType();
    int64_t depth = type.getDimSize(1),
            steps = depth * tt::getElementBits(type.getElementType()) / 8 / bytesOfStep;
    int64_t pieces = std::min(mostPieces, steps), size = depth / pieces;
    Value sums = product.getC();
    for (int64_t i = 0; i != pieces; ++i) {
      RankedTensorType part = type.clone({type.getDimSize(0), size});
      Value left = ttg::LocalLoadOp::create(
          builder, read.getLoc(), part, getSlice(builder, read.getSrc(), 1, i * size, size), read.getToken());
      Value right = getSlice(builder, product.getB(), 0, i * size, size);
      sums = ttng::WarpGroupDotOp::create(builder, product.getLoc(), left, right, sums,
                                          i == 0 ? product.getUseC() : Value(), product.getInputPrecision(),
                                          product.getMaxNumImpreciseAcc(), /*isAsync=*/true);
    }
    product.replaceAllUsesWith(sums);
    product.erase();
    read.erase();
  }
}

/// Of a product's pieces all but the last, so that those that are left are products.
static bool isPieceBeforeLast(ttng::WarpGroupDotOp product) {
  auto isPiece = [](ttng::WarpGroupDotOp product) {
    auto read = product.getA().getDefiningOp<ttg::LocalLoadOp>();
    return read && read.getSrc().getDefiningOp<ttg::MemDescSubsliceOp>();
  };
  auto next = product->hasOneUse() ? mlir::dyn_cast<ttng::WarpGroupDotOp>(*product->user_begin())
                                   : ttng::WarpGroupDotOp();
  return next && next.getC() == product && isPiece(product) && isPiece(next);
}

/// An operation with all of its block that has to come before it: what it is computed from, and what changes
/// memory.
static llvm::SetVector<Operation *> findWhatLeadsTo(Operation *op) {
  llvm::SetVector<Operation *> found;
  mlir::BackwardSliceOptions options;
  options.inclusive = true;
  options.omitUsesFromAbove = false;
  options.filter = [&](Operation *source) { return source->getBlock() == op->getBlock(); };
  auto add = [&](Operation *needed) { (void)mlir::getBackwardSlice(needed, &found, options); };
  for (Operation &other : *op->getBlock()) {
    if (&other == op)
      break;
    auto effects = mlir::getEffectsRecursively(&other);
    // One fence before several products is for what all of them read.
    if (!effects || mlir::isa<ttg::LocalAllocOp>(other) ||
        llvm::any_of(*effects, [](const mlir::MemoryEffects::EffectInstance &effect) {
          return !mlir::isa<mlir::MemoryEffects::Read>(effect.getEffect());
        }))
      add(&other);
  }
  add(op);
  return found;
}

/// Whether the operation, or one in it, reads a ring, itself or through views.
bool LoopPipeline::readsRing(Operation *op) {
  auto isView = [](Operation *op) {
    return mlir::isa_and_nonnull<ttg::MemDescIndexOp, ttg::MemDescTransOp, ttg::MemDescSubsliceOp>(op);
  };
  if (isView(op))
    return false;
  return op
      ->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands()) {
          while (isView(operand.getDefiningOp()))
            operand = operand.getDefiningOp()->getOperand(0);
          if (llvm::is_contained(rings, operand))
            return mlir::WalkResult::interrupt();
        }
        return mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// What is read from rings but not for `product`, and what is made of that; nothing where that changes
/// memory.
llvm::SetVector<Operation *> LoopPipeline::findReadersBeside(Operation *product) {
  llvm::SetVector<Operation *> needed = findWhatLeadsTo(product), found;
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool isMadeOfSuch =
        op.walk([&](Operation *inner) {
            return llvm::any_of(inner->getOperands(),
                                [&](Value operand) {
                                  return operand.getDefiningOp() && found.contains(operand.getDefiningOp());
                                })
                       ? mlir::WalkResult::interrupt()
                       : mlir::WalkResult::advance();
          }).wasInterrupted();
    if (needed.contains(&op) || !(isMadeOfSuch || readsRing(&op)))
      continue;
    if (!mlir::isPure(&op) && !mlir::isa<ttg::LocalLoadOp>(op))
      return {};
    found.insert(&op);
  }
  return found;
}

/// Loads of addresses for later rounds, the waits, small loads for the next round, then what runs ahead, then
/// the rest of the round. Warp groups' products go before what runs ahead: those of the round before have to
/// be done with the buffers. So does everything that reads the buffers if copies go to those of the same
/// round.
///
/// With a buffer to spare, products need not be done. Then only the round's first is started before, so that
/// the copies' addresses do not hold it up, and shorter rings count on that; but not where it is the only
/// one: it would be waited for in front of the copies, and the one of the round before keeps the matrix unit
/// busy.
///
/// A single product needs no other to be done, either. What threads make of the round's tiles beside it, such
/// as the sum of their squares, comes behind the copies, which go on meanwhile.
LoopSchedule LoopPipeline::schedule() {
  llvm::SetVector<Operation *> early = ahead;
  for (Operation *op : ahead)
    early.insert_range(getSources(loop, op));
  // Each load of an address is a stage before what needs it.
  llvm::DenseMap<Operation *, unsigned> stages;
  unsigned copyStage = 0;
  for (Operation *op : early)
    if (mlir::isa<tt::LoadOp>(op))
      copyStage = std::max(copyStage, countLoadsUpTo(loop, op));
  for (Operation *op : early)
    stages[op] = copyStage;
  for (Operation *load : early)
    if (mlir::isa<tt::LoadOp>(load)) {
      unsigned stage = countLoadsUpTo(loop, load) - 1;
      stages[load] = std::min(stages[load], stage);
      for (Operation *op : getSources(loop, load))
        stages[op] = std::min(stages[op], stage);
    }
  unsigned lastStage = copyStage + roundsAhead;
  llvm::SetVector<Operation *> oneAhead;
  for (Operation *load : smallLoads) {
    oneAhead.insert(load);
    oneAhead.insert_range(getSources(loop, load));
  }

  llvm::SmallVector<Operation *> ofAddresses, ofSmallLoads, ofCopies, rest;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (early.contains(&op) && stages[&op] < copyStage)
      ofAddresses.push_back(&op);
    else if (oneAhead.contains(&op))
      ofSmallLoads.push_back(&op);
    else if (early.contains(&op))
      ofCopies.push_back(&op);
    else if (!llvm::is_contained(waits, &op))
      rest.push_back(&op);
  }
  LoopSchedule order;
  for (Operation *op : ofAddresses)
    order.push_back({op, stages[op]});
  auto add = [&](llvm::ArrayRef<Operation *> ops, unsigned stage) {
    for (Operation *op : ops)
      order.push_back({op, stage});
  };
  for (Operation *op : ofSmallLoads)
    order.push_back({op, early.contains(op) ? copyStage : lastStage - 1});
  auto products = llvm::make_filter_range(rest, [](Operation *op) {
    auto product = mlir::dyn_cast<ttng::WarpGroupDotOp>(op);
    return product && !isPieceBeforeLast(product);
  });
  bool hasLateProducts =
      llvm::any_of(products, [](Operation *op) { return mlir::cast<ttng::WarpGroupDotOp>(op).getIsAsync(); });
  bool hasSpareBuffer = numBuffers > roundsAhead + 1;
  llvm::SetVector<Operation *> before;
  if (numBuffers == roundsAhead || (hasLateProducts && !hasSpareBuffer)) {
    before.insert(rest.begin(), rest.end());
    if (numBuffers != roundsAhead && llvm::hasSingleElement(products))
      before.set_subtract(findReadersBeside(*products.begin()));
  } else if (llvm::hasNItemsOrMore(products, 2))
    before = findWhatLeadsTo(*products.begin());
  auto isBefore = [&](Operation *op) { return before.contains(op); };
  llvm::SmallVector<Operation *> first = llvm::filter_to_vector(rest, isBefore);
  // Where the round begins with other things, such as storing sums of the last one, copies go on meanwhile.
  auto firstReader = llvm::find_if(first, [&](Operation *op) { return readsRing(op); });
  add(llvm::ArrayRef(first.begin(), firstReader), lastStage);
  add(waits, lastStage);
  add(llvm::ArrayRef(firstReader, first.end()), lastStage);
  add(ofCopies, copyStage);
  add(llvm::filter_to_vector(rest, std::not_fn(isBefore)), lastStage);
  return order;
}

/// From a loop that has no more rounds than there are copied before it. The first copies of a loop in this
/// one stay.
void LoopPipeline::dropCopies(mlir::scf::ForOp loop) {
  for (auto copy : llvm::make_early_inc_range(loop.getBody()->getOps<ttg::AsyncCopyGlobalToLocalOp>())) {
    auto buffer = copy.getResult().getDefiningOp<ttg::MemDescIndexOp>();
    if (!buffer || !llvm::is_contained(rings, buffer.getSrc()))
      continue;
    for (mlir::OpOperand &use : llvm::make_early_inc_range(copy->getUses())) // of the commit
      use.getOwner()->eraseOperand(use.getOperandNumber());
    copy.erase();
  }
}

mlir::LogicalResult LoopPipeline::run() {
  addCounters();
  makeRings();
  copyTiles();
  copyElements();
  readRings();
  moveFences();
  splitProducts();
  OpBuilder builder(loop.getContext());
  builder.setInsertionPointAfter(getOutermost());
  // Behind the last wait for what is copied there.
  while (mlir::isa<ttg::AsyncWaitOp>(*builder.getInsertionPoint()))
    builder.setInsertionPointAfter(&*builder.getInsertionPoint());
  for (Value ring : rings)
    ttg::LocalDeallocOp::create(builder, loop.getLoc(), ring);
  std::optional<llvm::APInt> rounds = loop.getStaticTripCount();
  bool areAllAhead = !outer && rounds && rounds->ule(roundsAhead);
  mlir::FailureOr<mlir::scf::ForOp> inner = runSchedule(loop, schedule());
  if (mlir::succeeded(inner) && areAllAhead)
    dropCopies(*inner);
  if (mlir::failed(inner) || !outer)
    return inner;
  return startEarlier(outer, *inner);
}

} // namespace nereid
