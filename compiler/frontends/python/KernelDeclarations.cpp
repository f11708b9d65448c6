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

static const ast::Expression *findKeyword(const ast::Call &call, StringRef name) {
  for (const ast::Keyword *keyword : call.keywords)
    if (keyword->arg == name)
      return keyword->value;
  return nullptr;
}

/// Of `f = triton.autotune(…)(f)`, what that was given (Autotune.h).
static const TupleObject *getRecord(const Function &kernel) {
  return kernel.configs.isTuple() && !kernel.autotune ? &kernel.configs.asTuple() : nullptr;
}

static KernelDeclaration::Config makeConfig(const TupleObject &value) {
  const std::vector<Value> &fields = value.elements;
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
  return config;
}

/// Finds the configurations of @triton.autotune. They are the concern of whoever picks one: those that cannot
/// be evaluated are none, and the declaration says why.
static void findConfigs(Emitter &emitter, const Function &kernel, KernelDeclaration &declaration) {
  Frame frame;
  frame.module = kernel.module;
  frame.atCompileTime = true;
  emitter.frame = &frame;
  scope_exit leave([&] { emitter.frame = nullptr; });
  if (kernel.autotune) {
    const ast::Expression *list = findKeyword(*kernel.autotune, "configs");
    declaration.configsRange = list ? list->range : kernel.autotune->range;
  }
  auto refuse = [&](std::string problem) {
    declaration.configs.clear();
    declaration.configsProblem = std::move(problem);
  };
  try {
    Value list;
    if (kernel.autotune) {
      list = emitter.evaluateConfigs(kernel.autotune);
    } else if (const TupleObject *record = getRecord(kernel)) {
      emitter.guessed.repeat(emitter.guessedForConfigs);
      list = record->elements[0];
    }
    if (list.isNone())
      return;
    if (auto *opaque = list.object<const Opaque>())
      return refuse("'" + opaque->name + "' is not known: " + opaque->reason);
    for (const Value &value : emitter.iterateValue(list)) {
      if (!value.isTuple() || value.asTuple().className != "triton.Config")
        return refuse(value.describe() + " is none");
      declaration.configs.push_back(makeConfig(value.asTuple()));
    }
  } catch (Refusal &refusal) {
    refuse(refusal.message);
    declaration.configsProblemRange = refusal.range;
  }
}

/// What @triton.autotune is told besides the configurations.
static std::vector<std::pair<std::string, std::string>> findAutotuneOptions(const Function &kernel) {
  std::vector<std::pair<std::string, std::string>> options;
  if (const TupleObject *record = getRecord(kernel)) {
    auto print = [](const Value &value) {
      auto *opaque = value.object<const Opaque>();
      return opaque ? opaque->name : value.repr();
    };
    if (!record->elements[1].isNone())
      options.push_back({"key", print(record->elements[1])});
    for (auto &[name, value] : record->elements[2].object<DictObject>()->entries)
      options.push_back({name.str(), print(value)});
  }
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
  Frame frame;
  frame.module = kernel.module;
  frame.atCompileTime = true;
  emitter.frame = &frame;
  scope_exit leave([&] { emitter.frame = nullptr; });
  try {
    const ast::Expression *list = kernel.autotune ? findKeyword(*kernel.autotune, "key") : nullptr;
    if (kernel.autotune && !list && kernel.autotune->args.size() > 1)
      list = kernel.autotune->args[1];
    const TupleObject *record = getRecord(kernel);
    Value key = list ? emitter.evaluate(list) : record ? record->elements[1] : Value();
    if (!key.isNone())
      for (const Value &name : emitter.iterateValue(key))
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
  findConfigs(emitter, kernel, declaration);
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
    for (const std::string &name : listNested(file)) {
      try {
        std::shared_ptr<const Function> function = findFunction(emitter, file, name);
        if (function->module != &file)
          continue;
        kernels.push_back(declare(emitter, *function));
        // Under which it is asked for.
        kernels.back().name = name;
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
