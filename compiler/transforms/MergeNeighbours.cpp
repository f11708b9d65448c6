// Loads in one go what several loads read side by side, element by element, and stores likewise:
//
//     %p1 = tt.addptr %p, 1                                  %q = %p beside %p + 1
//     %x = tt.load %p : tensor<64>, 8-byte aligned     →     %xy = tt.load %q : tensor<64x2>
//     %y = tt.load %p1 : tensor<64>                          %x, %y = tt.split %xy
//
// Pairs that are turned by an angle lie so, real and imaginary parts, and activations that meet the codes of
// a packed word. Each load alone has no neighbours in its thread, and takes as many instructions as there are
// elements, which all reach the same lines of memory. Together they are a vector for each element.
//
// This comes when layouts are chosen: elements stay where they are, the new axis is a thread's registers, and
// splitting or joining those costs nothing. Merged are 2, 4, 8 or 16 loads with one mask, whose first address
// is aligned to the vector, and between which nothing may change memory or wait; stores if nothing is between
// them but stores of the same element's neighbours.
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/transforms/AxisInfo.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

namespace arith = mlir::arith;
using mlir::Attribute;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

constexpr int64_t vectorBytes = 16;

struct MergeNeighbours : mlir::PassWrapper<MergeNeighbours, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MergeNeighbours)

  llvm::StringRef getArgument() const final { return "nereid-ttg-merge-neighbours"; }
  llvm::StringRef getDescription() const final {
    return "Load and store side by side what several accesses reach so";
  }
  void runOnOperation() final;
};

/// An address as a sum: of values, each with what brings it into the shape of the tile, and a number of
/// elements.
struct Address {
  using Shapes = llvm::SmallVector<std::pair<llvm::StringRef, unsigned>, 4>;
  llvm::SmallVector<std::pair<const void *, Shapes>, 4> terms;
  int64_t elements = 0;
};

void addTo(Address &sum, Value value, const Address::Shapes &shapes) {
  Operation *op = value.getDefiningOp();
  if (op && mlir::isa<tt::AddPtrOp, arith::AddIOp>(op)) {
    addTo(sum, op->getOperand(0), shapes);
    addTo(sum, op->getOperand(1), shapes);
  } else if (mlir::isa_and_nonnull<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, arith::ExtSIOp>(op)) {
    auto expand = mlir::dyn_cast<tt::ExpandDimsOp>(op);
    // Whether indices are widened before or after they are added makes no difference: they do not wrap.
    Address::Shapes inner = shapes;
    if (!mlir::isa<arith::ExtSIOp>(op))
      inner.push_back({op->getName().getStringRef(), expand ? expand.getAxis() : 0});
    addTo(sum, op->getOperand(0), inner);
  } else if (auto constant = mlir::dyn_cast_or_null<arith::ConstantOp>(op)) {
    auto elements = mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
    auto integer = mlir::dyn_cast<mlir::IntegerAttr>(
        elements && elements.isSplat() ? elements.getSplatValue<mlir::Attribute>() : constant.getValue());
    if (integer)
      sum.elements += integer.getInt();
    else
      sum.terms.push_back({value.getAsOpaquePointer(), shapes});
  } else {
    sum.terms.push_back({value.getAsOpaquePointer(), shapes});
  }
}

Address getAddress(Value pointer) {
  Address address;
  addTo(address, pointer, {});
  llvm::sort(address.terms, [](const auto &a, const auto &b) { return a.first < b.first; });
  return address;
}

/// Whether both are one value, or constants that look the same.
bool isSame(Value a, Value b) {
  if (a == b || !a || !b)
    return a == b;
  mlir::Attribute x, y;
  return mlir::matchPattern(a, mlir::m_Constant(&x)) && mlir::matchPattern(b, mlir::m_Constant(&y)) && x == y;
}

/// Whether two accesses are of one kind in all but their addresses; also in what passes have noted, as that a
/// load reads other threads' elements (movedLoadAttr), for which these must have come.
template <typename Access> bool isAlike(Access a, Access b) {
  return a.getPtr().getType() == b.getPtr().getType() && a.getMask() == b.getMask() &&
         a.getCache() == b.getCache() && a.getEvict() == b.getEvict() &&
         a->getDiscardableAttrDictionary() == b->getDiscardableAttrDictionary();
}

