// The polynomials are minimax fits for the error named beside each, made for these intervals.
#include "compiler/lowering/cpu/VectorMath.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace nereid::cpu {

static Type *withElement(Type *type, Type *element) {
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return FixedVectorType::get(element, vector->getNumElements());
  return element;
}

Value *VectorMath::constant(Value *like, double value) { return ConstantFP::get(like->getType(), value); }

Value *VectorMath::multiplyAdd(Value *x, Value *y, Value *z) {
  if (target.hasFMA)
    return b.CreateIntrinsic(Intrinsic::fma, {x->getType()}, {x, y, z});
  return b.CreateFAdd(b.CreateFMul(x, y), z);
}

/// Coefficients from the constant term up.
Value *VectorMath::polynomial(Value *x, ArrayRef<float> coefficients) {
  Value *result = constant(x, coefficients.back());
  for (float coefficient : llvm::reverse(coefficients.drop_back()))
    result = multiplyAdd(result, x, constant(x, coefficient));
  return result;
}

/// x * 2^exponent for integer exponents from -252 to 254, in two steps, so that results may be subnormal or
/// infinite.
Value *VectorMath::scaleByPowerOfTwo(Value *x, Value *exponent) {
  Type *type = exponent->getType();
  Value *half = b.CreateAShr(exponent, 1);
  Value *rest = b.CreateSub(exponent, half);
  auto power = [&](Value *e) {
    return b.CreateBitCast(b.CreateShl(b.CreateAdd(e, ConstantInt::get(type, 127)), 23), x->getType());
  };
  return b.CreateFMul(b.CreateFMul(x, power(half)), power(rest));
}

/// Adding this and subtracting it again rounds to an integer, whose value is then also in the low bits of the
/// sum.
static constexpr float roundingAdder = 12582912.0f; // 1.5 * 2^23

Value *VectorMath::exp(Value *x) {
  Type *intType = withElement(x->getType(), b.getInt32Ty());
  // Beyond these limits the result is 0 or infinity anyway. A NaN stays.
  x = b.CreateSelect(b.CreateFCmpOGT(x, constant(x, 89.0)), constant(x, 89.0), x);
  x = b.CreateSelect(b.CreateFCmpOLT(x, constant(x, -104.5)), constant(x, -104.5), x);
  Value *sum = multiplyAdd(x, constant(x, 1.44269504088896341), constant(x, roundingAdder));
  Value *n = b.CreateFSub(sum, constant(x, roundingAdder));
  Value *exponent =
      b.CreateSub(b.CreateBitCast(sum, intType), b.CreateBitCast(constant(x, roundingAdder), intType));
  // ln 2 in two parts, the first so short that n times it is exact.
  Value *r = multiplyAdd(n, constant(x, -0.693145751953125), x);
  r = multiplyAdd(n, constant(x, -1.42860677e-06), r);
  // exp(r) = 1 + r + r^2 p(r), |r| < ln(2)/2: 2^-34
  Value *p =
      polynomial(r, {0.5f, 0.166666672f, 0.0416662693f, 0.00833326392f, 0.0013946176f, 0.000199185248f});
  p = b.CreateFAdd(multiplyAdd(b.CreateFMul(r, r), p, r), constant(x, 1.0));
  return scaleByPowerOfTwo(p, exponent);
}

Value *VectorMath::exp2(Value *x) {
  Type *intType = withElement(x->getType(), b.getInt32Ty());
  x = b.CreateSelect(b.CreateFCmpOGT(x, constant(x, 129.0)), constant(x, 129.0), x);
  x = b.CreateSelect(b.CreateFCmpOLT(x, constant(x, -151.0)), constant(x, -151.0), x);
  Value *sum = b.CreateFAdd(x, constant(x, roundingAdder));
  Value *r = b.CreateFSub(x, b.CreateFSub(sum, constant(x, roundingAdder)));
  Value *exponent =
      b.CreateSub(b.CreateBitCast(sum, intType), b.CreateBitCast(constant(x, roundingAdder), intType));
  // 2^r = 1 + r p(r), |r| <= 1/2: 2^-29
  Value *p = polynomial(
      r, {0.693147182f, 0.240226507f, 0.0555032752f, 0.00961800385f, 0.00134004001f, 0.000154764435f});
  return scaleByPowerOfTwo(multiplyAdd(r, p, constant(x, 1.0)), exponent);
}

