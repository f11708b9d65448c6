// tt.reduce: registers of a thread, then lanes of a warp, then warps through shared memory (ReductionPlan.h).
//
// After each stage the partial results are equal in all threads that took part: a butterfly over the lane
// bits leaves every lane with the warp's result, and after the one barrier every thread reads the partial
// results of all warps and combines them itself. That costs a few instructions more than electing one warp to
// do it, and saves a second barrier. From 16 warps on, holding all of their results would cost a thread so
// many registers that fewer blocks fit a multiprocessor (f16 softmax of 8192 columns: 40 instead of 32), so
// there each lane reads one, or two, and a second butterfly combines what it makes of them. Where that is
// long, as for the greatest element's place, or for means and deviations, one warp is elected after all
// (WarpResults.h).
//
// Which banks of shared memory meet is a question of what differs from lane to lane. Where that is the
// element of the result, as in a sum over the rows of a tile, partial results lie element by element, for one
// warp after the other, and a thread's neighbouring elements are read and written as vectors; otherwise those
// of all warps lie side by side. A thread that has many elements of many warps to combine would read much
// that others read, too: 16 warps of a tile of 64 x 128 would read 128 KiB of partial results that take 8.
// There each thread combines the elements that are its share alone, and all read the results behind a second
// barrier.
//
// Elements' places, which are reduced beside them for the greatest one's, are made of the thread's number.
// Those of the first lanes to meet are computed of that, and not shuffled.
//
// The combining region is emitted in place for each pair, over any number of operands. Where it is one
// integer operation that the hardware reduces over a warp in one instruction, that is used for whole warps;
// so are votes, for booleans that are joined by and or or. The greatest of a thread's numbers that were
// widened from bf16 is found before that, where the hardware compares such, and widened alone.
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/lowering/gpu/FloatFormats.h"
#include "compiler/lowering/gpu/LargeTiles.h"
#include "compiler/transforms/ScratchMemory.h"
#include "compiler/transforms/WarpResults.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

class ReduceEmitter {
public:
  ReduceEmitter(Emitter &e, tt::ReduceOp op, const ReductionPlan &plan) : e(e), op(op), plan(plan) {}
  LogicalResult run();
  /// The same in loops, for large tiles.
  LogicalResult runLarge();

private:
  /// One value for each operand of the reduction.
  FailureOr<Registers> combine(const Registers &left, const Registers &right);
  LogicalResult reduceLanes(Registers &partial);
  LogicalResult reduceLanes(Registers &partial, uint32_t laneMask);
  bool isOfThreadNumber(llvm::Value *value, unsigned &budget);
  llvm::Value *computeOfOtherLane(llvm::Value *value, unsigned lane);
  FailureOr<Registers> combineGroup(llvm::ArrayRef<uint32_t> group);
  llvm::SmallVector<unsigned> findSharedBits();
  FailureOr<Registers> reduceShared(llvm::ArrayRef<unsigned> bits, unsigned first);
  LogicalResult reduceLanesTogether(llvm::ArrayRef<unsigned> bits);
  void handToAllLanes();
  uint32_t getSharedLanes() const;
  LogicalResult reduceWarps();
  LogicalResult reduceWarpsByElements();
  llvm::SmallVector<unsigned> findLeaders(unsigned count, unsigned width) const;
  llvm::SmallVector<unsigned> findRun(unsigned leader, unsigned width) const;
  /// Where a thread's own elements begin, if that is at `element` without lanes that share the work. Adds the
  /// bits by which these lanes' differ to `threadBits`.
  llvm::Value *getOwnElement(llvm::Value *element, uint32_t &threadBits);
  FailureOr<Registers> combineRow(llvm::Value *first, unsigned count);
  FailureOr<Registers> combineRowByLanes(llvm::Value *row, const WarpResults &results);
  /// The constant part of the result element that a result register holds, as a flat index.
  uint32_t getElement(unsigned reg) const {
    return plan.result.hasInDim(Dim::Register) ? plan.result.apply({{Dim::Register, reg}}, Dim::Offset) : 0;
  }
  std::optional<WarpReduction> getWarpReduction();
  Value getNarrowSource();
  llvm::Value *combineNarrow(Value narrow, llvm::ArrayRef<uint32_t> group);

  Emitter &e;
  tt::ReduceOp op;
  const ReductionPlan &plan;
  /// The partial results: [result register][operand]. Where lanes share the work, those of the first
  /// registers alone, and each lane's are of other elements.
  llvm::SmallVector<Registers> partials;
  /// The bits of the lane's number by which they do, the one that divides the upper half of the elements from
  /// the lower first.
  llvm::SmallVector<unsigned> sharedBits;
};

} // namespace

