// Errors of the same signature or source are the same for each target, and shown once.
#include "aot/CompileKernels.h"

#include "aot/JobServer.h"
#include "aot/KeptStages.h"
#include "aot/KernelAssembly.h"
#include "aot/KernelProvenance.h"
#include "aot/MemoryBound.h"
#include "aot/cache/CompileCache.h"
#include "compiler/model/PrintDiagnostic.h"
#include "linker/GridExpression.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

using namespace llvm;

namespace nereid {

namespace {

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

/// Whether another variant of the same C function has code for the target of a step that failed.
bool isServed(const CompileStep &failed, ArrayRef<std::unique_ptr<CompileStep>> steps,
              ArrayRef<KernelJob> jobs) {
  const KernelJob &job = jobs[failed.job];
  return any_of(steps, [&](const std::unique_ptr<CompileStep> &step) {
    const KernelJob &other = jobs[step->job];
    return step->job != failed.job && step->isCompiled() && step->target == failed.target &&
           other.sourcePath == job.sourcePath && other.kernel == job.kernel && other.function == job.function;
  });
}

/// Warns that a target does without an optional variant, with the first error that it has.
void leaveOut(CompileStep &step, const KernelJob &job, Diagnostics &diagnostics) {
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
void reportFailures(ArrayRef<std::unique_ptr<CompileStep>> steps, ArrayRef<KernelJob> jobs,
                    Diagnostics &diagnostics) {
  constexpr size_t mostNames = 32;
  size_t count = 0, firstJob = 0;
  std::string names;
  for (size_t index = 0; index < jobs.size(); ++index) {
    std::vector<std::string> targets;
    std::string text;
    bool isCompiled = false;
    for (const std::unique_ptr<CompileStep> &step : steps) {
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
        none_of(steps, [](const std::unique_ptr<CompileStep> &step) { return step->isCompiled(); })) {
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
      auto step = std::make_unique<CompileStep>(index, target, diagnostics);
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
      for (CompileStep *step : stepsOfJobs[index])
        step->request.reset();
    stepsLeft[index] =
        count_if(stepsOfJobs[index], [](const CompileStep *step) { return step->request.has_value(); });
    return isFine;
  }

  void compileSteps() {
    std::vector<CompileStep *> wanted;
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
      CompileStep &step = *wanted[i];
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
  static uint64_t countBytes(const CompileStep &step) {
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

  void launch(CompileStep &step, size_t number) {
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
  void show(CompileStep &step) {
    std::string variant = describeVariant(jobs[step.job]);
    append_range(step.messages, step.diagnostics.takeTexts());
    for (const std::string &text : step.messages)
      messages.add(text, variant);
    step.messages.clear();
  }

  /// Returns whether all is well with a step, and notes what it has to say.
  bool conclude(CompileStep &step) {
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
    for (CompileStep *step : stepsOfJobs[index]) {
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
    for (CompileStep *step : stepsOfJobs[index])
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
  std::vector<std::unique_ptr<CompileStep>> steps;
  std::vector<std::vector<CompileStep *>> stepsOfJobs;
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
