// Which measured key a call's key leads to, and what a plan takes over of measurements.
#include "linker/TuningDecision.h"

#include "Samples.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace nereid;
using namespace llvm;

static unsigned walk(ArrayRef<TuningNode> nodes, ArrayRef<int64_t> values, unsigned &steps) {
  unsigned node = 0;
  for (steps = 0; nodes[node].value != TuningNode::none; ++steps)
    node = values[nodes[node].value] < nodes[node].bound ? nodes[node].yes : nodes[node].no;
  return nodes[node].yes;
}

static double scale(int64_t value) {
  double size = std::log2(1 + std::fabs(double(value)));
  return value < 0 ? -size : size;
}

static double distance(const TuningKey &key, ArrayRef<int64_t> values) {
  double sum = 0;
  for (auto [own, value] : zip(key, values))
    if (own)
      sum += std::pow(scale(*own) - scale(value), 2);
  return std::sqrt(sum);
}

TEST(TuningDecision, TakesTheNearestKey) {
  std::vector<TuningNode> nodes = decideNearest({{512}, {4096}, {32768}});
  unsigned steps;
  for (auto [value, key] : {std::pair(INT64_MIN, 0u),
                            {0, 0},
                            {512, 0},
                            {1447, 0},
                            {1449, 1},
                            {4096, 1},
                            {11584, 1},
                            {11588, 2},
                            {INT64_MAX, 2}})
    EXPECT_EQ(walk(nodes, {value}, steps), key) << value;
  // Numbers below 0 are on the other side, and the ends of the range are numbers as others.
  nodes = decideNearest({{-8}, {8}, {INT64_MIN}, {INT64_MAX}});
  EXPECT_EQ(walk(nodes, {-1}, steps), 0u);
  EXPECT_EQ(walk(nodes, {1}, steps), 1u);
  EXPECT_EQ(walk(nodes, {INT64_MIN + 1}, steps), 2u);
  EXPECT_EQ(walk(nodes, {INT64_MAX - 1}, steps), 3u);
  // Without a key there is one answer.
  nodes = decideNearest({TuningKey()});
  EXPECT_EQ(walk(nodes, {}, steps), 0u);
}

TEST(TuningDecision, FindsMeasuredKeysAndFewSteps) {
  std::mt19937 random(11);
  for (unsigned round = 0; round < 60; ++round) {
    unsigned places = 1 + random() % 4;
    std::vector<TuningKey> keys;
    for (unsigned i = 0, count = 1 + random() % 60; i < count; ++i) {
      TuningKey key;
      for (unsigned p = 0; p < places; ++p)
        key.push_back(int64_t(1) << (random() % (places > 2 ? 6 : 16)));
      if (!is_contained(keys, key))
        keys.push_back(key);
    }
    std::vector<TuningNode> nodes = decideNearest(keys);
    for (auto [index, key] : enumerate(keys)) {
      std::vector<int64_t> values;
      for (std::optional<int64_t> value : key)
        values.push_back(*value);
      unsigned steps;
      EXPECT_EQ(walk(nodes, values, steps), index);
      EXPECT_LE(steps, 4 * places);
    }
    // What was not measured is near, as far as that can be told from values that were measured in each place.
    for (unsigned i = 0; i < 200; ++i) {
      std::vector<int64_t> values, rounded;
      for (unsigned p = 0; p < places; ++p) {
        values.push_back(int64_t(random() % 40000));
        auto nearest = min_element(keys, [&](const TuningKey &a, const TuningKey &b) {
          return std::fabs(scale(*a[p]) - scale(values[p])) < std::fabs(scale(*b[p]) - scale(values[p]));
        });
        rounded.push_back(*(*nearest)[p]);
      }
      unsigned steps, found = walk(nodes, values, steps);
      for (const TuningKey &key : keys)
        EXPECT_LE(distance(keys[found], rounded), distance(key, rounded) + 1e-9);
    }
  }
}

TEST(TuningDecision, ManyKeysInNoOrderAreStillFound) {
  std::mt19937 random(12);
  std::vector<TuningKey> keys;
  for (unsigned i = 0; i < 500; ++i)
    keys.push_back({int64_t(random() % 100000), int64_t(random() % 100000), int64_t(random() % 1000)});
  std::vector<TuningNode> nodes = decideNearest(keys);
  EXPECT_LE(nodes.size(), 20000u);
  for (auto [index, key] : enumerate(keys)) {
    unsigned steps;
    EXPECT_EQ(walk(nodes, {*key[0], *key[1], *key[2]}, steps), index);
    EXPECT_LE(steps, 30u);
  }
}

