// Groups kernel objects into kernels and variants, turns what variants assume into promises, and checks that
// calls can tell the variants apart.
#include "linker/DispatchPlan.h"

#include "linker/CNames.h"
#include "linker/Condition.h"
#include "linker/GridExpression.h"
#include "linker/Misfits.h"
#include "linker/TypeFamilies.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

#include <map>
#include <set>

using namespace llvm;

namespace nereid {

bool PlannedKernel::hasCommonGrid() const {
  return hasGrid() &&
         all_of(variants, [&](const PlannedVariant &v) { return v.gridC == variants.front().gridC; });
}

std::string PlannedVariant::listTargets() const {
  std::vector<std::string> targets;
  for (const PlannedCode &code : codes)
    if (!code.code->isOtherForm())
      targets.push_back(code.code->target.str());
  return join(targets, ", ");
}

bool PlannedKernel::isTuned() const {
  return any_of(variants, [](const PlannedVariant &variant) { return variant.tuningGroup != 0; });
}

bool DispatchPlan::hasBackend(Backend backend) const {
  for (const PlannedKernel &kernel : kernels)
    for (const PlannedVariant &variant : kernel.variants)
      for (const PlannedCode &code : variant.codes)
        if (code.code->target.backend == backend)
          return true;
  return false;
}

ArrayRef<const char *> getFunctionSuffixes() {
  static const char *const suffixes[] = {"",       "_grid",       "_variants",     "_explain",
                                         "_force", "_force_grid", "_force_packed", "_choose_packed"};
  return suffixes;
}

/// A value of an argument as a promise's bound, `bf16` or `True` where that is what it stands for.
static std::string printBound(const PlannedArgument &argument, int64_t bound) {
  if (argument.form == PlannedArgument::Form::DType)
    return bound == 0 ? "None" : printValue(DTypeConstant{static_cast<ScalarKind>(bound - 1)});
  if (argument.element == ScalarKind::Int1)
    return bound ? "True" : "False";
  return std::to_string(bound);
}

std::string PlannedKernel::describe(const Promise &promise) const {
  if (!promise.isRange)
    return arguments[promise.subject].name + " is divisible by " + std::to_string(promise.divisor);
  const PlannedSubject &subject = subjects[promise.subject];
  std::string text = subject.text;
  switch (subject.kind) {
  case PlannedSubject::Kind::Presence:
    return text + (promise.most == 0 ? " is " : " is not ") +
           (arguments[subject.argument].isPointer ? "NULL" : "None");
  case PlannedSubject::Kind::Value:
    return text + " == " + printValue(subject.values[static_cast<size_t>(promise.least)]);
  case PlannedSubject::Kind::Truth:
    return promise.most == 0 ? subject.contrary : text;
  case PlannedSubject::Kind::Failure:
    return text + " can be computed";
  case PlannedSubject::Kind::Argument:
  case PlannedSubject::Kind::Expression:
    break;
  }
  const PlannedArgument number,
      &argument = subject.kind == PlannedSubject::Kind::Argument ? arguments[subject.argument] : number;
  if (promise.isPoint())
    return text + " == " + printBound(argument, promise.least);
  if (promise.least == INT64_MIN)
    return text + " <= " + std::to_string(promise.most);
  if (promise.most == INT64_MAX)
    return text + " >= " + std::to_string(promise.least);
  return std::to_string(promise.least) + " <= " + text + " <= " + std::to_string(promise.most);
}

/// How C text gets at an argument or a constant of a variant.
static std::string printName(StringRef name, ArrayRef<KernelParameter> parameters,
                             ArrayRef<PlannedArgument> arguments) {
  auto parameter = find_if(parameters, [&](const KernelParameter &p) { return p.name == name; });
  auto argument = find_if(arguments, [&](const PlannedArgument &a) { return a.name == name; });
  if (parameter == parameters.end() && argument == arguments.end())
    return "0";
  // An argument that calls choose by has the variant's value; taken from the call, all variants have one
  // text.
  bool isPassed = argument != arguments.end() && argument->form == PlannedArgument::Form::Plain &&
                  isInteger(argument->element) && !argument->isPointer;
  if (parameter != parameters.end() && parameter->constant && !isPassed) {
    std::optional<int64_t> value = numberOf(*parameter->constant, PlannedArgument::Form::Plain);
    if (!value)
      return "0";
    // C has no literal for the least.
    return *value == INT64_MIN ? "INT64_MIN" : "INT64_C(" + itostr(*value) + ")";
  }
  unsigned bytes = getScalarBytes(argument->element);
  bool hasSign = !isUnsigned(argument->element);
  std::string load = "*(const " + std::string(hasSign ? "" : "u") + "int" + utostr(8 * bytes) +
                     "_t *)arguments[" + utostr(argument - arguments.begin()) + "]";
  return !hasSign && bytes == 8 ? "nrd_grid_unsigned(bad, " + load + ")" : "(int64_t)" + load;
}

namespace {

/// One kernel: from its objects to its decision.
class KernelPlanner {
public:
  KernelPlanner(PlannedKernel &kernel, ArrayRef<const KernelObject *> objects, Diagnostics &diagnostics)
      : kernel(kernel), objects(objects), diagnostics(diagnostics),
        errorsBefore(diagnostics.getErrorCount()) {}

