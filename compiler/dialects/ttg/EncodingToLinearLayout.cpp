// Encodings to linear layouts, one function an encoding. See EncodingToLinearLayout.h.
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"

#include "compiler/dialects/ttg/Dialect.h"

namespace nereid::ttg {

using Shape = llvm::ArrayRef<int64_t>;

/// The tile, cut or repeated to fill the shape. Repetitions go along the dimensions in `order`, and are
/// registers.
static LinearLayout fitToShape(LinearLayout tile, Shape shape, llvm::ArrayRef<unsigned> order) {
  llvm::SmallVector<LinearLayout::DimBits, 4> outs;
  llvm::SmallVector<Dim, 4> names;
  f2::Vectors columns(tile.getColumns().size(), 0);
  for (auto [d, size] : llvm::enumerate(shape)) {
    Dim dim = tensorDim(d);
    unsigned bits = llvm::Log2_64(size), tileBits = tile.getOutBits(dim);
    unsigned kept = std::min(bits, tileBits), shift = 0;
    for (const LinearLayout::DimBits &out : outs)
      shift += out.bits;
    if (tile.hasOutDim(dim))
      for (auto [column, source] : llvm::zip(columns, tile.getColumns()))
        column |= (source >> tile.getOutShift(dim) & ((f2::Vector(1) << kept) - 1)) << shift;
    outs.push_back({dim, kept});
    names.push_back(dim);
  }
  LinearLayout layout = LinearLayout::fromColumns(tile.getInDims(), outs, columns);
  for (unsigned d : order)
    layout *=
        LinearLayout::identity1D(shape[d] / layout.getOutSize(tensorDim(d)), Dim::Register, tensorDim(d));
  return layout.reorderOuts(names);
}

static LinearLayout withHardwareDims(LinearLayout layout) {
  for (Dim dim : {Dim::Register, Dim::Lane, Dim::Warp, Dim::Block})
    layout = layout.withInDim(dim);
  return layout.reorderIns({Dim::Register, Dim::Lane, Dim::Warp, Dim::Block});
}

/// Blocks of a cluster side by side, each with its part of the tensor.
static LinearLayout overBlocks(Shape shape, llvm::ArrayRef<int32_t> blockBases,
                               llvm::function_ref<LinearLayout(Shape)> layoutOfPart) {
  unsigned rank = shape.size();
  llvm::SmallVector<int64_t, 4> split(rank, 1);
  LinearLayout::InputBases bases{Dim::Block, {}};
  for (size_t i = 0; i + rank <= blockBases.size(); i += rank) {
    bases.bases.emplace_back();
    for (unsigned d = 0; d != rank; ++d) {
      bases.bases.back().push_back(blockBases[i + d]);
      if (blockBases[i + d])
        split[d] = std::min(std::max<int64_t>(split[d], llvm::NextPowerOf2(blockBases[i + d])), shape[d]);
    }
  }
  llvm::SmallVector<int64_t, 4> part;
  llvm::SmallVector<LinearLayout::DimBits, 4> outs;
  for (unsigned d = 0; d != rank; ++d) {
    part.push_back(shape[d] / split[d]);
    outs.push_back({tensorDim(d), llvm::Log2_64(split[d])});
    for (auto &basis : bases.bases)
      basis[d] &= split[d] - 1;
  }
  return layoutOfPart(part) * LinearLayout::fromBases({bases}, outs);
}

static LinearLayout identityInOrder(llvm::ArrayRef<unsigned> sizes, llvm::ArrayRef<unsigned> order, Dim in) {
  LinearLayout layout;
  for (unsigned d : order)
    layout *= LinearLayout::identity1D(sizes[d], in, tensorDim(d));
  return layout;
}

static LinearLayout fromBlocked(Shape shape, BlockedEncodingAttr blocked) {
  LinearLayout tile = identityInOrder(blocked.getSizePerThread(), blocked.getOrder(), Dim::Register) *
                      identityInOrder(blocked.getThreadsPerWarp(), blocked.getOrder(), Dim::Lane) *
                      identityInOrder(blocked.getWarpsPerCTA(), blocked.getOrder(), Dim::Warp);
  return overBlocks(shape, blocked.getCgaLayout(),
                    [&](Shape part) { return fitToShape(tile, part, blocked.getOrder()); });
}

static LinearLayout fromSlice(Shape shape, SliceEncodingAttr slice) {
  // The parent over a tensor with the missing dimension of size 1.
  unsigned removed = slice.getDim();
  llvm::SmallVector<int64_t, 4> parentShape(shape);
  parentShape.insert(parentShape.begin() + removed, 1);
  LinearLayout layout = toLinearLayout(parentShape, slice.getParent()).dropOut(tensorDim(removed));
  for (unsigned d = removed; d != shape.size(); ++d)
    layout = layout.renameOut(tensorDim(d + 1), tensorDim(d));
  // Registers that only differed along that dimension are one register now.
  uint32_t duplicates = 0;
  for (auto [bit, column] : llvm::enumerate(layout.getColumns(Dim::Register)))
    if (column == 0)
      duplicates |= 1u << bit;
  return layout.removeInBits(Dim::Register, duplicates);
}

static LinearLayout fromLinear(Shape shape, LinearEncodingAttr linear) {
  unsigned rank = linear.getRank();
  llvm::SmallVector<LinearLayout::InputBases, 4> inputs;
  llvm::SmallVector<uint32_t, 4> reach(rank, 0);
  auto add = [&](Dim dim, llvm::ArrayRef<int32_t> numbers) {
    inputs.push_back({dim, {}});
    for (size_t i = 0; i + rank <= numbers.size(); i += rank) {
      inputs.back().bases.emplace_back(numbers.begin() + i, numbers.begin() + i + rank);
      for (unsigned d = 0; d != rank; ++d)
        reach[d] |= numbers[i + d];
    }
  };
  add(Dim::Register, linear.getRegisterBases());
  add(Dim::Lane, linear.getLaneBases());
  add(Dim::Warp, linear.getWarpBases());
  add(Dim::Block, linear.getBlockBases());
  llvm::SmallVector<LinearLayout::DimBits, 4> outs;
  llvm::SmallVector<unsigned, 4> order;
  for (unsigned d = 0; d != rank; ++d) {
    outs.push_back({tensorDim(d), reach[d] ? llvm::Log2_32(reach[d]) + 1 : 0});
    order.push_back(rank - 1 - d);
  }
  return fitToShape(LinearLayout::fromBases(inputs, outs), shape, order);
}

/// An operand of a product that threads compute element by element: a thread has the whole reduced axis of
/// the rows (or columns) that its part of the result needs.
static LinearLayout fromBlockedDotOperand(Shape shape, DotOperandEncodingAttr operand,
                                          BlockedEncodingAttr blocked) {
  unsigned rank = shape.size(), reduced = operand.getOpIdx() == 0 ? rank - 1 : rank - 2;
  llvm::SmallVector<unsigned, 4> registers(blocked.getSizePerThread());
  registers[reduced] = shape[reduced];
  auto threads = [&](llvm::ArrayRef<unsigned> sizes, Dim in) {
    // Along the reduced axis threads hold copies.
    LinearLayout layout;
    for (unsigned d : blocked.getOrder())
      layout *= d == reduced ? LinearLayout::zeros1D(sizes[d], in, tensorDim(d))
                             : LinearLayout::identity1D(sizes[d], in, tensorDim(d));
    return layout;
  };
  LinearLayout tile = identityInOrder(registers, blocked.getOrder(), Dim::Register) *
                      threads(blocked.getThreadsPerWarp(), Dim::Lane) *
                      threads(blocked.getWarpsPerCTA(), Dim::Warp);
  return fitToShape(tile, shape, blocked.getOrder());
}

/// The pattern in which a warp of NVIDIA's matrix instructions holds 8-row pieces: four neighbouring lanes
/// share a row, along which each has `width` elements. PTX ISA, "Matrix fragments for mma.m16n8k16" and its
/// siblings; all element types follow it, with 32 bits in a lane's piece.
static LinearLayout quadsOfRows(unsigned width, Dim alongRow, Dim rows) {
  return LinearLayout::identity1D(width, Dim::Register, alongRow) *
         LinearLayout::identity1D(4, Dim::Lane, alongRow) * LinearLayout::identity1D(8, Dim::Lane, rows);
}

/// The warps of a matrix instruction's layout, column after column for Hopper, whose warp groups stand below
/// one another, and row after row before it. Along `copied`, an axis that is summed over, warps hold copies.
static LinearLayout warpsOfMatrix(NvidiaMmaEncodingAttr mma, std::optional<unsigned> copied) {
  unsigned rank = mma.getWarpsPerCTA().size();
  bool isHopper = mma.getVersionMajor() == 3;
  LinearLayout layout;
  for (unsigned i = 0; i != rank; ++i) {
    unsigned d = isHopper ? i : rank - 1 - i, size = mma.getWarpsPerCTA()[d];
    layout *= d == copied ? LinearLayout::zeros1D(size, Dim::Warp, tensorDim(d))
                          : LinearLayout::identity1D(size, Dim::Warp, tensorDim(d));
  }
  return layout;
}

/// The accumulator: pieces of 8 rows and 8 columns, two of them below each other to 16 rows, and on Hopper as
/// many beside each other as the instruction has columns.
static LinearLayout fromNvidiaMma(Shape shape, NvidiaMmaEncodingAttr mma) {
  unsigned rank = shape.size();
  Dim rows = tensorDim(rank - 2), columns = tensorDim(rank - 1);
  unsigned instructionColumns =
      mma.getVersionMajor() == 3 ? mma.getInstrShape()[1] : mma.getInstrShape().back();
  LinearLayout tile = quadsOfRows(2, columns, rows) * LinearLayout::identity1D(2, Dim::Register, rows) *
                      LinearLayout::identity1D(instructionColumns / 8, Dim::Register, columns);
  llvm::SmallVector<unsigned, 4> order;
  for (unsigned d = rank; d--;)
    order.push_back(d);
  return overBlocks(shape, mma.getCgaLayout(), [&](Shape part) {
    return fitToShape(tile * warpsOfMatrix(mma, std::nullopt), part, order);
  });
}

/// An operand in registers: `kWidth` elements along the reduced axis in a lane, then those of the other three
/// lanes; twice that along the reduced axis, and for the left operand twice 8 rows.
static LinearLayout fromMmaOperand(Shape shape, DotOperandEncodingAttr operand, NvidiaMmaEncodingAttr mma) {
  unsigned rank = shape.size();
  bool isLeft = operand.getOpIdx() == 0;
  unsigned reduced = isLeft ? rank - 1 : rank - 2, kept = isLeft ? rank - 2 : rank - 1;
  LinearLayout tile = quadsOfRows(operand.getKWidth(), tensorDim(reduced), tensorDim(kept));
  if (isLeft)
    tile *= LinearLayout::identity1D(2, Dim::Register, tensorDim(kept));
  tile *= LinearLayout::identity1D(2, Dim::Register, tensorDim(reduced));
  llvm::SmallVector<unsigned, 4> order{reduced, kept};
  for (unsigned d = rank - 2; d--;)
    order.push_back(d);
  return fitToShape(tile * warpsOfMatrix(mma, reduced), shape, order);
}

bool hasLinearLayout(mlir::Attribute encoding) {
  if (auto slice = mlir::dyn_cast_or_null<SliceEncodingAttr>(encoding))
    return hasLinearLayout(slice.getParent());
  if (auto operand = mlir::dyn_cast_or_null<DotOperandEncodingAttr>(encoding)) {
    if (auto mma = mlir::dyn_cast<NvidiaMmaEncodingAttr>(operand.getParent()))
      return mma.getCgaLayout().empty();
    auto blocked = mlir::dyn_cast<BlockedEncodingAttr>(operand.getParent());
    return blocked && blocked.getCgaLayout().empty();
  }
  return mlir::isa_and_nonnull<BlockedEncodingAttr, LinearEncodingAttr, NvidiaMmaEncodingAttr>(encoding);
}

LinearLayout toLinearLayout(Shape shape, mlir::Attribute encoding) {
  LinearLayout layout;
  if (auto blocked = mlir::dyn_cast<BlockedEncodingAttr>(encoding))
    layout = fromBlocked(shape, blocked);
  else if (auto slice = mlir::dyn_cast<SliceEncodingAttr>(encoding))
    layout = fromSlice(shape, slice);
  else if (auto linear = mlir::dyn_cast<LinearEncodingAttr>(encoding))
    layout = fromLinear(shape, linear);
  else if (auto mma = mlir::dyn_cast<NvidiaMmaEncodingAttr>(encoding))
    layout = fromNvidiaMma(shape, mma);
  else if (auto operand = mlir::dyn_cast<DotOperandEncodingAttr>(encoding)) {
    if (auto mma = mlir::dyn_cast<NvidiaMmaEncodingAttr>(operand.getParent()))
      layout = fromMmaOperand(shape, operand, mma);
    else
      layout = fromBlockedDotOperand(shape, operand, mlir::cast<BlockedEncodingAttr>(operand.getParent()));
  } else
    llvm_unreachable("hasLinearLayout() was not asked");
  return withHardwareDims(layout);
}

LinearLayout toLinearLayout(mlir::RankedTensorType type) {
  return toLinearLayout(type.getShape(), type.getEncoding());
}

mlir::Attribute toLinearEncoding(mlir::MLIRContext *context, const LinearLayout &layout) {
  unsigned rank = layout.getOutDims().size();
  auto bases = [&](Dim in) {
    llvm::SmallVector<int32_t> numbers;
    for (unsigned bit = 0; bit != layout.getInBits(in); ++bit)
      for (unsigned d = 0; d != rank; ++d)
        numbers.push_back(layout.getBasis(in, bit, tensorDim(d)));
    return numbers;
  };
  return LinearEncodingAttr::get(context, rank, bases(Dim::Register), bases(Dim::Lane), bases(Dim::Warp),
                                 bases(Dim::Block));
}

} // namespace nereid::ttg
