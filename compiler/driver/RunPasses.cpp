// The verifier's words are caught on their way, and only their location is used. See RunPasses.h.
#include "compiler/driver/RunPasses.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"

using namespace llvm;

namespace nereid {

namespace {

/// Remembers which pass failed first.
class FailureRecorder : public mlir::PassInstrumentation {
public:
  explicit FailureRecorder(std::string &name) : name(name) {}
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *) override {
    if (name.empty())
      name = (pass->getArgument().empty() ? pass->getName() : pass->getArgument()).str();
  }

private:
  std::string &name;
};

/// While this lives, nothing that the context reports is shown. Keeps where the first error was.
class Silence : public mlir::ScopedDiagnosticHandler {
public:
  explicit Silence(mlir::MLIRContext *context) : ScopedDiagnosticHandler(context) {
    setHandler([this](mlir::Diagnostic &diagnostic) {
      if (!place && diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
        place = diagnostic.getLocation();
    });
  }

  std::optional<mlir::Location> place;
};

} // namespace

static const char pleaseReport[] = "; this is a bug in Nereid, please report it together with the kernel";

/// Nothing if the module is valid, else where it is not.
static std::optional<mlir::Location> findInvalidPlace(mlir::ModuleOp module) {
  Silence silence(module.getContext());
  if (succeeded(mlir::verify(module)))
    return std::nullopt;
  return silence.place.value_or(module.getLoc());
}

/// The pass behind which `module`, which is about to be used up, is not valid any more, and where.
static std::pair<std::string, std::optional<mlir::Location>>
findCulprit(mlir::ModuleOp module, function_ref<void(mlir::OpPassManager &)> addPasses) {
  Silence silence(module.getContext());
  mlir::PassManager passes(module.getContext(), mlir::ModuleOp::getOperationName());
  passes.enableVerifier(true);
  std::string name;
  passes.addInstrumentation(std::make_unique<FailureRecorder>(name));
  addPasses(passes);
  (void)passes.run(module);
  return {name, silence.place};
}

bool runPasses(mlir::ModuleOp module, Diagnostics &diagnostics,
               function_ref<void(mlir::OpPassManager &)> addPasses) {
  mlir::OwningOpRef<mlir::ModuleOp> before = module.clone();
  mlir::PassManager passes(module.getContext(), mlir::ModuleOp::getOperationName());
  passes.enableVerifier(false);
  std::string failedPass;
  passes.addInstrumentation(std::make_unique<FailureRecorder>(failedPass));
  addPasses(passes);
  unsigned errors = diagnostics.getErrorCount();
  if (failed(passes.run(module))) {
    if (diagnostics.getErrorCount() == errors)
      diagnostics.error("internal compiler error: the pass '" + failedPass + "' failed without a reason" +
                        pleaseReport);
    return false;
  }
  std::optional<mlir::Location> place = findInvalidPlace(module);
  if (!place)
    return true;
  auto [culprit, earlier] = findCulprit(*before, addPasses);
  mlir::emitError(earlier.value_or(*place))
      << "internal compiler error: "
      << (culprit.empty() ? std::string("the passes") : "the pass '" + culprit + "'")
      << " made invalid IR of this" << pleaseReport;
  return false;
}

bool verifyOwnIR(mlir::ModuleOp module, StringRef author) {
  std::optional<mlir::Location> place = findInvalidPlace(module);
  if (place)
    mlir::emitError(*place) << "internal compiler error: " << author << " made invalid IR of this"
                            << pleaseReport;
  return !place;
}

} // namespace nereid
