// One time out of many measurements of the same thing.
//
// A machine that does other things too makes some of them slow, never one fast. What lies far above the rest
// is therefore left out: more than three times as far above the median as half of the others are from it. The
// median of what stays is the time; half of that stay within `spread` of it.
#ifndef NEREID_AOT_TUNING_STATISTICS_H
#define NEREID_AOT_TUNING_STATISTICS_H

#include "llvm/ADT/ArrayRef.h"

namespace nereid {

struct TimeSummary {
  double median = 0;
  /// Half of the measurements lie within this share of the median.
  double spread = 0;
  unsigned count = 0, outliers = 0;
};

/// Of one measurement or more.
TimeSummary summarizeTimes(llvm::ArrayRef<double> times);

} // namespace nereid

#endif // NEREID_AOT_TUNING_STATISTICS_H
