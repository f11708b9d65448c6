// The time left is that of an average case for each that is left.
#include "aot/tuning/TuningProgress.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;

namespace nereid {

std::string describeTime(double nanoseconds) {
  const char *units[] = {"ns", "us", "ms", "s"};
  unsigned unit = 0;
  for (; unit < 3 && nanoseconds >= 999.5; ++unit)
    nanoseconds /= 1000;
  return formatv(nanoseconds < 9.995   ? "{0:f2} {1}"
                 : nanoseconds < 99.95 ? "{0:f1} {1}"
                                       : "{0:f0} {1}",
                 nanoseconds, units[unit]);
}

std::string describeDuration(double seconds) {
  auto whole = static_cast<uint64_t>(std::llround(seconds));
  if (whole < 60)
    return std::to_string(whole) + " s";
  uint64_t minutes = (whole + 30) / 60;
  if (minutes < 60)
    return std::to_string(minutes) + " min";
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

TuningProgress::TuningProgress(uint64_t total)
    : total(total), isTerminal(sys::Process::StandardErrIsDisplayed()), start(Clock::now()),
      lastLine(Clock::now()) {}

void TuningProgress::clear() {
  if (isShown)
    errs() << "\r\x1b[K";
  isShown = false;
}

void TuningProgress::finish(StringRef text, bool wasKnown) {
  ++done;
  known += wasKnown;
  Clock::time_point now = Clock::now();
  bool isTenth = done * 10 / total != (done - 1) * 10 / total;
  if (!isTerminal && !isTenth && now - lastLine < std::chrono::seconds(30))
    return;
  lastLine = now;
  clear();
  unsigned width = std::to_string(total).size();
  errs() << '[' << format_decimal(static_cast<int64_t>(done), width) << '/' << total << "] " << text;
  if (done != total && done != known)
    errs() << "; "
           << describeDuration(std::chrono::duration<double>(now - start).count() /
                               static_cast<double>(done - known) * static_cast<double>(total - done))
           << " left";
  if (!isTerminal)
    errs() << '\n';
  isShown = isTerminal;
}

} // namespace nereid
