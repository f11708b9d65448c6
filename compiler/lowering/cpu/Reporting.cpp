// Assertions, which end the call and leave a record of why (compiler/model/KernelFailure.h), and prints,
// through the C library's printf.
#include "compiler/lowering/cpu/FunctionLowering.h"
#include "compiler/lowering/source/SourcePosition.h"
#include "compiler/model/KernelFailure.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid::cpu {

static FunctionCallee getPrintf(Module &module) {
  LLVMContext &context = module.getContext();
  Type *i32 = Type::getInt32Ty(context), *pointer = PointerType::get(context, 0);
  return module.getOrInsertFunction("printf", FunctionType::get(i32, {pointer}, /*isVarArg=*/true));
}

static std::string escapePercent(StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '%' ? "%%" : std::string(1, c);
  return result;
}

/// nereid::KernelFailure in LLVM's types.
static StructType *getFailureType(LLVMContext &context) {
  Type *i32 = Type::getInt32Ty(context), *pointer = PointerType::get(context, 0);
  return StructType::get(context, {i32, ArrayType::get(i32, 3), i32, i32, pointer, pointer});
}
static_assert(offsetof(KernelFailure, line) == 16 && offsetof(KernelFailure, file) == 24 &&
              sizeof(KernelFailure) == 40);

Value *emitHasFailed(IRBuilder<> &b, Value *failure) {
  LoadInst *load = b.CreateAlignedLoad(b.getInt32Ty(), failure, Align(4));
  load->setAtomic(AtomicOrdering::Monotonic);
  return b.CreateICmpNE(load, b.getInt32(0));
}

/// A function of the module that fills in the record, if it is the first to do so.
static Function *getFail(Module &module) {
  if (Function *known = module.getFunction("nereid.fail"))
    return known;
  LLVMContext &context = module.getContext();
  IRBuilder<> b(context);
  Type *i32 = b.getInt32Ty(), *pointer = b.getPtrTy();
  auto *type = FunctionType::get(b.getVoidTy(), {pointer, i32, i32, i32, i32, i32, pointer, pointer}, false);
  auto *function = Function::Create(type, GlobalValue::InternalLinkage, "nereid.fail", module);
  for (Attribute::AttrKind kind : {Attribute::Cold, Attribute::NoInline, Attribute::NoUnwind})
    function->addFnAttr(kind);
  BasicBlock *entry = BasicBlock::Create(context, "", function);
  BasicBlock *first = BasicBlock::Create(context, "first", function);
  BasicBlock *exit = BasicBlock::Create(context, "exit", function);
  b.SetInsertPoint(entry);
  Value *failure = function->getArg(0);
  Value *taken = b.CreateAtomicCmpXchg(failure, b.getInt32(0), b.getInt32(1), Align(4),
                                       AtomicOrdering::Monotonic, AtomicOrdering::Monotonic);
  b.CreateCondBr(b.CreateExtractValue(taken, 1), first, exit);
  b.SetInsertPoint(first);
  StructType *record = getFailureType(context);
  for (unsigned axis = 0; axis < 3; ++axis)
    b.CreateStore(function->getArg(1 + axis),
                  b.CreateInBoundsGEP(record, failure, {b.getInt32(0), b.getInt32(1), b.getInt32(axis)}));
  for (unsigned field = 2; field < 6; ++field)
    b.CreateStore(function->getArg(2 + field), b.CreateStructGEP(record, failure, field));
  b.CreateBr(exit);
  b.SetInsertPoint(exit);
  b.CreateRetVoid();
  return function;
}

void FunctionLowering::emitStop() {
  Type *type = function->getReturnType();
  if (type->isVoidTy())
    b.CreateRetVoid();
  else
    b.CreateRet(Constant::getNullValue(type));
}

void FunctionLowering::emitStopCheck() {
  if (!state.hasAssertions)
    return;
  LLVMContext &context = b.getContext();
  BasicBlock *stop = BasicBlock::Create(context, "stop", function);
  BasicBlock *goOn = BasicBlock::Create(context, "go.on", function);
  b.CreateCondBr(emitHasFailed(b, failure), stop, goOn, MDBuilder(context).createBranchWeights(1, 1 << 20));
  b.SetInsertPoint(stop);
  emitStop();
  b.SetInsertPoint(goOn);
}

