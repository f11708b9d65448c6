// What a file declares of its kernels, for those who choose what to compile: parameters, and the
// configurations of @triton.autotune. Nothing is emitted.
#include "compiler/frontends/python/Frontend.h"
#include "compiler/frontends/python/KernelLookup.h"
#include "compiler/frontends/python/KernelParameters.h"
#include "compiler/frontends/python/RefusalReport.h"
#include "compiler/frontends/python/builtins/Builtins.h"
#include "compiler/frontends/python/emission/HeuristicConditions.h"

#include "llvm/ADT/ScopeExit.h"

using namespace llvm;

namespace nereid::python {

/// The configurations of @triton.autotune. They are the concern of whoever picks one: what cannot be
/// evaluated is left out, and `problem` says why.
static std::vector<KernelDeclaration::Config> findConfigs(Emitter &emitter, const Function &kernel,
                                                          std::string &problem) {
  std::vector<KernelDeclaration::Config> configs;
  Frame frame;
  frame.module = kernel.module;
  frame.atCompileTime = true;
  emitter.frame = &frame;
  scope_exit leave([&] { emitter.frame = nullptr; });
  try {
    Value list = kernel.configs;
    if (kernel.autotune)
      list = emitter.evaluateConfigs(kernel.autotune);
    else
      emitter.guessed.repeat(emitter.guessedForConfigs);
    if (list.isNone())
      return configs;
    for (const Value &value : emitter.iterateValue(list)) {
      if (!value.isTuple() || value.asTuple().className != "triton.Config") {
        problem = value.describe() + " is none";
        return {};
      }
      const std::vector<Value> &fields = value.asTuple().elements;
      KernelDeclaration::Config config;
      if (auto *constants = fields[0].object<DictObject>())
        for (auto &[name, constant] : constants->entries)
          config.constants.push_back({name.str(), constantOf(constant)});
      if (fields[1].isInt())
        config.numWarps = static_cast<unsigned>(fields[1].asInt());
      if (fields[2].isInt())
        config.numStages = static_cast<unsigned>(fields[2].asInt());
      if (fields[3].isInt())
        config.numCTAs = static_cast<unsigned>(fields[3].asInt());
      if (fields[4].isInt())
        config.maxRegisters = static_cast<unsigned>(fields[4].asInt());
      if (!fields[5].isNone())
        config.preHook = fields[5].describe();
      if (!fields[6].isNone())
        config.irOverride = fields[6].str();
      configs.push_back(std::move(config));
    }
    return configs;
  } catch (Refusal &refusal) {
    problem = refusal.message;
    return {};
  }
}

/// What @triton.autotune is told besides the configurations.
static std::vector<std::pair<std::string, std::string>> findAutotuneOptions(const Function &kernel) {
  std::vector<std::pair<std::string, std::string>> options;
  if (!kernel.autotune)
    return options;
  auto add = [&](StringRef name, const ast::Expression *value) {
    if (name != "configs" && !name.empty())
      options.push_back({name.str(), StringRef(quoteSource(value->range)).drop_front().drop_back().str()});
  };
  static constexpr StringLiteral positions[] = {
      "configs", "key", "prune_configs_by", "reset_to_zero", "restore_value", "pre_hook", "post_hook"};
  for (auto [name, value] : zip(positions, kernel.autotune->args))
    add(name, value);
  for (const ast::Keyword *keyword : kernel.autotune->keywords)
    add(keyword->arg, keyword->value);
  return options;
}

/// The names that @triton.autotune's `key` lists; none where they cannot be evaluated.
static std::vector<std::string> findTuningKey(Emitter &emitter, const Function &kernel) {
  std::vector<std::string> names;
  const ast::Expression *list = nullptr;
  if (kernel.autotune && kernel.autotune->args.size() > 1)
    list = kernel.autotune->args[1];
  if (kernel.autotune)
    for (const ast::Keyword *keyword : kernel.autotune->keywords)
      if (keyword->arg == "key")
        list = keyword->value;
  if (!list)
    return names;
  Frame frame;
  frame.module = kernel.module;
  frame.atCompileTime = true;
  emitter.frame = &frame;
  scope_exit leave([&] { emitter.frame = nullptr; });
  try {
    for (const Value &name : emitter.iterateValue(emitter.evaluate(list)))
      if (name.isStr())
        names.push_back(name.asStr());
  } catch (Refusal &) {
    if (emitter.meter.isExceeded())
      throw;
    names.clear();
  }
  return names;
}

static KernelDeclaration declare(Emitter &emitter, const Function &kernel) {
  KernelDeclaration declaration;
  declaration.name = symbolOf(kernel).str();
  declaration.line = emitter.diagnostics.positionOf(kernel.getRange().Start).line;
  for (const DeclaredParameter &parameter : parametersOf(emitter, kernel)) {
    bool computed =
        any_of(kernel.heuristics, [&](auto &entry) { return entry.first == parameter.node->arg; });
    declaration.parameters.push_back(
        {parameter.node->arg.str(), parameter.isConstexpr, parameter.defaultValue != nullptr || computed});
  }
  declaration.configs = findConfigs(emitter, kernel, declaration.configsProblem);
  declaration.autotuneOptions = findAutotuneOptions(kernel);
  declaration.heuristicConditions = findHeuristicConditions(kernel);
  declaration.tuningKey = findTuningKey(emitter, kernel);
  return declaration;
}

/// Calls `read` with a file that nothing is compiled from, and reports what it refuses.
template <typename Result>
static std::optional<Result> readFile(StringRef sourcePath, const SourceSetting &setting,
                                      Diagnostics &diagnostics,
                                      function_ref<Result(Emitter &, SourceModule &)> read) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  FilesRead files;
  ModuleLoader loader(diagnostics, setting.importPaths, files);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  Emitter emitter(context, diagnostics, getBuiltins(), loader, *module, setting.target, setting.compileLimit);
  emitter.warns = false;
  try {
    SourceModule *file = loader.loadFile(sourcePath);
    if (!file)
      return std::nullopt;
    file->isMain = true;
    emitter.define(*file, setting.definitions);
    return read(emitter, *file);
  } catch (Refusal &refusal) {
    report(diagnostics, std::move(refusal));
    return std::nullopt;
  }
}

