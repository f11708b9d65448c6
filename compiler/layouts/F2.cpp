// Gaussian elimination over F2. See F2.h.
#include "compiler/layouts/F2.h"

#include "llvm/ADT/bit.h"

namespace nereid::f2 {

Vector multiply(llvm::ArrayRef<Vector> columns, Vector x) {
  Vector result = 0;
  for (; x; x &= x - 1)
    result ^= columns[llvm::countr_zero(x)];
  return result;
}

bool Span::add(Vector vector) {
  Vector combination = Vector(1) << added++;
  for (const Row &row : rows)
    if (vector & llvm::bit_floor(row.vector)) {
      vector ^= row.vector;
      combination ^= row.combination;
    }
  if (!vector)
    return false;
  for (Row &row : rows)
    if (row.vector & llvm::bit_floor(vector)) {
      row.vector ^= vector;
      row.combination ^= combination;
    }
  rows.push_back({vector, combination});
  return true;
}

Vector Span::reduce(Vector vector) const {
  for (const Row &row : rows)
    if (vector & llvm::bit_floor(row.vector))
      vector ^= row.vector;
  return vector;
}

std::optional<Vector> Span::express(Vector vector) const {
  Vector combination = 0;
  for (const Row &row : rows)
    if (vector & llvm::bit_floor(row.vector)) {
      vector ^= row.vector;
      combination ^= row.combination;
    }
  if (vector)
    return std::nullopt;
  return combination;
}

unsigned rank(llvm::ArrayRef<Vector> vectors) { return Span(vectors).rank(); }

Vectors independent(llvm::ArrayRef<Vector> vectors) { return complement({}, vectors); }

Vectors complement(llvm::ArrayRef<Vector> space, llvm::ArrayRef<Vector> candidates) {
  Span span(space);
  Vectors result;
  for (Vector candidate : candidates)
    if (span.add(candidate))
      result.push_back(candidate);
  return result;
}

Vectors units(unsigned dimension) {
  Vectors result;
  for (unsigned i = 0; i != dimension; ++i)
    result.push_back(Vector(1) << i);
  return result;
}

Vectors kernel(llvm::ArrayRef<Vector> columns) {
  // A column that depends on those before it gives one kernel vector: itself plus what it depends on.
  Span span;
  Vectors result;
  for (auto [i, column] : llvm::enumerate(columns)) {
    if (std::optional<Vector> combination = span.express(column))
      result.push_back(*combination | Vector(1) << i);
    span.add(column);
  }
  return result;
}

Vectors intersection(llvm::ArrayRef<Vector> a, llvm::ArrayRef<Vector> b) {
  // Every way of writing a member of span(a) as a member of span(b) is a kernel vector of [a | b].
  Vectors basis = independent(a);
  size_t sizeOfA = basis.size();
  Vectors columns = basis;
  columns.append(independent(b));
  Vectors result;
  for (Vector x : kernel(columns))
    result.push_back(multiply(llvm::ArrayRef(basis).take_front(sizeOfA), x & ((Vector(1) << sizeOfA) - 1)));
  return result;
}

} // namespace nereid::f2
