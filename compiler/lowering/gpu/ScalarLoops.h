// Loops that one warp of a block runs alone.
//
// What a program computes of numbers, not of tiles, every thread computes, as each may need it. A loop of
// such work at a program's end, of which nothing is left but what it stores, nobody needs: one thread stores.
//
//     for i in range(32):                       four quantized numbers to two bytes, one by one
//         x = tl.load(p + i)
//         tl.store(q + i, code_of(x))
//
// There the block's other warps end instead, and leave the multiprocessor to other blocks' first ones. On an
// H200, conch's _quantize_blockwise_kernel with four warps, whose 32 rounds are such: 1795 us to 504.
#ifndef NEREID_COMPILER_LOWERING_GPU_SCALARLOOPS_H
#define NEREID_COMPILER_LOWERING_GPU_SCALARLOOPS_H

namespace mlir {
class Operation;
} // namespace mlir

namespace nereid::gpu {

/// Whether all that a loop does is load, compute and store numbers, at the end of its kernel: what its first
/// warp does then is all that the others would.
bool isScalarLoopAtEnd(mlir::Operation *loop);

} // namespace nereid::gpu

#endif // NEREID_COMPILER_LOWERING_GPU_SCALARLOOPS_H
