// Layouts of results from layouts of operands.
//
// Where operand and result can both be blocked, as upstream prints them, the fields of the blocked layout are
// rearranged. Any other layout is written out as a linear one, whose vectors are rearranged.
//
// Worked example: tt.join of two tensor<64xf32, #blocked<sizePerThread = [4], threadsPerWarp = [32], ...>>
// makes tensor<64x2xf32, #blocked<sizePerThread = [4, 2], threadsPerWarp = [32, 1], order = [1, 0], ...>>:
// the thread that held both elements holds their pair, in neighbouring registers.
#include "compiler/dialects/ttg/LayoutInference.h"

#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::ttg {

namespace {

using Sizes = SmallVector<unsigned>;
using Bases = SmallVector<int32_t>;

// Vectors with their coordinates rearranged: coordinate i of the result is coordinate order[i] of the source,
// or 0 where order[i] is negative.
Bases rearrange(ArrayRef<int32_t> bases, unsigned rank, ArrayRef<int32_t> order) {
  Bases result;
  for (size_t start = 0; rank && start < bases.size(); start += rank)
    for (int32_t from : order)
      result.push_back(from < 0 ? 0 : bases[start + from]);
  return result;
}

// `rearrange` over all inputs of a linear layout; `firstRegister`, when not empty, becomes the fastest
// register bit.
LinearEncodingAttr rearrange(LinearEncodingAttr layout, ArrayRef<int32_t> order,
                             ArrayRef<int32_t> firstRegister = {}) {
  unsigned rank = layout.getRank();
  Bases registers(firstRegister);
  llvm::append_range(registers, rearrange(layout.getRegisterBases(), rank, order));
  return LinearEncodingAttr::get(
      layout.getContext(), order.size(), registers, rearrange(layout.getLaneBases(), rank, order),
      rearrange(layout.getWarpBases(), rank, order), rearrange(layout.getBlockBases(), rank, order));
}

// The layout written out, or null where that is not known.
LinearEncodingAttr asLinear(Attribute layout, ArrayRef<int64_t> shape) {
  if (auto linear = dyn_cast<LinearEncodingAttr>(layout))
    return linear;
  if (!hasLinearLayout(layout))
    return {};
  return cast<LinearEncodingAttr>(toLinearEncoding(layout.getContext(), toLinearLayout(shape, layout)));
}

// 0, 1, ..., rank - 1, and -1 for an axis that is new.
SmallVector<int32_t> axes(unsigned rank, bool withNewAxis) {
  SmallVector<int32_t> order;
  for (unsigned axis = 0; axis < rank; ++axis)
    order.push_back(axis);
  if (withNewAxis)
    order.push_back(-1);
  return order;
}

} // namespace

FailureOr<Attribute> TTGLayoutInterface::inferReduce(Attribute layout, unsigned axis,
                                                     OptionalLocation) const {
  return Attribute(SliceEncodingAttr::get(layout.getContext(), axis, layout));
}

FailureOr<Attribute> TTGLayoutInterface::inferExpandDims(Attribute layout, unsigned axis,
                                                         OptionalLocation location) const {
  auto slice = dyn_cast<SliceEncodingAttr>(layout);
  if (!slice)
    return emitOptionalError(location,
                             "'tt.expand_dims' op needs an operand with a slice layout, but it has ", layout);
  if (slice.getDim() != axis)
    return emitOptionalError(location, "'tt.expand_dims' op adds axis ", axis,
                             " to a tensor that is a slice along axis ", slice.getDim());
  return slice.getParent();
}

