// Where the parts of the vendors' toolkits are that a build may use: NVIDIA's assembler and math library,
// AMD's math libraries. All of them are optional until a kernel needs them.
#ifndef NEREID_COMPILER_TARGETS_TOOLKITS_H
#define NEREID_COMPILER_TARGETS_TOOLKITS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace nereid {

/// NVIDIA's ptxas: the file that the environment variable NEREID_PTXAS names (an error if there is none), or
/// nothing if it says `none`; else bin/ptxas of CUDA_HOME or CUDA_PATH; else that on PATH; else that of
/// /usr/local/cuda, or of the newest /usr/local/cuda-X.Y. Empty if there is none.
llvm::Expected<std::string> findPtxas();

/// NVIDIA's libdevice.10.bc: NEREID_LIBDEVICE; else nvvm/libdevice of the toolkits in findPtxas's order.
/// Empty if there is none.
llvm::Expected<std::string> findLibdevice();

/// One of AMD's device libraries, such as `ocml.bc`: in the folder NEREID_ROCM_BITCODE; else amdgcn/bitcode
/// of ROCM_PATH; else of /opt/rocm; else where Debian has it. Empty if there is none.
llvm::Expected<std::string> findROCmLibrary(llvm::StringRef name);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_TOOLKITS_H
