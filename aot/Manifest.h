// A build manifest: every kernel of one library, with its specializations and targets.
//
//     {
//       "name": "vector_add",
//       "kind": "shared",
//       "targets": ["cpu", "cuda:90a"],
//       "import_paths": ["kernels"],
//       "kernels": [
//         {"source": "kernels/add.py", "kernel": "add_kernel", "function": "add_f32",
//          "grid": "cdiv(n, BLOCK)", "signatures": ["*fp32:16, *fp32:16, *fp32:16, i32:16, 1024"],
//          "num_warps": 4, "num_stages": 3, "maxnreg": 128, "definitions": {"WIDE": true}, "targets":
//          ["cpu"]}
//       ]
//     }
//
// `targets` may stand once for all kernels, or at a kernel for that one; `kind` is "shared" (what it is if
// left out), "static" or "source". `function` names the C function where that is not the kernel's name: so
// one kernel, listed once for each element type, becomes several functions. An element of `signatures` may
// also be an object, {"signature": …, "num_warps": …, "num_stages": …, "maxnreg": …, "config": …,
// "compile_limit": …, "definitions": …}, where one specialization wants its own; `config` counts the
// configurations of
// @triton.autotune from 0. `definitions` say what module-level names of the source mean: of `"NAME": VALUE` a
// number, a boolean or null is itself and a string is the text of a value, as after `-D NAME=`; a list of
// "NAME=VALUE" is read too. They may also stand once for all kernels. Paths are relative to the manifest.
// "launch_cooperative_grid": true and "launch_pdl": true are for launches on GPUs, as the options of `nereid
// compile`. "debug": true turns assertions on, "debug_info": true line tables, "tensor_maps": false copies of
// tiles by the GPU's own unit off, for all kernels or for one; "prefix_map" is a list of "OLD=NEW", as for
// `nereid compile`. "dispatch":
// ["HEAD_DIM"] keeps compile-time parameters as parameters of the C function, by whose values calls choose;
// "python": "n=x.numel(), out=empty_like(x)", or a list of such texts, is what calls from Python need not say
// (PythonCall.h).
// "when": "n <= BLOCK" is the condition under which they may take a signature, at one or at the kernel for
// all that have none. "for": {"hip": {"num_warps": 8, "constants": {"BLOCK_M": 64}}}, at a kernel or at a
// signature, is what TargetSettings.h says of some targets only.
// "tune" may stand at either, too, a text or a list of them, "BLOCK=[64,128], num_warps=[4,8]", and
// "autotune": true: what is to be tried (TuningSpace.h); the manifest's own "tuning" names files with
// results.
// "optional": true, at a signature, a kernel or for all kernels, leaves a variant out, with a warning, for
// the targets that it cannot be compiled for. "recorded" is what a recording of a program knows of a
// signature: any object, which goes into the library's description as it is; the manifest's own is for
// whoever reads the manifest.
// "compress": "speed" or "size" has images for GPUs compressed, "stages": true keeps the stages on
// the way to each image in the library.
#ifndef NEREID_AOT_MANIFEST_H
#define NEREID_AOT_MANIFEST_H

#include "aot/VariantSettings.h"
#include "compiler/model/Diagnostics.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid {

/// Its settings have those of the kernel, and those for all kernels, among them.
struct ManifestVariant : VariantSettings {
  /// How many steps the kernel's own Python may take while it is compiled.
  std::optional<unsigned> compileLimit;
  llvm::SMRange compileLimitRange;
};

struct ManifestKernel : KernelSettings {
  std::vector<llvm::StringRef> targets;
  std::vector<ManifestVariant> variants;
  bool debugInfo = false;
};

struct Manifest {
  std::string name;
  /// The same as text with a place, if the manifest says it.
  llvm::StringRef placedName;
  std::string kind = "shared";
  std::vector<std::string> importPaths;
  std::vector<llvm::StringRef> prefixMap;
  /// How images for GPUs are compressed: `none`, `speed` or `size`.
  std::string compress = "none";
  /// Keep the stages on the way to each image.
  bool stages = false;
  /// Results of `nereid tune`.
  std::vector<std::string> tuning;
  /// Where each of them is named.
  std::vector<llvm::SMRange> tuningRanges;
  std::vector<ManifestKernel> kernels;
};

/// Reads and checks a manifest; reports and returns nothing if it is not one. Its texts are views into the
/// file where that spells them without escapes.
std::optional<Manifest> readManifest(llvm::StringRef path, Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_AOT_MANIFEST_H