FailureOr<Registers> ReduceEmitter::combine(const Registers &left, const Registers &right) {
  Registers arguments(left);
  llvm::append_range(arguments, right);
  return e.emitInline(op.getCombineOp(), arguments);
}

/// What a whole-warp instruction would compute, if the region is one operation on its two arguments: any for
/// i32, one of those that lanes vote by for booleans.
std::optional<WarpReduction> ReduceEmitter::getWarpReduction() {
  if (plan.laneMask != e.target.getWarpSize() - 1)
    return std::nullopt;
  Operation *combiner = op.getSingleCombiner();
  if (!combiner)
    return std::nullopt;
  Type type = combiner->getResult(0).getType();
  bool isVote = type.isInteger(1) && isa<arith::AndIOp, arith::OrIOp>(combiner);
  if (!type.isInteger(32) && !isVote)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<WarpReduction>>(combiner)
      .Case<arith::AddIOp>([](auto) { return WarpReduction::Add; })
      .Case<arith::MinSIOp>([](auto) { return WarpReduction::MinSigned; })
      .Case<arith::MaxSIOp>([](auto) { return WarpReduction::MaxSigned; })
      .Case<arith::MinUIOp>([](auto) { return WarpReduction::MinUnsigned; })
      .Case<arith::MaxUIOp>([](auto) { return WarpReduction::MaxUnsigned; })
      .Case<arith::AndIOp>([](auto) { return WarpReduction::And; })
      .Case<arith::OrIOp>([](auto) { return WarpReduction::Or; })
      .Case<arith::XOrIOp>([](auto) { return WarpReduction::Xor; })
      .Default([](Operation *) { return std::nullopt; });
}

LogicalResult ReduceEmitter::reduceLanes(Registers &partial) {
  if (std::optional<WarpReduction> kind = getWarpReduction()) {
    if (llvm::Value *result = e.target.reduceWarp(e.b, partial[0], *kind)) {
      partial[0] = result;
      return success();
    }
  }
  return reduceLanes(partial, plan.laneMask);
}

/// Whether an integer is made of the thread's number alone, in a few operations that tell its bits apart.
bool ReduceEmitter::isOfThreadNumber(llvm::Value *value, unsigned &budget) {
  if (isa<llvm::Constant>(value) || value == e.threadId() || value == e.laneId() || value == e.warpId())
    return true;
  auto *instruction = dyn_cast<llvm::Instruction>(value);
  if (!instruction || !value->getType()->isIntegerTy() || budget == 0)
    return false;
  --budget;
  switch (instruction->getOpcode()) {
  case llvm::Instruction::And:
  case llvm::Instruction::Or:
  case llvm::Instruction::Xor:
  case llvm::Instruction::Shl:
  case llvm::Instruction::LShr:
  case llvm::Instruction::Add:
  case llvm::Instruction::ZExt:
  case llvm::Instruction::SExt:
  case llvm::Instruction::Trunc:
  case llvm::Instruction::ICmp:
  case llvm::Instruction::Select:
    return llvm::all_of(instruction->operands(),
                        [&](llvm::Value *operand) { return isOfThreadNumber(operand, budget); });
  default:
    return false;
  }
}

/// What such a value is in the lane whose number differs in the bit `lane`.
llvm::Value *ReduceEmitter::computeOfOtherLane(llvm::Value *value, unsigned lane) {
  if (isa<llvm::Constant>(value) || value == e.warpId())
    return value;
  if (value == e.threadId() || value == e.laneId())
    return e.b.CreateXor(value, lane);
  llvm::Instruction *other = cast<llvm::Instruction>(value)->clone();
  for (llvm::Use &operand : other->operands())
    operand.set(computeOfOtherLane(operand, lane));
  return e.b.Insert(other);
}

LogicalResult ReduceEmitter::reduceLanes(Registers &partial, uint32_t laneMask) {
  // The farthest lanes first.
  for (int bit = 31; bit >= 0; --bit) {
    if (!(laneMask >> bit & 1))
      continue;
    Registers others;
    for (llvm::Value *value : partial) {
      unsigned budget = 24; // of which LLVM leaves one or two
      others.push_back(isOfThreadNumber(value, budget) ? computeOfOtherLane(value, 1u << bit)
                                                       : e.target.shuffleXor(e.b, value, 1u << bit));
    }
    FailureOr<Registers> combined = combine(partial, others);
    if (failed(combined))
      return failure();
    partial = std::move(*combined);
  }
  return success();
}

/// Whether a loop of products is around it, whose factors and sums take most of the registers.
static bool isBesideProducts(tt::ReduceOp op) {
  bool hasProducts = false;
  if (auto loop = op->getParentOfType<LoopLikeOpInterface>())
    loop->walk([&](Operation *inner) { hasProducts |= isa<tt::DotOp, ttng::WarpGroupDotOp>(inner); });
  return hasProducts;
}

