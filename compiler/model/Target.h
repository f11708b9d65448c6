// What an image is compiled for: `cpu:x86-64-v3`, `cuda:90a`, `hip:gfx942`.
//
// The text form is the contract of the command line. A target names a back end, an architecture in that back
// end's own words, and the number of lanes that run together (the warp, or wave). CPU code has no warps; its
// warp size is 1.
#ifndef NEREID_COMPILER_MODEL_TARGET_H
#define NEREID_COMPILER_MODEL_TARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace nereid {

enum class Backend { CPU, CUDA, HIP };

struct Target {
  Backend backend = Backend::CPU;
  /// `x86-64-v3`, `aarch64`; `80`, `90a`; `gfx942`.
  std::string arch;
  unsigned warpSize = 1;

  bool isGPU() const { return backend != Backend::CPU; }
  /// The compute capability as a number, 80 for `80` and 90 for `90a`; 0 where the back end is not CUDA.
  unsigned getComputeCapability() const;

  /// Whether code for it may have instructions of one architecture or family of NVIDIA's alone: 90a, 100f.
  bool hasInstructionsOfItsOwn() const;

  /// The form that parse() reads, without the warp size: `cuda:90a`.
  std::string str() const;

  friend bool operator==(const Target &a, const Target &b) {
    return a.backend == b.backend && a.arch == b.arch && a.warpSize == b.warpSize;
  }

  /// Reads one target. The error says what is unknown and what there is instead.
  static llvm::Expected<Target> parse(llvm::StringRef text);

  /// Reads one element of a TARGETS list, which may stand for several targets: plain `cpu` on x86-64 is the
  /// three levels x86-64-v2, -v3 and -v4, of which the library takes the best at load time.
  static llvm::Expected<std::vector<Target>> parseGroup(llvm::StringRef text);
};

/// Every target that parse() accepts, in the order that `nereid targets` lists them, with a few words on
/// each.
struct KnownTarget {
  const char *name;
  const char *description;
};
llvm::ArrayRef<KnownTarget> getKnownTargets();

/// The most shared memory that a block may have on a GPU, in bytes.
unsigned getSharedMemoryLimit(const Target &target);

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_TARGET_H
