// Each form is another text of the same kernel, which ptxas makes code of once more. It is kept if that
// spills no more than the first form, and if so many blocks find room as the form is for.
#include "compiler/targets/nvidia/LoopForms.h"

#include "compiler/targets/MachineCode.h"
#include "compiler/targets/StepTimer.h"
#include "compiler/targets/nvidia/LoopLoads.h"
#include "compiler/targets/nvidia/PrefetchRounds.h"
#include "compiler/targets/nvidia/WarpTime.h"

using namespace llvm;

namespace nereid {

/// Makes other code of the same kernel a form of it.
static KernelForm *addForm(FormUse use, AssembledCode other, CompileResult &result) {
  KernelForm form{use, result.info, {}};
  form.info.resources = other.resources;
  form.images.push_back({Stage::Cubin, std::move(other.cubin)});
  form.images.push_back({Stage::PTX, std::move(other.ptx)});
  result.otherForms.push_back(std::move(form));
  return &result.otherForms.back();
}

/// Makes another text of the same kernel a form of it, unless it is worse, or not wanted; null if it does
/// not.
static KernelForm *addForm(FormUse use, std::string text, const Ptxas &ptxas, const AssembledCode &code,
                           CompileResult &result, function_ref<bool(const AssembledCode &)> isWanted) {
  AssembledCode other;
  Diagnostics ignored; // such as that registers do not suffice: there is something that works
  if (!ptxas.assemble(std::move(text), other, ignored) || !other.isNoWorseThan(code) || !isWanted(other))
    return nullptr;
  return addForm(use, std::move(other), result);
}

/// Registers for latency's sake cost blocks. For large grids that was weighed (PtxasChoices.cpp); but the
/// programs of a loop are often about as many as there is room for, or twice as many, and then a few
/// registers too many are another turn, of which most of the GPU has nothing. Of an H200, us:
///
///                                         for latency     a block more      Triton
///     unsloth's layernorm_backward_dw     3 blocks        4 blocks          4 blocks
///       512 programs                      2 turns, 48.5   1 turn,  36.5     37.9
///     flash-attn's _layer_norm_bwd
///       1056 programs                     3 turns, 40.2   2 turns, 35.8     36.1
///
/// So there is a form with a block more, if that finds room without spilling. Where there are many, it has as
/// many as ptxas aims at by itself. Of an H100:
///
///     mamba's _state_passing_bwd          12 blocks       16 blocks         16 blocks
///       2048 programs                     2 turns, 45.1   1 turn,  40.6     41.0
static void addFormForFewerTurns(const Ptxas &ptxas, const AssembledCode &code, CompileResult &result) {
  if (!StringRef(code.ptx).contains(forLatency))
    return;
  constexpr unsigned manyBlocks = 8; // of which one more is little
  unsigned blocks = ptxas.countBlocks(code);
  StepTimer timer(result, "form for fewer turns");
  addForm(FormUse::FewerTurns, withLeastBlocks(code.ptx, blocks < manyBlocks ? blocks + 1 : 0), ptxas, code,
          result, [&](const AssembledCode &other) { return ptxas.countBlocks(other) > blocks; });
}

/// Of kernels with products the first form has the blocks that pay in large grids (PtxasChoices.cpp); of many
/// blocks, one or two more may find room with somewhat fewer registers. gemlite's gemm_splitK_INT of 16 x 64
/// tiles, 1024 programs: 7 blocks of 72 registers, two turns, or 8 of 64 and one. Those that may have smaller
/// rings have a form with that already (Compiler.cpp).
static void addFormOfProductsForFewerTurns(const Ptxas &ptxas, const AssembledCode &code,
                                           CompileResult &result) {
  constexpr unsigned manyBlocks = 4;
  unsigned blocks = ptxas.countBlocks(code), wanted = ptxas.countBlocks(code.resources->registers * 4 / 5);
  if (blocks < manyBlocks || wanted <= blocks || result.mayLeaveMoreToOthers ||
      StringRef(code.ptx).contains("setmaxnreg"))
    return;
  StepTimer timer(result, "form for fewer turns");
  addForm(FormUse::FewerTurns, withLeastBlocks(code.ptx, wanted), ptxas, code, result,
          [&](const AssembledCode &other) { return ptxas.countBlocks(other) > blocks; });
}

/// Whether a warp takes less time by what ptxas made of the first text, and fewer blocks find room: grids
/// that need no fewer turns by the room are better off without.
static bool isFasterWithLessRoom(const Ptxas &ptxas, const AssembledCode &first, const AssembledCode &code) {
  return first.isNoWorseThan(code) && ptxas.countBlocks(first) < ptxas.countBlocks(code) &&
         100 * measureWarp(ptxas.findCode(first)).cycles <= 98 * measureWarp(ptxas.findCode(code)).cycles;
}

/// The other way round: where room was made for more blocks, rounds have fewer registers to overlap what they
/// compute, and take longer by it (WarpTime.h). A grid that needs no fewer turns by that has nothing of the
/// room. `first` is what ptxas made of the text for latency's sake. Of an H200, us:
///
///                                              for latency            more blocks
///     axolotl's _rmsln_fwd_kernel              2 blocks               4
///       128 programs                           1 turn,   72.6         1 turn,   89.2
///     vllm's awq_gemm_kernel                   8                      12
///       2048                                   2 turns,  38.6         2 turns,  43.0
///     stk's _dsd_kernel                        2                      3
///       512                                    2 turns,  63.7         2 turns,  70.5
///     gptqmodel's paroquant_gemm_kernel        2                      3
///       512                                    2 turns, 241.7         2 turns, 238.6
///     aiter's deepgemm_fp8_paged_mqa_logits    2                      3
///       320                                    2 turns,  30.5         1 turn,   23.3    not for that
static void addFormOfProductsForLatency(const Ptxas &ptxas, const AssembledCode &code, AssembledCode first,
                                        CompileResult &result) {
  if (StringRef(code.ptx).contains(forLatency) || StringRef(code.ptx).contains("setmaxnreg") ||
      result.savesMemoryForOthers ||
      (result.hasLastingFactors && branchesAmongProducts(ptxas.findCode(first))))
    return;
  if (isFasterWithLessRoom(ptxas, first, code))
    addForm(FormUse::FewPrograms, std::move(first), result);
}

/// So it is with loops of other kernels: where one was compiled for more blocks, its loads may stand one
/// behind the other, each in front of what is computed of it, in registers that the last one has left. A grid
/// that gives a multiprocessor no more than a block has nothing of that but the waits. FlagGems's softmax of
/// columns, 128 programs of 16 warps:
///
///     by itself, 64 registers      load, 8 MUFU, load, 8 MUFU, load, 6 MUFU, load, …    a round
///     for latency, 73              4 loads, 32 MUFU
///
/// Where many more loads wait for others in the text for latency, ptxas is left to itself (tryByItself).
static void addFormForLatency(const Ptxas &ptxas, const AssembledCode &code, CompileResult &result) {
  constexpr size_t fewLoads = 2;
  unsigned blocks = ptxas.countBlocks(code);
  if (StringRef(code.ptx).contains(forLatency) || blocks < 2)
    return;
  StepTimer timer(result, "form for latency");
  size_t numBehind = countLoopLoadsBehindWaits(ptxas.findCode(code));
  for (unsigned leastBlocks : {1, 0}) {
    std::string text = withLeastBlocks(code.ptx, leastBlocks);
    if (text == code.ptx ||
        addForm(FormUse::FewPrograms, std::move(text), ptxas, code, result, [&](const AssembledCode &other) {
          return ptxas.countBlocks(other) < blocks &&
                 countLoopLoadsBehindWaits(ptxas.findCode(other)) <= 2 * numBehind + fewLoads;
        }))
      return;
  }
}

/// So it is without a loop: of rows that threads add up together, ptxas loads by itself a few vectors at a
/// time, which lets many warps run beside each other. A grid of few programs waits once for latency's sake,
/// and once for each few vectors by itself. fbgemm's _bwd_preprocess_do_o_dot, 64 programs:
///
///     by itself, 38 registers      4 loads, then 2 at a time behind what is computed of two others
///     for latency, 80              16 loads, what is computed of them
///
/// Nor is a long program only its loads. With registers to overlap it, what is computed between two barriers
/// takes less time; but other programs hide that as well, so then the form is for grids whose programs all
/// run at a time. Of an H200, us (by itself, for latency):
///
///     transformer-engine's _mhc_sinkhorn_fwd        128 programs    30.9    16.7
///     torch-fps's _fps_single_kernel                 32            660.5   566.7
///     triton_kernels' _topk_forward                 256             12.0    10.8
///     piper-kernels' _quantize_value_per_tile      2048             21.8    22.9    not at a time
static void addFormOfRowsForLatency(const Ptxas &ptxas, const AssembledCode &code, CompileResult &result) {
  constexpr size_t many = 4, longProgram = 16384; // bytes
  unsigned blocks = ptxas.countBlocks(code);
  StringRef machineCode = ptxas.findCode(code);
  size_t numBehind = countLoadsBehindWaits(machineCode);
  bool isLong = machineCode.size() >= longProgram, startsEarlier = false;
  if (StringRef(code.ptx).contains(forLatency) || blocks < 2 || (numBehind < many && !isLong))
    return;
  StepTimer timer(result, "form for latency");
  KernelForm *form = addForm(FormUse::FewPrograms, withLeastBlocks(code.ptx, 1), ptxas, code, result,
                             [&](const AssembledCode &other) {
                               size_t otherBehind = countLoadsBehindWaits(ptxas.findCode(other));
                               startsEarlier = numBehind >= many && 2 * otherBehind <= numBehind;
                               return ptxas.countBlocks(other) < blocks &&
                                      (startsEarlier || (isLong && otherBehind <= numBehind));
                             });
  if (form && !startsEarlier) {
    form->use = FormUse::SmallGrids;
    form->info.mostPrograms = ptxas.countBlocks(form->info.resources->registers);
  }
}

/// And so it is where another text of the same program makes room for more blocks, each of which takes longer
/// (tryOneByOne in PtxasChoices.cpp).
static bool addFormOfFirstText(const Ptxas &ptxas, const AssembledCode &code, AssembledCode first,
                               CompileResult &result) {
  bool isAnother = withLeastBlocks(code.ptx, 0) != withLeastBlocks(first.ptx, 0);
  if (!isAnother || !isFasterWithLessRoom(ptxas, first, code))
    return false;
  addForm(FormUse::FewPrograms, std::move(first), result);
  return true;
}

/// Programs that wait for their loads in each round ask the cache ahead for those of the next
/// (PrefetchRounds.h). That pays as long as memory has not enough to do: with what a round loads, times the
/// programs of a multiprocessor, below what is under way at full speed, some 20 KB of each (3.35 TB/s times
/// 0.8 us, of 132), and a half more. Of launches on an H100, ratios of times without and with:
///
///     up to 28 KB, all programs at a time     0.91 to 1.63, of 71 two below 0.97
///     32 to 64 KB                             0.91 to 1.19
///     more, or more than one turn             0.23 to 1.28
///
/// Loops that ptxas has unrolled already have more than a round's loads under way, and are left alone.
static void addFormForSmallGrids(const Ptxas &ptxas, OtherTexts others, const AssembledCode &code,
                                 CompileResult &result) {
  constexpr unsigned bytesUnderWay = 28 << 10;
  unsigned bytesOfProgram = measureLoopLoads(code.ptx).bytesOfRound * result.info.countThreads();
  unsigned mostPrograms = bytesUnderWay / bytesOfProgram;
  size_t written = StringRef(code.ptx).count("ld.global."), made = countGlobalLoads(ptxas.findCode(code));
  if (mostPrograms == 0 || made >= 2 * written)
    return;
  StepTimer timer(result, "form for small grids");
  std::string text = others.makeChanged(prefetchRounds);
  if (!hasPrefetches(text))
    return;
  if (KernelForm *form = addForm(FormUse::SmallGrids, withLeastBlocks(text, 1), ptxas, code, result,
                                 [](const AssembledCode &) { return true; }))
    form->info.mostPrograms = mostPrograms;
}

void addLoopForms(const Ptxas &ptxas, OtherTexts others, const AssembledCode &code, AssembledCode first,
                  CompileResult &result) {
  if (ptxas.hasRegisterLimit() || !code.resources || isLongText(code.ptx))
    return;
  if (multiplies(code.ptx)) {
    addFormOfProductsForFewerTurns(ptxas, code, result);
    return addFormOfProductsForLatency(ptxas, code, std::move(first), result);
  }
  if (measureLoopLoads(code.ptx).bytesOfRound == 0) {
    if (!addFormOfFirstText(ptxas, code, std::move(first), result))
      addFormOfRowsForLatency(ptxas, code, result);
    return;
  }
  addFormForFewerTurns(ptxas, code, result);
  addFormForLatency(ptxas, code, result);
  addFormForSmallGrids(ptxas, others, code, result);
}

/// While a multiprocessor has no more than sixteen warps, loads may all start at once: with two programs of
/// eight warps 50.9 us, in turns 51.6 to 59.2; with one 27.9, in turns 32.2 to 41.5 (mostColumnLoads).
void addFormsOfPaced(const Ptxas &ptxas, const AssembledCode &code, AssembledCode unpaced,
                     CompileResult &result) {
  constexpr unsigned fewWarps = 16;
  addFormForFewerTurns(ptxas, code, result);
  if (unsigned mostPrograms = fewWarps / ptxas.getNumWarps())
    addForm(FormUse::SmallGrids, std::move(unpaced), result)->info.mostPrograms = mostPrograms;
}

} // namespace nereid
