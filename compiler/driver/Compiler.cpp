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
#include "compiler/driver/CrashGuard.h"
#include "compiler/driver/FactorsInMemory.h"
#include "compiler/driver/Generate.h"
#include "compiler/driver/MLIRDiagnosticBridge.h"
#include "compiler/driver/MoreStages.h"
#include "compiler/driver/MoreWarps.h"
#include "compiler/driver/ResidentBlocks.h"
#include "compiler/driver/RunPasses.h"
#include "compiler/driver/SecondForm.h"
#include "compiler/driver/ShorterRings.h"
#include "compiler/driver/SumsInLoops.h"
#include "compiler/frontends/ir/IRFrontend.h"
#include "compiler/frontends/python/Frontend.h"
#include "compiler/frontends/triton_c/Frontend.h"
#include "compiler/model/Backends.h"
#include "compiler/targets/StepTimer.h"
#include "compiler/transforms/LastingFactors.h"
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
/// Compiles the kernel for such grids; nothing if that fails, or if it has too few registers.
static std::optional<CompileResult> compileForm(FormUse use, mlir::OwningOpRef<mlir::ModuleOp> module,
                                                const KernelInfo &infoBefore, CompileRequest request,
                                                CompileResult &result, Diagnostics &diagnostics) {
  request.form = use;
  // What there is to be said was said of the other form.
  Diagnostics unheard(diagnostics);
  MLIRDiagnosticBridge bridge(*module->getContext(), unheard);
  CompileResult form;
  form.info = infoBefore;
  StepTimer timer(result, use == FormUse::FewPrograms ? "form for few programs" : "form for fewer turns");
  if (!generate(std::move(module), request, unheard, form) || unheard.hasErrors() || form.isChoiceRefuted ||
      form.losesFactors)
    return std::nullopt;
  countAsWorkers(form.info, infoBefore.numWarps);
  return form;
}

/// Takes another result for the same kernel. `numKeptStages` stages were kept before the layout passes.
static void adopt(CompileResult other, size_t numKeptStages, CompileResult &result) {
  result.stages.resize(numKeptStages);
  append_range(result.stages, std::move(other.stages));
  other.stages = std::move(result.stages);
  other.timings = std::move(result.timings);
  other.files = std::move(result.files);
  result = std::move(other);
}

/// What was said of more warps than were asked for, which comes first, holds for other code by them as well.
static void keepWarningOfMoreWarps(const CompileResult &result, const CompileRequest &chosen,
                                   CompileResult &other) {
  if (chosen.numWarps != other.info.numWarps && !result.warnings.empty())
    other.warnings.insert(other.warnings.begin(), result.warnings.front());
}

/// Takes a form with shorter rings as the first one, and the first one as the form for few programs.
static void lead(CompileResult form, size_t numKeptStages, const CompileRequest &chosen,
                 CompileResult &result) {
  KernelForm longer{FormUse::FewPrograms, result.info, std::move(result.images)};
  keepWarningOfMoreWarps(result, chosen, form);
  adopt(std::move(form), numKeptStages, result);
  erase_if(result.otherForms, [](const KernelForm &other) { return other.use == FormUse::FewPrograms; });
  if (!longer.images.empty())
    result.otherForms.push_back(std::move(longer));
}

/// Compiles a copy of the module until no choice has to be taken back; notes what was in the module and the
/// request. `numKeptStages` stages were kept before the layout passes.
static bool generateWithoutRegret(mlir::ModuleOp module, const KernelInfo &infoBefore, size_t numKeptStages,
                                  CompileRequest &chosen, CompileResult &result, Diagnostics &diagnostics) {
  while (generate(module.clone(), chosen, diagnostics, result)) {
    if (result.isChoiceRefuted)
      chosen.warpSpecialize = false;
    else if (result.losesFactors)
      module->setAttr(module->hasAttr(lastingFactorsInMemoryName) ? factorsInMemoryName
                                                                  : lastingFactorsInMemoryName,
                      mlir::UnitAttr::get(module->getContext()));
    else
      return true;
    result.info = infoBefore;
    result.images.clear();
    result.stages.resize(numKeptStages);
    result.isSpecializedByChoice = result.isChoiceRefuted = result.losesFactors = false;
  }
  return false;
}

/// Compiles the kernel with an attribute on its module; nothing if that fails.
static std::optional<CompileResult> compileWith(mlir::ModuleOp module, StringRef name, mlir::Attribute value,
                                                const char *step, const KernelInfo &infoBefore,
                                                CompileRequest &request, CompileResult &result,
                                                Diagnostics &diagnostics) {
  Diagnostics unheard(diagnostics);
  MLIRDiagnosticBridge bridge(*module->getContext(), unheard);
  StepTimer timer(result, step);
  module->setAttr(name, value);
  CompileResult other;
  other.info = infoBefore;
  if (!generateWithoutRegret(module, infoBefore, 0, request, other, unheard) || unheard.hasErrors() ||
      !other.info.resources)
    return std::nullopt;
  return other;
}

/// The same, and takes that, with its module and request, if it is better.
static void tryWith(StringRef attribute, const char *step, function_ref<bool(const KernelInfo &)> isBetter,
                    mlir::OwningOpRef<mlir::ModuleOp> &module, const KernelInfo &infoBefore,
                    size_t numKeptStages, CompileRequest request, CompileRequest &chosen,
                    CompileResult &result, Diagnostics &diagnostics) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module->clone();
  std::optional<CompileResult> other =
      compileWith(*copy, attribute, mlir::UnitAttr::get(module->getContext()), step, infoBefore, request,
                  result, diagnostics);
  if (!other || !isBetter(other->info))
    return;
  adopt(std::move(*other), numKeptStages, result);
  chosen = request;
  module = std::move(copy);
}

