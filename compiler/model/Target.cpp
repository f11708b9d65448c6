// The one place where the names of targets are read; what there is comes from the table of back ends.
#include "compiler/model/Target.h"

#include "compiler/model/Backends.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid {

ArrayRef<KnownTarget> getKnownTargets() {
  static const std::vector<KnownTarget> all = [] {
    std::vector<KnownTarget> list;
    for (const BackendInfo &backend : getBackends())
      list.insert(list.end(), backend.targets.begin(), backend.targets.end());
    return list;
  }();
  return all;
}

std::string Target::str() const { return std::string(getBackendInfo(backend).name) + ":" + arch; }

unsigned Target::getComputeCapability() const {
  return backend == Backend::CUDA ? getArchNumber(*this).number : 0;
}

bool Target::hasInstructionsOfItsOwn() const {
  return backend == Backend::CUDA && getArchNumber(*this).suffix != '\0';
}

static std::string hostCPUArch() {
#if defined(__aarch64__)
  return "aarch64";
#else
  return "x86-64-v2";
#endif
}

/// For the error that lists what would have been right.
static std::string namesOf(const BackendInfo &backend) {
  SmallVector<StringRef> names;
  for (const KnownTarget &known : backend.targets)
    names.push_back(known.name);
  return join(names, ", ");
}

/// `cpu, cuda:ARCH or hip:ARCH`
static std::string namesOfBackends() {
  std::string text;
  for (const BackendInfo &backend : getBackends()) {
    bool isLast = &backend == &getBackends().back();
    text += (text.empty() ? ""
             : isLast     ? " or "
                          : ", ") +
            std::string(backend.name) + (backend.backend == Backend::CPU ? "" : ":ARCH");
  }
  return text;
}

Expected<Target> Target::parse(StringRef text) {
  SmallVector<StringRef> fields;
  text.trim().split(fields, ':');
  const BackendInfo *backend = findBackend(fields[0]);
  if (!backend)
    return createStringError("unknown target '" + text.trim() + "': expected " + namesOfBackends());
  if (fields.size() > 3)
    return createStringError("target '" + text.trim() +
                             "' has too many fields: expected BACKEND:ARCH[:WARP_SIZE]");

  Target target;
  target.backend = backend->backend;
  if (fields.size() == 1 && target.backend == Backend::CPU)
    target.arch = hostCPUArch();
  else if (fields.size() == 1 || fields[1].empty())
    return createStringError("target '" + text.trim() + "' names no architecture: expected one of " +
                             namesOf(*backend));
  else
    target.arch = fields[1].str();

  if (none_of(backend->targets, [&](const KnownTarget &known) { return target.str() == known.name; }))
    return createStringError("unknown target '" + text.trim() + "': expected one of " + namesOf(*backend));

  target.warpSize = backend->getWarpSize(target.arch);
  if (fields.size() == 3) {
    unsigned warpSize = 0;
    if (fields[2].getAsInteger(10, warpSize) || warpSize != target.warpSize)
      return createStringError("target '" + text.trim() + "': a warp of " + target.str() + " has " +
                               Twine(target.warpSize) + " lanes, not " + fields[2]);
  }
  return target;
}

Expected<std::vector<Target>> Target::parseGroup(StringRef text) {
  std::vector<Target> targets;
  if (text.trim() == "cpu" && hostCPUArch() == "x86-64-v2") {
    for (const char *level : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
      targets.push_back({Backend::CPU, level, 1});
    return targets;
  }
  Expected<Target> target = parse(text);
  if (!target)
    return target.takeError();
  targets.push_back(*target);
  return targets;
}

// From the vendors' tables. On NVIDIA GPUs each block loses one KiB of a multiprocessor's memory to the
// driver.
unsigned getSharedMemoryLimit(const Target &target) {
  constexpr unsigned kib = 1024;
  if (target.backend == Backend::HIP)
    return (target.arch == "gfx950" ? 160 : 64) * kib;
  switch (target.getComputeCapability()) {
  case 75:
    return 64 * kib;
  case 80:
  case 87:
    return 163 * kib;
  case 90:
  case 100:
  case 103:
    return 227 * kib;
  default: // 86, 89, 120, 121: the GPUs of work stations
    return 99 * kib;
  }
}

} // namespace nereid
