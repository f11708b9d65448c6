// What a launched program says goes to a file rather than through a pipe: some launchers start a server that
// lives on with the pipe, whose end nobody would ever see.
#include "aot/CompilerLauncher.h"

#include "aot/DependencyFile.h"
#include "linker/SignalCleanup.h"
#include "linker/Subprocess.h"
#include "toolkits/RunTool.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace nereid {

/// The word that `text` begins with, which is taken off. Reports and returns nothing if it has no end.
static std::optional<std::string> takeWord(StringRef &text, Diagnostics &diagnostics) {
  std::string word;
  while (!text.empty() && !isSpace(text.front())) {
    StringRef first = text.take_front(1);
    text = text.drop_front(1);
    if (first == "\\") {
      if (text.empty()) {
        diagnostics.error(rangeOf(first), "nothing stands behind this backslash");
        return std::nullopt;
      }
      word += text.front();
      text = text.drop_front(1);
      continue;
    }
    if (first != "'" && first != "\"") {
      word += first.front();
      continue;
    }
    while (!text.empty() && !text.starts_with(first)) {
      // In double quotes a backslash takes the meaning of some characters, and is itself before others.
      if (first == "\"" && text.size() > 1 && text[0] == '\\' && StringRef("\\\"$`").contains(text[1]))
        text = text.drop_front(1);
      word += text.front();
      text = text.drop_front(1);
    }
    if (!text.consume_front(first)) {
      diagnostics.error(rangeOf(first), "this quote is not closed");
      return std::nullopt;
    }
  }
  return word;
}

std::optional<std::vector<std::string>> parseLauncher(StringRef text, Diagnostics &diagnostics) {
  std::vector<std::string> words;
  StringRef rest = text.ltrim(), first = rest;
  for (; !rest.empty(); rest = rest.ltrim()) {
    std::optional<std::string> word = takeWord(rest, diagnostics);
    if (!word)
      return std::nullopt;
    if (words.empty())
      first = first.drop_back(rest.size());
    words.push_back(std::move(*word));
  }
  if (words.empty())
    return words;
  if (auto program = sys::findProgramByName(words.front()); !program) {
    diagnostics.error(rangeOf(first), "cannot start the compiler launcher '" + words.front() +
                                          "': " + program.getError().message());
    return std::nullopt;
  }
  return words;
}

namespace {

/// How a process ended.
struct Ending {
  int status = 0;
  std::string output;
};

} // namespace

/// Starts a program and waits for it. It leads a group of processes, so that a signal reaches all that it
/// starts in turn.
static Expected<Ending> runInGroup(ArrayRef<std::string> command) {
  TemporaryFile log;
  if (Error error = log.create("log"))
    return std::move(error);
  std::vector<char *> arguments;
  for (const std::string &word : command)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.getPath().str().c_str(), O_WRONLY | O_APPEND,
                                   0);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t process = 0;
  int code = posix_spawnp(&process, arguments.front(), &files, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (code != 0)
    return createStringError("cannot start the compiler launcher '" + command.front() +
                             "': " + std::strerror(code));
  stopProcessOnSignal(process);
  Ending ending;
  pid_t ended;
  do
    ended = ::waitpid(process, &ending.status, 0);
  while (ended < 0 && errno == EINTR);
  forgetProcess(process);
  if (ended < 0)
    return createStringError("cannot wait for '" + command.front() + "': " + std::strerror(errno));
  Expected<std::string> output = log.read();
  if (!output)
    return output.takeError();
  ending.output = std::move(*output);
  return ending;
}

/// Quotes of a command line, as far as they are needed.
static std::string printCommand(ArrayRef<std::string> command) {
  std::string text;
  for (const std::string &word : command) {
    bool isPlain =
        !word.empty() && StringRef(word).find_first_of(" \t\n'\"\\$&|;<>()*?[]{}~#") == StringRef::npos;
    std::string quoted;
    for (char c : word)
      quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += (text.empty() ? "" : " ") + (isPlain ? word : "'" + quoted + "'");
  }
  return text;
}

/// What a compilation read: its dependency file has the paths, and the objects say what stood there. Nothing
/// where one is not about the same files as the other.
static std::optional<std::vector<FilesRead::File>> readFilesRead(StringRef rule,
                                                                 ArrayRef<KernelObject> objects) {
  std::vector<std::string> paths = parseDependencyFile(rule);
  if (objects.empty() || objects.front().provenance.sources.size() != paths.size())
    return std::nullopt;
  std::vector<FilesRead::File> files;
  for (auto [path, source] : zip_equal(paths, objects.front().provenance.sources)) {
    FilesRead::File file = {path, ""};
    if (!tryGetFromHex(source.sha256, file.digest))
      return std::nullopt;
    files.push_back(std::move(file));
  }
  return files;
}

LaunchedResult launchCompile(const LaunchSettings &settings, size_t job, const Target &target,
                             StringRef name) {
  LaunchedResult result;
  std::string object = settings.folder + "/" + name.str() + ".nko", rule = object + ".d";
  std::vector<std::string> command = settings.launcher;
  for (std::string &word : settings.getCommand(job, target))
    command.push_back(std::move(word));
  for (const std::string &word : {std::string("-o"), object, std::string("--depfile"), rule})
    command.push_back(word);
  Expected<Ending> ending = runInGroup(command);
  if (!ending) {
    result.error = toString(ending.takeError());
    return result;
  }
  result.output = std::move(ending->output);
  int status = ending->status;
  if (WIFSIGNALED(status)) {
    result.error = "'" + printCommand(command) + "' was ended by a signal: " + strsignal(WTERMSIG(status));
    return result;
  }
  // 1 is what a compilation returns that was refused, and has said why.
  if (WEXITSTATUS(status) == 1 && StringRef(result.output).contains("error: "))
    return result;
  if (WEXITSTATUS(status) != 0) {
    result.error = "'" + printCommand(command) + "' returned " + utostr(WEXITSTATUS(status));
    return result;
  }
  auto objects = readKernelObjects(object);
  auto text = readFile(rule);
  auto files = objects && text ? readFilesRead(*text, *objects) : std::nullopt;
  if (!files) {
    std::string reason = (objects ? "" : toString(objects.takeError()) + "; ") +
                         (text ? "" : toString(text.takeError()) + "; ");
    result.error =
        "'" + printCommand(command) + "' returned 0, but did not write what it should: " +
        (reason.empty() ? "its files are not of the same compilation" : StringRef(reason).drop_back(2).str());
    return result;
  }
  result.filesRead = std::move(*files);
  result.objects = std::move(*objects);
  // There may be thousands.
  (void)sys::fs::remove(object);
  (void)sys::fs::remove(rule);
  return result;
}

} // namespace nereid
