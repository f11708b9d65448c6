// Arithmetic on one element: the integer and floating-point operations of arith, selection and comparison,
// constants, pointer arithmetic. Scalars go the same way as the elements of tensors.
#include "compiler/lowering/gpu/FloatFormats.h"
#include "compiler/lowering/gpu/LargeTiles.h"

using namespace mlir;

namespace nereid::gpu {

using Operands = llvm::ArrayRef<llvm::Value *>;

template <llvm::Instruction::BinaryOps opcode>
static llvm::Value *emitBinary(Emitter &e, Operation *, Operands x) {
  return e.b.CreateBinOp(opcode, x[0], x[1]);
}

template <llvm::Intrinsic::ID id>
static llvm::Value *emitBinaryIntrinsic(Emitter &e, Operation *, Operands x) {
  return e.b.CreateBinaryIntrinsic(id, x[0], x[1]);
}

static bool isNarrow(llvm::Value *value) {
  return value->getType()->isHalfTy() || value->getType()->isBFloatTy();
}

/// Division goes through f32 for the types of 16 bits, which no hardware divides.
template <bool precise> static llvm::Value *emitDivision(Emitter &e, Operation *, Operands x) {
  llvm::Value *a = x[0], *divisor = x[1];
  if (isNarrow(a)) {
    a = e.b.CreateFPExt(a, e.b.getFloatTy());
    divisor = e.b.CreateFPExt(divisor, e.b.getFloatTy());
  }
  llvm::Value *quotient =
      precise ? e.target.dividePrecise(e.b, a, divisor) : e.target.divide(e.b, a, divisor);
  return quotient->getType() == x[0]->getType() ? quotient : e.b.CreateFPTrunc(quotient, x[0]->getType());
}

static llvm::Value *emitRemainder(Emitter &e, Operation *, Operands x) {
  llvm::Value *a = x[0], *divisor = x[1];
  if (isNarrow(a)) {
    a = e.b.CreateFPExt(a, e.b.getFloatTy());
    divisor = e.b.CreateFPExt(divisor, e.b.getFloatTy());
  }
  llvm::Value *rest = e.target.math(e.b, MathFunction::FMod, {a, divisor});
  return rest->getType() == x[0]->getType() ? rest : e.b.CreateFPTrunc(rest, x[0]->getType());
}

static llvm::Value *emitNegation(Emitter &e, Operation *, Operands x) { return e.b.CreateFNeg(x[0]); }

static llvm::Value *emitCompareInt(Emitter &e, Operation *op, Operands x) {
  static constexpr llvm::CmpInst::Predicate predicates[] = {
      llvm::CmpInst::ICMP_EQ,  llvm::CmpInst::ICMP_NE,  llvm::CmpInst::ICMP_SLT, llvm::CmpInst::ICMP_SLE,
      llvm::CmpInst::ICMP_SGT, llvm::CmpInst::ICMP_SGE, llvm::CmpInst::ICMP_ULT, llvm::CmpInst::ICMP_ULE,
      llvm::CmpInst::ICMP_UGT, llvm::CmpInst::ICMP_UGE};
  auto predicate = cast<arith::CmpIOp>(op).getPredicate();
  return e.b.CreateICmp(predicates[static_cast<unsigned>(predicate)], x[0], x[1]);
}

static llvm::Value *emitCompareFloat(Emitter &e, Operation *op, Operands x) {
  // Both sides list: false, the ordered ones, ordered, the unordered ones, unordered, true.
  static constexpr llvm::CmpInst::Predicate predicates[] = {
      llvm::CmpInst::FCMP_FALSE, llvm::CmpInst::FCMP_OEQ, llvm::CmpInst::FCMP_OGT, llvm::CmpInst::FCMP_OGE,
      llvm::CmpInst::FCMP_OLT,   llvm::CmpInst::FCMP_OLE, llvm::CmpInst::FCMP_ONE, llvm::CmpInst::FCMP_ORD,
      llvm::CmpInst::FCMP_UEQ,   llvm::CmpInst::FCMP_UGT, llvm::CmpInst::FCMP_UGE, llvm::CmpInst::FCMP_ULT,
      llvm::CmpInst::FCMP_ULE,   llvm::CmpInst::FCMP_UNE, llvm::CmpInst::FCMP_UNO, llvm::CmpInst::FCMP_TRUE};
  auto predicate = cast<arith::CmpFOp>(op).getPredicate();
  return e.b.CreateFCmp(predicates[static_cast<unsigned>(predicate)], x[0], x[1]);
}

static llvm::Value *emitSelect(Emitter &e, Operation *, Operands x) {
  return e.b.CreateSelect(x[0], x[1], x[2]);
}

static llvm::Value *emitMultiplyHigh(Emitter &e, Operation *, Operands x) {
  return e.target.multiplyHigh(e.b, x[0], x[1]);
}

static llvm::Value *emitClamp(Emitter &e, Operation *op, Operands x) {
  bool propagate = cast<tt::ClampFOp>(op).getPropagateNan() == tt::PropagateNan::ALL;
  // Between a positive number and its negative. What comes of a NaN may be anything, unless NaNs must stay.
  auto *least = llvm::dyn_cast<llvm::ConstantFP>(x[1]), *most = llvm::dyn_cast<llvm::ConstantFP>(x[2]);
  auto isPositive = [](const llvm::APFloat &f) { return !f.isNegative() && !f.isZero() && !f.isNaN(); };
  if (!propagate && least && most && isPositive(most->getValueAPF()) &&
      least->getValueAPF().bitwiseIsEqual(llvm::neg(most->getValueAPF())))
    if (llvm::Value *result = e.target.clampMagnitude(e.b, x[0], most))
      return result;
  auto larger = propagate ? llvm::Intrinsic::maximum : llvm::Intrinsic::maxnum;
  auto smaller = propagate ? llvm::Intrinsic::minimum : llvm::Intrinsic::minnum;
  return e.b.CreateBinaryIntrinsic(smaller, e.b.CreateBinaryIntrinsic(larger, x[0], x[1]), x[2]);
}

static llvm::Value *emitAddPtr(Emitter &e, Operation *op, Operands x) {
  auto pointer = cast<tt::PointerType>(getElementTypeOrSelf(cast<tt::AddPtrOp>(op).getPtr().getType()));
  return e.b.CreateGEP(e.getMemoryType(pointer.getPointeeType()), x[0], x[1]);
}

//===- Constants ---------------------------------------------------------===//

static llvm::Constant *getConstant(Emitter &e, Type type, Attribute attribute) {
  llvm::Type *converted = e.convertType(type);
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    // The bits are the same on both sides, also where LLVM has no such type and an integer stands for it.
    llvm::APInt bits = number.getValue().bitcastToAPInt();
    llvm::Constant *integer = llvm::ConstantInt::get(converted->getContext(), bits);
    return llvm::ConstantFoldCastInstruction(llvm::Instruction::BitCast, integer, converted);
  }
  llvm::APInt value = cast<IntegerAttr>(attribute).getValue();
  return llvm::ConstantInt::get(converted, value.sextOrTrunc(converted->getIntegerBitWidth()));
}

