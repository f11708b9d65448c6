// The functions that kernels call without defining them.
//
// Functions of mathematics compute in float, or in double where an operand is one: of a half and of an
// integer the result is a float. On NVIDIA GPUs those for which the hardware has nothing are CUDA's own
// library's, elsewhere operations of MLIR that mean the same.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/frontends/semantics/Atomics.h"
#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/semantics/Casting.h"
#include "compiler/frontends/triton_c/emission/Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace nereid::triton_c {

using EmitOperation = mlir::Value (*)(Emitter &, ArrayRef<mlir::Value>);

template <typename Op> static mlir::Value emitOp(Emitter &emitter, ArrayRef<mlir::Value> v) {
  if constexpr (Op::template hasTrait<mlir::OpTrait::OneOperand>())
    return emitter.create<Op>(v[0]);
  else if constexpr (Op::template hasTrait<mlir::OpTrait::NOperands<2>::Impl>())
    return emitter.create<Op>(v[0], v[1]);
  else
    return emitter.create<Op>(v[0], v[1], v[2]);
}

namespace {

struct MathFunction {
  EmitOperation emit;
  unsigned operands;
  /// On NVIDIA GPUs a call of CUDA's library, `__nv_tanhf`.
  bool isLibraryCall;
};

} // namespace

static const MathFunction *findMathFunction(StringRef name) {
  namespace math = mlir::math;
  static const llvm::StringMap<MathFunction> functions = {
      {"exp", {emitOp<math::ExpOp>, 1, false}},     {"exp2", {emitOp<math::Exp2Op>, 1, false}},
      {"log", {emitOp<math::LogOp>, 1, false}},     {"log2", {emitOp<math::Log2Op>, 1, false}},
      {"sqrt", {emitOp<math::SqrtOp>, 1, false}},   {"rsqrt", {emitOp<math::RsqrtOp>, 1, false}},
      {"sin", {emitOp<math::SinOp>, 1, false}},     {"cos", {emitOp<math::CosOp>, 1, false}},
      {"floor", {emitOp<math::FloorOp>, 1, false}}, {"ceil", {emitOp<math::CeilOp>, 1, false}},
      {"erf", {emitOp<math::ErfOp>, 1, false}},     {"fma", {emitOp<math::FmaOp>, 3, false}},
      {"tanh", {emitOp<math::TanhOp>, 1, true}},    {"sinh", {emitOp<math::SinhOp>, 1, true}},
      {"cosh", {emitOp<math::CoshOp>, 1, true}},    {"tan", {emitOp<math::TanOp>, 1, true}},
      {"atan", {emitOp<math::AtanOp>, 1, true}},    {"atan2", {emitOp<math::Atan2Op>, 2, true}},
      {"log1p", {emitOp<math::Log1pOp>, 1, true}},  {"expm1", {emitOp<math::ExpM1Op>, 1, true}},
      {"log10", {emitOp<math::Log10Op>, 1, true}},  {"cbrt", {emitOp<math::CbrtOp>, 1, true}},
      {"trunc", {emitOp<math::TruncOp>, 1, true}},  {"round", {emitOp<math::RoundOp>, 1, true}},
      {"pow", {emitOp<math::PowFOp>, 2, true}},     {"fmod", {emitOp<mlir::arith::RemFOp>, 2, true}}};
  auto found = functions.find(name);
  return found == functions.end() ? nullptr : &found->second;
}

static std::optional<AtomicKind> findAtomic(StringRef name) {
  return StringSwitch<std::optional<AtomicKind>>(name)
      .Case("atomic_add", AtomicKind::Add)
      .Case("atomic_max", AtomicKind::Max)
      .Case("atomic_min", AtomicKind::Min)
      .Case("atomic_and", AtomicKind::And)
      .Case("atomic_or", AtomicKind::Or)
      .Case("atomic_xor", AtomicKind::Xor)
      .Case("atomic_xchg", AtomicKind::Exchange)
      .Case("atomic_cas", AtomicKind::CompareAndSwap)
      .Default(std::nullopt);
}

