// NVIDIA GPUs: LLVM IR to PTX, and PTX to a cubin with the toolkit's ptxas.
//
// PTX is kept beside the cubin: a cubin runs on its own generation only, while the driver can compile PTX for
// later ones. Where there is no ptxas the PTX alone makes a working library, whose kernels start more slowly
// once.
#include "compiler/model/Occupancy.h"
#include "compiler/targets/DeviceLibrary.h"
#include "compiler/targets/GPUBackend.h"
#include "compiler/targets/KeptStages.h"
#include "compiler/targets/MachineCode.h"
#include "compiler/targets/Registry.h"
#include "compiler/targets/StepTimer.h"
#include "compiler/targets/nvidia/DeviceBranches.h"
#include "compiler/targets/nvidia/LoopLoads.h"
#include "compiler/targets/nvidia/MasksAsNumbers.h"
#include "compiler/targets/nvidia/OrderForRegisters.h"
#include "compiler/targets/nvidia/ShareAddresses.h"
#include "compiler/targets/nvidia/SinkIntoLoops.h"
#include "compiler/targets/nvidia/SkipFormulas.h"
#include "compiler/targets/nvidia/WaitAtLoopExits.h"
#include "toolkits/RunTool.h"
#include "toolkits/Toolkits.h"

#include "compiler/lowering/nvidia/NVIDIALowering.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/Sink.h"

#include <algorithm>
#include <map>
#include <mutex>

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

