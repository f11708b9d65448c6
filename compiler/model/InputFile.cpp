// Looks before it opens: to open a pipe is to wait for somebody who writes to it.
#include "compiler/model/InputFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace nereid {

/// What stands under the name, where it is no regular file.
static StringRef describe(sys::fs::file_type type) {
  switch (type) {
  case sys::fs::file_type::directory_file:
    return "it is a directory";
  case sys::fs::file_type::character_file:
  case sys::fs::file_type::block_file:
    return "it is a device";
  case sys::fs::file_type::fifo_file:
    return "it is a pipe";
  case sys::fs::file_type::socket_file:
    return "it is a socket";
  default:
    return "it is not a regular file";
  }
}

static std::string describeSize(uint64_t bytes) {
  return bytes >> 30 ? utostr(bytes >> 30) + " GiB" : utostr(bytes >> 20) + " MiB";
}

Expected<std::unique_ptr<MemoryBuffer>> readInputFile(StringRef path, uint64_t largest, bool isText) {
  auto fail = [&](const Twine &reason) { return createStringError("cannot open '" + path + "': " + reason); };
  sys::fs::file_status status;
  if (std::error_code code = sys::fs::status(path, status))
    return fail(code.message());
  if (status.type() != sys::fs::file_type::regular_file)
    return fail(describe(status.type()));
  if (status.getSize() > largest)
    return fail("it is larger than " + describeSize(largest));
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/isText);
  if (!buffer)
    return fail(buffer.getError().message());
  return std::move(*buffer);
}

} // namespace nereid
