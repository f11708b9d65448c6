// Python's own functions at compile time (len, range, isinstance, …), the `math` module, and methods of
// strings, lists and dicts. min, max, abs and print also take run-time values, as they do in Triton.
#include "compiler/frontends/python/Arithmetic.h"
#include "compiler/frontends/python/Casting.h"
#include "compiler/frontends/python/ConstantFolding.h"
#include "compiler/frontends/python/Emitter.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

static Value parseNumber(Emitter &emitter, StringRef text, bool wantFloat) {
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
  emitter.fail("'" + text + "' is not " + (wantFloat ? "a float" : "an integer"));
}

static Value toInt(Emitter &emitter, Arguments &arguments) {
  const Value &value = arguments[0];
  if (value.isFloat()) {
    double number = std::trunc(value.asDouble());
    if (!(std::fabs(number) < 1e38))
      emitter.fail("cannot convert " + value.repr() + " to an integer");
    return static_cast<BigInt>(number);
  }
  if (value.isIntLike())
    return value.asInt();
  if (value.isStr())
    return parseNumber(emitter, value.asStr(), false);
  if (value.isTensor())
    emitter.fail("int() takes compile-time values; use .to(tl.int32) on a " + value.describe());
  emitter.fail("cannot convert " + value.describe() + " to an integer");
}

static Value toFloat(Emitter &emitter, Arguments &arguments) {
  const Value &value = arguments[0];
  if (value.isNumber())
    return value.asDouble();
  if (value.isStr())
    return parseNumber(emitter, value.asStr(), true);
  if (value.isTensor())
    emitter.fail("float() takes compile-time values; use .to(tl.float32) on a " + value.describe());
  emitter.fail("cannot convert " + value.describe() + " to a float");
}

static bool isInstance(Emitter &emitter, const Value &value, const Value &type) {
  if (type.isTuple())
    return any_of(type.asTuple().elements, [&](const Value &one) { return isInstance(emitter, value, one); });
  if (auto *named = type.object<const NamedTupleClass>())
    return value.isTuple() && value.asTuple().className == named->name;
  if (auto *opaque = type.object<const Opaque>())
    return opaque->name.empty(); // never: no value of a kernel is of such a class
  if (!type.is<const Builtin *>() || !type.get<const Builtin *>()->isClass)
    emitter.fail("isinstance() takes a class, not a " + type.describe());
  StringRef name = type.get<const Builtin *>()->name;
  return StringSwitch<bool>(name)
      .Case("py.int", value.isIntLike())
      .Case("py.bool", value.isBool())
      .Case("py.float", value.isFloat())
      .Case("py.str", value.isStr())
      .Case("py.tuple", value.isTuple() && !value.asTuple().isList)
      .Case("tl.tuple", value.isTuple())
      .Case("py.list", value.isTuple() && value.asTuple().isList)
      .Case("py.dict", value.object<DictObject>() != nullptr)
      .Case("tl.tensor", value.isTensor() && !value.asTensor().type.isDescriptor())
      .Case("tl.tensor_descriptor", value.isTensor() && value.asTensor().type.isDescriptor())
      .Case("tl.constexpr", !value.hasTensor())
      .Case("tl.dtype", value.isType())
      .Case("tl.pointer_type", value.isType() && value.asType().isPointer())
      .Case("tl.block_type", value.isType() && value.asType().isBlock())
      .Default(false);
}

static Value minMax(Emitter &emitter, Arguments &arguments, bool isMax) {
  std::vector<Value> values = arguments.rest(0);
  if (values.size() == 1 && !values[0].isTensor())
    values = emitter.iterateValue(values[0]);
  if (values.empty())
    emitter.fail((isMax ? "max" : "min") + Twine("() needs at least one value"));
  Value best = values[0];
  for (const Value &value : ArrayRef<Value>(values).drop_front()) {
    if (best.isTensor() || value.isTensor())
      best = emitMinMax(emitter, isMax, best, value, /*propagateNaN=*/false);
    else if (isMax ? orderValues(emitter, value, best) > 0 : orderValues(emitter, value, best) < 0)
      best = value;
  }
  return best;
}

static Value absolute(Emitter &emitter, Arguments &arguments) {
  const Value &value = arguments[0];
  if (value.isTensor())
    return emitter.call(*emitter.lookupMember("tl", "abs"), {{value}, {}});
  if (value.isFloat())
    return std::fabs(value.asDouble());
  if (!value.isIntLike())
    emitter.fail("abs() does not go with a " + value.describe());
  return value.asInt() < 0 ? -value.asInt() : value.asInt();
}

