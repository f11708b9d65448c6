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
//          "num_warps": 4, "num_stages": 3, "targets": ["cpu"]}
//       ]
//     }
//
// `targets` may stand once for all kernels, or at a kernel for that one; `kind` is "shared" (what it is if
// left out), "static" or "source". `function` names the C function where that is not the kernel's name: so
// one kernel, listed once for each element type, becomes several functions. An element of `signatures` may
// also be an object, {"signature": …, "num_warps": …, "num_stages": …, "config": …}, where one specialization
// wants its own; `config` counts the configurations of @triton.autotune from 0. Paths are relative to the
// manifest.
#ifndef NEREID_AOT_MANIFEST_H
#define NEREID_AOT_MANIFEST_H

#include "compiler/Diagnostics.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid {

/// A string of the manifest. Where the file spells it without escapes, `text` is a view into the file itself,
/// so that whoever reads the string as a signature or a grid reports errors at their place in the manifest.
struct ManifestString {
  llvm::StringRef text;
  std::string str() const { return text.str(); }
};

struct ManifestVariant {
  ManifestString signature;
  std::optional<unsigned> numWarps;
  std::optional<unsigned> numStages;
  /// Which configuration of @triton.autotune completes the signature.
  std::optional<unsigned> config;
};

struct ManifestKernel {
  std::string source;
  std::string kernel;
  std::optional<ManifestString> function;
  std::optional<ManifestString> grid;
  std::vector<ManifestString> targets;
  std::vector<ManifestVariant> variants;
};

struct Manifest {
  std::string name;
  std::string kind = "shared";
  std::vector<std::string> importPaths;
  std::vector<ManifestKernel> kernels;
};

/// Reads and checks a manifest; reports and returns nothing if it is not one.
std::optional<Manifest> readManifest(llvm::StringRef path, Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_AOT_MANIFEST_H
