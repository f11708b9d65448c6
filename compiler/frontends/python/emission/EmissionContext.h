// Where operations go, and the place in the source that they carry.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_EMISSIONCONTEXT_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_EMISSIONCONTEXT_H

#include "compiler/frontends/python/emission/Tensor.h"
#include "compiler/frontends/python/evaluation/Context.h"
#include "compiler/frontends/semantics/OperationWriter.h"

#include <optional>

namespace nereid::python {

class EmissionContext : public OperationWriter {
public:
  EmissionContext(mlir::MLIRContext &mlirContext, Context &source)
      : OperationWriter(mlirContext, source.meter), source(source) {}

  Context &source;

  /// Locations of inlined code also say the name of the function, which line tables show.
  bool namesCallees = false;

  [[noreturn]] void fail(const llvm::Twine &message) override { source.fail(message); }

  /// The position of the expression or statement being evaluated. Names given in assignments go on top, the
  /// calls that are being inlined below.
  mlir::Location getLocation() override;
  mlir::Location getLocation(llvm::SMLoc where);

private:
  /// The location of the innermost call; null where nothing is inlined.
  const void *getCallLocation(size_t depth);
  mlir::Location makeLocation(llvm::SMRange range, llvm::StringRef name, size_t depth);

  struct CachedLocation {
    const char *where = nullptr;
    llvm::StringRef name;
    const void *call = nullptr;
    std::optional<mlir::Location> location;
  } cached;
};

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_EMISSIONCONTEXT_H
