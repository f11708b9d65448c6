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

#include "compiler/Target.h"

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
  /// The i32 `value` of the lane whose number differs from one's own in the bits of `mask`.
  virtual llvm::Value *shuffleXorI32(Builder &b, llvm::Value *value, unsigned mask) const = 0;
  /// The i32 `value` of lane `lane`, which is below the warp size.
  virtual llvm::Value *shuffleIndexI32(Builder &b, llvm::Value *value, llvm::Value *lane) const = 0;

  /// The same for a value of any scalar type: of an integer or float, of a pointer, cut into 32-bit pieces.
  llvm::Value *shuffleXor(Builder &b, llvm::Value *value, unsigned mask) const;
  llvm::Value *shuffleIndex(Builder &b, llvm::Value *value, llvm::Value *lane) const;

  /// Combines an i32 over all lanes of the warp; null if the target has no instruction for it.
  virtual llvm::Value *reduceWarp(Builder &b, llvm::Value *value, WarpReduction kind) const {
    return nullptr;
  }

  //===- Memory ----------------------------------------------------------===//

  /// Loads a scalar or a vector from global memory. Where `predicate` (null: always) is false, nothing is
  /// read and the result is `other`, or zero if that is null.
  virtual llvm::Value *loadGlobal(Builder &b, llvm::Type *type, llvm::Value *pointer, llvm::Value *predicate,
                                  llvm::Value *other, const AccessHints &hints) const;
  virtual void storeGlobal(Builder &b, llvm::Value *value, llvm::Value *pointer, llvm::Value *predicate,
                           const AccessHints &hints) const;
  /// Atomic accesses to global memory; both return what was there before. Where `predicate` (null: always) is
  /// false nothing happens and the result is zero. Null if the target can't do it for a value of this type.
  virtual llvm::Value *atomicReadModifyWrite(Builder &b, AtomicOperation operation, llvm::Value *pointer,
                                             llvm::Value *value, llvm::Value *predicate, AtomicOrder order,
                                             AtomicScope scope) const;
  virtual llvm::Value *atomicCompareExchange(Builder &b, llvm::Value *pointer, llvm::Value *expected,
                                             llvm::Value *value, llvm::Value *predicate, AtomicOrder order,
                                             AtomicScope scope) const;
  /// Stores to shared memory; the address is a multiple of the value's size.
  virtual void storeShared(Builder &b, llvm::Value *value, llvm::Value *pointer,
                           llvm::Value *predicate) const;
  /// Adds to an i32 in shared memory, atomically.
  void addShared(Builder &b, llvm::Value *value, llvm::Value *pointer, llvm::Value *predicate) const;
  /// The widest access that one thread makes in one instruction, in bits.
  virtual unsigned getMaxAccessBits() const { return 128; }

  //===- Arithmetic ------------------------------------------------------===//

  /// `function` of floats or doubles. Narrower types are widened before by the caller.
  virtual llvm::Value *math(Builder &b, MathFunction function,
                            llvm::ArrayRef<llvm::Value *> arguments) const = 0;
  /// a / b, as exact as Triton's `/`: f32 within two units in the last place, f64 correctly rounded.
  virtual llvm::Value *divide(Builder &b, llvm::Value *a, llvm::Value *divisor) const;
  /// a / b, correctly rounded.
  virtual llvm::Value *dividePrecise(Builder &b, llvm::Value *a, llvm::Value *divisor) const;
  /// The high half of the product of two integers.
  virtual llvm::Value *multiplyHigh(Builder &b, llvm::Value *a, llvm::Value *c) const;
  /// f32 to bf16, to nearest, ties to even.
  virtual llvm::Value *truncateToBF16(Builder &b, llvm::Value *value) const;

  /// The constraints of inline assembly that works on elements of tiles, as this target's compiler wants
  /// them.
  virtual std::string getAsmConstraints(llvm::StringRef constraints) const { return constraints.str(); }

  //===- Debugging aids --------------------------------------------------===//

  /// Prints a line of text made from a C format and its (already promoted) arguments.
  virtual void print(Builder &b, llvm::StringRef format, llvm::ArrayRef<llvm::Value *> arguments) const = 0;
  /// Ends the kernel with an error that the host sees.
  virtual void trap(Builder &b) const;

  /// Operations that only this vendor's code can lower, or lowers better.
  virtual void addEmitters(EmitterTable &table) const {}

protected:
  /// What LLVM calls a scope of synchronization for this target.
  virtual llvm::StringRef getSyncScopeName(AtomicScope scope) const = 0;
  /// Tells LLVM what it may take for granted of an atomic access.
  virtual void describeAtomic(llvm::AtomicRMWInst &inst) const {}
  /// Emits `body` so that it only runs where `predicate` holds, and returns its value merged with
  /// `otherwise`.
  template <typename Body>
  llvm::Value *whenTrue(Builder &b, llvm::Value *predicate, llvm::Value *otherwise, Body body) const {
    llvm::BasicBlock *head = nullptr, *join = nullptr;
    beginWhen(b, predicate, head, join);
    llvm::Value *value = body();
    return endWhen(b, value, otherwise, head, join);
  }
  /// A call to a function that a device library defines, marked as free of side effects.
  static llvm::Value *callLibrary(Builder &b, const llvm::Twine &name, llvm::Type *result,
                                  llvm::ArrayRef<llvm::Value *> arguments);

  Target target;

private:
  static void beginWhen(Builder &b, llvm::Value *predicate, llvm::BasicBlock *&head, llvm::BasicBlock *&join);
  static llvm::Value *endWhen(Builder &b, llvm::Value *value, llvm::Value *otherwise, llvm::BasicBlock *head,
                              llvm::BasicBlock *join);
};

} // namespace nereid::gpu

#endif // NEREID_COMPILER_LOWERING_GPU_TARGETLOWERING_H
