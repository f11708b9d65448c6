// importlib: `importlib.import_module("triton.language")` and `importlib.util.find_spec("triton")`, by which
// kernel files choose between modules by name. A module is there if an import statement would find it; the
// projects that are taken for granted (torch, os, …) are there too.
#include "compiler/frontends/python/Emitter.h"
#include "compiler/frontends/python/HostFacts.h"
#include "compiler/frontends/python/SourceModule.h"

using namespace llvm;

namespace nereid::python {

static StringRef getModuleName(Emitter &emitter, const Value &name) {
  if (!name.isStr())
    emitter.fail("a module's name is a string, not a " + name.describe());
  return name.asStr();
}

static std::optional<Value> findModule(Emitter &emitter, StringRef name) {
  StringRef path = name.ltrim('.');
  unsigned level = name.size() - path.size();
  if (auto builtin = level ? std::nullopt : findBuiltinModule(path))
    return Value(BuiltinModule{*builtin});
  if (SourceModule *file = emitter.loader.find(path, level, *emitter.frame->module))
    return Value(file);
  // Of the language itself, all modules are known.
  if (!level && isForeignModule(path) && !path.starts_with("triton.language."))
    return Value::opaque(path.str(),
                         "module '" + path.str() + "' is not available when kernels are compiled");
  return std::nullopt;
}

static Value importModule(Emitter &emitter, Arguments &arguments) {
  StringRef name = getModuleName(emitter, arguments[0]);
  if (auto module = findModule(emitter, name))
    return *module;
  try {
    emitter.fail("module '" + name + "' was not found");
  } catch (Refusal &refusal) {
    refusal.errorClass = "ImportError";
    throw;
  }
}

/// A spec stands for its module, and is its own loader.
static Value findSpec(Emitter &emitter, Arguments &arguments) {
  StringRef name = getModuleName(emitter, arguments[0]);
  auto module = findModule(emitter, name);
  if (!module)
    return {};
  auto loader = std::make_shared<TupleObject>();
  loader->className = "ModuleLoader";
  auto spec = std::make_shared<TupleObject>();
  spec->className = "ModuleSpec";
  spec->fields = {"name", "module", "loader"};
  spec->elements = {Value(name), *module, Value(std::move(loader))};
  return Value(std::move(spec));
}

static Value moduleFromSpec(Emitter &emitter, Arguments &arguments) {
  if (!arguments[0].isTuple() || arguments[0].asTuple().className != "ModuleSpec")
    emitter.fail("module_from_spec() expects what find_spec() gives, not a " + arguments[0].describe());
  return arguments[0].asTuple().elements[1];
}

void addImportlib(BuiltinTable &table) {
  table.add("importlib.import_module", "name, package=None", importModule);
  table.add("importlib.util.find_spec", "name, package=None", findSpec);
  table.addForUnknown("importlib.util.module_from_spec", "spec", moduleFromSpec);
  table.addForUnknown("ModuleLoader.exec_module", "self, module",
                      [](Emitter &, Arguments &) { return Value(); });
}

} // namespace nereid::python
