// A state is the variants that are still possible, each with the promises that no answer has settled yet.
// The same state is the same node, however it was reached, which keeps the graph small. Which question comes
// next: the subject that most variants speak of, as a switch if they name values and in the middle of their
// bounds otherwise, so that each answer leaves few variants; divisors last, all of the best variant together.
#include "linker/Decision.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <optional>
#include <set>

using namespace llvm;

namespace nereid {

/// Enough for thousands of variants that differ in values, and seconds for a C compiler: one function has all
/// of them, and 20,000 take GCC minutes.
static constexpr size_t maxNodes = 4000;

bool normalizePromises(std::vector<Promise> &promises) {
  std::map<std::pair<bool, unsigned>, Promise> merged;
  bool isPossible = true;
  for (const Promise &promise : promises) {
    auto [it, isNew] = merged.try_emplace({promise.isRange, promise.subject}, promise);
    Promise &all = it->second;
    if (isNew)
      continue;
    all.least = std::max(all.least, promise.least);
    all.most = std::min(all.most, promise.most);
    all.divisor = std::max(all.divisor, promise.divisor);
  }
  promises.clear();
  for (const auto &[key, promise] : merged) {
    isPossible &= promise.least <= promise.most;
    bool saysNothing =
        promise.isRange ? promise.least == INT64_MIN && promise.most == INT64_MAX : promise.divisor == 1;
    if (!saysNothing)
      promises.push_back(promise);
  }
  return isPossible;
}

namespace {

struct OpenVariant {
  unsigned index;
  std::vector<Promise> promises;
  bool operator<(const OpenVariant &other) const {
    return std::tie(index, promises) < std::tie(other.index, other.promises);
  }
};
using State = std::vector<OpenVariant>;

class Decider {
public:
  Decider(ArrayRef<int> argumentOf, function_ref<bool(ArrayRef<EarlierVariant>, unsigned)> isCovered)
      : argumentOf(argumentOf), isCovered(isCovered) {}

  Decision run(State start) {
    // Without recursion, as a chain of conditions is as deep as there are variants.
    add(std::move(start));
    while (!open.empty()) {
      auto [state, node] = std::move(open.back());
      open.pop_back();
      expand(state, node);
    }
    return std::move(decision);
  }

private:
  /// The node of a state, which is new or known.
  unsigned add(State state) {
    prune(state);
    auto [it, isNew] = known.try_emplace(state, decision.nodes.size());
    if (isNew) {
      decision.nodes.emplace_back();
      open.push_back({std::move(state), it->second});
    }
    return it->second;
  }

  /// Takes out the variants behind those that take every call of the state.
  void prune(State &state) {
    std::vector<EarlierVariant> earlier;
    bool isAnyAccepting = false;
    erase_if(state, [&](const OpenVariant &variant) {
      if (isAnyAccepting && isCovered(earlier, variant.index))
        return true;
      earlier.push_back({variant.index, variant.promises.empty()});
      isAnyAccepting |= variant.promises.empty();
      return false;
    });
  }

  void expand(const State &state, unsigned index) {
    DecisionNode node;
    bool isSettled = all_of(state, [](const OpenVariant &variant) { return variant.promises.empty(); });
    if (isSettled || decision.nodes.size() > maxNodes) {
      node.isUnresolved = !isSettled;
      for (const OpenVariant &variant : state)
        node.variants.push_back(variant.index);
    } else if (std::optional<unsigned> subject = findSubject(state)) {
      askOf(*subject, state, node);
    } else {
      askDivisors(state, node);
    }
    decision.nodes[index] = std::move(node);
  }

  /// The subject that most variants speak of; of those, the first that the best variants do.
  static std::optional<unsigned> findSubject(const State &state) {
    std::map<unsigned, unsigned> counts;
    std::vector<unsigned> order;
    for (const OpenVariant &variant : state)
      for (const Promise &promise : variant.promises)
        if (promise.isRange && counts[promise.subject]++ == 0)
          order.push_back(promise.subject);
    std::optional<unsigned> best;
    for (unsigned subject : order)
      if (!best || counts[subject] > counts[*best])
        best = subject;
    return best;
  }

  static const Promise *find(const OpenVariant &variant, bool isRange, unsigned subject) {
    for (const Promise &promise : variant.promises)
      if (promise.isRange == isRange && promise.subject == subject)
        return &promise;
    return nullptr;
  }

