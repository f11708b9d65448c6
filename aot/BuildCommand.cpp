// nereid build: everything that a manifest, or a source's annotations, name, compiled in parallel and linked.
#include "aot/CacheOption.h"
#include "aot/Commands.h"
#include "aot/CompileKernels.h"
#include "aot/DependencyFile.h"
#include "aot/HostOption.h"
#include "aot/ManifestJobs.h"
#include "aot/NumberOption.h"
#include "aot/OutputFile.h"
#include "aot/PackingOption.h"
#include "aot/PythonOption.h"
#include "aot/Shard.h"
#include "aot/Size.h"
#include "aot/StampOption.h"
#include "linker/CNames.h"
#include "linker/Link.h"
#include "linker/Subprocess.h"
#include "linker/TemporaryFolder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"

#include <cstdlib>
#include <numeric>

using namespace llvm;

namespace nereid {

namespace {

struct BuildOptions {
  ManifestInput input;
  std::string output;
  std::string name;
  std::string dependencyFile;
  std::string stamp;
  std::vector<std::string> tuning;
  bool isShared = false;
  bool isStatic = false;
  bool isSource = false;
  PythonOptions python;
  PackingArguments packing;
  unsigned jobs = 0;
  std::string memory;
  std::string shard;
  std::optional<std::string> launcher;
  std::string progress = "auto";
  bool isQuiet = false;
};

ProgressMode parseProgressMode(StringRef word) {
  return StringSwitch<ProgressMode>(word)
      .Case("line", ProgressMode::Line)
      .Case("plain", ProgressMode::Plain)
      .Case("none", ProgressMode::None)
      .Default(ProgressMode::Auto);
}

LinkMode getLinkMode(const BuildOptions &options, const Manifest &manifest) {
  return options.isStatic            ? LinkMode::Static
         : options.isSource          ? LinkMode::Source
         : options.isShared          ? LinkMode::Shared
         : manifest.kind == "static" ? LinkMode::Static
         : manifest.kind == "source" ? LinkMode::Source
                                     : LinkMode::Shared;
}

/// The launcher of the command line or the environment, without words if there is none.
std::optional<std::vector<std::string>> findLauncher(const BuildOptions &options, Diagnostics &diagnostics) {
  if (options.launcher)
    return parseLauncher(diagnostics.addSource("<--launcher>", *options.launcher), diagnostics);
  const char *variable = std::getenv("NEREID_COMPILER_LAUNCHER");
  return parseLauncher(diagnostics.addSource("<NEREID_COMPILER_LAUNCHER>", variable ? variable : ""),
                       diagnostics);
}

/// Compiles jobs, which have `numbers` among all of the manifest.
class BuildCompiler {
public:
  BuildCompiler(const BuildOptions &options, Diagnostics &diagnostics)
      : options(options), diagnostics(diagnostics) {}

  /// Reports and returns false if an option is wrong.
  bool prepare() {
    auto launcher = findLauncher(options, diagnostics);
    if (!launcher)
      return false;
    launch.launcher = std::move(*launcher);
    settings.threads = options.jobs;
    settings.boundsMemory = true;
    settings.files = &states;
    settings.progress = options.isQuiet ? ProgressMode::None : parseProgressMode(options.progress);
    if (!options.memory.empty())
      settings.memory = parseSize(options.memory);
    return true;
  }

  std::optional<std::vector<CompiledKernel>> run(ArrayRef<KernelJob> jobs, ArrayRef<size_t> numbers) {
    if (!launch.launcher.empty()) {
      if (Error error = folder.create(options.output)) {
        diagnostics.error(toString(std::move(error)));
        return std::nullopt;
      }
      launch.folder = folder.getPath(".");
      // Asked for once: where the file is replaced meanwhile, the system no longer knows its path.
      std::string self = sys::fs::getMainExecutable(nullptr, nullptr);
      launch.getCommand = [this, jobs, numbers, self](size_t job, const Target &target) {
        std::vector<std::string> command = {self,
                                            "compile",
                                            "--color=never",
                                            options.input.path,
                                            "--variant",
                                            utostr(numbers[job]) + ":" + digestJob(jobs[job], numbers[job]),
                                            "--only",
                                            target.str()};
        append_range(command, options.input.getOptions());
        return command;
      };
      settings.launch = &launch;
    }
    return compileKernels(jobs, settings, diagnostics);
  }

