#include "compiler/targets/GPULimits.h"

#include "compiler/KernelInfo.h"
#include "compiler/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace nereid {

// From the vendors' tables. On NVIDIA GPUs each block loses one KiB of a multiprocessor's memory to the
// driver.
unsigned getSharedMemoryLimit(const Target &target) {
  constexpr unsigned kib = 1024;
  if (target.backend == Backend::HIP)
    return (target.arch == "gfx950" ? 160 : 64) * kib;
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

bool checkLimits(mlir::ModuleOp module, const Target &target, const KernelInfo &info) {
  unsigned limit = getSharedMemoryLimit(target);
  if (info.sharedBytes <= limit)
    return true;
  mlir::Operation *kernel = mlir::SymbolTable::lookupSymbolIn(module, info.name);
  mlir::emitError(kernel ? kernel->getLoc() : module.getLoc())
      << "'" << info.name << "' needs " << info.sharedBytes << " bytes of shared memory for a block, but "
      << target.str() << " has " << limit << ": its tiles are too large";
  return false;
}

} // namespace nereid
