// Says of loads that each lane reads a small piece of a line of its own, and that other programs need the
// rest of it.
//
// A sum of columns, with as many rows as threads and four columns of f32 to a program:
//
//     lane 0     row 0:  [ program 0 | program 1 | program 2 | … ]
//     lane 1     row 1:  [ program 0 | program 1 | program 2 | … ]
//     …
//
// A program takes 16 bytes of each row, and memory hands over sectors of 32, of lines of 128: what programs
// read is at least twice what there is, and is cheap only as long as the second cache still has what a
// neighbour has asked for. The fewer such loads are under way, the closer programs stay together. How many
// there may be is for those to say who know how many warps are resident (targets/nvidia/PaceLoads.h).
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/transforms/ColumnLoads.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Pass/Pass.h"

namespace nereid {

namespace {

struct MarkColumnLoads : mlir::PassWrapper<MarkColumnLoads, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkColumnLoads)

  llvm::StringRef getArgument() const final { return "nereid-ttg-mark-column-loads"; }
  llvm::StringRef getDescription() const final {
    return "Say of loads that their lanes read from lines of their own, of which other programs need the "
           "rest";
  }
  void runOnOperation() final;
};

} // namespace

void MarkColumnLoads::runOnOperation() {
  getOperation().walk([](tt::FuncOp function) {
    ColumnLoads columns(function);
    function.walk([&](tt::LoadOp load) {
      if (columns.contains(load))
        load->setAttr(columnLoadAttr, mlir::UnitAttr::get(load.getContext()));
    });
  });
}

std::unique_ptr<mlir::Pass> createMarkColumnLoadsPass() { return std::make_unique<MarkColumnLoads>(); }

} // namespace nereid
