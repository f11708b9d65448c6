// The threads of a cluster's blocks take turns. See Emulation.h.
//
// A block's threads go on until all of the cluster have to meet, or the program is over; then it is the next
// block's turn. Now the first one goes first, now the last, so that what blocks do to each other in global
// memory without an order shows in results.
#include "Emulation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace nereid::gpu::emulation {

Cluster *cluster;
Block *block;

void join(Clocks &known, const Clocks &told) {
  for (size_t warp = 0; warp != known.size(); ++warp)
    known[warp] = std::max(known[warp], told[warp]);
}

void meet(Meeting kind) {
  Block::Fiber &self = block->fibers[block->current];
  self.at = kind;
  swapcontext(&self.context, &block->scheduler);
}

namespace {

void fiberMain() {
  block->entry(block->arguments);
  meet(Meeting::Done);
}

uint32_t emulatedThread() { return block->current; }
uint32_t emulatedProgram(uint32_t axis) { return block->program[axis]; }
uint32_t emulatedNumPrograms(uint32_t axis) { return block->numPrograms[axis]; }
void emulatedNamedBarrier(uint32_t number, uint32_t numThreads) {
  if (block->current == 0)
    ++block->statistics.barriers;
  Block::Fiber &self = block->fibers[block->current];
  self.barrier = number;
  self.barrierThreads = numThreads;
  meet(Meeting::Barrier);
  ++block->epochs[block->current];
}
void emulatedBarrier() { emulatedNamedBarrier(0, block->fibers.size()); }
void emulatedClusterBarrier() {
  meet(Meeting::Cluster);
  ++block->epochs[block->current];
}
uint32_t emulatedBlockInCluster() { return block->number; }
void emulatedFailure(const char *message, const char *path, uint32_t line) {
  uint32_t *program = block->program;
  block->failure = (llvm::Twine(path) + ":" + llvm::Twine(line) + ": assertion failed in program (" +
                    llvm::Twine(program[0]) + ", " + llvm::Twine(program[1]) + ", " +
                    llvm::Twine(program[2]) + "), thread " + llvm::Twine(block->current) + ": " + message)
                       .str();
  meet(Meeting::Failed); // and is never resumed
}
uint32_t emulatedShuffle(uint32_t value, uint32_t lane) {
  unsigned self = block->current;
  if (self == 0)
    ++block->statistics.shuffles;
  std::vector<uint32_t> &slots = block->exchanged[block->rounds[self]++ & 1];
  slots[self] = value;
  meet(Meeting::Shuffle);
  return slots[self / block->warpSize * block->warpSize + lane % block->warpSize];
}

/// Lets those go on who have all come: the lanes of a warp, the threads of a barrier, who waits for tiles.
/// True if anybody can.
bool release(std::vector<bool> &mayRun) {
  size_t numThreads = block->fibers.size();
  bool any = false;
  std::map<unsigned, std::vector<unsigned>> atBarrier;
  for (size_t first = 0; first != numThreads; first += block->warpSize) {
    Meeting at = block->fibers[first].at;
    bool isTogether = at == Meeting::Shuffle || at == Meeting::Matrix;
    for (size_t thread = first; thread != first + block->warpSize; ++thread)
      isTogether &= block->fibers[thread].at == at;
    for (size_t thread = first; thread != first + block->warpSize; ++thread) {
      Block::Fiber &fiber = block->fibers[thread];
      mayRun[thread] = isTogether || fiber.at == Meeting::Tiles;
      any |= isTogether;
      if (fiber.at == Meeting::Barrier)
        atBarrier[fiber.barrier].push_back(thread);
    }
  }
  for (auto &[number, threads] : atBarrier) {
    if (threads.size() != block->fibers[threads.front()].barrierThreads)
      continue;
    any = true;
    Clocks all = block->clocks.front();
    std::fill(all.begin(), all.end(), 0);
    for (unsigned thread : threads) {
      mayRun[thread] = true;
      join(all, block->clocks[block->getWarp(thread)]);
    }
    for (unsigned thread : threads) {
      unsigned warp = block->getWarp(thread);
      if (thread % block->warpSize)
        continue;
      block->clocks[warp] = all;
      ++block->clocks[warp][warp];
    }
  }
  return any;
}

void begin() {
  for (Block::Fiber &fiber : block->fibers) {
    fiber.at = Meeting::None;
    fiber.copies.clear();
    fiber.groups.clear();
    fiber.inGroups = 0;
    fiber.stack.resize(Block::stackBytes);
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, fiberMain, 0);
  }
  size_t count = block->fibers.size(), numWarps = count / block->warpSize;
  std::fill(block->rounds.begin(), block->rounds.end(), 0);
  std::fill(block->epochs.begin(), block->epochs.end(), 1);
  std::fill(block->touches.begin(), block->touches.end(), Block::Touch());
  block->clocks.assign(numWarps, Clocks(numWarps));
  for (size_t warp = 0; warp != numWarps; ++warp)
    block->clocks[warp][warp] = 1;
  block->reads.assign(block->hasTeams() ? block->touches.size() : 0, Clocks());
  block->tileBarriers.clear();
  block->madeMaps.clear();
  block->storedTiles.clear();
  block->unwritten.clear();
  block->isOver = false;
}

