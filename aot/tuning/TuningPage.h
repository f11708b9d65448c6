// Results as one HTML page, to be looked at: what `nereid tune --html` writes.
//
// The page needs nothing but itself: charts are SVG, drawn here; its script sorts tables. For each device and
// function it has a chart of all times over the keys, a table of what is chosen for each key and what
// that gains over the library's own choice, and a table of all measurements.
#ifndef NEREID_AOT_TUNING_TUNINGPAGE_H
#define NEREID_AOT_TUNING_TUNINGPAGE_H

#include "linker/TuningResults.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace nereid {

std::string drawTuningPage(llvm::ArrayRef<Measurement> measurements);

} // namespace nereid

#endif // NEREID_AOT_TUNING_TUNINGPAGE_H
