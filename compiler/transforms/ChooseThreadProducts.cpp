// Chooses how threads multiply f32 in full precision, which no matrix unit does: who computes what, and how
// the factors lie in memory on chip.
//
// A thread that computes a tile of m rows and n columns reads m + n numbers for each m n multiply-adds, so
// tiles are as square as can be. Numbers are read as vectors of 16 bytes: four steps along the reduced axis
// where that is contiguous in memory, four neighbours along the axis that stays where that one is. A factor
// therefore stays as it was loaded, and loads can be copied to memory on chip behind the threads' backs
// (PipelineLoads), as those for warp groups are:
//
//     %a = tt.load …                                %a = tt.load …
//     %b = tt.load …                        →       %x = ttg.local_alloc %a,  %y = ttg.local_alloc %b
//     tt.dot %a, %b, %c                             ttg.local_dot %x, %y, %c
//
// A warp's lanes are 4 rows and 8 columns of such tiles, say. For a factor [M, K] with K contiguous, its four
// rows are neighbours, whose vectors lie in different banks because rows are permuted by their number; for
// [K, N] with N contiguous, sixteen lanes read eight neighbouring vectors, two and two the same:
//
//     left                                right
//     row 0   k0..3  k4..7  …             k = 0   n0..3      n4..7      …  n28..31
//     row 1   k4..7  k0..3  …                     lanes 0, 1 lanes 2, 3    lanes 14, 15
//
// What was computed may lie either way: for small tiles along the reduced axis, although its elements are
// then stored one by one. Whatever a loop does not change is put into memory before it. A product whose
// factors are too large for memory on chip remains a tt.dot, which brings them there in parts.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/transforms/FactorSource.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/OutermostLoop.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ScratchMemory.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/PassRegistry.h"

namespace nereid {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct ChooseThreadProducts : mlir::PassWrapper<ChooseThreadProducts, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ChooseThreadProducts)

  ChooseThreadProducts() = default;
  ChooseThreadProducts(const ChooseThreadProducts &other) : PassWrapper(other) {}
  explicit ChooseThreadProducts(const Target &aTarget) { target = aTarget.str(); }

  llvm::StringRef getArgument() const final { return "nereid-ttg-choose-thread-products"; }
  llvm::StringRef getDescription() const final {
    return "Give threads their parts of products that no matrix unit does";
  }
  void runOnOperation() final;

private:
  Option<std::string> target{*this, "target", llvm::cl::desc("Target, such as cuda:90"),
                             llvm::cl::init("cuda:90")};
};

constexpr unsigned vectorBytes = 16, bankBytes = 128, elementBytes = 4, vectorElements = 4;

/// Powers of two along one axis of the result.
struct Split {
  unsigned ofThread, lanes, warps;
};

/// All ways to give each of so many lanes and warps an equal part of an axis.
llvm::SmallVector<Split> listSplits(unsigned size, unsigned mostLanes, unsigned mostWarps) {
  llvm::SmallVector<Split> splits;
  for (unsigned lanes = 1; lanes <= mostLanes; lanes *= 2)
    for (unsigned warps = 1; warps <= mostWarps; warps *= 2)
      if (size >= lanes * warps)
        splits.push_back({size / (lanes * warps), lanes, warps});
  return splits;
}

/// What it costs a warp to read its part of a factor for four steps along the reduced axis, in quarters of a
/// cycle: one for each access, as four warps issue at a time, and four for each pass over the banks.
unsigned getReadCost(const Split &split, unsigned numLanes, bool isContiguousAlongDepth) {
  unsigned width = isContiguousAlongDepth ? vectorElements : std::min(split.ofThread, vectorElements);
  unsigned accesses = isContiguousAlongDepth ? split.ofThread : split.ofThread / width * vectorElements;
  // Half as many where each lane shares its vector with a neighbour (see getResultLayout).
  unsigned passes = split.lanes == numLanes ? width : std::max(1u, width / 2);
  return accesses * (1 + 4 * passes);
}

/// What it costs a thread to store its part of a factor that was computed with neighbours along the other
/// axis, or not.
unsigned getStoreCost(Value value, bool isTurned, unsigned threads) {
  constexpr unsigned costOfStore = 5;
  unsigned elements =
      std::max<unsigned>(1, mlir::cast<RankedTensorType>(value.getType()).getNumElements() / threads);
  return costOfStore * (isTurned ? elements : llvm::divideCeil(elements, vectorElements));
}