/// The first lines of a tool's output, which name the cause; ptxas may repeat itself for every instruction.
static std::string firstLines(StringRef output, unsigned count) {
  SmallVector<StringRef> lines;
  output.trim().split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  std::string text;
  for (StringRef line : ArrayRef(lines).take_front(count))
    text += "\n  " + line.str();
  if (lines.size() > count)
    text += "\n  …";
  return text;
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
    return linkLibdevice(module, result, diagnostics);
  }

  bool mayWantBranches(const Module &module) const override { return mayHaveDeviceBranches(module); }

  void finish(Module &module, const Target &) const override {
    sinkPastBranches(module);
    waitAtLoopExits(module);
    skipFormulas(module);
    shareAddresses(module);
    keepMasksAsNumbers(module);
  }

  // ptxas makes the image.
  bool makesImagesOfText() const override { return true; }

  bool makeImages(std::string ptx, MakeCodeAgain makeCodeAgain, MakeCodeWithBranches makeCodeWithBranches,
                  const CompileRequest &request, CompileResult &result,
                  Diagnostics &diagnostics) const override {
    std::string cubin;
    if (!assemble(ptx, makeCodeAgain, makeCodeWithBranches, request, result, cubin, diagnostics))
      return false;
    if (result.isChoiceRefuted || result.losesFactors) // this is compiled again
      return true;
    if (isWanted(request, Stage::PTX))
      keepText(request, result, Stage::PTX, ptx);
    if (cubin.empty() && request.emit == Stage::Cubin) {
      diagnostics.error("there is no cubin to print without ptxas");
      return false;
    }
    if (!cubin.empty() &&
        keepStage(request, result, Stage::Cubin, [&](StageRecord &record) { record.text = cubin; }))
      return true;
    if (!cubin.empty()) {
      addFormForFewerTurns(ptx, request, result);
      addFormForLatency(ptx, request, result);
      result.images.push_back({Stage::Cubin, std::move(cubin)});
    }
    result.images.push_back({Stage::PTX, std::move(ptx)});
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

  /// What ptxas made of a kernel: the machine code, and what it says of it.
  struct Assembly {
    std::string cubin, report;
    std::optional<KernelResources> resources; // none if the report is in other words
  };

  /// Makes machine code. Leaves `cubin` empty, after a warning, where there is no ptxas that knows the
  /// architecture. Changes `ptx` to what the machine code was made of.
  static bool assemble(std::string &ptx, MakeCodeAgain makeCodeAgain,
                       MakeCodeWithBranches makeCodeWithBranches, const CompileRequest &request,
                       CompileResult &result, std::string &cubin, Diagnostics &diagnostics) {
    StepTimer timer(result, "ptxas");
    Expected<std::string> ptxas = findPtxas();
    if (!ptxas) {
      diagnostics.error(toString(ptxas.takeError()));
      return false;
    }
    // Of machine code that the driver will make of the same PTX nothing can be seen here.
    bool mayLoseFactors = result.hasLastingFactors && result.mayMoveFactors;
    if (ptxas->empty() && mayLoseFactors) {
      result.losesFactors = true;
      return true;
    }
    if (ptxas->empty()) {
      // Of each kernel, as each may come from the cache; what several say alike is shown once.
      diagnostics.warning(
          "ptxas was not found (NEREID_PTXAS, CUDA_HOME, PATH, /usr/local/cuda): the library will hold "
          "PTX in place of cubins, which the driver compiles when a kernel is first used");
      return true;
    }
    Assembly assembly;
    if (!runPtxas(*ptxas, ptx, request, result, assembly, diagnostics))
      return false;
    if (assembly.cubin.empty()) {
      result.losesFactors = mayLoseFactors;
      return true;
    }
    bool isSpilled = assembly.resources && assembly.resources->localBytes; // and not by choice
    if (result.isSpecializedByChoice && (isSpilled || countLosses(assembly.report))) {
      result.isChoiceRefuted = true;
      return true;
    }
    if (!tryForMoreBlocks(*ptxas, ptx, request, result, assembly, diagnostics) ||
        !chooseSchedule(*ptxas, ptx, request, result, assembly, diagnostics) ||
        !tryForMoreWarps(*ptxas, ptx, request, result, assembly, diagnostics) ||
        !tryWithBranches(*ptxas, ptx, makeCodeWithBranches, request, result, assembly, diagnostics) ||
        !tryToSpillLess(*ptxas, ptx, makeCodeAgain, request, result, assembly, diagnostics))
      return false;
    if (result.hasLastingFactors && branchesAmongProducts(findCode(assembly.cubin, result.info.symbol))) {
      if (mayLoseFactors) {
        result.losesFactors = true;
        return true;
      }
      warnOfLostFactors(result.info, request.target, diagnostics);
    }
    cubin = std::move(assembly.cubin);
    result.info.resources = assembly.resources;
    std::string version = readAssemblerVersion(cubin);
    if (version.empty())
      version = askVersion(*ptxas);
    if (!version.empty())
      result.info.tools.push_back({"ptxas", version});
    if (isSpilled)
      warnOfSpills(result.info, request.target, diagnostics);
    warnOfSlowCode(assembly.report, result.info, request.target, diagnostics);
    return true;
  }

  /// What a ptxas says of itself whose cubins do not have it, as those of CUDA 12: asked once a process.
  static std::string askVersion(const std::string &ptxas) {
    static std::mutex mutex;
    static std::map<std::string, std::string> versions;
    std::lock_guard<std::mutex> lock(mutex);
    auto [entry, isNew] = versions.try_emplace(ptxas);
    if (isNew) {
      Expected<ToolResult> run = runTool(ptxas, {"--version"});
      if (run)
        entry->second = readToolVersion(run->output);
      else
        consumeError(run.takeError());
    }
    return entry->second;
  }

  static size_t countLosses(StringRef report) { return report.count("Potential Performance Loss"); }

  /// Whether a kernel multiplies tiles, on matrix units or, as f32 in full precision, by threads.
  static bool multiplies(StringRef ptx) {
    constexpr size_t manySteps = 256;
    return ptx.contains("mma.sync") || ptx.contains("wgmma.") || ptx.count("fma.rn.f32") >= manySteps;
  }

  static constexpr StringLiteral forLatency = ".minnctapersm 1\n";

  static unsigned countWarps(const Assembly &assembly, const CompileRequest &request,
                             const CompileResult &result) {
    return result.info.numWarps *
           countResidentBlocks({result.info.numWarps, assembly.resources->registers, result.info.sharedBytes},
                               request.target);
  }

  /// Takes another text of the same kernel if so many warps are resident by it, and no more is spilled.
  static bool takeIfNoWorse(StringRef ptxas, std::string otherText, unsigned leastWarps, std::string &ptx,
                            const CompileRequest &request, const CompileResult &result, Assembly &assembly,
                            Diagnostics &diagnostics) {
    Assembly other;
    if (!runPtxas(ptxas, otherText, request, result, other, diagnostics))
      return false;
    if (!other.cubin.empty() && other.resources &&
        other.resources->localBytes <= assembly.resources->localBytes &&
        countWarps(other, request, result) >= leastWarps) {
      ptx = std::move(otherText);
      assembly = std::move(other);
    }
    return true;
  }

  /// Where ptxas spills much, has it look at the same code in an order that needs fewer registers, with what
  /// is cheap to compute in loops computed there. The order is left alone where products of warp groups are
  /// under way beside other work; where they are not, for want of registers, there is nothing to lose.
  static bool tryToSpillLess(StringRef ptxas, std::string &ptx, MakeCodeAgain makeCodeAgain,
                             const CompileRequest &request, const CompileResult &result, Assembly &assembly,
                             Diagnostics &diagnostics) {
    constexpr unsigned few = 64; // bytes
    if (!assembly.resources || assembly.resources->spilledBytes <= few)
      return true;
    bool isOrdered = StringRef(ptx).contains("wgmma.") && countLosses(assembly.report) == 0;
    std::string otherText = sinkIntoLoops(isOrdered ? ptx : makeCodeAgain(orderForRegisters));
    Assembly other;
    if (otherText.empty() || !runPtxas(ptxas, otherText, request, result, other, diagnostics))
      return false;
    if (!other.cubin.empty() && other.resources &&
        other.resources->spilledBytes < assembly.resources->spilledBytes &&
        other.resources->localBytes <= assembly.resources->localBytes &&
        countWarps(other, request, result) >= countWarps(assembly, request, result) &&
        countLosses(other.report) <= countLosses(assembly.report)) {
      ptx = std::move(otherText);
      assembly = std::move(other);
    }
    return true;
  }

  /// NVIDIALowering lets ptxas take registers for latency's sake, so that a thread has more under way. That
  /// is no use where threads wait for one another's numbers once in a program, as in most kernels of rows:
  /// what hides the wait is other programs, which is what ptxas aims at by itself. Nor is it where a round of
  /// a loop loads so much that memory is busy anyway, and few warps are left to compute meanwhile. On an
  /// H200, of kernels of flash-linear-attention and Liger-Kernel (registers, resident warps, us; for latency,
  /// and by itself):
  ///
  ///     layer_norm_gated_fwd    72, 24, 36.8    32, 64, 30.8    rows
  ///     layer_norm_fwd         228,  8, 13.4   168, 12,  8.6    rows
  ///     jsd                    236,  8, 475    128, 16, 325     256 bytes a thread and round
  ///     layer_norm_gated_bwd    99, 16, 43.0    72, 24, 48.5    52 bytes: left alone
  ///     swiglu_fwd              60, 32, 122     46, 40, 132     no exchange: left alone
  ///
  /// Where rows are long, and where a round of a loop loads 384 bytes a thread or more, so that nothing of
  /// the next round fits beside it, loads are kept together, too: logsumexp_fwd 126 to 99 us,
  /// chunk_hgrn_bwd_o 123 to 96. (Shorter rounds lose by that, as ptxas lets loads of the next one run
  /// ahead.) Of rows that is worth a quarter of the warps: kda_gate_chunk_cumsum 51 to 38, with 12 in place
  /// of 16.
  static bool chooseSchedule(StringRef ptxas, std::string &ptx, const CompileRequest &request,
                             CompileResult &result, Assembly &assembly, Diagnostics &diagnostics) {
    size_t at = StringRef(ptx).find(forLatency);
    if (at == StringRef::npos || request.maxRegisters || !assembly.resources || multiplies(ptx))
      return true;
    constexpr unsigned much = 128, veryMuch = 384, fewWarps = 12;
    LoopLoads loads = measureLoopLoads(ptx);
    bool areRows = loads.bytesOfRound == 0 && exchangesBetweenThreads(ptx);
    unsigned warps = countWarps(assembly, request, result);
    if (areRows || (loads.bytesOfRound >= much && loads.bytesOfRound < veryMuch && warps <= fewWarps)) {
      std::string otherText = ptx;
      otherText.replace(at, forLatency.size(), "");
      if (!takeIfNoWorse(ptxas, std::move(otherText), warps + 1, ptx, request, result, assembly, diagnostics))
        return false;
    }
    bool areLong = areRows && loads.bytes >= much;
    if (loads.bytesOfRound >= veryMuch || areLong) {
      warps = countWarps(assembly, request, result);
      unsigned leastWarps = areLong ? warps - warps / 4 : warps;
      return takeIfNoWorse(ptxas, keepLoadsTogether(ptx), leastWarps, ptx, request, result, assembly,
                           diagnostics);
    }
    return true;
  }

  /// What a kernel without a loop waits for is its loads, once, and what hides that are other warps: some 24
  /// of a multiprocessor, beyond which little is won. And of blocks of 16 warps one alone computes while
  /// memory is idle, and the other way round; a few bytes of local memory are a small price for a second one.
  /// So where ptxas took more registers than that leaves, it is told to make do with fewer, if it can. On an
  /// H200 (registers, resident warps, us):
  ///
  ///     swiglu           114, 16,  65.4      80, 24,  57.5    no loop
  ///     dswiglu          142, 12, 106.9      80, 24,  95.3
  ///     scan_part_max    101, 16, 160.0      80, 24, 143.0
  ///     kldiv_forward     84, 16, 233.7      64, 32, 196.4    a loop, 16 warps; 8 bytes of local memory
  ///                       82, 16, 159.3      64, 32, 165.9    another of them; 72 bytes: left alone
  static bool tryForMoreWarps(StringRef ptxas, std::string &ptx, const CompileRequest &request,
                              const CompileResult &result, Assembly &assembly, Diagnostics &diagnostics) {
    if (request.maxRegisters || !assembly.resources || multiplies(ptx))
      return true;
    constexpr unsigned enoughWarps = 24, manyWarps = 16, fewBytes = 32;
    unsigned numWarps = result.info.numWarps, blocks = countWarps(assembly, request, result) / numWarps;
    bool hasLoop = measureLoopLoads(ptx).bytesOfRound != 0;
    unsigned wanted = !hasLoop ? divideCeil(enoughWarps, numWarps) : numWarps == manyWarps ? 2 : 1;
    size_t at = ptx.find("\n.reqntid");
    if (wanted <= blocks || at == std::string::npos)
      return true;
    std::string otherText = ptx;
    if (size_t latency = otherText.find(forLatency); latency != std::string::npos)
      otherText.erase(latency, forLatency.size());
    otherText.insert(otherText.find('\n', at + 1) + 1, ".minnctapersm " + std::to_string(wanted) + "\n");
    Assembly other;
    Diagnostics ignored; // such as that registers do not suffice: there is something that works
    if (runPtxas(ptxas, otherText, request, result, other, ignored) && !other.cubin.empty() &&
        other.resources &&
        other.resources->localBytes <= assembly.resources->localBytes + (hasLoop ? fewBytes : 0) &&
        countWarps(other, request, result) >= wanted * numWarps) {
      ptx = std::move(otherText);
      assembly = std::move(other);
    }
    return true;
  }

  /// Where few warps are resident, has ptxas look at the code with libdevice's branches (DeviceBranches.h),
  /// by itself, and takes that if it lets twice as many be.
  static bool tryWithBranches(StringRef ptxas, std::string &ptx, MakeCodeWithBranches makeCodeWithBranches,
                              const CompileRequest &request, const CompileResult &result, Assembly &assembly,
                              Diagnostics &diagnostics) {
    constexpr unsigned fewWarps = 16;
    if (request.maxRegisters || !assembly.resources || multiplies(ptx))
      return true;
    unsigned warps = countWarps(assembly, request, result);
    if (warps > fewWarps)
      return true;
    std::string otherText = makeCodeWithBranches();
    if (otherText.empty())
      return true;
    if (size_t latency = otherText.find(forLatency); latency != std::string::npos)
      otherText.erase(latency, forLatency.size());
    return takeIfNoWorse(ptxas, std::move(otherText), 2 * warps, ptx, request, result, assembly, diagnostics);
  }

  /// NVIDIALowering lets ptxas take registers for latency's sake. Kernels that multiply matrices between
  /// loads have much that waits for other things than their own loads, and other blocks to run meanwhile are
  /// worth more to them. So where ptxas left to itself lets more blocks fit, without spills, that is taken;
  /// or where it does if told to fit a block or two more, and that takes only somewhat fewer registers: 128
  /// in place of 148 let a fourth block of 4 warps fit. Where there are few warps, a few bytes may be
  /// spilled.
  ///
  /// Kernels whose warps hand registers to one another keep the number that they were planned with: with
  /// fewer at the launch, a group of warps waits forever for those that it asks for.
  static bool tryForMoreBlocks(StringRef ptxas, std::string &ptx, const CompileRequest &request,
                               CompileResult &result, Assembly &assembly, Diagnostics &diagnostics) {
    size_t at = StringRef(ptx).find(forLatency);
    if (at == StringRef::npos || !multiplies(ptx) || StringRef(ptx).contains("setmaxnreg") ||
        request.maxRegisters || !assembly.resources || assembly.resources->localBytes)
      return true;
    unsigned numWarps = result.info.numWarps, registers = assembly.resources->registers;
    auto countBlocks = [&](unsigned registers) {
      return countResidentBlocks({numWarps, registers, result.info.sharedBytes}, request.target);
    };
    unsigned blocks = countBlocks(registers);
    constexpr unsigned fewRegisters = 32, fewWarps = 8, manyWarps = 24;
    if (blocks == countBlocks(fewRegisters))
      return true;
    llvm::SmallVector<std::string, 3> words{""};
    auto add = [&](unsigned more, unsigned fewerRegisters) {
      if ((blocks + more - 1) * numWarps < manyWarps && countBlocks(fewerRegisters) >= blocks + more)
        words.push_back(".minnctapersm " + std::to_string(blocks + more) + "\n");
    };
    add(1, registers * 7 / 10);
    add(2, registers * 3 / 5);
    std::optional<std::pair<std::string, Assembly>> taken; // and its PTX
    for (StringRef word : words) {
      std::string otherText = ptx;
      otherText.replace(at, forLatency.size(), word.str());
      Assembly other;
      Diagnostics ignored; // such as that registers do not suffice: there is something that works
      if (!runPtxas(ptxas, otherText, request, result, other, word.empty() ? diagnostics : ignored)) {
        if (word.empty())
          return false;
        continue;
      }
      constexpr unsigned fewBytes = 32;
      unsigned mostBytes = blocks * numWarps <= fewWarps && !word.empty() ? fewBytes : 0;
      if (other.cubin.empty() || !other.resources || other.resources->localBytes > mostBytes ||
          countBlocks(other.resources->registers) <= blocks ||
          countLosses(other.report) > countLosses(assembly.report))
        continue;
      bool isSpilled = other.resources->localBytes;
      if (isSpilled && taken)
        continue;
      taken = {std::move(otherText), std::move(other)};
      if (!isSpilled)
        break;
    }
    if (taken)
      std::tie(ptx, assembly) = std::move(*taken);
    return true;
  }

  /// Registers for latency's sake cost blocks. For large grids that was weighed above; but the programs of a
  /// loop are often about as many as there is room for, or twice as many, and then a few registers too many
  /// are another turn, of which most of the GPU has nothing. Of an H200, us:
  ///
  ///                                         for latency     a block more      Triton
  ///     unsloth's layernorm_backward_dw     3 blocks        4 blocks          4 blocks
  ///       512 programs                      2 turns, 48.5   1 turn,  36.5     37.9
  ///     flash-attn's _layer_norm_bwd
  ///       1056 programs                     3 turns, 40.2   2 turns, 35.8     36.1
  ///
  /// The grid is known to the launch alone, so there is a second form of such kernels, if a block more finds
  /// room without spilling. Where there are many, it has as many as ptxas aims at by itself. Of an H100:
  ///
  ///     mamba's _state_passing_bwd          12 blocks       16 blocks         16 blocks
  ///       2048 programs                     2 turns, 45.1   1 turn,  40.6     41.0
  static void addFormForFewerTurns(StringRef ptx, const CompileRequest &request, CompileResult &result) {
    size_t at = ptx.find(forLatency);
    if (at == StringRef::npos || request.maxRegisters || !result.info.resources || multiplies(ptx) ||
        measureLoopLoads(ptx).bytesOfRound == 0)
      return;
    constexpr unsigned manyBlocks = 8; // of which one more is little
    unsigned blocks = countBlocks(*result.info.resources, request, result);
    std::string otherText = ptx.str(),
                oneMore = blocks < manyBlocks ? ".minnctapersm " + std::to_string(blocks + 1) + "\n" : "";
    otherText.replace(at, forLatency.size(), oneMore);
    StepTimer timer(result, "form for fewer turns");
    addForm(FormUse::FewerTurns, std::move(otherText), request, result,
            [&](unsigned otherBlocks) { return otherBlocks > blocks; });
  }

  /// The other way round: where a kernel's loop was compiled for more blocks, its loads may stand one behind
  /// the other, each in front of what is computed of it, in registers that the last one has left. A grid that
  /// gives a multiprocessor no more than a block has nothing of that but the waits. FlagGems's softmax of
  /// columns, 128 programs of 16 warps:
  ///
  ///     by itself, 64 registers      load, 8 MUFU, load, 8 MUFU, load, 6 MUFU, load, …    a round
  ///     for latency, 73              4 loads, 32 MUFU
  static void addFormForLatency(StringRef ptx, const CompileRequest &request, CompileResult &result) {
    size_t at = ptx.find("\n.reqntid");
    if (at == StringRef::npos || ptx.contains(forLatency) || request.maxRegisters ||
        !result.otherForms.empty() || !result.info.resources || multiplies(ptx) ||
        measureLoopLoads(ptx).bytesOfRound == 0)
      return;
    unsigned blocks = countBlocks(*result.info.resources, request, result);
    if (blocks < 2)
      return;
    std::string otherText = ptx.str();
    constexpr StringLiteral leastBlocks = ".minnctapersm ";
    if (size_t word = otherText.find(leastBlocks); word != std::string::npos)
      otherText.erase(word, otherText.find('\n', word) + 1 - word);
    otherText.insert(otherText.find('\n', at + 1) + 1, forLatency.str());
    StepTimer timer(result, "form for latency");
    addForm(FormUse::FewPrograms, std::move(otherText), request, result,
            [&](unsigned otherBlocks) { return otherBlocks < blocks; });
  }

  static unsigned countBlocks(const KernelResources &resources, const CompileRequest &request,
                              const CompileResult &result) {
    return countResidentBlocks({result.info.numWarps, resources.registers, result.info.sharedBytes},
                               request.target);
  }

  /// Makes another text of the same kernel its second form, unless it spills more, or as many of its blocks
  /// as find room are not wanted.
  static void addForm(FormUse use, std::string text, const CompileRequest &request, CompileResult &result,
                      function_ref<bool(unsigned blocks)> isWanted) {
    Expected<std::string> ptxas = findPtxas();
    if (!ptxas)
      return consumeError(ptxas.takeError());
    Assembly other;
    Diagnostics ignored; // such as that registers do not suffice: there is something that works
    if (!runPtxas(*ptxas, text, request, result, other, ignored) || other.cubin.empty() || !other.resources ||
        other.resources->localBytes > result.info.resources->localBytes ||
        !isWanted(countBlocks(*other.resources, request, result)))
      return;
    KernelForm form{use, result.info, {}};
    form.info.resources = other.resources;
    form.images.push_back({Stage::Cubin, std::move(other.cubin)});
    form.images.push_back({Stage::PTX, std::move(text)});
    result.otherForms.push_back(std::move(form));
  }

  static bool runPtxas(StringRef ptxas, StringRef ptx, const CompileRequest &request,
                       const CompileResult &result, Assembly &assembly, Diagnostics &diagnostics) {
    TemporaryFile input, output;
    Error error = input.create("ptx", ptx);
    if (!error)
      error = output.create("cubin");
    if (error) {
      diagnostics.error(toString(std::move(error)));
      return false;
    }
    std::string arch = "sm_" + request.target.arch;
    SmallVector<StringRef> arguments{"-v", "-arch", arch, input.getPath(), "-o", output.getPath()};
    if (request.sourceInfo.lineTables)
      arguments.push_back("-lineinfo");
    Expected<ToolResult> run = runTool(ptxas.str(), arguments);
    if (!run) {
      diagnostics.error(toString(run.takeError()));
      return false;
    }
    StringRef text = run->output;
    if (run->exitCode != 0) {
      // A toolkit may be older than the GPU, or than the PTX that the GPU needs; neither is an error of the
      // kernel.
      if (text.contains("is not defined for option 'gpu-name'") || text.contains("Unsupported .version")) {
        diagnostics.warning(ptxas.str() + " is too old for " + request.target.str() +
                            "; PTX takes the cubin's place");
        return true;
      }
      diagnostics.error("ptxas refused the PTX of '" + result.info.name + "':" + firstLines(text, 8));
      return false;
    }
    Expected<std::string> bytes = output.read();
    if (!bytes) {
      diagnostics.error(toString(bytes.takeError()));
      return false;
    }
    if (Error wrong = checkCubin(*bytes, request.target.getComputeCapability(), result.info.symbol)) {
      diagnostics.error("'" + ptxas.str() + "' reported success, but what it wrote for '" + result.info.name +
                        "' is no cubin for " + request.target.str() + ": " + toString(std::move(wrong)));
      return false;
    }
    assembly = {std::move(*bytes), text.str(), readPtxasReport(text)};
    return true;
  }
};

} // namespace

const TargetBackend &getNVIDIABackend() {
  static const NVIDIABackend backend;
  return backend;
}

} // namespace nereid
