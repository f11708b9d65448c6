// Gives conversions that go through shared memory a buffer with a layout of its own, where that takes fewer
// instructions:
//
//     %r = ttg.convert_layout %x        →        %m = ttg.local_alloc %x
//                                                %r = ttg.local_load %m
//
// A conversion reads vectors as wide as those that it writes: it knows one width, of what neighbours both
// sides have. A buffer's two sides each use what they have. Products' sums in f16 are written two at a time,
// as the accumulator has them, and read as rows of eight; what was loaded as rows of eight is written so, and
// read as fragments of a product, with ldmatrix, which none of the conversion's own ways has:
//
//                                 rows of 8 f16 to fragments of a product, 64x64, 4 warps
//     conversion                  16 writes, 16 reads of 4 bytes, an address each
//     buffer                       4 writes of 16 bytes, 4 ldmatrix
//
// What is transposed, rows of 8 f16 to columns of 8, has no neighbours in common, but a buffer of its own, in
// which ldmatrix exchanges both (planMatrixMemory).
//
// So do large exchanges between the lanes of a warp, which take a shuffle for each element and choices before
// and behind it.
//
// Which of some swizzled layouts a buffer gets is found by counting: the instructions, and for each the waves
// in which banks deliver its words. If several values come of one source, or if a product has the source in
// memory already, one buffer serves them all.
//
// In loops that need about all registers there are, threads that need a source again behind a product read it
// back out of such a buffer, in place of keeping it.
//
// A factor that takes more registers as fragments than before is read when the product's other factor is
// stored as well, behind one barrier for both.
//
// So is, where a product's sums and factors are more than a thread has, a factor that is in memory already.
//
// A factor that was computed is written before one that goes to memory as it was loaded, whose write waits
// for the load.
//
// Where a product's sums and factors alone are more than a thread has, what is converted before it waits in
// its buffer: it is written before the other conversions, and read where it is needed.
//
//     convert_layout %a                        %m = local_alloc %x
//     convert_layout %b                        convert_layout %a
//     %m = local_alloc %x              →       convert_layout %b
//     %y = local_load %m                       convert_layout %column
//     convert_layout %column                   %y = local_load %m
//     tt.dot %a, %b, %y * %column              tt.dot %a, %b, %y * %column
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/dialects/ttg/SharedLayouts.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/model/Occupancy.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/LoopMemory.h"
#include "compiler/transforms/LoopRegisters.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ScratchMemory.h"
#include "compiler/transforms/SharedAccessCost.h"

#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct ConvertThroughBuffers : mlir::PassWrapper<ConvertThroughBuffers, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertThroughBuffers)

  ConvertThroughBuffers() = default;
  ConvertThroughBuffers(const ConvertThroughBuffers &other) : PassWrapper(other) {}
  explicit ConvertThroughBuffers(const Target &aTarget) { target = aTarget.str(); }

  llvm::StringRef getArgument() const final { return "nereid-ttg-convert-through-buffers"; }
  llvm::StringRef getDescription() const final { return "Give conversions buffers of their own"; }
  void runOnOperation() final;

private:
  Option<std::string> target{*this, "target", llvm::cl::desc("Target, such as cuda:90"),
                             llvm::cl::init("cuda:90")};
};

constexpr unsigned bankBytes = 4, vectorBytes = 16;

class Conversions {
public:
  Conversions(tt::FuncOp function, const Target &target)
      : function(function), target(target),
        // Less than there is, as gaps are not counted.
        memoryLimit(getSharedMemoryLimit(target) / 8 * 7) {}
  void run();

private:
  bool isCandidate(ttg::ConvertLayoutOp convert);
  /// Lets what needs the buffer's source behind a product read the buffer, where registers are short.
  void readAgain(ttg::LocalAllocOp alloc);
  /// Lets what was converted before a product wait in its buffer, where registers are short.
  void waitInMemory(ttg::LocalLoadOp load);
  void readAtProduct(ttg::LocalLoadOp load);
  void readFactorsBehindBarrier(tt::DotOp product);
  /// Unless there is no memory for all buffers that are there at once then.
  void readBefore(ttg::LocalLoadOp load, Operation *place);
  unsigned countBlocks();
  /// A buffer that holds the source already, from which the result can be read for less than `cost`.
  Value findFilled(ttg::ConvertLayoutOp convert, unsigned cost);

