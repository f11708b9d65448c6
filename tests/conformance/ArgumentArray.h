// The memory of one array that a kernel gets.
//
// Three things make it a trap. It ends where a page without access begins, so that a lane which touches what
// lies behind it ends the program. The page before it is a margin with a pattern that must survive. And an
// output starts as poison: a bit pattern that belongs to its type, a NaN for floating point and a large
// negative number, where the type has one, for integers. What still holds the pattern was not written, unless
// the kernel happened to write just that, which a second run with another pattern tells.
#ifndef NEREID_TESTS_CONFORMANCE_ARGUMENTARRAY_H
#define NEREID_TESTS_CONFORMANCE_ARGUMENTARRAY_H

#include "aot/GuardedMemory.h"
#include "compiler/model/Specialization.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nereid::test {

/// The pattern of a type; there are two, 0 and 1.
uint64_t getPoison(ScalarKind kind, unsigned which);

class ArgumentArray {
public:
  ArgumentArray(ScalarKind kind, const std::vector<uint64_t> &elements);

  char *data() const { return begin; }
  std::vector<uint64_t> read() const;
  std::string bytes() const { return {begin, count * elementSize}; }
  ScalarKind getKind() const { return kind; }
  /// Nothing wrote to the page in front of the first element.
  bool isMarginIntact() const;

private:
  ScalarKind kind;
  size_t count;
  size_t elementSize;
  GuardedMemory memory;
  char *begin;
};

} // namespace nereid::test

#endif // NEREID_TESTS_CONFORMANCE_ARGUMENTARRAY_H
