// tl.dot: products of matrices and of batches of matrices.
#include "compiler/frontends/python/Broadcasting.h"
#include "compiler/frontends/python/Casting.h"
#include "compiler/frontends/python/ConstantFolding.h"
#include "compiler/frontends/python/Emitter.h"
#include "compiler/frontends/python/TypePromotion.h"

using namespace llvm;

namespace nereid::python {

static tt::InputPrecision precisionOf(Emitter &emitter, const Value &precision, const Value &allowTF32) {
  if (!precision.isNone() && !allowTF32.isNone())
    emitter.fail("input_precision and allow_tf32 of tl.dot cannot both be given");
  bool cuda = emitter.target.backend == Backend::CUDA;
  if (precision.isNone())
    return cuda && (allowTF32.isNone() || allowTF32.isTruthy()) ? tt::InputPrecision::TF32
                                                                : tt::InputPrecision::IEEE;
  if (precision.isStr())
    if (auto known = tt::symbolizeInputPrecision(precision.asStr()))
      return *known;
  emitter.fail("input_precision " + precision.repr() +
               " is not known; there are 'tf32', 'tf32x3', 'ieee', 'bf16x3' and 'bf16x6'");
}

static Value dot(Emitter &emitter, Arguments &arguments) {
  Tensor a = emitter.toTensor(arguments[0]), b = emitter.toTensor(arguments[1]);
  const auto leftShape = a.type.getShape(), rightShape = b.type.getShape();
  size_t rank = leftShape.size();
  if (rank != rightShape.size() || (rank != 2 && rank != 3))
    emitter.fail("tl.dot takes two blocks of two dimensions, or of three, not " + a.type.str() + " and " +
                 b.type.str());
  if (leftShape[rank - 1] != rightShape[rank - 2])
    emitter.fail("the inner dimensions of tl.dot differ: " + a.type.str() + " has " +
                 Twine(leftShape[rank - 1]) + " columns and " + b.type.str() + " has " +
                 Twine(rightShape[rank - 2]) + " rows");
  if (rank == 3 && leftShape[0] != rightShape[0])
    emitter.fail("the batch dimensions of tl.dot differ: " + a.type.str() + " and " + b.type.str());
  const Type left = a.type.getElement(), right = b.type.getElement();
  if (left.isFP8() != right.isFP8() || (!left.isFP8() && left != right))
    emitter.fail("both operands of tl.dot must have the same type, not " + left.str() + " and " +
                 right.str());
  if (left.isInteger() && left.getBits() != 8)
    emitter.fail("tl.dot takes integers of 8 bits only, not " + left.str());
  Type outputType = ScalarKind::FP32;
  if (!arguments[6].isType() || !arguments[6].asType().isScalarNumber())
    emitter.fail("out_dtype of tl.dot must be a dtype, not " + arguments[6].describe());
  if (left.isInteger())
    outputType = ScalarKind::Int32;
  else if (left.is(ScalarKind::FP64))
    outputType = ScalarKind::FP64;
  else if (left.is(ScalarKind::FP32) || left.is(ScalarKind::BF16))
    outputType = ScalarKind::FP32;
  else
    outputType = arguments[6].asType().is(ScalarKind::FP16) ? ScalarKind::FP16 : ScalarKind::FP32;
  Shape shape(leftShape.begin(), leftShape.end());
  shape.back() = rightShape.back();
  Type type = Type::block(outputType, shape);
  Tensor accumulator;
  if (arguments[2].isNone()) {
    accumulator =
        splat(emitter, emitNumber(emitter, outputType.isFloat() ? Value(0.0) : Value(0), outputType), shape);
  } else {
    accumulator = emitter.toTensor(arguments[2]);
    if (accumulator.type != type)
      emitter.fail("the accumulator of tl.dot must be of type " + type.str() + ", not " +
                   accumulator.type.str());
  }
  BigInt imprecise = 0;
  if (!arguments[5].isNone())
    imprecise = wholeNumber(emitter, arguments[5], "max_num_imprecise_acc");
  auto precision = precisionOf(emitter, arguments[3], arguments[4]);
  return Tensor{emitter.create<tt::DotOp>(type.toMLIR(emitter.getMLIRContext()), a.handle, b.handle,
                                          accumulator.handle, precision, static_cast<uint32_t>(imprecise)),
                type};
}

void addMatrixBuiltins(BuiltinTable &table) {
  table.add("tl.dot",
            "input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, "
            "out_dtype=None",
            [](Emitter &emitter, Arguments &arguments) {
              if (arguments[6].isNone())
                arguments.values[6] = Type(ScalarKind::FP32);
              return dot(emitter, arguments);
            });
}

} // namespace nereid::python
