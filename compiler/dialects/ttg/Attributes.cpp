// What layouts demand of their fields, and the blocked layout that suits a shape.
#include "compiler/dialects/ttg/Dialect.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::ttg {

namespace {

using EmitError = function_ref<InFlightDiagnostic()>;

LogicalResult verifyPowersOfTwo(EmitError emitError, StringRef field, ArrayRef<unsigned> sizes) {
  for (unsigned size : sizes)
    if (!llvm::isPowerOf2_32(size))
      return emitError() << "each number of " << field << " must be a power of two, but one is " << size;
  return success();
}

LogicalResult verifyOrder(EmitError emitError, ArrayRef<unsigned> order) {
  SmallVector<bool> seen(order.size(), false);
  for (unsigned axis : order) {
    if (axis >= order.size() || seen[axis])
      return emitError() << "order must name each axis from 0 to " << order.size() - 1 << " once, but is ["
                         << order << "]";
    seen[axis] = true;
  }
  return success();
}

// Vectors of `rank` numbers, each number a single bit or none.
LogicalResult verifyBases(EmitError emitError, StringRef field, unsigned rank, ArrayRef<int32_t> bases) {
  if (bases.empty())
    return success();
  if (rank == 0 || bases.size() % rank != 0)
    return emitError() << field << " must hold vectors of " << rank << " numbers";
  for (int32_t coordinate : bases)
    if (coordinate < 0 || (coordinate != 0 && !llvm::isPowerOf2_32(coordinate)))
      return emitError() << field << " must hold zeros and powers of two, but holds " << coordinate;
  return success();
}

} // namespace

LogicalResult BlockedEncodingAttr::verify(EmitError emitError, ArrayRef<unsigned> sizePerThread,
                                          ArrayRef<unsigned> threadsPerWarp, ArrayRef<unsigned> warpsPerCTA,
                                          ArrayRef<unsigned> order, ArrayRef<int32_t> cgaLayout) {
  size_t rank = order.size();
  if (sizePerThread.size() != rank || threadsPerWarp.size() != rank || warpsPerCTA.size() != rank)
    return emitError()
           << "sizePerThread, threadsPerWarp, warpsPerCTA and order must have one number for each axis, but "
              "have "
           << sizePerThread.size() << ", " << threadsPerWarp.size() << ", " << warpsPerCTA.size() << " and "
           << rank;
  if (rank == 0)
    return emitError() << "a blocked layout needs at least one axis";
  if (failed(verifyPowersOfTwo(emitError, "sizePerThread", sizePerThread)) ||
      failed(verifyPowersOfTwo(emitError, "threadsPerWarp", threadsPerWarp)) ||
      failed(verifyPowersOfTwo(emitError, "warpsPerCTA", warpsPerCTA)))
    return failure();
  if (failed(verifyOrder(emitError, order)))
    return failure();
  return verifyBases(emitError, "CGALayout", rank, cgaLayout);
}

BlockedEncodingAttr BlockedEncodingAttr::get(MLIRContext *context, ArrayRef<int64_t> shape,
                                             ArrayRef<unsigned> sizePerThread, ArrayRef<unsigned> order,
                                             unsigned numWarps, unsigned threadsPerWarp) {
  size_t rank = shape.size();
  SmallVector<unsigned> lanes(rank, 1), warps(rank, 1);
  unsigned lanesLeft = threadsPerWarp, warpsLeft = numWarps;
  // The fastest axis takes as many lanes as its elements can feed, and then warps; what is left over goes to
  // the slowest axis, where it repeats elements if there are not enough.
  for (auto [position, axis] : llvm::enumerate(order)) {
    if (position + 1 == rank) {
      lanes[axis] = lanesLeft;
      warps[axis] = warpsLeft;
      break;
    }
    unsigned useful = std::max<int64_t>(1, shape[axis] / sizePerThread[axis]);
    lanes[axis] = std::min(lanesLeft, useful);
    warps[axis] = std::min(warpsLeft, std::max(1u, useful / lanes[axis]));
    lanesLeft /= lanes[axis];
    warpsLeft /= warps[axis];
  }
  return get(context, sizePerThread, lanes, warps, order);
}

