// One hook after the other. See HostLowering.h.
#include "HostLowering.h"

#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/lowering/gpu/Emitter.h"
#include "compiler/model/KernelInfo.h"

#include "llvm/TargetParser/Host.h"

namespace nereid::gpu::emulation {

namespace {

class HostLowering final : public TargetLowering {
public:
  using TargetLowering::TargetLowering;

  llvm::StringRef getTriple() const override {
    static const std::string triple = llvm::sys::getProcessTriple();
    return triple;
  }
  void makeKernel(llvm::Function &, unsigned) const override {}

  llvm::Value *threadId(Builder &b) const override { return call(b, "emulatedThread", b.getInt32Ty(), {}); }
  llvm::Value *programId(Builder &b, unsigned axis) const override {
    return call(b, "emulatedProgram", b.getInt32Ty(), {b.getInt32(axis)});
  }
  llvm::Value *numPrograms(Builder &b, unsigned axis) const override {
    return call(b, "emulatedNumPrograms", b.getInt32Ty(), {b.getInt32(axis)});
  }
  void barrier(Builder &b) const override { call(b, "emulatedBarrier", b.getVoidTy(), {}); }
  llvm::Value *shuffleXorI32(Builder &b, llvm::Value *value, unsigned mask) const override {
    llvm::Value *lane = b.CreateAnd(threadId(b), getWarpSize() - 1);
    return shuffleIndexI32(b, value, b.CreateXor(lane, mask));
  }
  llvm::Value *shuffleIndexI32(Builder &b, llvm::Value *value, llvm::Value *lane) const override {
    return call(b, "emulatedShuffle", b.getInt32Ty(), {value, lane});
  }
  llvm::Value *isSameInAllLanes(Builder &b, llvm::Value *value) const override {
    llvm::Value *isSame = b.getInt32(1);
    for (unsigned mask = 1; mask < getWarpSize(); mask *= 2) {
      llvm::Value *isOthers = b.CreateICmpEQ(value, shuffleXor(b, value, mask));
      isSame = b.CreateAnd(isSame, b.CreateZExt(isOthers, b.getInt32Ty()));
      isSame = b.CreateAnd(isSame, shuffleXorI32(b, isSame, mask));
    }
    return b.CreateICmpNE(isSame, b.getInt32(0));
  }
  void barrier(Builder &b, unsigned number, unsigned numThreads) const override {
    call(b, "emulatedNamedBarrier", b.getVoidTy(), {b.getInt32(number), b.getInt32(numThreads)});
  }
  unsigned getMaxClusterSize() const override { return 16; }
  llvm::Value *blockInCluster(Builder &b) const override {
    return call(b, "emulatedBlockInCluster", b.getInt32Ty(), {});
  }
  void clusterBarrier(Builder &b) const override { call(b, "emulatedClusterBarrier", b.getVoidTy(), {}); }
  llvm::Value *loadFromBlock(Builder &b, llvm::Type *type, llvm::Value *pointer,
                             llvm::Value *number) const override {
    llvm::Module *module = b.GetInsertBlock()->getModule();
    unsigned bytes = module->getDataLayout().getTypeStoreSize(type).getFixedValue();
    auto *function =
        llvm::FunctionType::get(b.getPtrTy(), {b.getPtrTy(), b.getInt32Ty(), b.getInt32Ty()}, false);
    llvm::Value *there = b.CreateCall(module->getOrInsertFunction("emulatedOtherBlock", function),
                                      {generic(b, pointer), number, b.getInt32(bytes)});
    return b.CreateAlignedLoad(type, there, llvm::Align(bytes));
  }
  unsigned countBarriers() const override { return getWarpSize() == 32 ? 16 : 0; }
  void setRegisters(Builder &, unsigned, bool) const override {}
  llvm::Value *addPair(Builder &b, llvm::Value *left, llvm::Value *right) const override {
    return b.CreateFAdd(left, right);
  }
  bool hasMatrixLoads() const override { return getWarpSize() == 32; }
  bool hasMatrixStores() const override { return getWarpSize() == 32; }
  void copyAsync(Builder &b, llvm::Value *shared, llvm::Value *global, unsigned bytes, llvm::Value *predicate,
                 llvm::Value *writes) const override {
    auto *type = llvm::FunctionType::get(
        b.getVoidTy(), {b.getPtrTy(), b.getPtrTy(), b.getInt32Ty(), b.getInt1Ty(), b.getInt1Ty()}, false);
    llvm::Module *module = b.GetInsertBlock()->getModule();
    b.CreateCall(module->getOrInsertFunction("emulatedCopy", type),
                 {b.CreateAddrSpaceCast(shared, b.getPtrTy()), b.CreateAddrSpaceCast(global, b.getPtrTy()),
                  b.getInt32(bytes), predicate ? predicate : b.getTrue(), writes ? writes : b.getTrue()});
  }
  void addEmitters(EmitterTable &table) const override {
    addTileCopyEmitters(table);
    table.add<ttng::FenceAsyncSharedOp, emitFence>();
  }
  void beginTileBarrier(Builder &b, llvm::Value *thread, llvm::Value *barrier,
                        unsigned count) const override {
    callAny(b, "emulatedTileBegin", {thread, generic(b, barrier), b.getInt32(count)});
  }
  void endTileBarrier(Builder &b, llvm::Value *thread, llvm::Value *barrier) const override {
    callAny(b, "emulatedTileEnd", {thread, generic(b, barrier)});
  }
  void arriveAtTileBarrier(Builder &b, llvm::Value *thread, llvm::Value *barrier, unsigned count,
                           llvm::Value *predicate) const override {
    callAny(b, "emulatedTileArrive",
            {thread ? thread : b.getInt32(0), b.getInt32(!thread), generic(b, barrier), b.getInt32(count),
             predicate ? predicate : b.getTrue()});
  }
  void expectTileBytes(Builder &b, llvm::Value *thread, llvm::Value *barrier, unsigned bytes,
                       llvm::Value *predicate) const override {
    callAny(b, "emulatedTileExpect", {thread, generic(b, barrier), b.getInt32(bytes), predicate});
  }
  void waitForTiles(Builder &b, llvm::Value *barrier, llvm::Value *phase) const override {
    callAny(b, "emulatedTileWait", {generic(b, barrier), phase});
  }
  /// As many as there may be.
  static void appendCoordinates(Builder &b, llvm::SmallVectorImpl<llvm::Value *> &operands,
                                llvm::ArrayRef<llvm::Value *> coordinates) {
    llvm::append_range(operands, coordinates);
    operands.append(TensorMap::mostAxes - coordinates.size(), b.getInt32(0));
  }
  void copyTile(Builder &b, llvm::Value *thread, llvm::Value *shared, llvm::Value *map,
                llvm::ArrayRef<llvm::Value *> coordinates, llvm::Value *barrier,
                llvm::Value *predicate) const override {
    llvm::SmallVector<llvm::Value *> operands{thread, generic(b, shared), map};
    appendCoordinates(b, operands, coordinates);
    operands.append({generic(b, barrier), predicate});
    callAny(b, "emulatedTileCopy", operands);
  }
  void storeTile(Builder &b, llvm::Value *thread, llvm::Value *shared, llvm::Value *map,
                 llvm::ArrayRef<llvm::Value *> coordinates) const override {
    llvm::SmallVector<llvm::Value *> operands{thread, generic(b, shared), map};
    appendCoordinates(b, operands, coordinates);
    callAny(b, "emulatedTileStore", operands);
  }
  void waitForStoredTiles(Builder &b, unsigned pending, bool untilWritten) const override {
    callAny(b, "emulatedTileStoreWait", {b.getInt32(pending), b.getInt32(untilWritten)});
  }
  bool canMakeTensorMaps() const override { return true; }
  void makeTensorMap(Builder &b, llvm::Value *shared, llvm::Value *map,
                     const TensorMapFields &fields) const override {
    auto spill = [&](llvm::ArrayRef<llvm::Value *> numbers) {
      llvm::BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
      Builder atEntry(&entry, entry.begin());
      auto *array = atEntry.CreateAlloca(llvm::ArrayType::get(b.getInt64Ty(), TensorMap::mostAxes));
      for (auto [i, number] : llvm::enumerate(numbers))
        b.CreateStore(b.CreateSExt(number, b.getInt64Ty()), b.CreateConstGEP1_32(b.getInt64Ty(), array, i));
      return array;
    };
    callAny(b, "emulatedMapMake",
            {generic(b, shared), map, fields.address, b.getInt32(fields.sizes.size()), spill(fields.box),
             spill(fields.sizes), spill(fields.strides), b.getInt32(fields.elementType),
             b.getInt32(fields.swizzleMode)});
  }
  void acquireTensorMap(Builder &b, llvm::Value *map) const override {
    callAny(b, "emulatedMapAcquire", {map});
  }
  void commitCopies(Builder &b) const override { call(b, "emulatedCommit", b.getVoidTy(), {}); }
  void waitForCopies(Builder &b, unsigned pending) const override {
    call(b, "emulatedWait", b.getVoidTy(), {b.getInt32(pending)});
  }
  llvm::SmallVector<llvm::Value *, 4> multiplyMatrices(Builder &b, const MatrixStep &step,
                                                       llvm::ArrayRef<llvm::Value *> left,
                                                       llvm::ArrayRef<llvm::Value *> right,
                                                       llvm::ArrayRef<llvm::Value *> sums) const override {
    auto spill = [&](llvm::ArrayRef<llvm::Value *> values, llvm::Type *type, auto convert) {
      llvm::BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
      Builder atEntry(&entry, entry.begin());
      auto *array = atEntry.CreateAlloca(llvm::ArrayType::get(type, values.size()));
      for (auto [i, value] : llvm::enumerate(values))
        b.CreateStore(convert(value), b.CreateConstGEP1_32(type, array, i));
      return array;
    };
    auto toBits = [&](llvm::Value *value) {
      return b.CreateZExt(value->getType()->isDoubleTy() ? b.CreateBitCast(value, b.getInt64Ty()) : value,
                          b.getInt64Ty());
    };
    llvm::Type *sumType = sums.front()->getType();
    auto toDouble = [&](llvm::Value *value) {
      return sumType->isIntegerTy() ? b.CreateSIToFP(value, b.getDoubleTy())
                                    : b.CreateFPExt(value, b.getDoubleTy());
    };
    llvm::Value *total = spill(sums, b.getDoubleTy(), toDouble);
    llvm::Module *module = b.GetInsertBlock()->getModule();
    auto *type = llvm::FunctionType::get(
        b.getVoidTy(), {b.getInt32Ty(), b.getInt32Ty(), b.getPtrTy(), b.getPtrTy(), b.getPtrTy()}, false);
    b.CreateCall(module->getOrInsertFunction("emulatedMatrixStep", type),
                 {b.getInt32(unsigned(step.left)), b.getInt32(unsigned(step.right)),
                  spill(left, b.getInt64Ty(), toBits), spill(right, b.getInt64Ty(), toBits), total});
    llvm::SmallVector<llvm::Value *, 4> results;
    for (unsigned i = 0; i != sums.size(); ++i) {
      llvm::Value *sum = b.CreateLoad(b.getDoubleTy(), b.CreateConstGEP1_32(b.getDoubleTy(), total, i));
      results.push_back(sumType->isIntegerTy() ? b.CreateFPToSI(sum, sumType)
                                               : b.CreateFPTrunc(sum, sumType));
    }
    return results;
  }
  llvm::Value *math(Builder &b, MathFunction function,
                    llvm::ArrayRef<llvm::Value *> arguments) const override {
    llvm::Type *type = arguments[0]->getType();
    if (function == MathFunction::Rsqrt) // which C lacks
      return b.CreateFDiv(llvm::ConstantFP::get(type, 1.0),
                          b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, arguments[0]));
    return callLibrary(b, getMathName(function) + (type->isFloatTy() ? "f" : ""), type, arguments);
  }
  /// cvt.rn.bf16.f32, which x86's instruction of that kind is not: it takes subnormal numbers for zero.
  llvm::Value *truncateToBF16(Builder &b, llvm::Value *value) const override {
    llvm::Value *bits = b.CreateBitCast(value, b.getInt32Ty());
    llvm::Value *tie = b.CreateAnd(b.CreateLShr(bits, 16), 1);
    llvm::Value *rounded = b.CreateAdd(b.CreateAdd(bits, b.getInt32(0x7FFF)), tie);
    llvm::Value *half = b.CreateTrunc(b.CreateLShr(rounded, 16), b.getInt16Ty());
    return b.CreateBitCast(b.CreateSelect(b.CreateFCmpUNO(value, value), b.getInt16(0x7FFF), half),
                           b.getBFloatTy());
  }
  void failAssertion(Builder &b, const Assertion &assertion) const override {
    llvm::Type *pointer = b.getPtrTy();
    auto *type = llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer, b.getInt32Ty()}, false);
    b.CreateCall(b.GetInsertBlock()->getModule()->getOrInsertFunction("emulatedFailure", type),
                 {b.CreateGlobalString(assertion.message), b.CreateGlobalString(assertion.path),
                  b.getInt32(assertion.line)});
  }
  void print(Builder &b, llvm::StringRef format, llvm::ArrayRef<llvm::Value *> arguments) const override {
    llvm::SmallVector<llvm::Value *> all{b.CreateGlobalString(format)};
    all.append(arguments.begin(), arguments.end());
    auto *type = llvm::FunctionType::get(b.getInt32Ty(), {b.getPtrTy()}, /*isVarArg=*/true);
    b.CreateCall(b.GetInsertBlock()->getModule()->getOrInsertFunction("printf", type), all);
  }

