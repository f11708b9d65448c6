// tt.dot on the GPU's matrix units. See MatrixUnitProduct.cpp.
#ifndef NEREID_COMPILER_LOWERING_GPU_MATRIXUNITPRODUCT_H
#define NEREID_COMPILER_LOWERING_GPU_MATRIXUNITPRODUCT_H

#include "compiler/lowering/gpu/Emitter.h"

namespace nereid::gpu {

/// What a type of elements is to the matrix unit; nothing if it does not multiply such.
std::optional<MatrixStep::Element> getUnitElement(mlir::Type type);

/// The registers of a product's operand, by where they lie.
class OperandFragments {
public:
  OperandFragments(Emitter &e, mlir::TypedValue<mlir::RankedTensorType> operand, bool isLeft,
                   unsigned perRegister)
      : e(e), registers(e.get(operand)), index(e.getLayout(operand.getType()), operand.getType().getShape()),
        shape(operand.getType().getShape()), rank(shape.size()), isLeft(isLeft), perRegister(perRegister) {}

  /// `perRegister` elements along the reduced axis from `reduced` on, in the row (or column) `kept`, as an
  /// i32; an f64 as it is. Coordinates are those of thread 0. Rows behind the last are the first again.
  llvm::Value *get(uint32_t batch, uint32_t kept, uint32_t reduced);

private:
  llvm::Value *getElement(uint32_t batch, uint32_t kept, uint32_t reduced);

  Emitter &e;
  const Registers &registers;
  RegisterIndex index;
  llvm::ArrayRef<int64_t> shape;
  unsigned rank;
  bool isLeft;
  unsigned perRegister;
};

/// Emits a product whose result has the layout of an accumulator and whose operands are in registers.
mlir::LogicalResult emitMatrixUnitProduct(Emitter &e, tt::DotOp op);

} // namespace nereid::gpu

#endif // NEREID_COMPILER_LOWERING_GPU_MATRIXUNITPRODUCT_H
