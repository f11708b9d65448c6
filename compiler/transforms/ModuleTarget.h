// The target that a module in ttg form is compiled for, for passes and plans that are not told it.
#ifndef NEREID_COMPILER_TRANSFORMS_MODULETARGET_H
#define NEREID_COMPILER_TRANSFORMS_MODULETARGET_H

#include "compiler/model/Target.h"

#include "mlir/IR/Operation.h"

namespace nereid {

/// What the attribute `ttg.target` of the operation's module, or of the module itself, says; nothing if there
/// is none, as in tests, or if it names nothing that there is.
std::optional<Target> getModuleTarget(mlir::Operation *op);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_MODULETARGET_H
