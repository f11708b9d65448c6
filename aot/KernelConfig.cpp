// The result is always a signature by name: that is the only form in which "all but these" can be said.
#include "aot/KernelConfig.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace nereid {

namespace {

/// What becomes of an option of Triton's back ends that a configuration sets.
enum class Treatment {
  /// It is no such option.
  None,
  MaxRegisters,
  WavesPerEU,
  WarpSize,
  Cooperative,
  Overlapping,
  /// Triton takes the value from the argument of triton.Config of the same name, and so does applyConfig.
  Overridden,
  /// Wrong results, or none, without it.
  Refused,
  /// The same results without it.
  WithoutEffect,
  /// Something of AMD's that the code for its GPUs does not need yet.
  WithoutEffectOnAMD,
};

struct LaunchOption {
  const char *name;
  Treatment treatment;
  /// Why it is refused, or what is done instead.
  const char *reason;
};

constexpr LaunchOption launchOptions[] = {
    {"num_warps", Treatment::Overridden, ""},
    {"num_stages", Treatment::Overridden, ""},
    {"num_ctas", Treatment::Overridden, ""},
    {"maxnreg", Treatment::MaxRegisters, ""},
    {"waves_per_eu", Treatment::WavesPerEU, ""},
    {"warp_size", Treatment::WarpSize, ""},
    {"launch_cooperative_grid", Treatment::Cooperative, ""},
    {"launch_pdl", Treatment::Overlapping, ""},
    {"enable_fp_fusion", Treatment::Refused, "multiplications and additions are fused"},
    {"enable_reflect_ftz", Treatment::Refused, "denormals are flushed to zero inside NVIDIA's libdevice"},
    {"extern_libs", Treatment::Refused, "no bitcode but the vendors' own libraries is linked"},
    {"ptx_options", Treatment::Refused, "no options are passed on to ptxas"},
    {"ir_override", Treatment::Refused, "another IR would take the place of the kernel"},
    {"ptx_version", Treatment::WithoutEffect, "the PTX version is that of the target"},
    {"debug", Treatment::WithoutEffect, "a configuration turns no assertions on"},
    {"sanitize_overflow", Treatment::WithoutEffect, "a configuration turns no overflow checks on"},
    {"instrumentation_mode", Treatment::WithoutEffect, "nothing is instrumented"},
    {"max_num_imprecise_acc_default", Treatment::WithoutEffect, "products are summed in full precision"},
    {"default_dot_input_precision", Treatment::WithoutEffect, "products are of full precision"},
    {"matrix_instr_nonkdim", Treatment::WithoutEffectOnAMD, "matrix instructions are not used yet"},
    {"kpack", Treatment::WithoutEffectOnAMD, "matrix instructions are not used yet"},
    {"schedule_hint", Treatment::WithoutEffectOnAMD, "LLVM schedules the instructions"},
    {"allow_flush_denorm", Treatment::WithoutEffectOnAMD, "denormals are kept"},
};

const LaunchOption *findLaunchOption(StringRef name) {
  auto found = find_if(launchOptions, [&](const LaunchOption &option) { return name == option.name; });
  return found == std::end(launchOptions) ? nullptr : found;
}

/// Whether the value of an option asks for what there is anyway.
bool isDefault(StringRef name, const ConstantValue &value) {
  if (std::holds_alternative<std::monostate>(value))
    return true;
  bool isOnByDefault = name == "enable_fp_fusion" || name == "enable_reflect_ftz";
  if (const bool *flag = std::get_if<bool>(&value))
    return *flag == isOnByDefault;
  if (const int64_t *number = std::get_if<int64_t>(&value))
    return (*number != 0) == isOnByDefault;
  if (const std::string *text = std::get_if<std::string>(&value))
    return text->empty();
  return false;
}

std::string print(const ConstantValue &value) {
  ParameterSpec spec;
  spec.constant = value;
  return spec.str();
}

bool isGivenBy(const KernelDeclaration::Config &config, StringRef name) {
  return any_of(config.constants, [&](const auto &entry) { return entry.first == name; });
}

bool hasParameter(const KernelDeclaration &kernel, StringRef name) {
  return any_of(kernel.parameters, [&](const auto &parameter) { return parameter.name == name; });
}

/// One configuration on its way into a request.
class Application {
public:
  Application(const KernelDeclaration &kernel, unsigned index, SMRange where, CompileRequest &request,
              Diagnostics &diagnostics)
      : kernel(kernel), config(kernel.configs[index]),
        title("configuration " + std::to_string(index) + " of '" + kernel.name + "'"), where(where),
        request(request), diagnostics(diagnostics) {}

