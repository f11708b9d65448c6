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
#include "linker/PythonCall.h"
#include "linker/Template.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <map>

using namespace llvm;

namespace nereid {

static bool isPythonKeyword(StringRef name) {
  static const StringRef keywords[] = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return is_contained(keywords, name);
}

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
  FunctionWriter(const DispatchPlan &plan, StringRef name, ArrayRef<unsigned> members,
                 Diagnostics &diagnostics)
      : plan(plan), name(name), diagnostics(diagnostics) {
    for (unsigned member : members)
      kernels.push_back(&plan.kernels[member]);
  }

  /// The entry of __init__.py and the lines of __init__.pyi.
  bool write(std::string &description, std::string &stub) {
    if (isPythonKeyword(name)) {
      diagnostics.error("'" + name +
                        "' cannot be the name of a Python function, because it is a keyword of Python");
      return false;
    }
    if (!readCall())
      return false;
    nameParameters();
    arrangeParameters();
    while (isTaken(stream))
      stream += "_";
    while (isTaken(grid))
      grid += "_";
    description = describe();
    stub = declare();
    return true;
  }

private:
  struct Parameter {
    const PlannedArgument *argument;
    std::string name, defaultText;
    bool isKeyword;
  };

  const std::vector<PlannedArgument> &getArguments() const { return kernels.front()->arguments; }

  /// What all variants say of calls from Python.
  bool readCall() {
    const KernelObject *first = nullptr;
    for (const PlannedKernel *kernel : kernels)
      for (const PlannedVariant &variant : kernel->variants) {
        if (!first)
          first = variant.object;
        if (variant.object->python == first->python)
          continue;
        diagnostics.error("what calls of '" + name + "' from Python are to be differs between " +
                          first->describe() + " ('" + first->python + "') and " + variant.object->describe() +
                          " ('" + variant.object->python + "')");
        return false;
      }
    if (first->python.empty())
      return true;
    StringRef text = diagnostics.addSource(first->path + ", calls from Python", first->python);
    auto parsed = PythonCall::parse(text, diagnostics);
    if (!parsed)
      return false;
    call = std::move(*parsed);
    const std::vector<KernelParameter> &parameters = *kernels.front()->variants.front().parameters;
    return call.check(
        [&](StringRef wanted) {
          for (const PlannedArgument &argument : getArguments())
            if (argument.name == wanted)
              return argument.isPointer ? PythonCall::Subject::Pointer : PythonCall::Subject::Number;
          return any_of(parameters, [&](const KernelParameter &p) { return p.name == wanted; })
                     ? PythonCall::Subject::CompileTime
                     : PythonCall::Subject::Missing;
        },
        diagnostics);
  }

  /// Parameters have the kernel's own names: only Triton-C knows some that Python does not.
  void nameParameters() {
    StringSet<> used;
    for (const PlannedArgument &argument : getArguments())
      used.insert(argument.name);
    for (const PlannedArgument &argument : getArguments()) {
      std::string name = argument.name;
      while (isPythonKeyword(name) || (name != argument.name && !used.insert(name).second))
        name += "_";
      names.push_back(std::move(name));
    }
  }

  bool isTaken(StringRef wanted) const { return is_contained(names, wanted); }

  const PythonCallItem *findItem(StringRef argument) const {
    for (const PythonCallItem &item : call.items)
      if (item.target == argument)
        return &item;
    return nullptr;
  }

  void arrangeParameters() {
    std::vector<Parameter> positional, keywords;
    for (auto [index, argument] : enumerate(getArguments())) {
      const PythonCallItem *item = findItem(argument.name);
      if (item && item->kind == PythonCallItem::Kind::Compute)
        continue;
      Parameter parameter = {&argument, names[index], "", false};
      if (item)
        parameter.defaultText = item->kind == PythonCallItem::Kind::Default ? item->text : "None";
      else if (argument.isNullable)
        parameter.defaultText = "None";
      parameter.isKeyword = argument.isDispatched || (item && item->kind == PythonCallItem::Kind::Allocate);
      (parameter.isKeyword ? keywords : positional).push_back(parameter);
    }
    // Nothing without a default may follow one with a default.
    bool mayHaveDefault = true;
    for (size_t i = positional.size(); i-- > 0;) {
      if (positional[i].defaultText.empty()) {
        mayHaveDefault = false;
      } else if (!mayHaveDefault && findItem(positional[i].argument->name)) {
        positional[i].isKeyword = true;
        keywords.insert(keywords.begin(), positional[i]);
        positional.erase(positional.begin() + i);
      } else if (!mayHaveDefault) {
        positional[i].defaultText.clear();
      }
    }
    parameters = std::move(positional);
    append_range(parameters, keywords);
  }