  tt::FuncOp function;
  const Target &target;
  unsigned memoryLimit;
};

bool Conversions::isCandidate(ttg::ConvertLayoutOp convert) {
  RankedTensorType type = convert.getType();
  return type.getRank() >= 2 && type.getElementType().isIntOrFloat() &&
         llvm::is_contained({8u, 16u, 32u}, tt::getElementBits(type.getElementType())) &&
         !isForScalarProducts(convert) && !getConversionPart(convert) &&
         getConversionKind(ttg::toLinearLayout(convert.getSrc().getType()), ttg::toLinearLayout(type)) >=
             ConversionPlan::Kind::Lanes;
}

/// Elements of less than 32 bits lie in registers by twos and fours, neighbours together. A conversion's
/// vectors may want others together, or single ones: an instruction for each register. So do vectors of
/// registers that do not follow one another as those of a load or a fragment do. (Of 32 bits, wider vectors
/// are worth the moves.)
unsigned getPackingCost(llvm::ArrayRef<SharedAccess> accesses, unsigned elementBytes) {
  unsigned together = std::max(1u, bankBytes / elementBytes), cost = 0;
  for (const SharedAccess &access : accesses) {
    bool isRun = access.registers.front() % access.registers.size() == 0;
    for (unsigned i = 1; i < access.registers.size() && isRun; ++i)
      isRun = access.registers[i] == access.registers.front() + i;
    for (unsigned first = 0; first < access.registers.size(); first += together) {
      bool isNatural = access.registers.size() >= together && access.registers[first] % together == 0;
      for (unsigned i = 1; i < together && isNatural; ++i)
        isNatural = access.registers[first + i] == access.registers[first] + i;
      cost += !isNatural || (together > 1 && !isRun && access.registers.size() > together);
    }
  }
  return cost;
}

/// A matrix instruction takes its factors from neighbouring registers, in an order of its own. What a vector
/// brings in another order is moved, for half of what a wave of memory costs. (jvp-flash-attention's
/// _attn_fwd has 3264 instructions with vectors of f32, and 2960 with ldmatrix.)
unsigned getOrderingCost(llvm::ArrayRef<SharedAccess> reads) {
  unsigned moved = 0;
  for (const SharedAccess &access : reads)
    for (unsigned i = 1; i < access.registers.size(); ++i)
      if (access.registers[i] != access.registers.front() + i) {
        moved += access.registers.size();
        break;
      }
  return moved / 2;
}

/// What a conversion costs as it is. That of lanes has no barriers, which a buffer would have.
unsigned getCost(const ConversionPlan &plan, unsigned elementBytes, unsigned numWarps, bool isFactor) {
  constexpr unsigned barriers = 60;
  if (plan.kind != ConversionPlan::Kind::Lanes)
    return getAccessCost(plan.shared.writeOffsets, plan.shared.writeElements, elementBytes) +
           getAccessCost(plan.shared.readOffsets, plan.shared.readElements, elementBytes) +
           getPackingCost(plan.shared.writes, elementBytes) +
           getPackingCost(plan.shared.reads, elementBytes) +
           (isFactor && elementBytes == bankBytes ? getOrderingCost(plan.shared.reads) : 0);
  unsigned cost = plan.lanes.getCost(8 * elementBytes);
  return numWarps == 1 ? cost : cost - std::min(cost, barriers);
}

