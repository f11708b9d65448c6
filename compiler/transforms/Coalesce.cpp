// Gives each memory access the layout in which a warp's lanes reach neighbouring addresses, each with as wide
// a vector as is allowed.
//
// For an access through a tensor of pointers, AxisInfo says along which dimension addresses run, and how many
// elements from a run's start on may be read as one aligned vector: for f32 and 16-byte aligned rows, 4
// elements of 128 bits. The layout puts that many into a thread, lanes along the fastest dimension, then
// warps. Where addresses are known to run along none, lanes go along the dimension whose neighbours are
// probably nearest (AddressSteps.h). Threads without anything to do would be worse than narrow vectors, so a
// vector is never longer than the elements there are for each thread.
//
// Accesses of one shape and direction that exchange data should agree on a layout, or data must travel
// between threads: they all take the widest vector that any of them wants, since a load of two vectors a
// thread still uses every byte of a cache line. Stores must not leave gaps, though, so no group is wider than
// the narrowest 128-bit store in it. And a store that can only write a fourth of the group's vector at a time
// has a layout of its own, unless its addresses are anywhere: a cache keeps for the next load what a load has
// not used, but what a store leaves out of a sector is written by another access. An f16 stored one by one
// from vectors of eight would write each sector eight times.
//
// Nor does a load that can only load a fourth of the group's vector take it, where its matrix meets the
// others as sums alone. Of the keys of a paged cache, in runs whose length is an argument, what is reduced to
// a row's products meets the values; one by one in a layout of vectors of eight, each instruction would touch
// as many cache lines as there are lanes in a row. Lanes and warps stay as they are, so that rows' sums need
// not move: neighbours are in lanes, and what is in a lane is further on.
//
// What is loaded element by element for products alone has its warps so that a thread needs few rows and
// columns:
//
//     keys 128x64, lanes [32, 1]     warps [4, 1]    1 channel and 64 tokens of a thread
//                                    warps [1, 4]    4 channels and 16 tokens, one behind the other
//
// What is looked up one by one belongs to its indices: in what direction it is loaded makes no difference,
// but to have indices of four bits, or the addresses that they make, travel does. So it counts as what
// exchanges data with them, and so does what it meets. Of unsloth's _nf4_select_dequant_kernel, with tables
// for weights and for their scales, 139 us of an H200 to 99.7. What is looked up, one by one or in whole
// runs, and then summed is where its indices are in any case (GatherLayout.h).
//
// The access gets its operands through conversions and its result is converted back; the passes that follow
// carry the layout into the program around it and remove them.
#include "compiler/transforms/AddressSteps.h"
#include "compiler/transforms/AxisInfo.h"
#include "compiler/transforms/GatherLayout.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/Passes.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

#include <cmath>

namespace nereid {

using mlir::Attribute;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

constexpr unsigned maxVectorBits = 128;

/// How many accesses a sector may take to be written, at least, for a store to leave its group.
constexpr int64_t manyWrites = 4;

/// Into how many instructions another tile's vector may cut a load, at least, for the load to leave it.
constexpr int64_t manyLoads = 4;

struct Access {
  Operation *op;
  Value pointer;
  RankedTensorType type; // of the pointers
  llvm::SmallVector<unsigned, 4> order;
  int64_t vector = 1; // elements of one memory instruction
  bool isStore = false;
  Value data = {}; // what is loaded or stored
};

struct Coalesce : mlir::PassWrapper<Coalesce, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Coalesce)

  llvm::StringRef getArgument() const final { return "nereid-ttg-coalesce"; }
  llvm::StringRef getDescription() const final { return "Choose layouts for memory accesses"; }
  void runOnOperation() final;
};

/// The pointer operand of a memory access through a tensor of pointers; null for all other operations.
Value getTensorPointer(Operation *op) {
  Value pointer;
  if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
    pointer = load.getPtr();
  else if (auto store = mlir::dyn_cast<tt::StoreOp>(op))
    pointer = store.getPtr();
  else if (auto atomic = mlir::dyn_cast<tt::AtomicRMWOp>(op))
    pointer = atomic.getPtr();
  else if (auto exchange = mlir::dyn_cast<tt::AtomicCASOp>(op))
    pointer = exchange.getPtr();
  return pointer && mlir::isa<RankedTensorType>(pointer.getType()) ? pointer : Value();
}

