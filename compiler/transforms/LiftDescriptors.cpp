// Takes tensor descriptors out of the kernel where the launch can make them.
//
// Hopper copies tiles by a tensor map, 128 bytes that say where a tensor lies and how large it is. Nearly
// every kernel makes its descriptors from its arguments alone:
//
//     tt.func @matmul(%a: !tt.ptr<f16>, %m: i32, %k: i32) {
//       %stride = arith.extsi %k : i32 to i64
//       %d = tt.make_tensor_descriptor %a, [%m, %k], [%stride, %one] : !tt.tensordesc<tensor<128x64xf16>>
//
// and then they need not be made by each program on the device. The descriptor becomes a parameter of the
// kernel, and says how it is to be made, in numbers of the parameters ("$1" is %m) and the operators of
// grids:
//
//     tt.func @matmul(…, %d: !tt.tensordesc<tensor<128x64xf16, #memory>>
//                     {nereid.tensor_map = {base = 0 : i32, extents = "$1, $2, $2"}})   rows, columns, row to
//                     row
//
// The type tells in what layout tiles lie in memory on chip. All axes but the last are rows there, so that
// tiles of one to five axes are matrices from here on, and a reshape makes of a loaded one what the program
// has asked for. Rows are no longer than a swizzle, which is the longest that a row fills, so that matrix
// units read the tile where it lies.
//
// Taken are descriptors through which whole tiles are loaded and stored. Loads of small tiles that no loop
// does are better off with the threads. Threads and the unit that copies see each other's accesses late, so
// where a kernel has more to do with a tensor than the loads of a descriptor, or than its stores, or where
// others may hear of what was stored (by an atomic operation, say), the map is "ordered", and
// LowerTileAccesses.cpp pays for the order. All other descriptors stay, and RewriteBlockPointers turns them
// into pointers: those that rows are gathered from, that are chosen by branches, or that depend on what the
// program has computed.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/model/KernelInfo.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ReadOnlyArguments.h"
#include "compiler/transforms/TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassRegistry.h"

namespace nereid {

using mlir::Value;

namespace {

struct LiftDescriptors : mlir::PassWrapper<LiftDescriptors, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LiftDescriptors)

  llvm::StringRef getArgument() const final { return "nereid-tt-lift-descriptors"; }
  llvm::StringRef getDescription() const final {
    return "Let the launch make tensor descriptors that depend on the arguments alone";
  }
  void getDependentDialects(mlir::DialectRegistry &registry) const final {
    registry.insert<ttg::TTGDialect>();
  }
  void runOnOperation() final;
};

/// The tile, all axes but the last as rows.
mlir::RankedTensorType asMatrix(mlir::RankedTensorType tile) {
  int64_t columns = tile.getShape().back();
  return mlir::RankedTensorType::get({tile.getNumElements() / columns, columns}, tile.getElementType());
}

/// The layout of a tile in memory; null where the hardware copies no such tiles.
mlir::Attribute chooseMemory(mlir::RankedTensorType tile) {
  constexpr int64_t mostBytes = 64 << 10, leastBytes = 128; // so that each buffer of a ring is aligned
  unsigned bits = tt::getElementBits(tile.getElementType());
  int64_t columns = tile.getShape().back(), rows = tile.getNumElements() / columns;
  int64_t rowBytes = columns * bits / 8;
  if (!llvm::is_contained({8u, 16u, 32u}, bits) || tile.getRank() > TensorMap::mostAxes || rowBytes % 16 ||
      rows * rowBytes < leastBytes || rows * rowBytes > mostBytes)
    return {};
  // Boxes that lie one below the other in memory are neighbours along the outermost axis.
  llvm::ArrayRef<int64_t> outer =
      tile.getShape().drop_back().drop_while([](int64_t size) { return size == 1; });
  if (llvm::any_of(outer.drop_front(std::min<size_t>(1, outer.size())),
                   [](int64_t size) { return size > TensorMap::mostBoxElements; }))
    return {};
  // The hardware takes the row that a swizzle goes by from the address: boxes are whole patterns of 8 rows.
  constexpr int64_t rowsOfPattern = 8;
  for (unsigned swizzle : {128u, 64u, 32u})
    if (rows >= rowsOfPattern && rowBytes >= swizzle)
      return ttg::NVMMASharedEncodingAttr::get(tile.getContext(), swizzle, /*transposed=*/false, bits,
                                               /*fp4Padded=*/false, /*rank=*/2, llvm::ArrayRef<int32_t>());
  // Row after row. Boxes side by side would not be.
  if (rows > 1 && columns > TensorMap::mostBoxElements)
    return {};
  return ttg::SwizzledSharedEncodingAttr::get(tile.getContext(), /*vec=*/1, /*perPhase=*/1, /*maxPhase=*/1,
                                              /*order=*/{1, 0}, llvm::ArrayRef<int32_t>());
}

/// What a kernel does with a tensor through a descriptor.
struct Uses {
  llvm::SmallVector<tt::DescriptorLoadOp> loads;
  llvm::SmallVector<tt::DescriptorStoreOp> stores;
  bool isLoadedInLoop = false;
};

