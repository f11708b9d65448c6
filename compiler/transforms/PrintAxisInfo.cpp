// Shows what AxisInfoAnalysis knows, as a remark at every operation that gives an integer, a pointer or a
// tensor of them. For tests, and for finding out why an access is not as wide as expected.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/transforms/AxisInfo.h"
#include "compiler/transforms/Passes.h"

namespace nereid {

namespace {

struct PrintAxisInfo : mlir::PassWrapper<PrintAxisInfo, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintAxisInfo)

  llvm::StringRef getArgument() const final { return "nereid-print-axis-info"; }
  llvm::StringRef getDescription() const final { return "Remark on contiguity, divisibility and constancy"; }

  void runOnOperation() final {
    AxisInfoAnalysis axes(getOperation());
    getOperation().walk([&](mlir::Operation *op) {
      for (mlir::Value result : op->getResults()) {
        mlir::Type element = mlir::getElementTypeOrSelf(result.getType());
        if (!mlir::isa<mlir::IntegerType, tt::PointerType>(element))
          continue;
        AxisInfo info = axes.get(result);
        auto list = [](llvm::ArrayRef<int64_t> values) {
          std::string text;
          llvm::raw_string_ostream os(text);
          llvm::interleaveComma(values, os);
          return "[" + text + "]";
        };
        mlir::InFlightDiagnostic remark = op->emitRemark() << "contiguity = " << list(info.contiguity)
                                                           << ", divisibility = " << list(info.divisibility)
                                                           << ", constancy = " << list(info.constancy);
        if (info.constant)
          remark << ", constant = " << *info.constant;
      }
    });
  }
};

} // namespace

std::unique_ptr<mlir::Pass> createPrintAxisInfoPass() { return std::make_unique<PrintAxisInfo>(); }

} // namespace nereid
