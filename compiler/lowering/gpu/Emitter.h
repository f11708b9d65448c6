// Emitter: walks one function of ttg IR and writes what one thread of the block does, in LLVM IR.
//
// Every tensor is spread over the threads of a block by its layout (compiler/layouts/LinearLayout.h). The
// emitter maps each MLIR value to the LLVM values that one thread holds of it: a scalar to one, a tensor to
// one a register, in the order of the layout's register index. With 2 consecutive elements a thread,
//
//     %s = arith.addf %x, %y : tensor<256xf32, #blocked>     becomes     s[0] = x[0] + y[0]
//                                                                        s[1] = x[1] + y[1]
//
// and only operations that move data between registers or threads look at the layout at all. Control flow of
// scf is walked as it is nested and becomes blocks and phis. There is no dialect of MLIR in between: LLVM's
// own builder folds constants on the way, and a kernel is lowered in one pass.
//
// How each operation is emitted is in a table, filled by one file a subject (Elementwise.cpp, Memory.cpp,
// Reduce.cpp, …) and, for instructions that only a vendor has, by TargetLowering::addEmitters.
#ifndef NEREID_COMPILER_LOWERING_GPU_EMITTER_H
#define NEREID_COMPILER_LOWERING_GPU_EMITTER_H

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/layouts/LinearLayout.h"
#include "compiler/lowering/gpu/TargetLowering.h"
#include "compiler/lowering/source/LineTables.h"
#include "compiler/transforms/AxisInfo.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid::gpu {

class Emitter;
class LargeTiles;

/// The most elements of a tile that a thread holds as one LLVM value each.
constexpr unsigned maxStraightElements = 1024;
/// What one thread holds of a value: one entry a register.
using Registers = llvm::SmallVector<llvm::Value *>;

/// How operations are emitted, by the operation's type.
class EmitterTable {
public:
  using Function = mlir::LogicalResult (*)(Emitter &, mlir::Operation *);
  /// Computes one element of the only result from one element of each operand; null after reporting an error.
  using ElementFunction = llvm::Value *(*)(Emitter &, mlir::Operation *, llvm::ArrayRef<llvm::Value *>);

  template <typename Op, mlir::LogicalResult (*function)(Emitter &, Op)> void add() {
    functions[mlir::TypeID::get<Op>()] = [](Emitter &emitter, mlir::Operation *op) {
      return function(emitter, llvm::cast<Op>(op));
    };
  }
  template <typename Op> void addElementwise(ElementFunction function) {
    elementwise[mlir::TypeID::get<Op>()] = function;
  }

  /// Computes two neighbouring elements of the only result from two of each operand; false where it is no
  /// better to compute one after the other.
  using PairFunction = bool (*)(Emitter &, mlir::Operation *, llvm::ArrayRef<llvm::Value *> firsts,
                                llvm::ArrayRef<llvm::Value *> seconds, Registers &results);
  template <typename Op> void addPairwise(PairFunction function) {
    pairwise[mlir::TypeID::get<Op>()] = function;
  }

  Function find(mlir::OperationName name) const { return functions.lookup(name.getTypeID()); }
  ElementFunction findElementwise(mlir::OperationName name) const {
    return elementwise.lookup(name.getTypeID());
  }
  PairFunction findPairwise(mlir::OperationName name) const { return pairwise.lookup(name.getTypeID()); }

private:
  llvm::DenseMap<mlir::TypeID, Function> functions;
  llvm::DenseMap<mlir::TypeID, ElementFunction> elementwise;
  llvm::DenseMap<mlir::TypeID, PairFunction> pairwise;
};

