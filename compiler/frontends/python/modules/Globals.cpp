// The values of a module's own names.
#include "compiler/frontends/python/evaluation/ModuleScope.h"
#include "compiler/frontends/python/modules/KnownModules.h"
#include "compiler/frontends/python/modules/ModuleEvaluator.h"
#include "compiler/frontends/python/syntax/AstQueries.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace nereid::python {

/// How many of a name's bindings count: those before the statement that is evaluated, or all where none is.
static size_t countBindings(const SourceModule &owner, ArrayRef<SourceModule::Binding> bindings) {
  if (!owner.asOf)
    return bindings.size();
  size_t before = count_if(bindings, [&](const SourceModule::Binding &binding) {
    return binding.statement->range.Start.getPointer() < owner.asOf;
  });
  return before ? before : bindings.size();
}

std::optional<Value> ModuleEvaluator::lookupGlobal(ModuleObject &module, StringRef name) {
  SourceModule &owner = SourceModule::of(module);
  size_t mark = guessed.mark();
  std::optional<Value> value = [&] {
    SaveAndRestore depth(lookupDepth, lookupDepth + 1);
    std::optional<Value> defined = findDefined(owner, name);
    return defined ? defined : findGlobal(owner, name);
  }();
  if (value && !lookupDepth)
    guessed.attribute(mark, name, owner.isMain ? "" : owner.getDottedName(), *value);
  return value;
}

/// Whether there would be another binding to take if a guess had come out otherwise.
bool ModuleEvaluator::hasAlternative(SourceModule &owner, StringRef name,
                                     ArrayRef<SourceModule::Binding> bindings, size_t chosen) {
  for (size_t index = 0; index < bindings.size(); ++index) {
    size_t mark = guessed.mark();
    owner.underWay[name] = index;
    bool isPossible =
        index != chosen && (checkGuards(owner, bindings[index]) != Holds::No || guessed.mark() != mark);
    guessed.forget(mark);
    if (isPossible)
      return true;
  }
  return false;
}

/// What a list was made of is all that is known of it.
void ModuleEvaluator::guessUnchanged(SourceModule &owner, StringRef name,
                                     const SourceModule::Binding &binding, const Value &value) {
  auto *tuple = value.object<TupleObject>();
  if (!(tuple && (tuple->isList || tuple->isSet)) && !value.object<DictObject>())
    return;
  const char *from = binding.statement->range.Start.getPointer();
  for (const ast::Node *change : owner.getChanges(name)) {
    const char *at = change->range.Start.getPointer();
    if (at < from || (owner.asOf && at >= owner.asOf))
      continue;
    ++guesses;
    guessed.make(change->range,
                 quoteSource(change->range) +
                     " is not evaluated when kernels are compiled and is taken to change nothing");
    return;
  }
}

/// A name that functions rebind means what the program has made of it. If it is None until a function imports
/// it, as in modules that import one another, whoever uses it has called that function.
Value ModuleEvaluator::evaluateRebound(SourceModule &owner, StringRef name,
                                       const SourceModule::Binding &binding) {
  std::optional<SourceModule::Binding> import = owner.findLateImport(name);
  ModuleScope scope(*this, owner);
  if (!import || !evaluateBinding(owner, name, binding).isNone())
    return Value::opaque(name.str(), "a function assigns it while the program runs");
  SMRange range = import->statement->range;
  guessed.make(range, quoteSource(range) + " in a function is taken to have run");
  return evaluateBinding(owner, name, *import);
}

