// What one compilation gives: a kernel's images, and what a packager must know of it.
#ifndef NEREID_COMPILER_MODEL_COMPILERESULT_H
#define NEREID_COMPILER_MODEL_COMPILERESULT_H

#include "compiler/model/FilesRead.h"
#include "compiler/model/KernelInfo.h"
#include "compiler/model/StageRecord.h"

#include <string>
#include <utility>
#include <vector>

namespace nereid {

/// One binary of a kernel: a cubin, PTX, an AMD code object, an ELF object.
struct Image {
  Stage kind;
  std::string bytes;
};

/// A kernel in another form.
struct KernelForm {
  FormUse use;
  KernelInfo info;
  std::vector<Image> images;
};

struct CompileResult {
  KernelInfo info;
  /// CUDA: the cubin (where ptxas was found) and the PTX. HIP: the code object. CPU: the object file.
  std::vector<Image> images;
  /// The forms that are better for some grids, one for each use at most.
  std::vector<KernelForm> otherForms;
  /// The output of CompileRequest::emit, text or binary.
  std::string stageOutput;
  /// What CompileRequest::keptStages asks for, in the order in which the kernel passed them. A cubin is
  /// missing where there is no ptxas.
  std::vector<StageRecord> stages;
  /// The files that were read to compile this, which a build system must watch, and those that were not
  /// there.
  FilesRead files;
  /// Wall time in seconds of each step, in order, for `--time`.
  std::vector<std::pair<std::string, double>> timings;
  /// A warp of its own copies the tiles of a loop that did not ask for it, as that is expected to pay.
  bool isSpecializedByChoice = false;
  /// The assembler has shown that it does not: registers are spilled, or products wait for one another.
  bool isChoiceRefuted = false;
  /// Products of warp groups have factors that stay in registers from one to another; and those may be put
  /// into memory on chip instead.
  bool hasLastingFactors = false, mayMoveFactors = false;
  /// There are such factors, or others that something else takes as well, so that there is a choice.
  bool hasMovableFactors = false;
  /// The assembler may have given those registers away: the code is of no use.
  bool losesFactors = false;
  /// Loops leave what threads have summed up apart until they have ended, which may be done in the loops.
  bool reducesPastLoops = false;
  /// What is to be said of the machine code, if it is the code that is taken.
  std::vector<std::string> warnings;
  /// The kernel takes less memory on chip than would be best for one program, so that more run at a time.
  bool savesMemoryForOthers = false;
  /// It takes what is best for one program, and with shorter rings of buffers more might run at a time; and
  /// the programs take about the same time, so that turns can be counted.
  bool mayHaveShorterRings = false, mayLeaveMoreToOthers = false;
  /// What a warp takes by the machine code if it has a multiprocessor for itself, of kernels that may have
  /// other rings, and of their other forms; 0 where it is not known.
  uint64_t cyclesOfWarp = 0;
};

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_COMPILERESULT_H