LogicalResult SliceEncodingAttr::verify(EmitError emitError, unsigned dim, Attribute parent) {
  if (!isDistributedLayout(parent))
    return emitError() << "the parent of a slice must be a layout over threads, but is " << parent;
  std::optional<unsigned> rank = getLayoutRank(parent);
  if (rank && dim >= *rank)
    return emitError() << "a slice along axis " << dim << " needs a parent with more axes than " << *rank;
  if (rank && *rank < 2)
    return emitError() << "the parent of a slice must have at least two axes";
  return success();
}

LogicalResult LinearEncodingAttr::verify(EmitError emitError, unsigned rank, ArrayRef<int32_t> registerBases,
                                         ArrayRef<int32_t> laneBases, ArrayRef<int32_t> warpBases,
                                         ArrayRef<int32_t> blockBases) {
  std::pair<StringRef, ArrayRef<int32_t>> inputs[] = {
      {"register", registerBases}, {"lane", laneBases}, {"warp", warpBases}, {"block", blockBases}};
  for (auto [field, bases] : inputs) {
    if (failed(verifyBases(emitError, field, rank, bases)))
      return failure();
    for (size_t start = 0; start < bases.size(); start += rank)
      if (llvm::count_if(bases.slice(start, rank), [](int32_t coordinate) { return coordinate != 0; }) > 1)
        return emitError() << "each vector of " << field << " must move along at most one axis";
  }
  return success();
}

LogicalResult DotOperandEncodingAttr::verify(EmitError emitError, unsigned opIdx, Attribute parent,
                                             unsigned kWidth) {
  if (opIdx > 1)
    return emitError() << "opIdx of a dot operand must be 0 or 1, but is " << opIdx;
  if (!isDistributedLayout(parent))
    return emitError() << "the parent of a dot operand must be a layout over threads, but is " << parent;
  if (isa<BlockedEncodingAttr>(parent) && kWidth != 0)
    return emitError() << "a dot operand of a blocked layout takes no kWidth";
  if (auto mma = dyn_cast<NvidiaMmaEncodingAttr>(parent)) {
    if (mma.getVersionMajor() >= 2 && kWidth == 0)
      return emitError() << "a dot operand of an NVIDIA matrix instruction needs a kWidth";
    if (mma.getVersionMajor() == 3 && opIdx == 1)
      return emitError() << "the second operand of a Hopper matrix instruction cannot be in registers";
  }
  if (isa<AMDMfmaEncodingAttr, AMDWmmaEncodingAttr>(parent) && kWidth == 0)
    return emitError() << "a dot operand of an AMD matrix instruction needs a kWidth";
  return success();
}

LogicalResult NvidiaMmaEncodingAttr::verify(EmitError emitError, unsigned versionMajor, unsigned versionMinor,
                                            ArrayRef<unsigned> warpsPerCTA, ArrayRef<int32_t> cgaLayout,
                                            ArrayRef<unsigned> instrShape) {
  if (versionMajor != 2 && versionMajor != 3)
    return emitError() << "versionMajor of an NVIDIA matrix instruction must be 2 or 3, but is "
                       << versionMajor;
  if (warpsPerCTA.size() < 2 || warpsPerCTA.size() > 3)
    return emitError() << "warpsPerCTA of a matrix layout must have two or three numbers";
  if (failed(verifyPowersOfTwo(emitError, "warpsPerCTA", warpsPerCTA)))
    return failure();
  if (instrShape.size() < 2 || instrShape.size() > 3)
    return emitError() << "instrShape of an NVIDIA matrix instruction must have two or three numbers";
  return verifyBases(emitError, "CGALayout", warpsPerCTA.size(), cgaLayout);
}

