// nereid link: kernel objects to one library.
#include "aot/Commands.h"
#include "aot/HostOption.h"
#include "aot/OutputFile.h"
#include "aot/PackingOption.h"
#include "aot/PythonOption.h"
#include "aot/RepeatedMessages.h"
#include "aot/SourceOptions.h"
#include "aot/StampOption.h"
#include "linker/Link.h"
#include "linker/Shares.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"

using namespace llvm;

namespace nereid {

namespace {

struct LinkOptions {
  std::vector<std::string> files;
  std::string name;
  std::string output;
  std::string host;
  std::vector<std::string> tuning;
  bool isShared = false;
  bool isStatic = false;
  bool isSource = false;
  bool mayLack = false;
  bool showsWarnings = false;
  bool warningsAreErrors = false;
  std::string stamp;
  PythonOptions python;
  PackingArguments packing;
};

/// What the commands have left to be shown that compiled these.
bool showWarnings(const LinkOptions &options, Diagnostics &diagnostics) {
  RepeatedMessages messages;
  bool ok = true;
  for (const std::string &file : options.files)
    if (Error error = messages.read(getWarningsFile(file))) {
      diagnostics.error(toString(std::move(error)));
      ok = false;
    }
  messages.print(errs());
  if (options.warningsAreErrors && !messages.isEmpty()) {
    diagnostics.error("what the compilations have warned of is an error [--werror]");
    ok = false;
  }
  return ok;
}

int runLink(const LinkOptions &options) {
  Diagnostics diagnostics;
  if (options.warningsAreErrors)
    diagnostics.treatWarningsAsErrors();
  std::vector<KernelObject> objects;
  bool ok = true;
  if (options.showsWarnings)
    ok = showWarnings(options, diagnostics);
  for (const std::string &file : options.files) {
    Expected<std::vector<KernelObject>> read = readKernelObjects(file);
    if (read) {
      append_range(objects, std::move(*read));
    } else {
      diagnostics.error(toString(read.takeError()));
      ok = false;
    }
  }
  ok = ok && bringSharesTogether(objects, options.mayLack, diagnostics) && !diagnostics.hasErrors();
  LinkMode mode = options.isStatic   ? LinkMode::Static
                  : options.isSource ? LinkMode::Source
                                     : LinkMode::Shared;
  Expected<std::vector<Measurement>> measurements = readAllTuningResults(options.tuning);
  if (!measurements) {
    diagnostics.error(toString(measurements.takeError()));
    ok = false;
  }
  std::vector<std::string> inputs = options.files;
  append_range(inputs, options.tuning);
  ok = ok && checkIsNoInput(options.stamp, inputs, diagnostics);
  OutputFolder folder;
  for (const std::string &file : getLinkOutputs(options.name, mode, options.python.isWanted))
    ok = ok && checkIsNoInput(options.output + "/" + file, inputs, diagnostics) &&
         checkAreDifferent({{"the output", options.output + "/" + file}, {"--stamp", options.stamp}},
                           diagnostics);
  if (ok && folder.prepare(options.output, diagnostics)) {
    OutputSet outputs;
    auto files = link(objects, options.name, options.output, mode, outputs, diagnostics, options.host,
                      *measurements, options.python, options.packing.get());
    outputs.setStamp(options.stamp);
    ok = files && isDone(outputs.commit(), diagnostics) &&
         (!options.packing.sizes || printSizes(*files, diagnostics));
  } else {
    ok = false;
  }
  diagnostics.flush(errs());
  return ok ? 0 : 1;
}

} // namespace

void addLinkCommand(CLI::App &app, CommandAction &action) {
  auto options = std::make_shared<LinkOptions>();
  auto *command = app.add_subcommand("link", "Link kernel objects into a library with a C header");
  command->add_option("FILE", options->files, "Kernel objects; where variants tie, the first is taken")
      ->required();
  command->add_option("-n,--name", options->name, "The library's name, a C identifier")->required();
  command->add_option("-o,--output", options->output, "The folder to write to")->required();
  command
      ->add_option(
          "--tuning", options->tuning,
          "Results of `nereid tune`, by which variants are chosen that were made to be tried; may be "
          "repeated")
      ->allow_extra_args(false);
  addHostOption(*command, options->host);
  command->add_flag("--allow-missing", options->mayLack,
                    "Link shards of a build although others of them are missing");
  addWarningsOption(*command, options->warningsAreErrors);
  addStampOption(*command, options->stamp);
  command->add_flag(
      "--deferred-warnings", options->showsWarnings,
      "Show, each once, the warnings that `nereid compile --defer-warnings` has left beside the "
      "kernel objects");
  addPythonOptions(*command, options->python);
  addPackingOptions(*command, options->packing);
  auto *shared =
      command->add_flag("--shared", options->isShared, "Make libNAME.so (what is made if nothing is said)");
  auto *archive = command->add_flag("--static", options->isStatic, "Make libNAME.a")->excludes(shared);
  command
      ->add_flag("--source", options->isSource, "Make the C source and the images, to be compiled elsewhere")
      ->excludes(shared)
      ->excludes(archive);
  command->callback([&action, options] { action = [options] { return runLink(*options); }; });
}

} // namespace nereid
