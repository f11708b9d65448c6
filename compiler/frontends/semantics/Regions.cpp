// See Regions.h.
#include "compiler/frontends/semantics/Regions.h"

#include "compiler/frontends/semantics/OperationWriter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::semantics {

void fillRegion(OperationWriter &writer, Region &region, Block &source, ValueRange yielded) {
  Block &target = region.empty() ? region.emplaceBlock() : region.front();
  if (!target.empty() && target.back().hasTrait<OpTrait::IsTerminator>())
    target.back().erase();
  target.getOperations().splice(target.end(), source.getOperations());
  OpBuilder::InsertionGuard guard(writer.builder);
  writer.builder.setInsertionPointToEnd(&target);
  writer.create<scf::YieldOp>(yielded);
}

} // namespace nereid::semantics