private:
  llvm::StringRef getSyncScopeName(AtomicScope) const override { return ""; }

  static mlir::LogicalResult emitFence(Emitter &, ttng::FenceAsyncSharedOp) { return mlir::success(); }
  static llvm::Value *generic(Builder &b, llvm::Value *shared) {
    return b.CreateAddrSpaceCast(shared, b.getPtrTy());
  }
  static void callAny(Builder &b, llvm::StringRef name, llvm::ArrayRef<llvm::Value *> arguments) {
    llvm::SmallVector<llvm::Type *> types;
    for (llvm::Value *argument : arguments)
      types.push_back(argument->getType());
    llvm::Module *module = b.GetInsertBlock()->getModule();
    b.CreateCall(
        module->getOrInsertFunction(name, llvm::FunctionType::get(b.getVoidTy(), types, /*isVarArg=*/false)),
        arguments);
  }
  static llvm::Value *call(Builder &b, llvm::StringRef name, llvm::Type *result,
                           llvm::ArrayRef<llvm::Value *> arguments) {
    llvm::SmallVector<llvm::Type *> types(arguments.size(), b.getInt32Ty());
    llvm::Module *module = b.GetInsertBlock()->getModule();
    return b.CreateCall(module->getOrInsertFunction(name, llvm::FunctionType::get(result, types, false)),
                        arguments);
  }
};

} // namespace

std::unique_ptr<TargetLowering> createHostLowering(const Target &target) {
  return std::make_unique<HostLowering>(target);
}

} // namespace nereid::gpu::emulation
