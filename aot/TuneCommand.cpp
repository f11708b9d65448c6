// nereid tune: measures a library's variants on a device, over cases that the user names.
#include "aot/Commands.h"
#include "aot/NumberOption.h"
#include "aot/OutputFile.h"
#include "aot/tuning/TuningPage.h"
#include "aot/tuning/TuningProgress.h"
#include "aot/tuning/TuningSession.h"
#include "linker/TemporaryFolder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace nereid {

namespace {

struct TuneOptions {
  std::string library;
  std::string cases;
  std::string output;
  std::string device = "cpu";
  std::string shard;
  std::string page;
  bool wantsPage = false;
  bool again = false;
  std::vector<std::string> merged;
  double seconds = 0.5;
  double timeLimit = 60;
};

/// `cpu`, `cuda:0`, `hip:1`.
bool readDevice(const TuneOptions &options, TuningSettings &settings, Diagnostics &diagnostics) {
  StringRef text = options.device;
  if (text == "cpu")
    return true;
  auto [backend, number] = text.split(':');
  settings.backend = backend == "cuda" ? Backend::CUDA : Backend::HIP;
  if ((backend == "cuda" || backend == "hip") &&
      (backend.size() == text.size() || to_integer(number, settings.deviceNumber, 10)))
    return true;
  diagnostics.error("--device is 'cpu', 'cuda:N' or 'hip:N', not '" + text + "'");
  return false;
}

/// Runs this program as `nereid build`, in a folder that goes again. Its messages are the user's.
std::optional<std::string> buildLibrary(const TuneOptions &options, const TemporaryFolder &folder,
                                        Diagnostics &diagnostics) {
  std::string output = folder.getPath("."), self = sys::fs::getMainExecutable(nullptr, nullptr);
  outs().flush();
  pid_t child = ::fork();
  if (child == 0) {
    // The paths that it prints are of no use to anybody.
    if (int nowhere = ::open("/dev/null", O_WRONLY); nowhere >= 0)
      ::dup2(nowhere, STDOUT_FILENO);
    const char *arguments[] = {self.c_str(), "build", options.library.c_str(), "-o", output.c_str(),
                               "--shared",   nullptr};
    ::execv(self.c_str(), const_cast<char **>(arguments));
    ::_exit(127);
  }
  int status = 0;
  if (child > 0)
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    diagnostics.error("'" + options.library + "' could not be built");
    return std::nullopt;
  }
  std::error_code code;
  for (sys::fs::directory_iterator it(output, code), end; it != end && !code; it.increment(code))
    if (sys::path::extension(it->path()) == ".so")
      return it->path();
  diagnostics.error("'" + options.library + "' made no shared library");
  return std::nullopt;
}

bool isSource(StringRef path) {
  return path.ends_with(".json") || path.ends_with(".py") || path.ends_with(".tc");
}

/// Measures. Returns nothing where nothing could be measured.
std::optional<TuningOutcome> measure(const TuneOptions &options, ResultsFile &file,
                                     Diagnostics &diagnostics) {
  TuningSettings settings;
  settings.again = options.again;
  settings.effort.seconds = options.seconds;
  settings.timeLimit = options.timeLimit;
  Shard shard;
  if (!readDevice(options, settings, diagnostics))
    return std::nullopt;
  if (!options.shard.empty()) {
    std::optional<Shard> given = parseShard(options.shard, diagnostics);
    if (!given)
      return std::nullopt;
    shard = *given;
  }
  // Mistakes in the file of cases are found before a long build.
  std::optional<std::vector<TuningGroup>> groups = readTuningCases(options.cases, diagnostics);
  if (!groups)
    return std::nullopt;
  TemporaryFolder folder;
  settings.libraryPath = options.library;
  if (isSource(options.library)) {
    if (Error error = folder.createAnywhere()) {
      diagnostics.error(toString(std::move(error)));
      return std::nullopt;
    }
    std::optional<std::string> built = buildLibrary(options, folder, diagnostics);
    if (!built)
      return std::nullopt;
    settings.libraryPath = *built;
  }
  file_magic magic;
  if (!identify_magic(settings.libraryPath, magic) && magic == file_magic::archive) {
    diagnostics.error("'" + options.library +
                      "' is a static library, which cannot be opened: tune a shared one");
    return std::nullopt;
  }
  Expected<std::vector<TunableFunction>> functions = readTunableLibrary(settings.libraryPath);
  if (!functions) {
    diagnostics.error(toString(functions.takeError()));
    return std::nullopt;
  }
  if (none_of(*functions, [&](const TunableFunction &f) { return f.hasCodeFor(settings.backend); })) {
    diagnostics.error("'" + options.library + "' has no code for " + options.device +
                      "; --device names another device");
    return std::nullopt;
  }
  std::optional<std::vector<TuningTask>> tasks = planTuning(*groups, *functions, shard, diagnostics);
  if (!tasks)
    return std::nullopt;
  // What cannot be written is found before hours of measuring.
  if (Error error = file.add({})) {
    reportResultsError(std::move(error), diagnostics);
    return std::nullopt;
  }
  return runTuning(*tasks, settings, file, diagnostics);
}

/// Writes a file of a new name into a folder; an empty path if that does not succeed.
std::string writeInto(const Twine &folder, StringRef text) {
  SmallString<128> path;
  int descriptor = -1;
  if (sys::fs::createUniqueFile(folder + "/nereid-tuning-%%%%%%.json", descriptor, path))
    return "";
  raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  os << text;
  os.close();
  if (!os.has_error())
    return path.str().str();
  os.clear_error();
  (void)sys::fs::remove(path);
  return "";
}

