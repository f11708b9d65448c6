// Rewrites one loop so that copies of what later rounds load are under way while a round computes. Which
// loads take part and how many buffers there are is chosen in PipelineLoads.cpp, which also shows what comes
// of it.
#ifndef NEREID_COMPILER_TRANSFORMS_LOOPPIPELINE_H
#define NEREID_COMPILER_TRANSFORMS_LOOPPIPELINE_H

#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/layouts/ConversionPlan.h"
#include "compiler/transforms/LoopSchedule.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid {

/// What a load becomes.
struct PipelinedLoad {
  /// A tt.load, or a tt.descriptor_load of a tensor map.
  mlir::Operation *load;
  /// The layout of the buffers.
  mlir::Attribute memory;
  /// Products read the buffers. Otherwise the threads read back what they have loaded, each its own elements.
  bool isDirect;
  /// Its ring has as many buffers as rounds are under way, whatever others have: a round's copy goes to what
  /// the round has just read, behind a barrier that it has anyway.
  bool hasShorterRing = false;

  bool isTile() const { return mlir::isa<tt::DescriptorLoadOp>(load); }
  mlir::Value getResult() const { return load->getResult(0); }
  unsigned getBytes() const {
    auto type = mlir::cast<mlir::RankedTensorType>(getResult().getType());
    return type.getNumElements() * getSharedElementBytes(tt::getElementBits(type.getElementType()));
  }
};

/// How far copies run ahead, and how many buffers a ring has for that: as many as rounds, one more, or two.
struct Rings {
  unsigned roundsAhead = 0, numBuffers = 0;
  /// They have fewer buffers than they could have, so that more blocks find room in a multiprocessor.
  bool isShortForBlocks = false;
  /// With a buffer less more blocks would find room.
  bool couldBeShorter = false;
};

/// Of a thread that copies tiles: the least that there is.
constexpr unsigned producerRegisters = 24;

/// For one loop, once.
class LoopPipeline {
public:
  /// The first copies of the loop start a round of `outer` earlier, if that is not null (OuterPipeline.h).
  LoopPipeline(mlir::scf::ForOp loop, mlir::scf::ForOp outer, llvm::ArrayRef<PipelinedLoad> loads,
               llvm::ArrayRef<mlir::Operation *> smallLoads, Rings size)
      : loop(loop), outer(outer), loads(loads), smallLoads(smallLoads), roundsAhead(size.roundsAhead),
        numBuffers(size.numBuffers) {}
  /// Fails where MLIR's pipeliner does, with the loop half done.
  mlir::LogicalResult run();
  /// Instead: hands the copies, which are all of tiles, to a warp of their own (LoopSpecialization.cpp).
  /// A thread of the kernel's own warps gets `registers`, where that is said, and one of the other
  /// producerRegisters.
  void specialize(std::optional<unsigned> registers);

private:
  mlir::scf::ForOp getOutermost() { return outer ? outer : loop; }
  /// Rings are made before this.
  mlir::Operation *getSetup() { return specialized ? specialized : getOutermost().getOperation(); }
  void addCounters();
  void carryCounters(mlir::ValueRange initial);
  mlir::Value makeBuffers(const PipelinedLoad &pipelined);
  void makeBarriers();
  /// One of a ring's buffers.
  static mlir::Value getBuffer(mlir::OpBuilder &builder, mlir::Value ring, mlir::Value number);
  void copyTiles();
  void copyElements();
  void makeRings();
  void readRings();
  void moveFences();
  void splitProducts();
  struct Group;
  std::vector<Group> groupRings();
  void releaseInRound(const Group &group);
  void releaseRoundBefore(const Group &group);
  bool readsRing(mlir::Operation *op);
  llvm::SetVector<mlir::Operation *> findReadersBeside(mlir::Operation *product);
  void dropCopies(mlir::scf::ForOp loop);
  LoopSchedule schedule();

  mlir::scf::ForOp loop, outer;
  llvm::ArrayRef<PipelinedLoad> loads;
  llvm::ArrayRef<mlir::Operation *> smallLoads;
  unsigned roundsAhead, numBuffers;
  /// The buffer that a round's copies go to, and the one that it reads: the same number, counted in two
  /// stages.
  struct Numbers {
    mlir::Value copied, read;
  };
  Numbers numbers, numbersOfShorter; // of rings with a buffer less
  const Numbers &getNumbers(const PipelinedLoad &pipelined) const {
    return pipelined.hasShorterRing ? numbersOfShorter : numbers;
  }
  bool hasShorterRings() const {
    return llvm::any_of(loads, [](const PipelinedLoad &pipelined) { return pipelined.hasShorterRing; });
  }
  /// How often the ring that is read has gone round, modulo 2.
  mlir::Value phase;
  /// The copies and their commit; what they are computed from runs ahead, too.
  llvm::SetVector<mlir::Operation *> ahead;
  /// At the beginning of a round: the waits and what they need.
  llvm::SmallVector<mlir::Operation *> waits;
  mlir::Value token;                    // of the wait for copies of elements
  llvm::SmallVector<mlir::Value> rings; // of buffers, one for each load
  mlir::Value barriers;                 // a ring of them, for tiles; null where there are none
  /// Where the copies have a warp of their own.
  mlir::Operation *specialized = nullptr;
};

/// Whether a warp of its own can start these copies: all of tiles, from coordinates that it can compute by
/// itself, in a loop of the kernel's body, or in `outer`, which is one.
bool canSpecialize(mlir::scf::ForOp loop, mlir::scf::ForOp outer, llvm::ArrayRef<PipelinedLoad> loads);

/// The loop's operations that values in it are computed from, round after round.
llvm::SetVector<mlir::Operation *> getSources(mlir::scf::ForOp loop, mlir::ValueRange values);

/// The same of an operation's operands: itself is included only where it leads back to itself.
llvm::SetVector<mlir::Operation *> getSources(mlir::scf::ForOp loop, mlir::Operation *op);

/// Whether the operation is in the block, or under conditions in it: there it is done once or not at all.
bool isInRound(mlir::Operation *op, mlir::Block *block);

/// Whether this is what a copy leaves where its mask is off: zeros.
bool isZero(mlir::Value value);

/// Whether this makes matrix fragments of a value, in the same round. (Products whose threads take their
/// operands through scratch memory are left alone.)
bool makesFragments(mlir::Operation *op, mlir::Block *block);

/// The same of a transposition of two axes: its fragments are read from another view of the memory.
bool makesTransposedFragments(mlir::Operation *op, mlir::Block *block);

/// Whether the left factor of a warp group's product, which is in registers, is what a load has brought into
/// a ring, transposed or not. Such a product is split along the axis that is summed over: threads read one
/// piece of the factor while the matrix unit multiplies the others, also of the round before.
bool readsFactorFromRing(ttng::WarpGroupDotOp product, llvm::ArrayRef<PipelinedLoad> loads);

/// The memory that a view shows.
mlir::Value withoutTranspositions(mlir::Value memory);

/// Whether threads make a factor of the first of several products of a round, by warp groups, of what a load
/// has brought, element by element, and exchange it. Behind the start of that product, where the round's
/// copies begin, all of them are done with what they have read back. (Copies of a round with a single product
/// begin before it: behind it they would wait for its end.)
bool isExchangedForFirstProduct(const PipelinedLoad &pipelined);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_LOOPPIPELINE_H
