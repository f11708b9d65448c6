// Whoever waits looks again now and then, as memory also becomes free without a word.
#include "aot/MemoryBound.h"

#include "aot/Machine.h"

#include <algorithm>

namespace nereid {

/// What a compilation counts as until one is done.
static constexpr uint64_t guess = uint64_t(1) << 30;
/// What one takes at least, however little was measured: it may just have begun.
static constexpr uint64_t least = uint64_t(32) << 20;

MemoryBound::MemoryBound(std::optional<uint64_t> limit)
    : MemoryBound(limit, {getUsedMemory, getAvailableMemory}) {}

MemoryBound::MemoryBound(std::optional<uint64_t> limit, Gauge gauge)
    : limit(limit), gauge(std::move(gauge)), base(this->gauge.getUsed()) {}

bool MemoryBound::hasRoom() {
  if (running == 0)
    return true;
  uint64_t used = gauge.getUsed(), floor = base + kept;
  uint64_t taken = used - std::min(used, floor);
  average = std::max({average, taken / running, least});
  uint64_t each = isAnyDone ? average : std::max(average, guess);
  std::optional<uint64_t> bound = limit;
  if (!bound) {
    std::optional<uint64_t> available = gauge.getAvailable();
    if (!available)
      return true;
    // A part is left to others.
    bound = used + *available - *available / 16;
  }
  return used + each <= *bound && floor + (running + 1) * each <= *bound;
}

bool MemoryBound::tryEnter() {
  std::lock_guard<std::mutex> lock(mutex);
  if (!hasRoom())
    return false;
  ++running;
  return true;
}

void MemoryBound::enter() {
  constexpr std::chrono::milliseconds pause(100);
  std::unique_lock<std::mutex> lock(mutex);
  // One of those who wait looks, as that costs a millisecond.
  while (true) {
    if (Clock::now() >= lookAgain) {
      if (hasRoom())
        break;
      lookAgain = Clock::now() + pause;
    }
    changed.wait_until(lock, lookAgain);
  }
  ++running;
}

void MemoryBound::leave(uint64_t keptBytes) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    --running;
    kept += keptBytes;
    isAnyDone = true;
    lookAgain = {};
  }
  changed.notify_all();
}

} // namespace nereid
