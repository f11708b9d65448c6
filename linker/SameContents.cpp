// Sizes are compared first, as files that change mostly do so in size as well.
#include "linker/SameContents.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace nereid {

/// Null where it is no regular file, or has another size.
static std::unique_ptr<MemoryBuffer> open(StringRef path, uint64_t size) {
  sys::fs::file_status status;
  if (sys::fs::status(path, status) || status.type() != sys::fs::file_type::regular_file ||
      status.getSize() != size)
    return nullptr;
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return buffer ? std::move(*buffer) : nullptr;
}

bool hasContents(StringRef path, StringRef bytes) {
  std::unique_ptr<MemoryBuffer> buffer = open(path, bytes.size());
  return buffer && buffer->getBuffer() == bytes;
}

bool haveSameContents(StringRef path, StringRef other) {
  uint64_t size = 0;
  if (sys::fs::file_size(other, size))
    return false;
  std::unique_ptr<MemoryBuffer> buffer = open(other, size);
  return buffer && hasContents(path, buffer->getBuffer());
}

} // namespace nereid
