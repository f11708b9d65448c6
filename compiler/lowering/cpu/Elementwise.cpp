// Integer arithmetic, comparisons, conversions and pointers; floating-point arithmetic and functions are in
// ElementwiseMath.cpp. Where MLIR leaves a result undefined (division by zero, shifting too far) the code
// still must not trap, because a masked-off lane may compute it: divisors are replaced and shifts limited.
#include "compiler/lowering/cpu/Elementwise.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/lowering/cpu/DeviceLibrary.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

namespace nereid::cpu {

std::optional<NarrowFloat> getNarrowFloat(mlir::Type type) {
  if (type.isF16())
    return NarrowFloat::F16;
  if (type.isBF16())
    return NarrowFloat::BF16;
  if (mlir::isa<mlir::Float8E4M3FNType>(type))
    return NarrowFloat::E4M3FN;
  if (mlir::isa<mlir::Float8E5M2Type>(type))
    return NarrowFloat::E5M2;
  if (mlir::isa<mlir::Float8E4M3FNUZType>(type))
    return NarrowFloat::E4M3FNUZ;
  if (mlir::isa<mlir::Float8E5M2FNUZType>(type))
    return NarrowFloat::E5M2FNUZ;
  return std::nullopt;
}

bool isElementwise(mlir::Operation *op) {
  if (mlir::isa<mlir::arith::ConstantOp, mlir::ub::PoisonOp>(op))
    return false;
  // (arith.constant and poison have no elements of operands to work on; the evaluator knows them.)
  return op->getNumResults() != 0 && op->hasTrait<mlir::OpTrait::Elementwise>() && op->getNumRegions() == 0;
}

unsigned ElementEmitter::getLanes(Value *value) {
  auto *vector = dyn_cast<FixedVectorType>(value->getType());
  return vector ? vector->getNumElements() : 1;
}

Value *ElementEmitter::toLanes(Value *value, unsigned lanes) {
  if (lanes == 1 || value->getType()->isVectorTy())
    return value;
  return b.CreateVectorSplat(lanes, value);
}

Type *ElementEmitter::registerType(mlir::Type type) {
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type))
    type = tensor.getElementType();
  if (auto narrow = getNarrowFloat(type))
    return b.getIntNTy(type.getIntOrFloatBitWidth());
  if (type.isF32())
    return b.getFloatTy();
  if (type.isF64())
    return b.getDoubleTy();
  if (type.isIndex())
    return b.getInt64Ty();
  if (mlir::isa<mlir::IntegerType>(type))
    return b.getIntNTy(type.getIntOrFloatBitWidth());
  return b.getPtrTy();
}

Type *ElementEmitter::memoryType(mlir::Type type) {
  Type *result = registerType(type);
  if (result->isIntegerTy() && result->getIntegerBitWidth() < 8)
    return b.getInt8Ty();
  return result;
}

Constant *ElementEmitter::constant(mlir::Attribute attribute, mlir::Type type) {
  Type *llvmType = registerType(type);
  if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(attribute))
    return ConstantInt::get(llvmType, integer.getValue().zextOrTrunc(llvmType->getIntegerBitWidth()));
  if (auto real = mlir::dyn_cast<mlir::FloatAttr>(attribute)) {
    if (llvmType->isIntegerTy())
      return ConstantInt::get(llvmType, real.getValue().bitcastToAPInt());
    return ConstantFP::get(llvmType, real.getValue());
  }
  return nullptr;
}

