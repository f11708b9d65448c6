// The walk over a function, and the operations that are no loops: scalars, calls, returns. Control flow,
// products and the sinks of loop nests have files of their own.
#include "compiler/lowering/cpu/FunctionLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace nereid::cpu {

/// Buffers begin on cache lines.
static constexpr uint64_t bufferAlignment = 64;

static bool isTensor(mlir::Type type) { return mlir::isa<mlir::RankedTensorType>(type); }

static Type *getParameterType(LLVMContext &context, mlir::Type type) {
  if (isTensor(type) || mlir::isa<tt::PointerType>(type))
    return PointerType::get(context, 0);
  if (type.isF32())
    return Type::getFloatTy(context);
  if (type.isF64())
    return Type::getDoubleTy(context);
  return IntegerType::get(context, type.isIndex() ? 64 : type.getIntOrFloatBitWidth());
}

FunctionType *FunctionLowering::getType(LLVMContext &context, tt::FuncOp function) {
  SmallVector<Type *> parameters, results;
  for (mlir::Type type : function.getArgumentTypes())
    parameters.push_back(getParameterType(context, type));
  // Tensors are returned in buffers that the caller passes.
  for (mlir::Type type : function.getResultTypes())
    (isTensor(type) ? parameters : results).push_back(getParameterType(context, type));
  parameters.append(6, Type::getInt32Ty(context));
  parameters.push_back(PointerType::get(context, 0));
  Type *result = results.empty() ? Type::getVoidTy(context) : StructType::get(context, results);
  return FunctionType::get(result, parameters, false);
}

FunctionLowering::FunctionLowering(Module &module, const VectorTarget &target, tt::FuncOp source,
                                   Function *function, const LoweredFunctions &others)
    : module(module), target(target), source(source), function(function), others(others),
      b(module.getContext()), plan(source), emitter(b, target), evaluator(b, emitter, values, plan),
      loops(b, evaluator, plan, target) {}

Value *FunctionLowering::getGridArgument(unsigned i) {
  return function->getArg(function->arg_size() - 7 + i);
}

bool FunctionLowering::run() {
  entry = BasicBlock::Create(b.getContext(), "entry", function);
  BasicBlock *body = BasicBlock::Create(b.getContext(), "body", function);
  b.SetInsertPoint(body);
  scratch = function->getArg(function->arg_size() - 1);
  for (auto [argument, value] : llvm::zip(source.getBody().getArguments(), function->args())) {
    if (auto type = mlir::dyn_cast<mlir::RankedTensorType>(argument.getType()))
      values.buffers[argument] = {&value, type, emitter.memoryType(type)};
    else
      values.scalars[argument] = &value;
  }
  emitRegions(source.getBody());
  for (GetElementPtrInst *address : calleeScratch)
    address->setOperand(1, b.getInt64(frameBytes));
  IRBuilder<>(entry).CreateBr(body);
  return !hasFailed();
}

Buffer FunctionLowering::createBuffer(mlir::RankedTensorType type, bool forProduct) {
  Type *stored = emitter.memoryType(type);
  mlir::Type element = type.getElementType();
  if (forProduct && getNarrowFloat(element))
    stored = b.getFloatTy();
  else if (forProduct && stored->isIntegerTy() && stored->getIntegerBitWidth() < 32)
    stored = b.getInt32Ty();
  uint64_t elementBytes = stored->isPointerTy() ? 8 : divideCeil(stored->getPrimitiveSizeInBits(), 8);
  uint64_t offset = frameBytes;
  frameBytes = alignTo(frameBytes + type.getNumElements() * elementBytes, bufferAlignment);
  Value *pointer = IRBuilder<>(entry).CreateInBoundsGEP(b.getInt8Ty(), scratch, b.getInt64(offset));
  return {pointer, type, stored};
}

Buffer &FunctionLowering::getBuffer(mlir::Value value) {
  Buffer &buffer = values.buffers[value];
  if (!buffer.pointer)
    buffer = createBuffer(mlir::cast<mlir::RankedTensorType>(value.getType()), plan.isProductOperand(value));
  return buffer;
}

AllocaInst *FunctionLowering::createLocal(Type *type) {
  return IRBuilder<>(entry, entry->begin()).CreateAlloca(type);
}

