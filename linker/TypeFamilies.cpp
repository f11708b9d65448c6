// A family is found by the name that its kernel objects have in common, and its groups by comparing members.
#include "linker/TypeFamilies.h"

#include "linker/CNames.h"
#include "linker/CTypes.h"
#include "linker/LibrarySource.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace nereid {

/// Its type in each member.
static std::vector<ScalarKind> typesOf(const DispatchPlan &plan, const TypeFamily &family,
                                       unsigned argument) {
  std::vector<ScalarKind> types;
  for (unsigned member : family.members)
    types.push_back(plan.kernels[member].arguments[argument].element);
  return types;
}

static bool areAlike(ArrayRef<PlannedArgument> a, ArrayRef<PlannedArgument> b) {
  return a.size() == b.size() && all_of(zip(a, b), [](auto pair) {
           auto &[x, y] = pair;
           return x.name == y.name && x.form == y.form && x.isPointer == y.isPointer;
         });
}

static bool complete(const DispatchPlan &plan, TypeFamily &family, Diagnostics &diagnostics) {
  const PlannedKernel &first = plan.kernels[family.members.front()];
  for (unsigned member : family.members) {
    const PlannedKernel &kernel = plan.kernels[member];
    family.hasGrid &= kernel.hasGrid();
    if (areAlike(kernel.arguments, first.arguments))
      continue;
    diagnostics.error("'" + kernel.name + "' and '" + first.name +
                      "' differ in more than the types of their arguments, so that no function '" +
                      family.name + "' can stand for both");
    return false;
  }
  for (unsigned index = 0; index < first.arguments.size(); ++index) {
    std::vector<ScalarKind> types = typesOf(plan, family, index);
    bool isTyped = !all_equal(types);
    family.isTyped.push_back(isTyped);
    if (isTyped &&
        none_of(family.groups, [&](unsigned other) { return typesOf(plan, family, other) == types; }))
      family.groups.push_back(index);
  }
  if (std::string reason = whyNotAFunctionName(family.name); !reason.empty()) {
    diagnostics.error("'" + family.name + "' cannot be the name of a C function, because " + reason + "; " +
                      howToNameFunction);
    return false;
  }
  for (const PlannedKernel &kernel : plan.kernels)
    for (const char *suffix : getFunctionSuffixes())
      for (const char *own : {"", "_grid", "_explain"})
        if (kernel.name + suffix == family.name + own) {
          diagnostics.error("the library would have two functions '" + family.name + own +
                            "': the one for several types, and '" + kernel.name + "' of '" +
                            kernel.variants.front().object->path + "'; " + howToNameFunction);
          return false;
        }
  return true;
}

static std::vector<TypeFamily> groupByName(const DispatchPlan &plan) {
  std::vector<TypeFamily> families;
  for (auto [index, kernel] : enumerate(plan.kernels)) {
    const std::string &name = kernel.variants.front().object->family;
    if (name.empty())
      continue;
    auto family = find_if(families, [&](const TypeFamily &other) { return other.name == name; });
    if (family == families.end()) {
      families.emplace_back();
      family = std::prev(families.end());
      family->name = name;
    }
    family->members.push_back(index);
  }
  erase_if(families, [](const TypeFamily &family) { return family.members.size() < 2; });
  return families;
}

