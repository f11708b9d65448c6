// The road of a kernel, step by step: a frontend's tt IR, passes, a back end's lowering, code.
//
// Each call has an MLIR context and an LLVM context of its own and runs in the calling thread alone, so that
// a build may compile as many kernels at a time as it has cores. Only the dialects that the target needs are
// loaded: starting up must stay small beside the compilation of a small kernel.
#include "compiler/driver/Compiler.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/tt/Registration.h"
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/driver/CodeChoice.h"
#include "compiler/driver/CrashGuard.h"
#include "compiler/driver/Generate.h"
#include "compiler/driver/MLIRDiagnosticBridge.h"
#include "compiler/driver/RunPasses.h"
#include "compiler/frontends/ir/IRFrontend.h"
#include "compiler/frontends/python/Frontend.h"
#include "compiler/frontends/triton_c/Frontend.h"
#include "compiler/model/Backends.h"
#include "compiler/targets/StepTimer.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ReadOnlyArguments.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace nereid {

std::vector<Stage> getStages(const Target &target) { return getBackendInfo(target.backend).stages.vec(); }

/// All that tt IR may be written in. Of a registry only those dialects are loaded that the IR mentions, and
/// those below.
static mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  tt::registerDialects(registry);
  registry.insert<ttg::TTGDialect, ttng::TTNGDialect>();
  return registry;
}

/// Loads what frontends and passes make operations of.
static void loadDialects(mlir::MLIRContext &context, bool forGPU) {
  context.loadDialect<tt::TTDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect, mlir::cf::ControlFlowDialect, mlir::ub::UBDialect>();
  if (forGPU)
    context.loadDialect<ttg::TTGDialect>();
}

/// What no frontend or back end could make sense of, before any work is done.
static bool checkRequest(const CompileRequest &request, Diagnostics &diagnostics) {
  if (request.target.isGPU()) {
    unsigned most = getBackendInfo(request.target.backend).maxThreads / request.target.warpSize;
    if (!isPowerOf2_32(request.numWarps) || request.numWarps > most) {
      diagnostics.error(request.numWarpsRange, "the number of warps must be a power of two from 1 to " +
                                                   Twine(most) + " for " + request.target.str() + ", not " +
                                                   Twine(request.numWarps));
      return false;
    }
  }
  std::vector<Stage> stages = getStages(request.target);
  if (request.emit && !is_contained(stages, *request.emit)) {
    SmallVector<StringRef> names;
    for (Stage stage : stages)
      names.push_back(getStageName(stage));
    diagnostics.error(request.target.str() + " has no stage '" + getStageName(*request.emit) +
                      "'; it has: " + join(names, ", "));
    return false;
  }
  return true;
}

/// Everything that tells one variant of a kernel from another, in a form that is fit for a symbol:
/// `add_kernel__3f2a…`. The hash is the same wherever and whenever this is compiled.
static std::string makeSymbol(const CompileRequest &request, const KernelInfo &info) {
  std::string text;
  raw_string_ostream stream(text);
  // Ranges are for those who choose among variants; the code is the same without.
  Specialization specialization = request.specialization;
  for (ParameterSpec &parameter : specialization.parameters)
    parameter.values.reset();
  stream << specialization.str() << '|' << request.numWarps << '|' << request.numStages << '|'
         << request.useTensorMaps << '|' << request.target.str();
  if (request.hasExactWarps)
    stream << "|exact warps";
  if (request.hasExactStages)
    stream << "|exact stages";
  if (request.warpSpecialize)
    stream << "|warps " << *request.warpSpecialize;
  if (request.maxRegisters)
    stream << "|maxnreg " << *request.maxRegisters;
  if (request.wavesPerEU)
    stream << "|waves_per_eu " << *request.wavesPerEU;
  if (info.numCTAs != 1)
    stream << "|ctas " << info.numCTAs;
  for (const Definition &definition : request.definitions)
    stream << "|" << definition.str();
  // Assemblers take no letters beyond ASCII. Two kernels whose names differ in such alone must still differ.
  std::string symbol;
  for (char c : info.name)
    symbol += isAlnum(c) || StringRef("_.$").contains(c) ? c : '_';
  if (symbol != info.name)
    stream << '|' << info.name;
  raw_string_ostream(symbol) << "__" << format_hex_no_prefix(xxh3_64bits(text), 16);
  return symbol;
}