/// The bits of the lane's number by which lanes share the work of a thread's many elements: with each half of
/// the lanes combines half of the elements that are left. Empty where too little is won by it to pay for
/// handing the results to all. Where warps meet in shared memory, nothing is to pay: each lane writes what it
/// has, in place of one lane all.
///
/// All elements are under way at once then. Beside products that pays where there is one for each lane at
/// least: with 16 sums over 32 lanes in a loop of two products, ptxas let half of the loads behind them wait
/// for registers, and the loop took 2431 cycles of a warp in place of 2310 (mlstm on an H100: 433 us, 392).
llvm::SmallVector<unsigned> ReduceEmitter::findSharedBits() {
  bool isWritten = plan.warpMask;
  unsigned manyElements = isWritten ? 4 : 16, manyBits = isWritten ? 2 : 4;
  // Of longer rows, the elements themselves are what registers are short of, and those of one row at a time
  // take the fewest.
  constexpr size_t shortRow = 2;
  unsigned numElements = plan.groups.size(), numBits = llvm::popcount(plan.laneMask);
  if (numElements < manyElements || (plan.groups[0].size() > shortRow && !isWritten) || numBits < manyBits ||
      getWarpReduction())
    return {};
  if (numElements >> numBits == 0 && isBesideProducts(op))
    return {};
  llvm::SmallVector<unsigned> bits;
  for (int bit = 31; bit >= 0 && numElements >> bits.size() > 1; --bit)
    if (plan.laneMask >> bit & 1)
      bits.push_back(bit);
  return bits;
}

/// What a thread makes of a row's elements that are all its own.
FailureOr<Registers> ReduceEmitter::combineGroup(llvm::ArrayRef<uint32_t> group) {
  auto gather = [&](uint32_t reg) {
    Registers values;
    for (Value source : op.getSrcs())
      values.push_back(e.get(source)[reg]);
    return values;
  };
  // Of more, registers are short: what stays narrow for this is widened again behind it, and ptxas spills
  // more.
  constexpr size_t many = 32;
  Value narrow = group.size() > 1 && group.size() <= many ? getNarrowSource() : Value();
  if (narrow)
    return Registers{combineNarrow(narrow, group)};
  Registers partial = gather(group[0]);
  for (uint32_t reg : group.drop_front()) {
    FailureOr<Registers> combined = combine(partial, gather(reg));
    if (failed(combined))
      return failure();
    partial = std::move(*combined);
  }
  return partial;
}

/// What is left of elements first, first + n, first + 2n, … when lanes have shared them by these bits, where
/// n is how many of those there are: each lane has one of them.
FailureOr<Registers> ReduceEmitter::reduceShared(llvm::ArrayRef<unsigned> bits, unsigned first) {
  if (bits.empty())
    return combineGroup(plan.groups[first]);
  llvm::IRBuilder<> &b = e.b;
  unsigned distance = plan.groups.size() >> bits.size();
  // One element at a time, so that few are under way.
  FailureOr<Registers> low = reduceShared(bits.drop_back(), first);
  FailureOr<Registers> high = reduceShared(bits.drop_back(), first + distance);
  if (failed(low) || failed(high))
    return failure();
  llvm::Value *isHigh = b.CreateICmpNE(b.CreateAnd(e.laneId(), 1u << bits.back()), b.getInt32(0));
  Registers kept, others;
  for (auto [l, h] : llvm::zip_equal(*low, *high)) {
    kept.push_back(b.CreateSelect(isHigh, h, l));
    others.push_back(e.target.shuffleXor(b, b.CreateSelect(isHigh, l, h), 1u << bits.back()));
  }
  return combine(kept, others);
}

LogicalResult ReduceEmitter::reduceLanesTogether(llvm::ArrayRef<unsigned> bits) {
  sharedBits.assign(bits.begin(), bits.end());
  unsigned left = plan.groups.size() >> bits.size();
  for (unsigned first = 0; first < left; ++first) {
    FailureOr<Registers> result = reduceShared(bits, first);
    if (failed(result) || failed(reduceLanes(*result, plan.laneMask & ~getSharedLanes())))
      return failure();
    partials.push_back(std::move(*result));
  }
  return success();
}

/// A sum of 64 rows of a thread takes 62 shuffles so, and 64 to hand the results to all, in place of 320:
///
///     lane 0    a0 b0        a0 + a1
///     lane 1    a1 b1   →    b0 + b1   →   a0 + a1, b0 + b1 for both
void ReduceEmitter::handToAllLanes() {
  llvm::IRBuilder<> &b = e.b;
  llvm::Value *row = b.CreateAnd(e.laneId(), ~getSharedLanes());
  llvm::SmallVector<Registers> results = std::move(partials);
  partials.clear();
  for (unsigned element = 0; element < plan.groups.size(); ++element) {
    uint32_t lane = 0;
    for (auto [step, bit] : llvm::enumerate(sharedBits))
      if (element & (plan.groups.size() >> (step + 1)))
        lane |= 1u << bit;
    llvm::Value *source = b.CreateOr(row, lane);
    Registers &values = partials.emplace_back();
    for (llvm::Value *result : results[element % results.size()])
      values.push_back(e.target.shuffleIndex(b, result, source));
  }
  sharedBits.clear();
}

