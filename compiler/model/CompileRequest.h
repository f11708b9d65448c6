// What the compiler is asked for: one specialization of one kernel, for one target.
#ifndef NEREID_COMPILER_MODEL_COMPILEREQUEST_H
#define NEREID_COMPILER_MODEL_COMPILEREQUEST_H

#include "compiler/model/Definition.h"
#include "compiler/model/FormUse.h"
#include "compiler/model/SourceInfo.h"
#include "compiler/model/SourceSetting.h"
#include "compiler/model/Specialization.h"
#include "compiler/model/Stage.h"
#include "compiler/model/Target.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nereid {

/// The most blocks that a cluster may have; not all GPUs with clusters run more than 8.
constexpr unsigned maxNumCTAs = 16;

struct CompileRequest {
  /// A `.py`, `.tc`, `.ttir` or `.mlir` file, read by compile().
  std::string sourcePath;
  std::string kernel;
  /// Where these and the number of warps were given, for messages.
  llvm::SMRange sourceRange, kernelRange, numWarpsRange, numCTAsRange;
  Specialization specialization;
  Target target;
  unsigned numWarps = 4;
  unsigned numStages = 3;
  /// NVIDIA, from sm_90 on: how many blocks, a cluster, run one program together.
  unsigned numCTAs = 1;
  /// The most registers that a thread on a GPU may have, where that is asked for.
  std::optional<unsigned> maxRegisters;
  /// NVIDIA, from sm_90 on: the hardware copies the tiles of tensor descriptors that the launch can make.
  bool useTensorMaps = true;
  /// NVIDIA: numWarps run a program, whatever they spill (driver/MoreWarps.h).
  bool hasExactWarps = false;
  /// NVIDIA: no loads run ahead by a numStages of 1, whatever that costs (driver/MoreStages.h).
  bool hasExactStages = false;
  /// GPUs: the launch promises that all programs of the grid run at a time.
  bool isCooperative = false;
  /// NVIDIA, from sm_90 on: a launch need not wait for the one before it, where the kernel does that itself.
  bool overlapsWithLast = false;
  /// NVIDIA, from sm_90 on: where tiles are copied in a loop, a warp of its own does that: wherever it can,
  /// or nowhere; without a word, where the loop asks for it.
  std::optional<bool> warpSpecialize;
  /// GPUs: for which grids. compile() makes a second form of a kernel by itself where it may be the better
  /// one for some.
  FormUse form = FormUse::Other;
  /// AMD: how many waves should share a SIMD, which bounds the registers of each; where that is asked for.
  std::optional<unsigned> wavesPerEU;
  /// Where `import` looks besides the source file's own folder.
  std::vector<std::string> importPaths;
  /// Triton's debug mode, as @triton.jit(debug=True): assertions are checked where the kernel runs, and so is
  /// that sums, differences and products of integers fit their type.
  bool debug = false;
  SourceInfo sourceInfo;
  /// What names of the source mean, whatever it says itself.
  std::vector<Definition> definitions;
  /// How many steps the kernel's own Python may take while it is compiled, and what it writes counted with
  /// them: see compiler/frontends/types/WorkMeter.h.
  uint64_t compileLimit = defaultCompileLimit;
  /// Stop after this stage and return its text in CompileResult::stageOutput.
  std::optional<Stage> emit;
  /// Stages to keep in CompileResult::stages on the way.
  std::vector<Stage> keptStages;
  /// Those are for people to read beside the source: with the lines that each line comes from, and without
  /// what line tables add to a text. Takes sourceInfo.lineTables.
  bool mapsStages = false;
};

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_COMPILEREQUEST_H
