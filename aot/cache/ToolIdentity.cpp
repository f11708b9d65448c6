// Build IDs cost nothing to read, as they are in memory with the program's other notes; LLVM's library has a
// hundred megabytes. Contents, and not paths and times, stand for the vendors' files, so that machines that
// have the same toolkit in different places share what they compile.
#include "aot/cache/ToolIdentity.h"

#include "aot/cache/Fingerprint.h"
#include "toolkits/ToolMemory.h"
#include "toolkits/Toolkits.h"

#include "llvm/Support/Alignment.h"

#include <elf.h>
#include <link.h>
#include <mutex>

using namespace llvm;

namespace nereid {

/// The build ID among the notes of a loaded program or library; empty if there is none.
static StringRef findBuildID(const dl_phdr_info &info) {
  for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE)
      continue;
    StringRef notes(reinterpret_cast<const char *>(info.dlpi_addr + segment.p_vaddr), segment.p_memsz);
    while (notes.size() >= sizeof(ElfW(Nhdr))) {
      ElfW(Nhdr) note;
      memcpy(&note, notes.data(), sizeof note);
      size_t nameSize = alignTo(note.n_namesz, Align(4)), size = alignTo(note.n_descsz, Align(4));
      if (notes.size() < sizeof note + nameSize + size)
        break;
      StringRef name = notes.substr(sizeof note, note.n_namesz);
      if (note.n_type == NT_GNU_BUILD_ID && name == StringRef("GNU\0", 4))
        return notes.substr(sizeof note + nameSize, note.n_descsz);
      notes = notes.drop_front(sizeof note + nameSize + size);
    }
  }
  return "";
}

static int addObject(dl_phdr_info *info, size_t, void *data) {
  std::string &text = *static_cast<std::string *>(data);
  StringRef path(info->dlpi_name);
  // The kernel's own part of every process, which is no file.
  if (path.starts_with("linux-vdso") || path.starts_with("linux-gate"))
    return 0;
  StringRef buildID = findBuildID(*info);
  std::string identity = buildID.str();
  if (identity.empty())
    identity = digestOfTool(path.empty() ? "/proc/self/exe" : path);
  text += std::to_string(identity.size()) + ":" + identity;
  return 0;
}

const std::string &getOwnIdentity() {
  static const std::string identity = [] {
    std::string text;
    dl_iterate_phdr(addObject, &text);
    return fingerprintOf(text);
  }();
  return identity;
}

/// What a file's path stands for: which is empty where there is none.
static bool addFile(Expected<std::string> path, std::string &text) {
  if (!path) {
    consumeError(path.takeError());
    return false;
  }
  if (path->empty()) {
    text += "none;";
    return true;
  }
  std::string digest = digestOfTool(*path);
  text += digest;
  return !digest.empty();
}

static std::optional<std::string> identifyToolkit(Backend backend) {
  std::string text;
  bool ok = true;
  switch (backend) {
  case Backend::CPU:
    break;
  case Backend::CUDA:
    ok = addFile(findPtxas(), text) && addFile(findLibdevice(), text);
    break;
  case Backend::HIP:
    ok = addFile(findROCmLibrary("ocml.bc"), text) && addFile(findROCmLibrary("ockl.bc"), text);
    break;
  }
  return ok ? std::optional(fingerprintOf(text)) : std::nullopt;
}

std::optional<std::string> getToolkitIdentity(Backend backend) {
  static std::mutex mutex;
  static std::optional<std::optional<std::string>> known[3];
  std::lock_guard<std::mutex> lock(mutex);
  auto &entry = known[static_cast<unsigned>(backend)];
  if (!entry)
    entry = identifyToolkit(backend);
  return *entry;
}

} // namespace nereid
