// nereid compile: one kernel under one signature to a kernel object, or to the text of one stage.
#include "aot/Annotations.h"
#include "aot/CacheOption.h"
#include "aot/Commands.h"
#include "aot/CompileKernels.h"
#include "aot/DebugOptions.h"
#include "aot/DependencyFile.h"
#include "aot/HostOption.h"
#include "aot/LaunchOptions.h"
#include "aot/ManifestJobs.h"
#include "aot/NumberOption.h"
#include "aot/OutputFile.h"
#include "aot/SourceOptions.h"
#include "aot/StampOption.h"
#include "aot/cache/CompileCache.h"
#include "compiler/model/PrintDiagnostic.h"
#include "linker/CNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"

using namespace llvm;

namespace nereid {

namespace {

struct CompileOptions {
  std::string source;
  std::string kernel;
  std::string function;
  std::string signature;
  std::string target;
  std::string host;
  std::string grid;
  bool hasGrid = false;
  std::string family;
  std::optional<std::string> when;
  std::vector<std::string> dispatch;
  std::vector<std::string> python;
  std::vector<std::string> tune;
  bool autotune = false;
  LaunchOptions launch;
  bool useTensorMaps = true, hasExactWarps = false, hasExactStages = false;
  bool isCooperative = false;
  bool overlapsWithLast = false;
  std::optional<bool> warpSpecialize;
  std::optional<unsigned> config;
  std::vector<std::string> targetSettings;
  /// The source's annotations say what is to be made of the kernel.
  bool isAnnotated = false;
  bool recordsMisfits = false;
  SourceOptions sourceOptions;
  uint64_t compileLimit = defaultCompileLimit;
  std::string emit;
  std::string output;
  std::string dependencyFile;
  std::string stamp;
  bool defersWarnings = false;
  /// Of a manifest: which of its variants, `17:9f86d081884c7d65`, and for which of its targets.
  std::string variant;
  std::string only;
  unsigned jobs = 1;
  bool time = false;
  bool stages = false;
  std::string askedBy;
  DebugOptions debugging;
};

bool isBinary(Stage stage) {
  return stage == Stage::Cubin || stage == Stage::HSACO || stage == Stage::Object;
}

void printTimings(ArrayRef<std::pair<std::string, double>> timings) {
  double total = 0;
  for (const auto &[step, seconds] : timings) {
    errs() << format("%9.2f ms  ", seconds * 1e3) << step << '\n';
    total += seconds;
  }
  errs() << format("%9.2f ms  total\n", total * 1e3);
}

/// Puts the outputs in their places, and with them the dependency file and the stamp; `output` is the first.
bool finish(const CompileOptions &options, StringRef output, ArrayRef<std::string> dependencies,
            OutputSet &outputs, Diagnostics &diagnostics) {
  NamedOutput named[] = {
      {"the output", output}, {"--depfile", options.dependencyFile}, {"--stamp", options.stamp}};
  for (const NamedOutput &file : named)
    if (!checkIsNoInput(file.path, dependencies, diagnostics))
      return false;
  if (!checkAreDifferent(named, diagnostics))
    return false;
  StringRef made = options.stamp.empty() ? output : StringRef(options.stamp);
  if (!options.dependencyFile.empty()) {
    Expected<std::string> rule = printDependencyFile(made, dependencies);
    if (!isDone(rule.takeError(), diagnostics) ||
        !isDone(outputs.add(options.dependencyFile, *rule), diagnostics))
      return false;
  }
  outputs.setStamp(options.stamp);
  return isDone(outputs.commit(), diagnostics);
}

/// The stages that `--emit` names; all there are for `all`.
std::optional<std::vector<Stage>> readStages(StringRef text, Diagnostics &diagnostics) {
  std::vector<Stage> stages;
  if (text.trim() == "all")
    return getAllStages().vec();
  SmallVector<StringRef> names;
  text.split(names, ',');
  for (StringRef name : names) {
    std::optional<Stage> stage = parseStage(name.trim());
    if (!stage) {
      diagnostics.error(rangeOf(name), "unknown stage '" + name.trim() +
                                           "': expected one of ttir, ttgir, llir, ptx, cubin, amdgcn, hsaco, "
                                           "asm, obj, or all");
      return std::nullopt;
    }
    if (!is_contained(stages, *stage))
      stages.push_back(*stage);
  }
  return stages;
}

std::string listStages(const Target &target) {
  std::string names;
  for (Stage known : getStages(target))
    names += (names.empty() ? "" : ", ") + getStageName(known).str();
  return names;
}

/// Compiles for the sake of stages; shows what there is to say.
std::optional<CompileResult> compileStages(const CompileRequest &request, Diagnostics &diagnostics) {
  std::vector<std::string> messages = diagnostics.takeTexts();
  Misfit misfit;
  std::optional<CompileResult> result = compileThroughCache(
      request, diagnostics, misfit, messages, [&] { return compile(request, diagnostics, &misfit); });
  for (const std::string &message : messages)
    printDiagnostic(errs(), message);
  return result;
}

bool emitStage(const CompileOptions &options, KernelJob job, Stage stage, Diagnostics &diagnostics) {
  // A name that stands for several, as plain `cpu` does, is the first of them here: code that all machines
  // run.
  Expected<Target> single = Target::parse(options.target);
  if (!single) {
    consumeError(single.takeError());
    diagnostics.error("--emit shows one target at a time: name one, such as " + job.targets.front().str() +
                      ", or a folder for the stages of all: --output DIR/");
    return false;
  }
  job.targets = {*single};
  if (!is_contained(getStages(job.targets.front()), stage)) {
    diagnostics.error("target " + job.targets.front().str() + " has no stage '" + getStageName(stage) +
                      "': expected one of " + listStages(job.targets.front()));
    return false;
  }
  std::optional<CompileRequest> request = makeRequest(job, job.targets.front(), diagnostics);
  if (!request)
    return false;
  request->emit = stage;
  std::optional<CompileResult> result = compileStages(*request, diagnostics);
  if (!result)
    return false;
  if (options.time)
    printTimings(result->timings);
  std::string output = options.output;
  if (output.empty())
    output = isBinary(stage) ? options.kernel + "." + getStageName(stage).str() : "-";
  OutputSet outputs;
  return isDone(outputs.add(output, result->stageOutput), diagnostics) &&
         finish(options, output, result->files.getPaths(), outputs, diagnostics);
}

/// `add_kernel.cuda-90a.ptx`
std::string nameStageFile(StringRef kernel, const Target &target, Stage stage) {
  std::string name = target.str();
  std::replace(name.begin(), name.end(), ':', '-');
  return (kernel + "." + name + "." + getStageName(stage)).str();
}

/// Each target is compiled once, whatever is wanted of it, and nothing is written until all are.
bool emitIntoFolder(const CompileOptions &options, const KernelJob &job, ArrayRef<Stage> stages, bool isAll,
                    Diagnostics &diagnostics) {
  for (Stage stage : stages)
    if (!isAll &&
        none_of(job.targets, [&](const Target &target) { return is_contained(getStages(target), stage); })) {
      diagnostics.error("no target has a stage '" + getStageName(stage) + "': " + job.targets.front().str() +
                        " has " + listStages(job.targets.front()));
      return false;
    }
  struct File {
    std::string name, bytes;
  };
  std::vector<File> files;
  std::vector<std::string> dependencies;
  for (const Target &target : job.targets) {
    std::optional<CompileRequest> request = makeRequest(job, target, diagnostics);
    if (!request)
      return false;
    for (Stage stage : getStages(target))
      if (is_contained(stages, stage))
        request->keptStages.push_back(stage);
    if (request->keptStages.empty()) {
      diagnostics.error("target " + target.str() + " has none of the stages: expected one of " +
                        listStages(target));
      return false;
    }
    // Of all stages those that there are: without ptxas no cubin.
    if (!isAll)
      request->emit = request->keptStages.back();
    std::optional<CompileResult> result = compileStages(*request, diagnostics);
    if (!result)
      return false;
    if (options.time)
      printTimings(result->timings);
    for (StageRecord &stage : result->stages)
      files.push_back({nameStageFile(options.kernel, target, stage.stage), std::move(stage.text)});
    for (std::string &file : result->files.getPaths())
      if (!is_contained(dependencies, file))
        dependencies.push_back(std::move(file));
  }
  OutputFolder folder;
  std::string path = StringRef(options.output).rtrim('/').str();
  if (path.empty())
    path = "/";
  if (!folder.prepare(path, diagnostics))
    return false;
  OutputSet outputs;
  for (const File &file : files)
    if (!checkIsNoInput(path + "/" + file.name, dependencies, diagnostics) ||
        !checkAreDifferent({{"the output", path + "/" + file.name},
                            {"--depfile", options.dependencyFile},
                            {"--stamp", options.stamp}},
                           diagnostics) ||
        !isDone(outputs.add(path + "/" + file.name, file.bytes), diagnostics))
      return false;
  return finish(options, path + "/" + files.front().name, dependencies, outputs, diagnostics);
}

bool emit(const CompileOptions &options, const KernelJob &job, Diagnostics &diagnostics) {
  if (!job.tune.empty() || job.autotune) {
    diagnostics.error("--emit shows one variant at a time: give its values in the signature, or by --config");
    return false;
  }
  auto stages = readStages(diagnostics.addSource("<--emit>", options.emit), diagnostics);
  if (!stages)
    return false;
  bool isAll = StringRef(options.emit).trim() == "all",
       isFolder = StringRef(options.output).ends_with("/") || sys::fs::is_directory(options.output);
  if (isFolder)
    return emitIntoFolder(options, job, *stages, isAll, diagnostics);
  if (isAll || stages->size() > 1) {
    diagnostics.error("several stages need a folder to go to: --output DIR/");
    return false;
  }
  return emitStage(options, job, stages->front(), diagnostics);
}

/// Compiles jobs to one file, and leaves in `messages` what is to be said of them.
bool compileObjects(const CompileOptions &options, ArrayRef<KernelJob> jobs, CompileSettings settings,
                    FileStates &states, RepeatedMessages &messages, Diagnostics &diagnostics) {
  settings.files = &states;
  settings.messages = &messages;
  std::optional<std::vector<CompiledKernel>> kernels = compileKernels(jobs, settings, diagnostics);
  if (!kernels)
    return false;
  std::vector<KernelObject> objects;
  std::vector<std::string> dependencies;
  for (CompiledKernel &kernel : *kernels) {
    if (options.time)
      printTimings(kernel.timings);
    append_range(objects, std::move(kernel.objects));
    for (std::string &file : kernel.filesRead.getPaths())
      if (!is_contained(dependencies, file))
        dependencies.push_back(std::move(file));
  }
  std::string output = options.output.empty() ? options.kernel + ".nko" : options.output;
  std::string warnings = options.defersWarnings ? getWarningsFile(output) : "";
  for (const std::string &text : diagnostics.takeTexts())
    messages.addForAll(text);
  OutputSet outputs;
  return checkIsNoInput(warnings, dependencies, diagnostics) &&
         (warnings.empty() || isDone(outputs.add(warnings, messages.serialize()), diagnostics)) &&
         isDone(outputs.add(output, serializeKernelObjects(objects)), diagnostics) &&
         finish(options, output, dependencies, outputs, diagnostics);
}

bool compileObjects(const CompileOptions &options, ArrayRef<KernelJob> jobs, const CompileSettings &settings,
                    FileStates &states, Diagnostics &diagnostics) {
  RepeatedMessages messages;
  bool ok = compileObjects(options, jobs, settings, states, messages, diagnostics);
  if (!ok || !options.defersWarnings)
    messages.print(errs());
  return ok;
}

bool compileObject(const CompileOptions &options, const KernelJob &job, Diagnostics &diagnostics) {
  FileStates states;
  (void)states.get(job.sourcePath);
  std::vector<KernelJob> jobs;
  if (!expandJob(job, jobs, diagnostics))
    return false;
  CompileSettings settings;
  settings.threads = options.jobs;
  settings.misfits = options.recordsMisfits ? Misfits::AreRecorded : Misfits::AreErrors;
  return compileObjects(options, jobs, settings, states, diagnostics);
}

/// What a manifest or annotations ask for.
struct Asked {
  std::vector<Definition> definitions;
  Manifest manifest;
};

std::optional<Asked> readAsked(const ManifestInput &input, FileStates &states, Diagnostics &diagnostics) {
  auto definitions = applySourceOptions(input.sourceOptions, diagnostics);
  if (!definitions)
    return std::nullopt;
  std::optional<Manifest> manifest = readManifestInput(input, *definitions, states, diagnostics);
  if (!manifest)
    return std::nullopt;
  return Asked{std::move(*definitions), std::move(*manifest)};
}

/// One variant of a manifest for one target, for `nereid build` with a launcher: it has seen the whole of the
/// manifest, and has said all there is to say of that.
bool compileVariant(const CompileOptions &options, Diagnostics &diagnostics) {
  ManifestInput input = {options.source,
                         options.target,
                         options.host,
                         options.debugging,
                         options.sourceOptions,
                         options.stages,
                         ""};
  FileStates states;
  std::optional<Asked> asked = readAsked(input, states, diagnostics);
  if (!asked)
    return false;
  std::vector<KernelJob> jobs =
      makeManifestJobs(asked->manifest, input, asked->definitions, states, diagnostics);
  auto [text, digest] = StringRef(options.variant).split(':');
  size_t number = 0;
  if (!to_integer(text, number, 10) || number >= jobs.size() ||
      (!digest.empty() && digest != digestJob(jobs[number], number))) {
    diagnostics.error("'" + options.source + "' has no variant '" + options.variant +
                      "': it has changed since the build began");
    return false;
  }
  diagnostics.takeTexts();
  KernelJob &job = jobs[number];
  job.warnings.clear();
  // Whether others do without it is decided where all are seen.
  job.isOptional = false;
  if (!options.only.empty()) {
    auto targets = parseTargets(diagnostics.addSource("<--only>", options.only), options.host, diagnostics);
    if (!targets)
      return false;
    job.targets = std::move(*targets);
  }
  CompileSettings settings;
  settings.misfits = Misfits::AreRecorded;
  settings.isPartOfBuild = true;
  return compileObjects(options, job, settings, states, diagnostics);
}

/// What annotations ask for of the kernel, in one file. Nothing if it has none, and needs none, as its source
/// says its types.
std::optional<bool> compileAnnotated(const CompileOptions &options, Diagnostics &diagnostics) {
  if (!mayHaveAnnotations(options.source)) {
    diagnostics.error("'" + options.source + "' cannot have annotations: .py and .tc can");
    return false;
  }
  ManifestInput input = {options.source,        options.target, options.host,  options.debugging,
                         options.sourceOptions, options.stages, options.kernel};
  erase_if(input.sourceOptions.importPaths, [](const std::string &path) { return path.empty(); });
  FileStates states;
  std::optional<Asked> asked = readAsked(input, states, diagnostics);
  if (!asked)
    return false;
  if (asked->manifest.kernels.empty() && StringRef(options.source).ends_with(".tc"))
    return std::nullopt;
  if (asked->manifest.kernels.empty()) {
    diagnostics.error("no annotations of '" + options.source + "' are for '" + options.kernel +
                      "': they stand before the kernel, such as '# nereid: signature = *fp32, i32, 1024'");
    return false;
  }
  std::vector<KernelJob> jobs =
      makeManifestJobs(asked->manifest, input, asked->definitions, states, diagnostics);
  if (diagnostics.hasErrors())
    return false;
  for (KernelJob &job : jobs) {
    // As for a kernel that is named with its signature.
    job.projectFolder.clear();
    job.askedBy = options.askedBy;
  }
  CompileSettings settings;
  settings.threads = options.jobs;
  settings.misfits = options.recordsMisfits ? Misfits::AreRecorded : Misfits::AreErrors;
  return compileObjects(options, jobs, settings, states, diagnostics);
}

/// `HEAD_DIM, CAUSAL`
bool readNames(StringRef text, std::vector<StringRef> &names, Diagnostics &diagnostics) {
  SmallVector<StringRef> pieces;
  text.split(pieces, ',');
  for (StringRef piece : pieces) {
    piece = piece.trim();
    if (!isPythonIdentifier(piece)) {
      diagnostics.error(rangeOf(piece.empty() ? text : piece), "expected the name of a parameter");
      return false;
    }
    if (!is_contained(names, piece))
      names.push_back(piece);
  }
  return true;
}

int runCompile(const CompileOptions &options) {
  Diagnostics diagnostics;
  KernelJob job;
  // What it would write is known later, but what nobody wants to wait for is known now.
  if (!checkIsNoInput(options.output, options.source, diagnostics) ||
      !checkIsNoInput(options.dependencyFile, options.source, diagnostics) ||
      !checkIsNoInput(options.stamp, options.source, diagnostics) ||
      !checkAreDifferent(
          {{"--output", options.output}, {"--depfile", options.dependencyFile}, {"--stamp", options.stamp}},
          diagnostics)) {
    diagnostics.flush(errs());
    return 1;
  }
  if (!options.variant.empty()) {
    bool ok = compileVariant(options, diagnostics);
    diagnostics.flush(errs());
    return ok ? 0 : 1;
  }
  if (options.isAnnotated)
    if (std::optional<bool> ok = compileAnnotated(options, diagnostics)) {
      diagnostics.flush(errs());
      return *ok ? 0 : 1;
    }
  job.sourcePath = options.source;
  job.kernel = diagnostics.addSource("<kernel>", options.kernel);
  if (!options.function.empty())
    job.function = diagnostics.addSource("<function>", options.function);
  job.signature = diagnostics.addSource("<signature>", options.signature);
  if (options.hasGrid)
    job.grid = diagnostics.addSource("<grid>", options.grid);
  job.family = options.family;
  if (options.when)
    job.when = diagnostics.addSource("<condition>", *options.when);
  for (const std::string &names : options.dispatch)
    if (!StringRef(names).trim().empty() &&
        !readNames(diagnostics.addSource("<dispatch>", names), job.dispatch, diagnostics)) {
      diagnostics.flush(errs());
      return 1;
    }
  for (const std::string &text : options.python)
    job.python.push_back(diagnostics.addSource("<--python-call>", text));
  for (const std::string &values : options.tune)
    job.tune.push_back(diagnostics.addSource("<tune>", values));
  job.autotune = options.autotune;
  if (job.autotune)
    job.autotuneRange = rangeOf(diagnostics.addSource("<command line>", "--autotune"));
  options.launch.apply(job);
  job.useTensorMaps = options.useTensorMaps;
  job.hasExactWarps = options.hasExactWarps;
  job.hasExactStages = options.hasExactStages;
  job.isCooperative = options.isCooperative;
  job.overlapsWithLast = options.overlapsWithLast;
  job.warpSpecialize = options.warpSpecialize;
  job.config = options.config;
  setRanges(job, diagnostics);
  for (const std::string &text : options.targetSettings) {
    if (StringRef(text).trim().empty())
      continue;
    auto settings = parseTargetSettings(diagnostics.addSource("<--for>", text), diagnostics);
    if (!settings) {
      diagnostics.flush(errs());
      return 1;
    }
    // Of several that say the same the last one counts.
    job.targetSettings.push_back(std::move(*settings));
  }
  llvm::copy_if(options.sourceOptions.importPaths, std::back_inserter(job.importPaths),
                [](const std::string &path) { return !path.empty(); });
  job.compileLimit = options.compileLimit;
  job.keepsStages = options.stages;
  job.askedBy = options.askedBy;
  bool ok = false;
  auto definitions = applySourceOptions(options.sourceOptions, diagnostics);
  if (definitions)
    job.definitions = std::move(*definitions);
  if (!definitions || !options.debugging.apply(job, diagnostics)) {
    // It has been said why.
  } else if (auto targets = parseTargets(
                 diagnostics.addSource(
                     "<target>", options.isAnnotated && options.target.empty() ? "cpu" : options.target),
                 options.host, diagnostics)) {
    job.targets = std::move(*targets);
    ok = options.emit.empty() ? compileObject(options, job, diagnostics) : emit(options, job, diagnostics);
  }
  diagnostics.flush(errs());
  return ok ? 0 : 1;
}

} // namespace

void addCompileCommand(CLI::App &app, CommandAction &action) {
  auto options = std::make_shared<CompileOptions>();
  auto *command = app.add_subcommand("compile", "Compile one kernel under one signature");
  command->add_option("SRC", options->source, "The kernel's file: .py, .tc, .ttir, .ttgir or .mlir")
      ->required();
  auto *kernel = command->add_option("-k,--kernel", options->kernel, "The kernel's name in it");
  command->add_option("--function", options->function, "The C function's name, if not the kernel's");
  command->add_option(
      "-s,--signature", options->signature,
      "Types and compile-time values, '*fp32:16, i32, 1024' or 'x=*fp32, n=i32, BLOCK=1024'; what a "
      ".tc or .ttir says itself may be left out");
  auto *target = command->add_option("-t,--target", options->target,
                                     "Targets, separated by commas: cpu,cuda:90a,hip:gfx942");
  addHostOption(*command, options->host);
  auto *grid = command->add_option("-g,--grid", options->grid,
                                   "How many programs to launch: 'cdiv(n, BLOCK)', up to three");
  command->add_option("--family", options->family,
                      "The C function for any of several types, of which --function names the one for these");
  command->add_option("--when", options->when,
                      "The condition under which a call may take this variant: 'n <= BLOCK'");
  command->add_option(
      "--dispatch", options->dispatch,
      "Compile-time parameters that callers pass, so that calls choose by them: HEAD_DIM,CAUSAL");
  command
      ->add_option("--python-call", options->python,
                   "What calls from Python need not say: 'n=x.numel(), out=empty_like(x)'; may be repeated")
      ->allow_extra_args(false);
  command
      ->add_option("--tune", options->tune,
                   "Values of compile-time parameters and options to try: 'BLOCK=[64,128], num_warps=[4,8]'; "
                   "may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--autotune", options->autotune, "Try the configurations of @triton.autotune");
  command
      ->add_option("--config", options->config,
                   "Complete the signature with this configuration of @triton.autotune, counted from 0")
      ->check(isCount());
  auto *annotated = command->add_flag(
      "--annotated", options->isAnnotated,
      "Take signatures and all that belongs to them from the annotations of the kernel in SRC");
  command->add_flag("--allow-misfits", options->recordsMisfits,
                    "Write down which targets have too little of something for the kernel, and let 'link' "
                    "decide: it is no error if another variant serves them");
  command->add_option("--for", options->targetSettings,
                      "What holds for some targets only: 'hip: num_warps=8, BLOCK_M=64'");
  options->launch.addTo(*command);
  command->add_flag(
      "--tensor-maps,!--no-tensor-maps", options->useTensorMaps,
      "Whether NVIDIA GPUs from sm_90 on copy the tiles of tensor descriptors by themselves; they "
      "do unless told not to");
  command->add_flag(
      "--exact-warps", options->hasExactWarps,
      "Have --num-warps warps run each program on NVIDIA GPUs, too, where they spill registers and "
      "more would not");
  command->add_flag(
      "--exact-stages", options->hasExactStages,
      "Have no loads run ahead on NVIDIA GPUs by --num-stages 1, too, where that is expected to pay");
  command->add_flag("--launch-cooperative-grid", options->isCooperative,
                    "Launch on GPUs such that all programs of the grid run at a time, or not at all");
  command->add_flag(
      "--launch-pdl", options->overlapsWithLast,
      "Let launches on NVIDIA GPUs from sm_90 on begin before the one before has ended; the kernel waits "
      "for that with tl.extra.cuda.gdc_wait()");
  // CLI11 would make a flag that is not given one that is false.
  command->add_flag_function(
      "--warp-specialize,!--no-warp-specialize",
      [options](int64_t count) { options->warpSpecialize = count > 0; },
      "Whether a warp of its own copies the tiles of loops, on NVIDIA GPUs from sm_90 on: wherever it can, "
      "or "
      "nowhere [where loops ask for it, and where it is known to pay]");
  addSourceOptions(*command, options->sourceOptions);
  addCacheOption(*command);
  command
      ->add_option("--compile-limit", options->compileLimit,
                   "How many steps the kernel's own Python may take while it is compiled")
      ->check(isCount(1, UINT64_MAX))
      ->capture_default_str();
  command->add_option(
      "--emit", options->emit,
      "Write stages instead: ttir, ttgir, llir, ptx, cubin, amdgcn, hsaco, asm or obj; several, "
      "separated by commas, or all, into a folder");
  command
      ->add_option("-o,--output", options->output,
                   "The file to write; KERNEL.nko, or stdout for a stage's text. DIR/, for stages")
      ->check([](const std::string &path) { return path.empty() ? "an empty path" : ""; });
  command->add_option("--depfile", options->dependencyFile,
                      "Also write the files this was made from, as a Make rule");
  addStampOption(*command, options->stamp);
  command->add_flag("--defer-warnings", options->defersWarnings,
                    "Leave warnings in a file beside the kernel object, OUTPUT.warnings, which `nereid link "
                    "--deferred-warnings` shows; they are shown at once if there are errors as well");
  command
      ->add_option("-j,--jobs", options->jobs,
                   "How many targets to compile at a time; 0 for what the job server of make says, or as "
                   "many as there "
                   "are processors")
      ->check(isCount())
      ->capture_default_str();
  command->add_option("--variant", options->variant,
                      "N: compile the variant number N, from 0, of a manifest, which stands for SRC");
  command->add_option("--only", options->only, "With --variant: the one of its targets to compile for");
  options->debugging.addTo(*command);
  command->add_flag("--stages", options->stages,
                    "Also keep the stages on the way to each image in the kernel object, for "
                    "`nereid inspect --html`");
  command->add_option(
      "--asked-by", options->askedBy,
      "What asked for this, as `nereid inspect` shows it: 'CMakeLists.txt, add_triton_kernel(add)'");
  command->add_flag("--time", options->time, "Say on stderr how long each step took");
  for (const char *name : {"--function",    "--signature",
                           "--grid",        "--family",
                           "--when",        "--dispatch",
                           "--python-call", "--tune",
                           "--autotune",    "--config",
                           "--for",         "--num-warps",
                           "--tensor-maps", "--launch-cooperative-grid",
                           "--launch-pdl",  "--warp-specialize",
                           "--exact-warps", "--exact-stages",
                           "--num-stages",  "--num-ctas",
                           "--maxnreg",     "--compile-limit",
                           "--emit",        "--variant"})
    annotated->excludes(command->get_option(name));
  command->callback([&action, options, grid, kernel, target] {
    if (options->variant.empty() && kernel->count() == 0)
      throw CLI::RequiredError(kernel->get_name());
    if (options->variant.empty() && !options->isAnnotated && target->count() == 0)
      throw CLI::RequiredError(target->get_name());
    options->hasGrid = grid->count() != 0;
    action = [options] { return runCompile(*options); };
  });
}

} // namespace nereid