static void addConversions(BuiltinTable &table) {
  table.addClass("py.int", "x=0", toInt);
  table.addClass("py.float", "x=0.0", toFloat);
  table.addClass("py.bool", "x=False", [](Emitter &emitter, Arguments &arguments) -> Value {
    if (arguments[0].isTensor())
      return castToBool(emitter, arguments[0].asTensor());
    return arguments[0].isTruthy();
  });
  table.addClass("py.str", "x=''",
                 [](Emitter &, Arguments &arguments) -> Value { return arguments[0].str(); });
  table.addClass("py.tuple", "x=()", [](Emitter &emitter, Arguments &arguments) {
    return Value::tuple(emitter.iterateValue(arguments[0]));
  });
  table.addClass("py.list", "x=()", [](Emitter &emitter, Arguments &arguments) {
    return Value::list(emitter.iterateValue(arguments[0]));
  });
  table.addClass("py.dict", "",
                 [](Emitter &, Arguments &) -> Value { return std::make_shared<DictObject>(); });
  table.addClass("py.object", "", [](Emitter &emitter, Arguments &) -> Value {
    emitter.fail("object() is not supported in a kernel");
  });
  table.add("py.repr", "x", [](Emitter &, Arguments &arguments) -> Value { return arguments[0].repr(); });
  table.add("py.type", "x", [](Emitter &emitter, Arguments &arguments) -> Value {
    const BuiltinTable &table = BuiltinTable::get();
    const Value &x = arguments[0];
    const char *name = x.isBool()     ? "py.bool"
                       : x.isInt()    ? "py.int"
                       : x.isFloat()  ? "py.float"
                       : x.isStr()    ? "py.str"
                       : x.isTensor() ? "tl.tensor"
                       : x.isType()   ? "tl.dtype"
                                      : nullptr;
    if (!name)
      emitter.fail("type() of a " + x.describe() + " is not supported in a kernel");
    return table.find(name);
  });
}

