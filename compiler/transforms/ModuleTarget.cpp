// See ModuleTarget.h. The driver has complained about names that can't be parsed.
#include "compiler/transforms/ModuleTarget.h"

#include "compiler/dialects/ttg/Dialect.h"

namespace nereid {

std::optional<Target> getModuleTarget(mlir::Operation *op) {
  auto module = mlir::dyn_cast<mlir::ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<mlir::ModuleOp>();
  auto name = module->getAttrOfType<mlir::StringAttr>(ttg::targetName);
  return name ? llvm::expectedToOptional(Target::parse(name.getValue())) : std::nullopt;
}

} // namespace nereid