uint32_t ReduceEmitter::getSharedLanes() const {
  uint32_t lanes = 0;
  for (unsigned bit : sharedBits)
    lanes |= 1u << bit;
  return lanes;
}

/// The bits of `number` under `mask`, side by side.
static llvm::Value *gatherBits(llvm::IRBuilder<> &b, llvm::Value *number, uint32_t mask) {
  llvm::Value *result = b.getInt32(0);
  for (unsigned bit = 0, place = 0; bit < 32; ++bit) {
    if (!(mask >> bit & 1))
      continue;
    llvm::Value *one = b.CreateAnd(b.CreateLShr(number, bit), 1);
    result = b.CreateOr(result, b.CreateShl(one, place++));
  }
  return result;
}

llvm::Value *ReduceEmitter::getOwnElement(llvm::Value *element, uint32_t &threadBits) {
  llvm::IRBuilder<> &b = e.b;
  for (auto [step, bit] : llvm::enumerate(sharedBits)) {
    uint32_t distance = getElement(plan.groups.size() >> (step + 1));
    llvm::Value *isHigh = b.CreateICmpNE(b.CreateAnd(e.laneId(), 1u << bit), b.getInt32(0));
    element = b.CreateXor(element, b.CreateSelect(isHigh, b.getInt32(distance), b.getInt32(0)));
    threadBits |= distance;
  }
  return element;
}

/// Of the first `count` registers those whose elements begin a run of `width` elements that are all this
/// thread's.
llvm::SmallVector<unsigned> ReduceEmitter::findLeaders(unsigned count, unsigned width) const {
  llvm::SmallVector<unsigned> leaders;
  for (unsigned reg = 0; reg < count; ++reg)
    if (getElement(reg) % width == 0)
      leaders.push_back(reg);
  return leaders;
}

/// The registers of such a run, in the order of the elements.
llvm::SmallVector<unsigned> ReduceEmitter::findRun(unsigned leader, unsigned width) const {
  llvm::SmallVector<unsigned> run(width);
  for (unsigned reg = 0; reg < plan.groups.size(); ++reg)
    if (uint32_t distance = getElement(reg) ^ getElement(leader); distance < width)
      run[distance] = reg;
  return run;
}

