// Loads of tiles by tensor maps that no loop starts ahead: each becomes a copy that the threads wait for.
//
//     %x = tt.descriptor_load %d[%i, %j]
//
//     %buffer = ttg.local_alloc, %barrier = ttg.local_alloc
//     ttng.init_barrier %barrier, 1
//     ttng.barrier_expect %barrier, 16384
//     ttng.async_tma_copy_global_to_local %d[%i, %j] %buffer, %barrier
//     ttng.wait_barrier %barrier, 0
//     %x = ttg.local_load %buffer
//     ttng.inval_barrier %barrier
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ScratchMemory.h"
#include "compiler/transforms/TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::OpBuilder;
using mlir::Value;

namespace {

struct LowerTileLoads : mlir::PassWrapper<LowerTileLoads, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerTileLoads)

  llvm::StringRef getArgument() const final { return "nereid-ttg-lower-tile-loads"; }
  llvm::StringRef getDescription() const final { return "Copy tiles by tensor maps and wait for them"; }
  void getDependentDialects(mlir::DialectRegistry &registry) const final {
    registry.insert<ttng::TTNGDialect>();
  }
  void runOnOperation() final;
};

void lower(tt::DescriptorLoadOp load) {
  OpBuilder builder(load);
  mlir::Location location = load.getLoc();
  mlir::MLIRContext *context = load.getContext();
  ttg::MemDescType memory = getTileMemory(load.getDesc().getType());
  auto matrix = mlir::cast<ttg::NVMMASharedEncodingAttr>(memory.getEncoding());
  Value buffer = ttg::LocalAllocOp::create(builder, location, memory, /*src=*/Value(),
                                           builder.getI32IntegerAttr(8 * matrix.getSwizzlingByteWidth()));
  auto plain = ttg::SwizzledSharedEncodingAttr::get(context, /*vec=*/1, /*perPhase=*/1, /*maxPhase=*/1,
                                                    /*order=*/{0}, llvm::ArrayRef<int32_t>());
  auto barrierType = ttg::MemDescType::get({1}, builder.getI64Type(), plain,
                                           ttg::SharedMemorySpaceAttr::get(context), /*mutableMemory=*/true);
  Value barrier = ttg::LocalAllocOp::create(builder, location, barrierType, /*src=*/Value(),
                                            builder.getI32IntegerAttr(16));
  ttng::InitBarrierOp::create(builder, location, barrier, 1);
  // What threads did with the memory before is over when the copy comes.
  ttng::FenceAsyncSharedOp::create(builder, location);
  ttg::LocalBarrierOp::create(builder, location);
  Value always = mlir::arith::ConstantIntOp::create(builder, location, 1, 1);
  Value first = mlir::arith::ConstantIntOp::create(builder, location, 0, 32);
  ttng::BarrierExpectOp::create(builder, location, barrier, getBufferBytes(memory), always);
  ttng::AsyncTMACopyGlobalToLocalOp::create(builder, location, load.getDesc(), load.getIndices(), barrier,
                                            buffer, always, load.getCache(), load.getEvict(),
                                            /*isVolatile=*/false);
  ttng::WaitBarrierOp::create(builder, location, barrier, first, /*pred=*/Value(), /*deps=*/buffer);
  Value loaded = ttg::LocalLoadOp::create(builder, location, load.getType(), buffer);
  ttng::InvalBarrierOp::create(builder, location, barrier);
  ttg::LocalDeallocOp::create(builder, location, barrier);
  ttg::LocalDeallocOp::create(builder, location, buffer);
  load.replaceAllUsesWith(loaded);
  load.erase();
}

void LowerTileLoads::runOnOperation() {
  getOperation().walk([](tt::DescriptorLoadOp load) {
    if (isTensorMap(load.getDesc()))
      lower(load);
  });
}

} // namespace

std::unique_ptr<mlir::Pass> createLowerTileLoadsPass() { return std::make_unique<LowerTileLoads>(); }

} // namespace nereid
