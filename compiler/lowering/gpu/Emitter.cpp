// The walk itself: values, types, function bodies and calls. See Emitter.h.
#include "compiler/lowering/gpu/Emitter.h"
#include "compiler/lowering/gpu/LargeTiles.h"

#include "mlir/IR/RegionGraphTraits.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace nereid::gpu {

Emitter::Emitter(ModuleState &state, tt::FuncOp source, llvm::Function &function)
    : b(state.module.getContext()), state(state), target(state.target), source(source), function(function),
      largeTiles(std::make_unique<LargeTiles>(*this, source)) {
  // Products may be fused into sums, as in Triton; nothing else is relaxed.
  llvm::FastMathFlags flags;
  flags.setAllowContract();
  b.setFastMathFlags(flags);
}

Emitter::~Emitter() = default;

//===- Values and types --------------------------------------------------===//

const Registers &Emitter::get(Value value) const {
  auto it = values.find(value);
  assert(it != values.end() && "operands are emitted before their users");
  return it->second;
}

llvm::Value *Emitter::getScalar(Value value) const {
  assert(!isa<RankedTensorType>(value.getType()));
  return get(value).front();
}

void Emitter::set(Value value, Registers registers) {
  assert(registers.size() == countRegisters(value.getType()) ||
         (registers.empty() && largeTiles->isLarge(value)));
  values[value] = std::move(registers);
}

llvm::Type *Emitter::convertType(Type type) const {
  type = getElementTypeOrSelf(type);
  if (auto pointer = dyn_cast<tt::PointerType>(type))
    return llvm::PointerType::get(function.getContext(), pointer.getAddressSpace());
  if (type.isF64())
    return llvm::Type::getDoubleTy(function.getContext());
  if (type.isF32())
    return llvm::Type::getFloatTy(function.getContext());
  if (type.isF16())
    return llvm::Type::getHalfTy(function.getContext());
  if (type.isBF16())
    return llvm::Type::getBFloatTy(function.getContext());
  if (isa<tt::TensorDescType>(type))
    return llvm::PointerType::get(function.getContext(), 0); // to a tensor map
  if (isa<IndexType>(type))
    return llvm::Type::getInt64Ty(function.getContext());
  if (isa<ttg::MemDescType, ttg::AsyncTokenType>(type))
    return llvm::Type::getInt32Ty(function.getContext());
  return llvm::Type::getIntNTy(function.getContext(), type.getIntOrFloatBitWidth());
}

unsigned Emitter::getElementBytes(Type type) const {
  return state.module.getDataLayout().getTypeStoreSize(convertType(type)).getFixedValue();
}

llvm::Type *Emitter::getMemoryType(Type type) const {
  llvm::Type *converted = convertType(type);
  return converted->isIntegerTy(1) ? llvm::Type::getInt8Ty(function.getContext()) : converted;
}

llvm::Value *Emitter::toMemory(llvm::Value *value) {
  return value->getType()->isIntegerTy(1) ? b.CreateZExt(value, b.getInt8Ty()) : value;
}

llvm::Value *Emitter::fromMemory(llvm::Value *value, Type type) {
  return convertType(type)->isIntegerTy(1) ? b.CreateTrunc(value, b.getInt1Ty()) : value;
}

const LinearLayout &Emitter::getLayout(RankedTensorType type) {
  auto it = layouts.find(type);
  if (it == layouts.end())
    it = layouts.try_emplace(type, ttg::toLinearLayout(type)).first;
  return it->second;
}

unsigned Emitter::countRegisters(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return getLayout(tensor).getInSize(Dim::Register);
  return isa<ttg::MemDescType>(type) ? 2 : 1;
}

//===- Blocks ------------------------------------------------------------===//

llvm::BasicBlock *Emitter::createBlock(const llvm::Twine &name) {
  return llvm::BasicBlock::Create(function.getContext(), name, &function);
}

Registers Emitter::createPhis(Type type) {
  Registers phis;
  if (largeTiles->isLarge(type))
    return phis;
  llvm::Type *element = convertType(type);
  for (unsigned i = 0, n = countRegisters(type); i < n; ++i)
    phis.push_back(b.CreatePHI(element, 2));
  return phis;
}

void Emitter::addIncoming(const Registers &phis, const Registers &values, llvm::BasicBlock *from) {
  for (auto [phi, value] : llvm::zip_equal(phis, values))
    cast<llvm::PHINode>(phi)->addIncoming(value, from);
}