struct Plan {
  FactorSource left, right;
  Split rows, columns;
  unsigned depth;
};

/// Neighbouring columns of a thread make its stores vectors. Rows of a left factor that is contiguous along
/// the other axis are read one by one, from lanes that are neighbours; so are columns that are shorter than
/// all banks are wide, of which too few vectors could change places.
unsigned getNeighbours(const Plan &plan, bool isLeft) {
  bool isAlongDepth = isLeft ? plan.left.contiguousAxis == 1 : plan.right.contiguousAxis == 0;
  if (isAlongDepth && (isLeft || plan.depth * elementBytes < bankBytes))
    return 1;
  return std::min((isLeft ? plan.rows : plan.columns).ofThread, vectorElements);
}

/// Of each value that is a factor, the axis along which it lies in memory.
using ContiguousAxes = llvm::DenseMap<Value, unsigned>;

/// Of the factor's axes, those that may be contiguous in memory.
llvm::SmallVector<unsigned, 2> listAxes(const FactorSource &source, const ContiguousAxes &axes) {
  if (auto known = axes.find(source.value); known != axes.end())
    return {source.isTransposed ? 1 - known->second : known->second};
  // Loads are copied as they are.
  if (source.value.getDefiningOp<tt::LoadOp>())
    return {source.contiguousAxis};
  return {source.contiguousAxis, 1 - source.contiguousAxis};
}

/// Settles the axes of factors that had none.
std::optional<Plan> planProduct(tt::DotOp dot, unsigned numWarps, unsigned numLanes, ContiguousAxes &axes) {
  RankedTensorType type = dot.getType();
  auto isFloat = [](Value value) {
    return mlir::cast<RankedTensorType>(value.getType()).getElementType().isF32();
  };
  if (type.getRank() != 2 || isMatrixUnitProduct(dot) || !isFloat(dot.getA()) || !isFloat(dot.getB()) ||
      !isFloat(dot.getC()) || dot.getA().getType().getDimSize(1) < vectorElements)
    return std::nullopt;
  constexpr unsigned mostElements = 512; // of a thread; more are left to loops over its memory
  unsigned rows = type.getDimSize(0), columns = type.getDimSize(1), threads = numWarps * numLanes;
  if (rows * columns < threads || rows * columns / threads > mostElements)
    return std::nullopt;
  const FactorSource left = findFactorSource(dot.getA()), right = findFactorSource(dot.getB());
  unsigned depth = dot.getA().getType().getDimSize(1);
  Plan plan{left, right, {}, {}, depth};
  std::optional<std::pair<unsigned, unsigned>> least;
  for (unsigned leftAxis : listAxes(left, axes))
    for (unsigned rightAxis : listAxes(right, axes)) {
      unsigned stores = getStoreCost(left.value, leftAxis != left.contiguousAxis, threads) +
                        getStoreCost(right.value, rightAxis != right.contiguousAxis, threads);
      for (const Split &down : listSplits(rows, numLanes, numWarps))
        for (const Split &across : listSplits(columns, numLanes, numWarps)) {
          if (down.lanes * across.lanes != numLanes || down.warps * across.warps != numWarps)
            continue;
          unsigned reads =
              getReadCost(down, numLanes, leftAxis == 1) + getReadCost(across, numLanes, rightAxis == 0);
          // Of equal ones that whose warps read the least, then the one with the longest rows of lanes.
          unsigned ofWarp = down.ofThread * down.lanes + across.ofThread * across.lanes;
          std::pair rank(reads * depth / vectorElements + stores, ofWarp * 64 + down.lanes);
          if (!least || rank < *least) {
            least = rank;
            plan.left.contiguousAxis = leftAxis;
            plan.right.contiguousAxis = rightAxis;
            plan.rows = down;
            plan.columns = across;
          }
        }
    }
  if (!least)
    return std::nullopt;
  for (const FactorSource &source : {plan.left, plan.right})
    axes.try_emplace(source.value, source.isTransposed ? 1 - source.contiguousAxis : source.contiguousAxis);
  return plan;
}