FailureOr<Attribute> TTGLayoutInterface::inferTrans(Attribute layout, ShapeRef shape, ArrayRef<int32_t> order,
                                                    OptionalLocation location) const {
  if (auto blocked = dyn_cast<BlockedEncodingAttr>(layout)) {
    auto permute = [&](ArrayRef<unsigned> sizes) {
      Sizes result;
      for (int32_t from : order)
        result.push_back(sizes[from]);
      return result;
    };
    SmallVector<unsigned> to(order.size());
    for (auto [target, from] : llvm::enumerate(order))
      to[from] = target;
    Sizes fastestFirst;
    for (unsigned axis : blocked.getOrder())
      fastestFirst.push_back(to[axis]);
    return Attribute(BlockedEncodingAttr::get(layout.getContext(), permute(blocked.getSizePerThread()),
                                              permute(blocked.getThreadsPerWarp()),
                                              permute(blocked.getWarpsPerCTA()), fastestFirst,
                                              rearrange(blocked.getCgaLayout(), blocked.getRank(), order)));
  }
  if (LinearEncodingAttr linear = asLinear(layout, shape))
    return Attribute(rearrange(linear, order));
  return emitOptionalError(location, "'tt.trans' op cannot permute the axes of layout ", layout);
}

FailureOr<Attribute> TTGLayoutInterface::inferJoin(Attribute layout, ShapeRef shape,
                                                   OptionalLocation location) const {
  if (auto blocked = dyn_cast<BlockedEncodingAttr>(layout)) {
    unsigned rank = blocked.getRank();
    auto append = [](ArrayRef<unsigned> sizes, unsigned last) {
      Sizes result(sizes);
      result.push_back(last);
      return result;
    };
    Sizes order(blocked.getOrder());
    order.insert(order.begin(), rank);
    return Attribute(BlockedEncodingAttr::get(layout.getContext(), append(blocked.getSizePerThread(), 2),
                                              append(blocked.getThreadsPerWarp(), 1),
                                              append(blocked.getWarpsPerCTA(), 1), order,
                                              rearrange(blocked.getCgaLayout(), rank, axes(rank, true))));
  }
  if (LinearEncodingAttr linear = asLinear(layout, shape)) {
    Bases pair(linear.getRank(), 0);
    pair.push_back(1);
    return Attribute(rearrange(linear, axes(linear.getRank(), /*withNewAxis=*/true), pair));
  }
  return emitOptionalError(location, "'tt.join' op cannot add an axis to layout ", layout);
}

FailureOr<Attribute> TTGLayoutInterface::inferSplit(Attribute layout, ShapeRef shape,
                                                    OptionalLocation location) const {
  if (auto blocked = dyn_cast<BlockedEncodingAttr>(layout)) {
    unsigned last = blocked.getRank() - 1;
    if (last > 0 && blocked.getSizePerThread()[last] == 2 && blocked.getThreadsPerWarp()[last] == 1 &&
        blocked.getWarpsPerCTA()[last] == 1 && blocked.getOrder().front() == last) {
      return Attribute(BlockedEncodingAttr::get(
          layout.getContext(), blocked.getSizePerThread().drop_back(),
          blocked.getThreadsPerWarp().drop_back(), blocked.getWarpsPerCTA().drop_back(),
          blocked.getOrder().drop_front(),
          rearrange(blocked.getCgaLayout(), last + 1, axes(last, /*withNewAxis=*/false))));
    }
  }
  LinearEncodingAttr linear = asLinear(layout, shape);
  unsigned rank = linear ? linear.getRank() : 0;
  ArrayRef<int32_t> registers = linear ? linear.getRegisterBases() : ArrayRef<int32_t>();
  // The one vector that leads from one half to the other must belong to a register bit.
  for (size_t start = 0; rank > 1 && start < registers.size(); start += rank) {
    if (registers[start + rank - 1] != 1)
      continue;
    Bases others(registers.take_front(start));
    llvm::append_range(others, registers.drop_front(start + rank));
    auto without = LinearEncodingAttr::get(layout.getContext(), rank, others, linear.getLaneBases(),
                                           linear.getWarpBases(), linear.getBlockBases());
    return Attribute(rearrange(without, axes(rank - 1, /*withNewAxis=*/false)));
  }
  return emitOptionalError(location, "'tt.split' op needs both halves in each thread, but layout ", layout,
                           " does not hold them so");
}

