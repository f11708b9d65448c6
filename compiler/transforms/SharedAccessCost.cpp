// What vectors and matrices cost. See SharedAccessCost.h.
#include "compiler/transforms/SharedAccessCost.h"

#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/dialects/ttg/SharedLayouts.h"
#include "compiler/layouts/MatrixLoadPlan.h"
#include "compiler/layouts/SharedExchange.h"
#include "compiler/transforms/ModuleTarget.h"

namespace nereid {

constexpr unsigned bankBytes = 4, numBanks = 32, vectorBytes = 16;

/// Of ldmatrix or stmatrix.
static std::optional<unsigned> getMatrixCost(const LinearLayout &offsets, unsigned elementBytes) {
  std::optional<MatrixLoadPlan> plan = planMatrixLoads(offsets, elementBytes);
  if (!plan)
    return std::nullopt;
  // Eight lanes have the addresses of a matrix.
  unsigned ofMatrix = countWaves(plan->rowOffsets, vectorBytes, elementBytes) / 4;
  return plan->loads.size() * (1 + plan->numMatrices * ofMatrix);
}

/// Elements of less than 32 bits that were not side by side are put together, two at a time.
static unsigned getPackingCost(const LinearLayout &offsets, unsigned width, unsigned elementBytes) {
  bool isTogether = elementBytes >= bankBytes || width == 1 ||
                    offsets.getNumConsecutive(Dim::Register, Dim::Offset) >= width;
  return isTogether ? 0 : (offsets.getInSize(Dim::Register) * elementBytes) / bankBytes;
}

static unsigned getVectorCost(const LinearLayout &offsets, unsigned elementBytes) {
  unsigned width = 1u << getVectorBits(offsets, 8 * elementBytes);
  return getAccessCost(offsets, width, elementBytes) + getPackingCost(offsets, width, elementBytes);
}

bool hasMatrixStores(mlir::Operation *op) {
  std::optional<Target> target = getModuleTarget(op);
  return target && target->backend == Backend::CUDA && target->getComputeCapability() >= 90;
}

unsigned getWriteCost(const LinearLayout &offsets, unsigned elementBytes, bool hasMatrixStores) {
  std::optional<unsigned> ofMatrices;
  if (hasMatrixStores)
    ofMatrices = getMatrixCost(offsets, elementBytes);
  return ofMatrices ? *ofMatrices : getVectorCost(offsets, elementBytes);
}

unsigned getReadCost(const LinearLayout &offsets, unsigned elementBytes) {
  std::optional<unsigned> ofMatrices = getMatrixCost(offsets, elementBytes);
  return ofMatrices ? *ofMatrices : getVectorCost(offsets, elementBytes);
}

LinearLayout getSharedOffsets(mlir::RankedTensorType tensor, ttg::MemDescType buffer) {
  return ttg::toLinearLayout(tensor).compose(ttg::toSharedLayout(buffer).invert());
}

static void addRows(mlir::RankedTensorType type, llvm::SmallVectorImpl<ttg::MemDescType> &buffers) {
  unsigned elementBytes = getSharedElementBytes(tt::getElementBits(type.getElementType()));
  // Of a batch, one tile lies behind the other.
  llvm::SmallVector<unsigned, 4> byRows, byColumns;
  for (unsigned axis = type.getRank(); axis--;)
    byRows.push_back(axis);
  byColumns = byRows;
  std::swap(byColumns[0], byColumns[1]);
  for (const llvm::SmallVector<unsigned, 4> &order : {byRows, byColumns})
    for (unsigned bytes : {vectorBytes, 2 * vectorBytes}) {
      unsigned rowBytes = type.getDimSize(order[0]) * elementBytes;
      if (rowBytes < bytes)
        continue;
      unsigned perPhase = std::max(1u, numBanks * bankBytes / rowBytes);
      unsigned maxPhase = std::min(numBanks * bankBytes / bytes / std::min(8u, perPhase), rowBytes / bytes);
      auto memory = ttg::SwizzledSharedEncodingAttr::get(type.getContext(), bytes / elementBytes, perPhase,
                                                         std::max(1u, maxPhase), order, {});
      buffers.push_back(ttg::MemDescType::get(type.getShape(), type.getElementType(), memory,
                                              ttg::SharedMemorySpaceAttr::get(type.getContext())));
    }
}

static void addMatrices(mlir::RankedTensorType from, mlir::RankedTensorType to,
                        llvm::SmallVectorImpl<ttg::MemDescType> &buffers) {
  constexpr unsigned matrixElementBits = 16;
  if (tt::getElementBits(from.getElementType()) != matrixElementBits)
    return;
  std::optional<LinearLayout> memory = planMatrixMemory(ttg::toLinearLayout(from), ttg::toLinearLayout(to));
  if (!memory)
    return;
  llvm::SmallVector<int32_t> bases;
  for (unsigned bit = 0; bit != memory->getInBits(Dim::Offset); ++bit)
    for (int64_t axis = 0; axis != from.getRank(); ++axis)
      bases.push_back(memory->getBasis(Dim::Offset, bit, tensorDim(axis)));
  auto encoding =
      ttg::SharedLinearEncodingAttr::get(from.getContext(), from.getRank(), bases, {}, vectorBytes);
  buffers.push_back(ttg::MemDescType::get(from.getShape(), from.getElementType(), encoding,
                                          ttg::SharedMemorySpaceAttr::get(from.getContext())));
}

llvm::SmallVector<ttg::MemDescType> listTileBuffers(mlir::RankedTensorType from, mlir::RankedTensorType to) {
  llvm::SmallVector<ttg::MemDescType> buffers;
  addRows(from, buffers);
  addMatrices(from, to, buffers);
  return buffers;
}

unsigned getCostThroughBuffer(mlir::RankedTensorType from, mlir::RankedTensorType to, ttg::MemDescType buffer,
                              bool hasMatrixStores) {
  unsigned elementBytes = getSharedElementBytes(tt::getElementBits(from.getElementType()));
  return getWriteCost(getSharedOffsets(from, buffer), elementBytes, hasMatrixStores) +
         getReadCost(getSharedOffsets(to, buffer), elementBytes);
}

} // namespace nereid
