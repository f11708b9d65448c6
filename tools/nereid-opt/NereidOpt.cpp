// Reads IR of our dialects, runs passes by name and prints it, in the manner of mlir-opt: the IR tests drive
// it.
#include "compiler/dialects/tt/Registration.h"
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/Passes.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  nereid::tt::registerDialects(registry);
  registry.insert<nereid::ttg::TTGDialect, nereid::ttng::TTNGDialect>();
  mlir::registerTransformsPasses();
  nereid::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Nereid's optimizer driver\n", registry));
}
