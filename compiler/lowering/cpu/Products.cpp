// Matrix products, in the processor's vector registers.
//
// Both operands are in buffers, in the type that is multiplied (float for narrow floats: converting each
// element once, not once a use). The result is cut into blocks of a few rows by a few vectors of columns that
// stay in registers over the whole reduced axis; for each step along it, a row of the right operand is loaded
// as vectors, and each element of a column of the left one is multiplied with them:
//
//     for n in columns, step 2 vectors:  for m in rows, step 4:        (the right operand's panel stays in
//     the L1 cache)
//       acc = d[m .. m+3][n ..]
//       for k: acc[i][j] += a[m+i][k] * b[k][n + j]
//       d[m .. m+3][n ..] = acc
#include "compiler/lowering/cpu/FunctionLowering.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace nereid::cpu {

void FunctionLowering::emitProduct(tt::DotOp product) {
  auto aType = mlir::cast<mlir::RankedTensorType>(product.getA().getType());
  auto dType = mlir::cast<mlir::RankedTensorType>(product.getD().getType());
  unsigned rank = dType.getRank();
  mlir::Type resultElement = dType.getElementType();
  Type *element = getNarrowFloat(resultElement) ? b.getFloatTy() : emitter.registerType(resultElement);
  bool isFloat = element->isFloatingPointTy();
  if (!isFloat && element->getIntegerBitWidth() < 32)
    element = b.getInt32Ty();
  if (isFloat && aType.getElementType().isF64() != element->isDoubleTy()) {
    product.emitError("a product of these types is not supported on the CPU yet");
    return fail();
  }

  auto getOperand = [&](mlir::Value operand) {
    Buffer buffer = getBuffer(operand);
    if (buffer.stored == element)
      return buffer;
    Buffer converted = createBuffer(mlir::cast<mlir::RankedTensorType>(operand.getType()), true);
    converted.stored = element;
    assign({{operand, converted}});
    return converted;
  };
  Buffer a = getOperand(product.getA()), right = getOperand(product.getB());
  Buffer d;
  if (mlir::BlockArgument accumulator = plan.getAccumulator(product))
    d = getBuffer(accumulator);
  if (!d.pointer || d.stored != element)
    d = createBuffer(dType, true);
  if (d.stored != element) {
    product.emitError("a product of these types is not supported on the CPU yet");
    return fail();
  }
  assign({{product.getC(), d}});
  values.buffers[product.getD()] = d;
  if (hasFailed())
    return;

  int64_t rows = dType.getDimSize(rank - 2), columns = dType.getDimSize(rank - 1),
          depth = aType.getDimSize(rank - 1);
  int64_t batches = 1;
  for (unsigned dim = 0; dim + 2 < rank; ++dim)
    batches *= dType.getDimSize(dim);
  int64_t lanes = target.vectorBits / element->getPrimitiveSizeInBits();
  while (columns % lanes != 0)
    lanes /= 2;
  bool hasManyRegisters = target.numVectorRegisters >= 32;
  int64_t blockColumns = hasManyRegisters ? 4 : 2, blockRows = 4;
  while (columns % (lanes * blockColumns) != 0)
    blockColumns /= 2;
  if (blockColumns < (hasManyRegisters ? 4 : 2))
    blockRows *= 2;
  while (rows % blockRows != 0)
    blockRows /= 2;
  Type *vector = lanes == 1 ? element : FixedVectorType::get(element, lanes);
  Align align(element->getPrimitiveSizeInBits() / 8);

  auto loopOver = [&](int64_t extent, int64_t step, llvm::function_ref<void(Value *)> body) {
    if (extent == step)
      body(b.getInt64(0));
    else
      loops.emitLoop(b.getInt64(0), b.getInt64(extent), step, true, body);
  };
  auto multiplyAdd = [&](Value *x, Value *y, Value *z) {
    return isFloat ? emitter.getMath().multiplyAdd(x, y, z) : b.CreateAdd(b.CreateMul(x, y), z);
  };
  SmallVector<AllocaInst *> accumulators;
  for (int64_t i = 0; i < blockRows * blockColumns; ++i)
    accumulators.push_back(createLocal(vector));

  loopOver(batches, 1, [&](Value *batch) {
    auto panel = [&](const Buffer &buffer, int64_t elements) {
      return b.CreateInBoundsGEP(element, buffer.pointer, b.CreateMul(batch, b.getInt64(elements)));
    };
    Value *aPanel = panel(a, rows * depth), *bPanel = panel(right, depth * columns),
          *dPanel = panel(d, rows * columns);
    loopOver(columns, lanes * blockColumns, [&](Value *n) {
      loopOver(rows, blockRows, [&](Value *m) {
        Value *dBlock =
            b.CreateInBoundsGEP(element, dPanel, b.CreateAdd(b.CreateMul(m, b.getInt64(columns)), n));
        auto addressOf = [&](int64_t i, int64_t j) {
          return b.CreateInBoundsGEP(element, dBlock, b.getInt64(i * columns + j * lanes));
        };
        for (int64_t i = 0; i < blockRows; ++i)
          for (int64_t j = 0; j < blockColumns; ++j)
            b.CreateStore(b.CreateAlignedLoad(vector, addressOf(i, j), align),
                          accumulators[i * blockColumns + j]);
        Value *aBlock = b.CreateInBoundsGEP(element, aPanel, b.CreateMul(m, b.getInt64(depth)));
        Value *bBlock = b.CreateInBoundsGEP(element, bPanel, n);
        loops.emitLoop(b.getInt64(0), b.getInt64(depth), 1, true, [&](Value *k) {
          Value *bRow = b.CreateInBoundsGEP(element, bBlock, b.CreateMul(k, b.getInt64(columns)));
          SmallVector<Value *> bVectors;
          for (int64_t j = 0; j < blockColumns; ++j)
            bVectors.push_back(b.CreateAlignedLoad(
                vector, b.CreateInBoundsGEP(element, bRow, b.getInt64(j * lanes)), align));
          Value *aColumn = b.CreateInBoundsGEP(element, aBlock, k);
          for (int64_t i = 0; i < blockRows; ++i) {
            Value *scalar =
                b.CreateLoad(element, b.CreateInBoundsGEP(element, aColumn, b.getInt64(i * depth)));
            Value *repeated = emitter.toLanes(scalar, lanes);
            for (int64_t j = 0; j < blockColumns; ++j) {
              AllocaInst *local = accumulators[i * blockColumns + j];
              b.CreateStore(multiplyAdd(repeated, bVectors[j], b.CreateLoad(vector, local)), local);
            }
          }
        });
        for (int64_t i = 0; i < blockRows; ++i)
          for (int64_t j = 0; j < blockColumns; ++j)
            b.CreateAlignedStore(b.CreateLoad(vector, accumulators[i * blockColumns + j]), addressOf(i, j),
                                 align);
      });
    });
  });
}

} // namespace nereid::cpu
