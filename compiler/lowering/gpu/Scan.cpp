// tt.scan: within segments of a warp bit by bit, then by the segments' totals through shared memory
// (ScanPlan.h).
//
// Totals of a row's segments lie side by side, or those of neighbouring rows, where it is the row that
// differs from lane to lane, as in a scan along the first axis of a tile: lanes then meet different banks,
// and what a thread has of neighbouring rows is written and read as vectors.
#include "compiler/lowering/gpu/LargeTiles.h"
#include "compiler/transforms/ScratchMemory.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

class ScanEmitter {
public:
  ScanEmitter(Emitter &e, tt::ScanOp op, const ScanPlan &plan) : e(e), op(op), plan(plan) {}
  LogicalResult run();
  /// The same in loops, for large tiles.
  LogicalResult runLarge();

private:
  FailureOr<Registers> combine(const Registers &earlier, const Registers &later);
  /// `yes` where the condition holds, `no` elsewhere, for each operand.
  Registers select(llvm::Value *condition, const Registers &yes, const Registers &no);
  LogicalResult scanBit(const ScanPlan::Step &step, bool onlyLast = false);
  LogicalResult scanLanes(llvm::ArrayRef<ScanPlan::Step> steps);
  LogicalResult addEarlierSegments();
  class Totals;

  Registers loadElement(const RegisterNumber &number);
  void storeElement(const RegisterNumber &number, const Registers &values);
  LogicalResult scanBitInLoop(const ScanPlan::Step &step);
  LogicalResult addEarlierSegmentsInLoops();

  /// In a scan from the end, positions count downwards: what is set in them is clear here.
  bool isReverse() const { return const_cast<tt::ScanOp &>(op).getReverse(); }
  uint32_t atEnd(uint32_t bits, uint32_t mask) const { return isReverse() ? bits & ~mask : bits | mask; }

  Emitter &e;
  tt::ScanOp op;
  const ScanPlan &plan;
  /// [register][operand]
  llvm::SmallVector<Registers> elements;
  /// Of large tiles instead, one for each operand.
  llvm::SmallVector<llvm::Value *> slots;
};

} // namespace

FailureOr<Registers> ScanEmitter::combine(const Registers &earlier, const Registers &later) {
  Registers arguments(earlier);
  llvm::append_range(arguments, later);
  return e.emitInline(op.getCombineOp(), arguments);
}

Registers ScanEmitter::select(llvm::Value *condition, const Registers &yes, const Registers &no) {
  Registers result;
  for (auto [a, b] : llvm::zip_equal(yes, no))
    result.push_back(e.b.CreateSelect(condition, a, b));
  return result;
}

/// Of all registers, or only of those with the last element of a run of the registers of lower positions.
LogicalResult ScanEmitter::scanBit(const ScanPlan::Step &step, bool onlyLast) {
  llvm::IRBuilder<> &b = e.b;
  // The lane with the last element of the lower half.
  llvm::Value *lane = nullptr;
  uint32_t laneBit = step.dim == Dim::Lane ? 1u << step.bit : 0;
  if (laneBit || step.lowerLanes) {
    uint32_t toSet = isReverse() ? laneBit : step.lowerLanes,
             toClear = isReverse() ? step.lowerLanes : laneBit;
    lane = b.CreateOr(b.CreateAnd(e.laneId(), ~toClear), toSet);
  }
  llvm::Value *inUpperHalf = nullptr;
  if (laneBit) {
    llvm::Value *isClear = b.CreateICmpEQ(b.CreateAnd(e.laneId(), laneBit), b.getInt32(0));
    inUpperHalf = isReverse() ? isClear : b.CreateNot(isClear);
  }

  uint32_t registerBit = step.dim == Dim::Register ? 1u << step.bit : 0;
  llvm::DenseMap<uint32_t, Registers> fetched; // by source register
  llvm::SmallVector<Registers> results = elements;
  for (uint32_t reg = 0; reg < elements.size(); ++reg) {
    if (registerBit && bool(reg & registerBit) == isReverse())
      continue; // the lower half stays
    if (onlyLast && reg != atEnd(reg, step.lowerRegisters))
      continue;
    uint32_t source = atEnd(reg ^ registerBit, step.lowerRegisters);
    auto [it, isNew] = fetched.try_emplace(source);
    if (isNew)
      for (llvm::Value *value : elements[source])
        it->second.push_back(lane ? e.target.shuffleIndex(b, value, lane) : value);
    FailureOr<Registers> combined = combine(it->second, elements[reg]);
    if (failed(combined))
      return failure();
    results[reg] = inUpperHalf ? select(inUpperHalf, *combined, elements[reg]) : *combined;
  }
  elements = std::move(results);
  return success();
}