VectorMath::Decomposed VectorMath::decompose(Value *x) {
  Type *intType = withElement(x->getType(), b.getInt32Ty());
  auto integer = [&](uint32_t value) { return ConstantInt::get(intType, value); };
  Value *isSubnormal = b.CreateFCmpOLT(x, constant(x, std::numeric_limits<float>::min()));
  Value *normal = b.CreateSelect(isSubnormal, b.CreateFMul(x, constant(x, 8388608.0)), x);
  // Counting the exponent from sqrt(1/2) makes the rest lie around 1.
  uint32_t sqrtHalf = 0x3F3504F3;
  Value *shifted = b.CreateSub(b.CreateBitCast(normal, intType), integer(sqrtHalf));
  Value *exponent = b.CreateAShr(shifted, 23);
  exponent = b.CreateSub(exponent, b.CreateSelect(isSubnormal, integer(23), integer(0)));
  Value *mantissa = b.CreateAdd(b.CreateAnd(shifted, integer(0x7FFFFF)), integer(sqrtHalf));
  Value *fraction = b.CreateFSub(b.CreateBitCast(mantissa, x->getType()), constant(x, 1.0));
  return {fraction, b.CreateSIToFP(exponent, x->getType())};
}

/// What a logarithm gives for zero, negative numbers, infinity and NaN.
Value *VectorMath::fixLogarithm(Value *x, Value *result) {
  double infinity = std::numeric_limits<double>::infinity();
  // Infinity and NaN pass through; so does +infinity + x for both.
  Value *isFinite = b.CreateFCmpOLT(x, constant(x, infinity));
  result = b.CreateSelect(isFinite, result, b.CreateFAdd(x, constant(x, infinity)));
  result = b.CreateSelect(b.CreateFCmpOLT(x, constant(x, 0.0)), constant(x, std::nan("")), result);
  return b.CreateSelect(b.CreateFCmpOEQ(x, constant(x, 0.0)), constant(x, -infinity), result);
}

// log(1 + f) = f - f^2/2 + f^3 p(f), f from sqrt(1/2) - 1 to sqrt(2) - 1: 2^-30
static const float logCoefficients[] = {0.333333105f,  -0.249999866f, 0.200022295f,
                                        -0.166692629f, 0.142185897f,  -0.123840816f,
                                        0.118732847f,  -0.117916279f, 0.0691682026f};

Value *VectorMath::log(Value *x) {
  auto [f, e] = decompose(x);
  Value *square = b.CreateFMul(f, f);
  Value *y = b.CreateFMul(b.CreateFMul(square, f), polynomial(f, logCoefficients));
  y = multiplyAdd(e, constant(x, 1.42860677e-06), y);
  y = multiplyAdd(square, constant(x, -0.5), y);
  Value *result = multiplyAdd(e, constant(x, 0.693145751953125), b.CreateFAdd(f, y));
  return fixLogarithm(x, result);
}

Value *VectorMath::log2(Value *x) {
  auto [f, e] = decompose(x);
  Value *square = b.CreateFMul(f, f);
  Value *y = b.CreateFMul(b.CreateFMul(square, f), polynomial(f, logCoefficients));
  y = multiplyAdd(square, constant(x, -0.5), y);
  // (f + y) log2(e) with log2(e) = 1 + 0.4427, the small terms first.
  Value *excess = constant(x, 0.44269504088896341);
  Value *result = multiplyAdd(y, excess, b.CreateFMul(f, excess));
  result = b.CreateFAdd(b.CreateFAdd(b.CreateFAdd(result, y), f), e);
  return fixLogarithm(x, result);
}

