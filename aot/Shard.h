// Work that is divided among several processes, most often on several machines, which know nothing of each
// other: all divide it in the same way, and each does its part.
#ifndef NEREID_AOT_SHARD_H
#define NEREID_AOT_SHARD_H

#include "compiler/model/Diagnostics.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nereid {

/// The part number `index` of `count`, from 0.
struct Shard {
  uint64_t index = 0, count = 1;
};

/// What is wrong with a word that --shard has, as CLI11 asks: nothing if it is empty.
std::string checkShard(const std::string &text);

/// Reads `2/8`, which counts from 1, or `slurm`, for the place in a Slurm job array that the environment
/// says.
std::optional<Shard> parseShard(llvm::StringRef text, Diagnostics &diagnostics);

/// The shard of each task. The heaviest are dealt first, each to the shard that has least, and of several
/// such each round begins with the next one: lists mostly have a rhythm (each signature for fp16 and for
/// fp32, say), and one shard would get all of the same kind. Five of the same weight for two:
///
///     round      0     1     2
///     tasks      0 1   2 3   4
///     shards     0 1   1 0   0
std::vector<uint64_t> dealShards(llvm::ArrayRef<uint64_t> weights, uint64_t count);

} // namespace nereid

#endif // NEREID_AOT_SHARD_H