/// How many steps from the first on are of bits of this kind, each of which is above the one before.
static size_t countAscending(llvm::ArrayRef<ScanPlan::Step> steps, Dim dim) {
  size_t count = 0;
  while (count < steps.size() && steps[count].dim == dim &&
         (count == 0 || steps[count].bit > steps[count - 1].bit))
    ++count;
  return count;
}

/// Steps of lanes that each hold a run of elements in registers, scanned by now: of a run the last element
/// alone takes part, and the others are combined once, with what the lane before has then.
///
///     lane 0: 1 2 3 4    lane 1: 5 6 7 8          1 3 6 10    5 11 18 26         scanned runs
///                                                 1 3 6 10    5 11 18 36         their last elements
///                                                 1 3 6 10   15 21 28 36
LogicalResult ScanEmitter::scanLanes(llvm::ArrayRef<ScanPlan::Step> steps) {
  llvm::IRBuilder<> &b = e.b;
  uint32_t run = steps[0].lowerRegisters, lanes = 0;
  for (const ScanPlan::Step &step : steps) {
    lanes |= 1u << step.bit;
    if (failed(scanBit(step, /*onlyLast=*/true)))
      return failure();
  }
  // Of the lanes' bits alone, which count up, the number before.
  llvm::Value *own = b.CreateAnd(e.laneId(), lanes), *others = b.CreateAnd(e.laneId(), ~lanes);
  llvm::Value *before = isReverse() ? b.CreateAdd(b.CreateOr(own, b.getInt32(~lanes)), b.getInt32(1))
                                    : b.CreateSub(own, b.getInt32(1));
  before = b.CreateOr(b.CreateAnd(before, lanes), others);
  llvm::Value *isFirst = b.CreateICmpEQ(own, b.getInt32(isReverse() ? lanes : 0));
  llvm::DenseMap<uint32_t, Registers> fetched; // by the run's last register
  for (uint32_t reg = 0; reg < elements.size(); ++reg) {
    uint32_t last = atEnd(reg, run);
    if (reg == last)
      continue;
    auto [it, isNew] = fetched.try_emplace(last);
    if (isNew)
      for (llvm::Value *value : elements[last])
        it->second.push_back(e.target.shuffleIndex(b, value, before));
    FailureOr<Registers> combined = combine(it->second, elements[reg]);
    if (failed(combined))
      return failure();
    elements[reg] = select(isFirst, elements[reg], *combined);
  }
  return success();
}

/// Whether lanes of a warp hold several rows.
static bool lanesDiffer(const ScanPlan &plan) {
  constexpr unsigned fewBits = 2;
  unsigned bits = 0;
  for (unsigned bit = 0; bit < plan.totals.getInBits(Dim::Lane); ++bit)
    bits += plan.totals.getBasis(Dim::Lane, bit, Dim::Offset) >= uint32_t(plan.numSegments);
  return bits >= fewBits;
}

/// The totals' places in shared memory, and who reads and writes which of them.
class ScanEmitter::Totals {
public:
  Totals(ScanEmitter &scan) : scan(scan), e(scan.e), plan(scan.plan) {
    starts = getScanScratchOffsets(scan.op, plan);
    base = e.emitThreadCoordinates(plan.totals, {Dim::Offset})[0];
    threadBits = getThreadBits(plan.totals, Dim::Offset);
    isByRow = lanesDiffer(plan);
    for (uint32_t reg = 0; reg < scan.elements.size(); ++reg)
      rowBits |= getNumber(reg) >> getSegmentBits();
  }

  uint32_t getNumber(uint32_t reg) const { return plan.totals.apply({{Dim::Register, reg}}, Dim::Offset); }
  /// There is always one; analysers do not know.
  unsigned getSegmentBits() const { return llvm::Log2_32(std::max(1u, plan.numSegments)); }
  uint32_t getSegmentMask() const { return plan.numSegments - 1; }
  llvm::Value *getThreadSegment() const { return e.b.CreateAnd(base, getSegmentMask()); }

  /// Of neighbouring rows, the totals of a segment that fit into 16 bytes and are one thread's.
  unsigned getWidth(unsigned operand) const {
    return isByRow ? e.getSharedWidth(getType(operand), rowBits, threadBits >> getSegmentBits()) : 1;
  }

