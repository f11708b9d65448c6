// See LaunchOptions.h.
#include "aot/LaunchOptions.h"

#include "aot/KernelJob.h"
#include "aot/NumberOption.h"

#include "CLI/CLI.hpp"

namespace nereid {

void LaunchOptions::addTo(CLI::App &command) {
  command.add_option("--num-warps", numWarps, "Warps of a block on a GPU [4]")->check(isCount());
  command.add_option("--num-stages", numStages, "Rounds of a loop under way together [3]")->check(isCount());
  command
      .add_option("--num-ctas", numCTAs,
                  "Blocks, a cluster, that run a program together on NVIDIA's GPUs from sm_90 on [1]")
      ->check(isCount());
  command.add_option("--maxnreg", maxRegisters, "The most registers of a thread on a GPU [as many as fit]")
      ->check(isCount());
}

void LaunchOptions::apply(KernelJob &job) const {
  job.numWarps = numWarps;
  job.numStages = numStages;
  job.numCTAs = numCTAs;
  job.maxRegisters = maxRegisters;
}

} // namespace nereid
