// Python's own functions at compile time (len, range, sorted, …) and the `math` module. min, max, abs and
// print also take run-time values, as they do in Triton.
#include "compiler/frontends/python/evaluation/Classes.h"
#include "compiler/frontends/python/evaluation/ConstantFolding.h"
#include "compiler/frontends/python/evaluation/Evaluator.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

using namespace llvm;

namespace nereid::python {

static Value makeRange(RangeObject::Kind kind, std::vector<Value> bounds) {
  auto range = std::make_shared<RangeObject>();
  range->kind = kind;
  if (bounds.size() == 1)
    bounds.insert(bounds.begin(), Value(0));
  if (bounds.size() == 2)
    bounds.push_back(Value(1));
  range->bounds = std::move(bounds);
  return range;
}

/// `tl.range(end)`, `tl.range(start, end)`, `tl.range(start, end, step)`, where start and end are arg1 and
/// arg2.
static std::vector<Value> rangeBounds(const Arguments &arguments) {
  std::vector<Value> bounds{arguments[0]};
  if (!arguments[1].isNone())
    bounds.push_back(arguments[1]);
  else if (!arguments[2].isNone())
    bounds = {Value(0), arguments[0]};
  if (!arguments[2].isNone())
    bounds.push_back(arguments[2]);
  return bounds;
}

static Value parseNumber(Evaluator &evaluator, StringRef text, bool wantFloat) {
  StringRef trimmed = text.trim();
  if (wantFloat) {
    std::string lower = trimmed.lower();
    StringRef name = lower;
    bool negative = name.consume_front("-");
    if (!negative)
      name.consume_front("+");
    if (name == "inf" || name == "infinity")
      return negative ? -INFINITY : INFINITY;
    if (name == "nan")
      return std::nan("");
    double number;
    if (!trimmed.empty() && !trimmed.getAsDouble(number))
      return number;
  } else {
    int64_t integer;
    if (!trimmed.getAsInteger(10, integer))
      return integer;
  }
  evaluator.fail("'" + text + "' is not " + (wantFloat ? "a float" : "an integer"));
}

static Value toInt(Evaluator &evaluator, Arguments &arguments) {
  const Value &value = arguments[0];
  if (value.isFloat()) {
    double number = std::trunc(value.asDouble());
    if (!(std::fabs(number) < 1e38))
      evaluator.fail("cannot convert " + value.repr() + " to an integer");
    return static_cast<BigInt>(number);
  }
  if (value.isIntLike())
    return value.asInt();
  if (value.isStr())
    return parseNumber(evaluator, value.asStr(), false);
  if (value.isTensor())
    evaluator.fail("int() takes compile-time values; use .to(tl.int32) on a " + value.describe());
  evaluator.fail("cannot convert " + value.describe() + " to an integer");
}

static Value toFloat(Evaluator &evaluator, Arguments &arguments) {
  const Value &value = arguments[0];
  if (value.isNumber())
    return value.asDouble();
  if (value.isStr())
    return parseNumber(evaluator, value.asStr(), true);
  if (value.isTensor())
    evaluator.fail("float() takes compile-time values; use .to(tl.float32) on a " + value.describe());
  evaluator.fail("cannot convert " + value.describe() + " to a float");
}

static Value minMax(Evaluator &evaluator, Arguments &arguments, bool isMax) {
  std::vector<Value> values = arguments.rest(0);
  if (values.size() == 1 && !values[0].isTensor())
    values = evaluator.iterateValue(values[0]);
  else if (values.size() == 1)
    evaluator.fail(Twine(isMax ? "max" : "min") + "() compares several values, but gets a single " +
                   values[0].describe() + "; use tl." + (isMax ? "max" : "min"));
  if (Value *fallback = arguments[2].object<DictObject>()->find("default"); fallback && values.empty())
    return *fallback;
  if (values.empty())
    evaluator.fail((isMax ? "max" : "min") + Twine("() needs at least one value"));
  auto keyOf = [&](const Value &value) {
    return arguments[1].isNone() ? value : evaluator.call(arguments[1], {{value}, {}});
  };
  Value best = values[0], bestKey = keyOf(best);
  for (const Value &value : ArrayRef<Value>(values).drop_front()) {
    Value key = keyOf(value);
    if (bestKey.isTensor() || key.isTensor()) {
      best = bestKey = evaluator.emitExtremum(isMax, best, value);
    } else if (isMax ? orderValues(evaluator, key, bestKey) > 0 : orderValues(evaluator, key, bestKey) < 0) {
      best = value;
      bestKey = key;
    }
  }
  return best;
}

static Value absolute(Evaluator &evaluator, Arguments &arguments) {
  const Value &value = arguments[0];
  if (value.isTensor())
    return evaluator.call(*evaluator.lookupMember("tl", "abs"), {{value}, {}});
  if (value.isFloat())
    return std::fabs(value.asDouble());
  if (!value.isIntLike())
    evaluator.fail("abs() does not go with a " + value.describe());
  return value.asInt() < 0 ? -value.asInt() : value.asInt();
}

static void addConversions(BuiltinTable &table) {
  table.addClass("py.int", "x=0", toInt);
  table.addClass("py.float", "x=0.0", toFloat);
  table.addClass("py.bool", "x=False", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    if (arguments[0].isTensor())
      return evaluator.emitTruth(arguments[0]);
    return arguments[0].isTruthy();
  });
  table.addClass("py.str", "x=''",
                 [](Evaluator &, Arguments &arguments) -> Value { return arguments[0].str(); });
  table.addClass("py.tuple", "x=()", [](Evaluator &evaluator, Arguments &arguments) {
    return Value::tuple(evaluator.iterateValue(arguments[0]));
  });
  table.addClass("py.list", "x=()", [](Evaluator &evaluator, Arguments &arguments) {
    return Value::list(evaluator.iterateValue(arguments[0]));
  });
  for (const char *name : {"py.set", "py.frozenset"})
    table.addClass(name, "x=()", [](Evaluator &evaluator, Arguments &arguments) {
      return Value::set(evaluator.iterateValue(arguments[0]));
    });
  table.addClass("py.dict", "x=None, **named", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    auto dict = std::make_shared<DictObject>();
    if (auto *other = arguments[0].object<DictObject>())
      *dict = *other;
    else if (!arguments[0].isNone())
      for (const Value &pair : evaluator.iterateValue(arguments[0])) {
        std::vector<Value> entry = evaluator.iterateValue(pair);
        if (entry.size() != 2)
          evaluator.fail("dict() takes pairs of a key and a value");
        dict->set(entry[0], entry[1]);
      }
    for (auto &[key, value] : arguments[1].object<DictObject>()->entries)
      dict->set(key, value);
    return dict;
  });
  table.addClass("py.object", "", [](Evaluator &evaluator, Arguments &) -> Value {
    evaluator.fail("object() is not supported in a kernel");
  });
  for (const char *name : {"py.staticmethod", "py.classmethod", "py.property"})
    table.addClass(name, "fn", [](Evaluator &, Arguments &arguments) { return arguments[0]; });
  table.add("py.callable", "x", [](Evaluator &, Arguments &arguments) -> Value {
    const Value &x = arguments[0];
    return x.is<const Builtin *>() || x.object<const Function>() || x.object<BoundMethod>() ||
           x.object<const ClassObject>();
  });
  table.add("py.ord", "x", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    if (!arguments[0].isStr() || arguments[0].asStr().size() != 1)
      evaluator.fail("ord() takes one ASCII character");
    return static_cast<int64_t>(static_cast<unsigned char>(arguments[0].asStr()[0]));
  });
  table.add("py.chr", "x", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    BigInt code = wholeNumber(evaluator, arguments[0], "what chr() takes");
    if (code < 0 || code > 127)
      evaluator.fail("chr() is only supported for ASCII");
    return std::string(1, static_cast<char>(code));
  });
  for (auto [name, specification] : {std::pair("py.hex", "#x"), {"py.oct", "#o"}, {"py.bin", "#b"}})
    table.add(
        name, "x", [specification = specification](Evaluator &evaluator, Arguments &arguments) -> Value {
          return formatValue(evaluator, wholeNumber(evaluator, arguments[0], "the number"), specification);
        });
  table.add("py.format", "x, specification=''", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    return formatValue(evaluator, arguments[0], arguments[1].str());
  });
  table.add("py.repr", "x", [](Evaluator &, Arguments &arguments) -> Value { return arguments[0].repr(); });
}

