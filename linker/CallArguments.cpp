// Finds which parameters are arguments, then brings what the variants say of each to one type.
#include "linker/CallArguments.h"

#include "compiler/model/FloatFormat.h"
#include "linker/GridExpression.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <cmath>

using namespace llvm;

namespace nereid {

std::string PlannedArgument::getType() const {
  switch (form) {
  case Form::Plain:
    break;
  case Form::Text:
    return "text";
  case Form::DType:
    return "dtype";
  case Form::OptionalInteger:
    return "i64 or None";
  case Form::OptionalFloat:
    return getScalarName(element).str() + " or None";
  }
  return (isPointer ? "*" : "") + getScalarName(element).str();
}

std::optional<int64_t> numberOf(const ConstantValue &value, PlannedArgument::Form form) {
  if (form == PlannedArgument::Form::DType) {
    if (std::holds_alternative<std::monostate>(value))
      return 0;
    if (const DTypeConstant *dtype = std::get_if<DTypeConstant>(&value))
      return static_cast<int64_t>(dtype->kind) + 1;
    return std::nullopt;
  }
  if (const bool *boolean = std::get_if<bool>(&value))
    return *boolean;
  if (const int64_t *integer = std::get_if<int64_t>(&value))
    return *integer;
  return std::nullopt;
}

std::string printValue(const ConstantValue &value) {
  ParameterSpec spec;
  spec.constant = value;
  return spec.str();
}

/// The number in the format of the type. Its types are those that calls may give a value of.
static APFloat encode(ScalarKind element, double value) {
  APFloat number(value);
  bool losesInfo;
  number.convert(*getFloatFormat(element), APFloat::rmNearestTiesToEven, &losesInfo);
  return number;
}

double roundTo(ScalarKind element, double value) {
  return hasOptionalFloat(element) ? encode(element, value).convertToDouble() : value;
}

uint64_t bitsOf(ScalarKind element, double value) {
  return encode(element, value).bitcastToAPInt().getZExtValue();
}

bool hasOptionalFloat(ScalarKind element) { return !getNameOfOptional(element).empty(); }

StringRef getNameOfOptional(ScalarKind element) {
  switch (element) {
  case ScalarKind::FP16:
    return "f16";
  case ScalarKind::BF16:
    return "bf16";
  case ScalarKind::FP32:
    return "f32";
  case ScalarKind::FP64:
    return "f64";
  default:
    return "";
  }
}

static const std::vector<KernelParameter> &parametersOf(const KernelObject &object) {
  return object.targets.front().info.parameters;
}

/// `(x_ptr *fp32, n i32)`, for messages: what the object takes at run time.
static std::string describe(const KernelObject &object) {
  std::vector<std::string> texts;
  for (const KernelParameter &parameter : parametersOf(object))
    if (!parameter.constant)
      texts.push_back(parameter.name + " " + (parameter.isPointer ? "*" : "") +
                      getScalarName(parameter.element).str());
  return "(" + join(texts, ", ") + ")";
}

/// Two variants that cannot be one C function.
static void reportOtherArguments(const KernelObject &object, const KernelObject &first,
                                 Diagnostics &diagnostics) {
  diagnostics.error(object.signatureRange, "the variants of '" + first.getFunctionName() +
                                               "' do not have the same C arguments: " + object.describe() +
                                               " takes " + describe(object) + ", and " + first.describe() +
                                               " takes " + describe(first));
}

namespace {

/// What all variants say of one argument.
class ArgumentMerger {
public:
  ArgumentMerger(StringRef name, bool isDispatched, ArrayRef<const KernelObject *> objects,
                 Diagnostics &diagnostics)
      : name(name), objects(objects), diagnostics(diagnostics) {
    argument.name = name.str();
    argument.isDispatched = isDispatched;
    for (const KernelObject *object : objects) {
      const KernelParameter &parameter =
          *find_if(parametersOf(*object), [&](const KernelParameter &p) { return p.name == name; });
      if (parameter.constant)
        values.push_back({object, &*parameter.constant});
      else
        uses.push_back({object, &parameter});
    }
  }

  std::optional<PlannedArgument> merge() {
    bool succeeded = uses.empty() ? mergeValues() : mergeUses();
    return succeeded ? std::optional(argument) : std::nullopt;
  }

private:
  struct Use {
    const KernelObject *object;
    const KernelParameter *parameter;
  };
  struct Value {
    const KernelObject *object;
    const ConstantValue *value;
  };

  bool refuse(const KernelObject &object, const Twine &message) {
    diagnostics.error(object.signatureRange, message);
    return false;
  }

  bool refuseTypes(const KernelObject &object) {
    reportOtherArguments(object, *objects.front(), diagnostics);
    return false;
  }

