// What a name means: a local, a variable around a lambda, a global of the file, something imported, or
// Python's own.
//
// A global is evaluated when a kernel first asks for it, in the module it stands in, as Python would have:
// the last binding whose conditions hold. What cannot be known here (`if use_fast_path():`) is taken to be
// false, as files write the general case under `else` or before; a binding that this rules out is still used
// where there is no other. An import under `try` holds if what it imports can be found.
#include "compiler/frontends/python/ConstantFolding.h"
#include "compiler/frontends/python/HostFacts.h"
#include "compiler/frontends/python/MachineFacts.h"
#include "compiler/frontends/python/ModuleScope.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace nereid::python {

[[noreturn]] void Emitter::failUndefined(StringRef name) {
  auto lost = frame->lost.find(name);
  if (lost != frame->lost.end())
    fail(range,
         "name '" + name + "' " + (lost->second.differs ? "may be one of two things here" : "is not defined"),
         {lost->second.range, lost->second.reason});
  // A misspelt name is most often one or two letters away.
  StringRef best;
  unsigned bestDistance = name.size() > 4 ? 3 : 2;
  auto consider = [&](StringRef candidate) {
    unsigned distance = name.edit_distance(candidate, true, bestDistance);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  };
  for (auto &local : frame->locals)
    consider(local.first);
  for (StringRef global : frame->module->getNames())
    consider(global);
  fail("name '" + name + "' is not defined" + (best.empty() ? "" : "; did you mean '" + best.str() + "'?"));
}

Value Emitter::lookup(const ast::Name *name) {
  auto local = frame->locals.find(name->id);
  if (local != frame->locals.end())
    return local->second;
  if (frame->lost.count(name->id))
    failUndefined(name->id);
  if (frame->closure) {
    auto outer = frame->closure->find(name->id);
    if (outer != frame->closure->end())
      return outer->second;
  }
  if (auto global = lookupGlobal(*frame->module, name->id))
    return *global;
  if (auto builtin = lookupPythonBuiltin(name->id))
    return *builtin;
  failUndefined(name->id);
}

std::optional<Value> Emitter::lookupPythonBuiltin(StringRef name) {
  const BuiltinTable &table = BuiltinTable::get();
  std::string qualified = ("py." + name).str();
  if (const Builtin *builtin = table.find(qualified))
    return Value(builtin);
  if (const Value *constant = table.findConstant(qualified))
    return *constant;
  return std::nullopt;
}

/// How many of a name's bindings count: those before the statement that is evaluated, or all where none is.
static size_t countBindings(const SourceModule &owner, ArrayRef<SourceModule::Binding> bindings) {
  if (!owner.asOf)
    return bindings.size();
  size_t before = count_if(bindings, [&](const SourceModule::Binding &binding) {
    return binding.statement->range.Start.getPointer() < owner.asOf;
  });
  return before ? before : bindings.size();
}

std::optional<Value> Emitter::lookupGlobal(SourceModule &owner, StringRef name) {
  const auto *bindings = owner.getBindings(name);
  size_t count = bindings ? countBindings(owner, *bindings) : 0;
  bool isFinal = !bindings || count == bindings->size();
  auto known = owner.values.find(name);
  if (isFinal && known != owner.values.end()) {
    guesses += owner.guessed.contains(name);
    return known->second;
  }
  if (bindings) {
    auto [underWay, isOuter] = owner.underWay.try_emplace(name, count);
    size_t end = std::min(underWay->second, count);
    if (!end)
      fail("the value of '" + name + "' depends on itself");
    scope_exit finish([&, outer = isOuter, before = underWay->second] {
      if (outer)
        owner.underWay.erase(name);
      else
        owner.underWay[name] = before;
    });
    size_t chosen = end;
    for (size_t index = end; index-- > 0;) {
      owner.underWay[name] = index;
      Holds holds = checkGuards(owner, (*bindings)[index]);
      if (holds == Holds::No)
        continue;
      chosen = index;
      if (holds != Holds::Unlikely)
        break;
    }
    if (chosen != end && owner.isRebound(name))
      return Value::opaque(name.str(), "a function assigns it while the program runs");
    if (chosen != end) {
      owner.underWay[name] = chosen;
      unsigned guessesBefore = guesses;
      Value value = [&] {
        ModuleScope scope(*this, owner);
        SaveAndRestore asOf(owner.asOf, (*bindings)[chosen].statement->range.Start.getPointer());
        return evaluateAttempt(owner, name, *bindings, chosen);
      }();
      if (isOuter && isFinal) {
        owner.values[name] = value;
        if (guesses != guessesBefore)
          owner.guessed.insert(name);
      }
      return value;
    }
  }
  for (const ast::ImportFrom *star : owner.getStarImports())
    if (auto value = importName(owner, star, name))
      if (!value->object<const Opaque>()) {
        owner.values[name] = *value;
        return value;
      }
  return std::nullopt;
}

