// Where a variant comes from: the files that it was compiled from, the place that asked for it, and the
// version of nereid that compiled it. Kernel objects carry it, and the libraries that they are linked into.
//
// Files are known by their paths in the project, as in a kernel object's own name of its source, so that the
// same project gives the same bytes wherever it lies.
#ifndef NEREID_LINKER_PROVENANCE_H
#define NEREID_LINKER_PROVENANCE_H

#include "llvm/ADT/ArrayRef.h"

#include "nlohmann/json_fwd.hpp"

#include <string>
#include <vector>

namespace nereid {

/// A file that was read, and the SHA-256 of what it held, in hexadecimal.
struct SourceFile {
  std::string name, sha256;
  bool operator==(const SourceFile &other) const { return name == other.name && sha256 == other.sha256; }
};

struct Provenance {
  /// The kernel's file first.
  std::vector<SourceFile> sources;
  /// Where the signature stands: `app.json:12:15`, `add.py:3:22` of an annotation, `command line`.
  std::string place;
  /// The signature as it stands there, where it says less or more than the variant's own: with lists, or
  /// without what a configuration added.
  std::string asked;
  /// The version of the compiler.
  std::string nereid;
};

/// One hash for all files: the SHA-256 of what `sha256sum` prints of them, in their order. Empty if there are
/// none.
std::string getSourceHash(llvm::ArrayRef<SourceFile> sources);

/// Adds what there is to an object's JSON, and reads it back.
void addProvenance(nlohmann::ordered_json &json, const Provenance &provenance);
Provenance provenanceFromJson(const nlohmann::ordered_json &json);

} // namespace nereid

#endif // NEREID_LINKER_PROVENANCE_H