  bool plan() {
    auto arguments = mergeArguments(objects, diagnostics);
    if (!arguments)
      return false;
    kernel.arguments = std::move(*arguments);
    refuseStrangers();
    for (const KernelObject *object : objects)
      addObject(*object);
    if (hasFailed())
      return false;
    nameVariants();
    sortVariants();
    refuseTwins();
    refuseUnknownGrids();
    if (hasFailed())
      return false;
    makeDecision();
    warnOfUnreachable();
    return true;
  }

private:
  bool hasFailed() const { return diagnostics.getErrorCount() != errorsBefore; }

  /// Whether somebody gave the function its name, rather than that it is the kernel's own.
  static bool isNamed(const KernelObject &object) {
    // Functions of a family have their names from it, and it may have the kernel's.
    if (object.family.empty())
      return !object.function.empty();
    return !object.getKernelName().ends_with(object.family);
  }

  /// Two kernels that happen to have one name would become variants, of which calls take the one or the other
  /// by what their arguments are divisible by. Somebody may mean that, and then says so. Folders do not
  /// count: objects come from machines where the same file lies elsewhere.
  void refuseStrangers() {
    const KernelObject &first = *objects.front();
    for (const KernelObject *object : objects) {
      bool isSame = object->getKernelName() == first.getKernelName() &&
                    sys::path::filename(object->sourcePath) == sys::path::filename(first.sourcePath);
      if (isSame || (isNamed(*object) && isNamed(first)))
        continue;
      diagnostics.error(object->signatureRange, "two kernels are called '" + kernel.name + "': '" +
                                                    first.getKernelName() + "' of '" + first.sourcePath +
                                                    "' and '" + object->getKernelName() + "' of '" +
                                                    object->sourcePath + "'; " + howToNameFunction +
                                                    "; given to both, they become variants of one function");
      return;
    }
  }

  void addObject(const KernelObject &object) {
    // A signature may come in several objects, each for other targets.
    auto variant = find_if(kernel.variants, [&](const PlannedVariant &v) {
      return v.object->signature == object.signature && v.object->grid == object.grid &&
             v.object->when == object.when && v.object->tuning == object.tuning;
    });
    if (variant == kernel.variants.end()) {
      kernel.variants.emplace_back();
      variant = std::prev(kernel.variants.end());
      variant->object = &object;
      variant->order = kernel.variants.size();
      variant->parameters = &object.targets.front().info.parameters;
      if (object.tuning)
        variant->tuningGroup =
            tuningGroups.try_emplace(object.tuning->base, unsigned(tuningGroups.size() + 1)).first->second;
      addPromises(*variant);
      if (!addCondition(*variant) || !addGrid(*variant))
        return;
      settlePromises(*variant);
    }
    for (const TargetCode &code : object.targets) {
      if (any_of(variant->codes, [&](const PlannedCode &other) {
            return other.code->target == code.target && other.code->use == code.use;
          })) {
        // Values for the target alone have made one variant of two, of which the first one counts.
        if (object.isAdapted || variant->object->isAdapted)
          continue;
        refuseRepetition(*variant, object, code);
        continue;
      }
      variant->codes.push_back({&code, {}, ""});
      if (!addTensorMaps(*variant, variant->codes.back()))
        return;
      for (const KernelParameter &parameter : code.info.parameters)
        if (std::optional<unsigned> index = findArgument(parameter.name); index && !parameter.constant)
          kernel.arguments[*index].isConst &= parameter.readOnly;
    }
  }