/// The first elements of all sequences, the second ones, …, up to the end of the shortest.
static std::vector<std::vector<Value>> rowsOf(Evaluator &evaluator, const std::vector<Value> &sequences) {
  std::vector<std::vector<Value>> columns;
  size_t length = sequences.empty() ? 0 : SIZE_MAX;
  for (const Value &sequence : sequences) {
    columns.push_back(evaluator.iterateValue(sequence));
    length = std::min(length, columns.back().size());
  }
  std::vector<std::vector<Value>> rows(length);
  for (size_t i = 0; i < length; ++i)
    for (auto &column : columns)
      rows[i].push_back(column[i]);
  return rows;
}

static void addSequences(BuiltinTable &table) {
  table.add("py.len", "x", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    const Value &x = arguments[0];
    if (x.isStr())
      return static_cast<int64_t>(x.asStr().size());
    if (x.isTensor()) {
      if (!x.asRunTime().type.isBlock())
        evaluator.fail("len() does not go with a " + x.describe());
      return x.asRunTime().type.getShape().front();
    }
    return static_cast<int64_t>(iterate(evaluator, x).size());
  });
  // The options of tl.range mean nothing here; Triton ignores what a loop names beside the bounds.
  table.addClass("py.range",
                 "*bounds, num_stages=None, loop_unroll_factor=None, disallow_acc_multi_buffer=False, "
                 "flatten=False, warp_specialize=False, disable_licm=False",
                 [](Evaluator &evaluator, Arguments &arguments) {
                   if (arguments.rest(0).empty() || arguments.rest(0).size() > 3)
                     evaluator.fail("range() takes one to three arguments, but " +
                                    Twine(arguments.rest(0).size()) + " are given");
                   return makeRange(RangeObject::Kind::Python, arguments.rest(0));
                 });
  table.addClass("tl.static_range", "arg1, arg2=None, step=None",
                 [](Evaluator &evaluator, Arguments &arguments) {
                   for (const Value &bound : rangeBounds(arguments))
                     wholeNumber(evaluator, bound, "a bound of tl.static_range");
                   return makeRange(RangeObject::Kind::Static, rangeBounds(arguments));
                 });
  table.addClass("tl.range",
                 "arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None, "
                 "disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False, disable_licm=False",
                 [](Evaluator &, Arguments &arguments) -> Value {
                   Value value = makeRange(RangeObject::Kind::Triton, rangeBounds(arguments));
                   static const char *const options[] = {
                       "num_stages", "loop_unroll_factor", "disallow_acc_multi_buffer",
                       "flatten",    "warp_specialize",    "disable_licm"};
                   for (auto [index, name] : enumerate(options))
                     value.object<RangeObject>()->options.push_back({name, arguments[3 + index]});
                   return value;
                 });
  table.add("py.zip", "*sequences, strict=False", [](Evaluator &evaluator, Arguments &arguments) {
    std::vector<Value> rows;
    for (std::vector<Value> &row : rowsOf(evaluator, arguments.rest(0)))
      rows.push_back(Value::tuple(std::move(row)));
    return Value::list(std::move(rows));
  });
  table.add("py.enumerate", "sequence, start=0", [](Evaluator &evaluator, Arguments &arguments) {
    std::vector<Value> pairs;
    BigInt index = wholeNumber(evaluator, arguments[1], "enumerate()'s start");
    for (Value &element : evaluator.iterateValue(arguments[0]))
      pairs.push_back(Value::tuple({Value(index++), std::move(element)}));
    return Value::list(std::move(pairs));
  });
  table.add("py.reversed", "sequence", [](Evaluator &evaluator, Arguments &arguments) {
    std::vector<Value> elements = evaluator.iterateValue(arguments[0]);
    std::reverse(elements.begin(), elements.end());
    return Value::list(std::move(elements));
  });
  table.add(
      "py.sorted", "sequence, *, key=None, reverse=False", [](Evaluator &evaluator, Arguments &arguments) {
        std::vector<Value> elements = evaluator.iterateValue(arguments[0]);
        std::vector<Value> keys;
        for (const Value &element : elements)
          keys.push_back(arguments[1].isNone() ? element : evaluator.call(arguments[1], {{element}, {}}));
        std::vector<size_t> order(elements.size());
        std::iota(order.begin(), order.end(), size_t(0));
        bool descending = arguments[2].isTruthy();
        // Merged, as keys need not be in any order, which std::sort does not survive: NaN is not.
        auto precedes = [&](size_t a, size_t b) {
          int comparison = orderValues(evaluator, keys[a], keys[b]);
          return descending ? comparison > 0 : comparison < 0;
        };
        std::vector<size_t> merged(order.size());
        for (size_t width = 1; width < order.size(); width *= 2) {
          for (size_t begin = 0; begin < order.size(); begin += 2 * width) {
            size_t middle = std::min(begin + width, order.size()),
                   end = std::min(middle + width, order.size());
            std::merge(order.begin() + begin, order.begin() + middle, order.begin() + middle,
                       order.begin() + end, merged.begin() + begin, precedes);
          }
          std::swap(order, merged);
        }
        std::vector<Value> ordered;
        for (size_t index : order)
          ordered.push_back(elements[index]);
        return Value::list(std::move(ordered));
      });
  table.add("py.map", "function, *sequences", [](Evaluator &evaluator, Arguments &arguments) {
    std::vector<Value> results;
    for (std::vector<Value> &row : rowsOf(evaluator, arguments.rest(1)))
      results.push_back(evaluator.call(arguments[0], {std::move(row), {}}));
    return Value::list(std::move(results));
  });
  table.add("itertools.product", "*sequences, repeat=1", [](Evaluator &evaluator, Arguments &arguments) {
    std::vector<std::vector<Value>> rows(1), columns;
    for (const Value &sequence : arguments.rest(0))
      columns.push_back(evaluator.iterateValue(sequence));
    BigInt rounds = columns.empty() ? 0 : wholeNumber(evaluator, arguments[1], "product()'s repeat");
    for (BigInt round = rounds; round > 0; --round)
      for (const std::vector<Value> &column : columns) {
        std::vector<std::vector<Value>> longer;
        evaluator.meter.spend(1);
        for (const std::vector<Value> &row : rows)
          for (const Value &element : column) {
            evaluator.meter.spend((row.size() + 1) * stepsOfElement);
            longer.push_back(row);
            longer.back().push_back(element);
          }
        rows = std::move(longer);
      }
    std::vector<Value> tuples;
    for (std::vector<Value> &row : rows)
      tuples.push_back(Value::tuple(std::move(row)));
    return Value::list(std::move(tuples));
  });
  table.add("py.filter", "function, sequence", [](Evaluator &evaluator, Arguments &arguments) {
    std::vector<Value> kept;
    for (Value &element : evaluator.iterateValue(arguments[1])) {
      Value keeps = arguments[0].isNone() ? element : evaluator.call(arguments[0], {{element}, {}});
      if (evaluator.isTrue(keeps, "what filter() asks"))
        kept.push_back(std::move(element));
    }
    return Value::list(std::move(kept));
  });
  table.add("py.sum", "sequence, start=0", [](Evaluator &evaluator, Arguments &arguments) {
    Value total = arguments[1];
    for (Value &element : evaluator.iterateValue(arguments[0]))
      total = evaluator.applyBinary(ast::Operator::Add, total, element);
    return total;
  });
  for (bool isAny : {false, true})
    table.add(isAny ? "py.any" : "py.all", "sequence",
              [isAny](Evaluator &evaluator, Arguments &arguments) -> Value {
                for (Value &element : evaluator.iterateValue(arguments[0]))
                  if (evaluator.isTrue(element, isAny ? "an element given to any()"
                                                      : "an element given to all()") == isAny)
                    return isAny;
                return !isAny;
              });
}