/// A tile, and what is computed of it element by element.
llvm::SetVector<Value> findComputed(Value tile) {
  llvm::SetVector<Value> tiles;
  tiles.insert(tile);
  for (unsigned i = 0; i != tiles.size(); ++i)
    for (Operation *user : tiles[i].getUsers())
      if (user->getNumResults() == 1 && (user->hasTrait<mlir::OpTrait::Elementwise>() ||
                                         mlir::isa<ttg::ConvertLayoutOp, mlir::arith::SelectOp>(user)))
        tiles.insert(user->getResult(0));
  return tiles;
}

/// Along which dimensions some of these are reduced.
llvm::SmallBitVector findReducedAxes(const llvm::SetVector<Value> &tiles, unsigned rank) {
  llvm::SmallBitVector axes(rank);
  for (Value tile : tiles)
    for (Operation *user : tile.getUsers())
      if (auto reduce = mlir::dyn_cast<tt::ReduceOp>(user))
        axes.set(reduce.getAxis());
  return axes;
}

/// Along which dimensions something is the same that the first of these meets, element by element.
llvm::SmallBitVector findSharedAxes(const llvm::SetVector<Value> &tiles, unsigned rank) {
  llvm::SmallBitVector axes(rank);
  for (Value tile : llvm::ArrayRef(tiles.getArrayRef()).drop_front())
    for (Value operand : tile.getDefiningOp()->getOperands()) {
      Operation *source = operand.getDefiningOp();
      while (source && mlir::isa<ttg::ConvertLayoutOp>(source))
        source = source->getOperand(0).getDefiningOp();
      auto broadcast = mlir::dyn_cast_if_present<tt::BroadcastOp>(source);
      for (unsigned d = 0; broadcast && d != rank; ++d)
        if (broadcast.getSrc().getType().getDimSize(d) != broadcast.getType().getDimSize(d))
          axes.set(d);
    }
  return axes;
}

/// Dimensions by how far addresses run along them, furthest first; of equals the one with the nearest
/// neighbours, then the last one, as rows lie. Behind the first come those along which addresses are loaded:
/// a thread should not need many of these. Where addresses are known to run along the first, what is reduced
/// had better be in a thread: of equals, that comes last. So does that along which what a tile meets is the
/// same, where it is looked up along that, as neighbours that are each compared with the same point.
llvm::SmallVector<unsigned, 4> getOrder(Operation *op, Value pointer, const AxisInfo &info,
                                        AddressSteps &steps) {
  auto order = llvm::to_vector<4>(llvm::seq<unsigned>(0, info.getRank()));
  llvm::SmallBitVector reduced(info.getRank()), shared(info.getRank());
  auto getRank = [&](unsigned d) {
    return std::tuple(info.contiguity[d], -steps.get(pointer, d), !reduced[d], !shared[d], d);
  };
  auto isFaster = [&](unsigned a, unsigned b) { return getRank(a) > getRank(b); };
  llvm::sort(order, isFaster);
  if (mlir::isa<tt::LoadOp>(op) && info.getRank() > 2 && info.contiguity[order[0]] > 1) {
    llvm::SetVector<Value> tiles = findComputed(op->getResult(0));
    reduced = findReducedAxes(tiles, info.getRank());
    shared = findSharedAxes(tiles, info.getRank());
    for (unsigned d : order)
      shared[d] = shared[d] && steps.areAnywhere(pointer, d);
    llvm::sort(llvm::MutableArrayRef(order).drop_front(), isFaster);
  }
  std::stable_partition(order.begin() + 1, order.end(),
                        [&](unsigned d) { return steps.areAnywhere(pointer, d); });
  return order;
}

/// Of how many neighbours a load has the addresses of fewer, as of codes of three bits, eight of which take
/// three bytes. A thread that has all eight loads each byte once: their addresses are the same sums there.
/// One where there is no such number, and where AxisInfo knows of runs of equal addresses.
int64_t countSharers(double step, int64_t constancy) {
  constexpr int64_t most = 16;
  if (step <= 0 || step >= 1 || constancy != 1)
    return 1;
  for (int64_t sharers = 2; sharers <= most; sharers *= 2)
    if (sharers * step == std::floor(sharers * step))
      return sharers;
  return 1;
}

