// Counting, and the two ways to run out: steps and nesting.
#include "compiler/frontends/types/WorkMeter.h"

#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace nereid::semantics {

/// Values inside values: what neither a reader nor the stack could take.
constexpr unsigned maximumNesting = 1000;

static thread_local WorkMeter *threadMeter = nullptr;

WorkMeter::WorkMeter(uint64_t limit, Refuse refuse)
    : limit(limit), refuse(std::move(refuse)), outer(threadMeter) {
  threadMeter = this;
}

WorkMeter::~WorkMeter() { threadMeter = outer; }

WorkMeter *WorkMeter::current() { return threadMeter; }

void WorkMeter::refuseMore() {
  refuse("this takes more than " + Twine(limit) +
         " steps at compile time, which is the limit; --compile-limit raises it");
  llvm_unreachable("a refusal that returns");
}

void spendSteps(uint64_t steps) {
  if (threadMeter)
    threadMeter->spend(steps);
}

void spendBytes(uint64_t bytes) { spendSteps(bytes / 16); }

NestingGuard::NestingGuard() : meter(threadMeter) {
  if (!meter)
    return;
  meter->spend(1);
  if (meter->depth >= maximumNesting)
    meter->refuse("this value is nested more than " + Twine(maximumNesting) +
                  " levels deep; does it hold itself?");
  ++meter->depth;
}

NestingGuard::~NestingGuard() {
  if (meter)
    --meter->depth;
}

} // namespace nereid::semantics
