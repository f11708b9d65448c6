// ORC loads the object: it needs no linker, no file and no C compiler on the machine. Programs are handed out
// in small runs of consecutive numbers, so that a kernel whose programs differ in cost still keeps every core
// busy.
#include "aot/CPURunner.h"

#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/AlignOf.h"
#include "llvm/Support/MemAlloc.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace nereid {

/// The level of x86-64 that the processor reaches, by the features that the psABI lists for each; 0 on other
/// machines.
static unsigned getHostX86Level() {
  StringMap<bool> features = sys::getHostCPUFeatures();
  auto hasAll = [&](std::initializer_list<StringRef> names) {
    return llvm::all_of(names, [&](StringRef name) { return features.lookup(name); });
  };
  if (!hasAll({"sse4.2", "popcnt", "ssse3"}))
    return 0;
  if (!hasAll({"avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}))
    return 2;
  return hasAll({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}) ? 4 : 3;
}

Target getHostCPUTarget() {
#if defined(__aarch64__)
  return {Backend::CPU, "aarch64", 1};
#else
  return {Backend::CPU, "x86-64-v" + std::to_string(std::max(2u, getHostX86Level())), 1};
#endif
}

bool canHostRun(const Target &target) {
  if (target.backend != Backend::CPU)
    return false;
#if defined(__aarch64__)
  return target.arch == "aarch64";
#else
  StringRef level = target.arch;
  unsigned needed = 0;
  return level.consume_front("x86-64-v") && !level.getAsInteger(10, needed) && needed <= getHostX86Level();
#endif
}

namespace {

/// While it lives, a fault ends the process with a word on the kernel rather than as a fault of the compiler:
/// nothing can be done for memory that a kernel has no right to, and the process may not be trusted after it.
class FaultMessages {
public:
  FaultMessages() {
    struct sigaction action = {};
    action.sa_handler = explain;
    for (size_t i = 0; i < std::size(signals); ++i)
      sigaction(signals[i], &action, &previous[i]);
  }
  ~FaultMessages() {
    for (size_t i = 0; i < std::size(signals); ++i)
      sigaction(signals[i], &previous[i], nullptr);
  }
  FaultMessages(const FaultMessages &) = delete;
  FaultMessages &operator=(const FaultMessages &) = delete;

private:
  static void explain(int signal) {
    static const char memory[] = "nereid: error: the kernel accessed memory outside of its arrays\n";
    static const char other[] = "nereid: error: the kernel did something that the processor refuses\n";
    bool isMemory = signal == SIGSEGV || signal == SIGBUS;
    ssize_t written = isMemory ? write(STDERR_FILENO, memory, sizeof(memory) - 1)
                               : write(STDERR_FILENO, other, sizeof(other) - 1);
    (void)written;
    _exit(1);
  }

  static constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  struct sigaction previous[std::size(signals)];
};

/// Runs programs that may wait for later ones, as generated libraries do: each thread takes one at a time,
/// and whenever none has taken another for a while, twice as many threads do, until all programs run at once.
void runWaiting(const std::function<void()> &work, const std::atomic<uint64_t> &next, uint64_t total,
                uint64_t threadCount, std::vector<std::thread> &threads) {
  std::mutex lock;
  std::condition_variable left;
  size_t working = 0;
  uint64_t seen = 0;
  std::unique_lock<std::mutex> guard(lock);
  do {
    uint64_t taken = std::min(next.load(), total), added = 0;
    if (taken == seen)
      for (; threads.size() < threadCount && taken + added < total; ++added, ++working)
        threads.emplace_back([&] {
          work();
          std::lock_guard<std::mutex> leaving(lock);
          --working;
          left.notify_one();
        });
    if (added)
      threadCount = threads.size() * 2;
    seen = taken + added;
    left.wait_for(guard, std::chrono::milliseconds(5));
  } while (working);
}

} // namespace

Error runOnCPU(StringRef object, const KernelInfo &info, std::vector<void *> arguments,
               std::array<uint32_t, 3> grid) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto jit = orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  auto process =
      orc::DynamicLibrarySearchGenerator::GetForCurrentProcess((*jit)->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  (*jit)->getMainJITDylib().addGenerator(std::move(*process));
  if (Error error = (*jit)->addObjectFile(MemoryBuffer::getMemBufferCopy(object, info.symbol)))
    return error;
  auto entry = (*jit)->lookup(info.symbol);
  if (!entry)
    return entry.takeError();
  using EntryPoint = void(void *const *, const uint32_t *, uint64_t, uint64_t, void *);
  auto *function = entry->toPtr<EntryPoint>();

  uint64_t total = uint64_t(grid[0]) * grid[1] * grid[2];
  unsigned threadCount = std::max(1u, std::thread::hardware_concurrency());
  threadCount = static_cast<unsigned>(std::min<uint64_t>(threadCount, total));
  uint64_t step = std::max<uint64_t>(1, total / (uint64_t(threadCount ? threadCount : 1) * 8));
  if (info.programsWait)
    step = 1;
  std::atomic<uint64_t> next{0};
  FaultMessages messages;
  auto work = [&] {
    constexpr size_t alignment = 64;
    size_t size = std::max<size_t>(info.scratchBytes, alignment);
    void *scratch = allocate_buffer(size, alignment);
    for (uint64_t first = next.fetch_add(step); first < total; first = next.fetch_add(step))
      function(arguments.data(), grid.data(), first, std::min(first + step, total), scratch);
    deallocate_buffer(scratch, size, alignment);
  };
  std::vector<std::thread> threads;
  if (info.programsWait) {
    runWaiting(work, next, total, threadCount, threads);
  } else {
    for (unsigned i = 1; i < threadCount; ++i)
      threads.emplace_back(work);
    work();
  }
  for (std::thread &thread : threads)
    thread.join();
  return Error::success();
}

} // namespace nereid
