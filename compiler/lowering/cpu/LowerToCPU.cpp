// tt IR to LLVM IR for a CPU: the module, and the entry point that runs a range of programs.
//
// Every tt.func becomes an LLVM function that runs one program (FunctionLowering.h). The entry point, whose
// signature is in compiler/model/KernelInfo.h, reads the arguments once and calls the kernel's function for
// each program of its range.
#include "compiler/lowering/cpu/LowerToCPU.h"

#include "compiler/lowering/cpu/FunctionLowering.h"
#include "compiler/lowering/cpu/PrepareTiles.h"
#include "compiler/lowering/cpu/Waiting.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid::cpu {

/// Callees before callers; a function that calls itself comes before itself and is found out there.
static void visitCallees(tt::FuncOp function, mlir::SymbolTable &symbols, SmallVectorImpl<tt::FuncOp> &order,
                         DenseSet<mlir::Operation *> &seen) {
  if (!seen.insert(function).second)
    return;
  function.walk([&](tt::CallOp call) {
    if (auto callee = symbols.lookup<tt::FuncOp>(call.getCallee()))
      visitCallees(callee, symbols, order, seen);
  });
  order.push_back(function);
}

static void emitEntryPoint(ModuleState &state, ElementEmitter &emitter, IRBuilder<> &b, tt::FuncOp kernel,
                           StringRef symbol) {
  Module &module = state.module;
  LLVMContext &context = module.getContext();
  Function *program = state.functions[kernel].function;
  Type *pointer = b.getPtrTy(), *i64 = b.getInt64Ty(), *i32 = b.getInt32Ty();
  auto *type = FunctionType::get(b.getVoidTy(), {pointer, pointer, i64, i64, pointer, pointer}, false);
  auto *function = Function::Create(type, GlobalValue::ExternalLinkage, symbol, module);
  function->addFnAttr(Attribute::NoUnwind);
  for (unsigned i : {0, 1})
    function->addParamAttr(i, Attribute::ReadOnly);
  function->addParamAttr(4, Attribute::NoAlias);
  Value *arguments = function->getArg(0), *grid = function->getArg(1), *first = function->getArg(2),
        *last = function->getArg(3), *scratch = function->getArg(4), *failure = function->getArg(5);
  state.lines.addFunction(*function, kernel.getName(), kernel.getLoc());
  b.SetCurrentDebugLocation(state.lines.get(*function, kernel.getLoc()));

  BasicBlock *entry = BasicBlock::Create(context, "entry", function);
  BasicBlock *start = BasicBlock::Create(context, "start", function);
  BasicBlock *loop = BasicBlock::Create(context, "program", function);
  BasicBlock *exit = BasicBlock::Create(context, "exit", function);
  b.SetInsertPoint(entry);
  b.CreateCondBr(b.CreateICmpULT(first, last), start, exit);

  b.SetInsertPoint(start);
  SmallVector<Value *> passed;
  for (auto [i, argument] : llvm::enumerate(kernel.getArguments())) {
    Value *address = b.CreateLoad(pointer, b.CreateConstGEP1_64(pointer, arguments, i));
    Type *stored = emitter.memoryType(argument.getType()), *value = emitter.registerType(argument.getType());
    Value *loaded = b.CreateLoad(stored, address);
    passed.push_back(stored == value ? loaded : b.CreateTrunc(loaded, value));
  }
  Value *size[3];
  for (unsigned i = 0; i < 3; ++i)
    size[i] = b.CreateLoad(i32, b.CreateConstGEP1_64(i32, grid, i));
  // The position of the first program; the others follow by counting up. The grid's very first is not worth a
  // division.
  BasicBlock *divide = BasicBlock::Create(context, "divide", function, loop);
  b.CreateCondBr(b.CreateICmpEQ(first, b.getInt64(0)), loop, divide);
  b.SetInsertPoint(divide);
  Value *width = b.CreateZExt(size[0], i64), *height = b.CreateZExt(size[1], i64);
  Value *row = b.CreateUDiv(first, width);
  Value *initial[3] = {b.CreateTrunc(b.CreateURem(first, width), i32),
                       b.CreateTrunc(b.CreateURem(row, height), i32),
                       b.CreateTrunc(b.CreateUDiv(row, height), i32)};
  b.CreateBr(loop);

  b.SetInsertPoint(loop);
  PHINode *number = b.CreatePHI(i64, 3);
  number->addIncoming(first, start);
  number->addIncoming(first, divide);
  PHINode *position[3];
  for (unsigned i = 0; i < 3; ++i) {
    position[i] = b.CreatePHI(i32, 3);
    position[i]->addIncoming(b.getInt32(0), start);
    position[i]->addIncoming(initial[i], divide);
  }
  SmallVector<Value *> all(passed);
  all.append(std::begin(position), std::end(position));
  all.append(std::begin(size), std::end(size));
  all.push_back(scratch);
  all.push_back(failure);
  BasicBlock *run = loop;
  if (state.hasAssertions) {
    run = BasicBlock::Create(context, "run", function, exit);
    b.CreateCondBr(emitHasFailed(b, failure), exit, run);
    b.SetInsertPoint(run);
  }
  b.CreateCall(program, all);
  Value *carry = b.getTrue();
  for (unsigned i = 0; i < 3; ++i) {
    Value *next = b.CreateAdd(position[i], b.CreateZExt(carry, i32));
    Value *wraps = b.CreateAnd(carry, b.CreateICmpEQ(next, size[i]));
    position[i]->addIncoming(i == 2 ? next : b.CreateSelect(wraps, b.getInt32(0), next), run);
    carry = wraps;
  }
  Value *next = b.CreateAdd(number, b.getInt64(1));
  number->addIncoming(next, run);
  b.CreateCondBr(b.CreateICmpULT(next, last), loop, exit);
  b.SetInsertPoint(exit);
  b.CreateRetVoid();
}

