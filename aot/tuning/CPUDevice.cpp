// Caches are emptied by writing memory that is larger than they are.
#include "aot/tuning/TuningDevice.h"

#include "llvm/Support/Alignment.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
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
  CPUDevice() : coldMemory(coldBytes) {
    name = getModel();
    backend = Backend::CPU;
  }

  Expected<void *> allocate(size_t bytes) override {
    constexpr size_t alignment = 256; // as GPUs' drivers give it
    if (void *memory = std::aligned_alloc(alignment, alignTo(std::max<size_t>(bytes, 1), alignment)))
      return memory;
    return createStringError("no memory for a tensor of " + Twine(bytes) + " bytes");
  }
  void release(void *memory) override { std::free(memory); }
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
    std::memset(coldMemory.data(), ++filling, coldMemory.size());
    auto start = std::chrono::steady_clock::now();
    if (Error error = launch())
      return std::move(error);
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  }

private:
  static constexpr size_t coldBytes = 64 << 20;
  std::vector<char> coldMemory;
  unsigned char filling = 0;
};

} // namespace

Expected<std::unique_ptr<TuningDevice>> openCPU() { return std::make_unique<CPUDevice>(); }

} // namespace nereid
