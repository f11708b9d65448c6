// nereid build: everything that a manifest names, compiled in parallel and linked.
#include "aot/Commands.h"
#include "aot/CompileKernels.h"
#include "aot/Manifest.h"
#include "aot/OutputFile.h"
#include "linker/Link.h"

#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"

#include <thread>

using namespace llvm;

namespace nereid {

namespace {

struct BuildOptions {
  std::string manifest;
  std::string output;
  unsigned jobs = 0;
};

std::optional<std::vector<KernelJob>> makeJobs(const Manifest &manifest, Diagnostics &diagnostics) {
  std::vector<KernelJob> jobs;
  for (const ManifestKernel &kernel : manifest.kernels) {
    std::vector<Target> targets;
    for (const ManifestString &text : kernel.targets) {
      auto group = parseTargets(text.text, diagnostics);
      if (!group)
        return std::nullopt;
      for (Target &target : *group)
        if (!is_contained(targets, target))
          targets.push_back(std::move(target));
    }
    for (const ManifestVariant &variant : kernel.variants) {
      KernelJob job;
      job.sourcePath = kernel.source;
      job.kernel = kernel.kernel;
      if (kernel.function)
        job.function = kernel.function->text;
      job.signature = variant.signature.text;
      if (kernel.grid)
        job.grid = kernel.grid->text;
      job.targets = targets;
      job.numWarps = variant.numWarps;
      job.numStages = variant.numStages;
      job.config = variant.config;
      job.importPaths = manifest.importPaths;
      jobs.push_back(std::move(job));
    }
  }
  return jobs;
}

bool build(const BuildOptions &options, Diagnostics &diagnostics) {
  std::optional<Manifest> manifest = readManifest(options.manifest, diagnostics);
  if (!manifest)
    return false;
  std::optional<std::vector<KernelJob>> jobs = makeJobs(*manifest, diagnostics);
  if (!jobs || !prepareOutputFolder(options.output, diagnostics))
    return false;
  unsigned threads = options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  std::optional<std::vector<CompiledKernel>> kernels = compileKernels(*jobs, threads, diagnostics);
  if (!kernels)
    return false;
  std::vector<KernelObject> objects;
  for (CompiledKernel &kernel : *kernels)
    objects.push_back(std::move(kernel.object));
  LinkMode mode = manifest->kind == "static"   ? LinkMode::Static
                  : manifest->kind == "source" ? LinkMode::Source
                                               : LinkMode::Shared;
  std::optional<std::vector<std::string>> files =
      link(objects, manifest->name, options.output, mode, diagnostics);
  if (!files)
    return false;
  for (const std::string &file : *files)
    outs() << file << '\n';
  return true;
}

} // namespace

void addBuildCommand(CLI::App &app, CommandAction &action) {
  auto options = std::make_shared<BuildOptions>();
  auto *command = app.add_subcommand("build", "Compile and link everything that a manifest names");
  command->add_option("MANIFEST", options->manifest, "The manifest, a JSON file")->required();
  command->add_option("-o,--output", options->output, "The folder to write to")->required();
  command->add_option("-j,--jobs", options->jobs, "How many images to compile at a time");
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