  /// The same signature again for a target. It may differ in what no call can choose by.
  void refuseRepetition(const PlannedVariant &variant, const KernelObject &object, const TargetCode &code) {
    const TargetCode &other = *find_if(variant.codes, [&](const PlannedCode &planned) {
                                 return planned.code->target == code.target;
                               })->code;
    std::vector<std::string> own, its;
    for (auto [mine, theirs] : zip(listOptions(object, &code), listOptions(*variant.object, &other)))
      if (mine != theirs) {
        own.push_back(mine.empty() ? "without " + theirs : "with " + mine);
        its.push_back(theirs.empty() ? "without " + mine : "with " + theirs);
      }
    std::string message = "'" + kernel.name + "' with the signature '" + object.getTitle() +
                          "' is given twice for " + code.target.str();
    if (!own.empty())
      message += ", " + join(its, " and ") + ", and " + join(own, " and ") +
                 ", which no call can choose by: give them conditions (WHEN in CMake, --when, \"when\" in a "
                 "manifest), or have such options tried (TUNE, --tune, \"tune\")";
    diagnostics.error(object.signatureRange, message);
  }

  /// What a variant's code depends on besides its signature, each under its own place in the list.
  static std::vector<std::string> listOptions(const KernelObject &object, const TargetCode *code) {
    auto number = [](const char *name, std::optional<unsigned> value) {
      return value ? name + std::string("=") + utostr(*value) : std::string();
    };
    std::vector<std::string> options(4);
    if (code && code->target.isGPU())
      options = {number("num_warps", code->info.numWarps), number("num_stages", code->info.numStages),
                 number("num_ctas", code->info.numCTAs), number("maxnreg", code->info.maxRegisters)};
    options.push_back(number("config", object.config));
    std::vector<std::string> definitions;
    for (const std::string &definition : object.definitions)
      definitions.push_back("-D " + definition);
    options.push_back(join(definitions, " "));
    return options;
  }

  /// Two variants of one title would be one to whoever reads a message.
  void nameVariants() {
    std::map<std::string, std::vector<PlannedVariant *>> byTitle;
    for (PlannedVariant &variant : kernel.variants) {
      variant.title = variant.object->getTitle();
      byTitle[variant.title].push_back(&variant);
    }
    for (auto &[title, alike] : byTitle) {
      if (alike.size() < 2)
        continue;
      std::vector<std::vector<std::string>> differences;
      for (const PlannedVariant *variant : alike) {
        const KernelObject &object = *variant->object;
        auto onGPU =
            find_if(variant->codes, [](const PlannedCode &planned) { return planned.code->target.isGPU(); });
        differences.push_back(listOptions(object, onGPU == variant->codes.end() ? nullptr : onGPU->code));
        differences.back().push_back(object.when.empty() ? "" : "when " + object.when);
        differences.back().push_back(object.grid.empty() ? "" : "on " + object.grid);
        differences.back().push_back("of " + object.getKernelName().str());
        differences.back().push_back("in " + object.sourcePath);
      }
      for (size_t place = 0; place < differences.front().size(); ++place) {
        if (all_of(differences, [&](const std::vector<std::string> &own) {
              return own[place] == differences.front()[place];
            }))
          continue;
        for (auto [variant, own] : zip(alike, differences))
          if (!own[place].empty())
            variant->title += " " + own[place];
      }
    }
  }

  static std::string describe(const PlannedVariant &variant) {
    return "'" + variant.title + "' of '" + variant.object->path + "'";
  }

  std::optional<unsigned> findArgument(StringRef name) const {
    for (auto [index, argument] : enumerate(kernel.arguments))
      if (argument.name == name)
        return index;
    return std::nullopt;
  }

  std::string printC(const PlannedVariant &variant, StringRef name) const {
    return printName(name, *variant.parameters, kernel.arguments);
  }

  //===--------------------------------------------------------------------===//
  // Promises
  //===--------------------------------------------------------------------===//

