// Encodings of memory on chip to linear layouts, one function an encoding. See SharedLayouts.h.
#include "compiler/dialects/ttg/SharedLayouts.h"

namespace nereid::ttg {

using Shape = llvm::ArrayRef<int64_t>;

/// Collects, bit by bit of the offset, the coordinates that the bit adds.
class OffsetBits {
public:
  explicit OffsetBits(Shape shape) : shape(shape), reached(shape.size(), 1) {}

  /// The next `bits` of the offset go along an axis; each also adds what `swizzle` says along another.
  template <typename Swizzle> void add(unsigned axis, int64_t size, unsigned swizzledAxis, Swizzle swizzle) {
    for (; reached[axis] < std::min(size, shape[axis]); reached[axis] *= 2) {
      llvm::SmallVector<uint32_t, 4> basis(shape.size(), 0);
      basis[axis] = reached[axis];
      uint32_t moved = swizzle(reached[axis]);
      if (swizzledAxis != axis)
        basis[swizzledAxis] = moved & (shape[swizzledAxis] - 1);
      bases.push_back(std::move(basis));
    }
  }
  void add(unsigned axis, int64_t size) {
    add(axis, size, axis, [](uint32_t) { return 0; });
  }

  LinearLayout finish() const {
    llvm::SmallVector<LinearLayout::DimBits, 4> outs;
    for (auto [d, size] : llvm::enumerate(shape))
      outs.push_back({tensorDim(d), llvm::Log2_64(size)});
    return LinearLayout::fromBases({{Dim::Offset, bases}}, outs);
  }

private:
  Shape shape;
  llvm::SmallVector<int64_t, 4> reached;
  llvm::SmallVector<llvm::SmallVector<uint32_t, 4>, 8> bases;
};

static LinearLayout fromSwizzled(Shape shape, SwizzledSharedEncodingAttr encoding) {
  llvm::ArrayRef<unsigned> order = encoding.getOrder();
  OffsetBits offsets(shape);
  offsets.add(order[0], shape[order[0]]);
  if (order.size() > 1)
    offsets.add(order[1], shape[order[1]], order[0], [&](uint32_t row) {
      return encoding.getVec() * (row / encoding.getPerPhase() % encoding.getMaxPhase());
    });
  for (unsigned axis : order.drop_front(std::min<size_t>(2, order.size())))
    offsets.add(axis, shape[axis]);
  return offsets.finish();
}

/// Tiles of 8 rows, each row as long as the swizzle (16 bytes without one), tile below tile, then column of
/// tiles beside column of tiles; in a tile, pieces of 16 bytes are permuted (PTX ISA, "Shared Memory Matrix
/// Layout", and "Swizzling Modes" of the tensor copies).
static LinearLayout fromNVMMA(Shape shape, NVMMASharedEncodingAttr encoding) {
  unsigned rank = shape.size(), bytes = std::max(16u, encoding.getSwizzlingByteWidth());
  unsigned along = encoding.getTransposed() ? rank - 2 : rank - 1, across = rank - 1 - along + rank - 2;
  unsigned perRow = 8 * bytes / encoding.getElementBitWidth(), piece = 128 / encoding.getElementBitWidth();
  // Rows of 128 bytes cover all banks; of shorter ones, several share a phase.
  unsigned perPhase = std::max(1u, 128 / bytes), maxPhase = encoding.getSwizzlingByteWidth() / 16;
  OffsetBits offsets(shape);
  offsets.add(along, perRow);
  offsets.add(across, shape[across], along, [&](uint32_t row) {
    return row >= 8 || maxPhase == 0 ? 0 : piece * (row / perPhase % maxPhase);
  });
  offsets.add(along, shape[along]);
  for (unsigned axis = rank - 2; axis--;)
    offsets.add(axis, shape[axis]);
  return offsets.finish();
}

static LinearLayout fromSharedLinear(Shape shape, SharedLinearEncodingAttr encoding) {
  unsigned rank = encoding.getRank();
  llvm::SmallVector<llvm::SmallVector<uint32_t, 4>, 8> bases;
  for (size_t i = 0; i + rank <= encoding.getOffsetBases().size(); i += rank)
    bases.emplace_back(encoding.getOffsetBases().begin() + i, encoding.getOffsetBases().begin() + i + rank);
  llvm::SmallVector<LinearLayout::DimBits, 4> outs;
  for (auto [d, size] : llvm::enumerate(shape))
    outs.push_back({tensorDim(d), llvm::Log2_64(size)});
  return LinearLayout::fromBases({{Dim::Offset, bases}}, outs);
}

bool hasSharedLayout(mlir::Attribute encoding) {
  if (auto swizzled = mlir::dyn_cast<SwizzledSharedEncodingAttr>(encoding))
    return swizzled.getCgaLayout().empty();
  if (auto matrix = mlir::dyn_cast<NVMMASharedEncodingAttr>(encoding))
    return matrix.getCgaLayout().empty() && matrix.getRank() >= 2 && !matrix.getFp4Padded();
  if (auto linear = mlir::dyn_cast<SharedLinearEncodingAttr>(encoding))
    return linear.getBlockBases().empty();
  return false;
}

LinearLayout toSharedLayout(Shape shape, mlir::Attribute encoding) {
  if (auto swizzled = mlir::dyn_cast<SwizzledSharedEncodingAttr>(encoding))
    return fromSwizzled(shape, swizzled);
  if (auto matrix = mlir::dyn_cast<NVMMASharedEncodingAttr>(encoding))
    return fromNVMMA(shape, matrix);
  return fromSharedLinear(shape, mlir::cast<SharedLinearEncodingAttr>(encoding));
}

LinearLayout toSharedLayout(MemDescType type) {
  return toSharedLayout(type.getAllocShape().take_back(type.getRank()), type.getEncoding());
}

} // namespace nereid::ttg
