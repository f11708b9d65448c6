// Parts of a kernel whose warps do different things (ttg.warp_specialize).
//
// The block is launched with the warps of all partitions behind the kernel's own. Those, the workers, leave
// at the kernel's beginning for code of their own, and wait there until they are handed a partition:
//
//     entry:    warp < 8 ? own : workers
//     own:      …                                         workers:  barrier 1
//               captured values to shared memory                    captured values from shared memory
//               barrier 1                                           warp < 9 ? partition 0 : …
//               default region                            partition 0: …
//               barrier 1, if anything follows            barrier 1, if anything follows
//               …                                                   return
//
// What follows is known here, so no number tells the workers what comes next: they go through the specialized
// parts in the order of the program, which have to be straight code of the kernel. Captured values that the
// workers can have without being told, constants and arguments of the kernel, do not go through memory.
//
// Threads that run the same region wait for each other at a named barrier: the kernel's own at 0, partition i
// at 2 + i, all threads of the block at 1.
//
// Registers are handed from one group of four warps to another by setmaxnreg, where the operation asks for
// it: all begin with the same number, some give theirs back before they meet, and the others take them behind
// that.
#include "compiler/lowering/gpu/LargeTiles.h"
#include "compiler/transforms/ScratchMemory.h"

using namespace mlir;

