// Where GPU vendors differ, as far as the lowering of ttg IR is concerned.
//
// The walker in Emitter.h decides what each thread computes; a TargetLowering says how one such step is
// written in LLVM IR: where the thread's number comes from, how lanes of a warp exchange a register, how a
// vector is loaded under a predicate. Hooks speak LLVM IR only (no MLIR), take the builder at the place where
// code is wanted, and return values. A hook with a body here is right on every target; a vendor overrides it
// where its hardware does better.
//
// Words: a lane is a thread's place in its warp (AMD: wave), and a block is the threads that run one program.
#ifndef NEREID_COMPILER_LOWERING_GPU_TARGETLOWERING_H
#define NEREID_COMPILER_LOWERING_GPU_TARGETLOWERING_H

#include "compiler/lowering/source/LineTables.h"
#include "compiler/model/Target.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace nereid::gpu {

class EmitterTable;

/// Address spaces, which NVIDIA and AMD number alike.
constexpr unsigned globalAddressSpace = 1;
constexpr unsigned sharedAddressSpace = 3;

/// How an access to global memory should treat the caches. The names are PTX's, and so are Triton's.
enum class CacheModifier { None, CA, CG, CS, WB, WT, CV };
enum class EvictionPolicy { Normal, EvictFirst, EvictLast };

struct AccessHints {
  /// In bytes; what the address is known to be a multiple of.
  unsigned alignment = 1;
  CacheModifier cache = CacheModifier::None;
  EvictionPolicy eviction = EvictionPolicy::Normal;
  bool isVolatile = false;
  /// Nobody needs the data again: it may leave the second cache first.
  bool isLast = false;
  /// Each lane reads a small piece of a line of its own, and other programs need the rest.
  bool isOfColumn = false;
};

/// What an atomic access does to memory, how it orders the accesses around it, and for whom.
enum class AtomicOperation { And, Or, Xor, Add, FAdd, Max, Min, UMax, UMin, Exchange };
enum class AtomicOrder { Relaxed, Acquire, Release, AcquireRelease };
enum class AtomicScope { Block, Device, System };

/// Functions of one or more floating-point numbers that no LLVM instruction computes on every target.
enum class MathFunction {
  Exp,
  Exp2,
  Expm1,
  Log,
  Log2,
  Log10,
  Log1p,
  Sqrt,
  Rsqrt,
  PreciseSqrt,
  Cbrt,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Atan2,
  Sinh,
  Cosh,
  Tanh,
  Asinh,
  Acosh,
  Atanh,
  Erf,
  Erfc,
  Pow,
  FMod,
};
/// The name that C's math library gives the function for double: `exp`, `fmod`.
llvm::StringRef getMathName(MathFunction function);

/// The integer combinations that some targets reduce over a whole warp in one instruction.
enum class WarpReduction { Add, MinSigned, MaxSigned, MinUnsigned, MaxUnsigned, And, Or, Xor };

/// One step of a warp's matrix unit: d = a * b + c for a of 16 rows, b of 8 columns, and as many products
/// along the reduced axis as eight 32-bit registers hold elements (16 of f16; 8 of f64). Lane l holds
///
///   a   four registers (f64: numbers): row l/4 and row l/4 + 8 of the first half of the reduced axis,
///       then of the second; along that axis the lanes of one row have one register after the other
///   b   two: column l/4 of the first half and of the second
///   c   four numbers: columns 2 (l%4) and the next in row l/4, then in row l/4 + 8
///
/// which is how PTX draws mma.m16n8k16 and its siblings.
struct MatrixStep {
  enum class Element { F16, BF16, TF32, F64, S8, E4M3, E5M2 };
  Element left, right;
  /// c and d are f16 rather than f32 (f64, i32).
  bool sumsInHalf = false;

  /// Elements of an operand in a register.
  unsigned getElementsPerRegister() const {
    switch (left) {
    case Element::F16:
    case Element::BF16:
      return 2;
    case Element::TF32:
    case Element::F64:
      return 1;
    case Element::S8:
    case Element::E4M3:
    case Element::E5M2:
      return 4;
    }
    llvm_unreachable("every element is listed above");
  }
};

/// An attribute of functions whose loads or stores have branches behind them, for vectors in which a mask
/// ends.
constexpr const char *raggedAccesses = "nereid.ragged-accesses";

class TargetLowering {
public:
  using Builder = llvm::IRBuilder<>;

  explicit TargetLowering(const Target &target) : target(target) {}
  virtual ~TargetLowering();

