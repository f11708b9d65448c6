// Kernel objects to one library: `nereid link`.
//
// The result is a header, a dispatch source in C, and a relocatable object with every image; or those
// compiled and linked into libNAME.so or libNAME.a by the C compiler of the machine ($CC, cc, clang or gcc).
// Every file is made in a temporary folder beside the results, and becomes one of a set of outputs that are
// moved into place together (OutputSet.h), so that a link that fails leaves an earlier good library as it
// was.
#ifndef NEREID_LINKER_LINK_H
#define NEREID_LINKER_LINK_H

#include "compiler/model/Diagnostics.h"
#include "linker/FatBinary.h"
#include "linker/KernelObject.h"
#include "linker/OutputSet.h"
#include "linker/TuningResults.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid {

enum class LinkMode {
  /// NAME.h, NAME.hpp, NAME.rs and libNAME.so.
  Shared,
  /// The same with libNAME.a.
  Static,
  /// The same with NAME.c and NAME_images.o, for a build system to compile.
  Source,
};

/// The package that Python imports (PythonPackage.h), a folder of the library's name beside the other files.
struct PythonOptions {
  /// Whether to write it.
  bool isWanted = false;
  /// The package's own.
  std::string version = "0.0.0";
};

/// How images go into the library, and what goes with them.
struct PackingOptions {
  Compression compression = Compression::None;
  /// Keep the stages that kernel objects have (StageArchive.h).
  bool keepsStages = false;
};

/// The files that a link writes into its folder.
std::vector<std::string> getLinkOutputs(llvm::StringRef name, LinkMode mode, bool withPython = false);

/// Links `objects`, in that order (which breaks ties between variants), into the library `name` in the folder
/// `outDir`, which is created if it is missing. Reports what is wrong and returns nothing on failure;
/// otherwise the paths of the files, which are there when `outputs` are put in their places. `host` is the
/// processor family that the library is for: x86_64, aarch64, or, if it is empty, that of the CPU code, or of
/// this machine if there is none. `measurements` are what variants are chosen by that are tuned together. A
/// Python package needs a shared library; with LinkMode::Source whoever compiles that puts it into the
/// package's folder.
std::optional<std::vector<std::string>> link(llvm::ArrayRef<KernelObject> objects, llvm::StringRef name,
                                             llvm::StringRef outDir, LinkMode mode, OutputSet &outputs,
                                             Diagnostics &diagnostics, llvm::StringRef host = "",
                                             llvm::ArrayRef<Measurement> measurements = {},
                                             const PythonOptions &python = {},
                                             const PackingOptions &packing = {});

} // namespace nereid

#endif // NEREID_LINKER_LINK_H