static mlir::OwningOpRef<mlir::ModuleOp> runFrontend(mlir::MLIRContext &context,
                                                     const CompileRequest &request, Diagnostics &diagnostics,
                                                     CompileResult &result) {
  StringRef extension = sys::path::extension(request.sourcePath);
  if (extension == ".py")
    return python::emitKernel(context, request, diagnostics, result.info, result.files);
  if (triton_c::isTritonCFile(request.sourcePath))
    return triton_c::emitKernel(context, request, diagnostics, result.info, result.files);
  if (ir::isIRFile(request.sourcePath)) {
    for (const Definition &definition : request.definitions) {
      diagnostics.error(definition.range,
                        "Triton IR has no names that '" + definition.name + "' could define");
      return nullptr;
    }
    return ir::emitKernel(context, request, diagnostics, result.info, result.files);
  }
  diagnostics.error(request.sourceRange, "cannot compile '" + request.sourcePath +
                                             "': expected a .py, .tc, .ttir, .ttgir or .mlir file");
  return nullptr;
}

/// Takes over what IR with layouts says of itself. Such IR is for one kind of GPU and one number of warps.
static bool adoptLayouts(mlir::ModuleOp module, const CompileRequest &request, KernelInfo &info,
                         Diagnostics &diagnostics) {
  auto fail = [&](const Twine &message) {
    diagnostics.error("'" + request.sourcePath + "' " + message);
    return false;
  };
  if (!request.target.isGPU())
    return fail("has the layouts of a GPU, which " + request.target.str() +
                " can't use: give Triton's .ttir");
  auto name = module->getAttrOfType<mlir::StringAttr>(ttg::targetName);
  Expected<Target> target = name ? Target::parse(name.getValue()) : Expected<Target>(request.target);
  if (!target)
    return fail("names a target that is none: " + toString(target.takeError()));
  bool isSame = target->backend == request.target.backend &&
                (target->backend == Backend::CUDA
                     ? target->getComputeCapability() == request.target.getComputeCapability()
                     : target->arch == request.target.arch);
  if (!isSame)
    return fail("has the layouts of " + name.getValue() + ", not of " + request.target.str());
  info.numWarps = ttg::getNumWarps(module);
  if (request.numWarpsRange.isValid() && request.numWarps != info.numWarps) {
    diagnostics.error(request.numWarpsRange,
                      "'" + request.sourcePath + "' has layouts for " + Twine(info.numWarps) + " warps");
    return false;
  }
  return true;
}

