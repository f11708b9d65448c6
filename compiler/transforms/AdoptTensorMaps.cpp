// Makes parameters of the tensor maps of Triton's own ttgir.
//
// Triton 3.6 lets each program write its tensor maps to memory that the launch provides:
//
//     %p = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
//     ttng.tensormap_create %p, %a, [%c64, %c128], [%K, %M], [%row_bytes], [%c1, %c1] {…}
//     ttng.tensormap_fenceproxy_acquire %p : !tt.ptr<i8>
//     %d = ttng.reinterpret_tensor_descriptor %p : !tt.ptr<i8> to !tt.tensordesc<tensor<128x64xf16, #shared>>
//
// Where arguments and constants alone decide what is in a map, the launch can make it, as it does those that
// LiftDescriptors takes out of kernels: %d becomes a parameter. So does a tt.make_tensor_descriptor whose
// tile has a layout in memory already, which the frontend makes of a descriptor among the kernel's arguments.
// Maps that depend on what the program computes stay, and are made in memory of its own
// (AllocateGlobalScratch.cpp).
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::Value;

namespace {

struct AdoptTensorMaps : mlir::PassWrapper<AdoptTensorMaps, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AdoptTensorMaps)

  llvm::StringRef getArgument() const final { return "nereid-ttg-adopt-tensor-maps"; }
  llvm::StringRef getDescription() const final { return "Make parameters of Triton's tensor maps"; }
  void runOnOperation() final {
    for (auto kernel : getOperation().getOps<tt::FuncOp>())
      if (kernel.isPublic() && !kernel.isExternal() && mlir::failed(adopt(kernel)))
        return signalPassFailure();
  }

private:
  static mlir::LogicalResult adopt(tt::FuncOp kernel);
};

/// The text of numbers, one after another; nothing where the launch does not know one.
std::optional<std::string> join(llvm::ArrayRef<std::optional<std::string>> numbers) {
  std::string joined;
  for (const std::optional<std::string> &number : numbers) {
    if (!number)
      return std::nullopt;
    joined += (joined.empty() ? "" : ", ") + *number;
  }
  return joined;
}

/// A stride of so many bytes in elements.
std::optional<std::string> describeStride(tt::FuncOp kernel, Value bytes, unsigned elementBytes) {
  llvm::APInt constant;
  if (auto product = bytes.getDefiningOp<mlir::arith::MulIOp>())
    if (mlir::matchPattern(product.getRhs(), mlir::m_ConstantInt(&constant)) && constant == elementBytes)
      return describeForLaunch(kernel, product.getLhs());
  std::optional<std::string> text = describeForLaunch(kernel, bytes);
  return text && elementBytes > 1 ? "(" + *text + " / " + std::to_string(elementBytes) + ")" : text;
}

/// The parameter that takes the place of a descriptor; null where arguments do not decide what it holds.
Value makeParameter(tt::FuncOp kernel, mlir::Operation *op, tt::TensorDescType type, Value base,
                    const std::optional<std::string> &extents) {
  std::optional<unsigned> parameter = getParameter(kernel, base);
  if (!parameter || !extents)
    return {};
  return addTensorMap(kernel, type, *parameter, *extents, /*isOrdered=*/false, op->getLoc());
}

/// What the program writes to memory of its own, and the descriptor that it takes it for.
struct MadeMap {
  ttg::GlobalScratchAllocOp memory;
  ttng::ReinterpretTensorDescOp descriptor;
  llvm::SmallVector<mlir::Operation *> fences;
};

/// Nothing where the memory serves for anything else, such as several maps.
std::optional<MadeMap> findMadeMap(ttng::TensormapCreateOp create) {
  MadeMap made;
  made.memory = create.getDescPtr().getDefiningOp<ttg::GlobalScratchAllocOp>();
  for (mlir::Operation *user : create.getDescPtr().getUsers()) {
    if (auto reinterpret = mlir::dyn_cast<ttng::ReinterpretTensorDescOp>(user);
        reinterpret && !made.descriptor)
      made.descriptor = reinterpret;
    else if (mlir::isa<ttng::TensormapFenceproxyAcquireOp>(user))
      made.fences.push_back(user);
    else if (user != create)
      return std::nullopt;
  }
  return made.memory && made.descriptor ? std::optional(made) : std::nullopt;
}

/// Makes a parameter of a map if arguments decide what it holds.
void adoptMap(tt::FuncOp kernel, ttng::TensormapCreateOp create) {
  std::optional<MadeMap> made = findMadeMap(create);
  if (!made)
    return;
  auto type = mlir::cast<tt::TensorDescType>(made->descriptor.getType());
  constexpr unsigned mostAxes = 2;
  if (type.getBlockType().getRank() > mostAxes)
    return;
  unsigned elementBytes = tt::getElementBits(type.getBlockType().getElementType()) / 8;
  llvm::SmallVector<std::optional<std::string>> numbers;
  for (Value size : llvm::reverse(create.getGlobalDim()))
    numbers.push_back(describeForLaunch(kernel, size));
  for (Value stride : llvm::reverse(create.getGlobalStride()))
    numbers.push_back(describeStride(kernel, stride, elementBytes));
  Value map = makeParameter(kernel, create, type, create.getGlobalAddress(), join(numbers));
  if (!map)
    return;
  made->descriptor.getResult().replaceAllUsesWith(map);
  made->descriptor.erase();
  for (mlir::Operation *fence : made->fences)
    fence->erase();
  create.erase();
  made->memory.erase();
}

mlir::LogicalResult AdoptTensorMaps::adopt(tt::FuncOp kernel) {
  llvm::SmallVector<tt::MakeTensorDescOp> makes;
  kernel.walk([&](tt::MakeTensorDescOp make) {
    if (make.getType().getBlockType().getEncoding())
      makes.push_back(make);
  });
  for (tt::MakeTensorDescOp make : makes) {
    llvm::SmallVector<std::optional<std::string>> numbers;
    for (Value size : make.getShape())
      numbers.push_back(describeForLaunch(kernel, size));
    for (Value stride : make.getStrides().drop_back())
      numbers.push_back(describeForLaunch(kernel, stride));
    if (make.getType().getBlockType().getRank() > 2)
      return make.emitError("tiles of more than two axes are not supported in IR that has layouts already");
    Value map = makeParameter(kernel, make, make.getType(), make.getBase(), join(numbers));
    if (!map)
      return make.emitError(
          "a descriptor that depends on what the kernel computes is not supported in IR that has "
          "layouts already");
    make.getResult().replaceAllUsesWith(map);
    make.erase();
  }

  llvm::SmallVector<ttng::TensormapCreateOp> creates;
  kernel.walk([&](ttng::TensormapCreateOp create) { creates.push_back(create); });
  for (ttng::TensormapCreateOp create : creates) {
    if (create.getInterleaveLayout() != 0 || create.getFillMode() != 0)
      return create.emitError("a tensor map that interleaves elements, or fills in other numbers than zeros, "
                              "is not supported");
    adoptMap(kernel, create);
  }
  return mlir::success();
}

} // namespace

std::unique_ptr<mlir::Pass> createAdoptTensorMapsPass() { return std::make_unique<AdoptTensorMaps>(); }

} // namespace nereid