/// `torch.__version__`, `parse(version("triton"))`.
static bool mentionsVersion(const ast::Expression *expression) {
  if (auto *call = dyn_cast<ast::Call>(expression))
    return mentionsVersion(call->func) || any_of(call->args, mentionsVersion);
  if (auto *attribute = dyn_cast<ast::Attribute>(expression))
    return attribute->attr.contains_insensitive("version") || mentionsVersion(attribute->value);
  if (auto *subscript = dyn_cast<ast::Subscript>(expression))
    return mentionsVersion(subscript->value);
  auto *name = dyn_cast<ast::Name>(expression);
  return name && name->id.contains_insensitive("version");
}

/// Whether a condition of a module holds. What cannot be known is taken to be false.
Emitter::Likelihood Emitter::guess(const ast::Expression *test) {
  unsigned guessesBefore = guesses;
  try {
    Value condition = evaluate(test);
    if (!condition.object<const Opaque>() && !condition.isTensor())
      return {condition.isTruthy(), guesses == guessesBefore};
  } catch (Refusal &) {
    // Its parts may tell.
  }
  if (auto *comparison = dyn_cast<ast::Compare>(test); comparison && mentionsVersion(comparison->left)) {
    // Of versions that are not known, those that are compared with are the older ones.
    ast::CmpOp op = comparison->ops[0];
    return {op == ast::CmpOp::Gt || op == ast::CmpOp::GtE, false};
  }
  if (auto *inverted = dyn_cast<ast::UnaryOp>(test); inverted && inverted->op == ast::UnaryOperator::Not)
    return {!guess(inverted->operand).isTrue, false};
  if (auto *both = dyn_cast<ast::BoolOp>(test)) {
    bool isAnd = both->op == ast::BoolOperator::And;
    for (const ast::Expression *part : both->values)
      if (Likelihood likelihood = guess(part); likelihood.isTrue != isAnd)
        return likelihood;
    return {isAnd, false};
  }
  return {false, false};
}

/// Whether these statements import `triton` or `triton.language` itself.
static bool importsTriton(ast::Statements statements) {
  auto isTriton = [](StringRef module) { return module == "triton" || module == "triton.language"; };
  return any_of(statements, [&](const ast::Statement *statement) {
    if (auto *import = dyn_cast<ast::Import>(statement))
      return any_of(import->names, [&](const ast::Alias *alias) { return isTriton(alias->name); });
    auto *import = dyn_cast<ast::ImportFrom>(statement);
    return import && !import->level && isTriton(import->module);
  });
}

/// Whether a condition asks if Triton is there, `if HAS_TRITON: import triton` with stand-ins in the other
/// branch, and then the answer that leads to Triton: where kernels are compiled, it is there, whatever the
/// project's own search (for an active driver, say) would find.
static std::optional<bool> findTritonBranch(const ast::If *conditional) {
  bool inBody = importsTriton(conditional->body);
  if (inBody == importsTriton(conditional->orelse))
    return std::nullopt;
  return inBody;
}