  const Target &getTarget() const { return target; }
  unsigned getWarpSize() const { return target.warpSize; }

  //===- The module and its kernel ---------------------------------------===//

  virtual llvm::StringRef getTriple() const = 0;
  /// Gives a function the calling convention and the attributes of a kernel that runs in blocks of
  /// `numThreads`.
  virtual void makeKernel(llvm::Function &function, unsigned numThreads) const = 0;

  //===- Where a thread is -----------------------------------------------===//

  virtual llvm::Value *threadId(Builder &b) const = 0;
  /// The program's number and the grid's size along an axis, 0 to 2, as i32.
  virtual llvm::Value *programId(Builder &b, unsigned axis) const = 0;
  virtual llvm::Value *numPrograms(Builder &b, unsigned axis) const = 0;

  //===- Between threads -------------------------------------------------===//

  /// All threads of the block arrive, and then see each other's writes to shared and global memory.
  virtual void barrier(Builder &b) const = 0;
  /// The same in a block of one warp, for the threads of which there may be something cheaper.
  virtual void warpBarrier(Builder &b) const { barrier(b); }

  // For warps that do different things. Only called where a target has partitions (WarpSpecialization.cpp).

  /// The same among `numThreads` threads that name the same `number`, 0 to 15.
  virtual void barrier(Builder &b, unsigned number, unsigned numThreads) const;
  /// How many of them there are; 0 on targets whose warps can only do the same.
  virtual unsigned countBarriers() const { return 0; }
  /// Gives each thread of a group of four warps `count` registers: more than it had, or fewer.
  virtual void setRegisters(Builder &b, unsigned count, bool more) const;
  /// Bounds the registers of a thread when the kernel begins.
  virtual void setMaxRegisters(llvm::Function &kernel, unsigned count) const {}
  /// The i32 `value` of the lane whose number differs from one's own in the bits of `mask`.
  virtual llvm::Value *shuffleXorI32(Builder &b, llvm::Value *value, unsigned mask) const = 0;
  /// The i32 `value` of lane `lane`, which is below the warp size.
  virtual llvm::Value *shuffleIndexI32(Builder &b, llvm::Value *value, llvm::Value *lane) const = 0;

  /// The same for a value of any scalar type: of an integer or float, of a pointer, cut into 32-bit pieces.
  llvm::Value *shuffleXor(Builder &b, llvm::Value *value, unsigned mask) const;
  llvm::Value *shuffleIndex(Builder &b, llvm::Value *value, llvm::Value *lane) const;

  // For blocks that run one program together. Only called where a cluster has more than one.

  /// The most blocks that a cluster may have.
  virtual unsigned getMaxClusterSize() const { return 1; }
  void setClusterSize(unsigned numBlocks) { clusterSize = numBlocks; }
  /// The block's number in its cluster, as i32.
  virtual llvm::Value *blockInCluster(Builder &b) const;
  /// All threads of all blocks arrive, and then see each other's writes to shared and global memory.
  virtual void clusterBarrier(Builder &b) const;
  /// Loads from another block's shared memory what lies at `pointer` in this block's.
  virtual llvm::Value *loadFromBlock(Builder &b, llvm::Type *type, llvm::Value *pointer,
                                     llvm::Value *block) const;

  /// Combines an i32, or by Or and And an i1, over all lanes of the warp; null if the target has no
  /// instruction for it.
  virtual llvm::Value *reduceWarp(Builder &b, llvm::Value *value, WarpReduction kind) const {
    return nullptr;
  }

  /// Whether an i64 is the same in all lanes of the warp; null if the target has no instruction for it.
  virtual llvm::Value *isSameInAllLanes(Builder &b, llvm::Value *value) const { return nullptr; }

  //===- Memory ----------------------------------------------------------===//

  /// Loads a scalar or a vector from global memory. Where `predicate` (null: always) is false, nothing is
  /// read and the result is `other`, or zero if that is null.
  virtual llvm::Value *loadGlobal(Builder &b, llvm::Type *type, llvm::Value *pointer, llvm::Value *predicate,
                                  llvm::Value *other, const AccessHints &hints) const;
  virtual void storeGlobal(Builder &b, llvm::Value *value, llvm::Value *pointer, llvm::Value *predicate,
                           const AccessHints &hints) const;
  /// Has LLVM compute a value of 32 or 64 bits here, and not in a branch behind this that alone needs it.
  virtual void keepHere(Builder &b, llvm::Value *value) const {}

