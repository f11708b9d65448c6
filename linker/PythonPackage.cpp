// Everything that depends on the library is a literal of Python in __init__.py, one entry a function:
//
//     {'name': 'scale', 'arguments': [{'name': 'x', 'form': 'pointer', …}, …], 'members': [('lib_scale',
//     ['fp32', …])],
//      'parameters': [('x', None, False), ('out', 'None', True)], 'items': [('allocate', 'out', …)], …}
//
// A family of types is one function with several members. `parameters` are those of the Python function: a
// name, its default's text, and whether it is given by keyword only.
#include "linker/PythonPackage.h"

#include "linker/LibrarySource.h"
#include "linker/Template.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace llvm;

namespace nereid {

std::string whyNotAPackageName(StringRef name) {
  if (isPythonKeyword(name))
    return "'" + name.str() + "' cannot be imported: it is a keyword of Python";
  return "";
}

std::vector<std::string> getPythonFiles() {
  return {"__init__.py", "__init__.pyi", "_nereid.py", "_nereid_build.py", "pyproject.toml", "py.typed"};
}

/// A literal. Letters beyond ASCII stay as they are, in UTF-8.
static std::string quoteInPython(StringRef text) {
  std::string result = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\')
      result += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      result += "\\x" + utohexstr(static_cast<unsigned char>(c), /*LowerCase=*/true, 2);
    else
      result += c;
  }
  return result + "'";
}

static StringRef nameOfForm(const PlannedArgument &argument) {
  switch (argument.form) {
  case PlannedArgument::Form::Plain:
    return argument.isPointer ? "pointer" : "number";
  case PlannedArgument::Form::Text:
    return "text";
  case PlannedArgument::Form::DType:
    return "dtype";
  case PlannedArgument::Form::OptionalInteger:
    return "optional_integer";
  case PlannedArgument::Form::OptionalFloat:
    return "optional_float";
  }
  return "";
}

namespace {

/// One function of the package.
class FunctionWriter {
public:
  FunctionWriter(const DispatchPlan &plan, const PythonFunction &function)
      : plan(plan), function(function), kernels(function.getMembers()), stream(function.makeName("stream")),
        grid(function.makeName("grid")) {}

private:
  std::string describeArguments() const {
    std::string text;
    for (auto [index, argument] : enumerate(function.getArguments())) {
      bool isPointer = argument.isPointer && argument.form == PlannedArgument::Form::Plain;
      text += "            {'name': " + quoteInPython(function.getArgumentName(index)) + ", 'form': '" +
              nameOfForm(argument).str() +
              "', 'mutable': " + (isPointer && function.isMutable(index) ? "True" : "False") +
              ", 'nullable': " + (function.isNullable(index) ? "True" : "False") +
              ", 'align': " + utostr(isPointer ? function.getAlignment(index) : 1) + "},\n";
    }
    return text;
  }

  std::string quoteName(StringRef argument) const { return quoteInPython(function.translate(argument)); }

  std::string describeItem(const PythonCallItem &item) const {
    std::string written = quoteInPython(item.written), target = quoteName(item.target);
    std::vector<std::string> texts = function.print(item);
    switch (item.kind) {
    case PythonCallItem::Kind::Compute:
      return "('compute', " + target + ", " + quoteInPython(texts.front()) + ", " + written + ")";
    case PythonCallItem::Kind::Allocate:
      return "('allocate', " + target + ", " +
             quoteInPython(texts.empty() ? "" : "(" + join(texts, ", ") + ",)") + ", " + written + ", " +
             quoteInPython(item.function) + ", " + quoteName(item.like) + ")";
    case PythonCallItem::Kind::Contiguous: {
      std::string tensors;
      for (auto [name, isTensor] : item.names)
        tensors += quoteName(name) + ", ";
      return "('contiguous', (" + tensors + "), '', " + written + ")";
    }
    case PythonCallItem::Kind::Check:
      return "('check', '', " + quoteInPython(texts.front()) + ", " + written + ")";
    case PythonCallItem::Kind::Default:
      break; // Among the parameters.
    }
    return "";
  }

  /// What help() shows.
  std::string document() const {
    std::string text = function.describeParameters(
        stream + ": a stream of PyTorch or CuPy, or its number; the current one if it is not given\n");
    text += "\n\nVariants:\n";
    for (const PlannedKernel *kernel : kernels)
      for (const PlannedVariant &variant : kernel->variants)
        text += "  " + variant.title + "  for " + variant.listTargets() + "\n";
    return text;
  }

public:
  /// The entry of __init__.py.
  std::string describe() const {
    std::string text = "    {\n        'name': " + quoteInPython(function.getName()) +
                       ",\n        'doc': " + quoteInPython(document()) + ",\n        'arguments': [\n" +
                       describeArguments() + "        ],\n        'parameters': [";
    for (const PythonFunction::Parameter &parameter : function.getParameters())
      text += "(" + quoteInPython(function.getArgumentName(parameter.argument)) + ", " +
              (parameter.defaultText.empty() ? "None" : quoteInPython(parameter.defaultText)) + ", " +
              (parameter.isKeyword ? "True" : "False") + "), ";
    text += "],\n        'items': [\n";
    for (const PythonCallItem &item : function.getCall().items)
      if (std::string line = describeItem(item); !line.empty())
        text += "            " + line + ",\n";
    text += "        ],\n        'members': [\n";
    for (const PlannedKernel *kernel : kernels) {
      std::string types;
      for (const PlannedArgument &argument : kernel->arguments)
        types += "'" +
                 (argument.form == PlannedArgument::Form::Plain ||
                          argument.form == PlannedArgument::Form::OptionalFloat
                      ? getScalarName(argument.element).str()
                      : std::string()) +
                 "', ";
      text += "            (" + quoteInPython(plan.getSymbol(*kernel)) + ", [" + types + "]),\n";
    }
    return text + "        ],\n        'grid': " + (function.hasGrid() ? "True" : "False") +
           ",\n        'stream': " + quoteInPython(stream) +
           ",\n        'grid_name': " + quoteInPython(grid) + ",\n    },\n";
  }

private:
  static StringRef typeOfStub(const PlannedArgument &argument) {
    switch (argument.form) {
    case PlannedArgument::Form::Text:
      return argument.isNullable ? "Optional[str]" : "str";
    case PlannedArgument::Form::OptionalInteger:
      return "Optional[int]";
    case PlannedArgument::Form::OptionalFloat:
      return "Optional[float]";
    case PlannedArgument::Form::DType:
      return "Any";
    case PlannedArgument::Form::Plain:
      break;
    }
    return argument.element == ScalarKind::Int1 ? "bool" : isInteger(argument.element) ? "int" : "float";
  }

