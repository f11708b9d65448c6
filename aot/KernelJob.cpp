// Numbers are checked when all that may say them is known: the job, what is for its target, a configuration.
#include "aot/KernelJob.h"

#include "aot/KernelConfig.h"
#include "aot/TuningSpace.h"
#include "linker/CNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace nereid {

/// Plain `cpu` stands for what `host` can run, which is this machine's if that is empty.
static Expected<std::vector<Target>> parseGroup(StringRef name, StringRef host) {
  if (name != "cpu" || host.empty())
    return Target::parseGroup(name);
  std::vector<Target> levels;
  for (const KnownTarget &known : getKnownTargets()) {
    Expected<Target> target = Target::parse(known.name);
    if (!target)
      return target.takeError();
    if (target->backend == Backend::CPU && (target->arch == "aarch64") == (host == "aarch64"))
      levels.push_back(std::move(*target));
  }
  return levels;
}

std::optional<std::vector<Target>> parseTargets(StringRef text, StringRef host, Diagnostics &diagnostics) {
  SmallVector<StringRef> names;
  text.split(names, ',');
  std::vector<Target> targets;
  for (StringRef name : names) {
    name = name.trim();
    auto group = parseGroup(name, host);
    if (!group) {
      diagnostics.error(rangeOf(name), toString(group.takeError()));
      return std::nullopt;
    }
    for (Target &target : *group)
      if (!is_contained(targets, target))
        targets.push_back(std::move(target));
  }
  return targets;
}

void setRanges(KernelJob &job, Diagnostics &diagnostics) {
  auto set = [&](SMRange &range, StringRef option, std::optional<unsigned> number) {
    if (number)
      range = rangeOf(diagnostics.addSource(("<" + option + ">").str(), std::to_string(*number)));
  };
  set(job.numWarpsRange, "--num-warps", job.numWarps);
  set(job.numStagesRange, "--num-stages", job.numStages);
  set(job.maxRegistersRange, "--maxnreg", job.maxRegisters);
  set(job.numCTAsRange, "--num-ctas", job.numCTAs);
  set(job.configRange, "--config", job.config);
}

/// What a kernel is called in C unless it is given another name: `Class.kernel` is `kernel`.
static StringRef getShortName(StringRef kernel) {
  StringRef name = kernel.rsplit('.').second;
  return name.empty() ? kernel : name;
}

bool expandJob(const KernelJob &job, std::vector<KernelJob> &jobs, Diagnostics &diagnostics) {
  auto specializations = parseSignatures(job.signature, diagnostics);
  if (!specializations)
    return false;
  for (Specialization &specialization : *specializations) {
    KernelJob one = job;
    if (!specialization.typeSuffix.empty()) {
      one.family = job.function.value_or(getShortName(job.kernel)).str();
      one.function = diagnostics.addSource("<function>", one.family + "_" + specialization.typeSuffix);
    }
    one.specialization = std::move(specialization);
    if (!expandTuning(one, jobs, diagnostics))
      return false;
  }
  return true;
}

std::string describeVariant(const KernelJob &job) {
  std::string text =
      job.kernel.str() + "(" + (job.specialization ? job.specialization->str() : job.signature.str()) + ")";
  if (job.tuning)
    for (const auto &[name, value] : job.tuning->values)
      text += " " + name + "=" + value;
  for (auto [name, number] : {std::pair("num_warps", job.numWarps), {"num_stages", job.numStages}})
    if (number && !job.tuning)
      text += " " + std::string(name) + "=" + utostr(*number);
  if (job.config && !job.tuning)
    text += " config=" + utostr(*job.config);
  if (job.when)
    text += " when " + job.when->str();
  return text;
}

/// Whether a number that the job or its configuration gives is one that some target takes.
static bool checkNumbers(const KernelJob &job, const CompileRequest &request, Diagnostics &diagnostics) {
  if (!isPowerOf2_32(request.numWarps) || request.numWarps > 32) {
    diagnostics.error(job.numWarps ? job.numWarpsRange : job.configRange,
                      "the number of warps is " + Twine(request.numWarps) +
                          ": expected a power of two from 1 to 32");
    return false;
  }
  if (request.numStages < 1 || request.numStages > 32) {
    diagnostics.error(job.numStages ? job.numStagesRange : job.configRange,
                      "the number of stages is " + Twine(request.numStages) +
                          ": expected an integer from 1 to 32");
    return false;
  }
  if (request.maxRegisters && (*request.maxRegisters < 1 || *request.maxRegisters > 1024)) {
    diagnostics.error(job.maxRegisters ? job.maxRegistersRange : job.configRange,
                      "the number of registers of a thread is " + Twine(*request.maxRegisters) +
                          ": expected an integer from 1 to 1024");
    return false;
  }
  if (!isPowerOf2_32(request.numCTAs) || request.numCTAs > maxNumCTAs) {
    diagnostics.error(job.numCTAs ? job.numCTAsRange : job.configRange,
                      "the number of blocks in a cluster is " + Twine(request.numCTAs) +
                          ": expected a power of two from 1 to " + Twine(maxNumCTAs));
    return false;
  }
  return true;
}