  /// Some variant takes it at run time.
  bool mergeUses() {
    const KernelParameter &first = *uses.front().parameter;
    argument.isTakenAtRunTime = true;
    argument.isPointer = argument.isConst = first.isPointer;
    argument.element = first.element;
    for (const Use &use : uses) {
      const KernelParameter &other = *use.parameter;
      if (other.isPointer != argument.isPointer)
        return refuseTypes(*use.object);
      if (other.element == argument.element)
        continue;
      std::optional<ScalarKind> wide = widen(argument.element, other.element);
      if (argument.isPointer || !wide)
        return refuseTypes(*use.object);
      argument.element = *wide;
    }
    for (const Value &value : values)
      if (!addValueBesideUses(value))
        return false;
    if (argument.isNullable && !argument.isPointer) {
      bool areIntegers = isInteger(argument.element);
      argument.form =
          areIntegers ? PlannedArgument::Form::OptionalInteger : PlannedArgument::Form::OptionalFloat;
      if (areIntegers)
        argument.element = ScalarKind::Int64;
    }
    return true;
  }

  /// The smallest integer type that holds both.
  static std::optional<ScalarKind> widen(ScalarKind a, ScalarKind b) {
    if (!isInteger(a) || !isInteger(b) || a == ScalarKind::Int1 || b == ScalarKind::Int1)
      return std::nullopt;
    for (ScalarKind kind : {ScalarKind::UInt8, ScalarKind::Int8, ScalarKind::UInt16, ScalarKind::Int16,
                            ScalarKind::UInt32, ScalarKind::Int32, ScalarKind::UInt64, ScalarKind::Int64}) {
      auto holds = [&](ScalarKind other) {
        if (isUnsigned(kind))
          return isUnsigned(other) && getScalarBits(other) <= getScalarBits(kind);
        return getScalarBits(other) + isUnsigned(other) <= getScalarBits(kind);
      };
      if (holds(a) && holds(b))
        return kind;
    }
    return std::nullopt;
  }

  /// A compile-time value in some variants of what others take at run time.
  bool addValueBesideUses(const Value &value) {
    auto place = [&] {
      return "of the variants of '" + value.object->getFunctionName().str() + "', " +
             value.object->describe() + " has the compile-time value " + printValue(*value.value) + " for '" +
             name.str() + "', which " + uses.front().object->describe() + " takes at run time as " +
             argument.getType();
    };
    if (argument.isPointer) {
      if (!std::holds_alternative<std::monostate>(*value.value))
        return refuse(*value.object, place() + ": a pointer's only value is None");
      argument.isNullable = true;
      return true;
    }
    if (!canPass(*value.value))
      return refuse(
          *value.object,
          place() +
              ", where calls cannot pass it; a function of another name can have it (FUNCTION in CMake, "
              "--function, \"function\" in a manifest)");
    if (!argument.isDispatched)
      return refuse(
          *value.object,
          place() + ": calls can choose between them if '" + name +
              "' is named to be chosen by (DISPATCH in CMake, --dispatch, \"dispatch\" in a manifest)");
    argument.isNullable |= std::holds_alternative<std::monostate>(*value.value);
    return true;
  }

  /// Whether calls can pass the value of a number that other variants take at run time.
  bool canPass(const ConstantValue &value) const {
    bool isReal = hasOptionalFloat(argument.element);
    if (std::holds_alternative<std::monostate>(value))
      return isReal || (isInteger(argument.element) && argument.element != ScalarKind::UInt64);
    std::optional<int64_t> number = numberOf(value, PlannedArgument::Form::Plain);
    if (isInteger(argument.element)) {
      IntegerRange all = getValues(argument.element);
      return number && *number >= all.least && *number <= all.most;
    }
    if (!isReal)
      return false;
    if (number) {
      // What the type has no number for would be taken for its neighbour.
      double nearest = roundTo(argument.element, static_cast<double>(*number));
      return nearest < 0x1p63 && static_cast<int64_t>(nearest) == *number;
    }
    const double *real = std::get_if<double>(&value);
    // Nothing equals NaN; and what is too large for a float would become infinity.
    return real && !std::isnan(*real) &&
           (std::isinf(*real) || std::isfinite(roundTo(argument.element, *real)));
  }