/// The partial result of warp i along the dimension for element e lies at i * elements + e.
LogicalResult ReduceEmitter::reduceWarpsByElements() {
  llvm::IRBuilder<> &b = e.b;
  unsigned numWarps = plan.getNumWarps(), numElements = plan.result.getOutSize(Dim::Offset);
  unsigned numOperands = op.getSrcs().size();
  llvm::SmallVector<unsigned, 2> starts = getReductionScratchOffsets(op, plan);
  llvm::Value *element = e.emitThreadCoordinates(plan.result, {Dim::Offset})[0];
  uint32_t threadBits = getThreadBits(plan.result, Dim::Offset), ownBits = threadBits;
  llvm::Value *ownElement = getOwnElement(element, ownBits);
  auto getType = [&](unsigned i) { return op.getSrcs()[i].getType(); };
  auto getAddress = [&](unsigned i, llvm::Value *index) {
    unsigned size = e.getElementBytes(getType(i));
    return e.getScratch(op, b.CreateAdd(b.CreateMul(index, b.getInt32(size)), b.getInt32(starts[i])));
  };
  // How many of the first `count` registers' elements lie side by side.
  auto getWidth = [&](unsigned i, unsigned count, uint32_t bits) {
    uint32_t registerBits = 0;
    for (unsigned reg = 0; reg < count; ++reg)
      registerBits |= getElement(reg);
    return e.getSharedWidth(getType(i), registerBits, bits);
  };
  auto load = [&](unsigned i, llvm::Value *index, unsigned width) {
    return e.loadShared(getType(i), getAddress(i, index), width);
  };

  llvm::Value *warpIndex = gatherBits(b, e.warpId(), plan.warpMask);
  llvm::Value *writes = e.requireBits(nullptr, e.laneId(), plan.silentLanes & ~getSharedLanes());
  writes = e.requireBits(writes, e.warpId(), plan.silentWarps);
  llvm::Value *ownRow = b.CreateMul(warpIndex, b.getInt32(numElements));
  for (unsigned i = 0; i < numOperands; ++i) {
    unsigned width = getWidth(i, partials.size(), ownBits);
    for (unsigned leader : findLeaders(partials.size(), width)) {
      Registers run;
      for (unsigned reg : findRun(leader, width))
        run.push_back(partials[reg][i]);
      llvm::Value *index = b.CreateAdd(ownRow, e.moveCoordinate(ownElement, ownBits, getElement(leader)));
      e.storeShared(run, getAddress(i, index), writes);
    }
  }
  e.barrier();

  unsigned numRegisters = plan.groups.size();
  partials.assign(numRegisters, {});
  // In cycles of shared memory, if all threads read what they need of all warps.
  constexpr unsigned manyCycles = 128;
  unsigned numThreads = e.getNumThreads();
  unsigned cycles = plan.result.getInSize(Dim::Warp) * numWarps * numRegisters;
  bool isShared = cycles > manyCycles;
  // From a tree of the warps' partial results, whose depth is the logarithm of their number.
  auto combineAll = [&](llvm::MutableArrayRef<Registers> values) -> LogicalResult {
    for (unsigned distance = values.size() / 2; distance > 0; distance /= 2)
      for (unsigned j = 0; j < distance; ++j) {
        FailureOr<Registers> combined = combine(values[j], values[j + distance]);
        if (failed(combined))
          return failure();
        values[j] = std::move(*combined);
      }
    return success();
  };
  if (isShared) {
    LogicalResult done = success();
    for (unsigned first = 0; first < numElements; first += numThreads) {
      llvm::Value *own = b.CreateAdd(e.threadId(), b.getInt32(first));
      auto combineOwn = [&]() -> llvm::Value * {
        llvm::SmallVector<Registers> values(numWarps);
        for (unsigned w = 0; w < numWarps; ++w)
          for (unsigned i = 0; i < numOperands; ++i)
            values[w].push_back(load(i, b.CreateAdd(own, b.getInt32(w * numElements)), 1)[0]);
        if (failed(combineAll(values)))
          done = failure();
        else
          for (unsigned i = 0; i < numOperands; ++i)
            e.storeShared(values[0][i], getAddress(i, own), nullptr);
        return nullptr;
      };
      if (numElements < numThreads)
        e.target.whenTrue(b, b.CreateICmpULT(own, b.getInt32(numElements)), nullptr, combineOwn);
      else
        combineOwn();
    }
    if (failed(done))
      return failure();
    e.barrier();
  }

  // [register][warp]
  llvm::SmallVector<llvm::SmallVector<Registers>> gathered(
      numRegisters, llvm::SmallVector<Registers>(isShared ? 1 : numWarps, Registers(numOperands)));
  for (unsigned i = 0; i < numOperands; ++i) {
    unsigned width = getWidth(i, numRegisters, threadBits);
    for (unsigned leader : findLeaders(numRegisters, width)) {
      llvm::Value *start = e.moveCoordinate(element, threadBits, getElement(leader));
      for (unsigned w = 0; w < gathered[leader].size(); ++w) {
        Registers values = load(i, b.CreateAdd(start, b.getInt32(w * numElements)), width);
        for (auto [j, reg] : llvm::enumerate(findRun(leader, width)))
          gathered[reg][w][i] = values[j];
      }
    }
  }
  for (unsigned reg = 0; reg < numRegisters; ++reg) {
    if (failed(combineAll(gathered[reg])))
      return failure();
    partials[reg] = std::move(gathered[reg][0]);
  }
  return success();
}