  /// Atomic accesses to global memory; both return what was there before. Where `predicate` (null: always) is
  /// false nothing happens and the result is zero. Null if the target can't do it for a value of this type.
  /// A vector is accessed element by element, at an address that is a multiple of its size. What was there
  /// before may be left out where it is not wanted.
  virtual llvm::Value *atomicReadModifyWrite(Builder &b, AtomicOperation operation, llvm::Value *pointer,
                                             llvm::Value *value, llvm::Value *predicate, AtomicOrder order,
                                             AtomicScope scope, bool isResultWanted) const;
  virtual llvm::Value *atomicCompareExchange(Builder &b, llvm::Value *pointer, llvm::Value *expected,
                                             llvm::Value *value, llvm::Value *predicate, AtomicOrder order,
                                             AtomicScope scope) const;
  /// How many neighbours of a type one atomicReadModifyWrite may take.
  virtual unsigned getMaxAtomicElements(AtomicOperation operation, llvm::Type *type) const { return 1; }
  /// Orders this thread's accesses to global memory before and after, as an atomic access of this order does.
  void fence(Builder &b, AtomicOrder order, AtomicScope scope) const;
  /// Stores to shared memory; the address is a multiple of the value's size.
  virtual void storeShared(Builder &b, llvm::Value *value, llvm::Value *pointer,
                           llvm::Value *predicate) const;
  /// Adds to an i32 in shared memory, atomically.
  void addShared(Builder &b, llvm::Value *value, llvm::Value *pointer, llvm::Value *predicate) const;
  /// Whether loadMatrices is worth more than ordinary loads.
  virtual bool hasMatrixLoads() const { return false; }
  /// Reads `count` matrices of 8 rows of 16 bytes from shared memory, as ldmatrix does (MatrixLoadPlan.h):
  /// lane 8 i + r gives row r of matrix i, `offset` bytes from `base`. Returns an i32 for each matrix.
  virtual llvm::SmallVector<llvm::Value *, 4> loadMatrices(Builder &b, llvm::Value *base, llvm::Value *offset,
                                                           unsigned count, bool transposed) const;

  /// Whether storeMatrices is worth more than ordinary stores.
  virtual bool hasMatrixStores() const { return false; }
  /// Writes matrices as loadMatrices reads them: `words` are what it would return.
  virtual void storeMatrices(Builder &b, llvm::Value *base, llvm::Value *offset,
                             llvm::ArrayRef<llvm::Value *> words, bool transposed) const;

  /// Starts to copy 4, 8 or 16 bytes from global to shared memory, both addresses multiples of that. Where
  /// `predicate` (null: always) is false nothing is read and zeros are written; where `writes` (null: always)
  /// is false nothing is done at all. Here, on targets that cannot copy behind the threads' backs, it is done
  /// when this returns.
  virtual void copyAsync(Builder &b, llvm::Value *shared, llvm::Value *global, unsigned bytes,
                         llvm::Value *predicate, llvm::Value *writes) const;
  /// Makes one group of the copies that this thread started since the last.
  virtual void commitCopies(Builder &b) const {}
  /// Waits until at most `pending` of this thread's groups are under way. Other threads see the copies after
  /// a barrier.
  virtual void waitForCopies(Builder &b, unsigned pending) const {}

  //===- Tiles that the hardware copies ----------------------------------===//

  // Called by the emitters of TileCopies.cpp, which targets that have tensor maps add to their tables. All
  // threads of the block, or of a partition, reach these places, and one of them acts: of those whose number
  // `thread` is below the warp size.

  /// Tells how a kernel takes a tensor map, its parameter `index`: a pointer to 128 bytes that do not change.
  virtual void describeTensorMap(llvm::Function &kernel, unsigned index) const {}
  /// Makes 8 bytes of shared memory a barrier that each of its phases takes `count` arrivals to end, or ends
  /// it.
  virtual void beginTileBarrier(Builder &b, llvm::Value *thread, llvm::Value *barrier, unsigned count) const;
  virtual void endTileBarrier(Builder &b, llvm::Value *thread, llvm::Value *barrier) const;
  /// Arrives `count` times where `predicate` (null: always) holds; once for each warp that comes here if
  /// `thread` is null, when its lanes are done with what they did before.
  virtual void arriveAtTileBarrier(Builder &b, llvm::Value *thread, llvm::Value *barrier, unsigned count,
                                   llvm::Value *predicate) const;
  /// Arrives where `predicate` holds; the phase ends when so many more bytes have come.
  virtual void expectTileBytes(Builder &b, llvm::Value *thread, llvm::Value *barrier, unsigned bytes,
                               llvm::Value *predicate) const;
  /// All threads wait for the end of the phase whose number modulo 2 is the i32 `phase`.
  virtual void waitForTiles(Builder &b, llvm::Value *barrier, llvm::Value *phase) const;
  /// Starts to copy a box of the tensor to shared memory where `predicate` holds. `coordinates` are i32,
  /// innermost axis first.
  virtual void copyTile(Builder &b, llvm::Value *thread, llvm::Value *shared, llvm::Value *map,
                        llvm::ArrayRef<llvm::Value *> coordinates, llvm::Value *barrier,
                        llvm::Value *predicate) const;

