// Operations that make tensors or look at them in another shape. No data moves: the result's registers are
// the source's in another order, which is found by asking, for the place of each result register, which
// source register has the element that belongs there. The layout pass gives sources and results layouts under
// which that is a question about registers only; where it did not, the operation is refused rather than
// lowered wrongly.
#include "compiler/lowering/gpu/LargeTiles.h"

using namespace mlir;

namespace nereid::gpu {

using Coordinates = llvm::SmallVector<uint32_t, 4>;

/// For each bit of a register number of the result, the source's register that has the same element, where
/// `place` is linear.
static std::optional<RegisterColumns>
findColumns(Emitter &e, RankedTensorType source, RankedTensorType result,
            llvm::function_ref<Coordinates(llvm::ArrayRef<uint32_t>)> place) {
  RegisterIndex index(e.getLayout(source), source.getShape());
  const LinearLayout &layout = e.getLayout(result);
  RegisterColumns columns;
  for (unsigned bit = 0; bit < layout.getInBits(Dim::Register); ++bit) {
    Coordinates at;
    for (int64_t d = 0; d < result.getRank(); ++d)
      at.push_back(layout.getBasis(Dim::Register, bit, tensorDim(d)));
    int found = index.find(place(at));
    if (found < 0)
      return std::nullopt;
    columns.push_back(found);
  }
  return columns;
}

/// Fills the result from the source, where `place` maps an element of the result to an element of the source.
///
/// The map is linear over F2 (a permutation of axes, a dropped axis), so that it suffices to compare
/// registers among themselves and the bases of lanes and warps among themselves.
static LogicalResult rearrange(Emitter &e, Operation *op, Value source, Value result,
                               llvm::function_ref<Coordinates(llvm::ArrayRef<uint32_t>)> place) {
  auto sourceType = cast<RankedTensorType>(source.getType());
  auto resultType = cast<RankedTensorType>(result.getType());
  const LinearLayout sourceLayout = e.getLayout(sourceType), resultLayout = e.getLayout(resultType);
  auto basis = [](const LinearLayout &layout, Dim in, unsigned bit, int64_t rank) {
    Coordinates coordinates;
    for (int64_t d = 0; d < rank; ++d)
      coordinates.push_back(bit < layout.getInBits(in) ? layout.getBasis(in, bit, tensorDim(d)) : 0);
    return coordinates;
  };
  for (Dim in : {Dim::Lane, Dim::Warp}) {
    for (unsigned bit = 0; bit < std::max(sourceLayout.getInBits(in), resultLayout.getInBits(in)); ++bit) {
      if (place(basis(resultLayout, in, bit, resultType.getRank())) !=
          basis(sourceLayout, in, bit, sourceType.getRank()))
        return op->emitError("the layouts of source and result would need data to move between threads");
    }
  }
  if (e.large().concerns(op)) {
    std::optional<RegisterColumns> columns = findColumns(e, sourceType, resultType, place);
    if (!columns)
      return op->emitError("the layouts of source and result hold different elements in a thread");
    return e.large().setView(result, source, std::move(*columns));
  }
  RegisterIndex sourceIndex(sourceLayout, sourceType.getShape()),
      resultIndex(resultLayout, resultType.getShape());
  const Registers &registers = e.get(source);
  Registers results;
  for (unsigned reg = 0; reg < resultIndex.size(); ++reg) {
    int found = sourceIndex.find(place(resultIndex.coordinates(reg)));
    if (found < 0)
      return op->emitError("the layouts of source and result hold different elements in a thread");
    results.push_back(registers[found]);
  }
  e.set(result, std::move(results));
  return success();
}

static LogicalResult emitSplat(Emitter &e, tt::SplatOp op) {
  if (e.large().isLarge(op.getType())) {
    e.large().setUniform(op.getResult(), e.getScalar(op.getSrc()));
    return success();
  }
  e.set(op.getResult(), Registers(e.countRegisters(op.getType()), e.getScalar(op.getSrc())));
  return success();
}

/// The one element is in every thread, or in one that copies were made of.
static LogicalResult emitUnsplat(Emitter &e, tt::UnsplatOp op) {
  e.set(op.getResult(), e.get(op.getSrc()).front());
  return success();
}

static LogicalResult emitBroadcast(Emitter &e, tt::BroadcastOp op) {
  auto shape = cast<RankedTensorType>(op.getSrc().getType()).getShape();
  return rearrange(e, op, op.getSrc(), op.getResult(), [&](llvm::ArrayRef<uint32_t> at) {
    Coordinates from(at);
    for (unsigned d = 0; d < from.size(); ++d)
      if (shape[d] == 1)
        from[d] = 0;
    return from;
  });
}

static LogicalResult emitExpandDims(Emitter &e, tt::ExpandDimsOp op) {
  return rearrange(e, op, op.getSrc(), op.getResult(), [&](llvm::ArrayRef<uint32_t> at) {
    Coordinates from(at);
    from.erase(from.begin() + op.getAxis());
    return from;
  });
}

static LogicalResult emitTrans(Emitter &e, tt::TransOp op) {
  return rearrange(e, op, op.getSrc(), op.getResult(), [&](llvm::ArrayRef<uint32_t> at) {
    Coordinates from(at);
    for (auto [i, axis] : llvm::enumerate(op.getOrder()))
      from[axis] = at[i];
    return from;
  });
}

static LogicalResult emitReshape(Emitter &e, tt::ReshapeOp op) {
  auto sourceShape = cast<RankedTensorType>(op.getSrc().getType()).getShape();
  auto resultShape = cast<RankedTensorType>(op.getType()).getShape();
  // Any order will do: then every thread keeps what it has.
  if (op.getAllowReorder() && e.countRegisters(op.getSrc().getType()) == e.countRegisters(op.getType())) {
    if (!e.large().concerns(op)) {
      e.set(op.getResult(), e.get(op.getSrc()));
      return success();
    }
    RegisterColumns same;
    for (unsigned n = 1; n < e.countRegisters(op.getType()); n *= 2)
      same.push_back(n);
    return e.large().setView(op.getResult(), op.getSrc(), std::move(same));
  }
  return rearrange(e, op, op.getSrc(), op.getResult(), [&](llvm::ArrayRef<uint32_t> at) {
    uint64_t flat = 0;
    for (auto [size, coordinate] : llvm::zip_equal(resultShape, at))
      flat = flat * size + coordinate;
    Coordinates from(sourceShape.size());
    for (int d = int(sourceShape.size()) - 1; d >= 0; --d) {
      from[d] = flat % sourceShape[d];
      flat /= sourceShape[d];
    }
    return from;
  });
}

/// The halves along the last axis, which must lie in registers of one thread.
static LogicalResult emitSplit(Emitter &e, tt::SplitOp op) {
  for (uint32_t half = 0; half < 2; ++half) {
    auto place = [half](llvm::ArrayRef<uint32_t> at) {
      Coordinates from(at);
      from.push_back(half);
      return from;
    };
    // The check of lanes and warps compares differences, for which the half makes none.
    auto sourceType = cast<RankedTensorType>(op.getSrc().getType());
    auto resultType = cast<RankedTensorType>(op.getResult(half).getType());
    const LinearLayout sourceLayout = e.getLayout(sourceType);
    for (Dim in : {Dim::Lane, Dim::Warp})
      for (unsigned bit = 0; bit < sourceLayout.getInBits(in); ++bit)
        if (sourceLayout.getBasis(in, bit, tensorDim(sourceType.getRank() - 1)) != 0)
          return op.emitError("the last axis must lie within a thread to be split");
    RegisterIndex sourceIndex(sourceLayout, sourceType.getShape());
    if (e.large().concerns(op)) {
      // The place of register 0 is not 0 in the second half, so the map is that of the first one, moved.
      auto inFirstHalf = [](llvm::ArrayRef<uint32_t> at) {
        Coordinates from(at);
        from.push_back(0);
        return from;
      };
      std::optional<RegisterColumns> columns = findColumns(e, sourceType, resultType, inFirstHalf);
      int start = sourceIndex.find(place(Coordinates(resultType.getRank(), 0)));
      if (!columns || start < 0)
        return op.emitError("the layouts of source and result hold different elements in a thread");
      if (failed(e.large().setView(op.getResult(half), op.getSrc(), std::move(*columns), uint32_t(start))))
        return failure();
      continue;
    }
    RegisterIndex resultIndex(e.getLayout(resultType), resultType.getShape());
    Registers results;
    for (unsigned reg = 0; reg < resultIndex.size(); ++reg) {
      int found = sourceIndex.find(place(resultIndex.coordinates(reg)));
      if (found < 0)
        return op.emitError("the layouts of source and result hold different elements in a thread");
      results.push_back(e.get(op.getSrc())[found]);
    }
    e.set(op.getResult(half), std::move(results));
  }
  return success();
}

static LogicalResult emitJoin(Emitter &e, tt::JoinOp op) {
  auto sourceType = cast<RankedTensorType>(op.getLhs().getType());
  auto resultType = cast<RankedTensorType>(op.getType());
  if (e.large().concerns(op)) {
    std::optional<RegisterColumns> columns = findColumns(
        e, sourceType, resultType, [](llvm::ArrayRef<uint32_t> at) { return Coordinates(at.drop_back()); });
    if (!columns)
      return op.emitError("the layouts of source and result hold different elements in a thread");
    const LinearLayout &layout = e.getLayout(resultType);
    for (auto [bit, column] : llvm::enumerate(*columns))
      if (layout.getBasis(Dim::Register, bit, tensorDim(resultType.getRank() - 1)))
        column |= e.countRegisters(sourceType);
    return e.large().setJoin(op.getResult(), op.getLhs(), op.getRhs(), std::move(*columns));
  }
  RegisterIndex sourceIndex(e.getLayout(sourceType), sourceType.getShape());
  RegisterIndex resultIndex(e.getLayout(resultType), resultType.getShape());
  Registers results;
  for (unsigned reg = 0; reg < resultIndex.size(); ++reg) {
    llvm::ArrayRef<uint32_t> at = resultIndex.coordinates(reg);
    int found = sourceIndex.find(at.drop_back());
    if (found < 0)
      return op.emitError("the layouts of source and result hold different elements in a thread");
    results.push_back(e.get(at.back() == 0 ? op.getLhs() : op.getRhs())[found]);
  }
  e.set(op.getResult(), std::move(results));
  return success();
}

/// The order of elements is free, so each thread puts its registers side by side.
static LogicalResult emitCat(Emitter &e, tt::CatOp op) {
  Registers results = e.get(op.getLhs());
  llvm::append_range(results, e.get(op.getRhs()));
  if (results.size() != e.countRegisters(op.getType()))
    return op.emitError("the layouts of source and result hold different numbers of elements in a thread");
  e.set(op.getResult(), std::move(results));
  return success();
}

static LogicalResult emitMakeRange(Emitter &e, tt::MakeRangeOp op) {
  if (e.large().isLarge(op.getType()))
    return e.large().defer(op);
  Registers results;
  for (const Registers &coordinates : e.getCoordinates(cast<RankedTensorType>(op.getType())))
    results.push_back(e.b.CreateAdd(coordinates[0], e.b.getInt32(op.getStart())));
  e.set(op.getResult(), std::move(results));
  return success();
}

void addViewEmitters(EmitterTable &table) {
  table.add<tt::SplatOp, emitSplat>();
  table.add<tt::UnsplatOp, emitUnsplat>();
  table.add<tt::BroadcastOp, emitBroadcast>();
  table.add<tt::ExpandDimsOp, emitExpandDims>();
  table.add<tt::TransOp, emitTrans>();
  table.add<tt::ReshapeOp, emitReshape>();
  table.add<tt::SplitOp, emitSplit>();
  table.add<tt::JoinOp, emitJoin>();
  table.add<tt::CatOp, emitCat>();
  table.add<tt::MakeRangeOp, emitMakeRange>();
}

} // namespace nereid::gpu