void addElementwiseEmitters(EmitterTable &table);
void addConversionEmitters(EmitterTable &table);
void addMathEmitters(EmitterTable &table);
void addControlFlowEmitters(EmitterTable &table);
void addViewEmitters(EmitterTable &table);
void addMemoryEmitters(EmitterTable &table);
void addAtomicEmitters(EmitterTable &table);
void addReduceEmitters(EmitterTable &table);
void addScanEmitters(EmitterTable &table);
void addConvertLayoutEmitters(EmitterTable &table);
void addGatherEmitters(EmitterTable &table);
void addSharedMemoryEmitters(EmitterTable &table);
void addProductEmitters(EmitterTable &table);
void addLocalProductEmitters(EmitterTable &table);
void addInlineEmitters(EmitterTable &table);
void addProgramEmitters(EmitterTable &table);
void addWarpSpecializationEmitters(EmitterTable &table);
void addClusterEmitters(EmitterTable &table);
/// Not of all targets: their hooks for tensor maps must be there.
void addTileCopyEmitters(EmitterTable &table);

/// What is the same for all functions of a module.
struct ModuleState {
  llvm::Module &module;
  const TargetLowering &target;
  const EmitterTable &table;
  AxisInfoAnalysis &axisInfo;
  /// The kernel's own warps, and those that the block is launched with: more where it is specialized.
  unsigned numWarps, totalWarps;
  /// The bound on a thread's registers that the user gave.
  std::optional<unsigned> maxRegisters;
  /// The first byte of the block's shared memory.
  llvm::GlobalVariable *shared;
  const SourceInfo &sourceInfo;
  LineTables &lines;
};

class Emitter {
public:
  Emitter(ModuleState &state, tt::FuncOp source, llvm::Function &function);
  ~Emitter();

  /// Emits the whole function. Errors have been reported at the operation that could not be emitted.
  mlir::LogicalResult run();

  /// Where code is emitted: always the end of a block.
  llvm::IRBuilder<> b;
  ModuleState &state;
  const TargetLowering &target;

  //===- Values and types ------------------------------------------------===//

  /// Nothing for a large tile, whose elements are given by large().
  const Registers &get(mlir::Value value) const;
  llvm::Value *getScalar(mlir::Value value) const;
  void set(mlir::Value value, Registers registers);
  void set(mlir::Value value, llvm::Value *scalar) { set(value, Registers{scalar}); }

  /// The LLVM type of a scalar or of one element of a tensor. Types that LLVM lacks (fp8) are integers of
  /// their width.
  llvm::Type *convertType(mlir::Type type) const;
  /// The size of one element in memory, where an i1 takes a byte.
  unsigned getElementBytes(mlir::Type type) const;
  llvm::Type *getMemoryType(mlir::Type type) const;
  /// To and from the type that an element has in memory: i1 travels as a byte.
  llvm::Value *toMemory(llvm::Value *value);
  llvm::Value *fromMemory(llvm::Value *value, mlir::Type type);

  const LinearLayout &getLayout(mlir::RankedTensorType type);
  /// How many registers of a thread a value takes: 1 for scalars, 2 for memory descriptors (see
  /// SharedMemory.cpp).
  unsigned countRegisters(mlir::Type type);
  LargeTiles &large() { return *largeTiles; }

  //===- Places ----------------------------------------------------------===//

  llvm::Value *threadId() const { return team.thread; }
  llvm::Value *laneId() const { return team.lane; }
  llvm::Value *warpId() const { return team.warp; }
  unsigned getNumThreads() const { return team.numWarps * target.getWarpSize(); }
  /// The threads that run what is emitted wait for each other, for what they hand to one another in memory.
  void barrier();
  /// The same where one of them acts for all before other programs: what the others wrote is to be seen there
  /// with what it writes, and what it saw by the others.
  void barrierForOthers();
  /// The same in front of what the first thread does alone, for which there need be no other barrier where
  /// only that thread has accessed memory since the last.
  void barrierForFirst();
  /// Tells that all that has accessed memory since the last of these barriers is that thread, here.
  void noteAccessOfFirst();
  /// Whether the team's threads have done nothing that others could notice since they met.
  bool isBehindBarrier() const;