Value Conversions::findFilled(ttg::ConvertLayoutOp convert, unsigned cost) {
  RankedTensorType type = convert.getType();
  unsigned elementBytes = getSharedElementBytes(tt::getElementBits(type.getElementType()));
  Value best;
  for (Operation *user : convert.getSrc().getUsers()) {
    auto alloc = mlir::dyn_cast<ttg::LocalAllocOp>(user);
    if (!alloc || alloc->getBlock() != convert->getBlock() || !alloc->isBeforeInBlock(convert) ||
        alloc.getType().getMutableMemory() || !ttg::hasSharedLayout(alloc.getType().getEncoding()))
      continue;
    unsigned read = getReadCost(getSharedOffsets(type, alloc.getType()), elementBytes);
    if (read >= cost)
      continue;
    cost = read;
    best = alloc.getResult();
  }
  return best;
}

static bool isProduct(Operation *op) { return mlir::isa<tt::DotOp, ttng::WarpGroupDotOp>(op); }

void Conversions::readAgain(ttg::LocalAllocOp alloc) {
  constexpr unsigned manyRegisters = 16;
  auto loop = mlir::dyn_cast<mlir::LoopLikeOpInterface>(alloc->getParentOp());
  auto type =
      alloc.getSrc() ? mlir::dyn_cast<RankedTensorType>(alloc.getSrc().getType()) : RankedTensorType();
  if (!loop || !type || type.getRank() != 2 || alloc.getType().getMutableMemory() ||
      !ttg::hasSharedLayout(alloc.getType().getEncoding()) || loop.isDefinedOutsideOfLoop(alloc.getSrc()) ||
      getRegisters(type, ttg::getNumWarps(alloc) * 32) < manyRegisters)
    return;
  Operation *product = alloc->getNextNode();
  while (product && !isProduct(product))
    product = product->getNextNode();
  if (!product)
    return;
  // All that is left of its uses has to be behind the product, or it is kept all the same.
  llvm::SmallVector<mlir::OpOperand *> uses;
  Operation *first = nullptr;
  for (mlir::OpOperand &use : alloc.getSrc().getUses()) {
    Operation *user = alloc->getBlock()->findAncestorOpInBlock(*use.getOwner());
    if (user == alloc || (user && mlir::isa<ttg::LocalAllocOp>(user) && user->isBeforeInBlock(product)))
      continue;
    if (!user || user->isBeforeInBlock(product) || mlir::isa<mlir::scf::YieldOp>(user))
      return;
    uses.push_back(&use);
    if (!first || user->isBeforeInBlock(first))
      first = user;
  }
  if (!first || estimateRegisters(loop) <= getRegistersForTiles(loop))
    return;
  mlir::OpBuilder builder(first);
  auto load = ttg::LocalLoadOp::create(builder, alloc.getLoc(), type, alloc.getResult(), /*token=*/Value());
  if (estimateSharedMemory(function.getBody().front()) > memoryLimit) {
    load.erase();
    return;
  }
  for (mlir::OpOperand *use : uses)
    use->set(load.getResult());
}

/// 32-bit registers of a thread, copies of the same elements included.
static unsigned countRegisters(Value value) {
  auto type = mlir::dyn_cast<RankedTensorType>(value.getType());
  return type ? llvm::divideCeil(
                    ttg::toLinearLayout(type).getInSize(Dim::Register) * tt::getElementBits(type), 32)
              : 0;
}

/// Whether a thread has no registers for all of the product at once.
static bool isTooLarge(Operation *op) {
  auto product = mlir::dyn_cast<tt::DotOp>(op);
  return product && countRegisters(product.getA()) + countRegisters(product.getB()) +
                            countRegisters(product.getResult()) >
                        getRegisterLimit(op);
}

static bool isExchange(Operation *op) {
  return mlir::isa<ttg::LocalAllocOp>(op) ||
         (mlir::isa<ttg::ConvertLayoutOp>(op) && getScratchBytes(op) != 0);
}

void Conversions::readBefore(ttg::LocalLoadOp load, Operation *place) {
  Operation *next = load->getNextNode();
  load->moveBefore(place);
  if (estimateSharedMemory(function.getBody().front()) > memoryLimit)
    load->moveBefore(next);
}

