// Which variants take a call, found by asking few questions rather than each variant.
//
// A variant promises things of the call: that a number lies in a range (a point is a range, too), or that an
// argument is divisible by a power of two. Everything else comes down to that before it gets here: texts are
// numbered, a null pointer is a subject that is 0. The decision is a graph of questions; a walk from the root
// asks each thing once, ends in a leaf, and that knows the variants which are left, best first. Variants for
// n <= 512, n <= 1024 and the rest, and D equal to 64 or 128, six in all:
//
//     D?  64 ─▶ n < 513?  yes ─▶ {0}        leaves say which variants, in the order of preference
//               no ─▶ n < 1025?  …
//         128 ─▶ …
//         otherwise ─▶ {}
//
// With more variants the graph becomes wider, and only logarithmically deeper. What devices can run differs,
// so a leaf names all variants that may be chosen on some device: one is left out if better ones are there
// whose targets include all of its own, unless it is measured against those.
#ifndef NEREID_LINKER_DECISION_H
#define NEREID_LINKER_DECISION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace nereid {

/// One thing that a variant asks of a call.
struct Promise {
  /// A range of a subject, or a divisor of an argument.
  bool isRange = false;
  /// A subject's number; for a divisor the argument's.
  unsigned subject = 0;
  int64_t least = INT64_MIN, most = INT64_MAX;
  unsigned divisor = 1;

  static Promise range(unsigned subject, int64_t least, int64_t most) {
    return {true, subject, least, most, 1};
  }
  static Promise divisible(unsigned argument, unsigned divisor) {
    return {false, argument, INT64_MIN, INT64_MAX, divisor};
  }
  bool isPoint() const { return isRange && least == most; }

  std::tuple<bool, unsigned, int64_t, int64_t, unsigned> key() const {
    return {isRange, subject, least, most, divisor};
  }
  bool operator<(const Promise &other) const { return key() < other.key(); }
  bool operator==(const Promise &other) const { return key() == other.key(); }
};

/// Brings promises into one order, at most one a subject and one an argument's divisor; false if they
/// contradict each other.
bool normalizePromises(std::vector<Promise> &promises);

struct DecisionNode {
  enum class Kind {
    /// The variants that take the call.
    Leaf,
    /// Whether all of some arguments are divisible.
    Divisible,
    /// Whether a subject is less than a bound.
    Less,
    /// Which of some values a subject has.
    Switch,
  };
  Kind kind = Kind::Leaf;

  /// Leaf: indices of variants, best first.
  std::vector<unsigned> variants;
  /// Leaf: there were too many questions to ask, and each of the variants has to be asked.
  bool isUnresolved = false;

  /// Divisible: arguments and their divisors.
  std::vector<std::pair<unsigned, unsigned>> divisors;
  /// Less, Switch.
  unsigned subject = 0;
  int64_t bound = 0;
  /// Switch: values, and the nodes where they lead.
  std::vector<std::pair<int64_t, unsigned>> cases;
  /// Divisible, Less: where the answers lead; Switch: `no` if it is none of the values.
  unsigned yes = 0, no = 0;
};

struct Decision {
  /// The root first. Nodes may be reached by several ways.
  std::vector<DecisionNode> nodes;
};

/// What the decision needs to know of a variant.
struct DecisionVariant {
  /// As normalizePromises leaves them.
  std::vector<Promise> promises;
  /// True if it is never chosen where promises contradict each other.
  bool isContradicting = false;
};

/// A variant that comes before another one, and whether it is known to take the call, or may still do so.
struct EarlierVariant {
  unsigned index;
  bool accepts;
};

/// `variants` come best first. `argumentOf` gives the argument whose value a subject is, or -1. `isCovered`
/// tells whether the later variant is of no use on any device, given those before it.
Decision decide(llvm::ArrayRef<DecisionVariant> variants, llvm::ArrayRef<int> argumentOf,
                llvm::function_ref<bool(llvm::ArrayRef<EarlierVariant> earlier, unsigned later)> isCovered);

} // namespace nereid

#endif // NEREID_LINKER_DECISION_H
