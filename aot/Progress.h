// How far a build is that has more than a few steps.
//
//     [ 3/12] add_kernel for cuda:90a
//
// On a terminal the line is rewritten at each step; in a log there are ten lines at the most, each for the
// step that finished another tenth. Used from several threads.
#ifndef NEREID_AOT_PROGRESS_H
#define NEREID_AOT_PROGRESS_H

#include "llvm/ADT/StringRef.h"

#include <mutex>

namespace nereid {

class Progress {
public:
  /// Shows nothing where there are `quietBelow` steps or fewer.
  explicit Progress(unsigned total, unsigned quietBelow = 3);
  ~Progress();

  void finish(llvm::StringRef step);

private:
  std::mutex mutex;
  unsigned total;
  unsigned done = 0;
  bool enabled;
  bool terminal;
};

} // namespace nereid

#endif // NEREID_AOT_PROGRESS_H
