// Assertions and prints, through the C library's printf and abort.
#include "compiler/lowering/cpu/FunctionLowering.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid::cpu {

static FunctionCallee getPrintf(Module &module, bool toStandardError) {
  LLVMContext &context = module.getContext();
  Type *i32 = Type::getInt32Ty(context), *pointer = PointerType::get(context, 0);
  // dprintf needs a file descriptor only, and so no variable of the C library's.
  SmallVector<Type *> parameters;
  if (toStandardError)
    parameters.push_back(i32);
  parameters.push_back(pointer);
  return module.getOrInsertFunction(toStandardError ? "dprintf" : "printf",
                                    FunctionType::get(i32, parameters, /*isVarArg=*/true));
}

static std::string escapePercent(StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '%' ? "%%" : std::string(1, c);
  return result;
}

void FunctionLowering::emitAssert(tt::AssertOp op, Value *condition) {
  LLVMContext &context = b.getContext();
  if (condition->getType()->isVectorTy())
    condition = b.CreateAndReduce(condition);
  BasicBlock *failed = BasicBlock::Create(context, "assert.failed", function);
  BasicBlock *holds = BasicBlock::Create(context, "assert.holds", function);
  b.CreateCondBr(condition, holds, failed, MDBuilder(context).createBranchWeights(1 << 20, 1));
  b.SetInsertPoint(failed);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto location = op.getLoc()->findInstanceOf<mlir::FileLineColLoc>())
    stream << escapePercent(location.getFilename().getValue()) << ":" << location.getLine() << ": ";
  stream << "assertion failed in program (%d, %d, %d): " << escapePercent(op.getMessage()) << "\n";
  b.CreateCall(getPrintf(module, true), {b.getInt32(2), b.CreateGlobalString(text), getGridArgument(0),
                                         getGridArgument(1), getGridArgument(2)});
  b.CreateCall(module.getOrInsertFunction("abort", FunctionType::get(b.getVoidTy(), false)));
  b.CreateUnreachable();
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
    b.CreateCall(getPrintf(module, false), values);
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