/// Memory on chip serves 16 lanes in one pass where lanes that are neighbours, or next but one, read the same
/// vector, and eight otherwise. So the lowest bit of a lane's number is that of its row, and the next ones
/// are those of its column.
mlir::Attribute getResultLayout(RankedTensorType type, const Plan &plan) {
  unsigned sizes[] = {getNeighbours(plan, /*isLeft=*/true), getNeighbours(plan, /*isLeft=*/false)};
  unsigned lanes[] = {plan.rows.lanes, plan.columns.lanes}, warps[] = {plan.rows.warps, plan.columns.warps},
           order[] = {1, 0};
  auto blocked =
      ttg::BlockedEncodingAttr::get(type.getContext(), sizes, lanes, warps, order, llvm::ArrayRef<int32_t>());
  if (plan.rows.lanes == 1 || plan.columns.lanes <= 2)
    return blocked;
  auto linear = mlir::cast<ttg::LinearEncodingAttr>(
      ttg::toLinearEncoding(type.getContext(), ttg::toLinearLayout(type.getShape(), blocked)));
  llvm::SmallVector<int32_t> bases(linear.getLaneBases());
  auto firstOfRows = bases.begin() + 2 * llvm::Log2_32(plan.columns.lanes);
  std::rotate(bases.begin(), firstOfRows, firstOfRows + 2);
  return ttg::LinearEncodingAttr::get(type.getContext(), 2, linear.getRegisterBases(), bases,
                                      linear.getWarpBases(), linear.getBlockBases());
}

/// How a factor's source lies in memory: permuted where lanes read different rows, so that they meet
/// different banks.
ttg::SwizzledSharedEncodingAttr getMemoryLayout(const Plan &plan, bool isLeft) {
  const FactorSource &source = isLeft ? plan.left : plan.right;
  auto type = mlir::cast<RankedTensorType>(source.value.getType());
  unsigned contiguous = source.isTransposed ? 1 - source.contiguousAxis : source.contiguousAxis;
  bool isAlongDepth = source.contiguousAxis == (isLeft ? 1 : 0);
  unsigned rowBytes = type.getDimSize(contiguous) * elementBytes, order[] = {contiguous, 1 - contiguous};
  unsigned vector = 1, perPhase = 1, maxPhase = 1;
  if (isAlongDepth) {
    vector = vectorElements;
    // A lane's neighbour reads the row that many further. No more phases than lanes need: each is another
    // address.
    unsigned neighbours = getNeighbours(plan, isLeft), lanes = (isLeft ? plan.rows : plan.columns).lanes;
    perPhase = std::max(neighbours, bankBytes / std::min(bankBytes, rowBytes));
    maxPhase = std::min(std::min(bankBytes, rowBytes) / vectorBytes, lanes * neighbours / perPhase);
  }
  return ttg::SwizzledSharedEncodingAttr::get(type.getContext(), vector, perPhase, std::max(1u, maxPhase),
                                              order, llvm::ArrayRef<int32_t>());
}

ttg::MemDescType getMemoryType(llvm::ArrayRef<int64_t> shape, ttg::SwizzledSharedEncodingAttr layout) {
  mlir::MLIRContext *context = layout.getContext();
  return ttg::MemDescType::get(shape, mlir::Float32Type::get(context), layout,
                               ttg::SharedMemorySpaceAttr::get(context));
}

/// The factors of one function in memory on chip.
class Factors {
public:
  explicit Factors(unsigned memoryLimit) : memoryLimit(memoryLimit) {}

  /// Settles for one layout of each source, so that products may share it.
  void addLayouts(const Plan &plan);
  /// `now` has taken the place of `before`.
  void replace(Value before, Value now);
  /// Whether there is room for both factors of a product beside what is there all the time.
  bool haveRoomFor(const Plan &plan) const;
  /// The memory that holds the factor for `dot`.
  Value put(tt::DotOp dot, const FactorSource &source);

private:
  static unsigned getBytes(Value value) {
    return mlir::cast<RankedTensorType>(value.getType()).getNumElements() * elementBytes;
  }

  unsigned memoryLimit, bytesAroundLoops = 0;
  llvm::DenseMap<Value, ttg::SwizzledSharedEncodingAttr> layouts;
  /// What was put into memory in a block.
  llvm::DenseMap<std::pair<Value, mlir::Block *>, Value> memory;
};

void Factors::addLayouts(const Plan &plan) {
  for (bool isLeft : {true, false}) {
    Value value = (isLeft ? plan.left : plan.right).value;
    ttg::SwizzledSharedEncodingAttr wanted = getMemoryLayout(plan, isLeft), &known = layouts[value];
    // The one with the most phases serves all.
    if (!known || known.getMaxPhase() < wanted.getMaxPhase())
      known = wanted;
  }
}

