// Gives products to the GPU's matrix units, where they do such products.
//
// A matrix instruction multiplies small tiles whose elements lie in registers in the pattern that the
// vendor's manual draws. What that means for the IR is layouts: the product's result gets the instruction's
// accumulator layout, with the block's warps tiling it, its operands get the dot_op layouts that belong to
// it, and conversions lead there and back:
//
//     %d = tt.dot %a, %b, %c : tensor<64x32xf16, #dotOperand0OfBlocked> * … -> tensor<64x64xf32, #blocked>
//
//     %d = tt.dot %a', %b', %c' : tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * …
//            -> tensor<64x64xf32, #mma>
//
// The passes that follow spread these layouts as they do those of memory accesses. Products that no unit does
// (f32 in full precision, integers other than 8 bits, operands less deep than a step) keep the layout in
// which threads multiply element by element. Those of f32 in almost full precision (tf32x3, bf16x3, bf16x6)
// become several, of the factors' parts (ProductParts.h).
//
// On Hopper (90a) a group of four warps multiplies operands that lie in shared memory, where the hardware
// reads them itself (wgmma): ttng.warp_group_dot. An operand goes there as it was loaded, whichever axis is
// contiguous, and a transposition before the product is another view of the same memory. A left operand that
// was computed, as the probabilities in attention are, or that a loop uses again and again, as the queries
// there, stays in registers if they are enough.
//
// Elsewhere, and for what wgmma does not do, the choice is NVIDIA's mma.sync (PTX ISA,
// "Multiply-and-Accumulate Instruction: mma"), which all generations since Turing have. How warps tile the
// result decides how much each reads: a warp of a 64x64 part reads 64 rows of A and 64 columns of B for each
// step along K, and one of a 16x256 part 16 and 256. So parts are as square as can be. Where one product's
// result is another's left operand, as in attention, warps stand below each other instead, so that rows stay
// with the warp that computed them.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/FactorSource.h"
#include "compiler/transforms/LastingFactors.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/LoopRegisters.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ProductParts.h"
#include "compiler/transforms/TensorMaps.h"
#include "compiler/transforms/WarpGroups.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Pass/PassRegistry.h"

namespace nereid {

using mlir::OpBuilder;
using mlir::RankedTensorType;
using mlir::Type;
using mlir::Value;

namespace {

struct ChooseMatrixInstructions
    : mlir::PassWrapper<ChooseMatrixInstructions, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ChooseMatrixInstructions)

  ChooseMatrixInstructions() = default;
  ChooseMatrixInstructions(const ChooseMatrixInstructions &other) : PassWrapper(other) {}
  explicit ChooseMatrixInstructions(const Target &aTarget) { target = aTarget.str(); }

  llvm::StringRef getArgument() const final { return "nereid-ttg-choose-matrix-instructions"; }
  llvm::StringRef getDescription() const final { return "Give products to the GPU's matrix units"; }
  void getDependentDialects(mlir::DialectRegistry &registry) const final {
    registry.insert<ttng::TTNGDialect>();
  }
  void runOnOperation() final;

private:
  Option<std::string> target{*this, "target", llvm::cl::desc("Target, such as cuda:90"),
                             llvm::cl::init("cuda:90")};
};

bool isE4M3OrE5M2(Type type) { return mlir::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(type); }

/// What a product's operands and sum become for the matrix unit; the operands' types are null where no unit
/// does it.
struct UnitTypes {
  Type left = {}, right = {}, sum = {};
  /// Where the operands are split first, the types are those of their parts.
  std::optional<ProductParts> parts = {};

  /// What of each operand is multiplied.
  unsigned getNumParts() const { return parts ? parts->count : 1; }
};

