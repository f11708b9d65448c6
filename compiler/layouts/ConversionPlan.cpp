// Deciding how to convert, and planning exchanges between lanes. See ConversionPlan.h.
#include "compiler/layouts/ConversionPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

namespace nereid {

using f2::Vector;
using f2::Vectors;

bool LaneExchange::isLaneMapIdentity() const {
  for (auto [bit, column] : llvm::enumerate(laneColumns))
    if (column != 1u << bit)
      return false;
  return true;
}

LaneExchange::Packing LaneExchange::getPacking(unsigned elementBits) const {
  Packing packing;
  auto differsBy = [](llvm::ArrayRef<uint32_t> swaps, unsigned bit) {
    return llvm::any_of(swaps, [&](uint32_t swap) { return swap >> bit & 1; });
  };
  // Elements that differ in these bits alone are sent to one lane in every round.
  auto travelTogether = [&](unsigned source, unsigned destination) {
    if (differsBy(sendSwap, source) || differsBy(receiveSwap, destination))
      return false;
    for (auto [d, round] : llvm::enumerate(rounds)) {
      const Round &first = rounds[d & ~(size_t(1) << destination)];
      if (round.lane != first.lane || round.send != (first.send | (d >> destination & 1) << source) ||
          (first.send >> source & 1))
        return false;
    }
    return true;
  };
  unsigned most = elementBits < 8 ? 0 : llvm::Log2_32(32 / std::min(32u, elementBits));
  for (unsigned destination = 0; packing.destinationBits.size() < most && rounds.size() >> destination > 1;
       ++destination) {
    // Registers that are sent depend on the rounds' numbers bit by bit, so one round says which bit it is.
    uint32_t difference = rounds[size_t(1) << destination].send ^ rounds[0].send;
    if (llvm::isPowerOf2_32(difference) && travelTogether(llvm::Log2_32(difference), destination)) {
      packing.sourceBits.push_back(llvm::Log2_32(difference));
      packing.destinationBits.push_back(destination);
    }
  }
  return packing;
}

unsigned LaneExchange::getCost(unsigned elementBits) const {
  constexpr unsigned wavesOfShuffle = 2;
  unsigned registers = rounds.size(), packed = getPacking(elementBits).getCount(), ofEach = wavesOfShuffle;
  for (uint32_t swap : llvm::concat<const uint32_t>(sendSwap, receiveSwap))
    ofEach += swap != 0;
  unsigned cost = ofEach * registers / packed * ((elementBits + 31) / 32);
  return packed == 1 ? cost : cost + registers;
}

static LinearLayout orderLike(const LinearLayout &layout, const LinearLayout &model) {
  llvm::SmallVector<Dim, 4> order;
  for (const LinearLayout::DimBits &dim : model.getOutDims())
    order.push_back(dim.dim);
  LinearLayout ordered = layout.reorderOuts(order);
  assert(llvm::equal(ordered.getOutDims(), model.getOutDims()) && "layouts of different tensors");
  return ordered;
}

static bool sameColumns(const LinearLayout &a, const LinearLayout &b, Dim dim) {
  return a.getColumns(dim) == b.getColumns(dim);
}

/// The destination's registers in terms of the source's, if everything stays in its thread.
static std::optional<llvm::SmallVector<uint32_t, 8>> planRegisters(const LinearLayout &source,
                                                                   const LinearLayout &destination) {
  for (Dim dim : {Dim::Lane, Dim::Warp, Dim::Block})
    if (!sameColumns(source, destination, dim))
      return std::nullopt;
  f2::Span span(source.getColumns(Dim::Register));
  Vectors columns;
  for (Vector column : destination.getColumns(Dim::Register)) {
    std::optional<Vector> combination = span.express(column);
    if (!combination)
      return std::nullopt;
    columns.push_back(*combination);
  }
  llvm::SmallVector<uint32_t, 8> registers;
  for (uint32_t reg = 0; reg != destination.getInSize(Dim::Register); ++reg)
    registers.push_back(f2::multiply(columns, reg));
  return registers;
}

static std::optional<LaneExchange> planLanes(const LinearLayout &source,
                                             const LinearLayout &fullDestination) {
  for (Dim dim : {Dim::Warp, Dim::Block})
    if (!sameColumns(source, fullDestination, dim))
      return std::nullopt;

  // Registers that repeat an element of the same thread are copied at the end.
  LaneExchange plan;
  llvm::ArrayRef<Vector> allRegisters = fullDestination.getColumns(Dim::Register);
  f2::Span registerSpan;
  uint32_t repeated = 0;
  for (auto [bit, column] : llvm::enumerate(allRegisters))
    if (!registerSpan.add(column))
      repeated |= 1u << bit;
  LinearLayout destination = fullDestination.removeInBits(Dim::Register, repeated).withInDim(Dim::Register);
  f2::Span kept(destination.getColumns(Dim::Register));
  Vectors copyColumns;
  for (Vector column : allRegisters)
    copyColumns.push_back(*kept.express(column));
  for (uint32_t reg = 0; reg != fullDestination.getInSize(Dim::Register); ++reg)
    plan.copies.push_back(f2::multiply(copyColumns, reg));

  // (register, lane) of the source for each destination bit: sourceRegister in the low bits, sourceLane
  // above. Registers first, so that what a lane has itself it does not ask of others.
  Vectors sourceColumns(source.getColumns(Dim::Register));
  unsigned sourceRegisterBits = sourceColumns.size();
  llvm::append_range(sourceColumns, source.getColumns(Dim::Lane));
  f2::Span span(sourceColumns);
  auto solve = [&](Vector column) { return span.express(column); };
  Vector registerMask = (Vector(1) << sourceRegisterBits) - 1;

  Vectors fromRegister, fromLane; // columns of destination register bits and lane bits
  for (Vector column : destination.getColumns(Dim::Register)) {
    std::optional<Vector> solution = solve(column);
    if (!solution)
      return std::nullopt;
    fromRegister.push_back(*solution);
  }
  for (auto [bit, column] : llvm::enumerate(destination.getColumns(Dim::Lane))) {
    // Prefer staying in the lane: the difference to the source's own lane bit, if registers alone make it up.
    std::optional<Vector> solution;
    if (bit < source.getColumns(Dim::Lane).size()) {
      f2::Span registers(source.getColumns(Dim::Register));
      if (std::optional<Vector> difference = registers.express(column ^ source.getColumns(Dim::Lane)[bit]))
        solution = *difference | Vector(1) << (sourceRegisterBits + bit);
    }
    if (!solution)
      solution = solve(column);
    if (!solution)
      return std::nullopt;
    fromLane.push_back(*solution);
  }

  // f: on the kernel of lane -> source lane, send lanes to registers that reach the lanes not yet asked. But
  // lanes that want the same register of the same lane may ask together, in one round.
  unsigned laneBits = fromLane.size();
  auto laneOf = [&](Vector packed) { return packed >> sourceRegisterBits; };
  Vectors laneToLane, registerToLane;
  for (Vector column : fromLane)
    laneToLane.push_back(laneOf(column));
  for (Vector column : fromRegister)
    registerToLane.push_back(laneOf(column));
  Vectors kernel = f2::kernel(laneToLane), wanted, together;
  for (Vector lanes : kernel)
    wanted.push_back(f2::multiply(fromLane, lanes));
  for (Vector combination : f2::kernel(wanted))
    together.push_back(f2::multiply(kernel, combination));
  Vectors apart = f2::complement(together, kernel);
  f2::Span asked(laneToLane);
  llvm::SmallVector<Vector, 8> freshRegisters;
  for (auto [bit, lane] : llvm::enumerate(registerToLane))
    if (asked.add(lane))
      freshRegisters.push_back(Vector(1) << bit);
  // f is given on a basis of the lanes (kernel vectors, then a complement); express each lane bit in it.
  Vectors basis = together, images(together.size(), 0);
  for (auto [i, lanes] : llvm::enumerate(apart)) {
    basis.push_back(lanes);
    images.push_back(i < freshRegisters.size() ? freshRegisters[i] : 0);
  }
  for (Vector extra : f2::complement(kernel, f2::units(laneBits))) {
    basis.push_back(extra);
    images.push_back(0);
  }
  f2::Span basisSpan(basis);
  Vectors f, g, h; // lane -> destination register, source lane, source register
  for (Vector unit : f2::units(laneBits)) {
    f.push_back(f2::multiply(images, *basisSpan.express(unit)));
    Vector from = f2::multiply(fromRegister, f.back()) ^ f2::multiply(fromLane, unit);
    g.push_back(laneOf(from));
    h.push_back(from & registerMask);
  }
  // Lanes that ask the same lane must ask for the same register.
  for (Vector lane : f2::kernel(g))
    if (f2::multiply(h, lane) != 0)
      return std::nullopt;
  f2::Span asking(g);
  Vectors send; // source lane -> register, where anyone asks
  for (Vector unit : f2::units(source.getInBits(Dim::Lane))) {
    // Modulo lanes that nobody asks in this family of rounds.
    Vector reduced = unit ^ asking.reduce(unit);
    send.push_back(f2::multiply(h, *asking.express(reduced)));
  }

  for (Vector column : send)
    plan.sendSwap.push_back(column);
  for (Vector column : f)
    plan.receiveSwap.push_back(column);
  for (Vector column : g)
    plan.laneColumns.push_back(column);
  for (Vector d = 0; d != destination.getInSize(Dim::Register); ++d) {
    Vector from = f2::multiply(fromRegister, d);
    plan.rounds.push_back(
        {uint32_t((from & registerMask) ^ f2::multiply(send, laneOf(from))), uint32_t(laneOf(from))});
  }
  return plan;
}

static ConversionPlan plan(const LinearLayout &source, const LinearLayout &destination, ExchangeGoal goal) {
  LinearLayout target = orderLike(destination, source);
  ConversionPlan plan;
  if (auto registers = planRegisters(source, target)) {
    plan.sourceRegisters = *registers;
    bool unchanged = registers->size() == source.getInSize(Dim::Register);
    for (auto [i, reg] : llvm::enumerate(*registers))
      unchanged &= i == reg;
    plan.kind = unchanged ? ConversionPlan::Kind::None : ConversionPlan::Kind::Registers;
    return plan;
  }
  // What is spread over lanes, and wanted by all of them, takes a shuffle for each element; memory gives
  // several at a time.
  auto isManyFromFew = [&](const LaneExchange &lanes) {
    return goal == ExchangeGoal::FewInstructions && lanes.rounds.size() > LaneExchange::fewRounds &&
           lanes.rounds.size() <= LaneExchange::manyRounds && readsMuchMore(source, target);
  };
  if (auto lanes = planLanes(source, target);
      lanes && lanes->rounds.size() <= LaneExchange::maxRounds && !isManyFromFew(*lanes)) {
    plan.lanes = *lanes;
    plan.kind = ConversionPlan::Kind::Lanes;
  }
  return plan;
}

ConversionPlan::Kind getConversionKind(const LinearLayout &source, const LinearLayout &destination,
                                       ExchangeGoal goal) {
  return plan(source, destination, goal).kind;
}

ConversionPlan planConversion(const LinearLayout &source, const LinearLayout &destination,
                              unsigned elementBits, const SharedMemoryTraits &traits, ExchangeGoal goal) {
  ConversionPlan result = plan(source, destination, goal);
  if (result.kind == ConversionPlan::Kind::Shared)
    result.shared = planSharedExchange(source, destination, elementBits, traits);
  return result;
}

} // namespace nereid
