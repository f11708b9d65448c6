// A decision gives what asking every variant gives, for random variants and calls, and asks few questions.
#include "linker/Decision.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <random>

using namespace llvm;
using namespace nereid;

namespace {

/// A call: the subjects' values, and the arguments', of which the first subjects are.
struct Call {
  std::vector<int64_t> subjects;
  std::vector<int64_t> arguments;
};

bool keeps(const Call &call, const Promise &promise) {
  if (!promise.isRange)
    return call.arguments[promise.subject] % int64_t(promise.divisor) == 0;
  int64_t value = call.subjects[promise.subject];
  return promise.least <= value && value <= promise.most;
}

bool accepts(const Call &call, const DecisionVariant &variant) {
  return !variant.isContradicting &&
         all_of(variant.promises, [&](const Promise &promise) { return keeps(call, promise); });
}

/// The leaf that a call comes to, and after how many questions.
const DecisionNode &walk(const Decision &decision, const Call &call, unsigned &questions) {
  const DecisionNode *node = &decision.nodes.front();
  for (questions = 0; node->kind != DecisionNode::Kind::Leaf; ++questions) {
    unsigned next = node->no;
    if (node->kind == DecisionNode::Kind::Less) {
      next = call.subjects[node->subject] < node->bound ? node->yes : node->no;
    } else if (node->kind == DecisionNode::Kind::Divisible) {
      bool holds = all_of(node->divisors, [&](const auto &divisor) {
        return call.arguments[divisor.first] % int64_t(divisor.second) == 0;
      });
      next = holds ? node->yes : node->no;
    } else {
      for (auto [value, target] : node->cases)
        if (call.subjects[node->subject] == value)
          next = target;
    }
    node = &decision.nodes[next];
  }
  return *node;
}

/// The first that takes the call; all have the same targets.
int choose(const Decision &decision, const Call &call, ArrayRef<DecisionVariant> variants) {
  unsigned questions;
  const DecisionNode &leaf = walk(decision, call, questions);
  for (unsigned variant : leaf.variants)
    if (!leaf.isUnresolved || accepts(call, variants[variant]))
      return static_cast<int>(variant);
  return -1;
}

bool coversAll(ArrayRef<EarlierVariant>, unsigned) { return true; }

} // namespace

TEST(Decision, AgreesWithAskingEveryVariant) {
  std::mt19937 random(7);
  auto number = [&](int most) { return static_cast<int>(random() % (most + 1)); };
  for (int round = 0; round < 400; ++round) {
    constexpr unsigned numSubjects = 4, numArguments = 5;
    std::vector<int> argumentOf = {0, 1, -1, -1};
    std::vector<DecisionVariant> variants;
    for (int v = number(12); v >= 0; --v) {
      DecisionVariant variant;
      for (int p = number(5); p > 0; --p) {
        int64_t least = number(20), most = least + number(20);
        switch (number(4)) {
        case 0:
          variant.promises.push_back(Promise::range(number(numSubjects - 1), least, least));
          break;
        case 1:
          variant.promises.push_back(Promise::range(number(numSubjects - 1), least, most));
          break;
        case 2:
          variant.promises.push_back(Promise::range(number(numSubjects - 1), INT64_MIN, most));
          break;
        default:
          variant.promises.push_back(Promise::divisible(number(numArguments - 1), 1u << number(4)));
        }
      }
      variant.isContradicting = !normalizePromises(variant.promises);
      variants.push_back(std::move(variant));
    }
    Decision decision = decide(variants, argumentOf, coversAll);
    for (int c = 0; c < 300; ++c) {
      Call call;
      for (unsigned i = 0; i < numArguments; ++i)
        call.arguments.push_back(number(1) ? number(45) : 16 * number(3));
      for (unsigned i = 0; i < numSubjects; ++i)
        call.subjects.push_back(argumentOf[i] >= 0 ? call.arguments[argumentOf[i]] : number(45));
      auto first = find_if(variants, [&](const DecisionVariant &variant) { return accepts(call, variant); });
      int expected = first == variants.end() ? -1 : static_cast<int>(first - variants.begin());
      ASSERT_EQ(choose(decision, call, variants), expected) << "round " << round;
    }
  }
}

TEST(Decision, ManyVariantsCostFewQuestions) {
  auto depth = [](unsigned count) {
    // D is one of four values, and n up to each of the bounds.
    std::vector<DecisionVariant> variants;
    for (unsigned bound = 1; bound <= count / 4; ++bound)
      for (int64_t d : {32, 64, 96, 128})
        variants.push_back({{Promise::range(0, d, d), Promise::range(1, INT64_MIN, 256 * bound)}, false});
    Decision decision = decide(variants, {0, 1}, coversAll);
    unsigned most = 0;
    for (unsigned n = 1; n < 64 * count + 300; n += 100) {
      unsigned questions;
      const DecisionNode &leaf = walk(decision, {{64, n}, {64, n}}, questions);
      EXPECT_LE(leaf.variants.size(), 1u);
      most = std::max(most, questions);
    }
    return most;
  };
  EXPECT_EQ(depth(8), 3u);
  EXPECT_EQ(depth(64), 6u);
  EXPECT_LE(depth(2048), 11u);
}

TEST(Decision, LeavesKnowWhatOtherDevicesNeed) {
  // The second runs where the first does not.
  std::vector<DecisionVariant> variants = {{{Promise::divisible(0, 16)}, false}, {{}, false}};
  Decision decision = decide(variants, {}, [](ArrayRef<EarlierVariant>, unsigned) { return false; });
  unsigned questions;
  EXPECT_EQ(walk(decision, {{}, {32}}, questions).variants, (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(walk(decision, {{}, {33}}, questions).variants, (std::vector<unsigned>{1}));
}

TEST(Decision, TooManyQuestionsAreLeftToTheCall) {
  // Every set of 20 divisors has a variant: no graph of questions has room for all.
  std::vector<DecisionVariant> variants;
  std::mt19937 random(3);
  for (int v = 0; v < 300; ++v) {
    DecisionVariant variant;
    for (unsigned argument = 0; argument < 40; ++argument)
      if (random() % 4 == 0)
        variant.promises.push_back(Promise::divisible(argument, 16));
    variants.push_back(std::move(variant));
  }
  Decision decision = decide(variants, {}, coversAll);
  // A function of 20,000 labels takes GCC minutes.
  EXPECT_LT(decision.nodes.size(), 10000u);
  for (int c = 0; c < 200; ++c) {
    Call call;
    for (unsigned argument = 0; argument < 40; ++argument)
      call.arguments.push_back(random() % 8 ? 16 : 1);
    auto first = find_if(variants, [&](const DecisionVariant &variant) { return accepts(call, variant); });
    int expected = first == variants.end() ? -1 : static_cast<int>(first - variants.begin());
    EXPECT_EQ(choose(decision, call, variants), expected);
  }
}

TEST(Decision, PromisesAreMerged) {
  std::vector<Promise> promises = {Promise::range(1, 5, INT64_MAX), Promise::divisible(0, 4),
                                   Promise::range(1, INT64_MIN, 9), Promise::divisible(0, 16)};
  EXPECT_TRUE(normalizePromises(promises));
  EXPECT_EQ(promises, (std::vector<Promise>{Promise::divisible(0, 16), Promise::range(1, 5, 9)}));
  promises.push_back(Promise::range(1, 10, 12));
  EXPECT_FALSE(normalizePromises(promises));
}
