// The forms that a kernel takes on its way to an image, each of which `--emit` can print.
#ifndef NEREID_COMPILER_MODEL_STAGE_H
#define NEREID_COMPILER_MODEL_STAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace nereid {

/// In the order in which a kernel passes them. Which of them a target has is its back end's affair.
enum class Stage { TTIR, TTGIR, LLIR, PTX, Cubin, AMDGCN, HSACO, Asm, Object };

/// `ttir`, `ttgir`, `llir`, `ptx`, `cubin`, `amdgcn`, `hsaco`, `asm`, `obj`.
llvm::StringRef getStageName(Stage stage);
std::optional<Stage> parseStage(llvm::StringRef name);
/// In their order.
llvm::ArrayRef<Stage> getAllStages();

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_STAGE_H
