// Operations that work on each element alone, as LLVM IR over scalars or vectors.
//
// The same code serves a scalar operation of the kernel, an element-wise operation on tiles (called with
// vectors), and the body of a reduction (called with vectors of partial results): only the operands tell how
// many lanes there are. Operands may mix scalars and vectors; scalars are repeated. Narrow floats are
// integers here, see FloatFormats.h; i1 is i1 in registers and a byte in memory.
#ifndef NEREID_COMPILER_LOWERING_CPU_ELEMENTWISE_H
#define NEREID_COMPILER_LOWERING_CPU_ELEMENTWISE_H

#include "compiler/lowering/cpu/FloatFormats.h"
#include "compiler/lowering/cpu/VectorMath.h"
#include "compiler/lowering/source/LineTables.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace nereid::cpu {

/// The format of f16, bf16 and the fp8 types; nothing for other types.
std::optional<NarrowFloat> getNarrowFloat(mlir::Type type);

/// Whether the operation computes each element of its results from the same element of its operands, without
/// touching memory. (Whether ElementEmitter knows it is another matter.)
bool isElementwise(mlir::Operation *op);

/// Whether the region can be emitted on vectors: one block of element-wise operations, and of conditions
/// whose sides are such.
bool isStraightLine(mlir::Region &region);

class ElementEmitter {
public:
  ElementEmitter(llvm::IRBuilder<> &builder, const VectorTarget &target)
      : b(builder), target(target), formats(builder, target), math(builder, target) {}

  /// Whose instructions are emitted, and what turns their places in the source into LLVM's.
  void setLines(LineTables &tables, const llvm::Function &emitted) {
    lines = &tables;
    function = &emitted;
  }
  /// While it lives, instructions come from the line of `op` (null: from wherever they came from before).
  class Place {
  public:
    Place(ElementEmitter &emitter, mlir::Operation *op) : b(emitter.b), saved(b.getCurrentDebugLocation()) {
      if (op && emitter.lines)
        b.SetCurrentDebugLocation(emitter.lines->get(*emitter.function, op->getLoc()));
    }
    ~Place() { b.SetCurrentDebugLocation(saved); }
    Place(const Place &) = delete;

  private:
    llvm::IRBuilder<> &b;
    llvm::DebugLoc saved;
  };

  /// The type of a value of this MLIR type, or of one element of a tensor, in a register and in memory.
  llvm::Type *registerType(mlir::Type type);
  llvm::Type *memoryType(mlir::Type type);

  /// A scalar attribute as a constant of registerType(type).
  llvm::Constant *constant(mlir::Attribute attribute, mlir::Type type);

  /// Emits `op`. Returns false, after an error at the operation, if it is not known.
  bool emit(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands,
            llvm::SmallVectorImpl<llvm::Value *> &results);

  /// Emits a combining region, which isStraightLine, with these arguments; the results are its terminator's
  /// operands.
  bool emitRegion(mlir::Region &region, llvm::ArrayRef<llvm::Value *> arguments,
                  llvm::SmallVectorImpl<llvm::Value *> &results,
                  llvm::function_ref<llvm::Value *(mlir::Value)> outerValue);

  /// Conversion between floating-point MLIR types in register form.
  llvm::Value *convertFloat(llvm::Value *value, mlir::Type from, mlir::Type to,
                            Rounding rounding = Rounding::NearestEven);

  /// A scalar repeated, or the vector itself.
  llvm::Value *toLanes(llvm::Value *value, unsigned lanes);
  static unsigned getLanes(llvm::Value *value);

  FloatFormats &getFormats() { return formats; }
  VectorMath &getMath() { return math; }

private:
  llvm::Value *emitInteger(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *emitCast(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *emitFloat(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *emitCompare(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *emitPointer(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *emitNamedFunction(llvm::StringRef name, llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *divide(mlir::Operation *op, llvm::Value *lhs, llvm::Value *rhs, bool isSigned,
                      bool isRemainder);
  llvm::Value *divideAsFloat(llvm::Value *lhs, llvm::Value *rhs, bool isSigned, bool isRemainder);
  llvm::Value *integerToFloat(llvm::Value *value, mlir::Type to, bool isSigned);

  llvm::IRBuilder<> &b;
  const VectorTarget &target;
  FloatFormats formats;
  VectorMath math;
  LineTables *lines = nullptr;
  const llvm::Function *function = nullptr;
};

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_ELEMENTWISE_H
