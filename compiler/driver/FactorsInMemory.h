// Left factors of warp groups' products in memory on chip, where registers for them cost blocks or spill.
//
// A factor that stays in registers from one product to the next is the fastest there is: the matrix unit
// reads factors in memory more slowly. But a second block of eight warps, or a third one of four, computes
// while the other one multiplies. So where the registers of such factors, or of those that other operations
// take as well, are what one more block lacks, or what others of the kernel's numbers lack, the kernel is
// compiled with them in memory, too, and the better code is taken. Of an H200, in registers and in memory
// (registers, blocks, us):
//
//     sglang's _fwd_kernel                   183, 1, 770        125, 2, 594
//     flash-colreduce's kernel               198, 2, 310        168, 3, 268
//     fastvideo's _attn_bwd_dkdv             224, 2, 340        168, 3, 278    32 bytes spilled
//     vllm's _fwd_kernel_alibi               255, 1, 1242       255, 1, 967    272 bytes spilled, and 40
//     fa2-custom-mask's _attn_fwd            218, 2, 65         168, 3, 68     256 programs
//     sageattention's _attn_fwd              249, 2, 208        168, 3, 170
//     mlstm-kernels' fw_H                    253, 2, 42         166, 3, 45
//
// Of 33 that found room for a fourth block or more, 15 gained and 16 lost; of nine that spilled less than 64
// bytes, six lost. From more than 240 registers, few come down to the 168 of a third block: five of 48.
//
// A fourth block or more is as often worse as better where all have as many turns, but not where one is
// spared, so that is a form of its own, for such grids. dsalt's _dsalt_fwd_kernel, 520 programs, of an H200:
// 166 registers, 3 blocks and 2 turns, 34.2 us; 128, 4 and 1, 30.0.
#ifndef NEREID_COMPILER_DRIVER_FACTORSINMEMORY_H
#define NEREID_COMPILER_DRIVER_FACTORSINMEMORY_H

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace nereid {

struct CompileResult;
struct KernelInfo;
struct Target;

/// Whether code with such factors in memory is worth a try.
bool mayWantFactorsInMemory(mlir::ModuleOp module, const CompileResult &result, const Target &target);

bool isBetterWithFactorsInMemory(const KernelInfo &other, const KernelInfo &now, const Target &target);

/// Whether a form for fewer turns may be one with those factors in memory.
bool mayHaveFewerTurnsWithFactorsInMemory(mlir::ModuleOp module, const CompileResult &result,
                                          const Target &target);

} // namespace nereid

#endif // NEREID_COMPILER_DRIVER_FACTORSINMEMORY_H
