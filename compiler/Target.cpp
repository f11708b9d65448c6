// The table of targets, and the one place where their names are read.
#include "compiler/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid {

// Warp sizes: NVIDIA 32 always; AMD's CDNA (gfx9) waves have 64 lanes, RDNA (gfx10 and later) 32.
static const KnownTarget knownTargets[] = {
    {"cpu", "this processor family, every level below, the best chosen at load time"},
    {"cpu:x86-64-v2", "x86-64 with SSE4.2"},
    {"cpu:x86-64-v3", "x86-64 with AVX2, FMA and F16C"},
    {"cpu:x86-64-v4", "x86-64 with AVX-512"},
    {"cpu:aarch64", "64-bit Arm with NEON"},
    {"cuda:75", "NVIDIA Turing"},
    {"cuda:80", "NVIDIA Ampere, A100"},
    {"cuda:86", "NVIDIA Ampere, GeForce 30"},
    {"cuda:87", "NVIDIA Ampere, Jetson Orin"},
    {"cuda:89", "NVIDIA Ada"},
    {"cuda:90", "NVIDIA Hopper, code that later GPUs run too"},
    {"cuda:90a", "NVIDIA Hopper with its own matrix and copy instructions"},
    {"cuda:100", "NVIDIA Blackwell, B200"},
    {"cuda:100a", "NVIDIA Blackwell, B200, with its own instructions"},
    {"cuda:103", "NVIDIA Blackwell Ultra, B300"},
    {"cuda:103a", "NVIDIA Blackwell Ultra, B300, with its own instructions"},
    {"cuda:120", "NVIDIA Blackwell, GeForce 50"},
    {"cuda:120a", "NVIDIA Blackwell, GeForce 50, with its own instructions"},
    {"cuda:121", "NVIDIA Blackwell, GB10"},
    {"cuda:121a", "NVIDIA Blackwell, GB10, with its own instructions"},
    {"hip:gfx90a", "AMD CDNA 2, MI200"},
    {"hip:gfx942", "AMD CDNA 3, MI300"},
    {"hip:gfx950", "AMD CDNA 4, MI350"},
    {"hip:gfx1100", "AMD RDNA 3, Radeon RX 7900"},
    {"hip:gfx1101", "AMD RDNA 3, Radeon RX 7800"},
    {"hip:gfx1151", "AMD RDNA 3.5, Ryzen AI Max"},
    {"hip:gfx1200", "AMD RDNA 4, Radeon RX 9060"},
    {"hip:gfx1201", "AMD RDNA 4, Radeon RX 9070"},
};

ArrayRef<KnownTarget> getKnownTargets() { return knownTargets; }

static const char *backendName(Backend backend) {
  switch (backend) {
  case Backend::CPU:
    return "cpu";
  case Backend::CUDA:
    return "cuda";
  case Backend::HIP:
    return "hip";
  }
  return "";
}

std::string Target::str() const { return std::string(backendName(backend)) + ":" + arch; }

unsigned Target::getComputeCapability() const {
  unsigned value = 0;
  if (backend == Backend::CUDA)
    StringRef(arch).take_while(isDigit).getAsInteger(10, value);
  return value;
}

static std::string hostCPUArch() {
#if defined(__aarch64__)
  return "aarch64";
#else
  return "x86-64-v2";
#endif
}

/// The names of the targets of one back end, for the error that lists what would have been right.
static std::string namesOf(StringRef backend) {
  SmallVector<StringRef> names;
  for (const KnownTarget &known : knownTargets)
    if (StringRef(known.name).split(':').first == backend)
      names.push_back(known.name);
  return join(names, ", ");
}

Expected<Target> Target::parse(StringRef text) {
  SmallVector<StringRef> fields;
  text.trim().split(fields, ':');
  Target target;
  StringRef backend = fields[0];
  if (backend == "cpu")
    target.backend = Backend::CPU;
  else if (backend == "cuda")
    target.backend = Backend::CUDA;
  else if (backend == "hip")
    target.backend = Backend::HIP;
  else
    return createStringError("unknown target '" + text.trim() + "': expected cpu, cuda:ARCH or hip:ARCH");
  if (fields.size() > 3)
    return createStringError("target '" + text.trim() +
                             "' has too many fields: expected BACKEND:ARCH[:WARP_SIZE]");

  if (fields.size() == 1 && target.backend == Backend::CPU)
    target.arch = hostCPUArch();
  else if (fields.size() == 1 || fields[1].empty())
    return createStringError("target '" + text.trim() + "' names no architecture: expected one of " +
                             namesOf(backend));
  else
    target.arch = fields[1].str();

  if (none_of(knownTargets, [&](const KnownTarget &known) { return target.str() == known.name; }))
    return createStringError("unknown target '" + text.trim() + "': expected one of " + namesOf(backend));

  if (target.backend == Backend::CUDA)
    target.warpSize = 32;
  else if (target.backend == Backend::HIP)
    target.warpSize = StringRef(target.arch).starts_with("gfx9") ? 64 : 32;
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

} // namespace nereid