static void addMathModule(BuiltinTable &table) {
  table.addConstant("math.pi", 3.141592653589793);
  table.addConstant("math.e", 2.718281828459045);
  table.addConstant("math.tau", 6.283185307179586);
  table.addConstant("math.inf", static_cast<double>(INFINITY));
  table.addConstant("math.nan", std::nan(""));
  struct Unary {
    const char *name;
    double (*compute)(double);
  };
  static const Unary functions[] = {
      {"sqrt", std::sqrt},   {"exp", std::exp},      {"exp2", std::exp2},     {"sin", std::sin},
      {"cos", std::cos},     {"tan", std::tan},      {"tanh", std::tanh},     {"atan", std::atan},
      {"asin", std::asin},   {"acos", std::acos},    {"sinh", std::sinh},     {"cosh", std::cosh},
      {"cbrt", std::cbrt},   {"gamma", std::tgamma}, {"lgamma", std::lgamma}, {"erfc", std::erfc},
      {"erf", std::erf},     {"fabs", std::fabs},    {"log2", std::log2},     {"log10", std::log10},
      {"log1p", std::log1p}, {"expm1", std::expm1}};
  auto number = [](Evaluator &evaluator, const Value &value, StringRef name) {
    if (value.isTensor())
      evaluator.fail("math." + name + "() takes compile-time numbers; use tl." + name + " for a " +
                     value.describe());
    if (!value.isNumber())
      evaluator.fail("math." + name + "() takes a number, not a " + value.describe());
    return value.asDouble();
  };
  for (const Unary &function : functions)
    table.add(("math." + Twine(function.name)).str(), "x",
              [=](Evaluator &evaluator, Arguments &arguments) -> Value {
                double result = function.compute(number(evaluator, arguments[0], function.name));
                if (std::isnan(result) && !std::isnan(arguments[0].asDouble()))
                  evaluator.fail("math." + Twine(function.name) + "() is not defined for " +
                                 arguments[0].repr());
                return result;
              });
  table.add("math.log", "x, base=None", [=](Evaluator &evaluator, Arguments &arguments) -> Value {
    double x = number(evaluator, arguments[0], "log");
    if (!(x > 0))
      evaluator.fail("math.log() is not defined for " + arguments[0].repr());
    return arguments[1].isNone() ? std::log(x)
                                 : std::log(x) / std::log(number(evaluator, arguments[1], "log"));
  });
  table.add("math.pow", "x, y", [=](Evaluator &evaluator, Arguments &arguments) -> Value {
    return std::pow(number(evaluator, arguments[0], "pow"), number(evaluator, arguments[1], "pow"));
  });
  for (bool isCeil : {false, true})
    table.add(isCeil ? "math.ceil" : "math.floor", "x",
              [=](Evaluator &evaluator, Arguments &arguments) -> Value {
                if (arguments[0].isIntLike())
                  return arguments[0].asInt();
                double x = number(evaluator, arguments[0], isCeil ? "ceil" : "floor");
                if (!(std::fabs(x) < 1e38))
                  evaluator.fail("cannot round " + arguments[0].repr() + " to an integer");
                return static_cast<BigInt>(isCeil ? std::ceil(x) : std::floor(x));
              });
  for (bool isNaN : {false, true})
    table.add(isNaN ? "math.isnan" : "math.isinf", "x",
              [=](Evaluator &evaluator, Arguments &arguments) -> Value {
                double x = number(evaluator, arguments[0], isNaN ? "isnan" : "isinf");
                return isNaN ? std::isnan(x) : std::isinf(x);
              });
  table.add("math.trunc", "x", toInt);
  table.add("math.isfinite", "x", [=](Evaluator &evaluator, Arguments &arguments) -> Value {
    return std::isfinite(number(evaluator, arguments[0], "isfinite"));
  });
  struct Binary {
    const char *name;
    double (*compute)(double, double);
  };
  static const Binary binaries[] = {
      {"atan2", std::atan2}, {"fmod", std::fmod}, {"copysign", std::copysign}, {"hypot", std::hypot}};
  for (const Binary &function : binaries)
    table.add(("math." + Twine(function.name)).str(), "x, y",
              [=](Evaluator &evaluator, Arguments &arguments) -> Value {
                return function.compute(number(evaluator, arguments[0], function.name),
                                        number(evaluator, arguments[1], function.name));
              });
  auto natural = [](Evaluator &evaluator, const Value &value, StringRef name) {
    BigInt integer = wholeNumber(evaluator, value, ("what math." + name + "() takes").str());
    if (integer < 0)
      evaluator.fail("math." + name + "() is not defined for " + value.repr());
    return integer;
  };
  table.add("math.gcd", "*values", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    BigInt divisor = 0;
    for (const Value &value : arguments.rest(0))
      for (BigInt rest = wholeNumber(evaluator, value, "what math.gcd() takes"); rest;)
        std::tie(divisor, rest) = std::pair(rest, divisor % rest);
    return divisor < 0 ? -divisor : divisor;
  });
  table.add("math.lcm", "*values", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    Value multiple = 1;
    for (const Value &value : arguments.rest(0)) {
      Value divisor = evaluator.call(*evaluator.lookupMember("math", "gcd"), {{multiple, value}, {}});
      if (!divisor.isTruthy())
        return 0;
      multiple = evaluator.applyBinary(ast::Operator::Mult, multiple,
                                       evaluator.applyBinary(ast::Operator::FloorDiv, value, divisor));
    }
    return multiple.asInt() < 0 ? -multiple.asInt() : multiple.asInt();
  });
  table.add("math.isqrt", "x", [=](Evaluator &evaluator, Arguments &arguments) -> Value {
    BigInt square = natural(evaluator, arguments[0], "isqrt"), root = 0;
    for (int bit = 62; bit >= 0; --bit)
      if (BigInt next = root | (BigInt(1) << bit); next * next <= square)
        root = next;
    return root;
  });
  table.add("math.factorial", "x", [=](Evaluator &evaluator, Arguments &arguments) -> Value {
    Value product = 1;
    BigInt last = natural(evaluator, arguments[0], "factorial");
    for (BigInt factor = 2; factor <= last; ++factor)
      product = evaluator.applyBinary(ast::Operator::Mult, product, factor);
    return product;
  });
  table.add("math.comb", "n, k", [=](Evaluator &evaluator, Arguments &arguments) -> Value {
    BigInt n = natural(evaluator, arguments[0], "comb"), k = natural(evaluator, arguments[1], "comb");
    Value ways = k > n ? 0 : 1;
    for (BigInt i = 0; i < std::min(k, n - k); ++i)
      ways = evaluator.applyBinary(ast::Operator::FloorDiv,
                                   evaluator.applyBinary(ast::Operator::Mult, ways, n - i), i + 1);
    return ways;
  });
  table.add("math.prod", "sequence", [](Evaluator &evaluator, Arguments &arguments) {
    Value product = 1;
    for (Value &element : evaluator.iterateValue(arguments[0]))
      product = evaluator.applyBinary(ast::Operator::Mult, product, element);
    return product;
  });
}

