// The calling thread looks on: it starts threads, and every few milliseconds sees who waits.
#include "aot/WaitingPrograms.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemAlloc.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csetjmp>
#include <memory>
#include <mutex>
#include <sched.h>
#include <system_error>
#include <thread>
#include <vector>

using namespace llvm;

namespace nereid {

namespace {

struct Waiter {
  std::atomic<bool> waits{false}; // since the caller last looked
  bool hasEnded = false;          // guarded by the lock
  const std::atomic<bool> *isAbandoned = nullptr;
  std::jmp_buf wayOut;
  std::thread thread;
};

thread_local Waiter *self = nullptr;

class WaitingGrid {
public:
  WaitingGrid(uint64_t total, size_t scratchBytes, function_ref<bool(uint64_t, void *)> run)
      : total(total), scratchBytes(std::max<size_t>(scratchBytes, alignment)), run(run) {}

  Error runAll(uint64_t threads, const WaitingLimits &limits) {
    using Clock = std::chrono::steady_clock;
    uint64_t expected = 0, wanted = threads;
    auto moved = Clock::now();
    std::unique_lock<std::mutex> guard(lock);
    do {
      uint64_t taken = std::min(next.load(), total);
      if (taken > expected) {
        expected = taken;
        moved = Clock::now();
        allWait();
      } else if (taken == expected && taken != total && allWait()) {
        uint64_t count = std::min({wanted, waiters.size() + (total - taken), limits.threads});
        uint64_t added = addThreads(count);
        expected = taken + added; // Each thread begins with a program.
        wanted = 2 * waiters.size();
        if (added)
          moved = Clock::now();
        else if (waiters.empty() ||
                 std::chrono::duration<double>(Clock::now() - moved).count() > limits.seconds)
          isAbandoned = isGivenUp = true;
      }
      left.wait_for(guard, std::chrono::milliseconds(5));
    } while (any_of(waiters, [](const auto &waiter) { return !waiter->hasEnded; }));
    guard.unlock();
    for (const auto &waiter : waiters)
      waiter->thread.join();
    if (!isGivenUp)
      return Error::success();
    return createStringError("its programs wait for each other, and of the " + Twine(total) +
                             " in this grid only " + Twine(waiters.size()) + " can run at once: " +
                             (waiters.size() == limits.threads ? "that is the limit on a CPU"
                                                               : "the system starts no more threads"));
  }

private:
  static constexpr size_t alignment = 64;

  /// True if every thread that has not ended has waited since this was last asked.
  bool allWait() {
    if (any_of(waiters, [](const auto &waiter) { return !waiter->hasEnded && !waiter->waits; }))
      return false;
    for (const auto &waiter : waiters)
      waiter->waits = false;
    return true;
  }

  /// Brings the threads to `count`, or as many as can be had; returns how many were added.
  uint64_t addThreads(uint64_t count) {
    uint64_t added = 0;
    for (; waiters.size() < count; ++added) {
      auto waiter = std::make_unique<Waiter>();
      waiter->isAbandoned = &isAbandoned;
      try {
        waiter->thread = std::thread([this, waiter = waiter.get()] { work(*waiter); });
      } catch (const std::system_error &) {
        break;
      }
      waiters.push_back(std::move(waiter));
    }
    return added;
  }

  void work(Waiter &waiter) {
    void *scratch = allocate_buffer(scratchBytes, alignment);
    self = &waiter;
    takePrograms(waiter, scratch);
    self = nullptr;
    deallocate_buffer(scratch, scratchBytes, alignment);
    std::lock_guard<std::mutex> leaving(lock);
    waiter.hasEnded = true;
    left.notify_one();
  }

  /// Nothing in here, or in what it calls, has a destructor that longjmp would pass over.
  void takePrograms(Waiter &waiter, void *scratch) {
    if (setjmp(waiter.wayOut))
      return;
    for (uint64_t program = next++; program < total && !isAbandoned; program = next++)
      if (!run(program, scratch))
        isAbandoned = true;
  }

  uint64_t total;
  size_t scratchBytes;
  function_ref<bool(uint64_t, void *)> run;
  std::atomic<uint64_t> next{0};
  std::atomic<bool> isAbandoned{false};
  bool isGivenUp = false;
  std::mutex lock;
  std::condition_variable left;
  std::vector<std::unique_ptr<Waiter>> waiters;
};

} // namespace

int yieldWhileWaiting() {
  if (self) {
    self->waits.store(true, std::memory_order_relaxed);
    if (self->isAbandoned->load(std::memory_order_relaxed))
      std::longjmp(self->wayOut, 1);
  }
  return sched_yield();
}

Error runWaitingPrograms(uint64_t total, uint64_t threads, size_t scratchBytes,
                         function_ref<bool(uint64_t, void *)> run, const WaitingLimits &limits) {
  return WaitingGrid(total, scratchBytes, run).runAll(threads, limits);
}

} // namespace nereid
