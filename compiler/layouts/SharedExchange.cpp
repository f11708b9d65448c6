// The swizzle, and the accesses of the two sides. See SharedExchange.h.
#include "compiler/layouts/SharedExchange.h"

#include "compiler/layouts/BankWaves.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>

namespace nereid {

using f2::Vector;
using f2::Vectors;

unsigned getSharedElementBytes(unsigned elementBits) {
  return llvm::PowerOf2Ceil(llvm::divideCeil(elementBits, 8));
}

static Vectors join(llvm::ArrayRef<Vector> a, llvm::ArrayRef<Vector> b) {
  Vectors result(a.begin(), a.end());
  llvm::append_range(result, b);
  return result;
}

bool readsMuchMore(const LinearLayout &writer, const LinearLayout &reader) {
  constexpr unsigned muchMore = 2;
  return f2::rank(reader.getColumns(Dim::Register)) >= f2::rank(writer.getColumns(Dim::Register)) + muchMore;
}

/// Directions along which threads of a side differ.
static Vectors getThreads(const LinearLayout &side) {
  Vectors threads;
  for (Dim dim : {Dim::Lane, Dim::Warp, Dim::Block})
    llvm::append_range(threads, side.getColumns(dim));
  return threads;
}

/// The widest vectors have 2^n elements.
static unsigned getMostVectorBits(unsigned elementBits, const SharedMemoryTraits &traits) {
  return llvm::Log2_32(std::max(1u, traits.maxVectorBytes / getSharedElementBytes(elementBits)));
}

/// Steps 2 and 3 of SharedExchange.h: the offset bits of `vector`, and above them those of `rest`, such that
/// lanes which differ by directions of `a`, or of `b`, meet different banks.
static Vectors spreadOverBanks(const Vectors &vector, const Vectors &rest, const Vectors &a, const Vectors &b,
                               unsigned wordBits, unsigned bankBits) {
  Vectors shared = f2::intersection(a, b);
  Vectors onlyA = f2::complement(shared, a), onlyB = f2::complement(shared, b);
  Vectors directions = f2::complement(join(a, b), rest);
  for (size_t i = 0; i != std::min(onlyA.size(), onlyB.size()); ++i)
    directions.push_back(onlyA[i] ^ onlyB[i]);

  unsigned restBits = f2::rank(join(vector, rest)) - vector.size();
  wordBits = std::min(wordBits, restBits);
  unsigned needed = restBits > wordBits + bankBits ? restBits - wordBits - bankBits : 0;
  // Too few harmless directions: conflicts can't be avoided, and which lanes suffer is all the same. Lanes
  // may share a word, so what both sides' lanes have in common is best used up inside words.
  unsigned harmless = directions.size();
  llvm::append_range(directions, f2::complement(directions, join(shared, join(onlyA, onlyB))));
  if (harmless < needed)
    std::rotate(directions.begin() + harmless, directions.end() - (needed - harmless), directions.end());
  Vectors word(directions.begin() + needed, directions.begin() + needed + wordBits);
  directions.resize(needed);

  Vectors columns = join(vector, word);
  llvm::append_range(columns, f2::complement(join(columns, directions), rest));
  llvm::append_range(columns, directions);
  assert(columns.size() == vector.size() + restBits && f2::rank(columns) == columns.size());
  return columns;
}

/// Steps 1 to 3 of SharedExchange.h, or the reader's vectors where it reads much more.
static LinearLayout swizzle(const LinearLayout &writer, const LinearLayout &reader, unsigned elementBits,
                            const SharedMemoryTraits &traits) {
  unsigned elementBytes = getSharedElementBytes(elementBits);
  unsigned totalBits = writer.getTotalOutBits();

  // Directions along which threads differ. A vector must not mix with them: then its elements would have to
  // be ordered differently in different threads.
  Vectors threads = f2::independent(join(getThreads(writer), getThreads(reader)));

  Vectors vector = f2::complement(
      threads, f2::intersection(writer.getColumns(Dim::Register), reader.getColumns(Dim::Register)));
  unsigned mostVectorBits = getMostVectorBits(elementBits, traits);
  vector.resize(std::min<size_t>(vector.size(), mostVectorBits));
  unsigned vectorBits = vector.size();
  Vectors lanes;
  if (readsMuchMore(writer, reader)) {
    lanes = getThreads(reader);
    for (Vector direction :
         f2::complement(f2::independent(join(lanes, vector)), reader.getColumns(Dim::Register)))
      if (vector.size() < mostVectorBits)
        vector.push_back(direction);
  }
  if (vector.size() > vectorBits) {
    // Lanes of the reader that differ meet different banks, one behind the other; the others read the same.
    llvm::append_range(vector, f2::complement(vector, lanes));
    llvm::append_range(vector, f2::complement(vector, f2::units(totalBits)));
    return LinearLayout::fromColumns({{Dim::Offset, totalBits}}, writer.getOutDims(), vector);
  }

  // One wave of accesses covers every bank once. Wide accesses take several waves, in each of which only some
  // consecutive lanes take part; only these can disturb each other.
  unsigned waveBytes = traits.bankBytes * traits.numBanks;
  unsigned accessBytes = std::max(elementBytes << vectorBits, traits.bankBytes);
  unsigned waveLaneBits = llvm::Log2_32(std::max(1u, waveBytes / accessBytes));
  auto waveLanes = [&](const LinearLayout &side) {
    llvm::ArrayRef<Vector> lanes = side.getColumns(Dim::Lane);
    return f2::independent(lanes.take_front(std::min<size_t>(lanes.size(), waveLaneBits)));
  };
  Vectors a = waveLanes(writer), b = waveLanes(reader);
  Vectors rest = join(threads, f2::complement(join(vector, threads), f2::units(totalBits)));

  // Offset bits from the lowest: inside an access, inside a bank's word (for narrow elements), banks,
  // addresses.
  unsigned wordBits = llvm::Log2_32(std::max(1u, traits.bankBytes / (elementBytes << vectorBits)));
  unsigned bankBits = llvm::Log2_32(std::max(1u, waveBytes / accessBytes));
  Vectors columns = spreadOverBanks(vector, rest, a, b, wordBits, bankBits);
  return LinearLayout::fromColumns({{Dim::Offset, totalBits}}, writer.getOutDims(), columns);
}

std::optional<LinearLayout> planMatrixMemory(const LinearLayout &vectors, const LinearLayout &matrices,
                                             const SharedMemoryTraits &traits) {
  constexpr unsigned laneBits = 5, elementBits = 16, ofVector = 2; // lanes' bits from this one on
  llvm::ArrayRef<Vector> lanes = matrices.getColumns(Dim::Lane), pairs = matrices.getColumns(Dim::Register);
  if (lanes.size() != laneBits || pairs.empty() || pairs[0] == 0)
    return std::nullopt;
  unsigned totalBits = vectors.getTotalOutBits();
  Vectors vector(lanes.drop_front(ofVector)), rest(lanes.take_front(ofVector));
  f2::Span registers(vectors.getColumns(Dim::Register));
  if (vector.size() != getMostVectorBits(elementBits, traits) ||
      !llvm::all_of(vector, [&](Vector column) { return registers.contains(column); }))
    return std::nullopt;
  // All else must not mix with the vectors, on either side.
  for (Dim dim : {Dim::Register, Dim::Warp, Dim::Block})
    llvm::append_range(rest, matrices.getColumns(dim));
  rest = f2::independent(rest);
  f2::Span others(rest);
  if (f2::rank(vector) != vector.size() || f2::rank(join(vector, rest)) != totalBits ||
      vector.size() + rest.size() != totalBits ||
      !llvm::all_of(getThreads(vectors), [&](Vector column) { return others.contains(column); }))
    return std::nullopt;
  // Eight lanes' vectors, and eight rows of a matrix, cover every bank once.
  unsigned bankBits = llvm::Log2_32(traits.bankBytes * traits.numBanks / traits.maxVectorBytes);
  llvm::ArrayRef<Vector> writers = vectors.getColumns(Dim::Lane);
  Vectors a = f2::independent(writers.take_front(std::min<size_t>(writers.size(), bankBits)));
  Vectors b = f2::independent({pairs[0], lanes[0], lanes[1]});
  Vectors columns = spreadOverBanks(vector, rest, a, b, /*wordBits=*/0, bankBits);
  return LinearLayout::fromColumns({{Dim::Offset, totalBits}}, vectors.getOutDims(), columns);
}

/// Memory as the threads of one side have it: what each has in registers are neighbours, up to the width of
/// an access, and behind them lie the other side's lanes, so that these meet different banks.
static LinearLayout lieAlong(const LinearLayout &side, const LinearLayout &other, unsigned elementBits,
                             const SharedMemoryTraits &traits) {
  Vectors vector = f2::complement(f2::independent(getThreads(side)), side.getColumns(Dim::Register));
  vector.resize(std::min<size_t>(vector.size(), getMostVectorBits(elementBits, traits)));
  unsigned totalBits = side.getTotalOutBits();
  for (const Vectors &next : {Vectors(other.getColumns(Dim::Lane)), getThreads(side), f2::units(totalBits)})
    llvm::append_range(vector, f2::complement(vector, next));
  return LinearLayout::fromColumns({{Dim::Offset, totalBits}}, side.getOutDims(), vector);
}

unsigned getVectorBits(const LinearLayout &offsets, unsigned elementBits, const SharedMemoryTraits &traits) {
  unsigned bits = getMostVectorBits(elementBits, traits);
  for (Vector column : getThreads(offsets))
    bits = column ? std::min<unsigned>(bits, llvm::countr_zero(column)) : bits;
  Vectors registers(offsets.getColumns(Dim::Register));
  while (!f2::complement(registers, f2::units(bits)).empty())
    --bits;
  return bits;
}

llvm::SmallVector<SharedAccess, 8>
listSharedAccesses(const LinearLayout &offsets, unsigned vectorBits,
                   llvm::SmallVectorImpl<std::pair<uint32_t, uint32_t>> *copies) {
  uint32_t inVector = (1u << vectorBits) - 1;
  llvm::SmallVector<SharedAccess, 8> accesses;
  llvm::SmallVector<int64_t, 0> seen(offsets.getOutSize(Dim::Offset), -1); // offset -> register
  llvm::SmallVector<int64_t, 0> accessAt(seen.size() >> vectorBits, -1);
  unsigned numRegisters = offsets.getInSize(Dim::Register);
  for (uint32_t reg = 0; reg != numRegisters; ++reg) {
    uint32_t offset =
        offsets.hasInDim(Dim::Register) ? offsets.apply({{Dim::Register, reg}}, Dim::Offset) : 0;
    if (seen[offset] >= 0) {
      if (copies)
        copies->push_back({reg, uint32_t(seen[offset])});
      continue;
    }
    seen[offset] = reg;
    int64_t &index = accessAt[offset >> vectorBits];
    if (index < 0) {
      index = accesses.size();
      accesses.push_back({offset & ~inVector, llvm::SmallVector<uint32_t, 4>(1u << vectorBits, ~0u)});
    }
    accesses[index].registers[offset & inVector] = reg;
  }
  assert(llvm::all_of(accesses,
                      [](const SharedAccess &access) { return !llvm::is_contained(access.registers, ~0u); }));
  return accesses;
}

SharedExchange planSharedExchange(const LinearLayout &writer, const LinearLayout &reader,
                                  unsigned elementBits, const SharedMemoryTraits &traits) {
  llvm::SmallVector<Dim, 4> order;
  for (const LinearLayout::DimBits &dim : writer.getOutDims())
    order.push_back(dim.dim);
  LinearLayout ordered = reader.reorderOuts(order);
  assert(llvm::equal(writer.getOutDims(), ordered.getOutDims()) && "layouts of different tensors");

  auto makePlan = [&](LinearLayout memory) {
    SharedExchange plan;
    LinearLayout toOffset = memory.invert();
    plan.memory = std::move(memory);
    plan.writeOffsets = writer.compose(toOffset);
    plan.readOffsets = ordered.compose(toOffset);
    plan.writeElements = 1u << getVectorBits(plan.writeOffsets, elementBits, traits);
    plan.readElements = 1u << getVectorBits(plan.readOffsets, elementBits, traits);
    return plan;
  };
  auto getCost = [&](const SharedExchange &plan) {
    unsigned elementBytes = getSharedElementBytes(elementBits);
    return getAccessCost(plan.writeOffsets, plan.writeElements, elementBytes) +
           getAccessCost(plan.readOffsets, plan.readElements, elementBytes);
  };
  SharedExchange plan = makePlan(swizzle(writer, ordered, elementBits, traits));
  if (plan.writeElements == 1 || plan.readElements == 1)
    for (LinearLayout memory :
         {lieAlong(writer, ordered, elementBits, traits), lieAlong(ordered, writer, elementBits, traits)})
      if (SharedExchange other = makePlan(std::move(memory)); getCost(other) < getCost(plan))
        plan = std::move(other);
  plan.writes = listSharedAccesses(plan.writeOffsets, llvm::Log2_32(plan.writeElements), nullptr);
  plan.reads = listSharedAccesses(plan.readOffsets, llvm::Log2_32(plan.readElements), &plan.readCopies);
  return plan;
}

} // namespace nereid
