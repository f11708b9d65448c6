// The walk over a function, and the operations that are no loops: scalars, calls, returns. Control flow,
// products and the sinks of loop nests have files of their own.
#include "compiler/lowering/cpu/FunctionLowering.h"
#include "compiler/lowering/cpu/EmitterTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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
  parameters.append(2, PointerType::get(context, 0));
  Type *result = results.empty() ? Type::getVoidTy(context) : StructType::get(context, results);
  return FunctionType::get(result, parameters, false);
}

FunctionLowering::FunctionLowering(ModuleState &state, tt::FuncOp source, Function *function)
    : state(state), module(state.module), target(state.target), source(source), function(function),
      b(module.getContext()), plan(source), emitter(b, target), evaluator(b, emitter, values, plan),
      loops(b, evaluator, plan, target) {
  emitter.setLines(state.lines, *function);
}

Value *FunctionLowering::getGridArgument(unsigned i) {
  return function->getArg(function->arg_size() - 8 + i);
}

bool FunctionLowering::run() {
  entry = BasicBlock::Create(b.getContext(), "entry", function);
  BasicBlock *body = BasicBlock::Create(b.getContext(), "body", function);
  b.SetInsertPoint(body);
  scratch = function->getArg(getScratchIndex(function->arg_size()));
  failure = function->getArg(function->arg_size() - 1);
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

/// How each operation is emitted. Those that consume tensors in loops of their own are roots, which a group
/// emits (TilePlan.h); what works on each element alone is ElementEmitter's.
const EmitterTable &FunctionLowering::getEmitters() {
  using Self = FunctionLowering;
  static const EmitterTable table = [] {
    EmitterTable table;
    table.add<mlir::scf::ForOp, &Self::emitFor>();
    table.add<mlir::scf::WhileOp, &Self::emitWhile>();
    table.add<mlir::scf::IfOp, &Self::emitIfOp>();
    table.add<mlir::cf::BranchOp, &Self::emitBranch>();
    table.add<mlir::cf::CondBranchOp, &Self::emitBranch>();
    table.add<tt::CallOp, &Self::emitCall>();
    table.add<tt::ReturnOp, &Self::emitReturn>();
    table.add<tt::DotOp, &Self::emitProduct>();
    table.add<tt::MapElementwiseOp, &Self::emitMap>();
    table.add<tt::MapElementwiseReturnOp, &Self::emitRegionReturn>();
    table.add<tt::ReduceReturnOp, &Self::emitRegionReturn>();
    table.add<tt::ScanReturnOp, &Self::emitRegionReturn>();
    table.add<tt::LoadOp, &Self::emitScalarAccess>();
    table.add<tt::GetProgramIdOp, &Self::emitProgramId>();
    table.add<tt::GetNumProgramsOp, &Self::emitNumPrograms>();
    table.add<tt::UnsplatOp, &Self::emitUnsplat>();
    table.add<tt::PrintOp, &Self::emitPrintOp>();
    table.add<mlir::ub::PoisonOp, &Self::emitPoison>();
    table.addNothing<mlir::scf::YieldOp>();      // The operation around it passes its operands on.
    table.addNothing<mlir::scf::ConditionOp>();  // The same.
    table.addNothing<mlir::arith::ConstantOp>(); // Made where it is used.
    // A program runs on one thread.
    for (const char *name : {"llvm.intr.assume", "gpu.barrier", "ttg.barrier"})
      table.addNothing(name);

    table.addRoot<tt::StoreOp, createStoreSink, &Self::emitScalarAccess>();
    table.addRoot<tt::AtomicRMWOp, createAtomicSink, &Self::emitScalarAccess>();
    table.addRoot<tt::AtomicCASOp, createAtomicSink, &Self::emitScalarAccess>();
    table.addRoot<tt::AssertOp, createAssertSink, &Self::emitScalarAssert>();
    table.addRoot<tt::ReduceOp, createReduceSink>();
    table.addRoot<tt::ScanOp, createScanSink>();
    table.addRoot<tt::HistogramOp, createHistogramSink>();
    return table;
  }();
  return table;
}

void FunctionLowering::emitOperation(mlir::Operation *op) {
  ElementEmitter::Place place(emitter, op);
  for (RootGroup *group : plan.getGroupsAt(op))
    emitGroup(*group);
  if (TilePlan::isVirtual(op) || hasFailed())
    return;
  const EmitterTable &table = getEmitters();
  // Roots over tensors belong to groups; their own place may be earlier than their group's.
  if (table.findRoot(op->getName()) && llvm::any_of(op->getOperandTypes(), isTensor))
    return;
  if (auto emit = table.find(op->getName()))
    return emit(*this, op);
  if (!isElementwise(op)) {
    op->emitError() << "'" << op->getName() << "' is not supported on the CPU yet";
    return fail();
  }
  SmallVector<Value *> operands, results;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(getScalar(operand));
  if (hasFailed() || !emitter.emit(op, operands, results))
    return fail();
  for (auto [value, result] : llvm::zip(op->getResults(), results))
    values.scalars[value] = result;
}

void FunctionLowering::emitRegionReturn(mlir::Operation *op) {
  for (auto [phi, operand] : llvm::zip(regionResults, op->getOperands()))
    phi->addIncoming(getScalar(operand), b.GetInsertBlock());
  b.CreateBr(regionExit);
}

void FunctionLowering::emitProgramId(tt::GetProgramIdOp op) {
  values.scalars[op] = getGridArgument(op.getAxisAsInt());
}

void FunctionLowering::emitNumPrograms(tt::GetNumProgramsOp op) {
  values.scalars[op] = getGridArgument(3 + op.getAxisAsInt());
}

void FunctionLowering::emitUnsplat(tt::UnsplatOp op) {
  evaluator.beginNest(1, {});
  Indices indices(mlir::cast<mlir::RankedTensorType>(op.getSrc().getType()).getRank(),
                  evaluator.constantIndex(0));
  values.scalars[op.getResult()] = evaluator.evaluate(op.getSrc(), indices);
  evaluator.endNest();
}

void FunctionLowering::emitScalarAssert(tt::AssertOp op) { emitAssert(op, getScalar(op.getCondition())); }

void FunctionLowering::emitPrintOp(tt::PrintOp op) {
  mlir::RankedTensorType type;
  for (mlir::Value argument : op.getArgs())
    if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(argument.getType()))
      type = tensor;
  if (type) {
    auto sink = createPrintSink(*this, op, type);
    loops.emit(type.getShape(), {sink.get()}, {});
    return;
  }
  SmallVector<Value *> arguments;
  for (mlir::Value argument : op.getArgs())
    arguments.push_back(getScalar(argument));
  emitPrint(op, arguments, {});
}

void FunctionLowering::emitPoison(mlir::ub::PoisonOp op) {
  values.scalars[op.getResult()] = Constant::getNullValue(emitter.registerType(op.getType()));
}

void FunctionLowering::emitGroup(const RootGroup &group) {
  SmallVector<std::unique_ptr<Sink>> sinks;
  SmallVector<Sink *> pointers;
  auto add = [&](std::unique_ptr<Sink> sink, mlir::Operation *origin) {
    sink->origin = origin;
    pointers.push_back(sink.get());
    sinks.push_back(std::move(sink));
  };
  for (mlir::Value value : group.materialized)
    add(createFillSink(*this, value, getBuffer(value)), value.getDefiningOp());
  for (mlir::Operation *root : group.roots)
    add(getEmitters().findRoot(root->getName())(*this, root), root);
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
  auto it = callee ? state.functions.find(callee) : state.functions.end();
  if (it == state.functions.end() || !it->second.function) {
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
  arguments.push_back(failure);
  CallInst *result = b.CreateCall(it->second.function, arguments);
  emitStopCheck();
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
