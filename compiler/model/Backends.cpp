// The table of back ends. See Backends.h.
#include "compiler/model/Backends.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace nereid {

static constexpr unsigned kib = 1024;

//===- CPUs ----------------------------------------------------------------===//

static const Stage cpuStages[] = {Stage::TTIR, Stage::LLIR, Stage::Asm, Stage::Object};
static const KnownTarget cpuTargets[] = {
    {"cpu", "this processor family, every level below, the best chosen at load time"},
    {"cpu:x86-64-v2", "x86-64 with SSE4.2"},
    {"cpu:x86-64-v3", "x86-64 with AVX2, FMA and F16C"},
    {"cpu:x86-64-v4", "x86-64 with AVX-512"},
    {"cpu:aarch64", "64-bit Arm with NEON"},
};

static std::string getCPUProcessor(StringRef arch) { return arch == "aarch64" ? "generic" : arch.str(); }
static const char *getCPUTriple(StringRef arch) {
  return arch == "aarch64" ? "aarch64-unknown-linux-gnu" : "x86_64-unknown-linux-gnu";
}

//===- NVIDIA --------------------------------------------------------------===//

static const Stage cudaStages[] = {Stage::TTIR, Stage::TTGIR, Stage::LLIR, Stage::PTX, Stage::Cubin};
static const KnownTarget cudaTargets[] = {
    {"cuda:75", "NVIDIA Turing"},
    {"cuda:80", "NVIDIA Ampere, A100"},
    {"cuda:86", "NVIDIA Ampere, GeForce 30"},
    {"cuda:87", "NVIDIA Ampere, Jetson Orin"},
    {"cuda:89", "NVIDIA Ada"},
    {"cuda:90", "NVIDIA Hopper, code that later GPUs run too"},
    {"cuda:90a", "NVIDIA Hopper, with its own instructions in inline assembly"},
    {"cuda:100", "NVIDIA Blackwell, B200"},
    {"cuda:100a", "NVIDIA Blackwell, B200, with its own instructions in inline assembly"},
    {"cuda:103", "NVIDIA Blackwell Ultra, B300"},
    {"cuda:103a", "NVIDIA Blackwell Ultra, B300, with its own instructions in inline assembly"},
    {"cuda:120", "NVIDIA Blackwell, GeForce 50"},
    {"cuda:120a", "NVIDIA Blackwell, GeForce 50, with its own instructions in inline assembly"},
    {"cuda:121", "NVIDIA Blackwell, GB10"},
    {"cuda:121a", "NVIDIA Blackwell, GB10, with its own instructions in inline assembly"},
};

// From the vendor's tables. Each block loses one KiB of a multiprocessor's memory to the driver.
static unsigned getCUDASharedMemoryLimit(const Target &target) {
  switch (target.getComputeCapability()) {
  case 75:
    return 64 * kib;
  case 80:
  case 87:
    return 163 * kib;
  case 90:
  case 100:
  case 103:
    return 227 * kib;
  default: // 86, 89, 120, 121: the GPUs of work stations
    return 99 * kib;
  }
}

//===- AMD -----------------------------------------------------------------===//

static const Stage hipStages[] = {Stage::TTIR, Stage::TTGIR, Stage::LLIR, Stage::AMDGCN, Stage::HSACO};
static const KnownTarget hipTargets[] = {
    {"hip:gfx90a", "AMD CDNA 2, MI200"},           {"hip:gfx942", "AMD CDNA 3, MI300"},
    {"hip:gfx950", "AMD CDNA 4, MI350"},           {"hip:gfx1100", "AMD RDNA 3, Radeon RX 7900"},
    {"hip:gfx1101", "AMD RDNA 3, Radeon RX 7800"}, {"hip:gfx1151", "AMD RDNA 3.5, Ryzen AI Max"},
    {"hip:gfx1200", "AMD RDNA 4, Radeon RX 9060"}, {"hip:gfx1201", "AMD RDNA 4, Radeon RX 9070"},
};

// Waves of CDNA (gfx9) have 64 lanes, those of RDNA (gfx10 and later) 32.
static unsigned getHIPWarpSize(StringRef arch) { return arch.starts_with("gfx9") ? 64 : 32; }
static unsigned getHIPSharedMemoryLimit(const Target &target) {
  return (target.arch == "gfx950" ? 160 : 64) * kib;
}

//===- The table -----------------------------------------------------------===//

ArrayRef<BackendInfo> getBackends() {
  static const BackendInfo backends[] = {
      {Backend::CPU, "cpu", cpuStages, cpuTargets, "cpu_loader", /*maxThreads=*/0, /*offloadKind=*/0,
       [](StringRef) { return 1u; }, [](const Target &) { return 0u; }, getCPUProcessor, getCPUTriple},
      {Backend::CUDA, "cuda", cudaStages, cudaTargets, "cuda_driver", /*maxThreads=*/1024, /*offloadKind=*/2,
       [](StringRef) { return 32u; }, getCUDASharedMemoryLimit,
       [](StringRef arch) { return "sm_" + arch.str(); }, [](StringRef) { return "nvptx64-nvidia-cuda"; }},
      {Backend::HIP, "hip", hipStages, hipTargets, "hip_driver", /*maxThreads=*/1024, /*offloadKind=*/4,
       getHIPWarpSize, getHIPSharedMemoryLimit, [](StringRef arch) { return arch.str(); },
       [](StringRef) { return "amdgcn-amd-amdhsa"; }},
  };
  return backends;
}

const BackendInfo &getBackendInfo(Backend backend) {
  for (const BackendInfo &info : getBackends())
    if (info.backend == backend)
      return info;
  llvm_unreachable("every back end is in the table");
}

const BackendInfo *findBackend(StringRef name) {
  const auto *found = find_if(getBackends(), [&](const BackendInfo &info) { return name == info.name; });
  return found == getBackends().end() ? nullptr : found;
}

ArchNumber getArchNumber(const Target &target) {
  StringRef arch = target.arch;
  arch.consume_front("x86-64-v");
  ArchNumber result;
  StringRef digits = arch.take_while(isDigit);
  if (digits.empty() || digits.getAsInteger(10, result.number))
    return {};
  arch = arch.drop_front(digits.size());
  result.suffix = arch.empty() ? 0 : arch.front();
  return result;
}

} // namespace nereid
