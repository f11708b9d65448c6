// Conditionals that are decided at run time, as scf.if.
//
// scf operations are made with the types of their results, which are only known when their bodies have been
// walked. So a body is first walked into a block of its own, and the operation is then made around it.
//
// After a block, a variable has a value if it has one at the end of every path through it. The others are
// remembered in Frame::lost, so that a later use can say where they got lost.
#include "compiler/frontends/python/emission/Emitter.h"
#include "compiler/frontends/python/emission/RunTimeParts.h"
#include "compiler/frontends/python/syntax/AstQueries.h"
#include "compiler/frontends/semantics/Casting.h"
#include "compiler/frontends/semantics/Regions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/ScopeExit.h"

using namespace llvm;
using namespace mlir;

namespace nereid::python {

Tensor Emitter::makeCondition(const Value &value) {
  Tensor condition = tensorOf(value);
  if (condition.type.isBlock()) {
    if (condition.type.getNumElements() != 1)
      fail("a condition must be a scalar, but this is a block of type " + condition.type.str() +
           "; choose between values with tl.where, or reduce it first");
    condition = {create<tt::UnsplatOp>(condition.handle), condition.type.getElement()};
  }
  return castToBool(*this, condition);
}

Value Emitter::emitConditional(const ast::IfExp *node, const Value &test) {
  Tensor condition = makeCondition(test);
  // Both branches are emitted apart from the code around them, as the operation needs to know their types
  // first.
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block thenBlock, elseBlock;
  auto branch = [&](mlir::Block &block, const ast::Expression *body) {
    builder.setInsertionPointToStart(&block);
    // What `:=` assigns in a branch has no value after it.
    Scope saved = frame->locals;
    Value value = evaluate(body);
    frame->locals = std::move(saved);
    return value.isNumber() ? Value(toTensor(value)) : value;
  };
  auto before = builder.saveInsertionPoint();
  Value thenValue = branch(thenBlock, node->body), elseValue = branch(elseBlock, node->orelse);
  builder.restoreInsertionPoint(before);
  if (!haveSameType(thenValue, elseValue) && thenValue.describe() == elseValue.describe())
    fail("each of the two values of this conditional expression is a " + thenValue.describe() +
         ", and which is taken is only known at run time");
  if (!haveSameType(thenValue, elseValue))
    fail("the two values of this conditional expression have different types, " + thenValue.describe() +
         " and " + elseValue.describe() + ", and which is taken is only known at run time");
  SmallVector<Tensor> thenTensors, elseTensors;
  flatten(thenValue, thenTensors);
  flatten(elseValue, elseTensors);
  auto conditional = create<scf::IfOp>(typesOf(thenTensors), condition.handle, /*withElseRegion=*/true);
  fillRegion(*this, conditional.getThenRegion(), thenBlock, handlesOf(thenTensors));
  fillRegion(*this, conditional.getElseRegion(), elseBlock, handlesOf(elseTensors));
  SmallVector<mlir::Value> results(conditional.getResults());
  ArrayRef<mlir::Value> handles(results);
  return unflatten(thenValue, handles);
}

std::vector<Emitter::Merged> Emitter::mergeBranches(const Scope &before, const Scope &thenScope,
                                                    const Scope &elseScope, SMRange where) {
  std::vector<Merged> merged;
  std::string line = Twine(diagnostics.positionOf(where.Start).line).str();
  auto lose = [&](StringRef name, std::string reason, bool differs) {
    frame->locals.erase(name);
    frame->lost[name] = {where, std::move(reason), differs};
  };
  auto consider = [&](StringRef name) {
    auto thenValue = thenScope.find(name), elseValue = elseScope.find(name);
    if (thenValue == thenScope.end() || elseValue == elseScope.end()) {
      lose(name,
           "'" + name.str() + "' has a value at the end of only one branch of this 'if'; assign it before",
           false);
      return;
    }
    if (areSame(thenValue->second, elseValue->second)) {
      frame->locals[name] = thenValue->second;
      return;
    }
    if (haveSameType(thenValue->second, elseValue->second)) {
      merged.push_back({name, thenValue->second, elseValue->second});
      return;
    }
    auto initial = before.find(name);
    if (initial != before.end() && initial->second.hasTensor()) {
      bool inThen = !haveSameType(initial->second, thenValue->second);
      const Value &changed = inThen ? thenValue->second : elseValue->second;
      auto at = frame->assignedAt.find(name);
      fail(at == frame->assignedAt.end() ? where : at->second,
           "'" + name + "' is of type " + initial->second.repr() + " before the 'if' in line " + line +
               ", but its " + (inThen ? "then" : "else") + " block redefines it as " + changed.repr());
    }
    lose(name,
         "'" + name.str() + "' is a " + thenValue->second.describe() +
             " at the end of one branch of this 'if' and " + (elseValue->second.isNone() ? "" : "a ") +
             elseValue->second.describe() + " at the end of the other",
         true);
  };
  for (auto &[name, value] : before)
    consider(name);
  for (auto &[name, value] : thenScope)
    if (!before.count(name))
      consider(name);
  for (auto &[name, value] : elseScope)
    if (!before.count(name) && !thenScope.count(name))
      consider(name);
  return merged;
}

void Emitter::emitJoiningIf(const ast::If *node, const Tensor &condition) {
  OpBuilder::InsertionGuard guard(builder);
  auto here = builder.saveInsertionPoint();
  Block thenBlock, elseBlock;
  Scope before = frame->locals;
  bool savedBreakable = frame->breakable;
  scope_exit restore([&] { frame->breakable = savedBreakable; });
  frame->breakable = false;
  meter.spend(2 * before.size());
  auto walk = [&](Block &block, ast::Statements statements) {
    builder.setInsertionPointToStart(&block);
    frame->locals = before;
    execute(statements, nullptr);
    return frame->locals;
  };
  auto lostBefore = frame->lost;
  Scope thenScope = walk(thenBlock, node->body);
  auto lostInThen = frame->lost;
  frame->lost = lostBefore;
  Scope elseScope = walk(elseBlock, node->orelse);
  for (auto &entry : lostInThen)
    frame->lost.insert(entry);
  builder.restoreInsertionPoint(here);
  frame->locals = before;
  std::vector<Merged> merged = mergeBranches(before, thenScope, elseScope, node->range);

  SmallVector<Tensor> thenTensors, elseTensors;
  for (const Merged &variable : merged) {
    flatten(variable.thenValue, thenTensors);
    flatten(variable.elseValue, elseTensors);
  }
  SmallVector<mlir::Type> types = typesOf(thenTensors);
  StringRef savedName = assignedName;
  if (!merged.empty())
    assignedName = merged.front().name;
  bool needsElse = !types.empty() || !elseBlock.empty();
  auto conditional = create<scf::IfOp>(types, condition.handle, needsElse);
  assignedName = savedName;
  fillRegion(*this, conditional.getThenRegion(), thenBlock, handlesOf(thenTensors));
  if (needsElse)
    fillRegion(*this, conditional.getElseRegion(), elseBlock, handlesOf(elseTensors));
  SmallVector<mlir::Value> results(conditional.getResults());
  ArrayRef<mlir::Value> rest(results);
  for (const Merged &variable : merged)
    frame->locals[variable.name] = unflatten(variable.thenValue, rest);
}

/// A branch returns, so what follows the `if` belongs to the branches that do not: each branch is walked to
/// the end of the function, and the `if` gives what the function returns.
Flow Emitter::emitReturningIf(const ast::If *node, const Tensor &condition, const Continuation *after) {
  OpBuilder::InsertionGuard guard(builder);
  auto here = builder.saveInsertionPoint();
  Block thenBlock, elseBlock;
  Scope before = frame->locals;
  auto lostBefore = frame->lost;
  auto walk = [&](Block &block, ast::Statements statements) {
    builder.setInsertionPointToStart(&block);
    frame->locals = before;
    frame->lost = lostBefore;
    frame->returned.reset();
    executeToEnd(statements, after);
    return frame->returned.value_or(Value());
  };
  Value thenValue = walk(thenBlock, node->body), elseValue = walk(elseBlock, node->orelse);
  builder.restoreInsertionPoint(here);
  if (!haveSameType(thenValue, elseValue))
    fail(node->range, "'" + frame->function->name + "' returns " + (thenValue.isNone() ? "" : "a ") +
                          thenValue.describe() + " on one path and " + (elseValue.isNone() ? "" : "a ") +
                          elseValue.describe() + " on another; which one is taken is only known at run time");
  SmallVector<Tensor> thenTensors, elseTensors;
  flatten(thenValue, thenTensors);
  flatten(elseValue, elseTensors);
  SmallVector<mlir::Type> types = typesOf(thenTensors);
  bool needsElse = !types.empty() || !elseBlock.empty();
  auto conditional = create<scf::IfOp>(types, condition.handle, needsElse);
  fillRegion(*this, conditional.getThenRegion(), thenBlock, handlesOf(thenTensors));
  if (needsElse)
    fillRegion(*this, conditional.getElseRegion(), elseBlock, handlesOf(elseTensors));
  SmallVector<mlir::Value> results(conditional.getResults());
  ArrayRef<mlir::Value> rest(results);
  frame->returned = unflatten(thenValue, rest);
  return Flow::Returned;
}

Flow Emitter::emitIf(const ast::If *node, const Value &test, const Continuation *after) {
  Tensor condition = [&] {
    PositionScope position(*this, node->test->range);
    return makeCondition(test);
  }();
  if (!ast::containsReturn(node->body) && !ast::containsReturn(node->orelse)) {
    emitJoiningIf(node, condition);
    return Flow::Next;
  }
  if (frame->loopDepth || frame->staticLoopDepth)
    fail("'return' under a condition that is only known at run time is not supported inside a loop");
  return emitReturningIf(node, condition, after);
}

} // namespace nereid::python
