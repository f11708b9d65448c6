// AMD GPUs: LLVM IR to an object, and the object to a loadable code object with lld.
//
// Math functions come from AMD's device libraries as bitcode (`__ocml_…`, and `__ockl_…` that they call in
// turn). Those read their choices from constants named `__oclc_…`, which the vendor ships as one small
// bitcode file a choice, and one a GPU. We define the constants ourselves instead: a distribution's libraries
// then serve GPUs younger than they are.
#include "compiler/targets/DeviceLibrary.h"
#include "compiler/targets/GPUBackend.h"
#include "compiler/targets/KeptStages.h"
#include "compiler/targets/LinkCodeObject.h"
#include "compiler/targets/MachineCode.h"
#include "compiler/targets/Registry.h"
#include "compiler/targets/StepTimer.h"
#include "toolkits/Toolkits.h"

#include "compiler/lowering/amd/AMDLowering.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid {

/// Version 5 of the code object's format: ROCm 5.7 and later load it. (Version 6, LLVM's default, needs
/// ROCm 6.3.)
static constexpr unsigned codeObjectVersion = 500;

/// The number by which the device libraries know a GPU. The last two characters of the name are the minor
/// version and the stepping in hexadecimal: gfx90a is 9010, gfx942 is 9402, gfx1100 is 11000.
static unsigned getISAVersion(StringRef arch) {
  StringRef digits = arch.drop_front(3); // gfx
  unsigned major = 0, minor = 0, stepping = 0;
  digits.drop_back(2).getAsInteger(10, major);
  digits.drop_back(1).take_back(1).getAsInteger(16, minor);
  digits.take_back(1).getAsInteger(16, stepping);
  return major * 1000 + minor * 100 + stepping;
}

/// Gives a constant of the device libraries its value, if something that was linked in refers to it.
static void defineConstant(Module &module, StringRef name, unsigned bits, unsigned value) {
  GlobalVariable *variable = module.getGlobalVariable(name, /*AllowInternal=*/true);
  if (!variable || !variable->isDeclaration())
    return;
  variable->setInitializer(ConstantInt::get(IntegerType::get(module.getContext(), bits), value));
  variable->setLinkage(GlobalValue::InternalLinkage);
  variable->setVisibility(GlobalValue::DefaultVisibility);
}

static void defineControlConstants(Module &module, const Target &target) {
  // Full precision: denormals kept, NaN and infinity honoured, division and square root correctly rounded.
  defineConstant(module, "__oclc_daz_opt", 8, 0);
  defineConstant(module, "__oclc_finite_only_opt", 8, 0);
  defineConstant(module, "__oclc_unsafe_math_opt", 8, 0);
  defineConstant(module, "__oclc_correctly_rounded_sqrt32", 8, 1);
  defineConstant(module, "__oclc_wavefrontsize64", 8, target.warpSize == 64);
  defineConstant(module, "__oclc_ISA_version", 32, getISAVersion(target.arch));
  defineConstant(module, "__oclc_ABI_version", 32, codeObjectVersion);
}

namespace {

class AMDBackend final : public GPUBackend {
public:
  AMDBackend() : GPUBackend(Backend::HIP) {}

protected:
  std::unique_ptr<gpu::TargetLowering> createLowering(const Target &target) const override {
    return std::make_unique<amd::AMDLowering>(target);
  }

  bool prepare(Module &module, const CompileRequest &request, CompileResult &result,
               Diagnostics &diagnostics) const override {
    if (!module.getModuleFlag("amdhsa_code_object_version"))
      module.addModuleFlag(Module::Error, "amdhsa_code_object_version", codeObjectVersion);
    Function *kernel = module.getFunction(result.info.symbol);
    if (request.maxRegisters)
      kernel->addFnAttr("amdgpu-num-vgpr", std::to_string(*request.maxRegisters));
    if (request.wavesPerEU)
      kernel->addFnAttr("amdgpu-waves-per-eu", std::to_string(*request.wavesPerEU));
    return linkLibraries(module, request.target, result, diagnostics);
  }

  bool makeImages(std::string code, MakeCodeAgain, MakeCodeWithBranches, const CompileRequest &request,
                  CompileResult &result, Diagnostics &diagnostics) const override {
    StepTimer linking(result, "link code object");
    Expected<std::string> object = linkCodeObject(code);
    if (!object) {
      diagnostics.error(toString(object.takeError()));
      return false;
    }
    result.info.resources = readCodeObjectResources(*object);
    warnOfSpills(result.info, request.target, result.warnings);
    if (!keepStage(request, result, Stage::HSACO, [&](StageRecord &record) { record.text = *object; }))
      result.images.push_back({Stage::HSACO, std::move(*object)});
    return true;
  }

private:
  /// Resolves calls of `__ocml_…` and `__ockl_…` functions. ocml calls ockl, not the other way round.
  static bool linkLibraries(Module &module, const Target &target, CompileResult &result,
                            Diagnostics &diagnostics) {
    if (findUndefined(module, "__ocml_").empty() && findUndefined(module, "__ockl_").empty())
      return true;
    StepTimer timer(result, "link device libraries");
    for (const char *library : {"ocml", "ockl"}) {
      StringRef function = findUndefined(module, std::string("__") + library + "_");
      if (function.empty())
        continue;
      std::string file = std::string(library) + ".bc";
      Expected<std::string> path = findROCmLibrary(file);
      if (!path) {
        diagnostics.error(toString(path.takeError()));
        return false;
      }
      if (path->empty()) {
        diagnostics.error("the kernel calls " + function + " of AMD's " + file +
                          ", which was not found: install the package rocm-device-libs, or set ROCM_PATH or "
                          "NEREID_ROCM_BITCODE");
        return false;
      }
      if (Error error = linkDeviceLibrary(module, *path)) {
        diagnostics.error(toString(std::move(error)));
        return false;
      }
    }
    defineControlConstants(module, target);
    return true;
  }
};

} // namespace

const TargetBackend &getAMDBackend() {
  static const AMDBackend backend;
  return backend;
}

} // namespace nereid
