// LinearLayout: the one representation behind every encoding.
//
// A tile of a tensor is spread over the registers, lanes, warps and blocks of a GPU. Where an element lies is
// a map from hardware indices to tensor indices, and for every layout that hardware or compilers use, that
// map is linear over F2 when indices are written in bits: the tensor index of (register, lane, warp) is the
// exclusive or of one constant a bit that is set. Those constants, the bases, are the layout. (The idea is
// from "Linear Layouts: Robust Code Generation of Efficient Tensor Computation Using F2".)
//
// A worked example: a 1-D tile of 16 elements, 2 consecutive elements a thread, 4 lanes, 2 warps.
//
//     register bit 0 -> 1
//     lane     bit 0 -> 2,  bit 1 -> 4
//     warp     bit 0 -> 8
//
// Lane 3 of warp 1 holds in register 1 the element 8 ^ (2 ^ 4) ^ 1 = 15. Were the tile 32 elements, another
// register bit would get the basis 16; were it 8, the warp's basis would be 0: both warps hold the same
// elements (a broadcast). The layout is the product identity1D(2, register) * identity1D(4, lane) *
// identity1D(2, warp), which stacks bits on top of bits. What code generation asks becomes linear algebra:
// which register of which lane holds what another layout wants (invertAndCompose), whether data is duplicated
// (free variables), how many registers are consecutive in memory, and which lanes lie along a reduced
// dimension.
//
// A layout has named input dimensions and named output dimensions, each with a size that is a power of two.
// Internally all outputs are packed into one bit vector, the first output dimension in the lowest bits;
// likewise inputs. "Flat" below means such a packed number. The order of dimensions matters for packing and
// for nothing else.
#ifndef NEREID_COMPILER_LAYOUTS_LINEARLAYOUT_H
#define NEREID_COMPILER_LAYOUTS_LINEARLAYOUT_H

#include "compiler/layouts/F2.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace nereid {

/// The name of an input or output dimension: a place in the hardware, or a dimension of the tensor.
enum class Dim : uint8_t {
  Register, // which of a thread's registers
  Lane,     // which thread of a warp
  Warp,     // which warp of a block
  Block,    // which block of a cluster
  Offset,   // which element of a piece of shared memory
  Dim0 = 16 // Dim0 + i: the i-th dimension of a tensor
};

inline Dim tensorDim(unsigned i) { return Dim(unsigned(Dim::Dim0) + i); }
/// `register`, `lane`, `warp`, `block`, `offset`, `dim0`, `dim1`, …
std::string getDimName(Dim dim);

class LinearLayout {
public:
  /// A dimension and the logarithm of its size.
  struct DimBits {
    Dim dim;
    unsigned bits;
    unsigned size() const { return 1u << bits; }
    friend bool operator==(const DimBits &a, const DimBits &b) { return a.dim == b.dim && a.bits == b.bits; }
  };
  using Index = std::pair<Dim, uint32_t>;
  using Indices = llvm::SmallVector<Index, 4>;

  /// The map from nothing to nothing: the neutral element of *.
  LinearLayout() = default;

  // ---- Construction ----

  /// in i -> out i, for i < size.
  static LinearLayout identity1D(unsigned size, Dim in, Dim out);
  /// Every index of `in` -> 0 of `out`, which has size outSize: a broadcast.
  static LinearLayout zeros1D(unsigned size, Dim in, Dim out, unsigned outSize = 1);

  /// For each input dimension its bases, lowest bit first, each basis one coordinate an output dimension.
  struct InputBases {
    Dim dim;
    llvm::SmallVector<llvm::SmallVector<uint32_t, 4>, 8> bases;
  };
  static LinearLayout fromBases(llvm::ArrayRef<InputBases> inputs, llvm::ArrayRef<DimBits> outs);
  /// For code that computes with packed columns, one an input bit.
  static LinearLayout fromColumns(llvm::ArrayRef<DimBits> ins, llvm::ArrayRef<DimBits> outs,
                                  llvm::ArrayRef<f2::Vector> columns);

  // ---- Shape ----

  llvm::ArrayRef<DimBits> getInDims() const { return ins; }
  llvm::ArrayRef<DimBits> getOutDims() const { return outs; }
  bool hasInDim(Dim dim) const { return find(ins, dim) != nullptr; }
  bool hasOutDim(Dim dim) const { return find(outs, dim) != nullptr; }
  /// 0 bits, size 1, for a dimension that is not there.
  unsigned getInBits(Dim dim) const;
  unsigned getOutBits(Dim dim) const;
  unsigned getInSize(Dim dim) const { return 1u << getInBits(dim); }
  unsigned getOutSize(Dim dim) const { return 1u << getOutBits(dim); }
  unsigned getTotalInBits() const { return columns.size(); }
  unsigned getTotalOutBits() const;
  /// Where a dimension begins in packed inputs or outputs.
  unsigned getInShift(Dim dim) const;
  unsigned getOutShift(Dim dim) const;

  /// All columns, packed outputs; input dimension after input dimension, lowest bit first.
  llvm::ArrayRef<f2::Vector> getColumns() const { return columns; }
  /// Those of one input dimension (none if it is not there).
  llvm::ArrayRef<f2::Vector> getColumns(Dim in) const;
  /// The coordinate in `out` of the basis for one bit of `in`.
  uint32_t getBasis(Dim in, unsigned bit, Dim out) const;

  // ---- Application ----

