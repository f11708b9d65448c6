// ptxas reads and writes files, and reports to its standard output: what it took of registers and local
// memory
// (-v), and its notes on products that it serialized.
#include "compiler/targets/nvidia/Ptxas.h"

#include "compiler/model/Occupancy.h"
#include "compiler/targets/MachineCode.h"
#include "toolkits/RunTool.h"
#include "toolkits/Toolkits.h"

#include <map>
#include <mutex>

using namespace llvm;

namespace nereid {

/// The first lines of a tool's output, which name the cause; ptxas may repeat itself for every instruction.
static std::string firstLines(StringRef output, unsigned count) {
  SmallVector<StringRef> lines;
  output.trim().split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  std::string text;
  for (StringRef line : ArrayRef(lines).take_front(count))
    text += "\n  " + line.str();
  if (lines.size() > count)
    text += "\n  …";
  return text;
}

/// Assembly that a kernel has in itself may need a later version of the language than the rest
/// (NVIDIA.cpp): the one that ptxas asks for. False if that is not what it complains about.
static bool raiseVersion(std::string &ptx, StringRef complaints) {
  constexpr StringLiteral asking = "requires PTX ISA .version ", header = "\n.version ";
  auto readVersion = [](StringRef text) {
    unsigned major = 0, minor = 0;
    bool isRead =
        !text.consumeInteger(10, major) && text.consume_front(".") && !text.consumeInteger(10, minor);
    return isRead ? std::pair(major, minor) : std::pair(0u, 0u);
  };
  size_t at = ptx.find(header);
  if (at == std::string::npos)
    return false;
  at += header.size();
  auto least = readVersion(StringRef(ptx).substr(at)), wanted = least;
  for (auto [before, rest] = complaints.split(asking); !rest.empty();
       std::tie(before, rest) = rest.split(asking))
    wanted = std::max(wanted, readVersion(rest));
  if (wanted == least)
    return false;
  ptx.replace(at, ptx.find('\n', at) - at,
              std::to_string(wanted.first) + "." + std::to_string(wanted.second));
  return true;
}

bool Ptxas::assemble(std::string ptx, AssembledCode &code, Diagnostics &diagnostics) const {
  TemporaryFile input, output;
  Error error = input.create("ptx", ptx);
  if (!error)
    error = output.create("cubin");
  if (error) {
    diagnostics.error(toString(std::move(error)));
    return false;
  }
  std::string arch = "sm_" + request.target.arch;
  SmallVector<StringRef> arguments{"-v", "-arch", arch, input.getPath(), "-o", output.getPath()};
  if (request.sourceInfo.lineTables)
    arguments.push_back("-lineinfo");
  Expected<ToolResult> run = runTool(path, arguments);
  if (!run) {
    diagnostics.error(toString(run.takeError()));
    return false;
  }
  StringRef text = run->output;
  if (run->exitCode != 0) {
    // A toolkit may be older than the GPU, or than the PTX that the GPU needs; neither is an error of the
    // kernel.
    if (text.contains("is not defined for option 'gpu-name'") || text.contains("Unsupported .version")) {
      diagnostics.warning(path + " is too old for " + request.target.str() + "; PTX takes the cubin's place");
      return true;
    }
    if (raiseVersion(ptx, text))
      return assemble(std::move(ptx), code, diagnostics);
    diagnostics.error("ptxas refused the PTX of '" + info.name + "':" + firstLines(text, 8));
    return false;
  }
  Expected<std::string> bytes = output.read();
  if (!bytes) {
    diagnostics.error(toString(bytes.takeError()));
    return false;
  }
  if (Error wrong = checkCubin(*bytes, request.target.getComputeCapability(), info.symbol)) {
    diagnostics.error("'" + path + "' reported success, but what it wrote for '" + info.name +
                      "' is no cubin for " + request.target.str() + ": " + toString(std::move(wrong)));
    return false;
  }
  code = {std::move(ptx), std::move(*bytes), text.str(), readPtxasReport(text)};
  return true;
}

StringRef Ptxas::findCode(const AssembledCode &code) const {
  return nereid::findCode(code.cubin, info.symbol);
}

bool AssembledCode::isNoWorseThan(const AssembledCode &other) const {
  return !cubin.empty() && resources && resources->localBytes <= other.resources->localBytes &&
         countLosses() <= other.countLosses();
}

unsigned Ptxas::countBlocks(unsigned registers) const {
  return countResidentBlocks({info.numWarps, registers, info.sharedBytes}, request.target);
}

/// What a ptxas says of itself whose cubins do not have it, as those of CUDA 12: asked once a process.
static std::string askVersion(const std::string &ptxas) {
  static std::mutex mutex;
  static std::map<std::string, std::string> versions;
  std::lock_guard<std::mutex> lock(mutex);
  auto [entry, isNew] = versions.try_emplace(ptxas);
  if (isNew) {
    Expected<ToolResult> run = runTool(ptxas, {"--version"});
    if (run)
      entry->second = readToolVersion(run->output);
    else
      consumeError(run.takeError());
  }
  return entry->second;
}

std::string Ptxas::getVersion(StringRef cubin) const {
  std::string version = readAssemblerVersion(cubin);
  return version.empty() ? askVersion(path) : version;
}

} // namespace nereid