/// `capability`: of the GPU, 80 for 8.0. Warp groups' instructions have sums in f16 also of narrower numbers.
UnitTypes getUnitTypes(tt::DotOp dot, unsigned capability, bool ofWarpGroups = false) {
  Type left = dot.getA().getType().getElementType(), right = dot.getB().getType().getElementType();
  Type result = dot.getType().getElementType();
  mlir::MLIRContext *context = dot.getContext();
  Type f32 = mlir::Float32Type::get(context), f16 = mlir::Float16Type::get(context);
  bool givesF32 = result.isF32() || result.isBF16();
  if (isE4M3OrE5M2(left) && isE4M3OrE5M2(right)) {
    // Both formats are parts of f16.
    if (capability < 89)
      return {f16, f16, f32};
    return {left, right, ofWarpGroups && result.isF16() ? f16 : f32};
  }
  if (left != right)
    return {};
  // Sums in f16, where those are asked for, take half the registers and no conversions. On other GPUs than
  // data centres' they are also twice as fast as those in f32.
  if (left.isF16() && capability >= 75)
    return {left, right, result.isF16() ? f16 : f32};
  if (left.isBF16() && capability >= 80)
    return {left, right, f32};
  if (left.isF32() && givesF32 && dot.getInputPrecision() == tt::InputPrecision::TF32 && capability >= 80)
    return {left, right, f32};
  if (std::optional<ProductParts> parts = getProductParts(dot); parts && givesF32 && capability >= 80)
    return {parts->element, parts->element, f32, parts};
  if (left.isF64() && result.isF64() && capability >= 80)
    return {left, right, result};
  if (left.isInteger(8) && result.isInteger(32) && capability >= 75)
    return {left, right, result};
  return {};
}

/// The elements that one 32-bit register of an operand holds; an f64 takes two registers.
unsigned getElementsPerRegister(Type element) { return std::max(1u, 32 / tt::getElementBits(element)); }

/// Whether the result of one product reaches the left operand of another in the same block of code.
bool feedsAnotherProduct(tt::DotOp dot) {
  mlir::ForwardSliceOptions options;
  options.filter = [&](mlir::Operation *op) { return op->getBlock() == dot->getBlock(); };
  llvm::SetVector<mlir::Operation *> users;
  mlir::getForwardSlice(dot.getOperation(), &users, options);
  return llvm::any_of(users, [&](mlir::Operation *user) {
    return user != dot && mlir::isa<tt::DotOp, ttng::WarpGroupDotOp>(user);
  });
}

/// Whether an operand comes from another product.
bool followsAnotherProduct(tt::DotOp dot) {
  mlir::BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.filter = [&](mlir::Operation *op) { return op->getBlock() == dot->getBlock(); };
  llvm::SetVector<mlir::Operation *> sources;
  for (Value operand : {dot.getA(), dot.getB()})
    (void)mlir::getBackwardSlice(operand, &sources, options);
  return llvm::any_of(sources, llvm::IsaPred<tt::DotOp, ttng::WarpGroupDotOp>);
}

/// Of an operand or the result. Products with more are loops of the threads.
constexpr unsigned mostElementsOfThread = 1024;

/// How many warps stand beside each other along each axis of the result.
llvm::SmallVector<unsigned, 3> tileWarps(tt::DotOp dot, unsigned numWarps) {
  llvm::ArrayRef<int64_t> shape = dot.getType().getShape();
  unsigned rank = shape.size();
  llvm::SmallVector<unsigned, 3> warps(rank, 1);
  unsigned left = numWarps;
  // A batch is independent work.
  if (rank == 3) {
    warps[0] = std::min<int64_t>(left, shape[0]);
    left /= warps[0];
  }
  int64_t rows = shape[rank - 2], columns = shape[rank - 1];
  constexpr int64_t instructionRows = 16, instructionColumns = 8;
  if (rows >= instructionRows * int64_t(left) && (feedsAnotherProduct(dot) || followsAnotherProduct(dot))) {
    warps[rank - 2] = left;
    return warps;
  }
  while (left > 1) {
    bool canSplitRows = rows > instructionRows, canSplitColumns = columns > instructionColumns;
    // Where both are at the end, the warps that are left compute the same.
    bool splitsRows = canSplitRows && (!canSplitColumns || rows >= columns);
    unsigned axis = splitsRows || !canSplitColumns ? rank - 2 : rank - 1;
    warps[axis] *= 2;
    (axis == rank - 2 ? rows : columns) /= 2;
    left /= 2;
  }
  return warps;
}

