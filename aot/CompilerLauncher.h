// NEREID_COMPILER_LAUNCHER: a command that is put before each compilation of a build, which then is a process
// of its own.
//
//     NEREID_COMPILER_LAUNCHER="srun --ntasks=1 --exclusive"  nereid build app.json -o lib
//     NEREID_COMPILER_LAUNCHER="nice -n 19"                   nereid build app.json -o lib
//
// What is launched is a command line and nothing else: no pipe and no shared memory, so that it may as well
// run on another machine that sees the same files. It reads the manifest again and compiles one variant of it
// for one target; by handing over the manifest and a number, nothing that a manifest may say can get lost on
// the way. A digest says which variant was meant, should the manifest have changed meanwhile.
//
//     LAUNCHER… nereid compile app.json --variant 17:9f86d081884c7d65 --only cuda:90a … -o FILE --depfile
//     FILE.d
#ifndef NEREID_AOT_COMPILERLAUNCHER_H
#define NEREID_AOT_COMPILERLAUNCHER_H

#include "compiler/model/Diagnostics.h"
#include "compiler/model/FilesRead.h"
#include "compiler/model/Target.h"
#include "linker/KernelObject.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nereid {

/// Takes a command line apart, at spaces that are not in quotes or behind a backslash, which mean what they
/// mean to a shell. Reports and returns nothing if one is without its end, or the program is not there.
std::optional<std::vector<std::string>> parseLauncher(llvm::StringRef text, Diagnostics &diagnostics);

/// How a build runs its compilations where there is a launcher.
struct LaunchSettings {
  std::vector<std::string> launcher;
  /// The command that compiles the job of a number for a target, up to the names of its files.
  std::function<std::vector<std::string>(size_t job, const Target &target)> getCommand;
  /// Where those go.
  std::string folder;
};

/// What came of one.
struct LaunchedResult {
  /// Nothing if it was refused.
  std::optional<std::vector<KernelObject>> objects;
  /// What it read, as it read it.
  std::vector<FilesRead::File> filesRead;
  /// What it said, as it said it.
  std::string output;
  /// What went wrong beside that.
  std::string error;
};

/// Runs one and waits for it. `name` is that of its files.
LaunchedResult launchCompile(const LaunchSettings &settings, size_t job, const Target &target,
                             llvm::StringRef name);

} // namespace nereid

#endif // NEREID_AOT_COMPILERLAUNCHER_H
