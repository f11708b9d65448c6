// A program is read once in a process; a fatbinary of megabytes would be too much to read for each image.
#include "toolkits/ToolMemory.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>
#include <mutex>

using namespace llvm;

namespace nereid {

static ToolMemory *processMemory = nullptr;

ToolMemory::~ToolMemory() = default;

ToolMemory *ToolMemory::get() { return processMemory; }

void ToolMemory::set(ToolMemory *memory) { processMemory = memory; }

void ToolQuestion::add(StringRef part) {
  text += utostr(part.size()) + ":";
  text += part;
}

void ToolQuestion::addProgram(StringRef path) {
  static std::mutex mutex;
  static std::map<std::string, std::string> digests;
  std::lock_guard<std::mutex> lock(mutex);
  auto [known, isNew] = digests.try_emplace(path.str());
  if (isNew)
    if (auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false)) {
      auto digest = BLAKE3::hash(arrayRefFromStringRef((*buffer)->getBuffer()));
      known->second.assign(digest.begin(), digest.end());
    }
  add(known->second);
}

} // namespace nereid
