// Of small tensors the caches forget each line by an instruction for that; for large ones memory is written
// that is larger than the caches are, which then takes less time.
#include "aot/tuning/TuningDevice.h"

#include "llvm/Support/Alignment.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <unistd.h>
#include <vector>

using namespace llvm;

namespace nereid {

TuningDevice::~TuningDevice() = default;

/// `Intel(R) Xeon(R) Processor @ 2.50GHz`, or what LLVM calls the processor.
static std::string getModel() {
  // A file of /proc has no size before it is read.
  if (auto text = MemoryBuffer::getFileAsStream("/proc/cpuinfo"))
    for (line_iterator line(**text, /*SkipBlanks=*/false); !line.is_at_end(); ++line)
      if (auto [key, value] = line->split(':'); key.trim() == "model name")
        return value.trim().str();
  return sys::getHostCPUName().str();
}

namespace {

class CPUDevice : public TuningDevice {
public:
  CPUDevice() : coldBytes(getColdBytes()) {
    name = getModel();
    backend = Backend::CPU;
  }

  Expected<void *> allocate(size_t bytes) override {
    constexpr size_t alignment = 256; // as GPUs' drivers give it
    size_t size = alignTo(std::max<size_t>(bytes, 1), alignment);
    if (void *memory = std::aligned_alloc(alignment, size)) {
      sizes[memory] = size;
      return memory;
    }
    return createStringError("no memory for a tensor of " + Twine(bytes) + " bytes");
  }
  void release(void *memory) override {
    sizes.erase(memory);
    std::free(memory);
  }
  Error copyIn(void *memory, StringRef bytes) override {
    std::memcpy(memory, bytes.data(), bytes.size());
    return Error::success();
  }
  Error copyOut(char *bytes, const void *memory, size_t count) override {
    std::memcpy(bytes, memory, count);
    return Error::success();
  }
  Error wait() override { return Error::success(); }

  Expected<double> time(function_ref<Error()> launch) override {
    emptyCaches();
    auto start = std::chrono::steady_clock::now();
    if (Error error = launch())
      return std::move(error);
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  }

private:
  void emptyCaches() {
    size_t total = 0;
    for (auto [memory, size] : sizes)
      total += size;
    if (!canForgetLines || total > coldBytes / 4) {
      coldMemory.resize(coldBytes);
      std::memset(coldMemory.data(), ++filling, coldMemory.size());
      return;
    }
    for (auto [memory, size] : sizes)
      forgetLines(static_cast<const char *>(memory), size);
  }

#if defined(__x86_64__)
  static constexpr bool canForgetLines = true;
  static void forgetLines(const char *memory, size_t size) {
    for (size_t at = 0; at < size; at += 64)
      __builtin_ia32_clflush(memory + at);
    __builtin_ia32_mfence();
  }
#else
  static constexpr bool canForgetLines = false;
  static void forgetLines(const char *, size_t) {}
#endif

  /// Twice what the last level of caches holds, if the C library knows that.
  static size_t getColdBytes() {
    long known = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
    return std::clamp<size_t>(2 * static_cast<size_t>(std::max(known, 0L)), 64 << 20, 1 << 30);
  }
  const size_t coldBytes;
  std::vector<char> coldMemory;
  /// Of all tensors that there are.
  std::map<void *, size_t> sizes;
  unsigned char filling = 0;
};

} // namespace

Expected<std::unique_ptr<TuningDevice>> openCPU() { return std::make_unique<CPUDevice>(); }

} // namespace nereid
