// ORC loads the object: it needs no linker, no file and no C compiler on the machine. Programs are handed out
// in small runs of consecutive numbers, so that a kernel whose programs differ in cost still keeps every core
// busy.
#include "aot/CPURunner.h"

#include "aot/WaitingPrograms.h"

#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/AlignOf.h"
#include "llvm/Support/MemAlloc.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

#include <atomic>
#include <csignal>
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

char AssertionFailure::ID = 0;

AssertionFailure::AssertionFailure(const KernelFailure &failure)
    : path(failure.file), line(failure.line), column(failure.column), text(failure.message) {
  std::copy(std::begin(failure.program), std::end(failure.program), program);
}

std::string AssertionFailure::message() const {
  return ("assertion failed in program (" + Twine(program[0]) + ", " + Twine(program[1]) + ", " +
          Twine(program[2]) + "): " + text)
      .str();
}

void AssertionFailure::log(raw_ostream &stream) const { stream << path << ':' << line << ": " << message(); }

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
  orc::SymbolMap own = {{(*jit)->mangleAndIntern("sched_yield"),
                         {orc::ExecutorAddr::fromPtr(&yieldWhileWaiting), JITSymbolFlags::Exported}}};
  if (Error error = (*jit)->getMainJITDylib().define(orc::absoluteSymbols(std::move(own))))
    return error;
  if (Error error = (*jit)->addObjectFile(MemoryBuffer::getMemBufferCopy(object, info.symbol)))
    return error;
  auto entry = (*jit)->lookup(info.symbol);
  if (!entry)
    return entry.takeError();
  using EntryPoint = void(void *const *, const uint32_t *, uint64_t, uint64_t, void *, KernelFailure *);
  auto *function = entry->toPtr<EntryPoint>();

  uint64_t total = uint64_t(grid[0]) * grid[1] * grid[2];
  unsigned threadCount = std::max(1u, std::thread::hardware_concurrency());
  threadCount = static_cast<unsigned>(std::min<uint64_t>(threadCount, total));
  KernelFailure failure;
  FaultMessages messages;
  auto reportFailure = [&]() -> Error {
    return failure.failed ? make_error<AssertionFailure>(failure) : Error::success();
  };
  if (info.programsWait && total > 1) {
    Error error =
        runWaitingPrograms(total, threadCount, info.scratchBytes, [&](uint64_t program, void *scratch) {
          function(arguments.data(), grid.data(), program, program + 1, scratch, &failure);
          return !__atomic_load_n(&failure.failed, __ATOMIC_RELAXED);
        });
    return error ? std::move(error) : reportFailure();
  }
  uint64_t step = std::max<uint64_t>(1, total / (uint64_t(threadCount ? threadCount : 1) * 8));
  std::atomic<uint64_t> next{0};
  auto work = [&] {
    constexpr size_t alignment = 64;
    size_t size = std::max<size_t>(info.scratchBytes, alignment);
    void *scratch = allocate_buffer(size, alignment);
    for (uint64_t first = next.fetch_add(step); first < total; first = next.fetch_add(step)) {
      function(arguments.data(), grid.data(), first, std::min(first + step, total), scratch, &failure);
      // Nobody begins another program.
      if (__atomic_load_n(&failure.failed, __ATOMIC_RELAXED))
        next = total;
    }
    deallocate_buffer(scratch, size, alignment);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < threadCount; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  return reportFailure();
}

} // namespace nereid
