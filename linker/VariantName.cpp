// Measurement::variant in TuningResults.h, and "variant" of a target in the library's description.
#include "linker/VariantName.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid {

std::string getVariantName(const KernelObject &object, const TargetCode &code) {
  std::string name = object.signature;
  if (code.target.isGPU()) {
    name += " num_warps=" + utostr(code.info.numWarps) + " num_stages=" + utostr(code.info.numStages);
    if (code.info.maxRegisters)
      name += " maxnreg=" + utostr(*code.info.maxRegisters);
    if (code.info.numCTAs != 1)
      name += " num_ctas=" + utostr(code.info.numCTAs);
  }
  for (const std::string &definition : object.definitions)
    name += " -D " + definition;
  return name;
}

} // namespace nereid
