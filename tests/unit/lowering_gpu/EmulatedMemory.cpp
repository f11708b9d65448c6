// Shared memory: who touches which byte between which barriers, asynchronous copies to it, and what other
// blocks of a cluster read of it. See Emulation.h.
#include "Emulation.h"

#include <cstring>

namespace nereid::gpu::emulation {

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

void noteSharedAccess(const char *address, uint32_t bytes, uint32_t isWrite, uint32_t isAtomic) {
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
      if (touch.remoteReadPhase == cluster->phase && block->race.empty())
        block->race =
            "thread " + std::to_string(self) + " writes what another block reads, before the cluster has met";
      touch.writePhase = cluster->phase;
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

namespace {

/// Where this block's memory begins.
char *emulatedSharedMemory() { return block->sharedStart; }
/// Called before a load of what lies at the same place in another block's memory as `address` does in this
/// one's. Returns its place. It must have been written before the cluster met for the last time.
char *emulatedOtherBlock(const char *address, uint32_t number, uint32_t bytes) {
  if (number == block->number)
    noteSharedAccess(address, bytes, /*isWrite=*/0, /*isAtomic=*/0);
  if (number >= cluster->blocks.size()) {
    block->race = "the memory of a block is read that there is not in the cluster";
    return block->sharedStart;
  }
  Block &other = cluster->blocks[number];
  size_t offset = address - block->sharedStart, start = other.sharedStart - other.shared.data();
  char *place = other.sharedStart + offset;
  if (start + offset + bytes > other.touches.size()) {
    block->race = "another block's memory is read out of bounds";
    return block->sharedStart;
  }
  if (number == block->number)
    return place;
  if (other.isOver || cluster->phase == 1)
    block->race = "another block's memory is read " +
                  std::string(other.isOver ? "behind its end" : "before the cluster has met");
  for (size_t i = 0; i != bytes; ++i) {
    Block::Touch &touch = other.touches[start + offset + i];
    if (touch.writePhase == cluster->phase && block->race.empty())
      block->race = "thread " + std::to_string(block->current) +
                    " reads what another block writes, and the cluster has not met between";
    touch.remoteReadPhase = cluster->phase;
  }
  return place;
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
      noteSharedAccess(copy->to, copy->bytes, /*isWrite=*/1, /*isAtomic=*/0);
      copy->from ? std::memcpy(copy->to, copy->from, copy->bytes) : std::memset(copy->to, 0, copy->bytes);
    }
    self.copies.erase(self.copies.begin(), end);
    self.inGroups -= self.groups.front();
    self.groups.erase(self.groups.begin());
  }
}

} // namespace

void addMemorySymbols(Symbols &symbols) {
  addSymbol(symbols, "emulatedSharedMemory", emulatedSharedMemory);
  addSymbol(symbols, "emulatedSharedAccess", noteSharedAccess);
  addSymbol(symbols, "emulatedOtherBlock", emulatedOtherBlock);
  addSymbol(symbols, "emulatedCopy", emulatedCopy);
  addSymbol(symbols, "emulatedCommit", emulatedCommit);
  addSymbol(symbols, "emulatedWait", emulatedWait);
}

} // namespace nereid::gpu::emulation
