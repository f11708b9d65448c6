// See CodeGeneratingBackend.h.
#include "compiler/targets/CodeGeneratingBackend.h"

#include "compiler/model/Backends.h"
#include "compiler/targets/AssemblyLines.h"
#include "compiler/targets/GenerateCode.h"
#include "compiler/targets/KeptStages.h"
#include "compiler/targets/StepTimer.h"
#include "compiler/targets/cpu/FrameSize.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace nereid {

bool CodeGeneratingBackend::keepText(const CompileRequest &request, CompileResult &result, Stage stage,
                                     std::string text) {
  return keepStage(request, result, stage, [&](StageRecord &record) {
    record.text = std::move(text);
    if (request.mapsStages)
      takeLineTables(record);
  });
}

bool CodeGeneratingBackend::generate(std::unique_ptr<Module> module, const CompileRequest &request,
                                     CompileResult &result, Diagnostics &diagnostics) const {
  const BackendInfo &info = getBackendInfo(backend);
  StringRef arch = request.target.arch;
  std::unique_ptr<TargetMachine> machine = createTargetMachine(info.getTriple(arch), info.getProcessor(arch),
                                                               getFeatures(request.target, *module));
  if (!machine) {
    diagnostics.error("this LLVM cannot generate code for " + request.target.str());
    return false;
  }
  // Comments say where inlined code was called, and what AMD's code takes.
  machine->Options.MCOptions.AsmVerbose = request.mapsStages;
  setTarget(*module, *machine);
  if (!prepare(*module, request, result, diagnostics))
    return false;

  std::unique_ptr<Module> original = mayWantBranches(*module) ? CloneModule(*module) : nullptr;
  StepTimer optimizing(result, "optimize LLVM IR");
  optimizeModule(*module, *machine, result.info.symbol, getOptions(*module));
  finish(*module, request.target);
  optimizing.stop();
  auto print = [&](StageRecord &record) {
    if (request.mapsStages)
      printWithLines(*module, record);
    else
      record.text = printModule(*module);
  };
  if (keepStage(request, result, Stage::LLIR, print))
    return true;

  StepTimer generating(result, "generate code");
  Stage textStage = info.stages.drop_back().back();
  // What is written changes on the way.
  auto write = [&](Module &written, CodeGenFileType kind, std::string &code) {
    unsigned errors = diagnostics.getErrorCount();
    if (!generateCode(written, *machine, kind, code)) {
      diagnostics.error("this LLVM cannot write code for " + request.target.str());
      return false;
    }
    return diagnostics.getErrorCount() == errors;
  };
  std::string code;
  bool makesText = makesImagesOfText();
  if (isWanted(request, textStage) && (request.emit == textStage || !makesText)) {
    bool goesOn = request.emit != textStage;
    std::unique_ptr<Module> copy = goesOn ? CloneModule(*module) : nullptr;
    if (!write(goesOn ? *copy : *module, CodeGenFileType::AssemblyFile, code))
      return false;
    if (keepText(request, result, textStage, std::move(code)) || !goesOn)
      return true;
    code.clear();
  }
  result.info.tools.push_back({"llvm", LLVM_VERSION_STRING});
  std::optional<FrameSize> frames;
  if (!request.target.isGPU())
    frames.emplace(*module);
  std::unique_ptr<Module> copy = makesText ? CloneModule(*module) : nullptr;
  if (!write(makesText ? *copy : *module,
             makesText ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile, code))
    return false;
  copy.reset();
  if (frames)
    result.info.frameBytes = frames->getLargest();
  generating.stop();
  auto makeCodeAgain = [&](function_ref<void(Module &)> change) {
    std::string other;
    change(*module);
    return generateCode(*module, *machine, CodeGenFileType::AssemblyFile, other) ? other : std::string();
  };
  auto makeCodeWithBranches = [&] {
    std::string other;
    std::unique_ptr<Module> module = std::move(original);
    if (!module)
      return other;
    OptimizeOptions options = getOptions(*module);
    options.keepsDeviceBranches = true;
    if (!optimizeModule(*module, *machine, result.info.symbol, options))
      return other;
    finish(*module, request.target);
    return generateCode(*module, *machine, CodeGenFileType::AssemblyFile, other) ? other : std::string();
  };
  return makeImages(std::move(code), makeCodeAgain, makeCodeWithBranches, request, result, diagnostics);
}

} // namespace nereid
