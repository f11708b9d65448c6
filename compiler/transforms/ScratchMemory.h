// Shared memory that an operation needs for itself while it runs: how much, and how it is divided.
//
// The allocation pass reserves it (attribute `allocation.offset`, in bytes from the start of the function's
// part of shared memory), the barrier pass keeps others out, and the lowering uses it. All three follow this
// contract:
//
// - An operation with scratch memory writes it first, then meets a barrier of the block, then reads it. The
//   lowering emits that barrier. In a reduction of several tensors all partial results are written before it.
// - What an earlier operation may still be reading or writing in the same bytes is guarded by a
//   ttg.local_barrier that the barrier pass puts before the operation, if one is needed. The lowering adds
//   nothing before the first write, or after the last read.
// - An operation whose plan needs no scratch memory has no attribute, and no barrier.
// - A call has all memory of its callee for scratch, at its own offset. The attribute `ttg.shared` says how
//   much a function needs, and the module's, how much a kernel of the module needs.
#ifndef NEREID_COMPILER_TRANSFORMS_SCRATCHMEMORY_H
#define NEREID_COMPILER_TRANSFORMS_SCRATCHMEMORY_H

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/layouts/ConversionPlan.h"
#include "compiler/layouts/ReductionPlan.h"
#include "compiler/layouts/ScanPlan.h"

namespace nereid {

/// The attribute of operations with memory on chip: where theirs begins.
constexpr llvm::StringLiteral allocationOffsetAttr = "allocation.offset";

/// What a value takes that is handed to a partition of a ttg.warp_specialize; a descriptor of memory is two.
constexpr unsigned captureBytes = 8;

/// The attribute of conversions that are exchanges between lanes where they can be, although memory would
/// take fewer instructions (ExchangeWithoutBarriers.cpp).
constexpr llvm::StringLiteral withoutBarrierAttr = "ttg.without_barrier";

ConversionPlan planConversion(ttg::ConvertLayoutOp op);
ConversionPlan::Kind getConversionKind(ttg::ConvertLayoutOp op);

/// The plan that all operands of a reduction share; nothing if their layout must be changed first (the pass
/// remove-layout-conversions sees to that).
std::optional<ReductionPlan> planReduction(tt::ReduceOp op);

/// Where in the scratch memory of a reduction the partial results of each operand begin, in bytes. Operand
/// i's are getSharedElementBytes(its element) each, placed as ReductionPlan says, and behind
/// them, where one warp is elected, what it makes of them (WarpResults.h).
llvm::SmallVector<unsigned, 2> getReductionScratchOffsets(tt::ReduceOp op, const ReductionPlan &plan);

/// The same for a scan.
std::optional<ScanPlan> planScan(tt::ScanOp op);
llvm::SmallVector<unsigned, 2> getScanScratchOffsets(tt::ScanOp op, const ScanPlan &plan);

/// Of more elements than this a thread keeps a tile in memory and computes it in loops (LargeTiles of the
/// lowering), unless the function does something with it for which there are no loops.
unsigned getManyRegisters(mlir::Operation *op);

/// A conversion of a tile of which each thread has very much, or that the target's shared memory does not
/// hold, goes through a part of it at a time: so many elements. Nothing for other conversions.
std::optional<unsigned> getConversionPart(ttg::ConvertLayoutOp op);

/// The same for a gather.
std::optional<unsigned> getGatherPart(tt::GatherOp op);

/// Whether this is the layout of an operand of a product that threads compute element by element. Such a
/// product takes its operands from shared memory, and puts them there from any layout: an operand's
/// conversion to this layout, which would give each thread the whole reduced axis, stays in the IR and is no
/// work.
bool isScalarProductOperand(mlir::Attribute layout);
/// Whether nothing but such products uses the result.
bool isForScalarProducts(ttg::ConvertLayoutOp op);
/// What a product puts into shared memory: its operand before such a conversion.
mlir::TypedValue<mlir::RankedTensorType> getProductSource(mlir::Value operand);

/// Whether the GPU's matrix unit does this product; its operands come in registers.
bool isMatrixUnitProduct(tt::DotOp op);

/// The operands of a product [M, K] x [K, N] in its scratch memory: for each k, the left one's elements for
/// all m next to each other, then some padding; likewise the right one's for all n. The axis of a batch is
/// outermost. Where all of K is too much, it is there in parts, one after another.
struct ProductScratch {
  struct Side {
    unsigned begin;        // in bytes
    unsigned elementBytes; // numbers of 8 bits that are not integers are stored as f16
    unsigned pitch;        // elements from one k to the next
  };
  Side left, right;
  unsigned depth; // how many k are there at a time
  unsigned bytes; // in all
};
ProductScratch getProductScratch(tt::DotOp op);

/// Whether one thread accesses memory for all that hold copies of an element, and hands what it got to the
/// others through scratch memory: atomic accesses with used results, and loads of what other programs may be
/// changing.
bool isHandedAround(mlir::Operation *op);

/// 0 for everything that needs none. For calls the callee's memory must have been allocated.
unsigned getScratchBytes(mlir::Operation *op);

/// Whether the threads of a block meet in the operation or in front of it, for its scratch memory or for a
/// buffer that it reads or writes.
bool meetsForMemory(mlir::Operation *op);

/// The shared memory that the target of the operation's module has, or the most that any has.
unsigned getMemoryLimit(mlir::Operation *op);

/// The size of a buffer of ttg.local_alloc.
unsigned getBufferBytes(ttg::MemDescType type);

/// The offset that the allocation pass gave, if any.
std::optional<unsigned> getAllocationOffset(mlir::Operation *op);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_SCRATCHMEMORY_H