/// A tensor with different elements is a table in constant memory that each thread looks its own up in.
static LogicalResult emitTable(Emitter &e, arith::ConstantOp op, DenseElementsAttr elements) {
  auto type = cast<RankedTensorType>(op.getType());
  llvm::SmallVector<llvm::Constant *> entries;
  for (Attribute element : elements.getValues<Attribute>())
    entries.push_back(llvm::cast<llvm::Constant>(e.toMemory(getConstant(e, type, element))));
  auto *tableType = llvm::ArrayType::get(e.getMemoryType(type), entries.size());
  auto *table = new llvm::GlobalVariable(e.state.module, tableType, /*isConstant=*/true,
                                         llvm::GlobalValue::PrivateLinkage,
                                         llvm::ConstantArray::get(tableType, entries), "table", nullptr,
                                         llvm::GlobalValue::NotThreadLocal, globalAddressSpace);
  auto look = [&](llvm::Value *flat) {
    llvm::Value *address = e.b.CreateInBoundsGEP(tableType, table, {e.b.getInt32(0), flat});
    return e.fromMemory(e.b.CreateLoad(e.getMemoryType(type), address), type);
  };
  LargeTiles &large = e.large();
  if (large.isLarge(type)) {
    unsigned count = e.countRegisters(type);
    llvm::Value *slot = large.createSlot(type, count);
    large.setSlot(op.getResult(), slot);
    return large.forEach(0, count, LargeTiles::chunk, [&](const RegisterNumber &first) {
      for (uint32_t i = 0; i < LargeTiles::chunk; ++i) {
        RegisterNumber place = LargeTiles::plus(first, i);
        large.storeTo(slot, type, place, look(large.getFlatIndex(type, place)));
      }
      return success();
    });
  }
  Registers registers;
  for (const Registers &coordinates : e.getCoordinates(type)) {
    llvm::Value *flat = e.b.getInt32(0);
    for (auto [size, coordinate] : llvm::zip_equal(type.getShape(), coordinates))
      flat = e.b.CreateAdd(e.b.CreateMul(flat, e.b.getInt32(size)), coordinate);
    registers.push_back(look(flat));
  }
  e.set(op.getResult(), std::move(registers));
  return success();
}

