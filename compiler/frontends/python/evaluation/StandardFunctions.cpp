// What files take from Python's standard library to work with functions: `operator` (`operator.ge` is how
// versions are compared by a helper that gets the comparison) and `functools.partial` and `reduce`.
#include "compiler/frontends/python/evaluation/StandardFunctions.h"

#include "compiler/frontends/python/evaluation/Classes.h"
#include "compiler/frontends/python/evaluation/ConstantFolding.h"
#include "compiler/frontends/python/evaluation/Evaluator.h"

using namespace llvm;

namespace nereid::python {

/// The functions of `operator` also have the names of the methods that they stand for, `operator.__ge__`.
static void addUnderBothNames(BuiltinTable &table, StringRef name, StringRef parameters,
                              const Builtin::Call &call) {
  StringRef stem = name.rtrim('_');
  table.add(("operator." + name).str(), parameters, call);
  table.add(("operator.__" + stem + "__").str(), parameters, call);
}

static Value subscript(Evaluator &evaluator, const Value &container, const Value &index) {
  if (container.isTensor())
    return evaluator.emitSubscript(container, index);
  if (auto *instance = container.object<InstanceObject>())
    if (auto method = findMember(evaluator, instance->type, "__getitem__", &container))
      return evaluator.call(*method, {{index}, {}});
  return foldSubscript(evaluator, container, index);
}

static void addOperators(BuiltinTable &table) {
  using ast::CmpOp;
  using ast::Operator;
  using ast::UnaryOperator;
  for (auto [name, op] : {std::pair<const char *, CmpOp>{"lt", CmpOp::Lt},
                          {"le", CmpOp::LtE},
                          {"eq", CmpOp::Eq},
                          {"ne", CmpOp::NotEq},
                          {"ge", CmpOp::GtE},
                          {"gt", CmpOp::Gt}})
    addUnderBothNames(table, name, "a, b", [op = op](Evaluator &evaluator, Arguments &arguments) {
      return evaluator.applyComparison(op, arguments[0], arguments[1]);
    });
  for (auto [name, op] : {std::pair<const char *, CmpOp>{"is_", CmpOp::Is}, {"is_not", CmpOp::IsNot}})
    table.add(("operator." + Twine(name)).str(), "a, b",
              [op = op](Evaluator &evaluator, Arguments &arguments) {
                return evaluator.applyComparison(op, arguments[0], arguments[1]);
              });
  addUnderBothNames(table, "contains", "a, b", [](Evaluator &evaluator, Arguments &arguments) {
    return evaluator.applyComparison(CmpOp::In, arguments[1], arguments[0]);
  });
  for (auto [name, op] : {std::pair<const char *, Operator>{"add", Operator::Add},
                          {"sub", Operator::Sub},
                          {"mul", Operator::Mult},
                          {"truediv", Operator::Div},
                          {"floordiv", Operator::FloorDiv},
                          {"mod", Operator::Mod},
                          {"pow", Operator::Pow},
                          {"lshift", Operator::LShift},
                          {"rshift", Operator::RShift},
                          {"and_", Operator::BitAnd},
                          {"or_", Operator::BitOr},
                          {"xor", Operator::BitXor},
                          {"concat", Operator::Add}})
    addUnderBothNames(table, name, "a, b", [op = op](Evaluator &evaluator, Arguments &arguments) {
      return evaluator.applyBinary(op, arguments[0], arguments[1]);
    });
  for (auto [name, op] : {std::pair<const char *, UnaryOperator>{"neg", UnaryOperator::USub},
                          {"pos", UnaryOperator::UAdd},
                          {"inv", UnaryOperator::Invert},
                          {"invert", UnaryOperator::Invert},
                          {"not_", UnaryOperator::Not}})
    addUnderBothNames(table, name, "a", [op = op](Evaluator &evaluator, Arguments &arguments) {
      return arguments[0].isTensor() ? evaluator.emitUnary(op, arguments[0])
                                     : foldUnary(evaluator, op, arguments[0]);
    });
  table.add("operator.truth", "a", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    return evaluator.isTrue(arguments[0], "operator.truth()");
  });
  table.add("operator.abs", "a", [](Evaluator &evaluator, Arguments &arguments) {
    return evaluator.call(*evaluator.lookupPythonBuiltin("abs"), {{arguments[0]}, {}});
  });
  addUnderBothNames(table, "getitem", "a, b", [](Evaluator &evaluator, Arguments &arguments) {
    return subscript(evaluator, arguments[0], arguments[1]);
  });
}

