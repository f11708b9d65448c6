// What can be assigned to, loads and stores, and the masks that they run under.
//
// An arm of `mask ? a : b` is only evaluated where its mask says so, which concerns its loads: they run under
// the mask that is active (Conditionals.cpp). A load of fewer elements than the mask has, such as one of a
// row in an arm that is chosen for each element of a matrix, runs if any of the elements that it serves is
// chosen.
#include "compiler/frontends/semantics/Memory.h"

#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/semantics/Casting.h"
#include "compiler/frontends/semantics/Reductions.h"
#include "compiler/frontends/triton_c/emission/Emitter.h"

using namespace llvm;

namespace nereid::triton_c {

bool Emitter::isDereference(const Expression *expression) {
  switch (expression->kind) {
  case Expression::Kind::Unary:
    return expression->unary == UnaryOperator::Dereference;
  case Expression::Kind::MaskedDereference:
    return true;
  case Expression::Kind::Subscript:
    return expression->items.size() == 1 && expression->items[0].kind == SubscriptItem::Kind::Index;
  default:
    return false;
  }
}

Emitter::Destination Emitter::destinationOf(const Expression *expression) {
  PlaceScope scope(*this, expression->place);
  Destination destination;
  if (expression->kind == Expression::Kind::Name) {
    destination.variable = find(expression->text);
    if (destination.variable) {
      destination.type = variables[*destination.variable].type;
      return destination;
    }
    if (fileConstants.count(expression->text))
      fail("'" + expression->text + "' is a constant");
    evaluateName(expression); // says what is wrong with the name
    fail("'" + expression->text + "' cannot be assigned to");
  }
  if (!isDereference(expression))
    fail(expression->kind == Expression::Kind::Subscript
             ? "parts of a block cannot be assigned to; choose between elements with '?:'"
             : "this cannot be assigned to: expected a variable, *p, *?(mask)p or p[i]");
  const std::vector<const Expression *> &operands = expression->operands;
  Value pointer;
  if (expression->kind == Expression::Kind::MaskedDereference) {
    PlaceScope maskScope(*this, operands[0]->place);
    destination.mask = toTensor(toBool(evaluate(operands[0])));
    pointer = evaluate(operands[1]);
  } else if (expression->kind == Expression::Kind::Subscript) {
    pointer = evaluate(operands[0]);
    if (!pointer.type.getScalar().isPointer())
      fail("elements of a block cannot be taken one by one: this is of type " + pointer.type.str());
    pointer = emitBinary(BinaryOperator::Add, pointer, evaluate(expression->items[0].index));
  } else {
    pointer = evaluate(operands[0]);
  }
  if (pointer.isVoid() || !pointer.type.getScalar().isPointer())
    fail("'*' takes a pointer or a block of pointers, not a value of type " + pointer.type.str());
  destination.pointer = toTensor(pointer);
  destination.type = pointer.type.withElement(pointer.type.getScalar().getElement());
  return destination;
}

/// Whether any element holds, along an axis or, without one, at all.
static Tensor reduceOr(Emitter &emitter, const Tensor &mask, std::optional<unsigned> axis) {
  Tensor bits = castTo(emitter, mask, ScalarKind::Int32);
  auto fill = [&](mlir::Region &region, ArrayRef<Type> types) {
    mlir::OpBuilder::InsertionGuard guard(emitter.builder);
    mlir::Block *block = region.empty() ? &region.emplaceBlock() : &region.front();
    SmallVector<Tensor> arguments;
    for (const Type &type : types)
      arguments.push_back(
          {block->addArgument(toMLIR(type, emitter.getMLIRContext()), emitter.getLocation()), type});
    emitter.builder.setInsertionPointToStart(block);
    emitter.create<tt::ReduceReturnOp>(
        mlir::ValueRange(makeBinary(emitter, BinaryOperation::Or, arguments[0], arguments[1]).handle));
  };
  return castToBool(emitter, makeReduction(emitter, {bits}, axis, axis.has_value(), fill)[0]);
}

/// The mask for a load or store of that shape, which may have fewer elements.
static Tensor fitMask(Emitter &emitter, Tensor mask, ArrayRef<int64_t> shape) {
  if (!mask.type.isBlock() || shape.empty())
    return mask.type.isBlock() ? reduceOr(emitter, mask, std::nullopt) : mask;
  ArrayRef<int64_t> have = mask.type.getShape();
  for (size_t i = 0; i < std::min(have.size(), shape.size()); ++i) {
    int64_t size = have[have.size() - 1 - i], wanted = shape[shape.size() - 1 - i];
    if (size != wanted && size != 1 && wanted != 1)
      return reduceOr(emitter, mask, std::nullopt);
  }
  while (mask.type.getShape().size() > shape.size()) {
    mask = reduceOr(emitter, mask, 0);
    Shape rest(mask.type.getShape().begin() + 1, mask.type.getShape().end());
    Type type = Type::block(ScalarKind::Int1, rest);
    mask = {emitter.create<tt::ReshapeOp>(toMLIR(type, emitter.getMLIRContext()), mask.handle, false, false),
            type};
  }
  size_t rank = mask.type.getShape().size();
  for (size_t i = 0; i < rank; ++i)
    if (mask.type.getShape()[i] != 1 && shape[shape.size() - rank + i] == 1)
      mask = reduceOr(emitter, mask, static_cast<unsigned>(i));
  return mask;
}

std::optional<Tensor> Emitter::getMask(const Type &pointer, std::optional<Tensor> own) {
  if (!activeMask)
    return own;
  Tensor active = fitMask(*this, *activeMask, pointer.getShape());
  if (!own)
    return active;
  matchShapes(*this, active, *own);
  return makeBinary(*this, BinaryOperation::And, active, *own);
}

Value Emitter::load(const Destination &destination, const Value *other) {
  if (destination.variable) {
    const Variable &variable = variables[*destination.variable];
    if (variable.value.isUndefined())
      throw Refusal{expansions.inFile(place).getRange(),
                    "'" + variable.name.str() + "' is used before it has a value",
                    {{expansions.inFile(variable.place).getRange(), "it is declared here"}}};
    return variable.value;
  }
  std::optional<Tensor> mask = getMask(destination.pointer.type, destination.mask);
  std::optional<Tensor> otherwise;
  if (other)
    otherwise = toTensor(*other);
  return makeLoad(*this, destination.pointer, mask, otherwise, {"this load"});
}

void Emitter::assign(const Destination &destination, const Value &value) {
  if (destination.variable) {
    Variable &variable = variables[*destination.variable];
    if (variable.isConst)
      throw Refusal{expansions.inFile(place).getRange(),
                    "'" + variable.name.str() + "' is const",
                    {{expansions.inFile(variable.place).getRange(), "it is declared here"}}};
    if (activeMask && *destination.variable < variablesBeforeArm)
      fail("a variable cannot be assigned in an arm of a '?:' that is chosen for each element");
    variable.value = value;
    return;
  }
  if (destination.pointer.type.getScalar().isConstPointer())
    fail("cannot store through a pointer to const");
  makeStore(*this, destination.pointer, toTensor(value), getMask(destination.pointer.type, destination.mask),
            {"this store"});
}

} // namespace nereid::triton_c