namespace nereid::gpu {

constexpr unsigned meetingBarrier = 1, firstPartitionBarrier = 2;

//===-- Registers ------------------------------------------------------===//

namespace {

/// How many registers a thread of each group of four warps has.
struct RegisterPlan {
  unsigned atLaunch = 0, own = 0;
  llvm::SmallVector<unsigned> ofWorkers; // a group of four warps each
};

} // namespace

static std::optional<RegisterPlan> planRegisters(ttg::WarpSpecializeOp op, unsigned totalWarps,
                                                 std::optional<unsigned> mostAtLaunch) {
  constexpr unsigned warpsInGroup = 4, granularity = 8, allRegisters = 65536, least = 24, most = 240;
  unsigned ownWarps = ttg::getNumWarps(op);
  auto isAnother = [&](ttg::WarpSpecializeOp other) { return other != op; };
  auto others = op->getParentOfType<tt::FuncOp>().getOps<ttg::WarpSpecializeOp>();
  if (!op.getRequestedRegisters() || ownWarps % warpsInGroup || llvm::any_of(others, isAnother))
    return std::nullopt;
  RegisterPlan plan;
  unsigned ownGroups = ownWarps / warpsInGroup, groups = totalWarps / warpsInGroup;
  plan.ofWorkers.assign(groups - ownGroups, least);
  for (auto [first, warps, registers] :
       llvm::zip_equal(op.getStartWarps(), op.getPartitionNumWarps(), *op.getRequestedRegisters()))
    for (unsigned warp = first; warp != first + warps; ++warp) {
      unsigned &ofGroup = plan.ofWorkers[warp / warpsInGroup - ownGroups];
      ofGroup = std::max<unsigned>(ofGroup, llvm::alignTo(std::min<unsigned>(registers, most), granularity));
    }
  unsigned workers = 0;
  for (unsigned registers : plan.ofWorkers)
    workers += registers;
  plan.atLaunch = std::min(most, allRegisters / (totalWarps * 32));
  // What the default region is to have says how many blocks are to fit.
  if (auto wanted = op.getActualRegisters(); wanted && !wanted->empty())
    plan.atLaunch = std::min(plan.atLaunch, ((*wanted)[0] * ownGroups + workers) / groups);
  plan.atLaunch = llvm::alignDown(std::min(plan.atLaunch, mostAtLaunch.value_or(most)), granularity);
  if (plan.atLaunch * groups < workers + least * ownGroups)
    return std::nullopt;
  plan.own =
      std::min<unsigned>(most, llvm::alignDown((plan.atLaunch * groups - workers) / ownGroups, granularity));
  return plan;
}

//===-- Values that partitions capture ---------------------------------===//

/// Whether the workers know it without being told.
static bool isKnownEverywhere(llvm::Value *value) { return isa<llvm::Constant, llvm::Argument>(value); }

/// As an integer that has a size in memory.
static llvm::Value *toInteger(llvm::IRBuilder<> &b, llvm::Value *value) {
  llvm::Type *type = value->getType();
  if (type->isPointerTy())
    return b.CreatePtrToInt(value, b.getInt64Ty());
  if (!type->isIntegerTy())
    return b.CreateBitCast(value, b.getIntNTy(type->getPrimitiveSizeInBits()));
  return type->isIntegerTy(1) ? b.CreateZExt(value, b.getInt8Ty()) : value;
}

static llvm::Type *getIntegerType(llvm::IRBuilder<> &b, llvm::Type *type) {
  if (type->isPointerTy())
    return b.getInt64Ty();
  return b.getIntNTy(type->isIntegerTy(1) ? 8 : type->getPrimitiveSizeInBits());
}

static llvm::Value *fromInteger(llvm::IRBuilder<> &b, llvm::Value *bits, llvm::Type *type) {
  if (type->isPointerTy())
    return b.CreateIntToPtr(bits, type);
  if (!type->isIntegerTy())
    return b.CreateBitCast(bits, type);
  return type->isIntegerTy(1) ? b.CreateTrunc(bits, type) : bits;
}

//===-- The walk -------------------------------------------------------===//

void Emitter::divideWarps() {
  llvm::Value *warp = b.CreateLShr(target.threadId(b), llvm::Log2_32(target.getWarpSize()));
  // That all lanes have the same number should show.
  blockWarp = target.shuffleIndex(b, warp, b.getInt32(0));
  llvm::BasicBlock *own = createBlock("own");
  workersEnd = createBlock("workers");
  b.CreateCondBr(b.CreateICmpULT(blockWarp, b.getInt32(state.numWarps)), own, workersEnd);
  b.SetInsertPoint(own);
}

void Emitter::meetAll() { target.barrier(b, meetingBarrier, state.totalWarps * target.getWarpSize()); }

/// Whether nothing but the function's end comes behind the operation.
static bool isLast(ttg::WarpSpecializeOp op) { return op->getNextNode() == op->getBlock()->getTerminator(); }

/// Where groups get more registers than they had, or fewer. Group by group, as all warps of one have to be at
/// the same instruction.
void Emitter::setWorkerRegisters(llvm::ArrayRef<unsigned> groups, unsigned before, bool more) {
  constexpr unsigned warpsInGroup = 4;
  auto changes = [&](unsigned registers) { return more ? registers > before : registers < before; };
  if (llvm::all_equal(groups)) {
    if (changes(groups.front()))
      target.setRegisters(b, groups.front(), more);
    return;
  }
  for (auto [i, registers] : llvm::enumerate(groups)) {
    if (!changes(registers))
      continue;
    llvm::Value *number = b.CreateSub(blockWarp, b.getInt32(state.numWarps + warpsInGroup * i));
    llvm::BasicBlock *group = createBlock("registers"), *next = createBlock("registers.end");
    b.CreateCondBr(b.CreateICmpULT(number, b.getInt32(warpsInGroup)), group, next);
    b.SetInsertPoint(group);
    target.setRegisters(b, registers, more);
    b.CreateBr(next);
    b.SetInsertPoint(next);
  }
}

LogicalResult Emitter::emitPartitions(ttg::WarpSpecializeOp op) {
  ttg::WarpSpecializePartitionsOp partitions = op.getPartitions();
  llvm::BasicBlock *resume = b.GetInsertBlock();
  Team own = std::move(team);
  b.SetInsertPoint(workersEnd);
  std::optional<RegisterPlan> plan = planRegisters(op, state.totalWarps, state.maxRegisters);
  if (plan)
    setWorkerRegisters(plan->ofWorkers, plan->atLaunch, /*more=*/false);
  meetAll();
  if (plan)
    setWorkerRegisters(plan->ofWorkers, plan->atLaunch, /*more=*/true);

  llvm::SmallVector<Registers> captured;
  unsigned place = 0;
  for (Value value : partitions.getCaptures()) {
    Registers &registers = captured.emplace_back();
    for (llvm::Value *given : get(value)) {
      if (isKnownEverywhere(given)) {
        registers.push_back(given);
        continue;
      }
      llvm::Type *type = getIntegerType(b, given->getType());
      llvm::Value *bits = b.CreateLoad(type, getScratch(op, b.getInt32(captureBytes * place++)));
      registers.push_back(fromInteger(b, bits, given->getType()));
    }
  }

  // The partitions in the order of their warps.
  llvm::SmallVector<unsigned> starts = op.getStartWarps();
  llvm::SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(starts.size()));
  llvm::sort(order, [&](unsigned a, unsigned c) { return starts[a] < starts[c]; });
  llvm::BasicBlock *join = createBlock("workers");
  for (unsigned number : order) {
    Region &region = partitions.getRegions()[number];
    unsigned numWarps = op.getPartitionNumWarps()[number];
    llvm::BasicBlock *entry = createBlock("partition.entry"), *code = createBlock("partition"),
                     *next = createBlock("partition.next");
    llvm::Value *isHere =
        b.CreateICmpULT(b.CreateSub(blockWarp, b.getInt32(starts[number])), b.getInt32(numWarps));
    b.CreateCondBr(isHere, entry, next);
    b.SetInsertPoint(entry);
    team = Team();
    team.firstWarp = starts[number];
    team.numWarps = numWarps;
    team.barrier = firstPartitionBarrier + number;
    beginTeam(team, code);
    b.SetInsertPoint(code);
    for (auto [argument, registers] : llvm::zip_equal(region.getArguments(), captured))
      set(argument, registers);
    if (failed(emitBody(region.front())))
      return failure();
    b.CreateBr(join);
    b.SetInsertPoint(next);
  }
  b.CreateBr(join);
  b.SetInsertPoint(join);
  if (!isLast(op))
    meetAll();
  workersEnd = b.GetInsertBlock();
  team = std::move(own);
  b.SetInsertPoint(resume);
  return success();
}