/// A function that has some of its arguments already: `state` is what `apply` is to have of them.
static Value makePartial(Evaluator &evaluator, StringRef apply, Value state) {
  return std::make_shared<BoundMethod>(BoundMethod{std::move(state), evaluator.builtins.find(apply)});
}

/// `operator.itemgetter(1)` and `operator.attrgetter("num_warps")`, the keys of `sorted`. Given several, they
/// make tuples.
static void addGetters(BuiltinTable &table) {
  using Get = Value (*)(Evaluator &, const Value &, const Value &);
  auto add = [&](StringRef name, Get get) {
    std::string applied = ("operator." + name + ".apply").str();
    table.add(applied, "wanted, object", [get](Evaluator &evaluator, Arguments &arguments) -> Value {
      const std::vector<Value> &wanted = arguments[0].asTuple().elements;
      std::vector<Value> found;
      for (const Value &one : wanted)
        found.push_back(get(evaluator, arguments[1], one));
      return found.size() == 1 ? found.front() : Value::tuple(std::move(found));
    });
    table.add(("operator." + name).str(), "first, *others",
              [applied](Evaluator &evaluator, Arguments &arguments) {
                std::vector<Value> wanted = {arguments[0]};
                append_range(wanted, arguments.rest(1));
                return makePartial(evaluator, applied, Value::tuple(std::move(wanted)));
              });
  };
  add("itemgetter", subscript);
  add("attrgetter", [](Evaluator &evaluator, const Value &object, const Value &path) {
    if (!path.isStr())
      evaluator.fail("attrgetter() takes names of attributes, not a " + path.describe());
    Value value = object;
    SmallVector<StringRef> names;
    StringRef(path.asStr()).split(names, '.');
    for (StringRef name : names)
      value = evaluator.getAttribute(value, name);
    return value;
  });
}

static void addFunctools(BuiltinTable &table) {
  table.add("functools.partial", "_function, *_arguments, **_keywords",
            [](Evaluator &evaluator, Arguments &arguments) {
              return makePartial(evaluator, "functools.partial.apply",
                                 Value::tuple({arguments[0], arguments[1], arguments[2]}));
            });
  table.add("functools.partial.apply", "_state, *_arguments, **_keywords",
            [](Evaluator &evaluator, Arguments &arguments) {
              const std::vector<Value> &state = arguments[0].asTuple().elements;
              CallArguments call;
              call.positional = state[1].asTuple().elements;
              append_range(call.positional, arguments.rest(1));
              // What the call says itself comes before what was said when the function was made.
              DictObject keywords = *state[2].object<DictObject>();
              for (auto &[name, value] : arguments[2].object<DictObject>()->entries)
                keywords.set(name, value);
              for (auto &[name, value] : keywords.entries)
                call.keywords.push_back({name.asStr(), value});
              return evaluator.call(state[0], std::move(call));
            });
  table.add("functools.reduce", "function, sequence, *initial",
            [](Evaluator &evaluator, Arguments &arguments) -> Value {
              std::vector<Value> elements = evaluator.iterateValue(arguments[1]);
              if (!arguments.rest(2).empty())
                elements.insert(elements.begin(), arguments.rest(2).front());
              if (elements.empty())
                evaluator.fail("reduce() of an empty sequence needs an initial value");
              Value total = elements.front();
              for (const Value &element : drop_begin(elements))
                total = evaluator.call(arguments[0], {{total, element}, {}});
              return total;
            });
}

void addStandardFunctions(BuiltinTable &table) {
  addOperators(table);
  addGetters(table);
  addFunctools(table);
}

} // namespace nereid::python
