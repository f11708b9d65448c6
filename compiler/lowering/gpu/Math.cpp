// Functions of floating-point numbers: what LLVM has an intrinsic for on every GPU is that, the rest is the
// target's.
//
// Numbers of 16 bits are computed in f32, of which every vendor has all functions, and rounded once.
#include "compiler/lowering/gpu/FloatFormats.h"

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
  table.addElementwise<math::ExpOp>(emitOnFloats<emitMath<MathFunction::Exp>>);
  table.addElementwise<math::Exp2Op>(emitOnFloats<emitMath<MathFunction::Exp2>>);
  table.addElementwise<math::ExpM1Op>(emitOnFloats<emitMath<MathFunction::Expm1>>);
  table.addElementwise<math::LogOp>(emitOnFloats<emitMath<MathFunction::Log>>);
  table.addElementwise<math::Log2Op>(emitOnFloats<emitMath<MathFunction::Log2>>);
  table.addElementwise<math::Log10Op>(emitOnFloats<emitMath<MathFunction::Log10>>);
  table.addElementwise<math::Log1pOp>(emitOnFloats<emitMath<MathFunction::Log1p>>);
  table.addElementwise<math::SqrtOp>(emitOnFloats<emitMath<MathFunction::Sqrt>>);
  table.addElementwise<math::RsqrtOp>(emitOnFloats<emitMath<MathFunction::Rsqrt>>);
  table.addElementwise<tt::PreciseSqrtOp>(emitOnFloats<emitMath<MathFunction::PreciseSqrt>>);
  table.addElementwise<math::CbrtOp>(emitOnFloats<emitMath<MathFunction::Cbrt>>);
  table.addElementwise<math::SinOp>(emitOnFloats<emitMath<MathFunction::Sin>>);
  table.addElementwise<math::CosOp>(emitOnFloats<emitMath<MathFunction::Cos>>);
  table.addElementwise<math::TanOp>(emitOnFloats<emitMath<MathFunction::Tan>>);
  table.addElementwise<math::AsinOp>(emitOnFloats<emitMath<MathFunction::Asin>>);
  table.addElementwise<math::AcosOp>(emitOnFloats<emitMath<MathFunction::Acos>>);
  table.addElementwise<math::AtanOp>(emitOnFloats<emitMath<MathFunction::Atan>>);
  table.addElementwise<math::Atan2Op>(emitOnFloats<emitMath<MathFunction::Atan2>>);
  table.addElementwise<math::SinhOp>(emitOnFloats<emitMath<MathFunction::Sinh>>);
  table.addElementwise<math::CoshOp>(emitOnFloats<emitMath<MathFunction::Cosh>>);
  table.addElementwise<math::TanhOp>(emitOnFloats<emitMath<MathFunction::Tanh>>);
  table.addElementwise<math::AsinhOp>(emitOnFloats<emitMath<MathFunction::Asinh>>);
  table.addElementwise<math::AcoshOp>(emitOnFloats<emitMath<MathFunction::Acosh>>);
  table.addElementwise<math::AtanhOp>(emitOnFloats<emitMath<MathFunction::Atanh>>);
  table.addElementwise<math::ErfOp>(emitOnFloats<emitMath<MathFunction::Erf>>);
  table.addElementwise<math::ErfcOp>(emitOnFloats<emitMath<MathFunction::Erfc>>);
  table.addElementwise<math::PowFOp>(emitOnFloats<emitMath<MathFunction::Pow>>);

  table.addElementwise<math::AbsFOp>(emitOnFloats<emitIntrinsic<Intrinsic::fabs>>);
  table.addElementwise<math::FloorOp>(emitOnFloats<emitIntrinsic<Intrinsic::floor>>);
  table.addElementwise<math::CeilOp>(emitOnFloats<emitIntrinsic<Intrinsic::ceil>>);
  table.addElementwise<math::TruncOp>(emitOnFloats<emitIntrinsic<Intrinsic::trunc>>);
  table.addElementwise<math::RoundOp>(emitOnFloats<emitIntrinsic<Intrinsic::round>>);
  table.addElementwise<math::RoundEvenOp>(emitOnFloats<emitIntrinsic<Intrinsic::roundeven>>);
  table.addElementwise<math::FmaOp>(emitOnFloats<emitIntrinsic<Intrinsic::fma>>);
  table.addElementwise<math::CopySignOp>(emitOnFloats<emitIntrinsic<Intrinsic::copysign>>);
  table.addElementwise<math::AbsIOp>(emitAbsInt);
  table.addElementwise<math::CtPopOp>(emitIntrinsic<Intrinsic::ctpop>);
  table.addElementwise<math::CountLeadingZerosOp>(emitCountZeros<Intrinsic::ctlz>);
  table.addElementwise<math::CountTrailingZerosOp>(emitCountZeros<Intrinsic::cttz>);
}

} // namespace nereid::gpu
