// What stands in brackets: new axes, reductions, and elements behind pointers.
//
//     x[:, newaxis]     tt.expand_dims             x[:, max]     tt.reduce along axis 1
//     p[i]              *(p + i)
//
// Sums are made as Triton's tl.sum makes them: of narrow integers in 32 bits. Of the largest and the smallest
// of halves the result is a float.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/semantics/Reductions.h"
#include "compiler/frontends/triton_c/emission/Emitter.h"

using namespace llvm;

namespace nereid::triton_c {

Value Emitter::reduce(const Value &value, unsigned axis, SubscriptItem::Kind kind) {
  bool isSum = kind == SubscriptItem::Kind::Sum;
  Type element = value.type.getElement();
  if (!element.isScalarNumber())
    fail("numbers can be reduced, not a block of type " + value.type.str());
  if (element.isFP8())
    element = ScalarKind::FP32;
  if (element.isInteger() && element.getBits() < 32)
    element =
        isSum && element.isUnsignedInteger() && !element.isBool() ? ScalarKind::UInt32 : ScalarKind::Int32;
  else if (element.isFloat() && element.getBits() < 32 && !isSum)
    element = ScalarKind::FP32;
  Tensor input = toTensor(convert(value, element));
  auto fill = [&](mlir::Region &region, ArrayRef<Type> types) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    mlir::Block *block = region.empty() ? &region.emplaceBlock() : &region.front();
    SmallVector<Tensor, 2> arguments;
    for (const Type &type : types)
      arguments.push_back({block->addArgument(toMLIR(type, getMLIRContext()), getLocation()), type});
    builder.setInsertionPointToStart(block);
    Tensor combined =
        isSum ? makeBinary(*this, BinaryOperation::Add, arguments[0], arguments[1])
              : makeMinMax(*this, kind == SubscriptItem::Kind::Max, arguments[0], arguments[1], false);
    create<tt::ReduceReturnOp>(mlir::ValueRange(combined.handle));
  };
  return makeReduction(*this, {input}, axis, /*keepDims=*/false, fill)[0];
}

Value Emitter::evaluateSubscript(const Expression *expression) {
  if (isDereference(expression)) {
    // Of a block it would be one element, which is refused there.
    return load(destinationOf(expression));
  }
  Value value = evaluate(expression->operands[0]);
  size_t rank = value.type.getShape().size(), used = 0;
  for (const SubscriptItem &item : expression->items) {
    if (item.kind == SubscriptItem::Kind::Index)
      fail(item.place, "parts of a block cannot be taken: write ':' for a whole axis");
    used += item.kind != SubscriptItem::Kind::NewAxis;
  }
  if (value.isVoid() || (!value.isBlock() && used))
    fail("a value of type " + value.type.str() + " has no axes");
  if (used != rank)
    fail("a block of type " + value.type.str() + " has " + Twine(rank) + (rank == 1 ? " axis" : " axes") +
         ", but the brackets name " + Twine(used));
  // From the last to the first, so that the axes before keep their numbers.
  unsigned axis = 0;
  SmallVector<std::pair<SubscriptItem::Kind, unsigned>> steps;
  for (const SubscriptItem &item : expression->items) {
    steps.push_back({item.kind, axis});
    axis += item.kind != SubscriptItem::Kind::NewAxis;
  }
  for (auto [kind, at] : reverse(steps))
    if (kind != SubscriptItem::Kind::All && kind != SubscriptItem::Kind::NewAxis)
      value = reduce(value, at, kind);
  // What is left of the axes, new ones between them.
  unsigned position = 0;
  for (const SubscriptItem &item : expression->items) {
    if (item.kind == SubscriptItem::Kind::NewAxis)
      value = expandDims(*this, toTensor(value), position++);
    else if (item.kind == SubscriptItem::Kind::All)
      ++position;
  }
  return value;
}

} // namespace nereid::triton_c
