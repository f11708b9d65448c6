// tl.reduce, tl.associative_scan, tl.map_elementwise and tl.histogram: operations with any combining
// function. What is built on them (tl.sum, tl.max, tl.cumsum, …) is in prelude/reductions.py.
#include "compiler/frontends/python/builtins/LanguageTable.h"
#include "compiler/frontends/python/evaluation/ConstantFolding.h"
#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/semantics/Casting.h"
#include "compiler/frontends/semantics/Reductions.h"

using namespace llvm;

namespace nereid::python {

static std::vector<Tensor> inputsOf(Emitter &emitter, const Value &value, StringRef function) {
  std::vector<Tensor> tensors;
  for (const Value &input : value.isTuple() ? value.asTuple().elements : std::vector<Value>{value}) {
    Tensor tensor = emitter.toTensor(input);
    if (!tensor.type.isBlock())
      emitter.fail("tl." + function + " takes a block, not a scalar of type " + tensor.type.str());
    if (!tensors.empty() && tensors[0].type.getShape() != tensor.type.getShape())
      emitter.fail("the inputs of tl." + function + " must have the same shape, but have types " +
                   tensors[0].type.str() + " and " + tensor.type.str());
    tensors.push_back(tensor);
  }
  if (tensors.empty())
    emitter.fail("tl." + function + " needs at least one input");
  return tensors;
}

static unsigned axisOf(Emitter &emitter, const Value &value, const Type &type) {
  BigInt axis = wholeNumber(emitter, value, "an axis");
  auto rank = static_cast<BigInt>(type.getShape().size());
  if (axis < -rank || axis >= rank)
    emitter.fail("axis " + bigToString(axis) + " is out of range for a block of type " + type.str());
  return static_cast<unsigned>(axis < 0 ? axis + rank : axis);
}

static SmallVector<mlir::Value> handlesOf(ArrayRef<Tensor> tensors) {
  SmallVector<mlir::Value> handles;
  for (const Tensor &tensor : tensors)
    handles.push_back(tensor.handle);
  return handles;
}

static Value reduce(Emitter &emitter, Arguments &arguments) {
  std::vector<Tensor> inputs = inputsOf(emitter, arguments[0], "reduce");
  std::optional<unsigned> axis;
  if (!arguments[1].isNone())
    axis = axisOf(emitter, arguments[1], inputs[0].type);
  std::vector<Tensor> reduced =
      makeReduction(emitter, std::move(inputs), axis, arguments[3].isTruthy(),
                    [&](mlir::Region &region, ArrayRef<Type> types) {
                      emitter.fillCombineRegion<tt::ReduceReturnOp>(region, types, arguments[2]);
                    });
  std::vector<Value> results(reduced.begin(), reduced.end());
  return arguments[0].isTuple() ? Value::tuple(std::move(results)) : results[0];
}

static Value scan(Emitter &emitter, Arguments &arguments) {
  std::vector<Tensor> inputs = inputsOf(emitter, arguments[0], "associative_scan");
  unsigned axis = axisOf(emitter, arguments[1], inputs[0].type);
  SmallVector<mlir::Type> resultTypes;
  for (const Tensor &input : inputs)
    resultTypes.push_back(input.handle.getType());
  auto op = emitter.create<tt::ScanOp>(resultTypes, handlesOf(inputs), axis, arguments[3].isTruthy());
  emitter.fillCombineRegion<tt::ScanReturnOp>(op.getCombineOp(), combineTypes(inputs), arguments[2]);
  std::vector<Value> results;
  for (auto [index, input] : enumerate(inputs))
    results.push_back(Tensor{op->getResult(index), input.type});
  return arguments[0].isTuple() ? Value::tuple(std::move(results)) : results[0];
}

/// The indices along the axis, in the input's shape, beside the input: what argmax and its like reduce.
static Value withIndices(Emitter &emitter, Arguments &arguments) {
  Tensor input = inputsOf(emitter, arguments[0], "reduce")[0];
  unsigned axis = axisOf(emitter, arguments[1], input.type);
  int64_t size = input.type.getShape()[axis];
  Type type = Type::block(ScalarKind::Int32, {size});
  Tensor index{
      emitter.create<tt::MakeRangeOp>(toMLIR(type, emitter.getMLIRContext()), 0, static_cast<int32_t>(size)),
      type};
  for (unsigned i = 0; i < input.type.getShape().size(); ++i)
    if (i != axis)
      index = expandDims(emitter, index, i);
  index = broadcastTo(emitter, index, input.type.getShape());
  return Value::tuple({input, index});
}

static Value histogram(Emitter &emitter, Arguments &arguments) {
  Tensor input = inputsOf(emitter, arguments[0], "histogram")[0];
  if (input.type.getShape().size() != 1 || !input.type.getElement().isInteger())
    emitter.fail("tl.histogram takes integers in one dimension, not " + input.type.str());
  BigInt bins = wholeNumber(emitter, arguments[1], "num_bins");
  if (bins <= 0 || (bins & (bins - 1)))
    emitter.fail("num_bins must be a power of 2, but is " + bigToString(bins));
  mlir::Value mask;
  if (!arguments[2].isNone()) {
    Tensor condition = castToBool(emitter, emitter.toTensor(arguments[2]));
    mask = broadcastTo(emitter, condition, input.type.getShape()).handle;
  }
  Type type = Type::block(ScalarKind::Int32, {static_cast<int64_t>(bins)});
  return Tensor{emitter.create<tt::HistogramOp>(toMLIR(type, emitter.getMLIRContext()), input.handle, mask),
                type};
}

/// Runs scalar code for each element. The result types are those that the function returns, so it is walked
/// into a region of its own before the operation is made.
static Value mapElements(Emitter &emitter, Arguments &arguments) {
  std::vector<Tensor> inputs;
  for (const Value &input : arguments.rest(1))
    inputs.push_back(emitter.toTensor(input));
  if (inputs.empty())
    emitter.fail("tl.map_elementwise needs at least one input");
  for (size_t round = 0; round < 2; ++round)
    for (size_t i = 1; i < inputs.size(); ++i)
      matchShapes(emitter, inputs[0], inputs[i]);
  if (!inputs[0].type.isBlock())
    emitter.fail("tl.map_elementwise takes blocks, not a scalar of type " + inputs[0].type.str());
  BigInt pack = wholeNumber(emitter, arguments[2], "pack");
  if (pack < 1 || pack > 64)
    emitter.fail("pack must be between 1 and 64, but is " + bigToString(pack));
  SmallVector<Type> types;
  for (const Tensor &input : inputs)
    types.append(static_cast<size_t>(pack), input.type.getElement());
  mlir::Region region;
  std::vector<Type> returned =
      emitter.fillCombineRegion<tt::MapElementwiseReturnOp>(region, types, arguments[0]);
  if (returned.empty() || returned.size() % static_cast<size_t>(pack))
    emitter.fail("the function of tl.map_elementwise must return one value for each of the " +
                 bigToString(pack) + " packed elements");
  SmallVector<mlir::Type> resultTypes;
  std::vector<Type> results;
  for (size_t i = 0; i < returned.size(); i += static_cast<size_t>(pack)) {
    results.push_back(inputs[0].type.withElement(returned[i]));
    resultTypes.push_back(toMLIR(results.back(), emitter.getMLIRContext()));
  }
  auto op = emitter.create<tt::MapElementwiseOp>(resultTypes, handlesOf(inputs), static_cast<uint32_t>(pack));
  op.getScalarOp().takeBody(region);
  std::vector<Value> values;
  for (auto [index, type] : enumerate(results))
    values.push_back(Tensor{op->getResult(index), type});
  return values.size() == 1 ? values[0] : Value::tuple(std::move(values));
}

void addReductionBuiltins(LanguageTable &table) {
  table.add("tl.map_elementwise", "scalar_fn, *args, pack=1", mapElements);
  table.add("tl.reduce", "input, axis, combine_fn, keep_dims=False", reduce);
  table.add("tl.associative_scan", "input, axis, combine_fn, reverse=False", scan);
  table.add("tl._with_indices", "input, axis", withIndices);
  table.add("tl.histogram", "input, num_bins, mask=None", histogram);
  table.addMethods({"reduce", "associative_scan", "histogram", "sum", "max", "min", "argmax", "argmin",
                    "xor_sum", "reduce_or", "cumsum", "cumprod", "sort"});
}

} // namespace nereid::python
