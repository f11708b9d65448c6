// NVIDIA GPUs: LLVM IR to PTX, and PTX to a cubin with the toolkit's ptxas.
//
// PTX is kept beside the cubin: a cubin runs on its own generation only, while the driver can compile PTX for
// later ones. Where there is no ptxas the PTX alone makes a working library, whose kernels start more slowly
// once.
#include "compiler/targets/DeviceLibrary.h"
#include "compiler/targets/GPUBackend.h"
#include "compiler/targets/KeptStages.h"
#include "compiler/targets/MachineCode.h"
#include "compiler/targets/Registry.h"
#include "compiler/targets/StepTimer.h"
#include "compiler/targets/nvidia/DeviceBranches.h"
#include "compiler/targets/nvidia/LoopForms.h"
#include "compiler/targets/nvidia/MasksAsNumbers.h"
#include "compiler/targets/nvidia/MasksPastLoops.h"
#include "compiler/targets/nvidia/PairSinesAndCosines.h"
#include "compiler/targets/nvidia/Ptxas.h"
#include "compiler/targets/nvidia/PtxasChoices.h"
#include "compiler/targets/nvidia/ShareAddresses.h"
#include "compiler/targets/nvidia/SkipFormulas.h"
#include "compiler/targets/nvidia/WaitAtLoopExits.h"
#include "compiler/targets/nvidia/WarpTime.h"
#include "toolkits/Toolkits.h"

#include "compiler/lowering/nvidia/NVIDIALowering.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/Sink.h"

#include <algorithm>

using namespace llvm;

namespace nereid {

/// The version of the PTX language to write, times ten. The driver refuses PTX that is newer than itself, so
/// this is the oldest version that knows the architecture, but at least 8.0: that is CUDA 12.0 (driver 525),
/// the oldest that has all the instructions of sm_90a, and lowerings need not ask which of the common ones
/// are there.
static unsigned getPTXVersion(const Target &target) {
  unsigned capability = target.getComputeCapability();
  switch (capability) {
  case 89:
    return 81; // conversions to and from fp8
  case 100:
    return 86;
  case 103:
  case 121:
    return 88;
  case 110:
    return 90;
  case 120:
    return 87;
  default:
    return 80;
  }
}

/// The version that instructions of this code need.
static unsigned getLeastPTXVersion(const Module &module) {
  auto *flag = mdconst::extract_or_null<ConstantInt>(module.getModuleFlag(nvidia::leastPTXVersionFlag));
  return flag ? flag->getZExtValue() : 0;
}

/// What is computed of a load that has a branch behind it (gpu::raggedAccesses) is wanted behind the next
/// load's branch. There ptxas, which leaves instructions in their block, does not wait for the one before it
/// starts the other.
static void sinkPastBranches(Module &module) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager callGraph;
  ModuleAnalysisManager modules;
  PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  for (Function &function : module)
    if (function.hasFnAttribute(gpu::raggedAccesses))
      SinkingPass().run(function, functions);
}

namespace {

class NVIDIABackend final : public GPUBackend {
public:
  NVIDIABackend() : GPUBackend(Backend::CUDA) {}

protected:
  std::unique_ptr<gpu::TargetLowering> createLowering(const Target &target) const override {
    return std::make_unique<nvidia::NVIDIALowering>(target);
  }

  std::string getFeatures(const Target &target, const Module &module) const override {
    return "+ptx" + std::to_string(std::max(getPTXVersion(target), getLeastPTXVersion(module)));
  }

  bool prepare(Module &module, const CompileRequest &request, CompileResult &result,
               Diagnostics &diagnostics) const override {
    if (request.maxRegisters)
      module.getFunction(result.info.symbol)
          ->addFnAttr("nvvm.maxnreg", std::to_string(*request.maxRegisters));
    pairSinesAndCosines(module);
    return linkLibdevice(module, result, diagnostics);
  }

  bool mayWantBranches(const Module &module) const override { return mayHaveDeviceBranches(module); }

  void finish(Module &module, const Target &) const override {
    sinkPastBranches(module);
    waitAtLoopExits(module);
    skipFormulas(module);
    shareAddresses(module);
    keepMasksAsNumbers(module);
    keepMasksPastLoops(module);
  }

  // ptxas makes the image.
  bool makesImagesOfText() const override { return true; }