bool ElementEmitter::emit(mlir::Operation *op, ArrayRef<Value *> given, SmallVectorImpl<Value *> &results) {
  unsigned lanes = 1;
  for (Value *operand : given)
    lanes = std::max(lanes, getLanes(operand));
  StringRef name = op->getName().getStringRef();
  SmallVector<Value *> operands(given);
  // A pointer may stay one for all lanes: an address plus a vector of offsets is what gathers like best.
  if (lanes > 1 && name != "tt.addptr" && name != "arith.select")
    for (Value *&operand : operands)
      operand = toLanes(operand, lanes);

  if (op->getNumResults() == 2 && operands.size() == 2 &&
      mlir::isa<mlir::arith::AddUIExtendedOp, mlir::arith::MulSIExtendedOp, mlir::arith::MulUIExtendedOp>(
          op)) {
    if (mlir::isa<mlir::arith::AddUIExtendedOp>(op)) {
      Value *sum = b.CreateAdd(operands[0], operands[1]);
      results.assign({sum, b.CreateICmpULT(sum, operands[0])});
      return true;
    }
    bool isSigned = mlir::isa<mlir::arith::MulSIExtendedOp>(op);
    Type *type = operands[0]->getType();
    unsigned bits = type->getScalarSizeInBits();
    Type *wide = type->getWithNewBitWidth(bits * 2);
    auto extend = [&](Value *value) {
      return isSigned ? b.CreateSExt(value, wide) : b.CreateZExt(value, wide);
    };
    Value *product = b.CreateMul(extend(operands[0]), extend(operands[1]));
    results.assign({b.CreateTrunc(product, type), b.CreateTrunc(b.CreateLShr(product, bits), type)});
    return true;
  }

  if (auto assembly = mlir::dyn_cast<tt::ElementwiseInlineAsmOp>(op)) {
    // An empty text only passes registers on; it is how kernels hide a value from the optimizer.
    bool passesOn = assembly.getAsmString().trim().empty() && op->getNumResults() <= operands.size();
    for (unsigned i = 0; passesOn && i < op->getNumResults(); ++i)
      passesOn = op->getResult(i).getType() == op->getOperand(i).getType();
    if (!passesOn) {
      op->emitError("inline assembly is for GPUs and cannot be compiled for the CPU");
      return false;
    }
    results.assign(operands.begin(), operands.begin() + op->getNumResults());
    return true;
  }

  if (auto both = mlir::dyn_cast<mlir::math::SincosOp>(op)) {
    auto narrow = getNarrowFloat(mlir::getElementTypeOrSelf(both.getOperand().getType()));
    Value *x = narrow ? formats.widen(operands[0], *narrow) : operands[0];
    for (StringRef function : {"sin", "cos"}) {
      Value *value = emitNamedFunction(function, {x});
      results.push_back(narrow ? formats.narrow(value, *narrow) : value);
    }
    return true;
  }

  Value *result = nullptr;
  if (op->getNumResults() == 1) {
    auto isNarrow = [](mlir::Type type) { return bool(getNarrowFloat(mlir::getElementTypeOrSelf(type))); };
    if (auto external = mlir::dyn_cast<tt::ExternElementwiseOp>(op);
        external && !llvm::any_of(op->getOperandTypes(), isNarrow))
      result = DeviceLibrary(b, math, target)
                   .emit(external.getSymbol(), operands, registerType(external.getType()));
    if (!result)
      result = emitInteger(op, operands);
    if (!result)
      result = emitCompare(op, operands);
    if (!result)
      result = emitCast(op, operands);
    if (!result)
      result = emitPointer(op, operands);
    if (!result)
      result = emitFloat(op, operands);
  }
  if (!result) {
    if (auto external = mlir::dyn_cast<tt::ExternElementwiseOp>(op))
      op->emitError() << "the function '" << external.getSymbol() << "' is not one that there is on the CPU";
    else
      op->emitError() << "'" << name << "' is not supported on the CPU yet";
    return false;
  }
  results.assign({result});
  return true;
}

bool isStraightLine(mlir::Region &region) {
  if (!region.hasOneBlock())
    return false;
  for (mlir::Operation &op : region.front().without_terminator()) {
    if (mlir::isa<mlir::arith::ConstantOp>(op) || isElementwise(&op))
      continue;
    if (!mlir::isa<mlir::scf::IfOp>(op))
      return false;
    for (mlir::Region &branch : op.getRegions())
      if (!branch.empty() && !isStraightLine(branch))
        return false;
  }
  return true;
}