Value Emitter::lookupQualified(SourceModule &file, StringRef text) {
  auto [module, path] = text.contains(':') ? text.split(':') : std::pair(StringRef(), text);
  auto [first, members] = path.split('.');
  std::optional<Value> value;
  // The kernel's own file may be named as a module too, which an import of itself could not be.
  if (module.empty() || loader.find(module, /*level=*/0, file) == &file) {
    value = lookupGlobal(file, first);
    if (!value)
      fail("'" + text + "' is neither a type nor a compile-time value, and '" + file.getPath() +
           "' has nothing of that name");
  } else {
    ast::ImportFrom import{SMRange()};
    import.module = module;
    value = importName(file, &import, first);
    if (!value)
      fail("module '" + module + "' has no '" + first + "'");
  }
  if (auto *opaque = value->object<const Opaque>())
    fail("'" + text + "' cannot be used in a kernel: " + opaque->reason);
  while (!members.empty()) {
    StringRef member;
    std::tie(member, members) = members.split('.');
    value = getAttribute(*value, member);
  }
  return *value;
}

Emitter::Holds Emitter::checkGuards(SourceModule &owner, const SourceModule::Binding &binding) {
  Holds result = Holds::Yes;
  for (const SourceModule::Guard &guard : binding.guards) {
    switch (guard.kind) {
    case SourceModule::Guard::Kind::IfTrue:
    case SourceModule::Guard::Kind::IfFalse: {
      bool wanted = guard.kind == SourceModule::Guard::Kind::IfTrue;
      if (auto answer = findTritonBranch(cast<ast::If>(guard.statement))) {
        if (*answer != wanted)
          return Holds::No;
        break;
      }
      ModuleScope scope(*this, owner);
      Likelihood holds = guess(cast<ast::If>(guard.statement)->test);
      if (holds.isTrue != wanted && holds.isCertain)
        return Holds::No;
      if (!holds.isCertain && result != Holds::Unlikely)
        result = holds.isTrue == wanted ? Holds::Likely : Holds::Unlikely;
      break;
    }
    case SourceModule::Guard::Kind::TryBody:
      if (!isImportable(owner, cast<ast::TryBase>(guard.statement)->body))
        return Holds::No;
      break;
    case SourceModule::Guard::Kind::ExceptHandler:
      // What the handler of a `try` that succeeds binds may still be wanted: see evaluateAttempt.
      if (isImportable(owner, cast<ast::TryBase>(guard.statement)->body))
        result = Holds::Unlikely;
      break;
    }
  }
  return result;
}

