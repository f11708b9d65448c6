// Layouts for tests that check an algorithm against enumeration: hardware-like ones, in which every bit is a
// unit vector or a duplicate, and arbitrary linear maps onto the tensor.
#ifndef NEREID_TESTS_UNIT_LAYOUTS_RANDOMLAYOUTS_H
#define NEREID_TESTS_UNIT_LAYOUTS_RANDOMLAYOUTS_H

#include "compiler/layouts/LinearLayout.h"

#include <algorithm>
#include <random>

namespace nereid {

class RandomLayouts {
public:
  explicit RandomLayouts(unsigned seed) : engine(seed) {}

  unsigned below(unsigned bound) { return std::uniform_int_distribution<unsigned>(0, bound - 1)(engine); }

  /// Output dimensions dim0 (and dim1) with this many bits together.
  llvm::SmallVector<LinearLayout::DimBits, 2> tensor(unsigned bits) {
    unsigned split = below(bits + 1);
    return {{tensorDim(0), split}, {tensorDim(1), bits - split}};
  }

  /// Unit vectors over register, lane and warp in random order; `duplicates` more bits are zero.
  LinearLayout distributed(llvm::ArrayRef<LinearLayout::DimBits> outs, unsigned laneBits, unsigned warpBits,
                           unsigned duplicates) {
    f2::Vectors columns = f2::units(outs[0].bits + outs[1].bits);
    columns.append(duplicates, 0);
    while (columns.size() < laneBits + warpBits)
      columns.push_back(0);
    std::shuffle(columns.begin(), columns.end(), engine);
    return cut(columns, outs, laneBits, warpBits);
  }

  /// Any map onto the tensor.
  LinearLayout linear(llvm::ArrayRef<LinearLayout::DimBits> outs, unsigned laneBits, unsigned warpBits,
                      unsigned duplicates) {
    unsigned bits = outs[0].bits + outs[1].bits;
    f2::Vectors columns;
    do {
      columns.clear();
      while (columns.size() < std::max(bits + duplicates, laneBits + warpBits))
        columns.push_back(below(1u << bits));
    } while (f2::rank(columns) != bits);
    return cut(columns, outs, laneBits, warpBits);
  }

private:
  LinearLayout cut(llvm::ArrayRef<f2::Vector> columns, llvm::ArrayRef<LinearLayout::DimBits> outs,
                   unsigned laneBits, unsigned warpBits) {
    unsigned registerBits = columns.size() - laneBits - warpBits;
    return LinearLayout::fromColumns(
        {{Dim::Register, registerBits}, {Dim::Lane, laneBits}, {Dim::Warp, warpBits}}, outs, columns);
  }

  std::mt19937 engine;
};

} // namespace nereid

#endif // NEREID_TESTS_UNIT_LAYOUTS_RANDOMLAYOUTS_H
