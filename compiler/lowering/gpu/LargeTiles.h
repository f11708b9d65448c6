// Tiles of which a thread has more elements than straight-line code is made for: loops instead of registers.
//
// Up to getManyRegisters (ScratchMemory.h), what a thread holds of a tile is one LLVM value an element
// (Emitter.h). Beyond that, code would grow with the tile, and the time that assemblers take grows faster
// than code: ptxas takes 4 s for an element-wise kernel with 1024 elements a thread, 11 s for a scan, and
// minutes for 4096. So an element of a large tile is computed where it is wanted, from its number among the
// thread's registers, which is a value of the run:
//
//     y = x * 2; store(p, y)      becomes      for (r = 0; r < 8192; r += 16)
//                                                for (i = 0; i < 16; ++i)      // unrolled
//                                                  store(p(r + i), slot_x[r + i] * 2)
//
// Operations without side effects are deferred until then, as expressions; what comes from memory, from other
// threads, or out of a loop is kept in a slot: an array of the thread, in its local memory.
//
// A register number is the exclusive or of a part known here and a part that is not. Views and coordinates
// are linear in its bits, so that a view is a list of columns: which bits of the source's number follow from
// each bit of the result's.
#ifndef NEREID_COMPILER_LOWERING_GPU_LARGETILES_H
#define NEREID_COMPILER_LOWERING_GPU_LARGETILES_H

#include "compiler/lowering/gpu/Emitter.h"

namespace nereid::gpu {

/// The number of a register of a thread.
struct RegisterNumber {
  uint32_t constant = 0;
  /// What is only known when the kernel runs, or null; its bits lie under the mask.
  llvm::Value *dynamic = nullptr;
  uint32_t mask = 0;
};

/// For each bit of a register number, what it contributes to something that is linear in them.
using RegisterColumns = llvm::SmallVector<uint32_t, 16>;

class LargeTiles {
public:
  LargeTiles(Emitter &emitter, tt::FuncOp function);

  bool isLarge(mlir::Type type);
  bool isLarge(mlir::Value value) { return isLarge(value.getType()); }
  /// Whether the operation has a large operand or result.
  bool concerns(mlir::Operation *op);
  /// Whether there are loops for the operation's large tiles.
  bool hasLoops(mlir::Operation *op);
  /// Reports an operation that has none.
  mlir::LogicalResult refuseIfUnsupported(mlir::Operation *op);

  //===- Giving values -----------------------------------------------------===//

  /// All elements are `element`.
  void setUniform(mlir::Value value, llvm::Value *element);
  /// An operation whose elements each come from one of each operand.
  mlir::LogicalResult defer(mlir::Operation *op);
  /// Register r is the source's register columns(r) ^ start.
  mlir::LogicalResult setView(mlir::Value value, mlir::Value source, RegisterColumns columns,
                              uint32_t start = 0);
  /// Elements of either source, by the bits of `columns` above the source's.
  mlir::LogicalResult setJoin(mlir::Value value, mlir::Value left, mlir::Value right,
                              RegisterColumns columns);
  /// What another value is, under another name.
  void setAlias(mlir::Value value, mlir::Value source) { aliases[value] = source; }
  /// Register r is at columns(r) in the slot; without columns, at r.
  void setSlot(mlir::Value value, llvm::Value *slot, std::optional<RegisterColumns> columns = std::nullopt);

  //===- Slots and loops ---------------------------------------------------===//

  /// Memory of the thread for `count` elements.
  llvm::Value *createSlot(mlir::Type element, unsigned count);
  void storeTo(llvm::Value *slot, mlir::Type element, const RegisterNumber &place, llvm::Value *value);
  llvm::Value *loadFrom(llvm::Value *slot, mlir::Type element, const RegisterNumber &place);
  /// An element; null after an error was reported.
  llvm::Value *get(mlir::Value value, const RegisterNumber &number);
  /// Evaluates a value, which need not be large, into a new slot.
  mlir::FailureOr<llvm::Value *> evaluate(mlir::Value value);
  /// Copies values into the slots of others, all at once; those that are not large are left out.
  mlir::LogicalResult assign(mlir::ValueRange destinations, mlir::ValueRange sources);
  /// Gives large values slots of their own.
  void declare(mlir::ValueRange values);