  unsigned addSubject(PlannedSubject::Kind kind, unsigned argument, const std::string &text,
                      std::vector<std::string> statements = {}) {
    auto [it, isNew] =
        subjectsByKey.try_emplace({kind, argument, join(statements, "\n")}, kernel.subjects.size());
    if (isNew) {
      PlannedSubject subject;
      subject.kind = kind;
      subject.argument = argument;
      subject.text = text;
      subject.statements = std::move(statements);
      kernel.subjects.push_back(std::move(subject));
    }
    return it->second;
  }

  void promiseRange(PlannedVariant &variant, unsigned argument, int64_t least, int64_t most) {
    unsigned subject = addSubject(PlannedSubject::Kind::Argument, argument, kernel.arguments[argument].name);
    variant.promises.push_back(Promise::range(subject, least, most));
  }

  void addPromises(PlannedVariant &variant) {
    for (const KernelParameter &parameter : *variant.parameters) {
      std::optional<unsigned> index = findArgument(parameter.name);
      if (!index)
        continue;
      const PlannedArgument &argument = kernel.arguments[*index];
      if (parameter.constant) {
        addEquation(variant, *index, *parameter.constant);
        continue;
      }
      if (parameter.isPassedToImage())
        variant.passedArguments.push_back(*index);
      if (argument.isPointer ? argument.isNullable : argument.isOptional())
        promisePresence(variant, *index, true);
      if (parameter.divisibleBy > 1)
        variant.promises.push_back(Promise::divisible(*index, parameter.divisibleBy));
      if (parameter.equalsOne)
        promiseRange(variant, *index, 1, 1);
      if (argument.isPointer || !isInteger(argument.element))
        continue;
      // Of a type narrower than the argument's are the calls whose number fits.
      IntegerRange range = parameter.values.value_or(getValues(parameter.element)),
                   all = getValues(argument.element);
      if (range.least > all.least || range.most < all.most)
        promiseRange(variant, *index, range.least > all.least ? range.least : INT64_MIN,
                     range.most < all.most ? range.most : INT64_MAX);
    }
  }

  /// The variant takes calls whose argument is there, or calls whose argument is null or None.
  void promisePresence(PlannedVariant &variant, unsigned argument, bool isThere) {
    unsigned subject = addSubject(PlannedSubject::Kind::Presence, argument, kernel.arguments[argument].name);
    variant.promises.push_back(Promise::range(subject, isThere, isThere));
  }

  /// The variant takes calls whose argument has this value.
  void addEquation(PlannedVariant &variant, unsigned index, const ConstantValue &value) {
    const PlannedArgument &argument = kernel.arguments[index];
    bool isNone = std::holds_alternative<std::monostate>(value);
    if (argument.isPointer || (isNone && argument.isTakenAtRunTime)) {
      promisePresence(variant, index, false);
      return;
    }
    if (argument.isNumbered()) {
      int64_t number = *numberOf(value, argument.form);
      promiseRange(variant, index, number, number);
      return;
    }
    unsigned subject = addSubject(PlannedSubject::Kind::Value, index, argument.name);
    std::vector<ConstantValue> &values = kernel.subjects[subject].values;
    auto same = [&, &value = value](const ConstantValue &other) { return areEqual(argument, value, other); };
    auto known = find_if(values, same);
    int64_t number = known - values.begin();
    if (known == values.end())
      values.push_back(value);
    variant.promises.push_back(Promise::range(subject, number, number));
  }

  /// Whether a call cannot tell two values apart: `gelu` and `"gelu"`, 1 and 1.0.
  static bool areEqual(const PlannedArgument &argument, const ConstantValue &a, const ConstantValue &b) {
    bool isNone = std::holds_alternative<std::monostate>(a),
         isOtherNone = std::holds_alternative<std::monostate>(b);
    if (isNone || isOtherNone)
      return isNone && isOtherNone;
    if (argument.form == PlannedArgument::Form::Text) {
      auto textOf = [](const ConstantValue &value) {
        const NameConstant *name = std::get_if<NameConstant>(&value);
        return name ? name->text : std::get<std::string>(value);
      };
      return textOf(a) == textOf(b);
    }
    auto realOf = [&](const ConstantValue &value) {
      const double *real = std::get_if<double>(&value);
      return roundTo(argument.element,
                     real ? *real : static_cast<double>(*numberOf(value, PlannedArgument::Form::Plain)));
    };
    if (argument.form == PlannedArgument::Form::OptionalInteger)
      return numberOf(a, argument.form) == numberOf(b, argument.form);
    return realOf(a) == realOf(b);
  }

