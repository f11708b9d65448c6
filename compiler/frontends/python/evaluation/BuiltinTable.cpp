// The table of builtins, and matching of a call's arguments.
#include "compiler/frontends/python/evaluation/BuiltinTable.h"

#include "compiler/frontends/python/evaluation/Context.h"

using namespace llvm;

namespace nereid::python {

const Builtin *BuiltinTable::find(StringRef name) const {
  auto found = builtins.find(name);
  if (found != builtins.end())
    return &found->second;
  return aliases.lookup(name);
}

const Value *BuiltinTable::findConstant(StringRef name) const {
  auto found = constants.find(name);
  return found == constants.end() ? nullptr : &found->second;
}

/// The few forms that defaults have: None, True, False, (), numbers and quoted strings.
static Value parseDefault(StringRef text) {
  if (text == "None")
    return {};
  if (text == "True" || text == "False")
    return text == "True";
  if (text == "()")
    return Value::tuple({});
  if (text.front() == '\'')
    return text.drop_front().drop_back();
  int64_t integer;
  if (!text.getAsInteger(10, integer))
    return integer;
  double number = 0;
  [[maybe_unused]] bool failed = text.getAsDouble(number);
  assert(!failed && "a default that parseDefault does not know");
  return number;
}

void BuiltinTable::add(StringRef name, StringRef parameters, Builtin::Call call) {
  Builtin builtin;
  builtin.name = name.str();
  builtin.call = std::move(call);
  SmallVector<StringRef> parts;
  parameters.split(parts, ',', -1, /*KeepEmpty=*/false);
  bool keywordOnly = false;
  for (StringRef part : parts) {
    auto [parameter, defaultText] = part.trim().split('=');
    Builtin::Parameter entry;
    entry.takesKeywords = parameter.consume_front("**");
    entry.isVariadic = parameter.consume_front("*");
    entry.isKeywordOnly = keywordOnly;
    keywordOnly |= entry.isVariadic;
    if (parameter.empty())
      continue; // a bare `*`
    entry.name = parameter.str();
    if (!defaultText.empty())
      entry.defaultValue = parseDefault(defaultText);
    builtin.parameters.push_back(std::move(entry));
  }
  builtins[name] = std::move(builtin);
}

void BuiltinTable::addClass(StringRef name, StringRef parameters, Builtin::Call call) {
  add(name, parameters, std::move(call));
  builtins[name].isClass = true;
}

void BuiltinTable::addForUnknown(StringRef name, StringRef parameters, Builtin::Call call) {
  add(name, parameters, std::move(call));
  builtins[name].takesUnknown = true;
}

void BuiltinTable::addConstant(StringRef name, Value value) { constants[name] = std::move(value); }

void BuiltinTable::addAlias(StringRef name, StringRef existing) {
  auto found = builtins.find(existing);
  assert(found != builtins.end() && "an alias of nothing");
  aliases[name] = &found->second;
}

void BuiltinTable::addMethods(std::initializer_list<StringRef> names) {
  for (StringRef name : names)
    methods[name] = true;
}

Arguments bindArguments(Context &context, const Builtin &builtin, const CallArguments &call) {
  size_t count = builtin.parameters.size();
  std::vector<std::optional<Value>> bound(count);
  std::vector<Value> rest;
  auto named = std::make_shared<DictObject>();
  StringRef shortName = StringRef(builtin.name).rsplit('.').second;
  std::string shown =
      (builtin.name.compare(0, 3, "py.") == 0 || shortName.empty() ? shortName : StringRef(builtin.name))
          .str();
  size_t positional = 0;
  int variadic = -1;
  for (size_t i = 0; i < count; ++i) {
    if (builtin.parameters[i].isVariadic)
      variadic = static_cast<int>(i);
    else if (!builtin.parameters[i].isKeywordOnly && !builtin.parameters[i].takesKeywords)
      ++positional;
  }
  for (size_t i = 0; i < call.positional.size(); ++i) {
    if (i < positional) {
      bound[i] = call.positional[i];
    } else if (variadic >= 0) {
      rest.push_back(call.positional[i]);
    } else {
      context.fail(shown + "() takes " + (positional == count ? "" : "at most ") + Twine(positional) +
                   (positional == 1 ? " argument" : " arguments") + ", but " + Twine(call.positional.size()) +
                   (call.positional.size() == 1 ? " is" : " are") + " given");
    }
  }
  for (auto &[name, value] : call.keywords) {
    size_t i = 0;
    while (i < count && (builtin.parameters[i].name != name || builtin.parameters[i].takesKeywords))
      ++i;
    if (i == count && count && builtin.parameters[count - 1].takesKeywords) {
      named->entries.push_back({Value(name), value});
      continue;
    }
    if (i == count) {
      // Internal arguments that library code passes along mean nothing here.
      if (StringRef(name).starts_with("_"))
        continue;
      context.fail(shown + "() has no parameter '" + name + "'");
    }
    if (i < count && builtin.parameters[i].isVariadic && rest.empty()) {
      rest.push_back(value); // `shape=(4, 4)` for what is also taken as several arguments
      continue;
    }
    if (bound[i])
      context.fail(shown + "() gets the argument '" + name + "' twice");
    bound[i] = value;
  }
  Arguments arguments;
  for (size_t i = 0; i < count; ++i) {
    const Builtin::Parameter &parameter = builtin.parameters[i];
    if (parameter.isVariadic)
      arguments.values.push_back(Value::tuple(rest));
    else if (parameter.takesKeywords)
      arguments.values.push_back(named);
    else if (bound[i])
      arguments.values.push_back(*bound[i]);
    else if (parameter.defaultValue)
      arguments.values.push_back(*parameter.defaultValue);
    else
      context.fail(shown + "() is missing the argument '" + parameter.name + "'");
  }
  for (const Value &value : arguments.values)
    if (auto *opaque = value.object<const Opaque>(); opaque && !builtin.takesUnknown)
      context.failUnknown(*opaque);
  return arguments;
}

} // namespace nereid::python