void FunctionLowering::emitAssert(tt::AssertOp op, Value *condition) {
  LLVMContext &context = b.getContext();
  if (condition->getType()->isVectorTy())
    condition = b.CreateAndReduce(condition);
  BasicBlock *failed = BasicBlock::Create(context, "assert.failed", function);
  BasicBlock *holds = BasicBlock::Create(context, "assert.holds", function);
  b.CreateCondBr(condition, holds, failed, MDBuilder(context).createBranchWeights(1 << 20, 1));
  b.SetInsertPoint(failed);
  SourcePosition position = findUserPosition(op.getLoc());
  b.CreateCall(getFail(module), {failure, getGridArgument(0), getGridArgument(1), getGridArgument(2),
                                 b.getInt32(position.line), b.getInt32(position.column),
                                 b.CreateGlobalString(state.sourceInfo.getPath(position.path)),
                                 b.CreateGlobalString(op.getMessage())});
  emitStop();
  b.SetInsertPoint(holds);
}

void FunctionLowering::emitPrint(tt::PrintOp op, ArrayRef<Value *> arguments, const Indices &indices) {
  // One line an argument, as on GPUs: pid (0, 0, 0) idx (3) x: 1.5
  auto emitLine = [&](mlir::Value value, Value *argument, bool isSigned) {
    std::string format = "pid (%d, %d, %d) ";
    SmallVector<Value *> values{getGridArgument(0), getGridArgument(1), getGridArgument(2)};
    if (!indices.empty()) {
      format += "idx (";
      for (auto [i, index] : llvm::enumerate(indices)) {
        format += i ? ", %lld" : "%lld";
        values.push_back(index.base);
      }
      format += ") ";
    }
    format += escapePercent(op.getPrefix());
    if (value) {
      mlir::Type type = mlir::getElementTypeOrSelf(value.getType());
      if (mlir::isa<mlir::FloatType>(type)) {
        format += "%f";
        values.push_back(emitter.convertFloat(argument, type, mlir::Float64Type::get(op.getContext())));
      } else if (argument->getType()->isPointerTy()) {
        format += "%p";
        values.push_back(argument);
      } else {
        format += op.getHex() ? "0x%llx" : isSigned ? "%lld" : "%llu";
        bool extendSign = isSigned && !op.getHex() && !type.isInteger(1);
        values.push_back(extendSign ? b.CreateSExtOrTrunc(argument, b.getInt64Ty())
                                    : b.CreateZExtOrTrunc(argument, b.getInt64Ty()));
      }
    }
    values.insert(values.begin(), b.CreateGlobalString(format + "\n"));
    b.CreateCall(getPrintf(module), values);
  };
  if (op.getArgs().empty())
    emitLine(nullptr, nullptr, true);
  for (auto [i, value] : llvm::enumerate(op.getArgs())) {
    bool isSigned = i >= op.getIsSigned().size() || op.getIsSigned()[i] != 0;
    emitLine(value, arguments[i], isSigned);
  }
}

namespace {

class AssertSink : public Sink {
public:
  AssertSink(FunctionLowering &lowering, tt::AssertOp op) : lowering(lowering), op(op) {}

  void getInputs(SmallVectorImpl<mlir::Value> &values, SmallVectorImpl<mlir::Value> &masks) override {
    values.push_back(op.getCondition());
  }
  unsigned getMaximumCopies() override { return 1; }
  void evaluate(const Indices &indices, unsigned copy) override {
    condition = lowering.getEvaluator().evaluate(op.getCondition(), indices);
  }
  void commit(const Indices &indices, unsigned copy) override {
    if (!lowering.hasFailed())
      lowering.emitAssert(op, condition);
  }

private:
  FunctionLowering &lowering;
  tt::AssertOp op;
  Value *condition = nullptr;
};

class PrintSink : public Sink {
public:
  PrintSink(FunctionLowering &lowering, tt::PrintOp op, mlir::RankedTensorType type)
      : lowering(lowering), op(op), type(type) {}

  void getInputs(SmallVectorImpl<mlir::Value> &values, SmallVectorImpl<mlir::Value> &masks) override {
    values.append(op->operand_begin(), op->operand_end());
  }
  bool needsSingleLanes() override { return true; }
  void evaluate(const Indices &indices, unsigned copy) override {
    arguments.clear();
    for (mlir::Value argument : op.getArgs())
      arguments.push_back(lowering.getEvaluator().evaluate(argument, indices));
  }
  void commit(const Indices &indices, unsigned copy) override {
    if (!lowering.hasFailed())
      lowering.emitPrint(op, arguments, indices);
  }

private:
  FunctionLowering &lowering;
  tt::PrintOp op;
  mlir::RankedTensorType type;
  SmallVector<Value *> arguments;
};

} // namespace

std::unique_ptr<Sink> createAssertSink(FunctionLowering &lowering, tt::AssertOp op) {
  return std::make_unique<AssertSink>(lowering, op);
}

std::unique_ptr<Sink> createPrintSink(FunctionLowering &lowering, tt::PrintOp op,
                                      mlir::RankedTensorType type) {
  return std::make_unique<PrintSink>(lowering, op, type);
}

} // namespace nereid::cpu
