// The nearest key is found by halving the values that were measured, where they are in question: keys that
// are farther from all of what is left than another one are left out on the way.
#include "linker/TuningDecision.h"

#include "linker/VariantName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <map>
#include <set>

using namespace llvm;

namespace nereid {

/// Where a value lies among others: as far from 1000 to 2000 as from 2000 to 4000.
static double scale(int64_t value) {
  double size = std::log2(1.0 + std::fabs(static_cast<double>(value)));
  return value < 0 ? -size : size;
}

/// The least value between two that is nearer to the greater one.
static int64_t findBound(int64_t less, int64_t greater) {
  int64_t low = less, high = greater; // low is nearer to less, high to greater
  while (uint64_t(high) - uint64_t(low) > 1) {
    auto middle = static_cast<int64_t>(uint64_t(low) + (uint64_t(high) - uint64_t(low)) / 2);
    (scale(middle) - scale(less) <= scale(greater) - scale(middle) ? low : high) = middle;
  }
  return high;
}

namespace {

class NearestKey {
public:
  explicit NearestKey(ArrayRef<TuningKey> keys) : keys(keys), values(keys.front().size()) {
    for (unsigned place = 0; place < values.size(); ++place) {
      std::set<int64_t> distinct;
      for (const TuningKey &key : keys)
        if (key[place])
          distinct.insert(*key[place]);
      values[place].assign(distinct.begin(), distinct.end());
      if (values[place].empty())
        values[place].push_back(0);
    }
  }

  std::vector<TuningNode> run() {
    std::vector<unsigned> all(keys.size());
    for (unsigned i = 0; i < all.size(); ++i)
      all[i] = i;
    Box box;
    for (const std::vector<int64_t> &own : values)
      box.push_back({0, unsigned(own.size() - 1)});
    nodes.emplace_back();
    decide(box, std::move(all), 0);
    return std::move(nodes);
  }

private:
  /// For each place the first and the last of `values` that are possible.
  using Box = std::vector<std::pair<unsigned, unsigned>>;

  /// The squares of the least and the greatest distance of a key from the values in a box.
  std::pair<double, double> measure(const Box &box, const TuningKey &key) const {
    double least = 0, most = 0;
    for (unsigned place = 0; place < box.size(); ++place) {
      if (!key[place])
        continue;
      double own = scale(*key[place]), first = scale(values[place][box[place].first]),
             last = scale(values[place][box[place].second]);
      double near = own < first ? first - own : own > last ? own - last : 0;
      double far = std::max(std::fabs(own - first), std::fabs(own - last));
      least += near * near;
      most += far * far;
    }
    return {least, most};
  }

  /// Of keys that are as near, the one that says more, then the first.
  unsigned findNearest(const Box &box, ArrayRef<unsigned> candidates) const {
    auto rank = [&](unsigned index) {
      return std::tuple(measure(box, keys[index]).second, -count_if(keys[index], [](auto v) { return !!v; }),
                        index);
    };
    return *min_element(candidates, [&](unsigned a, unsigned b) { return rank(a) < rank(b); });
  }

  void decide(const Box &box, std::vector<unsigned> candidates, size_t node) {
    double bound = HUGE_VAL;
    for (unsigned index : candidates)
      bound = std::min(bound, measure(box, keys[index]).second);
    erase_if(candidates, [&](unsigned index) { return measure(box, keys[index]).first > bound; });
    // Many keys in no order could make a piece of the graph for each combination of their values. Then near
    // is what lies in the same part of the values that were measured.
    constexpr size_t mostNodes = 4096;
    auto isInside = [&](unsigned index) { return measure(box, keys[index]).first == 0; };
    if (nodes.size() > mostNodes && any_of(candidates, isInside))
      erase_if(candidates, [&](unsigned index) { return !isInside(index); });
    auto widest = max_element(
        box, [](const auto &a, const auto &b) { return a.second - a.first < b.second - b.first; });
    bool isLast = nodes.size() > mostNodes && none_of(candidates, isInside);
    if (box.empty() || widest->first == widest->second || candidates.size() == 1 || isLast) {
      nodes[node].yes = findNearest(box, candidates);
      return;
    }
    auto place = unsigned(widest - box.begin());
    unsigned middle = (widest->first + widest->second) / 2;
    Box less = box, rest = box;
    less[place].second = middle;
    rest[place].first = middle + 1;
    auto yes = unsigned(nodes.size());
    nodes.resize(nodes.size() + 2);
    nodes[node] = {place, findBound(values[place][middle], values[place][middle + 1]), yes, yes + 1};
    decide(less, candidates, yes);
    decide(rest, std::move(candidates), yes + 1);
  }

