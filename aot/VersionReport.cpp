// nereid --version:
//
//     nereid 0.1.0
//     LLVM: 22.1.8
//     host: x86_64-pc-linux-gnu, znver4, runs cpu:x86-64-v4
//     ptxas: /usr/local/cuda/bin/ptxas, 13.0.88
//     fatbinary: none
//     …
//
// Everything is looked for exactly as a build does it, so that this is the answer to "which ptxas did it
// take?".
#include "aot/VersionReport.h"
#include "aot/CPURunner.h"
#include "linker/CCompiler.h"
#include "toolkits/RunTool.h"
#include "toolkits/Toolkits.h"

#include "llvm-c/Core.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"

#include "nlohmann/json.hpp"

#include <optional>

using namespace llvm;

namespace nereid {

namespace {

/// What is found of a machine's toolkits: a file or a folder, or the reason why there is none.
struct Found {
  std::string path, version, reason;

  std::string describe() const {
    if (path.empty())
      return reason.empty() ? "none" : "none (" + reason + ")";
    return version.empty() ? path : path + ", " + version;
  }
  nlohmann::ordered_json toJson() const {
    if (path.empty())
      return nullptr;
    nlohmann::ordered_json json = {{"path", path}};
    if (!version.empty())
      json["version"] = version;
    return json;
  }
};

Found toFound(Expected<std::string> path) {
  if (!path)
    return {"", "", toString(path.takeError())};
  return {std::move(*path), "", ""};
}

/// NVIDIA's programs say `…, release 13.0, V13.0.88`.
Found addVersion(Found tool) {
  if (tool.path.empty())
    return tool;
  Expected<ToolResult> result = runTool(tool.path, {"--version"});
  if (!result) {
    tool.version = "which does not run: " + toString(result.takeError());
    return tool;
  }
  StringRef rest = StringRef(result->output).split(", V").second;
  tool.version = rest.take_while([](char c) { return isDigit(c) || c == '.'; }).str();
  return tool;
}

Found findROCmFolder() {
  Found library = toFound(findROCmLibrary("ocml.bc"));
  library.path = sys::path::parent_path(library.path).str();
  return library;
}

Found findCompiler() {
  Expected<std::vector<std::string>> command = findCCompiler();
  if (!command)
    return {"", "", toString(command.takeError())};
  return {join(*command, " "), "", ""};
}

std::string getLLVMVersion() {
  unsigned major, minor, patch;
  LLVMGetVersion(&major, &minor, &patch);
  return formatv("{0}.{1}.{2}", major, minor, patch);
}

/// The best level of processor code that this machine runs.
std::string getBestTarget() {
  std::string best;
  for (const KnownTarget &known : getKnownTargets()) {
    Target target = cantFail(Target::parse(known.name));
    if (target.backend == Backend::CPU && StringRef(known.name).contains(':') && canHostRun(target))
      best = known.name;
  }
  return best;
}

} // namespace

std::string describeVersion(bool json) {
  const std::pair<const char *, Found> parts[] = {
      {"ptxas", addVersion(toFound(findPtxas()))},
      {"fatbinary", addVersion(toFound(findFatbinary()))},
      {"libdevice", toFound(findLibdevice())},
      {"ROCm device libraries", findROCmFolder()},
      {"C compiler", findCompiler()},
  };
  std::string triple = sys::getDefaultTargetTriple(), processor = sys::getHostCPUName().str(),
              best = getBestTarget();
  if (json) {
    nlohmann::ordered_json document = {
        {"nereid", NEREID_VERSION},
        {"llvm", getLLVMVersion()},
        {"host", {{"triple", triple}, {"processor", processor}, {"runs", best}}}};
    for (const auto &[name, found] : parts) {
      std::string key = StringRef(name).lower();
      llvm::replace(key, ' ', '_');
      document[key] = found.toJson();
    }
    return document.dump(2);
  }
  std::string text = "nereid " NEREID_VERSION "\nLLVM: " + getLLVMVersion() + "\nhost: " + triple + ", " +
                     processor + (best.empty() ? "" : ", runs " + best);
  for (const auto &[name, found] : parts)
    text += "\n" + std::string(name) + ": " + found.describe();
  return text;
}

} // namespace nereid