Value castTo(OpBuilder &builder, mlir::Location location, Value value, Type element) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  RankedTensorType wanted = type.clone(element);
  if (isE4M3OrE5M2(type.getElementType()))
    return tt::FpToFpOp::create(builder, location, wanted, value);
  if (tt::getElementBits(type.getElementType()) < tt::getElementBits(element))
    return mlir::arith::ExtFOp::create(builder, location, wanted, value);
  return mlir::arith::TruncFOp::create(builder, location, wanted, value);
}

Value convertTo(OpBuilder &builder, mlir::Location location, Value value, mlir::Attribute layout) {
  return ttg::ConvertLayoutOp::create(builder, location, withLayout(value.getType(), layout), value);
}

/// An operand, or its parts.
using Operands = llvm::SmallVector<Value, 3>;

/// What of an operand is multiplied, in the layout `layout` if there is one. Parts are made in that layout,
/// so that the operand is moved once.
Operands prepareOperand(OpBuilder &builder, mlir::Location location, Value operand, Type element,
                        const std::optional<ProductParts> &parts, mlir::Attribute layout = {}) {
  Value value = withoutConversion(operand);
  if (!parts)
    value = castTo(builder, location, value, element);
  if (layout)
    value = convertTo(builder, location, value, layout);
  return parts ? splitFactor(builder, location, value, *parts) : Operands{value};
}

/// The product of operands, or of all their parts, plus `sum`; `product` makes one.
Value multiply(OpBuilder &builder, mlir::Location location, const std::optional<ProductParts> &parts,
               const Operands &lefts, const Operands &rights, Value sum,
               llvm::function_ref<Value(Value, Value, Value)> product) {
  if (!parts)
    return product(lefts.front(), rights.front(), sum);
  return addPartProducts(builder, location, *parts, sum, [&](unsigned left, unsigned right, Value total) {
    return product(lefts[left], rights[right], total);
  });
}

/// How exactly operands are read, once they are split.
tt::InputPrecision getPrecision(tt::DotOp dot, const UnitTypes &types) {
  if (!types.parts)
    return dot.getInputPrecision();
  return types.parts->element.isF32() ? tt::InputPrecision::TF32 : tt::InputPrecision::IEEE;
}

//===- Warp groups -------------------------------------------------------===//

/// The registers of operands that the loop's products have there already.
unsigned getFactorRegisters(mlir::LoopLikeOpInterface loop, unsigned numThreads) {
  llvm::DenseSet<Value> factors;
  unsigned registers = 0;
  loop->walk([&](ttng::WarpGroupDotOp product) {
    auto type = mlir::dyn_cast<RankedTensorType>(product.getA().getType());
    if (type && loop.isDefinedOutsideOfLoop(withoutConversion(product.getA())) &&
        factors.insert(product.getA()).second)
      registers += getRegisters(type, numThreads);
  });
  return registers;
}

/// Whether a left operand goes to memory where lastingFactorsInMemoryName says so.
bool isMovable(tt::DotOp dot, Value value) {
  auto loop = dot->getParentOfType<mlir::LoopLikeOpInterface>();
  return !value.hasOneUse() || (loop && loop.isDefinedOutsideOfLoop(value));
}