bool FunctionLowering::combine(mlir::Region &region, ArrayRef<Value *> lhs, ArrayRef<Value *> rhs,
                               SmallVectorImpl<Value *> &results) {
  SmallVector<Value *> arguments(lhs);
  arguments.append(rhs.begin(), rhs.end());
  results.clear();
  if (!isStraightLine(region)) {
    combineLanes(region, arguments, results);
    return !hasFailed();
  }
  auto outer = [&](mlir::Value value) { return getScalar(value); };
  if (emitter.emitRegion(region, arguments, results, outer))
    return true;
  fail();
  return false;
}

/// Code with branches or loops runs for each lane by itself.
void FunctionLowering::combineLanes(mlir::Region &region, ArrayRef<Value *> arguments,
                                    SmallVectorImpl<Value *> &results) {
  unsigned lanes = 1;
  for (Value *argument : arguments)
    lanes = std::max(lanes, ElementEmitter::getLanes(argument));
  for (unsigned lane = 0; lane < lanes && !hasFailed(); ++lane) {
    SmallVector<Value *> elements;
    for (Value *argument : arguments)
      elements.push_back(argument->getType()->isVectorTy() ? b.CreateExtractElement(argument, lane)
                                                           : argument);
    SmallVector<Value *> combined = emitScalarRegion(region, elements);
    if (lanes == 1) {
      results.assign(combined.begin(), combined.end());
      return;
    }
    for (auto [i, value] : llvm::enumerate(combined)) {
      if (lane == 0)
        results.push_back(PoisonValue::get(FixedVectorType::get(value->getType(), lanes)));
      results[i] = b.CreateInsertElement(results[i], value, lane);
    }
  }
}

Value *FunctionLowering::emitIf(Value *condition, Type *type, llvm::function_ref<Value *()> body) {
  if (!condition)
    return body();
  LLVMContext &context = b.getContext();
  BasicBlock *before = b.GetInsertBlock();
  BasicBlock *then = BasicBlock::Create(context, "then", function);
  BasicBlock *rest = BasicBlock::Create(context, "rest", function);
  b.CreateCondBr(condition, then, rest);
  b.SetInsertPoint(then);
  Value *result = body();
  BasicBlock *end = b.GetInsertBlock();
  b.CreateBr(rest);
  b.SetInsertPoint(rest);
  if (!type || type->isVoidTy())
    return nullptr;
  PHINode *merged = b.CreatePHI(type, 2);
  merged->addIncoming(Constant::getNullValue(type), before);
  merged->addIncoming(result, end);
  return merged;
}

void FunctionLowering::emitBlock(mlir::Block &block) {
  for (mlir::Operation &op : block) {
    if (hasFailed())
      return;
    emitOperation(&op);
  }
}

