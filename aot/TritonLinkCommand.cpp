// nereid triton-link: what triton.tools.link does, with its options and its names. It reads headers of either
// compiler.
#include "aot/Commands.h"
#include "aot/OutputFile.h"
#include "linker/TritonDispatcher.h"
#include "linker/TritonNames.h"

#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"

using namespace llvm;

namespace nereid {

namespace {

struct TritonLinkOptions {
  std::vector<std::string> headers;
  std::string output, prefix;
};

bool linkForTriton(const TritonLinkOptions &options, Diagnostics &diagnostics) {
  if (!options.prefix.empty())
    diagnostics.warning(
        "--prefix changes nothing, here as in triton.tools.link: names of functions begin with what "
        "--out-name of triton-compile says");
  std::vector<TritonVariant> variants;
  // Those without a kernel may be results of an earlier run, which a pattern found again.
  std::vector<std::string> inputs;
  for (const std::string &path : options.headers) {
    StringRef text = diagnostics.addFile(path);
    size_t before = variants.size();
    if (!text.data() || !readTritonHeader(text, variants, diagnostics))
      return false;
    if (variants.size() > before)
      inputs.push_back(path);
  }
  if (variants.empty()) {
    diagnostics.error(
        "no header describes a kernel: none has a line '// tt-linker: …', as triton-compile and "
        "triton.tools.compile write it");
    return false;
  }
  std::optional<TritonDispatcher> files = writeTritonDispatcher(variants, diagnostics);
  if (!files)
    return false;
  std::string header = replaceSuffix(options.output, ".h"),
              source = replaceSuffix(options.output, files->extension);
  OutputSet outputs;
  return checkIsNoInput(header, inputs, diagnostics) &&
         isDone(outputs.add(source, files->source), diagnostics) &&
         isDone(outputs.add(header, files->header), diagnostics) && isDone(outputs.commit(), diagnostics);
}

} // namespace

void addTritonLinkCommand(CLI::App &app, CommandAction &action) {
  auto options = std::make_shared<TritonLinkOptions>();
  auto *command = app.add_subcommand(
      "triton-link",
      "Write the C functions that choose among kernels of triton-compile or triton.tools.compile");
  command->add_option("headers", options->headers, "The headers that those wrote")->required();
  command->add_option("-o,--out", options->output, "What the paths of the two files begin with: out/matmul")
      ->required()
      ->take_last();
  command->add_option("--prefix", options->prefix, "Accepted, and without effect, as in triton.tools.link")
      ->take_last();
  command->callback([&action, options] {
    action = [options] {
      Diagnostics diagnostics;
      bool ok = linkForTriton(*options, diagnostics);
      diagnostics.flush(errs());
      return ok ? 0 : 1;
    };
  });
}

} // namespace nereid