  bool addCondition(PlannedVariant &variant) {
    const KernelObject &object = *variant.object;
    if (object.when.empty())
      return true;
    StringRef text = diagnostics.addSource(object.path + ", condition", object.when);
    std::optional<GridExpression> condition = GridExpression::parseCondition(text, diagnostics);
    if (!condition || !condition->check(*variant.parameters, diagnostics))
      return false;
    auto print = [&](StringRef name) { return printC(variant, name); };
    for (const ConditionPart &part : readCondition(*condition, *variant.parameters, print))
      addPart(variant, part);
    return true;
  }

  void addPart(PlannedVariant &variant, const ConditionPart &part) {
    using Kind = ConditionPart::Kind;
    if (part.kind == Kind::Never) {
      variant.contradiction = "'" + part.text + "' does not hold";
      return;
    }
    std::optional<unsigned> argument = part.isParameter ? findArgument(part.subject) : std::nullopt;
    if (part.kind == Kind::Divisible) {
      variant.promises.push_back(Promise::divisible(*argument, part.divisor));
      return;
    }
    if (part.kind == Kind::Range && argument && kernel.arguments[*argument].isNumbered()) {
      promiseRange(variant, *argument, part.range.least, part.range.most);
      return;
    }
    if (part.mayFail)
      variant.promises.push_back(
          Promise::range(addSubject(PlannedSubject::Kind::Failure, 0, part.subject, part.subjectC), 0, 0));
    bool isRange = part.kind == Kind::Range;
    unsigned subject = addSubject(isRange ? PlannedSubject::Kind::Expression : PlannedSubject::Kind::Truth, 0,
                                  part.subject, part.subjectC);
    kernel.subjects[subject].contrary = part.contrary;
    variant.promises.push_back(isRange ? Promise::range(subject, part.range.least, part.range.most)
                                       : Promise::range(subject, !part.isContrary, !part.isContrary));
  }

  /// Merges promises about one thing, and sees whether any call can keep them.
  void settlePromises(PlannedVariant &variant) {
    std::vector<Promise> all = variant.promises;
    bool isPossible = normalizePromises(variant.promises);
    for (const Promise &promise : variant.promises) {
      if (!promise.isRange || kernel.subjects[promise.subject].kind != PlannedSubject::Kind::Argument)
        continue;
      const PlannedArgument &argument = kernel.arguments[kernel.subjects[promise.subject].argument];
      IntegerRange values = getValues(argument.element);
      bool isBeyond = argument.form == PlannedArgument::Form::Plain &&
                      (promise.least > values.most || promise.most < values.least);
      // A single value that is not divisible as promised.
      bool isOdd = promise.isPoint() && any_of(variant.promises, [&](const Promise &other) {
                     return !other.isRange && other.subject == kernel.subjects[promise.subject].argument &&
                            promise.least % int64_t(other.divisor) != 0;
                   });
      if (variant.contradiction.empty() && (isBeyond || isOdd))
        variant.contradiction =
            "no " + argument.getType() + " '" + argument.name + "' keeps all that is promised";
    }
    if (!isPossible && variant.contradiction.empty()) {
      std::vector<std::string> texts;
      for (const Promise &promise : all)
        if (std::string text = kernel.describe(promise); !is_contained(texts, text))
          texts.push_back(text);
      variant.contradiction = join(texts, ", and ");
    }
  }

  //===--------------------------------------------------------------------===//
  // Grids
  //===--------------------------------------------------------------------===//

  bool addGrid(PlannedVariant &variant) {
    const KernelObject &object = *variant.object;
    if (object.grid.empty() != kernel.variants.front().object->grid.empty()) {
      diagnostics.error(object.signatureRange, "either all variants of '" + kernel.name +
                                                   "' have a grid expression or none: " + object.describe() +
                                                   " and " + kernel.variants.front().object->describe() +
                                                   " differ");
      return false;
    }
    if (object.grid.empty())
      return true;
    StringRef text = diagnostics.addSource(object.path + ", grid", object.grid);
    std::optional<GridExpression> grid = GridExpression::parse(text, diagnostics);
    if (!grid || !grid->check(*variant.parameters, diagnostics))
      return false;
    for (const std::string &name : grid->getNames())
      if (std::optional<unsigned> index = findArgument(name))
        variant.gridArguments.push_back(*index);
    variant.gridC = grid->printC([&](StringRef name) { return printC(variant, name); });
    return true;
  }