/// Whether the left operand is better off in registers: what was computed, what is the same in all rounds of
/// a loop and leaves enough of them to the rest, and what would have to be turned for the unit to read it.
/// Memory on chip then has only one operand to deliver.
///
/// Where registers are short, ptxas lets products wait for one another (C7512), and where it lost operands
/// that stay in registers from product to product (LastingFactors.h) they are in memory. Measured on an H200
/// in attention with heads of 128 elements: 534 TFLOP/s with the queries in registers and 462 in memory where
/// both fit (128x128 tiles, 8 warps), 443 and 476 where they do not (128x64, 4 warps).
bool belongsInRegisters(tt::DotOp dot, const FactorSource &source, const UnitTypes &types) {
  Value value = source.value;
  bool isAlongDepth = source.contiguousAxis == 1;
  RankedTensorType type = dot.getA().getType();
  unsigned threads = ttg::getNumWarps(dot) * 32;
  unsigned registers = types.getNumParts() * getRegisters(type.clone(types.left), threads);
  auto loop = dot->getParentOfType<mlir::LoopLikeOpInterface>();
  bool isOld = loop && loop.isDefinedOutsideOfLoop(value);
  auto module = dot->getParentOfType<mlir::ModuleOp>();
  if (module->hasAttr(factorsInMemoryName) ||
      (module->hasAttr(lastingFactorsInMemoryName) && isMovable(dot, value)))
    return false;
  if (isOld &&
      estimateRegisters(loop) + registers + getFactorRegisters(loop, threads) > getRegistersForTiles(loop))
    return false;
  // Parts are computed.
  if (types.parts)
    return registers <= mostFactorRegisters;
  if (!mlir::isa_and_nonnull<tt::LoadOp, tt::DescriptorLoadOp>(value.getDefiningOp()))
    return true;
  // Threads can read words from either axis, the unit only from the one that is summed over.
  bool wouldBeTurned = !isAlongDepth && tt::getElementBits(types.left) == 32;
  return (isOld || wouldBeTurned) && registers <= mostFactorRegisters;
}

/// How warp groups do a product.
struct GroupProduct {
  FactorSource left, right;
  bool leftIsInRegisters = false;
  unsigned leftSwizzle = 0, rightSwizzle = 0;
  llvm::SmallVector<unsigned, 2> warps;
  unsigned columns = 0; // of an instruction
};

/// The longest swizzle that rows of so many bytes can have; 0 where they are too short for any.
unsigned chooseSwizzle(unsigned rowBytes) {
  for (unsigned swizzle : {128u, 64u, 32u})
    if (rowBytes >= swizzle)
      return swizzle;
  return 0;
}

/// Whether an operand in registers is no more than lowerings support, and those in memory no more than there
/// is, along with what else a kernel needs.
bool fits(const GroupProduct &plan, tt::DotOp dot, const UnitTypes &types, unsigned memoryLimit) {
  constexpr unsigned spareBytes = 8192;
  auto getBytes = [&](RankedTensorType operand, Type element) {
    return operand.getNumElements() * types.getNumParts() * tt::getElementBits(element) / 8;
  };
  uint64_t bytes = getBytes(dot.getB().getType(), types.right);
  RankedTensorType left = dot.getA().getType();
  if (!plan.leftIsInRegisters)
    bytes += getBytes(left, types.left);
  else if (left.getNumElements() / (plan.warps[0] * 32) > mostElementsOfThread)
    return false;
  return bytes + spareBytes <= memoryLimit;
}

std::optional<GroupProduct> planGroupProduct(tt::DotOp dot, const UnitTypes &types, unsigned numWarps,
                                             unsigned memoryLimit) {
  constexpr unsigned rowsOfInstruction = 64, mostColumns = 256;
  RankedTensorType type = dot.getType();
  bool isSumSupported = types.sum.isF32() || types.sum.isF16() || types.sum.isInteger(32);
  if (type.getRank() != 2 || !isSumSupported || types.left.isF64())
    return std::nullopt;
  unsigned depth = dot.getA().getType().getDimSize(1), elementBytes = tt::getElementBits(types.left) / 8;
  auto groups = placeWarpGroups(numWarps, type.getDimSize(0), type.getDimSize(1));
  if (!groups || depth * elementBytes < 32)
    return std::nullopt;

  GroupProduct plan;
  plan.warps = {warpsOfGroup * groups->down, groups->across};
  plan.columns = std::min(groups->columns, mostColumns);

  plan.left = findFactorSource(dot.getA());
  plan.right = findFactorSource(dot.getB());
  plan.leftIsInRegisters = belongsInRegisters(dot, plan.left, types);
  // Only elements of 16 bits may lie with the other axis contiguous; others are turned on the way.
  if (elementBytes != 2) {
    plan.left.contiguousAxis = 1;
    plan.right.contiguousAxis = 0;
  }
  // The rows of a tile are no longer than the operand is deep or, along the other axis, than what one
  // instruction reads.
  bool leftIsAlongDepth = plan.left.contiguousAxis == 1, rightIsAlongDepth = plan.right.contiguousAxis == 0;
  plan.leftSwizzle = chooseSwizzle((leftIsAlongDepth ? depth : rowsOfInstruction) * elementBytes);
  plan.rightSwizzle = chooseSwizzle((rightIsAlongDepth ? depth : plan.columns) * elementBytes);
  if (!plan.rightSwizzle || (!plan.leftIsInRegisters && !plan.leftSwizzle))
    return std::nullopt;
  if (!fits(plan, dot, types, memoryLimit))
    return std::nullopt;
  return plan;
}

