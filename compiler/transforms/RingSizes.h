// How far a loop's copies run ahead, and how many buffers their rings have: a question of the memory on chip,
// and of the blocks that a multiprocessor has room for.
#ifndef NEREID_COMPILER_TRANSFORMS_RINGSIZES_H
#define NEREID_COMPILER_TRANSFORMS_RINGSIZES_H

#include "compiler/model/FormUse.h"
#include "compiler/model/Target.h"
#include "compiler/transforms/LoopPipeline.h"

namespace nereid {

/// For `stages` rounds that are under way together, if there is room. Leaves out of `loads` those for which
/// there is none. No rounds ahead if there is room for no load. `form` decides whether memory is saved for
/// others.
Rings chooseRings(mlir::scf::ForOp loop, llvm::SmallVectorImpl<PipelinedLoad> &loads, unsigned stages,
                  FormUse form, const Target &target);

/// The same for rings that last as long as the outer loop runs, whatever that costs.
Rings chooseRingsAround(mlir::scf::ForOp loop, mlir::scf::ForOp outer,
                        llvm::SmallVectorImpl<PipelinedLoad> &loads, unsigned stages, const Target &target);

/// Takes a buffer from the rings of loads that threads read back and exchange, where that makes room for
/// another block of few warps.
void shortenRings(mlir::scf::ForOp loop, llvm::MutableArrayRef<PipelinedLoad> loads, const Target &target,
                  Rings rings);

/// What becomes of a multiprocessor's registers where a warp of its own copies, and the group of four warps
/// that it is one of gives up all that it does not need for that.
struct RegistersBesideProducer {
  unsigned own = 0;    // of a thread of the kernel's own warps
  unsigned blocks = 1; // that find room in a multiprocessor
};

/// As many blocks as leave a thread the registers that the loop needs. None where warps do not come in groups
/// of four.
std::optional<RegistersBesideProducer> chooseRegistersBesideProducer(mlir::scf::ForOp loop,
                                                                     mlir::scf::ForOp around,
                                                                     llvm::ArrayRef<PipelinedLoad> loads,
                                                                     Rings rings, unsigned ofProducer,
                                                                     const Target &target);

/// How many blocks find room in a multiprocessor without such a warp, with these rings.
unsigned countBlocks(mlir::scf::ForOp loop, mlir::scf::ForOp around, llvm::ArrayRef<PipelinedLoad> loads,
                     Rings rings, const Target &target);

/// The rings that last as long as the outer loop runs, if they are as long as those of the inner loop alone,
/// and no block of a multiprocessor is lost. Where products outlast their rounds, they have a buffer to spare
/// as below, if there is room for it. Tiles that the outer loop stores are stored in pieces where that leaves
/// room for a buffer more.
std::optional<Rings> chooseLastingRings(mlir::scf::ForOp loop, mlir::scf::ForOp outer,
                                        llvm::ArrayRef<PipelinedLoad> loads, unsigned stages, Rings ofLoop,
                                        bool outlastRounds, const Target &target);

/// Where products of a round may still be reading their buffers when the copies of the next begin, those go
/// to another buffer, so that nobody has to wait. That pays unless fewer blocks find room in a
/// multiprocessor. The only product of a round has begun before the one of the round before is waited for, so
/// that nobody waits for long: there the buffer lets copies run one more round ahead. The rings are kept as
/// long as `around` runs: the loop, or one around it.
void addSpareBuffer(mlir::scf::ForOp loop, mlir::scf::ForOp around, llvm::ArrayRef<PipelinedLoad> loads,
                    const Target &target, Rings &rings);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_RINGSIZES_H
