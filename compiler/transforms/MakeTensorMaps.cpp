// Makes tensor maps on the device for descriptors that the launch cannot make.
//
// A grouped product takes the addresses of its tensors from memory, and a program that works on one of many
// tensors computes the address of its own:
//
//     %a = tt.load %pointers[%group]
//     %d = tt.make_tensor_descriptor %a, [%m, %k], [%stride, %one] : !tt.tensordesc<tensor<128x64xf16>>
//     scf.for %i = … {
//       %x = tt.descriptor_load %d[%row, %i]
//
// Here the program itself writes the map, to global memory of its own, with Triton's operations for that:
//
//     %p = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
//     ttng.tensormap_create %p, %a, [%c64, %c128], [%k', %m'], [%row_bytes], [%c1, %c1] {…}
//     ttng.tensormap_fenceproxy_acquire %p
//     %d = ttng.reinterpret_tensor_descriptor %p : … to !tt.tensordesc<tensor<128x64xf16, #memory>>
//
// The language demands that bases and strides are divisible by 16 bytes, so that is taken for granted. Two
// things it allows a map cannot say. An axis of no elements (a group without rows) gets one element, and the
// coordinate of the outermost axis becomes one far outside, so that loads give zeros and stores do nothing.
// Where an axis has one element, its stride is of no interest, and may be anything.
//
// Where that pays. On an H200 two maps take a program 1.7 microseconds. What the threads copy by 16 bytes, in
// the ring of a loop, arrives as fast, or up to a tenth slower where tiles are large. So where they can do
// that, a map pays behind loops in loops, that is, for several tiles, or behind a loop that is known to be
// long. So does it in a loop with many products: a round of that takes 20 microseconds where a thread has 128
// registers, and the addresses and bounds of five tiles are among what it spills. They can't where the
// alignment of the tensor or the length of its rows is not known when compiling; such tiles are loaded
// element by element, 30 times slower, and any loop is reason enough, unless it is known to have few rounds.
// Most loops' rounds are unknown, but programmers cut tiles so that there are several. The same holds for
// stores, which are also made by a map where the kernel makes another one anyway.
//
// When the map is written again, by the next round of a loop around it, nothing reads it any more: loads have
// been waited for, and stores until the unit has read the map and the tile on chip.
//
// As to the order of accesses, what LiftDescriptors.cpp says holds here too. Pointers that were loaded
// through one argument are taken to lead elsewhere than those that were loaded through another, as different
// arguments are.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/AxisInfo.h"
#include "compiler/transforms/DescriptorUses.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/PointerRoots.h"
#include "compiler/transforms/TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassRegistry.h"

namespace nereid {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::Value;

namespace {

struct MakeTensorMaps : mlir::PassWrapper<MakeTensorMaps, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MakeTensorMaps)

  llvm::StringRef getArgument() const final { return "nereid-tt-make-tensor-maps"; }
  llvm::StringRef getDescription() const final {
    return "Let programs make the tensor maps that the launch can't";
  }
  void getDependentDialects(mlir::DialectRegistry &registry) const final {
    registry.insert<ttg::TTGDialect, ttng::TTNGDialect>();
  }
  void runOnOperation() final;
};

/// How often the loops between the descriptor and an access run it for each time that the descriptor is made.
struct Repetition {
  uint64_t knownRounds = 1;
  unsigned loopsOfUnknownRounds = 0;
};

Repetition findRepetition(tt::MakeTensorDescOp descriptor, Operation *access) {
  constexpr uint64_t many = 1 << 20;
  Repetition repetition;
  for (Operation *op = access->getParentOp(); !op->isProperAncestor(descriptor); op = op->getParentOp()) {
    auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op);
    if (std::optional<llvm::APInt> known = loop ? loop.getStaticTripCount() : std::nullopt)
      repetition.knownRounds = std::min(many, repetition.knownRounds * known->getLimitedValue(many));
    else if (mlir::isa<mlir::LoopLikeOpInterface>(op))
      ++repetition.loopsOfUnknownRounds;
  }
  return repetition;
}

/// Whether threads can copy rows of the tensor 16 bytes at a time.
bool areThreadsFast(tt::MakeTensorDescOp descriptor, int64_t elementBytes, const AxisInfoAnalysis &axes) {
  constexpr int64_t wide = 16;
  auto isAligned = [&](Value value, int64_t unit) {
    return axes.get(value).getDivisibilityOfAll() * unit % wide == 0;
  };
  return isAligned(descriptor.getBase(), 1) && isAligned(descriptor.getShape().back(), elementBytes) &&
         llvm::all_of(descriptor.getStrides().drop_back(),
                      [&](Value stride) { return isAligned(stride, elementBytes); });
}

/// Whether a round of the loop around an access has so many products that it takes long, and that tiles take
/// the registers that threads need for the addresses and bounds of what they copy.
bool isOneOfManyProducts(Operation *access) {
  constexpr unsigned many = 4;
  auto loop = access->getParentOfType<mlir::scf::ForOp>();
  unsigned products = 0;
  if (loop)
    loop->walk([&](tt::DotOp) { ++products; });
  return products >= many;
}