  void askOf(unsigned subject, const State &state, DecisionNode &node) {
    node.subject = subject;
    bool arePoints = true;
    // Where ranges begin, and behind their ends.
    std::set<int64_t> cuts, points;
    for (const OpenVariant &variant : state)
      if (const Promise *promise = find(variant, true, subject)) {
        arePoints &= promise->isPoint();
        points.insert(promise->least);
        if (promise->least != INT64_MIN)
          cuts.insert(promise->least);
        if (promise->most != INT64_MAX)
          cuts.insert(promise->most + 1);
      }
    if (arePoints) {
      node.kind = DecisionNode::Kind::Switch;
      for (int64_t point : points)
        node.cases.push_back({point, add(withRange(state, subject, point, point))});
      State others;
      for (const OpenVariant &variant : state)
        if (!find(variant, true, subject))
          others.push_back(variant);
      node.no = add(std::move(others));
      return;
    }
    node.kind = DecisionNode::Kind::Less;
    node.bound = *std::next(cuts.begin(), static_cast<std::ptrdiff_t>(cuts.size() / 2));
    node.yes = add(withRange(state, subject, INT64_MIN, node.bound - 1));
    node.no = add(withRange(state, subject, node.bound, INT64_MAX));
  }

  /// What is left once the subject is known to lie between these. Promises keep of their bounds only those
  /// that are still in question.
  State withRange(const State &state, unsigned subject, int64_t least, int64_t most) const {
    State left;
    for (OpenVariant variant : state) {
      bool isPossible = true;
      for (Promise &promise : variant.promises) {
        if (promise.isRange && promise.subject == subject) {
          isPossible &= promise.least <= most && promise.most >= least;
          if (promise.least <= least)
            promise.least = INT64_MIN;
          if (promise.most >= most)
            promise.most = INT64_MAX;
        } else if (!promise.isRange && least == most && argumentOf[subject] == int(promise.subject)) {
          isPossible &= least % int64_t(promise.divisor) == 0;
          promise.divisor = 1;
        }
      }
      if (isPossible && normalizePromises(variant.promises))
        left.push_back(std::move(variant));
    }
    return left;
  }

  /// True if the variant promises all of these divisors, or more.
  static bool promisesAll(const OpenVariant &variant, ArrayRef<std::pair<unsigned, unsigned>> divisors) {
    return all_of(divisors, [&](const auto &wanted) {
      const Promise *promise = find(variant, false, wanted.first);
      return promise && promise->divisor >= wanted.second;
    });
  }

  /// Only divisors are left. Where variants make few different sets of promises, a set is one question;
  /// otherwise one argument after the other is asked, as there would be a question for each variant.
  void askDivisors(const State &state, DecisionNode &node) {
    constexpr size_t fewSets = 4;
    std::set<std::vector<Promise>> sets;
    std::map<std::pair<unsigned, unsigned>, unsigned> counts;
    const OpenVariant *first = nullptr;
    for (const OpenVariant &variant : state) {
      if (variant.promises.empty())
        continue;
      first = first ? first : &variant;
      sets.insert(variant.promises);
      for (const Promise &promise : variant.promises)
        ++counts[{promise.subject, promise.divisor}];
    }
    node.kind = DecisionNode::Kind::Divisible;
    if (sets.size() <= fewSets)
      for (const Promise &promise : first->promises)
        node.divisors.push_back({promise.subject, promise.divisor});
    else
      node.divisors.push_back(
          max_element(counts, [](const auto &a, const auto &b) { return a.second < b.second; })->first);
    State yes, no;
    for (const OpenVariant &variant : state) {
      if (!promisesAll(variant, node.divisors))
        no.push_back(variant);
      OpenVariant left = variant;
      erase_if(left.promises, [&](const Promise &promise) {
        return any_of(node.divisors, [&](const auto &known) {
          return known.first == promise.subject && known.second >= promise.divisor;
        });
      });
      yes.push_back(std::move(left));
    }
    node.yes = add(std::move(yes));
    node.no = add(std::move(no));
  }

  ArrayRef<int> argumentOf;
  function_ref<bool(ArrayRef<EarlierVariant>, unsigned)> isCovered;
  Decision decision;
  std::map<State, unsigned> known;
  std::vector<std::pair<State, unsigned>> open;
};

} // namespace

Decision decide(ArrayRef<DecisionVariant> variants, ArrayRef<int> argumentOf,
                function_ref<bool(ArrayRef<EarlierVariant>, unsigned)> isCovered) {
  State start;
  for (auto [index, variant] : enumerate(variants))
    if (!variant.isContradicting)
      start.push_back({unsigned(index), variant.promises});
  return Decider(argumentOf, isCovered).run(std::move(start));
}

} // namespace nereid
