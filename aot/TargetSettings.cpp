// Values are read as a signature by name, which has their grammar and their places.
#include "aot/TargetSettings.h"

#include "compiler/model/Backends.h"
#include "compiler/model/SignaturePositions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace nereid {

static constexpr unsigned mostOfAnOption = 1024;

static std::optional<PlacedNumber> TargetOptions::*findOption(StringRef name) {
  return name == "num_warps"      ? &TargetOptions::numWarps
         : name == "num_stages"   ? &TargetOptions::numStages
         : name == "num_ctas"     ? &TargetOptions::numCTAs
         : name == "maxnreg"      ? &TargetOptions::maxRegisters
         : name == "waves_per_eu" ? &TargetOptions::wavesPerEU
                                  : &TargetOptions::config;
}

ArrayRef<StringRef> getTargetOptionNames() {
  static const StringRef names[] = {"num_warps", "num_stages",   "num_ctas",
                                    "maxnreg",   "waves_per_eu", "config"};
  return names;
}

const std::optional<PlacedNumber> &getOption(const TargetOptions &options, StringRef name) {
  return options.*findOption(name);
}

void setOption(TargetOptions &options, StringRef name, PlacedNumber number) {
  options.*findOption(name) = number;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

bool parseSettingTargets(StringRef text, TargetSettings &settings, Diagnostics &diagnostics) {
  SmallVector<StringRef> names;
  text.split(names, ',');
  for (StringRef name : names) {
    name = name.trim();
    if (name.empty()) {
      diagnostics.error(rangeOf(text), "expected a target, such as hip or cuda:90a");
      return false;
    }
    if (const BackendInfo *backend = findBackend(name)) {
      settings.backends.push_back(backend->backend);
      continue;
    }
    Expected<Target> target = Target::parse(name);
    if (!target) {
      diagnostics.error(rangeOf(name), toString(target.takeError()));
      return false;
    }
    settings.targets.emplace_back(std::move(*target), rangeOf(name));
  }
  return true;
}

bool parseSettingValues(StringRef text, TargetSettings &settings, Diagnostics &diagnostics) {
  std::optional<Specialization> values = parseSignature(text, diagnostics);
  if (!values)
    return false;
  for (ParameterSpec &spec : values->parameters) {
    if (spec.name.empty() || !spec.constant) {
      diagnostics.error(spec.range, "expected NAME=VALUE, such as num_warps=8 or BLOCK=64");
      return false;
    }
    if (!is_contained(getTargetOptionNames(), spec.name)) {
      settings.constants.push_back(std::move(spec));
      continue;
    }
    const int64_t *number = std::get_if<int64_t>(&*spec.constant);
    int64_t least = spec.name == "config" ? 0 : 1;
    if (!number || *number < least || *number > mostOfAnOption) {
      diagnostics.error(spec.range, "expected '" + spec.name + "' to be an integer from " + Twine(least) +
                                        " to " + Twine(mostOfAnOption));
      return false;
    }
    setOption(settings.options, spec.name, {static_cast<unsigned>(*number), spec.range});
  }
  return true;
}

bool parseSettingConstant(StringRef text, TargetSettings &settings, Diagnostics &diagnostics) {
  std::optional<Specialization> values = parseSignature(text, diagnostics);
  if (!values)
    return false;
  if (values->parameters.size() != 1 || !values->named || !values->parameters.front().constant) {
    diagnostics.error(rangeOf(text), "expected a compile-time value");
    return false;
  }
  settings.constants.push_back(std::move(values->parameters.front()));
  return true;
}

std::optional<TargetSettings> parseTargetSettings(StringRef text, Diagnostics &diagnostics) {
  size_t colon = text.take_until([](char c) { return c == '='; }).rfind(':');
  if (!text.contains('=') || colon == StringRef::npos) {
    diagnostics.error(rangeOf(text), "expected TARGET: NAME=VALUE, such as 'hip: num_warps=8, BLOCK=64'");
    return std::nullopt;
  }
  TargetSettings settings;
  if (!parseSettingTargets(text.take_front(colon), settings, diagnostics) ||
      !parseSettingValues(text.drop_front(colon + 1), settings, diagnostics))
    return std::nullopt;
  return settings;
}

//===----------------------------------------------------------------------===//
// Which one counts
//===----------------------------------------------------------------------===//

/// A back end or a target that both are for, as text; empty if there is none.
static std::string findCommon(const TargetSettings &a, const TargetSettings &b) {
  for (Backend backend : a.backends)
    if (is_contained(b.backends, backend))
      return getBackendInfo(backend).name;
  for (const auto &[target, range] : a.targets)
    for (const auto &[other, otherRange] : b.targets)
      if (target == other)
        return target.str();
  return "";
}

bool addTargetSettings(std::vector<TargetSettings> &all, TargetSettings more, Diagnostics &diagnostics) {
  for (TargetSettings &one : all) {
    std::string common = one.isOfSignature == more.isOfSignature ? findCommon(one, more) : "";
    if (common.empty())
      continue;
    for (StringRef name : getTargetOptionNames())
      if (const auto &number = getOption(more.options, name); number && getOption(one.options, name)) {
        diagnostics.error(number->range, "'" + name + "' is given twice for " + common);
        return false;
      }
    for (const ParameterSpec &spec : more.constants)
      if (any_of(one.constants, [&](const ParameterSpec &other) { return other.name == spec.name; })) {
        diagnostics.error(spec.range, "'" + spec.name + "' is given twice for " + common);
        return false;
      }
  }
  all.push_back(std::move(more));
  return true;
}

/// Visits what is for a target, such that the last one counts.
static void visit(ArrayRef<TargetSettings> all, const Target &target,
                  function_ref<void(const TargetSettings &)> work) {
  for (bool isExact : {false, true})
    for (bool isOfSignature : {false, true})
      for (const TargetSettings &settings : all) {
        bool isMeant =
            isExact ? any_of(settings.targets, [&](const auto &entry) { return entry.first == target; })
                    : is_contained(settings.backends, target.backend);
        if (isMeant && settings.isOfSignature == isOfSignature)
          work(settings);
      }
}

TargetOptions optionsFor(ArrayRef<TargetSettings> all, const Target &target) {
  TargetOptions options;
  visit(all, target, [&](const TargetSettings &settings) {
    for (StringRef name : getTargetOptionNames())
      if (const auto &number = getOption(settings.options, name))
        setOption(options, name, *number);
  });
  return options;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

namespace {

/// One signature, and the kernel that it is for.
class ConstantReplacer {
public:
  ConstantReplacer(const KernelDeclaration &kernel, Specialization &specialization, Diagnostics &diagnostics)
      : kernel(kernel), specialization(specialization), diagnostics(diagnostics) {}

  bool replace(const ParameterSpec &value) {
    auto parameter = find_if(kernel.parameters, [&](const auto &p) { return p.name == value.name; });
    if (parameter == kernel.parameters.end()) {
      diagnostics.error(value.range, "'" + kernel.name + "' has no parameter '" + value.name + "'");
      return false;
    }
    ParameterSpec *entry = find(value.name, parameter - kernel.parameters.begin());
    if (entry && !entry->constant && !parameter->isConstexpr) {
      diagnostics.error(value.range,
                        "'" + value.name + "' is an argument of calls, which has no value for some targets");
      return false;
    }
    if (entry) {
      std::string name = entry->name;
      *entry = value;
      entry->name = name;
      return true;
    }
    specialization.parameters.push_back(value);
    specialization.named = true;
    return true;
  }

private:
  ParameterSpec *find(StringRef name, size_t place) {
    std::vector<ParameterSpec> &entries = specialization.parameters;
    if (place < countByPosition(specialization))
      return &entries[place];
    auto entry = find_if(entries, [&](const ParameterSpec &spec) { return spec.name == name; });
    return entry == entries.end() ? nullptr : &*entry;
  }

  const KernelDeclaration &kernel;
  Specialization &specialization;
  Diagnostics &diagnostics;
};

} // namespace

bool applyConstants(ArrayRef<TargetSettings> all, const Target &target,
                    function_ref<std::optional<KernelDeclaration>()> declare, Specialization &specialization,
                    Diagnostics &diagnostics) {
  std::vector<const ParameterSpec *> values;
  visit(all, target, [&](const TargetSettings &settings) {
    for (const ParameterSpec &value : settings.constants)
      values.push_back(&value);
  });
  if (values.empty())
    return true;
  std::optional<KernelDeclaration> kernel = declare();
  if (!kernel)
    return false;
  ConstantReplacer replacer(*kernel, specialization, diagnostics);
  return all_of(values, [&](const ParameterSpec *value) { return replacer.replace(*value); });
}

bool hasConstantsFor(ArrayRef<TargetSettings> all, const Target &target) {
  bool hasSome = false;
  visit(all, target, [&](const TargetSettings &settings) { hasSome |= !settings.constants.empty(); });
  return hasSome;
}

std::string describeSettings(ArrayRef<TargetSettings> all, const Target &target) {
  Specialization values;
  values.named = true;
  TargetOptions options = optionsFor(all, target);
  for (StringRef name : getTargetOptionNames())
    if (const auto &number = getOption(options, name)) {
      ParameterSpec &value = values.parameters.emplace_back();
      value.name = name.str();
      value.constant = int64_t(number->value);
    }
  visit(all, target, [&](const TargetSettings &settings) {
    for (const ParameterSpec &value : settings.constants) {
      erase_if(values.parameters, [&](const ParameterSpec &other) { return other.name == value.name; });
      values.parameters.push_back(value);
    }
  });
  return values.str();
}

void warnOfOtherTargets(ArrayRef<TargetSettings> all, ArrayRef<Target> targets, Diagnostics &diagnostics) {
  for (const TargetSettings &settings : all)
    for (const auto &[target, range] : settings.targets) {
      if (is_contained(targets, target))
        continue;
      auto alike = find_if(targets, [&, &target = target](const Target &other) {
        return target.backend == Backend::CUDA && other.backend == target.backend &&
               getArchNumber(other).number == getArchNumber(target).number;
      });
      if (alike != targets.end())
        diagnostics.warning(range, "this is not for " + alike->str() + ", which is another target than " +
                                       target.str());
    }
}

} // namespace nereid