  void store(uint32_t leader, llvm::ArrayRef<uint32_t> registers, unsigned operand, llvm::Value *writes) {
    llvm::IRBuilder<> &b = e.b;
    llvm::Value *number = e.moveCoordinate(base, threadBits, getNumber(leader));
    Registers totals;
    for (uint32_t reg : registers)
      totals.push_back(scan.elements[reg][operand]);
    e.storeShared(
        totals,
        getAddress(b.CreateLShr(number, getSegmentBits()), b.CreateAnd(number, getSegmentMask()), operand),
        writes);
  }

  /// The totals of a segment of `width` rows, the first of which is the register's `row`.
  Registers load(uint32_t row, unsigned segment, unsigned operand, unsigned width) {
    llvm::IRBuilder<> &b = e.b;
    llvm::Value *rows = b.CreateLShr(e.moveCoordinate(base, threadBits, row), getSegmentBits());
    return e.loadShared(getType(operand), getAddress(rows, b.getInt32(segment), operand), width);
  }

private:
  Type getType(unsigned operand) const {
    return const_cast<tt::ScanOp &>(scan.op).getSrcs()[operand].getType();
  }

  llvm::Value *getAddress(llvm::Value *row, llvm::Value *segment, unsigned operand) {
    llvm::IRBuilder<> &b = e.b;
    unsigned size = e.getElementBytes(getType(operand));
    llvm::Value *place =
        isByRow
            ? b.CreateAdd(b.CreateMul(segment, b.getInt32(plan.getScratchElements() / plan.numSegments)), row)
            : b.CreateOr(b.CreateShl(row, getSegmentBits()), segment, "", /*IsDisjoint=*/true);
    return e.getScratch(scan.op,
                        b.CreateAdd(b.CreateMul(place, b.getInt32(size)), b.getInt32(starts[operand])));
  }

  ScanEmitter &scan;
  Emitter &e;
  const ScanPlan &plan;
  llvm::SmallVector<unsigned, 2> starts;
  llvm::Value *base;
  uint32_t threadBits, rowBits = 0;
  bool isByRow;
};

LogicalResult ScanEmitter::addEarlierSegments() {
  llvm::IRBuilder<> &b = e.b;
  unsigned numOperands = op.getSrcs().size(), numSegments = plan.numSegments;
  Totals totals(*this);
  uint32_t segmentMask = totals.getSegmentMask();

  // The threads with a segment's last element write its total.
  llvm::Value *writes = e.requireBits(nullptr, e.laneId(), plan.segmentLanes, atEnd(0, plan.segmentLanes));
  writes = e.requireBits(writes, e.laneId(), plan.copiedLanes);
  writes = e.requireBits(writes, e.warpId(), plan.copiedWarps);
  llvm::DenseMap<uint32_t, uint32_t> last; // by the number of the segment, the register with its last element
  for (uint32_t reg = 0; reg < elements.size(); ++reg)
    if (!(reg & plan.copiedRegisters) && (reg & plan.segmentRegisters) == atEnd(0, plan.segmentRegisters))
      last[totals.getNumber(reg)] = reg;
  for (unsigned i = 0; i < numOperands; ++i) {
    unsigned width = totals.getWidth(i);
    for (uint32_t reg = 0; reg < elements.size(); ++reg) {
      uint32_t number = totals.getNumber(reg);
      if (last.lookup_or(number, ~reg) != reg || (number >> totals.getSegmentBits()) % width != 0)
        continue;
      llvm::SmallVector<uint32_t> registers;
      for (unsigned j = 0; j < width; ++j)
        registers.push_back(last.at(number + j * numSegments));
      totals.store(reg, registers, i, writes);
    }
  }
  e.barrier();

  // The segment of a register has a part that depends on the thread, and its own part.
  llvm::Value *threadSegment = totals.getThreadSegment();
  llvm::MapVector<uint32_t, llvm::SmallVector<uint32_t>> rows; // by the register's part across the dimension
  for (uint32_t reg = 0; reg < elements.size(); ++reg)
    rows[totals.getNumber(reg) & ~segmentMask].push_back(reg);
  llvm::DenseMap<std::pair<uint32_t, unsigned>, Registers> loaded; // [row and segment][operand]
  auto getLoaded = [&](uint32_t row, unsigned segment) -> Registers & {
    return loaded.try_emplace({row, segment}, Registers(numOperands)).first->second;
  };
  auto loadTotal = [&](uint32_t row, unsigned segment) {
    for (unsigned i = 0; i < numOperands; ++i) {
      if (getLoaded(row, segment)[i])
        continue;
      unsigned width = totals.getWidth(i);
      uint32_t first = row & ~((width - 1) * numSegments);
      for (auto [j, value] : llvm::enumerate(totals.load(first, segment, i, width)))
        getLoaded(first + j * numSegments, segment)[i] = value;
    }
    return getLoaded(row, segment);
  };
  for (auto &[row, registers] : rows) {
    // Sums of the segments before each segment of the thread, by the registers' part of the segment.
    llvm::DenseMap<uint32_t, Registers> before;
    llvm::MapVector<uint32_t, llvm::Value *> segments;
    for (uint32_t reg : registers) {
      uint32_t part = totals.getNumber(reg) & segmentMask;
      if (!segments.contains(part))
        segments.insert({part, b.CreateXor(threadSegment, part)});
    }
    Registers sum;
    for (unsigned i = 0; i + 1 < numSegments; ++i) {
      unsigned segment = isReverse() ? numSegments - 1 - i : i;
      Registers total = loadTotal(row, segment);
      if (i == 0) {
        sum = total;
      } else {
        FailureOr<Registers> combined = combine(sum, total);
        if (failed(combined))
          return failure();
        sum = std::move(*combined);
      }
      unsigned next = isReverse() ? segment - 1 : segment + 1;
      for (auto &[part, own] : segments) {
        llvm::Value *isNext = b.CreateICmpEQ(own, b.getInt32(next));
        Registers &kept = before[part];
        kept = kept.empty() ? sum : select(isNext, sum, kept);
      }
    }
    for (uint32_t reg : registers) {
      uint32_t part = totals.getNumber(reg) & segmentMask;
      FailureOr<Registers> combined = combine(before[part], elements[reg]);
      if (failed(combined))
        return failure();
      llvm::Value *isFirst = b.CreateICmpEQ(segments[part], b.getInt32(isReverse() ? numSegments - 1 : 0));
      elements[reg] = select(isFirst, elements[reg], *combined);
    }
  }
  return success();
}

