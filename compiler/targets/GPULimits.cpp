// The vendors' figures, and the check of a kernel against them.
#include "compiler/targets/GPULimits.h"

#include "compiler/model/Backends.h"
#include "compiler/model/KernelInfo.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace nereid {

bool checkLimits(mlir::ModuleOp module, const Target &target, const KernelInfo &info) {
  unsigned limit = getBackendInfo(target.backend).getSharedMemoryLimit(target);
  if (info.sharedBytes <= limit)
    return true;
  mlir::Operation *kernel = mlir::SymbolTable::lookupSymbolIn(module, info.name);
  mlir::emitError(kernel ? kernel->getLoc() : module.getLoc())
      << "'" << info.name << "' needs " << info.sharedBytes << " bytes of shared memory for a block, but "
      << target.str() << " has " << limit << ": its tiles are too large";
  return false;
}

} // namespace nereid
