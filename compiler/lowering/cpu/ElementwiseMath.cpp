// Floating-point arithmetic and the functions of the math dialect and of libdevice.
//
// Narrow floats are widened, computed with in float, and rounded. Functions of float come from VectorMath or
// WideMath where these have them, those of double from DoubleMath; the others are calls of the C library for
// each lane.
#include "compiler/lowering/cpu/Elementwise.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/lowering/cpu/DeviceLibrary.h"
#include "compiler/lowering/cpu/DoubleMath.h"
#include "compiler/lowering/cpu/WideMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

namespace nereid::cpu {

/// The function that an operation stands for, in the C library's words, or an empty name.
static StringRef getFunctionName(mlir::Operation *op) {
  if (auto external = mlir::dyn_cast<tt::ExternElementwiseOp>(op)) {
    return parseDeviceFunction(external.getSymbol(),
                               mlir::getElementTypeOrSelf(external.getOperand(0).getType()).isF32())
        .base;
  }
  return StringSwitch<StringRef>(op->getName().getStringRef())
      .Case("math.absf", "fabs")
      .Cases({"math.sqrt", "tt.precise_sqrt"}, "sqrt")
      .Case("math.fma", "fma")
      .Case("math.powf", "pow")
      .Case("math.roundeven", "rint")
      .Cases({"math.exp", "math.exp2", "math.log", "math.log2", "math.sin", "math.cos", "math.tanh",
              "math.erf", "math.rsqrt", "math.floor"},
             op->getName().stripDialect())
      .Cases({"math.ceil", "math.trunc", "math.round", "math.copysign", "math.acos", "math.acosh",
              "math.asin", "math.asinh", "math.atan", "math.atan2"},
             op->getName().stripDialect())
      .Cases({"math.atanh", "math.cbrt", "math.cosh", "math.erfc", "math.expm1", "math.log10", "math.log1p",
              "math.sinh", "math.tan"},
             op->getName().stripDialect())
      .Default("");
}

Value *ElementEmitter::emitNamedFunction(StringRef name, ArrayRef<Value *> v) {
  using Intrinsic::ID;
  ID intrinsic = StringSwitch<ID>(name)
                     .Case("fabs", Intrinsic::fabs)
                     .Case("sqrt", Intrinsic::sqrt)
                     .Case("floor", Intrinsic::floor)
                     .Case("ceil", Intrinsic::ceil)
                     .Case("trunc", Intrinsic::trunc)
                     .Case("rint", Intrinsic::roundeven)
                     .Case("nearbyint", Intrinsic::roundeven)
                     .Case("round", Intrinsic::round)
                     .Default(Intrinsic::not_intrinsic);
  if (intrinsic && v.size() == 1)
    return b.CreateUnaryIntrinsic(intrinsic, v[0]);
  if (v.size() == 2) {
    if (name == "copysign")
      return b.CreateBinaryIntrinsic(Intrinsic::copysign, v[0], v[1]);
    if (name == "fmax")
      return b.CreateBinaryIntrinsic(Intrinsic::maxnum, v[0], v[1]);
    if (name == "fmin")
      return b.CreateBinaryIntrinsic(Intrinsic::minnum, v[0], v[1]);
    if (name == "fdivide")
      return b.CreateFDiv(v[0], v[1]);
  }
  if (name == "fma" && v.size() == 3)
    return target.hasFMA ? b.CreateIntrinsic(Intrinsic::fma, {v[0]->getType()}, v)
                         : math.callLibrary("fma", v);
  if (name == "rsqrt" && v.size() == 1)
    return math.rsqrt(v[0]);
  if (v.size() == 1 && v[0]->getType()->getScalarType()->isFloatTy()) {
    using Member = Value *(VectorMath::*)(Value *);
    Member member = StringSwitch<Member>(name)
                        .Case("exp", &VectorMath::exp)
                        .Case("exp2", &VectorMath::exp2)
                        .Case("log", &VectorMath::log)
                        .Case("log2", &VectorMath::log2)
                        .Case("sin", &VectorMath::sin)
                        .Case("cos", &VectorMath::cos)
                        .Case("tanh", &VectorMath::tanh)
                        .Case("erf", &VectorMath::erf)
                        .Default(nullptr);
    if (member)
      return (math.*member)(v[0]);
  }
  if (Value *result = WideMath(b, math).emit(name, v))
    return result;
  if (Value *result = DoubleMath(b, math).emit(name, v))
    return result;
  // What C99's library has for float and double alike, with floating-point arguments only.
  static const StringSet<> unary = {"exp",   "exp2",  "expm1", "log",  "log2", "log10", "log1p",  "sin",
                                    "cos",   "tan",   "asin",  "acos", "atan", "sinh",  "cosh",   "tanh",
                                    "asinh", "acosh", "atanh", "erf",  "erfc", "cbrt",  "tgamma", "lgamma",
                                    "logb",  "j0",    "j1",    "y0",   "y1"};
  static const StringSet<> binary = {"pow", "atan2", "fmod", "hypot", "remainder", "nextafter", "fdim"};
  if ((v.size() == 1 && unary.contains(name)) || (v.size() == 2 && binary.contains(name)))
    return math.callLibrary(name, v);
  return nullptr;
}

Value *ElementEmitter::emitFloat(mlir::Operation *op, ArrayRef<Value *> given) {
  if (given.empty())
    return nullptr;
  mlir::Type resultType = mlir::getElementTypeOrSelf(op->getResult(0).getType());
  // Widen.
  SmallVector<Value *> v(given);
  for (auto [value, operand] : llvm::zip(v, op->getOperands()))
    if (auto narrow = getNarrowFloat(mlir::getElementTypeOrSelf(operand.getType())))
      value = formats.widen(value, *narrow);

  enum Kind {
    None,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Neg,
    Maximum,
    Minimum,
    MaxNum,
    MinNum,
    FPowI,
    IsNaN,
    IsInf,
    IsFinite,
    IsNormal
  };
  Kind kind = StringSwitch<Kind>(op->getName().getStringRef())
                  .Case("arith.addf", Add)
                  .Case("arith.subf", Sub)
                  .Case("arith.mulf", Mul)
                  .Cases({"arith.divf", "tt.precise_divf"}, Div)
                  .Case("arith.remf", Rem)
                  .Case("arith.negf", Neg)
                  .Case("arith.maximumf", Maximum)
                  .Case("arith.minimumf", Minimum)
                  .Case("arith.maxnumf", MaxNum)
                  .Case("arith.minnumf", MinNum)
                  .Case("math.fpowi", FPowI)
                  .Case("math.isnan", IsNaN)
                  .Case("math.isinf", IsInf)
                  .Case("math.isfinite", IsFinite)
                  .Case("math.isnormal", IsNormal)
                  .Default(None);
  Value *result = nullptr;
  switch (kind) {
  case Add:
    result = b.CreateFAdd(v[0], v[1]);
    break;
  case Sub:
    result = b.CreateFSub(v[0], v[1]);
    break;
  case Mul:
    result = b.CreateFMul(v[0], v[1]);
    break;
  case Div:
    result = b.CreateFDiv(v[0], v[1]);
    break;
  case Rem:
    result = math.callLibrary("fmod", v);
    break;
  case Neg:
    result = b.CreateFNeg(v[0]);
    break;
  case Maximum:
    result = b.CreateBinaryIntrinsic(Intrinsic::maximum, v[0], v[1]);
    break;
  case Minimum:
    result = b.CreateBinaryIntrinsic(Intrinsic::minimum, v[0], v[1]);
    break;
  case MaxNum:
    result = b.CreateBinaryIntrinsic(Intrinsic::maxnum, v[0], v[1]);
    break;
  case MinNum:
    result = b.CreateBinaryIntrinsic(Intrinsic::minnum, v[0], v[1]);
    break;
  case FPowI:
    result = emitNamedFunction("pow", {v[0], b.CreateSIToFP(v[1], v[0]->getType())});
    break;
  case IsNaN:
    return b.CreateFCmpUNO(v[0], v[0]);
  case IsInf:
  case IsFinite: {
    Value *magnitude = b.CreateUnaryIntrinsic(Intrinsic::fabs, v[0]);
    Constant *infinity = ConstantFP::getInfinity(v[0]->getType());
    return kind == IsInf ? b.CreateFCmpOEQ(magnitude, infinity) : b.CreateFCmpOLT(magnitude, infinity);
  }
  case IsNormal: {
    // By the operand's own exponents: what is normal as a float may be subnormal in its narrow format.
    Value *magnitude = b.CreateUnaryIntrinsic(Intrinsic::fabs, v[0]);
    auto format = mlir::cast<mlir::FloatType>(mlir::getElementTypeOrSelf(op->getOperand(0).getType()));
    APFloat smallest = APFloat::getSmallestNormalized(format.getFloatSemantics());
    bool lost;
    smallest.convert(v[0]->getType()->getScalarType()->isDoubleTy() ? APFloat::IEEEdouble()
                                                                    : APFloat::IEEEsingle(),
                     APFloat::rmNearestTiesToEven, &lost);
    return b.CreateAnd(b.CreateFCmpOGE(magnitude, ConstantFP::get(v[0]->getType(), smallest)),
                       b.CreateFCmpOLT(magnitude, ConstantFP::getInfinity(v[0]->getType())));
  }
  case None:
    break;
  }
  if (auto clamp = mlir::dyn_cast<tt::ClampFOp>(op)) {
    // Without NaN propagation a NaN becomes the lower limit, as on GPUs.
    bool propagates = clamp.getPropagateNan() == tt::PropagateNan::ALL;
    Value *low = b.CreateBinaryIntrinsic(propagates ? Intrinsic::maximum : Intrinsic::maxnum, v[0], v[1]);
    result = b.CreateBinaryIntrinsic(propagates ? Intrinsic::minimum : Intrinsic::minnum, low, v[2]);
  }
  if (!result)
    if (StringRef name = getFunctionName(op); !name.empty()) {
      bool sameTypes = llvm::all_of(v, [&](Value *value) { return value->getType() == v[0]->getType(); });
      if (sameTypes && v[0]->getType()->isFPOrFPVectorTy() && !mlir::isa<mlir::IntegerType>(resultType))
        result = emitNamedFunction(name, v);
    }
  if (!result)
    return nullptr;
  if (auto narrow = getNarrowFloat(resultType))
    result = formats.narrow(result, *narrow);
  return result;
}

} // namespace nereid::cpu