namespace {

LogicalResult verifyAMDMatrix(EmitError emitError, ArrayRef<unsigned> warpsPerCTA,
                              ArrayRef<unsigned> tilesPerWarp, ArrayRef<int32_t> cgaLayout,
                              ArrayRef<unsigned> instrShape) {
  if (warpsPerCTA.size() < 2 || warpsPerCTA.size() > 3 || tilesPerWarp.size() != warpsPerCTA.size())
    return emitError()
           << "warpsPerCTA and tilesPerWarp of a matrix layout must have two or three numbers each";
  if (failed(verifyPowersOfTwo(emitError, "warpsPerCTA", warpsPerCTA)) ||
      failed(verifyPowersOfTwo(emitError, "tilesPerWarp", tilesPerWarp)))
    return failure();
  if (instrShape.size() != 3)
    return emitError() << "instrShape of an AMD matrix instruction must have three numbers";
  return verifyBases(emitError, "CGALayout", warpsPerCTA.size(), cgaLayout);
}

LogicalResult verifySwizzle(EmitError emitError, unsigned vec, unsigned perPhase, unsigned maxPhase,
                            ArrayRef<unsigned> order, ArrayRef<int32_t> cgaLayout) {
  if (failed(verifyPowersOfTwo(emitError, "vec", vec)) ||
      failed(verifyPowersOfTwo(emitError, "perPhase", perPhase)) ||
      failed(verifyPowersOfTwo(emitError, "maxPhase", maxPhase)) || failed(verifyOrder(emitError, order)))
    return failure();
  return verifyBases(emitError, "CGALayout", order.size(), cgaLayout);
}

} // namespace

LogicalResult AMDMfmaEncodingAttr::verify(EmitError emitError, unsigned version,
                                          ArrayRef<unsigned> warpsPerCTA, ArrayRef<unsigned> instrShape,
                                          bool isTransposed, ArrayRef<int32_t> cgaLayout,
                                          ArrayRef<unsigned> tilesPerWarp, unsigned elementBitWidth) {
  if (version < 1 || version > 4)
    return emitError() << "version of an mfma layout must be from 1 to 4, but is " << version;
  if (elementBitWidth != 32 && elementBitWidth != 64)
    return emitError() << "elementBitWidth of an mfma layout must be 32 or 64, but is " << elementBitWidth;
  return verifyAMDMatrix(emitError, warpsPerCTA, tilesPerWarp, cgaLayout, instrShape);
}

LogicalResult AMDWmmaEncodingAttr::verify(EmitError emitError, unsigned version, bool isTransposed,
                                          ArrayRef<unsigned> warpsPerCTA, ArrayRef<int32_t> cgaLayout,
                                          ArrayRef<unsigned> tilesPerWarp, ArrayRef<unsigned> instrShape) {
  if (version < 1 || version > 3)
    return emitError() << "version of a wmma layout must be from 1 to 3, but is " << version;
  return verifyAMDMatrix(emitError, warpsPerCTA, tilesPerWarp, cgaLayout, instrShape);
}

LogicalResult SwizzledSharedEncodingAttr::verify(EmitError emitError, unsigned vec, unsigned perPhase,
                                                 unsigned maxPhase, ArrayRef<unsigned> order,
                                                 ArrayRef<int32_t> cgaLayout) {
  return verifySwizzle(emitError, vec, perPhase, maxPhase, order, cgaLayout);
}

LogicalResult AMDRotatingSharedEncodingAttr::verify(EmitError emitError, unsigned vec, unsigned perPhase,
                                                    unsigned maxPhase, ArrayRef<unsigned> order,
                                                    ArrayRef<int32_t> cgaLayout) {
  return verifySwizzle(emitError, vec, perPhase, maxPhase, order, cgaLayout);
}

LogicalResult PaddedSharedEncodingAttr::verify(EmitError emitError, ArrayRef<unsigned> intervals,
                                               ArrayRef<unsigned> paddings, ArrayRef<unsigned> order,
                                               ArrayRef<unsigned> shape, unsigned rank,
                                               ArrayRef<int32_t> offsetBases, ArrayRef<int32_t> blockBases) {
  if (intervals.empty() || intervals.size() != paddings.size())
    return emitError() << "a padded layout needs at least one pair of interval and padding";
  if (failed(verifyPowersOfTwo(emitError, "the intervals", intervals)) ||
      failed(verifyPowersOfTwo(emitError, "the paddings", paddings)))
    return failure();
  llvm::SmallDenseSet<unsigned> seen;
  for (unsigned interval : intervals)
    if (!seen.insert(interval).second)
      return emitError() << "the intervals of a padded layout must differ, but " << interval
                         << " is there twice";
  if (order.size() != shape.size())
    return emitError() << "order and shape of a padded layout must have one number for each axis";
  if (!order.empty() &&
      (failed(verifyOrder(emitError, order)) || failed(verifyPowersOfTwo(emitError, "shape", shape))))
    return failure();
  if (failed(verifyBases(emitError, "offset", rank, offsetBases)))
    return failure();
  return verifyBases(emitError, "block", rank, blockBases);
}

