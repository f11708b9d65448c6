// The fibers of a block, what they do when they meet, and the road from IR text to code that the host runs.
#include "EmulatedBlock.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/tt/Registration.h"
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/lowering/gpu/Emitter.h"
#include "compiler/lowering/gpu/LowerToGPU.h"
#include "compiler/lowering/gpu/TargetLowering.h"
#include "compiler/transforms/Passes.h"
#include "linker/GridExpression.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

#include <ucontext.h>

#include <map>

namespace nereid::gpu {

namespace {

enum class Meeting : uint8_t { None, Barrier, Shuffle, Matrix, Tiles, Done, Failed };

/// Of each warp, up to which of its accesses another one knows that they are over.
using Clocks = std::vector<unsigned>;

void join(Clocks &known, const Clocks &told) {
  for (size_t warp = 0; warp != known.size(); ++warp)
    known[warp] = std::max(known[warp], told[warp]);
}

/// What the host's code passes for a tensor map.
struct EmulatedTensorMap {
  char *base;
  std::vector<int64_t> extents;
  TensorMap shape;
};

/// Of a box's first element, innermost axis first.
using BoxCoordinates = std::array<int32_t, TensorMap::mostAxes>;

/// The block that is running. Fibers take turns in one host thread, so that nothing here needs a lock.
struct Block {
  static constexpr size_t stackBytes = 256 * 1024;
  struct Copy {
    char *to;
    const char *from; // null for zeros
    uint32_t bytes;
  };
  struct Fiber {
    ucontext_t context;
    std::vector<char> stack;
    Meeting at = Meeting::None;
    /// At a barrier: which, and how many threads it takes.
    unsigned barrier = 0, barrierThreads = 0;
    /// Asynchronous copies under way, oldest first, and how many belong to each group that was committed.
    /// They are done when the thread waits for them, as late as they may be.
    std::vector<Copy> copies;
    std::vector<size_t> groups;
    size_t inGroups = 0;
  };
  std::vector<Fiber> fibers;
  /// A box of a tensor that is on its way to shared memory.
  struct Tile {
    char *to;
    const EmulatedTensorMap *map;
    BoxCoordinates first;
    size_t bytes() const {
      size_t bytes = map->shape.elementBytes;
      for (unsigned size : map->shape.box)
        bytes *= size;
      return bytes;
    }
  };
  /// An mbarrier, and what comes before its phase ends.
  struct TileBarrier {
    uint32_t phase = 0;
    unsigned count = 1, arrived = 0;
    size_t expected = 0;
    std::vector<Tile> tiles;
    /// What those knew that have arrived in any phase.
    Clocks clocks;
  };
  std::map<const char *, TileBarrier> tileBarriers;
  /// What the program itself has put into its memory.
  struct MadeMap {
    EmulatedTensorMap map;
    unsigned epoch = 0;           // of the thread that made it
    std::vector<bool> isAcquired; // by each thread
  };
  std::map<const char *, MadeMap> madeMaps;
  /// Global memory of all programs.
  std::vector<char> scratch;
  char *scratchStart = nullptr; // in that, aligned
  uint64_t scratchBytes = 0;    // of a program
  /// Boxes on their way from shared memory to a tensor: they are read when they are waited for.
  std::vector<Tile> storedTiles;
  /// What was read of them: it goes to the tensor when somebody waits for that, or at the end.
  struct Written {
    char *element;
    std::array<char, 8> bytes;
    unsigned count;
  };
  std::vector<Written> unwritten;
  /// What each thread hands out in a shuffle; two sets, so that nobody overwrites what another has yet to
  /// read.
  std::vector<uint32_t> exchanged[2];
  std::vector<unsigned> rounds;
  /// What each thread brings to a step of the matrix unit, likewise.
  struct Fragment {
    uint64_t left[4], right[2];
  };
  std::vector<Fragment> fragments[2];
  ucontext_t scheduler;
  unsigned current = 0, warpSize = 32;
  uint32_t program[3] = {0, 0, 0}, numPrograms[3] = {1, 1, 1};
  std::vector<char> shared;
  char *sharedStart = nullptr; // in that, aligned
  /// Of each byte of shared memory, who touched it last, and between which barriers.
  struct Touch {
    unsigned writer = 0, reader = 0;
    unsigned writeEpoch = 0, readEpoch = 0; // 0: not yet
    unsigned writeClock = 0;                // of the writer's warp
    bool severalReaders = false, isAtomic = false;
  };
  std::vector<Touch> touches;
  /// Of each thread, one more than the barriers that it has passed.
  std::vector<unsigned> epochs;
  /// The kernel's own warps are a team, and each that was launched beside them is one. What threads of a team
  /// do to shared memory is ordered by their barriers, which epochs count; what teams do, by whatever they
  /// meet at.
  unsigned ownWarps = 0;
  uint64_t numWaitsEnded = 0;
  std::vector<Clocks> clocks; // of each warp
  /// Of each byte and each warp, its clock when it last read the byte.
  std::vector<Clocks> reads;
  unsigned getWarp(unsigned thread) const { return thread / warpSize; }
  unsigned getTeam(unsigned thread) const {
    unsigned warp = getWarp(thread);
    return warp < ownWarps ? 0 : warp - ownWarps + 1;
  }
  bool hasTeams() const { return getTeam(fibers.size() - 1) != 0; }
  /// What the current thread's warp tells others.
  Clocks tell() {
    unsigned warp = getWarp(current);
    Clocks told = clocks[warp];
    ++clocks[warp][warp];
    return told;
  }
  std::string race;
  void (*entry)(void **) = nullptr;
  void **arguments = nullptr;
  RunStatistics statistics;
  /// What the first failed assertion said.
  std::string failure;
};

Block *block;

void meet(Meeting kind) {
  Block::Fiber &self = block->fibers[block->current];
  self.at = kind;
  swapcontext(&self.context, &block->scheduler);
}

void fiberMain() {
  block->entry(block->arguments);
  meet(Meeting::Done);
}

extern "C" {
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
/// What another team did to the byte before must be known to be over.
void checkOtherTeams(size_t place, bool isWrite) {
  unsigned self = block->current, team = block->getTeam(self);
  const Clocks &known = block->clocks[block->getWarp(self)];
  const Block::Touch &touch = block->touches[place];
  bool isRace = touch.writeEpoch && block->getTeam(touch.writer) != team &&
                touch.writeClock > known[block->getWarp(touch.writer)];
  if (isWrite && !block->reads[place].empty())
    for (unsigned warp = 0; warp != known.size(); ++warp)
      isRace |= block->getTeam(warp * block->warpSize) != team && block->reads[place][warp] > known[warp];
  if (isRace && block->race.empty())
    block->race = "thread " + std::to_string(self) +
                  " meets another partition's in shared memory, and nothing says who is first";
}
/// Called before each access of shared memory. Between two barriers, a byte that one thread writes must not
/// be touched by another.
void emulatedSharedAccess(const char *address, uint32_t bytes, uint32_t isWrite, uint32_t isAtomic) {
  unsigned self = block->current, now = block->epochs[self];
  for (uint32_t i = 0; i < bytes; ++i) {
    size_t place = address + i - block->shared.data();
    if (place >= block->touches.size()) {
      block->race = "an access of shared memory is out of bounds";
      return;
    }
    Block::Touch &touch = block->touches[place];
    if (block->hasTeams())
      checkOtherTeams(place, isWrite);
    auto isOfTeam = [&](unsigned other) { return block->getTeam(other) == block->getTeam(self); };
    bool meetsWrite = touch.writeEpoch == now && touch.writer != self && isOfTeam(touch.writer) &&
                      !(isAtomic && touch.isAtomic);
    bool meetsRead = isWrite && touch.readEpoch == now && isOfTeam(touch.reader) &&
                     (touch.severalReaders || touch.reader != self) && !(isAtomic && touch.isAtomic);
    if ((meetsWrite || meetsRead) && block->race.empty())
      block->race = "threads " + std::to_string(self) + " and " +
                    std::to_string(meetsWrite ? touch.writer : touch.reader) +
                    " meet in shared memory without a barrier between";
    if (isWrite) {
      touch.writer = self;
      touch.writeEpoch = now;
      touch.writeClock = block->clocks[block->getWarp(self)][block->getWarp(self)];
    }
    if (!isWrite || isAtomic) {
      touch.severalReaders = touch.readEpoch == now && (touch.severalReaders || touch.reader != self);
      touch.reader = self;
      touch.readEpoch = now;
      if (block->hasTeams()) {
        unsigned warp = block->getWarp(self);
        block->reads[place].resize(block->clocks.size());
        block->reads[place][warp] = block->clocks[warp][warp];
      }
    }
    touch.isAtomic = isAtomic;
  }
}
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

void emulatedCopy(char *to, const char *from, uint32_t bytes, bool reads, bool writes) {
  if (writes)
    block->fibers[block->current].copies.push_back({to, reads ? from : nullptr, bytes});
}
void emulatedCommit() {
  Block::Fiber &self = block->fibers[block->current];
  self.groups.push_back(self.copies.size() - self.inGroups);
  self.inGroups = self.copies.size();
}
void emulatedWait(uint32_t pending) {
  Block::Fiber &self = block->fibers[block->current];
  while (self.groups.size() > pending) {
    auto end = self.copies.begin() + self.groups.front();
    for (auto copy = self.copies.begin(); copy != end; ++copy) {
      emulatedSharedAccess(copy->to, copy->bytes, /*isWrite=*/1, /*isAtomic=*/0);
      copy->from ? std::memcpy(copy->to, copy->from, copy->bytes) : std::memset(copy->to, 0, copy->bytes);
    }
    self.copies.erase(self.copies.begin(), end);
    self.inGroups -= self.groups.front();
    self.groups.erase(self.groups.begin());
  }
}

/// What the units that copy tiles do without the threads: nobody else may be using the bytes since the last
/// barrier. What comes later is ordered by the tiles' own barrier.
void takeForTiles(const char *address, size_t bytes, bool isTile) {
  unsigned self = block->current, now = block->epochs[self];
  for (size_t i = 0; i < bytes; ++i) {
    size_t place = address + i - block->shared.data();
    if (place >= block->touches.size()) {
      block->race = "a tile is copied out of bounds";
      return;
    }
    Block::Touch &touch = block->touches[place];
    auto isOfTeam = [&](unsigned other) { return block->getTeam(other) == block->getTeam(self); };
    if ((touch.writeEpoch == now && touch.writer != self && isOfTeam(touch.writer)) ||
        (touch.readEpoch == now && isOfTeam(touch.reader) && (touch.severalReaders || touch.reader != self)))
      block->race = "a tile is copied to memory that threads use without a barrier between";
    if (!block->hasTeams())
      continue;
    checkOtherTeams(place, /*isWrite=*/true);
    // Threads of the same team see it behind the tiles' barrier, as those of others do.
    if (isTile) {
      touch.writer = self;
      touch.writeEpoch = ~0u;
      touch.writeClock = block->clocks[block->getWarp(self)][block->getWarp(self)];
    }
  }
}
void emulatedTileBegin(uint32_t thread, const char *barrier, uint32_t count) {
  if (thread != 0)
    return;
  emulatedSharedAccess(barrier, 8, /*isWrite=*/1, /*isAtomic=*/0);
  auto [made, isNew] = block->tileBarriers.try_emplace(barrier);
  if (!isNew)
    block->race = "a tiles' barrier is made where there is one";
  made->second.count = count;
  made->second.clocks.resize(block->clocks.size());
}
void emulatedTileEnd(uint32_t thread, const char *barrier) {
  if (thread != 0)
    return;
  emulatedSharedAccess(barrier, 8, /*isWrite=*/1, /*isAtomic=*/0);
  if (!block->tileBarriers.erase(barrier))
    block->race = "a tiles' barrier is ended that is none";
}
Block::TileBarrier *findTileBarrier(const char *barrier) {
  auto found = block->tileBarriers.find(barrier);
  if (found != block->tileBarriers.end())
    return &found->second;
  block->race = "what is no tiles' barrier is used as one";
  return nullptr;
}
void arrive(Block::TileBarrier &state, unsigned count) {
  state.arrived += count;
  if (state.arrived > state.count)
    block->race = "there are more arrivals at a tiles' barrier than it waits for in a phase";
  join(state.clocks, block->tell());
}
void emulatedTileExpect(uint32_t thread, const char *barrier, uint32_t bytes, bool acts) {
  meet(Meeting::Shuffle); // as the lanes do to elect one
  if (thread != 0 || !acts)
    return;
  takeForTiles(barrier, 8, /*isTile=*/false);
  if (Block::TileBarrier *state = findTileBarrier(barrier)) {
    state->expected += bytes;
    arrive(*state, 1);
  }
}
/// By one of the team's threads, or by one of each warp when all of its lanes have come.
void emulatedTileArrive(uint32_t thread, uint32_t ofEachWarp, const char *barrier, uint32_t count,
                        bool acts) {
  if (ofEachWarp) {
    meet(Meeting::Shuffle);
    thread = block->current % block->warpSize;
  }
  if (thread != 0 || !acts)
    return;
  emulatedSharedAccess(barrier, 8, /*isWrite=*/0, /*isAtomic=*/0);
  if (Block::TileBarrier *state = findTileBarrier(barrier))
    arrive(*state, count);
}
/// As the library checks it.
bool isValid(const EmulatedTensorMap &map) {
  constexpr uintptr_t piece = 16;
  size_t rank = map.shape.box.size();
  bool isValid = reinterpret_cast<uintptr_t>(map.base) % piece == 0;
  for (size_t axis = 0; axis != rank; ++axis) {
    isValid &= map.extents[axis] > 0;
    isValid &= axis + 1 == rank || map.extents[axis] == 1 ||
               map.extents[rank + axis] * map.shape.elementBytes % piece == 0;
  }
  return isValid;
}
bool isInScratch(const void *address) {
  return address >= block->scratch.data() && address < block->scratch.data() + block->scratch.size();
}
/// Numbers are innermost axis first, strides in bytes.
void emulatedMapMake(char *shared, char *map, char *base, uint32_t rank, const int64_t *box,
                     const int64_t *sizes, const int64_t *strides, uint32_t elementType,
                     uint32_t swizzleMode) {
  if (block->current != 0)
    return;
  constexpr unsigned bytes = 128;
  emulatedSharedAccess(shared, bytes, /*isWrite=*/1, /*isAtomic=*/0);
  uint32_t *program = block->program, *count = block->numPrograms;
  char *own = block->scratchStart +
              (program[0] + count[0] * (program[1] + uint64_t(count[1]) * program[2])) * block->scratchBytes;
  if (map < own || map + bytes > own + block->scratchBytes || (map - own) % bytes)
    block->race = "a tensor map is made outside of the program's own memory";
  auto isOfThis = [&](const Block::Tile &tile) {
    auto found = block->madeMaps.find(map);
    return found != block->madeMaps.end() && tile.map == &found->second.map;
  };
  bool isUsed = llvm::any_of(block->storedTiles, isOfThis);
  for (auto &[address, barrier] : block->tileBarriers)
    isUsed |= llvm::any_of(barrier.tiles, isOfThis);
  if (isUsed)
    block->race = "a tensor map is made anew while copies by the old one are under way";
  Block::MadeMap &made = block->madeMaps[map];
  made.map.base = base;
  made.map.shape.elementBytes = 1 << elementType; // of integers
  constexpr unsigned piece = 16;
  made.map.shape.swizzleBytes = swizzleMode ? piece << swizzleMode : 0;
  made.map.shape.box.clear();
  made.map.extents.clear();
  for (unsigned axis = rank; axis--;) {
    made.map.shape.box.push_back(box[axis]);
    made.map.extents.push_back(sizes[axis]);
  }
  for (unsigned axis = rank - 1; axis--;)
    made.map.extents.push_back(strides[axis] / made.map.shape.elementBytes);
  made.epoch = block->epochs[0];
  made.isAcquired.assign(block->fibers.size(), false);
  if (!isValid(made.map) ||
      llvm::any_of(llvm::ArrayRef(strides, rank - 1), [](int64_t stride) { return stride % piece; }))
    block->race = "a tensor map is made of what the GPU cannot copy";
}
void emulatedMapAcquire(const char *map) {
  auto found = block->madeMaps.find(map);
  if (found == block->madeMaps.end()) {
    block->race = "a tensor map is acquired that is none";
    return;
  }
  // A thread that has not met the one that made the map since then may have come before it.
  if (block->current == 0 || block->epochs[block->current] > found->second.epoch)
    found->second.isAcquired[block->current] = true;
}
/// The map that a copy names.
const EmulatedTensorMap *findMap(const EmulatedTensorMap *map) {
  if (!isInScratch(map))
    return map; // the launch's
  auto found = block->madeMaps.find(reinterpret_cast<const char *>(map));
  if (found == block->madeMaps.end() || !found->second.isAcquired[block->current]) {
    block->race = found == block->madeMaps.end() ? "a tile is copied by a tensor map that is not made yet"
                                                 : "a tile is copied by a tensor map without a fence before";
    return nullptr;
  }
  return &found->second.map;
}
void emulatedTileCopy(uint32_t thread, char *to, const EmulatedTensorMap *map, int32_t c0, int32_t c1,
                      int32_t c2, int32_t c3, int32_t c4, const char *barrier, bool acts) {
  if (thread != 0 || !acts)
    return;
  if (!(map = findMap(map)))
    return;
  Block::Tile tile{to, map, {c0, c1, c2, c3, c4}};
  takeForTiles(to, tile.bytes(), /*isTile=*/true);
  std::memset(to, 0x7f, tile.bytes()); // until it is waited for
  if (Block::TileBarrier *state = findTileBarrier(barrier)) {
    state->tiles.push_back(tile);
    join(state->clocks, block->tell());
  }
}
/// Calls `copy` with each element's place in shared memory and in the tensor, which is null outside of it.
void forEachElement(const Block::Tile &tile, llvm::function_ref<void(char *, char *)> copy) {
  const TensorMap &shape = tile.map->shape;
  size_t rank = shape.box.size(), count = tile.bytes() / shape.elementBytes;
  for (size_t i = 0; i != count; ++i) {
    size_t rest = i;
    int64_t element = 0;
    bool isInside = true;
    for (size_t d = 0; d != rank; ++d) {
      size_t axis = rank - 1 - d;
      int64_t index = int64_t(tile.first[d]) + int64_t(rest % shape.box[axis]);
      rest /= shape.box[axis];
      isInside &= index >= 0 && index < tile.map->extents[axis];
      element += d == 0 ? index : index * tile.map->extents[rank + axis];
    }
    // The unit takes the swizzle from the address: pieces of 16 bytes change places with the row of 128 bytes
    // that they are in, as PTX draws the swizzling modes.
    size_t offset = tile.to - block->sharedStart + i * shape.elementBytes;
    constexpr size_t piece = 16, row = 128;
    if (shape.swizzleBytes)
      offset ^= offset / row % (shape.swizzleBytes / piece) * piece;
    copy(block->sharedStart + offset, isInside ? tile.map->base + element * shape.elementBytes : nullptr);
  }
}
/// Ends the phase if all has come.
void tryToEndPhase(Block::TileBarrier &state) {
  size_t bytes = 0;
  for (const Block::Tile &tile : state.tiles)
    bytes += tile.bytes();
  if (state.arrived != state.count || bytes != state.expected)
    return;
  for (const Block::Tile &tile : state.tiles)
    forEachElement(tile, [&](char *shared, char *element) {
      unsigned size = tile.map->shape.elementBytes;
      element ? std::memcpy(shared, element, size) : std::memset(shared, 0, size);
    });
  ++state.phase;
  state.arrived = 0;
  state.expected = 0;
  state.tiles.clear();
}
void emulatedTileWait(const char *barrier, uint32_t phase) {
  // Until the barrier of the block after this, or another of these, nobody may begin its next phase, whose
  // end this thread could miss.
  do {
    meet(Meeting::Tiles);
    emulatedSharedAccess(barrier, 8, /*isWrite=*/0, /*isAtomic=*/0);
    Block::TileBarrier *state = findTileBarrier(barrier);
    if (!state)
      return;
    if (state->phase % 2 == phase)
      tryToEndPhase(*state);
    if (state->phase % 2 != phase) {
      ++block->numWaitsEnded;
      join(block->clocks[block->getWarp(block->current)], state->clocks);
      return;
    }
  } while (true);
}

void emulatedTileStore(uint32_t thread, char *from, const EmulatedTensorMap *map, int32_t c0, int32_t c1,
                       int32_t c2, int32_t c3, int32_t c4) {
  if (thread != 0 || !(map = findMap(map)))
    return;
  block->storedTiles.push_back({from, map, {c0, c1, c2, c3, c4}});
  emulatedSharedAccess(from, block->storedTiles.back().bytes(), /*isWrite=*/0, /*isAtomic=*/0);
}
void writeTiles() {
  for (const Block::Written &written : block->unwritten)
    std::memcpy(written.element, written.bytes.data(), written.count);
  block->unwritten.clear();
}
void emulatedTileStoreWait(uint32_t pending, uint32_t untilWritten) {
  std::vector<Block::Tile> &tiles = block->storedTiles;
  if (block->current != 0)
    return;
  size_t done = tiles.size() - std::min<size_t>(pending, tiles.size());
  for (const Block::Tile &tile : llvm::ArrayRef(tiles).take_front(done)) {
    unsigned bytes = tile.map->shape.elementBytes;
    forEachElement(tile, [&](char *shared, char *element) {
      if (!element)
        return;
      Block::Written &written = block->unwritten.emplace_back();
      written.element = element;
      written.count = bytes;
      std::memcpy(written.bytes.data(), shared, bytes);
    });
    emulatedSharedAccess(tile.to, tile.bytes(), /*isWrite=*/0, /*isAtomic=*/0);
  }
  tiles.erase(tiles.begin(), tiles.begin() + done);
  if (untilWritten)
    writeTiles();
}

/// One element of a register of an operand.
double decodeElement(MatrixStep::Element element, uint64_t bits, unsigned position) {
  auto decode = [&](const llvm::fltSemantics &semantics, unsigned width) {
    llvm::APFloat number(semantics,
                         llvm::APInt(width, bits >> (position * width) & ((uint64_t(1) << width) - 1)));
    bool losesInfo;
    number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return number.convertToDouble();
  };
  switch (element) {
  case MatrixStep::Element::F16:
    return decode(llvm::APFloat::IEEEhalf(), 16);
  case MatrixStep::Element::BF16:
    return decode(llvm::APFloat::BFloat(), 16);
  case MatrixStep::Element::TF32:
    bits &= ~uint64_t(0x1fff); // the unit does not look at the last 13 bits
    return llvm::bit_cast<float>(uint32_t(bits));
  case MatrixStep::Element::F64:
    return llvm::bit_cast<double>(bits);
  case MatrixStep::Element::S8:
    return int8_t(bits >> (8 * position));
  case MatrixStep::Element::E4M3:
    return decode(llvm::APFloat::Float8E4M3FN(), 8);
  case MatrixStep::Element::E5M2:
    return decode(llvm::APFloat::Float8E5M2(), 8);
  }
  llvm_unreachable("every element is listed above");
}

/// A step as MatrixStep describes it. Sums are exact in double but for the final rounding, which the compiled
/// code does.
void emulatedMatrixStep(uint32_t leftElement, uint32_t rightElement, const uint64_t *left,
                        const uint64_t *right, double *sums) {
  unsigned self = block->current, lane = self % block->warpSize, firstLane = self - lane;
  std::vector<Block::Fragment> &slots = block->fragments[block->rounds[self]++ & 1];
  std::copy_n(left, 4, slots[self].left);
  std::copy_n(right, 2, slots[self].right);
  meet(Meeting::Matrix);
  MatrixStep step{MatrixStep::Element(leftElement), MatrixStep::Element(rightElement)};
  for (unsigned i = 0; i != 4; ++i) {
    unsigned row = lane / 4, down = i / 2, column = 2 * (lane % 4) + i % 2;
    for (unsigned half : {0, 1})
      for (unsigned quarter = 0; quarter != 4; ++quarter)
        for (unsigned position = 0; position != step.getElementsPerRegister(); ++position)
          sums[i] +=
              decodeElement(step.left, slots[firstLane + 4 * row + quarter].left[2 * half + down], position) *
              decodeElement(step.right, slots[firstLane + 4 * column + quarter].right[half], position);
  }
}
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

/// Runs all fibers to their next meeting, again and again. Returns what went wrong.
std::string runBlock() {
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
    if (llvm::all_of(block->fibers, [](const Block::Fiber &fiber) { return fiber.at == Meeting::Done; })) {
      writeTiles();
      return "";
    }
    isMoving |= block->numWaitsEnded != waitsEndedBefore;
    if (!release(mayRun) && !isMoving)
      return isWaiting ? "a wait for tiles that never come" : "threads of a block met in different places";
    if (!isWaiting && llvm::none_of(mayRun, [](bool may) { return may; }))
      return "threads of a block met in different places";
  }
}

class HostLowering final : public TargetLowering {
public:
  using TargetLowering::TargetLowering;

