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
// The type tells in what layout tiles lie in memory on chip: rows no longer than a swizzle, which is the
// longest that a row fills, so that matrix units read the tile where it lies.
//
// Taken are descriptors of matrices through which tiles are loaded, in loops at least once, where the kernel
// writes nothing through the same pointer, which the unit that copies might see late; and those through which
// tiles are stored, where nothing else in the kernel touches the tensor and no atomic operation or assembly
// tells others of it: the copies go on behind the threads' backs, and no release of theirs would wait for
// them. All others stay, and RewriteBlockPointers turns them into pointers: those that are loaded from and
// stored to, are chosen by branches, or depend on what the program has computed.
#include "compiler/dialects/ttg/Dialect.h"
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

/// A parameter of the kernel, by its number.
std::optional<unsigned> getParameter(tt::FuncOp kernel, Value value) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  if (!argument || argument.getOwner() != &kernel.getBody().front())
    return std::nullopt;
  return argument.getArgNumber();
}

/// How the launch computes an integer; nothing where it can't. `depth` bounds the length of the text.
std::optional<std::string> describe(tt::FuncOp kernel, Value value, unsigned depth = 6) {
  llvm::APInt constant;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&constant)))
    return constant.isNegative() ? std::nullopt : std::optional(std::to_string(constant.getSExtValue()));
  if (std::optional<unsigned> parameter = getParameter(kernel, value))
    return "$" + std::to_string(*parameter);
  mlir::Operation *op = value.getDefiningOp();
  if (!op || !depth)
    return std::nullopt;
  if (mlir::isa<mlir::arith::ExtSIOp>(op))
    return describe(kernel, op->getOperand(0), depth - 1);
  llvm::StringRef symbol = mlir::isa<mlir::arith::AddIOp>(op)   ? " + "
                           : mlir::isa<mlir::arith::SubIOp>(op) ? " - "
                           : mlir::isa<mlir::arith::MulIOp>(op) ? " * "
                                                                : "";
  if (symbol.empty())
    return std::nullopt;
  std::optional<std::string> left = describe(kernel, op->getOperand(0), depth - 1),
                             right = describe(kernel, op->getOperand(1), depth - 1);
  if (!left || !right)
    return std::nullopt;
  return "(" + *left + symbol.str() + *right + ")";
}

/// The layout of a tile in memory; null where the hardware copies no such tiles.
mlir::Attribute chooseMemory(mlir::RankedTensorType tile) {
  constexpr int64_t mostRows = 256;
  unsigned bits = tt::getElementBits(tile.getElementType());
  if (tile.getRank() != 2 || !llvm::is_contained({8u, 16u, 32u}, bits) || tile.getDimSize(0) > mostRows)
    return {};
  for (unsigned swizzle : {128u, 64u, 32u})
    if (tile.getDimSize(1) * bits / 8 >= swizzle)
      return ttg::NVMMASharedEncodingAttr::get(tile.getContext(), swizzle, /*transposed=*/false, bits,
                                               /*fp4Padded=*/false, /*rank=*/2, llvm::ArrayRef<int32_t>());
  return {};
}

/// Whether all uses are loads of whole tiles, one of them in a loop.
bool isLoadedInLoop(tt::MakeTensorDescOp make, mlir::RankedTensorType tile) {
  bool isInLoop = false;
  for (mlir::Operation *user : make->getUsers()) {
    auto load = mlir::dyn_cast<tt::DescriptorLoadOp>(user);
    if (!load || mlir::cast<mlir::RankedTensorType>(load.getType()).getShape() != tile.getShape())
      return false;
    isInLoop |= bool(load->getParentOfType<mlir::scf::ForOp>());
  }
  return isInLoop;
}