bool Emitter::isPureBuiltin(StringRef name) {
  return !findAtomic(name) && name != "__debug_barrier" && name != "debug_barrier" && name != "printf" &&
         name != "assert";
}

static void checkCount(Emitter &emitter, const Expression *call, size_t least, size_t most) {
  size_t given = call->operands.size();
  if (given >= least && given <= most)
    return;
  std::string expected =
      least == most ? std::to_string(least) : std::to_string(least) + " or " + std::to_string(most);
  emitter.fail("'" + call->text + "' takes " + expected + (most == 1 ? " argument" : " arguments") +
               ", but is given " + Twine(given));
}

Value Emitter::callMath(const Expression *expression) {
  StringRef name = expression->text;
  const MathFunction *function = findMathFunction(name);
  // C's own names for float: expf.
  bool isFloatName = !function && name.consume_back("f");
  if (isFloatName)
    function = findMathFunction(name);
  checkCount(*this, expression, function->operands, function->operands);
  SmallVector<Tensor> operands;
  Type type = ScalarKind::FP32;
  std::vector<Value> values;
  for (const Expression *operand : expression->operands) {
    values.push_back(evaluate(operand));
    const Value &value = values.back();
    if (value.isVoid() || !value.type.getScalar().isScalarNumber())
      fail("'" + name + "' takes numbers, not a value of type " + value.type.str());
    if (value.type.getScalar().is(ScalarKind::FP64) && !isFloatName)
      type = ScalarKind::FP64;
  }
  // One number without suffix among floats would make all of them doubles.
  if (type.is(ScalarKind::FP64))
    for (size_t i = 1; i < values.size(); ++i)
      getCommonType(values[0], values[i]);
  for (const Value &value : values)
    operands.push_back(toTensor(convert(value, type)));
  for (size_t round = 0; round < 2; ++round)
    for (size_t i = 1; i < operands.size(); ++i)
      matchShapes(*this, operands[0], operands[i]);
  SmallVector<mlir::Value> handles;
  for (const Tensor &operand : operands)
    handles.push_back(operand.handle);
  if (function->isLibraryCall && target.backend == Backend::CUDA) {
    std::string symbol = ("__nv_" + name + (type.is(ScalarKind::FP32) ? "f" : "")).str();
    return Tensor{create<tt::ExternElementwiseOp>(handles[0].getType(), handles, "", "", symbol, true),
                  operands[0].type};
  }
  return Tensor{function->emit(*this, handles), operands[0].type};
}

static Value absolute(Emitter &emitter, const Value &value) {
  const Type type = emitter.promote(value.type.getScalar());
  if (!type.isScalarNumber())
    emitter.fail("'abs' takes numbers, not a value of type " + value.type.str());
  Value promoted = emitter.convert(value, type);
  if (promoted.isInteger())
    return Value::integer(promoted.getInteger() < 0 ? -promoted.getInteger() : promoted.getInteger(),
                          type.getScalarKind());
  if (promoted.isConstant())
    return Value::floating(std::fabs(promoted.getDouble()), type.getScalarKind());
  Tensor tensor = emitter.toTensor(promoted);
  if (type.isFloat())
    return Tensor{emitter.create<mlir::math::AbsFOp>(tensor.handle), tensor.type};
  if (type.isSignedInteger())
    return Tensor{emitter.create<mlir::math::AbsIOp>(tensor.handle), tensor.type};
  return tensor;
}

