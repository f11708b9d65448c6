// Lowers one tt.func to one LLVM function that runs one program of the grid (or is called by one).
//
// Scalars become LLVM values where they stand; tensors are handled by the plan (TilePlan.h): at each
// operation the groups that belong there are emitted as loop nests. The function's parameters are those of
// the tt.func, then the program's position and the grid's size, three i32 each, then the scratch memory, then
// the record of a failed assertion (compiler/model/KernelFailure.h). Once that is set the function returns as
// soon as it sees it, whatever it returns.
// Tensors are passed and returned in buffers of the caller's.
#ifndef NEREID_COMPILER_LOWERING_CPU_FUNCTIONLOWERING_H
#define NEREID_COMPILER_LOWERING_CPU_FUNCTIONLOWERING_H

#include "compiler/lowering/cpu/TileEvaluator.h"
#include "compiler/lowering/cpu/TileLoops.h"
#include "compiler/lowering/cpu/TilePlan.h"
#include "compiler/lowering/source/LineTables.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace nereid::cpu {

/// What is known of the functions of a module while they are lowered, callees first.
struct LoweredFunction {
  llvm::Function *function = nullptr;
  uint64_t scratchBytes = 0;
};
using LoweredFunctions = llvm::DenseMap<mlir::Operation *, LoweredFunction>;

/// What is the same for all functions of a module.
struct ModuleState {
  llvm::Module &module;
  const VectorTarget &target;
  const SourceInfo &sourceInfo;
  LineTables &lines;
  /// Some function asserts something, so that all look whether they should stop.
  bool hasAssertions = false;
  LoweredFunctions functions;
};

class EmitterTable;

class FunctionLowering {
public:
  FunctionLowering(ModuleState &state, tt::FuncOp source, llvm::Function *function);

  /// Emits the body. Returns false after an error.
  bool run();

  /// Scratch memory that this function and those it calls need.
  uint64_t getScratchBytes() const { return frameBytes + calleeBytes; }

  /// The LLVM type of a tt.func: see above.
  static llvm::FunctionType *getType(llvm::LLVMContext &context, tt::FuncOp function);
  /// Which of that many parameters is the scratch memory.
  static unsigned getScratchIndex(unsigned count) { return count - 2; }

  /// The grid's position and size as parameters: 0 to 2 are the position, 3 to 5 the size.
  llvm::Value *getGridArgument(unsigned i);

  // For the sinks.

  Buffer createBuffer(mlir::RankedTensorType type, bool forProduct = false);
  /// The buffer of a root's result, made on first use.
  Buffer &getBuffer(mlir::Value value);
  llvm::AllocaInst *createLocal(llvm::Type *type);
  llvm::IRBuilder<> &getBuilder() { return b; }
  TileEvaluator &getEvaluator() { return evaluator; }
  ElementEmitter &getEmitter() { return emitter; }
  TileLoops &getLoops() { return loops; }
  ValueMap &getValues() { return values; }
  const VectorTarget &getTarget() const { return target; }
  void fail() { evaluator.setFailed(); }
  bool hasFailed() const { return evaluator.hasFailed(); }
  /// Emits a combining region of a reduction or scan.
  bool combine(mlir::Region &region, llvm::ArrayRef<llvm::Value *> lhs, llvm::ArrayRef<llvm::Value *> rhs,
               llvm::SmallVectorImpl<llvm::Value *> &results);
  /// Emits a region of scalar code, which may branch, and ends in the return of a map, reduction or scan.
  llvm::SmallVector<llvm::Value *> emitScalarRegion(mlir::Region &region,
                                                    llvm::ArrayRef<llvm::Value *> arguments);
  /// One atomic access of one element; the result is what memory held.
  llvm::Value *emitAtomic(tt::AtomicRMWOp op, llvm::Value *pointer, llvm::Value *value, llvm::Value *mask);
  llvm::Value *emitAtomic(tt::AtomicCASOp op, llvm::Value *pointer, llvm::Value *compare, llvm::Value *value);
  /// Emits `body` under a condition, which may be null for always; the result is its value or zero.
  llvm::Value *emitIf(llvm::Value *condition, llvm::Type *type, llvm::function_ref<llvm::Value *()> body);
  void emitAssert(tt::AssertOp op, llvm::Value *condition);
  void emitPrint(tt::PrintOp op, llvm::ArrayRef<llvm::Value *> arguments, const Indices &indices);

private:
  /// Returns at once, with nothing that the caller may look at.
  void emitStop();
  /// Returns if an assertion failed, here or in another program. Emits nothing where there are none.
  void emitStopCheck();
  void combineLanes(mlir::Region &region, llvm::ArrayRef<llvm::Value *> arguments,
                    llvm::SmallVectorImpl<llvm::Value *> &results);
  struct Assignment {
    mlir::Value source;
    Buffer target;
  };

