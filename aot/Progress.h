// How far a build is that has more than a few steps.
//
//     [ 3/12] add_kernel for cuda:90a
//
// On a terminal the line is rewritten at each step. In a log, which is often that of a build system with
// progress of its own, there are ten lines at the most, each for the step that finished another tenth, and
// none for ten steps or fewer. Used from several threads.
#ifndef NEREID_AOT_PROGRESS_H
#define NEREID_AOT_PROGRESS_H

#include "llvm/ADT/StringRef.h"

#include <mutex>

namespace nereid {

class Progress {
public:
  explicit Progress(unsigned total);
  ~Progress();

  void finish(llvm::StringRef step);

private:
  std::mutex mutex;
  unsigned total;
  unsigned done = 0;
  bool terminal;
  bool enabled;
};

} // namespace nereid

#endif // NEREID_AOT_PROGRESS_H