  /// What all variants have pointers divisible by, `align` for each argument.
  unsigned getAlignment(unsigned index) const {
    const PlannedArgument &argument = getArguments()[index];
    unsigned least = 16;
    for (const PlannedKernel *kernel : kernels) {
      unsigned bytes = getScalarBytes(kernel->arguments[index].element);
      for (const PlannedVariant &variant : kernel->variants)
        for (const KernelParameter &parameter : *variant.parameters)
          if (parameter.name == argument.name && !parameter.constant)
            least = std::min(least, std::max(parameter.divisibleBy, bytes));
    }
    return least;
  }

  bool isMutable(unsigned index) const {
    return any_of(kernels, [&](const PlannedKernel *kernel) { return !kernel->arguments[index].isConst; });
  }

  bool hasGrid() const {
    return all_of(kernels, [](const PlannedKernel *kernel) { return kernel->hasGrid(); });
  }

  std::string describeArguments() const {
    std::string text;
    for (auto [index, argument] : enumerate(getArguments())) {
      bool isPointer = argument.isPointer && argument.form == PlannedArgument::Form::Plain;
      bool isNullable =
          argument.isNullable || any_of(kernels, [&, index = index](const PlannedKernel *kernel) {
            return kernel->arguments[index].isNullable;
          });
      text += "            {'name': " + quoteInPython(names[index]) + ", 'form': '" +
              nameOfForm(argument).str() +
              "', 'mutable': " + (isPointer && isMutable(index) ? "True" : "False") +
              ", 'nullable': " + (isNullable ? "True" : "False") +
              ", 'align': " + utostr(isPointer ? getAlignment(index) : 1) + "},\n";
    }
    return text;
  }

  static std::string describeItem(const PythonCallItem &item) {
    std::string written = quoteInPython(item.written), target = quoteInPython(item.target),
                text = quoteInPython(item.text);
    switch (item.kind) {
    case PythonCallItem::Kind::Compute:
      return "('compute', " + target + ", " + text + ", " + written + ")";
    case PythonCallItem::Kind::Allocate:
      return "('allocate', " + target + ", " + text + ", " + written + ", " + quoteInPython(item.function) +
             ", " + quoteInPython(item.like) + ")";
    case PythonCallItem::Kind::Contiguous: {
      std::string tensors;
      for (auto [name, isTensor] : item.names)
        tensors += quoteInPython(name) + ", ";
      return "('contiguous', (" + tensors + "), '', " + written + ")";
    }
    case PythonCallItem::Kind::Check:
      return "('check', '', " + text + ", " + written + ")";
    case PythonCallItem::Kind::Default:
      break; // Among the parameters.
    }
    return "";
  }

  /// One line a parameter, then the variants: what help() shows.
  std::string document() const {
    std::string text = "Runs " + kernels.front()->variants.front().object->getKernelName().str() + " of " +
                       kernels.front()->variants.front().object->sourcePath + ".\n\n";
    std::vector<std::string> results;
    for (const Parameter &parameter : parameters) {
      size_t index = parameter.argument - getArguments().data();
      std::vector<std::string> types;
      for (const PlannedKernel *kernel : kernels)
        if (std::string type = kernel->arguments[index].getType(); !is_contained(types, type))
          types.push_back(std::move(type));
      bool isPointer = parameter.argument->isPointer;
      std::string line = parameter.name + ": " + (isPointer ? "tensor, " : "") + join(types, " or ");
      if (isPointer && isMutable(index))
        line += ", written";
      const PythonCallItem *item = findItem(parameter.argument->name);
      if (item && item->kind == PythonCallItem::Kind::Allocate) {
        line += ", " + item->written.str() + " if it is not given";
        results.push_back(parameter.name);
      } else if (parameter.argument->isDispatched) {
        line += ", by which the variant is chosen";
      }
      text += line + "\n";
    }
    text += grid + ": how many programs to run" + (hasGrid() ? ", if not as the kernel says" : "") + "\n" +
            stream + ": a stream of PyTorch or CuPy, or its number; the current one if it is not given\n";
    if (!results.empty())
      text += "\nReturns " + join(results, ", ") + ".\n";
    for (const PythonCallItem &item : call.items)
      if (item.kind == PythonCallItem::Kind::Compute || item.kind == PythonCallItem::Kind::Check ||
          item.kind == PythonCallItem::Kind::Contiguous)
        text += (item.kind == PythonCallItem::Kind::Compute ? "\nBy itself: " : "\nRequired: ") +
                item.written.str();
    text += "\n\nVariants:\n";
    for (const PlannedKernel *kernel : kernels)
      for (const PlannedVariant &variant : kernel->variants) {
        std::vector<std::string> targets;
        for (const PlannedCode &code : variant.codes)
          targets.push_back(code.code->target.str());
        text += "  " + variant.object->getTitle() + "  for " + join(targets, ", ") + "\n";
      }
    return text;
  }

