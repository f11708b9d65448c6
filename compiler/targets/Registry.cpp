// The code of each back end in the table of compiler/model/Backends.h.
#include "compiler/targets/Registry.h"

#include "compiler/targets/TargetBackend.h"

#include "llvm/Support/ErrorHandling.h"

namespace nereid {

TargetBackend::~TargetBackend() = default;

const TargetBackend &getTargetBackend(Backend backend) {
  switch (backend) {
  case Backend::CPU:
    return getCPUBackend();
  case Backend::CUDA:
    return getNVIDIABackend();
  case Backend::HIP:
    return getAMDBackend();
  }
  llvm_unreachable("every back end is listed above");
}

} // namespace nereid