std::optional<Value> ModuleEvaluator::findGlobal(SourceModule &owner, StringRef name) {
  const auto *bindings = owner.getBindings(name);
  size_t count = bindings ? countBindings(owner, *bindings) : 0;
  bool isFinal = !bindings || count == bindings->size();
  auto known = owner.values.find(name);
  if (isFinal && known != owner.values.end()) {
    guesses += owner.guessed.contains(name);
    guessed.repeat(owner.guessesOf.lookup(name));
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
    size_t chosen = end, mark = guessed.mark();
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
      return evaluateRebound(owner, name, (*bindings)[chosen]);
    if (chosen != end) {
      if (guessed.mark() != mark && !hasAlternative(owner, name, ArrayRef(*bindings).take_front(end), chosen))
        guessed.forget(mark);
      owner.underWay[name] = chosen;
      unsigned guessesBefore = guesses;
      Value value = [&] {
        ModuleScope scope(*this, owner);
        SaveAndRestore asOf(owner.asOf, (*bindings)[chosen].statement->range.Start.getPointer());
        return evaluateAttempt(owner, name, *bindings, chosen);
      }();
      guessUnchanged(owner, name, (*bindings)[chosen], value);
      if (isOuter && isFinal) {
        owner.values[name] = value;
        if (guesses != guessesBefore)
          owner.guessed.insert(name);
        if (guessed.mark() != mark)
          owner.guessesOf[name] = guessed.since(mark);
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

std::optional<Value> ModuleEvaluator::pickTarget(const ast::Expression *target, const Value &value,
                                                 StringRef name) {
  std::optional<Value> picked;
  // Only what is taken apart for the name need be known.
  if (is_contained(ast::findAssignedNames(target), name))
    unpack(target, value, [&](const ast::Expression *part, const Value &element) {
      if (auto *single = dyn_cast<ast::Name>(part); single && single->id == name)
        picked = element;
    });
  return picked;
}

/// The value of a binding. One under `try` that cannot be known is taken to have failed, so that the value is
/// the one of the first handler that gives one.
Value ModuleEvaluator::evaluateAttempt(SourceModule &owner, StringRef name,
                                       ArrayRef<SourceModule::Binding> bindings, size_t chosen) {
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
  size_t mark = guessed.mark();
  std::string reason;
  try {
    Value value = evaluateBinding(owner, name, bindings[chosen]);
    auto *opaque = value.object<const Opaque>();
    if (!opaque)
      return value;
    reason = opaque->reason;
  } catch (Refusal &refusal) {
    if (refusal.message.empty())
      throw;
    reason = refusal.message;
  }
  ++guesses;
  guessed.forget(mark);
  // Of the language it is certain what there is.
  auto *import = dyn_cast<ast::ImportFrom>(bindings[chosen].statement);
  if (import && !import->level && findBuiltinModule(import->module))
    return evaluateBinding(owner, name, *handler);
  SMRange range = bindings[chosen].statement->range;
  guessed.make(range, quoteSource(range) + " cannot be followed here and is taken to fail", reason);
  return evaluateBinding(owner, name, *handler);
}

Value ModuleEvaluator::evaluateBinding(SourceModule &owner, StringRef name,
                                       const SourceModule::Binding &binding) {
  const ast::Statement *statement = binding.statement;
  switch (statement->kind) {
  case ast::NodeKind::FunctionDef:
    return makeFunction(owner, cast<ast::FunctionDef>(statement));
  case ast::NodeKind::ClassDef:
    return makeClass(owner, cast<ast::ClassDef>(statement));
  case ast::NodeKind::Import:
    return importModule(owner, binding.alias);
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

std::vector<StringRef> ModuleEvaluator::getGlobalNames(const ModuleObject &module) {
  return static_cast<const SourceModule &>(module).getNames();
}

Host::Likelihood ModuleEvaluator::judge(const ast::Expression *test) {
  auto evaluatePart = [&](const ast::Expression *part,
                          std::string &reason) -> std::optional<Host::Likelihood> {
    unsigned guessesBefore = guesses;
    try {
      Value condition = evaluate(part);
      auto *opaque = condition.object<const Opaque>();
      if (!opaque && !condition.isTensor())
        return Host::Likelihood{condition.isTruthy(), guesses == guessesBefore};
      if (opaque)
        reason = "'" + opaque->name + "' is not known: " + opaque->reason;
    } catch (Refusal &refusal) {
      // Its parts may tell.
      if (refusal.message.empty())
        throw;
      reason = refusal.message;
    }
    return std::nullopt;
  };
  return Host::guess(test, evaluatePart, guessed);
}

bool ModuleEvaluator::guess(const ast::Expression *condition) { return judge(condition).isTrue; }

ModuleEvaluator::Holds ModuleEvaluator::checkGuard(SourceModule &owner, const SourceModule::Guard &guard) {
  switch (guard.kind) {
  case SourceModule::Guard::Kind::IfTrue:
  case SourceModule::Guard::Kind::IfFalse: {
    bool wanted = guard.kind == SourceModule::Guard::Kind::IfTrue;
    if (auto answer = Host::findTritonBranch(cast<ast::If>(guard.statement)))
      return *answer == wanted ? Holds::Yes : Holds::No;
    ModuleScope scope(*this, owner);
    Host::Likelihood holds = judge(cast<ast::If>(guard.statement)->test);
    if (holds.isCertain)
      return holds.isTrue == wanted ? Holds::Yes : Holds::No;
    return holds.isTrue == wanted ? Holds::Likely : Holds::Unlikely;
  }
  case SourceModule::Guard::Kind::TryBody:
    return isImportable(owner, cast<ast::TryBase>(guard.statement)->body) ? Holds::Yes : Holds::No;
  case SourceModule::Guard::Kind::ExceptHandler:
    // What the handler of a `try` that succeeds binds may still be wanted: see evaluateAttempt.
    return isImportable(owner, cast<ast::TryBase>(guard.statement)->body) ? Holds::Unlikely : Holds::Yes;
  }
  llvm_unreachable("all kinds are listed");
}

ModuleEvaluator::Holds ModuleEvaluator::checkGuards(SourceModule &owner,
                                                    const SourceModule::Binding &binding) {
  Holds result = Holds::Yes;
  for (const SourceModule::Guard &guard : binding.guards) {
    Holds holds = checkGuard(owner, guard);
    if (holds == Holds::No)
      return Holds::No;
    if (holds != Holds::Yes && result != Holds::Unlikely)
      result = holds;
  }
  return result;
}

const SourceModule::Guard *ModuleEvaluator::findUntakenBranch(SourceModule &owner,
                                                              const SourceModule::Binding &binding) {
  auto *guard = find_if(binding.guards, [&](const SourceModule::Guard &guard) {
    Holds holds = isa<ast::If>(guard.statement) ? checkGuard(owner, guard) : Holds::Yes;
    return holds == Holds::No || holds == Holds::Unlikely;
  });
  return guard == binding.guards.end() ? nullptr : guard;
}

std::optional<Value> ModuleEvaluator::findFact(StringRef name) {
  if (name == "torch.__version__")
    guessed.make(range, quoteSource(range) + " is taken to be 2.10.0");
  return host.findFact(name);
}

std::optional<Value> ModuleEvaluator::lookupMember(StringRef builtinModule, StringRef name) {
  if (auto submodule = findBuiltinModule((builtinModule + "." + name).str()))
    return Value(BuiltinModule{*submodule});
  auto findIn = [&](StringRef prefix) -> std::optional<Value> {
    std::string qualified = (prefix + "." + name).str();
    if (const Builtin *builtin = builtins.find(qualified))
      return Value(builtin);
    if (const Value *constant = builtins.findConstant(qualified))
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

std::optional<Value> ModuleEvaluator::findModuleAttribute(ModuleObject &module, StringRef name) {
  SourceModule &file = SourceModule::of(module);
  // Of PyTorch's own folder, what depends on the machine is not read either.
  std::string path = file.getDottedName() + "." + name.str();
  if (auto fact = Host::isForeignModule(path) ? findFact(path) : std::nullopt)
    return fact;
  if (auto value = lookupGlobal(file, name))
    return value;
  if (SourceModule *submodule = loader.find(name, 1, file))
    return Value(submodule);
  // `from torch._C import *`: what a module takes from one that is not there could be anything.
  for (const ast::ImportFrom *star : file.getStarImports())
    if (!loader.find(star->module, star->level, file) && (star->level || !findBuiltinModule(star->module)))
      return Value::opaque(file.getDottedName() + "." + name.str(),
                           "it is not defined in the Python part of '" + file.getDottedName() + "'");
  return std::nullopt;
}

Value ModuleEvaluator::getUnknownAttribute(const Opaque &object, StringRef name) {
  std::string path = object.name + "." + name.str();
  if (auto fact = findFact(path))
    return *fact;
  return Value::opaque(std::move(path), object.reason);
}

Value ModuleEvaluator::lookupQualified(SourceModule &file, StringRef text) {
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

} // namespace nereid::python
