// See OutputFile.h.
#include "aot/OutputFile.h"

#include "linker/SignalCleanup.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <unistd.h>

using namespace llvm;

namespace nereid {

/// The reason in words that name the folder where it is the folder that is missing.
static std::string explain(StringRef path, std::error_code code) {
  StringRef folder = sys::path::parent_path(path);
  if (code == std::errc::no_such_file_or_directory && !folder.empty() && !sys::fs::exists(folder))
    return ("the folder '" + folder + "' does not exist").str();
  return code.message();
}

bool isDone(Error error, Diagnostics &diagnostics) {
  if (!error)
    return true;
  diagnostics.error(toString(std::move(error)));
  return false;
}

bool writeOutputFile(StringRef path, StringRef bytes, Diagnostics &diagnostics) {
  OutputSet outputs;
  return isDone(outputs.add(path, bytes), diagnostics) && isDone(outputs.commit(), diagnostics);
}

bool checkIsNoInput(StringRef path, ArrayRef<std::string> inputs, Diagnostics &diagnostics) {
  for (const std::string &input : inputs) {
    if (path.empty() || path == "-" || (path != input && !sys::fs::equivalent(path, input)))
      continue;
    diagnostics.error("cannot write '" + path + "': it is read as '" + input + "'");
    return false;
  }
  return true;
}

/// Where a file lies that need not be there, with links and `..` in its folder's path resolved.
static std::string findPlace(StringRef path) {
  StringRef parent = sys::path::parent_path(path);
  SmallString<128> place;
  if (sys::fs::real_path(parent.empty() ? "." : parent, place)) {
    place = path;
    (void)sys::fs::make_absolute(place);
    return place.str().str();
  }
  sys::path::append(place, sys::path::filename(path));
  return place.str().str();
}

/// Whether writing to one loses what was written to the other: a device takes both.
static bool areSameFile(StringRef path, StringRef other) {
  sys::fs::file_status status;
  if (path == "-" || (!sys::fs::status(path, status) && status.type() != sys::fs::file_type::regular_file))
    return false;
  return path == other || findPlace(path) == findPlace(other) || sys::fs::equivalent(path, other);
}

bool checkAreDifferent(ArrayRef<NamedOutput> outputs, Diagnostics &diagnostics) {
  for (size_t i = 0; i < outputs.size(); ++i)
    for (const NamedOutput &other : outputs.take_front(i))
      if (!outputs[i].path.empty() && !other.path.empty() && areSameFile(outputs[i].path, other.path)) {
        diagnostics.error("cannot write '" + outputs[i].path + "': it is both " + other.name + " and " +
                          outputs[i].name);
        return false;
      }
  return true;
}

OutputFolder::~OutputFolder() {
  if (made.empty())
    return;
  // Fails where there is something in it.
  (void)::rmdir(made.c_str());
  keepFolderOnSignal(made);
}

bool OutputFolder::prepare(StringRef path, Diagnostics &diagnostics) {
  bool existed = sys::fs::exists(path);
  std::error_code code = sys::fs::create_directory(path, /*IgnoreExisting=*/true, sys::fs::all_all);
  if (!code && !existed) {
    made = path.str();
    removeFolderOnSignal(made, /*onlyIfEmpty=*/true);
  }
  if (!code && !sys::fs::is_directory(path))
    code = std::make_error_code(std::errc::not_a_directory);
  if (code) {
    diagnostics.error("cannot write to folder '" + path + "': " + explain(path, code));
    return false;
  }
  if (sys::fs::access(path, sys::fs::AccessMode::Write)) {
    diagnostics.error("cannot write to folder '" + path + "': permission denied");
    return false;
  }
  return true;
}

} // namespace nereid
