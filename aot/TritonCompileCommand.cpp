// nereid triton-compile: what triton.tools.compile does, with its options and its names, so that a build that
// calls that changes one command. docs/from-triton-tools.md says what it keeps.
#include "aot/CacheOption.h"
#include "aot/Commands.h"
#include "aot/CompileKernels.h"
#include "aot/NumberOption.h"
#include "aot/OutputFile.h"
#include "aot/PresentGPU.h"
#include "aot/SourceOptions.h"
#include "linker/CNames.h"
#include "linker/TritonAPI.h"
#include "linker/TritonKernelSource.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"

using namespace llvm;

namespace nereid {

namespace {

struct TritonCompileOptions {
  std::string source, kernel, signature, grid, target, outName, outPath;
  unsigned numWarps = 1, numStages = 3;
  SourceOptions sourceOptions;
};

/// Triton compiles for sm_90a where it is told 90, and so from there on.
Target preferOwnInstructions(Target target) {
  if (target.backend == Backend::CUDA && target.getComputeCapability() >= 90 &&
      !target.hasInstructionsOfItsOwn()) {
    if (Expected<Target> own = Target::parse(target.str() + "a"))
      return *own;
    else
      consumeError(own.takeError());
  }
  return target;
}

std::optional<Target> findTarget(const TritonCompileOptions &options, Diagnostics &diagnostics) {
  std::string name = options.target;
  if (name.empty()) {
    std::optional<std::string> present = findPresentGPU();
    if (!present) {
      diagnostics.error(
          "no GPU was found on this machine to compile for; --target names one, such as cuda:90:32");
      return std::nullopt;
    }
    name = *present;
  }
  StringRef text = diagnostics.addSource("<target>", name);
  Expected<Target> target = Target::parse(text);
  if (!target) {
    diagnostics.error(rangeOf(text), toString(target.takeError()));
    return std::nullopt;
  }
  if (!target->isGPU()) {
    diagnostics.error(
        rangeOf(text),
        "triton-compile makes C files with code for a GPU inside, cuda or hip; for a CPU, 'nereid "
        "build' and 'nereid compile' make libraries");
    return std::nullopt;
  }
  return preferOwnInstructions(*target);
}

/// What upstream's names of functions and files cannot express is refused.
bool checkSignature(const Specialization &signature, Diagnostics &diagnostics) {
  for (const ParameterSpec &spec : signature.parameters) {
    const char *what = !spec.name.empty()         ? "parameters are given in their order, without names"
                       : !spec.blockShape.empty() ? "tensor descriptors cannot be passed"
                       : spec.elements            ? "tuples cannot be passed"
                       : spec.values              ? "ranges cannot be promised"
                       : spec.divisibleBy != 1 && spec.divisibleBy != 16
                           ? "only ':16' and ':1' can be promised"
                           : nullptr;
    if (what) {
      diagnostics.error(spec.range, "in signatures for triton-compile, as for triton.tools.compile, " +
                                        Twine(what) + "; 'nereid compile' takes this");
      return false;
    }
  }
  return true;
}

/// A comment must end where it is meant to.
std::string makeComment(StringRef text) {
  std::string comment;
  for (char c : text) {
    if (c == '/' && !comment.empty() && comment.back() == '*')
      comment += ' ';
    if (c == '*' && !comment.empty() && comment.back() == '/')
      comment += ' ';
    comment += c == '\n' || c == '\\' ? ' ' : c;
  }
  return comment;
}

bool compileForTriton(const TritonCompileOptions &options, Diagnostics &diagnostics) {
  StringRef text = diagnostics.addSource("<signature>", options.signature);
  auto grid = splitTritonGrid(diagnostics.addSource("<grid>", options.grid), diagnostics);
  if (!grid)
    return false;
  std::optional<Specialization> signature = parseSignature(text, diagnostics);
  if (!signature || !checkSignature(*signature, diagnostics))
    return false;
  StringRef kernel = diagnostics.addSource("<kernel>", options.kernel);
  StringRef shortName = kernel.substr(kernel.rfind('.') + 1);
  StringRef name = options.outName.empty() ? shortName : diagnostics.addSource("<out-name>", options.outName);
  if (!isCIdentifier(name)) {
    diagnostics.error(rangeOf(name), "'" + name + "' cannot begin the names of C functions" +
                                         (options.outName.empty() ? "; --out-name gives another one" : ""));
    return false;
  }
  std::optional<Target> target = findTarget(options, diagnostics);
  auto definitions = applySourceOptions(options.sourceOptions, diagnostics);
  if (!target || !definitions)
    return false;

  TritonNames names = nameForTriton(text, *signature, options.numWarps, options.numStages);
  std::string symbol = (name + "_" + names.hash + "_" + names.suffix).str();
  KernelJob job;
  job.sourcePath = options.source;
  job.kernel = kernel;
  job.function = diagnostics.addSource("<function>", symbol);
  job.signature = text;
  job.specialization = *signature;
  job.targets = {*target};
  job.numWarps = options.numWarps;
  job.numStages = options.numStages;
  job.useTensorMaps = false;
  job.importPaths = options.sourceOptions.importPaths;
  job.definitions = std::move(*definitions);
  setRanges(job, diagnostics);
  std::optional<std::vector<CompiledKernel>> compiled = compileKernels(job, {}, diagnostics);
  if (!compiled)
    return false;

  const KernelObject &object = compiled->front().objects.front();
  std::string title = makeComment(options.kernel + " of " + object.sourcePath + " for " + target->str() +
                                  ": " + text.str() + "; " + std::to_string(options.numWarps) + " warps, " +
                                  std::to_string(options.numStages) + " stages");
  auto files = writeTritonKernel(
      {object.targets.front(), signature->parameters.size(), rangeOf(text), title, name.str(), names, *grid},
      diagnostics);
  // A warning may be an error.
  if (!files || diagnostics.hasErrors())
    return false;
  std::string path = replaceSuffix(options.outPath.empty() ? name : StringRef(options.outPath),
                                   "." + names.hash + "_" + names.suffix);
  std::string header = path + ".h", source = path + getTritonAPI(target->backend).extension;
  const std::vector<std::string> inputs = compiled->front().filesRead.getPaths();
  OutputSet outputs;
  return checkIsNoInput(header, inputs, diagnostics) && checkIsNoInput(source, inputs, diagnostics) &&
         isDone(outputs.add(source, files->source), diagnostics) &&
         isDone(outputs.add(header, files->header), diagnostics) && isDone(outputs.commit(), diagnostics);
}

} // namespace

void addTritonCompileCommand(CLI::App &app, CommandAction &action) {
  auto options = std::make_shared<TritonCompileOptions>();
  auto *command = app.add_subcommand(
      "triton-compile", "Compile one kernel to C files, with the options and names of triton.tools.compile");
  command->add_option("path", options->source, "The kernel's file")->required();
  command->add_option("-n,--kernel-name", options->kernel, "The kernel's name in it")->required();
  command
      ->add_option("-s,--signature", options->signature,
                   "Types and compile-time values of the parameters in their order: '*fp32:16, i32:1, 1024'")
      ->required();
  command
      ->add_option("-g,--grid", options->grid,
                   "Three C expressions of the kernel's arguments: '(n + 1023) / 1024, 1, 1'")
      ->required();
  command->add_option("-t,--target", options->target,
                      "The GPU, cuda:90:32 or hip:gfx942:64 [the one of this machine]");
  command->add_option("-w,--num-warps", options->numWarps, "Warps of a block")
      ->check(isCount())
      ->capture_default_str();
  command->add_option("--num-stages", options->numStages, "-ns N: rounds of a loop under way together")
      ->check(isCount())
      ->capture_default_str();
  command->add_option("--out-name", options->outName,
                      "-on NAME: what the names of the C functions begin with [the kernel's name]");
  command->add_option("-o,--out-path", options->outPath,
                      "What the paths of the files begin with [the functions' name]");
  // As for Python's parser, the last of several counts.
  for (CLI::Option *option : command->get_options())
    if (!option->get_positional() && option->get_items_expected_max() == 1)
      option->take_last();
  addSourceOptions(*command, options->sourceOptions);
  addCacheOption(*command);
  command->callback([&action, options] {
    action = [options] {
      Diagnostics diagnostics;
      bool ok = compileForTriton(*options, diagnostics);
      diagnostics.flush(errs());
      return ok ? 0 : 1;
    };
  });
}

} // namespace nereid
