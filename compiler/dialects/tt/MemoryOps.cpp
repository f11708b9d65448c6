// Operations that reach memory.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/tt/ResultTypes.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "compiler/dialects/tt/MemoryOps.cpp.inc"

namespace nereid::tt {

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

//===-- Load and store
//---------------------------------------------------------------------------------------------===//

void LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr, CacheModifier cache,
                   EvictionPolicy evict, bool isVolatile) {
  build(builder, state, ptr, Value(), Value(), {}, std::nullopt, cache, evict, isVolatile);
}

void LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr, Value mask, CacheModifier cache,
                   EvictionPolicy evict, bool isVolatile) {
  build(builder, state, ptr, mask, Value(), {}, std::nullopt, cache, evict, isVolatile);
}

void LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr, Value mask, Value other,
                   CacheModifier cache, EvictionPolicy evict, bool isVolatile) {
  build(builder, state, ptr, mask, other, {}, std::nullopt, cache, evict, isVolatile);
}

void LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr, ArrayRef<int32_t> boundaryCheck,
                   std::optional<PaddingOption> padding, CacheModifier cache, EvictionPolicy evict,
                   bool isVolatile) {
  build(builder, state, ptr, Value(), Value(), boundaryCheck, padding, cache, evict, isVolatile);
}

void LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr, Value mask, Value other,
                   ArrayRef<int32_t> boundaryCheck, std::optional<PaddingOption> padding, CacheModifier cache,
                   EvictionPolicy evict, bool isVolatile) {
  auto paddingAttr = padding ? PaddingOptionAttr::get(builder.getContext(), *padding) : PaddingOptionAttr();
  build(builder, state, getAccessedType(ptr.getType()), ptr, mask, other,
        builder.getDenseI32ArrayAttr(boundaryCheck), paddingAttr,
        CacheModifierAttr::get(builder.getContext(), cache),
        EvictionPolicyAttr::get(builder.getContext(), evict), builder.getBoolAttr(isVolatile));
}

LogicalResult LoadOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                       SmallVectorImpl<Type> &results) {
  results.push_back(getAccessedType(adaptor.getPtr().getType()));
  return success();
}

void LoadOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable(), GlobalMemory::get());
  // A volatile load must stay where it is and as often as it is, which a write says.
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), GlobalMemory::get());
}

namespace {

// What a load or store may say of the edges of what it accesses.
LogicalResult verifyBoundaryCheck(Operation *op, Type pointer, ArrayRef<int32_t> axes, bool hasMask,
                                  bool hasPadding) {
  if (!isTensorPointerType(pointer)) {
    if (!axes.empty() || hasPadding)
      return op->emitOpError(
                 "has a boundary check or padding, which only block pointers take; its pointer has type ")
             << pointer;
    return success();
  }
  if (hasMask)
    return op->emitOpError("has a mask, which block pointers do not take; boundaryCheck stands in for it");
  int64_t rank = cast<RankedTensorType>(getAccessedType(pointer)).getRank();
  llvm::SmallDenseSet<int32_t> seen;
  for (int32_t axis : axes)
    if (axis < 0 || axis >= rank || !seen.insert(axis).second)
      return op->emitOpError("checks boundaries along axis ")
             << axis << ", but boundaryCheck names each axis from 0 to " << rank - 1 << " at most once";
  return success();
}

} // namespace

LogicalResult LoadOp::verify() {
  if (failed(verifyResultTypes(*this)))
    return failure();
  if (getOther() && !getMask() && !isTensorPointerType(getPtr().getType()))
    return emitOpError("has a value for masked-off elements but no mask");
  return verifyBoundaryCheck(*this, getPtr().getType(), getBoundaryCheck(), getMask() || getOther(),
                             getPadding().has_value());
}

void StoreOp::build(OpBuilder &builder, OperationState &state, Value ptr, Value value, CacheModifier cache,
                    EvictionPolicy evict) {
  build(builder, state, ptr, value, Value(), ArrayRef<int32_t>{}, cache, evict);
}

void StoreOp::build(OpBuilder &builder, OperationState &state, Value ptr, Value value, Value mask,
                    CacheModifier cache, EvictionPolicy evict) {
  build(builder, state, ptr, value, mask, ArrayRef<int32_t>{}, cache, evict);
}