bool TTGLayoutInterface::areEquivalent(ShapeRef shape, Attribute a, Attribute b) const {
  if (a == b)
    return true;
  return hasLinearLayout(a) && hasLinearLayout(b) && toLinearLayout(shape, a) == toLinearLayout(shape, b);
}

namespace {

unsigned product(ArrayRef<unsigned> sizes) {
  unsigned result = 1;
  for (unsigned size : sizes)
    result *= size;
  return result;
}

// How many lanes and warps a layout spreads over, where its own fields say so.
struct Extent {
  std::optional<unsigned> lanes, warps;
};

Extent getExtent(Attribute layout) {
  return llvm::TypeSwitch<Attribute, Extent>(layout)
      .Case([](BlockedEncodingAttr layout) {
        return Extent{product(layout.getThreadsPerWarp()), product(layout.getWarpsPerCTA())};
      })
      .Case([](LinearEncodingAttr layout) {
        if (layout.getRank() == 0)
          return Extent{1u, 1u};
        return Extent{1u << (layout.getLaneBases().size() / layout.getRank()),
                      1u << (layout.getWarpBases().size() / layout.getRank())};
      })
      .Case<SliceEncodingAttr, DotOperandEncodingAttr>(
          [](auto layout) { return getExtent(layout.getParent()); })
      .Case([](NvidiaMmaEncodingAttr layout) { return Extent{32u, product(layout.getWarpsPerCTA())}; })
      .Case([](AMDMfmaEncodingAttr layout) { return Extent{64u, product(layout.getWarpsPerCTA())}; })
      .Case([](AMDWmmaEncodingAttr layout) { return Extent{32u, product(layout.getWarpsPerCTA())}; })
      .Default([](Attribute) { return Extent{}; });
}

} // namespace

LogicalResult TTGLayoutInterface::verifyTensor(RankedTensorType type, Operation *op,
                                               function_ref<InFlightDiagnostic()> emitError) const {
  Attribute layout = type.getEncoding();
  if (!isDistributedLayout(layout))
    return emitError() << "a tensor is spread over threads, but " << layout << " is no layout for that";
  std::optional<unsigned> rank = getLayoutRank(layout);
  if (rank && int64_t(*rank) != type.getRank())
    return emitError() << layout << " is for " << *rank << " axes, and " << type << " has " << type.getRank();
  Extent extent = getExtent(layout);
  std::optional<unsigned> lanes = maybeGetThreadsPerWarp(op), warps = maybeGetNumWarps(op);
  if (extent.lanes && lanes && *extent.lanes != *lanes)
    return emitError() << layout << " is for warps of " << *extent.lanes << " threads, and the module's have "
                       << *lanes;
  if (extent.warps && warps && *extent.warps != *warps)
    return emitError() << layout << " is for " << *extent.warps << " warps, and the module has " << *warps;
  return success();
}

LogicalResult TTGLayoutInterface::verifyDot(Attribute a, Attribute b, Attribute result, Operation *op) const {
  auto left = dyn_cast<DotOperandEncodingAttr>(a), right = dyn_cast<DotOperandEncodingAttr>(b);
  if (!left || !right)
    return op->emitOpError("needs operands with dot_op layouts, but they have ") << a << " and " << b;
  if (left.getOpIdx() != 0 || right.getOpIdx() != 1)
    return op->emitOpError("needs dot_op layouts of opIdx 0 and 1, but they have ")
           << left.getOpIdx() << " and " << right.getOpIdx();
  for (DotOperandEncodingAttr operand : {left, right})
    if (operand.getParent() != result)
      return op->emitOpError("needs operands whose layouts are for its result's ")
             << result << ", but one is for " << operand.getParent();
  return success();
}

} // namespace nereid::ttg
