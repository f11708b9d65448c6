// See KernelProvenance.h.
#include "aot/KernelProvenance.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cctype>

using namespace llvm;

namespace nereid {

std::string nameFile(StringRef path, StringRef projectFolder) {
  auto normalize = [](SmallString<256> path) {
    sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    return path;
  };
  SmallString<256> file(path), folder(projectFolder);
  if (!sys::fs::make_absolute(file) && !sys::fs::make_absolute(folder)) {
    file = normalize(file);
    StringRef rest = file;
    if (rest.consume_front(normalize(folder)) && rest.consume_front("/"))
      return rest.str();
  }
  return sys::path::is_absolute(path) ? sys::path::filename(path).str() : path.str();
}

/// Where a job's signature stands: a manifest, a source's annotation, or the command line.
static std::string findPlace(const KernelJob &job, const Diagnostics &diagnostics) {
  if (!job.askedBy.empty())
    return job.askedBy;
  Diagnostics::Position position = diagnostics.positionOf(rangeOf(job.signature).Start);
  if (position.path.empty() || position.path.starts_with("<"))
    return "command line";
  return nameFile(position.path, job.projectFolder) + ":" + std::to_string(position.line) + ":" +
         std::to_string(position.column);
}

void addProvenance(CompiledKernel &kernel, const KernelJob &job, const Diagnostics &diagnostics) {
  Provenance provenance;
  provenance.nereid = NEREID_VERSION;
  provenance.place = findPlace(job, diagnostics);
  for (const FilesRead::File &file : kernel.filesRead.getFiles())
    provenance.sources.push_back(
        {nameFile(file.path, job.projectFolder), toHex(file.digest, /*LowerCase=*/true)});
  auto isSpace = [](char c) { return isspace(static_cast<unsigned char>(c)); };
  auto squeeze = [&](StringRef text) {
    std::string squeezed = text.str();
    llvm::erase_if(squeezed, isSpace);
    return squeezed;
  };
  for (KernelObject &object : kernel.objects) {
    object.provenance = provenance;
    if (squeeze(job.signature) != squeeze(object.signature))
      object.provenance.asked = job.signature.trim().str();
  }
}

} // namespace nereid