  /// The tensor of a call whose type a made one gets: what `like` names, or what that is like in turn.
  StringRef findModel(const PythonCallItem &item) const {
    const PythonCallItem *model = function.findItem(item.like);
    return model && model->kind == PythonCallItem::Kind::Allocate ? findModel(*model) : item.like;
  }

  /// `_T0` and so on for tensors whose type made ones get, `_Tensor` for the others.
  std::string typeOfTensor(StringRef argument) const {
    std::vector<StringRef> models;
    for (const PythonCallItem *item : function.getResults())
      if (StringRef model = findModel(*item); !is_contained(models, model))
        models.push_back(model);
    auto found = find(models, argument);
    return found == models.end() ? "_Tensor" : "_T" + utostr(found - models.begin());
  }

  static bool isMade(const PythonCallItem *item) {
    return item && item->kind == PythonCallItem::Kind::Allocate;
  }

  /// The parameters, each behind a comma. Where a result is to have the type of a tensor, those are
  /// variables.
  std::string declareParameters(bool hasVariables) const {
    std::string list;
    bool hasStar = false;
    for (const PythonFunction::Parameter &parameter : function.getParameters()) {
      const PlannedArgument &argument = function.getArguments()[parameter.argument];
      if (parameter.isKeyword && !hasStar)
        list += ", *";
      hasStar |= parameter.isKeyword;
      const PythonCallItem *item = function.findItem(argument.name);
      std::string type = typeOfStub(argument).str();
      if (argument.isPointer && argument.form == PlannedArgument::Form::Plain) {
        type = hasVariables ? typeOfTensor(isMade(item) ? findModel(*item) : argument.name) : "_Tensor";
        if (isMade(item) || function.isNullable(parameter.argument))
          type = "Optional[" + type + "]";
      }
      list += ", " + function.getArgumentName(parameter.argument) + ": " + type +
              (parameter.defaultText.empty() ? "" : " = ...");
    }
    if (!hasStar)
      list += ", *";
    return list + ", " + grid + (function.hasGrid() ? ": _Grid = ..." : ": _Grid") + ", " + stream +
           ": Any = ...";
  }

public:
  /// The lines of __init__.pyi.
  std::string declare() const {
    std::string name = function.getName(), list = declareParameters(/*hasVariables=*/true);
    std::vector<std::string> results;
    for (const PythonCallItem *item : function.getResults())
      results.push_back(typeOfTensor(findModel(*item)));
    std::string result = results.empty()       ? "None"
                         : results.size() == 1 ? results.front()
                                               : "Tuple[" + join(results, ", ") + "]";
    return "class _" + name + ":\n    def __call__(self" + list + ") -> " + result +
           ": ...\n    def variants(self) -> List[Dict[str, Any]]: ...\n    def explain(self" +
           declareParameters(/*hasVariables=*/false) + ") -> str: ...\n    def force(self, number: int" +
           list + ") -> " + result + ": ...\n\n" + name + ": _" + name + "\n\n";
  }

private:
  const DispatchPlan &plan;
  const PythonFunction &function;
  ArrayRef<const PlannedKernel *> kernels;
  std::string stream, grid;
};

} // namespace

std::optional<std::vector<std::string>> generatePythonPackage(const DispatchPlan &plan,
                                                              ArrayRef<PythonFunction> functions,
                                                              StringRef version, Diagnostics &diagnostics) {
  std::string descriptions, stubs, names, variables;
  size_t numVariables = 0;
  for (const PythonFunction &function : functions) {
    numVariables = std::max(numVariables, function.getResults().size());
    if (isPythonKeyword(function.getName())) {
      diagnostics.error("'" + function.getName() +
                        "' cannot be the name of a Python function, because it is a keyword of Python");
      return std::nullopt;
    }
    FunctionWriter writer(plan, function);
    descriptions += writer.describe();
    stubs += writer.declare();
    names += "    " + quoteInPython(function.getName()) + ",\n";
  }
  for (size_t i = 0; i < numVariables; ++i)
    variables += "_T" + utostr(i) + " = TypeVar(\"_T" + utostr(i) + "\")\n";
  std::map<std::string, std::string> values = {{"name", plan.name},
                                               {"version", NEREID_VERSION},
                                               {"package_version", version.str()},
                                               {"abi", utostr(getABIVersion())},
                                               {"functions", descriptions},
                                               {"stubs", stubs},
                                               {"variables", variables},
                                               {"names", names}};
  std::vector<std::string> texts;
  for (const char *name :
       {"python_package.py", "python_package.pyi", "python_runtime.py", "python_build.py", "pyproject.toml"})
    texts.push_back(fillTemplate(name, values));
  texts.push_back(""); // py.typed
  return texts;
}

} // namespace nereid
