// How far a tuning is, and how long the rest will take.
//
//     [ 12/100] matmul M=512 N=64: 10 variants, the best in 8.1 us; 3 min left
//
// On a terminal the line is rewritten at each case, in a log there is one for each tenth, or each half
// minute.
#ifndef NEREID_AOT_TUNING_TUNINGPROGRESS_H
#define NEREID_AOT_TUNING_TUNINGPROGRESS_H

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace nereid {

/// `8.1 us`, `3.25 ms`.
std::string describeTime(double nanoseconds);
/// `40 s`, `3 min`, `2 h 10 min`.
std::string describeDuration(double seconds);

class TuningProgress {
public:
  explicit TuningProgress(uint64_t total);
  ~TuningProgress() { clear(); }

  /// A case is done. Of one that was known already no time can be learned.
  void finish(llvm::StringRef text, bool wasKnown);
  /// Before something else is written to stderr.
  void clear();

private:
  using Clock = std::chrono::steady_clock;
  uint64_t total, done = 0, known = 0;
  bool isTerminal, isShown = false;
  Clock::time_point start, lastLine;
};

} // namespace nereid

#endif // NEREID_AOT_TUNING_TUNINGPROGRESS_H
