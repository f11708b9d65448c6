// Errors of the same signature or source are the same for each target, and shown once.
#include "aot/CompileKernels.h"

#include "aot/ImageStages.h"
#include "aot/JobServer.h"
#include "aot/KernelConfig.h"
#include "aot/KernelProvenance.h"
#include "aot/MachineCodeText.h"
#include "aot/MemoryBound.h"
#include "aot/TuningSpace.h"
#include "aot/cache/CompileCache.h"
#include "compiler/model/PrintDiagnostic.h"
#include "linker/CNames.h"
#include "linker/GridExpression.h"
#include "linker/PythonCall.h"
#include "linker/StageArchive.h"
#include "linker/Subprocess.h"
#include "toolkits/Toolkits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

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

/// What messages call a variant.
static std::string describeVariant(const KernelJob &job) {
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

/// A kernel that is not given another name needs one that C has left free: told here, before anything is
/// compiled, and once, however many signatures it has.
static bool hasUsableName(const KernelJob &job, std::set<std::string> &refused, Diagnostics &diagnostics) {
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

namespace {

/// One image to make, and what came of it.
struct Step {
  Step(size_t job, Target target, const Diagnostics &parent)
      : job(job), target(std::move(target)), diagnostics(parent) {}

  size_t job;
  Target target;
  Diagnostics diagnostics;
  std::vector<std::string> messages;
  /// Nothing where it is known to be wrong.
  std::optional<CompileRequest> request;
  std::optional<CompileResult> result;
  /// Packed, if they are to be kept.
  std::string stages;
  /// In place of the result where another process has compiled it.
  std::optional<LaunchedResult> launched;
  std::vector<FilesRead::File> launchedFiles;
  bool isLeftToOthers = false;
  /// What the target has too little of for this variant.
  Misfit misfit;

  bool isCompiled() const { return result || launched; }
};

/// Runs work(0) to work(count - 1), as many at a time as are asked for (JobSlots).
void parallelFor(size_t count, unsigned asked,
                 function_ref<void(size_t, JobSlots::Permission &permission)> work) {
  // One at a time is what this process may do anyway.
  JobSlots slots(count == 1 ? 1 : asked);
  std::atomic<size_t> next{0};
  auto run = [&] {
    for (bool isMore = true; isMore;) {
      JobSlots::Permission permission(slots);
      size_t i = next++;
      isMore = i < count;
      if (isMore)
        work(i, permission);
    }
  };
  std::vector<std::thread> others;
  for (size_t i = 1; i < std::min<size_t>(slots.getMost(), count); ++i)
    try {
      others.emplace_back(run);
    } catch (const std::system_error &) {
      // The system starts no more: those that there are do it all.
      break;
    }
  run();
  for (std::thread &thread : others)
    thread.join();
}

void addTimings(std::vector<std::pair<std::string, double>> &into,
                const std::vector<std::pair<std::string, double>> &timings) {
  for (const auto &[step, seconds] : timings) {
    auto it = find_if(into, [&, name = StringRef(step)](const auto &entry) { return entry.first == name; });
    if (it == into.end())
      into.push_back({step, seconds});
    else
      it->second += seconds;
  }
}

/// The signature of a kernel whose file says the types, as far as the user left them out: in full, so that
/// whoever reads it knows what a call has to be like.
std::string completeSignature(const Specialization &given, const KernelInfo &info) {
  Specialization full;
  full.named = given.named;
  for (const KernelParameter &parameter : info.parameters) {
    if (parameter.constant)
      continue;
    ParameterSpec spec;
    spec.name = given.named ? parameter.name : "";
    spec.isPointer = parameter.isPointer;
    spec.element = parameter.element;
    spec.divisibleBy = parameter.divisibleBy;
    spec.equalsOne = parameter.equalsOne;
    spec.values = parameter.values;
    full.parameters.push_back(std::move(spec));
  }
  bool isPlain = all_of(given.parameters, [](const ParameterSpec &spec) {
    return !spec.constant && !spec.elements && spec.blockShape.empty();
  });
  bool leavesOut =
      given.parameters.empty() || (given.named && given.parameters.size() < full.parameters.size());
  return isPlain && leavesOut ? full.str() : given.str();
}

/// The object that has a signature, where there was none a new one. Of what is for a target only, signature
/// and configuration may differ.
KernelObject &getObject(CompiledKernel &kernel, const KernelJob &job, const Target &target,
                        const std::string &signature) {
  std::optional<unsigned> config;
  if (!job.tuning) {
    TargetOptions options = optionsFor(job.targetSettings, target);
    config = options.config ? std::optional(options.config->value) : job.config;
  }
  auto object = find_if(kernel.objects, [&](const KernelObject &other) {
    return other.signature == signature && other.config == config;
  });
  if (object == kernel.objects.end()) {
    kernel.objects.emplace_back();
    object = std::prev(kernel.objects.end());
    object->path = object->sourcePath = nameFile(job.sourcePath, job.projectFolder);
    object->signatureRange = rangeOf(job.signature);
    object->function = job.function.value_or("").str();
    object->signature = signature;
    object->grid = job.grid.value_or("").str();
    object->when = job.when.value_or("").str();
    for (StringRef name : job.dispatch)
      object->dispatch.push_back(name.str());
    // A piece may end with a comma, as a line of a list does.
    for (StringRef piece : job.python)
      object->python += (object->python.empty() ? "" : ", ") + piece.rtrim(", ").str();
    object->family = job.family;
    object->recorded = job.recorded;
    object->tuning = job.tuning;
    object->config = config;
    for (const Definition &definition : job.definitions)
      object->definitions.push_back(definition.str());
  }
  object->isAdapted |= hasConstantsFor(job.targetSettings, target);
  return *object;
}

/// Adds what a step has read. Reports and returns false if that is another state of a file than others read.
bool addFilesRead(CompiledKernel &kernel, const Step &step, FileStates &states, Diagnostics &diagnostics) {
  std::vector<FilesRead::File> files = !step.launchedFiles.empty() ? step.launchedFiles
                                       : step.result               ? step.result->files.getFiles()
                                                                   : step.misfit.files.getFiles();
  // A request may be refused before its source is read.
  if (files.empty() && step.request)
    files.push_back({step.request->sourcePath, states.get(step.request->sourcePath)});
  bool ok = true;
  for (FilesRead::File &file : files) {
    ok &= states.add(file.path, file.digest, diagnostics);
    kernel.filesRead.add(file.path, std::move(file.digest));
  }
  return ok;
}

/// Adds that a target has no code, and why.
void addMisfit(CompiledKernel &kernel, const KernelJob &job, Step &step) {
  std::string signature = step.request ? step.request->specialization.str() : job.signature.str();
  KernelObject &object = getObject(kernel, job, step.target, signature);
  object.kernelWithoutCode = job.kernel.str();
  object.misfits.push_back({step.target, step.misfit.reason, job.isOptional});
}

/// Adds a target's code to the object that has the same signature.
void addResult(CompiledKernel &kernel, const KernelJob &job, Step &step) {
  KernelObject &object =
      getObject(kernel, job, step.target, completeSignature(step.request->specialization, step.result->info));
  CompileResult &result = *step.result;
  TargetCode code;
  code.target = step.target;
  code.info = std::move(result.info);
  code.settings = describeSettings(job.targetSettings, step.target);
  code.stages = std::move(step.stages);
  for (Image &image : result.images)
    code.images.push_back({toImageFormat(image.kind), std::move(image.bytes)});
  object.targets.push_back(std::move(code));
  addTimings(kernel.timings, result.timings);
}

/// Adds what another process has made of a target.
void addLaunched(CompiledKernel &kernel, const KernelJob &job, Step &step) {
  for (KernelObject &made : *step.launched->objects) {
    KernelObject &object = getObject(kernel, job, step.target, made.signature);
    std::move(made.targets.begin(), made.targets.end(), std::back_inserter(object.targets));
  }
}

/// NVIDIA's, if there is one; without it there is only less to see.
std::string findDisassembler(Diagnostics &diagnostics) {
  Expected<std::string> path = findNvdisasm();
  if (path)
    return std::move(*path);
  diagnostics.warning(toString(path.takeError()));
  return "";
}

/// Reads the stages of what was compiled off a second compilation, with line tables, which may change code
/// and so are not in the first unless they are asked for there.
void addStages(Step &step, const KernelJob &job, FileStates &states) {
  CompileRequest request = *step.request;
  std::vector<Stage> stages = getStages(step.target);
  bool hasCubin = any_of(step.result->images, [](const Image &image) { return image.kind == Stage::Cubin; });
  std::string nvdisasm = hasCubin ? findDisassembler(step.diagnostics) : "";
  if (nvdisasm.empty())
    stages.pop_back(); // the image itself
  request.keptStages = stages;
  request.emit = stages.back();
  request.mapsStages = request.sourceInfo.lineTables = true;
  request.sourceInfo.prefixMap.clear();
  // It has nothing to say that the first one has not said.
  auto compileAgain = [&] {
    Diagnostics again(step.diagnostics);
    std::vector<std::string> messages;
    Misfit misfit;
    return compileThroughCache(request, again, misfit, messages,
                               [&] { return compile(request, again, &misfit); });
  };
  std::optional<CompileResult> result = compileAgain();
  // It was ptxas that refused another warp for copies, and here it is not asked.
  if (result && result->info.numWorkerWarps != step.result->info.numWorkerWarps) {
    request.warpSpecialize = false;
    result = compileAgain();
  }
  if (!result) {
    step.diagnostics.warning("the stages of '" + step.request->kernel + "' for " + step.target.str() +
                             " are not kept: the kernel cannot be compiled with line tables");
    return;
  }
  for (const FilesRead *files : {&step.result->files, &result->files})
    for (const FilesRead::File &file : files->getFiles())
      states.add(file.path, file.digest, step.diagnostics);
  std::vector<ArchivedStage> archived;
  for (StageRecord &stage : result->stages) {
    if (stage.stage != Stage::Cubin)
      archived.push_back(std::move(stage));
    else if (auto sass = disassembleCubin(stage.text, nvdisasm))
      archived.push_back(std::move(*sass));
  }
  step.stages = packStages(archived, [&](const std::string &path) {
    Expected<std::string> text = readFile(path);
    if (text)
      states.add(path, digestOf(*text), step.diagnostics);
    else
      consumeError(text.takeError());
    return ArchivedFile{nameFile(path, job.projectFolder), text ? std::move(*text) : ""};
  });
}

/// Whether another variant of the same C function has code for the target of a step that failed.
bool isServed(const Step &failed, ArrayRef<std::unique_ptr<Step>> steps, ArrayRef<KernelJob> jobs) {
  const KernelJob &job = jobs[failed.job];
  return any_of(steps, [&](const std::unique_ptr<Step> &step) {
    const KernelJob &other = jobs[step->job];
    return step->job != failed.job && step->isCompiled() && step->target == failed.target &&
           other.sourcePath == job.sourcePath && other.kernel == job.kernel && other.function == job.function;
  });
}

/// Warns that a target does without an optional variant, with the first error that it has.
void leaveOut(Step &step, const KernelJob &job, Diagnostics &diagnostics) {
  append_range(step.messages, step.diagnostics.takeTexts());
  std::string &reason = step.misfit.reason;
  for (const std::string &text : step.messages) {
    SmallVector<StringRef> lines;
    StringRef(text).split(lines, '\n');
    // As in a message: where it is, and what.
    auto line = find_if(lines, [](StringRef words) { return words.contains("error: "); });
    if (reason.empty() && line != lines.end())
      reason = line->str();
  }
  step.isLeftToOthers = true;
  diagnostics.warning(rangeOf(job.signature), "'" + job.signature + "' of '" + job.kernel +
                                                  "' is left out for " + step.target.str() + ": " + reason);
  step.messages.clear();
}

/// Names the variants that failed, where there are several: what was wrong with them is said once.
void reportFailures(ArrayRef<std::unique_ptr<Step>> steps, ArrayRef<KernelJob> jobs,
                    Diagnostics &diagnostics) {
  constexpr size_t mostNames = 32;
  size_t count = 0, firstJob = 0;
  std::string names;
  for (size_t index = 0; index < jobs.size(); ++index) {
    std::vector<std::string> targets;
    std::string text;
    bool isCompiled = false;
    for (const std::unique_ptr<Step> &step : steps) {
      if (step->job != index)
        continue;
      if (step->request)
        text = step->request->specialization.str();
      isCompiled |= step->isCompiled();
      if (step->request && !step->isCompiled() && !step->isLeftToOthers)
        targets.push_back(step->target.str());
    }
    if (targets.empty())
      continue;
    if (++count == 1)
      firstJob = index;
    if (count <= mostNames)
      names += (count == 1 ? "'" : ", '") + text + "'" + (isCompiled ? " for " + join(targets, ", ") : "");
  }
  // What was not compiled because it was wrong by itself has its own message.
  if (count == 0)
    return;
  if (count > mostNames)
    names += " and " + utostr(count - mostNames) + " more";
  diagnostics.error(rangeOf(jobs[firstJob].signature),
                    Twine(count) + " of " + Twine(jobs.size()) + " variants could not be compiled: " + names);
}

/// Whether one piece of what is said about calls from Python is right by itself, with what any signature may
/// have at run time. The linker knows what is left of that, and sees the pieces together.
bool checkPythonCall(StringRef text, ArrayRef<KernelParameter> parameters, Diagnostics &diagnostics) {
  auto call = PythonCall::parse(text, diagnostics);
  return call && call->check(
                     [&](StringRef name) {
                       auto found = find_if(parameters, [&](const KernelParameter &parameter) {
                         return parameter.name == name;
                       });
                       // A pointer that is None here may be one in another signature.
                       return found == parameters.end() ? PythonCall::Subject::Missing
                              : found->constant         ? PythonCall::Subject::Unknown
                              : found->isPointer        ? PythonCall::Subject::Pointer
                                                        : PythonCall::Subject::Number;
                     },
                     diagnostics);
}

/// What is said of the kernel's parameters by name is only known to fit once the kernel is compiled.
bool checkNames(const KernelJob &job, const KernelObject &object, const std::optional<GridExpression> &grid,
                const std::optional<GridExpression> &condition, Diagnostics &diagnostics) {
  const std::vector<KernelParameter> &parameters = object.targets.front().info.parameters;
  bool ok = (!grid || grid->check(parameters, diagnostics)) &&
            (!condition || condition->check(parameters, diagnostics));
  for (StringRef name : job.dispatch) {
    if (any_of(parameters, [&](const KernelParameter &parameter) { return parameter.name == name; }))
      continue;
    diagnostics.error(rangeOf(name), "'" + name +
                                         "' is not a parameter of the kernel, so that no call can choose "
                                         "by it");
    ok = false;
  }
  for (StringRef text : job.python)
    ok = ok && checkPythonCall(text, parameters, diagnostics);
  return ok;
}

/// Compiles the jobs of a build.
class KernelCompiler {
public:
  KernelCompiler(ArrayRef<KernelJob> jobs, const CompileSettings &settings, Diagnostics &diagnostics)
      : jobs(jobs), settings(settings), diagnostics(diagnostics),
        states(settings.files ? *settings.files : ownStates), grids(jobs.size()), conditions(jobs.size()),
        kernels(jobs.size()), stepsOfJobs(jobs.size()), stepsLeft(jobs.size()) {}

  std::optional<std::vector<CompiledKernel>> run() {
    bool ok = true;
    for (size_t index = 0; index < jobs.size(); ++index)
      if (!prepare(index))
        ok = false;
      else if (settings.take && stepsLeft[index] == 0)
        give(index);
    compileSteps();
    for (const KernelJob &job : jobs) {
      messages.addVariant(describeVariant(job));
      for (const std::string &text : job.warnings)
        messages.add(text, describeVariant(job));
    }
    for (auto &step : steps)
      ok &= conclude(*step);
    if (settings.messages)
      *settings.messages = messages;
    else
      messages.print(errs());
    if (ok && !settings.take && any_of(jobs, [](const KernelJob &job) { return job.isOptional; }) &&
        none_of(steps, [](const std::unique_ptr<Step> &step) { return step->isCompiled(); })) {
      diagnostics.error("nothing is left: every variant was left out for every target");
      ok = false;
    }
    if (!ok && jobs.size() > 1)
      reportFailures(steps, jobs, diagnostics);
    if (!settings.take)
      for (size_t index = 0; index < jobs.size(); ++index)
        ok &= assemble(index, diagnostics);
    return ok && !isTakingRefused && !states.haveChanged() ? std::optional(std::move(kernels)) : std::nullopt;
  }

private:
  /// Makes the steps of a job. Of one that is wrong by itself none is compiled.
  bool prepare(size_t index) {
    const KernelJob &job = jobs[index];
    // With --werror they are errors.
    bool isFine = all_of(job.warnings, isWarning);
    if (!isFine)
      return false;
    if (!settings.isPartOfBuild)
      warnOfOtherTargets(job.targetSettings, job.targets, diagnostics);
    for (const Target &target : job.targets) {
      auto step = std::make_unique<Step>(index, target, diagnostics);
      step->request = makeRequest(job, target, step->diagnostics);
      isFine = step->request && !step->diagnostics.hasErrors();
      step->messages = step->diagnostics.takeTexts();
      if (!isFine)
        step->request.reset();
      stepsOfJobs[index].push_back(step.get());
      steps.push_back(std::move(step));
      if (!isFine && job.isOptional) {
        isFine = true;
        continue;
      }
      // What is wrong is so for every target, most often.
      if (!isFine)
        break;
    }
    unsigned errors = diagnostics.getErrorCount();
    isFine = isFine && hasUsableName(job, refused, diagnostics);
    if (isFine && job.grid)
      grids[index] = GridExpression::parse(*job.grid, diagnostics);
    if (isFine && job.when)
      conditions[index] = GridExpression::parseCondition(*job.when, diagnostics);
    isFine = isFine && diagnostics.getErrorCount() == errors;
    if (!isFine)
      for (Step *step : stepsOfJobs[index])
        step->request.reset();
    stepsLeft[index] =
        count_if(stepsOfJobs[index], [](const Step *step) { return step->request.has_value(); });
    return isFine;
  }

  void compileSteps() {
    std::vector<Step *> wanted;
    std::vector<std::string> kinds;
    for (auto &step : steps)
      if (step->request) {
        wanted.push_back(step.get());
        kinds.push_back(step->target.str());
      }
    std::optional<MemoryBound> memory;
    if (settings.boundsMemory)
      memory.emplace(settings.memory);
    Progress progress(kinds, settings.progress);
    parallelFor(wanted.size(), settings.threads, [&](size_t i, JobSlots::Permission &permission) {
      Step &step = *wanted[i];
      bool isNew = false;
      // What the cache has takes no memory to speak of, and no other process.
      auto make = [&]() -> std::optional<CompileResult> {
        isNew = true;
        if (memory && !memory->tryEnter()) {
          permission.giveBack();
          memory->enter();
          permission.take();
        }
        progress.start(i, step.request->kernel + " for " + step.target.str());
        if (!settings.launch)
          return compile(*step.request, step.diagnostics, &step.misfit);
        launch(step, i);
        return std::nullopt;
      };
      step.result = compileThroughCache(*step.request, step.diagnostics, step.misfit, step.messages, make);
      if (step.result && jobs[step.job].keepsStages)
        addStages(step, jobs[step.job], states);
      if (memory && isNew)
        memory->leave(countBytes(step));
      append_range(step.messages, step.diagnostics.takeTexts());
      progress.finish(i, step.request->kernel + " for " + step.target.str(),
                      !step.isCompiled() && step.misfit.reason.empty());
      if (--stepsLeft[step.job] == 0 && settings.take)
        give(step.job);
    });
  }

  /// The memory of what is kept of a step.
  static uint64_t countBytes(const Step &step) {
    uint64_t bytes = 0;
    if (step.result)
      for (const Image &image : step.result->images)
        bytes += image.bytes.size();
    if (step.launched)
      for (const KernelObject &object : *step.launched->objects)
        for (const TargetCode &code : object.targets)
          for (const KernelImage &image : code.images)
            bytes += image.bytes.size();
    return bytes;
  }

  void launch(Step &step, size_t number) {
    LaunchedResult result = launchCompile(*settings.launch, step.job, step.target, std::to_string(number));
    // What the request was worth a warning is said there as well.
    step.messages.clear();
    if (!result.output.empty())
      step.messages.push_back(std::move(result.output));
    if (!result.error.empty())
      step.diagnostics.error(result.error);
    if (!result.objects)
      return;
    step.launchedFiles = std::move(result.filesRead);
    for (KernelObject &object : *result.objects)
      for (TargetMisfit &misfit : object.misfits) {
        step.misfit.reason = std::move(misfit.reason);
        return;
      }
    step.launched = std::move(result);
  }

  /// Notes what a step has to say.
  void show(Step &step) {
    std::string variant = describeVariant(jobs[step.job]);
    append_range(step.messages, step.diagnostics.takeTexts());
    for (const std::string &text : step.messages)
      messages.add(text, variant);
    step.messages.clear();
  }

  /// Returns whether all is well with a step, and notes what it has to say.
  bool conclude(Step &step) {
    if (step.isLeftToOthers) {
      show(step);
      return true;
    }
    if (!step.misfit.reason.empty() && settings.misfits == Misfits::AreRecorded && !jobs[step.job].isOptional)
      return true;
    if (!step.misfit.reason.empty() && isServed(step, steps, jobs)) {
      step.isLeftToOthers = true;
      const KernelJob &job = jobs[step.job];
      diagnostics.warning(rangeOf(job.signature), "'" + step.request->specialization.str() +
                                                      "' is left out for " + step.target.str() + ", as " +
                                                      step.misfit.reason +
                                                      "; another signature serves that target");
      return true;
    }
    if (!step.isCompiled() && jobs[step.job].isOptional) {
      leaveOut(step, jobs[step.job], diagnostics);
      return true;
    }
    show(step);
    return step.isCompiled();
  }

  /// Brings a job's targets together. Reports and returns false if what is said of its parameters does not
  /// fit them; returns false also where a target failed.
  bool assemble(size_t index, Diagnostics &into) {
    bool ok = true;
    for (Step *step : stepsOfJobs[index]) {
      if (step->result) {
        addResult(kernels[index], jobs[index], *step);
      } else if (step->launched) {
        addLaunched(kernels[index], jobs[index], *step);
      } else if (!step->misfit.reason.empty() && settings.misfits == Misfits::AreRecorded) {
        addMisfit(kernels[index], jobs[index], *step);
      } else {
        ok &= step->isLeftToOthers;
        continue;
      }
      ok &= addFilesRead(kernels[index], *step, states, into);
    }
    addProvenance(kernels[index], jobs[index], diagnostics);
    for (const KernelObject &object : kernels[index].objects)
      if (!object.targets.empty() && !checkNames(jobs[index], object, grids[index], conditions[index], into))
        return false;
    return ok;
  }

  /// Hands a job's kernel over.
  void give(size_t index) {
    std::lock_guard<std::mutex> lock(taking);
    Diagnostics own(diagnostics);
    for (Step *step : stepsOfJobs[index])
      if (jobs[index].isOptional && !step->isCompiled())
        leaveOut(*step, jobs[index], own);
    bool isTaken = assemble(index, own) && settings.take(index, std::move(kernels[index]), own);
    kernels[index] = {};
    // Errors of compiling have been counted.
    isTakingRefused |= !isTaken && own.hasErrors();
    append_range(stepsOfJobs[index].back()->messages, own.takeTexts());
  }

  ArrayRef<KernelJob> jobs;
  const CompileSettings &settings;
  Diagnostics &diagnostics;
  FileStates ownStates;
  FileStates &states;
  std::vector<std::optional<GridExpression>> grids, conditions;
  std::vector<CompiledKernel> kernels;
  std::set<std::string> refused;
  std::vector<std::unique_ptr<Step>> steps;
  std::vector<std::vector<Step *>> stepsOfJobs;
  std::vector<std::atomic<size_t>> stepsLeft;
  RepeatedMessages messages;
  std::mutex taking;
  bool isTakingRefused = false;
};

} // namespace

std::optional<std::vector<CompiledKernel>>
compileKernels(ArrayRef<KernelJob> jobs, const CompileSettings &settings, Diagnostics &diagnostics) {
  return KernelCompiler(jobs, settings, diagnostics).run();
}

} // namespace nereid
