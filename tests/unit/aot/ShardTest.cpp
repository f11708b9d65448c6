// Dividing work: shards are read, and every task is in one of them, evenly.
#include "aot/Shard.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <map>
#include <numeric>

using namespace nereid;

namespace {

TEST(Shard, IsRead) {
  Diagnostics diagnostics;
  std::optional<Shard> shard = parseShard("2/3", diagnostics);
  ASSERT_TRUE(shard.has_value());
  EXPECT_EQ(shard->index, 1u);
  EXPECT_EQ(shard->count, 3u);
  for (const char *text :
       {"", "2", "0/3", "4/3", "/", "1/0", "-1/3", "a/b", "1/3/5", "1/99999999999999999999"})
    EXPECT_FALSE(parseShard(text, diagnostics).has_value()) << text;
}

TEST(Shard, SlurmSaysWhichShard) {
  auto set = [](const char *id, const char *least, const char *step, const char *count) {
    for (auto [name, value] : {std::pair("ID", id), {"MIN", least}, {"STEP", step}, {"COUNT", count}})
      if (value)
        setenv((std::string("SLURM_ARRAY_TASK_") + name).c_str(), value, 1);
      else
        unsetenv((std::string("SLURM_ARRAY_TASK_") + name).c_str());
  };
  Diagnostics diagnostics;
  set("14", "10", "2", "4");
  std::optional<Shard> shard = parseShard("slurm", diagnostics);
  ASSERT_TRUE(shard.has_value());
  EXPECT_EQ(shard->index, 2u);
  EXPECT_EQ(shard->count, 4u);
  EXPECT_FALSE(diagnostics.hasErrors());
  set("7", "1", "1", "3"); // --array=1,2,7
  EXPECT_FALSE(parseShard("slurm", diagnostics).has_value());
  set("13", "10", "2", "4");
  EXPECT_FALSE(parseShard("slurm", diagnostics).has_value());
  set("3", "10", "2", "4");
  EXPECT_FALSE(parseShard("slurm", diagnostics).has_value());
  set(nullptr, nullptr, nullptr, nullptr);
  EXPECT_FALSE(parseShard("slurm", diagnostics).has_value());
}

/// The load of each shard.
std::vector<uint64_t> add(const std::vector<uint64_t> &weights, uint64_t count) {
  std::vector<uint64_t> loads(count);
  std::vector<uint64_t> shards = dealShards(weights, count);
  EXPECT_EQ(shards.size(), weights.size());
  for (size_t i = 0; i < shards.size(); ++i)
    loads.at(shards[i]) += weights[i];
  return loads;
}

TEST(Shard, DealsEvenly) {
  for (uint64_t count : {1, 2, 3, 7, 8, 50}) {
    std::vector<uint64_t> weights;
    for (uint64_t i = 0; i < 50; ++i)
      weights.push_back(1 + i * i % 11);
    std::vector<uint64_t> loads = add(weights, count);
    auto [least, most] = std::minmax_element(loads.begin(), loads.end());
    EXPECT_LE(*most - *least, 11u) << count;
  }
}

TEST(Shard, DoesNotFollowTheRhythmOfAList) {
  // Each signature for two types: no shard may have one type alone.
  for (uint64_t count : {2, 4, 8}) {
    std::vector<uint64_t> shards = dealShards(std::vector<uint64_t>(64, 3), count);
    std::map<uint64_t, unsigned> evens;
    for (size_t i = 0; i < shards.size(); i += 2)
      ++evens[shards[i]];
    for (uint64_t shard = 0; shard < count; ++shard)
      EXPECT_EQ(evens[shard], 32 / count) << count;
  }
}

TEST(Shard, ThereMayBeMoreThanTasks) {
  std::vector<uint64_t> shards = dealShards({5, 5, 9}, uint64_t(1) << 62);
  std::sort(shards.begin(), shards.end());
  EXPECT_EQ(shards, (std::vector<uint64_t>{0, 1, 2}));
  EXPECT_TRUE(dealShards({}, 3).empty());
}

} // namespace