/// Of a multiprocessor; what needs all registers.
unsigned Conversions::countBlocks() {
  return countResidentBlocks({ttg::getNumWarps(function), getRegisterLimit(function),
                              estimateSharedMemory(function.getBody().front())},
                             target);
}

void Conversions::waitInMemory(ttg::LocalLoadOp load) {
  mlir::Block *block = load->getBlock();
  auto alloc = load.getSrc().getDefiningOp<ttg::LocalAllocOp>();
  Operation *product = load->getNextNode();
  while (product && !isProduct(product))
    product = product->getNextNode();
  if (!product || !isTooLarge(product))
    return;
  Operation *first = product;
  for (Operation *user : load->getUsers())
    if (Operation *ancestor = block->findAncestorOpInBlock(*user);
        ancestor && ancestor->isBeforeInBlock(first))
      first = ancestor;
  readBefore(load, first);
  Operation *source = alloc.getSrc().getDefiningOp();
  if (!alloc->hasOneUse() || !source || source->getBlock() != block)
    return;
  Operation *place = source->getNextNode(), *next = alloc->getNextNode();
  while (place != alloc && !isExchange(place))
    place = place->getNextNode();
  if (place == alloc)
    return;
  unsigned blocks = countBlocks();
  alloc->moveBefore(place);
  if (countBlocks() < blocks || estimateSharedMemory(function.getBody().front()) > memoryLimit)
    alloc->moveBefore(next);
}

/// A factor of a product takes more registers as fragments than it did before, where warps share it: it is
/// read when the other one is stored as well.
void Conversions::readAtProduct(ttg::LocalLoadOp load) {
  Operation *first = nullptr;
  for (Operation *user : load->getUsers()) {
    if (!mlir::isa<tt::DotOp>(user) || user->getBlock() != load->getBlock())
      return;
    if (!first || user->isBeforeInBlock(first))
      first = user;
  }
  auto isStoredBetween = [&] {
    for (Operation *op = load->getNextNode(); op != first; op = op->getNextNode())
      if (isExchange(op))
        return true;
    return false;
  };
  if (first &&
      countRegisters(load.getResult()) > countRegisters(load.getSrc().getDefiningOp()->getOperand(0)) &&
      isStoredBetween())
    readBefore(load, first);
}

/// A factor that is in memory already, as in a ring, is read behind the other one, and so behind the barrier
/// that that one waits for: read before, all of it would be in registers there, beside the sums.
void Conversions::readFactorsBehindBarrier(tt::DotOp product) {
  if (!isTooLarge(product))
    return;
  for (Value factor : {product.getA(), product.getB()}) {
    auto load = factor.getDefiningOp<ttg::LocalLoadOp>();
    if (!load || !load->hasOneUse() || load->getBlock() != product->getBlock())
      continue;
    auto mayPass = [](Operation *op) {
      return mlir::isMemoryEffectFree(op) || mlir::isa<ttg::LocalLoadOp, ttg::LocalAllocOp>(op);
    };
    Operation *next = load->getNextNode();
    while (next != product && mayPass(next))
      next = next->getNextNode();
    if (next == product)
      readBefore(load, product);
  }
}

/// Whether products of the same block are all that needs a value.
static bool isFactorOnly(ttg::LocalLoadOp load) {
  return llvm::all_of(load->getUsers(), [&](Operation *user) {
    return isProduct(user) && user->getBlock() == load->getBlock();
  });
}

/// What is written to memory as it was loaded waits for the load, and all that is written behind it waits as
/// well. So a factor that was computed is written before, while loads for others are under way.
static void storeBeforeLoaded(ttg::LocalAllocOp alloc) {
  Operation *source = alloc.getSrc().getDefiningOp(), *place = nullptr;
  if (!source || source->getBlock() != alloc->getBlock())
    return;
  for (Operation *op = alloc->getPrevNode(); op != source; op = op->getPrevNode()) {
    if (auto other = mlir::dyn_cast<ttg::LocalAllocOp>(op)) {
      auto load = other.getSrc() ? other.getSrc().getDefiningOp<tt::LoadOp>() : tt::LoadOp();
      if (!load || load->getBlock() != alloc->getBlock() || load->isBeforeInBlock(source))
        break;
      place = op;
    } else if (op->getNumRegions() || isProduct(op) || isExchange(op) || mlir::isa<ttg::LocalLoadOp>(op)) {
      break;
    }
  }
  if (place)
    alloc->moveBefore(place);
}