bool ElementEmitter::emitRegion(mlir::Region &region, ArrayRef<Value *> arguments,
                                SmallVectorImpl<Value *> &results,
                                llvm::function_ref<Value *(mlir::Value)> outerValue) {
  mlir::Block &block = region.front();
  DenseMap<mlir::Value, Value *> values;
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    values[argument] = value;
  auto lookup = [&](mlir::Value value) -> Value * {
    auto it = values.find(value);
    return it != values.end() ? it->second : outerValue(value);
  };
  for (mlir::Operation &op : block.without_terminator()) {
    if (auto constantOp = mlir::dyn_cast<mlir::arith::ConstantOp>(op)) {
      values[constantOp] = constant(constantOp.getValue(), constantOp.getType());
      continue;
    }
    Place place(*this, &op);
    SmallVector<Value *> operands, opResults;
    for (mlir::Value operand : op.getOperands())
      operands.push_back(lookup(operand));
    if (auto ifOp = mlir::dyn_cast<mlir::scf::IfOp>(op)) {
      // Nothing inside has an effect, so both sides are computed, and each lane takes its own.
      SmallVector<Value *> sides[2];
      for (unsigned i : {0, 1}) {
        mlir::Region &side = op.getRegion(i);
        if (!side.empty() && !emitRegion(side, {}, sides[i], lookup))
          return false;
      }
      for (auto [result, x, y] : llvm::zip(ifOp.getResults(), sides[0], sides[1])) {
        unsigned lanes = std::max({getLanes(operands[0]), getLanes(x), getLanes(y)});
        values[result] = b.CreateSelect(operands[0], toLanes(x, lanes), toLanes(y, lanes));
      }
      continue;
    }
    if (!emit(&op, operands, opResults))
      return false;
    for (auto [value, result] : llvm::zip(op.getResults(), opResults))
      values[value] = result;
  }
  for (mlir::Value operand : block.getTerminator()->getOperands())
    results.push_back(lookup(operand));
  return true;
}

/// Processors divide vectors of floating-point numbers only. The quotient of integers lies at least 1 /
/// divisor away from the next integer that it is not, and the rounded one closer to it than that if its type
/// holds more bits than both have together need: float for 16 bits, double for 32.
Value *ElementEmitter::divideAsFloat(Value *lhs, Value *rhs, bool isSigned, bool isRemainder) {
  Type *type = lhs->getType();
  bool isShort = type->getScalarSizeInBits() <= 16;
  Type *real = type->getWithNewType(isShort ? b.getFloatTy() : b.getDoubleTy());
  Type *word = type->getWithNewType(b.getInt32Ty());
  auto toReal = [&](Value *value) {
    if (isShort) // Through signed words, from which every processor converts.
      return b.CreateSIToFP(isSigned ? b.CreateSExt(value, word) : b.CreateZExt(value, word), real);
    return isSigned ? b.CreateSIToFP(value, real) : b.CreateUIToFP(value, real);
  };
  Value *quotient = b.CreateFDiv(toReal(lhs), toReal(rhs));
  if (isShort)
    quotient = b.CreateTrunc(b.CreateFPToSI(quotient, word), type);
  else
    quotient = isSigned ? b.CreateFPToSI(quotient, type) : b.CreateFPToUI(quotient, type);
  return isRemainder ? b.CreateSub(lhs, b.CreateMul(quotient, rhs)) : quotient;
}

Value *ElementEmitter::divide(mlir::Operation *op, Value *lhs, Value *rhs, bool isSigned, bool isRemainder) {
  Type *type = lhs->getType();
  const APInt *known = nullptr;
  if (auto *integer = dyn_cast<ConstantInt>(rhs))
    known = &integer->getValue();
  else if (auto *vector = dyn_cast<Constant>(rhs))
    if (auto *splat = dyn_cast_or_null<ConstantInt>(vector->getSplatValue()))
      known = &splat->getValue();
  if (!known || known->isZero() || (isSigned && known->isAllOnes())) {
    Value *isBad = b.CreateICmpEQ(rhs, Constant::getNullValue(type));
    if (isSigned) {
      Constant *minimum = ConstantInt::get(type, APInt::getSignedMinValue(type->getScalarSizeInBits()));
      Value *overflows =
          b.CreateAnd(b.CreateICmpEQ(lhs, minimum), b.CreateICmpEQ(rhs, Constant::getAllOnesValue(type)));
      isBad = b.CreateOr(isBad, overflows);
    }
    rhs = b.CreateSelect(isBad, ConstantInt::get(type, 1), rhs);
  }
  if (!known && type->isVectorTy() && type->getScalarSizeInBits() <= 32)
    return divideAsFloat(lhs, rhs, isSigned, isRemainder);
  if (isRemainder)
    return isSigned ? b.CreateSRem(lhs, rhs) : b.CreateURem(lhs, rhs);
  return isSigned ? b.CreateSDiv(lhs, rhs) : b.CreateUDiv(lhs, rhs);
}