  llvm::StringRef getTriple() const override {
    static const std::string triple = llvm::sys::getProcessTriple();
    return triple;
  }
  void makeKernel(llvm::Function &, unsigned) const override {}

  llvm::Value *threadId(Builder &b) const override { return call(b, "emulatedThread", b.getInt32Ty(), {}); }
  llvm::Value *programId(Builder &b, unsigned axis) const override {
    return call(b, "emulatedProgram", b.getInt32Ty(), {b.getInt32(axis)});
  }
  llvm::Value *numPrograms(Builder &b, unsigned axis) const override {
    return call(b, "emulatedNumPrograms", b.getInt32Ty(), {b.getInt32(axis)});
  }
  void barrier(Builder &b) const override { call(b, "emulatedBarrier", b.getVoidTy(), {}); }
  llvm::Value *shuffleXorI32(Builder &b, llvm::Value *value, unsigned mask) const override {
    llvm::Value *lane = b.CreateAnd(threadId(b), getWarpSize() - 1);
    return shuffleIndexI32(b, value, b.CreateXor(lane, mask));
  }
  llvm::Value *shuffleIndexI32(Builder &b, llvm::Value *value, llvm::Value *lane) const override {
    return call(b, "emulatedShuffle", b.getInt32Ty(), {value, lane});
  }
  void barrier(Builder &b, unsigned number, unsigned numThreads) const override {
    call(b, "emulatedNamedBarrier", b.getVoidTy(), {b.getInt32(number), b.getInt32(numThreads)});
  }
  unsigned countBarriers() const override { return getWarpSize() == 32 ? 16 : 0; }
  void setRegisters(Builder &, unsigned, bool) const override {}
  bool hasMatrixLoads() const override { return getWarpSize() == 32; }
  bool hasMatrixStores() const override { return getWarpSize() == 32; }
  void copyAsync(Builder &b, llvm::Value *shared, llvm::Value *global, unsigned bytes, llvm::Value *predicate,
                 llvm::Value *writes) const override {
    auto *type = llvm::FunctionType::get(
        b.getVoidTy(), {b.getPtrTy(), b.getPtrTy(), b.getInt32Ty(), b.getInt1Ty(), b.getInt1Ty()}, false);
    llvm::Module *module = b.GetInsertBlock()->getModule();
    b.CreateCall(module->getOrInsertFunction("emulatedCopy", type),
                 {b.CreateAddrSpaceCast(shared, b.getPtrTy()), b.CreateAddrSpaceCast(global, b.getPtrTy()),
                  b.getInt32(bytes), predicate ? predicate : b.getTrue(), writes ? writes : b.getTrue()});
  }
  void addEmitters(EmitterTable &table) const override {
    addTileCopyEmitters(table);
    table.add<ttng::FenceAsyncSharedOp, emitFence>();
  }
  void beginTileBarrier(Builder &b, llvm::Value *thread, llvm::Value *barrier,
                        unsigned count) const override {
    callAny(b, "emulatedTileBegin", {thread, generic(b, barrier), b.getInt32(count)});
  }
  void endTileBarrier(Builder &b, llvm::Value *thread, llvm::Value *barrier) const override {
    callAny(b, "emulatedTileEnd", {thread, generic(b, barrier)});
  }
  void arriveAtTileBarrier(Builder &b, llvm::Value *thread, llvm::Value *barrier, unsigned count,
                           llvm::Value *predicate) const override {
    callAny(b, "emulatedTileArrive",
            {thread ? thread : b.getInt32(0), b.getInt32(!thread), generic(b, barrier), b.getInt32(count),
             predicate ? predicate : b.getTrue()});
  }
  void expectTileBytes(Builder &b, llvm::Value *thread, llvm::Value *barrier, unsigned bytes,
                       llvm::Value *predicate) const override {
    callAny(b, "emulatedTileExpect", {thread, generic(b, barrier), b.getInt32(bytes), predicate});
  }
  void waitForTiles(Builder &b, llvm::Value *barrier, llvm::Value *phase) const override {
    callAny(b, "emulatedTileWait", {generic(b, barrier), phase});
  }
  /// As many as there may be.
  static void appendCoordinates(Builder &b, llvm::SmallVectorImpl<llvm::Value *> &operands,
                                llvm::ArrayRef<llvm::Value *> coordinates) {
    llvm::append_range(operands, coordinates);
    operands.append(TensorMap::mostAxes - coordinates.size(), b.getInt32(0));
  }
  void copyTile(Builder &b, llvm::Value *thread, llvm::Value *shared, llvm::Value *map,
                llvm::ArrayRef<llvm::Value *> coordinates, llvm::Value *barrier,
                llvm::Value *predicate) const override {
    llvm::SmallVector<llvm::Value *> operands{thread, generic(b, shared), map};
    appendCoordinates(b, operands, coordinates);
    operands.append({generic(b, barrier), predicate});
    callAny(b, "emulatedTileCopy", operands);
  }
  void storeTile(Builder &b, llvm::Value *thread, llvm::Value *shared, llvm::Value *map,
                 llvm::ArrayRef<llvm::Value *> coordinates) const override {
    llvm::SmallVector<llvm::Value *> operands{thread, generic(b, shared), map};
    appendCoordinates(b, operands, coordinates);
    callAny(b, "emulatedTileStore", operands);
  }
  void waitForStoredTiles(Builder &b, unsigned pending, bool untilWritten) const override {
    callAny(b, "emulatedTileStoreWait", {b.getInt32(pending), b.getInt32(untilWritten)});
  }
  bool canMakeTensorMaps() const override { return true; }
  void makeTensorMap(Builder &b, llvm::Value *shared, llvm::Value *map,
                     const TensorMapFields &fields) const override {
    auto spill = [&](llvm::ArrayRef<llvm::Value *> numbers) {
      llvm::BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
      Builder atEntry(&entry, entry.begin());
      auto *array = atEntry.CreateAlloca(llvm::ArrayType::get(b.getInt64Ty(), TensorMap::mostAxes));
      for (auto [i, number] : llvm::enumerate(numbers))
        b.CreateStore(b.CreateSExt(number, b.getInt64Ty()), b.CreateConstGEP1_32(b.getInt64Ty(), array, i));
      return array;
    };
    callAny(b, "emulatedMapMake",
            {generic(b, shared), map, fields.address, b.getInt32(fields.sizes.size()), spill(fields.box),
             spill(fields.sizes), spill(fields.strides), b.getInt32(fields.elementType),
             b.getInt32(fields.swizzleMode)});
  }
  void acquireTensorMap(Builder &b, llvm::Value *map) const override {
    callAny(b, "emulatedMapAcquire", {map});
  }
  void commitCopies(Builder &b) const override { call(b, "emulatedCommit", b.getVoidTy(), {}); }
  void waitForCopies(Builder &b, unsigned pending) const override {
    call(b, "emulatedWait", b.getVoidTy(), {b.getInt32(pending)});
  }
  llvm::SmallVector<llvm::Value *, 4> multiplyMatrices(Builder &b, const MatrixStep &step,
                                                       llvm::ArrayRef<llvm::Value *> left,
                                                       llvm::ArrayRef<llvm::Value *> right,
                                                       llvm::ArrayRef<llvm::Value *> sums) const override {
    auto spill = [&](llvm::ArrayRef<llvm::Value *> values, llvm::Type *type, auto convert) {
      llvm::BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
      Builder atEntry(&entry, entry.begin());
      auto *array = atEntry.CreateAlloca(llvm::ArrayType::get(type, values.size()));
      for (auto [i, value] : llvm::enumerate(values))
        b.CreateStore(convert(value), b.CreateConstGEP1_32(type, array, i));
      return array;
    };
    auto toBits = [&](llvm::Value *value) {
      return b.CreateZExt(value->getType()->isDoubleTy() ? b.CreateBitCast(value, b.getInt64Ty()) : value,
                          b.getInt64Ty());
    };
    llvm::Type *sumType = sums.front()->getType();
    auto toDouble = [&](llvm::Value *value) {
      return sumType->isIntegerTy() ? b.CreateSIToFP(value, b.getDoubleTy())
                                    : b.CreateFPExt(value, b.getDoubleTy());
    };
    llvm::Value *total = spill(sums, b.getDoubleTy(), toDouble);
    llvm::Module *module = b.GetInsertBlock()->getModule();
    auto *type = llvm::FunctionType::get(
        b.getVoidTy(), {b.getInt32Ty(), b.getInt32Ty(), b.getPtrTy(), b.getPtrTy(), b.getPtrTy()}, false);
    b.CreateCall(module->getOrInsertFunction("emulatedMatrixStep", type),
                 {b.getInt32(unsigned(step.left)), b.getInt32(unsigned(step.right)),
                  spill(left, b.getInt64Ty(), toBits), spill(right, b.getInt64Ty(), toBits), total});
    llvm::SmallVector<llvm::Value *, 4> results;
    for (unsigned i = 0; i != sums.size(); ++i) {
      llvm::Value *sum = b.CreateLoad(b.getDoubleTy(), b.CreateConstGEP1_32(b.getDoubleTy(), total, i));
      results.push_back(sumType->isIntegerTy() ? b.CreateFPToSI(sum, sumType)
                                               : b.CreateFPTrunc(sum, sumType));
    }
    return results;
  }
  llvm::Value *math(Builder &b, MathFunction function,
                    llvm::ArrayRef<llvm::Value *> arguments) const override {
    llvm::Type *type = arguments[0]->getType();
    if (function == MathFunction::Rsqrt) // which C lacks
      return b.CreateFDiv(llvm::ConstantFP::get(type, 1.0),
                          b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, arguments[0]));
    return callLibrary(b, getMathName(function) + (type->isFloatTy() ? "f" : ""), type, arguments);
  }
  /// cvt.rn.bf16.f32, which x86's instruction of that kind is not: it takes subnormal numbers for zero.
  llvm::Value *truncateToBF16(Builder &b, llvm::Value *value) const override {
    llvm::Value *bits = b.CreateBitCast(value, b.getInt32Ty());
    llvm::Value *tie = b.CreateAnd(b.CreateLShr(bits, 16), 1);
    llvm::Value *rounded = b.CreateAdd(b.CreateAdd(bits, b.getInt32(0x7FFF)), tie);
    llvm::Value *half = b.CreateTrunc(b.CreateLShr(rounded, 16), b.getInt16Ty());
    return b.CreateBitCast(b.CreateSelect(b.CreateFCmpUNO(value, value), b.getInt16(0x7FFF), half),
                           b.getBFloatTy());
  }
  void failAssertion(Builder &b, const Assertion &assertion) const override {
    llvm::Type *pointer = b.getPtrTy();
    auto *type = llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer, b.getInt32Ty()}, false);
    b.CreateCall(b.GetInsertBlock()->getModule()->getOrInsertFunction("emulatedFailure", type),
                 {b.CreateGlobalString(assertion.message), b.CreateGlobalString(assertion.path),
                  b.getInt32(assertion.line)});
  }
  void print(Builder &b, llvm::StringRef format, llvm::ArrayRef<llvm::Value *> arguments) const override {
    llvm::SmallVector<llvm::Value *> all{b.CreateGlobalString(format)};
    all.append(arguments.begin(), arguments.end());
    auto *type = llvm::FunctionType::get(b.getInt32Ty(), {b.getPtrTy()}, /*isVarArg=*/true);
    b.CreateCall(b.GetInsertBlock()->getModule()->getOrInsertFunction("printf", type), all);
  }