/// Whether columns of the operand's value become contiguous in memory.
bool isColumnMajor(const FactorSource &source) {
  return (source.isTransposed ? 1 - source.contiguousAxis : source.contiguousAxis) == 0;
}

/// Puts an operand's value, or a part of it, into shared memory and returns it as the product sees it.
Value putIntoMemory(OpBuilder &builder, mlir::Location location, const FactorSource &source, Value value,
                    unsigned swizzle) {
  mlir::MLIRContext *context = builder.getContext();
  auto type = mlir::cast<RankedTensorType>(value.getType());
  Type element = type.getElementType();
  bool turned = isColumnMajor(source);
  auto makeType = [&](llvm::ArrayRef<int64_t> shape, bool transposed) {
    auto layout =
        ttg::NVMMASharedEncodingAttr::get(context, swizzle, transposed, tt::getElementBits(element),
                                          /*fp4Padded=*/false, /*rank=*/2, llvm::ArrayRef<int32_t>());
    return ttg::MemDescType::get(shape, element, layout, ttg::SharedMemorySpaceAttr::get(context));
  };
  // Tiles of eight rows repeat the swizzle, which the hardware takes from the address.
  Value memory = ttg::LocalAllocOp::create(builder, location, makeType(type.getShape(), turned), value,
                                           builder.getI32IntegerAttr(8 * swizzle));
  if (!source.isTransposed)
    return memory;
  int64_t shape[] = {type.getDimSize(1), type.getDimSize(0)};
  return ttg::MemDescTransOp::create(builder, location, makeType(shape, !turned), memory,
                                     builder.getDenseI32ArrayAttr({1, 0}));
}

void useWarpGroups(tt::DotOp dot, const UnitTypes &types, const GroupProduct &plan) {
  RankedTensorType type = dot.getType();
  unsigned perRegister = getElementsPerRegister(types.left);
  auto layout =
      ttg::NvidiaMmaEncodingAttr::get(dot.getContext(), /*versionMajor=*/3, /*versionMinor=*/0, plan.warps,
                                      llvm::ArrayRef<int32_t>(), {16, plan.columns, 8 * perRegister});
  OpBuilder builder(dot);
  mlir::Location location = dot.getLoc();
  auto inRegisters = ttg::DotOperandEncodingAttr::get(dot.getContext(), 0, layout, perRegister);
  auto inMemory = [&](const FactorSource &source, Type element, unsigned swizzle) {
    // Where the hardware puts a tile into memory, a product reads it there, unless it has to be turned.
    if (auto load = source.value.getDefiningOp<tt::DescriptorLoadOp>(); load && isTensorMap(load.getDesc()))
      if (auto tile = mlir::dyn_cast<ttg::NVMMASharedEncodingAttr>(
              getTileMemory(load.getDesc().getType()).getEncoding());
          tile && tile.getElementBitWidth() == tt::getElementBits(element) && !isColumnMajor(source))
        swizzle = tile.getSwizzlingByteWidth();
    Operands operands = prepareOperand(builder, location, source.value, element, types.parts);
    for (Value &operand : operands)
      operand = putIntoMemory(builder, location, source, operand, swizzle);
    return operands;
  };
  if (plan.leftIsInRegisters && isMovable(dot, plan.left.value))
    dot->getParentOfType<mlir::ModuleOp>()->setAttr(movableFactorsName, builder.getUnitAttr());
  Operands lefts = plan.leftIsInRegisters
                       ? prepareOperand(builder, location, dot.getA(), types.left, types.parts, inRegisters)
                       : inMemory(plan.left, types.left, plan.leftSwizzle);
  Operands rights = inMemory(plan.right, types.right, plan.rightSwizzle);
  Value sum = convertTo(builder, location, castTo(builder, location, dot.getC(), types.sum), layout);
  ttng::FenceAsyncSharedOp::create(builder, location);
  Value product =
      multiply(builder, location, types.parts, lefts, rights, sum, [&](Value a, Value b, Value c) {
        return ttng::WarpGroupDotOp::create(builder, location, a, b, c, /*useC=*/Value(),
                                            getPrecision(dot, types), dot.getMaxNumImpreciseAcc(),
                                            /*isAsync=*/false);
      });
  Value result = castTo(builder, location, product, type.getElementType());
  dot.replaceAllUsesWith(convertTo(builder, location, result, type.getEncoding()));
  dot.erase();
}

