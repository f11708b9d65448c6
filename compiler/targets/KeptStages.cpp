// See KeptStages.h.
#include "compiler/targets/KeptStages.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid {

bool isWanted(const CompileRequest &request, Stage stage) {
  return request.emit == stage || llvm::is_contained(request.keptStages, stage);
}

bool keepStage(const CompileRequest &request, CompileResult &result, Stage stage,
               llvm::function_ref<void(StageRecord &)> print) {
  if (!isWanted(request, stage))
    return false;
  StageRecord record;
  record.stage = stage;
  print(record);
  bool isLast = request.emit == stage;
  if (isLast)
    result.stageOutput = record.text;
  if (llvm::is_contained(request.keptStages, stage))
    result.stages.push_back(std::move(record));
  return isLast;
}

} // namespace nereid