  /// The tensor coordinate of register 0 of this thread along each dimension; computed where the function
  /// begins.
  llvm::ArrayRef<llvm::Value *> getThreadCoordinates(mlir::RankedTensorType type);
  /// The same for any layout over registers, lanes and warps; `outs` names the coordinates that are wanted.
  Registers emitThreadCoordinates(const LinearLayout &layout, llvm::ArrayRef<Dim> outs);
  /// The coordinates of every register: [register][dimension].
  llvm::SmallVector<Registers> getCoordinates(mlir::RankedTensorType type);
  /// `base`, the coordinate of register 0, moved by the constant part of a register's coordinate; threadBits
  /// are getThreadBits of the coordinate.
  llvm::Value *moveCoordinate(llvm::Value *base, uint32_t threadBits, uint32_t offset);
  /// `condition` (null: true), and that the bits of `number` under `mask` are `bits`.
  llvm::Value *requireBits(llvm::Value *condition, llvm::Value *number, uint32_t mask, uint32_t bits = 0);
  /// Which of the copies of an element speaks for it. The bits are those of the layout's free variables; a
  /// scalar is a copy in every thread.
  struct Ownership {
    /// Holds in exactly one of the threads that have copies of the same elements; null if there are none.
    llvm::Value *predicate = nullptr;
    /// Registers whose number has one of these bits only hold copies of the thread's others.
    uint32_t copiedRegisters = 0;
  };
  Ownership getOwnership(mlir::Type type);

  /// The place `offset` bytes into the function's part of shared memory.
  llvm::Value *getSharedAddress(llvm::Value *offset);
  /// `offset` bytes into the scratch memory that the allocation pass gave `op`.
  llvm::Value *getScratch(mlir::Operation *op, llvm::Value *offset = nullptr);
  /// The place of an element in that memory where a tensor lies there in row-major order.
  llvm::Value *getScratchElement(mlir::Operation *op, llvm::ArrayRef<int64_t> shape,
                                 llvm::ArrayRef<llvm::Value *> coordinates, unsigned elementBytes);
  /// Reads `count` elements that lie side by side, from an address that is aligned for all of them, at once.
  Registers loadShared(mlir::Type type, llvm::Value *address, unsigned count);
  /// Writes them so, where `predicate` holds.
  void storeShared(llvm::ArrayRef<llvm::Value *> elements, llvm::Value *address, llvm::Value *predicate);
  /// How many such elements fit into one access and are all of the same thread, if registers' places differ
  /// in the bits `registerBits` and threads' in `threadBits`.
  unsigned getSharedWidth(mlir::Type type, uint32_t registerBits, uint32_t threadBits) const;
  /// Gives what the owners of elements have got from memory to all who hold copies, through the operation's
  /// scratch memory (isHandedAround): one entry for each register of its result.
  mlir::LogicalResult handAround(mlir::Operation *op, const Ownership &owner, Registers &results);

  //===- Regions ---------------------------------------------------------===//

  /// Emits the operations of a block, up to its terminator.
  mlir::LogicalResult emitBody(mlir::Block &block);
  mlir::LogicalResult emitOperation(mlir::Operation *op);
  /// Emits a region in place, with `arguments` for its arguments, one scalar each, and returns what its
  /// terminator passes on: how a reduction combines two elements.
  mlir::FailureOr<Registers> emitInline(mlir::Region &region, llvm::ArrayRef<llvm::Value *> arguments);

  llvm::BasicBlock *createBlock(const llvm::Twine &name);
  /// Makes phis for what a value of `type` holds, at the end of the current block.
  Registers createPhis(mlir::Type type);
  static void addIncoming(const Registers &phis, const Registers &values, llvm::BasicBlock *from);

