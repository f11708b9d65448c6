// Replaces what upstream's IR holds of other dialects by what there is for it here: a `gpu.barrier` is a
// barrier of the block, and what `llvm.intr.assume` promises has been used (UseAssumptions.cpp). They are
// known by name: their headers are slow to read.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

namespace {

struct ReplaceForeignOperations
    : mlir::PassWrapper<ReplaceForeignOperations, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReplaceForeignOperations)

  llvm::StringRef getArgument() const final { return "nereid-replace-foreign-operations"; }
  llvm::StringRef getDescription() const final { return "Replace operations of other dialects"; }
  void getDependentDialects(mlir::DialectRegistry &registry) const final {
    registry.insert<ttg::TTGDialect>();
  }
  void runOnOperation() final {
    getOperation().walk([](mlir::Operation *op) {
      llvm::StringRef name = op->getName().getStringRef();
      if (name == "gpu.barrier") {
        mlir::OpBuilder builder(op);
        ttg::LocalBarrierOp::create(builder, op->getLoc());
        op->erase();
      } else if (name == "llvm.intr.assume") {
        op->erase();
      }
    });
  }
};

} // namespace

std::unique_ptr<mlir::Pass> createReplaceForeignOperationsPass() {
  return std::make_unique<ReplaceForeignOperations>();
}

} // namespace nereid
