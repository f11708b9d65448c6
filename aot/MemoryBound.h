// Starts no more compilations at a time than there is memory for.
//
// How much a compilation needs is known when it is over: tens of megabytes mostly, and hundreds for a large
// kernel, ptxas included. So it is learned as the build goes on. What is used beyond what was used before the
// first one began, divided by those under way, is what one takes on average; another begins if there is room
// for all of them, at the largest average that was seen. Until something is known, which is for a moment, one
// counts as a gigabyte. One is always allowed, or nothing would ever be done.
//
//     bound 4 GB, 0.1 GB used at the start
//     nothing known         1 + 1 + 1 GB                              three begin
//     one is done; 0.5 GB   0.2 GB each: 3 + 1 of them take 0.8 GB    another begins, and so on up to -j
//
// The bound is what the user says for all of the build, or what the system has left: then memory that others
// take meanwhile counts too.
#ifndef NEREID_AOT_MEMORYBOUND_H
#define NEREID_AOT_MEMORYBOUND_H

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

namespace nereid {

class MemoryBound {
public:
  /// What is asked of the machine; tests have others.
  struct Gauge {
    /// What this build uses, in bytes.
    std::function<uint64_t()> getUsed;
    /// What is left, where there is such a number.
    std::function<std::optional<uint64_t>()> getAvailable;
  };

  /// `limit` for the whole build in bytes, or without one what is available.
  explicit MemoryBound(std::optional<uint64_t> limit);
  MemoryBound(std::optional<uint64_t> limit, Gauge gauge);

  /// Waits until there is memory for another compilation.
  void enter();
  /// One is done, of which so much is kept.
  void leave(uint64_t keptBytes);

  /// enter() if there is memory now. Otherwise returns false.
  bool tryEnter();

private:
  bool hasRoom();

  std::optional<uint64_t> limit;
  Gauge gauge;
  std::mutex mutex;
  std::condition_variable changed;
  /// What was used before the first compilation, and by what is kept of those that are done.
  uint64_t base, kept = 0;
  /// What one takes: the largest average so far.
  uint64_t average = 0;
  unsigned running = 0;
  bool isAnyDone = false;
  /// When it is worth while to measure again.
  using Clock = std::chrono::steady_clock;
  Clock::time_point lookAgain;
};

} // namespace nereid

#endif // NEREID_AOT_MEMORYBOUND_H