  void emitBlock(mlir::Block &block);
  void emitOperation(mlir::Operation *op);
  void emitGroup(const RootGroup &group);
  static const EmitterTable &getEmitters();
  void emitScalarAccess(mlir::Operation *op);
  void emitScalarAssert(tt::AssertOp op);
  void emitRegionReturn(mlir::Operation *op);
  void emitProgramId(tt::GetProgramIdOp op);
  void emitNumPrograms(tt::GetNumProgramsOp op);
  void emitUnsplat(tt::UnsplatOp op);
  void emitPrintOp(tt::PrintOp op);
  void emitPoison(mlir::ub::PoisonOp op);
  void emitCall(tt::CallOp call);
  void emitReturn(tt::ReturnOp op);
  void emitProduct(tt::DotOp product);
  void emitMap(tt::MapElementwiseOp map);
  llvm::Value *getScalar(mlir::Value value) { return evaluator.getScalar(value); }

  // Control flow.
  void emitFor(mlir::scf::ForOp loop);
  void emitWhile(mlir::scf::WhileOp loop);
  void emitIfOp(mlir::scf::IfOp op);
  void emitBranch(mlir::Operation *terminator);
  void emitRegions(mlir::Region &body);
  /// Assigns tensors as if all at once, and returns the scalars among the values, in order, null for tensors.
  llvm::SmallVector<llvm::Value *> passValues(mlir::ValueRange sources, mlir::ValueRange targets);
  void assign(llvm::ArrayRef<Assignment> assignments);
  /// Whether computing the value reads the buffer, and if so, whether only element i for element i.
  enum class Reads { No, SameElement, AnyElement };
  Reads getReads(mlir::Value value, const Buffer &buffer);
  /// The targets become phis (scalars) of the block that the builder is at the start of, or buffers.
  void declare(mlir::ValueRange targets, llvm::SmallVectorImpl<llvm::PHINode *> &phis);

  ModuleState &state;
  llvm::Module &module;
  const VectorTarget &target;
  tt::FuncOp source;
  llvm::Function *function;
  llvm::IRBuilder<> b;
  /// The entry block, which holds stack variables and buffer addresses.
  llvm::BasicBlock *entry = nullptr;
  TilePlan plan;
  ValueMap values;
  ElementEmitter emitter;
  TileEvaluator evaluator;
  TileLoops loops;
  llvm::Value *scratch = nullptr, *failure = nullptr;
  uint64_t frameBytes = 0, calleeBytes = 0;
  llvm::SmallVector<llvm::GetElementPtrInst *> calleeScratch;
  /// Where returns inside of a map's region lead, and what takes their operands.
  llvm::BasicBlock *regionExit = nullptr;
  llvm::SmallVector<llvm::PHINode *> regionResults;
  llvm::DenseMap<mlir::Block *, llvm::BasicBlock *> blocks;
  /// Blocks whose code is there already: a branch to one is a loop.
  llvm::DenseSet<mlir::Block *> emittedBlocks;
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<llvm::PHINode *>> blockPhis;
};

/// The record of a failed assertion, in LLVM's types, and whether it is set.
llvm::Value *emitHasFailed(llvm::IRBuilder<> &b, llvm::Value *failure);

// The sinks, each in a file of its own.
std::unique_ptr<Sink> createFillSink(FunctionLowering &lowering, mlir::Value value, const Buffer &buffer);
std::unique_ptr<Sink> createStoreSink(FunctionLowering &lowering, tt::StoreOp store);
std::unique_ptr<Sink> createReduceSink(FunctionLowering &lowering, tt::ReduceOp reduce);
std::unique_ptr<Sink> createScanSink(FunctionLowering &lowering, tt::ScanOp scan);
std::unique_ptr<Sink> createAtomicSink(FunctionLowering &lowering, mlir::Operation *op);
std::unique_ptr<Sink> createHistogramSink(FunctionLowering &lowering, tt::HistogramOp histogram);
std::unique_ptr<Sink> createAssertSink(FunctionLowering &lowering, tt::AssertOp op);
std::unique_ptr<Sink> createPrintSink(FunctionLowering &lowering, tt::PrintOp op,
                                      mlir::RankedTensorType type);

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_FUNCTIONLOWERING_H
