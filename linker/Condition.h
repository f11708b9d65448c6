// WHEN: a condition under which a variant takes a call, as promises that a decision can be made of.
//
// A condition is an expression of the grid's language. With a variant's compile-time values put in, it falls
// apart at its `and`s, and most parts compare something with a number:
//
//     n_cols > BLOCK / 2 and n_cols <= BLOCK      with BLOCK = 1024
//       n_cols in 513 …                            a range
//       n_cols in … 1024                           a range of the same thing
//
// Ranges of one thing can be searched, however many variants have one; `n % 16 == 0` is what signatures spell
// `:16`. Any other part is computed as it is written. A part whose arithmetic overflows or divides by zero
// does not hold.
#ifndef NEREID_LINKER_CONDITION_H
#define NEREID_LINKER_CONDITION_H

#include "compiler/model/KernelInfo.h"
#include "linker/GridExpression.h"

#include <string>
#include <vector>

namespace nereid {

struct ConditionPart {
  enum class Kind {
    /// Never holds: the compile-time values contradict it.
    Never,
    /// `subject` lies in `range`.
    Range,
    /// The parameter `subject` is divisible by `divisor`, a power of two.
    Divisible,
    /// `subject` is not 0, or, if `isContrary`, 0.
    Other,
  };
  Kind kind = Kind::Other;
  /// How it reads with the values put in, `n_cols <= 1024`.
  std::string text;
  /// How the subject reads. Of two parts whose subjects read the same they are.
  std::string subject;
  /// Other: whether the contrary is asked for, and how that reads.
  bool isContrary = false;
  std::string contrary;
  /// True if the subject is just a parameter.
  bool isParameter = false;
  IntegerRange range;
  unsigned divisor = 1;
  /// C statements that set grid[0] to the subject, and *bad if that fails.
  std::vector<std::string> subjectC;
  /// Whether that may fail: arithmetic that may overflow, or divide by zero.
  bool mayFail = false;
};

/// Takes a condition apart for a variant with these parameters, which check() has found no fault with. Parts
/// that always hold are left out.
std::vector<ConditionPart> readCondition(const GridExpression &condition,
                                         llvm::ArrayRef<KernelParameter> parameters,
                                         llvm::function_ref<std::string(llvm::StringRef)> nameToC);

/// The condition, or its contrary, as somebody would write it, with no brackets but those that it needs.
std::string printCondition(const GridExpression &condition, bool isContrary = false);

} // namespace nereid

#endif // NEREID_LINKER_CONDITION_H
