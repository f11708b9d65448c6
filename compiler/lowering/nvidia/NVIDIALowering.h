// NVIDIA's answers to the hooks of TargetLowering: PTX through LLVM's NVPTX back end.
#ifndef NEREID_COMPILER_LOWERING_NVIDIA_NVIDIALOWERING_H
#define NEREID_COMPILER_LOWERING_NVIDIA_NVIDIALOWERING_H

#include "compiler/lowering/gpu/TargetLowering.h"

namespace nereid::nvidia {

/// The module flag that says which version of PTX the code needs, times ten, where that is more than the
/// target's own: instructions that PTX got later than the architecture that has them.
constexpr llvm::StringLiteral leastPTXVersionFlag = "nereid.ptx";
/// Sets it to `version`, unless something else in the module needs a later one.
void requirePTX(gpu::TargetLowering::Builder &b, unsigned version);

/// Calls to `__nv_…` in the resulting module are to be resolved against libdevice.
class NVIDIALowering final : public gpu::TargetLowering {
public:
  explicit NVIDIALowering(const Target &target);

  llvm::StringRef getTriple() const override { return "nvptx64-nvidia-cuda"; }
  void makeKernel(llvm::Function &function, unsigned numThreads) const override;

  llvm::Value *threadId(Builder &b) const override;
  llvm::Value *programId(Builder &b, unsigned axis) const override;
  llvm::Value *numPrograms(Builder &b, unsigned axis) const override;

  void barrier(Builder &b) const override;
  void warpBarrier(Builder &b) const override;
  void barrier(Builder &b, unsigned number, unsigned numThreads) const override;
  unsigned countBarriers() const override { return computeCapability >= 90 ? 16 : 0; }
  unsigned getMaxClusterSize() const override;
  llvm::Value *blockInCluster(Builder &b) const override;
  void clusterBarrier(Builder &b) const override;
  llvm::Value *loadFromBlock(Builder &b, llvm::Type *type, llvm::Value *pointer,
                             llvm::Value *block) const override;
  void setRegisters(Builder &b, unsigned count, bool more) const override;
  void setMaxRegisters(llvm::Function &kernel, unsigned count) const override;
  llvm::Value *shuffleXorI32(Builder &b, llvm::Value *value, unsigned mask) const override;
  llvm::Value *shuffleIndexI32(Builder &b, llvm::Value *value, llvm::Value *lane) const override;
  llvm::Value *reduceWarp(Builder &b, llvm::Value *value, gpu::WarpReduction kind) const override;
  llvm::Value *isSameInAllLanes(Builder &b, llvm::Value *value) const override;

  llvm::Value *loadGlobal(Builder &b, llvm::Type *type, llvm::Value *pointer, llvm::Value *predicate,
                          llvm::Value *other, const gpu::AccessHints &hints) const override;
  void storeGlobal(Builder &b, llvm::Value *value, llvm::Value *pointer, llvm::Value *predicate,
                   const gpu::AccessHints &hints) const override;
  void keepHere(Builder &b, llvm::Value *value) const override;
  llvm::Value *atomicReadModifyWrite(Builder &b, gpu::AtomicOperation operation, llvm::Value *pointer,
                                     llvm::Value *value, llvm::Value *predicate, gpu::AtomicOrder order,
                                     gpu::AtomicScope scope, bool isResultWanted) const override;
  unsigned getMaxAtomicElements(gpu::AtomicOperation operation, llvm::Type *type) const override;
  llvm::Value *atomicCompareExchange(Builder &b, llvm::Value *pointer, llvm::Value *expected,
                                     llvm::Value *value, llvm::Value *predicate, gpu::AtomicOrder order,
                                     gpu::AtomicScope scope) const override;
  void storeShared(Builder &b, llvm::Value *value, llvm::Value *pointer,
                   llvm::Value *predicate) const override;

  bool hasMatrixLoads() const override { return true; }
  llvm::SmallVector<llvm::Value *, 4> loadMatrices(Builder &b, llvm::Value *base, llvm::Value *offset,
                                                   unsigned count, bool transposed) const override;
  bool hasMatrixStores() const override { return computeCapability >= 90; }
  void storeMatrices(Builder &b, llvm::Value *base, llvm::Value *offset, llvm::ArrayRef<llvm::Value *> words,
                     bool transposed) const override;
  void copyAsync(Builder &b, llvm::Value *shared, llvm::Value *global, unsigned bytes, llvm::Value *predicate,
                 llvm::Value *writes) const override;
  void commitCopies(Builder &b) const override;
  void waitForCopies(Builder &b, unsigned pending) const override;

