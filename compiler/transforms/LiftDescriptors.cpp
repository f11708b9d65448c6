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
// LowerTileAccesses.cpp pays for the order. All other descriptors stay. Of those that depend on what the
// program has computed, MakeTensorMaps.cpp takes some; RewriteBlockPointers turns the others into pointers,
// with those that rows are gathered from or that are chosen by branches.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/transforms/DescriptorUses.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ReadOnlyArguments.h"
#include "compiler/transforms/TensorMaps.h"

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

/// `readOnly`: a bit for each parameter of the kernel that nothing is written through.
void lift(tt::FuncOp kernel, tt::MakeTensorDescOp make, const llvm::BitVector &readOnly,
          const Messages &messages) {
  auto type = mlir::cast<tt::TensorDescType>(make.getType());
  mlir::RankedTensorType tile = type.getSignlessBlockType();
  mlir::Attribute memory = chooseTileMemory(tile);
  std::optional<unsigned> base = getParameter(kernel, make.getBase());
  std::optional<DescriptorUses> uses = findDescriptorUses(make);
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
  if (isOrdered && ttg::getNumCTAs(kernel) > 1) // the order would be that of a cluster's blocks as well
    return;
  Value map = addTensorMap(kernel, withMemory(type, memory), *base, extents, isOrdered, make.getLoc());
  if (!map)
    return;
  moveMatrices(*uses, tile);
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