std::optional<KernelDeclaration> findKernel(StringRef sourcePath, StringRef kernel,
                                            const SourceSetting &setting, Diagnostics &diagnostics) {
  return readFile<KernelDeclaration>(sourcePath, setting, diagnostics,
                                     [&](Emitter &emitter, SourceModule &file) {
                                       auto function = [&] {
                                         PositionScope position(emitter, rangeOf(kernel));
                                         return findFunction(emitter, file, kernel);
                                       }();
                                       size_t mark = emitter.guessed.mark();
                                       KernelDeclaration declaration = declare(emitter, *function);
                                       emitter.guessed.report(mark, diagnostics);
                                       return declaration;
                                     });
}

std::optional<std::vector<KernelDeclaration>> listKernels(StringRef sourcePath, const SourceSetting &setting,
                                                          Diagnostics &diagnostics) {
  using Kernels = std::vector<KernelDeclaration>;
  return readFile<Kernels>(sourcePath, setting, diagnostics, [&](Emitter &emitter, SourceModule &file) {
    Kernels kernels;
    for (StringRef name : file.getNames()) {
      // What else a file defines need not make sense here.
      try {
        std::optional<Value> value = emitter.lookupGlobal(file, name);
        auto *function = value ? value->object<const Function>() : nullptr;
        if (function && function->kind == Function::Kind::Jit && function->definition &&
            function->module == &file && function->name == name)
          kernels.push_back(declare(emitter, *function));
      } catch (Refusal &) {
        if (emitter.meter.isExceeded())
          throw;
      }
    }
    emitter.checkDefinitions(file, setting.definitions);
    sort(kernels, [](auto &left, auto &right) { return left.line < right.line; });
    return kernels;
  });
}

} // namespace nereid::python
