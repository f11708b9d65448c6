// What stood in a file's place before is kept under another name of the same file, so that the place is never
// empty, also not for a moment.
#include "linker/OutputSet.h"

#include "linker/SameContents.h"
#include "linker/SignalCleanup.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace nereid {

/// The reason in words that name the folder where it is the folder that is missing.
static Error failWrite(StringRef path, std::error_code code) {
  StringRef folder = sys::path::parent_path(path);
  std::string reason = code.message();
  if (code == std::errc::no_such_file_or_directory && !folder.empty() && !sys::fs::exists(folder))
    reason = ("the folder '" + folder + "' does not exist").str();
  else if (code == std::errc::is_a_directory)
    reason = "it is a directory";
  return createStringError("cannot write '" + path + "': " + reason);
}

/// Writes all of `bytes`, or says why not.
static std::error_code writeAll(raw_fd_ostream &os, StringRef bytes) {
  os << bytes;
  os.flush();
  std::error_code code = os.error();
  // Or the stream would end the process when it is destroyed.
  os.clear_error();
  return code;
}

static std::error_code writeNewFile(StringRef path, StringRef bytes) {
  std::error_code code;
  raw_fd_ostream os(path, code, sys::fs::CD_CreateNew);
  if (code)
    return code;
  code = writeAll(os, bytes);
  os.close();
  if (!code)
    code = os.error();
  os.clear_error();
  return code;
}

static std::error_code writeStream(StringRef path, StringRef bytes) {
  if (path == "-")
    return writeAll(outs(), bytes);
  std::error_code code;
  raw_fd_ostream os(path, code, sys::fs::CD_OpenExisting);
  return code ? code : writeAll(os, bytes);
}

static std::error_code touch(StringRef path) {
  int descriptor = -1;
  if (std::error_code code =
          sys::fs::openFileForWrite(path, descriptor, sys::fs::CD_OpenAlways, sys::fs::OF_Append))
    return code;
  std::error_code code;
  // Null is the time it is now.
  if (::futimens(descriptor, nullptr) != 0)
    code = std::error_code(errno, std::generic_category());
  ::close(descriptor);
  return code;
}

/// Through links, also such as lead to a file that is still to be made.
static std::string followLinks(StringRef path) {
  std::filesystem::path target = path.str();
  std::error_code ignored;
  for (unsigned links = 0; links < 40 && std::filesystem::is_symlink(target, ignored); ++links)
    target = target.parent_path() / std::filesystem::read_symlink(target, ignored);
  return target.string();
}

OutputSet::~OutputSet() {
  for (const std::string &folder : reverse(madeFolders)) {
    // Fails where there is something in it.
    (void)::rmdir(folder.c_str());
    keepFolderOnSignal(folder);
  }
}

std::error_code OutputSet::findPlace(StringRef path, std::string &place) {
  StringRef parent = sys::path::parent_path(path);
  auto [folder, isNew] = folders.try_emplace(parent.str());
  if (isNew)
    if (std::error_code code = folder->second.tryCreate(parent.empty() ? "." : parent)) {
      folders.erase(folder);
      return code;
    }
  place = folder->second.getPath(utostr(placesGiven++));
  return {};
}

Error OutputSet::add(StringRef path, StringRef bytes) {
  if (path != "-" && sys::fs::is_directory(path))
    return failWrite(path, std::make_error_code(std::errc::is_a_directory));
  sys::fs::file_status status;
  if (path == "-" || (!sys::fs::status(path, status) && status.type() != sys::fs::file_type::regular_file)) {
    streams.push_back({path.str(), bytes.str()});
    return Error::success();
  }
  if (hasContents(path, bytes))
    return Error::success();
  File file;
  file.path = path.str();
  file.target = followLinks(path);
  std::error_code code = findPlace(file.target, file.prepared);
  if (!code)
    code = writeNewFile(file.prepared, bytes);
  if (code)
    return failWrite(path, code);
  files.push_back(std::move(file));
  return Error::success();
}

Error OutputSet::addMade(StringRef path, StringRef made) {
  if (sys::fs::is_directory(path))
    return failWrite(path, std::make_error_code(std::errc::is_a_directory));
  if (!haveSameContents(path, made))
    files.push_back({path.str(), made.str(), path.str(), "", false});
  return Error::success();
}

Error OutputSet::addFolder(StringRef path) {
  bool existed = sys::fs::exists(path);
  if (std::error_code code = sys::fs::create_directory(path, /*IgnoreExisting=*/true, sys::fs::all_all))
    return createStringError("cannot make the folder '" + path + "': " + code.message());
  if (!existed) {
    madeFolders.push_back(path.str());
    removeFolderOnSignal(path, /*onlyIfEmpty=*/true);
  }
  return Error::success();
}

Error OutputSet::keepPrevious(File &file) {
  sys::fs::file_status status;
  if (sys::fs::status(file.target, status, /*follow=*/false))
    return Error::success();
  std::string place;
  std::error_code code = findPlace(file.target, place);
  // Not all file systems have names that are as good as the first.
  if (!code && ::link(file.target.c_str(), place.c_str()) != 0)
    code = sys::fs::copy_file(file.target, place);
  if (code)
    return failWrite(file.path, code);
  file.previous = std::move(place);
  return Error::success();
}

Error OutputSet::moveAll() {
  for (File &file : files)
    if (Error error = keepPrevious(file))
      return error;
  for (File &file : files) {
    if (std::error_code code = sys::fs::rename(file.prepared, file.target))
      return failWrite(file.path, code);
    file.isMoved = true;
  }
  for (const Stream &stream : streams)
    if (std::error_code code = writeStream(stream.path, stream.bytes))
      return failWrite(stream.path, code);
  if (!stamp.empty())
    if (std::error_code code = touch(stamp))
      return failWrite(stamp, code);
  return Error::success();
}

void OutputSet::takeBack() {
  for (const File &file : reverse(files)) {
    if (!file.isMoved)
      continue;
    if (file.previous.empty())
      (void)sys::fs::remove(file.target);
    else
      (void)sys::fs::rename(file.previous, file.target);
  }
}

Error OutputSet::commit() {
  Error error = moveAll();
  if (error) {
    takeBack();
  } else {
    for (const std::string &folder : madeFolders)
      keepFolderOnSignal(folder);
    madeFolders.clear();
  }
  files.clear();
  streams.clear();
  return error;
}

} // namespace nereid
