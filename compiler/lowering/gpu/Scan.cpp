// tt.scan: within segments of a warp bit by bit, then by the segments' totals through shared memory
// (ScanPlan.h).
#include "compiler/lowering/gpu/Emitter.h"
#include "compiler/transforms/ScratchMemory.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

class ScanEmitter {
public:
  ScanEmitter(Emitter &e, tt::ScanOp op, const ScanPlan &plan) : e(e), op(op), plan(plan) {}
  LogicalResult run();

private:
  FailureOr<Registers> combine(const Registers &earlier, const Registers &later);
  /// `yes` where the condition holds, `no` elsewhere, for each operand.
  Registers select(llvm::Value *condition, const Registers &yes, const Registers &no);
  LogicalResult scanBit(const ScanPlan::Step &step);
  LogicalResult addEarlierSegments();

  /// In a scan from the end, positions count downwards: what is set in them is clear here.
  bool isReverse() const { return const_cast<tt::ScanOp &>(op).getReverse(); }
  uint32_t atEnd(uint32_t bits, uint32_t mask) const { return isReverse() ? bits & ~mask : bits | mask; }

  Emitter &e;
  tt::ScanOp op;
  const ScanPlan &plan;
  /// [register][operand]
  llvm::SmallVector<Registers> elements;
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

LogicalResult ScanEmitter::scanBit(const ScanPlan::Step &step) {
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

LogicalResult ScanEmitter::addEarlierSegments() {
  llvm::IRBuilder<> &b = e.b;
  unsigned numOperands = op.getSrcs().size(), numSegments = plan.numSegments;
  llvm::SmallVector<unsigned, 2> starts = getScanScratchOffsets(op, plan);

  llvm::Value *base = e.emitThreadCoordinates(plan.totals, {Dim::Offset})[0];
  uint32_t threadBits = getThreadBits(plan.totals, Dim::Offset);
  auto getNumber = [&](uint32_t reg) { return plan.totals.apply({{Dim::Register, reg}}, Dim::Offset); };
  auto getAddress = [&](llvm::Value *number, unsigned operand) {
    unsigned size = e.getElementBytes(op.getSrcs()[operand].getType());
    return e.getScratch(op, b.CreateAdd(b.CreateMul(number, b.getInt32(size)), b.getInt32(starts[operand])));
  };

  // The threads with a segment's last element write its total.
  llvm::Value *writes = e.requireBits(nullptr, e.laneId(), plan.segmentLanes, atEnd(0, plan.segmentLanes));
  writes = e.requireBits(writes, e.laneId(), plan.copiedLanes);
  writes = e.requireBits(writes, e.warpId(), plan.copiedWarps);
  for (uint32_t reg = 0; reg < elements.size(); ++reg) {
    if (reg & plan.copiedRegisters || (reg & plan.segmentRegisters) != atEnd(0, plan.segmentRegisters))
      continue;
    llvm::Value *number = e.moveCoordinate(base, threadBits, getNumber(reg));
    for (unsigned i = 0; i < numOperands; ++i)
      e.target.storeShared(b, e.toMemory(elements[reg][i]), getAddress(number, i), writes);
  }
  e.target.barrier(b);

  // The segment of a register has a part that depends on the thread, and its own part.
  uint32_t segmentMask = numSegments - 1;
  llvm::Value *threadSegment = b.CreateAnd(base, segmentMask);
  llvm::MapVector<uint32_t, llvm::SmallVector<uint32_t>> rows; // by the register's part across the dimension
  for (uint32_t reg = 0; reg < elements.size(); ++reg)
    rows[getNumber(reg) & ~segmentMask].push_back(reg);
  for (auto &[row, registers] : rows) {
    llvm::Value *rowStart = b.CreateAnd(e.moveCoordinate(base, threadBits, row), ~segmentMask);
    // Sums of the segments before each segment of the thread, by the registers' part of the segment.
    llvm::DenseMap<uint32_t, Registers> before;
    llvm::MapVector<uint32_t, llvm::Value *> segments;
    for (uint32_t reg : registers) {
      uint32_t part = getNumber(reg) & segmentMask;
      if (!segments.contains(part))
        segments.insert({part, b.CreateXor(threadSegment, part)});
    }
    Registers sum;
    for (unsigned i = 0; i + 1 < numSegments; ++i) {
      unsigned segment = isReverse() ? numSegments - 1 - i : i;
      Registers total;
      for (unsigned operand = 0; operand < numOperands; ++operand) {
        Type type = op.getSrcs()[operand].getType();
        llvm::Value *number = b.CreateOr(rowStart, b.getInt32(segment), "", /*IsDisjoint=*/true);
        llvm::Value *loaded = b.CreateAlignedLoad(e.getMemoryType(type), getAddress(number, operand),
                                                  llvm::Align(e.getElementBytes(type)));
        total.push_back(e.fromMemory(loaded, type));
      }
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
      uint32_t part = getNumber(reg) & segmentMask;
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
  for (const ScanPlan::Step &step : plan.steps)
    if (failed(scanBit(step)))
      return failure();
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

static LogicalResult emitScan(Emitter &e, tt::ScanOp op) {
  std::optional<ScanPlan> plan = planScan(op);
  if (!plan)
    return op.emitError("the source's layout mixes the scanned axis with others; it must be converted first");
  return ScanEmitter(e, op, *plan).run();
}

void addScanEmitters(EmitterTable &table) { table.add<tt::ScanOp, emitScan>(); }

} // namespace nereid::gpu
