// A launch that fails on a GPU may leave its context of no use, which a wait tells.
#include "aot/tuning/CaseRunner.h"

#include "aot/tuning/CallTensors.h"
#include "aot/tuning/Statistics.h"
#include "aot/tuning/TensorContents.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include "nlohmann/json.hpp"

#include <chrono>
#include <cmath>
#include <new>

using namespace llvm;
using nlohmann::json;

namespace nereid {

CaseReporter::~CaseReporter() = default;

namespace {

/// Variants whose results are the same, and those of the first of them.
struct Opinion {
  std::vector<uint32_t> variants;
  std::vector<std::vector<char>> results;
};

/// What is known of one variant's time.
struct Timing {
  uint32_t variant;
  std::vector<double> times;
  double secondsSpent = 0;
  bool isDone = false;
};

class CaseRunner {
public:
  CaseRunner(const TuningTask &task, const OpenFunction &function, TuningDevice &device,
             const TuningEffort &effort, CaseReporter &reporter)
      : task(task), function(function), device(device), effort(effort), reporter(reporter),
        tensors(task, device) {}

  bool run() {
    try {
      return measure();
    } catch (const std::bad_alloc &) {
      return giveUp(
          {"", "the tensors, or copies of results to compare, are too large for the host's memory"});
    }
  }

private:
  bool measure() {
    if (std::optional<ArgumentProblem> problem = tensors.allocate())
      return giveUp(*problem);
    if (!computeGrid() || !choose())
      return true;
    if (toTime.empty())
      return true;
    if (std::optional<ArgumentProblem> problem = tensors.fill())
      return giveUp(*problem);
    for (uint32_t variant : toCheck)
      if (!check(variant))
        return false;
    judge();
    return timeAll();
  }

  bool giveUp(const ArgumentProblem &problem) {
    reporter.tell({{"kind", "impossible"}, {"argument", problem.argument}, {"text", problem.text}});
    // Memory that a case does not get may be there for the next.
    return true;
  }

  bool computeGrid() {
    if (!task.group->grid)
      return true;
    auto sizes = task.group->grid->evaluate(task.values);
    auto refuse = [&](const Twine &text) {
      giveUp({"", "\"grid\": " + text.str()});
      return false;
    };
    if (!sizes)
      return refuse(toString(sizes.takeError()));
    for (int64_t size : *sizes)
      if (size < 0 || size > INT32_MAX)
        return refuse(Twine(size) + " programs are no grid");
    grid = LibraryGrid{static_cast<uint32_t>((*sizes)[0]), static_cast<uint32_t>((*sizes)[1]),
                       static_cast<uint32_t>((*sizes)[2])};
    return true;
  }

  bool choose() {
    auto chosen = function.choose(device.stream, tensors.getPacked());
    if (!chosen) {
      giveUp({"", toString(chosen.takeError())});
      return false;
    }
    defaultVariant = chosen->number;
    json accepted = json::array();
    for (uint32_t number = 0; number < task.function->variants.size(); ++number) {
      auto choice = function.choose(device.stream, tensors.getPacked(), number);
      if (choice)
        accepted.push_back({number, choice->target});
      else
        consumeError(choice.takeError());
    }
    json answer = reporter.ask({{"kind", "variants"}, {"default", chosen->number}, {"accepted", accepted}});
    toCheck = answer.at("check").get<std::vector<uint32_t>>();
    toTime = answer.at("time").get<std::vector<uint32_t>>();
    return true;
  }

  Error launch(uint32_t variant) {
    return function.run(device.stream, variant, grid ? &*grid : nullptr, tensors.getPacked());
  }

  /// Returns false if the device is of no use afterwards.
  bool fail(uint32_t variant, Error error) {
    std::string reason = toString(std::move(error));
    Error health = device.wait();
    bool isFinal = bool(health);
    consumeError(std::move(health));
    reporter.tell({{"kind", "failed"}, {"variant", variant}, {"reason", reason}, {"is_final", isFinal}});
    erase(toTime, variant);
    return !isFinal;
  }

  bool check(uint32_t variant) {
    reporter.tell({{"kind", "running"}, {"variant", variant}});
    Error error = tensors.restore(/*withPoison=*/true);
    if (!error)
      error = launch(variant);
    if (!error)
      error = device.wait();
    if (error)
      return fail(variant, std::move(error));
    auto results = tensors.takeResults();
    if (!results)
      return fail(variant, results.takeError());
    for (Opinion &opinion : opinions)
      if (compare(*results, opinion.results).empty()) {
        opinion.variants.push_back(variant);
        return true;
      }
    opinions.push_back({{variant}, std::move(*results)});
    return true;
  }

  /// What differs, in words.
  std::string compare(ArrayRef<std::vector<char>> actual, ArrayRef<std::vector<char>> expected) const {
    std::vector<const TunableArgument *> written = tensors.getWritten();
    for (auto [i, argument] : enumerate(written)) {
      double allowed = task.group->tolerance.value_or(getTolerance(argument->element));
      double difference = compareTensors(actual[i], expected[i], argument->element);
      if (difference <= allowed)
        continue;
      if (std::isinf(difference))
        return "'" + argument->name + "' is not finite, or not written, in places where only one is";
      return formatv("'{0}' by {1:e2} of the largest element, where {2:e2} is allowed", argument->name,
                     difference, allowed);
    }
    return "";
  }

