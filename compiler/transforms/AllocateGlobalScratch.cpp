// Global memory of each program's own: where ttg.global_scratch_alloc gets it.
//
// The launch provides memory for all programs of the grid and hands its address to the kernel, behind all
// other parameters. With two pieces of 128 bytes, program 5 has bytes 1280 to 1535 of it:
//
//     tt.func @kernel(%x: !tt.ptr<f16>) {
//       %p = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
//       %q = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
//
//     tt.func @kernel(%x: !tt.ptr<f16>, %scratch: !tt.ptr<i8>) {
//       %own = tt.addptr %scratch, 256 * (x + numX * (y + numY * z))
//       %p = %own
//       %q = tt.addptr %own, 128
//
// The module's attribute says how much a program needs. What is provided for a grid is aligned to 128 bytes
// (KernelInfo). A piece exists once: an allocation in a loop is the same memory in each round.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/model/KernelInfo.h"
#include "compiler/transforms/ModuleTarget.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/MathExtras.h"

namespace nereid {

using mlir::OpBuilder;
using mlir::Value;

namespace {

struct AllocateGlobalScratch : mlir::PassWrapper<AllocateGlobalScratch, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AllocateGlobalScratch)

  llvm::StringRef getArgument() const final { return "nereid-ttg-allocate-global-scratch"; }
  llvm::StringRef getDescription() const final { return "Place what programs keep in global memory"; }
  void getDependentDialects(mlir::DialectRegistry &registry) const final {
    registry.insert<mlir::arith::ArithDialect>();
  }
  void runOnOperation() final;
};

/// The number of the program that runs, of all in the grid.
Value makeProgramNumber(OpBuilder &builder, mlir::Location location) {
  auto widen = [&](Value value) -> Value {
    return mlir::arith::ExtUIOp::create(builder, location, builder.getI64Type(), value);
  };
  Value number;
  for (tt::ProgramIDDim axis : {tt::ProgramIDDim::Z, tt::ProgramIDDim::Y, tt::ProgramIDDim::X}) {
    Value id = widen(tt::GetProgramIdOp::create(builder, location, axis));
    if (number) {
      Value count = widen(tt::GetNumProgramsOp::create(builder, location, axis));
      id = mlir::arith::AddIOp::create(builder, location, id,
                                       mlir::arith::MulIOp::create(builder, location, number, count));
    }
    number = id;
  }
  return number;
}

/// Replaces the kernel's allocations. Returns the bytes of a program, so many that the next one's are
/// aligned.
int64_t place(tt::FuncOp kernel, llvm::ArrayRef<ttg::GlobalScratchAllocOp> allocs) {
  int64_t bytes = 0;
  llvm::SmallVector<int64_t> offsets;
  for (ttg::GlobalScratchAllocOp alloc : allocs) {
    offsets.push_back(llvm::alignTo(bytes, alloc.getAlignment()));
    bytes = offsets.back() + alloc.getNbytes();
  }
  bytes = llvm::alignTo(bytes, KernelInfo::globalScratchAlignment);
  mlir::Location location = kernel.getLoc();
  OpBuilder builder(kernel.getContext());
  auto type = mlir::cast<tt::PointerType>(ttg::GlobalScratchAllocOp(allocs.front()).getType());
  auto isAligned =
      builder.getNamedAttr("tt.divisibility", builder.getI32IntegerAttr(KernelInfo::globalScratchAlignment));
  unsigned index = kernel.getNumArguments();
  (void)kernel.insertArgument(index, type, builder.getDictionaryAttr(isAligned), location);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  auto constant = [&](int64_t value) -> Value {
    return mlir::arith::ConstantIntOp::create(builder, location, value, 64);
  };
  Value first =
      mlir::arith::MulIOp::create(builder, location, makeProgramNumber(builder, location), constant(bytes));
  Value own = tt::AddPtrOp::create(builder, location, type, kernel.getArgument(index), first);
  for (auto [alloc, offset] : llvm::zip_equal(allocs, offsets)) {
    Value piece = own;
    if (offset)
      piece = tt::AddPtrOp::create(builder, location, type, own, constant(offset));
    ttg::GlobalScratchAllocOp(alloc).getResult().replaceAllUsesWith(piece);
  }
  for (ttg::GlobalScratchAllocOp alloc : allocs) // the first may be where these were put
    alloc.erase();
  return bytes;
}

void AllocateGlobalScratch::runOnOperation() {
  mlir::ModuleOp module = getOperation();
  llvm::SmallVector<ttg::GlobalScratchAllocOp> allocs;
  module.walk([&](ttg::GlobalScratchAllocOp alloc) { allocs.push_back(alloc); });
  if (allocs.empty())
    return;
  // The loader of AMD's code provides none; the lowering says that the operation is not supported.
  std::optional<Target> target = getModuleTarget(allocs.front());
  if (target && target->backend != Backend::CUDA)
    return;
  auto kernel = allocs.front()->getParentOfType<tt::FuncOp>();
  for (ttg::GlobalScratchAllocOp alloc : allocs) {
    if (auto function = alloc->getParentOfType<tt::FuncOp>(); function != kernel || !function.isPublic()) {
      alloc.emitError("memory of the program's own in a function that is called is not supported");
      return signalPassFailure();
    }
    if (alloc.getNbytes() <= 0 || !llvm::isPowerOf2_32(alloc.getAlignment()) ||
        alloc.getAlignment() > KernelInfo::globalScratchAlignment) {
      alloc.emitError() << "memory of the program's own must be of a positive size, and aligned to a power "
                           "of two up to "
                        << KernelInfo::globalScratchAlignment;
      return signalPassFailure();
    }
  }
  constexpr int64_t mostBytes = 1 << 20;
  int64_t bytes = place(kernel, allocs);
  if (bytes > mostBytes) {
    kernel.emitError() << "this kernel keeps " << bytes
                       << " bytes of each program in global memory, and at most " << mostBytes
                       << " are supported";
    return signalPassFailure();
  }
  module->setAttr(ttg::globalScratchSizeName, mlir::Builder(&getContext()).getI32IntegerAttr(bytes));
}

} // namespace

std::unique_ptr<mlir::Pass> createAllocateGlobalScratchPass() {
  return std::make_unique<AllocateGlobalScratch>();
}

} // namespace nereid