LogicalResult ReduceEmitter::reduceWarps() {
  if (lanesDiffer(plan))
    return reduceWarpsByElements();
  llvm::IRBuilder<> &b = e.b;
  unsigned numWarps = plan.getNumWarps();
  unsigned numOperands = op.getSrcs().size();

  llvm::SmallVector<unsigned, 2> starts = getReductionScratchOffsets(op, plan);

  // Element of the result that register 0 holds, and which of the warps along the dimension this is.
  llvm::Value *element = e.emitThreadCoordinates(plan.result, {Dim::Offset})[0];
  uint32_t threadBits = getThreadBits(plan.result, Dim::Offset);
  llvm::Value *warpIndex = gatherBits(b, e.warpId(), plan.warpMask);
  llvm::Value *writes = e.requireBits(nullptr, e.laneId(), plan.silentLanes & ~getSharedLanes());
  writes = e.requireBits(writes, e.warpId(), plan.silentWarps);

  uint32_t ownBits = threadBits;
  llvm::Value *ownElement = getOwnElement(element, ownBits);
  // Index of the first partial result for a result register.
  auto getRow = [&](llvm::Value *base, uint32_t bits, unsigned reg) {
    return b.CreateMul(e.moveCoordinate(base, bits, getElement(reg)), b.getInt32(numWarps));
  };
  auto store = [&](llvm::Value *index, const Registers &values) {
    for (unsigned i = 0; i < numOperands; ++i) {
      unsigned size = e.getElementBytes(op.getSrcs()[i].getType());
      llvm::Value *offset = b.CreateAdd(b.CreateMul(index, b.getInt32(size)), b.getInt32(starts[i]));
      e.target.storeShared(b, e.toMemory(values[i]), e.getScratch(op, offset), writes);
    }
  };
  for (unsigned reg = 0; reg < partials.size(); ++reg)
    store(b.CreateAdd(getRow(ownElement, ownBits, reg), warpIndex), partials[reg]);
  e.barrier();

  WarpResults results = planWarpResults(op, plan);
  partials.assign(plan.groups.size(), {});
  // Of an elected warp, what it found.
  auto getFound = [&](unsigned reg) {
    unsigned first = plan.result.getOutSize(Dim::Offset) * numWarps;
    return b.CreateAdd(e.moveCoordinate(element, threadBits, getElement(reg)), b.getInt32(first));
  };
  if (results.isElected) {
    LogicalResult done = success();
    llvm::Value *isFirst = b.CreateICmpEQ(warpIndex, b.getInt32(0));
    e.target.whenTrue(b, isFirst, nullptr, [&]() -> llvm::Value * {
      for (unsigned reg = 0; reg < partials.size() && succeeded(done); ++reg) {
        FailureOr<Registers> combined = combineRowByLanes(getRow(element, threadBits, reg), results);
        if (failed(combined))
          done = failure();
        else
          store(getFound(reg), *combined);
      }
      return nullptr;
    });
    if (failed(done))
      return failure();
    e.barrier();
  }
  for (unsigned reg = 0; reg < partials.size(); ++reg) {
    auto getPartials = [&] { return getRow(element, threadBits, reg); };
    FailureOr<Registers> combined = results.isElected      ? combineRow(getFound(reg), 1)
                                    : results.readingLanes ? combineRowByLanes(getPartials(), results)
                                                           : combineRow(getPartials(), numWarps);
    if (failed(combined))
      return failure();
    partials[reg] = std::move(*combined);
  }
  return success();
}

/// Reads so many partial results from index `first` on and combines them in this thread.
FailureOr<Registers> ReduceEmitter::combineRow(llvm::Value *first, unsigned count) {
  llvm::IRBuilder<> &b = e.b;
  unsigned numOperands = op.getSrcs().size();
  llvm::SmallVector<unsigned, 2> starts = getReductionScratchOffsets(op, plan);
  llvm::SmallVector<Registers> gathered(count, Registers(numOperands));
  for (unsigned i = 0; i < numOperands; ++i) {
    Type type = op.getSrcs()[i].getType();
    unsigned size = e.getElementBytes(type);
    llvm::Value *offset = b.CreateAdd(b.CreateMul(first, b.getInt32(size)), b.getInt32(starts[i]));
    // They are read in vectors of up to 16 bytes.
    unsigned width = std::min(count, std::max(16 / size, 1u));
    auto *vectorType = llvm::FixedVectorType::get(e.getMemoryType(type), width);
    for (unsigned next = 0; next < count; next += width) {
      llvm::Value *pointer = e.getScratch(op, b.CreateAdd(offset, b.getInt32(next * size)));
      llvm::Value *vector = b.CreateAlignedLoad(vectorType, pointer, llvm::Align(width * size));
      for (unsigned j = 0; j < width; ++j)
        gathered[next + j][i] = e.fromMemory(b.CreateExtractElement(vector, j), type);
    }
  }
  // As a tree, whose depth is the logarithm of their number.
  for (unsigned distance = count / 2; distance > 0; distance /= 2) {
    for (unsigned j = 0; j < distance; ++j) {
      FailureOr<Registers> combined = combine(gathered[j], gathered[j + distance]);
      if (failed(combined))
        return failure();
      gathered[j] = std::move(*combined);
    }
  }
  return std::move(gathered[0]);
}

/// The same of all from index `row` on, with a part read by each lane, and a butterfly over those lanes.
FailureOr<Registers> ReduceEmitter::combineRowByLanes(llvm::Value *row, const WarpResults &results) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Value *column =
      b.CreateMul(gatherBits(b, e.laneId(), results.readingLanes), b.getInt32(results.readByLane));
  FailureOr<Registers> partial = combineRow(b.CreateAdd(row, column), results.readByLane);
  if (failed(partial) || failed(reduceLanes(*partial, results.readingLanes)))
    return failure();
  return partial;
}

