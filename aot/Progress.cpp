// Progress goes to stderr: stdout may be the output of `--emit`.
#include "aot/Progress.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nereid {

Progress::Progress(unsigned total)
    : total(total), terminal(sys::Process::StandardErrIsDisplayed()), enabled(total > (terminal ? 3 : 10)) {}

Progress::~Progress() {
  if (enabled && terminal && done != 0)
    errs() << '\n';
}

void Progress::finish(StringRef step) {
  std::lock_guard<std::mutex> lock(mutex);
  ++done;
  if (!enabled || (!terminal && done * 10 / total == (done - 1) * 10 / total))
    return;
  unsigned width = std::to_string(total).size();
  errs() << (terminal ? "\r\x1b[K" : "") << '[' << format_decimal(done, width) << '/' << total << "] " << step
         << (terminal ? "" : "\n");
}

} // namespace nereid