Value *ElementEmitter::emitInteger(mlir::Operation *op, ArrayRef<Value *> v) {
  enum Kind {
    None,
    Add,
    Sub,
    Mul,
    DivS,
    DivU,
    RemS,
    RemU,
    CeilDivS,
    CeilDivU,
    FloorDivS,
    And,
    Or,
    Xor,
    ShL,
    ShRS,
    ShRU,
    MaxS,
    MaxU,
    MinS,
    MinU,
    MulHiU,
    AbsI,
    Ctlz,
    Cttz,
    Ctpop,
    Power
  };
  Kind kind = StringSwitch<Kind>(op->getName().getStringRef())
                  .Case("arith.addi", Add)
                  .Case("arith.subi", Sub)
                  .Case("arith.muli", Mul)
                  .Case("arith.divsi", DivS)
                  .Case("arith.divui", DivU)
                  .Case("arith.remsi", RemS)
                  .Case("arith.remui", RemU)
                  .Case("arith.ceildivsi", CeilDivS)
                  .Case("arith.ceildivui", CeilDivU)
                  .Case("arith.floordivsi", FloorDivS)
                  .Case("arith.andi", And)
                  .Case("arith.ori", Or)
                  .Case("arith.xori", Xor)
                  .Case("arith.shli", ShL)
                  .Case("arith.shrsi", ShRS)
                  .Case("arith.shrui", ShRU)
                  .Case("arith.maxsi", MaxS)
                  .Case("arith.maxui", MaxU)
                  .Case("arith.minsi", MinS)
                  .Case("arith.minui", MinU)
                  .Case("tt.mulhiui", MulHiU)
                  .Case("math.absi", AbsI)
                  .Case("math.ctlz", Ctlz)
                  .Case("math.cttz", Cttz)
                  .Case("math.ctpop", Ctpop)
                  .Case("math.ipowi", Power)
                  .Default(None);
  if (kind == None)
    return nullptr;
  Type *type = v[0]->getType();
  unsigned bits = type->getScalarSizeInBits();
  Constant *zero = Constant::getNullValue(type), *one = ConstantInt::get(type, 1);
  auto bit = [&](Value *value, unsigned i) {
    return b.CreateICmpNE(b.CreateAnd(value, ConstantInt::get(type, APInt::getOneBitSet(bits, i))), zero);
  };
  switch (kind) {
  case None:
    return nullptr;
  case Add:
    return b.CreateAdd(v[0], v[1]);
  case Sub:
    return b.CreateSub(v[0], v[1]);
  case Mul:
    return b.CreateMul(v[0], v[1]);
  case DivS:
  case DivU:
    return divide(op, v[0], v[1], kind == DivS, false);
  case RemS:
  case RemU:
    return divide(op, v[0], v[1], kind == RemS, true);
  case CeilDivU: {
    Value *quotient = divide(op, v[0], v[1], false, false);
    Value *rest = b.CreateSub(v[0], b.CreateMul(quotient, v[1]));
    return b.CreateAdd(quotient, b.CreateZExt(b.CreateICmpNE(rest, zero), type));
  }
  case CeilDivS:
  case FloorDivS: {
    // C's quotient, corrected by one where there is a remainder and rounding went the other way.
    Value *quotient = divide(op, v[0], v[1], true, false);
    Value *rest = b.CreateSub(v[0], b.CreateMul(quotient, v[1]));
    Value *negative = b.CreateICmpSLT(b.CreateXor(v[0], v[1]), zero);
    if (kind == CeilDivS)
      negative = b.CreateNot(negative);
    Value *correct = b.CreateZExt(b.CreateAnd(b.CreateICmpNE(rest, zero), negative), type);
    return kind == CeilDivS ? b.CreateAdd(quotient, correct) : b.CreateSub(quotient, correct);
  }
  case And:
    return b.CreateAnd(v[0], v[1]);
  case Or:
    return b.CreateOr(v[0], v[1]);
  case Xor:
    return b.CreateXor(v[0], v[1]);
  case ShL:
  case ShRU:
  case ShRS: {
    auto shift = [&](Value *amount) {
      return kind == ShL    ? b.CreateShl(v[0], amount)
             : kind == ShRU ? b.CreateLShr(v[0], amount)
                            : b.CreateAShr(v[0], amount);
    };
    Constant *width = ConstantInt::get(type, bits);
    Value *fits = b.CreateICmpULT(v[1], width);
    if (kind == ShRS)
      return shift(b.CreateSelect(fits, v[1], ConstantInt::get(type, bits - 1)));
    return b.CreateSelect(fits, shift(b.CreateSelect(fits, v[1], zero)), zero);
  }
  case MaxS:
    return b.CreateBinaryIntrinsic(Intrinsic::smax, v[0], v[1]);
  case MaxU:
    return b.CreateBinaryIntrinsic(Intrinsic::umax, v[0], v[1]);
  case MinS:
    return b.CreateBinaryIntrinsic(Intrinsic::smin, v[0], v[1]);
  case MinU:
    return b.CreateBinaryIntrinsic(Intrinsic::umin, v[0], v[1]);
  case MulHiU: {
    Type *wide = type->getWithNewBitWidth(bits * 2);
    Value *product = b.CreateMul(b.CreateZExt(v[0], wide), b.CreateZExt(v[1], wide));
    return b.CreateTrunc(b.CreateLShr(product, bits), type);
  }
  case AbsI:
    return b.CreateBinaryIntrinsic(Intrinsic::abs, v[0], b.getFalse());
  case Ctlz:
    return b.CreateBinaryIntrinsic(Intrinsic::ctlz, v[0], b.getFalse());
  case Cttz:
    return b.CreateBinaryIntrinsic(Intrinsic::cttz, v[0], b.getFalse());
  case Ctpop:
    return b.CreateUnaryIntrinsic(Intrinsic::ctpop, v[0]);
  case Power: {
    // The squares of the base for the exponent's bits. To a negative power only 1 and -1 are integers.
    Value *result = one, *square = v[0];
    for (unsigned i = 0; i + 1 < bits; ++i) {
      result = b.CreateSelect(bit(v[1], i), b.CreateMul(result, square), result);
      square = b.CreateMul(square, square);
    }
    Value *isOne = b.CreateICmpEQ(v[0], one),
          *isMinusOne = b.CreateICmpEQ(v[0], Constant::getAllOnesValue(type));
    Value *alternating = b.CreateSelect(bit(v[1], 0), Constant::getAllOnesValue(type), one);
    Value *inverse = b.CreateSelect(isOne, one, b.CreateSelect(isMinusOne, alternating, zero));
    return b.CreateSelect(b.CreateICmpSLT(v[1], zero), inverse, result);
  }
  }
  return nullptr;
}

