// Functions of the file, which are inlined, and the question what an expression does besides giving a value.
#include "compiler/frontends/triton_c/emission/Emitter.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace nereid::triton_c {

bool Emitter::hasEffects(const Expression *expression) {
  meter.spend(1);
  switch (expression->kind) {
  case Expression::Kind::Assign:
  case Expression::Kind::Increment:
    return true;
  case Expression::Kind::Call:
    if (expression->text != "bitcast" &&
        (functions.count(expression->text) || !isPureBuiltin(expression->text)))
      return true;
    break;
  case Expression::Kind::SizeOf:
    return false;
  default:
    if (isDereference(expression))
      return true;
  }
  return any_of(expression->operands, [&](const Expression *operand) { return hasEffects(operand); });
}

Value Emitter::call(const Expression *expression) {
  auto found = functions.find(expression->text);
  if (found != functions.end())
    return callFunction(*found->second, expression);
  if (auto value = callBuiltin(expression))
    return *value;
  if (find(expression->text))
    fail("'" + expression->text + "' is a variable, not a function");
  fail("there is no function '" + expression->text + "'");
}

Value Emitter::callFunction(const Function &function, const Expression *expression) {
  auto note = [&]() -> std::vector<Refusal::Note> {
    return {{expansions.inFile(function.place).getRange(), "'" + function.name + "' is defined here"}};
  };
  if (function.isKernel)
    throw Refusal{expansions.inFile(place).getRange(),
                  "'" + function.name + "' is a kernel, which only a launch can call", note()};
  for (const Frame &frame : frames)
    if (frame.function == &function)
      throw Refusal{expansions.inFile(place).getRange(),
                    "'" + function.name + "' calls itself: functions are inlined, so they cannot", note()};
  size_t expected = function.parameters.size(), given = expression->operands.size();
  if (expected != given)
    throw Refusal{expansions.inFile(place).getRange(),
                  "'" + function.name + "' takes " + std::to_string(expected) +
                      (expected == 1 ? " argument" : " arguments") + ", but is given " +
                      std::to_string(given),
                  note()};
  std::vector<Value> arguments;
  for (auto [parameter, operand] : zip(function.parameters, expression->operands)) {
    Value value = evaluate(operand);
    Type type;
    {
      // Its sizes are constants of the file.
      SaveAndRestore<std::vector<Frame>> outside(frames, {});
      type = typeOf(parameter.type);
    }
    PlaceScope scope(*this, operand->place);
    arguments.push_back(convertToShape(value, type));
  }

  DepthScope nesting(*this);
  size_t count = variables.size();
  Frame frame{&function, count, Type(), 0, 0, {}};
  {
    SaveAndRestore<std::vector<Frame>> outside(frames, {});
    frame.result = typeOf(function.result, /*mayBeVoid=*/true);
  }
  frame.returned = declare("", ScalarKind::Int1, function.place, Value::boolean(false));
  frame.returnValue = declare("", frame.result, function.place, Value::undefined(frame.result));
  frames.push_back(std::move(frame));
  for (auto [parameter, argument] : zip(function.parameters, arguments))
    declare(parameter.name, argument.type, parameter.place, argument, parameter.type.isConst);
  calls.push_back({place, function.name, nullptr});
  Value result;
  try {
    SaveAndRestore<StringRef> unnamed(assignedName, "");
    execute(function.body);
    result = frames.back().result.isVoid() ? Value() : variables[frames.back().returnValue].value;
  } catch (Refusal &refusal) {
    refusal.notes.push_back({expansions.inFile(calls.back().place).getRange(), "called from here"});
    throw;
  }
  if (result.isUndefined() && !frames.back().result.isVoid())
    throw Refusal{expansions.inFile(function.place).getRange(),
                  "'" + function.name + "' returns no value",
                  {{expansions.inFile(calls.back().place).getRange(), "called from here"}}};
  calls.pop_back();
  frames.pop_back();
  closeScope(count);
  return result;
}

} // namespace nereid::triton_c
