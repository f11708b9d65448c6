// See KeptStages.h.
#include "aot/KeptStages.h"

#include "aot/KernelProvenance.h"
#include "aot/MachineCodeText.h"
#include "aot/cache/CompileCache.h"
#include "linker/StageArchive.h"
#include "linker/Subprocess.h"
#include "toolkits/Toolkits.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace nereid {

/// NVIDIA's, if there is one; without it there is only less to see.
static std::string findDisassembler(Diagnostics &diagnostics) {
  Expected<std::string> path = findNvdisasm();
  if (path)
    return std::move(*path);
  diagnostics.warning(toString(path.takeError()));
  return "";
}

void addStages(CompileStep &step, const KernelJob &job, FileStates &states) {
  CompileRequest request = *step.request;
  std::vector<Stage> stages = getStages(step.target);
  bool hasCubin = any_of(step.result->images, [](const Image &image) { return image.kind == Stage::Cubin; });
  std::string nvdisasm = hasCubin ? findDisassembler(step.diagnostics) : "";
  if (nvdisasm.empty())
    stages.pop_back(); // the image itself
  request.keptStages = stages;
  request.emit = stages.back();
  request.mapsStages = request.sourceInfo.lineTables = true;
  request.sourceInfo.prefixMap.clear();
  // It has nothing to say that the first one has not said.
  auto compileAgain = [&] {
    Diagnostics again(step.diagnostics);
    std::vector<std::string> messages;
    Misfit misfit;
    return compileThroughCache(request, again, misfit, messages,
                               [&] { return compile(request, again, &misfit); });
  };
  std::optional<CompileResult> result = compileAgain();
  // It was ptxas that refused another warp for copies, and here it is not asked.
  if (result && result->info.numWorkerWarps != step.result->info.numWorkerWarps) {
    request.warpSpecialize = false;
    result = compileAgain();
  }
  // Or it spilled so much that more warps run each program.
  if (result && result->info.numWorkerWarps != step.result->info.numWorkerWarps) {
    request.numWarps = step.result->info.countWarps();
    request.hasExactWarps = true;
    result = compileAgain();
  }
  if (!result) {
    step.diagnostics.warning("the stages of '" + step.request->kernel + "' for " + step.target.str() +
                             " are not kept: the kernel cannot be compiled with line tables");
    return;
  }
  for (const FilesRead *files : {&step.result->files, &result->files})
    for (const FilesRead::File &file : files->getFiles())
      states.add(file.path, file.digest, step.diagnostics);
  std::vector<ArchivedStage> archived;
  for (StageRecord &stage : result->stages) {
    if (stage.stage != Stage::Cubin)
      archived.push_back(std::move(stage));
    else if (auto sass = disassembleCubin(stage.text, nvdisasm))
      archived.push_back(std::move(*sass));
  }
  step.stages = packStages(archived, [&](const std::string &path) {
    Expected<std::string> text = readFile(path);
    if (text)
      states.add(path, digestOf(*text), step.diagnostics);
    else
      consumeError(text.takeError());
    return ArchivedFile{nameFile(path, job.projectFolder), text ? std::move(*text) : ""};
  });
}

} // namespace nereid
