// What a program knows of its place in the grid, and what it tells the outside: barriers, prints and
// assertions.
#include "compiler/lowering/gpu/Emitter.h"
#include "compiler/lowering/gpu/LargeTiles.h"
#include "compiler/lowering/source/SourcePosition.h"

using namespace mlir;

namespace nereid::gpu {

static LogicalResult emitProgramId(Emitter &e, tt::GetProgramIdOp op) {
  e.set(op.getResult(), e.target.programId(e.b, op.getAxisAsInt()));
  return success();
}

static LogicalResult emitNumPrograms(Emitter &e, tt::GetNumProgramsOp op) {
  e.set(op.getResult(), e.target.numPrograms(e.b, op.getAxisAsInt()));
  return success();
}

/// The printf conversion for a value, which is widened to the type that the conversion takes.
static std::string formatValue(Emitter &e, Type type, bool isSigned, bool hex, llvm::Value *&value) {
  llvm::IRBuilder<> &b = e.b;
  if (isa<tt::PointerType>(type)) {
    value = b.CreateAddrSpaceCast(value, b.getPtrTy());
    return "%p";
  }
  if (isa<FloatType>(type) && value->getType()->isFloatingPointTy()) {
    if (!value->getType()->isDoubleTy())
      value = b.CreateFPExt(value, b.getDoubleTy());
    return "%f";
  }
  unsigned bits = value->getType()->getIntegerBitWidth();
  bool isLong = bits > 32;
  value = b.CreateIntCast(value, isLong ? b.getInt64Ty() : b.getInt32Ty(), isSigned && bits > 1);
  std::string length = isLong ? "ll" : "";
  if (hex)
    return "0x%0" + std::to_string(std::max(bits / 4, 1u)) + length + "x";
  return "%" + length + (isSigned ? "d" : "u");
}

/// Text as a printf format that prints it.
static std::string escapePercent(llvm::StringRef text) {
  std::string format;
  for (char c : text)
    format += c == '%' ? "%%" : std::string(1, c);
  return format;
}

/// One line an element, as Triton prints: the program, the element's place, the prefix, the value.
static LogicalResult emitPrint(Emitter &e, tt::PrintOp op) {
  std::string prefix = escapePercent(op.getPrefix());
  llvm::SmallVector<llvm::Value *> program;
  for (unsigned axis = 0; axis < 3; ++axis)
    program.push_back(e.target.programId(e.b, axis));
  std::string where = "pid (%d, %d, %d)";

  auto printWhen = [&](llvm::Value *predicate, llvm::StringRef format,
                       llvm::ArrayRef<llvm::Value *> arguments) {
    llvm::BasicBlock *end = nullptr;
    if (predicate) {
      llvm::BasicBlock *then = e.createBlock("print");
      end = e.createBlock("print.end");
      e.b.CreateCondBr(predicate, then, end);
      e.b.SetInsertPoint(then);
    }
    e.target.print(e.b, format, arguments);
    if (end) {
      e.b.CreateBr(end);
      e.b.SetInsertPoint(end);
    }
  };
  llvm::Value *isFirst = e.b.CreateICmpEQ(e.threadId(), e.b.getInt32(0));
  if (op.getArgs().empty()) {
    printWhen(isFirst, where + " " + prefix + "\n", program);
    return success();
  }
  for (auto [i, argument] : llvm::enumerate(op.getArgs())) {
    bool isSigned = op.getIsSigned()[i] != 0;
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    std::string operand = op.getArgs().size() > 1 ? "(operand " + std::to_string(i) + ") " : "";
    if (!tensor) {
      llvm::SmallVector<llvm::Value *> arguments(program);
      arguments.push_back(e.getScalar(argument));
      std::string format = formatValue(e, argument.getType(), isSigned, op.getHex(), arguments.back());
      printWhen(isFirst, where + " idx ()" + prefix + operand + format + "\n", arguments);
      continue;
    }
    auto printElement = [&, tensor = tensor](llvm::Value *predicate, const Registers &coordinates,
                                             llvm::Value *value) {
      llvm::SmallVector<llvm::Value *> arguments(program);
      std::string index;
      for (llvm::Value *coordinate : coordinates) {
        index += index.empty() ? "%d" : ", %d";
        arguments.push_back(coordinate);
      }
      arguments.push_back(value);
      std::string format = formatValue(e, tensor.getElementType(), isSigned, op.getHex(), arguments.back());
      printWhen(predicate, where + " idx (" + index + ")" + prefix + operand + format + "\n", arguments);
    };
    if (e.large().isLarge(argument)) {
      LogicalResult done = e.large().forEachOwned(
          argument,
          [&, argument = argument](const RegisterNumber &number, llvm::Value *predicate) -> LogicalResult {
            llvm::Value *value = e.large().get(argument, number);
            if (!value)
              return failure();
            Registers coordinates;
            for (int64_t d = 0; d < tensor.getRank(); ++d)
              coordinates.push_back(e.large().getCoordinate(tensor, d, number));
            printElement(predicate, coordinates, value);
            return success();
          });
      if (failed(done))
        return failure();
      continue;
    }
    Emitter::Ownership ownership = e.getOwnership(tensor);
    for (auto [reg, coordinates] : llvm::enumerate(e.getCoordinates(tensor)))
      if (!(reg & ownership.copiedRegisters))
        printElement(ownership.predicate, coordinates, e.get(argument)[reg]);
  }
  return success();
}

/// Threads whose elements fail the condition stop the kernel with the message.
static LogicalResult emitAssert(Emitter &e, tt::AssertOp op) {
  llvm::Value *fails = e.b.getFalse();
  if (e.large().concerns(op)) {
    Type type = op.getCondition().getType();
    llvm::Value *holds = e.large().createSlot(type, 1);
    e.large().storeTo(holds, type, {}, e.b.getTrue());
    LogicalResult done = e.large().forEach(
        0, e.countRegisters(type), LargeTiles::chunk, [&](const RegisterNumber &first) -> LogicalResult {
          llvm::Value *soFar = e.large().loadFrom(holds, type, {});
          for (uint32_t i = 0; i < LargeTiles::chunk; ++i) {
            llvm::Value *condition = e.large().get(op.getCondition(), LargeTiles::plus(first, i));
            if (!condition)
              return failure();
            soFar = e.b.CreateAnd(soFar, condition);
          }
          e.large().storeTo(holds, type, {}, soFar);
          return success();
        });
    if (failed(done))
      return failure();
    fails = e.b.CreateNot(e.large().loadFrom(holds, type, {}));
  }
  for (llvm::Value *condition : e.get(op.getCondition()))
    fails = e.b.CreateOr(fails, e.b.CreateNot(condition));
  llvm::BasicBlock *then = e.createBlock("assert"), *end = e.createBlock("assert.end");
  e.b.CreateCondBr(fails, then, end);
  e.b.SetInsertPoint(then);
  SourcePosition position = findUserPosition(op.getLoc());
  std::string path = e.state.sourceInfo.getPath(position.path);
  std::string kernel = op->getParentOfType<tt::FuncOp>().getName().str();
  e.target.failAssertion(e.b, {op.getMessage(), path, position.line, kernel});
  e.b.CreateBr(end);
  e.b.SetInsertPoint(end);
  return success();
}

static LogicalResult emitBarrier(Emitter &e, ttg::LocalBarrierOp) {
  e.barrier();
  return success();
}

void addProgramEmitters(EmitterTable &table) {
  table.add<ttg::LocalBarrierOp, emitBarrier>();
  table.add<tt::GetProgramIdOp, emitProgramId>();
  table.add<tt::GetNumProgramsOp, emitNumPrograms>();
  table.add<tt::PrintOp, emitPrint>();
  table.add<tt::AssertOp, emitAssert>();
}

} // namespace nereid::gpu
