// The result is always a signature by name: that is the only form in which "all but these" can be said.
#include "aot/KernelConfig.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace nereid {

static bool isGivenBy(const KernelDeclaration::Config &config, StringRef name) {
  return any_of(config.constants, [&](const auto &entry) { return entry.first == name; });
}

/// Whether a configuration may hold `name` although the kernel has no such parameter: it is an option of some
/// vendor's back end, and lists of configurations name those among the values.
static bool isLaunchOption(StringRef name) {
  return StringSwitch<bool>(name)
      .Cases({"num_warps", "num_stages", "num_ctas", "maxnreg", "warp_size"}, true)
      .Cases({"waves_per_eu", "matrix_instr_nonkdim", "kpack", "schedule_hint", "allow_flush_denorm"}, true)
      .Cases({"ptx_version", "ptx_options", "ir_override", "launch_pdl", "launch_cooperative_grid"}, true)
      .Cases({"enable_fp_fusion", "enable_reflect_ftz", "extern_libs", "debug", "sanitize_overflow"}, true)
      .Cases({"max_num_imprecise_acc_default", "default_dot_input_precision", "instrumentation_mode"}, true)
      .Default(false);
}

static bool hasParameter(const KernelDeclaration &kernel, StringRef name) {
  return any_of(kernel.parameters, [&](const auto &parameter) { return parameter.name == name; });
}

/// Gives each entry of a positional signature the name of the parameter it stands for.
static bool nameEntries(const KernelDeclaration &kernel, const KernelDeclaration::Config &config,
                        Specialization &specialization, Diagnostics &diagnostics) {
  auto parameter = kernel.parameters.begin();
  for (ParameterSpec &spec : specialization.parameters) {
    while (parameter != kernel.parameters.end() && isGivenBy(config, parameter->name))
      ++parameter;
    if (parameter == kernel.parameters.end()) {
      diagnostics.error(spec.range, "the signature has more entries than '" + kernel.name +
                                        "' has parameters that its configuration leaves open");
      return false;
    }
    spec.name = (parameter++)->name;
  }
  specialization.named = true;
  return true;
}

bool applyConfig(const KernelDeclaration &kernel, unsigned index, Specialization &specialization,
                 Diagnostics &diagnostics) {
  if (index >= kernel.configs.size()) {
    if (kernel.configs.empty())
      diagnostics.error("'" + kernel.name +
                        "' has no configurations that can be read from its file: expected "
                        "@triton.autotune with a list of triton.Config" +
                        (kernel.configsProblem.empty() ? "" : " (" + kernel.configsProblem + ")"));
    else
      diagnostics.error("there is no configuration " + Twine(index) + " of '" + kernel.name +
                        "': expected a number from 0 to " + Twine(kernel.configs.size() - 1));
    return false;
  }
  const KernelDeclaration::Config &config = kernel.configs[index];
  if (!specialization.named && !nameEntries(kernel, config, specialization, diagnostics))
    return false;
  for (const auto &[name, value] : config.constants) {
    if (isLaunchOption(name) && !hasParameter(kernel, name))
      continue;
    if (any_of(specialization.parameters,
               [&, name = StringRef(name)](auto &spec) { return spec.name == name; }))
      continue;
    ParameterSpec spec;
    spec.name = name;
    spec.constant = value;
    spec.range = specialization.range;
    specialization.parameters.push_back(std::move(spec));
  }
  return true;
}

} // namespace nereid