void addTypeFamilies(DispatchPlan &plan, Diagnostics &diagnostics) {
  std::vector<TypeFamily> families = groupByName(plan);
  for (TypeFamily &family : families)
    if (complete(plan, family, diagnostics))
      plan.families.push_back(std::move(family));
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::vector<FamilyParameter> getFamilyParameters(const DispatchPlan &plan, const TypeFamily &family,
                                                 ArrayRef<std::string> names) {
  using Form = FamilyParameter::Form;
  const PlannedKernel &first = plan.kernels[family.members.front()];
  std::vector<FamilyParameter> parameters;
  for (auto [index, argument] : enumerate(first.arguments)) {
    auto number = static_cast<unsigned>(index);
    if (is_contained(family.groups, number)) {
      // A kernel may have a parameter of that name.
      std::string dtype = names[number] + "_dtype";
      while (is_contained(names, dtype))
        dtype += "_";
      parameters.push_back({Form::DType, dtype, number, false});
    }
    bool isConst = !argument.isPointer || all_of(family.members, [&](unsigned member) {
      return plan.kernels[member].arguments[number].isConst;
    });
    parameters.push_back(
        {family.isTyped[number] ? Form::Address : Form::Plain, names[number], number, isConst});
  }
  return parameters;
}

/// `, nrd_dtype x_dtype, const void *x, int32_t n`, and what is passed for that.
static std::string parametersOf(const DispatchPlan &plan, const TypeFamily &family,
                                ArrayRef<std::string> names, std::string &passed) {
  const PlannedKernel &first = plan.kernels[family.members.front()];
  std::string text;
  for (const FamilyParameter &parameter : getFamilyParameters(plan, family, names)) {
    switch (parameter.form) {
    case FamilyParameter::Form::DType:
      text += ", nrd_dtype " + parameter.name;
      break;
    case FamilyParameter::Form::Address:
      text += std::string(", ") + (parameter.isConst ? "const " : "") + "void *" + parameter.name;
      break;
    case FamilyParameter::Form::Plain:
      text += ", " + typeInC(first.arguments[parameter.argument]) + parameter.name;
      break;
    }
    passed += ", " + parameter.name;
  }
  return text;
}

/// Where types differ, so do the functions.
std::string getSymbolTag(const DispatchPlan &plan, const TypeFamily &family) {
  PlannedKernel together;
  for (unsigned member : family.members)
    append_range(together.arguments, plan.kernels[member].arguments);
  return getSymbolTag(together);
}

static std::string nrdNameOf(ScalarKind kind) { return "NRD_" + getScalarName(kind).upper(); }

void declareTypeFamilies(const DispatchPlan &plan, std::string &declarations, std::string &shortNames) {
  for (const TypeFamily &family : plan.families) {
    const PlannedKernel &first = plan.kernels[family.members.front()];
    std::vector<std::string> names = getParameterNames(first, plan);
    std::string passed, parameters = parametersOf(plan, family, names, passed);
    std::vector<std::string> members;
    for (unsigned member : family.members)
      members.push_back(plan.kernels[member].name);
    std::string symbol = plan.name + "_" + family.name, tag = getSymbolTag(plan, family);
    auto add = [&](const std::string &suffix, const std::string &list, const std::string &handedOn,
                   const std::string &comment) {
      declarations += "/* " + comment + " */\nNRD_API nrd_status " + symbol + suffix + "(nrd_stream stream" +
                      list + ") NRD_LABEL(\"" + symbol + suffix + tag + "\");\n\n";
      shortNames += "static inline nrd_status " + family.name + suffix + "(nrd_stream stream" + list +
                    ") {\n  return " + symbol + suffix + "(stream" + handedOn + ");\n}\n";
    };
    if (family.hasGrid)
      add("", parameters, passed, "Runs the one of " + join(members, ", ") + " that is for these types.");
    add("_grid", ", nrd_dim3 grid" + parameters, ", grid" + passed,
        "The same on a grid that the caller gives.");
    add("_explain", parameters + ", char *nrd_text, size_t nrd_size", passed + ", nrd_text, nrd_size",
        "Runs nothing: says what the one for these types would run, and why.");
  }
}

/// What the functions of a family take around the parameters.
static constexpr struct {
  const char *suffix, *before, *passedBefore, *after, *passedAfter;
} familyFunctions[] = {{"", "", "", "", ""},
                       {"_grid", ", nrd_dim3 grid", ", grid", "", ""},
                       {"_explain", "", "", ", char *text, size_t size", ", text, size"}};

/// The body that calls the member for the dtypes: its function of that suffix, which takes more in front of
/// and behind the arguments.
static std::string generateBody(const DispatchPlan &plan, const TypeFamily &family, const char *suffix,
                                const char *before, const char *after) {
  std::string text, members;
  const PlannedKernel &first = plan.kernels[family.members.front()];
  // Numbers come by address.
  for (auto [index, argument] : enumerate(first.arguments))
    if (family.isTyped[index] && !argument.isPointer)
      text += "  if (!a" + utostr(index) +
              ")\n    return nrd_fail(NRD_ERROR_INVALID_ARGUMENT, \"%s: argument '%s' is a null pointer\", " +
              quoteInC(family.name) + ", " + quoteInC(argument.name) + ");\n";
  for (unsigned member : family.members) {
    const PlannedKernel &kernel = plan.kernels[member];
    std::vector<std::string> conditions;
    for (unsigned group : family.groups)
      conditions.push_back("a" + utostr(group) + "_dtype == " + nrdNameOf(kernel.arguments[group].element));
    std::string passed;
    for (auto [index, argument] : enumerate(kernel.arguments)) {
      std::string name = "a" + utostr(index), type = StringRef(typeInC(argument)).rtrim(' ').str();
      passed += ", " + (!family.isTyped[index] ? name
                        : argument.isPointer   ? "(" + type + ")" + name
                                               : "*(const " + type + " *)" + name);
    }
    text += "  if (" + join(conditions, " && ") + ")\n    return " + plan.getSymbol(kernel) + suffix +
            "(stream" + before + passed + after + ");\n";
    members += (members.empty() ? "" : ", ") + kernel.name;
  }
  std::vector<std::string> formats, values;
  for (unsigned group : family.groups) {
    formats.push_back("%s=%s");
    values.push_back(quoteInC(first.arguments[group].name + "_dtype") + ", nrd_dtype_name(a" + utostr(group) +
                     "_dtype)");
  }
  return text + "  return nrd_fail(NRD_ERROR_NO_VARIANT, \"%s: there is no function for the types " +
         join(formats, ", ") + "; there are %s\", " + quoteInC(family.name) + ", " + join(values, ", ") +
         ", " + quoteInC(members) + ");\n";
}

std::string generateTypeFamilies(const DispatchPlan &plan) {
  std::string text;
  for (auto [number, family] : enumerate(plan.families)) {
    std::vector<std::string> names;
    for (unsigned i : seq<unsigned>(0, plan.kernels[family.members.front()].arguments.size()))
      names.push_back("a" + utostr(i));
    std::string passed, parameters = parametersOf(plan, family, names, passed);
    std::string symbol = plan.name + "_" + family.name, tag = getSymbolTag(plan, family);
    for (auto [suffix, before, passedBefore, after, passedAfter] : familyFunctions) {
      if (!family.hasGrid && !*suffix)
        continue;
      std::string list = std::string("(nrd_stream stream") + before + parameters + after + ")";
      text += "nrd_status " + symbol + suffix + list + " {\n" +
              generateBody(plan, family, suffix, passedBefore, passedAfter) + "}\n\n";
      text += "NRD_EXPORT nrd_status nrd_plain_family_" + utostr(number) + suffix + list + " __asm__(\"" +
              symbol + suffix + "\") __attribute__((alias(\"" + symbol + suffix + tag + "\")));\n\n";
    }
  }
  return text;
}

} // namespace nereid