/// Whether a layout says how the blocks of a cluster share out a tensor, as upstream's do.
static bool hasClusterLayouts(mlir::ModuleOp module) {
  auto isOfCluster = [](mlir::Type type) {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    return tensor && tensor.getEncoding() && ttg::sharesOutOverBlocks(tensor.getEncoding());
  };
  return module
      .walk([&](mlir::Operation *op) {
        return llvm::any_of(op->getResultTypes(), isOfCluster) ? mlir::WalkResult::interrupt()
                                                               : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Says in the module how many blocks run a program; IR may say it itself. Where the target has no clusters
/// one block does, with the same results.
static bool setClusterSize(mlir::ModuleOp module, bool hasLayouts, const CompileRequest &request,
                           KernelInfo &info, Diagnostics &diagnostics) {
  unsigned numCTAs = ttg::getNumCTAs(module);
  if (numCTAs == 1)
    numCTAs = request.numCTAs;
  else if (request.numCTAsRange.isValid() && request.numCTAs != numCTAs) {
    diagnostics.error(request.numCTAsRange,
                      "'" + request.sourcePath + "' is for clusters of " + Twine(numCTAs) + " blocks");
    return false;
  }
  if (numCTAs != 1 && (!isPowerOf2_32(numCTAs) || numCTAs > maxNumCTAs)) {
    diagnostics.error(request.numCTAsRange, "'" + request.sourcePath + "' is for clusters of " +
                                                Twine(numCTAs) + " blocks: expected a power of two up to " +
                                                Twine(maxNumCTAs));
    return false;
  }
  if (hasLayouts) {
    if (hasClusterLayouts(module)) {
      diagnostics.error(
          "'" + request.sourcePath +
          "' has layouts that share tensors out over the blocks of a cluster (CGALayout), which "
          "are not supported: give Triton's .ttir, and num_ctas");
      return false;
    }
    if (ttg::getNumCTAs(module) != numCTAs) {
      diagnostics.error(request.numCTAsRange, "'" + request.sourcePath + "' has layouts for single blocks");
      return false;
    }
    info.numCTAs = numCTAs;
    return true;
  }
  bool hasClusters = request.target.getComputeCapability() >= 90;
  if (numCTAs != 1 && !hasClusters) {
    diagnostics.warning(request.numCTAsRange.isValid() ? request.numCTAsRange : request.kernelRange,
                        "num_ctas=" + Twine(numCTAs) + " has no effect on '" + info.name + "' for " +
                            request.target.str() +
                            ", which has no clusters: one block runs a program, with the same results");
    numCTAs = 1;
  }
  module->removeAttr(ttg::numCTAsName);
  if (numCTAs != 1)
    module->setAttr(ttg::numCTAsName,
                    mlir::IntegerAttr::get(mlir::IntegerType::get(module.getContext(), 32), numCTAs));
  info.numCTAs = numCTAs;
  return true;
}

static void findReadOnlyParameters(mlir::ModuleOp module, KernelInfo &info) {
  for (tt::FuncOp function : module.getOps<tt::FuncOp>()) {
    if (!function.isPublic())
      continue;
    BitVector readOnly = findReadOnlyArguments(function);
    size_t index = 0;
    for (KernelParameter &parameter : info.parameters)
      if (parameter.isPassedToImage() && index < readOnly.size())
        parameter.readOnly = readOnly[index++] && parameter.isPointer;
  }
}
static bool compileInto(const CompileRequest &request, Diagnostics &diagnostics, CompileResult &result) {
  KernelInfo &info = result.info;
  info.numWarps = request.target.isGPU() ? request.numWarps : 1;
  info.numStages = request.numStages;
  info.maxRegisters = request.maxRegisters;
  info.isCooperative = request.isCooperative && request.target.isGPU();
  info.warpSize = request.target.warpSize;

  StepTimer starting(result, "start");
  mlir::MLIRContext context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED);
  loadDialects(context, request.target.isGPU());
  MLIRDiagnosticBridge bridge(context, diagnostics);
  starting.stop();

  StepTimer parsing(result, "frontend");
  unsigned errors = diagnostics.getErrorCount();
  mlir::OwningOpRef<mlir::ModuleOp> module = runFrontend(context, request, diagnostics, result);
  // What is wrong with IR that the user hands over is theirs to read; Python and Triton-C become valid IR or
  // are refused.
  bool isUsersIR = ir::isIRFile(request.sourcePath);
  if (!module || (isUsersIR ? failed(mlir::verify(*module)) : !verifyOwnIR(*module, "the frontend"))) {
    if (diagnostics.getErrorCount() == errors)
      diagnostics.error("internal compiler error: the frontend refused '" + request.sourcePath +
                        "' without a reason");
    return false;
  }
  bool hasLayouts = (*module)->hasAttr(ttg::numWarpsName);
  if (!setClusterSize(*module, hasLayouts, request, info, diagnostics))
    return false;
  info.symbol = makeSymbol(request, info);
  findReadOnlyParameters(*module, info);
  parsing.stop();

  if (hasLayouts && !adoptLayouts(*module, request, info, diagnostics))
    return false;
  StepTimer tensors(result, "tt passes");
  if (!hasLayouts && !runPasses(*module, diagnostics, addTTPasses))
    return false;
  tensors.stop();
  if (keepIR(request, result, Stage::TTIR, *module))
    return true;

  if (hasLayouts || request.target.backend != Backend::CUDA)
    return generate(std::move(module), request, diagnostics, result);
  CodeChoice choice(std::move(module), request, result, diagnostics);
  if (!choice.compile())
    return false;
  choice.improve();
  if (request.form == FormUse::Other)
    choice.addForms();
  return true;
}

/// A kernel that begins before the one before it has ended reads what that one writes only behind its own
/// wait. Without one, the launch has to wait.
static void allowOverlap(const CompileRequest &request, CompileResult &result, Diagnostics &diagnostics) {
  for (const Image &image : result.images)
    if (image.kind == Stage::PTX)
      result.info.overlapsWithLast = StringRef(image.bytes).contains("griddepcontrol.wait");
  for (KernelForm &form : result.otherForms)
    form.info.overlapsWithLast = result.info.overlapsWithLast;
  if (!result.info.overlapsWithLast && !result.images.empty())
    diagnostics.warning(
        request.kernelRange,
        "launch_pdl has no effect on '" + result.info.name + "' for " + request.target.str() +
            ": the kernel does not call tl.extra.cuda.gdc_wait(), so each launch waits for the one "
            "before it");
}

/// Says what the kernel needs and the target has not, if that is known and so.
static std::string describeMisfit(const CompileRequest &request, const KernelInfo &info) {
  if (!request.target.isGPU())
    return "";
  const BackendInfo &backend = getBackendInfo(request.target.backend);
  if (isPowerOf2_32(request.numWarps) && request.numWarps * request.target.warpSize > backend.maxThreads)
    return "it has " + std::to_string(request.numWarps) + " warps of " +
           std::to_string(request.target.warpSize) + " lanes, and a block of " + request.target.str() +
           " at most " + std::to_string(backend.maxThreads) + " lanes";
  unsigned limit = backend.getSharedMemoryLimit(request.target);
  if (info.sharedBytes <= limit)
    return "";
  return "it needs " + std::to_string(info.sharedBytes) + " bytes of shared memory for a block, and " +
         request.target.str() + " has " + std::to_string(limit);
}

std::optional<CompileResult> compile(const CompileRequest &request, Diagnostics &diagnostics,
                                     Misfit *misfit) {
  CompileResult result;
  if (!checkRequest(request, diagnostics)) {
    if (misfit)
      *misfit = {describeMisfit(request, result.info), {}};
    return std::nullopt;
  }
  unsigned errors = diagnostics.getErrorCount();
  if (!runGuarded(diagnostics, [&] { return compileInto(request, diagnostics, result); })) {
    if (misfit)
      *misfit = {describeMisfit(request, result.info), result.files};
    return std::nullopt;
  }
  for (const std::string &warning : result.warnings)
    diagnostics.warning(warning);
  if (request.overlapsWithLast && request.target.backend == Backend::CUDA)
    allowOverlap(request, result, diagnostics);
  // A warning may count as an error.
  if (diagnostics.getErrorCount() != errors)
    return std::nullopt;
  return result;
}

std::optional<KernelDeclaration> findKernel(StringRef sourcePath, StringRef kernel,
                                            const SourceSetting &setting, Diagnostics &diagnostics) {
  if (triton_c::isTritonCFile(sourcePath))
    return triton_c::findKernel(sourcePath, kernel, setting, diagnostics);
  if (!ir::isIRFile(sourcePath))
    return python::findKernel(sourcePath, kernel, setting, diagnostics);
  mlir::MLIRContext context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED);
  loadDialects(context, /*forGPU=*/false);
  MLIRDiagnosticBridge bridge(context, diagnostics);
  return ir::findKernel(context, sourcePath, kernel, diagnostics);
}

std::optional<std::vector<KernelDeclaration>> listKernels(StringRef sourcePath, const SourceSetting &setting,
                                                          Diagnostics &diagnostics) {
  if (triton_c::isTritonCFile(sourcePath))
    return triton_c::listKernels(sourcePath, setting, diagnostics);
  return python::listKernels(sourcePath, setting, diagnostics);
}

} // namespace nereid
