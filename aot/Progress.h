// How far a build is that has more than a few steps, how long the rest will take, and what took longest.
//
//     [ 37/2010] 1 min left, 2 failed: add_kernel for cuda:90a
//
// On a terminal the line is rewritten, also while one step takes its time. In a log, which is often that of a
// build system with progress of its own, there are ten lines at the most, each for the step that finished
// another tenth, and none for ten steps or fewer. Behind a build that took more than five seconds come the
// steps that took longest. Used from several threads.
#ifndef NEREID_AOT_PROGRESS_H
#define NEREID_AOT_PROGRESS_H

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace nereid {

/// How much of it is shown: as the place asks for where it goes, always as a line that is rewritten, always
/// line by line, or nothing.
enum class ProgressMode { Auto, Line, Plain, None };

/// Foresees how long the rest of a build will take from what its steps have taken so far. Steps of one kind
/// take as long as each other; of a kind that none is done of, as long as all on average.
class TimeLeft {
public:
  /// Steps of a kind that are to be done.
  void add(llvm::StringRef kind) { ++kinds[kind.str()].left; }
  void finish(llvm::StringRef kind, double seconds);
  /// How long the rest takes with all that was done at a time so far, which took `elapsed` seconds.
  std::optional<double> get(double elapsed) const;

private:
  struct Kind {
    unsigned left = 0, done = 0;
    double seconds = 0;
  };
  std::map<std::string, Kind> kinds;
  unsigned done = 0;
  double total = 0;
};

class Progress {
public:
  /// Of each step to come its kind.
  Progress(const std::vector<std::string> &kinds, ProgressMode mode);
  /// Says what took longest.
  ~Progress();

  /// What takes no time need not be said to have begun.
  void start(size_t step, const std::string &name);
  void finish(size_t step, const std::string &name, bool hasFailed);

private:
  using Clock = std::chrono::steady_clock;
  struct Step {
    std::string kind, name;
    std::optional<Clock::time_point> begin;
    double seconds = 0;
  };

  double since(Clock::time_point begin) const;
  std::string describe(const std::string &name) const;
  void show(const std::string &text);
  void watch();
  void showSlowest() const;

  std::mutex mutex;
  std::condition_variable ended;
  bool isEnding = false;
  std::vector<Step> steps;
  TimeLeft timeLeft;
  unsigned done = 0, failed = 0;
  bool isLine, isEnabled;
  Clock::time_point begin = Clock::now();
  /// Rewrites the line on a terminal.
  std::thread watcher;
};

} // namespace nereid

#endif // NEREID_AOT_PROGRESS_H
