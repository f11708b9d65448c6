// nereid targets: what can be compiled for.
#include "aot/CPURunner.h"
#include "aot/Commands.h"
#include "compiler/driver/Compiler.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"
#include "nlohmann/json.hpp"

using namespace llvm;

namespace nereid {

static int listTargets(bool json) {
  nlohmann::ordered_json document = nlohmann::ordered_json::array();
  for (const KnownTarget &known : getKnownTargets()) {
    Target target = cantFail(Target::parse(known.name));
    std::vector<std::string> stages;
    for (Stage stage : getStages(target))
      stages.push_back(getStageName(stage).str());
    if (!json) {
      outs() << formatv("{0,-16} {1}\n", known.name, known.description);
      continue;
    }
    document.push_back({{"target", known.name},
                        {"description", known.description},
                        {"warp_size", target.warpSize},
                        {"stages", stages},
                        {"runs_here", canHostRun(target)}});
  }
  if (json)
    outs() << document.dump(2) << '\n';
  return 0;
}

void addTargetsCommand(CLI::App &app, CommandAction &action) {
  auto *command = app.add_subcommand("targets", "List what can be compiled for");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->callback([&action, json] { action = [json] { return listTargets(*json); }; });
}

} // namespace nereid
