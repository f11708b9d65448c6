// Tiles that are copied by tensor maps: the maps, also those that programs make, the copies in both
// directions, and the barriers that wait for them. See Emulation.h.
#include "Emulation.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

namespace nereid::gpu::emulation {

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

void writeTiles() {
  for (const Block::Written &written : block->unwritten)
    std::memcpy(written.element, written.bytes.data(), written.count);
  block->unwritten.clear();
}

namespace {

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
  noteSharedAccess(barrier, 8, /*isWrite=*/1, /*isAtomic=*/0);
  auto [made, isNew] = block->tileBarriers.try_emplace(barrier);
  if (!isNew)
    block->race = "a tiles' barrier is made where there is one";
  made->second.count = count;
  made->second.clocks.resize(block->clocks.size());
}
void emulatedTileEnd(uint32_t thread, const char *barrier) {
  if (thread != 0)
    return;
  noteSharedAccess(barrier, 8, /*isWrite=*/1, /*isAtomic=*/0);
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
  noteSharedAccess(barrier, 8, /*isWrite=*/0, /*isAtomic=*/0);
  if (Block::TileBarrier *state = findTileBarrier(barrier))
    arrive(*state, count);
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
  noteSharedAccess(shared, bytes, /*isWrite=*/1, /*isAtomic=*/0);
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
    noteSharedAccess(barrier, 8, /*isWrite=*/0, /*isAtomic=*/0);
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
  noteSharedAccess(from, block->storedTiles.back().bytes(), /*isWrite=*/0, /*isAtomic=*/0);
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
    noteSharedAccess(tile.to, tile.bytes(), /*isWrite=*/0, /*isAtomic=*/0);
  }
  tiles.erase(tiles.begin(), tiles.begin() + done);
  if (untilWritten)
    writeTiles();
}

} // namespace

void addTileSymbols(Symbols &symbols) {
  addSymbol(symbols, "emulatedTileBegin", emulatedTileBegin);
  addSymbol(symbols, "emulatedTileEnd", emulatedTileEnd);
  addSymbol(symbols, "emulatedTileExpect", emulatedTileExpect);
  addSymbol(symbols, "emulatedTileArrive", emulatedTileArrive);
  addSymbol(symbols, "emulatedMapMake", emulatedMapMake);
  addSymbol(symbols, "emulatedMapAcquire", emulatedMapAcquire);
  addSymbol(symbols, "emulatedTileCopy", emulatedTileCopy);
  addSymbol(symbols, "emulatedTileStore", emulatedTileStore);
  addSymbol(symbols, "emulatedTileStoreWait", emulatedTileStoreWait);
  addSymbol(symbols, "emulatedTileWait", emulatedTileWait);
}

} // namespace nereid::gpu::emulation