/// Nothing where a descriptor serves for anything else.
std::optional<Uses> findUses(tt::MakeTensorDescOp make) {
  Uses uses;
  for (mlir::Operation *user : make->getUsers()) {
    if (auto load = mlir::dyn_cast<tt::DescriptorLoadOp>(user)) {
      uses.loads.push_back(load);
      uses.isLoadedInLoop |=
          load->getParentOfType<mlir::scf::ForOp>() || load->getParentOfType<mlir::scf::WhileOp>();
    } else if (auto store = mlir::dyn_cast<tt::DescriptorStoreOp>(user)) {
      uses.stores.push_back(store);
    } else {
      return std::nullopt;
    }
  }
  return uses;
}

/// How a kernel deals with others while they run.
struct Messages {
  /// It may hear that others have written, or tell them that it has.
  bool hears = false, tells = false;
};

Messages findMessages(tt::FuncOp kernel) {
  Messages messages;
  kernel->walk([&](mlir::Operation *op) {
    bool isAtomic = mlir::isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op);
    bool isOpaque = mlir::isa<tt::CallOp, tt::ElementwiseInlineAsmOp>(op);
    messages.hears |= isOpaque || (isAtomic && !op->use_empty());
    messages.tells |= isOpaque || isAtomic;
  });
  return messages;
}

/// Has loads and stores move matrices.
void moveMatrices(Uses &uses, mlir::RankedTensorType matrix) {
  for (tt::DescriptorLoadOp load : uses.loads) {
    mlir::Type wanted = load.getType();
    if (wanted == matrix)
      continue;
    mlir::OpBuilder builder(load->getContext());
    builder.setInsertionPointAfter(load);
    load.getResult().setType(matrix);
    auto shaped =
        tt::ReshapeOp::create(builder, load.getLoc(), wanted, load, mlir::UnitAttr(), mlir::UnitAttr());
    load.getResult().replaceAllUsesExcept(shaped, shaped);
  }
  for (tt::DescriptorStoreOp store : uses.stores) {
    if (store.getSrc().getType() == matrix)
      continue;
    mlir::OpBuilder builder(store);
    store.getSrcMutable().assign(tt::ReshapeOp::create(builder, store.getLoc(), matrix, store.getSrc(),
                                                       mlir::UnitAttr(), mlir::UnitAttr()));
  }
}

/// `readOnly`: a bit for each parameter of the kernel that nothing is written through.
void lift(tt::FuncOp kernel, tt::MakeTensorDescOp make, const llvm::BitVector &readOnly,
          const Messages &messages) {
  auto type = mlir::cast<tt::TensorDescType>(make.getType());
  mlir::RankedTensorType tile = type.getSignlessBlockType();
  mlir::Attribute memory = chooseMemory(tile);
  std::optional<unsigned> base = getParameter(kernel, make.getBase());
  std::optional<Uses> uses = findUses(make);
  constexpr int64_t smallBytes = 4096;
  bool isSmall = tile.getNumElements() * tt::getElementBits(tile.getElementType()) / 8 < smallBytes;
  if (!memory || !base || !uses || make->use_empty() || make.getPadding() != tt::PaddingOption::PAD_ZERO ||
      (isSmall && !uses->isLoadedInLoop && uses->stores.empty()) ||
      !mlir::matchPattern(make.getStrides().back(), mlir::m_One()))
    return;
  std::string extents;
  auto add = [&](Value value) {
    std::optional<std::string> text = describeForLaunch(kernel, value);
    extents += (extents.empty() ? "" : ", ") + text.value_or("");
    return text.has_value();
  };
  if (!llvm::all_of(make.getShape(), add) || !llvm::all_of(make.getStrides().drop_back(), add))
    return;
  bool isOrdered = !uses->loads.empty() && (messages.hears || !readOnly.test(*base));
  isOrdered |= !uses->stores.empty() && (messages.tells || !make.getBase().hasOneUse());
  auto lifted = tt::TensorDescType::get(
      kernel.getContext(), mlir::RankedTensorType::get(type.getBlockType().getShape(),
                                                       type.getBlockType().getElementType(), memory));
  Value map = addTensorMap(kernel, lifted, *base, extents, isOrdered, make.getLoc());
  if (!map)
    return;
  moveMatrices(*uses, asMatrix(tile));
  make.getResult().replaceAllUsesWith(map);
  make.erase();
}

void LiftDescriptors::runOnOperation() {
  for (auto function : getOperation().getOps<tt::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    llvm::SmallVector<tt::MakeTensorDescOp> makes;
    function.walk([&](tt::MakeTensorDescOp make) { makes.push_back(make); });
    llvm::BitVector readOnly = findReadOnlyArguments(function);
    Messages messages = findMessages(function);
    // Of the 4 KiB of parameters that every driver takes, maps of 128 bytes leave a quarter for the others.
    constexpr unsigned mostMaps = 24;
    unsigned numOthers = function.getNumArguments();
    for (tt::MakeTensorDescOp make : makes)
      if (function.getNumArguments() < numOthers + mostMaps)
        lift(function, make, readOnly, messages);
  }
}

} // namespace

std::unique_ptr<mlir::Pass> createLiftDescriptorsPass() { return std::make_unique<LiftDescriptors>(); }

} // namespace nereid
