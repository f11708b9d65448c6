// The options for how a program is run on a GPU, which compile and run have in common: `--num-warps`,
// `--num-stages`, `--num-ctas` and `--maxnreg`.
#ifndef NEREID_AOT_LAUNCHOPTIONS_H
#define NEREID_AOT_LAUNCHOPTIONS_H

#include <optional>

namespace CLI {
class App;
} // namespace CLI

namespace nereid {

struct KernelJob;

/// Without a value, what the kernel's source or configuration says counts.
struct LaunchOptions {
  std::optional<unsigned> numWarps, numStages, numCTAs, maxRegisters;

  void addTo(CLI::App &command);
  void apply(KernelJob &job) const;
};

} // namespace nereid

#endif // NEREID_AOT_LAUNCHOPTIONS_H