LogicalResult SharedLinearEncodingAttr::verify(EmitError emitError, unsigned rank,
                                               ArrayRef<int32_t> offsetBases, ArrayRef<int32_t> blockBases,
                                               unsigned alignment) {
  if (rank == 0)
    return emitError() << "offset must hold at least one vector";
  // Unlike elsewhere a vector may have any coordinates: swizzling moves along several axes at once.
  if (offsetBases.size() % rank != 0 || blockBases.size() % rank != 0)
    return emitError() << "offset and block must hold vectors of " << rank << " numbers";
  return verifyPowersOfTwo(emitError, "alignment", alignment);
}

LogicalResult NVMMASharedEncodingAttr::verify(EmitError emitError, unsigned swizzlingByteWidth,
                                              bool transposed, unsigned elementBitWidth, bool fp4Padded,
                                              unsigned rank, ArrayRef<int32_t> cgaLayout) {
  if (!llvm::is_contained({0u, 32u, 64u, 128u}, swizzlingByteWidth))
    return emitError() << "swizzlingByteWidth must be 0, 32, 64 or 128, but is " << swizzlingByteWidth;
  if (!llvm::is_contained({4u, 8u, 16u, 32u, 64u}, elementBitWidth))
    return emitError() << "elementBitWidth must be 4, 8, 16, 32 or 64, but is " << elementBitWidth;
  return verifyBases(emitError, "CGALayout", rank, cgaLayout);
}

bool isDistributedLayout(Attribute layout) {
  return isa_and_nonnull<BlockedEncodingAttr, SliceEncodingAttr, LinearEncodingAttr, DotOperandEncodingAttr,
                         NvidiaMmaEncodingAttr, AMDMfmaEncodingAttr, AMDWmmaEncodingAttr>(layout);
}

bool isSharedLayout(Attribute layout) {
  return isa_and_nonnull<SwizzledSharedEncodingAttr, AMDRotatingSharedEncodingAttr, PaddedSharedEncodingAttr,
                         SharedLinearEncodingAttr, NVMMASharedEncodingAttr>(layout);
}

std::optional<unsigned> getLayoutRank(Attribute layout) {
  using Rank = std::optional<unsigned>;
  return llvm::TypeSwitch<Attribute, Rank>(layout)
      .Case([](BlockedEncodingAttr layout) { return Rank(layout.getRank()); })
      .Case([](SliceEncodingAttr layout) {
        Rank parent = getLayoutRank(layout.getParent());
        return parent ? Rank(*parent - 1) : Rank();
      })
      // A layout without a single vector says nothing of its axes.
      .Case<LinearEncodingAttr, PaddedSharedEncodingAttr>(
          [](auto layout) { return layout.getRank() ? Rank(layout.getRank()) : Rank(); })
      .Case([](DotOperandEncodingAttr layout) { return getLayoutRank(layout.getParent()); })
      .Case<NvidiaMmaEncodingAttr, AMDMfmaEncodingAttr, AMDWmmaEncodingAttr>(
          [](auto layout) { return Rank(layout.getWarpsPerCTA().size()); })
      .Case<SwizzledSharedEncodingAttr, AMDRotatingSharedEncodingAttr>(
          [](auto layout) { return Rank(layout.getOrder().size()); })
      .Case([](SharedLinearEncodingAttr layout) { return Rank(layout.getRank()); })
      .Default([](Attribute) { return Rank(); });
}

} // namespace nereid::ttg
