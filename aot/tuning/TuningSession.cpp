// The parent's side: it asks for one case at a time, decides which of its variants are still to be measured,
// and takes notes.
#include "aot/tuning/TuningSession.h"

#include "aot/tuning/TuningProgress.h"
#include "aot/tuning/WorkerProcess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include "nlohmann/json.hpp"

#include <chrono>
#include <ctime>
#include <dlfcn.h>
#include <set>

using namespace llvm;
using nlohmann::json;

namespace nereid {

//===----------------------------------------------------------------------===//
// The worker
//===----------------------------------------------------------------------===//

namespace {

class ChannelReporter : public CaseReporter {
public:
  explicit ChannelReporter(MessageChannel &channel) : channel(channel) {}
  void tell(const json &message) override { channel.send(message); }
  json ask(const json &message) override {
    channel.send(message);
    std::optional<json> answer = channel.receive();
    return answer ? *answer : json{{"check", json::array()}, {"time", json::array()}};
  }

private:
  MessageChannel &channel;
};

} // namespace

static void work(MessageChannel &channel, ArrayRef<TuningTask> tasks, const TuningSettings &settings) {
  auto giveUp = [&](const Twine &text) { channel.send({{"kind", "unable"}, {"text", text.str()}}); };
  auto device =
      settings.backend == Backend::CPU ? openCPU() : openGPU(settings.backend, settings.deviceNumber);
  if (!device)
    return giveUp(toString(device.takeError()));
  // Without a slash the loader would look along its path.
  StringRef path = settings.libraryPath;
  void *library =
      dlopen((path.contains('/') ? path : "./" + path.str()).str().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return giveUp(Twine("the library cannot be opened: ") + dlerror());
  channel.send({{"kind", "ready"}, {"device", (*device)->name}, {"driver", (*device)->driver}});
  ChannelReporter reporter(channel);
  while (std::optional<json> request = channel.receive()) {
    const TuningTask &task = tasks[request->at("task").get<size_t>()];
    auto function = OpenFunction::open(library, *task.function);
    if (!function)
      return giveUp(toString(function.takeError()));
    if (!runCase(task, *function, **device, settings.effort, reporter))
      return;
    channel.send({{"kind", "done"}});
  }
}

//===----------------------------------------------------------------------===//
// The session
//===----------------------------------------------------------------------===//

static std::string getDay() {
  std::time_t now = std::time(nullptr);
  std::tm day;
  char text[16];
  gmtime_r(&now, &day);
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d", &day));
}

namespace {

/// What the session knows of the case that is being measured.
struct CaseState {
  size_t number;
  const TuningTask *task;
  /// By variant: the target of its code.
  std::map<uint32_t, std::string> targets;
  /// What was measured since the case began, or has failed.
  std::set<uint32_t> finished, failed;
  std::optional<uint32_t> defaultVariant, running;
  uint64_t measured = 0;
  bool isImpossible = false;
};

class TuningSession {
public:
  TuningSession(ArrayRef<TuningTask> tasks, const TuningSettings &settings, ResultsFile &file,
                Diagnostics &diagnostics)
      : tasks(tasks), settings(settings), file(file), diagnostics(diagnostics), progress(tasks.size()),
        worker([tasks, &settings](MessageChannel &channel) { work(channel, tasks, settings); }) {
    index();
  }

  std::optional<TuningOutcome> run() {
    InterruptGuard guard;
    for (size_t number = 0; number < tasks.size() && !outcome.signal && isAble; ++number) {
      CaseState state;
      state.number = number;
      state.task = &tasks[number];
      while (attempt(state) == Attempt::Again) {
      }
      save(/*isLast=*/false);
      if (!outcome.signal && isAble)
        progress.finish(summarize(state), state.measured == 0);
    }
    worker.stop();
    save(/*isLast=*/true);
    progress.clear();
    if (failuresShown > mostFailuresShown)
      diagnostics.warning("there were " + Twine(failuresShown - mostFailuresShown) +
                          " more failures; the results have them all");
    outcome.signal = InterruptGuard::getSignal();
    return isAble ? std::optional(outcome) : std::nullopt;
  }

private:
  enum class Attempt { Done, Again };
  using Identity =
      std::tuple<std::string, std::string, std::string, std::map<std::string, int64_t>, std::string>;

  static Identity identify(const Measurement &m) {
    return {m.function, m.device, m.target, m.key, m.variant};
  }

  void index() {
    for (const Measurement &m : file.get())
      known[identify(m)] = m;
  }

  /// Shows what was reported, above the progress.
  void flush() {
    progress.clear();
    diagnostics.flush(errs());
  }

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  Measurement makeMeasurement(const CaseState &state, uint32_t variant) const {
    Measurement m;
    const TunableFunction &function = *state.task->function;
    m.function = function.name;
    m.device = outcome.device;
    m.driver = driver;
    m.key = state.task->key;
    m.target = state.targets.at(variant);
    m.variant = function.variants.at(variant).names.at(m.target);
    m.isDefault = state.defaultVariant && function.variants.at(*state.defaultVariant).names.count(m.target) &&
                  function.variants.at(*state.defaultVariant).names.at(m.target) == m.variant;
    m.nereid = NEREID_VERSION;
    m.date = getDay();
    return m;
  }

  void record(const CaseState &state, const Measurement &m) {
    known[identify(m)] = m;
    measuredBy[identify(m)] = state.task->group;
    fresh.push_back(m);
    save(/*isLast=*/false);
  }

  /// Writing a large file takes its time: a tenth of all is enough.
  void save(bool isLast) {
    using Clock = std::chrono::steady_clock;
    Clock::time_point start = Clock::now();
    if (fresh.empty() && !file.hasUnsaved())
      return;
    if (!isLast && start - lastSave < 10 * saveDuration)
      return;
    Error error = file.add(fresh);
    fresh.clear();
    lastSave = Clock::now();
    saveDuration = lastSave - start;
    std::string reason = toString(std::move(error));
    if (reason.empty()) {
      if (!saveProblem.empty()) {
        saveProblem.clear();
        diagnostics.warning("the results are saved again");
        flush();
      }
    } else if (reason != saveProblem) {
      saveProblem = reason;
      diagnostics.warning(reason + "; measurements are kept until they can be saved");
      flush();
    }
  }

  void recordFailure(CaseState &state, uint32_t variant, const std::string &reason) {
    state.failed.insert(variant);
    ++outcome.failed;
    ++state.measured;
    Measurement m = makeMeasurement(state, variant);
    m.failed = reason;
    record(state, m);
    if (++failuresShown > mostFailuresShown)
      return;
    diagnostics.warning(state.task->group->range, state.task->describe() + ": '" + m.variant + "' for " +
                                                      m.target + " has failed: " + reason);
    flush();
  }

  //===--------------------------------------------------------------------===//
  // A case
  //===--------------------------------------------------------------------===//

  bool start() {
    if (worker.isRunning())
      return true;
    json message;
    Error error = worker.start();
    if (error) {
      diagnostics.error("no process can be started to measure in: " + toString(std::move(error)));
    } else {
      switch (worker.receive(message, secondsToStart)) {
      case WorkerProcess::Outcome::Interrupted:
        outcome.signal = InterruptGuard::getSignal();
        return false;
      case WorkerProcess::Outcome::Message:
        if (message.value("kind", "") == "ready") {
          outcome.device = message.value("device", "");
          driver = message.value("driver", "");
          return true;
        }
        diagnostics.error(message.value("text", "the process that measures did not start"));
        break;
      case WorkerProcess::Outcome::Ended:
        diagnostics.error("the process that measures did not start: " + worker.describeEnd());
        break;
      case WorkerProcess::Outcome::TimedOut:
        diagnostics.error("the device did not open within " + Twine(static_cast<unsigned>(secondsToStart)) +
                          " seconds");
        break;
      }
    }
    isAble = false;
    return false;
  }

  Attempt attempt(CaseState &state) {
    if (!start())
      return Attempt::Done;
    state.running.reset();
    worker.send({{"task", state.number}});
    while (true) {
      json message;
      double limit = state.running ? settings.timeLimit : secondsToPrepare;
      switch (worker.receive(message, limit)) {
      case WorkerProcess::Outcome::Interrupted:
        outcome.signal = InterruptGuard::getSignal();
        return Attempt::Done;
      case WorkerProcess::Outcome::Ended:
        return endOf(state, worker.describeEnd());
      case WorkerProcess::Outcome::TimedOut:
        worker.stop();
        return endOf(state, "it did not end within " + formatSeconds(limit));
      case WorkerProcess::Outcome::Message:
        break;
      }
      try {
        if (message.at("kind") == "done")
          return Attempt::Done;
        if (!handle(state, message))
          return isAble ? Attempt::Again : Attempt::Done;
      } catch (const std::exception &) {
        // A kernel that writes where it should not may write there, too.
        worker.stop();
        return endOf(state, "its process no longer made sense");
      }
    }
  }

  static std::string formatSeconds(double seconds) {
    std::string text;
    raw_string_ostream(text) << format("%g", seconds) << (seconds == 1 ? " second" : " seconds");
    return text;
  }

  /// The worker is gone.
  Attempt endOf(CaseState &state, const std::string &reason) {
    if (state.running && state.targets.count(*state.running)) {
      recordFailure(state, *state.running, reason);
      return Attempt::Again;
    }
    diagnostics.error(state.task->group->range,
                      state.task->describe() + " cannot be measured: " + reason + ", before a variant ran");
    flush();
    state.isImpossible = true;
    return Attempt::Done;
  }

  /// Returns false if the worker has to be another one.
  bool handle(CaseState &state, const json &message) {
    std::string kind = message.at("kind").get<std::string>();
    if (kind == "variants") {
      worker.send(chooseWork(state, message));
    } else if (kind == "running") {
      state.running = message.at("variant").get<uint32_t>();
    } else if (kind == "failed") {
      recordFailure(state, message.at("variant").get<uint32_t>(), message.at("reason").get<std::string>());
      state.running.reset();
      if (message.at("is_final").get<bool>()) {
        worker.stop();
        return false;
      }
    } else if (kind == "time") {
      recordTime(state, message);
    } else if (kind == "warning" || kind == "impossible") {
      complain(state, kind == "warning", message.at("argument").get<std::string>(),
               message.at("text").get<std::string>());
    } else if (kind == "unable") {
      diagnostics.error(message.at("text").get<std::string>());
      isAble = false;
      return false;
    }
    return true;
  }

  /// Of the variants that accept the call those that nothing is known of.
  json chooseWork(CaseState &state, const json &message) {
    const TunableFunction &function = *state.task->function;
    state.defaultVariant = message.at("default").get<uint32_t>();
    std::vector<uint32_t> accepted;
    std::set<std::string> names;
    for (const json &entry : message.at("accepted")) {
      auto number = entry.at(0).get<uint32_t>();
      auto target = entry.at(1).get<std::string>();
      // Code that differs in nothing has one name, and is measured once.
      if (!names.insert(target + " " + function.variants.at(number).names.at(target)).second)
        continue;
      state.targets[number] = target;
      accepted.push_back(number);
    }
    std::vector<uint32_t> check, time;
    bool isRepeated = false;
    for (uint32_t number : accepted) {
      if (state.failed.count(number))
        continue;
      Measurement m = makeMeasurement(state, number);
      auto found = known.find(identify(m));
      auto by = measuredBy.find(identify(m));
      bool isOfOtherGroup = by != measuredBy.end() && by->second != state.task->group;
      bool isKnown = found != known.end() && found->second.driver == driver &&
                     (!settings.again || state.finished.count(number) || isOfOtherGroup);
      isRepeated |= isOfOtherGroup;
      if (!isKnown)
        time.push_back(number);
      else if (!state.finished.count(number))
        refresh(found->second, m);
      if (!isKnown || found->second.failed.empty())
        check.push_back(number);
    }
    if (time.empty())
      check.clear();
    if (isRepeated)
      complain(state, /*isWarning=*/true, "",
               state.task->describe() + ": a group of cases before this one was measured for the same key, " +
                   "{" + describeValues(state.task->key) +
                   "}, which is all that calls choose by; what this group has of it is not measured");
    return {{"check", check}, {"time", time}};
  }

  /// Which variant is the library's own choice may have changed since.
  void refresh(Measurement &measurement, const Measurement &now) {
    ++outcome.known;
    if (measurement.isDefault == now.isDefault)
      return;
    measurement.isDefault = now.isDefault;
    fresh.push_back(measurement);
  }

  void recordTime(CaseState &state, const json &message) {
    auto variant = message.at("variant").get<uint32_t>();
    Measurement m = makeMeasurement(state, variant);
    m.nanoseconds = message.at("nanoseconds").get<double>();
    m.spread = message.at("spread").get<double>();
    m.runs = message.at("runs").get<unsigned>();
    m.outliers = message.at("outliers").get<unsigned>();
    state.finished.insert(variant);
    ++state.measured;
    ++outcome.measured;
    record(state, m);
  }

  void complain(CaseState &state, bool isWarning, const std::string &argument, const std::string &text) {
    const TuningGroup &group = *state.task->group;
    auto found = group.arguments.find(argument);
    SMRange range = found == group.arguments.end() ? group.range : found->second.range;
    // One is enough for all cases of a group.
    if (isWarning && !warned.insert({&group, argument}).second)
      return;
    if (isWarning)
      diagnostics.warning(range, text);
    else
      diagnostics.error(range, state.task->describe() + " cannot be measured: " + text);
    state.isImpossible |= !isWarning;
    flush();
  }

  std::string summarize(const CaseState &state) const {
    std::string text = state.task->describe() + ": ";
    if (state.isImpossible)
      return text + "not measured";
    double best = 0;
    unsigned count = 0;
    for (const auto &[variant, target] : state.targets) {
      auto found = known.find(identify(makeMeasurement(state, variant)));
      if (found == known.end() || !found->second.failed.empty())
        continue;
      best = count ? std::min(best, found->second.nanoseconds) : found->second.nanoseconds;
      ++count;
    }
    if (count == 0)
      return text + "all variants have failed";
    return text + utostr(count) + (count == 1 ? " variant, in " : " variants, the best in ") +
           describeTime(best);
  }

  static constexpr double secondsToStart = 120, secondsToPrepare = 600;
  static constexpr uint64_t mostFailuresShown = 20;

  ArrayRef<TuningTask> tasks;
  const TuningSettings &settings;
  ResultsFile &file;
  Diagnostics &diagnostics;
  TuningProgress progress;
  WorkerProcess worker;
  TuningOutcome outcome;
  std::string driver;
  bool isAble = true;
  std::map<Identity, Measurement> known;
  /// Of what was measured by this session, and not by one before.
  std::map<Identity, const TuningGroup *> measuredBy;
  std::vector<Measurement> fresh;
  std::chrono::steady_clock::time_point lastSave;
  std::chrono::steady_clock::duration saveDuration{};
  std::string saveProblem;
  uint64_t failuresShown = 0;
  std::set<std::pair<const TuningGroup *, std::string>> warned;
};

} // namespace

std::optional<TuningOutcome> runTuning(ArrayRef<TuningTask> tasks, const TuningSettings &settings,
                                       ResultsFile &file, Diagnostics &diagnostics) {
  return TuningSession(tasks, settings, file, diagnostics).run();
}

} // namespace nereid
