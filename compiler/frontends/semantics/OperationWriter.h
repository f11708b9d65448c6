// Where operations go, the place in the source that they carry, and how a program is refused: all that the
// functions of this folder know of the frontend that calls them.
#ifndef NEREID_COMPILER_FRONTENDS_SEMANTICS_OPERATIONWRITER_H
#define NEREID_COMPILER_FRONTENDS_SEMANTICS_OPERATIONWRITER_H

#include "compiler/frontends/types/WorkMeter.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/Twine.h"

namespace nereid::semantics {

class OperationWriter {
public:
  OperationWriter(mlir::MLIRContext &mlirContext, WorkMeter &meter)
      : builder(&mlirContext, &operationCounter), operationCounter(meter) {}
  OperationWriter(const OperationWriter &) = delete;
  virtual ~OperationWriter() = default;

  mlir::OpBuilder builder;

  mlir::MLIRContext *getMLIRContext() { return builder.getContext(); }

  /// Refuses the program at the current position.
  [[noreturn]] virtual void fail(const llvm::Twine &message) = 0;

  /// The position of what is being written.
  virtual mlir::Location getLocation() = 0;

  template <typename Op, typename... Args> Op create(Args &&...args) {
    return Op::create(builder, getLocation(), std::forward<Args>(args)...);
  }

private:
  /// Operations are counted as they are written. MLIR is no place to throw from: what is too much is noticed
  /// with the next expression.
  struct OperationCounter : mlir::OpBuilder::Listener {
    explicit OperationCounter(WorkMeter &meter) : meter(meter) {}
    void notifyOperationInserted(mlir::Operation *, mlir::OpBuilder::InsertPoint) override {
      meter.note(stepsOfOperation);
    }
    WorkMeter &meter;
  } operationCounter;
};

} // namespace nereid::semantics

#endif // NEREID_COMPILER_FRONTENDS_SEMANTICS_OPERATIONWRITER_H
