// The names of the stages, as the command line spells them.
#include "compiler/model/Stage.h"

#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace nereid {

StringRef getStageName(Stage stage) {
  switch (stage) {
  case Stage::TTIR:
    return "ttir";
  case Stage::TTGIR:
    return "ttgir";
  case Stage::LLIR:
    return "llir";
  case Stage::PTX:
    return "ptx";
  case Stage::Cubin:
    return "cubin";
  case Stage::AMDGCN:
    return "amdgcn";
  case Stage::HSACO:
    return "hsaco";
  case Stage::Asm:
    return "asm";
  case Stage::Object:
    return "obj";
  }
  llvm_unreachable("every stage is listed above");
}

ArrayRef<Stage> getAllStages() {
  static const Stage stages[] = {Stage::TTIR,   Stage::TTGIR, Stage::LLIR, Stage::PTX,   Stage::Cubin,
                                 Stage::AMDGCN, Stage::HSACO, Stage::Asm,  Stage::Object};
  return stages;
}

std::optional<Stage> parseStage(StringRef name) {
  for (Stage stage : getAllStages())
    if (getStageName(stage) == name)
      return stage;
  return std::nullopt;
}

} // namespace nereid
