// More warps than were asked for, where those spill.
//
// Whoever writes num_warps=4 has rarely counted registers. A sum of 256x128 f32 takes 256 registers of each
// of 128 threads, and none has more than 255: what does not fit is stored to local memory and loaded again,
// in every round of a loop. With eight warps a thread has half of everything, and as a multiprocessor gives
// out its registers by threads, as many warps are resident as before. So such a program is compiled again for
// twice as many, and those run it if they need half of that local memory or less, and do not repeat too much
// of what one warp does for all. To callers nothing changes: the kernel keeps the num_warps that it was asked
// for, and the others are counted as numWorkerWarps.
//
// That is tried up to 16 warps, where the block then still fits a multiprocessor, and not
//
//   - where that was asked for (--exact-warps);
//   - where layouts are given, which are for a number of warps, or blocks of a cluster share a program;
//   - where a warp of its own copies tiles, so that registers are dealt out by other rules;
//   - where all programs have to be resident at a time: half as many would be;
//   - where the kernel asks how many warps run it, or its inline assembly may: its numbers may be what the
//     host has made room for.
#ifndef NEREID_COMPILER_DRIVER_MOREWARPS_H
#define NEREID_COMPILER_DRIVER_MOREWARPS_H

#include <string>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace nereid {

struct CompileRequest;
struct CompileResult;
struct KernelInfo;
struct Target;

/// Whether the compiler may choose how many warps run this program.
bool mayTakeMoreWarps(mlir::ModuleOp module, const CompileRequest &request);

/// Whether a block of twice as many warps as `request` has may fit a multiprocessor; `asked` is of the code
/// for so many as were asked for.
bool hasRoomForMoreWarps(const CompileRequest &request, const KernelInfo &asked);

/// Whether a thread's memory of its own is a reason to try.
bool wantsMoreWarps(const KernelInfo &info);

/// Whether the code for more warps is the better one.
bool isBetterWithMoreWarps(const CompileResult &more, const CompileResult &fewer, const Target &target);

/// What the user is told of it.
std::string describeMoreWarps(const KernelInfo &more, const KernelInfo &asked, const Target &target);

/// Counts what `info` has beyond the warps that were asked for as workers.
void countAsWorkers(KernelInfo &info, unsigned numWarpsAsked);

} // namespace nereid

#endif // NEREID_COMPILER_DRIVER_MOREWARPS_H
