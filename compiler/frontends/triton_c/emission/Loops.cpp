// Loops as scf.while; those that count are in CountedLoops.cpp.
//
// Which variables a loop carries is only known when it has been walked. So condition and body are walked into
// blocks of their own, with every variable that the loop assigns as an argument; those that come out as they
// went in are taken out again when the operation is made around the blocks.
#include "compiler/frontends/triton_c/emission/Emitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace nereid::triton_c {

Emitter::Carried Emitter::findCarried(const Statement *statement) {
  StringSet<> names;
  for (const Expression *expression : {statement->expression, statement->step})
    if (expression)
      findAssignedNames(expression, names);
  findAssignedNames(statement->body[0], names);
  Carried carried;
  const Frame &frame = frames.back();
  auto add = [&](size_t index) {
    carried.variables.push_back(index);
    carried.initial.push_back(materialize(variables[index].value));
  };
  for (size_t i = frame.base; i < variables.size(); ++i) {
    bool isNamed =
        !variables[i].name.empty() && names.count(variables[i].name) && find(variables[i].name) == i;
    bool leaves = (statement->mayReturn &&
                   (i == frame.returned || (i == frame.returnValue && !frame.result.isVoid()))) ||
                  (statement->body[0]->mayBreak && i == frame.loops.back().broke);
    if (isNamed || leaves)
      add(i);
  }
  meter.spend(variables.size() - frame.base);
  return carried;
}

void Emitter::bindArguments(const Carried &carried, mlir::Block &block) {
  for (auto [index, initial] : zip(carried.variables, carried.initial)) {
    Variable &variable = variables[index];
    mlir::Location location = getLocation();
    if (!variable.name.empty())
      location = mlir::NameLoc::get(builder.getStringAttr(variable.name), location);
    variable.value = Tensor{block.addArgument(initial.handle.getType(), location), initial.type};
  }
}

/// What says that the loop has not been left.
Value Emitter::evaluateLoopCondition(const Statement *statement) {
  Value goesOn = Value::boolean(true);
  const Frame &frame = frames.back();
  if (statement->body[0]->mayBreak)
    goesOn = emitNot(variables[frame.loops.back().broke].value);
  if (statement->mayReturn)
    goesOn = emitAnd(goesOn, emitNot(variables[frame.returned].value));
  auto test = [&] {
    if (!statement->expression)
      return Value::boolean(true);
    PlaceScope scope(*this, statement->expression->place);
    return toCondition(evaluate(statement->expression), "the condition of a loop");
  };
  if (goesOn.isConstant() || !statement->expression || !hasEffects(statement->expression))
    return goesOn.isConstant() && goesOn.isZero() ? goesOn : emitAnd(goesOn, test());
  return emitIf(goesOn, test, [] { return Value::boolean(false); });
}

void Emitter::walkBody(const Statement *statement, bool withStep) {
  const Statement *body = statement->body[0];
  variables[frames.back().loops.back().continued].value = Value::boolean(false);
  size_t count = variables.size();
  execute(body);
  closeScope(count);
  if (!withStep || !statement->step)
    return;
  // After `continue` a for takes its step, after `break` it does not.
  Value leaves = Value::boolean(false);
  if (body->mayBreak)
    leaves = emitOr(leaves, variables[frames.back().loops.back().broke].value);
  if (body->mayReturn)
    leaves = emitOr(leaves, variables[frames.back().returned].value);
  emitIf(
      emitNot(leaves),
      [&] {
        evaluate(statement->step);
        return Value();
      },
      [] { return Value(); });
}

void Emitter::executeLoop(const Statement *statement) {
  DepthScope nesting(*this);
  size_t count = variables.size();
  if (statement->initial)
    execute(statement->initial);
  Frame::Loop loop;
  loop.broke = declare("", ScalarKind::Int1, statement->place, Value::boolean(false));
  loop.continued = declare("", ScalarKind::Int1, statement->place, Value::boolean(false));
  frames.back().loops.push_back(loop);
  if (statement->kind != Statement::Kind::For || !emitCounted(statement))
    emitWhile(statement);
  frames.back().loops.pop_back();
  closeScope(count);
}