  /// Starts to copy a box of shared memory to the tensor, and waits until all such copies but the `pending`
  /// last have read it.
  virtual void storeTile(Builder &b, llvm::Value *thread, llvm::Value *shared, llvm::Value *map,
                         llvm::ArrayRef<llvm::Value *> coordinates) const;
  virtual void waitForStoredTiles(Builder &b, unsigned pending, bool untilWritten) const;

  /// What a kernel puts into a tensor map that it makes itself; axes innermost first, sizes as i32, strides
  /// in bytes as i64. The last four are the numbers that PTX has for them.
  struct TensorMapFields {
    llvm::Value *address;
    llvm::SmallVector<llvm::Value *, 5> box, sizes, strides, steps;
    unsigned elementType, interleaveLayout, swizzleMode, fillMode;
  };
  /// Whether kernels can.
  virtual bool canMakeTensorMaps() const { return false; }
  /// Puts a map together in 128 bytes of shared memory and copies it to `map`, in global memory. Threads of
  /// one warp do.
  virtual void makeTensorMap(Builder &b, llvm::Value *shared, llvm::Value *map,
                             const TensorMapFields &fields) const;
  /// Each thread may use the map behind this, whatever was at its place before.
  virtual void acquireTensorMap(Builder &b, llvm::Value *map) const;

  /// The widest access that one thread makes in one instruction, in bits.
  virtual unsigned getMaxAccessBits() const { return 128; }

  //===- Arithmetic ------------------------------------------------------===//

  /// `function` of floats or doubles. Narrower types are widened before by the caller.
  virtual llvm::Value *math(Builder &b, MathFunction function,
                            llvm::ArrayRef<llvm::Value *> arguments) const = 0;
  /// x, or with its sign what is no larger than the positive `bound`; any number for a NaN. Null if the
  /// target has no instruction for it.
  virtual llvm::Value *clampMagnitude(Builder &b, llvm::Value *x, llvm::Value *bound) const {
    return nullptr;
  }
  /// a / b, as exact as Triton's `/`: f32 within two units in the last place, f64 correctly rounded.
  virtual llvm::Value *divide(Builder &b, llvm::Value *a, llvm::Value *divisor) const;
  /// a / b, correctly rounded.
  virtual llvm::Value *dividePrecise(Builder &b, llvm::Value *a, llvm::Value *divisor) const;
  /// The high half of the product of two integers.
  virtual llvm::Value *multiplyHigh(Builder &b, llvm::Value *a, llvm::Value *c) const;
  /// f32 to bf16, to nearest, ties to even.
  virtual llvm::Value *truncateToBF16(Builder &b, llvm::Value *value) const;
  /// Two f32 to a vector of two bf16, likewise.
  virtual llvm::Value *truncatePairToBF16(Builder &b, llvm::Value *first, llvm::Value *second) const;
  /// Two 8-bit floats (e4m3, or else e5m2), the first in the lower half of an i16, as a vector of two f16,
  /// exactly; null if the target has no instruction for it.
  virtual llvm::Value *widenSmallFloatPair(Builder &b, llvm::Value *bytes, bool isE4M3) const {
    return nullptr;
  }
  /// Two f32 to 8-bit floats (e4m3, or else e5m2) in an i16, the first in its lower half: to nearest, ties to
  /// even, too large ones and infinities to the largest number, NaNs to 0x7F. Null if the target has no
  /// instruction for it.
  virtual llvm::Value *narrowToSmallFloatPair(Builder &b, llvm::Value *first, llvm::Value *second,
                                              bool isE4M3) const {
    return nullptr;
  }
  /// Whether instructions compare numbers of bf16 without widening them.
  virtual bool comparesBF16() const { return false; }
  /// A sum, difference or product of two bf16, rounded, which nothing fuses with another. Null if the target
  /// has no instruction for it.
  virtual llvm::Value *computeInBF16(Builder &b, llvm::Instruction::BinaryOps opcode, llvm::Value *left,
                                     llvm::Value *right) const {
    return nullptr;
  }
  /// A word of 32 bits with none but the bits `kept`, and then those of `turned` turned over.
  virtual llvm::Value *keepAndTurnBits(Builder &b, llvm::Value *word, uint32_t kept, uint32_t turned) const {
    return b.CreateXor(b.CreateAnd(word, kept), turned);
  }
  /// The sums of two pairs of f16 or of bf16, by one instruction; null if the target has none.
  virtual llvm::Value *addPair(Builder &b, llvm::Value *left, llvm::Value *right) const { return nullptr; }
  /// f32 to the nearest f32 that tf32 can hold, ties away from zero.
  virtual llvm::Value *roundToTF32(Builder &b, llvm::Value *value) const;
  /// Whether LLVM's conversion between these types (f16 to f32, f32 to f16 or bf16) makes every NaN the one
  /// without a sign and with all bits of the fraction set.
  virtual bool givesCanonicalNaN(llvm::Type *from, llvm::Type *to) const { return false; }
  /// Whether LLVM's conversion of f64 to f16 or bf16 rounds once.
  virtual bool narrowsDoublesAtOnce(llvm::Type *to) const { return false; }
  /// The same number, every NaN made that one; null where that takes a choice.
  virtual llvm::Value *canonicalizeNaN(Builder &b, llvm::Value *value) const { return nullptr; }

