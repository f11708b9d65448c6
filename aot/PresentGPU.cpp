// NVIDIA's driver is asked; of AMD's GPUs the kernel's table of devices tells, in /sys, so that no runtime
// has to be installed.
#include "aot/PresentGPU.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace nereid {

static std::optional<std::string> findNVIDIA() {
  auto library = sys::DynamicLibrary::getPermanentLibrary("libcuda.so.1");
  if (!library.isValid())
    return std::nullopt;
  auto init = reinterpret_cast<int (*)(unsigned)>(library.getAddressOfSymbol("cuInit"));
  auto getDevice = reinterpret_cast<int (*)(int *, int)>(library.getAddressOfSymbol("cuDeviceGet"));
  auto getAttribute =
      reinterpret_cast<int (*)(int *, int, int)>(library.getAddressOfSymbol("cuDeviceGetAttribute"));
  int device = 0, major = 0, minor = 0;
  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR.
  if (!init || !getDevice || !getAttribute || init(0) || getDevice(&device, 0) ||
      getAttribute(&major, 75, device) || getAttribute(&minor, 76, device))
    return std::nullopt;
  return formatv("cuda:{0}{1}", major, minor).str();
}

static std::optional<std::string> findAMD() {
  for (unsigned node = 0; node < 256; ++node) {
    auto file = MemoryBuffer::getFileAsStream(
        formatv("/sys/class/kfd/kfd/topology/nodes/{0}/properties", node).str());
    if (!file)
      return std::nullopt;
    SmallVector<StringRef> lines;
    (*file)->getBuffer().split(lines, '\n');
    for (StringRef line : lines) {
      unsigned version = 0;
      // 90402 is gfx942, and 0 a processor.
      if (line.consume_front("gfx_target_version ") && !line.trim().getAsInteger(10, version) && version)
        return formatv("hip:gfx{0}{1:x-}{2:x-}", version / 10000, version / 100 % 100, version % 100).str();
    }
  }
  return std::nullopt;
}

std::optional<std::string> findPresentGPU() {
  std::optional<std::string> found = findNVIDIA();
  return found ? found : findAMD();
}

} // namespace nereid