bool mayMerge(tt::LoadOp a, tt::LoadOp b) { return isAlike(a, b) && isSame(a.getOther(), b.getOther()); }
bool mayMerge(tt::StoreOp a, tt::StoreOp b) { return isAlike(a, b); }

/// The tile of an access, if it is one whose elements lie in known threads; null otherwise.
template <typename Access> RankedTensorType getTile(Access access) {
  auto type = mlir::dyn_cast<RankedTensorType>(access.getPtr().getType());
  return type && ttg::hasLinearLayout(type.getEncoding()) ? type : RankedTensorType();
}

/// Of an element of what is accessed.
template <typename Access> int64_t getBytes(Access access) {
  mlir::Type pointer = getTile(access).getElementType();
  return std::max(8u, tt::getElementBits(mlir::cast<tt::PointerType>(pointer).getPointeeType())) / 8;
}

/// Adds an axis of `count` neighbours to tiles of one shape and layout, takes it off again, or makes it of
/// tiles.
class Neighbours {
public:
  Neighbours(OpBuilder &builder, mlir::Location location, RankedTensorType tile, unsigned count)
      : builder(builder), location(location), rank(tile.getRank()), count(count) {
    LinearLayout wide =
        LinearLayout::identity1D(count, Dim::Register, tensorDim(rank)) * ttg::toLinearLayout(tile);
    llvm::SmallVector<Dim, 4> order;
    for (unsigned d = 0; d <= rank; ++d)
      order.push_back(tensorDim(d));
    layout = ttg::toLinearEncoding(tile.getContext(), wide.reorderOuts(order));
  }

  /// A tile with each element as often as there are neighbours; null for null.
  Value repeat(Value tile);
  /// Addresses of neighbours from those of the first ones.
  Value getPointers(Value first);
  /// Parts in the order in which they are along the last axis.
  void split(Value wide, llvm::MutableArrayRef<Value> parts);
  Value join(llvm::ArrayRef<Value> parts);

private:
  OpBuilder &builder;
  mlir::Location location;
  unsigned rank, count;
  Attribute layout;
};

Value Neighbours::repeat(Value tile) {
  if (!tile)
    return {};
  auto from = mlir::cast<RankedTensorType>(tile.getType());
  auto slice = ttg::SliceEncodingAttr::get(from.getContext(), rank, layout);
  tile = ttg::ConvertLayoutOp::create(builder, location, withLayout(from, slice), tile);
  llvm::SmallVector<int64_t> shape(from.getShape());
  shape.push_back(1);
  auto type = RankedTensorType::get(shape, from.getElementType(), layout);
  tile = tt::ExpandDimsOp::create(builder, location, type, tile, rank);
  shape.back() = count;
  return tt::BroadcastOp::create(builder, location, type.clone(shape), tile);
}

Value Neighbours::getPointers(Value first) {
  first = repeat(first);
  auto type = mlir::cast<RankedTensorType>(first.getType());
  // 0, 1, 2, … along the new axis.
  llvm::SmallVector<Attribute, 4> layouts{layout};
  for (unsigned d = rank; d--;)
    layouts.push_back(ttg::SliceEncodingAttr::get(type.getContext(), d, layouts.back()));
  mlir::Type i32 = builder.getI32Type();
  llvm::SmallVector<int64_t> shape{count};
  Value steps = tt::MakeRangeOp::create(builder, location, RankedTensorType::get(shape, i32, layouts.back()),
                                        0u, count);
  for (unsigned d = 0; d != rank; ++d) {
    shape.insert(shape.begin(), 1);
    layouts.pop_back();
    steps = tt::ExpandDimsOp::create(builder, location, RankedTensorType::get(shape, i32, layouts.back()),
                                     steps, d);
  }
  steps =
      tt::BroadcastOp::create(builder, location, RankedTensorType::get(type.getShape(), i32, layout), steps);
  return tt::AddPtrOp::create(builder, location, type, first, steps);
}

/// `tile` in another shape, in the layout that it has by that.
Value reshape(OpBuilder &builder, mlir::Location location, Value tile, llvm::ArrayRef<int64_t> shape) {
  auto from = mlir::cast<RankedTensorType>(tile.getType());
  auto result = tt::ReshapeOp::create(builder, location, RankedTensorType::get(shape, from.getElementType()),
                                      tile, mlir::UnitAttr(), mlir::UnitAttr());
  setLayout(result, inferResultLayout(result, from.getEncoding()));
  return result;
}