private:
  llvm::StringRef getSyncScopeName(AtomicScope) const override { return ""; }

  static mlir::LogicalResult emitFence(Emitter &, ttng::FenceAsyncSharedOp) { return mlir::success(); }
  static llvm::Value *generic(Builder &b, llvm::Value *shared) {
    return b.CreateAddrSpaceCast(shared, b.getPtrTy());
  }
  static void callAny(Builder &b, llvm::StringRef name, llvm::ArrayRef<llvm::Value *> arguments) {
    llvm::SmallVector<llvm::Type *> types;
    for (llvm::Value *argument : arguments)
      types.push_back(argument->getType());
    llvm::Module *module = b.GetInsertBlock()->getModule();
    b.CreateCall(
        module->getOrInsertFunction(name, llvm::FunctionType::get(b.getVoidTy(), types, /*isVarArg=*/false)),
        arguments);
  }
  static llvm::Value *call(Builder &b, llvm::StringRef name, llvm::Type *result,
                           llvm::ArrayRef<llvm::Value *> arguments) {
    llvm::SmallVector<llvm::Type *> types(arguments.size(), b.getInt32Ty());
    llvm::Module *module = b.GetInsertBlock()->getModule();
    return b.CreateCall(module->getOrInsertFunction(name, llvm::FunctionType::get(result, types, false)),
                        arguments);
  }
};