LogicalResult Emitter::emitSpecialized(ttg::WarpSpecializeOp op) {
  ttg::WarpSpecializePartitionsOp partitions = op.getPartitions();
  if (target.countBarriers() < firstPartitionBarrier + partitions.getNumRegions())
    return op.emitError() << "this target can't run " << partitions.getNumRegions()
                          << " partitions side by side";
  if (!workersEnd || !isa<tt::FuncOp>(op->getParentOp()) || !source.getBody().hasOneBlock())
    return op.emitError("a specialized part of a loop, a branch or a function that is not inlined can't be "
                        "lowered yet");
  if (!op.getDefaultRegion().hasOneBlock() ||
      llvm::any_of(partitions.getRegions(), [](Region &region) { return !region.hasOneBlock(); }))
    return op.emitError("a region of several blocks can't be lowered yet");
  for (Region &region : partitions.getRegions())
    if (region.walk([](tt::CallOp) { return WalkResult::interrupt(); }).wasInterrupted())
      return op.emitError("a partition that calls a function can't be lowered yet");

  llvm::Value *isFirst = nullptr;
  unsigned place = 0;
  for (Value value : partitions.getCaptures()) {
    if (isa<RankedTensorType>(value.getType()))
      return op.emitError() << "a partition can't capture a tensor yet, but does " << value.getType();
    for (llvm::Value *given : get(value)) {
      if (isKnownEverywhere(given))
        continue;
      if (!isFirst)
        isFirst = b.CreateICmpEQ(threadId(), b.getInt32(0));
      target.storeShared(b, toInteger(b, given), getScratch(op, b.getInt32(captureBytes * place++)), isFirst);
    }
  }
  // Before all meet, registers are given back; behind that they are taken, so that none waits for the other.
  std::optional<RegisterPlan> plan = planRegisters(op, state.totalWarps, state.maxRegisters);
  if (plan && plan->own < plan->atLaunch)
    target.setRegisters(b, plan->own, /*more=*/false);
  meetAll();
  if (plan) {
    target.setMaxRegisters(function, plan->atLaunch);
    if (plan->own > plan->atLaunch)
      target.setRegisters(b, plan->own, /*more=*/true);
  }
  Block &body = op.getDefaultRegion().front();
  if (failed(emitBody(body)))
    return failure();
  for (auto [result, passed] : llvm::zip_equal(op.getResults(), body.getTerminator()->getOperands())) {
    set(result, get(passed));
    if (large().isLarge(result))
      large().setAlias(result, passed);
  }
  if (!isLast(op))
    meetAll();
  return emitPartitions(op);
}

static LogicalResult emitWarpSpecialize(Emitter &e, ttg::WarpSpecializeOp op) {
  return e.emitSpecialized(op);
}

void addWarpSpecializationEmitters(EmitterTable &table) {
  table.add<ttg::WarpSpecializeOp, emitWarpSpecialize>();
}

} // namespace nereid::gpu
