// Where imports lead: to a module that the frontend knows by itself, to a file, to what the host tells, or to
// nothing, which is an error only where it is used.
#include "compiler/frontends/python/modules/KnownModules.h"
#include "compiler/frontends/python/modules/ModuleEvaluator.h"

using namespace llvm;

namespace nereid::python {

bool ModuleEvaluator::isImportable(SourceModule &owner, ast::Statements statements) {
  // What an import looks for may be there where the program runs. Of the language, all is here.
  auto guessMissing = [&](const ast::Statement *import, StringRef module, StringRef reason) {
    if (!findBuiltinModule(module) && !module.starts_with("triton."))
      guessed.make(import->range,
                   "what " + quoteSource(import->range) + " imports is not here and is taken to be missing",
                   reason);
  };
  for (const ast::Statement *statement : statements) {
    if (auto *import = dyn_cast<ast::Import>(statement)) {
      for (const ast::Alias *alias : import->names)
        if (!findBuiltinModule(alias->name) && !Host::isForeignModule(alias->name) &&
            !loader.find(alias->name, 0, owner)) {
          guessMissing(import, alias->name, "");
          return false;
        }
    } else if (auto *import = dyn_cast<ast::ImportFrom>(statement)) {
      if (Host::isForeignModule(import->module) && !import->level)
        continue;
      for (const ast::Alias *alias : import->names) {
        auto value = alias->name == "*" ? std::nullopt : importName(owner, import, alias->name);
        auto *opaque = value ? value->object<const Opaque>() : nullptr;
        if (opaque)
          guessMissing(import, import->level ? "" : import->module, opaque->reason);
        if (!value || opaque)
          return false;
      }
    }
  }
  return true;
}

/// What helps where a module is not found: a folder to look in. A relative import says by itself where its
/// file must be.
static std::string suggestImportPath(StringRef module, unsigned level) {
  if (level)
    return "";
  return "; give the folder that holds '" + module.split('.').first.str() +
         "' with -I, or as one of a manifest's "
         "import_paths";
}

Value ModuleEvaluator::importModule(SourceModule &owner, const ast::Alias *alias) {
  StringRef top = alias->name.split('.').first;
  StringRef wanted = alias->asname.empty() ? top : alias->name;
  if (auto builtin = findBuiltinModule(wanted))
    return BuiltinModule{*builtin};
  if (SourceModule *file = loader.find(wanted, 0, owner))
    return file;
  if (Host::isForeignModule(wanted))
    return Value::opaque(wanted.str(),
                         "module '" + wanted.str() + "' is not available when kernels are compiled");
  return Value::opaque(wanted.str(),
                       "module '" + wanted.str() + "' was not found" + suggestImportPath(wanted, 0));
}

std::optional<Value> ModuleEvaluator::importName(SourceModule &owner, const ast::ImportFrom *import,
                                                 StringRef name) {
  StringRef moduleName = import->module;
  if (!import->level) {
    if (auto submodule = findBuiltinModule((moduleName + "." + name).str()))
      return Value(BuiltinModule{*submodule});
    if (auto builtin = findBuiltinModule(moduleName))
      return lookupMember(*builtin, name);
  }
  if (SourceModule *file = loader.find(moduleName, import->level, owner)) {
    if (file != &owner)
      if (auto value = lookupGlobal(*file, name))
        return value;
    std::string submodule = moduleName.empty() ? name.str() : (moduleName + "." + name).str();
    if (SourceModule *inner = loader.find(submodule, import->level, owner))
      return Value(inner);
    return std::nullopt;
  }
  std::string submodule = moduleName.empty() ? name.str() : (moduleName + "." + name).str();
  if (auto fact = import->level ? std::nullopt : findFact(submodule))
    return fact;
  if (SourceModule *inner = loader.find(submodule, import->level, owner))
    return Value(inner);
  if (auto conventional = Host::findConventionalModule(name))
    return Value(BuiltinModule{*findBuiltinModule(*conventional)});
  std::string shown = std::string(import->level, '.') + moduleName.str();
  if (Host::isForeignModule(moduleName) && !import->level)
    return Value::opaque(submodule, "module '" + shown +
                                        "', from which it is imported, is not available when "
                                        "kernels are compiled");
  return Value::opaque(name.str(), "module '" + shown + "', from which it is imported, was not found" +
                                       suggestImportPath(moduleName, import->level));
}

void ModuleEvaluator::runImport(const ast::Statement *statement) {
  SourceModule &owner = SourceModule::of(*frame->module);
  auto guessMissing = [&](StringRef module) {
    guessed.make(range, "module '" + module + "' is not here and is taken to be missing");
  };
  if (auto *import = dyn_cast<ast::Import>(statement)) {
    for (const ast::Alias *alias : import->names) {
      Value imported = importModule(owner, alias);
      if (auto *opaque = imported.object<const Opaque>(); opaque && !Host::isForeignModule(alias->name)) {
        guessMissing(alias->name);
        raise(*this, importErrorName, opaque->reason);
      }
      setLocal(alias->asname.empty() ? alias->name.split('.').first : alias->asname, imported);
    }
    return;
  }
  auto *import = cast<ast::ImportFrom>(statement);
  for (const ast::Alias *alias : import->names) {
    auto value = importName(owner, import, alias->name);
    bool isForeign = !import->level && Host::isForeignModule(import->module);
    if (value && value->object<const Opaque>() && !isForeign)
      guessMissing(import->module);
    if (!value || (value->object<const Opaque>() && !isForeign))
      raise(*this, importErrorName, "'" + alias->name + "' cannot be imported from '" + import->module + "'");
    setLocal(alias->asname.empty() ? alias->name : alias->asname, *value);
  }
}

std::optional<Value> ModuleEvaluator::findModule(StringRef name, unsigned level) {
  if (auto builtin = level ? std::nullopt : findBuiltinModule(name))
    return Value(BuiltinModule{*builtin});
  if (SourceModule *file = loader.find(name, level, SourceModule::of(*frame->module)))
    return Value(file);
  // Of the language itself, all modules are known.
  if (!level && Host::isForeignModule(name) && !name.starts_with("triton.language."))
    return Value::opaque(name.str(),
                         "module '" + name.str() + "' is not available when kernels are compiled");
  return std::nullopt;
}

} // namespace nereid::python
