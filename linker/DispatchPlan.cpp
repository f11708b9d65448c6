// Groups kernel objects into kernels and variants, and checks that one C function can stand for each kernel.
#include "linker/DispatchPlan.h"

#include "linker/CNames.h"
#include "linker/GridExpression.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace nereid {

bool PlannedKernel::hasCommonGrid() const {
  return hasGrid() &&
         all_of(variants, [&](const PlannedVariant &v) { return v.gridC == variants.front().gridC; });
}

bool DispatchPlan::hasBackend(Backend backend) const {
  for (const PlannedKernel &kernel : kernels)
    for (const PlannedVariant &variant : kernel.variants)
      for (const PlannedCode &code : variant.codes)
        if (code.code->target.backend == backend)
          return true;
  return false;
}

std::string PlannedArgument::getType() const { return (isPointer ? "*" : "") + getScalarName(element).str(); }

/// `(x_ptr *fp32, n i32)`, for messages.
static std::string describe(ArrayRef<PlannedArgument> arguments) {
  std::vector<std::string> texts;
  for (const PlannedArgument &argument : arguments)
    texts.push_back(argument.name + " " + argument.getType());
  return "(" + join(texts, ", ") + ")";
}

/// The C arguments that one object's parameters ask for.
static std::vector<PlannedArgument> argumentsOf(ArrayRef<KernelParameter> parameters) {
  std::vector<PlannedArgument> arguments;
  for (const KernelParameter &parameter : parameters) {
    if (parameter.constant)
      continue;
    PlannedArgument argument;
    argument.name = parameter.name;
    argument.isPointer = parameter.isPointer;
    argument.element = parameter.element;
    argument.isConst = parameter.isPointer;
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

static bool agree(ArrayRef<PlannedArgument> a, ArrayRef<PlannedArgument> b) {
  return a.size() == b.size() && all_of(zip(a, b), [](auto pair) {
           auto &[x, y] = pair;
           return x.name == y.name && x.isPointer == y.isPointer && x.element == y.element;
         });
}

/// How the grid's C text gets at an argument or a constant.
static std::string printGridName(StringRef name, ArrayRef<KernelParameter> parameters) {
  unsigned index = 0;
  for (const KernelParameter &parameter : parameters) {
    if (parameter.name != name) {
      index += !parameter.constant;
      continue;
    }
    if (parameter.constant) {
      if (const bool *boolean = std::get_if<bool>(&*parameter.constant))
        return *boolean ? "INT64_C(1)" : "INT64_C(0)";
      int64_t value = std::get<int64_t>(*parameter.constant);
      if (value == INT64_MIN) // C has no literal for it.
        return "INT64_MIN";
      return "INT64_C(" + itostr(value) + ")";
    }
    unsigned bytes = getScalarBytes(parameter.element);
    bool hasSign = !isUnsigned(parameter.element);
    std::string load = "*(const " + std::string(hasSign ? "" : "u") + "int" + utostr(8 * bytes) +
                       "_t *)arguments[" + utostr(index) + "]";
    return !hasSign && bytes == 8 ? "nrd_grid_unsigned(bad, " + load + ")" : "(int64_t)" + load;
  }
  return "0";
}

namespace {
class Planner {
public:
  explicit Planner(Diagnostics &diagnostics)
      : diagnostics(diagnostics), errorsBefore(diagnostics.getErrorCount()) {}

  void addObject(const KernelObject &object) {
    if (object.targets.empty()) {
      diagnostics.error("'" + object.path + "' has no code in it");
      return;
    }
    const std::vector<KernelParameter> &parameters = object.targets.front().info.parameters;
    auto kernel =
        find_if(plan.kernels, [&](const PlannedKernel &k) { return k.name == object.getFunctionName(); });
    std::vector<PlannedArgument> arguments = argumentsOf(parameters);
    if (kernel == plan.kernels.end()) {
      plan.kernels.emplace_back();
      kernel = std::prev(plan.kernels.end());
      kernel->name = object.getFunctionName().str();
      kernel->arguments = std::move(arguments);
    } else if (!agree(kernel->arguments, arguments)) {
      diagnostics.error("the variants of '" + kernel->name + "' do not have the same C arguments: '" +
                        object.path + "' takes " + describe(arguments) + ", and '" +
                        kernel->variants.front().object->path + "' takes " + describe(kernel->arguments));
      return;
    }
    addVariant(*kernel, object, parameters);
  }

  std::optional<DispatchPlan> finish(StringRef name) {
    plan.name = name.str();
    if (hasFailed())
      return std::nullopt;
    checkNames();
    for (PlannedKernel &kernel : plan.kernels) {
      sort(kernel.variants, [](const PlannedVariant &a, const PlannedVariant &b) {
        return a.specialization != b.specialization ? a.specialization > b.specialization : a.order < b.order;
      });
      nameEntries(kernel);
      warnOfShadowed(kernel);
    }
    if (hasFailed())
      return std::nullopt;
    return std::move(plan);
  }

private:
  bool hasFailed() const { return diagnostics.getErrorCount() != errorsBefore; }

  void addVariant(PlannedKernel &kernel, const KernelObject &object,
                  const std::vector<KernelParameter> &parameters) {
    // A signature may come in several objects, each for other targets.
    auto variant = find_if(kernel.variants, [&](const PlannedVariant &v) {
      return v.object->signature == object.signature && v.object->grid == object.grid;
    });
    if (variant == kernel.variants.end()) {
      kernel.variants.emplace_back();
      variant = std::prev(kernel.variants.end());
      variant->object = &object;
      variant->order = kernel.variants.size();
      variant->parameters = &parameters;
      addTraits(kernel, *variant);
      if (!addGrid(kernel, *variant))
        return;
    }
    for (const TargetCode &code : object.targets) {
      if (any_of(variant->codes,
                 [&](const PlannedCode &other) { return other.code->target == code.target; })) {
        diagnostics.error("'" + kernel.name + "' with the signature '" + object.signature +
                          "' is given twice for " + code.target.str());
        continue;
      }
      variant->codes.push_back({&code, {}, ""});
      if (!addTensorMaps(kernel, *variant, variant->codes.back()))
        return;
      unsigned index = 0;
      for (const KernelParameter &parameter : code.info.parameters)
        if (!parameter.constant)
          kernel.arguments[index++].isConst &= parameter.readOnly;
    }
  }

  static void addTraits(PlannedKernel &kernel, PlannedVariant &variant) {
    // Divisible by 16 asks for as much as equal to 1, and divisible by 8 for a little less.
    constexpr unsigned mostOfArgument = 4;
    unsigned index = 0;
    for (const KernelParameter &parameter : *variant.parameters) {
      if (parameter.constant)
        continue;
      PlannedArgument &argument = kernel.arguments[index];
      if (parameter.divisibleBy > 1) {
        auto [bit, isNew] = argument.divisibleBits.try_emplace(parameter.divisibleBy, kernel.numTraits);
        kernel.numTraits += isNew;
        variant.traits.push_back(bit->second);
        variant.specialization += Log2_32(parameter.divisibleBy);
      }
      if (parameter.equalsOne) {
        if (!argument.equalsOneBit)
          argument.equalsOneBit = kernel.numTraits++;
        variant.traits.push_back(*argument.equalsOneBit);
        variant.specialization += mostOfArgument;
      }
      if (parameter.isPassedToImage())
        variant.passedArguments.push_back(index);
      ++index;
    }
  }

  bool addGrid(PlannedKernel &kernel, PlannedVariant &variant) {
    const KernelObject &object = *variant.object;
    if (object.grid.empty() != kernel.variants.front().object->grid.empty()) {
      diagnostics.error("either all variants of '" + kernel.name + "' have a grid expression or none: '" +
                        object.path + "' and '" + kernel.variants.front().object->path + "' differ");
      return false;
    }
    if (object.grid.empty())
      return true;
    StringRef text = diagnostics.addSource(object.path + ", grid", object.grid);
    std::optional<GridExpression> grid = GridExpression::parse(text, diagnostics);
    if (!grid || !grid->check(*variant.parameters, diagnostics))
      return false;
    variant.gridC = grid->printC([&](StringRef name) { return printGridName(name, *variant.parameters); });
    return true;
  }

  bool addTensorMaps(const PlannedKernel &kernel, const PlannedVariant &variant, PlannedCode &code) {
    for (const TensorMap &map : code.code->info.tensorMaps) {
      const std::string &path = variant.object->path;
      auto base = find_if(kernel.arguments, [&](const PlannedArgument &argument) {
        return argument.isPointer && argument.name == map.base;
      });
      StringRef text = diagnostics.addSource(path + ", tensor map of " + map.base, map.extents);
      std::optional<GridExpression> extents =
          GridExpression::parse(text, diagnostics, /*mostDimensions=*/map.countExtents());
      if (!extents || !extents->check(*variant.parameters, diagnostics))
        return false;
      if (base == kernel.arguments.end() || extents->countDimensions() != map.countExtents()) {
        diagnostics.error("'" + path + "' has a tensor map that is damaged, of '" + map.base + "'");
        return false;
      }
      auto print = [&](StringRef name) { return printGridName(name, *variant.parameters); };
      code.tensorMaps.push_back({&map, unsigned(base - kernel.arguments.begin()), extents->printC(print)});
    }
    return true;
  }

  /// The names of the C functions, short and exported, must be free in C, and different.
  void checkNames() {
    StringSet<> names;
    for (const char *suffix :
         {"_load", "_unload", "_last_error", "_num_threads", "_set_num_threads", "_abi_version"})
      checkExported(names.insert(plan.name + suffix).first->first());
    for (const PlannedKernel &kernel : plan.kernels) {
      if (std::string reason = whyNotAFunctionName(kernel.name); !reason.empty()) {
        diagnostics.error("'" + kernel.name + "' of '" + kernel.variants.front().object->path +
                          "' cannot be the name of a C function, because " + reason + "; " +
                          howToNameFunction);
        continue;
      }
      for (const char *suffix : {"", "_grid"})
        for (const std::string &name : {kernel.name + suffix, plan.getSymbol(kernel) + suffix})
          if (!names.insert(name).second)
            diagnostics.error("the library would have two functions '" + name + "': '" + kernel.name +
                              "' of '" + kernel.variants.front().object->path + "' collides with another; " +
                              howToNameFunction);
      checkExported(plan.getSymbol(kernel));
    }
  }

  /// Joining two names may give one of the C library's: kernel `create` of the library `pthread`.
  void checkExported(StringRef symbol) {
    if (isCLibraryName(symbol))
      diagnostics.error("the library would export '" + symbol +
                        "', and the C library declares that name; give the library another name");
  }

  /// add_kernel's second variant for x86-64-v3 in the library vec: vec_nrd_add_kernel_1_x86_64_v3.
  void nameEntries(PlannedKernel &kernel) {
    for (auto [index, variant] : enumerate(kernel.variants))
      for (PlannedCode &code : variant.codes) {
        std::string arch = code.code->target.arch;
        for (char &c : arch)
          c = isAlnum(c) ? c : '_';
        code.entrySymbol = plan.name + "_nrd_" + kernel.name + "_" + utostr(index) + "_" + arch;
      }
  }

  /// A variant that asks for no less than an earlier one, on the same targets, never gets a call.
  void warnOfShadowed(const PlannedKernel &kernel) {
    for (const PlannedVariant &late : kernel.variants)
      for (const PlannedVariant &early : kernel.variants) {
        if (&early == &late)
          break;
        bool isSubset =
            all_of(early.traits, [&](unsigned trait) { return is_contained(late.traits, trait); });
        bool isCovered = all_of(late.codes, [&](const PlannedCode &code) {
          return any_of(early.codes,
                        [&](const PlannedCode &other) { return other.code->target == code.code->target; });
        });
        if (!isSubset || !isCovered)
          continue;
        diagnostics.warning("the variant '" + late.object->signature + "' of '" + kernel.name +
                            "' is never chosen: '" + early.object->signature +
                            "' comes first and accepts every call that it accepts");
        break;
      }
  }

  DispatchPlan plan;
  Diagnostics &diagnostics;
  unsigned errorsBefore;
};
} // namespace

std::optional<DispatchPlan> planDispatch(ArrayRef<KernelObject> objects, StringRef name,
                                         Diagnostics &diagnostics) {
  Planner planner(diagnostics);
  for (const KernelObject &object : objects)
    planner.addObject(object);
  return planner.finish(name);
}

} // namespace nereid
