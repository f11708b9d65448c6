// The members of a family have the same arguments but for their types, so the first one's stand for all.
#include "linker/PythonFunction.h"

#include "compiler/model/Divisor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace nereid {

bool isPythonKeyword(StringRef name) {
  static const StringRef keywords[] = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return is_contained(keywords, name);
}

std::optional<PythonFunction> PythonFunction::describe(const DispatchPlan &plan, StringRef name,
                                                       ArrayRef<unsigned> members, Diagnostics &diagnostics) {
  PythonFunction function;
  function.name = name.str();
  for (unsigned member : members)
    function.kernels.push_back(&plan.kernels[member]);
  if (!function.readCall(diagnostics))
    return std::nullopt;
  function.nameArguments();
  function.arrangeParameters();
  return function;
}

/// What all variants say of calls from Python.
bool PythonFunction::readCall(Diagnostics &diagnostics) {
  const KernelObject *first = kernels.front()->variants.front().object;
  for (const PlannedKernel *kernel : kernels)
    for (const PlannedVariant &variant : kernel->variants) {
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
  const std::vector<KernelParameter> &ofKernel = *kernels.front()->variants.front().parameters;
  return call.check(
      [&](StringRef wanted) {
        for (const PlannedArgument &argument : getArguments())
          if (argument.name == wanted)
            return argument.isPointer ? PythonCall::Subject::Pointer : PythonCall::Subject::Number;
        return any_of(ofKernel, [&](const KernelParameter &p) { return p.name == wanted; })
                   ? PythonCall::Subject::CompileTime
                   : PythonCall::Subject::Missing;
      },
      diagnostics);
}

/// Arguments have the kernel's own names: only Triton-C knows some that Python does not.
void PythonFunction::nameArguments() {
  StringSet<> used;
  for (const PlannedArgument &argument : getArguments())
    used.insert(argument.name);
  for (const PlannedArgument &argument : getArguments()) {
    std::string own = argument.name;
    while (isPythonKeyword(own) || (own != argument.name && !used.insert(own).second))
      own += "_";
    names.push_back(std::move(own));
  }
}

const PythonCallItem *PythonFunction::findItem(StringRef argument) const {
  for (const PythonCallItem &item : call.items)
    if (item.target == argument)
      return &item;
  return nullptr;
}

std::vector<const PythonCallItem *> PythonFunction::getResults() const {
  std::vector<const PythonCallItem *> results;
  for (const PythonCallItem &item : call.items)
    if (item.kind == PythonCallItem::Kind::Allocate)
      results.push_back(&item);
  return results;
}

std::vector<std::string> PythonFunction::print(const PythonCallItem &item) const {
  return printInPython(item.steps, [&](StringRef argument) { return translate(argument); });
}

std::string PythonFunction::translate(StringRef argument) const {
  for (auto [own, name] : zip(getArguments(), names))
    if (own.name == argument)
      return name;
  return argument.str();
}

std::string PythonFunction::makeName(StringRef wanted) const {
  std::string result = wanted.str();
  while (is_contained(names, result))
    result += "_";
  return result;
}

void PythonFunction::arrangeParameters() {
  std::vector<Parameter> positional, keywords;
  for (auto [index, argument] : enumerate(getArguments())) {
    const PythonCallItem *item = findItem(argument.name);
    if (item && item->kind == PythonCallItem::Kind::Compute)
      continue;
    Parameter parameter = {unsigned(index), "", false};
    if (item)
      parameter.defaultText = item->kind == PythonCallItem::Kind::Default ? print(*item).front() : "None";
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
    } else if (!mayHaveDefault && findItem(getArguments()[positional[i].argument].name)) {
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

bool PythonFunction::hasGrid() const {
  return all_of(kernels, [](const PlannedKernel *kernel) { return kernel->hasGrid(); });
}

bool PythonFunction::isMutable(unsigned argument) const {
  return any_of(kernels, [&](const PlannedKernel *kernel) { return !kernel->arguments[argument].isConst; });
}

bool PythonFunction::isNullable(unsigned argument) const {
  return any_of(kernels, [&](const PlannedKernel *kernel) { return kernel->arguments[argument].isNullable; });
}

unsigned PythonFunction::getAlignment(unsigned argument) const {
  unsigned least = mostDivisor;
  for (const PlannedKernel *kernel : kernels) {
    unsigned bytes = getScalarBytes(kernel->arguments[argument].element);
    for (const PlannedVariant &variant : kernel->variants)
      for (const KernelParameter &parameter : *variant.parameters)
        if (parameter.name == getArguments()[argument].name && !parameter.constant)
          least = std::min(least, std::max(parameter.divisibleBy, bytes));
  }
  return least;
}

std::string PythonFunction::describeParameters(StringRef more) const {
  const KernelObject &object = *kernels.front()->variants.front().object;
  std::string text = "Runs " + object.getKernelName().str() + " of " + object.sourcePath + ".\n\n";
  for (const Parameter &parameter : parameters) {
    const PlannedArgument &argument = getArguments()[parameter.argument];
    std::vector<std::string> types;
    for (const PlannedKernel *kernel : kernels)
      if (std::string type = kernel->arguments[parameter.argument].getType(); !is_contained(types, type))
        types.push_back(std::move(type));
    std::string line =
        names[parameter.argument] + ": " + (argument.isPointer ? "tensor, " : "") + join(types, " or ");
    if (argument.isPointer && isMutable(parameter.argument))
      line += ", written";
    const PythonCallItem *item = findItem(argument.name);
    if (item && item->kind == PythonCallItem::Kind::Allocate) {
      line += ", " + item->written.str() + " if it is not given";
    } else if (argument.isDispatched) {
      line += ", by which the variant is chosen";
    }
    text += line + "\n";
  }
  text += makeName("grid") + ": how many programs to run" + (hasGrid() ? ", if not as the kernel says" : "") +
          "\n" + more.str();
  std::vector<std::string> results;
  for (const PythonCallItem *item : getResults())
    results.push_back(translate(item->target));
  if (!results.empty())
    text += "\nReturns " + join(results, ", ") + ".\n";
  for (const PythonCallItem &item : call.items)
    if (item.kind == PythonCallItem::Kind::Compute || item.kind == PythonCallItem::Kind::Check ||
        item.kind == PythonCallItem::Kind::Contiguous)
      text += (item.kind == PythonCallItem::Kind::Compute ? "\nBy itself: " : "\nRequired: ") +
              item.written.str();
  return text;
}

std::optional<std::vector<PythonFunction>> describePythonFunctions(const DispatchPlan &plan,
                                                                   Diagnostics &diagnostics) {
  std::vector<PythonFunction> functions;
  auto add = [&](StringRef name, ArrayRef<unsigned> members) {
    auto function = PythonFunction::describe(plan, name, members, diagnostics);
    if (function)
      functions.push_back(std::move(*function));
    return function.has_value();
  };
  for (const TypeFamily &family : plan.families)
    if (!add(family.name, family.members))
      return std::nullopt;
  for (auto [index, kernel] : enumerate(plan.kernels))
    if (!add(kernel.name, {static_cast<unsigned>(index)}))
      return std::nullopt;
  return functions;
}

} // namespace nereid