/// Puts a call of emulatedSharedAccess before each access of shared memory.
void watchSharedMemory(llvm::Module &module) {
  const llvm::DataLayout &layout = module.getDataLayout();
  llvm::IRBuilder<> b(module.getContext());
  auto *type = llvm::FunctionType::get(b.getVoidTy(),
                                       {b.getPtrTy(), b.getInt32Ty(), b.getInt32Ty(), b.getInt32Ty()}, false);
  llvm::FunctionCallee callee = module.getOrInsertFunction("emulatedSharedAccess", type);
  llvm::SmallVector<llvm::Instruction *> accesses;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (const llvm::Value *pointer = llvm::getPointerOperand(&instruction))
          if (pointer->getType()->getPointerAddressSpace() == sharedAddressSpace)
            accesses.push_back(&instruction);
  for (llvm::Instruction *access : accesses) {
    if (llvm::isa<llvm::GetElementPtrInst>(access))
      continue;
    auto *store = llvm::dyn_cast<llvm::StoreInst>(access);
    auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(access);
    llvm::Type *accessed = store    ? store->getValueOperand()->getType()
                           : atomic ? atomic->getValOperand()->getType()
                                    : access->getType();
    b.SetInsertPoint(access);
    llvm::Value *pointer = b.CreateAddrSpaceCast(llvm::getPointerOperand(access), b.getPtrTy());
    b.CreateCall(callee, {pointer, b.getInt32(layout.getTypeStoreSize(accessed).getFixedValue()),
                          b.getInt32(store || atomic), b.getInt32(atomic != nullptr)});
  }
}

