// Registration of the ttng dialect, and what its operations check.
#include "compiler/dialects/ttng/Dialect.h"

#include "mlir/Transforms/InliningUtils.h"

#include "compiler/dialects/ttng/Dialect.cpp.inc"

#define GET_OP_CLASSES
#include "compiler/dialects/ttng/Ops.cpp.inc"

using namespace mlir;

namespace nereid::ttng {

namespace {

struct TTNGInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};

} // namespace

void TTNGDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialects/ttng/Ops.cpp.inc"
      >();
  addInterfaces<TTNGInlinerInterface>();
}

LogicalResult WarpGroupDotOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                               SmallVectorImpl<Type> &results) {
  results.push_back(adaptor.getC().getType());
  return success();
}

/// The hardware reads rows, or columns, that are a whole number of swizzles long, or a part of such.
static LogicalResult verifySwizzle(Operation *op, Type operand) {
  auto memory = dyn_cast<ttg::MemDescType>(operand);
  auto layout = memory ? dyn_cast<ttg::NVMMASharedEncodingAttr>(memory.getEncoding()) : nullptr;
  if (!layout)
    return success();
  unsigned contiguous = memory.getAllocShape().take_back(2)[layout.getTransposed() ? 0 : 1];
  if (contiguous * layout.getElementBitWidth() / 8 < layout.getSwizzlingByteWidth())
    return op->emitOpError("reads rows that are as long as their swizzle or longer, but has ") << operand;
  return success();
}

LogicalResult WarpGroupDotOp::verify() {
  auto a = cast<ShapedType>(getA().getType()), b = cast<ShapedType>(getB().getType());
  RankedTensorType d = getType();
  if (a.getRank() != 2 || b.getRank() != 2 || d.getRank() != 2 || a.getDimSize(0) != d.getDimSize(0) ||
      a.getDimSize(1) != b.getDimSize(0) || b.getDimSize(1) != d.getDimSize(1))
    return emitOpError("multiplies [M, K] by [K, N] to [M, N], but has ") << a << ", " << b << " and " << d;
  auto mma = dyn_cast_or_null<ttg::NvidiaMmaEncodingAttr>(d.getEncoding());
  if (!mma || mma.getVersionMajor() != 3)
    return emitOpError("gives the accumulator of a Hopper matrix instruction, but its result is ") << d;
  if (failed(verifySwizzle(*this, getA().getType())))
    return failure();
  return verifySwizzle(*this, getB().getType());
}

bool WarpGroupDotOp::addsInParts() {
  auto a = cast<ShapedType>(getA().getType());
  // Sums in f16 are no better if threads add them.
  return getType().getElementType().isF32() && isa<Float8E4M3FNType, Float8E5M2Type>(a.getElementType()) &&
         getMaxNumImpreciseAcc() > 0 && getMaxNumImpreciseAcc() < a.getDimSize(1);
}

void WarpGroupDotOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand *operand : {&getAMutable(), &getBMutable()})
    if (isa<ttg::MemDescType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand, ttg::SharedMemory::get());
}

//===-- Tiles copied by the tensor memory accelerator ----------------------===//

/// An mbarrier is one i64 in memory that can be written.
static LogicalResult verifyBarrier(Operation *op, ttg::MemDescType type) {
  if (type.getNumElements() == 1 && type.getElementType().isInteger(64) && type.getMutableMemory())
    return success();
  return op->emitOpError("needs an mbarrier, one i64 of mutable memory, but has ") << type;
}

LogicalResult TensormapCreateOp::verify() {
  size_t rank = getBoxDim().size();
  constexpr size_t mostAxes = 5;
  if (rank < 1 || rank > mostAxes)
    return emitOpError("describes a tensor of 1 to 5 axes, but has ") << rank;
  if (getGlobalDim().size() != rank || getElementStride().size() != rank ||
      getGlobalStride().size() + 1 != rank)
    return emitOpError("needs a size and an element stride for each of its ")
           << rank << " axes, and a stride for each but the innermost";
  return success();
}

LogicalResult InitBarrierOp::verify() {
  if (getCount() == 0)
    return emitOpError("needs a count of at least 1");
  return verifyBarrier(*this, getAlloc().getType());
}

LogicalResult InvalBarrierOp::verify() { return verifyBarrier(*this, getAlloc().getType()); }
LogicalResult BarrierExpectOp::verify() { return verifyBarrier(*this, getAlloc().getType()); }

LogicalResult ArriveBarrierOp::verify() {
  if (getCount() == 0)
    return emitOpError("needs a count of at least 1");
  return verifyBarrier(*this, getAlloc().getType());
}

LogicalResult WaitBarrierOp::verify() { return verifyBarrier(*this, getAlloc().getType()); }

/// `columns` are as many as the memory has.
static LogicalResult verifyTile(Operation *op, tt::TensorDescType descriptor, ttg::MemDescType memory,
                                size_t numCoordinates, int64_t columns) {
  RankedTensorType block = descriptor.getSignlessBlockType();
  llvm::SmallVector<int64_t> shape(block.getShape());
  shape.back() = columns;
  block = block.clone(shape);
  // All axes but the last may be rows.
  bool isMatrix = memory.getShape() == ArrayRef<int64_t>{block.getNumElements() / columns, columns};
  if ((memory.getShape() != block.getShape() && !isMatrix) ||
      memory.getElementType() != block.getElementType())
    return op->emitOpError("copies memory of the shape and elements of ") << block << ", but has " << memory;
  if (int64_t(numCoordinates) != block.getRank())
    return op->emitOpError("needs a coordinate for each of the ")
           << block.getRank() << " axes of " << descriptor << ", but has " << numCoordinates;
  return success();
}

LogicalResult AsyncTMACopyGlobalToLocalOp::verify() {
  if (!getResult().getType().getMutableMemory())
    return emitOpError("fills mutable memory, but has ") << getResult().getType();
  tt::TensorDescType descriptor = getDesc().getType();
  if (failed(verifyTile(*this, descriptor, getResult().getType(), getCoord().size(),
                        descriptor.getBlockType().getShape().back())))
    return failure();
  return verifyBarrier(*this, getBarrier().getType());
}

LogicalResult AsyncTMACopyLocalToGlobalOp::verify() {
  tt::TensorDescType descriptor = getDesc().getType();
  int64_t columns = descriptor.getBlockType().getShape().back(),
          ofPiece = getSrc().getType().getShape().back();
  return verifyTile(*this, descriptor, getSrc().getType(), getCoord().size(),
                    columns % ofPiece == 0 ? ofPiece : columns);
}

} // namespace nereid::ttng