  /// Emits `for (r = first; r < count; r += step) body(r)`, where all are powers of two (`first` may be 0).
  using Body = llvm::function_ref<mlir::LogicalResult(const RegisterNumber &)>;
  mlir::LogicalResult forEach(unsigned first, unsigned count, unsigned step, Body body);
  /// The same of each register of `value`, one a round; the predicate says whether the element in it is this
  /// thread's to handle, and not a copy (null: it is).
  using OwnedBody = llvm::function_ref<mlir::LogicalResult(const RegisterNumber &, llvm::Value *predicate)>;
  mlir::LogicalResult forEachOwned(mlir::Value value, OwnedBody body);
  /// How many registers a round of a loop over all of them handles.
  static constexpr unsigned chunk = 16;

  /// Brings elements of `source` to other threads through the scratch memory of `op`, which holds a part of
  /// the tile at a time, a run of elements in row-major order: every thread writes what it has of the part,
  /// all wait, and read what they need of it. `getIndex` says which element of the source a register of the
  /// result is to hold, by its row-major number (null after an error). Returns the result's slot.
  using ElementIndex = llvm::function_ref<llvm::Value *(const RegisterNumber &)>;
  mlir::FailureOr<llvm::Value *> exchangeInParts(mlir::Operation *op, mlir::Value source,
                                                 mlir::RankedTensorType resultType, unsigned part,
                                                 ElementIndex getIndex);

  static RegisterNumber plus(RegisterNumber number, uint32_t constant) {
    number.constant ^= constant;
    return number;
  }
  RegisterNumber map(const RegisterNumber &number, llvm::ArrayRef<uint32_t> columns);
  /// The number as a value.
  llvm::Value *emit(const RegisterNumber &number);
  /// `base`, some of whose bits under `threadBits` depend on the thread, moved by columns(number).
  llvm::Value *move(llvm::Value *base, uint32_t threadBits, const RegisterNumber &number,
                    llvm::ArrayRef<uint32_t> columns);
  /// The tensor coordinate of a register along one dimension, and the row-major number of its element.
  llvm::Value *getCoordinate(mlir::RankedTensorType type, unsigned dimension, const RegisterNumber &number);
  llvm::Value *getFlatIndex(mlir::RankedTensorType type, const RegisterNumber &number);

private:
  /// Writes small operands where a loop can find them by number.
  void spillSmallOperands(mlir::ValueRange operands);
  llvm::Value *compute(mlir::Value value, const RegisterNumber &number);

  /// The slot in which register r of a large value is at r, if there is one.
  llvm::Value *findPlainSlot(mlir::Value value);

  struct Slot {
    llvm::Value *memory;
    std::optional<RegisterColumns> columns;
  };
  struct View {
    mlir::Value source, other; // other: of a join
    RegisterColumns columns;
    uint32_t start = 0;
  };
  /// Gives a small value its registers at once, and leaves a large one for later.
  mlir::LogicalResult give(mlir::Value value, View view);
  Emitter &e;
  /// The most elements that a thread holds as LLVM values, in this function.
  unsigned limit = 0;
  llvm::DenseMap<mlir::Value, llvm::Value *> uniform;
  llvm::DenseMap<mlir::Value, mlir::Value> aliases;
  llvm::DenseMap<mlir::Value, Slot> slots;
  llvm::DenseMap<mlir::Value, View> views;
  llvm::DenseSet<mlir::Value> deferred;
  llvm::DenseMap<mlir::Value, llvm::Value *> spilled;
  /// What has been computed in this round of the innermost loop.
  using Key = std::pair<mlir::Value, std::pair<llvm::Value *, uint32_t>>;
  llvm::DenseMap<Key, llvm::Value *> computed;
};

} // namespace nereid::gpu

#endif // NEREID_COMPILER_LOWERING_GPU_LARGETILES_H