  /// Every variant has a value for it, and calls choose by that.
  bool mergeValues() {
    bool hasNone = false, areBooleans = true, areIntegers = true, areNumbers = true, areDTypes = true,
         areTexts = true, fit32Bits = true;
    for (const Value &value : values) {
      const ConstantValue &constant = *value.value;
      if (std::holds_alternative<std::monostate>(constant)) {
        hasNone = true;
        continue;
      }
      std::optional<int64_t> number = numberOf(constant, PlannedArgument::Form::Plain);
      const double *real = std::get_if<double>(&constant);
      if (real && std::isnan(*real))
        return refuse(*value.object, "'" + value.object->getFunctionName() + "' has NaN for '" + name +
                                         "', by which calls are to choose: nothing equals it");
      const std::string *text = std::get_if<std::string>(&constant);
      if (text && StringRef(*text).contains('\0'))
        return refuse(*value.object,
                      "'" + value.object->getFunctionName() + "' has " + printValue(constant) + " for '" +
                          name + "', by which calls are to choose: a text of C ends at its first NUL");
      areBooleans &= std::holds_alternative<bool>(constant);
      areIntegers &= number.has_value();
      areNumbers &= number.has_value() || real;
      areDTypes &= std::holds_alternative<DTypeConstant>(constant);
      areTexts &=
          std::holds_alternative<std::string>(constant) || std::holds_alternative<NameConstant>(constant);
      fit32Bits &= number && isInt<32>(*number);
    }
    using Form = PlannedArgument::Form;
    if (areTexts && !areDTypes) {
      argument.form = Form::Text;
    } else if (areDTypes && !areTexts) {
      argument.form = Form::DType;
    } else if (areIntegers) {
      argument.form = hasNone ? Form::OptionalInteger : Form::Plain;
      argument.element = hasNone       ? ScalarKind::Int64
                         : areBooleans ? ScalarKind::Int1
                         : fit32Bits   ? ScalarKind::Int32
                                       : ScalarKind::Int64;
    } else if (areNumbers) {
      argument.form = hasNone ? Form::OptionalFloat : Form::Plain;
      argument.element = ScalarKind::FP64;
    } else {
      std::vector<std::string> texts;
      for (const Value &value : values)
        if (std::string text = printValue(*value.value); !is_contained(texts, text))
          texts.push_back(text);
      return refuse(*values.back().object, "calls of '" + values.front().object->getFunctionName() +
                                               "' cannot choose by '" + name +
                                               "': no type of C has all of its values, " + join(texts, ", "));
    }
    argument.isNullable = hasNone;
    return true;
  }

  StringRef name;
  ArrayRef<const KernelObject *> objects;
  Diagnostics &diagnostics;
  std::vector<Use> uses;
  std::vector<Value> values;
  PlannedArgument argument;
};

} // namespace

/// Adds what grids take of calls and kernels do not, `argument(rows)`.
static bool addGridArguments(ArrayRef<const KernelObject *> objects, std::vector<PlannedArgument> &arguments,
                             Diagnostics &diagnostics) {
  for (const KernelObject *object : objects) {
    if (object->grid.empty())
      continue;
    StringRef text = diagnostics.addSource(object->path + ", grid", object->grid);
    std::optional<GridExpression> grid = GridExpression::parse(text, diagnostics);
    if (!grid)
      return false;
    for (const std::string &name : grid->getArguments()) {
      if (any_of(arguments, [&](const PlannedArgument &argument) { return argument.name == name; }))
        continue;
      PlannedArgument argument;
      argument.name = name;
      argument.element = ScalarKind::Int64;
      argument.isTakenAtRunTime = true;
      arguments.push_back(std::move(argument));
    }
  }
  return true;
}

std::optional<std::vector<PlannedArgument>> mergeArguments(ArrayRef<const KernelObject *> objects,
                                                           Diagnostics &diagnostics) {
  StringSet<> dispatched, isArgument;
  for (const KernelObject *object : objects) {
    for (const std::string &name : object->dispatch) {
      isArgument.insert(name);
      dispatched.insert(name);
    }
    for (const KernelParameter &parameter : parametersOf(*object))
      if (!parameter.constant)
        isArgument.insert(parameter.name);
  }
  auto namesOf = [&](const KernelObject &object) {
    std::vector<StringRef> names;
    for (const KernelParameter &parameter : parametersOf(object))
      if (isArgument.contains(parameter.name))
        names.push_back(parameter.name);
    return names;
  };
  const KernelObject &first = *objects.front();
  std::vector<StringRef> names = namesOf(first);
  for (const KernelObject *object : objects) {
    for (const std::string &name : object->dispatch)
      if (none_of(parametersOf(*object), [&](const KernelParameter &p) { return p.name == name; })) {
        diagnostics.error(object->signatureRange, object->describe() + ": calls are to choose by '" + name +
                                                      "', which is not a parameter of '" +
                                                      object->getKernelName() + "'");
        return std::nullopt;
      }
    if (namesOf(*object) != names) {
      reportOtherArguments(*object, first, diagnostics);
      return std::nullopt;
    }
  }
  std::vector<PlannedArgument> arguments;
  for (StringRef name : names) {
    auto argument = ArgumentMerger(name, dispatched.contains(name), objects, diagnostics).merge();
    if (!argument)
      return std::nullopt;
    arguments.push_back(std::move(*argument));
  }
  if (!addGridArguments(objects, arguments, diagnostics))
    return std::nullopt;
  return arguments;
}

} // namespace nereid