  bool makeImages(std::string ptx, MakeCodeAgain makeCodeAgain, MakeCodeWithBranches makeCodeWithBranches,
                  const CompileRequest &request, CompileResult &result,
                  Diagnostics &diagnostics) const override {
    Expected<std::string> path = findPtxas();
    if (!path) {
      diagnostics.error(toString(path.takeError()));
      return false;
    }
    Ptxas ptxas(*path, request, result.info);
    OtherTexts others{makeCodeAgain, makeCodeWithBranches};
    AssembledCode code, first;
    std::optional<AssembledCode> unpaced;
    code.ptx = std::move(ptx);
    if (!assemble(path->empty() ? nullptr : &ptxas, others, request, result, code, first, unpaced,
                  diagnostics))
      return false;
    if (result.isChoiceRefuted || result.losesFactors) // this is compiled again
      return true;
    bool mayHaveOtherRings =
        result.mayHaveShorterRings || request.form == FormUse::FewerTurns || request.numStages == 1;
    if (!code.cubin.empty() && mayHaveOtherRings && !isLongText(code.ptx))
      result.cyclesOfWarp = measureWarp(ptxas.findCode(code)).cycles;
    if (isWanted(request, Stage::PTX))
      keepText(request, result, Stage::PTX, code.ptx);
    if (code.cubin.empty() && request.emit == Stage::Cubin) {
      diagnostics.error("there is no cubin to print without ptxas");
      return false;
    }
    if (!code.cubin.empty() &&
        keepStage(request, result, Stage::Cubin, [&](StageRecord &record) { record.text = code.cubin; }))
      return true;
    if (!code.cubin.empty()) {
      if (unpaced)
        addFormsOfPaced(ptxas, code, std::move(*unpaced), result);
      else
        addLoopForms(ptxas, others, code, std::move(first), result);
      result.images.push_back({Stage::Cubin, std::move(code.cubin)});
    }
    result.images.push_back({Stage::PTX, std::move(code.ptx)});
    return true;
  }

private:
  /// Resolves calls of `__nv_…` functions, of which most kernels have none.
  static bool linkLibdevice(Module &module, CompileResult &result, Diagnostics &diagnostics) {
    StringRef function = findUndefined(module, "__nv_");
    if (function.empty())
      return true;
    StepTimer timer(result, "link libdevice");
    Expected<std::string> path = findLibdevice();
    if (!path) {
      diagnostics.error(toString(path.takeError()));
      return false;
    }
    if (path->empty()) {
      diagnostics.error(
          "the kernel calls " + function +
          " of NVIDIA's libdevice.10.bc, which was not found: install the CUDA toolkit, or set CUDA_HOME "
          "or NEREID_LIBDEVICE");
      return false;
    }
    // As upstream: denormal f32 values are flushed to zero inside libdevice's functions. LLVM's NVVMReflect
    // pass reads this flag when it resolves __nvvm_reflect("__CUDA_FTZ").
    if (!module.getModuleFlag("nvvm-reflect-ftz"))
      module.addModuleFlag(Module::Override, "nvvm-reflect-ftz", 1);
    if (Error error = linkDeviceLibrary(module, *path)) {
      diagnostics.error(toString(std::move(error)));
      return false;
    }
    return true;
  }

  /// Makes machine code of `code.ptx`, or of a better text of the kernel; `first` is what was made of that
  /// one, and `unpaced` what has more loads under way, if the better one keeps them back. Leaves it with no
  /// cubin, after a warning, where there is no ptxas, or none that knows the architecture.
  static bool assemble(const Ptxas *ptxas, OtherTexts others, const CompileRequest &request,
                       CompileResult &result, AssembledCode &code, AssembledCode &first,
                       std::optional<AssembledCode> &unpaced, Diagnostics &diagnostics) {
    StepTimer timer(result, "ptxas");
    // Of machine code that the driver will make of the same PTX nothing can be seen here.
    bool mayLoseFactors = result.hasLastingFactors && result.mayMoveFactors;
    if (!ptxas && mayLoseFactors) {
      result.losesFactors = true;
      return true;
    }
    if (!ptxas) {
      // Of each kernel, as each may come from the cache; what several say alike is shown once.
      diagnostics.warning(
          "ptxas was not found (NEREID_PTXAS, CUDA_HOME, PATH, /usr/local/cuda): the library will hold "
          "PTX in place of cubins, which the driver compiles when a kernel is first used");
      return true;
    }
    if (!ptxas->assemble(code.ptx, code, diagnostics))
      return false;
    if (code.cubin.empty()) {
      result.losesFactors = mayLoseFactors;
      return true;
    }
    bool isSpilled = code.resources && code.resources->localBytes; // and not by choice
    if (result.isSpecializedByChoice && (isSpilled || code.countLosses())) {
      result.isChoiceRefuted = true;
      return true;
    }
    first = code;
    if (!chooseCode(*ptxas, others, code, diagnostics))
      return false;
    unpaced = pace(*ptxas, others, code);
    if (result.hasLastingFactors && branchesAmongProducts(ptxas->findCode(code))) {
      if (mayLoseFactors) {
        result.losesFactors = true;
        return true;
      }
      warnOfLostFactors(result.info, request.target, result.warnings);
    }
    result.info.resources = code.resources;
    std::string version = ptxas->getVersion(code.cubin);
    if (!version.empty())
      result.info.tools.push_back({"ptxas", version});
    if (isSpilled)
      warnOfSpills(result.info, request.target, result.warnings);
    warnOfSlowCode(code.report, result.info, request.target, result.warnings);
    return true;
  }
};

} // namespace

const TargetBackend &getNVIDIABackend() {
  static const NVIDIABackend backend;
  return backend;
}

} // namespace nereid