  void describeTensorMap(llvm::Function &kernel, unsigned index) const override;
  void beginTileBarrier(Builder &b, llvm::Value *thread, llvm::Value *barrier, unsigned count) const override;
  void endTileBarrier(Builder &b, llvm::Value *thread, llvm::Value *barrier) const override;
  void arriveAtTileBarrier(Builder &b, llvm::Value *thread, llvm::Value *barrier, unsigned count,
                           llvm::Value *predicate) const override;
  void expectTileBytes(Builder &b, llvm::Value *thread, llvm::Value *barrier, unsigned bytes,
                       llvm::Value *predicate) const override;
  void waitForTiles(Builder &b, llvm::Value *barrier, llvm::Value *phase) const override;
  void copyTile(Builder &b, llvm::Value *thread, llvm::Value *shared, llvm::Value *map,
                llvm::ArrayRef<llvm::Value *> coordinates, llvm::Value *barrier,
                llvm::Value *predicate) const override;
  void storeTile(Builder &b, llvm::Value *thread, llvm::Value *shared, llvm::Value *map,
                 llvm::ArrayRef<llvm::Value *> coordinates) const override;
  void waitForStoredTiles(Builder &b, unsigned pending, bool untilWritten) const override;
  bool canMakeTensorMaps() const override;
  void makeTensorMap(Builder &b, llvm::Value *shared, llvm::Value *map,
                     const TensorMapFields &fields) const override;
  void acquireTensorMap(Builder &b, llvm::Value *map) const override;

  llvm::Value *math(Builder &b, gpu::MathFunction function,
                    llvm::ArrayRef<llvm::Value *> arguments) const override;
  llvm::Value *clampMagnitude(Builder &b, llvm::Value *x, llvm::Value *bound) const override;
  llvm::Value *divide(Builder &b, llvm::Value *a, llvm::Value *divisor) const override;
  llvm::SmallVector<llvm::Value *, 4> multiplyMatrices(Builder &b, const gpu::MatrixStep &step,
                                                       llvm::ArrayRef<llvm::Value *> left,
                                                       llvm::ArrayRef<llvm::Value *> right,
                                                       llvm::ArrayRef<llvm::Value *> sums) const override;

  llvm::Value *truncatePairToBF16(Builder &b, llvm::Value *first, llvm::Value *second) const override;
  llvm::Value *widenSmallFloatPair(Builder &b, llvm::Value *bytes, bool isE4M3) const override;
  llvm::Value *narrowToSmallFloatPair(Builder &b, llvm::Value *first, llvm::Value *second,
                                      bool isE4M3) const override;
  bool comparesBF16() const override { return computeCapability >= 80; }
  llvm::Value *computeInBF16(Builder &b, llvm::Instruction::BinaryOps opcode, llvm::Value *left,
                             llvm::Value *right) const override;
  llvm::Value *keepAndTurnBits(Builder &b, llvm::Value *word, uint32_t kept, uint32_t turned) const override;
  llvm::Value *addPair(Builder &b, llvm::Value *left, llvm::Value *right) const override;
  llvm::Value *roundToTF32(Builder &b, llvm::Value *value) const override;
  bool givesCanonicalNaN(llvm::Type *from, llvm::Type *to) const override;
  bool narrowsDoublesAtOnce(llvm::Type *to) const override;
  llvm::Value *canonicalizeNaN(Builder &b, llvm::Value *value) const override;

  void failAssertion(Builder &b, const Assertion &assertion) const override;
  LineTables::Form getLineTableForm() const override { return LineTables::Form::Directives; }
  void print(Builder &b, llvm::StringRef format, llvm::ArrayRef<llvm::Value *> arguments) const override;

  void addEmitters(gpu::EmitterTable &table) const override;

private:
  llvm::StringRef getSyncScopeName(gpu::AtomicScope scope) const override;

  unsigned computeCapability;
};

} // namespace nereid::nvidia

#endif // NEREID_COMPILER_LOWERING_NVIDIA_NVIDIALOWERING_H