TEST(TuningDecision, ValuesThatAreNotGivenHoldForAll) {
  std::vector<TuningNode> nodes = decideNearest({{512, std::nullopt}, {4096, 1}, {4096, 2}});
  unsigned steps;
  EXPECT_EQ(walk(nodes, {500, 1}, steps), 0u);
  EXPECT_EQ(walk(nodes, {500, 2}, steps), 0u);
  EXPECT_EQ(walk(nodes, {5000, 2}, steps), 2u);
  // The one that says more comes first where both fit.
  nodes = decideNearest({{64, std::nullopt}, {64, 8}});
  EXPECT_EQ(walk(nodes, {64, 8}, steps), 1u);
}

static Measurement measure(const char *block, const char *target, int64_t n, double nanoseconds) {
  Measurement m;
  m.function = "add";
  m.device = "Card";
  m.target = target;
  m.key = {{"n", n}};
  m.variant = std::string("*fp32, i32, ") + block;
  m.nanoseconds = nanoseconds;
  if (nanoseconds == 0)
    m.failed = "results differ";
  return m;
}

static DispatchPlan makePlan(std::vector<KernelObject> &objects) {
  for (int64_t block : {64, 128}) {
    std::string signature = "*fp32, i32, " + std::to_string(block);
    objects.push_back(makeObject({makePointer("x"), makeInteger("n"), makeConstant("BLOCK", block)},
                                 signature.c_str(), {"cuda:80", "cpu:x86-64-v3"}));
    objects.back().tuning = Tuning{"*fp32, i32", {{"BLOCK", std::to_string(block)}}, {"n"}};
  }
  Diagnostics diagnostics;
  auto plan = planDispatch(objects, "lib", diagnostics);
  EXPECT_TRUE(plan.has_value()) << flush(diagnostics);
  return std::move(*plan);
}

TEST(TuningDecision, TakesOverWhatWasMeasured) {
  std::vector<KernelObject> objects;
  DispatchPlan plan = makePlan(objects);
  Diagnostics diagnostics;
  std::string options = " num_warps=4 num_stages=3";
  auto onCard = [&](const char *block, int64_t n, double nanoseconds) {
    Measurement m = measure(block, "cuda:80", n, nanoseconds);
    m.variant += options;
    return m;
  };
  // The last of two of the same counts.
  std::vector<Measurement> measurements = {onCard("64", 16, 7), onCard("128", 16, 5), onCard("64", 512, 9),
                                           onCard("128", 512, 0), onCard("64", 16, 3)};
  measurements.push_back(measure("128", "cpu:x86-64-v3", 16, 2));
  measurements.back().device = "Processor";
  addTuning(plan, measurements, diagnostics);
  EXPECT_EQ(flush(diagnostics), "");
  const PlannedTuning &tuning = plan.kernels[0].tuning;
  EXPECT_EQ(tuning.key, (std::vector<unsigned>{1}));
  ASSERT_EQ(tuning.tables.size(), 2u);
  const TuningTable &card = tuning.tables[0];
  EXPECT_EQ(card.device, "Card");
  EXPECT_EQ(card.keys, (std::vector<TuningKey>{{16}, {512}}));
  ASSERT_EQ(card.measured[0].size(), 2u);
  EXPECT_EQ(card.measured[0][0].variant, 0u);
  EXPECT_EQ(card.measured[0][0].nanoseconds, 3);
  EXPECT_EQ(card.measured[1][0].variant, 0u);
  EXPECT_TRUE(card.measured[1][1].hasFailed);
  EXPECT_EQ(tuning.tables[1].device, "Processor");
  EXPECT_EQ(tuning.tables[1].measured[0][0].variant, 1u);
}

TEST(TuningDecision, NamesWhatTheLibraryDoesNotHave) {
  std::vector<KernelObject> objects;
  DispatchPlan plan = makePlan(objects);
  Diagnostics diagnostics;
  Measurement other = measure("64", "cpu:x86-64-v3", 16, 1), strange = other;
  other.function = "sub";
  strange.key = {{"m", 4}, {"BLOCK", 64}};
  addTuning(plan,
            {measure("1", "cpu:x86-64-v3", 1, 1), measure("2", "cpu:x86-64-v3", 1, 1),
             measure("3", "cpu:x86-64-v3", 1, 1), measure("4", "cpu:x86-64-v3", 1, 1),
             measure("64", "hip:gfx942", 1, 1), other, strange},
            diagnostics);
  EXPECT_EQ(
      flush(diagnostics),
      "nereid: warning: the tuning results of 'add' are for values of 'm', which is none of its "
      "parameters\n"
      "nereid: warning: the tuning results have times of variants of 'add' that the library does not have: "
      "'*fp32, i32, 1' for cpu:x86-64-v3, '*fp32, i32, 2' for cpu:x86-64-v3, '*fp32, i32, 3' for "
      "cpu:x86-64-v3 and 2 more\n"
      "nereid: warning: the tuning results have times of 'sub', and the library has no function of that "
      "name\n");
}