  ArrayRef<TuningKey> keys;
  /// Of each place, all that were measured, in order.
  std::vector<std::vector<int64_t>> values;
  std::vector<TuningNode> nodes;
};

/// The measurements of one function on their way into its kernel.
class TuningReader {
public:
  TuningReader(PlannedKernel &kernel, ArrayRef<const Measurement *> measurements, Diagnostics &diagnostics)
      : kernel(kernel), measurements(measurements), diagnostics(diagnostics) {}

  void run() {
    readKey();
    for (const Measurement *m : measurements)
      add(*m);
    for (TuningTable &table : kernel.tuning.tables) {
      for (std::vector<MeasuredCode> &measured : table.measured)
        llvm::sort(measured, [](const MeasuredCode &a, const MeasuredCode &b) {
          return std::tuple(a.hasFailed, a.nanoseconds, a.variant, a.code) <
                 std::tuple(b.hasFailed, b.nanoseconds, b.variant, b.code);
        });
      table.nodes = decideNearest(table.keys);
    }
    warnOfUnknown();
  }

private:
  bool isPartOfKey(const PlannedArgument &argument) const {
    return !argument.isPointer && argument.form == PlannedArgument::Form::Plain &&
           isInteger(argument.element);
  }

  /// The arguments that any measurement gives a value for, in the order of the function's.
  void readKey() {
    std::set<std::string> names;
    for (const Measurement *m : measurements)
      for (const auto &[name, value] : m->key)
        names.insert(name);
    for (auto [index, argument] : enumerate(kernel.arguments))
      if (names.erase(argument.name) && isPartOfKey(argument))
        kernel.tuning.key.push_back(index);
    for (const std::string &name : names) {
      // A compile-time parameter is part of the signature already.
      bool isConstant = any_of(*kernel.variants.front().parameters,
                               [&](const KernelParameter &parameter) { return parameter.name == name; });
      if (!isConstant)
        diagnostics.warning("the tuning results of '" + kernel.name + "' are for values of '" + name +
                            "', which is none of its parameters");
    }
  }

  TuningKey keyOf(const Measurement &m) const {
    TuningKey key;
    for (unsigned index : kernel.tuning.key) {
      auto value = m.key.find(kernel.arguments[index].name);
      key.push_back(value == m.key.end() ? std::nullopt : std::optional(value->second));
    }
    return key;
  }

  void add(const Measurement &m) {
    std::vector<MeasuredCode> found;
    for (auto [v, variant] : enumerate(kernel.variants))
      for (auto [c, code] : enumerate(variant.codes))
        if (code.code->target.str() == m.target && !code.code->isOtherForm() &&
            getVariantName(*variant.object, *code.code) == m.variant)
          found.push_back({unsigned(v), unsigned(c), m.nanoseconds, !m.failed.empty()});
    if (found.empty()) {
      unknown.insert("'" + m.variant + "' for " + m.target);
      return;
    }
    auto table = find_if(kernel.tuning.tables, [&](const TuningTable &t) { return t.device == m.device; });
    if (table == kernel.tuning.tables.end()) {
      table = kernel.tuning.tables.emplace(table);
      table->device = m.device;
    }
    TuningKey key = keyOf(m);
    size_t place = find(table->keys, key) - table->keys.begin();
    if (place == table->keys.size()) {
      table->keys.push_back(std::move(key));
      table->measured.emplace_back();
    }
    // The last one counts.
    for (const MeasuredCode &code : found) {
      erase_if(table->measured[place], [&](const MeasuredCode &other) {
        return other.variant == code.variant && other.code == code.code;
      });
      table->measured[place].push_back(code);
    }
  }

  void warnOfUnknown() {
    if (unknown.empty())
      return;
    constexpr size_t shown = 3;
    std::vector<std::string> names(unknown.begin(), unknown.end());
    size_t more = names.size() > shown ? names.size() - shown : 0;
    names.resize(names.size() - more);
    diagnostics.warning("the tuning results have times of variants of '" + kernel.name +
                        "' that the library does not have: " + join(names, ", ") +
                        (more ? " and " + utostr(more) + " more" : ""));
  }

  PlannedKernel &kernel;
  ArrayRef<const Measurement *> measurements;
  Diagnostics &diagnostics;
  std::set<std::string> unknown;
};

} // namespace

std::vector<TuningNode> decideNearest(ArrayRef<TuningKey> keys) { return NearestKey(keys).run(); }

void addTuning(DispatchPlan &plan, ArrayRef<Measurement> measurements, Diagnostics &diagnostics) {
  std::map<std::string, std::vector<const Measurement *>> byFunction;
  for (const Measurement &m : measurements)
    byFunction[m.function].push_back(&m);
  for (PlannedKernel &kernel : plan.kernels) {
    auto found = byFunction.find(kernel.name);
    if (found == byFunction.end())
      continue;
    TuningReader(kernel, found->second, diagnostics).run();
    byFunction.erase(found);
  }
  for (const auto &[name, unused] : byFunction)
    diagnostics.warning("the tuning results have times of '" + name +
                        "', and the library has no function of that name");
}

} // namespace nereid