/// Adds `void entry(void **arguments)`, which loads each argument and calls the kernel.
void addEntry(llvm::Module &module, llvm::StringRef kernel) {
  llvm::IRBuilder<> b(module.getContext());
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false);
  auto *entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "entry", module);
  b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", entry));
  llvm::Function *callee = module.getFunction(kernel);
  llvm::SmallVector<llvm::Value *> arguments;
  for (llvm::Argument &parameter : callee->args()) {
    llvm::Value *slot = b.CreateConstGEP1_32(b.getPtrTy(), entry->getArg(0), parameter.getArgNo());
    arguments.push_back(b.CreateLoad(parameter.getType(), b.CreateLoad(b.getPtrTy(), slot)));
  }
  b.CreateCall(callee, arguments);
  b.CreateRetVoid();
}

/// The tensor maps that a launch would make of the arguments. Integers are read as the kernel's parameters
/// are typed.
std::vector<EmulatedTensorMap> makeTensorMaps(const KernelInfo &info, const llvm::Function &kernel,
                                              llvm::ArrayRef<void *> arguments) {
  std::map<std::string, int64_t> values;
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (auto *type = llvm::dyn_cast<llvm::IntegerType>(kernel.getArg(i)->getType())) {
      int64_t bits = 0;
      std::memcpy(&bits, argument, llvm::divideCeil(type->getBitWidth(), 8));
      values[info.parameters[i].name] = llvm::SignExtend64(bits, type->getBitWidth());
    }
  std::vector<EmulatedTensorMap> maps;
  for (const TensorMap &map : info.tensorMaps) {
    unsigned base = 0;
    while (info.parameters[base].name != map.base)
      ++base;
    Diagnostics diagnostics;
    llvm::StringRef text = diagnostics.addSource("extents", map.extents);
    auto extents = GridExpression::parse(text, diagnostics, map.countExtents());
    maps.push_back(
        {*static_cast<char *const *>(arguments[base]), llvm::cantFail(extents->evaluateAll(values)), map});
  }
  return maps;
}

} // namespace