Value *ElementEmitter::emitCompare(mlir::Operation *op, ArrayRef<Value *> v) {
  if (auto compare = mlir::dyn_cast<mlir::arith::CmpIOp>(op)) {
    static const CmpInst::Predicate predicates[] = {
        CmpInst::ICMP_EQ,  CmpInst::ICMP_NE,  CmpInst::ICMP_SLT, CmpInst::ICMP_SLE, CmpInst::ICMP_SGT,
        CmpInst::ICMP_SGE, CmpInst::ICMP_ULT, CmpInst::ICMP_ULE, CmpInst::ICMP_UGT, CmpInst::ICMP_UGE};
    return b.CreateICmp(predicates[static_cast<unsigned>(compare.getPredicate())], v[0], v[1]);
  }
  if (auto compare = mlir::dyn_cast<mlir::arith::CmpFOp>(op)) {
    static const CmpInst::Predicate predicates[] = {
        CmpInst::FCMP_FALSE, CmpInst::FCMP_OEQ, CmpInst::FCMP_OGT, CmpInst::FCMP_OGE,
        CmpInst::FCMP_OLT,   CmpInst::FCMP_OLE, CmpInst::FCMP_ONE, CmpInst::FCMP_ORD,
        CmpInst::FCMP_UEQ,   CmpInst::FCMP_UGT, CmpInst::FCMP_UGE, CmpInst::FCMP_ULT,
        CmpInst::FCMP_ULE,   CmpInst::FCMP_UNE, CmpInst::FCMP_UNO, CmpInst::FCMP_TRUE};
    mlir::Type type = mlir::getElementTypeOrSelf(compare.getLhs().getType());
    auto narrow = getNarrowFloat(type);
    Value *lhs = narrow ? formats.widen(v[0], *narrow) : v[0];
    Value *rhs = narrow ? formats.widen(v[1], *narrow) : v[1];
    return b.CreateFCmp(predicates[static_cast<unsigned>(compare.getPredicate())], lhs, rhs);
  }
  if (mlir::isa<mlir::arith::SelectOp>(op)) {
    unsigned lanes = std::max({getLanes(v[0]), getLanes(v[1]), getLanes(v[2])});
    return b.CreateSelect(v[0], toLanes(v[1], lanes), toLanes(v[2], lanes));
  }
  return nullptr;
}

