// GPU images in the containers of the vendors, so that the vendors' own tools find and list them in a shipped
// library, and their drivers load them: NVIDIA's fatbin (ELF section .nv_fatbin), and Clang's offload bundle
// (.hip_fatbin).
#ifndef NEREID_LINKER_FATBINARY_H
#define NEREID_LINKER_FATBINARY_H

#include "linker/KernelObject.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace nereid {

/// How GPU images are kept smaller than they are. Drivers unpack them when they load them.
enum class Compression {
  None,
  /// For NVIDIA's GPUs LZ4, which every driver reads.
  Speed,
  /// For NVIDIA's GPUs Zstandard, which drivers as new as the toolkit read.
  Size
};

/// Something that cuModuleLoadData accepts.
struct CudaBinary {
  std::string bytes;
  /// What is inside.
  bool hasMachineCode = false;
  bool hasPTX = false;
};

/// Packs the images of one target: all in one fatbin that the tool at `fatbinary` writes, or, where that is
/// empty, each by itself. One binary holds
/// the code of one target and no other, so that the driver has nothing left to choose and the resources that
/// a launch reserves are those of the code that runs.
llvm::Expected<std::vector<CudaBinary>> packCuda(const TargetCode &code, llvm::StringRef fatbinary,
                                                 Compression compression = Compression::None);

/// An offload bundle, and where in it each code object begins.
struct HipBundle {
  std::string bytes;
  std::vector<uint64_t> offsets;
};
HipBundle packHip(llvm::ArrayRef<const TargetCode *> codes);

/// A bundle of one code object, compressed as `clang --offload-compress` does, which hipModuleLoadData takes.
llvm::Expected<std::string> packHipCompressed(const TargetCode &code);

/// The alignment that a bundle's code objects have in it, and so must have itself.
constexpr uint64_t hipBundleAlignment = 4096;

} // namespace nereid

#endif // NEREID_LINKER_FATBINARY_H
