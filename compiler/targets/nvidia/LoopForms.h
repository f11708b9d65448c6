// Other forms of kernels with loops, and of rows without one, for the grids to which the first form does no
// justice.
//
// How long a launch takes is a question of how many programs a multiprocessor has, which only the launch
// knows. Three answers of ptxas differ in that, and the launch chooses (docs/dispatch.md): registers taken
// for latency's sake, so that few programs have much under way; few registers, so that many programs run at a
// time; and rounds that ask the cache for what the next one loads, which pays while memory is idle.
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_LOOPFORMS_H
#define NEREID_COMPILER_TARGETS_NVIDIA_LOOPFORMS_H

#include "compiler/model/CompileResult.h"
#include "compiler/targets/nvidia/PtxasChoices.h"

namespace nereid {

/// Adds to the result what other forms there are of a kernel, if `code` is its first form's, and `first` what
/// ptxas made of the first text.
void addLoopForms(const Ptxas &ptxas, OtherTexts others, const AssembledCode &code, AssembledCode first,
                  CompileResult &result);

/// The same of code that lets its loads wait for one another (`pace`); `unpaced` is what does not.
void addFormsOfPaced(const Ptxas &ptxas, const AssembledCode &code, AssembledCode unpaced,
                     CompileResult &result);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_LOOPFORMS_H
