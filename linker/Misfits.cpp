// Variants of a function are those that have its name.
#include "linker/Misfits.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace nereid {

static bool isServed(ArrayRef<KernelObject> objects, StringRef function, const Target &target) {
  return any_of(objects, [&](const KernelObject &object) {
    return object.getFunctionName() == function &&
           any_of(object.targets, [&](const TargetCode &code) { return code.target == target; });
  });
}

bool checkMisfits(ArrayRef<KernelObject> objects, Diagnostics &diagnostics) {
  bool ok = true;
  for (const KernelObject &object : objects)
    for (const TargetMisfit &misfit : object.misfits) {
      if (misfit.isOptional)
        continue;
      StringRef function = object.getFunctionName();
      if (isServed(objects, function, misfit.target)) {
        diagnostics.warning(object.signatureRange, "'" + object.getTitle() + "' of '" + object.sourcePath +
                                                       "' is left out for " + misfit.target.str() + ", as " +
                                                       misfit.reason + "; another variant of '" + function +
                                                       "' serves that target");
        continue;
      }
      diagnostics.error(object.signatureRange, "no variant of '" + function + "' serves " +
                                                   misfit.target.str() + ": '" + object.getTitle() +
                                                   "' of '" + object.sourcePath + "' does not fit, as " +
                                                   misfit.reason);
      ok = false;
    }
  return ok;
}

} // namespace nereid