void Neighbours::split(Value wide, llvm::MutableArrayRef<Value> parts) {
  if (parts.size() == 1) {
    parts[0] = wide;
    return;
  }
  if (parts.size() > 2) {
    llvm::SmallVector<int64_t> shape(mlir::cast<RankedTensorType>(wide.getType()).getShape());
    shape.back() = parts.size() / 2;
    shape.push_back(2);
    wide = reshape(builder, location, wide, shape);
  }
  auto halves = tt::SplitOp::create(builder, location, wide);
  // Of x0 … x7 one half is x0, x2, x4, x6.
  llvm::SmallVector<Value, 8> even(parts.size() / 2), odd(parts.size() / 2);
  split(halves.getOutLHS(), even);
  split(halves.getOutRHS(), odd);
  for (size_t i = 0; i != parts.size(); ++i)
    parts[i] = i % 2 ? odd[i / 2] : even[i / 2];
}

Value Neighbours::join(llvm::ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts[0];
  llvm::SmallVector<Value, 8> even, odd;
  for (size_t i = 0; i != parts.size(); ++i)
    (i % 2 ? odd : even).push_back(parts[i]);
  Value joined = tt::JoinOp::create(builder, location, join(even), join(odd));
  llvm::SmallVector<int64_t> shape(mlir::cast<RankedTensorType>(joined.getType()).getShape());
  if (parts.size() > 2) {
    shape.pop_back();
    shape.back() = parts.size();
    joined = reshape(builder, location, joined, shape);
  }
  if (parts.size() == count)
    joined = ttg::ConvertLayoutOp::create(builder, location, withLayout(joined.getType(), layout), joined);
  return joined;
}

/// In place of the first of these, in the order of their addresses, where nothing comes before it.
void merge(llvm::ArrayRef<tt::LoadOp> loads) {
  tt::LoadOp first = loads.front();
  OpBuilder builder(first);
  Neighbours neighbours(builder, first.getLoc(), getTile(first), loads.size());
  Value pointers = neighbours.getPointers(first.getPtr());
  auto merged = tt::LoadOp::create(builder, first.getLoc(), pointers, neighbours.repeat(first.getMask()),
                                   neighbours.repeat(first.getOther()), first.getCache(), first.getEvict(),
                                   first.getIsVolatile());
  merged->setDiscardableAttrs(first->getDiscardableAttrDictionary());
  llvm::SmallVector<Value, 8> parts(loads.size());
  neighbours.split(merged, parts);
  for (auto [load, part] : llvm::zip(loads, parts)) {
    tt::LoadOp old = load;
    old.getResult().replaceAllUsesWith(
        ttg::ConvertLayoutOp::create(builder, first.getLoc(), old.getType(), part));
  }
}

/// In place of `last`, behind all that they need.
void merge(llvm::ArrayRef<tt::StoreOp> stores, tt::StoreOp last) {
  tt::StoreOp first = stores.front();
  OpBuilder builder(last);
  Neighbours neighbours(builder, first.getLoc(), getTile(first), stores.size());
  llvm::SmallVector<Value, 8> values;
  for (tt::StoreOp store : stores)
    values.push_back(store.getValue());
  Value pointers = neighbours.getPointers(first.getPtr());
  auto merged = tt::StoreOp::create(builder, first.getLoc(), pointers, neighbours.join(values),
                                    neighbours.repeat(first.getMask()), first.getCache(), first.getEvict());
  merged->setDiscardableAttrs(first->getDiscardableAttrDictionary());
}

/// Accesses of a block that may be made at once.
template <typename Access> struct Group {
  struct Candidate {
    Access access;
    Address address;
  };
  llvm::SmallVector<Candidate, 8> candidates;

  void add(Access access) { candidates.push_back({access, getAddress(access.getPtr())}); }
  /// The most of them that are a vector from the first one on; none if there is no other.
  llvm::SmallVector<Access, 8> findVector(const AxisInfoAnalysis &axes);
  void remove(llvm::ArrayRef<Access> accesses);
};