unsigned Emitter::getRepeatedRegisterBits(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return 0;
  AxisInfo info = state.axisInfo.get(value);
  const LinearLayout &layout = getLayout(type);
  unsigned repeated = 0;
  for (unsigned bit = 0; bit < layout.getInBits(Dim::Register); ++bit) {
    bool staysInRun = true;
    for (int64_t d = 0; d < type.getRank(); ++d)
      staysInRun &= layout.getBasis(Dim::Register, bit, tensorDim(d)) < info.constancy[d];
    if (staysInRun)
      repeated |= 1u << bit;
  }
  return repeated;
}

LogicalResult Emitter::emitOperation(Operation *op) {
  llvm::DebugLoc around = b.getCurrentDebugLocation();
  b.SetCurrentDebugLocation(state.lines.get(function, op->getLoc()));
  llvm::scope_exit restore([&] { b.SetCurrentDebugLocation(around); });
  bool isLarge = largeTiles->concerns(op);
  if (isLarge && failed(largeTiles->refuseIfUnsupported(op)))
    return failure();
  if (auto emit = state.table.find(op->getName()))
    return emit(*this, op);
  auto element = state.table.findElementwise(op->getName());
  if (!element)
    return op->emitError() << "'" << op->getName() << "' is not supported on this target yet";
  if (isLarge)
    return largeTiles->defer(op);
  Registers results;
  llvm::SmallVector<llvm::Value *> operands(op->getNumOperands()), nextOperands(op->getNumOperands());
  unsigned repeated = getRepeatedRegisterBits(op->getResult(0));
  auto findOperands = [&](unsigned i, llvm::SmallVector<llvm::Value *> &found) {
    for (auto [operand, value] : llvm::zip_equal(found, op->getOperands())) {
      // A scalar beside tensors, such as the condition of a select, is the same for every element.
      const Registers &registers = get(value);
      operand = isa<RankedTensorType>(value.getType()) ? registers[i] : registers.front();
    }
  };
  auto pair = state.table.findPairwise(op->getName());
  for (unsigned i = 0, n = countRegisters(op->getResult(0).getType()); i < n; ++i) {
    if (i & repeated) {
      results.push_back(results[i & ~repeated]);
      continue;
    }
    findOperands(i, operands);
    if (pair && i % 2 == 0 && i + 1 < n && !(repeated & 1)) {
      findOperands(i + 1, nextOperands);
      if (pair(*this, op, operands, nextOperands, results)) {
        ++i;
        continue;
      }
    }
    llvm::Value *result = element(*this, op, operands);
    if (!result)
      return failure();
    results.push_back(result);
  }
  set(op->getResult(0), std::move(results));
  return success();
}

LogicalResult Emitter::emitBody(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(emitOperation(&op)))
      return failure();
  return success();
}

/// Emits the blocks of a region, whose own block each is there already, after those that dominate them.
/// Arguments of all blocks but the first are phis.
LogicalResult Emitter::emitBlocks(Region &region,
                                  llvm::function_ref<LogicalResult(Operation *)> emitTerminator) {
  for (Block &block : llvm::drop_begin(region)) {
    b.SetInsertPoint(blocks[&block]);
    for (BlockArgument parameter : block.getArguments())
      set(parameter, createPhis(parameter.getType()));
    largeTiles->declare(block.getArguments());
  }
  llvm::ReversePostOrderTraversal<Region *> order(&region);
  llvm::SmallPtrSet<Block *, 8> reached;
  for (Block *block : order) {
    reached.insert(block);
    b.SetInsertPoint(blocks[block]);
    if (failed(emitBody(*block)) || failed(emitTerminator(block->getTerminator())))
      return failure();
  }
  for (Block &block : region) {
    if (!reached.contains(&block)) {
      b.SetInsertPoint(blocks[&block]);
      b.CreateUnreachable();
    }
  }
  return success();
}

FailureOr<Registers> Emitter::emitInline(Region &region, llvm::ArrayRef<llvm::Value *> arguments) {
  for (auto [argument, value] : llvm::zip_equal(region.getArguments(), arguments))
    set(argument, value);
  Registers results;
  if (region.hasOneBlock()) {
    if (failed(emitBody(region.front())))
      return failure();
    for (Value value : region.front().getTerminator()->getOperands())
      results.push_back(getScalar(value));
    return results;
  }

  // The terminators that leave the region go on here, where the results meet.
  llvm::BasicBlock *exit = createBlock("region.end");
  llvm::SmallVector<std::pair<llvm::BasicBlock *, Registers>> leaving;
  for (Block &block : region)
    blocks[&block] = createBlock("region");
  b.CreateBr(blocks[&region.front()]);
  auto emitTerminator = [&](Operation *terminator) -> LogicalResult {
    if (terminator->getNumSuccessors() > 0)
      return emitOperation(terminator);
    Registers passed;
    for (Value value : terminator->getOperands())
      passed.push_back(getScalar(value));
    leaving.push_back({b.GetInsertBlock(), std::move(passed)});
    b.CreateBr(exit);
    return success();
  };
  if (failed(emitBlocks(region, emitTerminator)))
    return failure();
  b.SetInsertPoint(exit);
  for (unsigned i = 0, n = leaving.empty() ? 0 : leaving[0].second.size(); i < n; ++i) {
    llvm::PHINode *phi = b.CreatePHI(leaving[0].second[i]->getType(), leaving.size());
    for (auto &[block, passed] : leaving)
      phi->addIncoming(passed[i], block);
    results.push_back(phi);
  }
  return results;
}