void addPythonBuiltins(BuiltinTable &table) {
  addConversions(table);
  addSequences(table);
  addMathModule(table);
  for (bool isMax : {false, true})
    table.add(
        isMax ? "py.max" : "py.min", "*values, key=None, **named",
        [isMax](Evaluator &evaluator, Arguments &arguments) { return minMax(evaluator, arguments, isMax); });
  table.add("py.abs", "x", absolute);
  table.add("py.round", "x, digits=None", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    if (!arguments[0].isNumber())
      evaluator.fail("round() takes a compile-time number, not a " + arguments[0].describe());
    if (!arguments[1].isNone()) {
      BigInt digits = wholeNumber(evaluator, arguments[1], "round()'s digits");
      if (digits < 0 || digits > 20)
        evaluator.fail("round() to " + bigToString(digits) + " digits is not supported");
      // The text of so many digits is the number rounded to them, exactly.
      double number = 0;
      std::string text = formatValue(evaluator, arguments[0], "." + bigToString(digits) + "f");
      if (arguments[0].isFloat() && !StringRef(text).getAsDouble(number))
        return number;
      return arguments[0];
    }
    if (!arguments[0].isFloat())
      return arguments[0];
    if (!(std::fabs(arguments[0].asDouble()) < 1e38))
      evaluator.fail("cannot round " + arguments[0].repr() + " to an integer");
    return static_cast<BigInt>(std::nearbyint(arguments[0].asDouble()));
  });
  table.add("py.pow", "x, y", [](Evaluator &evaluator, Arguments &arguments) {
    return evaluator.applyBinary(ast::Operator::Pow, arguments[0], arguments[1]);
  });
  table.add("py.divmod", "x, y", [](Evaluator &evaluator, Arguments &arguments) {
    return Value::tuple({evaluator.applyBinary(ast::Operator::FloorDiv, arguments[0], arguments[1]),
                         evaluator.applyBinary(ast::Operator::Mod, arguments[0], arguments[1])});
  });
  table.add("py.hasattr", "x, name", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    if (!arguments[1].isStr())
      evaluator.fail("hasattr() takes the name of an attribute");
    return evaluator.findAttribute(arguments[0], arguments[1].asStr()).has_value();
  });
  table.add("py.getattr", "x, name, *default", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    if (!arguments[1].isStr())
      evaluator.fail("getattr() takes the name of an attribute");
    if (auto value = evaluator.findAttribute(arguments[0], arguments[1].asStr()))
      return *value;
    if (!arguments.rest(2).empty())
      return arguments.rest(2)[0];
    return evaluator.getAttribute(arguments[0], arguments[1].asStr());
  });
  // print shows values while compiling nowhere: a compiler's output is the program. It is accepted, as Triton
  // does.
  table.add("py.print", "*values, sep=' ', end='', hex=False",
            [](Evaluator &evaluator, Arguments &arguments) -> Value {
              bool runTime = any_of(arguments.rest(0), [](const Value &value) { return value.hasTensor(); });
              if (!runTime)
                return {};
              CallArguments call;
              call.positional = arguments.rest(0);
              if (!call.positional[0].isStr())
                call.positional.insert(call.positional.begin(), Value(""));
              call.keywords = {{"hex", arguments[3]}};
              return evaluator.call(*evaluator.lookupMember("tl", "device_print"), std::move(call));
            });
  table.add("collections.namedtuple", "name, fields",
            [](Evaluator &evaluator, Arguments &arguments) -> Value {
              auto type = std::make_shared<ClassObject>();
              type->kind = ClassObject::Kind::NamedTuple;
              type->name = arguments[0].str();
              if (arguments[1].isStr()) {
                SmallVector<StringRef> names;
                StringRef(arguments[1].asStr()).split(names, ' ', -1, false);
                for (StringRef name : names)
                  type->fields.push_back({name.trim(", ").str()});
              } else {
                for (const Value &name : evaluator.iterateValue(arguments[1]))
                  type->fields.push_back({name.str()});
              }
              return ClassPointer(std::move(type));
            });
}

} // namespace nereid::python
