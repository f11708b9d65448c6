// Medians of copies: there are some hundred measurements at most.
#include "aot/tuning/Statistics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <cmath>

using namespace llvm;

namespace nereid {

static double median(SmallVector<double> values) {
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2)
    return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

static double deviation(ArrayRef<double> values, double from) {
  return median(map_to_vector(values, [&](double value) { return std::fabs(value - from); }));
}

TimeSummary summarizeTimes(ArrayRef<double> times) {
  SmallVector<double> all(times);
  double middle = median(all);
  // Clocks are coarse: of measurements that are all alike none is an outlier for its last digit.
  double limit = middle + 3 * std::max(deviation(all, middle), middle * 0.01);
  SmallVector<double> kept;
  copy_if(all, std::back_inserter(kept), [&](double time) { return time <= limit; });
  TimeSummary summary;
  summary.median = median(kept);
  summary.spread = summary.median > 0 ? deviation(kept, summary.median) / summary.median : 0;
  summary.count = kept.size();
  summary.outliers = all.size() - kept.size();
  return summary;
}

} // namespace nereid
