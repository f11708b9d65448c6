// tl.dot and tl.dot_scaled: products of matrices and of batches of matrices.
#include "compiler/frontends/python/builtins/LanguageTable.h"
#include "compiler/frontends/python/emission/TypePromotion.h"
#include "compiler/frontends/python/evaluation/ConstantFolding.h"
#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/semantics/Casting.h"
#include "compiler/frontends/semantics/Products.h"

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
  std::optional<Tensor> accumulator;
  if (!arguments[2].isNone())
    accumulator = emitter.toTensor(arguments[2]);
  if (!arguments[6].isType() || !arguments[6].asType().isScalarNumber())
    emitter.fail("out_dtype of tl.dot must be a dtype, not " + arguments[6].describe());
  BigInt imprecise = 0;
  if (!arguments[5].isNone())
    imprecise = wholeNumber(emitter, arguments[5], "max_num_imprecise_acc");
  if (imprecise < 0 || imprecise > INT32_MAX)
    emitter.fail("max_num_imprecise_acc is out of range: " + bigToString(imprecise));
  return makeProduct(emitter, a, b, accumulator,
                     {"tl.dot", precisionOf(emitter, arguments[3], arguments[4]),
                      static_cast<uint32_t>(imprecise), arguments[6].asType()});
}

/// The element format of an operand of tl.dot_scaled, whose bits may come as integers.
static tt::ScaleDotElemType scaledFormat(Emitter &emitter, const Value &format, Tensor &operand) {
  std::optional<tt::ScaleDotElemType> known;
  if (format.isStr())
    known = tt::symbolizeScaleDotElemType(format.asStr());
  Type wanted;
  if (known == tt::ScaleDotElemType::E2M1)
    wanted = ScalarKind::UInt8;
  else if (known == tt::ScaleDotElemType::E4M3)
    wanted = ScalarKind::FP8E4NV;
  else if (known == tt::ScaleDotElemType::E5M2)
    wanted = ScalarKind::FP8E5;
  else if (known == tt::ScaleDotElemType::BF16)
    wanted = ScalarKind::BF16;
  else if (known == tt::ScaleDotElemType::FP16)
    wanted = ScalarKind::FP16;
  else
    emitter.fail("the format " + format.repr() +
                 " is not known; there are 'e2m1', 'e4m3', 'e5m2', 'bf16' and 'fp16'");
  const Type element = operand.type.getElement();
  if (element != wanted && !(element.isInteger() && element.getBits() == wanted.getBits()))
    emitter.fail("an operand of format " + format.repr() + " must have elements of type " + wanted.str() +
                 ", not " + element.str());
  operand = bitcastTo(emitter, operand, wanted);
  return *known;
}

static Value scaledDot(Emitter &emitter, Arguments &arguments) {
  Tensor a = emitter.toTensor(arguments[0]), b = emitter.toTensor(arguments[3]);
  size_t rank = a.type.getShape().size();
  if (rank != b.type.getShape().size() || (rank != 2 && rank != 3))
    emitter.fail("tl.dot_scaled takes two blocks of two dimensions, or of three, not " + a.type.str() +
                 " and " + b.type.str());
  auto leftFormat = scaledFormat(emitter, arguments[2], a),
       rightFormat = scaledFormat(emitter, arguments[5], b);
  bool leftPacksK = arguments[8].isTruthy(), rightPacksK = arguments[9].isTruthy();
  for (auto [side, packsK, kind] :
       {std::tuple("lhs", leftPacksK, leftFormat), std::tuple("rhs", rightPacksK, rightFormat)})
    if (!packsK && kind != tt::ScaleDotElemType::E2M1)
      emitter.fail(Twine(side) + "_k_pack=False of tl.dot_scaled is for operands of format 'e2m1' alone");
  if (!arguments[10].isNone() &&
      !(arguments[10].isType() && arguments[10].asType() == Type(ScalarKind::FP32)))
    emitter.fail("out_dtype of tl.dot_scaled must be float32, not " + arguments[10].repr());
  // Two elements of four bits share a byte, along K or along the other dimension.
  int64_t leftPack = leftFormat == tt::ScaleDotElemType::E2M1 ? 2 : 1;
  int64_t rightPack = rightFormat == tt::ScaleDotElemType::E2M1 ? 2 : 1;
  ArrayRef<int64_t> left = a.type.getShape().take_back(2), right = b.type.getShape().take_back(2);
  int64_t leftK = left[1] * (leftPacksK ? leftPack : 1), rightK = right[0] * (rightPacksK ? rightPack : 1);
  if (leftK != rightK)
    emitter.fail("the inner dimensions of tl.dot_scaled differ: " + Twine(leftK) + " and " + Twine(rightK) +
                 " elements");
  Shape shape(a.type.getShape().begin(), a.type.getShape().end());
  shape[rank - 2] = left[0] * (leftPacksK ? 1 : leftPack);
  shape[rank - 1] = right[1] * (rightPacksK ? 1 : rightPack);
  Type type = Type::block(ScalarKind::FP32, shape);
  Tensor accumulator;
  if (arguments[6].isNone()) {
    accumulator = splat(emitter, emitNumber(emitter, Value(0.0), ScalarKind::FP32), shape);
  } else {
    accumulator = emitter.toTensor(arguments[6]);
    if (accumulator.type != type)
      emitter.fail("the accumulator of tl.dot_scaled must be of type " + type.str() + ", not " +
                   accumulator.type.str());
  }
  if (rank == 3 && a.type.getShape()[0] != b.type.getShape()[0])
    emitter.fail("the batch dimensions of tl.dot_scaled differ: " + a.type.str() + " and " + b.type.str());
  // A scale for each run of elements that are summed, in each row of the left and each column of the right.
  auto scale = [&](const Value &value, StringRef side, int64_t rows) -> mlir::Value {
    if (value.isNone())
      return {};
    Tensor tensor = emitter.toTensor(value);
    ArrayRef<int64_t> given = tensor.type.getShape();
    bool fits = given.size() == rank && given[rank - 2] == rows && leftK % given[rank - 1] == 0 &&
                (rank == 2 || given[0] == shape[0]);
    auto isScale = [](const Type &element) {
      return element == Type(ScalarKind::FP8E4NV) || (element.isInteger() && element.getBits() == 8);
    };
    if (!fits || !isScale(tensor.type.getElement()))
      emitter.fail(side + "_scale of tl.dot_scaled must be a block of uint8, or of fp8e4nv, with " +
                   Twine(rows) + " rows, each with a scale for every run of the " + Twine(leftK) +
                   " elements that are summed, not " + tensor.type.str());
    return tensor.handle;
  };
  return Tensor{emitter.create<tt::DotScaledOp>(
                    toMLIR(type, emitter.getMLIRContext()), a.handle, b.handle, accumulator.handle,
                    scale(arguments[1], "lhs", shape[rank - 2]), scale(arguments[4], "rhs", shape[rank - 1]),
                    leftFormat, rightFormat, arguments[7].isTruthy(), leftPacksK, rightPacksK),
                type};
}

void addMatrixBuiltins(LanguageTable &table) {
  table.add(
      "tl.dot_scaled",
      "lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, lhs_k_pack=True, "
      "rhs_k_pack=True, out_dtype=None",
      scaledDot);
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
