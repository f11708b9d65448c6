// Element-wise mathematics: tl.exp and its like, tl.where, minimum and maximum, inline assembly.
//
// As in Triton, most functions take float32 and float64 only; a narrower float is converted by the kernel's
// author, who then sees where precision goes.
#include "compiler/frontends/python/builtins/LanguageTable.h"
#include "compiler/frontends/python/emission/Arithmetic.h"
#include "compiler/frontends/python/emission/TypePromotion.h"
#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/semantics/Casting.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;
using namespace mlir;

namespace nereid::python {

using EmitUnary = mlir::Value (*)(Emitter &, mlir::Value);

template <typename Op> static mlir::Value emitUnary(Emitter &emitter, mlir::Value operand) {
  return emitter.create<Op>(operand);
}
template <typename Op> static mlir::Value emitBinaryOp(Emitter &emitter, mlir::Value a, mlir::Value b) {
  return emitter.create<Op>(a, b);
}

static void checkKind(Emitter &emitter, const Tensor &tensor, ArrayRef<ScalarKind> kinds) {
  const Type &scalar = tensor.type.getScalar();
  if (any_of(kinds, [&](ScalarKind kind) { return scalar.is(kind); }))
    return;
  std::string expected;
  for (ScalarKind kind : kinds)
    expected += (expected.empty() ? "'" : ", '") + getTypeName(kind).str() + "'";
  emitter.fail("Expected dtype [" + expected + "] but got " + scalar.str());
}

static void addFloatFunction(LanguageTable &table, StringRef name, EmitUnary emit, bool onlyFP32 = false) {
  table.add(name, "x", [emit, onlyFP32](Emitter &emitter, Arguments &arguments) -> Value {
    Tensor x = emitter.toTensor(arguments[0]);
    checkKind(emitter, x,
              onlyFP32 ? ArrayRef<ScalarKind>{ScalarKind::FP32}
                       : ArrayRef<ScalarKind>{ScalarKind::FP32, ScalarKind::FP64});
    return Tensor{emit(emitter, x.handle), x.type};
  });
}

static Value absolute(Emitter &emitter, Arguments &arguments) {
  Tensor x = emitter.toTensor(arguments[0]);
  const Type &scalar = x.type.getScalar();
  if (scalar.isFloat() && !scalar.is(ScalarKind::FP8E4B15))
    return Tensor{emitter.create<math::AbsFOp>(x.handle), x.type};
  if (scalar.isSignedInteger())
    return Tensor{emitter.create<math::AbsIOp>(x.handle), x.type};
  if (scalar.isUnsignedInteger())
    return x;
  emitter.fail("tl.abs does not go with " + x.type.str());
}

static Value where(Emitter &emitter, Arguments &arguments) {
  Tensor condition = castToBool(emitter, emitter.toTensor(arguments[0]));
  OperandRules rules;
  rules.leftPointer = rules.rightPointer = rules.isMoved = true;
  auto [x, y] = matchOperands(emitter, arguments[1], arguments[2], rules);
  if (x.type.getScalar() != y.type.getScalar())
    emitter.fail("the values of tl.where have types " + x.type.str() + " and " + y.type.str() +
                 ", which do not go together");
  if (condition.type.isBlock()) {
    matchShapes(emitter, condition, x);
    matchShapes(emitter, x, y);
  } else if (x.type.isBlock()) {
    condition = splat(emitter, condition, x.type.getShape());
  }
  return Tensor{emitter.create<arith::SelectOp>(condition.handle, x.handle, y.handle), x.type};
}

static bool propagatesNaN(Emitter &emitter, const Value &value) {
  if (value.isStr() && (value.asStr() == "all" || value.asStr() == "none"))
    return value.asStr() == "all";
  emitter.fail("propagate_nan must be tl.PropagateNan.ALL or tl.PropagateNan.NONE, not " + value.repr());
}

static Value clamp(Emitter &emitter, Arguments &arguments) {
  auto [low, high] =
      matchOperands(emitter, widenBFloat16(emitter, arguments[1]), widenBFloat16(emitter, arguments[2]));
  auto [x, low2] = matchOperands(emitter, widenBFloat16(emitter, arguments[0]), low);
  auto [x2, high2] = matchOperands(emitter, x, high);
  auto [x3, low3] = matchOperands(emitter, x2, low2);
  if (!x3.type.getScalar().isFloat())
    emitter.fail("tl.clamp takes floats, not " + x3.type.str() + "; use tl.minimum and tl.maximum");
  auto nan = propagatesNaN(emitter, arguments[3]) ? tt::PropagateNan::ALL : tt::PropagateNan::NONE;
  return Tensor{emitter.create<tt::ClampFOp>(x3.handle.getType(), x3.handle, low3.handle, high2.handle, nan),
                x3.type};
}

static Value fusedMultiplyAdd(Emitter &emitter, Arguments &arguments) {
  auto [x, y] = matchOperands(emitter, emitter.toTensor(arguments[0]), emitter.toTensor(arguments[1]));
  auto [z, x2] = matchOperands(emitter, emitter.toTensor(arguments[2]), x);
  auto [z2, y2] = matchOperands(emitter, z, y);
  auto [x3, z3] = matchOperands(emitter, x2, z2);
  if (!x3.type.getScalar().isFloat())
    emitter.fail("tl.fma takes floats, not " + x3.type.str());
  return Tensor{emitter.create<math::FmaOp>(x3.handle, y2.handle, z3.handle), x3.type};
}

static Value divideFloats(Emitter &emitter, Arguments &arguments) {
  for (size_t i : {0, 1})
    if (!emitter.toTensor(arguments[i]).type.getScalar().isFloat())
      emitter.fail("tl.fdiv takes floats, not " + emitter.toTensor(arguments[i]).type.str());
  auto [x, y] = matchOperands(emitter, emitter.toTensor(arguments[0]), emitter.toTensor(arguments[1]));
  return Tensor{emitter.create<arith::DivFOp>(x.handle, y.handle), x.type};
}

static Value multiplyHigh(Emitter &emitter, Arguments &arguments) {
  for (size_t i : {0, 1})
    checkKind(emitter, emitter.toTensor(arguments[i]),
              {ScalarKind::Int32, ScalarKind::Int64, ScalarKind::UInt32, ScalarKind::UInt64});
  auto [x, y] = matchOperands(emitter, emitter.toTensor(arguments[0]), emitter.toTensor(arguments[1]));
  return Tensor{emitter.create<tt::MulhiUIOp>(x.handle, y.handle), x.type};
}

/// Inline assembly over packs of elements, for GPU targets.
static Value inlineAssembly(Emitter &emitter, Arguments &arguments) {
  for (size_t i : {0, 1})
    if (!arguments[i].isStr())
      emitter.fail("the assembly and its constraints must be strings, not a " + arguments[i].describe());
  std::vector<Tensor> inputs;
  for (const Value &input : emitter.iterateValue(arguments[2]))
    inputs.push_back(emitter.toTensor(input));
  for (size_t round = 0; round < 2; ++round)
    for (size_t i = 1; i < inputs.size(); ++i)
      matchShapes(emitter, inputs[0], inputs[i]);
  if (!arguments[5].isIntLike() || arguments[5].asInt() < 1)
    emitter.fail("pack must be a positive integer, not " + arguments[5].repr());
  if (!inputs.empty() && inputs[0].type.isBlock()) {
    BigInt elements = 1;
    for (int64_t size : inputs[0].type.getShape())
      elements *= size;
    if (elements % arguments[5].asInt() != 0)
      emitter.fail("pack is " + arguments[5].repr() + ", which does not divide the " + bigToString(elements) +
                   " elements of " + inputs[0].type.str());
  }
  std::vector<Value> types =
      arguments[3].isTuple() ? arguments[3].asTuple().elements : std::vector<Value>{arguments[3]};
  std::vector<Type> results;
  SmallVector<mlir::Type> mlirTypes;
  for (const Value &type : types) {
    if (!type.isType())
      emitter.fail("expected a dtype such as tl.float32, but got a " + type.describe());
    results.push_back(inputs.empty() ? type.asType() : inputs[0].type.withElement(type.asType()));
    mlirTypes.push_back(toMLIR(results.back(), emitter.getMLIRContext()));
  }
  SmallVector<mlir::Value> handles;
  for (const Tensor &input : inputs)
    handles.push_back(input.handle);
  auto op = emitter.create<tt::ElementwiseInlineAsmOp>(mlirTypes, arguments[0].asStr(), arguments[1].asStr(),
                                                       arguments[4].isTruthy(),
                                                       static_cast<uint32_t>(arguments[5].asInt()), handles);
  std::vector<Value> values;
  for (auto [index, type] : enumerate(results))
    values.push_back(Tensor{op->getResult(index), type});
  return arguments[3].isTuple() ? Value::tuple(std::move(values)) : values[0];
}

void addMathBuiltins(LanguageTable &table) {
  addFloatFunction(table, "tl.exp", emitUnary<math::ExpOp>);
  addFloatFunction(table, "tl.exp2", emitUnary<math::Exp2Op>);
  addFloatFunction(table, "tl.log", emitUnary<math::LogOp>);
  addFloatFunction(table, "tl.log2", emitUnary<math::Log2Op>);
  addFloatFunction(table, "tl.sin", emitUnary<math::SinOp>);
  addFloatFunction(table, "tl.cos", emitUnary<math::CosOp>);
  addFloatFunction(table, "tl.sqrt", emitUnary<math::SqrtOp>);
  addFloatFunction(table, "tl.rsqrt", emitUnary<math::RsqrtOp>);
  addFloatFunction(table, "tl.sqrt_rn", emitUnary<tt::PreciseSqrtOp>, /*onlyFP32=*/true);
  addFloatFunction(table, "tl.erf", emitUnary<math::ErfOp>);
  addFloatFunction(table, "tl.floor", emitUnary<math::FloorOp>);
  addFloatFunction(table, "tl.ceil", emitUnary<math::CeilOp>);
  table.add("tl.abs", "x", absolute);
  table.add("tl.where", "condition, x, y", where);
  for (bool isMax : {false, true})
    table.add(isMax ? "tl.maximum" : "tl.minimum", "x, y, propagate_nan='none'",
              [isMax](Emitter &emitter, Arguments &arguments) -> Value {
                return emitMinMax(emitter, isMax, emitter.toTensor(arguments[0]),
                                  emitter.toTensor(arguments[1]), propagatesNaN(emitter, arguments[2]));
              });
  table.add("tl.clamp", "x, min, max, propagate_nan='none'", clamp);
  table.add("tl.fma", "x, y, z", fusedMultiplyAdd);
  table.add("tl.fdiv", "x, y, ieee_rounding=False", divideFloats);
  table.add("tl.umulhi", "x, y", multiplyHigh);
  table.add("tl.div_rn", "x, y", [](Emitter &emitter, Arguments &arguments) -> Value {
    for (size_t i : {0, 1})
      if (arguments[i].isTensor())
        checkKind(emitter, tensorOf(arguments[i]), {ScalarKind::FP32});
    auto [x, y] = matchOperands(emitter, emitter.toTensor(arguments[0]), emitter.toTensor(arguments[1]));
    checkKind(emitter, x, {ScalarKind::FP32});
    return Tensor{emitter.create<tt::PreciseDivFOp>(x.handle, y.handle), x.type};
  });
  for (auto [name, op] : {std::pair<const char *, ast::Operator>{"add", ast::Operator::Add},
                          {"sub", ast::Operator::Sub},
                          {"mul", ast::Operator::Mult}})
    table.add(("tl." + Twine(name)).str(), "x, y, sanitize_overflow=True",
              [op = op](Emitter &emitter, Arguments &arguments) {
                SaveAndRestore checks(emitter.checksOverflow, arguments[2].isTruthy());
                return emitter.applyBinary(op, arguments[0], arguments[1]);
              });
  table.addMethods({"exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "rsqrt", "sqrt_rn", "erf", "floor",
                    "ceil", "abs", "sigmoid", "softmax", "cdiv", "logical_and", "logical_or"});
  for (bool isAnd : {false, true})
    table.add(isAnd ? "tl.logical_and" : "tl.logical_or", "x, y",
              [isAnd](Emitter &emitter, Arguments &arguments) -> Value {
                return emitLogical(emitter, isAnd ? ast::BoolOperator::And : ast::BoolOperator::Or,
                                   emitter.toTensor(arguments[0]), emitter.toTensor(arguments[1]));
              });
  table.add("tl.inline_asm_elementwise", "asm, constraints, args, dtype, is_pure, pack", inlineAssembly);
}

} // namespace nereid::python
