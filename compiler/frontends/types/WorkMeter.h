// What compile-time Python may cost.
//
// Helpers of kernel files are programs, and programs may run forever, or fill the memory. Everything that is
// done while compiling is therefore counted in one unit, the step: an expression that is evaluated, a
// statement, an element that is visited. What is kept is counted too, a step for 16 bytes, and so are the
// operations that are written. A step is meant to take a microsecond at most. Past the limit the kernel is
// refused where it stands; `--compile-limit` raises it.
//
//     while True: l = l + l       refused after some 1.6 million elements
//     for i in tl.static_range(1000): for j in tl.static_range(1000): …      refused after 200,000
//                                                                            operations
//
// An operation has the whole compiler before it, 200 to 400 microseconds for a GPU and 500 to 1,200 for the
// CPU. But there are kernels that need so many: flashlib's UMAP bisects 64 times for each of 16 or 32
// neighbours, all unrolled, which is 60,000 operations or 120,000. They take up to one or two minutes; what
// runs away is refused before the compiler begins.
//
// Values do not know who evaluates them, so the meter is the thread's: the functions below charge the one
// that was made last, and do nothing where there is none.
#ifndef NEREID_COMPILER_FRONTENDS_TYPES_WORKMETER_H
#define NEREID_COMPILER_FRONTENDS_TYPES_WORKMETER_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <cstdint>
#include <functional>

namespace nereid::semantics {

class WorkMeter {
public:
  /// Refuses the program where it stands; does not return.
  using Refuse = std::function<void(const llvm::Twine &reason)>;

  WorkMeter(uint64_t limit, Refuse refuse);
  ~WorkMeter();
  WorkMeter(const WorkMeter &) = delete;

  /// Counts, and refuses past the limit.
  void spend(uint64_t steps) {
    note(steps);
    if (isExceeded())
      refuseMore();
  }
  /// Only counts, where nothing may be thrown: the next spend() refuses.
  void note(uint64_t steps) { spent = llvm::SaturatingAdd(spent, steps); }
  /// Once it is, nothing can be evaluated any more, also not by those who catch refusals.
  bool isExceeded() const { return spent > limit; }
  uint64_t getSpent() const { return spent; }

  /// The thread's, or null.
  static WorkMeter *current();

private:
  friend class NestingGuard;
  [[noreturn]] void refuseMore();

  uint64_t limit;
  uint64_t spent = 0;
  unsigned depth = 0;
  Refuse refuse;
  WorkMeter *outer;
};

/// What an element of a list, a tuple, a dict or a set costs when it is stored.
constexpr uint64_t stepsOfElement = 6;
/// What an operation costs that is written into the kernel.
constexpr uint64_t stepsOfOperation = 50;

void spendSteps(uint64_t steps);
/// For memory that is filled.
void spendBytes(uint64_t bytes);

/// Stands in functions that go down into values: refuses those that are nested too deep for the stack, as a
/// list is that holds itself, and counts a step.
class NestingGuard {
public:
  NestingGuard();
  ~NestingGuard();
  NestingGuard(const NestingGuard &) = delete;

private:
  WorkMeter *meter;
};

} // namespace nereid::semantics

#endif // NEREID_COMPILER_FRONTENDS_TYPES_WORKMETER_H
