// The machine that variants are measured on: its memory, its stream, its clock.
//
// Drivers are opened by dlopen, as generated libraries do, so that one `nereid` measures on any machine. Each
// measurement begins with nothing of the tensors in the caches: a program's next launch rarely finds its data
// there, and what does would hide how variants read memory.
#ifndef NEREID_AOT_TUNING_TUNINGDEVICE_H
#define NEREID_AOT_TUNING_TUNINGDEVICE_H

#include "compiler/model/Target.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <string>

namespace nereid {

/// nrd_stream of the generated headers.
struct LibraryStream {
  int32_t backend;
  void *handle;
};

class TuningDevice {
public:
  virtual ~TuningDevice();

  /// `NVIDIA H200`, as its driver calls it; of a CPU, its model.
  std::string name;
  /// The driver's version; empty for CPUs.
  std::string driver;
  Backend backend = Backend::CPU;
  LibraryStream stream = {0, nullptr};

  virtual llvm::Expected<void *> allocate(size_t bytes) = 0;
  virtual void release(void *memory) = 0;
  virtual llvm::Error copyIn(void *memory, llvm::StringRef bytes) = 0;
  virtual llvm::Error copyOut(char *bytes, const void *memory, size_t count) = 0;
  /// Waits until all is done that was launched.
  virtual llvm::Error wait() = 0;
  /// How many nanoseconds a launch takes, with cold caches.
  virtual llvm::Expected<double> time(llvm::function_ref<llvm::Error()> launch) = 0;
};

llvm::Expected<std::unique_ptr<TuningDevice>> openCPU();
/// The GPU of that number of CUDA's or HIP's.
llvm::Expected<std::unique_ptr<TuningDevice>> openGPU(Backend backend, unsigned number);

} // namespace nereid

#endif // NEREID_AOT_TUNING_TUNINGDEVICE_H