/// What the greatest or least of numbers may be found in, where these were widened from bf16 and the target
/// compares such: the numbers before that.
Value ReduceEmitter::getNarrowSource() {
  Operation *combiner = op.getSingleCombiner();
  auto widening = op.getSrcs()[0].getDefiningOp<arith::ExtFOp>();
  bool isNarrow = widening && getElementTypeOrSelf(widening.getIn()).isBF16() && e.target.comparesBF16();
  return isNarrow && isa_and_nonnull<arith::MaxNumFOp, arith::MinNumFOp>(combiner) ? widening.getIn()
                                                                                   : Value();
}

/// The greatest or least of these registers of bf16, as f32.
llvm::Value *ReduceEmitter::combineNarrow(Value narrow, llvm::ArrayRef<uint32_t> group) {
  llvm::IRBuilder<> &b = e.b;
  auto id = isa<arith::MaxNumFOp>(op.getSingleCombiner()) ? llvm::Intrinsic::maxnum : llvm::Intrinsic::minnum;
  const Registers &registers = e.get(narrow);
  llvm::Value *partial = registers[group[0]];
  for (uint32_t reg : group.drop_front())
    partial = b.CreateBinaryIntrinsic(id, partial, registers[reg]);
  Type from = getElementTypeOrSelf(narrow.getType()), to = getElementTypeOrSelf(op.getSrcs()[0].getType());
  return convertFloat(e, partial, from, to);
}

LogicalResult ReduceEmitter::run() {
  if (llvm::SmallVector<unsigned> bits = findSharedBits(); !bits.empty()) {
    if (failed(reduceLanesTogether(bits)))
      return failure();
    if (!plan.warpMask)
      handToAllLanes();
  } else {
    for (llvm::ArrayRef<uint32_t> group : plan.groups) {
      FailureOr<Registers> partial = combineGroup(group);
      if (failed(partial) || failed(reduceLanes(*partial)))
        return failure();
      partials.push_back(std::move(*partial));
    }
  }
  if (plan.warpMask && failed(reduceWarps()))
    return failure();

  // Which of the plan's registers has what a register of the result's own layout is to hold.
  for (auto [i, result] : llvm::enumerate(op.getResult())) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type) {
      e.set(result, partials[0][i]);
      continue;
    }
    RegisterIndex index(e.getLayout(type), type.getShape());
    Registers registers(index.size());
    for (unsigned reg = 0; reg < partials.size(); ++reg) {
      uint64_t element = getElement(reg);
      for (unsigned place = 0; place < index.size(); ++place)
        if (index.flatten(index.coordinates(place)) == element)
          registers[place] = partials[reg][i];
    }
    if (llvm::is_contained(registers, nullptr))
      return op.emitError("the result's layout is not the source's without the reduced axis");
    e.set(result, std::move(registers));
  }
  return success();
}

