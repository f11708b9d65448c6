// See MoreWarps.h.
#include "compiler/driver/MoreWarps.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/tt/WarpQuestions.h"
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/driver/ResidentBlocks.h"
#include "compiler/model/CompileRequest.h"
#include "compiler/model/CompileResult.h"
#include "compiler/targets/MachineCode.h"

#include "mlir/IR/BuiltinOps.h"

using namespace llvm;

namespace nereid {

/// Whether the text may depend on which thread of a block runs it, or meet the block's other threads.
static bool looksAtThreads(StringRef assembly) {
  return any_of(ArrayRef<StringRef>{"tid", "warpid", "bar.", "barrier"},
                [&](StringRef word) { return assembly.contains(word); });
}

bool mayTakeMoreWarps(mlir::ModuleOp module, const CompileRequest &request) {
  if (request.target.backend != Backend::CUDA || request.hasExactWarps || request.isCooperative ||
      ttg::getNumCTAs(module) > 1 || module->hasAttr(ttg::numWarpsName) ||
      module->hasAttr(tt::readsNumWarpsName))
    return false;
  return !module
              ->walk([](tt::ElementwiseInlineAsmOp assembly) {
                return looksAtThreads(assembly.getAsmString()) ? mlir::WalkResult::interrupt()
                                                               : mlir::WalkResult::advance();
              })
              .wasInterrupted();
}

bool hasRoomForMoreWarps(const CompileRequest &request, const KernelInfo &asked) {
  constexpr unsigned most = 16;
  if (!asked.resources || asked.numWorkerWarps || 2 * request.numWarps > most)
    return false;
  BlockNeeds needs{2 * request.numWarps, asked.resources->registers, asked.sharedBytes};
  return countResidentBlocks(needs, request.target) != 0;
}

bool wantsMoreWarps(const KernelInfo &info) {
  constexpr uint64_t few = 64; // bytes
  return info.resources && info.resources->localBytes >= few;
}

/// That are resident at a time.
static unsigned countResidentWarps(const KernelInfo &info, const Target &target) {
  return countBlocks(info, target) * info.countWarps();
}

static StringRef getCode(const CompileResult &result) {
  StringRef cubin = result.stageOutput; // where that is what was asked for
  for (const Image &image : result.images)
    if (image.kind == Stage::Cubin)
      cubin = image.bytes;
  return findCode(cubin, result.info.symbol);
}

/// Of the machine code of all warps of a block together.
static size_t countCode(const CompileResult &result) {
  return result.info.countWarps() * getCode(result).size();
}

/// Of an H100, us, with 4 warps and with 8 (local memory of a thread with 4, and how much longer the code of
/// all warps together is with 8):
///
///     _fwd_kernel of dlblas                  950    280    1616 bytes
///     _project_output of miniworld-engine   67.6   20.0    2336 bytes
///     _opm_bwd_layernorm_gemm              177.4  119.8     832 bytes
///     gru_scan_bwd of gru-qat               7049   6144     472 bytes, 6 %
///     rmsnorm_adamod_bwd                    76.9   60.0     224 bytes, 4 %
///     _opm_bwd_epilogue_dx                 144.0  125.4     160 bytes, -2 %
///     _pwa_bwd_layernorm_gemm_dx_dlnw      126.5  159.5     184 bytes, 25 %   left alone
///     _deslice_bwd of flashslice           153.0  197.0     128 bytes, 17 %   left alone
///     _dsalt_bwd of dsalt                  147.5  217.2     320 bytes, 10 %   left alone
///
/// So little local memory is not worth it where much is computed by every warp, and by twice as many then.
/// Nor is more of it, up to a kilobyte, where that comes to more than a quarter, or two thirds if more warps
/// are resident; and a warp that is alone needs no barriers. On an H200, by as many warps as were asked for
/// and by twice as many:
///
///     parallel_path_fwd_kernel of fla        550.2  244.5     416 bytes, 16 %
///     _dsa_attn_kernel of exllamav3          190.6  120.3     416 bytes, 22 %
///     chunk_precond_kda_bwd_wy_dqkg of fla   422.8  349.3     552 bytes, 24 %
///     _ffpa_fwd_sm90_kernel of ffpa-attn     850.3  801.7     456 bytes, 21 %
///     _wig_bwd_kernel of fairchem            137.6  163.7     472 bytes, 31 %       left alone
///     _dsa_attn_split_kernel of exllamav3     40.2   56.8     448 bytes, 44 %       left alone
///     chunk_kda_fwd_inter_solve of fla       148.0  124.7     840 bytes, 12 %, one warp
///     another of them                         83.4   96.0     456 bytes, 15 %, one: left alone
///
/// Still less is worth it in loops of warp groups' products, as of attention, whose two blocks of 4 warps
/// become one in which all 8 wait for each other (code that is not longer, but for the last):
///
///     chunk_bwd_kernel_dqkwg of fla          233.0  192.2     336 bytes
///     _kernel of dlblas, an index            155.9  151.6     248 bytes            left alone
///     _fwd_kernel of ring-attention          259.7  337.3     208 bytes            left alone
///     kernel_unified_attention_2d of aiter   227.5  298.6     112 bytes            left alone
///     _attn_bwd_dkdv of modelopt             450.0  546.5     256 bytes, 8 %       left alone
///
/// And none where such loops keep all in registers: what is spilled once beside them is not what takes the
/// time. cut-cross-entropy's _cce_backward_kernel, which makes 128x128 gradients between its loops, took 9.0
/// ms by 4 warps with 456 bytes, and 13.5 by 8, on an H200.
bool isBetterWithMoreWarps(const CompileResult &more, const CompileResult &fewer, const Target &target) {
  constexpr uint64_t littleForProducts = 300, much = 1000; // bytes
  uint64_t localBytes = fewer.info.resources->localBytes;
  if (!more.info.resources || 2 * more.info.resources->localBytes > localBytes)
    return false;
  unsigned residentNow = countResidentWarps(fewer.info, target),
           resident = countResidentWarps(more.info, target);
  if (2 * resident < residentNow)
    return false;
  if ((localBytes < littleForProducts && hasWarpGroupProducts(getCode(fewer))) ||
      keepsProductLoopsInRegisters(getCode(fewer)))
    return false;
  uint64_t little = fewer.info.countWarps() == 1 ? 500 : 400;
  size_t code = countCode(more), codeNow = countCode(fewer);
  if (localBytes < little)
    return 20 * code <= 21 * codeNow;
  return localBytes >= much || (resident > residentNow ? 3 * code <= 5 * codeNow : 4 * code <= 5 * codeNow);
}

std::string describeMoreWarps(const KernelInfo &more, const KernelInfo &asked, const Target &target) {
  return "'" + asked.name + "' is run by " + std::to_string(more.numWarps) + " warps on " + target.str() +
         ", not by the " + std::to_string(asked.numWarps) + " asked for, of which each thread needs " +
         std::to_string(asked.resources->localBytes) +
         " bytes of local memory for what its registers do not hold (--exact-warps keeps them)";
}

void countAsWorkers(KernelInfo &info, unsigned numWarpsAsked) {
  info.numWorkerWarps = info.countWarps() - numWarpsAsked;
  info.numWarps = numWarpsAsked;
}

} // namespace nereid
