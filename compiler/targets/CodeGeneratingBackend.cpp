// See CodeGeneratingBackend.h.
#include "compiler/targets/CodeGeneratingBackend.h"

#include "compiler/model/Backends.h"
#include "compiler/targets/GenerateCode.h"
#include "compiler/targets/StepTimer.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace nereid {

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
  setTarget(*module, *machine);
  if (!prepare(*module, request, result, diagnostics))
    return false;

  StepTimer optimizing(result, "optimize LLVM IR");
  optimizeModule(*module, *machine, result.info.symbol, getOptions(*module));
  finish(*module, request.target);
  optimizing.stop();
  if (request.emit == Stage::LLIR) {
    result.stageOutput = printModule(*module);
    return true;
  }

  StepTimer generating(result, "generate code");
  bool showsText = request.emit == info.stages.drop_back().back();
  CodeGenFileType kind =
      showsText || makesImagesOfText() ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile;
  unsigned errors = diagnostics.getErrorCount();
  std::string code;
  if (!generateCode(*module, *machine, kind, code)) {
    diagnostics.error("this LLVM cannot write code for " + request.target.str());
    return false;
  }
  generating.stop();
  if (diagnostics.getErrorCount() != errors)
    return false;
  if (showsText) {
    result.stageOutput = std::move(code);
    return true;
  }
  return makeImages(std::move(code), request, result, diagnostics);
}

} // namespace nereid
