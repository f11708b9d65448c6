// What a back end is, as data: one row for each, which everything reads that needs to know more of one than
// its code.
//
// The compiler asks for stages, limits and LLVM's names of a target; the linker for what goes into kernel
// objects and which loader's text goes into a library; the command line for what there is. Which code serves
// a back end is in compiler/targets/Registry.cpp.
#ifndef NEREID_COMPILER_MODEL_BACKENDS_H
#define NEREID_COMPILER_MODEL_BACKENDS_H

#include "compiler/model/Stage.h"
#include "compiler/model/Target.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace nereid {

struct BackendInfo {
  Backend backend;
  /// As targets are spelled: `cuda` of `cuda:90a`. Generated code has it too: NRD_CUDA, nrd_cuda_launch.
  const char *name;
  /// In the order in which a kernel passes them; the last two are the code as text and as an image.
  llvm::ArrayRef<Stage> stages;
  /// Every target, in the order that `nereid targets` lists them; one that stands for several has no `:`.
  llvm::ArrayRef<KnownTarget> targets;
  /// The text under templates/ that loads and launches its images, without the ending.
  const char *loader;
  /// Of a block, at most; 0 where there are no blocks.
  unsigned maxThreads;
  /// The kind of image in a kernel object, as llvm/Object/OffloadBinary.h numbers them.
  uint16_t offloadKind;
  /// Lanes of a warp, and bytes of shared memory that a block may have.
  unsigned (*getWarpSize)(llvm::StringRef arch);
  unsigned (*getSharedMemoryLimit)(const Target &target);
  /// LLVM's name of the processor and its triple: `sm_90a`, `nvptx64-nvidia-cuda`.
  std::string (*getProcessor)(llvm::StringRef arch);
  const char *(*getTriple)(llvm::StringRef arch);
};

llvm::ArrayRef<BackendInfo> getBackends();
const BackendInfo &getBackendInfo(Backend backend);
/// By its name in targets; null if there is none of that name.
const BackendInfo *findBackend(llvm::StringRef name);

/// An architecture taken apart, as loaders compare them: 90 and 'a' for `90a`, 3 for `x86-64-v3`; 0 where it
/// has no number.
struct ArchNumber {
  unsigned number = 0;
  char suffix = 0;
};
ArchNumber getArchNumber(const Target &target);

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_BACKENDS_H
