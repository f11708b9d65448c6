// What holds for some targets only: other tiles, warps and stages where the hardware is another.
//
//     hip: num_warps=8, BLOCK_M=64           all of AMD's GPUs
//     cuda:80, cuda:86: num_stages=2         these two
//
// In front of the last colon before the first `=` stand back ends and single targets, behind it values as in
// a signature by name: `num_warps`, `num_stages`, `num_ctas`, `maxnreg`, `waves_per_eu` and `config` are the
// options of these names, everything else a compile-time parameter of the kernel, whose value in the
// signature gives way. It is written so on the command line, in CMake and in annotations; a manifest has an
// object for it.
//
// What is said for a target comes before what is said for its back end, and that before what holds for all;
// of what is said for the same, a signature's comes before the kernel's.
#ifndef NEREID_AOT_TARGETSETTINGS_H
#define NEREID_AOT_TARGETSETTINGS_H

#include "compiler/model/Diagnostics.h"
#include "compiler/model/KernelDeclaration.h"
#include "compiler/model/Specialization.h"
#include "compiler/model/Target.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <vector>

namespace nereid {

/// A number with its place, for messages.
struct PlacedNumber {
  unsigned value = 0;
  llvm::SMRange range;
};

/// The options that may differ from target to target.
struct TargetOptions {
  std::optional<PlacedNumber> numWarps, numStages, numCTAs, maxRegisters, wavesPerEU, config;
};

struct TargetSettings {
  std::vector<Backend> backends;
  /// Each with the place where it is named.
  std::vector<std::pair<Target, llvm::SMRange>> targets;
  TargetOptions options;
  /// By name.
  std::vector<ParameterSpec> constants;
  /// Whether it stands at a signature rather than at the kernel.
  bool isOfSignature = false;
};

/// Reads `hip, cuda:80` into the settings. `text` is a view that `diagnostics` owns, here and below.
bool parseSettingTargets(llvm::StringRef text, TargetSettings &settings, Diagnostics &diagnostics);

/// Adds what `num_warps=8, BLOCK_M=64` says to the settings.
bool parseSettingValues(llvm::StringRef text, TargetSettings &settings, Diagnostics &diagnostics);

/// Adds `BLOCK_M=64`, where that is known to be no option, whatever its name.
bool parseSettingConstant(llvm::StringRef text, TargetSettings &settings, Diagnostics &diagnostics);

/// The names of the options, as manifests have them.
llvm::ArrayRef<llvm::StringRef> getTargetOptionNames();
/// The number of an option, by its name.
const std::optional<PlacedNumber> &getOption(const TargetOptions &options, llvm::StringRef name);

void setOption(TargetOptions &options, llvm::StringRef name, PlacedNumber number);

/// Reads all of it, `hip: num_warps=8, BLOCK_M=64`.
std::optional<TargetSettings> parseTargetSettings(llvm::StringRef text, Diagnostics &diagnostics);

/// Adds settings to others; reports and returns false where two at the same place say something different
/// for the same.
bool addTargetSettings(std::vector<TargetSettings> &all, TargetSettings more, Diagnostics &diagnostics);

/// The options for a target: of each the one that counts.
TargetOptions optionsFor(llvm::ArrayRef<TargetSettings> all, const Target &target);

/// Puts the values for a target into a specialization. `declare` finds the kernel's declaration, and is asked
/// only if there are any; where it gives none, it has reported why.
bool applyConstants(llvm::ArrayRef<TargetSettings> all, const Target &target,
                    llvm::function_ref<std::optional<KernelDeclaration>()> declare,
                    Specialization &specialization, Diagnostics &diagnostics);

/// Whether there are such values for a target.
bool hasConstantsFor(llvm::ArrayRef<TargetSettings> all, const Target &target);

/// All that counts for a target, as in a signature by name: `num_warps=8, BLOCK_M=64`. Empty if nothing does.
std::string describeSettings(llvm::ArrayRef<TargetSettings> all, const Target &target);

/// Warns of settings for a target that is not compiled for, where one is that may have been meant: `cuda:90`
/// for `cuda:90a`.
void warnOfOtherTargets(llvm::ArrayRef<TargetSettings> all, llvm::ArrayRef<Target> targets,
                        Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_AOT_TARGETSETTINGS_H