void Factors::replace(Value before, Value now) {
  if (ttg::SwizzledSharedEncodingAttr layout = layouts.lookup(before))
    layouts[now] = layout;
}

bool Factors::haveRoomFor(const Plan &plan) const {
  return bytesAroundLoops + getBytes(plan.left.value) + getBytes(plan.right.value) <= memoryLimit / 2;
}

Value Factors::put(tt::DotOp dot, const FactorSource &source) {
  Operation *before = dot;
  if (Operation *loop = findOutermostLoop(dot, source.value))
    if (bytesAroundLoops + getBytes(source.value) <= memoryLimit / 4)
      before = loop;
  ttg::SwizzledSharedEncodingAttr layout = layouts.lookup(source.value);
  auto type = mlir::cast<RankedTensorType>(source.value.getType());
  Value &stored = memory[{source.value, before->getBlock()}];
  if (!stored || !stored.getDefiningOp()->isBeforeInBlock(before)) {
    OpBuilder builder(before);
    stored = ttg::LocalAllocOp::create(builder, dot.getLoc(), getMemoryType(type.getShape(), layout),
                                       source.value, builder.getI32IntegerAttr(vectorBytes));
    if (before != dot)
      bytesAroundLoops += getBytes(source.value);
  }
  if (!source.isTransposed)
    return stored;
  unsigned order[] = {layout.getOrder()[1], layout.getOrder()[0]};
  auto turned = ttg::SwizzledSharedEncodingAttr::get(dot.getContext(), layout.getVec(), layout.getPerPhase(),
                                                     layout.getMaxPhase(), order, llvm::ArrayRef<int32_t>());
  int64_t shape[] = {type.getDimSize(1), type.getDimSize(0)};
  OpBuilder builder(dot);
  return ttg::MemDescTransOp::create(builder, dot.getLoc(), getMemoryType(shape, turned), stored,
                                     builder.getDenseI32ArrayAttr({1, 0}));
}

void useThreads(tt::DotOp dot, Plan plan, Factors &factors) {
  // Of what was found before, products have been replaced.
  plan.left.value = findFactorSource(dot.getA()).value;
  plan.right.value = findFactorSource(dot.getB()).value;
  if (!factors.haveRoomFor(plan))
    return;
  Value left = factors.put(dot, plan.left), right = factors.put(dot, plan.right);
  OpBuilder builder(dot);
  mlir::Location location = dot.getLoc();
  mlir::Attribute layout = getResultLayout(dot.getType(), plan);
  Value sum =
      ttg::ConvertLayoutOp::create(builder, location, withLayout(dot.getC().getType(), layout), dot.getC());
  Value product = ttg::LocalDotOp::create(builder, location, sum.getType(), left, right, sum);
  factors.replace(dot, product);
  dot.replaceAllUsesWith(
      ttg::ConvertLayoutOp::create(builder, location, mlir::Type(dot.getType()), product).getResult());
  dot.erase();
}

void ChooseThreadProducts::runOnOperation() {
  llvm::Expected<Target> parsed = Target::parse(target);
  if (!parsed) {
    getOperation().emitError(llvm::toString(parsed.takeError()));
    return signalPassFailure();
  }
  if (parsed->backend != Backend::CUDA)
    return;
  unsigned numWarps = ttg::getNumWarps(getOperation()), numLanes = ttg::getThreadsPerWarp(getOperation());
  for (auto function : getOperation().getOps<tt::FuncOp>()) {
    Factors factors(getSharedMemoryLimit(*parsed));
    llvm::SmallVector<std::pair<tt::DotOp, Plan>> products;
    ContiguousAxes axes;
    function.walk([&](tt::DotOp dot) {
      if (std::optional<Plan> plan = planProduct(dot, numWarps, numLanes, axes)) {
        products.push_back({dot, *plan});
        factors.addLayouts(*plan);
      }
    });
    for (auto &[dot, plan] : products)
      useThreads(dot, plan, factors);
  }
}

} // namespace

std::unique_ptr<mlir::Pass> createChooseThreadProductsPass() {
  return std::make_unique<ChooseThreadProducts>();
}

std::unique_ptr<mlir::Pass> createChooseThreadProductsPass(const Target &target) {
  return std::make_unique<ChooseThreadProducts>(target);
}

} // namespace nereid
