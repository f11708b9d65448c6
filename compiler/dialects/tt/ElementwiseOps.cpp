// Operations that work on each element alone.
#include "compiler/dialects/tt/Dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "compiler/dialects/tt/ElementwiseOps.cpp.inc"

namespace nereid::tt {

LogicalResult BitcastOp::verify() {
  Type from = getElementTypeOrSelf(getSrc().getType()), to = getElementTypeOrSelf(getType());
  bool fromPointer = isa<PointerType>(from), toPointer = isa<PointerType>(to);
  if (fromPointer != toPointer)
    return emitOpError("cannot turn ")
           << getSrc().getType() << " into " << getType() << "; tt.ptr_to_int and tt.int_to_ptr can";
  if (!fromPointer && from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return emitOpError("needs types of one width, but has ")
           << from.getIntOrFloatBitWidth() << " bits in and " << to.getIntOrFloatBitWidth() << " bits out";
  return success();
}

LogicalResult FpToFpOp::verify() {
  unsigned from = getElementBits(getSrc().getType()), to = getElementBits(getType());
  if (to < from && !getRounding())
    return emitOpError("needs a rounding mode to go from ")
           << getSrc().getType() << " to the narrower " << getType();
  if (to > from && getRounding())
    return emitOpError("takes no rounding mode to go from ")
           << getSrc().getType() << " to the wider " << getType();
  return success();
}

LogicalResult ElementwiseInlineAsmOp::verify() {
  if (getResult().empty())
    return emitOpError("needs at least one result");
  if (int32_t(getPackedElement()) < 1)
    return emitOpError("needs a positive packed_element, but has ") << int32_t(getPackedElement());
  for (Value value : getArgs())
    if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
      if (tensor.getNumElements() % getPackedElement() != 0)
        return emitOpError("takes ") << getPackedElement()
                                     << " elements at a time, which does not divide the "
                                     << tensor.getNumElements() << " elements of " << tensor;
  return success();
}

namespace {

// What is not pure may do anything to memory.
void addUnknownEffects(bool pure,
                       SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (pure)
    return;
  effects.emplace_back(MemoryEffects::Write::get());
  effects.emplace_back(MemoryEffects::Read::get());
}

} // namespace

void ExternElementwiseOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addUnknownEffects(getPure(), effects);
}

Speculation::Speculatability ExternElementwiseOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

void ElementwiseInlineAsmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addUnknownEffects(getPure(), effects);
}

Speculation::Speculatability ElementwiseInlineAsmOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

} // namespace nereid::tt
