// Names first: which function, which arguments, which of them are the key. Then each case's key.
#include "aot/tuning/TuningPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace llvm;

namespace nereid {

std::string describeValues(const std::map<std::string, int64_t> &values) {
  std::string text;
  for (const auto &[name, value] : values)
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
  return text;
}

std::string TuningTask::describe() const {
  return function->name + (values.empty() ? "" : " " + describeValues(values));
}

Expected<int64_t> evaluate(const GridExpression &expression, const TuningTask &task) {
  auto result = expression.evaluateAll(task.values);
  if (!result)
    return result.takeError();
  return result->front();
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

namespace {

/// One group of cases for one function.
class GroupPlanner {
public:
  GroupPlanner(const TuningGroup &group, const TunableFunction &function, Diagnostics &diagnostics)
      : group(group), function(function), diagnostics(diagnostics) {}

  bool checkNames() {
    for (const auto &[name, argument] : group.arguments)
      if (!function.findArgument(name))
        return refuse(argument.range, "'" + function.name + "' has no argument '" + name + "': it has " +
                                          listArguments([](const TunableArgument &) { return true; }));
    for (const TunableArgument &argument : function.arguments)
      if (!checkArgument(argument))
        return false;
    if (!function.hasGrid && !group.grid)
      return refuse(group.range, "'" + function.name +
                                     "' has no grid of its own: add \"grid\", expressions over the values");
    return chooseKey();
  }

  /// Adds all cases.
  bool addTasks(std::vector<TuningTask> &tasks) {
    std::map<std::map<std::string, int64_t>, uint64_t> seen;
    for (uint64_t number = 0; number < group.countCases(); ++number) {
      TuningTask &task = tasks.emplace_back();
      task.group = &group;
      task.function = &function;
      task.values = group.getCase(number);
      for (StringRef name : key)
        if (!addToKey(name, task))
          return false;
      auto [other, isNew] = seen.try_emplace(task.key, number);
      if (!isNew)
        return refuse(group.key && !key.empty() ? rangeOf(key.front()) : group.range,
                      "the cases " + describeValues(group.getCase(other->second)) + " and " +
                          describeValues(task.values) + " have the same key, {" + describeValues(task.key) +
                          "}: \"key\" has to name an integer argument in which they differ");
    }
    return true;
  }

private:
  bool refuse(SMRange range, const Twine &message) {
    diagnostics.error(range, message);
    return false;
  }

  std::string listArguments(function_ref<bool(const TunableArgument &)> isListed) const {
    std::vector<std::string> names;
    for (const TunableArgument &argument : function.arguments)
      if (isListed(argument))
        names.push_back("'" + argument.name + "'");
    return names.empty() ? "none" : join(names, ", ");
  }

  bool isValue(StringRef name) const {
    return any_of(group.values, [&](const auto &value) { return value.first == name; });
  }

  bool checkArgument(const TunableArgument &argument) {
    using Kind = TunableArgument::Kind;
    auto found = group.arguments.find(argument.name);
    if (found == group.arguments.end()) {
      if (!isValue(argument.name))
        return refuse(group.range, "'" + function.name + "' takes '" + argument.name + "' (" + argument.type +
                                       "), which is neither among the \"values\" nor the \"arguments\"");
      if (argument.kind == Kind::Pointer || argument.kind == Kind::Text || argument.kind == Kind::DType)
        return refuse(group.range, "'" + argument.name + "' of '" + function.name + "' is a " +
                                       (argument.kind == Kind::Pointer ? "tensor" : argument.type) +
                                       " and cannot be a value: it belongs to the \"arguments\"");
      return true;
    }
    const TuningArgument &given = found->second;
    bool isNumber = given.expression || given.number;
    bool fits = false;
    const char *expected = "";
    switch (argument.kind) {
    case Kind::Pointer:
      fits = given.isTensor() || given.isNull();
      expected = "a tensor, {\"shape\": […]}, or null";
      break;
    case Kind::Number:
      fits = isNumber;
      expected = "a number or an expression";
      break;
    case Kind::Text:
      fits = given.text || given.isNull();
      expected = "{\"text\": …} or null";
      break;
    case Kind::DType:
      fits = given.dtype || given.isNull();
      expected = "{\"dtype\": …} or null";
      break;
    case Kind::OptionalInteger:
    case Kind::OptionalFloat:
      fits = isNumber || given.isNull();
      expected = "a number, an expression or null";
      break;
    }
    if (!fits)
      return refuse(given.range, "'" + argument.name + "' of '" + function.name + "' is " + argument.type +
                                     ": expected " + expected);
    bool needsInteger = argument.isInteger() || argument.kind == Kind::OptionalInteger;
    // A boolean has a number and no expression.
    if (needsInteger && argument.element != ScalarKind::Int1 && given.number && !given.expression &&
        *given.number != 0 && *given.number != 1)
      return refuse(given.range, "'" + argument.name + "' of '" + function.name + "' is " + argument.type +
                                     ": expected an integer");
    return true;
  }

  bool chooseKey() {
    auto isInteger = [](const TunableArgument &argument) { return argument.isInteger(); };
    if (!group.key) {
      for (const TunableArgument &argument : function.arguments)
        if (argument.isInteger() && isValue(argument.name))
          key.push_back(argument.name);
      return true;
    }
    for (StringRef name : *group.key) {
      const TunableArgument *argument = function.findArgument(name);
      if (!argument || !argument->isInteger())
        return refuse(rangeOf(name), "'" + name + "' is no integer argument of '" + function.name +
                                         "', by which calls could choose: it has " +
                                         listArguments(isInteger));
      key.push_back(name);
    }
    return true;
  }

  bool addToKey(StringRef name, TuningTask &task) {
    auto found = group.arguments.find(name.str());
    if (found == group.arguments.end()) {
      task.key[name.str()] = task.values.at(name.str());
      return true;
    }
    if (!found->second.expression) {
      task.key[name.str()] = static_cast<int64_t>(*found->second.number);
      return true;
    }
    Expected<int64_t> value = evaluate(*found->second.expression, task);
    if (!value)
      return refuse(found->second.range, toString(value.takeError()) + " for " + describeValues(task.values));
    task.key[name.str()] = *value;
    return true;
  }

  const TuningGroup &group;
  const TunableFunction &function;
  Diagnostics &diagnostics;
  std::vector<StringRef> key;
};

} // namespace

std::optional<std::vector<TuningTask>> planTuning(ArrayRef<TuningGroup> groups,
                                                  ArrayRef<TunableFunction> functions, const Shard &shard,
                                                  Diagnostics &diagnostics) {
  std::vector<TuningTask> all;
  for (const TuningGroup &group : groups)
    for (StringRef name : group.functions) {
      auto function =
          find_if(functions, [&](const TunableFunction &function) { return function.name == name; });
      if (function == functions.end()) {
        std::vector<std::string> names;
        for (const TunableFunction &other : functions)
          names.push_back("'" + other.name + "'");
        diagnostics.error(rangeOf(name),
                          "the library has no function '" + name + "': it has " + join(names, ", "));
        return std::nullopt;
      }
      GroupPlanner planner(group, *function, diagnostics);
      if (!planner.checkNames() || !planner.addTasks(all))
        return std::nullopt;
    }
  if (shard.count == 1)
    return all;
  std::vector<TuningTask> part;
  for (uint64_t number = shard.index; number < all.size(); number += shard.count)
    part.push_back(std::move(all[number]));
  return part;
}

} // namespace nereid