LogicalResult ReduceEmitter::runLarge() {
  LargeTiles &large = e.large();
  llvm::IRBuilder<> &b = e.b;
  unsigned numGroups = plan.groups.size(), groupSize = plan.groups[0].size();
  unsigned numOperands = op.getSrcs().size();
  RegisterColumns groupColumns, memberColumns, elementColumns;
  for (unsigned i = 1; i < numGroups; i *= 2) {
    groupColumns.push_back(plan.groups[i][0]);
    elementColumns.push_back(getElement(i));
  }
  for (unsigned i = 1; i < groupSize; i *= 2)
    memberColumns.push_back(plan.groups[0][i]);
  llvm::SmallVector<llvm::Value *> slots;
  for (Value source : op.getSrcs())
    slots.push_back(large.createSlot(source.getType(), numGroups));
  auto load = [&](const RegisterNumber &group) {
    Registers values;
    for (auto [slot, source] : llvm::zip_equal(slots, op.getSrcs()))
      values.push_back(large.loadFrom(slot, source.getType(), group));
    return values;
  };
  auto store = [&](const RegisterNumber &group, const Registers &values) {
    for (auto [slot, source, value] : llvm::zip_equal(slots, op.getSrcs(), values))
      large.storeTo(slot, source.getType(), group, value);
  };
  /// Of a group, the members from `first` on, combined.
  unsigned step = std::min(groupSize, LargeTiles::chunk);
  auto combineMembers = [&](const RegisterNumber &group,
                            const RegisterNumber &first) -> FailureOr<Registers> {
    RegisterNumber base = large.map(group, groupColumns);
    Registers partial;
    for (uint32_t i = 0; i < step; ++i) {
      RegisterNumber member = large.map(LargeTiles::plus(first, i), memberColumns), place = base;
      place.constant ^= member.constant;
      place.mask |= member.mask;
      if (member.dynamic)
        place.dynamic = base.dynamic ? b.CreateXor(base.dynamic, member.dynamic) : member.dynamic;
      Registers values;
      for (Value source : op.getSrcs()) {
        values.push_back(large.get(source, place));
        if (!values.back())
          return failure();
      }
      if (i == 0) {
        partial = std::move(values);
        continue;
      }
      FailureOr<Registers> combined = combine(partial, values);
      if (failed(combined))
        return failure();
      partial = std::move(*combined);
    }
    return partial;
  };

  LogicalResult done = large.forEach(0, numGroups, 1, [&](const RegisterNumber &group) -> LogicalResult {
    FailureOr<Registers> start = combineMembers(group, {});
    if (failed(start))
      return failure();
    store(group, *start);
    if (groupSize > step) {
      // The sum so far is in the slot between rounds; LLVM finds that it may be in a register.
      LogicalResult rest =
          large.forEach(step, groupSize, step, [&](const RegisterNumber &first) -> LogicalResult {
            FailureOr<Registers> next = combineMembers(group, first);
            if (failed(next))
              return failure();
            FailureOr<Registers> combined = combine(load(group), *next);
            if (failed(combined))
              return failure();
            store(group, *combined);
            return success();
          });
      if (failed(rest))
        return failure();
    }
    Registers partial = load(group);
    if (failed(reduceLanes(partial)))
      return failure();
    store(group, partial);
    return success();
  });
  if (failed(done))
    return failure();

  if (plan.warpMask) {
    llvm::SmallVector<unsigned, 2> starts = getReductionScratchOffsets(op, plan);
    llvm::Value *element = e.emitThreadCoordinates(plan.result, {Dim::Offset})[0];
    uint32_t threadBits = getThreadBits(plan.result, Dim::Offset);
    llvm::Value *warpIndex = gatherBits(b, e.warpId(), plan.warpMask);
    llvm::Value *writes = e.requireBits(nullptr, e.laneId(), plan.silentLanes);
    writes = e.requireBits(writes, e.warpId(), plan.silentWarps);
    auto getRow = [&](const RegisterNumber &group) {
      return b.CreateMul(large.move(element, threadBits, group, elementColumns),
                         b.getInt32(plan.getNumWarps()));
    };
    done = large.forEach(0, numGroups, 1, [&](const RegisterNumber &group) -> LogicalResult {
      Registers partial = load(group);
      llvm::Value *index = b.CreateAdd(getRow(group), warpIndex);
      for (unsigned i = 0; i < numOperands; ++i) {
        unsigned size = e.getElementBytes(op.getSrcs()[i].getType());
        llvm::Value *offset = b.CreateAdd(b.CreateMul(index, b.getInt32(size)), b.getInt32(starts[i]));
        e.target.storeShared(b, e.toMemory(partial[i]), e.getScratch(op, offset), writes);
      }
      return success();
    });
    if (failed(done))
      return failure();
    e.barrier();
    WarpResults results = planWarpResults(op, plan);
    done = large.forEach(0, numGroups, 1, [&](const RegisterNumber &group) -> LogicalResult {
      llvm::Value *row = getRow(group);
      FailureOr<Registers> combined =
          results.readingLanes ? combineRowByLanes(row, results) : combineRow(row, plan.getNumWarps());
      if (failed(combined))
        return failure();
      store(group, *combined);
      return success();
    });
    if (failed(done))
      return failure();
  }

  for (auto [i, result] : llvm::enumerate(op.getResult())) {
    Type element = op.getSrcs()[i].getType();
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type) {
      e.set(result, large.loadFrom(slots[i], element, {}));
      continue;
    }
    // Which of the plan's registers has what a register of the result's own layout is to hold.
    llvm::DenseMap<uint64_t, uint32_t> groupOf;
    for (uint32_t group = 0; group < numGroups; ++group)
      groupOf.try_emplace(getElement(group), group);
    RegisterIndex index(e.getLayout(type), type.getShape());
    RegisterColumns columns;
    for (unsigned place = 1; place < index.size(); place *= 2) {
      auto it = groupOf.find(index.flatten(index.coordinates(place)));
      if (it == groupOf.end())
        return op.emitError("the result's layout is not the source's without the reduced axis");
      columns.push_back(it->second);
    }
    if (large.isLarge(result)) {
      large.setSlot(result, slots[i], std::move(columns));
      continue;
    }
    Registers registers;
    for (uint32_t place = 0; place < index.size(); ++place)
      registers.push_back(large.loadFrom(slots[i], element, large.map({place}, columns)));
    e.set(result, std::move(registers));
  }
  return success();
}

static LogicalResult emitReduce(Emitter &e, tt::ReduceOp op) {
  std::optional<ReductionPlan> plan = planReduction(op);
  if (!plan)
    return op.emitError("the source's layout mixes the reduced axis with others; it must be converted first");
  ReduceEmitter emitter(e, op, *plan);
  return e.large().concerns(op) ? emitter.runLarge() : emitter.run();
}

void addReduceEmitters(EmitterTable &table) { table.add<tt::ReduceOp, emitReduce>(); }

} // namespace nereid::gpu