  bool addTensorMaps(const PlannedVariant &variant, PlannedCode &code) {
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
      auto print = [&](StringRef name) { return printC(variant, name); };
      code.tensorMaps.push_back({&map, unsigned(base - kernel.arguments.begin()), extents->printC(print)});
    }
    return true;
  }

  //===--------------------------------------------------------------------===//
  // Order and choice
  //===--------------------------------------------------------------------===//

  void sortVariants() {
    // That a number is there is less than which one it is.
    auto isOfArgument = [&](const Promise &promise) {
      const PlannedSubject &subject = kernel.subjects[promise.subject];
      bool isAnyNumber = subject.kind == PlannedSubject::Kind::Presence && promise.least == 1 &&
                         !kernel.arguments[subject.argument].isPointer;
      return subject.statements.empty() && !isAnyNumber;
    };
    std::map<unsigned, std::set<std::pair<int64_t, int64_t>>> ranges;
    for (const PlannedVariant &variant : kernel.variants)
      for (const Promise &promise : variant.promises)
        if (promise.isRange)
          ranges[promise.subject].insert({promise.least, promise.most});
    for (PlannedVariant &variant : kernel.variants)
      for (const Promise &promise : variant.promises) {
        // A point asks for as much as divisible by 16.
        constexpr unsigned ofPoint = 4;
        if (!promise.isRange)
          variant.specialization += Log2_32(promise.divisor);
        else if (promise.isPoint() && isOfArgument(promise))
          variant.specialization += ofPoint;
        else if (kernel.subjects[promise.subject].kind != PlannedSubject::Kind::Failure)
          variant.narrowness += count_if(ranges[promise.subject], [&](const auto &other) {
            return other.first <= promise.least && promise.most <= other.second;
          });
      }
    sort(kernel.variants, [](const PlannedVariant &a, const PlannedVariant &b) {
      return std::tuple(b.specialization, b.narrowness, a.order) <
             std::tuple(a.specialization, a.narrowness, b.order);
    });
  }

  static bool hasTarget(const PlannedVariant &variant, const Target &target) {
    return any_of(variant.codes, [&](const PlannedCode &code) { return code.code->target == target; });
  }

  /// Variants that promise the same for the same target: no call says which of them is meant. It need not
  /// where they are tuned together.
  void refuseTwins() {
    std::map<std::vector<Promise>, std::vector<const PlannedVariant *>> byPromises;
    for (const PlannedVariant &variant : kernel.variants)
      if (variant.contradiction.empty())
        byPromises[variant.promises].push_back(&variant);
    for (const PlannedVariant &variant : kernel.variants) {
      if (!variant.contradiction.empty())
        continue;
      const auto &others = byPromises[variant.promises];
      for (const PlannedVariant *other : others) {
        if (other == &variant)
          break;
        if (variant.tuningGroup && variant.tuningGroup == other->tuningGroup)
          continue;
        auto shared = find_if(variant.codes, [&, other = other](const PlannedCode &code) {
          return hasTarget(*other, code.code->target);
        });
        if (shared == variant.codes.end())
          continue;
        refuseTwins(*other, variant, shared->code->target);
        break;
      }
    }
  }

  void refuseTwins(const PlannedVariant &a, const PlannedVariant &b, const Target &target) {
    std::vector<std::string> differences;
    StringRef nameToDispatch;
    for (const KernelParameter &parameter : *a.parameters) {
      auto other = find_if(*b.parameters, [&](const KernelParameter &p) { return p.name == parameter.name; });
      if (other == b.parameters->end() || !parameter.constant || !other->constant)
        continue;
      std::string text = printValue(*parameter.constant), otherText = printValue(*other->constant);
      if (text == otherText)
        continue;
      differences.push_back(parameter.name + " (" + text + " and " + otherText + ")");
      nameToDispatch = parameter.name;
    }
    std::string message = "no call can tell apart two variants of '" + kernel.name + "' for " + target.str() +
                          ", " + describe(a) + " and " + describe(b);
    bool haveConditions = !a.object->when.empty() && !b.object->when.empty();
    if (!differences.empty())
      message += ": they differ in " + join(differences, ", ") + "; " +
                 (haveConditions ? "their conditions, '" + a.object->when + "' and '" + b.object->when +
                                       "', hold for the same calls. Change those"
                                 : "give them conditions (WHEN in CMake, --when, \"when\" in a manifest)") +
                 ", or let calls choose by the value (DISPATCH " + nameToDispatch.str() +
                 ", --dispatch, \"dispatch\")";
    diagnostics.error(b.object->signatureRange, message);
  }

