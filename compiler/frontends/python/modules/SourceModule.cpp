// Indexing a file's bindings, and finding the files that imports name.
#include "compiler/frontends/python/modules/SourceModule.h"

#include "compiler/frontends/python/evaluation/Context.h"
#include "compiler/frontends/python/prelude/Prelude.h"
#include "compiler/frontends/python/syntax/AstQueries.h"
#include "compiler/frontends/python/syntax/AstWalk.h"
#include "compiler/frontends/python/syntax/Parser.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace nereid::python {

SourceModule::SourceModule(std::string path, const ast::Module &tree, FilesRead &files)
    : ModuleObject(std::move(path)), files(files) {
  SmallVector<Guard, 2> guards;
  index(tree.body, guards);
  for (const ast::Statement *statement : tree.body)
    if (!isa<ast::FunctionBase, ast::ClassDef>(statement))
      findChanges(statement);
}

std::string SourceModule::getDottedName() const {
  StringRef folder = sys::path::parent_path(path), stem = sys::path::stem(path);
  std::string name = stem == "__init__" ? "" : stem.str();
  for (; files.isPackage(folder); folder = sys::path::parent_path(folder))
    name = sys::path::filename(folder).str() + (name.empty() ? "" : "." + name);
  return name;
}

const std::vector<SourceModule::Binding> *SourceModule::getBindings(StringRef name) const {
  auto found = bindings.find(name);
  return found == bindings.end() ? nullptr : &found->second;
}

std::vector<StringRef> SourceModule::getNames() const {
  std::vector<StringRef> names;
  for (const auto &entry : bindings)
    names.push_back(entry.first());
  return names;
}

ArrayRef<const ast::Node *> SourceModule::getChanges(StringRef name) const {
  auto found = changes.find(name);
  return found == changes.end() ? ArrayRef<const ast::Node *>() : ArrayRef(found->second);
}

void SourceModule::findChanges(const ast::Node *tree) {
  auto add = [&](const ast::Expression *changed, const ast::Node *by) {
    if (auto *name = dyn_cast<ast::Name>(changed))
      changes[name->id].push_back(by);
  };
  ast::walkScope(tree, [&](const ast::Node *node) {
    if (auto *call = dyn_cast<ast::Call>(node)) {
      auto *method = dyn_cast<ast::Attribute>(call->func);
      if (method && StringSwitch<bool>(method->attr)
                        .Cases({"append", "extend", "insert", "remove", "pop", "clear"}, true)
                        .Cases({"sort", "reverse", "add", "discard", "update", "setdefault"}, true)
                        .Default(false))
        add(method->value, node);
    }
    if (auto *element = dyn_cast<ast::Subscript>(node); element && element->ctx != ast::ExprContext::Load)
      add(element->value, node);
    return true;
  });
}

void SourceModule::findRebound(const ast::Node *definition) {
  ast::walk(definition, [&](const ast::Node *node) {
    ast::Statements body;
    if (auto *function = dyn_cast<ast::FunctionBase>(node))
      body = function->body;
    else if (auto *type = dyn_cast<ast::ClassDef>(node))
      body = type->body;
    for (const ast::Statement *statement : body)
      ast::walkScope(statement, [&](const ast::Node *inner) {
        if (auto *global = dyn_cast<ast::Global>(inner))
          for (StringRef name : global->names)
            rebound[name].push_back(body);
        return true;
      });
    return true;
  });
}

/// The only statement of a body, or of what it does under conditions, that binds the name; or null.
static const ast::Statement *findOnlyBinding(ast::Statements body, StringRef name) {
  SmallVector<const ast::Statement *> found;
  for (const ast::Statement *statement : body)
    ast::walkScope(statement, [&](const ast::Node *node) {
      auto *inner = dyn_cast<ast::Statement>(node);
      if (inner && !isa<ast::If, ast::With, ast::TryBase>(inner) &&
          is_contained(ast::findAssignedNames(inner), name))
        found.push_back(inner);
      return true;
    });
  return found.size() == 1 ? found.front() : nullptr;
}

