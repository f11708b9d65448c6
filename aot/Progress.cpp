// Progress goes to stderr: stdout may be the output of `--emit`.
#include "aot/Progress.h"

#include "aot/tuning/TuningProgress.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nereid {

void TimeLeft::finish(StringRef kind, double seconds) {
  Kind &entry = kinds[kind.str()];
  if (entry.left != 0)
    --entry.left;
  ++entry.done;
  entry.seconds += seconds;
  ++done;
  total += seconds;
}

std::optional<double> TimeLeft::get(double elapsed) const {
  if (done == 0 || total <= 0 || elapsed <= 0)
    return std::nullopt;
  double rest = 0;
  for (const auto &[name, kind] : kinds)
    rest += kind.left * (kind.done ? kind.seconds / kind.done : total / done);
  // Work of `total` seconds was done in `elapsed`: by so many at a time.
  return rest * elapsed / total;
}

Progress::Progress(const std::vector<std::string> &kinds, ProgressMode mode) {
  bool isTerminal = sys::Process::StandardErrIsDisplayed();
  isLine = mode == ProgressMode::Line || (mode == ProgressMode::Auto && isTerminal);
  constexpr size_t fewOnTerminal = 3, fewInLog = 10;
  isEnabled = mode != ProgressMode::None &&
              (mode != ProgressMode::Auto || kinds.size() > (isTerminal ? fewOnTerminal : fewInLog));
  steps.resize(kinds.size());
  for (auto [step, kind] : zip_equal(steps, kinds)) {
    step.kind = kind;
    timeLeft.add(kind);
  }
  if (isEnabled && isLine)
    watcher = std::thread([this] { watch(); });
}

Progress::~Progress() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isEnding = true;
  }
  ended.notify_all();
  if (watcher.joinable())
    watcher.join();
  if (isEnabled && isLine && done != 0)
    errs() << '\n';
  showSlowest();
}

double Progress::since(Clock::time_point time) const {
  return std::chrono::duration<double>(Clock::now() - time).count();
}

std::string Progress::describe(const std::string &name) const {
  std::string text;
  raw_string_ostream os(text);
  unsigned width = std::to_string(steps.size()).size();
  os << '[' << format_decimal(done, width) << '/' << steps.size() << "] ";
  // A number from the first second would change with each step.
  constexpr double soon = 2;
  double elapsed = since(begin);
  std::optional<double> left = elapsed < soon ? std::nullopt : timeLeft.get(elapsed);
  bool hasTime = left && *left >= 1 && done < steps.size();
  if (hasTime)
    os << describeDuration(*left) << " left";
  if (failed)
    os << (hasTime ? ", " : "") << failed << " failed";
  os << (hasTime || failed ? ": " : "") << name;
  return text;
}

void Progress::show(const std::string &text) {
  errs() << (isLine ? "\r\x1b[K" : "") << text << (isLine ? "" : "\n");
}

void Progress::start(size_t step, const std::string &name) {
  std::lock_guard<std::mutex> lock(mutex);
  steps[step].name = name;
  steps[step].begin = Clock::now();
}

void Progress::finish(size_t index, const std::string &name, bool hasFailed) {
  std::lock_guard<std::mutex> lock(mutex);
  Step &step = steps[index];
  step.name = name;
  if (step.begin)
    step.seconds = since(*step.begin);
  step.begin.reset();
  timeLeft.finish(step.kind, step.seconds);
  ++done;
  failed += hasFailed;
  if (!isEnabled ||
      (!isLine && steps.size() > 10 && done * 10 / steps.size() == (done - 1) * 10 / steps.size()))
    return;
  show(describe(step.name));
}

/// Shows each second what has been under way for longest.
void Progress::watch() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!ended.wait_for(lock, std::chrono::seconds(1), [&] { return isEnding; })) {
    const Step *oldest = nullptr;
    for (const Step &step : steps)
      if (step.begin && (!oldest || *step.begin < *oldest->begin))
        oldest = &step;
    if (oldest && since(*oldest->begin) >= 1)
      show(describe(oldest->name + ", " + describeDuration(since(*oldest->begin))));
  }
}

void Progress::showSlowest() const {
  constexpr double worthTelling = 5;
  constexpr size_t most = 3;
  double elapsed = since(begin);
  if (!isEnabled || elapsed < worthTelling || done == 0)
    return;
  std::vector<const Step *> order;
  for (const Step &step : steps)
    if (step.seconds > 0)
      order.push_back(&step);
  llvm::sort(order, [](const Step *left, const Step *right) {
    return left->seconds != right->seconds ? left->seconds > right->seconds : left < right;
  });
  errs() << done << " images in " << describeDuration(elapsed) << "; what took longest:\n";
  for (const Step *step : ArrayRef(order).take_front(most))
    errs() << formatv("{0,8:f1} s  {1}\n", step->seconds, step->name);
}

} // namespace nereid