  /// What the sources hold that jobs are made for.
  FileStates states;
  CompileSettings settings;

private:
  const BuildOptions &options;
  Diagnostics &diagnostics;
  LaunchSettings launch;
  /// Goes when all is compiled.
  TemporaryFolder folder;
};

/// Puts the outputs in their places, and with them the dependency file, which is of the first of `files` if
/// there is any, and the stamp.
bool finish(const BuildOptions &options, ArrayRef<std::string> files, std::vector<std::string> inputs,
            OutputSet &outputs, Diagnostics &diagnostics) {
  std::vector<NamedOutput> named = {{"--depfile", options.dependencyFile}, {"--stamp", options.stamp}};
  for (const NamedOutput &file : named)
    if (!checkIsNoInput(file.path, inputs, diagnostics))
      return false;
  for (const std::string &file : files)
    if (!checkAreDifferent({{"the output", file}, named[0], named[1]}, diagnostics))
      return false;
  if (!options.dependencyFile.empty() && !files.empty()) {
    llvm::sort(inputs);
    inputs.erase(llvm::unique(inputs), inputs.end());
    StringRef made = options.stamp.empty() ? StringRef(files.front()) : StringRef(options.stamp);
    Expected<std::string> rule = printDependencyFile(made, inputs);
    if (!isDone(rule.takeError(), diagnostics) ||
        !isDone(outputs.add(options.dependencyFile, *rule), diagnostics))
      return false;
  }
  outputs.setStamp(options.stamp);
  return isDone(outputs.commit(), diagnostics);
}

/// Compiles one of the shards that a build is divided into, to files which `nereid link` makes the library
/// of.
bool buildShard(const BuildOptions &options, const Manifest &manifest, ArrayRef<KernelJob> jobs,
                BuildCompiler &compiler, Diagnostics &diagnostics) {
  std::optional<Shard> shard = parseShard(options.shard, diagnostics);
  if (!shard)
    return false;
  std::vector<uint64_t> weights;
  for (const KernelJob &job : jobs)
    weights.push_back(job.targets.size());
  std::vector<size_t> numbers;
  for (auto [number, owner] : enumerate(dealShards(weights, shard->count)))
    if (owner == shard->index)
      numbers.push_back(number);
  std::vector<KernelJob> own;
  for (size_t number : numbers)
    own.push_back(jobs[number]);

  BuildShare share;
  share.build = digestJobs(jobs, options.input, compiler.states);
  // What is wrong by itself has no job, and no library is to be made without it.
  share.variants = jobs.size() + (diagnostics.hasErrors() ? 1 : 0);
  share.shard = shard->index + 1;
  share.shards = shard->count;
  share.variantsOfShard = own.size();
  std::vector<std::string> paths, inputs;
  compiler.settings.misfits = Misfits::AreRecorded;
  compiler.settings.take = [&](size_t job, CompiledKernel kernel, Diagnostics &into) {
    share.variant = numbers[job];
    for (KernelObject &object : kernel.objects)
      object.share = share;
    // All of the same length, so that they are listed in their order.
    std::string number = utostr(numbers[job]), last = utostr(jobs.size() - 1);
    std::string path = options.output + "/" + manifest.name + "-" +
                       std::string(last.size() - number.size(), '0') + number + ".nko";
    paths.push_back(path);
    std::vector<std::string> own = kernel.filesRead.getPaths();
    append_range(inputs, own);
    return checkIsNoInput(path, own, into) &&
           checkAreDifferent(
               {{"the output", path}, {"--depfile", options.dependencyFile}, {"--stamp", options.stamp}},
               into) &&
           writeOutputFile(path, serializeKernelObjects(kernel.objects), into);
  };
  if (!compiler.run(own, numbers))
    return false;
  llvm::sort(paths);
  inputs.push_back(options.input.path);
  OutputSet outputs;
  if (!finish(options, paths, std::move(inputs), outputs, diagnostics))
    return false;
  if (!options.isQuiet) {
    for (const std::string &path : paths)
      outs() << path << '\n';
    if (paths.empty())
      errs() << "nothing is to be done for shard " << share.shard << " of " << share.shards << ": there are "
             << jobs.size() << " variants\n";
  }
  return true;
}

/// A shard makes no library, and what is to be in one is for the link of all shards to be told.
void warnOfLibraryOptions(const BuildOptions &options, Diagnostics &diagnostics) {
  for (auto [isGiven, option] : {std::pair(options.isShared, "--shared"),
                                 {options.isStatic, "--static"},
                                 {options.isSource, "--source"},
                                 {options.python.isWanted, "--python"},
                                 {!options.packing.compress.empty(), "--compress"},
                                 {options.packing.sizes, "--sizes"},
                                 {!options.tuning.empty(), "--tuning"}})
    if (isGiven)
      diagnostics.warning(Twine(option) +
                          " has no effect with --shard: 'nereid link', which makes the library, takes it");
}

bool build(const BuildOptions &options, Diagnostics &diagnostics) {
  auto definitions = applySourceOptions(options.input.sourceOptions, diagnostics);
  if (!definitions)
    return false;
  // Goes last: what compiles has a folder in it.
  OutputFolder folder;
  BuildCompiler compiler(options, diagnostics);
  std::optional<Manifest> manifest =
      readManifestInput(options.input, *definitions, compiler.states, diagnostics);
  if (!manifest)
    return false;
  if (!options.shard.empty()) {
    warnOfLibraryOptions(options, diagnostics);
    if (diagnostics.hasErrors())
      return false;
  }
  if (!checkAreDifferent({{"--depfile", options.dependencyFile}, {"--stamp", options.stamp}}, diagnostics))
    return false;
  if (!options.name.empty())
    manifest->name = options.name;
  if (std::string reason = whyNotALibraryName(manifest->name); !reason.empty()) {
    diagnostics.error(reason + "; --name gives it another one");
    return false;
  }
  for (auto [path, range] : zip_equal(manifest->tuning, manifest->tuningRanges))
    if (Error error = readAllTuningResults({path}).takeError()) {
      diagnostics.error(range, toString(std::move(error)));
      return false;
    }
  std::vector<std::string> tuning = manifest->tuning;
  append_range(tuning, options.tuning);
  Expected<std::vector<Measurement>> measurements = readAllTuningResults(tuning);
  if (!measurements) {
    diagnostics.error(toString(measurements.takeError()));
    return false;
  }
  if (!compiler.prepare() || !folder.prepare(options.output, diagnostics))
    return false;
  // What is wrong with some does not keep others from being compiled, and from what they have to say.
  std::vector<KernelJob> jobs =
      makeManifestJobs(*manifest, options.input, *definitions, compiler.states, diagnostics);
  bool isComplete = !diagnostics.hasErrors();
  if (!options.shard.empty())
    return buildShard(options, *manifest, jobs, compiler, diagnostics) && isComplete;
  std::vector<size_t> numbers(jobs.size());
  std::iota(numbers.begin(), numbers.end(), size_t(0));
  std::optional<std::vector<CompiledKernel>> kernels = compiler.run(jobs, numbers);
  if (!kernels || !isComplete)
    return false;
  std::vector<KernelObject> objects;
  std::vector<std::string> inputs = {options.input.path};
  append_range(inputs, tuning);
  for (CompiledKernel &kernel : *kernels) {
    append_range(objects, std::move(kernel.objects));
    append_range(inputs, kernel.filesRead.getPaths());
  }
  LinkMode mode = getLinkMode(options, *manifest);
  for (const std::string &file : getLinkOutputs(manifest->name, mode, options.python.isWanted))
    if (!checkIsNoInput(options.output + "/" + file, inputs, diagnostics))
      return false;
  PackingOptions packing = options.packing.get();
  packing.keepsStages |= manifest->stages;
  if (options.packing.compress.empty())
    packing.compression = parseCompression(manifest->compress).value_or(Compression::None);
  OutputSet outputs;
  bool isPlaced = manifest->name == manifest->placedName;
  std::optional<std::vector<std::string>> files =
      link(objects, isPlaced ? manifest->placedName : StringRef(manifest->name), options.output, mode,
           outputs, diagnostics, options.input.host, *measurements, options.python, packing);
  if (!files || !finish(options, *files, std::move(inputs), outputs, diagnostics))
    return false;
  if (!options.isQuiet)
    for (const std::string &file : *files)
      outs() << file << '\n';
  return !options.packing.sizes || printSizes(*files, diagnostics);
}

} // namespace

void addBuildCommand(CLI::App &app, CommandAction &action) {
  auto options = std::make_shared<BuildOptions>();
  auto *command = app.add_subcommand(
      "build", "Compile and link everything that a manifest, or a source's annotations, name");
  command
      ->add_option("MANIFEST", options->input.path, "The manifest, a JSON file, or an annotated .py or .tc")
      ->required();
  command->add_option("-n,--name", options->name,
                      "The library's name, if not the manifest's or the source's");
  command->add_option("-t,--target", options->input.target,
                      "Targets, separated by commas, in place of those that are named there");
  command->add_option("-o,--output", options->output, "The folder to write to")->required();
  command
      ->add_option("-j,--jobs", options->jobs,
                   "How many images to compile at a time [what the job server of make says, or as many as "
                   "there are processors]")
      ->check(isCount());
  command
      ->add_option("--memory", options->memory,
                   "How much memory to use, 16G: fewer images are compiled at a time where there is not "
                   "enough [what is available]")
      ->check([](const std::string &text) {
        return parseSize(text) == 0u ? "no build does without memory" : checkSize(text);
      });
  command->add_option("--launcher", options->launcher,
                      "A command to put before each compilation, which then is a process of its own "
                      "[NEREID_COMPILER_LAUNCHER]");
  command
      ->add_option("--shard", options->shard,
                   "I/N: compile the I-th of N parts to kernel objects, of which 'nereid link' makes the "
                   "library; slurm: the part of this task of a job array")
      ->check(checkShard);
  command
      ->add_option("--progress", options->progress,
                   "auto; line: one that is rewritten; plain: line by line; none")
      ->check(CLI::IsMember({"auto", "line", "plain", "none"}));
  command->add_flag("-q,--quiet", options->isQuiet, "Say nothing unless something is wrong");
  command
      ->add_option("--tuning", options->tuning,
                   "Results of `nereid tune` beside those that the manifest names; may be repeated")
      ->allow_extra_args(false);
  addHostOption(*command, options->input.host);
  addPythonOptions(*command, options->python);
  addPackingOptions(*command, options->packing);
  auto *shared =
      command->add_flag("--shared", options->isShared, "Make libNAME.so, whatever the manifest says");
  auto *archive = command->add_flag("--static", options->isStatic, "Make libNAME.a")->excludes(shared);
  command
      ->add_flag("--source", options->isSource, "Make the C source and the images, to be compiled elsewhere")
      ->excludes(shared)
      ->excludes(archive);
  command->add_option("--depfile", options->dependencyFile,
                      "Write a rule for Make with every file that the library is made from");
  addStampOption(*command, options->stamp);
  options->input.debugging.addTo(*command);
  addSourceOptions(*command, options->input.sourceOptions);
  addCacheOption(*command);
  command->callback([&action, options] {
    options->input.stages = options->packing.stages;
    action = [options] {
      Diagnostics diagnostics;
      bool ok = build(*options, diagnostics);
      diagnostics.flush(errs());
      return ok ? 0 : 1;
    };
  });
}

} // namespace nereid
