// Where operations go, and the place in the source that they carry.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_EMISSIONCONTEXT_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_EMISSIONCONTEXT_H

#include "compiler/frontends/python/emission/Tensor.h"
#include "compiler/frontends/python/evaluation/Context.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace nereid::python {

class EmissionContext {
public:
  EmissionContext(mlir::MLIRContext &mlirContext, Context &source)
      : builder(&mlirContext, &operationCounter), source(source), operationCounter(source.meter) {}
  EmissionContext(const EmissionContext &) = delete;

  mlir::OpBuilder builder;
  Context &source;

  /// Locations of inlined code also say the name of the function, which line tables show.
  bool namesCallees = false;

  mlir::MLIRContext *getMLIRContext() { return builder.getContext(); }

  /// Refuses the program at the current position.
  [[noreturn]] void fail(const llvm::Twine &message) { source.fail(message); }

  /// The position of the expression or statement being evaluated. Names given in assignments go on top, the
  /// calls that are being inlined below.
  mlir::Location getLocation();
  mlir::Location getLocation(llvm::SMLoc where);

  template <typename Op, typename... Args> Op create(Args &&...args) {
    return Op::create(builder, getLocation(), std::forward<Args>(args)...);
  }

private:
  /// The location of the innermost call; null where nothing is inlined.
  const void *getCallLocation(size_t depth);
  mlir::Location makeLocation(llvm::SMRange range, llvm::StringRef name, size_t depth);

  /// Operations are counted as they are written. MLIR is no place to throw from: what is too much is noticed
  /// with the next expression.
  struct OperationCounter : mlir::OpBuilder::Listener {
    explicit OperationCounter(WorkMeter &meter) : meter(meter) {}
    void notifyOperationInserted(mlir::Operation *, mlir::OpBuilder::InsertPoint) override {
      meter.note(stepsOfOperation);
    }
    WorkMeter &meter;
  } operationCounter;

  struct CachedLocation {
    const char *where = nullptr;
    llvm::StringRef name;
    const void *call = nullptr;
    std::optional<mlir::Location> location;
  } cached;
};

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_EMISSIONCONTEXT_H
