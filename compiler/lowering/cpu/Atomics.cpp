// Atomic accesses, histograms: what goes element by element.
#include "compiler/lowering/cpu/FunctionLowering.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace nereid::cpu {

static AtomicOrdering getOrdering(tt::MemSemantic semantic) {
  switch (semantic) {
  case tt::MemSemantic::RELAXED:
    return AtomicOrdering::Monotonic;
  case tt::MemSemantic::ACQUIRE:
    return AtomicOrdering::Acquire;
  case tt::MemSemantic::RELEASE:
    return AtomicOrdering::Release;
  case tt::MemSemantic::ACQUIRE_RELEASE:
    return AtomicOrdering::AcquireRelease;
  }
  return AtomicOrdering::AcquireRelease;
}

Value *FunctionLowering::emitAtomic(tt::AtomicRMWOp op, Value *pointer, Value *value, Value *mask) {
  mlir::Type element = mlir::getElementTypeOrSelf(op.getType());
  Type *type = emitter.registerType(element);
  AtomicOrdering ordering = getOrdering(op.getSem());
  tt::RMWOp kind = op.getAtomicRmwOp();
  auto narrow = getNarrowFloat(element);
  bool isFloat = mlir::isa<mlir::FloatType>(element);
  if (!type->isPointerTy() && type->getPrimitiveSizeInBits() < 8) {
    op.emitError("an atomic access to this type is not supported on the CPU yet");
    fail();
    return Constant::getNullValue(type);
  }
  return emitIf(mask, type, [&]() -> Value * {
    if (kind == tt::RMWOp::XCHG || !isFloat || (kind == tt::RMWOp::FADD && !narrow)) {
      AtomicRMWInst::BinOp operation = AtomicRMWInst::Xchg;
      switch (kind) {
      case tt::RMWOp::AND:
        operation = AtomicRMWInst::And;
        break;
      case tt::RMWOp::OR:
        operation = AtomicRMWInst::Or;
        break;
      case tt::RMWOp::XOR:
        operation = AtomicRMWInst::Xor;
        break;
      case tt::RMWOp::ADD:
        operation = AtomicRMWInst::Add;
        break;
      case tt::RMWOp::FADD:
        operation = AtomicRMWInst::FAdd;
        break;
      case tt::RMWOp::MAX:
        operation = AtomicRMWInst::Max;
        break;
      case tt::RMWOp::MIN:
        operation = AtomicRMWInst::Min;
        break;
      case tt::RMWOp::UMAX:
        operation = AtomicRMWInst::UMax;
        break;
      case tt::RMWOp::UMIN:
        operation = AtomicRMWInst::UMin;
        break;
      case tt::RMWOp::XCHG:
        break;
      }
      return b.CreateAtomicRMW(operation, pointer, value, MaybeAlign(), ordering);
    }
    // Compare and exchange until nobody came between.
    LLVMContext &context = b.getContext();
    auto *bits = IntegerType::get(context, type->getPrimitiveSizeInBits());
    BasicBlock *before = b.GetInsertBlock();
    BasicBlock *retry = BasicBlock::Create(context, "retry", function);
    BasicBlock *done = BasicBlock::Create(context, "done", function);
    Value *initial = b.CreateLoad(bits, pointer);
    cast<LoadInst>(initial)->setAtomic(AtomicOrdering::Monotonic);
    cast<LoadInst>(initial)->setAlignment(Align(bits->getBitWidth() / 8));
    b.CreateBr(retry);
    b.SetInsertPoint(retry);
    PHINode *old = b.CreatePHI(bits, 2);
    old->addIncoming(initial, before);
    auto widen = [&](Value *x) {
      return narrow ? emitter.getFormats().widen(x, *narrow) : b.CreateBitCast(x, type);
    };
    Value *lhs = widen(old), *rhs = widen(b.CreateBitCast(value, bits));
    Value *result = nullptr;
    if (kind == tt::RMWOp::FADD || kind == tt::RMWOp::ADD)
      result = b.CreateFAdd(lhs, rhs);
    else if (kind == tt::RMWOp::MAX || kind == tt::RMWOp::UMAX)
      result = b.CreateBinaryIntrinsic(Intrinsic::maxnum, lhs, rhs);
    else
      result = b.CreateBinaryIntrinsic(Intrinsic::minnum, lhs, rhs);
    result = narrow ? emitter.getFormats().narrow(result, *narrow) : b.CreateBitCast(result, bits);
    Value *exchange =
        b.CreateAtomicCmpXchg(pointer, old, result, MaybeAlign(), ordering, AtomicOrdering::Monotonic);
    Value *seen = b.CreateExtractValue(exchange, 0);
    old->addIncoming(seen, b.GetInsertBlock());
    b.CreateCondBr(b.CreateExtractValue(exchange, 1), done, retry);
    b.SetInsertPoint(done);
    return b.CreateBitCast(seen, type);
  });
}

