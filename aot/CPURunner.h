// Runs a CPU image in this process: what `nereid run` does after compiling.
#ifndef NEREID_AOT_CPURUNNER_H
#define NEREID_AOT_CPURUNNER_H

#include "compiler/model/KernelFailure.h"
#include "compiler/model/KernelInfo.h"
#include "compiler/model/Target.h"

#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <vector>

namespace nereid {

/// The best target that this machine's processor runs: `cpu:x86-64-v4`, `cpu:x86-64-v3`, ….
Target getHostCPUTarget();

/// True if this machine's processor can run code compiled for `target`.
bool canHostRun(const Target &target);

/// An assertion of the kernel that failed (in debug mode).
class AssertionFailure : public llvm::ErrorInfo<AssertionFailure> {
public:
  static char ID;
  explicit AssertionFailure(const KernelFailure &failure);

  /// "assertion failed in program (3, 0, 0): n < 9"
  std::string message() const override;
  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  /// Where it stands; the line and the column are 0 if that is not known.
  std::string path;
  unsigned line, column;

private:
  std::string text;
  uint32_t program[3];
};

/// Loads `object` (an ELF object with the entry point that compiler/model/KernelInfo.h describes) and runs
/// every program of `grid`, spread over the cores. arguments[i] points to the value of the i-th parameter
/// passed to the image. An AssertionFailure says that the kernel found something wrong.
llvm::Error runOnCPU(llvm::StringRef object, const KernelInfo &info, std::vector<void *> arguments,
                     std::array<uint32_t, 3> grid);

} // namespace nereid

#endif // NEREID_AOT_CPURUNNER_H
