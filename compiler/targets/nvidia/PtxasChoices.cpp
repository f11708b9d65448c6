// Every try is one more run of ptxas, so each begins with what tells from the text and from the first report
// whether it may win. Figures that decided are with each.
#include "compiler/targets/nvidia/PtxasChoices.h"

#include "compiler/targets/MachineCode.h"
#include "compiler/targets/nvidia/CompareAgain.h"
#include "compiler/targets/nvidia/LocalArrays.h"
#include "compiler/targets/nvidia/LoopLoads.h"
#include "compiler/targets/nvidia/OrderForRegisters.h"
#include "compiler/targets/nvidia/PaceLoads.h"
#include "compiler/targets/nvidia/SinkIntoLoops.h"
#include "compiler/targets/nvidia/StoresOfOneThread.h"
#include "compiler/targets/nvidia/WarpTime.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace nereid {

static constexpr StringLiteral leastBlocks = ".minnctapersm ";

std::string withLeastBlocks(StringRef ptx, unsigned blocks) {
  std::string text = ptx.str();
  size_t at = text.find(leastBlocks);
  if (at != std::string::npos)
    text.erase(at, text.find('\n', at) + 1 - at);
  else if (size_t threads = text.find("\n.reqntid"); threads != std::string::npos)
    at = text.find('\n', threads + 1) + 1;
  if (blocks && at != std::string::npos)
    text.insert(at, (leastBlocks + std::to_string(blocks) + "\n").str());
  return text;
}

static bool multipliesByUnits(StringRef ptx) { return ptx.contains("mma.sync") || ptx.contains("wgmma."); }

bool multiplies(StringRef ptx) {
  constexpr size_t manySteps = 256;
  return multipliesByUnits(ptx) || ptx.count("fma.rn.f32") >= manySteps;
}

bool isLongText(StringRef ptx) {
  constexpr size_t longText = 1 << 20;
  return ptx.size() > longText;
}

/// Whether as many blocks find room as can be, with few registers each.
static bool isFull(const Ptxas &ptxas, const AssembledCode &code) {
  constexpr unsigned fewRegisters = 32;
  return ptxas.countBlocks(code) >= ptxas.countBlocks(fewRegisters);
}

/// Whether a warp's work takes more than so many percent of the time by the other code, if each warp waits
/// for itself (WarpTime.h) and all that are resident then share it.
static bool takesMoreThan(const Ptxas &ptxas, const AssembledCode &other, const AssembledCode &code,
                          unsigned percent) {
  uint64_t cycles = measureWarp(ptxas.findCode(code)).cycles,
           otherCycles = measureWarp(ptxas.findCode(other)).cycles;
  return 100 * otherCycles * ptxas.countWarps(code) > percent * cycles * ptxas.countWarps(other);
}

/// A seventh less time.
static constexpr unsigned clearlyLess = 86;

/// Whether by the other code more warps do not make up for it that each of them waits. The margin is wide:
/// warps hide more of each other's waits than that shows, and what is tried next may start loads together
/// again. tritonllm's unembedding_decode_kernel waits 1.67 times as long by itself, until a fence keeps its
/// loads together, of 16 warps in place of 12.
static bool waitsMuchLonger(const Ptxas &ptxas, const AssembledCode &other, const AssembledCode &code) {
  return takesMoreThan(ptxas, other, code, 175);
}

/// Whether the warps that are resident keep the four schedulers busy three and a half times as long as each
/// of them takes by itself. More warps then hide nothing, and what makes room for them may take its time. Of
/// an H200, us (for latency, and by itself with more warps):
///
///     unsloth-zoo's _mxfp4_dequant_kernel, two        36 warps,  138.7    64,  148.1
///                                                     36,        118.0    64,  127.3
///     flash-sd-kde's _kde_eval_1d_atomic_kernel       28,        422.0    40,  432.4
///     piper-kernels' rotate_quantize_rows_kernel      36,         49.2    48,   50.4
///
/// With two and a half to three and a half it is as often the other way round.
static bool keepsSchedulersBusy(const Ptxas &ptxas, const AssembledCode &code) {
  WarpTime time = measureWarp(ptxas.findCode(code));
  return 2 * time.instructions * ptxas.countWarps(code) >= 7 * 4 * time.cycles;
}

/// All that a thread has, less one that ptxas may leave.
static constexpr unsigned allRegisters = 254;

/// Loads that wait for others, by which a program without a loop is long.
static constexpr size_t manyLoads = 128;

/// Takes another text of the same kernel if so many warps are resident by it, and no more is spilled.
static bool takeIfNoWorse(const Ptxas &ptxas, std::string otherText, unsigned leastWarps, AssembledCode &code,
                          Diagnostics &diagnostics) {
  AssembledCode other;
  if (!ptxas.assemble(std::move(otherText), other, diagnostics))
    return false;
  if (other.isNoWorseThan(code) && ptxas.countWarps(other) >= leastWarps)
    code = std::move(other);
  return true;
}

/// Takes another text of the same kernel by which less is spilled, and nothing else is lost.
///
/// What ptxas makes of another order may be much longer: it computed a mask's 256 conditions before the
/// product that they are for, and wrote each into a bit of a register, for which a round of sliding attention
/// (vllm's _fwd_kernel) took 2098 instructions in place of 1142. No few bytes in local memory are worth that.
static bool takeIfLessSpilled(const Ptxas &ptxas, std::string otherText, bool mayTakeMoreMemory,
                              AssembledCode &code, Diagnostics &diagnostics) {
  AssembledCode other;
  if (otherText.empty() || !ptxas.assemble(std::move(otherText), other, diagnostics))
    return false;
  if (other.isNoWorseThan(code) && other.resources->spilledBytes < code.resources->spilledBytes &&
      (mayTakeMoreMemory || other.resources->localBytes <= code.resources->localBytes) &&
      ptxas.countWarps(other) >= ptxas.countWarps(code) &&
      4 * ptxas.findCode(other).size() <= 5 * ptxas.findCode(code).size())
    code = std::move(other);
  return true;
}

