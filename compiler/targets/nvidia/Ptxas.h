// The toolkit's ptxas: PTX in, a cubin out, and what it says of that.
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_PTXAS_H
#define NEREID_COMPILER_TARGETS_NVIDIA_PTXAS_H

#include "compiler/model/CompileRequest.h"
#include "compiler/model/Diagnostics.h"
#include "compiler/model/KernelInfo.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace nereid {

/// A kernel's PTX, and what ptxas made of it.
struct AssembledCode {
  std::string ptx;
  /// Empty where ptxas is too old for the target.
  std::string cubin;
  std::string report;
  /// None if the report is in other words than are known.
  std::optional<KernelResources> resources;

  /// How often ptxas says that it serialized something for want of something.
  size_t countLosses() const { return llvm::StringRef(report).count("Potential Performance Loss"); }

  /// Whether it is code whose registers are known, as those of the other are, and spills no more, nor has
  /// more losses.
  bool isNoWorseThan(const AssembledCode &other) const;
};

/// ptxas, as it is run on texts of one kernel.
class Ptxas {
public:
  /// Keeps references to both.
  Ptxas(std::string aPath, const CompileRequest &request, const KernelInfo &info)
      : path(std::move(aPath)), request(request), info(info) {}

  /// False after an error; a ptxas that is too old is worth a warning.
  bool assemble(std::string ptx, AssembledCode &code, Diagnostics &diagnostics) const;

  /// Of code that has a report: the blocks, or their warps, that a multiprocessor runs at a time.
  unsigned countBlocks(const AssembledCode &code) const { return countBlocks(code.resources->registers); }
  unsigned countWarps(const AssembledCode &code) const { return info.numWarps * countBlocks(code); }
  unsigned countBlocks(unsigned registers) const;

  unsigned getNumWarps() const { return info.numWarps; }
  bool hasRegisterLimit() const { return request.maxRegisters.has_value(); }

  /// The kernel's machine code in the cubin.
  llvm::StringRef findCode(const AssembledCode &code) const;

  /// As the cubin says, or ptxas itself; empty if neither does.
  std::string getVersion(llvm::StringRef cubin) const;

private:
  std::string path;
  const CompileRequest &request;
  const KernelInfo &info;
};

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_PTXAS_H