std::optional<SourceModule::Binding> SourceModule::findLateImport(StringRef name) const {
  auto found = rebound.find(name);
  if (found == rebound.end() || found->second.size() != 1)
    return std::nullopt;
  ast::Statements body = found->second.front();
  const ast::Statement *binding = findOnlyBinding(body, name);
  if (auto *assignment = dyn_cast_or_null<ast::Assign>(binding)) {
    auto *imported = dyn_cast<ast::Name>(assignment->value);
    if (assignment->targets.size() != 1 || !isa<ast::Name>(assignment->targets.front()) || !imported)
      return std::nullopt;
    name = imported->id;
    binding = findOnlyBinding(body, name);
  }
  auto bound = [&](ArrayRef<const ast::Alias *> aliases) -> std::optional<Binding> {
    for (const ast::Alias *alias : aliases)
      if ((alias->asname.empty() ? alias->name : alias->asname) == name)
        return Binding{binding, alias, {}};
    return std::nullopt;
  };
  if (auto *import = dyn_cast_or_null<ast::ImportFrom>(binding))
    return bound(import->names);
  if (auto *import = dyn_cast_or_null<ast::Import>(binding))
    return bound(import->names);
  return std::nullopt;
}

void SourceModule::index(ast::Statements statements, SmallVectorImpl<Guard> &guards) {
  auto under = [&](Guard guard, ast::Statements body) {
    guards.push_back(guard);
    index(body, guards);
    guards.pop_back();
  };
  auto add = [&](StringRef name, const ast::Statement *statement, const ast::Alias *alias = nullptr) {
    bindings[name].push_back({statement, alias, SmallVector<Guard, 2>(guards.begin(), guards.end())});
  };
  auto addAll = [&](const ast::Node *part, const ast::Statement *statement) {
    for (StringRef name : ast::findAssignedNames(part))
      add(name, statement);
  };
  for (const ast::Statement *statement : statements) {
    switch (statement->kind) {
    case ast::NodeKind::FunctionDef:
    case ast::NodeKind::AsyncFunctionDef:
      add(cast<ast::FunctionBase>(statement)->name, statement);
      findRebound(statement);
      break;
    case ast::NodeKind::ClassDef:
      add(cast<ast::ClassDef>(statement)->name, statement);
      findRebound(statement);
      break;
    case ast::NodeKind::AnnAssign:
      if (cast<ast::AnnAssign>(statement)->value)
        addAll(statement, statement);
      break;
    case ast::NodeKind::Import:
      for (const ast::Alias *alias : cast<ast::Import>(statement)->names)
        add(alias->asname.empty() ? alias->name.split('.').first : alias->asname, statement, alias);
      break;
    case ast::NodeKind::ImportFrom: {
      auto *import = cast<ast::ImportFrom>(statement);
      for (const ast::Alias *alias : import->names) {
        if (alias->name == "*")
          starImports.push_back(import);
        else
          add(alias->asname.empty() ? alias->name : alias->asname, statement, alias);
      }
      break;
    }
    case ast::NodeKind::If: {
      auto *conditional = cast<ast::If>(statement);
      addAll(conditional->test, statement);
      under({Guard::Kind::IfTrue, statement}, conditional->body);
      under({Guard::Kind::IfFalse, statement}, conditional->orelse);
      break;
    }
    case ast::NodeKind::Try:
    case ast::NodeKind::TryStar: {
      auto *attempt = cast<ast::TryBase>(statement);
      under({Guard::Kind::TryBody, statement}, attempt->body);
      for (const ast::ExceptHandler *handler : attempt->handlers)
        under({Guard::Kind::ExceptHandler, statement}, handler->body);
      under({Guard::Kind::TryBody, statement}, attempt->orelse);
      index(attempt->finalbody, guards);
      break;
    }
    case ast::NodeKind::With:
      for (const ast::WithItem *item : cast<ast::With>(statement)->items)
        addAll(item, statement);
      index(cast<ast::With>(statement)->body, guards);
      break;
    default:
      // Assignments; and loops and the like, which are never evaluated, but what they bind must not look
      // undefined.
      addAll(statement, statement);
      break;
    }
  }
}

