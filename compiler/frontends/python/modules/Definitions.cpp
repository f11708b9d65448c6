// Names that the user defines, `-D NAME=VALUE`. The value is an expression of Python, evaluated where the
// name stands: `64`, `"text"`, `tl.float16`, `(1, 2)`, `lambda: True`, the name of something in the file. The
// name of a dtype alone, `float16`, is that dtype, as it is in a signature.
#include "compiler/frontends/python/evaluation/ModuleScope.h"
#include "compiler/frontends/python/modules/ModuleEvaluator.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace nereid::python {

void ModuleEvaluator::define(SourceModule &file, ArrayRef<Definition> definitions) {
  for (const Definition &definition : definitions) {
    SourceModule *owner = definition.module.empty() ? &file : loader.find(definition.module, 0, file);
    if (!owner)
      fail(definition.range, "module '" + definition.module + "' was not found");
    const ast::Expression *value = loader.parseExpression(definition.value);
    if (!value)
      fail(rangeOf(definition.value.rtrim()), "the value of '" + definition.name + "' must be an expression");
    owner->defined[definition.name].value = value;
  }
}

std::optional<Value> ModuleEvaluator::findDefined(SourceModule &owner, StringRef name) {
  auto found = owner.defined.find(name);
  if (found == owner.defined.end() || found->second.isUnderWay)
    return std::nullopt;
  SourceModule::Defined &defined = found->second;
  if (defined.isUsed)
    if (auto known = owner.values.find(name); known != owner.values.end())
      return known->second;
  SaveAndRestore underWay(defined.isUnderWay, true);
  ModuleScope scope(*this, owner);
  auto *bare = dyn_cast<ast::Name>(defined.value);
  std::optional<Value> value;
  if (bare) {
    PositionScope position(*this, bare->range);
    value = lookupGlobal(owner, bare->id);
    if (!value)
      value = lookupPythonBuiltin(bare->id);
    if (!value)
      if (auto kind = parseScalarKind(bare->id))
        value = Value(Type(*kind));
    if (!value)
      fail("name '" + bare->id + "' is not defined; a string is written with quotes, '" + name + "=\"" +
           bare->id + "\"'");
  } else {
    value = evaluate(defined.value);
  }
  defined.isUsed = true;
  owner.values[name] = *value;
  owner.guessesOf.erase(name);
  owner.guessed.erase(name);
  return value;
}

void ModuleEvaluator::checkDefinitions(SourceModule &file, ArrayRef<Definition> definitions) {
  for (const Definition &definition : definitions) {
    SourceModule *owner = definition.module.empty() ? &file : loader.find(definition.module, 0, file);
    if (owner->getBindings(definition.name) || owner->defined[definition.name].isUsed)
      continue;
    StringRef best;
    unsigned bestDistance = definition.name.size() > 4 ? 3 : 2;
    std::vector<StringRef> names = owner->getNames();
    llvm::sort(names);
    for (StringRef name : names) {
      unsigned distance = StringRef(definition.name).edit_distance(name, true, bestDistance);
      if (distance < bestDistance) {
        bestDistance = distance;
        best = name;
      }
    }
    diagnostics.error(definition.range, "'" + owner->getPath() + "' has no module-level name '" +
                                            definition.name + "'" +
                                            (best.empty() ? "" : "; did you mean '" + best.str() + "'?"));
  }
}

} // namespace nereid::python
