// importlib: `importlib.import_module("triton.language")` and `importlib.util.find_spec("triton")`, by which
// kernel files choose between modules by name. A module is there if an import statement would find it; the
// projects that are taken for granted (torch, os, …) are there too.

#include "compiler/frontends/python/modules/Importlib.h"
#include "compiler/frontends/python/evaluation/Evaluator.h"
using namespace llvm;

namespace nereid::python {

static StringRef getModuleName(Evaluator &evaluator, const Value &name) {
  if (!name.isStr())
    evaluator.fail("a module's name is a string, not a " + name.describe());
  return name.asStr();
}

static std::optional<Value> findModule(Evaluator &evaluator, StringRef name) {
  StringRef path = name.ltrim('.');
  unsigned level = name.size() - path.size();
  auto module = evaluator.findModule(path, level);
  // Of the language itself, all modules are known.
  if (!module && !path.starts_with("triton."))
    evaluator.guessed.make(evaluator.range, "module '" + name + "' is not here and is taken to be missing");
  return module;
}

static Value importModule(Evaluator &evaluator, Arguments &arguments) {
  StringRef name = getModuleName(evaluator, arguments[0]);
  if (auto module = findModule(evaluator, name))
    return *module;
  raise(evaluator, importErrorName, "module '" + name + "' was not found");
}

/// A spec stands for its module, and is its own loader.
static Value findSpec(Evaluator &evaluator, Arguments &arguments) {
  StringRef name = getModuleName(evaluator, arguments[0]);
  auto module = findModule(evaluator, name);
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

static Value moduleFromSpec(Evaluator &evaluator, Arguments &arguments) {
  if (!arguments[0].isTuple() || arguments[0].asTuple().className != "ModuleSpec")
    evaluator.fail("module_from_spec() expects what find_spec() gives, not a " + arguments[0].describe());
  return arguments[0].asTuple().elements[1];
}

void addImportlib(BuiltinTable &table) {
  table.add("importlib.import_module", "name, package=None", importModule);
  table.add("importlib.util.find_spec", "name, package=None", findSpec);
  table.addForUnknown("importlib.util.module_from_spec", "spec", moduleFromSpec);
  table.addForUnknown("ModuleLoader.exec_module", "self, module",
                      [](Evaluator &, Arguments &) { return Value(); });
}

} // namespace nereid::python