Value *VectorMath::sinOrCos(Value *x, bool isCos) {
  Type *floatType = x->getType();
  Type *intType = withElement(floatType, b.getInt32Ty());
  Type *doubleType = withElement(floatType, b.getDoubleTy());
  // Up to 2^20 quarter turns are taken off in double, pi/2 in three parts, the first two of 33 bits, so that
  // their products are exact and a result near zero keeps its bits. Larger arguments go to the C library, in
  // the rare case.
  Value *isLarge = b.CreateFCmpUGT(abs(x), constant(x, 1.6e6));
  Value *small = b.CreateSelect(isLarge, constant(x, 0.0), x);
  Value *wide = b.CreateFPExt(small, doubleType);
  auto real = [&](double value) { return ConstantFP::get(doubleType, value); };
  double adder = 6755399441055744.0; // 1.5 * 2^52
  Value *sum = b.CreateFAdd(b.CreateFMul(wide, real(0.63661977236758134)), real(adder));
  Value *n = b.CreateFSub(sum, real(adder));
  Value *r = b.CreateFSub(wide, b.CreateFMul(n, real(0x1.921fb54400000p+0)));
  r = b.CreateFSub(r, b.CreateFMul(n, real(0x1.0b4611a600000p-34)));
  r = b.CreateFSub(r, b.CreateFMul(n, real(0x1.3198a2e037073p-69)));
  Value *reduced = b.CreateFPTrunc(r, floatType);
  Value *quadrant = b.CreateFPToSI(n, intType);

  Value *z = b.CreateFMul(reduced, reduced);
  // sin(r) = r + r^3 p(r^2): 2^-37; cos(r) = 1 - r^2/2 + r^4 p(r^2): 2^-43; |r| <= pi/4
  Value *sine = polynomial(z, {-0.166666672f, 0.00833332911f, -0.000198393274f, 2.71824115e-06f});
  sine = multiplyAdd(b.CreateFMul(z, reduced), sine, reduced);
  Value *cosine = polynomial(z, {0.0416666679f, -0.00138888834f, 2.4799514e-05f, -2.72097054e-07f});
  cosine = multiplyAdd(b.CreateFMul(z, z), cosine, multiplyAdd(z, constant(x, -0.5), constant(x, 1.0)));

  if (isCos)
    quadrant = b.CreateAdd(quadrant, ConstantInt::get(intType, 1));
  Value *isOdd =
      b.CreateICmpNE(b.CreateAnd(quadrant, ConstantInt::get(intType, 1)), Constant::getNullValue(intType));
  Value *result = b.CreateSelect(isOdd, cosine, sine);
  Value *sign = b.CreateShl(b.CreateAnd(quadrant, ConstantInt::get(intType, 2)), 30);
  result = b.CreateBitCast(b.CreateXor(b.CreateBitCast(result, intType), sign), floatType);
  if (!isCos) // -0.0 would come out as +0.0
    result = b.CreateSelect(b.CreateFCmpOEQ(x, constant(x, 0.0)), x, result);

  return callWhereLarge(isCos ? "cos" : "sin", isLarge, x, result);
}

/// Where any lane of `isLarge` is set, replaces those lanes of `result` by the C library's value. This is the
/// one function here that branches: it leaves the builder in a new block, before what followed the old
/// insertion point.
Value *VectorMath::callWhereLarge(StringRef name, Value *isLarge, Value *x, Value *result) {
  auto *vector = dyn_cast<FixedVectorType>(x->getType());
  Value *any = vector ? b.CreateOrReduce(isLarge) : isLarge;
  BasicBlock *block = b.GetInsertBlock();
  BasicBlock *rest;
  if (block->getTerminator()) {
    rest = block->splitBasicBlock(b.GetInsertPoint(), "math.rest");
    block->getTerminator()->eraseFromParent();
  } else {
    rest = BasicBlock::Create(b.getContext(), "math.rest", block->getParent(), block->getNextNode());
  }
  BasicBlock *rare = BasicBlock::Create(b.getContext(), "math.large", block->getParent(), rest);
  b.SetInsertPoint(block);
  MDBuilder metadata(b.getContext());
  b.CreateCondBr(any, rare, rest, metadata.createBranchWeights(1, 1 << 20));
  b.SetInsertPoint(rare);
  Value *exact = b.CreateSelect(isLarge, callLibrary(name, {x}), result);
  b.CreateBr(rest);
  b.SetInsertPoint(rest, rest->begin());
  PHINode *merged = b.CreatePHI(x->getType(), 2);
  merged->addIncoming(result, block);
  merged->addIncoming(exact, rare);
  return merged;
}