/// Compiles for other numbers of warps than were asked for, and takes the best.
static void tryMoreWarps(mlir::ModuleOp module, const KernelInfo &infoBefore, size_t numKeptStages,
                         CompileRequest &chosen, CompileResult &result, Diagnostics &diagnostics) {
  CompileRequest request = chosen;
  Diagnostics unheard(diagnostics);
  MLIRDiagnosticBridge bridge(*module->getContext(), unheard);
  StepTimer timer(result, "more warps");
  std::optional<CompileResult> best;
  auto compile = [&](CompileResult &other) {
    other.info = infoBefore;
    other.info.numWarps = request.numWarps;
    return generate(module.clone(), request, unheard, other) && !unheard.hasErrors() && !other.losesFactors;
  };
  while (hasRoomForMoreWarps(request, result.info) && wantsMoreWarps(best ? best->info : result.info)) {
    request.numWarps *= 2;
    CompileResult other;
    if (!compile(other))
      break;
    if (other.isChoiceRefuted) {
      request.warpSpecialize = false;
      other = CompileResult();
      if (!compile(other))
        break;
    }
    if (isBetterWithMoreWarps(other, best ? *best : result, request.target)) {
      best = std::move(other);
      chosen = request;
    }
  }
  timer.stop();
  if (!best)
    return;
  best->warnings.insert(best->warnings.begin(), describeMoreWarps(best->info, result.info, request.target));
  countAsWorkers(best->info, infoBefore.numWarps);
  adopt(std::move(*best), numKeptStages, result);
}

/// Compiles with loads that run ahead where the kernel's num_stages of 1 asks for none, and takes that if it
/// is better.
static void tryMoreStages(mlir::OwningOpRef<mlir::ModuleOp> &module, const KernelInfo &infoBefore,
                          size_t numKeptStages, CompileRequest &chosen, CompileResult &result,
                          Diagnostics &diagnostics) {
  CompileRequest request = chosen;
  request.warpSpecialize = false;
  KernelInfo ofOthers = infoBefore;
  ofOthers.numWarps = request.numWarps; // more than were asked for, perhaps
  for (unsigned stages : stagesToTry) {
    mlir::OwningOpRef<mlir::ModuleOp> copy = module->clone();
    std::optional<CompileResult> other =
        compileWith(*copy, stagesToTryName, mlir::Builder(copy->getContext()).getI32IntegerAttr(stages),
                    "more stages", ofOthers, request, result, diagnostics);
    if (!other)
      return;
    if (!isBetterWithMoreStages(*other, result, request.target))
      continue;
    countAsWorkers(other->info, infoBefore.numWarps);
    keepWarningOfMoreWarps(result, request, *other);
    adopt(std::move(*other), numKeptStages, result);
    chosen = request;
    module = std::move(copy);
    return;
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
  // It may have to be compiled anew, or once more.
  KernelInfo infoBefore = info;
  size_t numKeptStages = result.stages.size();
  CompileRequest chosen = request;
  if (!generateWithoutRegret(*module, infoBefore, numKeptStages, chosen, result, diagnostics))
    return false;
  auto tryInstead = [&](StringRef attribute, const char *step, auto isBetter) {
    tryWith(
        attribute, step,
        [&](const KernelInfo &other) { return isBetter(other, result.info, request.target); }, module,
        infoBefore, numKeptStages, request, chosen, result, diagnostics);
  };
  if (mayWantFactorsInMemory(*module, result, request.target))
    tryInstead(lastingFactorsInMemoryName, "factors in memory", isBetterWithFactorsInMemory);
  if (mayWantSumsInLoops(result, request.target))
    tryInstead(ttg::reducesInLoopsName, "sums in loops", isBetterWithSumsInLoops);
  if (mayTakeMoreWarps(*module, chosen))
    tryMoreWarps(*module, infoBefore, numKeptStages, chosen, result, diagnostics);
  if (mayTakeMoreStages(*module, request, result))
    tryMoreStages(module, infoBefore, numKeptStages, chosen, result, diagnostics);
  if (request.form != FormUse::Other)
    return true;
  const Target &target = request.target;
  auto compile = [&](FormUse use) {
    return compileForm(use, module->clone(), infoBefore, chosen, result, diagnostics);
  };
  std::optional<CompileResult> shorter;
  if (mayLeadWithShorterRings(result, target))
    shorter = compile(FormUse::FewerTurns);
  auto use = findUseOfSecondForm(result, target);
  if (shorter && leadsWithShorterRings(*shorter, result, target)) {
    lead(std::move(*shorter), numKeptStages, chosen, result);
  } else if (use) {
    if (auto form = shorter ? std::move(shorter) : compile(*use))
      addSecondForm(*use, std::move(*form), target, result);
  } else if (mayHaveFewerTurnsWithFactorsInMemory(*module, result, target)) {
    (*module)->setAttr(lastingFactorsInMemoryName, mlir::UnitAttr::get(&context));
    // A turn of many more blocks takes longer: adasplash's _get_tau, 1024 programs, 52.8 us by two turns of
    // five, and 58.5 by one of eight.
    unsigned mostBlocks = countBlocks(result.info, target) * 4 / 3;
    if (auto form = compile(FormUse::FewerTurns))
      addSecondForm(FormUse::FewerTurns, std::move(*form), target, result, mostBlocks);
  }
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