static Value atomic(Emitter &emitter, const Expression *call, AtomicKind kind) {
  bool isCAS = kind == AtomicKind::CompareAndSwap;
  checkCount(emitter, call, isCAS ? 3 : 2, 3);
  std::vector<Value> values;
  for (const Expression *operand : call->operands)
    values.push_back(emitter.evaluate(operand));
  AtomicOperation operation{kind, "'" + call->text + "'"};
  Tensor pointer = emitter.toTensor(values[0]);
  auto ofElement = [&](const Value &value) -> Tensor {
    const Type scalar = pointer.type.getScalar();
    bool isNumber = scalar.isPointer() && scalar.getElement().isScalarNumber();
    Tensor tensor = emitter.toTensor(isNumber ? emitter.convert(value, scalar.getElement()) : value);
    // A block of fewer dimensions, as for any operator.
    while (pointer.type.isBlock() && tensor.type.isBlock() &&
           tensor.type.getShape().size() < pointer.type.getShape().size())
      tensor = expandDims(emitter, tensor, 0);
    return tensor;
  };
  if (isCAS) {
    if (emitter.getMask(pointer.type, std::nullopt))
      emitter.fail(
          "'atomic_cas' has no mask, so it cannot stand in an arm of a '?:' that is chosen for each element");
    return makeCompareAndSwap(emitter, operation, pointer, ofElement(values[1]), ofElement(values[2]));
  }
  std::optional<Tensor> mask;
  if (values.size() > 2)
    mask = emitter.toTensor(emitter.toBool(values[2]));
  return makeAtomic(emitter, operation, pointer, ofElement(values[1]), emitter.getMask(pointer.type, mask));
}

static Value print(Emitter &emitter, const Expression *call) {
  if (call->operands.empty() || call->operands[0]->kind != Expression::Kind::String)
    emitter.fail("the first argument of 'printf' must be a text");
  // The text before each value is what it is printed with; how it is formatted is the target's affair.
  StringRef format = call->operands[0]->text;
  std::vector<std::string> texts(1);
  while (!format.empty()) {
    if (format.consume_front("%%")) {
      texts.back() += '%';
    } else if (format.consume_front("%")) {
      format = format.drop_while([](char c) { return StringRef("-+ #0123456789.*hlzjtL").contains(c); });
      if (format.empty() || !StringRef("diouxXfFeEgGaApc").contains(format.front()))
        emitter.fail(call->operands[0]->place, "'printf' does not know this conversion");
      format = format.drop_front();
      texts.emplace_back();
    } else {
      texts.back() += format.front();
      format = format.drop_front();
    }
  }
  size_t values = call->operands.size() - 1;
  if (texts.size() - 1 != values)
    emitter.fail("the text of 'printf' has " + Twine(texts.size() - 1) + " conversions, but there " +
                 (values == 1 ? "is 1 value" : "are " + Twine(values) + " values"));
  auto prefixOf = [&](size_t index) {
    std::string text = StringRef(texts[index]).trim(" \t\n,;:").rtrim(" =").str();
    return text.empty() ? std::string(" ") : " " + text + (values ? ": " : "");
  };
  for (size_t i = 0; i < values; ++i) {
    Tensor tensor = emitter.evaluateTensor(call->operands[i + 1]);
    int32_t isSigned = tensor.type.getScalar().isSignedInteger();
    emitter.create<tt::PrintOp>(prefixOf(i), false, mlir::ValueRange(tensor.handle),
                                ArrayRef<int32_t>(isSigned));
  }
  if (!values)
    emitter.create<tt::PrintOp>(prefixOf(0), false, mlir::ValueRange(), ArrayRef<int32_t>());
  return {};
}

Value Emitter::emitAssertion(const Expression *expression) {
  checkCount(*this, expression, 1, 1);
  const Expression *condition = expression->operands[0];
  // As with NDEBUG, but what does not make sense is refused all the same.
  if (!debug) {
    typeOfValue(condition);
    return {};
  }
  Value test = toBool(evaluate(condition));
  if (std::optional<Tensor> mask = getMask(test.type, std::nullopt))
    test = emitArithmetic(BinaryOperation::Or, test, emitNot(*mask));
  Place where = expansions.inFile(condition->place);
  SmallVector<StringRef> lines;
  StringRef(where.begin, where.end - where.begin).split(lines, '\n');
  std::string text;
  for (StringRef line : lines)
    text += (text.empty() ? "" : " ") + line.trim().str();
  create<tt::AssertOp>(toTensor(test).handle, text);
  return {};
}

