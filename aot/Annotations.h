// What a kernel's own source asks to be compiled for, in comments that leave the file valid for Triton:
//
//     # nereid: grid = cdiv(n, BLOCK)
//     # nereid: targets = cpu, cuda:80, cuda:90a
//     # nereid: signature = *fp32:16, *fp32:16, *fp32:16, i32:16, 1024
//     # nereid: signature = *fp32, *fp32, *fp32, i32, 1024
//     # nereid: num_warps = 2
//     @triton.jit
//     def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
//
// Each is a comment of its own, `# nereid: KEY = VALUE` (in Triton-C with `//`), and belongs to the kernel
// that comes next in the file. Keys are those of a manifest's kernel ("signatures" is `signature`, once for
// each). A setting before the first signature holds for all of them, one behind a signature for that one:
// above, two warps are for the second. `for = hip: num_warps=8, BLOCK=64` holds for some targets
// (TargetSettings.h). `define = NAME=VALUE` is an entry of "definitions", and may be
// repeated; flags are `debug = true`. Values are texts in the file itself, so that errors in a signature or a
// grid are shown in place.
#ifndef NEREID_AOT_ANNOTATIONS_H
#define NEREID_AOT_ANNOTATIONS_H

#include "aot/Manifest.h"
#include "compiler/model/KernelDeclaration.h"
#include "compiler/model/SourceSetting.h"

#include "llvm/ADT/ArrayRef.h"

namespace nereid {

/// The kernels of a source that have annotations, in the file's order, as a manifest would list them. `path`
/// says the language, `text` is a view that `diagnostics` owns, `kernels` is what the file declares. Targets
/// are empty where none are given. Reports and returns nothing where an annotation is wrong, or belongs to no
/// kernel.
std::optional<std::vector<ManifestKernel>> readAnnotations(llvm::StringRef path, llvm::StringRef text,
                                                           llvm::ArrayRef<KernelDeclaration> kernels,
                                                           Diagnostics &diagnostics);

/// True for the files that may have annotations: Python and Triton-C.
bool mayHaveAnnotations(llvm::StringRef path);

/// The same, for a file that was read before.
std::optional<std::vector<ManifestKernel>>
readAnnotations(llvm::StringRef path, llvm::ArrayRef<KernelDeclaration> kernels, Diagnostics &diagnostics);

/// Reads a source as the manifest that its annotations make: a library called like the file. Reports and
/// returns nothing if there are none.
std::optional<Manifest> readAnnotatedSource(llvm::StringRef path, const SourceSetting &setting,
                                            Diagnostics &diagnostics);

/// Calls `visit` with the text of each comment that runs to the end of its line, without `#` or `//`: what is
/// in texts and in C's other comments is none.
void visitLineComments(llvm::StringRef text, bool isPython, llvm::function_ref<void(llvm::StringRef)> visit);

} // namespace nereid

#endif // NEREID_AOT_ANNOTATIONS_H