/// Where the results cannot be written to the end, they go to another place. A disk that is full often has
/// the folder for temporary files as well, so there is one in memory, and in the end the standard output.
void rescue(const TuneOptions &options, ResultsFile &file, Diagnostics &diagnostics) {
  std::string text = printTuningResults(file.getUnsaved()), place;
  SmallString<128> temporary;
  sys::path::system_temp_directory(/*erasedOnReboot=*/true, temporary);
  for (StringRef folder : {StringRef(temporary), StringRef("/var/tmp"), StringRef("/dev/shm")})
    if (place.empty())
      place = writeInto(folder, text);
  diagnostics.error("'" + options.output + "' could not be written: " +
                    (place.empty()
                         ? "what is missing there follows on the standard output, for 'nereid tune "
                           "--merge FILE -o " +
                               options.output + "' to add"
                         : "what is missing there is in '" + place + "', and 'nereid tune --merge " + place +
                               " -o " + options.output + "' adds it"));
  if (place.empty())
    outs() << text;
}

bool merge(const TuneOptions &options, ResultsFile &file, Diagnostics &diagnostics) {
  std::vector<Measurement> more;
  for (const std::string &path : options.merged) {
    Expected<std::vector<Measurement>> measurements = readTuningResults(path);
    if (!measurements) {
      reportResultsError(measurements.takeError(), diagnostics);
      return false;
    }
    mergeTuningResults(more, *measurements);
  }
  if (Error error = file.add(more)) {
    reportResultsError(std::move(error), diagnostics);
    return false;
  }
  return true;
}

/// RESULTS.html, if the option has no name.
std::string getPagePath(const TuneOptions &options) {
  if (!options.page.empty())
    return options.page;
  SmallString<128> path(options.output);
  sys::path::replace_extension(path, "html");
  return path.str().str();
}

int tune(const TuneOptions &options) {
  Diagnostics diagnostics;
  ResultsFile file(options.output);
  // A file that may not grow is an error of writing it.
  std::signal(SIGXFSZ, SIG_IGN);
  int signal = 0;
  bool isDone = false;
  auto run = [&] {
    if (options.wantsPage && !checkIsNoInput(getPagePath(options), {options.output}, diagnostics))
      return;
    if (Error error = file.load()) {
      reportResultsError(std::move(error), diagnostics);
      return;
    }
    if (!options.merged.empty() && !merge(options, file, diagnostics))
      return;
    if (!options.library.empty()) {
      std::optional<TuningOutcome> outcome = measure(options, file, diagnostics);
      if (outcome) {
        diagnostics.flush(errs());
        signal = outcome->signal;
        outs() << options.output << ": " << outcome->measured << " measured on " << outcome->device << ", "
               << outcome->failed << " failed, " << outcome->known << " known before"
               << (signal ? "; interrupted: the same command goes on" : "") << "\n";
      }
      if (file.hasUnsaved())
        rescue(options, file, diagnostics);
    }
    if (options.wantsPage && !diagnostics.hasErrors() &&
        writeOutputFile(getPagePath(options), drawTuningPage(file.get()), diagnostics))
      outs() << getPagePath(options) << "\n";
    isDone = !diagnostics.hasErrors();
  };
  run();
  diagnostics.flush(errs());
  outs().flush();
  if (signal) {
    // As whoever sent it expects.
    std::signal(signal, SIG_DFL);
    ::raise(signal);
  }
  return isDone ? 0 : 1;
}

} // namespace

void addTuneCommand(CLI::App &app, CommandAction &action) {
  auto options = std::make_shared<TuneOptions>();
  auto *command = app.add_subcommand("tune", "Measure the variants of a library on this machine");
  command->add_option("LIBRARY", options->library,
                      "The library, libNAME.so, or a manifest or annotated source, which is built first");
  command->add_option("--cases", options->cases, "What to measure, a JSON file");
  command->add_option("-o,--output", options->output, "The results, a JSON file that is added to")
      ->required();
  command->add_option("--device", options->device, "cpu, cuda:N or hip:N")->capture_default_str();
  command->add_flag("--again", options->again, "Measure also what the results have already");
  command
      ->add_option("--shard", options->shard,
                   "I/N: the I-th of N parts of the cases; slurm: the part of this task of a job array")
      ->check(checkShard);
  command->add_option("--merge", options->merged, "Results of others to be added; later ones count")
      ->expected(1, -1);
  auto *page =
      command->add_option("--html", options->page, "Draw the results as a page; RESULTS.html if not named")
          ->expected(0, 1)
          // What stands behind it may be meant as the library, over which the page would be written.
          ->check([](const std::string &word) {
            return word.empty() || StringRef(word).ends_with(".html")
                       ? ""
                       : "a page's name ends in .html, and '" + word + "' does not";
          });
  command->add_option("--seconds", options->seconds, "How long to measure a variant for a case at most")
      ->check(isDuration)
      ->capture_default_str();
  command->add_option("--timeout", options->timeLimit, "How many seconds one run may take")
      ->check(isDuration)
      ->capture_default_str();
  command->callback([&action, options, page] {
    options->wantsPage = page->count() != 0;
    if (options->library.empty() && options->merged.empty() && !options->wantsPage)
      throw CLI::RequiredError("LIBRARY, --merge or --html");
    if (options->library.empty() != options->cases.empty())
      throw CLI::RequiredError(options->library.empty() ? "LIBRARY" : "--cases");
    action = [options] { return tune(*options); };
  });
}

} // namespace nereid