/// `areOthersMade`: the kernel makes other maps.
bool pays(tt::MakeTensorDescOp descriptor, const DescriptorUses &uses, bool areThreadsFast,
          bool areOthersMade) {
  constexpr uint64_t severalRounds = 4, longLoop = 64;
  bool pays = areOthersMade && !areThreadsFast && !uses.stores.empty();
  auto look = [&](Operation *access, bool isLoad) {
    Repetition repetition = findRepetition(descriptor, access);
    bool isLong = repetition.loopsOfUnknownRounds > 1 || repetition.knownRounds >= longLoop;
    if (repetition.loopsOfUnknownRounds > 0 && isOneOfManyProducts(access))
      pays |= isLoad || areOthersMade;
    else if (areThreadsFast)
      pays |= isLoad && isLong;
    else
      pays |= repetition.loopsOfUnknownRounds > 0 || repetition.knownRounds >= severalRounds;
  };
  for (tt::DescriptorLoadOp load : uses.loads)
    look(load, /*isLoad=*/true);
  for (tt::DescriptorStoreOp store : uses.stores)
    look(store, /*isLoad=*/false);
  return pays;
}

/// Where a pointer comes from: arguments, or, with `loads`, memory that they lead to over so many pointers.
struct Origin {
  PointerRoots roots;
  unsigned loads = 0;

  bool meets(const Origin &other) const {
    return roots.unknown || other.roots.unknown || (loads == other.loads && roots.meets(other.roots));
  }
};

Origin findOrigin(Value pointer, const PointerRootAnalysis &roots) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (auto load = mlir::dyn_cast<tt::LoadOp>(op)) {
      Origin origin = findOrigin(load.getPtr(), roots);
      ++origin.loads;
      return origin;
    }
    if (!mlir::isa<tt::AddPtrOp, tt::BitcastOp, tt::IntToPtrOp>(op))
      break;
    pointer = op->getOperand(0);
  }
  return {isPointerLike(pointer) ? roots.get(pointer) : PointerRoots::anywhere()};
}

