// Functions of floating-point numbers: what LLVM has an intrinsic for on every GPU is that, the rest is the
// target's.
//
// Numbers of 16 bits are computed in f32, of which every vendor has all functions, and rounded once.
#include "compiler/lowering/gpu/Emitter.h"

using namespace mlir;

namespace nereid::gpu {

using Operands = llvm::ArrayRef<llvm::Value *>;

template <MathFunction mathFunction>
static llvm::Value *emitMath(Emitter &e, Operation *, Operands operands) {
  llvm::Type *type = operands[0]->getType();
  bool isNarrow = type->isHalfTy() || type->isBFloatTy();
  llvm::SmallVector<llvm::Value *> arguments(operands);
  if (isNarrow)
    for (llvm::Value *&argument : arguments)
      argument = e.b.CreateFPExt(argument, e.b.getFloatTy());
  llvm::Value *result = e.target.math(e.b, mathFunction, arguments);
  return isNarrow ? e.b.CreateFPTrunc(result, type) : result;
}

template <llvm::Intrinsic::ID id>
static llvm::Value *emitIntrinsic(Emitter &e, Operation *, Operands operands) {
  return e.b.CreateIntrinsic(id, {operands[0]->getType()}, operands);
}

static llvm::Value *emitAbsInt(Emitter &e, Operation *, Operands operands) {
  return e.b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, operands[0], e.b.getFalse());
}

/// Count of leading or trailing zeros; of zero, all of them.
template <llvm::Intrinsic::ID id>
static llvm::Value *emitCountZeros(Emitter &e, Operation *, Operands operands) {
  return e.b.CreateBinaryIntrinsic(id, operands[0], e.b.getFalse());
}

void addMathEmitters(EmitterTable &table) {
  namespace Intrinsic = llvm::Intrinsic;
  table.addElementwise<math::ExpOp>(emitMath<MathFunction::Exp>);
  table.addElementwise<math::Exp2Op>(emitMath<MathFunction::Exp2>);
  table.addElementwise<math::ExpM1Op>(emitMath<MathFunction::Expm1>);
  table.addElementwise<math::LogOp>(emitMath<MathFunction::Log>);
  table.addElementwise<math::Log2Op>(emitMath<MathFunction::Log2>);
  table.addElementwise<math::Log10Op>(emitMath<MathFunction::Log10>);
  table.addElementwise<math::Log1pOp>(emitMath<MathFunction::Log1p>);
  table.addElementwise<math::SqrtOp>(emitMath<MathFunction::Sqrt>);
  table.addElementwise<math::RsqrtOp>(emitMath<MathFunction::Rsqrt>);
  table.addElementwise<tt::PreciseSqrtOp>(emitMath<MathFunction::PreciseSqrt>);
  table.addElementwise<math::CbrtOp>(emitMath<MathFunction::Cbrt>);
  table.addElementwise<math::SinOp>(emitMath<MathFunction::Sin>);
  table.addElementwise<math::CosOp>(emitMath<MathFunction::Cos>);
  table.addElementwise<math::TanOp>(emitMath<MathFunction::Tan>);
  table.addElementwise<math::AsinOp>(emitMath<MathFunction::Asin>);
  table.addElementwise<math::AcosOp>(emitMath<MathFunction::Acos>);
  table.addElementwise<math::AtanOp>(emitMath<MathFunction::Atan>);
  table.addElementwise<math::Atan2Op>(emitMath<MathFunction::Atan2>);
  table.addElementwise<math::SinhOp>(emitMath<MathFunction::Sinh>);
  table.addElementwise<math::CoshOp>(emitMath<MathFunction::Cosh>);
  table.addElementwise<math::TanhOp>(emitMath<MathFunction::Tanh>);
  table.addElementwise<math::AsinhOp>(emitMath<MathFunction::Asinh>);
  table.addElementwise<math::AcoshOp>(emitMath<MathFunction::Acosh>);
  table.addElementwise<math::AtanhOp>(emitMath<MathFunction::Atanh>);
  table.addElementwise<math::ErfOp>(emitMath<MathFunction::Erf>);
  table.addElementwise<math::ErfcOp>(emitMath<MathFunction::Erfc>);
  table.addElementwise<math::PowFOp>(emitMath<MathFunction::Pow>);

  table.addElementwise<math::AbsFOp>(emitIntrinsic<Intrinsic::fabs>);
  table.addElementwise<math::FloorOp>(emitIntrinsic<Intrinsic::floor>);
  table.addElementwise<math::CeilOp>(emitIntrinsic<Intrinsic::ceil>);
  table.addElementwise<math::TruncOp>(emitIntrinsic<Intrinsic::trunc>);
  table.addElementwise<math::RoundOp>(emitIntrinsic<Intrinsic::round>);
  table.addElementwise<math::RoundEvenOp>(emitIntrinsic<Intrinsic::roundeven>);
  table.addElementwise<math::FmaOp>(emitIntrinsic<Intrinsic::fma>);
  table.addElementwise<math::CopySignOp>(emitIntrinsic<Intrinsic::copysign>);
  table.addElementwise<math::AbsIOp>(emitAbsInt);
  table.addElementwise<math::CtPopOp>(emitIntrinsic<Intrinsic::ctpop>);
  table.addElementwise<math::CountLeadingZerosOp>(emitCountZeros<Intrinsic::ctlz>);
  table.addElementwise<math::CountTrailingZerosOp>(emitCountZeros<Intrinsic::cttz>);
}

} // namespace nereid::gpu
