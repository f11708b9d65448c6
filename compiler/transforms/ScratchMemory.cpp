// Plans of the operations that need scratch memory, and its size. See ScratchMemory.h.
#include "compiler/transforms/ScratchMemory.h"

#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/ButterflyGather.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/ModuleTarget.h"
#include "compiler/transforms/TensorMaps.h"
#include "compiler/transforms/WarpResults.h"

namespace nereid {

static ExchangeGoal getGoal(ttg::ConvertLayoutOp op) {
  return op->hasAttr(withoutBarrierAttr) ? ExchangeGoal::NoBarrier : ExchangeGoal::FewInstructions;
}

ConversionPlan planConversion(ttg::ConvertLayoutOp op) {
  auto source = mlir::cast<mlir::RankedTensorType>(op.getSrc().getType());
  auto result = mlir::cast<mlir::RankedTensorType>(op.getResult().getType());
  return planConversion(ttg::toLinearLayout(source), ttg::toLinearLayout(result),
                        tt::getElementBits(source.getElementType()), /*traits=*/{}, getGoal(op));
}

ConversionPlan::Kind getConversionKind(ttg::ConvertLayoutOp op) {
  return getConversionKind(ttg::toLinearLayout(op.getSrc().getType()), ttg::toLinearLayout(op.getType()),
                           getGoal(op));
}

std::optional<ReductionPlan> planReduction(tt::ReduceOp op) {
  auto source = mlir::cast<mlir::RankedTensorType>(op.getSrcs().front().getType());
  return planReduction(ttg::toLinearLayout(source), tensorDim(op.getAxis()));
}

std::optional<ScanPlan> planScan(tt::ScanOp op) {
  auto source = mlir::cast<mlir::RankedTensorType>(op.getSrcs().front().getType());
  return planScan(ttg::toLinearLayout(source), tensorDim(op.getAxis()));
}

unsigned getManyRegisters(mlir::Operation *op) {
  // A lane of CDNA has 512 registers. Where a tile takes about all of them LLVM looks for a place for each
  // for minutes: more than 1.5 for a scan and a reduction of 32x32x32 elements in one warp.
  constexpr unsigned many = 512, lanesOfCDNA = 64;
  return ttg::maybeGetThreadsPerWarp(op) == lanesOfCDNA ? many / 2 : many;
}

/// Less than the 64 KiB of the smaller GPUs.
static constexpr unsigned partBytes = 32 * 1024;

unsigned getMemoryLimit(mlir::Operation *op) {
  constexpr unsigned mostOfAll = 227 * 1024;
  std::optional<Target> target = getModuleTarget(op);
  return target ? getSharedMemoryLimit(*target) : mostOfAll;
}

std::optional<unsigned> getGatherPart(tt::GatherOp op) {
  auto source = mlir::cast<mlir::RankedTensorType>(op.getSrc().getType());
  auto result = mlir::cast<mlir::RankedTensorType>(op.getType());
  unsigned elementBytes = getSharedElementBytes(tt::getElementBits(source.getElementType()));
  auto hasMany = [&](mlir::RankedTensorType type) {
    return ttg::toLinearLayout(type).getInSize(Dim::Register) > int64_t(getManyRegisters(op));
  };
  if (!hasMany(source) && !hasMany(result) && source.getNumElements() * elementBytes <= getMemoryLimit(op))
    return std::nullopt;
  return std::min<unsigned>(source.getNumElements(), partBytes / elementBytes);
}

std::optional<unsigned> getConversionPart(ttg::ConvertLayoutOp op) {
  auto source = mlir::cast<mlir::RankedTensorType>(op.getSrc().getType());
  auto result = mlir::cast<mlir::RankedTensorType>(op.getResult().getType());
  LinearLayout from = ttg::toLinearLayout(source), to = ttg::toLinearLayout(result);
  unsigned elementBytes = getSharedElementBytes(tt::getElementBits(source.getElementType()));
  bool hasMany =
      std::max(from.getInSize(Dim::Register), to.getInSize(Dim::Register)) > int64_t(getManyRegisters(op));
  if ((!hasMany && source.getNumElements() * elementBytes <= getMemoryLimit(op)) ||
      getConversionKind(op) != ConversionPlan::Kind::Shared)
    return std::nullopt;
  return std::min<unsigned>(source.getNumElements(), partBytes / elementBytes);
}

/// The sources' partial results one after the other, each aligned for vector accesses; the last entry is the
/// end.
static llvm::SmallVector<unsigned, 2> divideScratch(mlir::ValueRange sources, unsigned elements) {
  llvm::SmallVector<unsigned, 2> offsets = {0};
  for (mlir::Value source : sources) {
    unsigned end = offsets.back() + elements * getSharedElementBytes(tt::getElementBits(source.getType()));
    offsets.push_back(llvm::alignTo(end, 16));
  }
  return offsets;
}

llvm::SmallVector<unsigned, 2> getReductionScratchOffsets(tt::ReduceOp op, const ReductionPlan &plan) {
  unsigned elements = plan.getScratchElements();
  if (elements && planWarpResults(op, plan).isElected)
    elements += plan.result.getOutSize(Dim::Offset);
  return divideScratch(op.getSrcs(), elements);
}

llvm::SmallVector<unsigned, 2> getScanScratchOffsets(tt::ScanOp op, const ScanPlan &plan) {
  return divideScratch(op.getSrcs(), plan.getScratchElements());
}

bool isScalarProductOperand(mlir::Attribute layout) {
  auto operand = mlir::dyn_cast_or_null<ttg::DotOperandEncodingAttr>(layout);
  return operand && mlir::isa<ttg::BlockedEncodingAttr>(operand.getParent());
}

bool isMatrixUnitProduct(tt::DotOp op) {
  return mlir::isa<ttg::NvidiaMmaEncodingAttr>(op.getType().getEncoding());
}

bool isForScalarProducts(ttg::ConvertLayoutOp op) {
  return isScalarProductOperand(op.getType().getEncoding()) &&
         llvm::all_of(op->getUsers(), llvm::IsaPred<tt::DotOp>);
}

mlir::TypedValue<mlir::RankedTensorType> getProductSource(mlir::Value operand) {
  auto convert = operand.getDefiningOp<ttg::ConvertLayoutOp>();
  return mlir::cast<mlir::TypedValue<mlir::RankedTensorType>>(
      convert && isForScalarProducts(convert) ? mlir::Value(convert.getSrc()) : operand);
}

ProductScratch getProductScratch(tt::DotOp op) {
  constexpr unsigned paddingBytes = 16; // keeps vectors aligned and the writers' rows in different banks
  // Leaves room for other things beside in the 64 KiB that the smaller GPUs have.
  constexpr unsigned wantedBytes = 56 * 1024;
  mlir::RankedTensorType type = op.getType();
  unsigned rank = type.getRank();
  uint64_t batches = rank == 3 ? type.getDimSize(0) : 1;
  ProductScratch scratch;
  auto place = [&](mlir::Type element, int64_t size) {
    unsigned bits = tt::getElementBits(element);
    unsigned bytes = getSharedElementBytes(bits == 8 && !element.isInteger() ? 16 : bits);
    ProductScratch::Side side = {scratch.bytes, bytes, unsigned(size) + std::max(1u, paddingBytes / bytes)};
    // Far beyond what any GPU has, which is found out later.
    constexpr uint64_t limit = 1 << 28;
    scratch.bytes += llvm::alignTo(std::min(limit, batches * scratch.depth * side.pitch * bytes), 16);
    return side;
  };
  auto placeAll = [&] {
    scratch.bytes = 0;
    scratch.left = place(op.getA().getType().getElementType(), type.getDimSize(rank - 2));
    scratch.right = place(op.getB().getType().getElementType(), type.getDimSize(rank - 1));
  };
  scratch.depth = op.getA().getType().getDimSize(rank - 1);
  for (placeAll(); scratch.bytes > wantedBytes && scratch.depth > 1; placeAll())
    scratch.depth /= 2;
  return scratch;
}

bool isHandedAround(mlir::Operation *op) {
  auto load = mlir::dyn_cast<tt::LoadOp>(op);
  if (load ? !isOneLook(load) : !mlir::isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op))
    return false;
  if (op->getResult(0).use_empty())
    return false;
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(op->getResult(0).getType());
  if (!tensor)
    return true;
  LinearLayout layout = ttg::toLinearLayout(tensor);
  return layout.getFreeVariableMask(Dim::Lane) || layout.getFreeVariableMask(Dim::Warp);
}

