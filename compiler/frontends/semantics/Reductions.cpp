// See Reductions.h.
#include "compiler/frontends/semantics/Reductions.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/frontends/semantics/Broadcasting.h"

using namespace llvm;

namespace nereid::semantics {

SmallVector<Type> combineTypes(ArrayRef<Tensor> inputs) {
  SmallVector<Type> types;
  for (int side = 0; side < 2; ++side)
    for (const Tensor &input : inputs)
      types.push_back(input.type.getElement());
  return types;
}

std::vector<Tensor> makeReduction(OperationWriter &writer, std::vector<Tensor> inputs,
                                  std::optional<unsigned> axis, bool keepDims, FillCombine fill) {
  size_t rank = inputs[0].type.getShape().size();
  // The order of elements is of no matter to an associative and commutative combination.
  if (!axis && rank > 1)
    for (Tensor &input : inputs) {
      Type flat = Type::block(input.type.getElement(), {input.type.getNumElements()});
      input = {writer.create<tt::ReshapeOp>(toMLIR(flat, writer.getMLIRContext()), input.handle, true, false),
               flat};
    }
  Shape shape(inputs[0].type.getShape().begin(), inputs[0].type.getShape().end());
  shape.erase(shape.begin() + axis.value_or(0));
  SmallVector<mlir::Type> resultTypes;
  SmallVector<mlir::Value> handles;
  for (const Tensor &input : inputs) {
    resultTypes.push_back(toMLIR(Type::block(input.type.getElement(), shape), writer.getMLIRContext()));
    handles.push_back(input.handle);
  }
  auto op = writer.create<tt::ReduceOp>(resultTypes, handles, axis.value_or(0));
  fill(op.getCombineOp(), combineTypes(inputs));
  std::vector<Tensor> results;
  for (auto [index, input] : enumerate(inputs)) {
    Tensor result{op->getResult(index), Type::block(input.type.getElement(), shape)};
    if (keepDims)
      for (size_t i = 0; i < (axis ? 1 : rank); ++i)
        result = expandDims(writer, result, axis.value_or(0));
    results.push_back(result);
  }
  return results;
}

} // namespace nereid::semantics
