// Loops are branches back, as in MachineCode. Memory is taken to answer as it does where it is busy with what
// the kernel asks of it: what counts is how often a warp waits for it, one time behind the other.
#include "compiler/targets/nvidia/WarpTime.h"

#include "compiler/targets/nvidia/Instructions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <array>

using namespace llvm;

namespace nereid {

namespace {

struct Span {
  uint64_t begin, end; // of instructions, in bytes; the last included
};

/// A warp on its way.
class Clock {
public:
  void start(Instruction instruction) {
    for (unsigned counter = 0; counter < Instruction::numCounters; ++counter)
      if (instruction.getWaits() >> counter & 1)
        now = std::max(now, ends[counter]);
    auto tell = [&](unsigned counter, uint64_t end) {
      if (counter < Instruction::numCounters)
        ends[counter] = std::max(ends[counter], end);
    };
    tell(instruction.getResultCounter(), now + getLatency(instruction));
    tell(instruction.getOperandCounter(), now + readingCycles);
    now += std::max(instruction.getStall(), 1u);
  }
  uint64_t getTime() const { return now; }

private:
  static constexpr unsigned readingCycles = 8;

  /// In cycles, of Hopper where generations differ. What is not named takes fewer than 30.
  static unsigned getLatency(Instruction instruction) {
    switch (instruction.getOperation()) {
    case operation::globalLoad:
      return 500;
    case operation::localLoad:
      return 60;
    case operation::constantLoad:
      return 40;
    case operation::matrixLoad:
      return 33;
    case operation::sharedLoad:
      return 30;
    default:
      return instruction.isShuffle() ? 24 : 20;
    }
  }

  uint64_t now = 0;
  std::array<uint64_t, Instruction::numCounters> ends{};
};

} // namespace

static SmallVector<Span> findInnermostLoops(StringRef code) {
  SmallVector<Span> loops;
  for (uint64_t at = 0; at + Instruction::bytes <= code.size(); at += Instruction::bytes) {
    Instruction instruction = Instruction::read(code, at);
    if (instruction.getOperation() != operation::branch)
      continue;
    int64_t target = instruction.getBranchTarget(at);
    // A branch to itself is what stands behind the end.
    if (target < 0 || target >= int64_t(at))
      continue;
    bool holdsOther = llvm::any_of(loops, [&](Span loop) { return loop.begin >= uint64_t(target); });
    if (!holdsOther)
      loops.push_back({uint64_t(target), at});
  }
  return loops;
}

/// Goes through a span once.
static WarpTime measure(StringRef code, Span span, Clock &clock) {
  WarpTime time;
  uint64_t begin = clock.getTime();
  for (uint64_t at = span.begin; at <= span.end; at += Instruction::bytes) {
    Instruction instruction = Instruction::read(code, at);
    clock.start(instruction);
    ++time.instructions;
  }
  time.cycles = clock.getTime() - begin;
  return time;
}

/// Of a round that goes on as the ones before, which leave their waits to it.
static WarpTime measureRound(StringRef code, Span loop) {
  Clock clock;
  measure(code, loop, clock);
  return measure(code, loop, clock);
}

WarpTime measureWarp(StringRef code) {
  constexpr unsigned moreRounds = 7;
  if (code.size() < Instruction::bytes)
    return {};
  Clock clock;
  WarpTime time = measure(code, {0, code.size() - Instruction::bytes}, clock);
  for (Span loop : findInnermostLoops(code)) {
    WarpTime round = measureRound(code, loop);
    time.cycles += moreRounds * round.cycles;
    time.instructions += moreRounds * round.instructions;
  }
  return time;
}

} // namespace nereid
