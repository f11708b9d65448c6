// From a file and a specialization to a module: the floors put together.
#include "compiler/frontends/triton_c/Frontend.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/tt/Registration.h"
#include "compiler/frontends/triton_c/KernelParameters.h"
#include "compiler/frontends/triton_c/syntax/Parser.h"
#include "compiler/frontends/triton_c/syntax/Preprocessor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace nereid::triton_c {

bool isTritonCFile(StringRef path) { return sys::path::extension(path) == ".tc"; }

namespace {

/// A file that has been read, and what it may cost.
class Reading {
public:
  Reading(Diagnostics &diagnostics, const std::vector<std::string> &folders, uint64_t limit, FilesRead &files)
      : meter(limit, [this](const Twine &reason) { refuse(reason); }),
        preprocessor(diagnostics, meter, folders, files) {}

  void read(StringRef path, ArrayRef<Definition> definitions) {
    for (const Definition &definition : definitions)
      preprocessor.define(definition);
    tokens = preprocessor.run(path);
    unit = parse(tokens, preprocessor.expansions, meter);
  }

  WorkMeter meter;
  Preprocessor preprocessor;
  std::vector<Token> tokens;
  std::unique_ptr<TranslationUnit> unit;
  /// What is being evaluated, for a message about too much work.
  Emitter *emitter = nullptr;

private:
  [[noreturn]] void refuse(const Twine &reason) {
    if (emitter)
      emitter->fail(reason);
    throw Refusal{{}, reason.str()};
  }
};

} // namespace

static void report(Diagnostics &diagnostics, const Refusal &refusal, StringRef path) {
  if (refusal.message.empty())
    return; // A file that cannot be read: its error is there already.
  if (refusal.range.isValid())
    diagnostics.error(refusal.range, refusal.message);
  else
    diagnostics.error(path + ": " + refusal.message);
  for (const Refusal::Note &note : refusal.notes)
    diagnostics.note(note.range, note.message);
}

/// The kernel of that name; without one a refusal that says what there is.
static const Function &findFunction(const TranslationUnit &unit, StringRef path, StringRef name,
                                    SMRange where) {
  std::string kernels;
  for (const auto &function : unit.functions) {
    if (function->name == name) {
      if (!function->isKernel)
        throw Refusal{where,
                      "'" + name.str() + "' is not a kernel",
                      {{function->place.getRange(), "__global__ before it would make it one"}}};
      return *function;
    }
    if (function->isKernel)
      kernels += (kernels.empty() ? "" : ", ") + function->name;
  }
  throw Refusal{where, "there is no kernel '" + name.str() + "' in '" + path.str() + "'" +
                           (kernels.empty() ? ", nor any other (a function after __global__)"
                                            : "; its kernels are " + kernels)};
}

mlir::OwningOpRef<mlir::ModuleOp> emitKernel(mlir::MLIRContext &context, const CompileRequest &request,
                                             Diagnostics &diagnostics, KernelInfo &info, FilesRead &files) {
  mlir::DialectRegistry registry;
  tt::registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<tt::TTDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect>();
  unsigned errorsBefore = diagnostics.getErrorCount();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  Reading reading(diagnostics, request.importPaths, request.compileLimit, files);
  try {
    reading.read(request.sourcePath, request.definitions);
    const Function &kernel =
        findFunction(*reading.unit, request.sourcePath, request.kernel, request.kernelRange);
    Emitter emitter(context, diagnostics, reading.meter, *reading.unit, reading.preprocessor.expansions,
                    request.target);
    emitter.debug = request.debug;
    emitter.namesCallees = request.sourceInfo.lineTables;
    reading.emitter = &emitter;
    info.name = request.kernel;
    emitter.readFileScope();
    KernelParameters parameters(emitter, kernel);
    parameters.bind(request.specialization);
    parameters.emit(*module);
    reading.emitter = nullptr;
    info.parameters = parameters.takeEntries();
    // What grids may name beside them.
    for (auto &[name, value] : reading.preprocessor.getIntegerMacros()) {
      KernelParameter macro;
      macro.name = name;
      macro.constant = value;
      info.parameters.push_back(std::move(macro));
    }
  } catch (Refusal &refusal) {
    reading.emitter = nullptr;
    report(diagnostics, refusal, request.sourcePath);
    return nullptr;
  }
  if (diagnostics.getErrorCount() != errorsBefore)
    return nullptr;
  return module;
}

std::optional<std::vector<KernelDeclaration>> listKernels(StringRef sourcePath, const SourceSetting &setting,
                                                          Diagnostics &diagnostics) {
  FilesRead files;
  Reading reading(diagnostics, setting.importPaths, setting.compileLimit, files);
  try {
    reading.read(sourcePath, setting.definitions);
  } catch (Refusal &refusal) {
    report(diagnostics, refusal, sourcePath);
    return std::nullopt;
  }
  std::vector<KernelDeclaration> kernels;
  for (const auto &function : reading.unit->functions) {
    if (!function->isKernel)
      continue;
    KernelDeclaration kernel;
    kernel.name = function->name;
    Place place = reading.preprocessor.expansions.inFile(function->place);
    kernel.line = diagnostics.positionOf(place.getRange().Start).line;
    for (const Declaration &parameter : function->parameters)
      kernel.parameters.push_back({parameter.name, /*isConstexpr=*/false, /*hasDefault=*/false});
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::optional<KernelDeclaration> findKernel(StringRef sourcePath, StringRef kernel,
                                            const SourceSetting &setting, Diagnostics &diagnostics) {
  auto kernels = listKernels(sourcePath, setting, diagnostics);
  if (!kernels)
    return std::nullopt;
  std::string names;
  for (KernelDeclaration &candidate : *kernels) {
    if (candidate.name == kernel)
      return candidate;
    names += (names.empty() ? "" : ", ") + candidate.name;
  }
  diagnostics.error(rangeOf(kernel), "there is no kernel '" + kernel + "' in '" + sourcePath + "'" +
                                         (names.empty() ? "" : "; its kernels are " + names));
  return std::nullopt;
}

} // namespace nereid::triton_c
