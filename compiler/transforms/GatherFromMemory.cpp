// Writes what is gathered from to memory once:
//
//     %table = tt.load …                           %table = tt.load …
//     %a = tt.gather %table[%i]            →       %m = ttg.local_alloc %table
//     … %j from %a …                               %a = ttg.local_gather %m[%i]
//     %b = tt.gather %table[%j]                    … %j from %a …
//                                                  %b = ttg.local_gather %m[%j]
//
// A gather by itself writes its source whenever it runs, between two barriers; a curve that fills space looks
// up a table of 4 KB for every few bits of its coordinates. And as memory has no layout, the table is written
// as it was loaded, in whole vectors, and an element is looked up by the thread that has its index, whatever
// else that computes: for AssignLayouts, which comes next, this is an operation like any other element by
// element.
//
// Memory is filled before the first gather, which may be in a loop that the source is not of, and lasts to
// the last, if that leaves other blocks room. In loops with products gathers stay what they are, as
// PipelineLoads may move them, and so do those of whole rows (StageGathers.cpp), those within warps
// (ButterflyGather.h), and those of tiles too large for memory.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/layouts/SharedExchange.h"
#include "compiler/transforms/ButterflyGather.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/LoopMemory.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/PlainMemory.h"
#include "compiler/transforms/ScratchMemory.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct GatherFromMemory : mlir::PassWrapper<GatherFromMemory, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GatherFromMemory)

  llvm::StringRef getArgument() const final { return "nereid-ttg-gather-from-memory"; }
  llvm::StringRef getDescription() const final { return "Write what is gathered from to memory once"; }
  void runOnOperation() final;
};

bool multiplies(Operation *loop) {
  return loop
      ->walk([](Operation *op) {
        return mlir::isa<tt::DotOp, tt::DotScaledOp, ttng::WarpGroupDotOp, ttg::LocalDotOp>(op)
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

bool isInLoopOfProducts(Operation *op) {
  for (auto loop = op->getParentOfType<mlir::LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<mlir::LoopLikeOpInterface>())
    if (multiplies(loop))
      return true;
  return false;
}

bool mayGatherFromMemory(tt::GatherOp gather) {
  return !getGatherPart(gather) && !isButterfly(gather) &&
         !gather.getIndices().getDefiningOp<tt::SplatOp>() &&
         !mlir::isa<tt::PointerType>(mlir::getElementTypeOrSelf(gather.getType())) &&
         !isInLoopOfProducts(gather);
}

/// The memory that is in use at a time where it is most.
unsigned countBytes(tt::GatherOp gather) {
  return estimateSharedMemory(gather->getParentOfType<tt::FuncOp>().getBody().front());
}

int64_t countBytes(ttg::MemDescType buffer) {
  return buffer.getNumElements() * getSharedElementBytes(tt::getElementBits(buffer.getElementType()));
}

void GatherFromMemory::runOnOperation() {
  constexpr int64_t fewBytes = 1024;
  llvm::SmallVector<tt::GatherOp> gathers;
  getOperation().walk([&](tt::GatherOp gather) {
    if (mayGatherFromMemory(gather))
      gathers.push_back(gather);
  });
  llvm::DenseMap<Value, ttg::LocalAllocOp> buffers;
  for (tt::GatherOp gather : gathers) {
    Value source = withoutConversion(gather.getSrc());
    ttg::LocalAllocOp &buffer = buffers[source];
    Operation *place = source.getParentBlock()->findAncestorOpInBlock(*gather);
    bool isNew = !buffer, wasThere = !isNew || place != gather;
    if (isNew) {
      auto order = llvm::to_vector<4>(
          llvm::seq<unsigned>(0, mlir::cast<RankedTensorType>(source.getType()).getRank()));
      std::reverse(order.begin(), order.end());
      buffer = fillPlainMemory(place, source, order);
    }
    mlir::OpBuilder builder(gather);
    auto read = ttg::LocalGatherOp::create(builder, gather.getLoc(), gather.getType(), buffer,
                                           gather.getIndices(), gather.getAxis());
    // A buffer that lasts from before leaves other blocks room beside this one, and other buffers in it. Few
    // bytes always do, and what counts before layouts are chosen may not be needed then.
    if (wasThere && countBytes(buffer.getType()) > fewBytes &&
        countBytes(gather) > getMemoryLimit(gather) / 4) {
      read.erase();
      if (isNew) {
        buffer.erase();
        buffer = nullptr;
      }
      continue;
    }
    gather.replaceAllUsesWith(read.getResult());
    gather.erase();
  }
}

} // namespace

std::unique_ptr<mlir::Pass> createGatherFromMemoryPass() { return std::make_unique<GatherFromMemory>(); }

} // namespace nereid
