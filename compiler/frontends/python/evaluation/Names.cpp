// What a name means in a function: a local, a variable around a lambda, a global of the file, or Python's
// own.
#include "compiler/frontends/python/evaluation/Evaluator.h"

using namespace llvm;

namespace nereid::python {

[[noreturn]] void Evaluator::failUndefined(StringRef name) {
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
  for (StringRef global : getGlobalNames(*frame->module))
    consider(global);
  fail("name '" + name + "' is not defined" + (best.empty() ? "" : "; did you mean '" + best.str() + "'?"));
}

Value Evaluator::lookup(const ast::Name *name) {
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

std::optional<Value> Evaluator::lookupPythonBuiltin(StringRef name) {
  std::string qualified = ("py." + name).str();
  if (const Builtin *builtin = builtins.find(qualified))
    return Value(builtin);
  if (const Value *constant = builtins.findConstant(qualified))
    return *constant;
  return std::nullopt;
}

} // namespace nereid::python
