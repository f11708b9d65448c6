// Measurement::variant in TuningResults.h, and "variant" of a target in the library's description.
#include "linker/VariantName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid {

/// Whether a value that was tried is in the signature, or among the numbers that every kernel has.
static bool isSaid(StringRef name, const KernelInfo &info) {
  return is_contained({"num_warps", "num_stages", "maxnreg", "num_ctas"}, name) ||
         any_of(info.parameters, [&](const KernelParameter &parameter) { return parameter.name == name; });
}

std::string getVariantName(const KernelObject &object, const TargetCode &code) {
  std::string name = object.signature;
  if (code.target.isGPU()) {
    name += " num_warps=" + utostr(code.info.numWarps) + " num_stages=" + utostr(code.info.numStages);
    if (code.info.maxRegisters)
      name += " maxnreg=" + utostr(*code.info.maxRegisters);
    if (code.info.numCTAs != 1)
      name += " num_ctas=" + utostr(code.info.numCTAs);
    if (object.tuning)
      for (const auto &[option, value] : object.tuning->values)
        if (!isSaid(option, code.info))
          name += " " + option + "=" + value;
  }
  for (const std::string &definition : object.definitions)
    name += " -D " + definition;
  return name;
}

} // namespace nereid
