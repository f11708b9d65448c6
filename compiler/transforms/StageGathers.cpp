// Fills memory with what a loop gathers rows of before the loop:
//
//     scf.for %j … {                                     %m = ttg.local_alloc %x
//       %i = tt.splat %j                                 scf.for %j … {
//       … = tt.gather %x[%i] {axis = 0}          →         %row = ttg.memdesc_index %m[%j]
//     }                                                    … = expand_dims (ttg.local_load %row)
//                                                        }
//
// A gather writes its source to memory whenever it runs, between two barriers. Where the source is the same
// in all rounds, one filling is enough, which takes no barrier in the loop; and a row, or a column, may be
// read in whatever layout its users have. Kernels walk through the rows of a tile that way: in a round of
// flash-linear-attention's chunk_dplr_bwd_kernel_intra there are fourteen gathers of ten tiles.
//
// Rows and columns of one tile get memory of their own, so that either lie side by side.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/transforms/LoopMemory.h"
#include "compiler/transforms/OutermostLoop.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/PlainMemory.h"
#include "compiler/transforms/ScratchMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct StageGathers : mlir::PassWrapper<StageGathers, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StageGathers)

  llvm::StringRef getArgument() const final { return "nereid-ttg-stage-gathers"; }
  llvm::StringRef getDescription() const final {
    return "Fill memory with what a loop gathers rows of before the loop";
  }
  void runOnOperation() final;
};

/// The number of the row or column that a gather takes whole; null if it takes others.
Value getRowNumber(tt::GatherOp gather) {
  auto source = mlir::cast<RankedTensorType>(gather.getSrc().getType());
  auto result = mlir::cast<RankedTensorType>(gather.getType());
  unsigned axis = gather.getAxis();
  auto splat = gather.getIndices().getDefiningOp<tt::SplatOp>();
  bool isRow = source.getRank() == 2 && result.getDimSize(axis) == 1 &&
               result.getDimSize(1 - axis) == source.getDimSize(1 - axis) &&
               !mlir::isa<tt::PointerType>(source.getElementType());
  return splat && isRow ? splat.getSrc() : Value();
}

/// A gather's result, read from `buffer`.
Value readRow(tt::GatherOp gather, Value number, ttg::LocalAllocOp buffer) {
  mlir::OpBuilder builder(gather);
  mlir::MLIRContext *context = gather.getContext();
  mlir::Location location = gather.getLoc();
  auto result = mlir::cast<RankedTensorType>(gather.getType());
  ttg::MemDescType whole = buffer.getType();
  unsigned axis = gather.getAxis();
  Value rows = buffer;
  if (axis == 1) {
    mlir::Attribute layout = getPlainLayout(context, {1, 0});
    auto turned = ttg::MemDescType::get({whole.getDimSize(1), whole.getDimSize(0)}, whole.getElementType(),
                                        layout, whole.getMemorySpace());
    rows = ttg::MemDescTransOp::create(builder, location, turned, rows, llvm::ArrayRef<int32_t>{1, 0});
  }
  unsigned bits = number.getType().getIntOrFloatBitWidth();
  if (bits < 32)
    number = mlir::arith::ExtUIOp::create(builder, location, builder.getI32Type(), number);
  else if (bits > 32)
    number = mlir::arith::TruncIOp::create(builder, location, builder.getI32Type(), number);
  mlir::Attribute layout = getPlainLayout(context, {0});
  auto one = ttg::MemDescType::get({whole.getDimSize(1 - axis)}, whole.getElementType(), layout,
                                   whole.getMemorySpace());
  Value row = ttg::MemDescIndexOp::create(builder, location, one, rows, number);
  auto read = RankedTensorType::get(one.getShape(), one.getElementType(),
                                    ttg::SliceEncodingAttr::get(context, axis, result.getEncoding()));
  Value elements = ttg::LocalLoadOp::create(builder, location, read, row, /*token=*/Value());
  return tt::ExpandDimsOp::create(builder, location, result, elements, axis);
}

void StageGathers::runOnOperation() {
  llvm::SmallVector<tt::GatherOp> gathers;
  getOperation().walk([&](tt::GatherOp gather) { gathers.push_back(gather); });
  llvm::DenseMap<std::pair<Value, unsigned>, ttg::LocalAllocOp> buffers; // of sources and axes
  for (tt::GatherOp gather : gathers) {
    Value number = getRowNumber(gather), source = gather.getSrc();
    mlir::Operation *loop = number ? findOutermostLoop(gather, source) : nullptr;
    if (!loop)
      continue;
    ttg::LocalAllocOp &buffer = buffers[{source, gather.getAxis()}];
    bool isNew = !buffer || !buffer->getBlock()->findAncestorOpInBlock(*gather);
    if (isNew)
      // Rows of the source one behind the other, or its columns.
      buffer = fillPlainMemory(loop, source, {1 - gather.getAxis(), gather.getAxis()});
    // No more than what leaves other blocks room beside this one.
    auto function = gather->getParentOfType<tt::FuncOp>();
    if (isNew && estimateSharedMemory(function.getBody().front()) > getMemoryLimit(gather) / 4) {
      buffer.erase();
      buffer = nullptr;
      continue;
    }
    gather.replaceAllUsesWith(readRow(gather, number, buffer));
    gather.erase();
  }
}

} // namespace

std::unique_ptr<mlir::Pass> createStageGathersPass() { return std::make_unique<StageGathers>(); }

} // namespace nereid