static void addSequences(BuiltinTable &table) {
  table.add("py.len", "x", [](Emitter &emitter, Arguments &arguments) -> Value {
    const Value &x = arguments[0];
    if (x.isStr())
      return static_cast<int64_t>(x.asStr().size());
    if (x.isTensor()) {
      if (!x.asTensor().type.isBlock())
        emitter.fail("len() does not go with a " + x.describe());
      return x.asTensor().type.getShape().front();
    }
    return static_cast<int64_t>(iterate(emitter, x).size());
  });
  table.addClass("py.range", "*bounds", [](Emitter &emitter, Arguments &arguments) {
    if (arguments.rest(0).empty() || arguments.rest(0).size() > 3)
      emitter.fail("range() takes one to three arguments, but " + Twine(arguments.rest(0).size()) +
                   " are given");
    return makeRange(RangeObject::Kind::Python, arguments.rest(0));
  });
  table.addClass("tl.static_range", "arg1, arg2=None, step=None", [](Emitter &emitter, Arguments &arguments) {
    for (const Value &bound : rangeBounds(arguments))
      wholeNumber(emitter, bound, "a bound of tl.static_range");
    return makeRange(RangeObject::Kind::Static, rangeBounds(arguments));
  });
  table.addClass("tl.range",
                 "arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None, "
                 "disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False, disable_licm=False",
                 [](Emitter &, Arguments &arguments) -> Value {
                   Value value = makeRange(RangeObject::Kind::Triton, rangeBounds(arguments));
                   static const char *const options[] = {
                       "num_stages", "loop_unroll_factor", "disallow_acc_multi_buffer",
                       "flatten",    "warp_specialize",    "disable_licm"};
                   for (auto [index, name] : enumerate(options))
                     value.object<RangeObject>()->options.push_back({name, arguments[3 + index]});
                   return value;
                 });
  table.add("py.zip", "*sequences", [](Emitter &emitter, Arguments &arguments) {
    std::vector<std::vector<Value>> columns;
    size_t length = arguments.rest(0).empty() ? 0 : SIZE_MAX;
    for (const Value &sequence : arguments.rest(0)) {
      columns.push_back(emitter.iterateValue(sequence));
      length = std::min(length, columns.back().size());
    }
    std::vector<Value> rows;
    for (size_t i = 0; i < length; ++i) {
      std::vector<Value> row;
      for (auto &column : columns)
        row.push_back(column[i]);
      rows.push_back(Value::tuple(std::move(row)));
    }
    return Value::list(std::move(rows));
  });
  table.add("py.enumerate", "sequence, start=0", [](Emitter &emitter, Arguments &arguments) {
    std::vector<Value> pairs;
    BigInt index = wholeNumber(emitter, arguments[1], "enumerate()'s start");
    for (Value &element : emitter.iterateValue(arguments[0]))
      pairs.push_back(Value::tuple({Value(index++), std::move(element)}));
    return Value::list(std::move(pairs));
  });
  table.add("py.reversed", "sequence", [](Emitter &emitter, Arguments &arguments) {
    std::vector<Value> elements = emitter.iterateValue(arguments[0]);
    std::reverse(elements.begin(), elements.end());
    return Value::list(std::move(elements));
  });
  table.add("py.sorted", "sequence, *, key=None, reverse=False", [](Emitter &emitter, Arguments &arguments) {
    std::vector<Value> elements = emitter.iterateValue(arguments[0]);
    std::vector<Value> keys;
    for (const Value &element : elements)
      keys.push_back(arguments[1].isNone() ? element : emitter.call(arguments[1], {{element}, {}}));
    std::vector<size_t> order(elements.size());
    std::iota(order.begin(), order.end(), size_t(0));
    bool descending = arguments[2].isTruthy();
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      int comparison = orderValues(emitter, keys[a], keys[b]);
      return comparison ? (descending ? comparison > 0 : comparison < 0) : a < b; // stable
    });
    std::vector<Value> ordered;
    for (size_t index : order)
      ordered.push_back(elements[index]);
    return Value::list(std::move(ordered));
  });
  table.add("py.map", "function, sequence", [](Emitter &emitter, Arguments &arguments) {
    std::vector<Value> results;
    for (Value &element : emitter.iterateValue(arguments[1]))
      results.push_back(emitter.call(arguments[0], {{element}, {}}));
    return Value::list(std::move(results));
  });
  table.add("itertools.product", "*sequences, repeat=1", [](Emitter &emitter, Arguments &arguments) {
    std::vector<std::vector<Value>> rows(1), columns;
    for (const Value &sequence : arguments.rest(0))
      columns.push_back(emitter.iterateValue(sequence));
    for (BigInt round = wholeNumber(emitter, arguments[1], "product()'s repeat"); round > 0; --round)
      for (const std::vector<Value> &column : columns) {
        std::vector<std::vector<Value>> longer;
        for (const std::vector<Value> &row : rows)
          for (const Value &element : column) {
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
  table.add("py.filter", "function, sequence", [](Emitter &emitter, Arguments &arguments) {
    std::vector<Value> kept;
    for (Value &element : emitter.iterateValue(arguments[1])) {
      Value keeps = arguments[0].isNone() ? element : emitter.call(arguments[0], {{element}, {}});
      if (emitter.isTrue(keeps, "what filter() asks"))
        kept.push_back(std::move(element));
    }
    return Value::list(std::move(kept));
  });
  table.add("py.sum", "sequence, start=0", [](Emitter &emitter, Arguments &arguments) {
    Value total = arguments[1];
    for (Value &element : emitter.iterateValue(arguments[0]))
      total = emitter.applyBinary(ast::Operator::Add, total, element);
    return total;
  });
  for (bool isAny : {false, true})
    table.add(isAny ? "py.any" : "py.all", "sequence",
              [isAny](Emitter &emitter, Arguments &arguments) -> Value {
                for (Value &element : emitter.iterateValue(arguments[0]))
                  if (emitter.isTrue(element, isAny ? "an element given to any()"
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
      {"sqrt", std::sqrt}, {"exp", std::exp},     {"exp2", std::exp2},   {"sin", std::sin},
      {"cos", std::cos},   {"tan", std::tan},     {"tanh", std::tanh},   {"atan", std::atan},
      {"asin", std::asin}, {"acos", std::acos},   {"erf", std::erf},     {"fabs", std::fabs},
      {"log2", std::log2}, {"log10", std::log10}, {"log1p", std::log1p}, {"expm1", std::expm1}};
  auto number = [](Emitter &emitter, const Value &value, StringRef name) {
    if (value.isTensor())
      emitter.fail("math." + name + "() takes compile-time numbers; use tl." + name + " for a " +
                   value.describe());
    if (!value.isNumber())
      emitter.fail("math." + name + "() takes a number, not a " + value.describe());
    return value.asDouble();
  };
  for (const Unary &function : functions)
    table.add(
        ("math." + Twine(function.name)).str(), "x", [=](Emitter &emitter, Arguments &arguments) -> Value {
          double result = function.compute(number(emitter, arguments[0], function.name));
          if (std::isnan(result) && !std::isnan(arguments[0].asDouble()))
            emitter.fail("math." + Twine(function.name) + "() is not defined for " + arguments[0].repr());
          return result;
        });
  table.add("math.log", "x, base=None", [=](Emitter &emitter, Arguments &arguments) -> Value {
    double x = number(emitter, arguments[0], "log");
    if (!(x > 0))
      emitter.fail("math.log() is not defined for " + arguments[0].repr());
    return arguments[1].isNone() ? std::log(x) : std::log(x) / std::log(number(emitter, arguments[1], "log"));
  });
  table.add("math.pow", "x, y", [=](Emitter &emitter, Arguments &arguments) -> Value {
    return std::pow(number(emitter, arguments[0], "pow"), number(emitter, arguments[1], "pow"));
  });
  for (bool isCeil : {false, true})
    table.add(isCeil ? "math.ceil" : "math.floor", "x", [=](Emitter &emitter, Arguments &arguments) -> Value {
      if (arguments[0].isIntLike())
        return arguments[0].asInt();
      double x = number(emitter, arguments[0], isCeil ? "ceil" : "floor");
      if (!(std::fabs(x) < 1e38))
        emitter.fail("cannot round " + arguments[0].repr() + " to an integer");
      return static_cast<BigInt>(isCeil ? std::ceil(x) : std::floor(x));
    });
  for (bool isNaN : {false, true})
    table.add(isNaN ? "math.isnan" : "math.isinf", "x", [=](Emitter &emitter, Arguments &arguments) -> Value {
      double x = number(emitter, arguments[0], isNaN ? "isnan" : "isinf");
      return isNaN ? std::isnan(x) : std::isinf(x);
    });
  table.add("math.prod", "sequence", [](Emitter &emitter, Arguments &arguments) {
    Value product = 1;
    for (Value &element : emitter.iterateValue(arguments[0]))
      product = emitter.applyBinary(ast::Operator::Mult, product, element);
    return product;
  });
}

static void addMethodsOfPlainValues(BuiltinTable &table) {
  table.add("str.startswith", "self, prefix", [](Emitter &, Arguments &arguments) -> Value {
    return arguments[1].isStr() && StringRef(arguments[0].asStr()).starts_with(arguments[1].asStr());
  });
  table.add("str.endswith", "self, suffix", [](Emitter &, Arguments &arguments) -> Value {
    return arguments[1].isStr() && StringRef(arguments[0].asStr()).ends_with(arguments[1].asStr());
  });
  table.add("str.lower", "self",
            [](Emitter &, Arguments &arguments) -> Value { return StringRef(arguments[0].asStr()).lower(); });
  table.add("str.upper", "self",
            [](Emitter &, Arguments &arguments) -> Value { return StringRef(arguments[0].asStr()).upper(); });
  table.add("str.join", "self, sequence", [](Emitter &emitter, Arguments &arguments) -> Value {
    std::string text;
    for (auto [index, part] : enumerate(emitter.iterateValue(arguments[1])))
      text += (index ? arguments[0].asStr() : "") + part.str();
    return text;
  });
  table.add("str.format", "self, *values", [](Emitter &emitter, Arguments &arguments) -> Value {
    std::string text;
    StringRef rest = arguments[0].asStr();
    size_t next = 0;
    while (!rest.empty()) {
      if (rest.consume_front("{{") || rest.consume_front("}}")) {
        text += rest.data()[-1];
        continue;
      }
      if (rest.front() != '{') {
        text += rest.front();
        rest = rest.drop_front();
        continue;
      }
      auto [field, after] = rest.drop_front().split('}');
      auto [position, specification] = field.split(':');
      size_t index = next;
      if (position.empty())
        ++next;
      else if (position.getAsInteger(10, index))
        emitter.fail("this format string is not supported");
      if (index >= arguments.rest(1).size())
        emitter.fail("this format string needs more values");
      text += formatValue(emitter, arguments.rest(1)[index], specification);
      rest = after;
    }
    return text;
  });
  table.add("list.append", "self, element", [](Emitter &emitter, Arguments &arguments) -> Value {
    if (!arguments[0].asTuple().isList)
      emitter.fail("a tuple cannot grow");
    arguments[0].asTuple().elements.push_back(arguments[1]);
    return {};
  });
  table.add("list.index", "self, element", [](Emitter &emitter, Arguments &arguments) -> Value {
    for (auto [index, element] : enumerate(arguments[0].asTuple().elements))
      if (equalValues(element, arguments[1]))
        return static_cast<int64_t>(index);
    emitter.fail(arguments[1].repr() + " is not in this list");
  });
  table.add("list.count", "self, element", [](Emitter &, Arguments &arguments) -> Value {
    return static_cast<int64_t>(count_if(arguments[0].asTuple().elements,
                                         [&](const Value &x) { return equalValues(x, arguments[1]); }));
  });
  table.add("dict.get", "self, key, default=None", [](Emitter &, Arguments &arguments) -> Value {
    for (auto &[key, value] : arguments[0].object<DictObject>()->entries)
      if (equalValues(key, arguments[1]))
        return value;
    return arguments[2];
  });
  table.add("dict.keys", "self", [](Emitter &emitter, Arguments &arguments) {
    return Value::list(iterate(emitter, arguments[0]));
  });
  table.add("dict.values", "self", [](Emitter &, Arguments &arguments) {
    std::vector<Value> values;
    for (auto &entry : arguments[0].object<DictObject>()->entries)
      values.push_back(entry.second);
    return Value::list(std::move(values));
  });
  table.add("dict.items", "self", [](Emitter &, Arguments &arguments) {
    std::vector<Value> items;
    for (auto &[key, value] : arguments[0].object<DictObject>()->entries)
      items.push_back(Value::tuple({key, value}));
    return Value::list(std::move(items));
  });
}

void addPythonBuiltins(BuiltinTable &table) {
  addConversions(table);
  addSequences(table);
  addMathModule(table);
  addMethodsOfPlainValues(table);
  for (bool isMax : {false, true})
    table.add(isMax ? "py.max" : "py.min", "*values",
              [isMax](Emitter &emitter, Arguments &arguments) { return minMax(emitter, arguments, isMax); });
  table.add("py.abs", "x", absolute);
  table.add("py.round", "x, digits=None", [](Emitter &emitter, Arguments &arguments) -> Value {
    if (!arguments[0].isNumber() || !arguments[1].isNone())
      emitter.fail("round() takes one compile-time number in a kernel");
    return arguments[0].isFloat() ? Value(static_cast<BigInt>(std::nearbyint(arguments[0].asDouble())))
                                  : arguments[0];
  });
  table.add("py.pow", "x, y", [](Emitter &emitter, Arguments &arguments) {
    return emitter.applyBinary(ast::Operator::Pow, arguments[0], arguments[1]);
  });
  table.add("py.divmod", "x, y", [](Emitter &emitter, Arguments &arguments) {
    return Value::tuple({emitter.applyBinary(ast::Operator::FloorDiv, arguments[0], arguments[1]),
                         emitter.applyBinary(ast::Operator::Mod, arguments[0], arguments[1])});
  });
  table.add("py.isinstance", "x, type", [](Emitter &emitter, Arguments &arguments) -> Value {
    return isInstance(emitter, arguments[0], arguments[1]);
  });
  table.add("py.hasattr", "x, name", [](Emitter &emitter, Arguments &arguments) -> Value {
    if (!arguments[1].isStr())
      emitter.fail("hasattr() takes the name of an attribute");
    return emitter.findAttribute(arguments[0], arguments[1].asStr()).has_value();
  });
  table.add("py.getattr", "x, name, *default", [](Emitter &emitter, Arguments &arguments) -> Value {
    if (!arguments[1].isStr())
      emitter.fail("getattr() takes the name of an attribute");
    if (auto value = emitter.findAttribute(arguments[0], arguments[1].asStr()))
      return *value;
    if (!arguments.rest(2).empty())
      return arguments.rest(2)[0];
    return emitter.getAttribute(arguments[0], arguments[1].asStr());
  });
  // print shows values while compiling nowhere: a compiler's output is the program. It is accepted, as Triton
  // does.
  table.add("py.print", "*values, sep=' ', end=''", [](Emitter &emitter, Arguments &arguments) -> Value {
    bool runTime = any_of(arguments.rest(0), [](const Value &value) { return value.hasTensor(); });
    if (!runTime)
      return {};
    CallArguments call;
    call.positional = arguments.rest(0);
    if (!call.positional[0].isStr())
      call.positional.insert(call.positional.begin(), Value(""));
    return emitter.call(*emitter.lookupMember("tl", "device_print"), std::move(call));
  });
  table.add("collections.namedtuple", "name, fields", [](Emitter &emitter, Arguments &arguments) -> Value {
    auto type = std::make_shared<NamedTupleClass>();
    type->name = arguments[0].str();
    if (arguments[1].isStr()) {
      SmallVector<StringRef> names;
      StringRef(arguments[1].asStr()).split(names, ' ', -1, false);
      for (StringRef name : names)
        type->fields.push_back(name.trim(", ").str());
    } else {
      for (const Value &name : emitter.iterateValue(arguments[1]))
        type->fields.push_back(name.str());
    }
    return std::shared_ptr<const NamedTupleClass>(std::move(type));
  });
}

} // namespace nereid::python