Value *VectorMath::tanh(Value *x) {
  Value *magnitude = abs(x);
  // tanh(x) = x + x^3 p(x^2), |x| < 0.625: 2^-32
  Value *z = b.CreateFMul(x, x);
  Value *p = polynomial(
      z, {-0.333333313f, 0.133332089f, -0.0539469942f, 0.0217017252f, -0.00817942992f, 0.00214442424f});
  Value *small = multiplyAdd(b.CreateFMul(z, x), p, x);
  // 1 - 2 / (exp(2 |x|) + 1); at infinity the exponential is infinite and the result 1.
  Value *e = exp(b.CreateFMul(magnitude, constant(x, 2.0)));
  Value *large =
      b.CreateFSub(constant(x, 1.0), b.CreateFDiv(constant(x, 2.0), b.CreateFAdd(e, constant(x, 1.0))));
  Value *result = b.CreateSelect(b.CreateFCmpOLT(magnitude, constant(x, 0.625)), small, large);
  return b.CreateBinaryIntrinsic(Intrinsic::copysign, result, x); // -0.0 included
}

Value *VectorMath::erf(Value *x) {
  Value *magnitude = abs(x);
  // erf(x) = x + x p(x^2), |x| < 1: 2^-29
  Value *z = b.CreateFMul(x, x);
  Value *p = polynomial(z, {0.128379166f, -0.37612626f, 0.112836003f, -0.0268544443f, 0.00518953567f,
                            -0.000802084222f, 7.88912294e-05f});
  Value *small = multiplyAdd(x, p, x);
  // 1 - exp(q(|x|)) up to 4, where erf is 1 to the last bit: 2^-35
  Value *t = b.CreateSelect(b.CreateFCmpOGT(magnitude, constant(x, 4.0)), constant(x, 4.0), magnitude);
  Value *q = polynomial(t, {0.000188028032f, -1.12957835f, -0.633220017f, -0.108418465f, 0.0252081845f,
                            -0.00420453539f, 0.000441331125f, -2.16864064e-05f});
  Value *large = b.CreateFSub(constant(x, 1.0), exp(q));
  large = b.CreateBinaryIntrinsic(Intrinsic::copysign, large, x);
  return b.CreateSelect(b.CreateFCmpOLT(magnitude, constant(x, 1.0)), small, large);
}

Value *VectorMath::rsqrt(Value *x) {
  return b.CreateFDiv(constant(x, 1.0), b.CreateUnaryIntrinsic(Intrinsic::sqrt, x));
}

Value *VectorMath::callLibrary(StringRef name, ArrayRef<Value *> arguments) {
  Type *type = arguments.front()->getType();
  Type *element = type->getScalarType();
  SmallVector<Type *> types(arguments.size(), element);
  std::string symbol = name.str() + (element->isFloatTy() ? "f" : "");
  Module *module = b.GetInsertBlock()->getModule();
  FunctionCallee function = module->getOrInsertFunction(symbol, FunctionType::get(element, types, false));
  if (auto *callee = dyn_cast<Function>(function.getCallee())) {
    // These only touch errno, which nothing here reads.
    callee->setMemoryEffects(MemoryEffects::none());
    callee->addFnAttr(Attribute::NoUnwind);
    callee->addFnAttr(Attribute::WillReturn);
  }
  auto *vector = dyn_cast<FixedVectorType>(type);
  if (!vector)
    return b.CreateCall(function, arguments);
  Value *result = PoisonValue::get(type);
  for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
    SmallVector<Value *> elements;
    for (Value *argument : arguments)
      elements.push_back(b.CreateExtractElement(argument, lane));
    result = b.CreateInsertElement(result, b.CreateCall(function, elements), lane);
  }
  return result;
}

} // namespace nereid::cpu