void StoreOp::build(OpBuilder &builder, OperationState &state, Value ptr, Value value,
                    ArrayRef<int32_t> boundaryCheck, CacheModifier cache, EvictionPolicy evict) {
  build(builder, state, ptr, value, Value(), boundaryCheck, cache, evict);
}

LogicalResult StoreOp::verify() {
  return verifyBoundaryCheck(*this, getPtr().getType(), getBoundaryCheck(), bool(getMask()),
                             /*hasPadding=*/false);
}

//===-- Atomics
//----------------------------------------------------------------------------------------------------===//

LogicalResult AtomicRMWOp::verify() {
  Type accessed = getAccessedType(getPtr().getType());
  if (getVal().getType() != accessed || getType() != accessed)
    return emitOpError("works on values of type ")
           << accessed << " through " << getPtr().getType() << ", but takes " << getVal().getType()
           << " and gives " << getType();
  Type element = getElementTypeOrSelf(accessed);
  bool fits = true;
  if (getAtomicRmwOp() == RMWOp::FADD)
    fits = isa<FloatType>(element);
  else if (getAtomicRmwOp() != RMWOp::XCHG)
    fits = isa<IntegerType>(element);
  if (!fits)
    return emitOpError("cannot do '") << stringifyRMWOp(getAtomicRmwOp()) << "' on " << element;
  return success();
}

LogicalResult AtomicCASOp::verify() {
  Type accessed = getAccessedType(getPtr().getType());
  for (Type type : {getCmp().getType(), getVal().getType(), getType()})
    if (type != accessed)
      return emitOpError("works on values of type ")
             << accessed << " through " << getPtr().getType() << ", but has a value of type " << type;
  return success();
}

//===-- Block pointers
//---------------------------------------------------------------------------------------------===//

void MakeTensorPtrOp::build(OpBuilder &builder, OperationState &state, Value base, ValueRange shape,
                            ValueRange strides, ValueRange offsets, ArrayRef<int32_t> tensorShape,
                            ArrayRef<int32_t> order) {
  auto pointer = cast<PointerType>(base.getType());
  auto tile = RankedTensorType::get(SmallVector<int64_t>(tensorShape.begin(), tensorShape.end()),
                                    pointer.getPointeeType());
  build(builder, state, PointerType::get(tile, pointer.getAddressSpace()), base, shape, strides, offsets,
        builder.getDenseI32ArrayAttr(order));
}

LogicalResult MakeTensorPtrOp::verify() {
  auto tile = cast<RankedTensorType>(getAccessedType(getType()));
  int64_t rank = tile.getRank();
  if (int64_t(getShape().size()) != rank)
    return emitOpError("needs a size, a stride and an offset for each of the ")
           << rank << " axes of " << tile << ", but has " << getShape().size();
  SmallVector<int32_t> order(getOrder());
  llvm::sort(order);
  bool valid = int64_t(order.size()) == rank;
  for (auto [index, axis] : llvm::enumerate(order))
    valid = valid && axis == int32_t(index);
  if (!valid)
    return emitOpError("needs an order that names each of its ") << rank << " axes once";
  return success();
}

LogicalResult AdvanceOp::verify() {
  auto tile = cast<RankedTensorType>(getAccessedType(getType()));
  if (int64_t(getOffsets().size()) != tile.getRank())
    return emitOpError("needs an offset for each of the ")
           << tile.getRank() << " axes of " << tile << ", but has " << getOffsets().size();
  return success();
}

//===-- Tensor descriptors
//-----------------------------------------------------------------------------------------===//

void MakeTensorDescOp::build(OpBuilder &builder, OperationState &state, Value base, ValueRange shape,
                             ValueRange strides, ArrayRef<int32_t> blockShape, bool isSignedInteger,
                             PaddingOption padding) {
  auto pointer = cast<PointerType>(base.getType());
  auto block = RankedTensorType::get(SmallVector<int64_t>(blockShape.begin(), blockShape.end()),
                                     pointer.getPointeeType());
  build(builder, state, TensorDescType::get(builder.getContext(), block, isSignedInteger), base, shape,
        strides, padding);
}

