// The swizzle, and the accesses of the two sides. See SharedExchange.h.
#include "compiler/layouts/SharedExchange.h"

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

static LinearLayout chooseMemoryLayout(const LinearLayout &writer, const LinearLayout &reader,
                                       unsigned elementBits, const SharedMemoryTraits &traits,
                                       unsigned &vectorBits, unsigned &readVectorBits) {
  unsigned elementBytes = getSharedElementBytes(elementBits);
  unsigned totalBits = writer.getTotalOutBits();

  // Directions along which threads differ. A vector must not mix with them: then its elements would have to
  // be ordered differently in different threads.
  Vectors threads;
  for (const LinearLayout *side : {&writer, &reader})
    for (Dim dim : {Dim::Lane, Dim::Warp, Dim::Block})
      llvm::append_range(threads, side->getColumns(dim));
  threads = f2::independent(threads);

  Vectors vector = f2::complement(
      threads, f2::intersection(writer.getColumns(Dim::Register), reader.getColumns(Dim::Register)));
  unsigned maxVector = std::max(1u, traits.maxVectorBytes / elementBytes);
  if (vector.size() > llvm::Log2_32(maxVector))
    vector.resize(llvm::Log2_32(maxVector));
  vectorBits = readVectorBits = vector.size();
  Vectors lanes;
  if (readsMuchMore(writer, reader)) {
    for (Dim dim : {Dim::Lane, Dim::Warp, Dim::Block})
      llvm::append_range(lanes, reader.getColumns(dim));
    for (Vector direction :
         f2::complement(f2::independent(join(lanes, vector)), reader.getColumns(Dim::Register)))
      if (vector.size() < llvm::Log2_32(maxVector))
        vector.push_back(direction);
    readVectorBits = vector.size();
  }
  if (readVectorBits > vectorBits) {
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

  Vectors shared = f2::intersection(a, b);
  Vectors onlyA = f2::complement(shared, a), onlyB = f2::complement(shared, b);
  Vectors directions = f2::complement(join(a, b), rest);
  for (size_t i = 0; i != std::min(onlyA.size(), onlyB.size()); ++i)
    directions.push_back(onlyA[i] ^ onlyB[i]);

  // Offset bits from the lowest: inside an access, inside a bank's word (for narrow elements), banks,
  // addresses.
  unsigned wordBits = llvm::Log2_32(std::max(1u, traits.bankBytes / (elementBytes << vectorBits)));
  unsigned bankBits =
      llvm::Log2_32(std::max(1u, waveBytes / std::max(elementBytes << vectorBits, traits.bankBytes)));
  unsigned restBits = totalBits - vectorBits;
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
  assert(columns.size() == totalBits && f2::rank(columns) == totalBits);
  return LinearLayout::fromColumns({{Dim::Offset, totalBits}}, writer.getOutDims(), columns);
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

  SharedExchange plan;
  unsigned writeBits = 0, readBits = 0;
  plan.memory = chooseMemoryLayout(writer, ordered, elementBits, traits, writeBits, readBits);
  LinearLayout toOffset = plan.memory.invert();
  // Of a vector that is the reader's alone, the writer's threads may have any part.
  for (Dim dim : {Dim::Lane, Dim::Warp, Dim::Block})
    for (Vector column : writer.compose(toOffset).getColumns(dim))
      while (column & ((1u << writeBits) - 1))
        --writeBits;
  plan.writeElements = 1u << writeBits;
  plan.readElements = 1u << readBits;
  plan.writeOffsets = writer.compose(toOffset);
  plan.readOffsets = ordered.compose(toOffset);
  plan.writes = listSharedAccesses(plan.writeOffsets, writeBits, nullptr);
  plan.reads = listSharedAccesses(plan.readOffsets, readBits, &plan.readCopies);
  return plan;
}

} // namespace nereid
