// Nothing of PyTorch or NumPy is evaluated: `torch.float16` stays a name of which nothing is known, and finfo
// and iinfo are the functions that know what such a name means. They take Triton's own dtypes as well.

#include "compiler/frontends/python/evaluation/Evaluator.h"
#include "compiler/frontends/python/host/Host.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace llvm;

namespace nereid::python {

/// `float16` of `torch.float16`; the spellings that differ from Triton's.
static std::optional<ScalarKind> parseHostType(StringRef name) {
  StringRef dtype = name.substr(name.rfind('.') + 1);
  return parseScalarKind(StringSwitch<StringRef>(dtype)
                             .Case("half", "float16")
                             .Cases({"float", "single"}, "float32")
                             .Case("double", "float64")
                             .Case("float8_e4m3fn", "float8e4nv")
                             .Case("float8_e4m3fnuz", "float8e4b8")
                             .Case("float8_e5m2", "float8e5")
                             .Case("float8_e5m2fnuz", "float8e5b16")
                             .Case("short", "int16")
                             .Case("int", "int32")
                             .Case("long", "int64")
                             .Default(dtype));
}

/// The dtype that finfo or iinfo is asked about.
static ScalarKind dtypeOf(Evaluator &evaluator, const Value &value, bool isFloat, const char *function) {
  std::optional<ScalarKind> kind;
  if (value.isType() && !value.asType().isPointer() && !value.asType().isBlock())
    kind = value.asType().getScalarKind();
  else if (auto *opaque = value.object<const Opaque>())
    kind = parseHostType(opaque->name);
  // fp8e4b15 has no limits that PyTorch knows.
  if (!kind || isInteger(*kind) == isFloat || *kind == ScalarKind::FP8E4B15)
    evaluator.fail(std::string(function) + "() expects " + (isFloat ? "a floating-point" : "an integer") +
                   " dtype, not " + value.describe());
  return *kind;
}

static Value makeRecord(const char *className, std::vector<std::pair<std::string, Value>> fields) {
  auto record = std::make_shared<TupleObject>();
  record->className = className;
  for (auto &[name, value] : fields) {
    record->fields.push_back(std::move(name));
    record->elements.push_back(std::move(value));
  }
  return record;
}

static Value finfo(Evaluator &evaluator, Arguments &arguments) {
  ScalarKind kind = dtypeOf(evaluator, arguments[0], /*isFloat=*/true, "finfo");
  const fltSemantics &semantics = getFloatSemantics(kind);
  auto toDouble = [](APFloat value) {
    bool losesInfo = false;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    return value.convertToDouble();
  };
  double largest = toDouble(APFloat::getLargest(semantics));
  double smallest = toDouble(APFloat::getSmallestNormalized(semantics));
  double epsilon = std::ldexp(1.0, 1 - static_cast<int>(APFloat::semanticsPrecision(semantics)));
  return makeRecord("finfo", {{"bits", static_cast<int64_t>(getScalarBits(kind))},
                              {"eps", epsilon},
                              {"max", largest},
                              {"min", -largest},
                              {"tiny", smallest},
                              {"smallest_normal", smallest}});
}

static Value iinfo(Evaluator &evaluator, Arguments &arguments) {
  ScalarKind kind = dtypeOf(evaluator, arguments[0], /*isFloat=*/false, "iinfo");
  int64_t bits = getScalarBits(kind);
  BigInt one = 1;
  BigInt largest = isUnsigned(kind) ? (one << bits) - 1 : (one << (bits - 1)) - 1;
  BigInt smallest = isUnsigned(kind) ? BigInt(0) : -(one << (bits - 1));
  return makeRecord("iinfo", {{"bits", bits}, {"max", largest}, {"min", smallest}});
}

void addHostFacts(BuiltinTable &table) {
  for (std::string module : {"torch.", "numpy."}) {
    table.addForUnknown(module + "finfo", "dtype", finfo);
    table.addForUnknown(module + "iinfo", "dtype", iinfo);
    table.addConstant(module + "inf", HUGE_VAL);
    table.addConstant(module + "nan", std::nan(""));
    table.addConstant(module + "pi", 0x1.921fb54442d18p+1);
    table.addConstant(module + "e", 0x1.5bf0a8b145769p+1);
  }
  for (const char *name : {"os.getenv", "os.environ.get"})
    table.add(name, "key, default=None", [](Evaluator &evaluator, Arguments &arguments) {
      evaluator.guessed.make(evaluator.range,
                             "the environment variable " + arguments[0].repr() + " is taken to be unset");
      return arguments[1];
    });
}

} // namespace nereid::python
