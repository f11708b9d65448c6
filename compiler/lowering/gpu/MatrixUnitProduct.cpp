// tt.dot on the GPU's matrix units, operands in registers.
//
// A warp's part of the result is cut into pieces of 16 rows and 8 columns, and the reduced axis into as many
// elements as one step of the matrix unit takes (TargetLowering::MatrixStep). Which registers make up a
// fragment is looked up by their coordinates in the tile, as thread 0 sees them: row 0 and 8 of a piece, the
// first and the second half of a step. So the walk does not depend on the order in which layouts number
// registers.
//
// An operand with more elements in a row than a register holds (a kWidth of 8 for f16, say) gives several
// steps. Each takes other positions along the reduced axis than PTX draws, but the same ones on both sides,
// and the order in which products are added does not matter.
//
// Tiles with fewer rows or columns than a piece are repeated in it. All copies of a sum are the same then,
// in a thread's registers as in the other lanes.
#include "compiler/lowering/gpu/MatrixUnitProduct.h"

using namespace mlir;

namespace nereid::gpu {

std::optional<MatrixStep::Element> getUnitElement(Type type) {
  if (type.isF16())
    return MatrixStep::Element::F16;
  if (type.isBF16())
    return MatrixStep::Element::BF16;
  if (type.isF32())
    return MatrixStep::Element::TF32;
  if (type.isF64())
    return MatrixStep::Element::F64;
  if (type.isInteger(8))
    return MatrixStep::Element::S8;
  if (isa<Float8E4M3FNType>(type))
    return MatrixStep::Element::E4M3;
  if (isa<Float8E5M2Type>(type))
    return MatrixStep::Element::E5M2;
  return std::nullopt;
}

llvm::Value *OperandFragments::get(uint32_t batch, uint32_t kept, uint32_t reduced) {
  llvm::SmallVector<llvm::Value *, 4> elements;
  for (unsigned i = 0; i != perRegister; ++i)
    elements.push_back(getElement(batch, kept, reduced + i));
  if (perRegister == 1) {
    llvm::Value *element = elements.front();
    return element->getType()->isDoubleTy() ? element : e.b.CreateBitCast(element, e.b.getInt32Ty());
  }
  llvm::Value *packed =
      llvm::PoisonValue::get(llvm::FixedVectorType::get(elements.front()->getType(), perRegister));
  for (auto [i, element] : llvm::enumerate(elements))
    packed = e.b.CreateInsertElement(packed, element, i);
  return e.b.CreateBitCast(packed, e.b.getInt32Ty());
}

llvm::Value *OperandFragments::getElement(uint32_t batch, uint32_t kept, uint32_t reduced) {
  llvm::SmallVector<uint32_t, 3> coordinates;
  if (rank == 3)
    coordinates.push_back(batch);
  kept %= shape[isLeft ? rank - 2 : rank - 1];
  coordinates.push_back(isLeft ? kept : reduced);
  coordinates.push_back(isLeft ? reduced : kept);
  int reg = index.find(coordinates);
  assert(reg >= 0 && "thread 0 holds the first elements of every fragment of its warp");
  return registers[reg];
}

LogicalResult emitMatrixUnitProduct(Emitter &e, tt::DotOp op) {
  std::optional<MatrixStep::Element> left = getUnitElement(op.getA().getType().getElementType()),
                                     right = getUnitElement(op.getB().getType().getElementType());
  auto operandLayout = dyn_cast<ttg::DotOperandEncodingAttr>(op.getA().getType().getEncoding());
  if (!left || !right || !operandLayout)
    return op.emitError() << "a product of " << op.getA().getType() << " and " << op.getB().getType()
                          << " is not one of the matrix unit's";
  RankedTensorType type = op.getType();
  MatrixStep step{*left, *right, type.getElementType().isF16()};
  unsigned rank = type.getRank(), perRegister = step.getElementsPerRegister(),
           width = operandLayout.getKWidth();
  uint32_t depth = op.getA().getType().getDimSize(rank - 1);

  OperandFragments lefts(e, op.getA(), /*isLeft=*/true, perRegister),
      rights(e, op.getB(), /*isLeft=*/false, perRegister);
  RegisterIndex index(e.getLayout(type), type.getShape());
  Registers sums = e.get(op.getC());

  for (unsigned reg = 0; reg != sums.size(); ++reg) {
    llvm::ArrayRef<uint32_t> place = index.coordinates(reg);
    uint32_t batch = rank == 3 ? place[0] : 0, row = place[rank - 2], column = place[rank - 1];
    // The first register of a piece stands for it, and copies for the piece they are copies of.
    if (row % 16 >= 8 || column % 2 || index.find(place) != int(reg))
      continue;
    llvm::SmallVector<unsigned, 4> piece;
    for (auto [down, across] : {std::pair(0, 0), std::pair(0, 1), std::pair(8, 0), std::pair(8, 1)}) {
      llvm::SmallVector<uint32_t, 3> coordinates(place);
      coordinates[rank - 2] = (row + down) % type.getDimSize(rank - 2);
      coordinates[rank - 1] = (column + across) % type.getDimSize(rank - 1);
      piece.push_back(index.find(coordinates));
    }
    llvm::SmallVector<llvm::Value *, 4> sum;
    for (unsigned r : piece)
      sum.push_back(sums[r]);
    for (uint32_t block = 0; block < depth; block += 8 * width)
      for (uint32_t first = block; first < block + width; first += perRegister) {
        uint32_t second = first + 4 * width;
        llvm::Value *a[] = {lefts.get(batch, row, first), lefts.get(batch, row + 8, first),
                            lefts.get(batch, row, second), lefts.get(batch, row + 8, second)};
        llvm::Value *c[] = {rights.get(batch, column, first), rights.get(batch, column, second)};
        sum = e.target.multiplyMatrices(e.b, step, a, c, sum);
        if (sum.empty())
          return op.emitError("this target has no matrix unit of NVIDIA's, for which the layouts of this "
                              "product are: compile the kernel from its source or its ttir");
      }
    for (auto [r, value] : llvm::zip_equal(piece, sum))
      sums[r] = value;
  }
  for (unsigned reg = 0; reg != sums.size(); ++reg)
    sums[reg] = sums[index.find(index.coordinates(reg))];
  e.set(op.getResult(), std::move(sums));
  return success();
}

} // namespace nereid::gpu