std::string runOnHost(llvm::StringRef ir, llvm::ArrayRef<void *> arguments, Grid grid,
                      RunStatistics *statistics, unsigned warpSize, unsigned numWarps) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();

  mlir::DialectRegistry registry;
  tt::registerDialects(registry);
  registry.insert<ttg::TTGDialect, ttng::TTNGDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(ir, mlir::ParserConfig(&context));
  if (!module)
    return messages.empty() ? "failed without a message" : messages;

  if (!(*module)->hasAttr(ttg::numWarpsName)) {
    Target passTarget;
    passTarget.backend = warpSize == 32 ? Backend::CUDA : Backend::HIP;
    passTarget.arch = warpSize == 32 ? "90" : "gfx942";
    passTarget.warpSize = warpSize;
    mlir::PassManager passes(&context);
    addTTPasses(passes);
    addTTGPasses(passes, passTarget, numWarps, /*numStages=*/3, TensorMapUse::All);
    if (mlir::failed(passes.run(*module)))
      return messages.empty() ? "failed without a message" : messages;
  }

  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  Target target;
  target.warpSize = warpSize;
  HostLowering hooks(target);
  KernelInfo info;
  for (size_t i = 0; i < arguments.size(); ++i)
    info.parameters.emplace_back().name = "p" + std::to_string(i);
  std::unique_ptr<llvm::Module> lowered = lowerToLLVM(*module, *llvmContext, hooks, info);
  if (!lowered)
    return messages.empty() ? "failed without a message" : messages;
  std::vector<EmulatedTensorMap> maps = makeTensorMaps(info, *lowered->getFunction(info.symbol), arguments);
  for (const EmulatedTensorMap &map : maps)
    if (!isValid(map))
      return "a tensor map of what the GPU cannot copy";
  watchSharedMemory(*lowered);
  addEntry(*lowered, info.symbol);

  Block running;
  block = &running;
  running.fibers.resize(info.countThreads());
  for (std::vector<uint32_t> &slots : running.exchanged)
    slots.resize(running.fibers.size());
  for (std::vector<Block::Fragment> &slots : running.fragments)
    slots.resize(running.fibers.size());
  running.rounds.resize(running.fibers.size());
  running.warpSize = warpSize;
  running.ownWarps = info.numWarps;
  const unsigned sizes[] = {grid.x, grid.y, grid.z};
  std::copy(std::begin(sizes), std::end(sizes), running.numPrograms);
  // What was never written reads as numbers that no sum survives.
  running.shared.resize(info.sharedBytes + 64, char(0x7f));
  running.scratchBytes = info.scratchBytes;
  running.scratch.resize(info.scratchBytes * grid.x * grid.y * grid.z + KernelInfo::globalScratchAlignment,
                         char(0x7f));
  void *scratchStart = running.scratch.data();
  size_t scratchSpace = running.scratch.size();
  std::align(KernelInfo::globalScratchAlignment, 0, scratchStart, scratchSpace);
  running.scratchStart = static_cast<char *>(scratchStart);
  running.touches.resize(running.shared.size());
  running.epochs.resize(running.fibers.size());
  void *sharedStart = running.shared.data();
  size_t space = running.shared.size();
  std::align(16, info.sharedBytes + 1, sharedStart, space);

  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return llvm::toString(jit.takeError());
  auto address = [&](auto *pointer) {
    return llvm::orc::ExecutorSymbolDef(llvm::orc::ExecutorAddr::fromPtr(pointer),
                                        llvm::JITSymbolFlags::Exported);
  };
  llvm::orc::SymbolMap symbols;
  auto name = [&](llvm::StringRef text) { return (*jit)->mangleAndIntern(text); };
  symbols[name("emulatedThread")] = address(&emulatedThread);
  symbols[name("emulatedProgram")] = address(&emulatedProgram);
  symbols[name("emulatedNumPrograms")] = address(&emulatedNumPrograms);
  symbols[name("emulatedBarrier")] = address(&emulatedBarrier);
  symbols[name("emulatedNamedBarrier")] = address(&emulatedNamedBarrier);
  symbols[name("emulatedTileArrive")] = address(&emulatedTileArrive);
  symbols[name("emulatedSharedAccess")] = address(&emulatedSharedAccess);
  symbols[name("emulatedFailure")] = address(&emulatedFailure);
  symbols[name("printf")] = address(&printf);
  symbols[name("emulatedShuffle")] = address(&emulatedShuffle);
  symbols[name("emulatedCopy")] = address(&emulatedCopy);
  symbols[name("emulatedCommit")] = address(&emulatedCommit);
  symbols[name("emulatedWait")] = address(&emulatedWait);
  symbols[name("emulatedMapMake")] = address(&emulatedMapMake);
  symbols[name("emulatedMapAcquire")] = address(&emulatedMapAcquire);
  symbols[name("emulatedTileBegin")] = address(&emulatedTileBegin);
  symbols[name("emulatedTileEnd")] = address(&emulatedTileEnd);
  symbols[name("emulatedTileExpect")] = address(&emulatedTileExpect);
  symbols[name("emulatedTileCopy")] = address(&emulatedTileCopy);
  symbols[name("emulatedTileStore")] = address(&emulatedTileStore);
  symbols[name("emulatedTileStoreWait")] = address(&emulatedTileStoreWait);
  symbols[name("emulatedTileWait")] = address(&emulatedTileWait);
  symbols[name("emulatedMatrixStep")] = address(&emulatedMatrixStep);
  running.sharedStart = static_cast<char *>(sharedStart);
  symbols[name("block_memory")] = address(running.sharedStart);
  if (auto error = (*jit)->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))))
    return llvm::toString(std::move(error));
  if (auto error =
          (*jit)->addIRModule(llvm::orc::ThreadSafeModule(std::move(lowered), std::move(llvmContext))))
    return llvm::toString(std::move(error));
  auto entry = (*jit)->lookup("entry");
  if (!entry)
    return llvm::toString(entry.takeError());
  running.entry = entry->toPtr<void (*)(void **)>();

  std::vector<void *> passed(arguments.begin(), arguments.end());
  std::vector<const EmulatedTensorMap *> mapPointers;
  for (const EmulatedTensorMap &map : maps)
    mapPointers.push_back(&map);
  for (const EmulatedTensorMap *&map : mapPointers)
    passed.push_back(&map);
  if (info.scratchBytes)
    passed.push_back(&running.scratchStart);
  running.arguments = passed.data();
  auto &[x, y, z] = running.program;
  for (z = 0; z < grid.z; ++z) {
    for (y = 0; y < grid.y; ++y) {
      for (x = 0; x < grid.x; ++x) {
        std::string problem = runBlock();
        if (!problem.empty())
          return problem;
      }
    }
  }
  if (statistics)
    *statistics = running.statistics;
  return "";
}

} // namespace nereid::gpu
