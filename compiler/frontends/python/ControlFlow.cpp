// Conditionals and loops that are decided at run time, as scf.if, scf.for and scf.while.
//
// scf operations are made with the types of their results, which are only known when their bodies have been
// walked. So a body is first walked into a block of its own, and the operation is then made around it. A
// loop's body is walked with every variable that it assigns (and that exists before) as an argument of the
// block; those whose value at its end is the argument itself do not change, and are taken out again.
//
// After a block, a variable has a value if it has one at the end of every path through it. The others are
// remembered in Frame::lost, so that a later use can say where they got lost.
#include "compiler/frontends/python/Casting.h"
#include "compiler/frontends/python/ConstantFolding.h"
#include "compiler/frontends/python/Emitter.h"
#include "compiler/frontends/python/TypePromotion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/ScopeExit.h"

using namespace llvm;
using namespace mlir;

namespace nereid::python {

//===----------------------------------------------------------------------===//
// Values and their run-time parts
//===----------------------------------------------------------------------===//

void Emitter::flatten(const Value &value, SmallVectorImpl<Tensor> &tensors) {
  if (value.isTensor())
    tensors.push_back(value.asTensor());
  for (const Value &part : value.parts())
    flatten(part, tensors);
}

Value Emitter::unflatten(const Value &shape, ArrayRef<mlir::Value> &handles) {
  if (shape.isTensor()) {
    Tensor tensor{handles.front(), shape.asTensor().type};
    handles = handles.drop_front();
    return tensor;
  }
  if (!shape.hasTensor())
    return shape;
  std::vector<Value> parts;
  for (const Value &part : shape.parts())
    parts.push_back(unflatten(part, handles));
  return shape.withParts(std::move(parts));
}

/// Whether two tuples or objects have the same parts, as `same` finds them.
static bool haveParts(const Value &a, const Value &b,
                      llvm::function_ref<bool(const Value &, const Value &)> same) {
  auto *object = a.object<InstanceObject>(), *other = b.object<InstanceObject>();
  if (object && other ? object->type != other->type : !a.isTuple() || !b.isTuple())
    return false;
  return llvm::equal(a.parts(), b.parts(), same);
}

bool Emitter::haveSameType(const Value &a, const Value &b) {
  if (a.isTensor() || b.isTensor())
    return a.isTensor() && b.isTensor() && a.asTensor().type == b.asTensor().type;
  return haveParts(a, b, haveSameType) || identicalValues(a, b);
}

bool Emitter::areSame(const Value &a, const Value &b) {
  if (a.isTensor() || b.isTensor())
    return a.isTensor() && b.isTensor() && a.asTensor().handle == b.asTensor().handle;
  return haveParts(a, b, areSame) || identicalValues(a, b);
}

void Emitter::nameValue(const Value &value, StringRef name) {
  SmallVector<Tensor> tensors;
  flatten(value, tensors);
  for (Tensor &tensor : tensors)
    tensor.handle.setLoc(NameLoc::get(builder.getStringAttr(name), tensor.handle.getLoc()));
}

static SmallVector<mlir::Value> handlesOf(ArrayRef<Tensor> tensors) {
  SmallVector<mlir::Value> handles;
  for (const Tensor &tensor : tensors)
    handles.push_back(tensor.handle);
  return handles;
}

Tensor Emitter::makeCondition(const Value &value) {
  Tensor condition = value.asTensor();
  if (condition.type.isBlock()) {
    if (condition.type.getNumElements() != 1)
      fail("a condition must be a scalar, but this is a block of type " + condition.type.str() +
           "; choose between values with tl.where, or reduce it first");
    condition = {create<tt::UnsplatOp>(condition.handle), condition.type.getElement()};
  }
  return castToBool(*this, condition);
}

/// Moves the operations of `source` to the end of a region's only block and yields.
static void fillRegion(Emitter &emitter, Region &region, Block &source, ValueRange yielded) {
  Block &target = region.empty() ? region.emplaceBlock() : region.front();
  if (!target.empty() && target.back().hasTrait<OpTrait::IsTerminator>())
    target.back().erase();
  target.getOperations().splice(target.end(), source.getOperations());
  OpBuilder::InsertionGuard guard(emitter.builder);
  emitter.builder.setInsertionPointToEnd(&target);
  emitter.create<scf::YieldOp>(yielded);
}

//===----------------------------------------------------------------------===//
// if
//===----------------------------------------------------------------------===//

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

void Emitter::emitIf(const ast::If *node, const Tensor &condition) {
  OpBuilder::InsertionGuard guard(builder);
  auto here = builder.saveInsertionPoint();
  Block thenBlock, elseBlock;
  Scope before = frame->locals;
  bool savedBreakable = frame->breakable;
  scope_exit restore([&] { frame->breakable = savedBreakable; });
  frame->breakable = false;
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
  SmallVector<mlir::Type> types;
  for (const Tensor &tensor : thenTensors)
    types.push_back(tensor.handle.getType());
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
Emitter::Flow Emitter::emitReturningIf(const ast::If *node, const Tensor &condition,
                                       const Continuation *after) {
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
  SmallVector<mlir::Type> types;
  for (const Tensor &tensor : thenTensors)
    types.push_back(tensor.handle.getType());
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

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::vector<Emitter::Carried> Emitter::findCarried(ArrayRef<StringRef> assigned) {
  std::vector<Carried> carried;
  unsigned count = 0;
  for (auto &[name, value] : frame->locals) {
    if (!value.hasTensor() || !is_contained(assigned, name))
      continue;
    Carried variable{name, value, count, {}, false};
    flatten(value, variable.tensors);
    count += variable.tensors.size();
    carried.push_back(std::move(variable));
  }
  return carried;
}

void Emitter::bindCarried(std::vector<Carried> &carried, Block &block, unsigned offset) {
  for (Carried &variable : carried) {
    mlir::Location location = NameLoc::get(builder.getStringAttr(variable.name), getLocation());
    SmallVector<mlir::Value> arguments;
    for (const Tensor &tensor : variable.tensors)
      arguments.push_back(block.getNumArguments() > offset + variable.first + arguments.size()
                              ? block.getArgument(offset + variable.first + arguments.size())
                              : block.addArgument(tensor.handle.getType(), location));
    ArrayRef<mlir::Value> rest(arguments);
    frame->locals[variable.name] = unflatten(variable.initial, rest);
  }
}

void Emitter::checkCarried(std::vector<Carried> &carried, const Scope &before, Block &block, unsigned offset,
                           SMRange loop) {
  auto positionOf = [&](StringRef name) {
    auto at = frame->assignedAt.find(name);
    return at == frame->assignedAt.end() ? loop : at->second;
  };
  for (Carried &variable : carried) {
    auto after = frame->locals.find(variable.name);
    if (after == frame->locals.end()) {
      auto lost = frame->lost.find(variable.name);
      fail(loop,
           "'" + variable.name + "' has a value before this loop but may have none at the end of its body",
           lost == frame->lost.end() ? Refusal::Note{}
                                     : Refusal::Note{lost->second.range, lost->second.reason});
    }
    if (!haveSameType(variable.initial, after->second))
      fail(positionOf(variable.name),
           "loop-carried variable '" + variable.name + "' is of type " + variable.initial.repr() +
               " before the loop but is re-assigned to " + after->second.repr() +
               " in it; make sure that its type stays the same",
           {loop, "this is the loop"});
    SmallVector<Tensor> tensors;
    flatten(after->second, tensors);
    for (auto [index, tensor] : enumerate(tensors))
      variable.changes |= tensor.handle != block.getArgument(offset + variable.first + index);
  }
  for (auto &[name, value] : before) {
    if (value.hasTensor())
      continue;
    auto after = frame->locals.find(name);
    if (after != frame->locals.end() && after->second.hasTensor())
      fail(positionOf(name),
           "'" + name + "' is " + (value.isNone() ? "None" : "a compile-time value (" + value.repr() + ")") +
               " before the loop and cannot be re-assigned in it; " +
               (value.isNone() ? "give it a value of the type it gets" : "assign it to another name"),
           {loop, "this is the loop"});
  }
}

void Emitter::leaveLoop(const Scope &before, const std::vector<Carried> &carried, ResultRange results,
                        SMRange loop) {
  Scope body = std::move(frame->locals);
  frame->locals = before;
  for (auto &[name, value] : body) {
    auto initial = before.find(name);
    if (initial == before.end()) {
      frame->lost[name] = {loop, "'" + name.str() +
                                     "' is only assigned inside this loop; assign it before as well"};
    } else if (!value.hasTensor() && !areSame(value, initial->second)) {
      // The variable of a tl.static_range, say: whether the loop runs at all is not known.
      frame->locals.erase(name);
      frame->lost[name] = {loop,
                           "'" + name.str() + "' is " + initial->second.repr() + " before this loop and " +
                               value.repr() + " in it",
                           true};
    }
  }
  SmallVector<mlir::Value> handles(results);
  ArrayRef<mlir::Value> rest(handles);
  for (const Carried &variable : carried)
    if (variable.changes)
      frame->locals[variable.name] = unflatten(variable.initial, rest);
}

/// Attributes that tl.range's options leave on the loop, for the passes that read them.
static void setLoopOptions(Emitter &emitter, scf::ForOp loop, const RangeObject &range) {
  OpBuilder &builder = emitter.builder;
  for (auto &[name, value] : range.options) {
    if (value.isNone() || (value.isBool() && !value.asBool()))
      continue;
    if (value.isTensor())
      emitter.fail("the option '" + name + "' of tl.range must be known at compile time");
    if (name == "num_stages" || name == "loop_unroll_factor") {
      BigInt count = wholeNumber(emitter, value, "the option '" + name + "' of tl.range");
      loop->setAttr("tt." + name, builder.getI32IntegerAttr(static_cast<int32_t>(count)));
    } else if (name != "disable_licm" && value.isTruthy()) {
      loop->setAttr("tt." + name, builder.getUnitAttr());
    }
  }
}

/// What a loop's variable is after the loop: its last value, or, where the loop did not run at all, what it
/// was before. Most often nothing asks for it, and the operations go away.
static Tensor lastValue(Emitter &emitter, ArrayRef<Tensor> bounds, bool descends, const Value *before) {
  mlir::Value lower = bounds[0].handle, upper = bounds[1].handle, step = bounds[2].handle;
  mlir::Value one =
      emitter.create<arith::ConstantOp>(emitter.builder.getIntegerAttr(lower.getType(), 1)).getResult();
  mlir::Value span = emitter.create<arith::SubIOp>(emitter.create<arith::SubIOp>(upper, lower), one);
  // Of a loop that runs, the span is not negative, and may need the sign's bit.
  mlir::Value turns = emitter.create<arith::DivUIOp>(span, step);
  mlir::Value distance = emitter.create<arith::MulIOp>(turns, step);
  mlir::Value last = descends ? emitter.create<arith::SubIOp>(upper, distance).getResult()
                              : emitter.create<arith::AddIOp>(lower, distance).getResult();
  if (before && before->isTensor() && before->asTensor().type == bounds[0].type) {
    mlir::Value runs = emitter.create<arith::CmpIOp>(arith::CmpIPredicate::slt, lower, upper);
    last = emitter.create<arith::SelectOp>(runs, last, before->asTensor().handle);
  }
  return {last, bounds[0].type};
}

void Emitter::emitFor(const ast::For *node, const RangeObject &range) {
  StringRef variable = cast<ast::Name>(node->target)->id;
  PositionScope position(*this, node->iter->range);
  Value lower = range.bounds[0], upper = range.bounds[1], step = range.bounds[2];
  bool descends = step.isIntLike() && step.asInt() < 0;
  if (step.isIntLike() && step.asInt() == 0)
    fail("the step of this range is zero");
  if (descends) {
    // scf.for only counts upwards: go from upper to lower and turn the variable around.
    step = Value(-step.asInt());
    std::swap(lower, upper);
  }
  Type type;
  SmallVector<Tensor, 3> bounds;
  static const char *const names[] = {"start", "end", "step"};
  for (auto [index, bound] : enumerate(std::array<Value, 3>{lower, upper, step})) {
    Tensor tensor = toTensor(bound);
    if (!tensor.type.isInteger())
      fail("the " + StringRef(names[descends && index < 2 ? 1 - index : index]) +
           " of this range must be an integer scalar, not " + tensor.type.str());
    type = index ? promoteIntegers(type, tensor.type) : tensor.type;
    bounds.push_back(tensor);
  }
  for (Tensor &bound : bounds)
    bound = castTo(*this, bound, type);

  OpBuilder::InsertionGuard guard(builder);
  auto here = builder.saveInsertionPoint();
  Scope before = frame->locals;
  std::optional<Value> variableBefore;
  if (auto found = before.find(variable); found != before.end())
    variableBefore = found->second;
  before.erase(variable);
  frame->locals.erase(variable);
  auto assigned = findAssignedNames(node->body);
  std::vector<Carried> carried = findCarried(assigned);
  Block body;
  mlir::Location variableLocation =
      NameLoc::get(builder.getStringAttr(variable), getLocation(node->target->range.Start));
  mlir::Value induction = body.addArgument(bounds[0].handle.getType(), variableLocation);
  bindCarried(carried, body, 1);
  builder.setInsertionPointToStart(&body);
  Tensor counter{induction, type};
  if (descends) {
    mlir::Value down = create<arith::SubIOp>(bounds[1].handle, induction);
    counter.handle = create<arith::AddIOp>(down, bounds[0].handle);
  }
  setLocal(variable, counter);

  bool savedBreakable = frame->breakable;
  ++frame->loopDepth;
  scope_exit restore([&] {
    --frame->loopDepth;
    frame->breakable = savedBreakable;
  });
  frame->breakable = false;
  execute(node->body, nullptr);
  checkCarried(carried, before, body, 1, node->range);

  SmallVector<Tensor> yielded;
  SmallVector<mlir::Value> initial;
  StringRef firstName;
  for (const Carried &loopVariable : carried) {
    if (!loopVariable.changes)
      continue;
    firstName = firstName.empty() ? loopVariable.name : firstName;
    flatten(frame->locals.find(loopVariable.name)->second, yielded);
    for (const Tensor &tensor : loopVariable.tensors)
      initial.push_back(tensor.handle);
  }
  builder.restoreInsertionPoint(here);
  StringRef savedName = assignedName;
  assignedName = firstName;
  auto loop = create<scf::ForOp>(bounds[0].handle, bounds[1].handle, bounds[2].handle, initial);
  assignedName = savedName;
  setLoopOptions(*this, loop, range);

  // The arguments of the block that was walked become those of the loop, or what they were before it.
  induction.replaceAllUsesWith(loop.getInductionVar());
  loop.getInductionVar().setLoc(variableLocation);
  unsigned kept = 0;
  for (const Carried &loopVariable : carried)
    for (auto [index, tensor] : enumerate(loopVariable.tensors)) {
      BlockArgument argument = body.getArgument(1 + loopVariable.first + index);
      if (loopVariable.changes)
        loop.getRegionIterArgs()[kept].setLoc(argument.getLoc());
      mlir::Value replacement = loopVariable.changes ? loop.getRegionIterArgs()[kept++] : tensor.handle;
      for (Tensor &value : yielded)
        if (value.handle == argument)
          value.handle = replacement;
      argument.replaceAllUsesWith(replacement);
    }
  fillRegion(*this, loop.getRegion(), body, handlesOf(yielded));
  leaveLoop(before, carried, loop.getResults(), node->range);
  setLocal(variable, lastValue(*this, bounds, descends, variableBefore ? &*variableBefore : nullptr));
}

void Emitter::emitWhile(const ast::While *node) {
  OpBuilder::InsertionGuard guard(builder);
  auto here = builder.saveInsertionPoint();
  Scope before = frame->locals;
  auto assigned = findAssignedNames(node->body);
  ast::If test(node->range);
  test.test = node->test;
  const ast::Statement *testStatement = &test;
  if (!findAssignedNames(ast::Statements(testStatement)).empty())
    fail(node->test->range, "':=' in the condition of a 'while' is not supported in a kernel");
  std::vector<Carried> carried = findCarried(assigned);

  Block testBlock, body;
  bindCarried(carried, testBlock, 0);
  builder.setInsertionPointToStart(&testBlock);
  Value testValue = [&] {
    PositionScope position(*this, node->test->range);
    return evaluate(node->test);
  }();
  if (!testValue.isTensor()) {
    if (isTrue(testValue, "the condition"))
      fail(node->test->range, "the condition of this loop is always true, so it does not end");
    frame->locals = before;
    return;
  }
  Tensor condition = [&] {
    PositionScope position(*this, node->test->range);
    return makeCondition(testValue);
  }();
  frame->locals = before;
  bindCarried(carried, body, 0);
  builder.setInsertionPointToStart(&body);
  bool savedBreakable = frame->breakable;
  ++frame->loopDepth;
  scope_exit restore([&] {
    --frame->loopDepth;
    frame->breakable = savedBreakable;
  });
  frame->breakable = false;
  execute(node->body, nullptr);
  checkCarried(carried, before, body, 0, node->range);

  SmallVector<Tensor> yielded;
  SmallVector<mlir::Value> initial;
  SmallVector<mlir::Type> types;
  StringRef firstName;
  for (const Carried &variable : carried) {
    if (!variable.changes)
      continue;
    firstName = firstName.empty() ? variable.name : firstName;
    flatten(frame->locals.find(variable.name)->second, yielded);
    for (const Tensor &tensor : variable.tensors) {
      initial.push_back(tensor.handle);
      types.push_back(tensor.handle.getType());
    }
  }
  builder.restoreInsertionPoint(here);
  StringRef savedName = assignedName;
  assignedName = firstName;
  auto loop = create<scf::WhileOp>(types, initial);
  assignedName = savedName;
  Block &before2 = loop.getBefore().emplaceBlock();
  Block &after = loop.getAfter().emplaceBlock();
  SmallVector<mlir::Value> forwarded;
  for (const Carried &variable : carried)
    for (auto [index, tensor] : enumerate(variable.tensors)) {
      BlockArgument inTest = testBlock.getArgument(variable.first + index);
      BlockArgument inBody = body.getArgument(variable.first + index);
      mlir::Value newTest = tensor.handle, newBody = tensor.handle;
      if (variable.changes) {
        newTest = before2.addArgument(inTest.getType(), inTest.getLoc());
        newBody = after.addArgument(inBody.getType(), inBody.getLoc());
        forwarded.push_back(newTest);
      }
      if (condition.handle == inTest)
        condition.handle = newTest;
      for (Tensor &value : yielded)
        if (value.handle == inBody)
          value.handle = newBody;
      inTest.replaceAllUsesWith(newTest);
      inBody.replaceAllUsesWith(newBody);
    }
  before2.getOperations().splice(before2.end(), testBlock.getOperations());
  builder.setInsertionPointToEnd(&before2);
  create<scf::ConditionOp>(condition.handle, forwarded);
  fillRegion(*this, loop.getAfter(), body, handlesOf(yielded));
  leaveLoop(before, carried, loop.getResults(), node->range);
}

} // namespace nereid::python