  /// Those that most variants do not agree with have failed; where two opinions have as many, those that the
  /// library's own choice does not agree with.
  void judge() {
    if (opinions.empty())
      return;
    auto weight = [&](const Opinion &opinion) {
      return std::pair(opinion.variants.size(), is_contained(opinion.variants, defaultVariant));
    };
    const Opinion &right =
        *std::max_element(opinions.begin(), opinions.end(),
                          [&](const Opinion &a, const Opinion &b) { return weight(a) < weight(b); });
    for (const Opinion &opinion : opinions) {
      if (&opinion == &right)
        continue;
      std::string reason = "its results differ from those of " +
                           (right.variants.size() == 1 ? "the variant that calls get by themselves"
                                                       : utostr(right.variants.size()) + " other variants") +
                           ": " + compare(opinion.results, right.results);
      for (uint32_t variant : opinion.variants) {
        reporter.tell({{"kind", "failed"}, {"variant", variant}, {"reason", reason}, {"is_final", false}});
        erase(toTime, variant);
      }
    }
    for (auto [i, argument] : enumerate(tensors.getWritten()))
      if (tensors.isPoisoned(i) && isAllNaN(right.results[i], argument->element))
        reporter.tell({{"kind", "warning"},
                       {"argument", argument->name},
                       {"text", "'" + argument->name +
                                    "' is NaN everywhere once a variant has run, so that results are not "
                                    "compared: a kernel that reads what it writes needs \"contents\" here"}});
    opinions.clear();
  }

  /// A round is one run of each variant whose time is still of interest.
  bool timeAll() {
    std::vector<Timing> timings;
    for (uint32_t variant : toTime)
      timings.push_back({variant, {}, 0, false});
    double best = INFINITY;
    bool isUnderWay = !timings.empty();
    while (isUnderWay) {
      isUnderWay = false;
      for (Timing &timing : timings) {
        if (timing.isDone)
          continue;
        if (!timeOnce(timing))
          return false;
        if (timing.isDone)
          continue;
        best = std::min(best, *std::min_element(timing.times.begin(), timing.times.end()));
        timing.isDone = knowsEnough(timing, best);
        isUnderWay |= !timing.isDone;
      }
    }
    return true;
  }

  /// Returns false if the device is of no use afterwards.
  bool timeOnce(Timing &timing) {
    reporter.tell({{"kind", "running"}, {"variant", timing.variant}});
    auto start = std::chrono::steady_clock::now();
    auto failTime = [&](Error error) {
      timing.isDone = true;
      return fail(timing.variant, std::move(error));
    };
    if (Error error = tensors.restore(/*withPoison=*/false))
      return failTime(std::move(error));
    Expected<double> time = device.time([&] { return launch(timing.variant); });
    if (!time)
      return failTime(time.takeError());
    timing.times.push_back(*time);
    timing.secondsSpent += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return true;
  }

  /// Tells the time if it is known well enough.
  bool knowsEnough(const Timing &timing, double best) {
    size_t count = timing.times.size();
    if (count < leastRuns)
      return false;
    TimeSummary summary = summarizeTimes(timing.times);
    // Of values spread normally around it a median is off by so much.
    double uncertainty = 1.86 * summary.spread / std::sqrt(summary.count);
    // The first runs of something may all be slow, and what is recorded counts from then on.
    bool isKnown = count >= usualRuns || timing.secondsSpent > effort.seconds / 4;
    bool isFarOff = isKnown && *std::min_element(timing.times.begin(), timing.times.end()) > 4 * best;
    if (!isFarOff && timing.secondsSpent < effort.seconds && count < mostRuns &&
        (summary.count < usualRuns || uncertainty > 0.003))
      return false;
    reporter.tell({{"kind", "time"},
                   {"variant", timing.variant},
                   {"nanoseconds", summary.median},
                   {"spread", summary.spread},
                   {"runs", summary.count},
                   {"outliers", summary.outliers}});
    return true;
  }

  static constexpr size_t leastRuns = 3, usualRuns = 9, mostRuns = 200;

  const TuningTask &task;
  const OpenFunction &function;
  TuningDevice &device;
  const TuningEffort &effort;
  CaseReporter &reporter;
  CallTensors tensors;
  std::optional<LibraryGrid> grid;
  uint32_t defaultVariant = 0;
  std::vector<uint32_t> toCheck, toTime;
  std::vector<Opinion> opinions;
};

} // namespace

bool runCase(const TuningTask &task, const OpenFunction &function, TuningDevice &device,
             const TuningEffort &effort, CaseReporter &reporter) {
  return CaseRunner(task, function, device, effort, reporter).run();
}

} // namespace nereid