/// For captured values that are not known everywhere, as constants, arguments of kernels and places of
/// buffers are.
static unsigned getCaptureBytes(ttg::WarpSpecializeOp specialize) {
  unsigned bytes = 0;
  for (mlir::Value value : specialize.getPartitions().getCaptures()) {
    mlir::Operation *op = value.getDefiningOp();
    if (mlir::isa_and_nonnull<ttg::LocalAllocOp>(op) || (op && op->hasTrait<mlir::OpTrait::ConstantLike>()) ||
        (!op && mlir::isa<tt::FuncOp>(value.getParentRegion()->getParentOp())))
      continue;
    bytes += mlir::isa<ttg::MemDescType>(value.getType()) ? 2 * captureBytes : captureBytes;
  }
  return bytes;
}

unsigned getScratchBytes(mlir::Operation *op) {
  if (auto convert = mlir::dyn_cast<ttg::ConvertLayoutOp>(op)) {
    if (isForScalarProducts(convert))
      return 0;
    if (getConversionKind(convert) != ConversionPlan::Kind::Shared)
      return 0;
    auto source = mlir::cast<mlir::RankedTensorType>(convert.getSrc().getType());
    unsigned elements = getConversionPart(convert).value_or(source.getNumElements());
    return elements * getSharedElementBytes(tt::getElementBits(source.getElementType()));
  }
  if (auto reduce = mlir::dyn_cast<tt::ReduceOp>(op)) {
    std::optional<ReductionPlan> plan = planReduction(reduce);
    return plan ? getReductionScratchOffsets(reduce, *plan).back() : 0;
  }
  if (auto scan = mlir::dyn_cast<tt::ScanOp>(op)) {
    std::optional<ScanPlan> plan = planScan(scan);
    return plan ? getScanScratchOffsets(scan, *plan).back() : 0;
  }
  if (auto product = mlir::dyn_cast<tt::DotOp>(op))
    return isMatrixUnitProduct(product) ? 0 : getProductScratch(product).bytes;
  if (auto gather = mlir::dyn_cast<tt::GatherOp>(op)) {
    if (!getGatherPart(gather) && getButterfly(gather))
      return 0;
    auto source = mlir::cast<mlir::RankedTensorType>(gather.getSrc().getType());
    return getGatherPart(gather).value_or(source.getNumElements()) *
           getSharedElementBytes(tt::getElementBits(source.getElementType()));
  }
  if (auto exchange = mlir::dyn_cast<ttg::ExchangeBlocksOp>(op)) { // a block's part
    mlir::Type type = exchange.getSrc().getType();
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    return (tensor ? tensor.getNumElements() : 1) * getSharedElementBytes(tt::getElementBits(type));
  }
  if (auto histogram = mlir::dyn_cast<tt::HistogramOp>(op)) // a counter a bin
    return mlir::cast<mlir::RankedTensorType>(histogram.getResult().getType()).getNumElements() *
           sizeof(int32_t);
  if (mlir::isa<ttng::TensormapCreateOp>(op)) // where it is put together
    return tensorMapBytes;
  if (auto call = mlir::dyn_cast<tt::CallOp>(op)) {
    auto callee = mlir::SymbolTable::lookupNearestSymbolFrom<tt::FuncOp>(call, call.getCalleeAttr());
    auto bytes = callee ? callee->getAttrOfType<mlir::IntegerAttr>(ttg::sharedName) : mlir::IntegerAttr();
    return bytes ? bytes.getInt() : 0;
  }
  if (auto specialize = mlir::dyn_cast<ttg::WarpSpecializeOp>(op))
    return getCaptureBytes(specialize);
  if (isHandedAround(op)) {
    mlir::Type type = op->getResult(0).getType();
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    return (tensor ? tensor.getNumElements() : 1) * getSharedElementBytes(tt::getElementBits(type));
  }
  return 0;
}

bool meetsForMemory(mlir::Operation *op) {
  return getScratchBytes(op) ||
         mlir::isa<ttg::LocalLoadOp, ttg::LocalGatherOp, ttg::LocalAllocOp, ttg::LocalStoreOp>(op);
}

unsigned getBufferBytes(ttg::MemDescType type) {
  unsigned bytes = getSharedElementBytes(tt::getElementBits(type.getElementType()));
  for (int64_t size : type.getShape())
    bytes *= size;
  return bytes;
}

std::optional<unsigned> getAllocationOffset(mlir::Operation *op) {
  if (auto offset = op->getAttrOfType<mlir::IntegerAttr>(allocationOffsetAttr))
    return offset.getInt();
  return std::nullopt;
}

} // namespace nereid
