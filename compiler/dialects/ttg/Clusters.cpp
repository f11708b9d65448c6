// What ttg.exchange_blocks demands: both sides are of one tensor, each whole or a block's part of it.
#include "compiler/dialects/ttg/Dialect.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::ttg {

bool sharesOutOverBlocks(Attribute layout) {
  return llvm::TypeSwitch<Attribute, bool>(layout)
      .Case([](SliceEncodingAttr slice) { return sharesOutOverBlocks(slice.getParent()); })
      .Case([](DotOperandEncodingAttr operand) { return sharesOutOverBlocks(operand.getParent()); })
      .Case<BlockedEncodingAttr, NvidiaMmaEncodingAttr, AMDMfmaEncodingAttr, AMDWmmaEncodingAttr>(
          [](auto encoding) { return !encoding.getCgaLayout().empty(); })
      .Case([](LinearEncodingAttr linear) { return !linear.getBlockBases().empty(); })
      .Default([](Attribute) { return false; });
}

void ExchangeBlocksOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!getFromFirst())
    return;
  effects.emplace_back(MemoryEffects::Read::get(), SharedMemory::get());
  effects.emplace_back(MemoryEffects::Write::get(), SharedMemory::get());
}

Speculation::Speculatability ExchangeBlocksOp::getSpeculatability() {
  return getFromFirst() ? Speculation::NotSpeculatable : Speculation::Speculatable;
}

LogicalResult ExchangeBlocksOp::verify() {
  int64_t numBlocks = getNumCTAs(*this);
  auto from = dyn_cast<RankedTensorType>(getSrc().getType()), to = dyn_cast<RankedTensorType>(getType());
  if (getElementTypeOrSelf(getSrc().getType()) != getElementTypeOrSelf(getType()) || !from != !to)
    return emitOpError("moves elements only, but goes from ") << getSrc().getType() << " to " << getType();
  int32_t axes[] = {int32_t(getFrom()), int32_t(getTo())};
  if (!from)
    return getFromFirst() && axes[0] < 0 && axes[1] < 0
               ? success()
               : emitOpError("moves a scalar from the first block to all, and from nowhere else");
  if (from.getRank() != to.getRank() ||
      llvm::any_of(axes, [&](int32_t axis) { return axis >= from.getRank(); }))
    return emitOpError("needs axes of its tensors");
  if (getFromFirst() && axes[0] >= 0)
    return emitOpError("takes the whole tensor from the first block, not a part");
  for (int64_t d = 0; d != from.getRank(); ++d)
    if (from.getDimSize(d) * (axes[0] == d ? numBlocks : 1) !=
        to.getDimSize(d) * (axes[1] == d ? numBlocks : 1))
      return emitOpError("has types that are no parts of one tensor for ") << numBlocks << " blocks";
  return success();
}

} // namespace nereid::ttg
