// What the vendors' machine code says of itself: whether it is what was asked for, and what a thread needs.
#ifndef NEREID_COMPILER_TARGETS_MACHINECODE_H
#define NEREID_COMPILER_TARGETS_MACHINECODE_H

#include "compiler/model/KernelInfo.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace nereid {

struct Target;

/// Whether `bytes` is a whole ELF file for NVIDIA GPUs of this compute capability (90) that defines the
/// function `symbol`; the error says what is wrong.
llvm::Error checkCubin(llvm::StringRef bytes, unsigned computeCapability, llvm::StringRef symbol);

/// The machine code of the function `symbol` in a cubin; empty if it is not there.
llvm::StringRef findCode(llvm::StringRef cubin, llvm::StringRef symbol);

/// Whether there are products of warp groups (HGMMA and its like), in machine code of sm_90a.
bool hasWarpGroupProducts(llvm::StringRef code);

/// Whether there are loops of such products, and none of them reaches for local memory.
bool keepsProductLoopsInRegisters(llvm::StringRef code);

/// Whether threads may part between two products of warp groups of one loop, in machine code of sm_90a:
/// whether there is a branch between the first and the last of them.
bool branchesAmongProducts(llvm::StringRef code);

/// How many instructions load from global memory (LDG), in machine code of NVIDIA's GPUs.
size_t countGlobalLoads(llvm::StringRef code);

/// How many of them stand behind a store to memory on chip (STS) with no barrier or branch between: a store
/// waits for what was loaded for it, so that these loads start only when others have ended.
size_t countLoadsBehindStores(llvm::StringRef code);

/// How many of them stand behind a wait for another one, with no barrier or branch between: they start only
/// when that has ended.
size_t countLoadsBehindWaits(llvm::StringRef code);

/// The same of those in loops.
size_t countLoopLoadsBehindWaits(llvm::StringRef code);

/// How often threads wait for loads before they start others, with no barrier or branch between.
size_t countWaitsBetweenLoads(llvm::StringRef code);

/// The version in `Cuda compilation tools, release 13.0, V13.0.88`; empty if there is none.
std::string readToolVersion(llvm::StringRef text);

/// The version of the ptxas that made a cubin, `13.0.88`; empty where it does not say (before CUDA 13).
std::string readAssemblerVersion(llvm::StringRef cubin);

/// The figures in what `ptxas -v` prints, of a kernel and the functions it calls; nothing if they are not
/// there.
std::optional<KernelResources> readPtxasReport(llvm::StringRef output);

/// The same from the metadata of an AMD code object with one kernel.
std::optional<KernelResources> readCodeObjectResources(llvm::StringRef bytes);

/// Says so if not everything fitted into registers: the kernel runs, but more slowly.
void warnOfSpills(const KernelInfo &info, const Target &target, std::vector<std::string> &warnings);

/// Says so if a factor of products may have been lost (branchesAmongProducts) and there is no other way.
void warnOfLostFactors(const KernelInfo &info, const Target &target, std::vector<std::string> &warnings);

/// Says what ptxas could not compile as it was meant, and therefore made slower: above all products of warp
/// groups (wgmma) that wait for one another. `output` is what `ptxas -v` prints.
void warnOfSlowCode(llvm::StringRef output, const KernelInfo &info, const Target &target,
                    std::vector<std::string> &warnings);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_MACHINECODE_H
