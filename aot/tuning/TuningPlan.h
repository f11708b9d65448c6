// The cases of a file brought together with the functions of a library: what there is to measure.
//
// All that can be wrong with the two together is found here, before anything is measured, and is reported at
// its place in the file of cases.
#ifndef NEREID_AOT_TUNING_TUNINGPLAN_H
#define NEREID_AOT_TUNING_TUNINGPLAN_H

#include "aot/Shard.h"
#include "aot/tuning/TunableLibrary.h"
#include "aot/tuning/TuningCases.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nereid {

/// One case of one function.
struct TuningTask {
  const TuningGroup *group = nullptr;
  const TunableFunction *function = nullptr;
  std::map<std::string, int64_t> values, key;

  /// `matmul M=512 N=64`, for people.
  std::string describe() const;
};

/// In the order of the file; of a shard every count-th, so that all shards get large and small ones. Reports
/// and returns nothing if the cases do not fit the functions.
std::optional<std::vector<TuningTask>> planTuning(llvm::ArrayRef<TuningGroup> groups,
                                                  llvm::ArrayRef<TunableFunction> functions,
                                                  const Shard &shard, Diagnostics &diagnostics);

/// `columns=4096 rows=1024`
std::string describeValues(const std::map<std::string, int64_t> &values);

/// What an expression is for the task's values. Its arithmetic may overflow.
llvm::Expected<int64_t> evaluate(const GridExpression &expression, const TuningTask &task);

} // namespace nereid

#endif // NEREID_AOT_TUNING_TUNINGPLAN_H
