// The kernel object, FILE.nko: what `nereid compile` writes and `nereid link` reads.
//
// One kernel object is one kernel under one signature, compiled for any number of targets. On disk it is a
// sequence of LLVM offload binaries, one an image, so `llvm-offload-binary FILE.nko` lists and unpacks it;
// the triple and the architecture are where that tool expects them, and everything else is one JSON text
// under the key "nereid" (the format is described in KernelObject.cpp). For example, a kernel compiled for
// cuda:90a and cpu:x86-64-v3 gives three images: a cubin, the PTX that it was assembled from, and an ELF
// object for the CPU.
//
// Nothing else passes between the compiling and the linking side, so a kernel object is complete: it can be
// kept, copied to another machine, and linked into several libraries.
#ifndef NEREID_LINKER_KERNELOBJECT_H
#define NEREID_LINKER_KERNELOBJECT_H

#include "compiler/model/KernelInfo.h"
#include "compiler/model/Target.h"
#include "linker/Provenance.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nereid {

enum class ImageFormat { Cubin, PTX, HSACO, Object };

/// `cubin`, `ptx`, `hsaco`, `obj`: the same words as the stages of `--emit`.
llvm::StringRef getImageFormatName(ImageFormat format);

/// The key, true where there is one, of what JSON says of another form than the first: `for_few_programs`,
/// `for_fewer_turns`, `for_small_grids`.
const char *getFormKey(FormUse use);

struct KernelImage {
  ImageFormat format = ImageFormat::Object;
  std::string bytes;
};

/// What one target contributes: its images, and what is known about launching them. There may be several
/// forms of one target's code, one behind the other.
struct TargetCode {
  Target target;
  /// Only the first form has stages.
  FormUse use = FormUse::Other;
  /// Parameter names, types and constants are the same in every target of one kernel object; the resources
  /// differ.
  KernelInfo info;
  /// CUDA: the cubin, the PTX, or both. HIP: the code object. CPU: the ELF object.
  std::vector<KernelImage> images;
  /// What the command line or the manifest set for this target and not for all: `num_warps=8, BLOCK=64`.
  std::string settings;
  /// The stages on the way to the images (StageArchive.h), if they were kept.
  std::string stages;

  bool isOtherForm() const { return use != FormUse::Other; }
};

/// Of a variant that is one of several to be measured: what it was made of. Calls cannot tell such variants
/// apart, and need not, as they compute the same.
struct Tuning {
  /// What those of one kind have in common: the signature that they were made of, and its condition.
  std::string base;
  /// What was chosen for this one, each as the text of a value: compile-time parameters and options, `BLOCK`
  /// and `64`, `num_warps` and `4`.
  std::vector<std::pair<std::string, std::string>> values;
  /// The arguments on which it depends which variant is the best, as @triton.autotune's key names them. May
  /// be empty.
  std::vector<std::string> key;

  bool operator==(const Tuning &other) const {
    return base == other.base && values == other.values && key == other.key;
  }
};

/// A target that has too little of something for the variant, so that there is no code for it.
struct TargetMisfit {
  Target target;
  /// What the variant needs and the target has: `it needs … bytes of shared memory for a block, and cuda:75
  /// has …`.
  std::string reason;
  /// Whether the target may do without it, for that or another reason, as whoever compiled it has said.
  bool isOptional = false;
};

/// Which part of a divided build an object is, so that a link knows whether all is there.
struct BuildShare {
  /// The same for all parts of a build, and for no other.
  std::string build;
  /// The number of the variant, from 0, and how many the build has.
  uint64_t variant = 0, variants = 0;
  /// The shard that it was compiled in, from 1, of how many, and how many variants that shard has.
  uint64_t shard = 0, shards = 0, variantsOfShard = 0;
};

struct KernelObject {
  /// The file this was read from, or the source if it was not; for messages, not stored.
  std::string path;
  /// Where the signature stands, if it was just compiled; not stored.
  llvm::SMRange signatureRange;
  /// The kernel source, as it was named to the compiler.
  std::string sourcePath;
  /// Specialization::str() of the signature it was compiled for.
  std::string signature;
  /// The name of the C function; empty for the kernel's own. With it, one kernel compiled for different types
  /// can be several functions, which C needs to tell apart by name.
  std::string function;
  /// The text of the grid expression, or empty if the caller always gives the grid.
  std::string grid;
  /// A condition in the grid's language under which the variant may take a call, or empty.
  std::string when;
  /// The parameters that callers pass although variants have them as compile-time values: by them calls
  /// choose.
  std::vector<std::string> dispatch;
  /// What of a call from Python follows from its tensors, in the language of PythonCall.h, or empty.
  std::string python;
  /// The name of the generic C function that `function` is the one of some types of, or empty.
  std::string family;
  std::optional<Tuning> tuning;
  std::optional<BuildShare> share;
  /// The number of the configuration of @triton.autotune that it was compiled with.
  std::optional<unsigned> config;
  /// What the user had names of the source mean, `BLOCK=64`.
  std::vector<std::string> definitions;
  /// What a recording of a program knows of the variant, for whoever serves the program from the library: the
  /// text of a JSON object, or empty.
  std::string recorded;
  /// Identifies what went in (source, options, compiler), for caches. May be empty.
  std::string hash;
  Provenance provenance;
  std::vector<TargetCode> targets;
  std::vector<TargetMisfit> misfits;
  /// Whether the signature has values that are for the targets alone, so that other signatures may have
  /// become the same by them.
  bool isAdapted = false;
  /// Where there is no code; see getKernelName.
  std::string kernelWithoutCode;

  /// The kernel's name in its source; every target has the same.
  llvm::StringRef getKernelName() const {
    return targets.empty() ? llvm::StringRef(kernelWithoutCode) : llvm::StringRef(targets.front().info.name);
  }
  /// `'*fp32, i32, 64' of 'add.py'`, for messages.
  std::string describe() const { return "'" + getTitle() + "' of '" + path + "'"; }
  llvm::StringRef getFunctionName() const {
    return function.empty() ? getKernelName() : llvm::StringRef(function);
  }

  /// The signature and, of a variant that is one of several to be tried, the options that the signature does
  /// not show, `*fp32, i32, 64 num_warps=4`: for messages.
  std::string getTitle() const;
};

/// The bytes of the file. There must be at least one target, each with at least one image, or a misfit.
std::string serializeKernelObject(const KernelObject &object);

/// Several in one file, one after the other: a kernel whose values depend on the target.
std::string serializeKernelObjects(llvm::ArrayRef<KernelObject> objects);

/// Reads a file. Anything that is not complete kernel objects gives one error, which names the file.
llvm::Expected<std::vector<KernelObject>> readKernelObjects(llvm::StringRef path);

/// The same for bytes in memory, with a name for messages.
llvm::Expected<std::vector<KernelObject>> parseKernelObjects(llvm::StringRef bytes, llvm::StringRef path);

/// The same for a file that must hold one.
llvm::Expected<KernelObject> readKernelObject(llvm::StringRef path);
llvm::Expected<KernelObject> parseKernelObject(llvm::StringRef bytes, llvm::StringRef path);

} // namespace nereid

#endif // NEREID_LINKER_KERNELOBJECT_H
