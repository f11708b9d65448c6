// Values of configurations are printed as signatures spell them, so that they can be copied into one.
#include "aot/DescribeSource.h"

#include "aot/Annotations.h"
#include "compiler/driver/Compiler.h"
#include "compiler/model/Backends.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include "nlohmann/json.hpp"

using namespace llvm;

namespace nereid {

static std::string print(const KernelDeclaration &kernel) {
  std::string text = "kernel " + kernel.name + " (line " + std::to_string(kernel.line) + ")\n";
  for (const KernelDeclaration::Parameter &parameter : kernel.parameters)
    text += "  " + parameter.name + (parameter.isConstexpr ? ": compile-time value" : "") +
            (parameter.hasDefault ? ", may be left out" : "") + "\n";
  for (size_t i = 0; i < kernel.configs.size(); ++i) {
    const KernelDeclaration::Config &config = kernel.configs[i];
    text += "  config " + std::to_string(i) + ":";
    for (const auto &[name, value] : config.constants) {
      ParameterSpec spec;
      spec.name = name;
      spec.constant = value;
      text += " " + spec.str() + ",";
    }
    text +=
        " num_warps=" + std::to_string(config.numWarps) + ", num_stages=" + std::to_string(config.numStages);
    if (config.numCTAs != 1)
      text += ", num_ctas=" + std::to_string(config.numCTAs);
    if (config.maxRegisters)
      text += ", maxnreg=" + std::to_string(*config.maxRegisters);
    if (!config.preHook.empty())
      text += ", pre_hook=" + config.preHook;
    if (!config.irOverride.empty())
      text += ", ir_override=" + config.irOverride;
    text += "\n";
  }
  if (!kernel.autotuneOptions.empty()) {
    text += "  autotune:";
    for (const auto &[name, value] : kernel.autotuneOptions)
      text += (text.back() == ':' ? " " : ", ") + name + "=" + value;
    text += "\n";
  }
  if (!kernel.configsProblem.empty())
    text += "  its configurations cannot be listed: " + kernel.configsProblem + "\n";
  return text;
}

static nlohmann::ordered_json toJson(const ConstantValue &value) {
  return std::visit(
      [](const auto &value) -> nlohmann::ordered_json {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::monostate>)
          return nullptr;
        else if constexpr (std::is_same_v<T, DTypeConstant>)
          return getScalarName(value.kind).str();
        else if constexpr (std::is_same_v<T, NameConstant>)
          return value.text;
        else
          return value;
      },
      value);
}

static nlohmann::ordered_json toJson(const KernelDeclaration &kernel) {
  nlohmann::ordered_json object;
  object["name"] = kernel.name;
  object["line"] = kernel.line;
  object["parameters"] = nlohmann::ordered_json::array();
  for (const KernelDeclaration::Parameter &parameter : kernel.parameters)
    object["parameters"].push_back(
        {{"name", parameter.name}, {"constexpr", parameter.isConstexpr}, {"default", parameter.hasDefault}});
  object["configs"] = nlohmann::ordered_json::array();
  for (const KernelDeclaration::Config &config : kernel.configs) {
    nlohmann::ordered_json constants = nlohmann::ordered_json::object();
    for (const auto &[name, value] : config.constants)
      constants[name] = toJson(value);
    nlohmann::ordered_json entry = {
        {"constants", constants}, {"num_warps", config.numWarps}, {"num_stages", config.numStages}};
    if (config.numCTAs != 1)
      entry["num_ctas"] = config.numCTAs;
    if (config.maxRegisters)
      entry["maxnreg"] = *config.maxRegisters;
    if (!config.preHook.empty())
      entry["pre_hook"] = config.preHook;
    if (!config.irOverride.empty())
      entry["ir_override"] = config.irOverride;
    object["configs"].push_back(std::move(entry));
  }
  for (const auto &[name, value] : kernel.autotuneOptions)
    object["autotune"][name] = value;
  if (!kernel.configsProblem.empty())
    object["configs_problem"] = kernel.configsProblem;
  return object;
}

