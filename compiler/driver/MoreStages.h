// Loads of products that run ahead where one stage was asked for.
//
// num_stages=1 is what a kernel's author writes where nothing was gained by more: with another compiler, on
// another GPU, or for want of memory on chip. A round that loads its factors then waits for them, and nothing
// but other blocks hides that. So such a kernel is compiled again for more stages, three and then two, and
// the code is taken by which all warps of a multiprocessor take a tenth less time or more: by a walk through
// it (targets/nvidia/WarpTime.h) and by how many blocks there is room for. Of an H200, us, with one stage,
// two and three:
//
//     fla's chunk_abc_bwd_kernel_dh          86.3     48.2     39.2     4, 3 and 3 blocks
//     minference's _fwd_kernel              143.7     92.9     90.2
//     aiter's bwd_kernel_causal             878.8    610.7    596.7
//     aiter's kernel_unified_attention_2d   256.4    199.2    317.1     2, 2 and 1 blocks: two stages
//     native_sparse_attention's forward    1383.8   2067.6   2051.1     a third more cycles: one stage
//
// To callers nothing changes: the kernel keeps the num_stages that it was asked for, and loads run ahead only
// where they might with more. It is not done
//
//   - where that was asked for (--exact-stages), or a loop says so itself (tl.range(num_stages=1));
//   - where all programs have to be resident at a time: there may be room for fewer.
#ifndef NEREID_COMPILER_DRIVER_MORESTAGES_H
#define NEREID_COMPILER_DRIVER_MORESTAGES_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace nereid {

struct CompileRequest;
struct CompileResult;
struct Target;

inline constexpr unsigned stagesToTry[] = {3, 2};

/// The attribute of a module that is compiled for so many stages.
inline constexpr llvm::StringLiteral stagesToTryName = "nereid.stages";
std::optional<unsigned> getStagesToTry(mlir::ModuleOp module);

/// Whether more stages are worth a try; `one` is the code of one stage.
bool mayTakeMoreStages(mlir::ModuleOp module, const CompileRequest &request, const CompileResult &one);

/// Whether anything is copied to memory on chip in the background.
bool copiesAhead(mlir::ModuleOp module);

bool isBetterWithMoreStages(const CompileResult &more, const CompileResult &one, const Target &target);

} // namespace nereid

#endif // NEREID_COMPILER_DRIVER_MORESTAGES_H