unsigned getPointeeBits(RankedTensorType pointers) {
  mlir::Type pointee = mlir::cast<tt::PointerType>(pointers.getElementType()).getPointeeType();
  return std::max(8u, tt::getElementBits(pointee));
}

/// Values that exchange elements without address arithmetic in between: what is computed from what. Of whole
/// tiles only, neither reductions nor broadcasts count.
class DataFlow {
public:
  DataFlow(mlir::ModuleOp module, bool ofWholeTiles) : ofWholeTiles(ofWholeTiles) {
    module.walk([&](Operation *op) { add(op); });
  }
  bool connected(Value a, Value b) const {
    return a == b || classes.isEquivalent(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  }
  void unite(Value a, Value b) {
    auto typeA = mlir::dyn_cast<RankedTensorType>(a.getType());
    auto typeB = mlir::dyn_cast<RankedTensorType>(b.getType());
    if (typeA && typeB && (!ofWholeTiles || typeA.getNumElements() == typeB.getNumElements()))
      classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  }

private:
  void add(Operation *op) {
    if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op)) {
      for (auto [i, result] : llvm::enumerate(loop.getResults())) {
        unite(result, loop.getInitArgs()[i]);
        unite(result, loop.getRegionIterArgs()[i]);
        unite(result, loop.getBody()->getTerminator()->getOperand(i));
      }
      return;
    }
    if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op)) {
      for (auto [i, result] : llvm::enumerate(branch.getResults())) {
        unite(result, branch.thenYield().getOperand(i));
        unite(result, branch.elseYield().getOperand(i));
      }
      return;
    }
    bool isDataOperation = !getTensorPointer(op) && !mlir::isa<tt::AddPtrOp>(op);
    if (!isDataOperation || op->getNumResults() == 0)
      return;
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      // A product's factors get layouts of their own.
      if (mlir::isa<tt::DotOp>(op) && operand != op->getOperand(2))
        continue;
      // Constants and the condition of a select come from masks and indices that everything shares.
      if (mlir::isa_and_nonnull<mlir::arith::ConstantOp, tt::SplatOp, tt::MakeRangeOp>(
              operand.getDefiningOp()) ||
          (i == 0 && mlir::isa<mlir::arith::SelectOp>(op)))
        continue;
      unite(operand, op->getResult(0));
    }
  }

  bool ofWholeTiles;
  llvm::EquivalenceClasses<void *> classes;
};

/// Converts an access's operands to the layout, and its results back from it.
void useLayout(Operation *op, Attribute layout) {
  OpBuilder builder(op);
  mlir::Location loc = op->getLoc();
  for (mlir::OpOperand &operand : op->getOpOperands())
    if (Attribute old = getLayout(operand.get()); old && old != layout)
      operand.set(ttg::ConvertLayoutOp::create(builder, loc, withLayout(operand.get().getType(), layout),
                                               operand.get()));
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    if (getLayout(result) == layout)
      continue;
    mlir::Type oldType = result.getType();
    setLayout(result, layout);
    auto back = ttg::ConvertLayoutOp::create(builder, loc, oldType, result);
    result.replaceAllUsesExcept(back, back);
  }
}

/// Whether all that becomes of a tile is factors of products, which are in memory on chip, whatever layout
/// they come in.
bool isOnlyFactor(Value tile) {
  return !tile.use_empty() && llvm::all_of(tile.getUses(), [](mlir::OpOperand &use) {
    Operation *user = use.getOwner();
    if (mlir::isa<tt::DotOp>(user))
      return use.getOperandNumber() < 2;
    bool isTile =
        user->hasTrait<mlir::OpTrait::Elementwise>() || mlir::isa<tt::TransOp, ttg::ConvertLayoutOp>(user);
    return isTile && user->getNumResults() == 1 && isOnlyFactor(user->getResult(0));
  });
}

