// Each question is written down once, however often it is asked.
#include "compiler/model/FilesRead.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

using namespace llvm;

namespace nereid {

std::string digestOf(StringRef contents) {
  auto digest = SHA256::hash(arrayRefFromStringRef(contents));
  return std::string(digest.begin(), digest.end());
}

std::vector<std::string> findParentsOf(StringRef name, StringRef folder) {
  SmallString<128> absolute(folder);
  // Without a current folder the search ends where the path as it was named ends.
  (void)sys::fs::make_absolute(absolute);
  sys::path::remove_dots(absolute, /*remove_dot_dot=*/true);
  std::vector<std::string> parents;
  for (StringRef above = absolute; !above.empty(); above = sys::path::parent_path(above))
    if (sys::path::filename(above) == name)
      parents.push_back(sys::path::parent_path(above).str());
  return parents;
}

bool isFile(StringRef path) { return sys::fs::exists(path) && !sys::fs::is_directory(path); }

void FilesRead::add(StringRef path, std::string digest) {
  if (none_of(files, [&](const File &file) { return file.path == path; }))
    files.push_back({path.str(), std::move(digest)});
}

bool FilesRead::isThere(StringRef path) {
  if (isFile(path))
    return true;
  missed.insert(path.str());
  return false;
}

std::string FilesRead::getMarker(StringRef folder) {
  SmallString<128> marker(folder);
  sys::path::append(marker, "__init__.py");
  return marker.str().str();
}

bool FilesRead::isPackage(StringRef folder) {
  if (folder.empty() || !isThere(getMarker(folder)))
    return false;
  packages.insert(folder.str());
  return true;
}

std::vector<std::string> FilesRead::findParents(StringRef name, StringRef folder) {
  for (const Search &search : searches)
    if (search.name == name && search.folder == folder)
      return search.parents;
  searches.push_back({name.str(), folder.str(), findParentsOf(name, folder)});
  return searches.back().parents;
}

std::vector<std::string> FilesRead::getPaths() const {
  std::vector<std::string> paths;
  for (const File &file : files)
    paths.push_back(file.path);
  return paths;
}

} // namespace nereid
