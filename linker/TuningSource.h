// What the library's C text has of variants to be chosen by time: the tables that templates/tuning.c.in
// walks.
//
// nrd_tuned_K says of kernel number K which arguments are a key and which ones grids are computed of, and has
// a table for each device that was measured. nrd_tuned_leaves numbers the leaves of all kernels' decisions
// where there may be a choice. A library without any has none of this, nor the code for it.
#ifndef NEREID_LINKER_TUNINGSOURCE_H
#define NEREID_LINKER_TUNINGSOURCE_H

#include "linker/DispatchPlan.h"
#include "linker/DispatchSource.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace nereid {

class TuningSource {
public:
  /// `decisions` are those of the plan's kernels.
  TuningSource(const DispatchPlan &plan, llvm::ArrayRef<DecisionSource> decisions);

  /// Numbers in nrd_image what a kernel was compiled to.
  static unsigned numberCode(const PlannedKernel &kernel, unsigned variant, unsigned code);

  bool isNeeded() const { return !tunedLeaves.empty(); }
  size_t countLeaves() const { return tunedLeaves.size(); }
  /// As many candidates as the leaves have together at most.
  size_t countMembers() const { return numMembers; }
  /// Twice the measured keys of each leaf's kernel, of the device with the most.
  size_t countFastest() const { return numFastest; }

  /// nrd_tuned_K.
  std::string generateTables(unsigned kernel) const;
  /// nrd_tuned_leaves.
  std::string generateLeaves(size_t numLeaves) const;

private:
  const DispatchPlan &plan;
  /// Their numbers among all leaves.
  std::vector<unsigned> tunedLeaves;
  size_t numMembers = 0, numFastest = 0;
};

} // namespace nereid

#endif // NEREID_LINKER_TUNINGSOURCE_H