void FunctionLowering::emitOperation(mlir::Operation *op) {
  for (RootGroup *group : plan.getGroupsAt(op))
    emitGroup(*group);
  if (TilePlan::isVirtual(op) || hasFailed())
    return;
  bool hasTensorOperand = llvm::any_of(op->getOperandTypes(), isTensor);
  // Roots over tensors belong to groups; their own place may be earlier than their group's.
  if (hasTensorOperand && mlir::isa<tt::StoreOp, tt::ReduceOp, tt::ScanOp, tt::AtomicRMWOp, tt::AtomicCASOp,
                                    tt::HistogramOp, tt::AssertOp>(op))
    return;
  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op))
    return emitFor(loop);
  if (auto loop = mlir::dyn_cast<mlir::scf::WhileOp>(op))
    return emitWhile(loop);
  if (auto ifOp = mlir::dyn_cast<mlir::scf::IfOp>(op))
    return emitIfOp(ifOp);
  if (mlir::isa<mlir::scf::YieldOp, mlir::scf::ConditionOp>(op))
    return; // The operation around it passes its operands on.
  if (mlir::isa<mlir::cf::BranchOp, mlir::cf::CondBranchOp>(op))
    return emitBranch(op);
  if (auto call = mlir::dyn_cast<tt::CallOp>(op))
    return emitCall(call);
  if (auto result = mlir::dyn_cast<tt::ReturnOp>(op))
    return emitReturn(result);
  if (auto product = mlir::dyn_cast<tt::DotOp>(op))
    return emitProduct(product);
  if (auto map = mlir::dyn_cast<tt::MapElementwiseOp>(op))
    return emitMap(map);
  if (mlir::isa<tt::MapElementwiseReturnOp, tt::ReduceReturnOp, tt::ScanReturnOp>(op)) {
    for (auto [phi, operand] : llvm::zip(regionResults, op->getOperands()))
      phi->addIncoming(getScalar(operand), b.GetInsertBlock());
    b.CreateBr(regionExit);
    return;
  }
  if (mlir::isa<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp>(op))
    return emitScalarAccess(op);
  if (auto id = mlir::dyn_cast<tt::GetProgramIdOp>(op)) {
    values.scalars[id] = getGridArgument(id.getAxisAsInt());
    return;
  }
  if (auto count = mlir::dyn_cast<tt::GetNumProgramsOp>(op)) {
    values.scalars[count] = getGridArgument(3 + count.getAxisAsInt());
    return;
  }
  if (auto unsplat = mlir::dyn_cast<tt::UnsplatOp>(op)) {
    evaluator.beginNest(1, {});
    Indices indices(mlir::cast<mlir::RankedTensorType>(unsplat.getSrc().getType()).getRank(),
                    evaluator.constantIndex(0));
    values.scalars[unsplat.getResult()] = evaluator.evaluate(unsplat.getSrc(), indices);
    evaluator.endNest();
    return;
  }
  if (auto assertion = mlir::dyn_cast<tt::AssertOp>(op))
    return emitAssert(assertion, getScalar(assertion.getCondition()));
  if (auto print = mlir::dyn_cast<tt::PrintOp>(op)) {
    mlir::RankedTensorType type;
    for (mlir::Value argument : print.getArgs())
      if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(argument.getType()))
        type = tensor;
    if (type) {
      auto sink = createPrintSink(*this, print, type);
      loops.emit(type.getShape(), {sink.get()}, {});
      return;
    }
    SmallVector<Value *> arguments;
    for (mlir::Value argument : print.getArgs())
      arguments.push_back(getScalar(argument));
    return emitPrint(print, arguments, {});
  }
  if (mlir::isa<mlir::arith::ConstantOp>(op))
    return; // Made where it is used.
  if (mlir::isa<mlir::ub::PoisonOp>(op)) {
    values.scalars[op->getResult(0)] =
        Constant::getNullValue(emitter.registerType(op->getResult(0).getType()));
    return;
  }
  StringRef name = op->getName().getStringRef();
  if (name == "llvm.intr.assume" || name == "gpu.barrier" || name == "ttg.barrier")
    return; // A program runs on one thread.
  if (isElementwise(op)) {
    SmallVector<Value *> operands, results;
    for (mlir::Value operand : op->getOperands())
      operands.push_back(getScalar(operand));
    if (hasFailed() || !emitter.emit(op, operands, results))
      return fail();
    for (auto [value, result] : llvm::zip(op->getResults(), results))
      values.scalars[value] = result;
    return;
  }
  op->emitError() << "'" << name << "' is not supported on the CPU yet";
  fail();
}

void FunctionLowering::emitGroup(const RootGroup &group) {
  SmallVector<std::unique_ptr<Sink>> sinks;
  for (mlir::Value value : group.materialized)
    sinks.push_back(createFillSink(*this, value, getBuffer(value)));
  for (mlir::Operation *root : group.roots) {
    if (auto store = mlir::dyn_cast<tt::StoreOp>(root))
      sinks.push_back(createStoreSink(*this, store));
    else if (auto reduce = mlir::dyn_cast<tt::ReduceOp>(root))
      sinks.push_back(createReduceSink(*this, reduce));
    else if (auto scan = mlir::dyn_cast<tt::ScanOp>(root))
      sinks.push_back(createScanSink(*this, scan));
    else if (auto histogram = mlir::dyn_cast<tt::HistogramOp>(root))
      sinks.push_back(createHistogramSink(*this, histogram));
    else if (auto assertion = mlir::dyn_cast<tt::AssertOp>(root))
      sinks.push_back(createAssertSink(*this, assertion));
    else
      sinks.push_back(createAtomicSink(*this, root));
  }
  SmallVector<Sink *> pointers;
  for (auto &sink : sinks)
    pointers.push_back(sink.get());
  loops.emit(group.shape, pointers, group.materialized);
}