/// Deals the warps of a matrix that is loaded by elements so that a thread has elements of as few rows and
/// columns as can be: each row and each column is part of an address, and may take a division. Which lines a
/// warp's lanes read together stays as it is.
ttg::BlockedEncodingAttr withFewCoordinates(ttg::BlockedEncodingAttr layout, llvm::ArrayRef<int64_t> shape) {
  unsigned numWarps = llvm::product_of(layout.getWarpsPerCTA());
  auto countCoordinates = [&](llvm::ArrayRef<unsigned> warps) {
    int64_t count = 0;
    for (unsigned d : {0, 1}) {
      int64_t covered = int64_t(layout.getThreadsPerWarp()[d]) * warps[d];
      if (covered > shape[d])
        return std::numeric_limits<int64_t>::max(); // threads without an element of their own
      count += shape[d] / covered;
    }
    return count;
  };
  llvm::SmallVector<unsigned> best(layout.getWarpsPerCTA()), size(layout.getSizePerThread());
  for (unsigned rows = 1; rows <= numWarps; rows *= 2)
    if (unsigned warps[] = {rows, numWarps / rows}; countCoordinates(warps) < countCoordinates(best))
      best.assign({rows, numWarps / rows});
  // Along an axis without lanes a thread takes neighbours, which it can store in one go where memory is in
  // that order.
  for (unsigned d : {0, 1})
    if (layout.getThreadsPerWarp()[d] == 1)
      size[d] = std::max<int64_t>(1, shape[d] / best[d]);
  return ttg::BlockedEncodingAttr::get(layout.getContext(), size, layout.getThreadsPerWarp(), best,
                                       layout.getOrder(), llvm::ArrayRef<int32_t>());
}

/// Tiles that the hardware copies lie in memory on chip row by row.
void chooseForTile(tt::DescriptorLoadOp load, unsigned numWarps, unsigned threadsPerWarp) {
  auto type = mlir::cast<RankedTensorType>(load.getType());
  int64_t forEachThread = std::max<int64_t>(1, type.getNumElements() / (numWarps * threadsPerWarp));
  unsigned bits = std::max(8u, tt::getElementBits(type.getElementType())), rank = type.getRank();
  llvm::SmallVector<unsigned, 4> sizePerThread(rank, 1), order;
  for (unsigned d = rank; d--;)
    order.push_back(d);
  sizePerThread[rank - 1] = std::min<int64_t>({forEachThread, maxVectorBits / bits, type.getShape().back()});
  useLayout(load, ttg::BlockedEncodingAttr::get(load.getContext(), type.getShape(), sizePerThread, order,
                                                numWarps, threadsPerWarp));
}

