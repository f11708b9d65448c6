// Errors of the same signature or source would be reported once for each target; the first target of a kernel
// that fails speaks for all of them unless another target has something else to say.
#include "aot/CompileKernels.h"

#include "aot/KernelConfig.h"
#include "aot/Progress.h"
#include "linker/CNames.h"
#include "linker/GridExpression.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <set>
#include <thread>

using namespace llvm;

namespace nereid {

std::optional<std::vector<Target>> parseTargets(StringRef text, Diagnostics &diagnostics) {
  SmallVector<StringRef> names;
  text.split(names, ',');
  std::vector<Target> targets;
  for (StringRef name : names) {
    name = name.trim();
    auto group = Target::parseGroup(name);
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

std::optional<CompileRequest> makeRequest(const KernelJob &job, Diagnostics &diagnostics) {
  std::optional<Specialization> specialization = parseSignature(job.signature, diagnostics);
  if (!specialization)
    return std::nullopt;
  if (job.function && !isCIdentifier(*job.function)) {
    diagnostics.error(rangeOf(*job.function), "'" + *job.function + "' cannot be the name of a C function");
    return std::nullopt;
  }
  KernelDeclaration::Config config;
  if (job.config) {
    std::optional<KernelDeclaration> kernel =
        findKernel(job.sourcePath, job.kernel, job.importPaths, diagnostics);
    if (!kernel || !applyConfig(*kernel, *job.config, *specialization, diagnostics))
      return std::nullopt;
    config = kernel->configs[*job.config];
  }
  unsigned numWarps = job.numWarps.value_or(config.numWarps);
  unsigned numStages = job.numStages.value_or(config.numStages);
  if (!isPowerOf2_32(numWarps) || numWarps > 32) {
    diagnostics.error("the number of warps is " + Twine(numWarps) + ": expected a power of two from 1 to 32");
    return std::nullopt;
  }
  if (numStages < 1 || numStages > 32) {
    diagnostics.error("the number of stages is " + Twine(numStages) + ": expected an integer from 1 to 32");
    return std::nullopt;
  }
  CompileRequest request;
  request.sourcePath = job.sourcePath;
  request.kernel = job.kernel;
  request.specialization = std::move(*specialization);
  request.numWarps = numWarps;
  request.numStages = numStages;
  request.importPaths = job.importPaths;
  return request;
}

namespace {

/// One image to make, and what came of it.
struct Step {
  Step(size_t job, Target target, const Diagnostics &parent)
      : job(job), target(std::move(target)), diagnostics(parent) {}

  size_t job;
  Target target;
  Diagnostics diagnostics;
  std::string messages;
  std::optional<CompileResult> result;
};

/// Runs work(0) to work(count - 1) on as many threads.
void parallelFor(size_t count, unsigned threads, function_ref<void(size_t)> work) {
  std::atomic<size_t> next{0};
  auto run = [&] {
    for (size_t i = next++; i < count; i = next++)
      work(i);
  };
  std::vector<std::thread> others;
  for (size_t i = 1; i < std::min<size_t>(threads, count); ++i)
    others.emplace_back(run);
  run();
  for (std::thread &thread : others)
    thread.join();
}

ImageFormat toImageFormat(Stage stage) {
  switch (stage) {
  case Stage::Cubin:
    return ImageFormat::Cubin;
  case Stage::PTX:
    return ImageFormat::PTX;
  case Stage::HSACO:
    return ImageFormat::HSACO;
  default:
    return ImageFormat::Object;
  }
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

void addResult(CompiledKernel &kernel, Target target, CompileResult result) {
  TargetCode code;
  code.target = std::move(target);
  code.info = std::move(result.info);
  for (Image &image : result.images)
    code.images.push_back({toImageFormat(image.kind), std::move(image.bytes)});
  kernel.object.targets.push_back(std::move(code));
  for (std::string &file : result.dependencies)
    if (!is_contained(kernel.dependencies, file))
      kernel.dependencies.push_back(std::move(file));
  addTimings(kernel.timings, result.timings);
}

} // namespace

std::optional<std::vector<CompiledKernel>> compileKernels(ArrayRef<KernelJob> jobs, unsigned threads,
                                                          Diagnostics &diagnostics) {
  std::vector<CompileRequest> requests;
  std::vector<std::optional<GridExpression>> grids;
  for (const KernelJob &job : jobs) {
    std::optional<CompileRequest> request = makeRequest(job, diagnostics);
    std::optional<GridExpression> grid;
    if (request && job.grid)
      grid = GridExpression::parse(*job.grid, diagnostics);
    if (!request || (job.grid && !grid))
      continue;
    requests.push_back(std::move(*request));
    grids.push_back(std::move(grid));
  }
  if (diagnostics.hasErrors())
    return std::nullopt;

  std::vector<std::unique_ptr<Step>> steps;
  for (auto [index, job] : enumerate(jobs)) {
    for (const Target &target : job.targets)
      steps.push_back(std::make_unique<Step>(index, target, diagnostics));
  }
  {
    Progress progress(steps.size());
    std::vector<std::atomic<bool>> failed(jobs.size());
    parallelFor(steps.size(), threads, [&](size_t i) {
      Step &step = *steps[i];
      CompileRequest request = requests[step.job];
      request.target = step.target;
      // A signature that does not fit its kernel does so for every target: say it once, and do not try again.
      if (failed[step.job])
        return;
      step.result = compile(request, step.diagnostics);
      if (!step.result)
        failed[step.job] = true;
      raw_string_ostream stream(step.messages);
      step.diagnostics.flush(stream);
      progress.finish(request.kernel + " for " + step.target.str());
    });
  }

  std::vector<CompiledKernel> kernels(jobs.size());
  std::set<std::string> shown;
  bool ok = true;
  for (auto &step : steps) {
    if (!step->messages.empty() && shown.insert(step->messages).second)
      errs() << step->messages;
    if (step->result)
      addResult(kernels[step->job], step->target, std::move(*step->result));
    else
      ok = false;
  }
  if (!ok)
    return std::nullopt;
  for (auto [index, job] : enumerate(jobs)) {
    KernelObject &object = kernels[index].object;
    object.sourcePath = job.sourcePath;
    object.function = job.function.value_or("").str();
    object.signature = requests[index].specialization.str();
    if (!grids[index])
      continue;
    object.grid = job.grid->str();
    if (!grids[index]->check(object.targets.front().info.parameters, diagnostics))
      ok = false;
  }
  if (!ok)
    return std::nullopt;
  return kernels;
}

} // namespace nereid
