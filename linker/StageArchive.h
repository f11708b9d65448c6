// The stages of an image, packed to travel with it: the texts, the sources that they come from, and which
// line comes from which.
//
//     {"files": [{"name": "kernels/add.py", "text": "import triton\n…"}],
//      "stages": [{"stage": "ttir", "text": "module {\n…", "lines": [[], [[0, 9]], …]}]}
//
// `lines` has, for each line of the text up to the last that has any, pairs of a file's index and a line
// number from 1. The JSON is compressed with zlib, which browsers read as well: `nereid inspect --html` hands
// it on as it is.
//
// Kernel objects hold an archive for each target; libraries, if asked to, hold all of them in an ELF section
// that is not loaded, each behind a header (`NRDS`, the length as 4 bytes, the archive's SHA-256), so that
// linkers may join such sections as they like.
#ifndef NEREID_LINKER_STAGEARCHIVE_H
#define NEREID_LINKER_STAGEARCHIVE_H

#include "compiler/model/StageRecord.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>

namespace nereid {

constexpr const char *stagesSectionName = ".nereid_stages";

/// The name of a file in the archive, and what it holds.
struct ArchivedFile {
  std::string name, text;
};

/// A text in the archive: a stage of the compiler's, or what other tools make of its images.
struct ArchivedStage {
  std::string name, text;
  LineMap map;

  ArchivedStage() = default;
  ArchivedStage(StageRecord record)
      : name(getStageName(record.stage)), text(std::move(record.text)), map(std::move(record.map)) {}
};

std::string packStages(llvm::ArrayRef<ArchivedStage> stages,
                       llvm::function_ref<ArchivedFile(const std::string &path)> readSource);

/// The JSON of an archive; an error if it is damaged.
llvm::Expected<std::string> unpackStages(llvm::StringRef archive);

/// The SHA-256 of an archive, in hexadecimal.
std::string getArchiveName(llvm::StringRef archive);
/// An archive with its header.
std::string wrapArchive(llvm::StringRef archive);
/// Finds the archives in a section's contents, by name.
void findArchives(llvm::StringRef section, std::map<std::string, std::string> &archives);

} // namespace nereid

#endif // NEREID_LINKER_STAGEARCHIVE_H
