// Host code: LLVM IR to an ELF object for one x86-64 level, or for 64-bit Arm.
//
// A library holds the same kernel for several levels and takes the best one at load time, so each object is
// compiled for exactly what its level promises and nothing of the machine that builds it.
#include "compiler/targets/CodeGeneratingBackend.h"
#include "compiler/targets/KeptStages.h"
#include "compiler/targets/Registry.h"
#include "compiler/targets/cpu/FenceMaskedLoads.h"
#include "compiler/targets/cpu/FlattenGathers.h"
#include "compiler/targets/cpu/NarrowMaskedStores.h"
#include "compiler/targets/cpu/WidenHalfFunctions.h"

#include "compiler/lowering/cpu/LowerToCPU.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid {

namespace {

class CPUBackend final : public CodeGeneratingBackend {
public:
  CPUBackend() : CodeGeneratingBackend(Backend::CPU) {}

  // The CPU lowering takes tt IR as it is.
  void addPasses(mlir::OpPassManager &passes, const CompileRequest &request) const override {}

  std::unique_ptr<Module> lower(mlir::ModuleOp module, LLVMContext &context, const CompileRequest &request,
                                KernelInfo &info) const override {
    return cpu::lowerToLLVM(module, context, request.target, info, request.sourceInfo);
  }

protected:
  bool prepare(Module &module, const CompileRequest &request, CompileResult &, Diagnostics &) const override {
    // For x86-64-v4 LLVM prefers 256-bit vectors, because the first processors with AVX-512 lowered their
    // clock for wider ones. Tiles stream through long loops of full vectors, where today's processors gain
    // from 512 bits.
    if (request.target.arch == "x86-64-v4")
      for (Function &function : module)
        if (!function.isDeclaration())
          function.addFnAttr("prefer-vector-width", "512");
    return true;
  }

  OptimizeOptions getOptions(const Module &module) const override {
    OptimizeOptions options;
    options.vectorize = true;
    // What -O3 unrolls beyond -O2 takes a quarter more time to compile and runs no faster, as our loops do
    // several vectors a turn. A sort of hundreds of elements is tens of thousands of instructions, for which
    // even -O2 takes seconds.
    constexpr unsigned manyInstructions = 20000;
    options.level = module.getInstructionCount() > manyInstructions ? 1 : 2;
    return options;
  }

  void finish(Module &module, const Target &target) const override {
    widenHalfFunctions(module);
    narrowMaskedStores(module);
    if (target.arch == "x86-64-v4")
      fenceMaskedLoads(module);
    else
      flattenGathers(module);
  }

  bool makeImages(std::string code, MakeCodeAgain, MakeCodeWithBranches, const CompileRequest &request,
                  CompileResult &result, Diagnostics &) const override {
    if (!keepStage(request, result, Stage::Object, [&](StageRecord &record) { record.text = code; }))
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