void Conversions::run() {
  llvm::SmallVector<ttg::ConvertLayoutOp> candidates;
  function.walk([&](ttg::ConvertLayoutOp convert) {
    if (isCandidate(convert))
      candidates.push_back(convert);
  });
  llvm::SmallVector<ttg::LocalLoadOp> loads;
  for (ttg::ConvertLayoutOp convert : candidates) {
    RankedTensorType source = convert.getSrc().getType(), result = convert.getType();
    unsigned elementBytes = getSharedElementBytes(tt::getElementBits(source.getElementType()));
    ConversionPlan plan = planConversion(convert);
    bool isFactor = mlir::isa<ttg::DotOperandEncodingAttr>(result.getEncoding());
    unsigned least = getCost(plan, elementBytes, ttg::getNumWarps(convert), isFactor);
    ttg::MemDescType chosen;
    bool canStore = hasMatrixStores(convert);
    for (ttg::MemDescType buffer : listTileBuffers(source, result)) {
      unsigned cost = getCostThroughBuffer(source, result, buffer, canStore);
      if (cost >= least)
        continue;
      least = cost;
      chosen = buffer;
    }
    mlir::OpBuilder builder(convert);
    if (Value filled = findFilled(convert, least)) {
      // It is kept longer, for which there must be room.
      auto load = ttg::LocalLoadOp::create(builder, convert.getLoc(), result, filled, /*token=*/Value());
      if (estimateSharedMemory(function.getBody().front()) <= memoryLimit) {
        convert.replaceAllUsesWith(load.getResult());
        convert.erase();
        continue;
      }
      load.erase();
    }
    if (!chosen)
      continue;
    auto buffer = ttg::LocalAllocOp::create(builder, convert.getLoc(), chosen, convert.getSrc(),
                                            builder.getI32IntegerAttr(vectorBytes));
    loads.push_back(ttg::LocalLoadOp::create(builder, convert.getLoc(), result, buffer, /*token=*/Value()));
    convert.replaceAllUsesWith(loads.back().getResult());
    convert.erase();
  }
  llvm::for_each(loads, [&](ttg::LocalLoadOp load) {
    waitInMemory(load);
    readAtProduct(load);
    if (isFactorOnly(load))
      storeBeforeLoaded(load.getSrc().getDefiningOp<ttg::LocalAllocOp>());
  });
  function.walk([&](tt::DotOp product) { readFactorsBehindBarrier(product); });
  llvm::SmallVector<ttg::LocalAllocOp> buffers;
  function.walk([&](ttg::LocalAllocOp alloc) { buffers.push_back(alloc); });
  llvm::for_each(buffers, [&](ttg::LocalAllocOp alloc) { readAgain(alloc); });
}

void ConvertThroughBuffers::runOnOperation() {
  llvm::Expected<Target> parsed = Target::parse(target);
  if (!parsed) {
    getOperation().emitError(llvm::toString(parsed.takeError()));
    return signalPassFailure();
  }
  // ldmatrix is NVIDIA's, from Turing on.
  if (parsed->backend != Backend::CUDA)
    return;
  for (auto function : getOperation().getOps<tt::FuncOp>())
    if (!function.isExternal())
      Conversions(function, *parsed).run();
}

} // namespace

std::unique_ptr<mlir::Pass> createConvertThroughBuffersPass() {
  return std::make_unique<ConvertThroughBuffers>();
}

std::unique_ptr<mlir::Pass> createConvertThroughBuffersPass(const Target &target) {
  return std::make_unique<ConvertThroughBuffers>(target);
}

} // namespace nereid
