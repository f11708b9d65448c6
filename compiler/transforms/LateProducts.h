// The products of a loop that may go on when its next round begins, so that the matrix unit never stands
// still.
#ifndef NEREID_COMPILER_TRANSFORMS_LATEPRODUCTS_H
#define NEREID_COMPILER_TRANSFORMS_LATEPRODUCTS_H

#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/LoopPipeline.h"

namespace nereid {

/// The products of the loop that nothing in their round needs, or only a branch, with operands that stay
/// where they are during the next round: in rings, in memory from outside the loop, or in registers. `loads`
/// will have rings.
llvm::SmallVector<ttng::WarpGroupDotOp> findLateProducts(mlir::scf::ForOp loop,
                                                         llvm::ArrayRef<PipelinedLoad> loads);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_LATEPRODUCTS_H
