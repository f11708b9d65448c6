// The ttg dialect: tt's programs once every tensor has a layout. This is its one public header.
//
// A layout (encoding) says which element of a tensor each register of each lane of each warp of each block
// holds. The attributes here are data; EncodingToLinearLayout turns any of them into a linear layout, and
// every decision is made on that. A module says for how many warps, lanes and blocks it is written, in
// attributes that the functions below read.
#ifndef NEREID_COMPILER_DIALECTS_TTG_DIALECT_H
#define NEREID_COMPILER_DIALECTS_TTG_DIALECT_H

#include "compiler/dialects/tt/Dialect.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include "compiler/dialects/ttg/Dialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/dialects/ttg/Attributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/dialects/ttg/Types.h.inc"

namespace nereid::ttg {

/// Memory that the threads of a block share.
struct SharedMemory : mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "<SharedMemory>"; }
};

// Names of the attributes of a ttg module.
constexpr llvm::StringLiteral numWarpsName = "ttg.num-warps";
constexpr llvm::StringLiteral numCTAsName = "ttg.num-ctas";
constexpr llvm::StringLiteral threadsPerWarpName = "ttg.threads-per-warp";
constexpr llvm::StringLiteral targetName = "ttg.target";
/// The most registers that a thread may have, where the launch asks for a limit.
constexpr llvm::StringLiteral maxRegistersName = "ttg.maxnreg";
/// Bytes of shared memory that the module's kernels need, once they are allocated.
constexpr llvm::StringLiteral sharedName = "ttg.shared";
/// Bytes of global memory that each program of the kernel has for itself, once they are allocated.
constexpr llvm::StringLiteral globalScratchSizeName = "ttg.global_scratch_memory_size";
/// Rings of buffers are shorter than they could be, so that more programs run at a time: where a grid has few
/// programs, another form of the kernel is better. True where programs may be of very different lengths.
constexpr llvm::StringLiteral shortRingsName = "ttg.short-rings";
/// Rings of buffers could be shorter, and more programs might run at a time: another form of the kernel may
/// be better, for most grids or for those that take fewer turns by it. True where programs may be of very
/// different lengths.
constexpr llvm::StringLiteral longRingsName = "ttg.long-rings";
/// Set where loops leave what threads have summed up apart until they have ended (ReducePastLoops.cpp), and
/// before that where they must not.
constexpr llvm::StringLiteral reducesPastLoopsName = "ttg.reduces-past-loops",
                              reducesInLoopsName = "ttg.reduces-in-loops";

/// What the module around `op` says; absent where it says nothing, as before layouts are chosen. Within a
/// partition of a ttg.warp_specialize, the number of its warps.
std::optional<unsigned> maybeGetNumWarps(mlir::Operation *op);
std::optional<unsigned> maybeGetThreadsPerWarp(mlir::Operation *op);
/// The same for modules that must say it: a fatal error where the attribute is missing.
unsigned getNumWarps(mlir::Operation *op);
unsigned getThreadsPerWarp(mlir::Operation *op);
/// Blocks in a cluster; 1 where nothing is said.
unsigned getNumCTAs(mlir::Operation *op);
/// The target as the module names it ("cuda:90"), or empty.
llvm::StringRef getTargetName(mlir::Operation *op);

/// Whether a layout spreads a tensor over threads, rather than over shared memory.
bool isDistributedLayout(mlir::Attribute layout);
bool isSharedLayout(mlir::Attribute layout);

/// Whether a layout says which block of a cluster has what. Ours do not: each block's tensors are its own.
bool sharesOutOverBlocks(mlir::Attribute layout);

/// Number of axes of the tensors that the layout is for; absent where it fits any.
std::optional<unsigned> getLayoutRank(mlir::Attribute layout);

/// The module's attributes for tensors spread over this many threads.
void setModuleAttributes(mlir::ModuleOp module, unsigned numWarps, unsigned threadsPerWarp, unsigned numCTAs,
                         llvm::StringRef target);

} // namespace nereid::ttg

#define GET_OP_CLASSES
#include "compiler/dialects/ttg/Ops.h.inc"

namespace nereid::ttg {

/// How many warps a block is launched with: the kernel's own and those of all partitions.
unsigned getTotalWarps(mlir::ModuleOp module);

} // namespace nereid::ttg

#endif // NEREID_COMPILER_DIALECTS_TTG_DIALECT_H
