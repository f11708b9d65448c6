// Digests are of texts that name what they are of, so that nothing of one thing can be taken for another's.
#include "aot/ManifestJobs.h"

#include "aot/Annotations.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

#include <set>

using namespace llvm;

namespace nereid {

std::optional<Manifest> readManifestInput(const ManifestInput &input,
                                          const std::vector<Definition> &definitions, FileStates &states,
                                          Diagnostics &diagnostics) {
  (void)states.get(input.path);
  SourceSetting setting;
  setting.importPaths = input.sourceOptions.importPaths;
  setting.definitions = definitions;
  std::optional<Manifest> manifest = mayHaveAnnotations(input.path)
                                         ? readAnnotatedSource(input.path, setting, diagnostics)
                                         : readManifest(input.path, diagnostics);
  if (!manifest)
    return std::nullopt;
  if (!input.kernel.empty())
    erase_if(manifest->kernels, [&](const ManifestKernel &kernel) { return kernel.kernel != input.kernel; });
  for (ManifestKernel &kernel : manifest->kernels) {
    if (!input.target.empty())
      kernel.targets = {{diagnostics.addSource("<target>", input.target)}};
    if (kernel.targets.empty()) {
      diagnostics.error(kernel.sourceRange, "no targets are given for '" + kernel.kernel +
                                                "': 'nereid: targets = cpu, cuda:90a' or --target does");
      return std::nullopt;
    }
  }
  return manifest;
}

std::vector<KernelJob> makeManifestJobs(const Manifest &manifest, const ManifestInput &input,
                                        const std::vector<Definition> &definitions, FileStates &states,
                                        Diagnostics &diagnostics) {
  std::vector<KernelJob> jobs;
  for (const ManifestKernel &kernel : manifest.kernels) {
    if (std::error_code code = sys::fs::access(kernel.sourcePath, sys::fs::AccessMode::Exist)) {
      diagnostics.error(kernel.sourceRange, "cannot open '" + kernel.sourcePath + "': " + code.message());
      continue;
    }
    (void)states.get(kernel.sourcePath);
    std::vector<Target> targets;
    for (StringRef text : kernel.targets) {
      auto group = parseTargets(text, input.host, diagnostics);
      if (!group)
        continue;
      for (Target &target : *group)
        if (!is_contained(targets, target))
          targets.push_back(std::move(target));
    }
    for (const ManifestVariant &variant : kernel.variants) {
      KernelJob job;
      static_cast<KernelSettings &>(job) = kernel;
      static_cast<VariantSettings &>(job) = variant;
      job.targets = targets;
      job.compileLimit = variant.compileLimit.value_or(defaultCompileLimit);
      job.importPaths = manifest.importPaths;
      append_range(job.importPaths, input.sourceOptions.importPaths);
      addDefinitions(job.definitions, definitions);
      job.keepsStages = input.stages || manifest.stages;
      job.debug |= input.debugging.debug;
      job.sourceInfo.lineTables = kernel.debugInfo || input.debugging.debugInfo;
      for (StringRef entry : manifest.prefixMap)
        addPrefixMapping(entry, job.sourceInfo, diagnostics);
      for (const std::string &entry : input.debugging.prefixMap)
        addPrefixMapping(diagnostics.addSource("<--prefix-map>", entry), job.sourceInfo, diagnostics);
      job.projectFolder = sys::path::parent_path(input.path).str();
      expandJob(job, jobs, diagnostics);
    }
  }
  return jobs;
}

std::vector<std::string> ManifestInput::getOptions() const {
  std::vector<std::string> options;
  auto add = [&](const char *option, const std::string &value) {
    options.push_back(option);
    options.push_back(value);
  };
  if (!target.empty())
    add("--target", target);
  if (!host.empty())
    add("--host", host);
  if (debugging.debug)
    options.push_back("--debug");
  if (debugging.debugInfo)
    options.push_back("--debug-info");
  for (const std::string &entry : debugging.prefixMap)
    add("--prefix-map", entry);
  for (const std::string &path : sourceOptions.importPaths)
    add("-I", path);
  for (const std::string &definition : sourceOptions.definitions)
    add("-D", definition);
  if (sourceOptions.warningsAreErrors)
    options.push_back("--werror");
  if (stages)
    options.push_back("--stages");
  return options;
}

namespace {

class Digest {
public:
  void add(StringRef name, StringRef text) {
    hash.update((name + ":" + utostr(text.size()) + ":").str());
    hash.update(text);
  }
  void add(StringRef name, std::optional<unsigned> number) {
    add(name, number ? utostr(*number) : std::string("none"));
  }
  std::string get() {
    constexpr size_t digits = 16;
    return toHex(hash.final(), /*LowerCase=*/true).substr(0, digits);
  }

private:
  SHA256 hash;
};

} // namespace

std::string digestJob(const KernelJob &job, size_t number) {
  Digest digest;
  digest.add("version", StringRef(NEREID_VERSION));
  digest.add("number", utostr(number));
  // Where the source lies is another matter on each machine.
  digest.add("source", sys::path::filename(job.sourcePath));
  digest.add("kernel", job.kernel);
  digest.add("function", job.function.value_or(""));
  digest.add("signature", job.specialization ? job.specialization->str() : job.signature.str());
  digest.add("grid", job.grid.value_or(""));
  digest.add("when", job.when.value_or(""));
  for (StringRef name : job.dispatch)
    digest.add("dispatch", name);
  for (StringRef text : job.python)
    digest.add("python", text);
  for (const Target &target : job.targets)
    digest.add("target", target.str());
  digest.add("warps", job.numWarps);
  digest.add("stages", job.numStages);
  digest.add("ctas", job.numCTAs);
  digest.add("registers", job.maxRegisters);
  digest.add("config", job.config);
  digest.add("debug", job.debug);
  digest.add("lines", job.sourceInfo.lineTables);
  if (job.tuning)
    for (const auto &[name, value] : job.tuning->values)
      digest.add(name, value);
  for (const Definition &definition : job.definitions)
    digest.add("definition", definition.str());
  return digest.get();
}

std::string digestJobs(ArrayRef<KernelJob> jobs, const ManifestInput &input, FileStates &states) {
  Digest digest;
  std::set<StringRef> seen;
  // What is imported is not known yet; that it is the same is for whoever divides a build to see to.
  auto addFile = [&](StringRef path) {
    if (!seen.insert(path).second)
      return;
    digest.add("file", sys::path::filename(path));
    digest.add("text", states.get(path));
  };
  addFile(input.path);
  for (auto [number, job] : enumerate(jobs)) {
    digest.add("job", digestJob(job, number));
    addFile(job.sourcePath);
  }
  return digest.get();
}

} // namespace nereid