void Emitter::emitWhile(const Statement *statement) {
  bool isDo = statement->kind == Statement::Kind::Do;
  mlir::OpBuilder::InsertionGuard guard(builder);
  Carried carried = findCarried(statement);
  auto here = builder.saveInsertionPoint();
  size_t count = variables.size();
  std::vector<Value> before = takeValues();
  mlir::Block first, second;
  auto valuesOf = [&](mlir::Block &block) {
    builder.setInsertionPointToEnd(&block);
    SmallVector<mlir::Value> handles;
    for (size_t index : carried.variables)
      handles.push_back(materialize(variables[index].value).handle);
    return handles;
  };

  bindArguments(carried, first);
  builder.setInsertionPointToStart(&first);
  if (isDo)
    walkBody(statement, /*withStep=*/false);
  Value condition = evaluateLoopCondition(statement);
  if (condition.isConstant() && !condition.isZero())
    fail("this loop does not end: its condition is always true, and nothing in it leaves it");
  Tensor test = toTensor(condition);
  SmallVector<mlir::Value> passed = valuesOf(first);
  closeScope(count);
  setValues(before);

  bindArguments(carried, second);
  builder.setInsertionPointToStart(&second);
  if (!isDo)
    walkBody(statement, /*withStep=*/true);
  SmallVector<mlir::Value> next = valuesOf(second);

  // What comes out as it went in is not carried.
  SmallVector<unsigned> kept;
  SmallVector<mlir::Value> initial;
  for (unsigned i = 0; i < carried.variables.size(); ++i) {
    if (passed[i] == first.getArgument(i) && next[i] == second.getArgument(i))
      continue;
    kept.push_back(i);
    initial.push_back(carried.initial[i].handle);
  }
  builder.restoreInsertionPoint(here);
  setValues(before);
  mlir::scf::WhileOp loop;
  {
    SaveAndRestore naming(assignedName,
                          kept.empty() ? assignedName : variables[carried.variables[kept.front()]].name);
    loop = create<mlir::scf::WhileOp>(mlir::TypeRange(mlir::ValueRange(initial)), initial);
  }
  auto move = [&](mlir::Block &walked, mlir::Region &region, SmallVectorImpl<mlir::Value> &values) {
    mlir::Block &block = region.empty() ? region.emplaceBlock() : region.front();
    SmallVector<mlir::Value> replacements;
    for (const Tensor &value : carried.initial)
      replacements.push_back(value.handle);
    for (unsigned i : kept)
      replacements[i] =
          block.addArgument(carried.initial[i].handle.getType(), walked.getArgument(i).getLoc());
    for (auto [argument, replacement] : zip(walked.getArguments(), replacements)) {
      for (mlir::Value &value : values)
        if (value == argument)
          value = replacement;
      if (test.handle == argument)
        test.handle = replacement;
      argument.replaceAllUsesWith(replacement);
    }
    block.getOperations().splice(block.end(), walked.getOperations());
    builder.setInsertionPointToEnd(&block);
    SmallVector<mlir::Value> result;
    for (unsigned i : kept)
      result.push_back(values[i]);
    return result;
  };
  SmallVector<mlir::Value> forwarded = move(first, loop.getBefore(), passed);
  create<mlir::scf::ConditionOp>(test.handle, forwarded);
  SmallVector<mlir::Value> yielded = move(second, loop.getAfter(), next);
  create<mlir::scf::YieldOp>(yielded);
  for (auto [result, i] : zip(loop.getResults(), kept))
    variables[carried.variables[i]].value = Tensor{result, carried.initial[i].type};
}

} // namespace nereid::triton_c
