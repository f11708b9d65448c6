// What is emulated of a GPU, while a kernel runs on the host: the state of the blocks of a cluster, and what
// the files of this folder have for each other.
//
// A program is run by a cluster of one or more blocks (num_ctas), each of which has its threads and its
// memory. The calls that HostLowering.cpp makes are answered by a file a subject:
//
//     EmulatedThreads.cpp      threads take turns, and meet: at barriers, in shuffles, as a cluster
//     EmulatedMemory.cpp       who touches which byte of shared memory when, asynchronous copies, other
//     blocks' memory EmulatedTiles.cpp        tensor maps, the copies by them, and their barriers
//     EmulatedMatrixUnit.cpp   steps of the matrix unit
#ifndef NEREID_TESTS_UNIT_LOWERING_GPU_EMULATION_H
#define NEREID_TESTS_UNIT_LOWERING_GPU_EMULATION_H

#include "EmulatedBlock.h"

#include "compiler/model/KernelInfo.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <ucontext.h>

#include <array>
#include <map>

namespace nereid::gpu::emulation {

enum class Meeting : uint8_t { None, Barrier, Shuffle, Matrix, Tiles, Cluster, Done, Failed };

/// Of each warp, up to which of its accesses another one knows that they are over.
using Clocks = std::vector<unsigned>;
void join(Clocks &known, const Clocks &told);

/// What the host's code passes for a tensor map.
struct EmulatedTensorMap {
  char *base;
  std::vector<int64_t> extents;
  TensorMap shape;
};

/// Of a box's first element, innermost axis first.
using BoxCoordinates = std::array<int32_t, TensorMap::mostAxes>;

/// A block. Fibers take turns in one host thread, so that nothing here needs a lock.
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
  /// Its place in the cluster.
  unsigned number = 0;
  bool isOver = false;
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
    /// Between which meetings of the cluster, from 1, the byte was written, and read by another block.
    unsigned writePhase = 0, remoteReadPhase = 0;
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

/// The blocks that run one program, and how often they have met, from 1.
struct Cluster {
  std::vector<Block> blocks;
  unsigned phase = 1;
};
extern Cluster *cluster;
/// The one whose turn it is.
extern Block *block;

/// Hands control to the next thread, until all have come who must.
void meet(Meeting kind);

/// Called before each access of shared memory. Between two barriers, a byte that one thread writes must not
/// be touched by another.
void noteSharedAccess(const char *address, uint32_t bytes, uint32_t isWrite, uint32_t isAtomic);
/// What another team did to the byte before must be known to be over.
void checkOtherTeams(size_t place, bool isWrite);

/// As the library checks it.
bool isValid(const EmulatedTensorMap &map);
/// What tiles were stored goes to the tensors.
void writeTiles();

/// Runs the program that the blocks are set to. Returns what went wrong, or nothing.
std::string runProgram();

/// What HostLowering calls, by name.
struct Symbol {
  const char *name;
  void *address;
};
using Symbols = std::vector<Symbol>;
void addThreadSymbols(Symbols &symbols);
void addMemorySymbols(Symbols &symbols);
void addTileSymbols(Symbols &symbols);
void addMatrixUnitSymbols(Symbols &symbols);

template <typename Function> void addSymbol(Symbols &symbols, const char *name, Function *function) {
  symbols.push_back({name, reinterpret_cast<void *>(function)});
}

} // namespace nereid::gpu::emulation

#endif // NEREID_TESTS_UNIT_LOWERING_GPU_EMULATION_H
