// Stages on the way to an image, for those who asked to see them.
#ifndef NEREID_COMPILER_TARGETS_KEPTSTAGES_H
#define NEREID_COMPILER_TARGETS_KEPTSTAGES_H

#include "compiler/model/CompileRequest.h"
#include "compiler/model/CompileResult.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid {

/// Whether somebody wants to see the stage.
bool isWanted(const CompileRequest &request, Stage stage);

/// Writes a wanted stage into the result, in the text and, where request.mapsStages, the lines that `print`
/// gives it. Returns true if it is the last one that is asked for, so that there is nothing left to do.
bool keepStage(const CompileRequest &request, CompileResult &result, Stage stage,
               llvm::function_ref<void(StageRecord &)> print);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_KEPTSTAGES_H
