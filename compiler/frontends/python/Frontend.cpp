// From a file and a specialization to a module: the floors put together.
#include "compiler/frontends/python/Frontend.h"

#include "compiler/dialects/tt/Registration.h"
#include "compiler/frontends/python/KernelEmission.h"
#include "compiler/frontends/python/KernelLookup.h"
#include "compiler/frontends/python/RefusalReport.h"
#include "compiler/frontends/python/builtins/Builtins.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::python {

mlir::OwningOpRef<mlir::ModuleOp> emitKernel(mlir::MLIRContext &context, const CompileRequest &request,
                                             Diagnostics &diagnostics, KernelInfo &info, FilesRead &files) {
  mlir::DialectRegistry registry;
  tt::registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<tt::TTDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect>();
  unsigned errorsBefore = diagnostics.getErrorCount();
  ModuleLoader loader(diagnostics, request.importPaths, files);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  Emitter emitter(context, diagnostics, getBuiltins(), loader, *module, request.target, request.compileLimit);
  try {
    SourceModule *file = loader.loadFile(request.sourcePath);
    if (!file)
      return nullptr;
    file->isMain = true;
    emitter.define(*file, request.definitions);
    auto kernel = [&] {
      PositionScope position(emitter, request.kernelRange);
      return findFunction(emitter, *file, request.kernel);
    }();
    info.name = symbolOf(*kernel).str();
    emitter.numWarps = request.numWarps;
    emitter.debug = request.debug;
    emitter.namesCallees = request.sourceInfo.lineTables;
    KernelEmission emission(emitter, *file, kernel, info);
    emission.bind(request.specialization);
    emission.emit();
    emitter.guessed.report(0, diagnostics);
    emitter.checkDefinitions(*file, request.definitions);
  } catch (Refusal &refusal) {
    emitter.guessed.report(0, diagnostics);
    report(diagnostics, std::move(refusal));
    return nullptr;
  }
  if (diagnostics.getErrorCount() != errorsBefore)
    return nullptr;
  return module;
}

} // namespace nereid::python