  /// The output for an index of every input dimension; those not named are 0.
  Indices apply(llvm::ArrayRef<Index> index) const;
  /// One output coordinate of the same.
  uint32_t apply(llvm::ArrayRef<Index> index, Dim out) const;
  f2::Vector applyFlat(f2::Vector packedInput) const { return f2::multiply(columns, packedInput); }
  f2::Vector packIn(llvm::ArrayRef<Index> index) const { return pack(ins, index); }
  f2::Vector packOut(llvm::ArrayRef<Index> index) const { return pack(outs, index); }
  Indices unpackIn(f2::Vector packed) const { return unpack(ins, packed); }
  Indices unpackOut(f2::Vector packed) const { return unpack(outs, packed); }

  // ---- Algebra ----

  /// Both maps side by side. A dimension that both have is stacked: the right one's bits come above the left
  /// one's.
  friend LinearLayout operator*(const LinearLayout &low, const LinearLayout &high);
  LinearLayout &operator*=(const LinearLayout &high) { return *this = *this * high; }

  /// First this, then `outer`, whose input dimensions are this one's outputs (in any order, none smaller).
  LinearLayout compose(const LinearLayout &outer) const;
  /// The map r from this layout's inputs to `other`'s inputs with other(r(x)) == this(x): where `other` holds
  /// what this one wants. Of the possible r it takes one that uses few of other's bits (duplicates are read
  /// from their first copy). Nothing if `other` does not hold everything. The output dimensions of both must
  /// be the same, in any order.
  std::optional<LinearLayout> invertAndCompose(const LinearLayout &other) const;
  /// For an invertible layout: outputs to inputs.
  LinearLayout invert() const;
  /// For a surjective layout a map s with this(s(y)) == y for all y.
  LinearLayout pseudoInvert() const;

  unsigned rank() const { return f2::rank(columns); }
  bool isSurjective() const { return rank() == getTotalOutBits(); }
  bool isInjective() const { return rank() == getTotalInBits(); }
  bool isInvertible() const { return isSurjective() && isInjective(); }

  /// Restricted to some input dimensions (the others held at 0) and some outputs (the others dropped).
  LinearLayout sublayout(llvm::ArrayRef<Dim> keepIns, llvm::ArrayRef<Dim> keepOuts) const;
  bool sublayoutIsZero(llvm::ArrayRef<Dim> someIns, llvm::ArrayRef<Dim> someOuts) const;
  /// True where `dim`, an input and an output, is passed through: out dim == in dim, and neither side mixes
  /// with others.
  bool isTrivialOver(Dim dim) const;
  /// Without a dimension that it is trivial over; nothing if it is not.
  std::optional<LinearLayout> quotient(Dim dim) const;
  /// The layout q with *this == divisor * q, where there is one.
  std::optional<LinearLayout> divideLeft(const LinearLayout &divisor) const;

  /// The same map with dimensions in another order. `order` names all of them.
  LinearLayout reorderIns(llvm::ArrayRef<Dim> order) const;
  LinearLayout reorderOuts(llvm::ArrayRef<Dim> order) const;
  /// The same packed map with the outputs, or inputs, cut up otherwise; the total number of bits stays.
  LinearLayout reshapeOuts(llvm::ArrayRef<DimBits> newOuts) const;
  LinearLayout reshapeIns(llvm::ArrayRef<DimBits> newIns) const;
  LinearLayout renameOut(Dim from, Dim to) const;
  /// Without an output dimension: its coordinates are dropped (a slice).
  LinearLayout dropOut(Dim dim) const;
  /// Without the input bits of `dim` that are set in `mask`.
  LinearLayout removeInBits(Dim dim, uint32_t mask) const;
  /// With a size-1 dimension where `dim` was missing.
  LinearLayout withInDim(Dim dim) const;

  // ---- Questions that code generation asks ----

  /// For each input dimension (in the order of getInDims) a mask of the bits whose basis depends on the bases
  /// before it: flipping such a bit leads to an element that is also held by an input with a smaller number.
  /// Threads where a free lane or warp bit is set hold only copies; a store may leave them out, and a
  /// reduction must.
  llvm::SmallVector<uint32_t, 4> getFreeVariableMasks() const;
  uint32_t getFreeVariableMask(Dim in) const;

  /// How many consecutive indices of `in`, from any multiple of that number on, are consecutive in `out` with
  /// every other output the same: the vector width that a memory access of the registers may have.
  unsigned getNumConsecutive(Dim in, Dim out) const;

  friend bool operator==(const LinearLayout &a, const LinearLayout &b) {
    return a.ins == b.ins && a.outs == b.outs && a.columns == b.columns;
  }
  friend bool operator!=(const LinearLayout &a, const LinearLayout &b) { return !(a == b); }
  /// Equal but for the order of output dimensions.
  bool isSameMap(const LinearLayout &other) const;

  /// One line an input dimension: `lane: 1 -> (0, 4), 2 -> (1, 0)`.
  std::string str() const;

private:
  using Dims = llvm::SmallVector<DimBits, 4>;
  static const DimBits *find(llvm::ArrayRef<DimBits> dims, Dim dim);
  static f2::Vector pack(llvm::ArrayRef<DimBits> dims, llvm::ArrayRef<Index> index);
  static Indices unpack(llvm::ArrayRef<DimBits> dims, f2::Vector packed);

  Dims ins;
  Dims outs;
  f2::Vectors columns;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const LinearLayout &layout);

} // namespace nereid

#endif // NEREID_COMPILER_LAYOUTS_LINEARLAYOUT_H
