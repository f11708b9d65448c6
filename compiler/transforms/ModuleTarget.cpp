// See ModuleTarget.h. The driver has complained about names that can't be parsed.
#include "compiler/transforms/ModuleTarget.h"

#include "compiler/dialects/ttg/Dialect.h"

namespace nereid {

std::optional<Target> getModuleTarget(mlir::Operation *op) {
  auto name = op->getParentOfType<mlir::ModuleOp>()->getAttrOfType<mlir::StringAttr>(ttg::targetName);
  return name ? llvm::expectedToOptional(Target::parse(name.getValue())) : std::nullopt;
}

} // namespace nereid