Value *ElementEmitter::integerToFloat(Value *value, mlir::Type to, bool isSigned) {
  auto withElement = [&](Type *element) { return value->getType()->getWithNewType(element); };
  auto convert = [&](Type *type) {
    return isSigned ? b.CreateSIToFP(value, type) : b.CreateUIToFP(value, type);
  };
  auto narrow = getNarrowFloat(to);
  if (!narrow)
    return convert(withElement(registerType(to)));
  // Integers of up to 24 bits are exact in float; wider ones must not be rounded twice.
  if (value->getType()->getScalarSizeInBits() <= 16)
    return formats.narrow(convert(withElement(b.getFloatTy())), *narrow);
  if (value->getType()->getScalarSizeInBits() == 64) {
    // Beyond 2^53, what lies below the bits that decide becomes one bit that says whether it was zero, so
    // that double holds the number.
    constexpr uint64_t low = 0xFFF, sticky = 0x800;
    Type *type = value->getType();
    auto constant = [&](uint64_t number) { return ConstantInt::get(type, number); };
    Value *magnitude = isSigned ? b.CreateBinaryIntrinsic(Intrinsic::abs, value, b.getFalse()) : value;
    Value *hasLow = b.CreateICmpNE(b.CreateAnd(value, constant(low)), constant(0));
    Value *kept =
        b.CreateOr(b.CreateAnd(value, constant(~low)), b.CreateSelect(hasLow, constant(sticky), constant(0)));
    Value *isLarge = b.CreateICmpUGT(magnitude, constant((uint64_t(1) << 53) - 1));
    value = b.CreateSelect(isLarge, kept, value);
  }
  return formats.narrow(formats.roundToOdd(convert(withElement(b.getDoubleTy()))), *narrow);
}

Value *ElementEmitter::convertFloat(Value *value, mlir::Type from, mlir::Type to, Rounding rounding) {
  auto withElement = [&](Type *element) { return value->getType()->getWithNewType(element); };
  if (from == to)
    return value;
  auto narrowFrom = getNarrowFloat(from), narrowTo = getNarrowFloat(to);
  if (narrowFrom)
    value = formats.widen(value, *narrowFrom);
  if (narrowFrom == NarrowFloat::F16)
    value = formats.withCanonicalNaN(value, value);
  if (to.isF32() && !from.isF64())
    return value;
  if (to.isF64())
    return formats.withCanonicalNaN(value, b.CreateFPExt(value, withElement(b.getDoubleTy())));
  if (to.isF32())
    return formats.withCanonicalNaN(value, b.CreateFPTrunc(value, withElement(b.getFloatTy())));
  if (from.isF64())
    value = formats.roundToOdd(value);
  Value *narrow = formats.narrow(value, *narrowTo, rounding);
  return narrowTo == NarrowFloat::F16 ? formats.withCanonicalNaN(value, narrow) : narrow;
}

