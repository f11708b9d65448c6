// See Generate.h.
#include "compiler/driver/Generate.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/driver/MoreStages.h"
#include "compiler/driver/RunPasses.h"
#include "compiler/model/Backends.h"
#include "compiler/targets/KeptStages.h"
#include "compiler/targets/LLVMDiagnostics.h"
#include "compiler/targets/StepTimer.h"
#include "compiler/targets/TargetBackend.h"
#include "compiler/transforms/LastingFactors.h"
#include "compiler/transforms/Passes.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"

using namespace llvm;

namespace nereid {

/// Adds the lines of the source that a location has: the place itself, and the calls that led there.
static void addPlaces(mlir::Location where, unsigned textLine, LineMap &map) {
  where->walk([&](mlir::Location part) {
    if (auto position = mlir::dyn_cast<mlir::FileLineColLoc>(part))
      map.add(textLine, position.getFilename().getValue(), position.getLine());
    return mlir::WalkResult::advance();
  });
}

bool keepIR(const CompileRequest &request, CompileResult &result, Stage stage, mlir::ModuleOp module) {
  return keepStage(request, result, stage, [&](StageRecord &record) {
    raw_string_ostream stream(record.text);
    mlir::AsmState::LocationMap lines;
    mlir::AsmState state(module, mlir::OpPrintingFlags().printNameLocAsPrefix(), &lines);
    module.print(stream, state);
    stream << '\n';
    if (request.mapsStages)
      module->walk([&](mlir::Operation *op) {
        if (auto found = lines.find(op); op != module && found != lines.end())
          addPlaces(op->getLoc(), found->second.first, record.map);
      });
  });
}

/// The layout passes. Tiles that the GPU copies by itself go through memory on chip, and where that does not
/// suffice the threads copy them after all.
static bool addLayouts(mlir::OwningOpRef<mlir::ModuleOp> &module, const TargetBackend &backend,
                       const CompileRequest &request, Diagnostics &diagnostics) {
  if (request.maxRegisters)
    (*module)->setAttr(ttg::maxRegistersName,
                       mlir::Builder(module->getContext()).getI32IntegerAttr(*request.maxRegisters));
  mlir::OwningOpRef<mlir::ModuleOp> before;
  bool hasDescriptors = false;
  module->walk([&](tt::MakeTensorDescOp) { hasDescriptors = true; });
  if (request.useTensorMaps && hasDescriptors)
    before = module->clone();
  CompileRequest attempt = request;
  attempt.numStages = getStagesToTry(*module).value_or(request.numStages);
  while (true) {
    auto addPasses = [&](mlir::OpPassManager &passes) { backend.addPasses(passes, attempt); };
    if (!runPasses(*module, diagnostics, addPasses))
      return false;
    auto bytes = (*module)->getAttrOfType<mlir::IntegerAttr>(ttg::sharedName);
    if (!before || !bytes || bytes.getInt() <= int64_t(getSharedMemoryLimit(request.target)))
      return true;
    // Copies by a warp of their own keep their memory longer.
    bool isSpecialized = false;
    (*module)->walk([&](ttg::WarpSpecializeOp) { isSpecialized = true; });
    if (isSpecialized) {
      module = before->clone();
      attempt.warpSpecialize = false;
    } else {
      module = before.release();
      attempt.useTensorMaps = false;
    }
  }
}

/// Whether the compiler decides for some loops that a warp of its own copies their tiles. It is no choice
/// where loops ask for that.
static bool mayChooseSpecialization(mlir::ModuleOp module, const CompileRequest &request) {
  if (request.target.backend != Backend::CUDA || request.warpSpecialize ||
      module->hasAttr(ttg::numWarpsName) || ttg::getNumCTAs(module) > 1)
    return false;
  return !module
              ->walk([](mlir::scf::ForOp loop) {
                return loop->hasAttr("tt.warp_specialize") ? mlir::WalkResult::interrupt()
                                                           : mlir::WalkResult::advance();
              })
              .wasInterrupted();
}

bool generate(mlir::OwningOpRef<mlir::ModuleOp> module, const CompileRequest &request,
              Diagnostics &diagnostics, CompileResult &result) {
  const TargetBackend &backend = getTargetBackend(request.target.backend);
  KernelInfo &info = result.info;
  bool hasLayouts = (*module)->hasAttr(ttg::numWarpsName),
       mayChoose = mayChooseSpecialization(*module, request);
  if (request.target.isGPU()) {
    StepTimer layouts(result, "ttg passes");
    if (hasLayouts ? !runPasses(*module, diagnostics, addPlacementPasses)
                   : !addLayouts(module, backend, request, diagnostics))
      return false;
    if (getStagesToTry(*module) && !copiesAhead(*module)) // it is what it was
      return false;
    (*module)->walk([&](ttg::WarpSpecializeOp) { result.isSpecializedByChoice = mayChoose; });
    result.hasLastingFactors = hasLastingFactors(*module);
    result.hasMovableFactors = (*module)->hasAttr(movableFactorsName);
    result.reducesPastLoops = (*module)->hasAttr(ttg::reducesPastLoopsName);
    result.mayMoveFactors = !hasLayouts && !(*module)->hasAttr(factorsInMemoryName);
    if (auto isUneven = (*module)->getAttrOfType<mlir::BoolAttr>(ttg::shortRingsName)) {
      result.savesMemoryForOthers = true;
      info.hasUnevenPrograms = isUneven.getValue();
    }
    // Turns of programs of very different lengths are hard to count.
    if (auto isUneven = (*module)->getAttrOfType<mlir::BoolAttr>(ttg::longRingsName)) {
      result.mayHaveShorterRings = true;
      result.mayLeaveMoreToOthers = !isUneven.getValue();
    }
    layouts.stop();
    if (keepIR(request, result, Stage::TTGIR, *module))
      return true;
  }

  StepTimer lowering(result, "lower to LLVM IR");
  LLVMContext llvmContext;
  routeDiagnostics(llvmContext, diagnostics);
  unsigned errors = diagnostics.getErrorCount();
  std::unique_ptr<Module> code = backend.lower(*module, llvmContext, request, info);
  if (!code || diagnostics.getErrorCount() != errors) {
    if (diagnostics.getErrorCount() == errors)
      diagnostics.error("internal compiler error: '" + info.name + "' could not be lowered for " +
                        request.target.str() + ", without a reason");
    return false;
  }
  if (verifyModule(*code)) {
    diagnostics.error("internal compiler error: lowering made invalid LLVM IR of '" + info.name +
                      "'; this is a bug in Nereid, please report it together with the kernel");
    return false;
  }
  lowering.stop();
  return backend.generate(std::move(code), request, result, diagnostics);
}

} // namespace nereid