  /// Does a step of the matrix unit for all lanes of the warp together. Registers of operands are i32 (f64:
  /// double), sums numbers of their type. Empty if the target has no such unit: no pass chooses these layouts
  /// then, but text made for another target may have them.
  virtual llvm::SmallVector<llvm::Value *, 4> multiplyMatrices(Builder &b, const MatrixStep &step,
                                                               llvm::ArrayRef<llvm::Value *> left,
                                                               llvm::ArrayRef<llvm::Value *> right,
                                                               llvm::ArrayRef<llvm::Value *> sums) const;

  /// The constraints of inline assembly that works on elements of tiles, as this target's compiler wants
  /// them.
  virtual std::string getAsmConstraints(llvm::StringRef constraints) const { return constraints.str(); }

  //===- Debugging aids --------------------------------------------------===//

  /// Prints a line of text made from a C format and its (already promoted) arguments.
  virtual void print(Builder &b, llvm::StringRef format, llvm::ArrayRef<llvm::Value *> arguments) const = 0;
  /// What a failed assertion says.
  struct Assertion {
    llvm::StringRef message, path;
    unsigned line;
    llvm::StringRef function;
  };
  /// Tells of a failed assertion, and ends the kernel with an error that the host sees: prints a line and
  /// traps.
  virtual void failAssertion(Builder &b, const Assertion &assertion) const;
  /// Line tables are written as DWARF, or in the assembly's own words.
  virtual LineTables::Form getLineTableForm() const { return LineTables::Form::DWARF; }

  /// Operations that only this vendor's code can lower, or lowers better.
  virtual void addEmitters(EmitterTable &table) const {}

  /// Emits `body` so that it only runs where `predicate` holds, and returns its value merged with
  /// `otherwise`.
  template <typename Body>
  llvm::Value *whenTrue(Builder &b, llvm::Value *predicate, llvm::Value *otherwise, Body body) const {
    llvm::BasicBlock *head = nullptr, *join = nullptr;
    beginWhen(b, predicate, head, join);
    llvm::Value *value = body();
    return endWhen(b, value, otherwise, head, join);
  }

protected:
  /// What LLVM calls a scope of synchronization for this target.
  virtual llvm::StringRef getSyncScopeName(AtomicScope scope) const = 0;
  /// Tells LLVM what it may take for granted of an atomic access.
  virtual void describeAtomic(llvm::AtomicRMWInst &inst) const {}
  /// A call to a function that a device library defines, marked as free of side effects.
  static llvm::Value *callLibrary(Builder &b, const llvm::Twine &name, llvm::Type *result,
                                  llvm::ArrayRef<llvm::Value *> arguments);

  Target target;
  /// How many blocks run one program.
  unsigned clusterSize = 1;

private:
  static void beginWhen(Builder &b, llvm::Value *predicate, llvm::BasicBlock *&head, llvm::BasicBlock *&join);
  static llvm::Value *endWhen(Builder &b, llvm::Value *value, llvm::Value *otherwise, llvm::BasicBlock *head,
                              llvm::BasicBlock *join);
};

} // namespace nereid::gpu

#endif // NEREID_COMPILER_LOWERING_GPU_TARGETLOWERING_H
