// nereid inspect: what a kernel object or a shipped library holds, or which kernels a Python or Triton-C
// file has to offer.
#include "aot/Commands.h"
#include "aot/DescribeSource.h"
#include "aot/SourceOptions.h"
#include "compiler/model/Diagnostics.h"
#include "compiler/model/PrintableText.h"
#include "linker/Inspect.h"

#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"

using namespace llvm;

namespace nereid {

namespace {

struct InspectOptions {
  std::string path;
  bool json = false;
  bool html = false;
  std::string target = "cpu";
  SourceOptions sourceOptions;
};

} // namespace

static std::optional<std::string> describe(const InspectOptions &options, Diagnostics &diagnostics) {
  auto definitions = applySourceOptions(options.sourceOptions, diagnostics);
  if (!definitions)
    return std::nullopt;
  if (StringRef(options.path).ends_with(".py") || StringRef(options.path).ends_with(".tc")) {
    StringRef targetText = diagnostics.addSource("<target>", options.target);
    Expected<Target> target = Target::parse(targetText);
    if (!target) {
      diagnostics.error(rangeOf(targetText), toString(target.takeError()));
      return std::nullopt;
    }
    if (options.html) {
      diagnostics.error("--html shows what was compiled: a kernel object or a library");
      return std::nullopt;
    }
    return describeSource(options.path, options.json,
                          {options.sourceOptions.importPaths, *definitions, *target}, diagnostics);
  }
  if (!definitions->empty()) {
    diagnostics.error(definitions->front().range,
                      "'" + options.path + "' is compiled already, so nothing can be defined in it");
    return std::nullopt;
  }
  InspectForm form = options.json ? InspectForm::Json : options.html ? InspectForm::Page : InspectForm::Text;
  Expected<std::string> text = inspect(options.path, form);
  if (text)
    return std::move(*text);
  diagnostics.error(toString(text.takeError()));
  return std::nullopt;
}

static int runInspect(const InspectOptions &options) {
  Diagnostics diagnostics;
  std::optional<std::string> text = describe(options, diagnostics);
  diagnostics.flush(errs());
  if (text)
    outs() << (options.json || options.html ? *text : makePrintable(*text));
  return text ? 0 : 1;
}

void addInspectCommand(CLI::App &app, CommandAction &action) {
  auto options = std::make_shared<InspectOptions>();
  auto *command =
      app.add_subcommand("inspect", "Describe a kernel object, a shipped library or a file of kernels");
  command->add_option("FILE", options->path, "A .nko, .so, .a, .py or .tc file")->required();
  auto *json = command->add_flag("--json", options->json, "Print JSON");
  command
      ->add_flag("--html", options->html,
                 "Print a page for browsers: tables, occupancy, and the stages that --stages has kept")
      ->excludes(json);
  command->add_option("-t,--target", options->target, "What the configurations of a .py are listed for")
      ->capture_default_str();
  addSourceOptions(*command, options->sourceOptions);
  command->callback([&action, options] { action = [options] { return runInspect(*options); }; });
}

} // namespace nereid