  void makeDecision() {
    std::vector<DecisionVariant> variants;
    for (const PlannedVariant &variant : kernel.variants)
      variants.push_back({variant.promises, !variant.contradiction.empty()});
    std::vector<int> argumentOf;
    for (const PlannedSubject &subject : kernel.subjects)
      argumentOf.push_back(subject.kind == PlannedSubject::Kind::Argument ? int(subject.argument) : -1);
    kernel.decision = decide(variants, argumentOf, [&](ArrayRef<EarlierVariant> earlier, unsigned later) {
      return all_of(kernel.variants[later].codes, [&](const PlannedCode &code) {
        return isCovered(earlier, kernel.variants[later], code.code->target);
      });
    });
  }

  /// Whether a call on a device for this target runs one of the earlier variants rather than the later one:
  /// not if one of those comes first that this is tuned with.
  bool isCovered(ArrayRef<EarlierVariant> earlier, const PlannedVariant &later, const Target &target) const {
    for (auto [index, accepts] : earlier) {
      const PlannedVariant &variant = kernel.variants[index];
      if (!hasTarget(variant, target))
        continue;
      if (later.tuningGroup && variant.tuningGroup == later.tuningGroup)
        return false;
      if (accepts)
        return true;
    }
    return false;
  }

  /// Without a grid of their own, callers would have to know which of the variants that are tuned together
  /// runs.
  void refuseUnknownGrids() {
    for (const PlannedVariant &variant : kernel.variants) {
      if (!variant.tuningGroup || kernel.hasGrid())
        continue;
      for (const PlannedVariant &other : kernel.variants) {
        if (other.tuningGroup != variant.tuningGroup)
          continue;
        for (const auto &[name, value] : variant.object->tuning->values) {
          const KernelParameter *own = findParameter(variant, name), *its = findParameter(other, name);
          if (!own || !its || !own->constant || !its->constant ||
              printValue(*own->constant) == printValue(*its->constant))
            continue;
          diagnostics.error(
              variant.object->signatureRange,
              "'" + kernel.name + "' is tried with several values of '" + name +
                  "' and has no grid expression, so that callers would have to know which one runs; "
                  "GRID (--grid, \"grid\" in a manifest) says how many programs each value needs");
          return;
        }
      }
    }
  }

  static const KernelParameter *findParameter(const PlannedVariant &variant, StringRef name) {
    auto found = find_if(*variant.parameters, [&](const KernelParameter &p) { return p.name == name; });
    return found == variant.parameters->end() ? nullptr : &*found;
  }

  /// Where no leaf has a variant, no call gets it.
  void warnOfUnreachable() {
    std::vector<bool> isReached(kernel.variants.size(), false);
    for (const DecisionNode &node : kernel.decision.nodes)
      for (unsigned variant : node.variants)
        isReached[variant] = true;
    for (auto [index, variant] : enumerate(kernel.variants)) {
      if (isReached[index])
        continue;
      std::string message = "the variant '" + variant.title + "' of '" + kernel.name + "' (" +
                            variant.object->path + ") is never chosen: ";
      if (!variant.contradiction.empty())
        message += "no call keeps its promises, as " + variant.contradiction;
      else
        message += describeCover(index);
      diagnostics.warning(variant.object->signatureRange, message);
    }
  }

  /// Which variants take all calls of this one.
  std::string describeCover(size_t late) const {
    const PlannedVariant &variant = kernel.variants[late];
    for (size_t early = 0; early != late; ++early) {
      const PlannedVariant &other = kernel.variants[early];
      bool isIncluded = all_of(other.promises, [&](const Promise &promise) {
        return any_of(variant.promises, [&](const Promise &own) {
          return own.isRange == promise.isRange && own.subject == promise.subject &&
                 own.least >= promise.least && own.most <= promise.most && own.divisor >= promise.divisor;
        });
      });
      if (isIncluded)
        return "'" + other.title + "' (" + other.object->path +
               ") comes first and accepts every call that it accepts";
    }
    return "the variants that come first accept every call that it accepts";
  }

