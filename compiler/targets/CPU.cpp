// Host code: LLVM IR to an ELF object for one x86-64 level, or for 64-bit Arm.
//
// A library holds the same kernel for several levels and takes the best one at load time, so each object is
// compiled for exactly what its level promises and nothing of the machine that builds it.
#include "compiler/targets/FenceMaskedLoads.h"
#include "compiler/targets/FlattenGathers.h"
#include "compiler/targets/GenerateCode.h"
#include "compiler/targets/NarrowMaskedStores.h"
#include "compiler/targets/OptimizeModule.h"
#include "compiler/targets/Registry.h"
#include "compiler/targets/StepTimer.h"
#include "compiler/targets/TargetBackend.h"
#include "compiler/targets/WidenHalfFunctions.h"

#include "compiler/lowering/cpu/LowerToCPU.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace nereid {

namespace {

class CPUBackend : public TargetBackend {
public:
  ArrayRef<Stage> getStages() const override {
    static const Stage stages[] = {Stage::TTIR, Stage::LLIR, Stage::Asm, Stage::Object};
    return stages;
  }

  // The CPU lowering takes tt IR as it is.
  void addPasses(mlir::OpPassManager &passes, const CompileRequest &request) const override {}

  std::unique_ptr<Module> lower(mlir::ModuleOp module, LLVMContext &context, const CompileRequest &request,
                                KernelInfo &info) const override {
    return cpu::lowerToLLVM(module, context, request.target, info);
  }

  bool generate(std::unique_ptr<Module> module, const CompileRequest &request, CompileResult &result,
                Diagnostics &diagnostics) const override {
    bool isArm = request.target.arch == "aarch64";
    std::unique_ptr<TargetMachine> machine =
        isArm ? createTargetMachine("aarch64-unknown-linux-gnu", "generic", "")
              : createTargetMachine("x86_64-unknown-linux-gnu", request.target.arch, "");
    if (!machine) {
      diagnostics.error("this LLVM cannot generate code for " + request.target.str());
      return false;
    }
    setTarget(*module, *machine);
    // For x86-64-v4 LLVM prefers 256-bit vectors, because the first processors with AVX-512 lowered their
    // clock for wider ones. Tiles stream through long loops of full vectors, where today's processors gain
    // from 512 bits.
    if (request.target.arch == "x86-64-v4")
      for (Function &function : *module)
        if (!function.isDeclaration())
          function.addFnAttr("prefer-vector-width", "512");

    StepTimer optimizing(result, "optimize LLVM IR");
    OptimizeOptions options;
    options.vectorize = true;
    // What -O3 unrolls beyond -O2 takes a quarter more time to compile and runs no faster, as our loops do
    // several vectors a turn. A sort of hundreds of elements is tens of thousands of instructions, for which
    // even -O2 takes seconds.
    constexpr unsigned manyInstructions = 20000;
    options.level = module->getInstructionCount() > manyInstructions ? 1 : 2;
    optimizeModule(*module, *machine, result.info.symbol, options);
    widenHalfFunctions(*module);
    narrowMaskedStores(*module);
    if (request.target.arch == "x86-64-v4")
      fenceMaskedLoads(*module);
    else
      flattenGathers(*module);
    optimizing.stop();
    if (request.emit == Stage::LLIR) {
      result.stageOutput = printModule(*module);
      return true;
    }

    StepTimer generating(result, "generate code");
    bool asText = request.emit == Stage::Asm;
    unsigned errors = diagnostics.getErrorCount();
    std::string code;
    if (!generateCode(*module, *machine, asText ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile,
                      code)) {
      diagnostics.error("this LLVM cannot write object files for " + request.target.str());
      return false;
    }
    if (diagnostics.getErrorCount() != errors)
      return false;
    if (request.emit)
      result.stageOutput = std::move(code);
    else
      result.images.push_back({Stage::Object, std::move(code)});
    return true;
  }
};

} // namespace

const TargetBackend &getCPUBackend() {
  static const CPUBackend backend;
  return backend;
}

} // namespace nereid