SourceModule *ModuleLoader::parse(StringRef path, StringRef text) {
  const ast::Module *tree = parseModule(trees, text, diagnostics);
  if (!tree)
    throw Refusal();
  auto &slot = modules[path];
  slot = std::make_unique<SourceModule>(path.str(), *tree, files);
  return slot.get();
}

const ast::Expression *ModuleLoader::parseExpression(StringRef text) {
  const ast::Module *tree = parseModule(trees, text, diagnostics);
  if (!tree)
    throw Refusal();
  auto *statement = tree->body.size() == 1 ? dyn_cast<ast::Expr>(tree->body.front()) : nullptr;
  return statement ? statement->value : nullptr;
}

SourceModule *ModuleLoader::loadFile(StringRef path) {
  auto known = modules.find(path);
  if (known != modules.end())
    return known->second.get();
  StringRef text = diagnostics.addFile(path);
  if (!text.data())
    return nullptr;
  files.addRead(path, text);
  return parse(path, text);
}

SourceModule &ModuleLoader::getPrelude() {
  if (!prelude)
    prelude = parse("triton/language/prelude.py",
                    diagnostics.addSource("triton/language/prelude.py", getPreludeText()));
  return *prelude;
}

SourceModule &ModuleLoader::getLibdevice() {
  if (!libdevice)
    libdevice = parse("triton/language/libdevice.py",
                      diagnostics.addSource("triton/language/libdevice.py", getLibdeviceText()));
  return *libdevice;
}

SourceModule *ModuleLoader::find(StringRef dottedName, unsigned level, const SourceModule &importer) {
  if (isPrelude(&importer))
    return nullptr;
  SmallVector<StringRef, 4> parts;
  if (!dottedName.empty())
    dottedName.split(parts, '.');
  SmallString<128> importerFolder(importer.getPath());
  sys::path::remove_filename(importerFolder);
  if (importerFolder.empty())
    importerFolder = ".";

  std::vector<std::string> roots;
  if (level) {
    SmallString<128> folder = importerFolder;
    for (unsigned i = 1; i < level; ++i)
      sys::path::append(folder, "..");
    roots.push_back(folder.str().str());
  } else {
    roots.push_back(importerFolder.str().str());
    // `from liger_kernel.ops.utils import f` in …/liger_kernel/ops/layer_norm.py: the folder above the
    // outermost one of that name is what Python would have had on its path.
    if (!parts.empty())
      append_range(roots, files.findParents(parts.front(), importerFolder));
    roots.insert(roots.end(), importPaths.begin(), importPaths.end());
  }
  for (const std::string &root : roots) {
    SmallString<128> base(root);
    for (StringRef part : parts)
      sys::path::append(base, part);
    SmallString<128> file = base;
    if (!parts.empty()) {
      file += ".py";
      if (files.isThere(file))
        return loadFile(sys::path::remove_leading_dotslash(file));
    }
    file = base;
    sys::path::append(file, "__init__.py");
    if (files.isThere(file))
      return loadFile(sys::path::remove_leading_dotslash(file));
  }
  return level ? nullptr : findStandIn(dottedName);
}

SourceModule *ModuleLoader::findStandIn(StringRef dottedName) {
  // PyTorch had it in its first place until 2.4.
  if (dottedName != "torch._inductor.runtime.triton_helpers" &&
      dottedName != "torch._inductor.triton_helpers")
    return nullptr;
  if (!inductorHelpers)
    inductorHelpers =
        parse("torch/_inductor/runtime/triton_helpers.py",
              diagnostics.addSource("torch/_inductor/runtime/triton_helpers.py", getInductorText()));
  return inductorHelpers;
}

} // namespace nereid::python
