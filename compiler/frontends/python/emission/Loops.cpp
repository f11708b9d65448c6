// Loops that are decided at run time, as scf.for and scf.while. What they carry is found by LoopVariables.
#include "compiler/frontends/python/emission/Emitter.h"
#include "compiler/frontends/python/emission/LoopVariables.h"
#include "compiler/frontends/python/emission/RunTimeParts.h"
#include "compiler/frontends/python/emission/TypePromotion.h"
#include "compiler/frontends/python/evaluation/ConstantFolding.h"
#include "compiler/frontends/python/syntax/AstQueries.h"
#include "compiler/frontends/semantics/Casting.h"
#include "compiler/frontends/semantics/Regions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;
using namespace mlir;

namespace nereid::python {

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
    } else if (value.isTruthy()) {
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
  if (before && before->isTensor() && before->asRunTime().type == bounds[0].type) {
    mlir::Value runs = emitter.create<arith::CmpIOp>(arith::CmpIPredicate::slt, lower, upper);
    last = emitter.create<arith::SelectOp>(runs, last, tensorOf(*before).handle);
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
  std::optional<Value> variableBefore;
  if (auto found = frame->locals.find(variable); found != frame->locals.end())
    variableBefore = found->second;
  frame->locals.erase(variable);
  LoopVariables variables(*this, ast::findAssignedNames(node->body), node->range);
  Block body;
  mlir::Location variableLocation =
      NameLoc::get(builder.getStringAttr(variable), getLocation(node->target->range.Start));
  mlir::Value induction = body.addArgument(bounds[0].handle.getType(), variableLocation);
  variables.bind(body);
  builder.setInsertionPointToStart(&body);
  Tensor counter{induction, type};
  if (descends) {
    mlir::Value down = create<arith::SubIOp>(bounds[1].handle, induction);
    counter.handle = create<arith::AddIOp>(down, bounds[0].handle);
  }
  setLocal(variable, counter);
  variables.walkBody(body, node->body);

  builder.restoreInsertionPoint(here);
  scf::ForOp loop;
  {
    SaveAndRestore naming(assignedName, variables.firstName);
    loop = create<scf::ForOp>(bounds[0].handle, bounds[1].handle, bounds[2].handle,
                              handlesOf(variables.initial));
  }
  setLoopOptions(*this, loop, range);
  induction.replaceAllUsesWith(loop.getInductionVar());
  for (Tensor &value : variables.next)
    if (value.handle == induction)
      value.handle = loop.getInductionVar();
  loop.getInductionVar().setLoc(variableLocation);
  variables.replaceArguments(body, loop.getRegionIterArgs(), variables.next);
  fillRegion(*this, loop.getRegion(), body, handlesOf(variables.next));
  variables.leave(loop.getResults());
  setLocal(variable, lastValue(*this, bounds, descends, variableBefore ? &*variableBefore : nullptr));
}

void Emitter::emitWhile(const ast::While *node) {
  OpBuilder::InsertionGuard guard(builder);
  auto here = builder.saveInsertionPoint();
  if (!ast::findAssignedNames(node->test).empty())
    fail(node->test->range, "':=' in the condition of a 'while' is not supported in a kernel");
  Scope before = frame->locals;
  LoopVariables variables(*this, ast::findAssignedNames(node->body), node->range);
  Block testBlock, body;
  variables.bind(testBlock);
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
  variables.bind(body);
  variables.walkBody(body, node->body);

  builder.restoreInsertionPoint(here);
  scf::WhileOp loop;
  {
    SaveAndRestore naming(assignedName, variables.firstName);
    loop = create<scf::WhileOp>(typesOf(variables.initial), handlesOf(variables.initial));
  }
  Block &testRegion = loop.getBefore().emplaceBlock(), &bodyRegion = loop.getAfter().emplaceBlock();
  for (const Tensor &part : variables.initial)
    for (Block *block : {&testRegion, &bodyRegion})
      block->addArgument(part.handle.getType(), part.handle.getLoc());
  variables.replaceArguments(testBlock, testRegion.getArguments(), condition);
  variables.replaceArguments(body, bodyRegion.getArguments(), variables.next);
  testRegion.getOperations().splice(testRegion.end(), testBlock.getOperations());
  builder.setInsertionPointToEnd(&testRegion);
  create<scf::ConditionOp>(condition.handle, testRegion.getArguments());
  fillRegion(*this, loop.getAfter(), body, handlesOf(variables.next));
  variables.leave(loop.getResults());
}

} // namespace nereid::python