void Coalesce::runOnOperation() {
  mlir::ModuleOp module = getOperation();
  AxisInfoAnalysis axes(module);
  AddressSteps steps(axes);
  int64_t numWarps = ttg::getNumWarps(module), threadsPerWarp = ttg::getThreadsPerWarp(module);

  llvm::SmallVector<Access> accesses;
  module.walk([&](Operation *op) {
    Value pointer = getTensorPointer(op);
    if (!pointer)
      return;
    Access access{op, pointer, mlir::cast<RankedTensorType>(pointer.getType()),
                  getOrder(op, pointer, axes.get(pointer), steps)};
    access.isStore = !mlir::isa<tt::LoadOp>(op);
    if (auto store = mlir::dyn_cast<tt::StoreOp>(op))
      access.data = store.getValue();
    else
      access.data = op->getResult(0);
    // Masks do not count: where one cuts through a vector, the lowering falls back to parts of it.
    unsigned fastest = access.order[0];
    access.vector =
        std::min<int64_t>({axes.getContiguousElements(pointer, fastest), access.type.getDimSize(fastest),
                           std::max(1u, maxVectorBits / getPointeeBits(access.type))});
    if (!access.isStore && access.vector == 1)
      access.vector =
          std::min(countSharers(steps.get(pointer, fastest), axes.get(pointer).constancy[fastest]),
                   access.type.getDimSize(fastest));
    accesses.push_back(std::move(access));
  });

  DataFlow flow(module, /*ofWholeTiles=*/false), flowOfTiles(module, /*ofWholeTiles=*/true);
  auto hasNeighbours = [&](const Access &access) {
    AxisInfo info = axes.get(access.pointer);
    return llvm::any_of(info.contiguity, [](int64_t run) { return run != 1; });
  };
  // What is looked up meets its indices, which had better not travel to it, be it as addresses.
  for (Access &access : accesses)
    if (auto load = mlir::dyn_cast<tt::LoadOp>(access.op);
        load && !hasNeighbours(access) && !isOnlyReduced(access.data))
      for (tt::LoadOp indices : findIndices(load)) {
        access.order =
            llvm::find_if(accesses, [&](const Access &other) { return other.op == indices; })->order;
        flow.unite(indices.getResult(), access.data);
        flowOfTiles.unite(indices.getResult(), access.data);
      }
  llvm::SmallVector<Attribute> layouts;
  for (const Access &access : accesses) {
    int64_t forEachThread = std::max<int64_t>(1, access.type.getNumElements() / (numWarps * threadsPerWarp));
    auto getVectorWith = [&](const DataFlow &flow) {
      int64_t vector = access.vector, limit = std::numeric_limits<int64_t>::max();
      for (const Access &other : accesses) {
        if (other.type.getShape() != access.type.getShape() || other.order != access.order ||
            !flow.connected(other.data, access.data))
          continue;
        vector = std::max(vector, other.vector);
        if (other.isStore)
          limit = std::min<int64_t>(limit, std::max(1u, maxVectorBits / getPointeeBits(other.type)));
      }
      return std::min({vector, limit, forEachThread});
    };
    int64_t vector = getVectorWith(flow);
    bool isSomewhere = !steps.areAnywhere(access.pointer, access.order[0]);
    if (access.isStore && isSomewhere && access.vector * manyWrites <= vector)
      vector = access.vector;
    llvm::SmallVector<unsigned, 4> sizePerThread(access.type.getRank(), 1);
    sizePerThread[access.order[0]] = vector;
    auto layout = ttg::BlockedEncodingAttr::get(&getContext(), access.type.getShape(), sizePerThread,
                                                access.order, numWarps, threadsPerWarp);
    if (!access.isStore && isSomewhere && access.type.getRank() > 1 && access.vector * manyLoads <= vector) {
      sizePerThread[access.order[0]] = getVectorWith(flowOfTiles);
      layout =
          ttg::BlockedEncodingAttr::get(&getContext(), sizePerThread, layout.getThreadsPerWarp(),
                                        layout.getWarpsPerCTA(), access.order, llvm::ArrayRef<int32_t>());
    }
    if (!access.isStore && access.type.getRank() == 2 && vector == 1 && isOnlyFactor(access.data))
      layout = withFewCoordinates(layout, access.type.getShape());
    layouts.push_back(layout);
  }

  // Elements, or whole runs of them, such as the eight numbers of a code.
  auto isLookedUp = [&](const Access &access) {
    AxisInfo info = axes.get(access.pointer);
    bool isAnywhere = false;
    for (unsigned d : access.order) {
      int64_t size = access.type.getDimSize(d);
      if (size == 1 || (info.contiguity[d] >= size && size <= access.vector))
        continue;
      if (info.contiguity[d] != 1 || !steps.areAnywhere(access.pointer, d))
        return false;
      isAnywhere = true;
    }
    return isAnywhere;
  };
  llvm::DenseMap<Operation *, Attribute> layoutOf;
  for (auto &&[i, layout] : llvm::enumerate(layouts)) {
    const Access &access = accesses[i];
    if (auto load = mlir::dyn_cast<tt::LoadOp>(access.op);
        load && isLookedUp(access) && isOnlyReduced(access.data))
      if (Attribute ofIndices = inferAddressLayout(load, layoutOf))
        layout = ofIndices;
    layoutOf[access.op] = layout;
  }

  for (auto [access, layout] : llvm::zip(accesses, layouts))
    useLayout(access.op, layout);
  module.walk([&](tt::DescriptorLoadOp load) { chooseForTile(load, numWarps, threadsPerWarp); });
}

} // namespace

std::unique_ptr<mlir::Pass> createCoalescePass() { return std::make_unique<Coalesce>(); }

} // namespace nereid