LogicalResult ScanEmitter::run() {
  unsigned count = e.countRegisters(op.getSrcs()[0].getType());
  for (unsigned reg = 0; reg < count; ++reg) {
    Registers values;
    for (Value source : op.getSrcs())
      values.push_back(e.get(source)[reg]);
    elements.push_back(std::move(values));
  }
  llvm::ArrayRef<ScanPlan::Step> steps = plan.steps;
  while (!steps.empty()) {
    // One step of lanes is no more work as it is.
    bool areRuns = steps[0].lowerRegisters && !steps[0].lowerLanes;
    size_t numLanes = areRuns ? countAscending(steps, Dim::Lane) : 0;
    if (failed(numLanes > 1 ? scanLanes(steps.take_front(numLanes)) : scanBit(steps[0])))
      return failure();
    steps = steps.drop_front(numLanes > 1 ? numLanes : 1);
  }
  if (plan.numSegments > 1 && failed(addEarlierSegments()))
    return failure();
  for (auto [i, result] : llvm::enumerate(op.getResult())) {
    Registers registers;
    for (const Registers &element : elements)
      registers.push_back(element[i]);
    e.set(result, std::move(registers));
  }
  return success();
}

//===- Large tiles -------------------------------------------------------===//

Registers ScanEmitter::loadElement(const RegisterNumber &number) {
  Registers values;
  for (auto [slot, source] : llvm::zip_equal(slots, op.getSrcs()))
    values.push_back(e.large().loadFrom(slot, source.getType(), number));
  return values;
}

void ScanEmitter::storeElement(const RegisterNumber &number, const Registers &values) {
  for (auto [slot, source, value] : llvm::zip_equal(slots, op.getSrcs(), values))
    e.large().storeTo(slot, source.getType(), number, value);
}

