// Where the parts of the vendors' toolkits are that a build may use: NVIDIA's assembler, its packer of fat
// binaries and its math library, AMD's math libraries. All of them are optional until a kernel needs them.
// The compiler and the linker both look here, so that one toolkit serves both.
#ifndef NEREID_TOOLKITS_TOOLKITS_H
#define NEREID_TOOLKITS_TOOLKITS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace nereid {

/// NVIDIA's ptxas: the file that the environment variable NEREID_PTXAS names (an error if there is none), or
/// nothing if it says `none`; else bin/ptxas of CUDA_HOME or CUDA_PATH; else that on PATH; else that of
/// /usr/local/cuda, or of the newest /usr/local/cuda-X.Y. Empty if there is none.
llvm::Expected<std::string> findPtxas();

/// NVIDIA's fatbinary, found in the same way, with the variable NEREID_FATBINARY.
llvm::Expected<std::string> findFatbinary();

/// NVIDIA's nvdisasm, in the same way, with NEREID_NVDISASM: for those who want to see machine code.
llvm::Expected<std::string> findNvdisasm();

/// NVIDIA's libdevice.10.bc: NEREID_LIBDEVICE; else nvvm/libdevice of the toolkits in findPtxas's order.
/// Empty if there is none.
llvm::Expected<std::string> findLibdevice();

/// One of AMD's device libraries, such as `ocml.bc`: in the folder NEREID_ROCM_BITCODE; else amdgcn/bitcode
/// of ROCM_PATH; else what is installed with this program; else amdgcn/bitcode of /opt/rocm; else where
/// Debian has it. Empty if there is none.
llvm::Expected<std::string> findROCmLibrary(llvm::StringRef name);

} // namespace nereid

#endif // NEREID_TOOLKITS_TOOLKITS_H
