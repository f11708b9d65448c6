// Targets of one signature are one object, which is made for the first of them.
#include "aot/KernelAssembly.h"

#include "aot/ImageStages.h"
#include "aot/KernelProvenance.h"
#include "linker/PythonCall.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace nereid {

static void addTimings(std::vector<std::pair<std::string, double>> &into,
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
static std::string completeSignature(const Specialization &given, const KernelInfo &info) {
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
static KernelObject &getObject(CompiledKernel &kernel, const KernelJob &job, const Target &target,
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

bool addFilesRead(CompiledKernel &kernel, const CompileStep &step, FileStates &states,
                  Diagnostics &diagnostics) {
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

void addMisfit(CompiledKernel &kernel, const KernelJob &job, CompileStep &step) {
  std::string signature = step.request ? step.request->specialization.str() : job.signature.str();
  KernelObject &object = getObject(kernel, job, step.target, signature);
  object.kernelWithoutCode = job.kernel.str();
  object.misfits.push_back({step.target, step.misfit.reason, job.isOptional});
}

void addResult(CompiledKernel &kernel, const KernelJob &job, CompileStep &step) {
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
  std::string settings = code.settings;
  object.targets.push_back(std::move(code));
  for (KernelForm &other : result.otherForms) {
    TargetCode &form = object.targets.emplace_back();
    form.target = step.target;
    form.use = other.use;
    form.info = std::move(other.info);
    form.settings = settings;
    for (Image &image : other.images)
      form.images.push_back({toImageFormat(image.kind), std::move(image.bytes)});
  }
  addTimings(kernel.timings, result.timings);
}

void addLaunched(CompiledKernel &kernel, const KernelJob &job, CompileStep &step) {
  for (KernelObject &made : *step.launched->objects) {
    KernelObject &object = getObject(kernel, job, step.target, made.signature);
    std::move(made.targets.begin(), made.targets.end(), std::back_inserter(object.targets));
  }
}

/// Whether one piece of what is said about calls from Python is right by itself, with what any signature may
/// have at run time. The linker knows what is left of that, and sees the pieces together.
static bool checkPythonCall(StringRef text, ArrayRef<KernelParameter> parameters, Diagnostics &diagnostics) {
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

} // namespace nereid