Value *FunctionLowering::emitAtomic(tt::AtomicCASOp op, Value *pointer, Value *compare, Value *value) {
  Type *type = value->getType();
  Type *bits = type->isPointerTy() ? type : b.getIntNTy(type->getPrimitiveSizeInBits());
  AtomicOrdering ordering = getOrdering(op.getSem());
  AtomicOrdering onFailure = AtomicCmpXchgInst::getStrongestFailureOrdering(ordering);
  Value *exchange = b.CreateAtomicCmpXchg(pointer, b.CreateBitCast(compare, bits),
                                          b.CreateBitCast(value, bits), MaybeAlign(), ordering, onFailure);
  return b.CreateBitCast(b.CreateExtractValue(exchange, 0), type);
}

namespace {

class AtomicSink : public Sink {
public:
  AtomicSink(FunctionLowering &lowering, mlir::Operation *op) : lowering(lowering), op(op) {}

  void getInputs(SmallVectorImpl<mlir::Value> &values, SmallVectorImpl<mlir::Value> &masks) override {
    values.append(op->operand_begin(), op->operand_end());
  }
  bool needsSingleLanes() override { return true; }
  void begin(const NestShape &nest) override {
    if (!op->use_empty())
      lowering.getBuffer(op->getResult(0));
  }
  void evaluate(const Indices &indices, unsigned copy) override {
    operands.clear();
    for (mlir::Value operand : op->getOperands())
      operands.push_back(lowering.getEvaluator().evaluate(operand, indices));
  }
  void commit(const Indices &indices, unsigned copy) override {
    if (lowering.hasFailed())
      return;
    Value *old;
    if (auto rmw = mlir::dyn_cast<tt::AtomicRMWOp>(op))
      old = lowering.emitAtomic(rmw, operands[0], operands[1], operands.size() > 2 ? operands[2] : nullptr);
    else
      old = lowering.emitAtomic(mlir::cast<tt::AtomicCASOp>(op), operands[0], operands[1], operands[2]);
    if (!op->use_empty() && !lowering.hasFailed())
      lowering.getEvaluator().writeBuffer(lowering.getBuffer(op->getResult(0)), indices, old);
  }

private:
  FunctionLowering &lowering;
  mlir::Operation *op;
  SmallVector<Value *, 3> operands;
};

class HistogramSink : public Sink {
public:
  HistogramSink(FunctionLowering &lowering, tt::HistogramOp histogram)
      : lowering(lowering), histogram(histogram) {}

  void getInputs(SmallVectorImpl<mlir::Value> &values, SmallVectorImpl<mlir::Value> &masks) override {
    values.append(histogram->operand_begin(), histogram->operand_end());
  }
  bool needsSingleLanes() override { return true; }
  void begin(const NestShape &nest) override {
    IRBuilder<> &b = lowering.getBuilder();
    Buffer &bins = lowering.getBuffer(histogram.getResult());
    uint64_t bytes = bins.type.getNumElements() * (bins.stored->getPrimitiveSizeInBits() / 8);
    b.CreateMemSet(bins.pointer, b.getInt8(0), bytes, Align(8));
  }
  void evaluate(const Indices &indices, unsigned copy) override {
    TileEvaluator &evaluator = lowering.getEvaluator();
    number = evaluator.evaluate(histogram.getSrc(), indices);
    mask = histogram.getMask() ? evaluator.evaluate(histogram.getMask(), indices) : nullptr;
  }
  void commit(const Indices &indices, unsigned copy) override {
    if (lowering.hasFailed())
      return;
    // Numbers outside of the bins are not counted: they add zero to the first.
    IRBuilder<> &b = lowering.getBuilder();
    Buffer &bins = lowering.getBuffer(histogram.getResult());
    Value *bin = b.CreateSExtOrTrunc(number, b.getInt64Ty());
    Value *counts = b.CreateICmpULT(bin, b.getInt64(bins.type.getNumElements()));
    if (mask)
      counts = b.CreateAnd(counts, mask);
    Value *address = b.CreateGEP(bins.stored, bins.pointer, b.CreateSelect(counts, bin, b.getInt64(0)));
    Value *sum = b.CreateAdd(b.CreateLoad(bins.stored, address), b.CreateZExt(counts, bins.stored));
    b.CreateStore(sum, address);
  }

private:
  FunctionLowering &lowering;
  tt::HistogramOp histogram;
  Value *number = nullptr, *mask = nullptr;
};

} // namespace

std::unique_ptr<Sink> createAtomicSink(FunctionLowering &lowering, mlir::Operation *op) {
  return std::make_unique<AtomicSink>(lowering, op);
}

std::unique_ptr<Sink> createHistogramSink(FunctionLowering &lowering, tt::HistogramOp histogram) {
  return std::make_unique<HistogramSink>(lowering, histogram);
}

} // namespace nereid::cpu