/// In place: what a step reads, the last elements of lower halves, it does not change.
LogicalResult ScanEmitter::scanBitInLoop(const ScanPlan::Step &step) {
  llvm::IRBuilder<> &b = e.b;
  LargeTiles &large = e.large();
  uint32_t laneBit = step.dim == Dim::Lane ? 1u << step.bit : 0;
  uint32_t registerBit = step.dim == Dim::Register ? 1u << step.bit : 0;
  llvm::Value *lane = nullptr;
  if (laneBit || step.lowerLanes) {
    uint32_t toSet = isReverse() ? laneBit : step.lowerLanes,
             toClear = isReverse() ? step.lowerLanes : laneBit;
    lane = b.CreateOr(b.CreateAnd(e.laneId(), ~toClear), toSet);
  }
  uint32_t count = e.countRegisters(op.getSrcs()[0].getType());
  return large.forEach(0, count, LargeTiles::chunk, [&](const RegisterNumber &first) -> LogicalResult {
    for (uint32_t i = 0; i < LargeTiles::chunk; ++i) {
      RegisterNumber place = LargeTiles::plus(first, i);
      llvm::Value *number = large.emit(place);
      llvm::Value *source = registerBit ? b.CreateXor(number, registerBit) : number;
      source =
          isReverse() ? b.CreateAnd(source, ~step.lowerRegisters) : b.CreateOr(source, step.lowerRegisters);
      Registers earlier = loadElement({0, source, count - 1}), own = loadElement(place);
      if (lane)
        for (llvm::Value *&value : earlier)
          value = e.target.shuffleIndex(b, value, lane);
      FailureOr<Registers> combined = combine(earlier, own);
      if (failed(combined))
        return failure();
      llvm::Value *bit = laneBit ? b.CreateAnd(e.laneId(), laneBit) : b.CreateAnd(number, registerBit);
      llvm::Value *inUpperHalf =
          b.CreateICmp(isReverse() ? llvm::CmpInst::ICMP_EQ : llvm::CmpInst::ICMP_NE, bit, b.getInt32(0));
      storeElement(place, select(inUpperHalf, *combined, own));
    }
    return success();
  });
}