/// Runs a block's threads to their next meeting, again and again, until it is one of the cluster or they are
/// done. Returns what went wrong.
std::string runToNextPhase() {
  size_t count = block->fibers.size();
  std::vector<bool> mayRun(count, true);
  // Now the first threads run ahead, now the last: which they do must not matter.
  for (bool forwards = true;; forwards = !forwards) {
    bool isMoving = false, isWaiting = false;
    uint64_t waitsEndedBefore = block->numWaitsEnded;
    for (size_t i = 0; i < count; ++i) {
      block->current = forwards ? i : count - 1 - i;
      if (!mayRun[block->current])
        continue;
      Block::Fiber &fiber = block->fibers[block->current];
      bool wasWaiting = fiber.at == Meeting::Tiles;
      swapcontext(&block->scheduler, &fiber.context);
      if (fiber.at == Meeting::Failed)
        return block->failure;
      isWaiting |= fiber.at == Meeting::Tiles;
      isMoving |= !(wasWaiting && fiber.at == Meeting::Tiles);
    }
    if (!block->race.empty())
      return block->race;
    auto areAllAt = [&](Meeting at) {
      return llvm::all_of(block->fibers, [&](const Block::Fiber &fiber) { return fiber.at == at; });
    };
    if (areAllAt(Meeting::Cluster))
      return "";
    if (areAllAt(Meeting::Done)) {
      writeTiles();
      block->isOver = true;
      return "";
    }
    isMoving |= block->numWaitsEnded != waitsEndedBefore;
    if (!release(mayRun) && !isMoving)
      return isWaiting ? "a wait for tiles that never come" : "threads of a block met in different places";
    if (!isWaiting && llvm::none_of(mayRun, [](bool may) { return may; }))
      return "threads of a block met in different places";
  }
}

} // namespace

std::string runProgram() {
  cluster->phase = 1;
  for (Block &each : cluster->blocks) {
    block = &each;
    begin();
  }
  size_t count = cluster->blocks.size();
  while (true) {
    for (size_t i = 0; i != count; ++i) {
      block = &cluster->blocks[cluster->phase % 2 ? i : count - 1 - i];
      std::string problem = runToNextPhase();
      if (!problem.empty())
        return problem;
      auto isRead = [](const Block::Touch &touch) { return touch.remoteReadPhase == cluster->phase; };
      if (block->isOver && llvm::any_of(block->touches, isRead))
        return "a block ends while another one reads its memory";
    }
    if (llvm::all_of(cluster->blocks, [](const Block &each) { return each.isOver; }))
      return "";
    if (llvm::any_of(cluster->blocks, [](const Block &each) { return each.isOver; }))
      return "blocks of a cluster met in different places";
    ++cluster->phase;
  }
}

void addThreadSymbols(Symbols &symbols) {
  addSymbol(symbols, "emulatedThread", emulatedThread);
  addSymbol(symbols, "emulatedProgram", emulatedProgram);
  addSymbol(symbols, "emulatedNumPrograms", emulatedNumPrograms);
  addSymbol(symbols, "emulatedBarrier", emulatedBarrier);
  addSymbol(symbols, "emulatedNamedBarrier", emulatedNamedBarrier);
  addSymbol(symbols, "emulatedClusterBarrier", emulatedClusterBarrier);
  addSymbol(symbols, "emulatedBlockInCluster", emulatedBlockInCluster);
  addSymbol(symbols, "emulatedFailure", emulatedFailure);
  addSymbol(symbols, "emulatedShuffle", emulatedShuffle);
}

} // namespace nereid::gpu::emulation