/// The job with the numbers that are for a target.
static KernelJob settle(const KernelJob &given, const TargetOptions &options) {
  KernelJob job = given;
  auto take = [](const std::optional<PlacedNumber> &from, std::optional<unsigned> &number, SMRange &range) {
    if (from) {
      number = from->value;
      range = from->range;
    }
  };
  take(options.numWarps, job.numWarps, job.numWarpsRange);
  take(options.numStages, job.numStages, job.numStagesRange);
  take(options.numCTAs, job.numCTAs, job.numCTAsRange);
  take(options.maxRegisters, job.maxRegisters, job.maxRegistersRange);
  // What is tried takes the place of what is chosen.
  if (!job.declaration)
    take(options.config, job.config, job.configRange);
  return job;
}

std::optional<CompileRequest> makeRequest(const KernelJob &given, const Target &target,
                                          Diagnostics &diagnostics) {
  TargetOptions options = optionsFor(given.targetSettings, target);
  KernelJob job = settle(given, options);
  std::optional<Specialization> specialization =
      job.specialization ? job.specialization : parseSignature(job.signature, diagnostics);
  if (!specialization)
    return std::nullopt;
  if (job.function)
    if (std::string reason = whyNotAFunctionName(*job.function); !reason.empty()) {
      diagnostics.error(rangeOf(*job.function),
                        "'" + *job.function + "' cannot be the name of a C function, because " + reason);
      return std::nullopt;
    }
  CompileRequest request;
  request.sourcePath = job.sourcePath;
  request.sourceRange = job.sourceRange;
  request.kernel = job.kernel.str();
  request.kernelRange = rangeOf(job.kernel);
  request.specialization = std::move(*specialization);
  request.target = target;
  request.importPaths = job.importPaths;
  request.debug = job.debug;
  request.sourceInfo = job.sourceInfo;
  request.compileLimit = job.compileLimit;
  request.definitions = job.definitions;
  auto declare = [&] {
    return findKernel(job.sourcePath, job.kernel,
                      {job.importPaths, job.definitions, target, job.compileLimit}, diagnostics);
  };
  if (job.config) {
    std::optional<KernelDeclaration> kernel;
    if (!job.declaration)
      kernel = declare();
    if ((!job.declaration && !kernel) || !applyConfig(job.declaration ? *job.declaration : *kernel,
                                                      *job.config, job.configRange, request, diagnostics))
      return std::nullopt;
  }
  if (!applyConstants(job.targetSettings, target, declare, request.specialization, diagnostics))
    return std::nullopt;
  request.numWarps = job.numWarps.value_or(request.numWarps);
  request.numWarpsRange = job.numWarps ? job.numWarpsRange : job.configRange;
  request.numStages = job.numStages.value_or(request.numStages);
  request.numCTAs = job.numCTAs.value_or(request.numCTAs);
  request.numCTAsRange = job.numCTAs ? job.numCTAsRange : job.configRange;
  request.useTensorMaps = job.useTensorMaps;
  request.hasExactWarps = job.hasExactWarps;
  request.hasExactStages = job.hasExactStages;
  request.isCooperative |= job.isCooperative;
  request.overlapsWithLast |= job.overlapsWithLast;
  request.warpSpecialize = job.warpSpecialize;
  if (job.maxRegisters && target.isGPU())
    request.maxRegisters = job.maxRegisters;
  if (options.wavesPerEU && target.backend == Backend::HIP)
    request.wavesPerEU = options.wavesPerEU->value;
  if (!checkNumbers(job, request, diagnostics))
    return std::nullopt;
  return request;
}

bool hasUsableName(const KernelJob &job, std::set<std::string> &refused, Diagnostics &diagnostics) {
  StringRef name = getShortName(job.kernel);
  std::string reason = whyNotAFunctionName(name);
  if (job.function || reason.empty() || !isPythonIdentifier(name))
    return true;
  if (refused.insert(job.sourcePath + ":" + job.kernel.str()).second)
    diagnostics.error(rangeOf(job.kernel), "the kernel '" + job.kernel + "' of '" + job.sourcePath +
                                               "' cannot be a C function of that name, because " + reason +
                                               "; " + howToNameFunction);
  return false;
}

} // namespace nereid