  PlannedKernel &kernel;
  ArrayRef<const KernelObject *> objects;
  Diagnostics &diagnostics;
  unsigned errorsBefore;
  std::map<std::tuple<PlannedSubject::Kind, unsigned, std::string>, unsigned> subjectsByKey;
  /// By what they have in common.
  std::map<std::string, unsigned> tuningGroups;
};

class Planner {
public:
  explicit Planner(Diagnostics &diagnostics)
      : diagnostics(diagnostics), errorsBefore(diagnostics.getErrorCount()) {}

  void addObject(const KernelObject &object) {
    if (object.targets.empty() && !object.misfits.empty())
      return;
    if (object.targets.empty()) {
      diagnostics.error("'" + object.path + "' has no code in it");
      return;
    }
    auto kernel =
        find_if(plan.kernels, [&](const PlannedKernel &k) { return k.name == object.getFunctionName(); });
    if (kernel == plan.kernels.end()) {
      plan.kernels.emplace_back();
      kernel = std::prev(plan.kernels.end());
      kernel->name = object.getFunctionName().str();
      objects.emplace_back();
    }
    objects[kernel - plan.kernels.begin()].push_back(&object);
  }

  std::optional<DispatchPlan> finish(StringRef name) {
    plan.name = name.str();
    placedName = name;
    for (auto [kernel, itsObjects] : zip(plan.kernels, objects))
      KernelPlanner(kernel, itsObjects, diagnostics).plan();
    if (hasFailed())
      return std::nullopt;
    checkNames();
    addTypeFamilies(plan, diagnostics);
    for (PlannedKernel &kernel : plan.kernels)
      nameEntries(kernel);
    if (hasFailed())
      return std::nullopt;
    return std::move(plan);
  }

private:
  bool hasFailed() const { return diagnostics.getErrorCount() != errorsBefore; }

  /// The names of the C functions, short and exported, must be free in C, and different.
  void checkNames() {
    StringSet<> names;
    for (const char *suffix : {"_load", "_unload", "_set_allocator", "_last_error", "_num_threads",
                               "_set_num_threads", "_abi_version"})
      checkExported(names.insert(plan.name + suffix).first->first());
    for (const PlannedKernel &kernel : plan.kernels) {
      if (std::string reason = whyNotAFunctionName(kernel.name); !reason.empty()) {
        diagnostics.error(kernel.variants.front().object->signatureRange,
                          "'" + kernel.name + "' of '" + kernel.variants.front().object->path +
                              "' cannot be the name of a C function, because " + reason + "; " +
                              howToNameFunction);
        continue;
      }
      for (const char *suffix : getFunctionSuffixes())
        for (const std::string &name : {kernel.name + suffix, plan.getSymbol(kernel) + suffix})
          if (!names.insert(name).second)
            diagnostics.error(kernel.variants.front().object->signatureRange,
                              "the library would have two functions '" + name + "': '" + kernel.name +
                                  "' of '" + kernel.variants.front().object->path +
                                  "' collides with another; " + howToNameFunction);
      checkExported(plan.getSymbol(kernel));
    }
  }

  /// Joining two names may give one of the C library's: kernel `create` of the library `pthread`.
  void checkExported(StringRef symbol) {
    if (isCLibraryName(symbol))
      diagnostics.error(rangeOf(placedName),
                        "the library would export '" + symbol +
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

  DispatchPlan plan;
  /// Of each kernel.
  std::vector<std::vector<const KernelObject *>> objects;
  /// The library's name, as it was given: if that is text with a place, messages show it.
  StringRef placedName;
  Diagnostics &diagnostics;
  unsigned errorsBefore;
};
} // namespace

std::optional<DispatchPlan> planDispatch(ArrayRef<KernelObject> objects, StringRef name,
                                         Diagnostics &diagnostics) {
  if (!checkMisfits(objects, diagnostics))
    return std::nullopt;
  Planner planner(diagnostics);
  for (const KernelObject &object : objects)
    planner.addObject(object);
  return planner.finish(name);
}

} // namespace nereid
