// The table of builtins, matching of a call's arguments, and the names of the modules that they live in.
#include "compiler/frontends/python/Builtins.h"

#include "compiler/frontends/python/Emitter.h"
#include "compiler/frontends/python/HostFacts.h"
#include "compiler/frontends/python/Isinstance.h"
#include "compiler/frontends/python/MachineFacts.h"

using namespace llvm;

namespace nereid::python {

BuiltinTable::BuiltinTable() {
  addPythonBuiltins(*this);
  addPythonMethods(*this);
  addIsinstance(*this);
  addLanguageTypes(*this);
  addProgramBuiltins(*this);
  addMemoryBuiltins(*this);
  addShapeBuiltins(*this);
  addMathBuiltins(*this);
  addLibdeviceBuiltins(*this);
  addReductionBuiltins(*this);
  addMatrixBuiltins(*this);
  addTargetBuiltins(*this);
  addAtomicBuiltins(*this);
  addMachineFacts(*this);
  addVersions(*this);
  addHostFacts(*this);
  addImportlib(*this);
}

const BuiltinTable &BuiltinTable::get() {
  static const BuiltinTable table;
  return table;
}

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

void BuiltinTable::add(StringRef name, StringRef parameters, Builtin::Emit emit) {
  Builtin builtin;
  builtin.name = name.str();
  builtin.emit = std::move(emit);
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

void BuiltinTable::addClass(StringRef name, StringRef parameters, Builtin::Emit emit) {
  add(name, parameters, std::move(emit));
  builtins[name].isClass = true;
}

void BuiltinTable::addForUnknown(StringRef name, StringRef parameters, Builtin::Emit emit) {
  add(name, parameters, std::move(emit));
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

Arguments bindArguments(Emitter &emitter, const Builtin &builtin, const CallArguments &call) {
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
      emitter.fail(shown + "() takes " + (positional == count ? "" : "at most ") + Twine(positional) +
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
      emitter.fail(shown + "() has no parameter '" + name + "'");
    }
    if (i < count && builtin.parameters[i].isVariadic && rest.empty()) {
      rest.push_back(value); // `shape=(4, 4)` for what is also taken as several arguments
      continue;
    }
    if (bound[i])
      emitter.fail(shown + "() gets the argument '" + name + "' twice");
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
      emitter.fail(shown + "() is missing the argument '" + parameter.name + "'");
  }
  for (const Value &value : arguments.values)
    if (auto *opaque = value.object<const Opaque>(); opaque && !builtin.takesUnknown)
      emitter.fail("'" + opaque->name + "' cannot be used in a kernel: " + opaque->reason);
  return arguments;
}

std::optional<std::string> findBuiltinModule(StringRef name) {
  static const std::pair<StringRef, StringRef> modules[] = {
      {"triton", "triton"},
      {"triton.runtime", "triton"},
      {"triton.runtime.jit", "triton"},
      {"triton.runtime.autotuner", "triton"},
      {"triton.driver", "triton.driver"},
      {"triton.driver.active", "triton.driver"},
      {"triton.runtime.driver", "triton.driver"},
      {"triton.language", "tl"},
      {"triton.language.core", "tl"},
      {"triton.language.standard", "tl"},
      {"triton.language.random", "tl"},
      {"triton.language.math", "tl.math"},
      {"triton.language.target_info", "tl.target_info"},
      {"tl.target_info", "tl.target_info"},
      {"triton.language.extra", "tl.extra"},
      {"triton.language.extra.cuda", "tl.extra.cuda"},
      {"triton.language.extra.hip", "tl.extra.hip"},
      {"triton.language.extra.libdevice", "libdevice"},
      {"triton.language.extra.cuda.libdevice", "libdevice"},
      {"triton.language.extra.hip.libdevice", "libdevice"},
      {"triton.language.libdevice", "libdevice"},
      {"triton.language.math.libdevice", "libdevice"},
      {"triton.tools.experimental_descriptor", "triton.tools"},
      {"tl.core", "tl"},
      {"tl.standard", "tl"},
      {"tl.random", "tl"},
      {"tl.math", "tl.math"},
      {"tl.extra", "tl.extra"},
      {"tl.libdevice", "libdevice"},
      {"tl.math.libdevice", "libdevice"},
      {"tl.extra.cuda", "tl.extra.cuda"},
      {"tl.extra.hip", "tl.extra.hip"},
      {"tl.extra.libdevice", "libdevice"},
      {"tl.extra.cuda.libdevice", "libdevice"},
      {"tl.extra.hip.libdevice", "libdevice"},
      {"math", "math"},
      {"builtins", "py"},
      {"collections", "collections"},
      {"itertools", "itertools"},
      {"typing", "typing"},
      {"packaging", "packaging"},
      {"packaging.version", "packaging.version"},
  };
  for (auto &[spelling, canonical] : modules)
    if (name == spelling)
      return canonical.str();
  return std::nullopt;
}

bool isForeignModule(StringRef name) {
  static const StringRef known[] = {
      "torch",       "numpy",      "os",        "sys",        "functools", "operator", "enum",   "warnings",
      "dataclasses", "packaging",  "logging",   "contextlib", "inspect",   "re",       "random", "abc",
      "triton",      "__future__", "importlib", "copy",       "time",      "json",     "pathlib"};
  return is_contained(known, name.split('.').first);
}

} // namespace nereid::python
