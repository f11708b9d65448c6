// Which of several ways to run ptxas on a kernel gives the best code.
//
// ptxas decides how many registers a thread takes, and with them how many loads it has under way and how many
// blocks a multiprocessor runs beside each other. What it aims at by itself is one of several good answers:
// the text may ask for another, and there are texts of the same kernel in another order, or with branches
// where there were none. So some are tried, and what their reports say decides.
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_PTXASCHOICES_H
#define NEREID_COMPILER_TARGETS_NVIDIA_PTXASCHOICES_H

#include "compiler/targets/nvidia/Ptxas.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace nereid {

/// A kernel's text made once more. Either gives an empty text where there is none.
struct OtherTexts {
  /// Of the same module, changed before.
  llvm::function_ref<std::string(llvm::function_ref<void(llvm::Module &)> change)> makeChanged;
  /// With the branches of device libraries' functions kept.
  llvm::function_ref<std::string()> makeWithBranches;
};

/// What the text says that has ptxas take registers for latency's sake (NVIDIALowering): a block is enough.
inline constexpr llvm::StringLiteral forLatency = ".minnctapersm 1\n";

/// The text that has ptxas make room for so many blocks of a multiprocessor; 0 leaves that to ptxas.
std::string withLeastBlocks(llvm::StringRef ptx, unsigned blocks);

/// Whether a kernel multiplies tiles, on matrix units or, as f32 in full precision, by threads.
bool multiplies(llvm::StringRef ptx);

/// Whether the text is so long that nobody should wait for more than one run of ptxas on it: of a megabyte,
/// as of a sorting network that is written out, each takes some ten seconds.
bool isLongText(llvm::StringRef ptx);

/// Puts what was made of other texts in the place of `code`, which was made of the first one, where it is
/// better. False after an error.
bool chooseCode(const Ptxas &ptxas, OtherTexts others, AssembledCode &code, Diagnostics &diagnostics);

/// Puts code in the place of `code` whose loads down columns wait for one another (PaceLoads.h), if there are
/// more of them than should be under way at a time. Returns what it was then. What is made of the module
/// behind that waits, too.
std::optional<AssembledCode> pace(const Ptxas &ptxas, OtherTexts others, AssembledCode &code);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_PTXASCHOICES_H
