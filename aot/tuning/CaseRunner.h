// Measures the variants of one function for one case, in the process that may crash of it.
//
//     choose    which variants accept the call, and which one it gets by itself
//     check     each runs once, with its outputs poisoned and what it updates as the case says; results are
//               compared. Most variants are right: those that disagree with the largest number have failed
//     time      rounds of one run of each variant, so that a machine which gets slower or faster does so for
//               all of them; a variant leaves the rounds once its time is known well, or known to be far off
//
// What is found is told as it is found: before each run its variant is announced, so that a process which
// does not live to tell has told that. Messages are JSON objects:
//
//     {"kind": "variants", "default": 3, "accepted": [[0, "cuda:90a"], …]}   answered by
//                                                          {"check": [0, 3], "time": [3]}
//     {"kind": "running", "variant": 3}
//     {"kind": "failed", "variant": 3, "reason": "…", "is_final": true}      with the last the process ends
//     {"kind": "warning", "argument": "out", "text": "…"}
//     {"kind": "time", "variant": 3, "nanoseconds": …, "spread": …, "runs": …, "outliers": …}
//     {"kind": "impossible", "argument": "x", "text": "…"}                   the case cannot be measured
#ifndef NEREID_AOT_TUNING_CASERUNNER_H
#define NEREID_AOT_TUNING_CASERUNNER_H

#include "aot/tuning/TuningPlan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include "nlohmann/json_fwd.hpp"

namespace nereid {

/// How long to measure.
struct TuningEffort {
  /// Of each variant and case, once it has run a few times.
  double seconds = 0.5;
};

class CaseReporter {
public:
  virtual ~CaseReporter();
  virtual void tell(const nlohmann::json &message) = 0;
  virtual nlohmann::json ask(const nlohmann::json &message) = 0;
};

/// Returns false if the device is no longer of use, and the process has to end.
bool runCase(const TuningTask &task, const OpenFunction &function, TuningDevice &device,
             const TuningEffort &effort, CaseReporter &reporter);

} // namespace nereid

#endif // NEREID_AOT_TUNING_CASERUNNER_H