//===- mma.sync ----------------------------------------------------------===//

/// The bits of an operand's elements before casts widened them.
unsigned getSourceBits(Value operand) {
  unsigned bits = 0;
  while (true) {
    unsigned here = tt::getElementBits(mlir::cast<RankedTensorType>(operand.getType()).getElementType());
    bits = bits ? std::min(bits, here) : here;
    mlir::Operation *op = operand.getDefiningOp();
    if (!mlir::isa_and_nonnull<mlir::arith::ExtFOp, tt::FpToFpOp, mlir::arith::SIToFPOp,
                               mlir::arith::UIToFPOp, ttg::ConvertLayoutOp, tt::TransOp>(op))
      return bits;
    operand = op->getOperand(0);
  }
}

/// The registers of an operand that is the same in all rounds of the loop that the product is in; none where
/// it is read in each.
unsigned getRegistersKept(tt::DotOp dot, Value operand, unsigned numWarps) {
  auto loop = dot->getParentOfType<mlir::LoopLikeOpInterface>();
  if (!loop || !loop.isDefinedOutsideOfLoop(findFactorSource(operand).value))
    return 0;
  llvm::SmallVector<unsigned, 3> warps = tileWarps(dot, numWarps);
  return getRegisters(mlir::cast<RankedTensorType>(operand.getType()),
                      warps[operand == dot.getA() ? 0 : 1] * 32);
}

/// How many elements along the reduced axis a lane has beside each other: as many as fill a register, and
/// where both operands are widened, as many as fill one before. Matrices of a narrow type are then read from
/// memory as its own products read them, a register at a time. So is one that a loop reads in each round, if
/// it lies along the reduced axis, and the other one is no longer in memory.
///
/// An operand that is widened before the loop and too large for its registers is read in each round as it is
/// multiplied (ReloadFactors.cpp), best as the instruction asks.
unsigned chooseElementsOfLane(tt::DotOp dot, const UnitTypes &types, unsigned numWarps) {
  constexpr unsigned mostForWidened = 31, mostBesideNarrow = 63;
  unsigned perRegister = getElementsPerRegister(types.left);
  if (types.left.isF64() || dot.getType().getRank() != 2)
    return perRegister;
  unsigned leftBits = getSourceBits(dot.getA()), rightBits = getSourceBits(dot.getB());
  unsigned bits = std::max(leftBits, rightBits);
  unsigned leftKept = getRegistersKept(dot, dot.getA(), numWarps),
           rightKept = getRegistersKept(dot, dot.getB(), numWarps);
  bool leftIsNarrow = leftBits < rightBits;
  unsigned wideKept = leftIsNarrow ? rightKept : leftKept;
  if (leftBits == rightBits && std::max(leftKept, rightKept) > mostForWidened)
    return perRegister;
  if (leftBits != rightBits && wideKept != 0 && wideKept <= mostBesideNarrow &&
      findFactorSource(leftIsNarrow ? dot.getA() : dot.getB()).contiguousAxis == (leftIsNarrow ? 1 : 0))
    bits = std::min(leftBits, rightBits);
  unsigned width = 32 / std::max(bits, 8u);
  unsigned depth = dot.getA().getType().getShape().back();
  while (width > perRegister && depth < 8 * width)
    width /= 2;
  return std::max(width, perRegister);
}