//===- Functions ---------------------------------------------------------===//

void Emitter::beginTeam(Team &begun, llvm::BasicBlock *next) {
  unsigned warpSize = target.getWarpSize();
  llvm::Value *number = target.threadId(b);
  // With the range known, `thread & 127` is no work.
  unsigned first = begun.firstWarp * warpSize;
  if (auto *call = dyn_cast<llvm::CallInst>(number))
    call->addRangeRetAttr(
        llvm::ConstantRange(llvm::APInt(32, first), llvm::APInt(32, first + begun.numWarps * warpSize)));
  begun.thread = first ? b.CreateSub(number, b.getInt32(first)) : number;
  begun.lane = b.CreateAnd(begun.thread, warpSize - 1);
  begun.warp = b.CreateLShr(begun.thread, llvm::Log2_32(warpSize));
  begun.entryEnd = b.CreateBr(next);
}

void Emitter::barrier() {
  if (state.totalWarps == 1)
    target.warpBarrier(b);
  else
    barrierForOthers();
}

bool Emitter::isBehind(const llvm::BasicBlock *block, const llvm::Instruction *place) const {
  if (b.GetInsertBlock() != block)
    return false;
  llvm::BasicBlock::const_iterator instruction = b.GetInsertPoint();
  while (instruction != block->begin()) {
    --instruction;
    if (&*instruction == place)
      return true;
    auto *call = llvm::dyn_cast<llvm::CallBase>(&*instruction);
    if (instruction->mayReadOrWriteMemory() || (call && call->isConvergent()))
      return false;
  }
  return !place;
}

bool Emitter::isBehindBarrier() const {
  return team.lastBarrier && isBehind(team.lastBarrier->getParent(), team.lastBarrier);
}

void Emitter::barrierForOthers() {
  if (isBehindBarrier())
    return;
  if (team.numWarps == state.totalWarps)
    target.barrier(b);
  else
    target.barrier(b, team.barrier, getNumThreads());
  team.lastBarrier = &*std::prev(b.GetInsertPoint());
}

void Emitter::barrierForFirst() {
  if (!isBehind(team.blockOfFirst, team.accessOfFirst))
    barrierForOthers();
}

void Emitter::noteAccessOfFirst() {
  team.blockOfFirst = b.GetInsertBlock();
  bool isEmpty = b.GetInsertPoint() == b.GetInsertBlock()->begin();
  team.accessOfFirst = isEmpty ? nullptr : &*std::prev(b.GetInsertPoint());
}

LogicalResult Emitter::run() {
  bool isKernel = source.isPublic();
  llvm::BasicBlock *entry = createBlock("entry");
  b.SetInsertPoint(entry);
  bool isSpecialized = isKernel && state.totalWarps > state.numWarps;
  if (isSpecialized)
    divideWarps();
  auto argument = function.arg_begin();
  sharedBase = isKernel ? static_cast<llvm::Value *>(state.shared) : &*argument++;
  for (BlockArgument parameter : source.getBody().getArguments()) {
    Registers registers;
    for (unsigned i = 0, n = countRegisters(parameter.getType()); i < n; ++i)
      registers.push_back(&*argument++);
    set(parameter, std::move(registers));
  }

  Region &body = source.getBody();
  for (Block &block : body)
    blocks[&block] = createBlock("");
  team.numWarps = state.numWarps;
  beginTeam(team, blocks[&body.front()]);
  if (failed(emitBlocks(body, [&](Operation *terminator) { return emitOperation(terminator); })))
    return failure();
  if (isSpecialized) {
    b.SetInsertPoint(workersEnd);
    b.CreateRetVoid();
  }
  return success();
}

LogicalResult Emitter::emitReturn(Operation *op, ValueRange results) {
  llvm::Type *type = function.getReturnType();
  if (type->isVoidTy()) {
    b.CreateRetVoid();
    return success();
  }
  llvm::Value *all = llvm::PoisonValue::get(type);
  unsigned index = 0;
  for (Value result : results)
    for (llvm::Value *value : get(result))
      all = b.CreateInsertValue(all, value, index++);
  b.CreateRet(all);
  return success();
}

} // namespace nereid::gpu
