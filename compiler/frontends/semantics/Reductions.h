// Reductions along an axis or over a whole block, with any combining function.
#ifndef NEREID_COMPILER_FRONTENDS_SEMANTICS_REDUCTIONS_H
#define NEREID_COMPILER_FRONTENDS_SEMANTICS_REDUCTIONS_H

#include "compiler/frontends/semantics/OperationWriter.h"
#include "compiler/frontends/semantics/Tensor.h"

#include "mlir/IR/Region.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <vector>

namespace nereid::semantics {

/// The elements that a combining region gets: those of the left, then those of the right.
llvm::SmallVector<Type> combineTypes(llvm::ArrayRef<Tensor> inputs);

/// Writes the combining function: a region of one block with arguments of these types, ended by
/// tt.reduce.return.
using FillCombine = llvm::function_ref<void(mlir::Region &region, llvm::ArrayRef<Type> types)>;

/// Of blocks of one shape, which are reduced together; without an axis over all of them.
std::vector<Tensor> makeReduction(OperationWriter &writer, std::vector<Tensor> inputs,
                                  std::optional<unsigned> axis, bool keepDims, FillCombine fill);

} // namespace nereid::semantics

#endif // NEREID_COMPILER_FRONTENDS_SEMANTICS_REDUCTIONS_H