void useMatrixUnit(tt::DotOp dot, const Target &target, unsigned numWarps) {
  unsigned capability = target.getComputeCapability();
  UnitTypes types = getUnitTypes(dot, capability);
  if (!types.left ||
      dot.getType().getNumElements() / (numWarps * target.warpSize) > int64_t(mostElementsOfThread))
    return;
  if (target.arch == "90a") {
    UnitTypes ofGroups = getUnitTypes(dot, capability, /*ofWarpGroups=*/true);
    if (std::optional<GroupProduct> plan =
            planGroupProduct(dot, ofGroups, numWarps, getSharedMemoryLimit(target)))
      return useWarpGroups(dot, ofGroups, *plan);
  }
  RankedTensorType type = dot.getType();
  unsigned rank = type.getRank(), perRegister = getElementsPerRegister(types.left);
  // Fewer rows or columns than an instruction has are repeated.
  if (dot.getA().getType().getDimSize(rank - 1) < 8 * perRegister)
    return;
  unsigned perLane = chooseElementsOfLane(dot, types, numWarps);

  llvm::SmallVector<unsigned, 3> instruction(rank, 1);
  instruction[rank - 2] = 16;
  instruction[rank - 1] = 8;
  auto layout =
      ttg::NvidiaMmaEncodingAttr::get(dot.getContext(), /*versionMajor=*/2, /*versionMinor=*/0,
                                      tileWarps(dot, numWarps), llvm::ArrayRef<int32_t>(), instruction);
  auto isTooMuch = [&](RankedTensorType operand, unsigned index) {
    auto inRegisters =
        withLayout(operand, ttg::DotOperandEncodingAttr::get(dot.getContext(), index, layout, perLane));
    return ttg::toLinearLayout(mlir::cast<RankedTensorType>(inRegisters)).getInSize(Dim::Register) >
           int64_t(mostElementsOfThread / types.getNumParts());
  };
  if (isTooMuch(dot.getA().getType(), 0) || isTooMuch(dot.getB().getType(), 1))
    return;

  OpBuilder builder(dot);
  mlir::Location location = dot.getLoc();
  auto prepare = [&](Value operand, Type element, unsigned index) {
    return prepareOperand(builder, location, operand, element, types.parts,
                          ttg::DotOperandEncodingAttr::get(dot.getContext(), index, layout, perLane));
  };
  Operands lefts = prepare(dot.getA(), types.left, 0), rights = prepare(dot.getB(), types.right, 1);
  Value sum = convertTo(builder, location, castTo(builder, location, dot.getC(), types.sum), layout);
  Value product =
      multiply(builder, location, types.parts, lefts, rights, sum, [&](Value a, Value b, Value c) {
        return tt::DotOp::create(builder, location, a, b, c, getPrecision(dot, types),
                                 dot.getMaxNumImpreciseAcc());
      });
  Value result = castTo(builder, location, product, type.getElementType());
  dot.replaceAllUsesWith(convertTo(builder, location, result, type.getEncoding()));
  dot.erase();
}

void ChooseMatrixInstructions::runOnOperation() {
  llvm::Expected<Target> parsed = Target::parse(target);
  if (!parsed) {
    getOperation().emitError(llvm::toString(parsed.takeError()));
    return signalPassFailure();
  }
  if (parsed->backend != Backend::CUDA)
    return;
  unsigned numWarps = ttg::getNumWarps(getOperation());
  llvm::SmallVector<tt::DotOp> dots;
  getOperation().walk([&](tt::DotOp dot) { dots.push_back(dot); });
  for (tt::DotOp dot : dots)
    useMatrixUnit(dot, *parsed, numWarps);
}

} // namespace

std::unique_ptr<mlir::Pass> createChooseMatrixInstructionsPass() {
  return std::make_unique<ChooseMatrixInstructions>();
}

std::unique_ptr<mlir::Pass> createChooseMatrixInstructionsPass(const Target &target) {
  return std::make_unique<ChooseMatrixInstructions>(target);
}

} // namespace nereid