/// Where ptxas spills much, has it look at the same code in an order that needs fewer registers, with what
/// is cheap to compute in loops computed there. The order is left alone where products of warp groups are
/// under way beside other work; where they are not, for want of registers, there is nothing to lose.
///
/// What is made of such products behind their loop is another matter: siglip-kernel's _gemm_bce_kernel, with
/// 128 sums a thread and three losses of each, 106 to 64 us (2224 bytes of local memory, 1000). But often it
/// is the loop that spills, and has nothing from that: vllm's _fwd_kernel_alibi, 1214 us with 272 bytes, got
/// 392 and 1428 us. So that is tried last.
/// First of all comes what ptxas makes of the text by itself: for latency's sake it may spill what it has
/// registers for.
static bool tryToSpillLess(const Ptxas &ptxas, OtherTexts others, AssembledCode &code,
                           Diagnostics &diagnostics) {
  constexpr unsigned few = 64; // bytes
  auto spillsMuch = [&] { return code.resources && code.resources->spilledBytes > few; };
  if (!spillsMuch())
    return true;
  // Warps that hand registers to one another count on those of the launch.
  bool mayChoose = !ptxas.hasRegisterLimit() && !StringRef(code.ptx).contains("setmaxnreg");
  if (mayChoose && StringRef(code.ptx).contains(forLatency)) {
    if (!takeIfLessSpilled(ptxas, withLeastBlocks(code.ptx, 0), /*mayTakeMoreMemory=*/false, code,
                           diagnostics))
      return false;
    if (!spillsMuch())
      return true;
  }
  if (!StringRef(code.ptx).contains("wgmma.") || code.countLosses() != 0)
    return takeIfLessSpilled(ptxas, sinkIntoLoops(others.makeChanged(orderForRegisters)),
                             /*mayTakeMoreMemory=*/true, code, diagnostics);
  if (!takeIfLessSpilled(ptxas, sinkIntoLoops(code.ptx), /*mayTakeMoreMemory=*/true, code, diagnostics))
    return false;
  return !spillsMuch() || takeIfLessSpilled(ptxas, sinkIntoLoops(others.makeChanged(orderBesideProducts)),
                                            /*mayTakeMoreMemory=*/false, code, diagnostics);
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
///     flashlib's _residual_bf16_kernel
///                            146, 12, 10.1    96, 20, 13.3    256 bytes, 3 and 11 waits: left alone
///
/// Nor where programs meet at many barriers, as in sorting: what there is to do meanwhile is other blocks'.
/// adasplash's _fwd_entmax, for latency 146 registers, 12 warps, 235 us, by itself 40, 48, 99. nemo's
/// _attn_res_fwd_kernel, two sums of each of seven rows: for latency 147, one block of 8 warps, in which the
/// parts of all sums wait for their addition to the end; by itself 64, four of them.
///
/// Nor where most of a round's loads stand behind stores of the same round, which may change what they load:
/// they wait one behind the other with any number of registers. transformer-engine's
/// _unpermute_bwd_with_merging_probs takes 56 for latency, and 36 warps, by itself 32 and 64.
///
/// Nor is a program short that loads a hundred times and more. flash-maxsim's _maxsim_splitk_phase2 adds up
/// 256 loads, of which 180 wait for others with 202 registers, and by itself 248 with 32.
///
/// Where rows are long, and where a round of a loop loads 384 bytes a thread or more, so that nothing of
/// the next round fits beside it, loads are kept together, too: logsumexp_fwd 126 to 99 us,
/// chunk_hgrn_bwd_o 123 to 96. (Shorter rounds lose by that, as ptxas lets loads of the next one run
/// ahead.) Of rows that is worth a quarter of the warps: kda_gate_chunk_cumsum 51 to 38, with 12 in place
/// of 16. But where registers do not suffice for all loads of rows, those that are kept in order wait for
/// one another: the last 8 of 24 vectors of _chunk_scan_bwd_dz, each for registers and then for memory.
static bool chooseSchedule(const Ptxas &ptxas, AssembledCode &code, Diagnostics &diagnostics) {
  if (!StringRef(code.ptx).contains(forLatency) || ptxas.hasRegisterLimit() || !code.resources ||
      multiplies(code.ptx))
    return true;
  constexpr unsigned much = 128, veryMuch = 384, fewWarps = 12, someWarps = 16, manyBarriers = 12;
  LoopLoads loads = measureLoopLoads(code.ptx);
  bool areRows = loads.bytesOfRound == 0 && exchangesBetweenThreads(code.ptx);
  unsigned warps = ptxas.countWarps(code);
  size_t numBarriers = StringRef(code.ptx).count("bar.sync") + StringRef(code.ptx).count("bar.warp.sync");
  bool meets = warps <= someWarps && numBarriers >= manyBarriers;
  bool areHeld = 2 * loads.bytesBehindStores > loads.bytesOfRound;
  bool hasLargeRounds = loads.bytesOfRound >= much && loads.bytesOfRound < veryMuch && warps <= fewWarps;
  if ((areRows || meets || areHeld || hasLargeRounds) && !keepsSchedulersBusy(ptxas, code)) {
    unsigned leastWarps = warps + 1;
    if (!areRows && meets)
      leastWarps = 2 * warps;
    else if (!areRows && areHeld)
      leastWarps = warps + warps / 2;
    AssembledCode other;
    if (!ptxas.assemble(withLeastBlocks(code.ptx, 0), other, diagnostics))
      return false;
    size_t waits = countLoadsBehindWaits(ptxas.findCode(code)),
           otherWaits = countLoadsBehindWaits(ptxas.findCode(other));
    bool isSlow = areRows && otherWaits >= manyLoads && otherWaits > waits + waits / 4;
    if (!areRows && !meets && !areHeld)
      isSlow = waitsMuchLonger(ptxas, other, code);
    if (other.isNoWorseThan(code) && ptxas.countWarps(other) >= leastWarps && !isSlow)
      code = std::move(other);
  }
  bool areLong = areRows && loads.bytes >= much;
  if (loads.bytesOfRound < veryMuch && !areLong)
    return true;
  AssembledCode together;
  if (!ptxas.assemble(keepLoadsTogether(code.ptx), together, diagnostics))
    return false;
  warps = ptxas.countWarps(code);
  if (!together.isNoWorseThan(code) || ptxas.countWarps(together) < (areLong ? warps - warps / 4 : warps))
    return true;
  StringRef inOrder = ptxas.findCode(together);
  size_t waits = countLoadsBehindWaits(ptxas.findCode(code)), waitsInOrder = countLoadsBehindWaits(inOrder);
  bool helps = waitsInOrder < waits && together.resources->registers < allRegisters;
  // Where most are at addresses that are loaded, an order has each wait for the one before.
  bool isChain = waitsInOrder > waits && 2 * waitsInOrder > countGlobalLoads(inOrder);
  if (areLong ? helps : !isChain)
    code = std::move(together);
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
///     triton-qml's      104, 16, 222.7      64, 32, 153.0    a loop; 16 bytes; many multiplications
///     spikingjelly's    106, 16,  71.0      80, 24,  63.6    no loop, ten loads and 1400 instructions; 32
///     bytes
///
/// Without a loop a few bytes are worth it where much is computed for each load, and half as many warps more
/// are resident: then they hide one another's arithmetic.
///
/// So it is with a single block of 8 warps that meet at barriers: nobody computes until the last has come.
/// vLLM's _topp_sb_step took 178 registers, and a second block fits with 128 and 24 bytes.
///
/// Where it cannot, it may still leave twice as many warps by itself as for latency's sake: of 128 x 128
/// elements for four warps it took 255 registers and spilled some, in place of 116. Of few warps half as many
/// more are worth that: in either text of mamba's bwd_kernel_dzdo, ptxas loads a few of 24 vectors at a time,
/// by 8 warps with 252 registers, by 12 with 168.
static bool tryForMoreWarps(const Ptxas &ptxas, AssembledCode &code, Diagnostics &diagnostics) {
  if (ptxas.hasRegisterLimit() || !code.resources)
    return true;
  constexpr unsigned enoughWarps = 24, manyWarps = 16, someWarps = 8, fewWarps = 8, fewBytes = 32;
  constexpr size_t manyBytesOfCode = 1024; // for a load
  unsigned numWarps = ptxas.getNumWarps(), blocks = ptxas.countWarps(code) / numWarps;
  bool waitsAlone =
      numWarps == manyWarps || (numWarps == someWarps && StringRef(code.ptx).contains("bar.sync"));
  bool isAlone = waitsAlone && blocks == 1;
  if (isAlone ? multipliesByUnits(code.ptx) : multiplies(code.ptx))
    return true;
  bool hasLoop = measureLoopLoads(code.ptx).bytesOfRound != 0;
  StringRef machineCode = ptxas.findCode(code);
  bool computesMuch =
      machineCode.size() >= manyBytesOfCode * std::max<size_t>(1, countGlobalLoads(machineCode));
  unsigned wanted = !hasLoop ? divideCeil(enoughWarps, numWarps) : waitsAlone ? 2 : 1;
  if (wanted <= blocks)
    return true;
  // A second block, if there is room for no more.
  for (unsigned tried : {wanted, blocks + 1}) {
    AssembledCode other;
    Diagnostics ignored; // such as that registers do not suffice: there is something that works
    bool maySpill = hasLoop || isAlone || (computesMuch && 2 * tried >= 3 * blocks);
    if ((tried == wanted || (isAlone && tried < wanted)) &&
        ptxas.assemble(withLeastBlocks(code.ptx, tried), other, ignored) && !other.cubin.empty() &&
        other.resources &&
        other.resources->localBytes <= code.resources->localBytes + (maySpill ? fewBytes : 0) &&
        ptxas.countWarps(other) >= tried * numWarps) {
      code = std::move(other);
      return true;
    }
  }
  if (hasLoop || !StringRef(code.ptx).contains(forLatency))
    return true;
  unsigned warps = blocks * numWarps;
  return takeIfNoWorse(ptxas, withLeastBlocks(code.ptx, 0), warps <= fewWarps ? warps + warps / 2 : 2 * warps,
                       code, diagnostics);
}

/// Registers for latency's sake that start no load earlier are for nothing: where ptxas by itself has no more
/// loads wait for others, and lets more warps be, that is taken. Rounds whose loads wait in either text are
/// computed faster with the registers, which takes half as many warps more to make up for. And where by
/// itself as many warps find room as there can be, they hide it if a few loads more wait. So do a fifth more
/// of warps where threads meet at barriers, as nobody loads before the last has come. Of an H200 (registers,
/// us; for latency, and by itself):
///
///     aiter's _layernorm, rounds of a row           113,  48.9    96,  42.7    two loads more wait
///     deepmd-kit's _bd_to_local_fwd                  40,  49.3    32,  43.9
///     axolotl's _rms_norm_rope_backward              48, 205.8    32, 181.9
///     mamba's _chunk_scan_bwd_dz                    255,  86.3   139,  62.1
///     transformer-engine's _unpermute                44,  45.4    32,  37.3
///     lightllm's _fwd_kernel_flash_decode_stage1     95, 287.1    72, 313.2    left alone
///
/// But where the loads of so few warps wait for one another already, more such waits are not hidden:
///
///     exllamav3's _causal_conv1d_update_slotted     112,  74.0    96,  79.2    one wait, two; 20 warps
///     aiter's _quant_fused_add_layernorm            107, 121.6    80, 131.8    one, two; 24 warps
///     superlinear's fused_span_forward_gqa          116, 1001     91, 1036     two, five; 20 warps
///     qwen3-tts's _fused_dequant_4bit                70, 132.3    56, 127.1    one, ten; 36 warps
///
/// Nor is it worth many instructions more, as of addresses and masks that are computed again for want of
/// registers:
///
///     FlagGems's argmin_kernel                       90,  99.3    62, 123.8    a seventh more
///     FlagGems's celoss_indices_kernel               78, 375.3    32, 396.4    a fifth
///
/// Registers may even hold loads back, as ptxas has what is computed of some wait in them: each load that is
/// put behind such waits for memory once more. By itself, ptxas may take more of them, and start all at once.
///
///     flashlib's _per_component_argmin_v2_kernel    150,  86.0   168,  45.9    8 loads wait, none
///     fla's chunk_abc_bwd_kernel_rcum_inter         128,  68.1   128,  75.4    left alone
static bool tryByItself(const Ptxas &ptxas, AssembledCode &code, Diagnostics &diagnostics) {
  constexpr size_t fewLoads = 2, someLoads = 4;
  constexpr unsigned fewWarps = 24;
  if (!StringRef(code.ptx).contains(forLatency) || multiplies(code.ptx) || ptxas.hasRegisterLimit() ||
      !code.resources || isFull(ptxas, code))
    return true;
  AssembledCode other;
  if (!ptxas.assemble(withLeastBlocks(code.ptx, 0), other, diagnostics))
    return false;
  if (!other.isNoWorseThan(code))
    return true;
  StringRef machineCode = ptxas.findCode(code), otherCode = ptxas.findCode(other);
  if (8 * measureWarp(otherCode).instructions > 9 * measureWarp(machineCode).instructions)
    return true;
  size_t waits = countLoopLoadsBehindWaits(machineCode), otherWaits = countLoopLoadsBehindWaits(otherCode);
  size_t allWaits = countLoadsBehindWaits(machineCode), allOtherWaits = countLoadsBehindWaits(otherCode);
  unsigned warps = ptxas.countWarps(code), otherWarps = ptxas.countWarps(other);
  bool startsAsEarly = otherWaits <= waits && allOtherWaits <= allWaits;
  bool isLong = waits == 0 && allOtherWaits >= manyLoads; // in a program, not in the rounds of a loop
  size_t turns = countWaitsBetweenLoads(machineCode), otherTurns = countWaitsBetweenLoads(otherCode);
  bool waitsMore = turns != 0 && otherTurns > turns && otherWarps <= fewWarps;
  bool meetsAtBarriers = StringRef(code.ptx).contains("bar.sync");
  bool takesMore = other.resources->registers > code.resources->registers;
  bool startsEarlier = takesMore && waits >= someLoads && 2 * otherWaits <= waits &&
                       allOtherWaits <= allWaits && otherWarps >= warps;
  if (!startsEarlier && keepsSchedulersBusy(ptxas, code))
    return true;
  if (startsEarlier ||
      (meetsAtBarriers && !waitsMore && 5 * otherWarps >= 6 * warps && otherWaits <= waits + fewLoads) ||
      (startsAsEarly && (waits ? 2 * otherWarps >= 3 * warps : otherWarps > warps)) ||
      (isFull(ptxas, other) && 3 * otherWarps >= 4 * warps &&
       (isLong ? allOtherWaits <= allWaits + allWaits / 3
               : otherWaits <= waits + std::max(fewLoads, waits / 3))))
    code = std::move(other);
  return true;
}

/// ptxas puts loads among the arithmetic and the shuffles that are for those before, where each waits for
/// memory when it is reached, with any number of registers: of a layer norm of four rows a thread, it loads
/// the second when the first has been summed. A fence keeps them together. What is won by it is how many are
/// under way of all warps, of which half must be left. Where ptxas has several rounds of a loop under way, a
/// fence ends that. On an H200 (registers, resident warps, waits between loads, us):
///
///     esm's _ln_fwd_kernel                        64, 32,  3,  47.6    59, 32, 0,  39.7
///     tritonllm's qkv_decode_kernel              100, 16, 13,  78.1   128, 16, 1,  62.3
///     attnres's _packed_online_backward_kernel    96, 20,  6, 199.6   116, 16, 1, 172.9
///     crossentropy's element_mul_kernel           30, 64,  5, 383.9    64, 32, 0, 336.7
///     fairchem's wigner_conv1_fused_fwd_kernel   142, 12,  6, 335.9   140, 12, 3, 297.4
///     attnres's _dlogit_kernel                    32, 64,  5, 331.0    56, 36, 1, 355.5    left alone
///     ffpa-attn's _ffpa_bwd_decode_dq_reduce     128, 16,  3,  14.2   220,  8, 0,  16.9    left alone
///     fairchem's _fused_m0_segreduce_kernel       62, 32,  5,  76.5    46, 32, 0,  98.1    unrolled
///
/// Nor is it won where much is computed of what is loaded, for which fewer warps take longer than all of them
/// save by waiting less. By the walk of WarpTime.h, which counts both (registers, resident warps, cycles for
/// a warp of these, us):
///
///     triton-qml's rotation_sequence_backward     64, 32,  432,  59.2    74, 16,  698,  74.4
///     tkv's _compress_kernel                      60, 32,  134, 242.5    96, 20,  203, 279.8
///     lightllm's _silu_and_mul_kernel            116, 16,  547,  56.4   168, 12,  813,  59.9
///     tritonllm's _attn_decode_fwd                56, 36,  330,  67.7    64, 32,  417,  72.2
///     colossalai's _alibi_flash_decoding          56, 36,  112, 128.6    72, 28,  138, 136.9
static void tryToStartTogether(const Ptxas &ptxas, AssembledCode &code) {
  constexpr size_t someWaits = 3;
  constexpr unsigned mostPercent = 120;
  if (ptxas.hasRegisterLimit() || !code.resources || multiplies(code.ptx))
    return;
  StringRef machineCode = ptxas.findCode(code);
  size_t waits = countWaitsBetweenLoads(machineCode), loads = countGlobalLoads(machineCode);
  std::string fenced = waits < someWaits ? std::string() : fenceLoads(code.ptx);
  if (fenced.size() <= code.ptx.size())
    return;
  unsigned warps = ptxas.countWarps(code);
  for (bool isForLatency : {false, true}) {
    AssembledCode other;
    Diagnostics ignored; // such as that registers do not suffice: there is something that works
    if (!ptxas.assemble(withLeastBlocks(fenced, isForLatency), other, ignored) || !other.isNoWorseThan(code))
      continue;
    StringRef otherCode = ptxas.findCode(other);
    size_t otherWaits = countWaitsBetweenLoads(otherCode);
    unsigned otherWarps = ptxas.countWarps(other);
    unsigned quarters =
        2 * otherWarps > warps ? 7 : 9; // of what is under way now: more, where half of the warps go
    bool hasMoreUnderWay = 4 * otherWarps * (waits + 1) >= quarters * warps * (otherWaits + 1);
    if (countGlobalLoads(otherCode) >= loads && 2 * otherWaits <= waits &&
        (otherWarps >= warps ||
         (2 * otherWarps >= warps && hasMoreUnderWay && !takesMoreThan(ptxas, other, code, mostPercent)))) {
      code = std::move(other);
      return;
    }
  }
}

/// Nor need registers be spent on rounds whose loads wait for one another anyway, as for the numbers of pages
/// and for what is computed of the keys there. What hides that are other warps, 32 of a multiprocessor; so
/// ptxas is told to make room for these, if no more loads wait then. Of an H200 (registers, warps, us):
///
///     lightllm's _fwd_kernel_flash_decode_stage1     95, 20, 284    64, 32, 258
static void tryToHideWaits(const Ptxas &ptxas, AssembledCode &code) {
  constexpr unsigned enoughWarps = 32;
  if (ptxas.hasRegisterLimit() || !code.resources || multiplies(code.ptx))
    return;
  unsigned warps = ptxas.countWarps(code);
  StringRef machineCode = ptxas.findCode(code);
  size_t waits = countLoopLoadsBehindWaits(machineCode), allWaits = countLoadsBehindWaits(machineCode);
  if (waits == 0 || 3 * warps > 2 * enoughWarps)
    return;
  AssembledCode other;
  Diagnostics ignored; // such as that registers do not suffice: there is something that works
  if (!ptxas.assemble(withLeastBlocks(code.ptx, enoughWarps / ptxas.getNumWarps()), other, ignored) ||
      !other.isNoWorseThan(code) || 2 * ptxas.countWarps(other) < 3 * warps)
    return;
  StringRef otherCode = ptxas.findCode(other);
  if (countLoopLoadsBehindWaits(otherCode) <= waits && countLoadsBehindWaits(otherCode) <= allWaits)
    code = std::move(other);
}

/// Rows whose threads meet at barriers to exchange numbers, and which load once, are read by one block while
/// another waits: one block more is worth it where no load starts later by it, up to as many as there can be.
/// On an H200 (registers, us):
///
///     Liger-Kernel's _layer_norm_forward         56, 43.1    48, 39.8
///     flash-linear-attention's kda_gate_bwd      40, 49.0    32, 41.0
///     Liger-Kernel's _sparsemax_forward          40, 24.4    32, 22.4
///     transformer-engine's _row_id_map_pass_1    40,  6.8    32,  7.0
///     axolotl's _mhc_fwd_kernel                  40,  6.4    32,  7.5    exchanges nothing: left alone
///
/// In loops, where room is for few warps, so it is as long as loads are not started later, in the order that
/// they stand in if need be.
///
///     miniworld-engine's _ln_bwd_mmajor_kernel         154, 45.8   128, 30.9
///     deepmd-kit's _se_conv_bwd_kernel                 168, 91.8   128, 74.7
static void tryOneMoreBlock(const Ptxas &ptxas, AssembledCode &code) {
  constexpr unsigned fewWarps = 12;
  bool hasLoop = measureLoopLoads(code.ptx).bytesOfRound != 0;
  if (ptxas.hasRegisterLimit() || !code.resources || multiplies(code.ptx) || isFull(ptxas, code) ||
      (hasLoop && ptxas.countWarps(code) > fewWarps) || !StringRef(code.ptx).contains("bar.sync") ||
      !StringRef(code.ptx).contains("st.shared"))
    return;
  unsigned blocks = ptxas.countBlocks(code);
  StringRef machineCode = ptxas.findCode(code);
  size_t waits = countLoadsBehindWaits(machineCode), loopWaits = countLoopLoadsBehindWaits(machineCode);
  for (bool isInOrder : {false, true}) {
    if (isInOrder && !hasLoop)
      return;
    AssembledCode other;
    Diagnostics ignored; // such as that registers do not suffice: there is something that works
    if (!ptxas.assemble(withLeastBlocks(isInOrder ? keepLoadsTogether(code.ptx) : code.ptx, blocks + 1),
                        other, ignored) ||
        !other.isNoWorseThan(code) || ptxas.countBlocks(other) <= blocks)
      continue;
    StringRef otherCode = ptxas.findCode(other);
    if (countLoadsBehindWaits(otherCode) <= waits && countLoopLoadsBehindWaits(otherCode) <= loopWaits) {
      code = std::move(other);
      return;
    }
  }
}

/// Where few warps are resident, has ptxas look at the code with libdevice's branches (DeviceBranches.h),
/// by itself, and takes that if it lets twice as many be.
static bool tryWithBranches(const Ptxas &ptxas, function_ref<std::string()> makeWithBranches,
                            AssembledCode &code, Diagnostics &diagnostics) {
  constexpr unsigned fewWarps = 16;
  if (ptxas.hasRegisterLimit() || !code.resources || multiplies(code.ptx))
    return true;
  unsigned warps = ptxas.countWarps(code);
  if (warps > fewWarps)
    return true;
  std::string otherText = makeWithBranches();
  return otherText.empty() ||
         takeIfNoWorse(ptxas, withLeastBlocks(otherText, 0), 2 * warps, code, diagnostics);
}

/// Whether another text of the same kernel makes room for more than so many blocks, with no more than so many
/// bytes in local memory, and loses nothing.
static bool makesRoom(const Ptxas &ptxas, const AssembledCode &other, const AssembledCode &code,
                      unsigned blocks, unsigned mostBytes) {
  return !other.cubin.empty() && other.resources && other.resources->localBytes <= mostBytes &&
         ptxas.countBlocks(other) > blocks && other.countLosses() <= code.countLosses();
}

/// A block more of a few is worth two or three registers in local memory: flash-maxsim's
/// _maxsim_splitk_phase1, 144 registers and three blocks of four warps, four with 128 and 16 bytes.
static void tryOneMoreForFewBytes(const Ptxas &ptxas, AssembledCode &code) {
  constexpr unsigned someWarps = 12, veryFewBytes = 16;
  unsigned blocks = ptxas.countBlocks(code);
  AssembledCode other;
  Diagnostics ignored; // such as that registers do not suffice: there is something that works
  if (ptxas.countWarps(code) <= someWarps && !code.resources->localBytes &&
      ptxas.countBlocks(code.resources->registers * 7 / 8) > blocks &&
      ptxas.assemble(withLeastBlocks(code.ptx, blocks + 1), other, ignored) &&
      makesRoom(ptxas, other, code, blocks, veryFewBytes))
    code = std::move(other);
}

/// NVIDIALowering lets ptxas take registers for latency's sake. Kernels that multiply matrices between
/// loads have much that waits for other things than their own loads, and other blocks to run meanwhile are
/// worth more to them. So where ptxas left to itself lets more blocks fit, without spills, that is taken;
/// or where it does if told to fit a block or two more, and that takes only somewhat fewer registers: 128
/// in place of 148 let a fourth block of 4 warps fit. Where there are few warps, a few bytes may be
/// spilled. What spills a few bytes for latency's sake may spill none by itself: a sum of 64 tiles,
/// unrolled, took 255 registers, and 72.
///
/// Kernels whose warps hand registers to one another keep the number that they were planned with: with
/// fewer at the launch, a group of warps waits forever for those that it asks for.
static bool tryForMoreBlocks(const Ptxas &ptxas, AssembledCode &code, Diagnostics &diagnostics) {
  constexpr unsigned fewBytes = 32;
  if (!StringRef(code.ptx).contains(forLatency) || !multiplies(code.ptx) ||
      StringRef(code.ptx).contains("setmaxnreg") || ptxas.hasRegisterLimit() || !code.resources ||
      code.resources->localBytes > fewBytes)
    return true;
  unsigned numWarps = ptxas.getNumWarps(), registers = code.resources->registers;
  unsigned blocks = ptxas.countBlocks(registers);
  constexpr unsigned fewWarps = 8, manyWarps = 24;
  if (isFull(ptxas, code))
    return true;
  SmallVector<unsigned, 3> tries{0}; // so many blocks
  auto add = [&](unsigned more, unsigned fewerRegisters) {
    if ((blocks + more - 1) * numWarps < manyWarps && ptxas.countBlocks(fewerRegisters) >= blocks + more)
      tries.push_back(blocks + more);
  };
  add(1, registers * 7 / 10);
  add(2, registers * 3 / 5);
  std::optional<AssembledCode> taken;
  for (unsigned wanted : tries) {
    AssembledCode other;
    Diagnostics ignored; // such as that registers do not suffice: there is something that works
    if (!ptxas.assemble(withLeastBlocks(code.ptx, wanted), other, wanted ? ignored : diagnostics)) {
      if (!wanted)
        return false;
      continue;
    }
    unsigned mostBytes = blocks * numWarps <= fewWarps && wanted ? fewBytes : 0;
    if (!makesRoom(ptxas, other, code, blocks, mostBytes))
      continue;
    bool isSpilled = other.resources->localBytes;
    if (isSpilled && taken)
      continue;
    taken = std::move(other);
    if (!isSpilled)
      break;
  }
  if (taken)
    code = std::move(*taken);
  tryOneMoreForFewBytes(ptxas, code);
  return true;
}

/// Where registers just suffice for so many blocks, ptxas may stay within that by itself at the price of
/// loads that wait for others: of four vectors that a round stores for its product, the fourth is loaded into
/// what the first has left, behind its store. Told to make room for as many blocks as there are, it finds
/// registers for all four. Of an H100, us: mlstm's recurrent_fw_C 204 to 196,
/// _grouped_mm_2d3d_dA_prologue_main 245 to 239, _grouped_mm_2d2d as before. So it is with rounds that sum:
/// of five vectors, the fifth is loaded into what one of the others had, behind the wait for them. And with
/// rounds that compute a product's factor of what they load: of _chunk_scan_fwd_kernel's 12 loads four
/// stood behind the wait for others, two of them behind a second wait; with the same 168 registers two do.
///
/// Where there is room for few warps, and a product's round has many such loads, nobody computes meanwhile.
/// So there loads are kept together.
static void tryToLoadTogether(const Ptxas &ptxas, AssembledCode &code) {
  if (ptxas.hasRegisterLimit() || !code.resources || StringRef(code.ptx).contains("setmaxnreg"))
    return;
  constexpr size_t many = 8;
  constexpr unsigned fewWarps = 8;
  bool hasProducts = multiplies(code.ptx);
  StringRef machineCode = ptxas.findCode(code);
  size_t behindStores = countLoadsBehindStores(machineCode),
         behindWaits = countLoopLoadsBehindWaits(machineCode);
  bool areBehindStores = hasProducts && behindStores >= many;
  unsigned blocks = ptxas.countBlocks(code);
  AssembledCode other;
  Diagnostics ignored; // such as that registers do not suffice: there is something that works
  if (hasProducts && behindWaits >= many && ptxas.countWarps(code) <= fewWarps &&
      ptxas.assemble(keepLoadsTogether(code.ptx), other, ignored) && other.isNoWorseThan(code) &&
      2 * countLoopLoadsBehindWaits(ptxas.findCode(other)) <= behindWaits) {
    code = std::move(other);
    return;
  }
  if ((!areBehindStores && !behindWaits) || blocks < 2)
    return;
  other = {};
  if (!ptxas.assemble(withLeastBlocks(code.ptx, blocks), other, ignored) || !other.isNoWorseThan(code) ||
      ptxas.countBlocks(other) < blocks)
    return;
  StringRef otherCode = ptxas.findCode(other);
  size_t otherBehindStores = countLoadsBehindStores(otherCode);
  bool isBehindFewerWaits = 2 * countLoopLoadsBehindWaits(otherCode) <= behindWaits &&
                            (!hasProducts || otherBehindStores <= behindStores);
  if ((areBehindStores && 2 * otherBehindStores <= behindStores) || (behindWaits && isBehindFewerWaits))
    code = std::move(other);
}

/// A round that needs few registers, and for which threads do not meet, waits for memory and nothing else. As
/// many warps as there can be hide that, so ptxas is told to make room for these, if a few registers do.
/// FlagGems's moe_sum_kernel, of which ptxas has 16 rounds under way with 39 registers, and 48 warps; with 32
/// and four rounds, 64: 33.3 to 30.0 us on an H200.
static void tryToFill(const Ptxas &ptxas, AssembledCode &code) {
  constexpr unsigned most = 40, few = 32;
  if (ptxas.hasRegisterLimit() || !code.resources || multiplies(code.ptx) || isFull(ptxas, code) ||
      code.resources->registers > most || measureLoopLoads(code.ptx).bytesOfRound == 0 ||
      exchangesBetweenThreads(code.ptx))
    return;
  AssembledCode other;
  Diagnostics ignored; // such as that registers do not suffice: there is something that works
  if (ptxas.assemble(withLeastBlocks(code.ptx, ptxas.countBlocks(few)), other, ignored) &&
      other.isNoWorseThan(code) && isFull(ptxas, other) && !takesMoreThan(ptxas, other, code, 100))
    code = std::move(other);
}

/// Where registers suffice, ptxas may still put loads one behind the other, each into the registers that what
/// was computed of the last has left. Kept in the order that they are written in, they start together, for no
/// warp less; where no register is left, they wait for one another. It is taken if a warp takes a seventh
/// less time by it (WarpTime.h). On an H200 (cycles, us):
///
///     fla's fused_additive_gate_bwd_kernel         27157, 215.7    19931, 150.5
///     flashlib's _crt_reconstruct_kernel           19595,  25.1     9991,  20.1
///     FlagGems's argmin_split_K_kernel_merged       7515,  19.9     5392,  18.6
///     lmdeploy's _fill_kv_cache_kernel              2585,  14.8     2072,  14.0
///     flashlib's _tsne_grad_kernel                 21160, 151.0    18113, 146.6
///     torch-fps's _fps_tiled_kernel                42162, 19704    34530, 20259
///     fla's layer_norm_gated_bwd_kernel            34872, 111.0    31018, 129.2    left alone
static void tryToKeepTogether(const Ptxas &ptxas, AssembledCode &code) {
  constexpr size_t someWaits = 2;
  if (ptxas.hasRegisterLimit() || !code.resources || multiplies(code.ptx) ||
      countWaitsBetweenLoads(ptxas.findCode(code)) < someWaits)
    return;
  AssembledCode other;
  Diagnostics ignored; // such as that registers do not suffice: there is something that works
  if (ptxas.assemble(keepLoadsTogether(code.ptx), other, ignored) && other.isNoWorseThan(code) &&
      other.resources->registers < allRegisters && ptxas.countWarps(other) >= ptxas.countWarps(code) &&
      !takesMoreThan(ptxas, other, code, clearlyLess))
    code = std::move(other);
}

/// Of elements that have nothing to do with one another LLVM and ptxas take step after step, each of all
/// elements, and where a step is a branch, as a division is that is rounded correctly, ptxas computes all
/// that comes before it. One after the other, they take few registers. That is taken if by it there is room
/// for a quarter more warps, which then take a seventh less time for a warp's work (WarpTime.h).
///
///     unsloth's _swiglu_fwd_kernel, 16 elements    56 registers, 36 warps, 3461 cycles    32, 64, 4292
static void tryOneByOne(const Ptxas &ptxas, OtherTexts others, AssembledCode &code) {
  if (ptxas.hasRegisterLimit() || !code.resources || multiplies(code.ptx) || isFull(ptxas, code) ||
      measureLoopLoads(code.ptx).bytesOfRound != 0 || exchangesBetweenThreads(code.ptx))
    return;
  std::string otherText = others.makeChanged(orderByResults);
  AssembledCode other;
  Diagnostics ignored; // such as that registers do not suffice: there is something that works
  if (!otherText.empty() && ptxas.assemble(withLeastBlocks(otherText, 0), other, ignored) &&
      other.isNoWorseThan(code) && 4 * ptxas.countWarps(other) >= 5 * ptxas.countWarps(code) &&
      !takesMoreThan(ptxas, other, code, clearlyLess))
    code = std::move(other);
}

/// Registers that hold a thread's array are better used for more warps. Local memory for it is no spill.
static void tryArraysInMemory(const Ptxas &ptxas, AssembledCode &code) {
  if (!code.resources || isFull(ptxas, code))
    return;
  std::string otherText = keepArraysInMemory(code.ptx);
  AssembledCode other;
  Diagnostics ignored; // such as that registers do not suffice: there is something that works
  if (!otherText.empty() && ptxas.assemble(std::move(otherText), other, ignored) && !other.cubin.empty() &&
      other.resources && other.resources->spilledBytes <= code.resources->spilledBytes &&
      other.countLosses() <= code.countLosses() && ptxas.countWarps(other) > ptxas.countWarps(code))
    code = std::move(other);
}

/// Conditions that live through loops may be computed again behind them, if that makes the code shorter. On
/// an H200 (instructions, us):
///
///     minference's softmax_fuse_block_sum_causal    4752,   36.6    4456,   28.9
///     vllm's _fwd_kernel, two                       9016,  883.6    8480,  789.7
///                                                   1832, 1173.5    1544, 1052.8
///     minference's _fwd_kernel                      1456,  166.8    1424,  144.1
///     flashlib's _cagra_traverse_kernel             1408,  324.4    1376,  289.8
///     fla's recompute_w_u_fwd_kda_kernel            1032,   97.3    1008,   98.7
///     modelopt's _attn_bwd_dq                       1080,  280.5    1064,  278.4    left alone
///
/// Not where rounds wait much longer by that, as for loads that were under way together:
///
///     spconv_triton's _maxpool_bwd_kernel           1440,  188.0    1056,  271.4    twice as long
static void tryToCompareAgain(const Ptxas &ptxas, AssembledCode &code) {
  std::string otherText = compareAgainBehindLoops(code.ptx);
  AssembledCode other;
  Diagnostics ignored; // such as that registers do not suffice: there is something that works
  if (!otherText.empty() && code.resources && ptxas.assemble(std::move(otherText), other, ignored) &&
      other.isNoWorseThan(code) && other.resources->spilledBytes <= code.resources->spilledBytes &&
      ptxas.countWarps(other) >= ptxas.countWarps(code) &&
      100 * ptxas.findCode(other).size() <= 98 * ptxas.findCode(code).size() &&
      !waitsMuchLonger(ptxas, other, code))
    code = std::move(other);
}

/// Stores of one thread stay together if a warp takes a seventh less time by that (StoresOfOneThread.h).
/// attnres's _source_record_setup, 46 stores: 1359 cycles to 369, 4.4 us to 3.7 on an H200.
static void tryToKeepStoresOfOneThread(const Ptxas &ptxas, AssembledCode &code) {
  std::string otherText = keepStoresOfOneThread(code.ptx);
  AssembledCode other;
  Diagnostics ignored; // such as that registers do not suffice: there is something that works
  if (!otherText.empty() && code.resources && ptxas.assemble(std::move(otherText), other, ignored) &&
      other.isNoWorseThan(code) && !takesMoreThan(ptxas, other, code, clearlyLess))
    code = std::move(other);
}

/// Of texts with the same instructions.
static bool chooseAmongTexts(const Ptxas &ptxas, OtherTexts others, AssembledCode &code,
                             Diagnostics &diagnostics) {
  tryArraysInMemory(ptxas, code);
  bool ok = tryForMoreBlocks(ptxas, code, diagnostics) && chooseSchedule(ptxas, code, diagnostics) &&
            tryForMoreWarps(ptxas, code, diagnostics) &&
            tryWithBranches(ptxas, others.makeWithBranches, code, diagnostics) &&
            tryToSpillLess(ptxas, others, code, diagnostics) && tryByItself(ptxas, code, diagnostics);
  if (!ok)
    return false;
  tryToStartTogether(ptxas, code);
  tryToHideWaits(ptxas, code);
  tryOneMoreBlock(ptxas, code);
  tryToLoadTogether(ptxas, code);
  tryToFill(ptxas, code);
  tryToKeepTogether(ptxas, code);
  tryOneByOne(ptxas, others, code);
  tryToCompareAgain(ptxas, code);
  tryToKeepStoresOfOneThread(ptxas, code);
  return true;
}

/// The cycles of a multiprocessor that a warp's work takes, if all that are resident share it. Four
/// instructions are issued at a time.
static uint64_t getShare(WarpTime time, unsigned warps) {
  return std::max(time.cycles / warps, time.instructions / 4);
}

/// Where more conditions live long than a thread has predicates (CompareAgain.h), ptxas may put every load
/// behind what is computed of the one before. Compared again, they leave it free to start loads together.
/// What else is tried may do that, too; so it is tried with either text, and at the end the second one is
/// taken if a warp takes a seventh less time by it. Fewer warps must still have something to win where they
/// keep the schedulers busy. On an H200 (cycles, warps, us):
///
///     ultra-fused's _fused_sdla_kernel        63236, 40,  287.6    31186, 32,  228.5
///     flashlib's _tsne_bisect_kernel          16128, 40,  271.9    12262, 40,  210.7
///     fairchem's _compact_base_kernel         29087, 24,   36.9    20770, 28,   28.3
///     fla's kda_gate_chunk_cumsum_vector       6604, 12,   38.3     2980, 14,   31.4
///     aiter's _softmax_kernel_online          74606,  8,  263.9    44041,  8,  233.3
///     flash-attention-x's _fwd_kernel         16504, 12,  298.4     8114, 12,  238.9
///     liger's kldiv_backward                  12868, 32,  135.7     7940, 32,  135.4
///     crossentropy's cross_entropy_kernel    113121, 32,  289.5    31153, 32,  298.8
///     crossentropy's element_mul_kernel        6908, 32,  294.1    10921, 64,  342.1    left alone
///     lightllm's _silu_and_mul_kernel          8747, 16,   56.2     5036, 12,   59.6    left alone
static void chooseWithFewPredicates(const Ptxas &ptxas, OtherTexts others, const AssembledCode &first,
                                    AssembledCode &code) {
  constexpr unsigned fewBytes = 32; // in local memory, which WarpTime counts
  auto withFew = [](std::string text) {
    std::string other = compareAgain(text);
    return other.empty() ? std::move(text) : std::move(other);
  };
  auto isBetter = [&](const AssembledCode &other, const AssembledCode &code) {
    if (!code.resources || other.cubin.empty() || !other.resources ||
        other.resources->localBytes > code.resources->localBytes + fewBytes ||
        other.countLosses() > code.countLosses() || takesMoreThan(ptxas, other, code, clearlyLess))
      return false;
    WarpTime time = measureWarp(ptxas.findCode(code)), otherTime = measureWarp(ptxas.findCode(other));
    unsigned warps = ptxas.countWarps(code), otherWarps = ptxas.countWarps(other);
    return otherTime.cycles <= time.cycles &&
           (otherWarps >= warps ||
            100 * getShare(otherTime, otherWarps) <= clearlyLess * getShare(time, warps));
  };
  AssembledCode other;
  Diagnostics ignored; // such as that registers do not suffice: there is something that works
  std::string otherText = compareAgain(first.ptx);
  if (otherText.empty() || !ptxas.assemble(std::move(otherText), other, ignored) || !isBetter(other, first))
    return;
  auto makeChanged = [&](function_ref<void(Module &)> change) { return withFew(others.makeChanged(change)); };
  auto makeWithBranches = [&] { return withFew(others.makeWithBranches()); };
  if (chooseAmongTexts(ptxas, {makeChanged, makeWithBranches}, other, ignored) && isBetter(other, code))
    code = std::move(other);
}

bool chooseCode(const Ptxas &ptxas, OtherTexts others, AssembledCode &code, Diagnostics &diagnostics) {
  if (isLongText(code.ptx))
    return true;
  AssembledCode first = code;
  if (!chooseAmongTexts(ptxas, others, code, diagnostics))
    return false;
  chooseWithFewPredicates(ptxas, others, first, code);
  return true;
}

/// Loads down columns that a multiprocessor may have under way, those of 16 bytes a lane counted twice. Of an
/// H200, us:
///
///     FlagGems's weight_norm_bwd_kernel_last, 8 warps, 8 loads of 16 bytes in a round
///                                               at once        two       one
///        264 programs, two to a multiprocessor     50.9       51.6      59.2
///        396                                       87.3       73.3      74.8
///        528                                      126.0       95.7      92.4
///       2112                                      632.9      511.9     419.9
///     FlagGems's scan_part_max_abc_loop_kernel, 4 warps, 8 loads of 4 bytes
///                                               at once       four       two
///        264                                       41.3       42.0      44.1
///        528                                       90.8       91.1      87.7
///       4096                                      741.5      703.0     722.7
static constexpr unsigned mostColumnLoads = 64;

std::optional<AssembledCode> pace(const Ptxas &ptxas, OtherTexts others, AssembledCode &code) {
  constexpr unsigned some = 4;
  unsigned loads = countColumnLoads(code.ptx);
  if (loads < some || !code.resources || isLongText(code.ptx))
    return std::nullopt;
  unsigned most = mostColumnLoads / ptxas.countWarps(code);
  if (loads <= most)
    return std::nullopt;
  AssembledCode paced;
  Diagnostics ignored; // such as that registers do not suffice: there is something that works
  auto makeNone = [] { return std::string(); };
  std::string text = others.makeChanged([&](Module &module) { paceLoads(module, most); });
  if (text.empty() || !ptxas.assemble(std::move(text), paced, ignored) || paced.cubin.empty() ||
      !chooseAmongTexts(ptxas, {others.makeChanged, makeNone}, paced, ignored) || !paced.isNoWorseThan(code))
    return std::nullopt;
  std::swap(code, paced);
  return paced;
}

} // namespace nereid