/// `{"hip": {"num_warps": 8, "constants": {"BLOCK_M": "64"}}}`
static nlohmann::ordered_json toJson(const std::vector<TargetSettings> &all) {
  nlohmann::ordered_json object;
  for (const TargetSettings &settings : all) {
    std::vector<std::string> names;
    for (Backend backend : settings.backends)
      names.emplace_back(getBackendInfo(backend).name);
    for (const auto &[target, range] : settings.targets)
      names.push_back(target.str());
    nlohmann::ordered_json &entry = object[join(names, ", ")];
    for (StringRef name : getTargetOptionNames())
      if (const auto &number = getOption(settings.options, name))
        entry[name.str()] = number->value;
    for (ParameterSpec value : settings.constants) {
      std::string name = std::move(value.name);
      value.name.clear();
      entry["constants"][name] = value.str();
    }
  }
  return object;
}

/// As a manifest has it.
static nlohmann::ordered_json toJson(const ManifestKernel &kernel) {
  nlohmann::ordered_json object;
  if (kernel.function)
    object["function"] = kernel.function->str();
  if (kernel.grid)
    object["grid"] = kernel.grid->str();
  for (StringRef target : kernel.targets)
    object["targets"].push_back(target.str());
  for (StringRef name : kernel.dispatch)
    object["dispatch"].push_back(name.str());
  if (kernel.debug)
    object["debug"] = true;
  if (kernel.debugInfo)
    object["debug_info"] = true;
  if (!kernel.useTensorMaps)
    object["tensor_maps"] = false;
  if (kernel.hasExactWarps)
    object["exact_warps"] = true;
  if (kernel.hasExactStages)
    object["exact_stages"] = true;
  if (kernel.isCooperative)
    object["launch_cooperative_grid"] = true;
  if (kernel.overlapsWithLast)
    object["launch_pdl"] = true;
  for (const ManifestVariant &variant : kernel.variants) {
    nlohmann::ordered_json entry;
    entry["signature"] = variant.signature.str();
    if (variant.when)
      entry["when"] = variant.when->str();
    auto set = [&](const char *key, std::optional<unsigned> value) {
      if (value)
        entry[key] = *value;
    };
    set("num_warps", variant.numWarps);
    set("num_stages", variant.numStages);
    set("num_ctas", variant.numCTAs);
    set("maxnreg", variant.maxRegisters);
    set("config", variant.config);
    set("compile_limit", variant.compileLimit);
    for (const Definition &definition : variant.definitions)
      entry["definitions"].push_back(definition.str());
    if (!variant.targetSettings.empty())
      entry["for"] = toJson(variant.targetSettings);
    object["signatures"].push_back(std::move(entry));
  }
  return object;
}

std::optional<std::string> describeSource(StringRef path, bool asJson, const SourceSetting &setting,
                                          Diagnostics &diagnostics) {
  std::optional<std::vector<KernelDeclaration>> kernels = listKernels(path, setting, diagnostics);
  if (!kernels || diagnostics.hasErrors())
    return std::nullopt;
  std::optional<std::vector<ManifestKernel>> annotated = readAnnotations(path, *kernels, diagnostics);
  if (!annotated)
    return std::nullopt;
  auto findAnnotations = [&](const KernelDeclaration &kernel) {
    auto found =
        find_if(*annotated, [&](const ManifestKernel &other) { return other.kernel == kernel.name; });
    return found == annotated->end() ? nullptr : &*found;
  };
  if (asJson) {
    nlohmann::ordered_json object;
    object["source"] = path.str();
    object["kernels"] = nlohmann::ordered_json::array();
    for (const KernelDeclaration &kernel : *kernels) {
      object["kernels"].push_back(toJson(kernel));
      if (const ManifestKernel *annotations = findAnnotations(kernel))
        object["kernels"].back()["annotations"] = toJson(*annotations);
    }
    // A path or a text of a configuration need not be UTF-8.
    return object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }
  std::string text;
  for (const KernelDeclaration &kernel : *kernels) {
    text += print(kernel);
    if (const ManifestKernel *annotations = findAnnotations(kernel))
      for (const ManifestVariant &variant : annotations->variants)
        text += "  annotated: " + variant.signature.str() + "\n";
  }
  if (text.empty())
    text = "no kernels\n";
  return text;
}

} // namespace nereid