/// Whether accesses other than its own may meet those through the descriptor: writes, and reads, too, if
/// `descriptor` is stored through.
bool isMet(tt::FuncOp kernel, tt::MakeTensorDescOp descriptor, bool isWritten,
           const PointerRootAnalysis &roots) {
  Origin own = findOrigin(descriptor.getBase(), roots);
  auto meets = [&](Operation *op) {
    bool isRead = mlir::isa<tt::LoadOp, tt::DescriptorLoadOp, tt::DescriptorGatherOp>(op);
    if (!mayWriteGlobal(op) && !(isRead && isWritten))
      return false;
    bool isKnown = false, meets = false;
    for (Value operand : op->getOperands()) {
      if (auto other = operand.getDefiningOp<tt::MakeTensorDescOp>())
        operand = other == descriptor ? Value() : other.getBase();
      else if (isTensorMap(operand))
        operand = getTensorMapBase(operand);
      else if (!isPointerLike(operand))
        continue;
      isKnown = true;
      meets |= operand && own.meets(findOrigin(operand, roots));
    }
    return meets || !isKnown;
  };
  return kernel
      ->walk([&](Operation *op) {
        return meets(op) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Has an access move nothing where `isEmpty`.
void moveOutside(Operation *access, mlir::MutableOperandRange indices, Value isEmpty) {
  constexpr int32_t outside = -(1 << 30); // and no tile reaches from there to the first element
  OpBuilder builder(access);
  mlir::Location location = access->getLoc();
  Value far = mlir::arith::ConstantIntOp::create(builder, location, outside, 32);
  mlir::OpOperand &first = indices[0];
  first.set(mlir::arith::SelectOp::create(builder, location, isEmpty, far, first.get()));
}

/// What the choice needs to know of the kernel as it was before.
struct KernelFacts {
  PointerRootAnalysis roots;
  AxisInfoAnalysis axes;
  Messages messages;
};

/// Makes a map of the descriptor where that can be done and pays, and says whether it has.
bool make(tt::FuncOp kernel, tt::MakeTensorDescOp descriptor, bool areOthersMade, const KernelFacts &facts) {
  auto type = mlir::cast<tt::TensorDescType>(descriptor.getType());
  mlir::RankedTensorType tile = type.getSignlessBlockType();
  mlir::Attribute memory = chooseTileMemory(tile);
  std::optional<DescriptorUses> uses = findDescriptorUses(descriptor);
  if (!memory || !uses || descriptor.getPadding() != tt::PaddingOption::PAD_ZERO ||
      !mlir::matchPattern(descriptor.getStrides().back(), mlir::m_One()))
    return false;
  int64_t elementBytes = tt::getElementBits(tile.getElementType()) / 8;
  if (!pays(descriptor, *uses, areThreadsFast(descriptor, elementBytes, facts.axes), areOthersMade))
    return false;
  bool isLoaded = !uses->loads.empty(), isStored = !uses->stores.empty();
  bool isOrdered = (isLoaded && (isStored || facts.messages.hears)) || (isStored && facts.messages.tells) ||
                   isMet(kernel, descriptor, isStored, facts.roots);

  OpBuilder builder(descriptor);
  mlir::Location location = descriptor.getLoc();
  auto constant = [&](int64_t value, unsigned bits) -> Value {
    return mlir::arith::ConstantIntOp::create(builder, location, value, bits);
  };
  Value one = constant(1, 32), isEmpty;
  llvm::SmallVector<Value> sizes, strides, box, steps;
  for (Value size : llvm::reverse(descriptor.getShape())) {
    llvm::APInt known;
    if (mlir::matchPattern(size, mlir::m_ConstantInt(&known)) && known.isStrictlyPositive()) {
      sizes.push_back(size);
      continue;
    }
    Value isNone = mlir::arith::CmpIOp::create(builder, location, mlir::arith::CmpIPredicate::slt, size, one);
    isEmpty = isEmpty ? mlir::arith::OrIOp::create(builder, location, isEmpty, isNone) : isNone;
    sizes.push_back(mlir::arith::MaxSIOp::create(builder, location, size, one));
  }
  llvm::SmallVector<Value> pitches(llvm::reverse(descriptor.getStrides().drop_back()));
  for (auto [size, stride] : llvm::zip_equal(llvm::ArrayRef(sizes).drop_front(), pitches)) {
    constexpr int64_t anyStride = 16;
    Value bytes = mlir::arith::MulIOp::create(builder, location, stride, constant(elementBytes, 64));
    Value isOne = mlir::arith::CmpIOp::create(builder, location, mlir::arith::CmpIPredicate::eq, size, one);
    strides.push_back(
        mlir::arith::SelectOp::create(builder, location, isOne, constant(anyStride, 64), bytes));
  }
  for (int64_t size : llvm::reverse(getTileBox(tile.getShape(), memory))) {
    box.push_back(constant(size, 32));
    steps.push_back(one);
  }
  // Integers of the element's size: what they mean does not matter.
  unsigned elementType = llvm::Log2_64(elementBytes), swizzle = 0;
  if (auto swizzled = mlir::dyn_cast<ttg::NVMMASharedEncodingAttr>(memory))
    swizzle = llvm::Log2_32(swizzled.getSwizzlingByteWidth() / 16);
  Value map = ttg::GlobalScratchAllocOp::create(
      builder, location, tt::PointerType::get(builder.getI8Type(), 1), tensorMapBytes, tensorMapBytes);
  ttng::TensormapCreateOp::create(builder, location, map, descriptor.getBase(), box, sizes, strides, steps,
                                  elementType, /*interleave_layout=*/0, swizzle, /*fill_mode=*/0);
  ttng::TensormapFenceproxyAcquireOp::create(builder, location, map);
  auto made = ttng::ReinterpretTensorDescOp::create(builder, location, withMemory(type, memory), map);
  if (isOrdered)
    made->setAttr(orderedTensorMapAttr, builder.getUnitAttr());
  if (isEmpty) {
    for (tt::DescriptorLoadOp load : uses->loads)
      moveOutside(load, load.getIndicesMutable(), isEmpty);
    for (tt::DescriptorStoreOp store : uses->stores)
      moveOutside(store, store.getIndicesMutable(), isEmpty);
  }
  moveMatrices(*uses, tile);
  descriptor.getResult().replaceAllUsesWith(made);
  descriptor.erase();
  return true;
}

void MakeTensorMaps::runOnOperation() {
  // The memory that maps are put into is a program's, and several blocks would write it.
  if (ttg::getNumCTAs(getOperation()) > 1)
    return;
  for (auto kernel : getOperation().getOps<tt::FuncOp>()) {
    if (!kernel.isPublic() || kernel.isExternal())
      continue;
    llvm::SmallVector<tt::MakeTensorDescOp> descriptors;
    kernel.walk([&](tt::MakeTensorDescOp descriptor) { descriptors.push_back(descriptor); });
    if (descriptors.empty())
      continue;
    KernelFacts facts{PointerRootAnalysis(getOperation()), AxisInfoAnalysis(getOperation()),
                      findMessages(kernel)};
    constexpr unsigned mostMaps = 16; // the memory of all programs is allocated at each launch
    unsigned made = 0;
    // Those of loads first, which mostly come first: a store's may come with them.
    for (tt::MakeTensorDescOp descriptor : descriptors)
      if (made < mostMaps)
        made += make(kernel, descriptor, made > 0, facts);
  }
}

} // namespace

std::unique_ptr<mlir::Pass> createMakeTensorMapsPass() { return std::make_unique<MakeTensorMaps>(); }

} // namespace nereid
