// Everything is counted for one block: what the loop needs beside its rings (LoopMemory.h), what the rings
// add, and how many such blocks a multiprocessor holds (Occupancy.h). See RingSizes.h.
#include "compiler/transforms/RingSizes.h"

#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/model/Occupancy.h"
#include "compiler/transforms/DealtPrograms.h"
#include "compiler/transforms/LateProducts.h"
#include "compiler/transforms/LoopMemory.h"
#include "compiler/transforms/LoopRegisters.h"
#include "compiler/transforms/StorePieces.h"

namespace nereid {

using mlir::Operation;
using mlir::Value;

/// Of shared memory, for small scratch memory, which AllocateSharedMemory keeps apart.
static constexpr unsigned spareBytes = 8192;

/// How many blocks a multiprocessor runs at a time: for how many it has room, but no more than there are
/// programs for.
static unsigned countBlocks(mlir::scf::ForOp loop, const BlockNeeds &needs, const Target &target) {
  unsigned blocks = countResidentBlocks(needs, target);
  std::optional<unsigned> programs = countDealtPrograms(loop);
  return programs ? std::min<unsigned>(blocks, llvm::divideCeil(*programs, getMostMultiprocessors(target)))
                  : blocks;
}

/// How many blocks a multiprocessor runs if each takes so much memory on chip while the loop runs.
static unsigned countBlocks(mlir::scf::ForOp loop, unsigned sharedBytes, const Target &target) {
  unsigned registers = std::min(getRegisterLimit(loop), estimateRegisters(loop) + registersOfAddresses);
  return countBlocks(loop, {ttg::getNumWarps(loop), registers, sharedBytes - spareBytes}, target);
}

/// The memory on chip that the loop takes without these loads' rings.
static unsigned estimateOtherMemory(mlir::scf::ForOp loop, llvm::ArrayRef<PipelinedLoad> loads) {
  return spareBytes + estimateSharedMemory(loop, [&](Operation *op) {
           if (llvm::any_of(loads, [&](const PipelinedLoad &pipelined) { return pipelined.load == op; }))
             return true;
           if (!mlir::isa<ttg::LocalAllocOp, ttg::ConvertLayoutOp>(op) || !op->getNumOperands())
             return false;
           Value source = op->getOperand(0);
           if (auto trans = source.getDefiningOp<tt::TransOp>())
             source = trans.getSrc();
           return llvm::any_of(
               loads, [&](const PipelinedLoad &pipelined) { return source == pipelined.getResult(); });
         });
}

static unsigned getBytesOfRound(llvm::ArrayRef<PipelinedLoad> loads) {
  unsigned bytes = 0;
  for (const PipelinedLoad &pipelined : loads)
    bytes += pipelined.getBytes();
  return bytes;
}

/// The buffers that leave a multiprocessor as many warps as it had with no rings: `buffers`, or fewer if
/// there are loops in this one. These have their own rings, and take most of the time, so that other blocks
/// hide what this one waits for. With 4 warps and a loop of 5 factors in one of 5 others, 64x64 bf16 each:
///
///     buffers of the outer loop      4          2          none
///     memory of both loops         208 KiB    128 KiB      88 KiB
///     blocks                         1          1          2
static unsigned countBuffersBesideOthers(mlir::scf::ForOp loop, unsigned buffers, const Target &target,
                                         llvm::function_ref<unsigned(unsigned)> getBytes) {
  if (loop.getBody()->getOps<mlir::scf::ForOp>().empty())
    return buffers;
  constexpr unsigned fewWarps = 8;
  unsigned numWarps = ttg::getNumWarps(loop), registers = getRegisterLimit(loop);
  auto countWarps = [&](unsigned bytes) {
    return countBlocks(loop, {numWarps, registers, bytes}, target) * numWarps;
  };
  unsigned warpsAlone = countWarps(estimateSharedMemory(loop, [](Operation *) { return false; }));
  auto isEnough = [&](unsigned buffers) {
    return countWarps(getBytes(buffers)) >= std::min(fewWarps, warpsAlone);
  };
  while (buffers > 1 && !isEnough(buffers))
    --buffers;
  return buffers;
}

/// Whether so much is loaded in a round that it cannot wait in registers for the products that take it, and
/// so goes to the only buffer that there is room for, as soon as the round before has read it.
static bool isWorthOneBuffer(mlir::scf::ForOp loop, llvm::ArrayRef<PipelinedLoad> loads) {
  constexpr unsigned manyWords = 64;
  unsigned threads = ttg::getNumWarps(loop) * 32;
  return llvm::none_of(loads, std::mem_fn(&PipelinedLoad::isTile)) &&
         llvm::all_of(loads, std::mem_fn(&PipelinedLoad::isDirect)) &&
         getBytesOfRound(loads) / threads / 4 >= manyWords && findLateProducts(loop, loads).empty();
}

/// Whether a load is at an address that the round itself loads.
static bool areAtLoadedAddresses(mlir::scf::ForOp loop, llvm::ArrayRef<PipelinedLoad> loads) {
  return llvm::any_of(loads, [&](const PipelinedLoad &pipelined) {
    return llvm::any_of(getSources(loop, pipelined.load), llvm::IsaPred<tt::LoadOp>);
  });
}

/// Where a warp group's products go on while the next round begins, three rounds ahead hide what a load
/// takes, but one block of four warps, or two, leave the matrix unit idle while they compute. So of longer
/// rings buffers go for other blocks. Where addresses are loaded themselves, whoever chose the stages chose
/// them for both loads of the chain, one behind the other, and half of them are enough for the second. Of
/// kernels of four warps with eight stages, and with five, us on an H200:
///
///     miniworld-engine's triangle attention    9 buffers, 1 block    142
///                                              4 buffers, 3 blocks     77
///     fastvideo's _attn_fwd_sparse             6 buffers, 1 block    316
///                                              3 buffers, 2 blocks   243    blocks of keys by a list
static unsigned countBuffersBesideBlocks(unsigned buffers, unsigned fewestBuffers, unsigned numWarps,
                                         llvm::function_ref<unsigned(unsigned)> countBlocks) {
  constexpr unsigned manyWarps = 12;
  unsigned blocks = countBlocks(buffers);
  for (unsigned shorter = buffers; shorter > fewestBuffers && blocks * numWarps < manyWarps;)
    if (unsigned others = countBlocks(--shorter); others > blocks) {
      blocks = others;
      buffers = shorter;
    }
  return buffers;
}

/// Fewer rounds ahead, and fewer loads, where memory on chip is short: products' own tiles go first, and of
/// them the largest. No rounds if there is no room for any.
///
/// A ring has a buffer more than there are rounds ahead, so that copies can start at the beginning of a
/// round. Where that leaves a multiprocessor few warps, and no product outlasts its round, a round's copies
/// go to the buffers that it has just read. Whether that pays depends on the grid. A program alone is the
/// faster for the buffer, but in place of four programs of one warp, three find room: 512 of them on an H200
/// take two turns, 128 take one all the same, in 0.6 of the time. So there are two forms of such a kernel.
/// Where no second block of few warps finds room by one buffer less, but does by several, these go: the
/// other block's round hides what a shorter ring does not.
///
/// Products that threads compute keep them busy for so long that two other blocks hide more than the second
/// buffer does: there the last one goes, too, if at least twice as many find room. Of deepmd-kit's
/// _to_local_bwd_dx, 2 blocks of 4 warps took 336 us, 4 take 250.
///
/// The same question where there are warps enough, but more find room with a buffer less. 768 programs of a
/// thin product (tiles of 16x16, 256 deep, 4 warps) take one turn with two buffers, as six blocks find room,
/// and two turns with three, as four do. There are two forms of these, too, of which the driver chooses the
/// first one (driver/ShorterRings.h); but the second of two buffers stays, without which no copy goes on
/// beside a product.
///
/// Where there are as many buffers as rounds, all copies can start before the loop.
///
/// The rings are kept as long as `around` runs: the loop, or one around it.
static Rings chooseRings(mlir::scf::ForOp loop, mlir::scf::ForOp around,
                         llvm::SmallVectorImpl<PipelinedLoad> &loads, unsigned stages, FormUse form,
                         const Target &target) {
  unsigned limit = getSharedMemoryLimit(target);
  for (; !loads.empty();) {
    unsigned needed = estimateOtherMemory(around, loads), ofRound = getBytesOfRound(loads);
    unsigned buffers = std::min(stages, (limit - std::min(limit, needed)) / ofRound);
    if (buffers > 1) {
      buffers = countBuffersBesideOthers(
          loop, buffers, target, [&](unsigned buffers) { return needed - spareBytes + buffers * ofRound; });
      if (buffers < 2)
        return {};
      constexpr unsigned fewWarps = 8;
      unsigned numWarps = ttg::getNumWarps(loop);
      if (!findLateProducts(loop, loads).empty())
        buffers = countBuffersBesideBlocks(
            buffers, areAtLoadedAddresses(loop, loads) ? 3 : 4, numWarps,
            [&](unsigned buffers) { return countBlocks(loop, needed + buffers * ofRound, target); });
      auto countWarps = [&](unsigned buffers) {
        BlockNeeds byMemory{numWarps, /*registers=*/0, needed - spareBytes + buffers * ofRound};
        return countBlocks(loop, byMemory, target) * numWarps;
      };
      bool isSynchronous =
          llvm::none_of(loads, std::mem_fn(&PipelinedLoad::isTile)) && findLateProducts(loop, loads).empty();
      bool hasFewWarps = countWarps(buffers) < fewWarps, isAlone = countWarps(buffers) == numWarps;
      unsigned shorter = buffers - 1;
      while (shorter > 1 && hasFewWarps && isAlone && countWarps(shorter) == numWarps)
        --shorter;
      if (hasFewWarps && isSynchronous && countWarps(shorter) <= fewWarps &&
          countWarps(1) >= 2 * countWarps(shorter) && !loop.getBody()->getOps<ttg::LocalDotOp>().empty())
        shorter = 1;
      bool canSaveMemory = isSynchronous && countWarps(shorter) > countWarps(buffers);
      bool mayBeShorter = canSaveMemory && !hasFewWarps && buffers > 2;
      bool savesMemory = (canSaveMemory && hasFewWarps && form != FormUse::FewPrograms) ||
                         (mayBeShorter && form == FormUse::FewerTurns);
      bool couldBeShorter = mayBeShorter && form == FormUse::Other;
      if (isSynchronous && !savesMemory && around == loop && loop.getStaticTripCount() == buffers)
        return {buffers, buffers, /*isShortForBlocks=*/false, couldBeShorter};
      if (savesMemory)
        return {shorter, shorter, savesMemory, couldBeShorter};
      return {buffers - 1, buffers, savesMemory, couldBeShorter};
    }
    if (buffers == 1 && isWorthOneBuffer(loop, loads))
      return {1, 1};
    auto isDirect = std::mem_fn(&PipelinedLoad::isDirect);
    if (llvm::all_of(loads, isDirect))
      loads.erase(
          std::min_element(loads.begin(), loads.end(), [](const PipelinedLoad &a, const PipelinedLoad &b) {
            return a.getBytes() < b.getBytes();
          }));
    else
      llvm::erase_if(loads, std::not_fn(isDirect));
  }
  return {};
}

Rings chooseRings(mlir::scf::ForOp loop, llvm::SmallVectorImpl<PipelinedLoad> &loads, unsigned stages,
                  FormUse form, const Target &target) {
  return chooseRings(loop, loop, loads, stages, form, target);
}

Rings chooseRingsAround(mlir::scf::ForOp loop, mlir::scf::ForOp outer,
                        llvm::SmallVectorImpl<PipelinedLoad> &loads, unsigned stages, const Target &target) {
  return chooseRings(loop, outer, loads, stages, FormUse::Other, target);
}

unsigned countBlocks(mlir::scf::ForOp loop, mlir::scf::ForOp around, llvm::ArrayRef<PipelinedLoad> loads,
                     Rings rings, const Target &target) {
  return countBlocks(loop, estimateOtherMemory(around, loads) + rings.numBuffers * getBytesOfRound(loads),
                     target);
}

std::optional<RegistersBesideProducer> chooseRegistersBesideProducer(mlir::scf::ForOp loop,
                                                                     mlir::scf::ForOp around,
                                                                     llvm::ArrayRef<PipelinedLoad> loads,
                                                                     Rings rings, unsigned ofProducer,
                                                                     const Target &target) {
  constexpr unsigned warpsInGroup = 4, allRegisters = 65536, granularity = 8, most = 240;
  unsigned numWarps = ttg::getNumWarps(loop);
  if (numWarps % warpsInGroup)
    return std::nullopt;
  unsigned ownGroups = numWarps / warpsInGroup, groups = ownGroups + 1;
  unsigned needed = std::min(most, estimateRegisters(loop) + registersOfAddresses);
  unsigned bytes =
      estimateOtherMemory(around, loads) + rings.numBuffers * getBytesOfRound(loads) - spareBytes;
  auto getOwn = [&](unsigned blocks) {
    unsigned atLaunch = llvm::alignDown(allRegisters / (blocks * groups * warpsInGroup * 32), granularity);
    unsigned left = std::min(most, atLaunch) * groups - ofProducer;
    return std::min<unsigned>(most, llvm::alignDown(left / ownGroups, granularity));
  };
  unsigned blocks = std::max(1u, countResidentBlocks({numWarps, /*registers=*/0, bytes}, target));
  while (blocks > 1 && getOwn(blocks) < needed)
    --blocks;
  return RegistersBesideProducer{getOwn(blocks), blocks};
}

void addSpareBuffer(mlir::scf::ForOp loop, mlir::scf::ForOp around, llvm::ArrayRef<PipelinedLoad> loads,
                    const Target &target, Rings &rings) {
  unsigned ofRound = getBytesOfRound(loads),
           bytes = estimateOtherMemory(around, loads) + rings.numBuffers * ofRound;
  if (bytes + ofRound > getSharedMemoryLimit(target) ||
      countBlocks(loop, bytes + ofRound, target) != countBlocks(loop, bytes, target))
    return;
  ++rings.numBuffers;
  if (llvm::hasSingleElement(loop.getBody()->getOps<ttng::WarpGroupDotOp>()))
    ++rings.roundsAhead;
}

void shortenRings(mlir::scf::ForOp loop, llvm::MutableArrayRef<PipelinedLoad> loads, const Target &target,
                  Rings rings) {
  constexpr unsigned manyWarps = 12;
  unsigned ofRound = 0;
  for (const PipelinedLoad &pipelined : loads)
    if (isExchangedForFirstProduct(pipelined))
      ofRound += pipelined.getBytes();
  unsigned bytes = estimateOtherMemory(loop, loads) + rings.numBuffers * getBytesOfRound(loads),
           saved = (rings.numBuffers - rings.roundsAhead) * ofRound,
           blocks = countBlocks(loop, bytes, target);
  if (saved == 0 || blocks * ttg::getNumWarps(loop) >= manyWarps ||
      countBlocks(loop, bytes - saved, target) <= blocks)
    return;
  for (PipelinedLoad &pipelined : loads)
    pipelined.hasShorterRing = isExchangedForFirstProduct(pipelined);
}

/// The tiles that the loop stores by tensor maps and that can be stored in pieces.
static llvm::SmallVector<tt::DescriptorStoreOp> findStores(mlir::scf::ForOp loop) {
  llvm::SmallVector<tt::DescriptorStoreOp> stores;
  for (auto store : loop.getBody()->getOps<tt::DescriptorStoreOp>())
    if (countPieces(store) > 1) {
      storeWhereItIs(store);
      stores.push_back(store);
    }
  return stores;
}

/// With the stores as they are.
static std::optional<Rings> chooseLastingRings(mlir::scf::ForOp loop, mlir::scf::ForOp outer,
                                               llvm::SmallVector<PipelinedLoad> loads, unsigned stages,
                                               Rings ofLoop, bool outlastRounds, unsigned bytesBefore,
                                               const Target &target) {
  size_t numLoads = loads.size();
  Rings rings = chooseRings(loop, outer, loads, stages, FormUse::Other, target);
  if (rings.roundsAhead != ofLoop.roundsAhead || loads.size() != numLoads)
    return std::nullopt;
  unsigned bytes = estimateOtherMemory(outer, loads) + rings.numBuffers * getBytesOfRound(loads);
  if (countBlocks(loop, bytes, target) != countBlocks(loop, bytesBefore, target))
    return std::nullopt;
  if (outlastRounds)
    addSpareBuffer(loop, outer, loads, target, rings);
  return rings;
}

std::optional<Rings> chooseLastingRings(mlir::scf::ForOp loop, mlir::scf::ForOp outer,
                                        llvm::ArrayRef<PipelinedLoad> loads, unsigned stages, Rings ofLoop,
                                        bool outlastRounds, const Target &target) {
  unsigned bytesBefore =
      std::max(estimateOtherMemory(outer, loads),
               estimateOtherMemory(loop, loads) + ofLoop.numBuffers * getBytesOfRound(loads));
  llvm::SmallVector<tt::DescriptorStoreOp> stores = findStores(outer);
  auto choose = [&](unsigned pieceBuffers) {
    for (tt::DescriptorStoreOp store : stores)
      storeInPieces(store, pieceBuffers);
    return chooseLastingRings(loop, outer, llvm::SmallVector<PipelinedLoad>(loads), stages, ofLoop,
                              outlastRounds, bytesBefore, target);
  };
  std::optional<Rings> best = choose(0);
  unsigned pieceBuffers = 0;
  for (unsigned buffers : {2, 1}) {
    std::optional<Rings> rings = stores.empty() ? std::nullopt : choose(buffers);
    if (!rings || (best && rings->numBuffers <= best->numBuffers))
      continue;
    best = rings;
    pieceBuffers = buffers;
  }
  for (tt::DescriptorStoreOp store : stores)
    storeInPieces(store, pieceBuffers);
  return best;
}

} // namespace nereid