/// Whether all uses are stores of whole tiles, which are not too large to go through memory on chip.
bool isOnlyStored(tt::MakeTensorDescOp make, mlir::RankedTensorType tile) {
  constexpr int64_t mostBytes = 64 << 10;
  if (make->use_empty() || tile.getNumElements() * tt::getElementBits(tile.getElementType()) / 8 > mostBytes)
    return false;
  return llvm::all_of(make->getUsers(), [&](mlir::Operation *user) {
    auto store = mlir::dyn_cast<tt::DescriptorStoreOp>(user);
    return store &&
           mlir::cast<mlir::RankedTensorType>(store.getSrc().getType()).getShape() == tile.getShape();
  });
}

/// Whether nobody could see that stores are done later than the program says: the descriptor is all that is
/// made of the pointer, and the kernel has nothing that orders it before what other programs do.
bool mayStoreLate(tt::FuncOp kernel, tt::MakeTensorDescOp make) {
  if (!make.getBase().hasOneUse())
    return false;
  mlir::WalkResult found = kernel->walk([](mlir::Operation *op) {
    return mlir::isa<tt::AtomicRMWOp, tt::AtomicCASOp, tt::CallOp, tt::ElementwiseInlineAsmOp>(op)
               ? mlir::WalkResult::interrupt()
               : mlir::WalkResult::advance();
  });
  return !found.wasInterrupted();
}

/// `readOnly`: a bit for each parameter of the kernel that nothing is written through.
void lift(tt::FuncOp kernel, tt::MakeTensorDescOp make, const llvm::BitVector &readOnly) {
  auto type = mlir::cast<tt::TensorDescType>(make.getType());
  mlir::RankedTensorType tile = type.getSignlessBlockType();
  mlir::Attribute memory = chooseMemory(tile);
  std::optional<unsigned> base = getParameter(kernel, make.getBase());
  if (!memory || !base)
    return;
  bool isUsed = (isLoadedInLoop(make, tile) && readOnly.test(*base)) ||
                (isOnlyStored(make, tile) && mayStoreLate(kernel, make));
  if (make.getPadding() != tt::PaddingOption::PAD_ZERO || !isUsed ||
      !mlir::matchPattern(make.getStrides().back(), mlir::m_One()))
    return;
  std::string extents;
  for (Value value : {make.getShape()[0], make.getShape()[1], make.getStrides()[0]}) {
    std::optional<std::string> text = describe(kernel, value);
    if (!text)
      return;
    extents += (extents.empty() ? "" : ", ") + *text;
  }
  mlir::OpBuilder builder(make);
  auto lifted = tt::TensorDescType::get(
      kernel.getContext(), mlir::RankedTensorType::get(type.getBlockType().getShape(),
                                                       type.getBlockType().getElementType(), memory));
  mlir::NamedAttribute parts[] = {builder.getNamedAttr(tensorMapBaseName, builder.getI32IntegerAttr(*base)),
                                  builder.getNamedAttr(tensorMapExtentsName, builder.getStringAttr(extents))};
  mlir::NamedAttribute attribute = builder.getNamedAttr(tensorMapAttr, builder.getDictionaryAttr(parts));
  unsigned index = kernel.getNumArguments();
  if (mlir::failed(kernel.insertArgument(index, lifted, builder.getDictionaryAttr(attribute), make.getLoc())))
    return;
  Value parameter = kernel.getArgument(index);
  make.getResult().replaceAllUsesWith(parameter);
  make.erase();
}

void LiftDescriptors::runOnOperation() {
  for (auto function : getOperation().getOps<tt::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    llvm::SmallVector<tt::MakeTensorDescOp> makes;
    function.walk([&](tt::MakeTensorDescOp make) { makes.push_back(make); });
    llvm::BitVector readOnly = findReadOnlyArguments(function);
    for (tt::MakeTensorDescOp make : makes)
      lift(function, make, readOnly);
  }
}

} // namespace

std::unique_ptr<mlir::Pass> createLiftDescriptorsPass() { return std::make_unique<LiftDescriptors>(); }

} // namespace nereid