static LogicalResult emitConstant(Emitter &e, arith::ConstantOp op) {
  Attribute value = op.getValue();
  if (auto elements = dyn_cast<DenseElementsAttr>(value)) {
    if (!elements.isSplat())
      return emitTable(e, op, elements);
    value = elements.getSplatValue<Attribute>();
  }
  if (!isa<FloatAttr, IntegerAttr>(value))
    return op.emitError("a constant of this kind is not supported on this target yet");
  llvm::Constant *constant = getConstant(e, op.getType(), value);
  if (e.large().isLarge(op.getType()))
    e.large().setUniform(op.getResult(), constant);
  else
    e.set(op.getResult(), Registers(e.countRegisters(op.getType()), constant));
  return success();
}

/// What does not matter is zero rather than undefined: wrong programs should at least be the same each time.
static LogicalResult emitPoison(Emitter &e, ub::PoisonOp op) {
  llvm::Value *zero = llvm::Constant::getNullValue(e.convertType(op.getType()));
  if (e.large().isLarge(op.getType()))
    e.large().setUniform(op.getResult(), zero);
  else
    e.set(op.getResult(), Registers(e.countRegisters(op.getType()), zero));
  return success();
}

void addElementwiseEmitters(EmitterTable &table) {
  using llvm::Instruction;
  namespace Intrinsic = llvm::Intrinsic;
  table.add<arith::ConstantOp, emitConstant>();
  table.add<ub::PoisonOp, emitPoison>();

  table.addElementwise<arith::AddIOp>(emitBinary<Instruction::Add>);
  table.addElementwise<arith::SubIOp>(emitBinary<Instruction::Sub>);
  table.addElementwise<arith::MulIOp>(emitBinary<Instruction::Mul>);
  table.addElementwise<arith::DivSIOp>(emitBinary<Instruction::SDiv>);
  table.addElementwise<arith::DivUIOp>(emitBinary<Instruction::UDiv>);
  table.addElementwise<arith::RemSIOp>(emitBinary<Instruction::SRem>);
  table.addElementwise<arith::RemUIOp>(emitBinary<Instruction::URem>);
  table.addElementwise<arith::AndIOp>(emitBinary<Instruction::And>);
  table.addElementwise<arith::OrIOp>(emitBinary<Instruction::Or>);
  table.addElementwise<arith::XOrIOp>(emitBinary<Instruction::Xor>);
  table.addElementwise<arith::ShLIOp>(emitBinary<Instruction::Shl>);
  table.addElementwise<arith::ShRSIOp>(emitBinary<Instruction::AShr>);
  table.addElementwise<arith::ShRUIOp>(emitBinary<Instruction::LShr>);
  table.addElementwise<arith::MaxSIOp>(emitBinaryIntrinsic<Intrinsic::smax>);
  table.addElementwise<arith::MinSIOp>(emitBinaryIntrinsic<Intrinsic::smin>);
  table.addElementwise<arith::MaxUIOp>(emitBinaryIntrinsic<Intrinsic::umax>);
  table.addElementwise<arith::MinUIOp>(emitBinaryIntrinsic<Intrinsic::umin>);
  table.addElementwise<tt::MulhiUIOp>(emitMultiplyHigh);

  table.addElementwise<arith::AddFOp>(emitOnFloats<emitBinary<Instruction::FAdd>>);
  table.addElementwise<arith::SubFOp>(emitOnFloats<emitBinary<Instruction::FSub>>);
  table.addElementwise<arith::MulFOp>(emitOnFloats<emitBinary<Instruction::FMul>>);
  table.addElementwise<arith::DivFOp>(emitOnFloats<emitDivision<false>>);
  table.addElementwise<tt::PreciseDivFOp>(emitOnFloats<emitDivision<true>>);
  table.addElementwise<arith::RemFOp>(emitOnFloats<emitRemainder>);
  table.addElementwise<arith::NegFOp>(emitOnFloats<emitNegation>);
  table.addElementwise<arith::MaximumFOp>(emitOnFloats<emitBinaryIntrinsic<Intrinsic::maximum>>);
  table.addElementwise<arith::MinimumFOp>(emitOnFloats<emitBinaryIntrinsic<Intrinsic::minimum>>);
  table.addElementwise<arith::MaxNumFOp>(emitOnFloats<emitBinaryIntrinsic<Intrinsic::maxnum>>);
  table.addElementwise<arith::MinNumFOp>(emitOnFloats<emitBinaryIntrinsic<Intrinsic::minnum>>);
  table.addElementwise<tt::ClampFOp>(emitOnFloats<emitClamp>);

  table.addElementwise<arith::CmpIOp>(emitCompareInt);
  table.addElementwise<arith::CmpFOp>(emitOnFloats<emitCompareFloat>);
  table.addElementwise<arith::SelectOp>(emitSelect);
  table.addElementwise<tt::AddPtrOp>(emitAddPtr);
}

} // namespace nereid::gpu
