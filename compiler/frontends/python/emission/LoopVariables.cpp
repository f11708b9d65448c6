// Arguments of other kinds that a block has (the counter of a scf.for) stand before those of the variables,
// so that these are always the last ones.
#include "compiler/frontends/python/emission/LoopVariables.h"

#include "compiler/frontends/python/emission/Emitter.h"
#include "compiler/frontends/python/emission/RunTimeParts.h"

#include "llvm/ADT/ScopeExit.h"

using namespace llvm;

namespace nereid::python {

LoopVariables::LoopVariables(Emitter &emitter, ArrayRef<StringRef> assigned, SMRange loop)
    : emitter(emitter), loop(loop), before(emitter.frame->locals) {
  unsigned count = 0;
  for (auto &[name, value] : before) {
    if (!value.hasTensor() || !is_contained(assigned, name))
      continue;
    Variable variable{name, value, {}, count, false};
    flatten(value, variable.parts);
    count += variable.parts.size();
    variables.push_back(std::move(variable));
  }
}

void LoopVariables::bind(mlir::Block &block) {
  for (Variable &variable : variables) {
    mlir::Location location =
        mlir::NameLoc::get(emitter.builder.getStringAttr(variable.name), emitter.getLocation());
    SmallVector<mlir::Value> arguments;
    for (const Tensor &part : variable.parts)
      arguments.push_back(block.addArgument(part.handle.getType(), location));
    ArrayRef<mlir::Value> rest(arguments);
    emitter.frame->locals[variable.name] = unflatten(variable.initial, rest);
  }
}

void LoopVariables::walkBody(mlir::Block &block, ast::Statements statements) {
  emitter.builder.setInsertionPointToEnd(&block);
  Frame &frame = *emitter.frame;
  bool savedBreakable = frame.breakable;
  ++frame.loopDepth;
  scope_exit restore([&] {
    --frame.loopDepth;
    frame.breakable = savedBreakable;
  });
  frame.breakable = false;
  emitter.execute(statements, nullptr);

  unsigned count = variables.empty() ? 0 : variables.back().first + variables.back().parts.size();
  auto arguments = block.getArguments().take_back(count);
  for (Variable &variable : variables) {
    checkTypes(variable);
    SmallVector<Tensor> parts;
    flatten(frame.locals.find(variable.name)->second, parts);
    for (auto [part, argument] : zip(parts, arguments.drop_front(variable.first)))
      variable.changes |= part.handle != argument;
    if (!variable.changes)
      continue;
    firstName = firstName.empty() ? variable.name : firstName;
    initial.append(variable.parts.begin(), variable.parts.end());
    next.append(parts);
  }
  checkConstants();
}

SMRange LoopVariables::positionOf(StringRef name) const {
  auto at = emitter.frame->assignedAt.find(name);
  return at == emitter.frame->assignedAt.end() ? loop : at->second;
}

void LoopVariables::checkTypes(const Variable &variable) {
  Frame &frame = *emitter.frame;
  auto after = frame.locals.find(variable.name);
  if (after == frame.locals.end()) {
    auto lost = frame.lost.find(variable.name);
    emitter.fail(
        loop, "'" + variable.name + "' has a value before this loop but may have none at the end of its body",
        lost == frame.lost.end() ? Refusal::Note{} : Refusal::Note{lost->second.range, lost->second.reason});
  }
  if (!haveSameType(variable.initial, after->second))
    emitter.fail(positionOf(variable.name),
                 "loop-carried variable '" + variable.name + "' is of type " + variable.initial.repr() +
                     " before the loop but is re-assigned to " + after->second.repr() +
                     " in it; make sure that its type stays the same",
                 {loop, "this is the loop"});
}

void LoopVariables::checkConstants() {
  const Scope &locals = emitter.frame->locals;
  for (auto &[name, value] : before) {
    if (value.hasTensor())
      continue;
    auto after = locals.find(name);
    if (after != locals.end() && after->second.hasTensor())
      emitter.fail(positionOf(name),
                   "'" + name + "' is " +
                       (value.isNone() ? "None" : "a compile-time value (" + value.repr() + ")") +
                       " before the loop and cannot be re-assigned in it; " +
                       (value.isNone() ? "give it a value of the type it gets" : "assign it to another name"),
                   {loop, "this is the loop"});
  }
}

void LoopVariables::replaceArguments(mlir::Block &walked, mlir::ValueRange arguments,
                                     MutableArrayRef<Tensor> values) {
  unsigned count = variables.empty() ? 0 : variables.back().first + variables.back().parts.size();
  auto old = walked.getArguments().take_back(count);
  for (const Variable &variable : variables)
    for (const Tensor &part : variable.parts) {
      mlir::BlockArgument argument = old.consume_front();
      mlir::Value replacement = part.handle;
      if (variable.changes) {
        replacement = arguments.front();
        replacement.setLoc(argument.getLoc());
        arguments = arguments.drop_front();
      }
      for (Tensor &value : values)
        if (value.handle == argument)
          value.handle = replacement;
      argument.replaceAllUsesWith(replacement);
    }
}

void LoopVariables::leave(mlir::ResultRange results) {
  Frame &frame = *emitter.frame;
  Scope body = std::move(frame.locals);
  frame.locals = before;
  for (auto &[name, value] : body) {
    auto outside = before.find(name);
    if (outside == before.end()) {
      frame.lost[name] = {loop,
                          "'" + name.str() + "' is only assigned inside this loop; assign it before as well"};
    } else if (!value.hasTensor() && !areSame(value, outside->second)) {
      // The variable of a tl.static_range, say: whether the loop runs at all is not known.
      frame.locals.erase(name);
      frame.lost[name] = {loop,
                          "'" + name.str() + "' is " + outside->second.repr() + " before this loop and " +
                              value.repr() + " in it",
                          true};
    }
  }
  SmallVector<mlir::Value> handles(results);
  ArrayRef<mlir::Value> rest(handles);
  for (const Variable &variable : variables)
    if (variable.changes)
      frame.locals[variable.name] = unflatten(variable.initial, rest);
}

} // namespace nereid::python
