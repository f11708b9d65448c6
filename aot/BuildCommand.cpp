// nereid build: everything that a manifest, or a source's annotations, name, compiled in parallel and linked.
#include "aot/Annotations.h"
#include "aot/CacheOption.h"
#include "aot/Commands.h"
#include "aot/CompileKernels.h"
#include "aot/DebugOptions.h"
#include "aot/DependencyFile.h"
#include "aot/HostOption.h"
#include "aot/Manifest.h"
#include "aot/OutputFile.h"
#include "aot/PackingOption.h"
#include "aot/PythonOption.h"
#include "aot/SourceOptions.h"
#include "linker/CNames.h"
#include "linker/Link.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"

#include <thread>

using namespace llvm;

namespace nereid {

namespace {

struct BuildOptions {
  std::string manifest;
  std::string output;
  std::string name;
  std::string target;
  std::string host;
  std::string dependencyFile;
  std::vector<std::string> tuning;
  bool isShared = false;
  bool isStatic = false;
  bool isSource = false;
  PythonOptions python;
  PackingArguments packing;
  unsigned jobs = 0;
  DebugOptions debugging;
  SourceOptions sourceOptions;
};

/// The manifest, or what a source's annotations say; then what the command line says otherwise.
std::optional<Manifest> readInput(const BuildOptions &options, const std::vector<Definition> &definitions,
                                  Diagnostics &diagnostics) {
  SourceSetting setting;
  setting.importPaths = options.sourceOptions.importPaths;
  setting.definitions = definitions;
  std::optional<Manifest> manifest = mayHaveAnnotations(options.manifest)
                                         ? readAnnotatedSource(options.manifest, setting, diagnostics)
                                         : readManifest(options.manifest, diagnostics);
  if (!manifest)
    return std::nullopt;
  if (!options.name.empty())
    manifest->name = options.name;
  if (std::string reason = whyNotALibraryName(manifest->name); !reason.empty()) {
    diagnostics.error(reason + "; --name gives it another one");
    return std::nullopt;
  }
  for (ManifestKernel &kernel : manifest->kernels) {
    if (!options.target.empty())
      kernel.targets = {{diagnostics.addSource("<target>", options.target)}};
    if (kernel.targets.empty()) {
      diagnostics.error(kernel.sourceRange, "no targets are given for '" + kernel.kernel.str() +
                                                "': 'nereid: targets = cpu, cuda:90a' or --target does");
      return std::nullopt;
    }
  }
  return manifest;
}

/// What the command line defines counts for every kernel, and more than what the manifest says.
std::optional<std::vector<KernelJob>> makeJobs(const Manifest &manifest, const BuildOptions &options,
                                               const std::vector<Definition> &definitions,
                                               Diagnostics &diagnostics) {
  std::vector<KernelJob> jobs;
  for (const ManifestKernel &kernel : manifest.kernels) {
    if (std::error_code code = sys::fs::access(kernel.source, sys::fs::AccessMode::Exist)) {
      diagnostics.error(kernel.sourceRange, "cannot open '" + kernel.source + "': " + code.message());
      return std::nullopt;
    }
    std::vector<Target> targets;
    for (const ManifestString &text : kernel.targets) {
      auto group = parseTargets(text.text, options.host, diagnostics);
      if (!group)
        return std::nullopt;
      for (Target &target : *group)
        if (!is_contained(targets, target))
          targets.push_back(std::move(target));
    }
    for (const ManifestVariant &variant : kernel.variants) {
      KernelJob job;
      job.sourcePath = kernel.source;
      job.sourceRange = kernel.sourceRange;
      job.kernel = kernel.kernel.text;
      if (kernel.function)
        job.function = kernel.function->text;
      job.signature = variant.signature.text;
      if (kernel.grid)
        job.grid = kernel.grid->text;
      if (variant.when)
        job.when = variant.when->text;
      for (const ManifestString &name : kernel.dispatch)
        job.dispatch.push_back(name.text);
      for (const ManifestString &text : kernel.python)
        job.python.push_back(text.text);
      for (const ManifestString &values : variant.tune)
        job.tune.push_back(values.text);
      job.autotune = variant.autotune;
      job.autotuneRange = variant.autotuneRange;
      job.targets = targets;
      job.numWarps = variant.numWarps;
      job.numStages = variant.numStages;
      job.config = variant.config;
      job.targetSettings = variant.targetSettings;
      job.maxRegisters = variant.maxRegisters;
      job.numCTAs = variant.numCTAs;
      job.numWarpsRange = variant.numWarpsRange;
      job.numStagesRange = variant.numStagesRange;
      job.maxRegistersRange = variant.maxRegistersRange;
      job.numCTAsRange = variant.numCTAsRange;
      job.configRange = variant.configRange;
      job.compileLimit = variant.compileLimit.value_or(defaultCompileLimit);
      job.isOptional = variant.isOptional;
      job.recorded = variant.recorded;
      job.importPaths = manifest.importPaths;
      append_range(job.importPaths, options.sourceOptions.importPaths);
      job.definitions = variant.definitions;
      addDefinitions(job.definitions, definitions);
      job.keepsStages = options.packing.stages || manifest.stages;
      job.useTensorMaps = kernel.tensorMaps;
      job.isCooperative = kernel.cooperative;
      job.overlapsWithLast = kernel.overlap;
      job.debug = kernel.debug || options.debugging.debug;
      job.sourceInfo.lineTables = kernel.debugInfo || options.debugging.debugInfo;
      for (const ManifestString &entry : manifest.prefixMap)
        if (!addPrefixMapping(entry.text, job.sourceInfo, diagnostics))
          return std::nullopt;
      for (const std::string &entry : options.debugging.prefixMap)
        if (!addPrefixMapping(diagnostics.addSource("<--prefix-map>", entry), job.sourceInfo, diagnostics))
          return std::nullopt;
      if (!expandJob(job, jobs, diagnostics))
        return std::nullopt;
    }
  }
  return jobs;
}

bool build(const BuildOptions &options, Diagnostics &diagnostics) {
  auto definitions = applySourceOptions(options.sourceOptions, diagnostics);
  if (!definitions)
    return false;
  std::optional<Manifest> manifest = readInput(options, *definitions, diagnostics);
  if (!manifest)
    return false;
  std::optional<std::vector<KernelJob>> jobs = makeJobs(*manifest, options, *definitions, diagnostics);
  std::vector<std::string> tuning = manifest->tuning;
  append_range(tuning, options.tuning);
  Expected<std::vector<Measurement>> measurements = readAllTuningResults(tuning);
  if (!measurements) {
    diagnostics.error(toString(measurements.takeError()));
    return false;
  }
  OutputFolder folder;
  if (!jobs || !folder.prepare(options.output, diagnostics))
    return false;
  for (KernelJob &job : *jobs)
    job.projectFolder = sys::path::parent_path(options.manifest).str();
  unsigned threads = options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  std::optional<std::vector<CompiledKernel>> kernels = compileKernels(*jobs, threads, diagnostics);
  if (!kernels)
    return false;
  std::vector<KernelObject> objects;
  std::vector<std::string> inputs = {options.manifest};
  append_range(inputs, tuning);
  for (CompiledKernel &kernel : *kernels) {
    append_range(objects, std::move(kernel.objects));
    inputs.insert(inputs.end(), kernel.dependencies.begin(), kernel.dependencies.end());
  }
  LinkMode mode = options.isStatic             ? LinkMode::Static
                  : options.isSource           ? LinkMode::Source
                  : options.isShared           ? LinkMode::Shared
                  : manifest->kind == "static" ? LinkMode::Static
                  : manifest->kind == "source" ? LinkMode::Source
                                               : LinkMode::Shared;
  for (const std::string &file : getLinkOutputs(manifest->name, mode, options.python.isWanted))
    if (!checkIsNoInput(options.output + "/" + file, inputs, diagnostics))
      return false;
  PackingOptions packing = options.packing.get();
  packing.keepsStages |= manifest->stages;
  if (options.packing.compress.empty())
    packing.compression = parseCompression(manifest->compress).value_or(Compression::None);
  std::optional<std::vector<std::string>> files =
      link(objects, manifest->name, options.output, mode, diagnostics, options.host, *measurements,
           options.python, packing);
  if (!files)
    return false;
  if (!options.dependencyFile.empty()) {
    llvm::sort(inputs);
    inputs.erase(llvm::unique(inputs), inputs.end());
    std::vector<std::string> others = inputs;
    append_range(others, *files);
    if (!checkIsNoInput(options.dependencyFile, others, diagnostics) ||
        !writeOutputFile(options.dependencyFile, printDependencyFile(files->front(), inputs), diagnostics))
      return false;
  }
  for (const std::string &file : *files)
    outs() << file << '\n';
  return !options.packing.sizes || printSizes(*files, diagnostics);
}

} // namespace

void addBuildCommand(CLI::App &app, CommandAction &action) {
  auto options = std::make_shared<BuildOptions>();
  auto *command = app.add_subcommand(
      "build", "Compile and link everything that a manifest, or a source's annotations, name");
  command->add_option("MANIFEST", options->manifest, "The manifest, a JSON file, or an annotated .py or .tc")
      ->required();
  command->add_option("-n,--name", options->name,
                      "The library's name, if not the manifest's or the source's");
  command->add_option("-t,--target", options->target,
                      "Targets, separated by commas, in place of those that are named there");
  command->add_option("-o,--output", options->output, "The folder to write to")->required();
  command->add_option("-j,--jobs", options->jobs, "How many images to compile at a time");
  command
      ->add_option("--tuning", options->tuning,
                   "Results of `nereid tune` beside those that the manifest names; may be repeated")
      ->allow_extra_args(false);
  addHostOption(*command, options->host);
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
  options->debugging.addTo(*command);
  addSourceOptions(*command, options->sourceOptions);
  addCacheOption(*command);
  command->callback([&action, options] {
    action = [options] {
      Diagnostics diagnostics;
      bool ok = build(*options, diagnostics);
      diagnostics.flush(errs());
      return ok ? 0 : 1;
    };
  });
}

} // namespace nereid
