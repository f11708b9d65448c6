// ptxas has 38 MB, which take longer to read than a small kernel from the cache.
#include "toolkits/ToolMemory.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <mutex>
#include <sys/stat.h>

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

void ToolQuestion::addProgram(StringRef path) { add(digestOfTool(path)); }

static std::string readDigest(const std::string &path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return "";
  auto digest = BLAKE3::hash(arrayRefFromStringRef((*buffer)->getBuffer()));
  return std::string(digest.begin(), digest.end());
}

/// The same for a file that is so large that it is worth while to remember its digest: as long as it is the
/// same file of the same time, to which nothing was done since. What was written just now may be written once
/// more in the same tick of the clock.
static std::string readOrRecall(const std::string &path) {
  constexpr off_t large = 1 << 20;
  constexpr time_t recent = 10;
  ToolMemory *memory = ToolMemory::get();
  struct stat status;
  if (::stat(path.c_str(), &status) != 0)
    return "";
  if (!memory || status.st_size < large ||
      ::time(nullptr) - std::max(status.st_mtim.tv_sec, status.st_ctim.tv_sec) < recent)
    return readDigest(path);
  ToolQuestion question;
  question.add("digest");
  question.add(path);
  for (uint64_t number : {uint64_t(status.st_dev), uint64_t(status.st_ino), uint64_t(status.st_size),
                          uint64_t(status.st_mtim.tv_sec), uint64_t(status.st_mtim.tv_nsec),
                          uint64_t(status.st_ctim.tv_sec), uint64_t(status.st_ctim.tv_nsec)})
    question.add(utostr(number));
  if (std::optional<std::string> known = memory->find(question))
    return *known;
  std::string digest = readDigest(path);
  if (!digest.empty())
    memory->keep(question, {}, digest);
  return digest;
}

std::string digestOfTool(StringRef path) {
  static std::mutex mutex;
  static std::map<std::string, std::string> digests;
  std::lock_guard<std::mutex> lock(mutex);
  auto [known, isNew] = digests.try_emplace(path.str());
  if (isNew)
    known->second = readOrRecall(known->first);
  return known->second;
}

} // namespace nereid
