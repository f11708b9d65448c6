// Linear algebra over F2, the field of two elements, where addition is exclusive or.
//
// A vector of up to 64 coordinates is one uint64_t, a matrix the list of its columns. That is all that
// layouts need: a tensor with 2^20 elements has 20-bit indices. Everything here is Gaussian elimination on
// such lists.
#ifndef NEREID_COMPILER_LAYOUTS_F2_H
#define NEREID_COMPILER_LAYOUTS_F2_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace nereid::f2 {

using Vector = uint64_t;
using Vectors = llvm::SmallVector<Vector, 16>;

/// The matrix with the given columns, times x: the exclusive or of the columns that x selects.
Vector multiply(llvm::ArrayRef<Vector> columns, Vector x);

/// A subspace, kept as a basis in echelon form together with how each basis vector came out of the vectors
/// that were added: so that membership also yields the combination. Vectors are numbered in the order in
/// which add() saw them.
class Span {
public:
  Span() = default;
  explicit Span(llvm::ArrayRef<Vector> vectors) {
    for (Vector vector : vectors)
      add(vector);
  }

  /// Adds one vector; true if it was independent of those before.
  bool add(Vector vector);

  bool contains(Vector vector) const { return reduce(vector) == 0; }
  /// The vector's representative modulo this subspace: zero if it lies inside, and equal for vectors that
  /// differ by a member of the subspace.
  Vector reduce(Vector vector) const;
  /// Which of the added vectors sum up to `vector` (bit i: the i-th), using only those that were independent
  /// when they were added; nothing if it lies outside.
  std::optional<Vector> express(Vector vector) const;

  unsigned rank() const { return rows.size(); }

private:
  struct Row {
    Vector vector;      // its highest bit is the pivot, which no other row has
    Vector combination; // of added vectors
  };
  llvm::SmallVector<Row, 16> rows;
  unsigned added = 0;
};

unsigned rank(llvm::ArrayRef<Vector> vectors);

/// Those of `vectors` that are independent of the ones before them.
Vectors independent(llvm::ArrayRef<Vector> vectors);

/// A basis of the intersection of two subspaces, each given by any vectors that span it.
Vectors intersection(llvm::ArrayRef<Vector> a, llvm::ArrayRef<Vector> b);

/// Vectors of `candidates` that extend `space` to the span of both: a basis of a complement.
Vectors complement(llvm::ArrayRef<Vector> space, llvm::ArrayRef<Vector> candidates);

/// The unit vectors 1, 2, 4, … of a space of that dimension.
Vectors units(unsigned dimension);

/// A basis of the x with multiply(columns, x) == 0.
Vectors kernel(llvm::ArrayRef<Vector> columns);

} // namespace nereid::f2

#endif // NEREID_COMPILER_LAYOUTS_F2_H