LogicalResult ScanEmitter::addEarlierSegmentsInLoops() {
  llvm::IRBuilder<> &b = e.b;
  LargeTiles &large = e.large();
  unsigned numOperands = op.getSrcs().size(), numSegments = plan.numSegments;
  uint32_t count = e.countRegisters(op.getSrcs()[0].getType()), segmentMask = numSegments - 1;
  llvm::SmallVector<unsigned, 2> starts = getScanScratchOffsets(op, plan);
  llvm::Value *base = e.emitThreadCoordinates(plan.totals, {Dim::Offset})[0];
  uint32_t threadBits = getThreadBits(plan.totals, Dim::Offset);
  auto getAddress = [&](llvm::Value *number, unsigned operand) {
    unsigned size = e.getElementBytes(op.getSrcs()[operand].getType());
    return e.getScratch(op, b.CreateAdd(b.CreateMul(number, b.getInt32(size)), b.getInt32(starts[operand])));
  };
  // Each bit of a register's number leads along the dimension or across it, to another row.
  RegisterColumns numberColumns, rowRegisters, otherRegisters;
  uint32_t ownParts = 0;
  for (uint32_t bit = 1; bit < count; bit *= 2) {
    uint32_t number = plan.totals.apply({{Dim::Register, bit}}, Dim::Offset);
    numberColumns.push_back(number);
    (number & ~segmentMask ? rowRegisters : otherRegisters).push_back(bit);
    ownParts |= number & segmentMask;
  }

  // The threads with a segment's last element write its total.
  llvm::Value *writes = e.requireBits(nullptr, e.laneId(), plan.segmentLanes, atEnd(0, plan.segmentLanes));
  writes = e.requireBits(writes, e.laneId(), plan.copiedLanes);
  writes = e.requireBits(writes, e.warpId(), plan.copiedWarps);
  LogicalResult done = large.forEach(0, count, 1, [&](const RegisterNumber &place) {
    llvm::Value *reg = large.emit(place);
    llvm::Value *isLast = e.requireBits(writes, reg, plan.copiedRegisters);
    isLast = e.requireBits(isLast, reg, plan.segmentRegisters, atEnd(0, plan.segmentRegisters));
    llvm::Value *number = large.move(base, threadBits, place, numberColumns);
    Registers values = loadElement(place);
    for (unsigned i = 0; i < numOperands; ++i)
      e.target.storeShared(b, e.toMemory(values[i]), getAddress(number, i), isLast);
    return success();
  });
  if (failed(done))
    return failure();
  e.barrier();

  // What comes before each of the thread's segments of a row, and the sum so far.
  llvm::SmallVector<llvm::Value *> before, sums;
  for (Value source : op.getSrcs()) {
    before.push_back(large.createSlot(source.getType(), numSegments));
    sums.push_back(large.createSlot(source.getType(), 1));
  }
  llvm::Value *threadSegment = b.CreateAnd(base, segmentMask);
  return large.forEach(0, 1u << rowRegisters.size(), 1, [&](const RegisterNumber &row) -> LogicalResult {
    RegisterNumber rowRegister = large.map(row, rowRegisters);
    llvm::Value *rowStart =
        b.CreateAnd(large.move(base, threadBits, rowRegister, numberColumns), ~segmentMask);
    auto addSegment = [&](const RegisterNumber &index) -> LogicalResult {
      llvm::Value *segment = large.emit(index);
      if (isReverse())
        segment = b.CreateSub(b.getInt32(segmentMask), segment);
      llvm::Value *number = b.CreateOr(rowStart, segment, "", /*IsDisjoint=*/true);
      Registers sum;
      for (unsigned i = 0; i < numOperands; ++i) {
        Type type = op.getSrcs()[i].getType();
        llvm::Value *loaded = b.CreateAlignedLoad(e.getMemoryType(type), getAddress(number, i),
                                                  llvm::Align(e.getElementBytes(type)));
        sum.push_back(e.fromMemory(loaded, type));
      }
      if (index.dynamic) {
        Registers earlier;
        for (unsigned i = 0; i < numOperands; ++i)
          earlier.push_back(large.loadFrom(sums[i], op.getSrcs()[i].getType(), {}));
        FailureOr<Registers> combined = combine(earlier, sum);
        if (failed(combined))
          return failure();
        sum = std::move(*combined);
      }
      // Behind the last segment comes none of anybody's.
      llvm::Value *part = b.CreateXor(b.CreateAdd(segment, b.getInt32(isReverse() ? -1 : 1)), threadSegment);
      llvm::Value *isOwn = b.CreateICmpEQ(b.CreateAnd(part, ~ownParts), b.getInt32(0));
      RegisterNumber kept{0, b.CreateAnd(part, segmentMask), segmentMask};
      for (unsigned i = 0; i < numOperands; ++i) {
        Type type = op.getSrcs()[i].getType();
        large.storeTo(sums[i], type, {}, sum[i]);
        large.storeTo(before[i], type, kept,
                      b.CreateSelect(isOwn, sum[i], large.loadFrom(before[i], type, kept)));
      }
      return success();
    };
    if (failed(addSegment({})) || failed(large.forEach(1, numSegments, 1, addSegment)))
      return failure();
    return large.forEach(
        0, 1u << otherRegisters.size(), 1, [&](const RegisterNumber &other) -> LogicalResult {
          RegisterNumber place = large.map(other, otherRegisters);
          place.constant ^= rowRegister.constant;
          place.mask |= rowRegister.mask;
          if (rowRegister.dynamic)
            place.dynamic =
                place.dynamic ? b.CreateXor(place.dynamic, rowRegister.dynamic) : rowRegister.dynamic;
          llvm::Value *part = b.CreateAnd(large.emit(large.map(place, numberColumns)), segmentMask);
          Registers own = loadElement(place), earlier;
          for (unsigned i = 0; i < numOperands; ++i)
            earlier.push_back(large.loadFrom(before[i], op.getSrcs()[i].getType(), {0, part, segmentMask}));
          FailureOr<Registers> combined = combine(earlier, own);
          if (failed(combined))
            return failure();
          llvm::Value *isFirst =
              b.CreateICmpEQ(b.CreateXor(threadSegment, part), b.getInt32(isReverse() ? segmentMask : 0));
          storeElement(place, select(isFirst, own, *combined));
          return success();
        });
  });
}

LogicalResult ScanEmitter::runLarge() {
  for (Value source : op.getSrcs()) {
    FailureOr<llvm::Value *> slot = e.large().evaluate(source);
    if (failed(slot))
      return failure();
    slots.push_back(*slot);
  }
  for (const ScanPlan::Step &step : plan.steps)
    if (failed(scanBitInLoop(step)))
      return failure();
  if (plan.numSegments > 1 && failed(addEarlierSegmentsInLoops()))
    return failure();
  for (auto [slot, result] : llvm::zip_equal(slots, op.getResult()))
    e.large().setSlot(result, slot);
  return success();
}

static LogicalResult emitScan(Emitter &e, tt::ScanOp op) {
  std::optional<ScanPlan> plan = planScan(op);
  if (!plan)
    return op.emitError("the source's layout mixes the scanned axis with others; it must be converted first");
  ScanEmitter emitter(e, op, *plan);
  return e.large().concerns(op) ? emitter.runLarge() : emitter.run();
}

void addScanEmitters(EmitterTable &table) { table.add<tt::ScanOp, emitScan>(); }

} // namespace nereid::gpu