bool Emitter::isImportable(SourceModule &owner, ast::Statements statements) {
  for (const ast::Statement *statement : statements) {
    if (auto *import = dyn_cast<ast::Import>(statement)) {
      for (const ast::Alias *alias : import->names)
        if (!findBuiltinModule(alias->name) && !isForeignModule(alias->name) &&
            !loader.find(alias->name, 0, owner))
          return false;
    } else if (auto *import = dyn_cast<ast::ImportFrom>(statement)) {
      if (isForeignModule(import->module) && !import->level)
        continue;
      for (const ast::Alias *alias : import->names) {
        auto value = alias->name == "*" ? std::nullopt : importName(owner, import, alias->name);
        if (!value || value->object<const Opaque>())
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

Value Emitter::importModule(SourceModule &owner, const ast::Import *, const ast::Alias *alias) {
  StringRef top = alias->name.split('.').first;
  StringRef wanted = alias->asname.empty() ? top : alias->name;
  if (auto builtin = findBuiltinModule(wanted))
    return BuiltinModule{*builtin};
  if (SourceModule *file = loader.find(wanted, 0, owner))
    return file;
  if (isForeignModule(wanted))
    return Value::opaque(wanted.str(),
                         "module '" + wanted.str() + "' is not available when kernels are compiled");
  return Value::opaque(wanted.str(),
                       "module '" + wanted.str() + "' was not found" + suggestImportPath(wanted, 0));
}

/// Projects hand Triton's modules around under these names through modules of their own (`from ..compat
/// import triton, tl`), which also choose stand-ins where Triton is not installed, and need not be at hand
/// here.
static std::optional<std::string> findConventionalModule(StringRef name) {
  StringRef module = StringSwitch<StringRef>(name)
                         .Case("triton", "triton")
                         .Case("tl", "triton.language")
                         .Case("libdevice", "triton.language.extra.libdevice")
                         .Default("");
  return module.empty() ? std::nullopt : findBuiltinModule(module);
}

std::optional<Value> Emitter::importName(SourceModule &owner, const ast::ImportFrom *import, StringRef name) {
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
  if (auto fact = import->level ? std::nullopt : findMachineFact(*this, submodule))
    return fact;
  if (auto fact = import->level ? std::nullopt : findHostFact(submodule))
    return fact;
  if (SourceModule *inner = loader.find(submodule, import->level, owner))
    return Value(inner);
  if (auto conventional = findConventionalModule(name))
    return Value(BuiltinModule{*conventional});
  std::string shown = std::string(import->level, '.') + moduleName.str();
  if (isForeignModule(moduleName) && !import->level)
    return Value::opaque(submodule, "module '" + shown +
                                        "', from which it is imported, is not available when "
                                        "kernels are compiled");
  return Value::opaque(name.str(), "module '" + shown + "', from which it is imported, was not found" +
                                       suggestImportPath(moduleName, import->level));
}

std::optional<Value> Emitter::pickTarget(const ast::Expression *target, const Value &value, StringRef name) {
  if (auto *single = dyn_cast<ast::Name>(target)) {
    if (single->id == name)
      return value;
    return std::nullopt;
  }
  ast::Expressions parts;
  if (auto *tuple = dyn_cast<ast::Tuple>(target))
    parts = tuple->elts;
  else if (auto *list = dyn_cast<ast::List>(target))
    parts = list->elts;
  if (parts.empty())
    return std::nullopt;
  std::vector<Value> elements = iterate(*this, value);
  if (elements.size() != parts.size())
    fail(target->range,
         "cannot unpack " + Twine(elements.size()) + " values into " + Twine(parts.size()) + " names");
  for (size_t i = 0; i < parts.size(); ++i)
    if (auto picked = pickTarget(parts[i], elements[i], name))
      return picked;
  return std::nullopt;
}

/// The value of a binding. One under `try` that cannot be known is taken to have failed, so that the value is
/// the one of the first handler that gives one.
Value Emitter::evaluateAttempt(SourceModule &owner, StringRef name, ArrayRef<SourceModule::Binding> bindings,
                               size_t chosen) {
  const ast::Statement *attempt = nullptr;
  for (const SourceModule::Guard &guard : bindings[chosen].guards)
    if (guard.kind == SourceModule::Guard::Kind::TryBody)
      attempt = guard.statement;
  if (!attempt)
    return evaluateBinding(owner, name, bindings[chosen]);
  auto isHandler = [&](const SourceModule::Binding &binding) {
    return any_of(binding.guards, [&](const SourceModule::Guard &guard) {
      return guard.kind == SourceModule::Guard::Kind::ExceptHandler && guard.statement == attempt;
    });
  };
  auto handler = find_if(bindings, isHandler);
  if (handler == bindings.end())
    return evaluateBinding(owner, name, bindings[chosen]);
  try {
    Value value = evaluateBinding(owner, name, bindings[chosen]);
    if (!value.object<const Opaque>())
      return value;
  } catch (Refusal &refusal) {
    if (refusal.message.empty())
      throw;
  }
  ++guesses;
  return evaluateBinding(owner, name, *handler);
}

Value Emitter::evaluateBinding(SourceModule &owner, StringRef name, const SourceModule::Binding &binding) {
  const ast::Statement *statement = binding.statement;
  switch (statement->kind) {
  case ast::NodeKind::FunctionDef:
    return makeFunction(owner, cast<ast::FunctionDef>(statement));
  case ast::NodeKind::ClassDef:
    return makeClass(owner, cast<ast::ClassDef>(statement));
  case ast::NodeKind::Import:
    return importModule(owner, cast<ast::Import>(statement), binding.alias);
  case ast::NodeKind::ImportFrom: {
    auto *import = cast<ast::ImportFrom>(statement);
    if (auto value = importName(owner, import, binding.alias->name))
      return *value;
    auto builtin = import->level ? std::nullopt : findBuiltinModule(import->module);
    return Value::opaque(name.str(), "module '" + import->module.str() + "' has no '" +
                                         binding.alias->name.str() +
                                         (builtin ? "' that is supported yet" : "'"));
  }
  case ast::NodeKind::Assign: {
    auto *node = cast<ast::Assign>(statement);
    Value value = evaluate(node->value);
    for (const ast::Expression *target : node->targets)
      if (auto picked = pickTarget(target, value, name))
        return *picked;
    break;
  }
  case ast::NodeKind::AnnAssign:
    return evaluate(cast<ast::AnnAssign>(statement)->value);
  case ast::NodeKind::AugAssign: {
    auto *node = cast<ast::AugAssign>(statement);
    // The binding before this one is what is added to.
    const auto &bindings = *owner.getBindings(name);
    for (size_t i = 1; i < bindings.size(); ++i)
      if (bindings[i].statement == statement) {
        Value before = evaluateBinding(owner, name, bindings[i - 1]);
        return applyBinary(node->op, before, evaluate(node->value));
      }
    break;
  }
  case ast::NodeKind::AsyncFunctionDef:
    return Value::opaque(name.str(), "it is an async function");
  default:
    break;
  }
  return Value::opaque(name.str(),
                       "it is assigned by a statement that is not evaluated when kernels are compiled");
}

/// The text of a decorator without its arguments: `triton.jit`.
static std::string dottedText(const ast::Expression *expression) {
  if (auto *call = dyn_cast<ast::Call>(expression))
    return dottedText(call->func);
  if (auto *attribute = dyn_cast<ast::Attribute>(expression))
    return dottedText(attribute->value) + "." + attribute->attr.str();
  if (auto *name = dyn_cast<ast::Name>(expression))
    return name->id.str();
  return "…";
}

/// A decorator that makes builtins of a library's own: it sets `__triton_builtin__` of what it returns.
static bool makesBuiltins(const Value &decorator) {
  auto *function = decorator.object<const Function>();
  return function && function->definition &&
         any_of(function->definition->body, [](const ast::Statement *statement) {
           auto *assign = dyn_cast<ast::Assign>(statement);
           return assign && any_of(assign->targets, [](const ast::Expression *target) {
                    auto *attribute = dyn_cast<ast::Attribute>(target);
                    return attribute && attribute->attr == "__triton_builtin__";
                  });
         });
}

Value Emitter::makeFunction(SourceModule &owner, const ast::FunctionDef *definition) {
  auto function = std::make_shared<Function>();
  function->name = definition->name.str();
  function->definition = definition;
  function->module = &owner;
  bool isJit = false, isPlain = definition->decorator_list.empty();
  std::vector<const ast::Expression *> unknown;
  for (const ast::Expression *decorator : definition->decorator_list) {
    auto *call = dyn_cast<ast::Call>(decorator);
    const ast::Expression *callee = call ? call->func : decorator;
    std::string text = dottedText(decorator), meaning;
    try {
      Value value = evaluate(callee);
      if (value.is<const Builtin *>())
        meaning = value.get<const Builtin *>()->name;
      else if (makesBuiltins(value))
        meaning = "tl.builtin";
    } catch (Refusal &) {
      // Not evaluable means not known.
    }
    if (meaning == "tl.extern" || meaning == "tl.builtin") {
      isPlain = true;
      function->isExtern = true;
    } else if (meaning == "triton.jit") {
      isJit = true;
      for (const ast::Keyword *keyword : call ? call->keywords : ArrayRef<const ast::Keyword *>())
        if (keyword->arg == "noinline")
          function->noinline = evaluate(keyword->value).isTruthy();
        else if (keyword->arg == "debug")
          function->debug = evaluate(keyword->value).isTruthy();
    } else if (meaning == "triton.heuristics") {
      const ast::Expression *values = nullptr;
      if (call && !call->args.empty())
        values = call->args[0];
      else if (call && !call->keywords.empty())
        values = call->keywords[0]->value;
      try {
        Value dict = values ? evaluate(values) : Value();
        if (auto *entries = dict.object<DictObject>())
          for (auto &[key, value] : entries->entries)
            if (key.isStr())
              function->heuristics.push_back({key.asStr(), value});
      } catch (Refusal &) {
        // Then the parameters must be given by the specialization.
      }
    } else if (meaning == "triton.constexpr_function") {
      isPlain = true;
      function->isConstexprFunction = true;
    } else if (meaning == "py.staticmethod" || meaning == "py.classmethod" || meaning == "py.property") {
      isPlain = true;
      function->binding = meaning == "py.staticmethod"  ? Function::Binding::Static
                          : meaning == "py.classmethod" ? Function::Binding::OfClass
                                                        : Function::Binding::Property;
    } else if (meaning == "tl.constexpr" || StringRef(text).starts_with("functools.") ||
               text == "lru_cache" || text == "cache") {
      isPlain = true;
    } else if (meaning == "triton.autotune") {
      function->autotune = call;
    } else {
      unknown.push_back(decorator);
    }
  }
  // A decorator that the file defines may come down to one that is known, or to nothing. Or it puts another
  // function in the place of this one, which is then only what a library without that function gets.
  std::optional<Value> replacement;
  erase_if(unknown, [&](const ast::Expression *decorator) {
    try {
      Value decorated = this->call(evaluate(decorator), {{std::shared_ptr<const Function>(function)}, {}});
      auto *result = decorated.object<const Function>();
      if (decorated.is<const Builtin *>() ||
          (result && result->definition != definition && result->kind == Function::Kind::Jit)) {
        replacement = decorated;
        return true;
      }
      if (!result || result->definition != definition)
        return false;
      isJit |= result->kind == Function::Kind::Jit;
      isPlain |= result->kind == Function::Kind::CompileTime;
      function = std::make_shared<Function>(*result);
      return true;
    } catch (Refusal &) {
      return false;
    }
  });
  if (replacement)
    return *replacement;
  // A project's own autotuner is known by its configurations.
  erase_if(unknown, [&](const ast::Expression *decorator) {
    auto *tuner = dyn_cast<ast::Call>(decorator);
    bool hasConfigs = tuner && any_of(tuner->keywords,
                                      [](const ast::Keyword *keyword) { return keyword->arg == "configs"; });
    if (hasConfigs && !function->autotune)
      function->autotune = tuner;
    // TorchInductor's, which choose block sizes by the size of a problem, say so with the types of the
    // arguments.
    bool isInductor = tuner && any_of(tuner->keywords, [](const ast::Keyword *keyword) {
                        return keyword->arg == "triton_meta";
                      });
    return hasConfigs || isInductor;
  });
  if (warns)
    for (const ast::Expression *decorator : unknown)
      diagnostics.warning(decorator->range,
                          "decorator '" + dottedText(decorator) + "' is not known and is ignored");
  // A kernel wrapped by nothing but a library's own decorator is still meant to be a kernel.
  if (isJit || (!isPlain && !unknown.empty()))
    function->kind = Function::Kind::Jit;
  return std::shared_ptr<const Function>(std::move(function));
}

Value Emitter::makeMethod(SourceModule &owner, const ast::FunctionDef *definition, StringRef className) {
  Value function = makeFunction(owner, definition);
  auto method = std::make_shared<Function>(*function.object<const Function>());
  method->name = (className + "." + method->name).str();
  method->isMethod = true;
  return std::shared_ptr<const Function>(std::move(method));
}

std::optional<Value> Emitter::lookupMember(StringRef builtinModule, StringRef name) {
  if (auto submodule = findBuiltinModule((builtinModule + "." + name).str()))
    return Value(BuiltinModule{*submodule});
  const BuiltinTable &table = BuiltinTable::get();
  auto findIn = [&](StringRef prefix) -> std::optional<Value> {
    std::string qualified = (prefix + "." + name).str();
    if (const Builtin *builtin = table.find(qualified))
      return Value(builtin);
    if (const Value *constant = table.findConstant(qualified))
      return *constant;
    return std::nullopt;
  };
  if (auto native = findIn(builtinModule))
    return native;
  if (builtinModule == "tl" || builtinModule == "tl.math") {
    if (builtinModule == "tl.math")
      if (auto native = findIn("tl"))
        return native;
    SourceModule &prelude = loader.getPrelude();
    // What the prelude imports is not part of the language.
    const auto *bindings = prelude.getBindings(name);
    if (bindings && isa<ast::FunctionDef>(bindings->back().statement))
      return lookupGlobal(prelude, name);
    if (builtinModule == "tl.math")
      return findIn("libdevice");
  }
  return std::nullopt;
}

} // namespace nereid::python