/// Loads, stores and atomics of one element.
void FunctionLowering::emitScalarAccess(mlir::Operation *op) {
  if (auto load = mlir::dyn_cast<tt::LoadOp>(op)) {
    Value *mask = load.getMask() ? getScalar(load.getMask()) : nullptr;
    Value *other = load.getOther() ? getScalar(load.getOther()) : nullptr;
    values.scalars[load] =
        evaluator.load({getScalar(load.getPtr()), 0}, load.getType(), mask, other, load.getIsVolatile());
  } else if (auto store = mlir::dyn_cast<tt::StoreOp>(op)) {
    Value *mask = store.getMask() ? getScalar(store.getMask()) : nullptr;
    evaluator.store({getScalar(store.getPtr()), 0}, store.getValue().getType(), getScalar(store.getValue()),
                    mask);
  } else if (auto rmw = mlir::dyn_cast<tt::AtomicRMWOp>(op)) {
    Value *mask = rmw.getMask() ? getScalar(rmw.getMask()) : nullptr;
    values.scalars[rmw] = emitAtomic(rmw, getScalar(rmw.getPtr()), getScalar(rmw.getVal()), mask);
  } else if (auto cas = mlir::dyn_cast<tt::AtomicCASOp>(op)) {
    values.scalars[cas] =
        emitAtomic(cas, getScalar(cas.getPtr()), getScalar(cas.getCmp()), getScalar(cas.getVal()));
  }
}

void FunctionLowering::emitCall(tt::CallOp call) {
  auto callee = mlir::SymbolTable::lookupNearestSymbolFrom<tt::FuncOp>(call, call.getCalleeAttr());
  auto it = callee ? others.find(callee) : others.end();
  if (it == others.end() || !it->second.function) {
    call.emitError() << "call of '" << call.getCallee() << "', which is recursive or has no body";
    return fail();
  }
  SmallVector<Value *> arguments;
  for (mlir::Value operand : call.getOperands()) {
    auto type = mlir::dyn_cast<mlir::RankedTensorType>(operand.getType());
    if (!type) {
      arguments.push_back(getScalar(operand));
      continue;
    }
    Buffer buffer = createBuffer(type);
    assign({{operand, buffer}});
    arguments.push_back(buffer.pointer);
  }
  for (mlir::Value result : call.getResults())
    if (isTensor(result.getType()))
      arguments.push_back(getBuffer(result).pointer);
  for (unsigned i = 0; i < 6; ++i)
    arguments.push_back(getGridArgument(i));
  // The callee's scratch begins where this function's ends, which is only known when it is finished.
  calleeBytes = std::max(calleeBytes, it->second.scratchBytes);
  Value *zero = b.getInt64(0);
  auto *offset = GetElementPtrInst::Create(b.getInt8Ty(), scratch, zero, Twine("callee.scratch"),
                                           InsertPosition(b.GetInsertBlock()));
  calleeScratch.push_back(offset);
  arguments.push_back(offset);
  CallInst *result = b.CreateCall(it->second.function, arguments);
  unsigned next = 0;
  for (mlir::Value value : call.getResults())
    if (!isTensor(value.getType()))
      values.scalars[value] = b.CreateExtractValue(result, next++);
}

void FunctionLowering::emitReturn(tt::ReturnOp op) {
  SmallVector<Value *> scalars;
  SmallVector<Assignment> tensors;
  unsigned output = source.getNumArguments();
  for (mlir::Value operand : op.getSrcs()) {
    if (auto type = mlir::dyn_cast<mlir::RankedTensorType>(operand.getType()))
      tensors.push_back({operand, {function->getArg(output++), type, emitter.memoryType(type)}});
    else
      scalars.push_back(getScalar(operand));
  }
  assign(tensors);
  if (scalars.empty()) {
    b.CreateRetVoid();
    return;
  }
  Value *result = PoisonValue::get(function->getReturnType());
  for (auto [i, scalar] : llvm::enumerate(scalars))
    result = b.CreateInsertValue(result, scalar, i);
  b.CreateRet(result);
}

} // namespace nereid::cpu
