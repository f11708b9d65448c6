// What `nereid inspect` knows of a kernel object or of a library, before it is shown in one form or another.
#ifndef NEREID_LINKER_INSPECTEDFILE_H
#define NEREID_LINKER_INSPECTEDFILE_H

#include "compiler/model/Occupancy.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include "nlohmann/json.hpp"

#include <map>
#include <string>
#include <vector>

namespace nereid {

/// JSON as docs/inspect.md describes it.
struct InspectedFile {
  using Json = nlohmann::ordered_json;

  bool isLibrary = false;
  std::string path;
  /// Libraries (a program may be linked with several), or kernel objects (a file has several of a kernel
  /// whose values depend on the target).
  std::vector<Json> parts;
  /// The stages that the file has (StageArchive.h), by the name that "stages" of a target gives.
  std::map<std::string, std::string> archives;

  /// One JSON text of all.
  Json asJson() const;

  /// Calls `visit` with each target's code of each variant, and what the kernel is called in C.
  void visitTargets(
      llvm::function_ref<void(const std::string &kernel, const Json &variant, const Json &target)> visit)
      const;
};

/// What a block of a GPU's code takes.
BlockNeeds readBlockNeeds(const InspectedFile::Json &target);

/// `BLOCK=64, num_warps=4` of an object with texts.
std::string joinItems(const InspectedFile::Json &object, llvm::StringRef between);

/// A recording's own words of a variant, but for what it carries of the whole program: how many of PyTorch's
/// selections those are.
std::string recordedText(InspectedFile::Json recorded);

/// Reads a file, and works out what follows from what it says: occupancy, and sizes by kernel and target.
llvm::Expected<InspectedFile> readInspectedFile(llvm::StringRef path);

} // namespace nereid

#endif // NEREID_LINKER_INSPECTEDFILE_H
