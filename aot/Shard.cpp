// A Slurm job array numbers its tasks as the user likes, `--array=10-40:10`; shards are counted from 0.
#include "aot/Shard.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

using namespace llvm;

namespace nereid {

/// A variable that Slurm sets; nothing if it is none, or no number.
static std::optional<uint64_t> getSlurmNumber(const char *name) {
  const char *text = std::getenv(name);
  uint64_t number;
  return text && to_integer(text, number, 10) ? std::optional(number) : std::nullopt;
}

/// The shard of a text such as `2/8`.
static std::optional<Shard> parseFraction(StringRef text) {
  Shard shard;
  auto [index, count] = text.split('/');
  uint64_t number;
  if (!to_integer(index, number, 10) || !to_integer(count, shard.count, 10) || number < 1 ||
      number > shard.count)
    return std::nullopt;
  shard.index = number - 1;
  return shard;
}

std::string checkShard(const std::string &text) {
  if (text == "slurm" || parseFraction(text))
    return "";
  return "expected I/N, the I-th of N parts, from 1/N to N/N, or slurm, not '" + text + "'";
}

std::optional<Shard> parseShard(StringRef text, Diagnostics &diagnostics) {
  if (text == "slurm") {
    std::optional<uint64_t> id = getSlurmNumber("SLURM_ARRAY_TASK_ID"),
                            least = getSlurmNumber("SLURM_ARRAY_TASK_MIN"),
                            step = getSlurmNumber("SLURM_ARRAY_TASK_STEP"),
                            count = getSlurmNumber("SLURM_ARRAY_TASK_COUNT");
    if (!id || !count) {
      diagnostics.error("--shard slurm is for the tasks of a job array: SLURM_ARRAY_TASK_ID and "
                        "SLURM_ARRAY_TASK_COUNT are not set");
      return std::nullopt;
    }
    uint64_t place = *id - least.value_or(0), distance = std::max<uint64_t>(step.value_or(1), 1);
    if (*id < least.value_or(0) || place % distance || place / distance >= *count) {
      // `--array=1,2,7` has gaps, which no variable tells of.
      diagnostics.error("--shard slurm needs a job array whose numbers are evenly spaced: task " +
                        Twine(*id) + " is none of " + Twine(*count) + " from " + Twine(least.value_or(0)) +
                        " on");
      return std::nullopt;
    }
    return Shard{place / distance, *count};
  }
  std::optional<Shard> fraction = parseFraction(text);
  if (!fraction)
    diagnostics.error("--shard: " + checkShard(text.str()));
  return fraction;
}

std::vector<uint64_t> dealShards(ArrayRef<uint64_t> weights, uint64_t count) {
  std::vector<size_t> order(weights.size());
  std::iota(order.begin(), order.end(), size_t(0));
  llvm::sort(order, [&](size_t left, size_t right) {
    return weights[left] != weights[right] ? weights[left] > weights[right] : left < right;
  });
  // What is dealt to more shards than there are tasks leaves the last of them empty.
  const size_t used = std::min<uint64_t>(count, weights.size());
  std::vector<uint64_t> shards(weights.size()), loads(used);
  for (auto [place, task] : enumerate(order)) {
    size_t begin = place / used, best = begin % used;
    for (size_t i = 1; i < used; ++i)
      if (size_t shard = (begin + i) % used; loads[shard] < loads[best])
        best = shard;
    shards[task] = best;
    loads[best] += weights[task];
  }
  return shards;
}

} // namespace nereid