static tt::ProgramIDDim axisOf(Emitter &emitter, const Expression *call) {
  checkCount(emitter, call, 1, 1);
  BigInt axis = emitter.constantOf(call->operands[0], "the axis of the grid");
  if (axis < 0 || axis > 2)
    emitter.fail("the axis of the grid must be 0, 1 or 2, not " + bigToString(axis));
  return static_cast<tt::ProgramIDDim>(static_cast<int>(axis));
}

std::optional<Value> Emitter::callBuiltin(const Expression *expression) {
  StringRef name = expression->text;
  const std::vector<const Expression *> &operands = expression->operands;
  if (name == "bitcast") {
    Type type = typeOf(*expression->type).getScalar();
    Value value = evaluate(operands[0]);
    return bitcastTo(*this, toTensor(value), type);
  }
  if (name == "get_program_id")
    return Tensor{create<tt::GetProgramIdOp>(builder.getI32Type(), axisOf(*this, expression)),
                  ScalarKind::Int32};
  if (name == "get_num_programs")
    return Tensor{create<tt::GetNumProgramsOp>(builder.getI32Type(), axisOf(*this, expression)),
                  ScalarKind::Int32};
  bool isMax = name == "max" || name == "fmax" || name == "fmaxf";
  if (isMax || name == "min" || name == "fmin" || name == "fminf") {
    checkCount(*this, expression, 2, 2);
    Value a = evaluate(operands[0]), b = evaluate(operands[1]);
    return emitMinMax(isMax, a, b);
  }
  if (name == "abs" || name == "fabs" || name == "fabsf") {
    checkCount(*this, expression, 1, 1);
    Value value = evaluate(operands[0]);
    if (name != "abs" && value.type.getScalar().isInteger())
      value = convert(value, ScalarKind::FP32);
    return absolute(*this, value);
  }
  if (name == "select") {
    checkCount(*this, expression, 3, 3);
    Value condition = toBool(evaluate(operands[0]));
    Value a = evaluate(operands[1]), b = evaluate(operands[2]);
    return select(condition, a, b);
  }
  if (name == "dot") {
    checkCount(*this, expression, 2, 3);
    Value a = evaluate(operands[0]), b = evaluate(operands[1]);
    std::optional<Value> sum;
    if (operands.size() > 2)
      sum = evaluate(operands[2]);
    return emitProduct(a, b, sum, "'dot'");
  }
  if (name == "trans") {
    if (operands.empty())
      checkCount(*this, expression, 1, 1);
    Value value = evaluate(operands[0]);
    SmallVector<int32_t> order;
    for (const Expression *axis : ArrayRef(operands).drop_front()) {
      BigInt number = constantOf(axis, "an axis");
      auto rank = static_cast<BigInt>(value.type.getShape().size());
      if (number < 0 || number >= rank || is_contained(order, static_cast<int32_t>(number)))
        fail(axis->place,
             "the axes of 'trans' are the numbers from 0 to before " + bigToString(rank) + ", each once");
      order.push_back(static_cast<int32_t>(number));
    }
    if (!order.empty() && order.size() != value.type.getShape().size())
      fail("'trans' names " + Twine(order.size()) + " axes of a block of type " + value.type.str());
    return transpose(value, order);
  }
  if (name == "__debug_barrier" || name == "debug_barrier") {
    checkCount(*this, expression, 0, 0);
    // Made by name: the headers of MLIR's gpu dialect are large, and nothing else here needs them.
    if (!getMLIRContext()->getOrLoadDialect("gpu"))
      fail("'" + name + "' is not supported here");
    builder.create(mlir::OperationState(getLocation(), "gpu.barrier"));
    return Value();
  }
  if (name == "printf")
    return print(*this, expression);
  if (name == "assert")
    return emitAssertion(expression);
  if (auto kind = findAtomic(name))
    return atomic(*this, expression, *kind);
  if (findMathFunction(name) || (name.ends_with("f") && findMathFunction(name.drop_back())))
    return callMath(expression);
  return std::nullopt;
}

} // namespace nereid::triton_c