  std::string describe() const {
    std::string text = "    {\n        'name': " + quoteInPython(name) +
                       ",\n        'doc': " + quoteInPython(document()) + ",\n        'arguments': [\n" +
                       describeArguments() + "        ],\n        'parameters': [";
    for (const Parameter &parameter : parameters)
      text += "(" + quoteInPython(parameter.name) + ", " +
              (parameter.defaultText.empty() ? "None" : quoteInPython(parameter.defaultText)) + ", " +
              (parameter.isKeyword ? "True" : "False") + "), ";
    text += "],\n        'items': [\n";
    for (const PythonCallItem &item : call.items)
      if (std::string line = describeItem(item); !line.empty())
        text += "            " + line + ",\n";
    text += "        ],\n        'members': [\n";
    for (const PlannedKernel *kernel : kernels) {
      std::string types;
      for (const PlannedArgument &argument : kernel->arguments)
        types += "'" +
                 (argument.form == PlannedArgument::Form::Plain ? getScalarName(argument.element).str()
                                                                : std::string()) +
                 "', ";
      text += "            (" + quoteInPython(plan.getSymbol(*kernel)) + ", [" + types + "]),\n";
    }
    return text + "        ],\n        'grid': " + (hasGrid() ? "True" : "False") +
           ",\n        'stream': " + quoteInPython(stream) +
           ",\n        'grid_name': " + quoteInPython(grid) + ",\n    },\n";
  }

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
    if (argument.isPointer)
      return argument.isNullable ? "Optional[_Tensor]" : "_Tensor";
    return argument.element == ScalarKind::Int1 ? "bool" : isInteger(argument.element) ? "int" : "float";
  }

  std::string declare() const {
    std::string list, results;
    bool hasStar = false;
    unsigned numResults = 0;
    for (const Parameter &parameter : parameters) {
      if (parameter.isKeyword && !hasStar)
        list += ", *";
      hasStar |= parameter.isKeyword;
      const PythonCallItem *item = findItem(parameter.argument->name);
      bool isMade = item && item->kind == PythonCallItem::Kind::Allocate;
      if (isMade) {
        results += (results.empty() ? "" : ", ") + std::string("_Tensor");
        ++numResults;
      }
      list += ", " + parameter.name + ": " +
              (isMade ? "Optional[_Tensor]" : typeOfStub(*parameter.argument).str()) +
              (parameter.defaultText.empty() ? "" : " = ...");
    }
    if (!hasStar)
      list += ", *";
    list += ", " + grid + (hasGrid() ? ": _Grid = ..." : ": _Grid") + ", " + stream + ": Any = ...";
    std::string result = numResults == 0 ? "None" : numResults == 1 ? results : "Tuple[" + results + "]";
    return "class _" + name.str() + ":\n    def __call__(self" + list + ") -> " + result +
           ": ...\n    def variants(self) -> List[Dict[str, Any]]: ...\n    def explain(self" + list +
           ") -> str: ...\n    def force(self, number: int" + list + ") -> " + result + ": ...\n\n" +
           name.str() + ": _" + name.str() + "\n\n";
  }

  const DispatchPlan &plan;
  StringRef name;
  Diagnostics &diagnostics;
  std::vector<const PlannedKernel *> kernels;
  PythonCall call;
  std::vector<std::string> names;
  std::vector<Parameter> parameters;
  std::string stream = "stream", grid = "grid";
};

} // namespace

std::optional<std::vector<std::string>> generatePythonPackage(const DispatchPlan &plan, StringRef version,
                                                              Diagnostics &diagnostics) {
  std::string descriptions, stubs, names;
  auto add = [&](StringRef name, ArrayRef<unsigned> members) {
    std::string description, stub;
    if (!FunctionWriter(plan, name, members, diagnostics).write(description, stub))
      return false;
    descriptions += description;
    stubs += stub;
    names += "    " + quoteInPython(name) + ",\n";
    return true;
  };
  for (const TypeFamily &family : plan.families)
    if (!add(family.name, family.members))
      return std::nullopt;
  for (auto [index, kernel] : enumerate(plan.kernels))
    if (!add(kernel.name, {static_cast<unsigned>(index)}))
      return std::nullopt;
  std::map<std::string, std::string> values = {{"name", plan.name},
                                               {"version", NEREID_VERSION},
                                               {"package_version", version.str()},
                                               {"abi", utostr(getABIVersion())},
                                               {"functions", descriptions},
                                               {"stubs", stubs},
                                               {"names", names}};
  std::vector<std::string> texts;
  for (const char *name :
       {"python_package.py", "python_package.pyi", "python_runtime.py", "python_build.py", "pyproject.toml"})
    texts.push_back(fillTemplate(name, values));
  texts.push_back(""); // py.typed
  return texts;
}

} // namespace nereid