Value *ElementEmitter::emitCast(mlir::Operation *op, ArrayRef<Value *> v) {
  enum Kind { None, ExtS, ExtU, Trunc, SIToFP, UIToFP, FPToSI, FPToUI, Float, Bits, IndexS, IndexU };
  Kind kind = StringSwitch<Kind>(op->getName().getStringRef())
                  .Case("arith.extsi", ExtS)
                  .Case("arith.extui", ExtU)
                  .Case("arith.trunci", Trunc)
                  .Case("arith.sitofp", SIToFP)
                  .Case("arith.uitofp", UIToFP)
                  .Case("arith.fptosi", FPToSI)
                  .Case("arith.fptoui", FPToUI)
                  .Cases({"arith.extf", "arith.truncf", "tt.fp_to_fp"}, Float)
                  .Cases({"arith.bitcast", "tt.bitcast"}, Bits)
                  .Case("arith.index_cast", IndexS)
                  .Case("arith.index_castui", IndexU)
                  .Default(None);
  if (kind == None)
    return nullptr;
  mlir::Type from = mlir::getElementTypeOrSelf(op->getOperand(0).getType());
  mlir::Type to = mlir::getElementTypeOrSelf(op->getResult(0).getType());
  Type *type = v[0]->getType()->getWithNewType(registerType(to));
  switch (kind) {
  case None:
    return nullptr;
  case ExtS:
    return b.CreateSExt(v[0], type);
  case ExtU:
    return b.CreateZExt(v[0], type);
  case Trunc:
    return b.CreateTrunc(v[0], type);
  case IndexS:
    return b.CreateSExtOrTrunc(v[0], type);
  case IndexU:
    return b.CreateZExtOrTrunc(v[0], type);
  case SIToFP:
  case UIToFP:
    return integerToFloat(v[0], to, kind == SIToFP);
  case FPToSI:
  case FPToUI: {
    auto narrow = getNarrowFloat(from);
    Value *value = narrow ? formats.widen(v[0], *narrow) : v[0];
    return kind == FPToSI ? b.CreateFPToSI(value, type) : b.CreateFPToUI(value, type);
  }
  case Float: {
    Rounding rounding = Rounding::NearestEven;
    if (auto cast = mlir::dyn_cast<tt::FpToFpOp>(op))
      if (cast.getRounding() && *cast.getRounding() == tt::RoundingMode::RTZ)
        rounding = Rounding::TowardZero;
    if (auto cast = mlir::dyn_cast<mlir::arith::TruncFOp>(op))
      if (auto mode = cast.getRoundingmode()) {
        if (*mode == mlir::arith::RoundingMode::toward_zero)
          rounding = Rounding::TowardZero;
        else if (*mode != mlir::arith::RoundingMode::to_nearest_even)
          return nullptr;
      }
    return convertFloat(v[0], from, to, rounding);
  }
  case Bits:
    if (v[0]->getType()->getScalarType() == type->getScalarType())
      return v[0];
    if (v[0]->getType()->isPtrOrPtrVectorTy())
      return b.CreatePtrToInt(v[0], type);
    if (type->isPtrOrPtrVectorTy())
      return b.CreateIntToPtr(v[0], type);
    return b.CreateBitCast(v[0], type);
  }
  return nullptr;
}

Value *ElementEmitter::emitPointer(mlir::Operation *op, ArrayRef<Value *> v) {
  if (auto add = mlir::dyn_cast<tt::AddPtrOp>(op)) {
    auto pointer = mlir::cast<tt::PointerType>(mlir::getElementTypeOrSelf(add.getType()));
    return b.CreateGEP(memoryType(pointer.getPointeeType()), v[0], v[1]);
  }
  if (mlir::isa<tt::PtrToIntOp>(op))
    return b.CreatePtrToInt(v[0], v[0]->getType()->getWithNewType(b.getInt64Ty()));
  if (mlir::isa<tt::IntToPtrOp>(op))
    return b.CreateIntToPtr(v[0], v[0]->getType()->getWithNewType(b.getPtrTy()));
  return nullptr;
}

} // namespace nereid::cpu