std::unique_ptr<Module> lowerToLLVM(mlir::ModuleOp original, LLVMContext &context, const Target &target,
                                    KernelInfo &info, const SourceInfo &sourceInfo) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = original.clone();
  mlir::ModuleOp module = *copy;
  if (mlir::failed(prepareTiles(module)))
    return nullptr;

  mlir::SymbolTable symbols(module);
  tt::FuncOp kernel;
  for (auto function : module.getOps<tt::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    if (kernel) {
      function.emitError("more than one public function: which is the kernel?");
      return nullptr;
    }
    kernel = function;
  }
  if (!kernel) {
    module.emitError("no public function to compile");
    return nullptr;
  }

  VectorTarget vectorTarget = VectorTarget::get(target);
  auto result =
      std::make_unique<Module>(info.name.empty() ? kernel.getName() : StringRef(info.name), context);
  SmallVector<tt::FuncOp> order;
  DenseSet<mlir::Operation *> seen;
  visitCallees(kernel, symbols, order, seen);
  LineTables lines(*result, sourceInfo, LineTables::Form::DWARF);
  ModuleState state{*result, vectorTarget, sourceInfo, lines, /*hasAssertions=*/false, LoweredFunctions(0)};
  module.walk([&](tt::AssertOp) { state.hasAssertions = true; });
  info.programsWait = false;
  for (tt::FuncOp function : order) {
    if (function.isExternal()) {
      function.emitError() << "function '" << function.getName() << "' has no body";
      return nullptr;
    }
    std::string name = info.symbol + (function == kernel ? ".program" : "." + function.getName().str());
    auto *llvmFunction = Function::Create(FunctionLowering::getType(context, function),
                                          GlobalValue::InternalLinkage, name, *result);
    llvmFunction->addFnAttr(Attribute::NoUnwind);
    llvmFunction->addParamAttr(FunctionLowering::getScratchIndex(llvmFunction->arg_size()),
                               Attribute::NoAlias);
    bool isKernel = function == kernel;
    lines.addFunction(*llvmFunction,
                      isKernel && !info.name.empty() ? StringRef(info.name) : function.getName(),
                      function.getLoc());
    FunctionLowering lowering(state, function, llvmFunction);
    if (!lowering.run())
      return nullptr;
    state.functions[function] = {llvmFunction, lowering.getScratchBytes()};
    function.walk([&](mlir::scf::WhileOp loop) { info.programsWait |= isWaitingLoop(loop); });
  }
  info.scratchBytes = state.functions[kernel].scratchBytes;
  IRBuilder<> b(context);
  ElementEmitter emitter(b, vectorTarget);
  emitEntryPoint(state, emitter, b, kernel, info.symbol);
  lines.finish();
  if (sourceInfo.lineTables)
    for (Function &function : *result)
      if (!function.isDeclaration())
        function.setUWTableKind(UWTableKind::Async);
  return result;
}

} // namespace nereid::cpu
