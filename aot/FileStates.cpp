// See FileStates.h.
#include "aot/FileStates.h"

#include "compiler/model/FilesRead.h"
#include "compiler/model/InputFile.h"

using namespace llvm;

namespace nereid {

std::string FileStates::get(StringRef path) {
  std::lock_guard<std::mutex> lock(mutex);
  std::string &digest = digests[path.str()];
  if (digest.empty()) {
    if (auto buffer = readInputFile(path, largestText))
      digest = digestOf((*buffer)->getBuffer());
    else
      consumeError(buffer.takeError());
  }
  return digest;
}

bool FileStates::add(StringRef path, StringRef digest, Diagnostics &diagnostics) {
  std::lock_guard<std::mutex> lock(mutex);
  std::string &known = digests[path.str()];
  if (known.empty())
    known = digest.str();
  if (known == digest)
    return true;
  if (reported.insert(path.str()).second)
    diagnostics.error("'" + path + "' changed while it was being compiled: compile it again");
  return false;
}

bool FileStates::haveChanged() const {
  std::lock_guard<std::mutex> lock(mutex);
  return !reported.empty();
}

} // namespace nereid