LogicalResult MakeTensorDescOp::verify() {
  RankedTensorType block = getType().getSignlessBlockType();
  if (int64_t(getShape().size()) != block.getRank())
    return emitOpError("needs a size and a stride for each of the ")
           << block.getRank() << " axes of " << block << ", but has " << getShape().size();
  Type pointee = cast<PointerType>(getBase().getType()).getPointeeType();
  if (pointee != block.getElementType())
    return emitOpError("describes elements of type ")
           << block.getElementType() << ", but its base points to " << pointee;
  return success();
}

namespace {

LogicalResult verifyDescriptorAccess(Operation *op, TensorDescType descriptor, Type moved, size_t indices) {
  RankedTensorType block = descriptor.getSignlessBlockType();
  auto tensor = cast<RankedTensorType>(moved);
  if (int64_t(indices) != block.getRank())
    return op->emitOpError("needs an index for each of the ")
           << block.getRank() << " axes of " << descriptor << ", but has " << indices;
  // Axes of size 1 may be dropped or added on the way.
  auto withoutOnes = [](ArrayRef<int64_t> shape) {
    SmallVector<int64_t> kept;
    llvm::copy_if(shape, std::back_inserter(kept), [](int64_t size) { return size != 1; });
    return kept;
  };
  // And a tile may be seen as a matrix, all axes but the last as rows.
  int64_t columns = block.getShape().back();
  bool isMatrix = tensor.getShape() == ArrayRef<int64_t>{block.getNumElements() / columns, columns};
  if (tensor.getElementType() != block.getElementType() ||
      (withoutOnes(tensor.getShape()) != withoutOnes(block.getShape()) && !isMatrix))
    return op->emitOpError("moves tiles like those of ")
           << descriptor << ", but its tensor has type " << tensor;
  return success();
}

// Gathers and scatters name rows: the descriptor's tile is one row of the tensor that is moved.
LogicalResult verifyRowAccess(Operation *op, TensorDescType descriptor, Type offsetsType, Type moved) {
  RankedTensorType row = descriptor.getSignlessBlockType();
  auto offsets = cast<RankedTensorType>(offsetsType), tensor = cast<RankedTensorType>(moved);
  if (row.getRank() != 2 || row.getDimSize(0) != 1)
    return op->emitOpError("needs a descriptor of single rows, but has ") << descriptor;
  if (offsets.getRank() != 1)
    return op->emitOpError("needs row offsets of one axis, but has ") << offsets;
  if (tensor.getRank() != 2 || tensor.getDimSize(0) != offsets.getDimSize(0) ||
      tensor.getDimSize(1) != row.getDimSize(1) || tensor.getElementType() != row.getElementType())
    return op->emitOpError("moves ") << offsets.getDimSize(0) << " rows like those of " << descriptor
                                     << ", but its tensor has type " << tensor;
  return success();
}

} // namespace

LogicalResult DescriptorLoadOp::verify() {
  return verifyDescriptorAccess(*this, getDesc().getType(), getType(), getIndices().size());
}

LogicalResult DescriptorStoreOp::verify() {
  return verifyDescriptorAccess(*this, getDesc().getType(), getSrc().getType(), getIndices().size());
}

LogicalResult DescriptorReduceOp::verify() {
  return verifyDescriptorAccess(*this, getDesc().getType(), getSrc().getType(), getIndices().size());
}

LogicalResult DescriptorGatherOp::verify() {
  return verifyRowAccess(*this, getDesc().getType(), getXOffsets().getType(), getType());
}

LogicalResult DescriptorScatterOp::verify() {
  return verifyRowAccess(*this, getDesc().getType(), getXOffsets().getType(), getSrc().getType());
}

LogicalResult ExperimentalTensormapCreateOp::verify() {
  size_t rank = getBoxDim().size();
  if (rank < 1 || rank > 5)
    return emitOpError("describes a tensor of 1 to 5 axes, but has ") << rank;
  if (getGlobalDim().size() != rank || getElementStride().size() != rank ||
      getGlobalStride().size() + 1 != rank)
    return emitOpError("needs a size and an element stride for each of its ")
           << rank << " axes, and a stride for each but the last";
  return success();
}

} // namespace nereid::tt
