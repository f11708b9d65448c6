// Statements, and what leaving them early becomes.
//
// `break`, `continue` and `return` set truth values, one each for a loop and a function, and what would be
// skipped is put under an `if` that asks them. Where a branch of an `if` always leaves, what follows the `if`
// goes into its other branch, and nothing has to be asked:
//
//     if (pid >= n) return;              scf.if %outside {
//     *p = x;                            } else {
//                                          tt.store %p, %x
//                                        }
#include "compiler/frontends/triton_c/emission/Emitter.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace nereid::triton_c {

/// Whether no path through the statement reaches its end, as far as can be seen without values.
bool Emitter::alwaysLeaves(const Statement *statement) {
  switch (statement->kind) {
  case Statement::Kind::Break:
  case Statement::Kind::Continue:
  case Statement::Kind::Return:
    return true;
  case Statement::Kind::Block:
    return any_of(statement->body, alwaysLeaves);
  case Statement::Kind::If:
    return statement->body.size() == 2 && all_of(statement->body, alwaysLeaves);
  default:
    return false;
  }
}

Value Emitter::reachesEnd(const Statement *statement) {
  const Frame &frame = frames.back();
  Value leaves = Value::boolean(false);
  if (statement->mayReturn)
    leaves = emitOr(leaves, variables[frame.returned].value);
  if (!frame.loops.empty() && statement->mayBreak)
    leaves = emitOr(leaves, variables[frame.loops.back().broke].value);
  if (!frame.loops.empty() && statement->mayContinue)
    leaves = emitOr(leaves, variables[frame.loops.back().continued].value);
  return emitNot(leaves);
}

void Emitter::executeList(ArrayRef<const Statement *> list) {
  while (!list.empty()) {
    const Statement *statement = list.front();
    list = list.drop_front();
    if (!statement->mayLeave()) {
      execute(statement);
      continue;
    }
    return executeThenRest(statement, list);
  }
}

void Emitter::executeThenRest(const Statement *statement, ArrayRef<const Statement *> rest) {
  if (statement->kind == Statement::Kind::If)
    return executeIf(statement, rest);
  execute(statement);
  if (rest.empty())
    return;
  PlaceScope scope(*this, statement->place);
  Value reaches = reachesEnd(statement);
  auto go = [&] {
    executeList(rest);
    return Value();
  };
  emitIf(reaches, go, [] { return Value(); });
}

void Emitter::executeIf(const Statement *statement, ArrayRef<const Statement *> rest) {
  meter.spend(10);
  PlaceScope scope(*this, statement->place);
  const Statement *thenPart = statement->body[0];
  const Statement *elsePart = statement->body.size() > 1 ? statement->body[1] : nullptr;
  Value condition = [&] {
    PlaceScope test(*this, statement->expression->place);
    return toCondition(evaluate(statement->expression), "a condition");
  }();
  auto walk = [&](const Statement *part, bool withRest) {
    size_t count = variables.size();
    if (part && withRest && !rest.empty() && part->mayLeave()) {
      executeThenRest(part, rest);
    } else {
      if (part)
        execute(part);
      closeScope(count);
      if (withRest)
        executeList(rest);
    }
    return Value();
  };
  bool thenLeaves = alwaysLeaves(thenPart), elseLeaves = elsePart && alwaysLeaves(elsePart);
  if (condition.isConstant()) {
    // The other branch need not make sense.
    const Statement *taken = condition.isZero() ? elsePart : thenPart;
    bool goesOn = !(taken && alwaysLeaves(taken));
    walk(taken, goesOn);
    return;
  }
  if (thenLeaves || elseLeaves) {
    emitIf(
        condition, [&] { return walk(thenPart, !thenLeaves); }, [&] { return walk(elsePart, !elseLeaves); });
    return;
  }
  emitIf(condition, [&] { return walk(thenPart, false); }, [&] { return walk(elsePart, false); });
  if (rest.empty())
    return;
  Value reaches = reachesEnd(statement);
  emitIf(
      reaches,
      [&] {
        executeList(rest);
        return Value();
      },
      [] { return Value(); });
}

void Emitter::executeReturn(const Statement *statement) {
  const Frame frame = frames.back();
  if (statement->expression) {
    if (frame.result.isVoid())
      fail("'" + frame.function->name + "' returns void, so 'return' has no value");
    Value value = evaluate(statement->expression);
    PlaceScope scope(*this, statement->expression->place);
    variables[frame.returnValue].value = convertToShape(value, frame.result);
  } else if (!frame.result.isVoid()) {
    fail("'" + frame.function->name + "' must return a value of type " + frame.result.str());
  }
  variables[frame.returned].value = Value::boolean(true);
}

void Emitter::checkAssertion(const Statement *statement) {
  PlaceScope scope(*this, statement->expression->place);
  Value value = evaluate(statement->expression);
  if (!value.isConstant())
    fail("what static_assert checks must be known while compiling");
  if (value.isZero())
    fail("static assertion failed" + (statement->text.empty() ? "" : ": " + statement->text));
}

void Emitter::execute(const Statement *statement) {
  meter.spend(10);
  PlaceScope scope(*this, statement->place);
  switch (statement->kind) {
  case Statement::Kind::Empty:
    return;
  case Statement::Kind::Block: {
    size_t count = variables.size();
    executeList(statement->body);
    closeScope(count);
    return;
  }
  case Statement::Kind::Declare:
    for (const Declaration &declaration : statement->declarations)
      execute(declaration);
    return;
  case Statement::Kind::Evaluate:
    evaluate(statement->expression);
    return;
  case Statement::Kind::If:
    return executeIf(statement, {});
  case Statement::Kind::For:
  case Statement::Kind::While:
  case Statement::Kind::Do:
    return executeLoop(statement);
  case Statement::Kind::Break:
  case Statement::Kind::Continue: {
    bool breaks = statement->kind == Statement::Kind::Break;
    const std::vector<Frame::Loop> &loops = frames.back().loops;
    if (loops.empty())
      fail(Twine(breaks ? "'break'" : "'continue'") + " stands in no loop");
    variables[breaks ? loops.back().broke : loops.back().continued].value = Value::boolean(true);
    return;
  }
  case Statement::Kind::Return:
    return executeReturn(statement);
  case Statement::Kind::StaticAssert:
    return checkAssertion(statement);
  }
}

} // namespace nereid::triton_c