  bool run() {
    request.numWarps = config.numWarps;
    request.numStages = config.numStages;
    request.numCTAs = config.numCTAs;
    if (request.target.isGPU())
      request.maxRegisters = config.maxRegisters;
    if (!config.preHook.empty())
      return refuse("pre_hook=" + config.preHook,
                    "a library runs nothing before a launch; do its work before each call, and give the "
                    "values in the signature instead of a configuration");
    if (!config.irOverride.empty())
      return refuse("ir_override=" + config.irOverride, findLaunchOption("ir_override")->reason);
    Specialization &specialization = request.specialization;
    if (!nameEntries(specialization))
      return false;
    // Triton passes these to parameters of the same names, too.
    std::vector<std::pair<std::string, ConstantValue>> constants = config.constants;
    for (auto [name, value] : {std::pair("num_warps", config.numWarps),
                               {"num_stages", config.numStages},
                               {"num_ctas", config.numCTAs}})
      if (hasParameter(kernel, name) && !isGivenBy(config, name))
        constants.push_back({name, int64_t(value)});
    for (const auto &[name, value] : constants) {
      const LaunchOption *option = hasParameter(kernel, name) ? nullptr : findLaunchOption(name);
      if (option) {
        if (!applyOption(*option, value))
          return false;
        continue;
      }
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

private:
  bool refuse(const std::string &what, StringRef reason) {
    diagnostics.error(where, title + " cannot be taken: it has " + what + ", and " + reason);
    return false;
  }

  /// Gives each entry by position the name of the parameter it stands for.
  bool nameEntries(Specialization &specialization) {
    auto parameter = kernel.parameters.begin();
    for (ParameterSpec &spec : specialization.parameters) {
      if (!spec.name.empty())
        continue;
      while (parameter != kernel.parameters.end() &&
             (isGivenBy(config, parameter->name) ||
              is_contained({"num_warps", "num_stages", "num_ctas"}, StringRef(parameter->name))))
        ++parameter;
      if (parameter == kernel.parameters.end()) {
        diagnostics.error(spec.range, "the signature has more entries than '" + kernel.name +
                                          "' has parameters that its configuration leaves open");
        return false;
      }
      if (any_of(specialization.parameters,
                 [&](const ParameterSpec &other) { return other.name == parameter->name; })) {
        diagnostics.error(spec.range, "the signature gives the parameter '" + parameter->name + "' twice");
        return false;
      }
      spec.name = (parameter++)->name;
    }
    specialization.named = true;
    return true;
  }

  bool applyOption(const LaunchOption &option, const ConstantValue &value) {
    std::string what = option.name + ("=" + print(value));
    const int64_t *number = std::get_if<int64_t>(&value);
    bool isAMD = request.target.backend == Backend::HIP;
    switch (option.treatment) {
    case Treatment::None:
      break;
    case Treatment::MaxRegisters:
    case Treatment::WavesPerEU: {
      bool isRegisters = option.treatment == Treatment::MaxRegisters;
      if (isDefault(option.name, value) || (isRegisters ? !request.target.isGPU() : !isAMD))
        break;
      if (!number || *number < 1 || *number > 1024)
        return refuse(what, "an integer from 1 to 1024 is expected");
      std::optional<unsigned> &target = isRegisters ? request.maxRegisters : request.wavesPerEU;
      // As in Triton, the argument of triton.Config comes first.
      if (!target)
        target = static_cast<unsigned>(*number);
      break;
    }
    case Treatment::WarpSize:
      if (request.target.isGPU() && (!number || *number != request.target.warpSize))
        return refuse(what, "a warp of " + request.target.str() + " has " +
                                std::to_string(request.target.warpSize) + " lanes");
      break;
    case Treatment::Cooperative:
      request.isCooperative = !isDefault(option.name, value);
      break;
    case Treatment::Overlapping:
      request.overlapsWithLast = !isDefault(option.name, value);
      break;
    case Treatment::Overridden: {
      unsigned own = StringRef(option.name) == "num_warps"    ? config.numWarps
                     : StringRef(option.name) == "num_stages" ? config.numStages
                                                              : config.numCTAs;
      if (!number || *number != own)
        warn(what, "triton.Config has an argument of that name, which is " + std::to_string(own));
      break;
    }
    case Treatment::Refused:
      if (!isDefault(option.name, value))
        return refuse(what, option.reason);
      break;
    case Treatment::WithoutEffectOnAMD:
      if (!isAMD)
        break;
      [[fallthrough]];
    case Treatment::WithoutEffect:
      if (!isDefault(option.name, value) && request.target.isGPU())
        warn(what, option.reason);
      break;
    }
    return true;
  }

  void warn(const std::string &what, StringRef reason) {
    diagnostics.warning(where, what + " of " + title + " has no effect: " + reason);
  }

  const KernelDeclaration &kernel;
  const KernelDeclaration::Config &config;
  std::string title;
  SMRange where;
  CompileRequest &request;
  Diagnostics &diagnostics;
};

} // namespace

void refuseWithoutConfigs(const KernelDeclaration &kernel, SMRange where, const Twine &advice,
                          Diagnostics &diagnostics) {
  std::string message = "'" + kernel.name + "' has no configurations that can be read from its file: ";
  if (kernel.configsProblem.empty()) {
    diagnostics.error(where, message + "expected @triton.autotune with a list of triton.Config");
    return;
  }
  diagnostics.error(where, message + kernel.configsProblem + "; " + advice);
  if (kernel.configsRange.isValid())
    diagnostics.note(kernel.configsRange, "this is what its decorator is given for them");
  if (kernel.configsProblemRange.isValid() && kernel.configsProblemRange.Start != kernel.configsRange.Start)
    diagnostics.note(kernel.configsProblemRange, "and this is what of it is not known here");
}

bool applyConfig(const KernelDeclaration &kernel, unsigned index, SMRange where, CompileRequest &request,
                 Diagnostics &diagnostics) {
  if (index < kernel.configs.size())
    return Application(kernel, index, where, request, diagnostics).run();
  if (kernel.configs.empty())
    refuseWithoutConfigs(kernel, where, "give the values in the signature, in place of a configuration",
                         diagnostics);
  else
    diagnostics.error(where, "there is no configuration " + Twine(index) + " of '" + kernel.name +
                                 "': expected a number from 0 to " + Twine(kernel.configs.size() - 1));
  return false;
}

} // namespace nereid
