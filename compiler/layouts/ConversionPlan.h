// What it takes to bring a tile from one layout into another: nothing, other register numbers, an exchange
// between the lanes of each warp, or a trip through shared memory.
//
// All are read off from one question asked bit by bit: with which source registers, lanes and warps can what
// flips when a bit of the destination's register, lane or warp number flips be expressed? If lane and warp
// bits flip the same on both sides, and register bits can be expressed in registers, data stays in its
// thread. If everything can be expressed inside the warp, lanes exchange it.
//
// An exchange between lanes. Say that destination (register d, lane l) wants source register R(d, l) of lane
// L(d, l), both linear. A shuffle hands out one register of each lane and gives each lane one value. So one
// round must not ask a lane for two registers: a round takes the destination registers d ^ f(l), with f
// chosen so that the lanes asked are all different, or are asked for the same register. As l runs over the
// lanes, what lane m = g(l) = L(f(l), l) must send is then a function of m that is linear up to a constant.
// The rounds d = 0, 1, … cover every register of every lane once. For a 4x4 transposition over 4 lanes (R(d,
// l) = l, L(d, l) = d), f(l) = l: in round d lane l fills register d ^ l, from lane d ^ l, and lane m sends
// register m ^ d. Where all lanes want what is spread over them (R(d, l) = 0, L(d, l) = d), f(l) = 0: in
// round d all read lane d. Choosing registers by lane number is done without indexing, by exchanging whole
// halves of the register list where a bit of the lane number is set.
#ifndef NEREID_COMPILER_LAYOUTS_CONVERSIONPLAN_H
#define NEREID_COMPILER_LAYOUTS_CONVERSIONPLAN_H

#include "compiler/layouts/SharedExchange.h"

namespace nereid {

/// The steps, for registers numbered as in the layouts:
///   1. for every lane bit b whose sendSwap[b] is not 0:
///      value[i] = bit b of my lane ? value[i ^ sendSwap[b]] : value[i]
///   2. round d: result[d] = shuffle of value[rounds[d].send] from lane (rounds[d].lane ^ laneMap(my lane)),
///      where laneMap has the columns laneColumns; if these are the identity that is a butterfly, and with
///      rounds[d].lane == 0 nothing
///   3. for every lane bit b whose receiveSwap[b] is not 0:
///      result[i] = bit b of my lane ? result[i ^ receiveSwap[b]] : result[i]
///   4. destination register r is result[copies[r]]
struct LaneExchange {
  /// More shuffles than this lose to vector accesses of shared memory and a barrier.
  static constexpr size_t maxRounds = 64;
  /// And more than this where threads have far fewer elements before than behind it; but not so many that
  /// registers are short where they are read, as then one read waits for another.
  static constexpr size_t fewRounds = 8, manyRounds = 32;

  llvm::SmallVector<uint32_t, 6> sendSwap, receiveSwap, laneColumns;
  struct Round {
    uint32_t send;
    uint32_t lane;
  };
  llvm::SmallVector<Round, 8> rounds;
  llvm::SmallVector<uint32_t, 8> copies;

  bool isLaneMapIdentity() const;
  /// Which elements of so many bits go as one of up to 32: those whose registers differ in these bits of
  /// their numbers, before the exchange and behind it, the lowest ones that can.
  struct Packing {
    llvm::SmallVector<unsigned, 2> sourceBits, destinationBits;
    unsigned getCount() const { return 1u << sourceBits.size(); }
  };
  Packing getPacking(unsigned elementBits) const;
  /// The instructions that it takes, one for a shuffle's wave, choice or packing.
  unsigned getCost(unsigned elementBits) const;
};

struct ConversionPlan {
  enum class Kind { None, Registers, Lanes, Shared };
  Kind kind = Kind::Shared;
  /// None, Registers: for each destination register the source register of the same thread.
  llvm::SmallVector<uint32_t, 8> sourceRegisters;
  /// Lanes.
  LaneExchange lanes;
  /// Shared.
  SharedExchange shared;

  /// Shared memory needed, in bytes.
  unsigned getScratchBytes(unsigned elementBits) const {
    return kind == Kind::Shared ? shared.getNumElements() * getSharedElementBytes(elementBits) : 0;
  }
};

/// What an exchange is to save: its own instructions, or the barrier that memory takes.
enum class ExchangeGoal { FewInstructions, NoBarrier };

/// Only which kind it is, which is cheap; passes ask this.
ConversionPlan::Kind getConversionKind(const LinearLayout &source, const LinearLayout &destination,
                                       ExchangeGoal goal = ExchangeGoal::FewInstructions);

ConversionPlan planConversion(const LinearLayout &source, const LinearLayout &destination,
                              unsigned elementBits, const SharedMemoryTraits &traits = {},
                              ExchangeGoal goal = ExchangeGoal::FewInstructions);

} // namespace nereid

#endif // NEREID_COMPILER_LAYOUTS_CONVERSIONPLAN_H
