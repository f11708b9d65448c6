// Files that the user names as input.
//
// Only regular files are read, and only up to a size: a device or a pipe under the name of a source would
// hang the tool or fill the memory, and so would a file of a terabyte.
#ifndef NEREID_COMPILER_MODEL_INPUTFILE_H
#define NEREID_COMPILER_MODEL_INPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <memory>

namespace nereid {

/// In bytes: for text that is compiled, and for everything else (arrays, kernel objects, libraries).
constexpr uint64_t largestText = uint64_t(64) << 20;
constexpr uint64_t largestInput = uint64_t(4) << 30;

/// Reads a file. The error names it: "cannot open 'x.npy': it is a pipe".
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readInputFile(llvm::StringRef path, uint64_t largest = largestInput, bool isText = false);

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_INPUTFILE_H
