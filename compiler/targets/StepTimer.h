// Measures the wall time of one step of a compilation, from construction to destruction (or stop()), for
// `--time`.
#ifndef NEREID_COMPILER_TARGETS_STEPTIMER_H
#define NEREID_COMPILER_TARGETS_STEPTIMER_H

#include "compiler/model/CompileResult.h"

#include <chrono>

namespace nereid {

class StepTimer {
public:
  StepTimer(CompileResult &result, const char *step) : result(&result), step(step) {}
  StepTimer(const StepTimer &) = delete;
  StepTimer &operator=(const StepTimer &) = delete;
  ~StepTimer() { stop(); }

  void stop() {
    if (result)
      result->timings.emplace_back(step, std::chrono::duration<double>(Clock::now() - start).count());
    result = nullptr;
  }

private:
  using Clock = std::chrono::steady_clock;
  CompileResult *result;
  const char *step;
  Clock::time_point start = Clock::now();
};

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_STEPTIMER_H
