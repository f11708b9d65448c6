// What is said of a kernel and of a variant, whoever says it: a manifest, an annotation or the command line.
//
// Texts are views into what was read, so that whoever takes one for a signature or a grid reports errors at
// their place there.
#ifndef NEREID_AOT_VARIANTSETTINGS_H
#define NEREID_AOT_VARIANTSETTINGS_H

#include "aot/TargetSettings.h"
#include "compiler/model/Definition.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SMLoc.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid {

struct KernelSettings {
  std::string sourcePath;
  /// Where a manifest names it.
  llvm::SMRange sourceRange;
  llvm::StringRef kernel;
  /// The C function's name, if not the kernel's.
  std::optional<llvm::StringRef> function;
  std::optional<llvm::StringRef> grid;
  /// The compile-time parameters by which calls choose.
  std::vector<llvm::StringRef> dispatch;
  /// What of a call from Python follows from its tensors (PythonCall.h): pieces of one list.
  std::vector<llvm::StringRef> python;
  /// As in CompileRequest; the configuration may ask for the last two as well.
  bool debug = false, useTensorMaps = true, hasExactWarps = false, hasExactStages = false,
       isCooperative = false, overlapsWithLast = false;
};

struct VariantSettings {
  llvm::StringRef signature;
  /// The condition under which a call may take it.
  std::optional<llvm::StringRef> when;
  /// Lists of what is to be tried, `BLOCK=[64,128], num_warps=[4,8]`, one after the other; and whether the
  /// configurations of @triton.autotune are. See TuningSpace.h.
  std::vector<llvm::StringRef> tune;
  bool autotune = false;
  /// Where they are not given: what the configuration says, or 4 warps, 3 stages and a cluster of one block.
  std::optional<unsigned> numWarps, numStages, numCTAs, maxRegisters;
  /// Which configuration of @triton.autotune completes the signature.
  std::optional<unsigned> config;
  /// Where these stand, for messages.
  llvm::SMRange numWarpsRange, numStagesRange, numCTAsRange, maxRegistersRange, configRange, autotuneRange;
  /// What holds for some of the targets, and comes before the numbers above and the signature's values.
  std::vector<TargetSettings> targetSettings;
  std::vector<Definition> definitions;
  /// Targets that it does not compile for do without it, and a warning says so.
  bool isOptional = false;
  /// What a recording knows of it, as in KernelObject: the text of a JSON object, or empty.
  std::string recorded;
};

} // namespace nereid

#endif // NEREID_AOT_VARIANTSETTINGS_H