template <typename Access>
llvm::SmallVector<Access, 8> Group<Access>::findVector(const AxisInfoAnalysis &axes) {
  Candidate &first = candidates.front();
  int64_t bytes = getBytes(first.access);
  int64_t alignment = axes.get(first.access.getPtr()).getDivisibilityOfAll();
  for (int64_t count = std::min(vectorBytes, alignment) / bytes; count > 1; count /= 2) {
    llvm::SmallVector<Access, 8> found{first.access};
    for (int64_t i = 1; i != count; ++i) {
      auto next = llvm::find_if(candidates, [&](Candidate &other) {
        return other.address.elements == first.address.elements + i &&
               other.address.terms == first.address.terms && mayMerge(first.access, other.access);
      });
      if (next == candidates.end())
        break;
      found.push_back(next->access);
    }
    if (int64_t(found.size()) == count)
      return found;
  }
  return {};
}

template <typename Access> void Group<Access>::remove(llvm::ArrayRef<Access> accesses) {
  llvm::erase_if(candidates, [&](const Candidate &c) { return llvm::is_contained(accesses, c.access); });
}

void mergeLoads(Group<tt::LoadOp> &group, const AxisInfoAnalysis &axes) {
  while (!group.candidates.empty()) {
    llvm::SmallVector<tt::LoadOp, 8> vector = group.findVector(axes);
    if (vector.empty()) {
      group.candidates.erase(group.candidates.begin());
      continue;
    }
    merge(vector);
    group.remove(vector);
    for (tt::LoadOp load : vector)
      load.erase();
  }
}

void mergeStores(Group<tt::StoreOp> &group, const AxisInfoAnalysis &axes) {
  if (group.candidates.empty())
    return;
  tt::StoreOp last = group.candidates.back().access;
  llvm::stable_sort(group.candidates,
                    [](const auto &a, const auto &b) { return a.address.elements < b.address.elements; });
  llvm::SmallVector<tt::StoreOp, 8> done;
  while (!group.candidates.empty()) {
    llvm::SmallVector<tt::StoreOp, 8> vector = group.findVector(axes);
    if (vector.empty()) {
      group.candidates.erase(group.candidates.begin());
      continue;
    }
    merge(vector, last);
    group.remove(vector);
    llvm::append_range(done, vector);
  }
  for (tt::StoreOp store : done)
    store.erase();
}

/// Whether a store is of a neighbour of those in a group, or of nothing that they store, so that their order
/// makes no difference. Neighbours further away than addresses are known to be may be another element's.
bool isBeside(const Group<tt::StoreOp> &group, const Group<tt::StoreOp>::Candidate &store,
              const AxisInfoAnalysis &axes) {
  Group<tt::StoreOp>::Candidate first = store;
  int64_t last = store.address.elements;
  for (const Group<tt::StoreOp>::Candidate &other : group.candidates) {
    if (other.address.terms != store.address.terms || other.address.elements == store.address.elements)
      return false;
    last = std::max(last, other.address.elements);
    if (other.address.elements < first.address.elements)
      first = other;
  }
  int64_t distance = axes.get(first.access.getPtr()).getDivisibilityOfAll() / getBytes(first.access);
  return group.candidates.empty() || last - first.address.elements < distance;
}

void mergeInBlock(mlir::Block &block, const AxisInfoAnalysis &axes) {
  Group<tt::LoadOp> loads;
  Group<tt::StoreOp> stores;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.getNumRegions() == 0 && mlir::isMemoryEffectFree(&op))
      continue;
    if (auto store = mlir::dyn_cast<tt::StoreOp>(op); store && getTile(store)) {
      mergeLoads(loads, axes);
      if (!isBeside(stores, {store, getAddress(store.getPtr())}, axes))
        mergeStores(stores, axes);
      stores.add(store);
      continue;
    }
    mergeStores(stores, axes);
    auto load = mlir::dyn_cast<tt::LoadOp>(op);
    if (load && !looksAtOthers(load)) {
      if (getTile(load))
        loads.add(load);
      continue;
    }
    mergeLoads(loads, axes);
  }
  mergeLoads(loads, axes);
  mergeStores(stores, axes);
}

void MergeNeighbours::runOnOperation() {
  AxisInfoAnalysis axes(getOperation());
  getOperation().walk([&](mlir::Block *block) { mergeInBlock(*block, axes); });
}

} // namespace

std::unique_ptr<mlir::Pass> createMergeNeighboursPass() { return std::make_unique<MergeNeighbours>(); }

} // namespace nereid