  mlir::LogicalResult emitReturn(mlir::Operation *op, mlir::ValueRange values);
  /// Emits the regions of a specialized part (WarpSpecialization.cpp).
  mlir::LogicalResult emitSpecialized(ttg::WarpSpecializeOp op);
  /// The block that stands for a block of a function body with several.
  llvm::BasicBlock *getBlock(mlir::Block *block) const { return blocks.lookup(block); }

private:
  /// The threads that run what is emitted: the kernel's own, or those of a partition. Threads and warps are
  /// counted from the team's first one.
  struct Team {
    unsigned firstWarp = 0, numWarps = 0;
    /// The number of their barrier where they are not all threads of the block.
    unsigned barrier = 0;
    llvm::Value *thread = nullptr, *lane = nullptr, *warp = nullptr;
    const llvm::Instruction *lastBarrier = nullptr;
    /// Where the first thread has last accessed memory alone: the block, and the instruction in front, if
    /// there is one.
    const llvm::BasicBlock *blockOfFirst = nullptr;
    const llvm::Instruction *accessOfFirst = nullptr;
    /// The end of the block where what only depends on the thread is computed once.
    llvm::Instruction *entryEnd = nullptr;
    llvm::DenseMap<mlir::Type, Registers> threadCoordinates;
  };
  /// Whether nothing has accessed memory, nor have threads met, since this place; at the block's beginning if
  /// there is no instruction.
  bool isBehind(const llvm::BasicBlock *block, const llvm::Instruction *place) const;
  /// Computes the team's numbers in the current block, which goes on to `next`.
  void beginTeam(Team &begun, llvm::BasicBlock *next);
  /// Sends all warps but the kernel's own to `workersEnd`; goes on with those.
  void divideWarps();
  /// The threads of the whole block meet.
  void meetAll();
  void setWorkerRegisters(llvm::ArrayRef<unsigned> groups, unsigned before, bool more);
  mlir::LogicalResult emitPartitions(ttg::WarpSpecializeOp op);

  /// The bits of a register's number that do not change what the register holds, because they move within a
  /// run of equal elements: for `offsets < n`, n divisible by 16 and 8 registers in a row, the lowest three.
  /// One comparison then stands for eight, which LLVM could not know.
  unsigned getRepeatedRegisterBits(mlir::Value value);
  llvm::Value *emitCoordinate(llvm::IRBuilder<> &builder, llvm::ArrayRef<uint32_t> threadBases);

  /// Emits blocks, whose counterparts are there already; `emitTerminator` ends each.
  mlir::LogicalResult emitBlocks(mlir::Region &region,
                                 llvm::function_ref<mlir::LogicalResult(mlir::Operation *)> emitTerminator);
  tt::FuncOp source;
  llvm::Function &function;
  llvm::DenseMap<mlir::Value, Registers> values;
  llvm::DenseMap<mlir::Block *, llvm::BasicBlock *> blocks;
  llvm::DenseMap<mlir::Type, LinearLayout> layouts;
  Team team;
  /// Where the warps of partitions are: the end of what they do so far. Null where there are none.
  llvm::BasicBlock *workersEnd = nullptr;
  /// The number of the warp among all of the block's, where there are any.
  llvm::Value *blockWarp = nullptr;
  llvm::Value *sharedBase = nullptr;
  std::unique_ptr<LargeTiles> largeTiles;
};

/// The bits of the coordinate `out` that depend on the thread.
uint32_t getThreadBits(const LinearLayout &layout, Dim out);

/// Where each element lies among a thread's registers, of a layout's registers seen by thread 0.
class RegisterIndex {
public:
  RegisterIndex(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape);
  /// The tensor coordinates of a register, and back: the first register that holds them, or -1.
  llvm::ArrayRef<uint32_t> coordinates(unsigned reg) const { return all[reg]; }
  int find(llvm::ArrayRef<uint32_t> coordinates) const;
  unsigned size() const { return all.size(); }
  /// The row-major number of an element of the tensor.
  uint64_t flatten(llvm::ArrayRef<uint32_t> coordinates) const;

private:
  llvm::SmallVector<int64_t> shape;
  std::vector<llvm::SmallVector<uint32_t, 4>> all;
  llvm::DenseMap<uint64_t, unsigned> index;
};

} // namespace nereid::gpu

#endif // NEREID_COMPILER_LOWERING_GPU_EMITTER_H
