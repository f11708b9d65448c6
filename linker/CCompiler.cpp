// CC is read as make and CMake read it: a program and perhaps arguments, separated by spaces.
#include "linker/CCompiler.h"

#include "toolkits/RunTool.h"
#include "toolkits/ToolMemory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <cstdlib>

using namespace llvm;

namespace nereid {

StringRef getProcessorName(uint16_t machine) { return machine == ELF::EM_AARCH64 ? "aarch64" : "x86_64"; }

/// `aarch64-linux-gnu-gcc`, as distributions call it.
static std::string getCrossCompilerName(uint16_t machine) {
  return getProcessorName(machine).str() + "-linux-gnu-gcc";
}

/// What to do where there is no compiler for other processors than this machine's.
static std::string adviseOnCrossCompiler(uint16_t machine) {
  std::string package = machine == ELF::EM_AARCH64 ? "gcc-aarch64-linux-gnu" : "gcc-x86-64-linux-gnu";
  return "install one (Debian's and Ubuntu's package " + package +
         ") or name one, CC=" + getCrossCompilerName(machine) +
         " or CC='clang --target=" + getProcessorName(machine).str() +
         "-linux-gnu', or make the library's source with --source";
}

Error checkIsFor(uint16_t machine, ArrayRef<std::string> compiler, StringRef objectPath) {
  auto buffer = MemoryBuffer::getFile(objectPath);
  if (!buffer)
    return createStringError("cannot read '" + objectPath + "': " + buffer.getError().message());
  auto file = object::ObjectFile::createELFObjectFile((*buffer)->getMemBufferRef());
  if (!file) {
    // With -flto it is none yet; the linker will see.
    consumeError(file.takeError());
    return Error::success();
  }
  uint16_t made = cast<object::ELFObjectFileBase>(**file).getEMachine();
  if (made == machine)
    return Error::success();
  return createStringError("the library is for " + getProcessorName(machine) + ", and the C compiler '" +
                           join(compiler, " ") +
                           "' makes code for other processors: " + adviseOnCrossCompiler(machine));
}

Expected<std::vector<std::string>> findCCompiler(std::optional<uint16_t> other) {
  if (const char *variable = std::getenv("CC"); variable && !StringRef(variable).trim().empty()) {
    SmallVector<StringRef> words;
    StringRef(variable).trim().split(words, ' ', -1, /*KeepEmpty=*/false);
    auto program = sys::findProgramByName(words.front());
    // A path is taken as it is.
    if (!program || !sys::fs::can_execute(*program))
      return createStringError("the C compiler '" + words.front() + "', which CC names, was not found");
    std::vector<std::string> command(words.begin(), words.end());
    command.front() = *program;
    return command;
  }
  if (other) {
    if (auto program = sys::findProgramByName(getCrossCompilerName(*other)))
      return std::vector<std::string>{*program};
    return createStringError("no C compiler for " + getProcessorName(*other) + " was found (CC, " +
                             getCrossCompilerName(*other) + "): " + adviseOnCrossCompiler(*other));
  }
  for (const char *name : {"cc", "clang", "gcc"})
    if (auto program = sys::findProgramByName(name))
      return std::vector<std::string>{*program};
  return createStringError("no C compiler was found (CC, cc, clang, gcc): install one, gcc or clang, or make "
                           "the library's source with "
                           "--source");
}

/// What of the environment and of the machine decides what a compiler makes of the same source. That a
/// wrapper calls another compiler than before shows in its version, as a rule.
static bool addCompiler(ArrayRef<std::string> compiler, ToolQuestion &question) {
  for (const std::string &word : compiler) {
    question.add(word);
    if (auto program = sys::findProgramByName(word))
      question.addProgram(*program);
  }
  SmallVector<StringRef> arguments;
  for (StringRef word : ArrayRef(compiler).drop_front())
    arguments.push_back(word);
  arguments.push_back("--version");
  Expected<ToolResult> version = runTool(compiler.front(), arguments);
  if (!version) {
    consumeError(version.takeError());
    return false;
  }
  question.add(version->output);
  for (const char *name :
       {"CPATH", "C_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH", "CCC_OVERRIDE_OPTIONS"}) {
    const char *value = std::getenv(name);
    question.add(value ? value : "");
  }
  // Arguments may be paths that start from here, or have it written into the object.
  SmallString<128> current;
  if (compiler.size() > 1 && sys::fs::current_path(current))
    return false;
  question.add(current);
  return version->exitCode == 0;
}

/// The files behind the colon of a rule for Make. A path with a space or a dollar has it escaped.
static std::vector<std::string> readRule(StringRef text) {
  std::vector<std::string> files;
  std::string file;
  auto finish = [&] {
    if (!file.empty())
      files.push_back(std::move(file));
    file.clear();
  };
  while (!text.empty()) {
    if (text.consume_front("\\\n") || text.consume_front(" ") || text.consume_front("\n")) {
      finish();
    } else if (text.consume_front("\\ ")) {
      file += ' ';
    } else if (text.consume_front("\\#")) {
      file += '#';
    } else if (text.consume_front("$$")) {
      file += '$';
    } else {
      file += text.front();
      text = text.drop_front();
    }
  }
  finish();
  return files;
}

Error compileC(const std::vector<std::string> &compiler, ArrayRef<std::string> flags, StringRef folder,
               StringRef source, ArrayRef<std::string> headers, StringRef object) {
  auto getPath = [&](StringRef name) { return (folder + "/" + name).str(); };
  std::vector<std::string> command = compiler;
  append_range(command, flags);
  // CC may ask for debug information, which names folders: that of a moment, and that of this machine.
  SmallString<128> current;
  if (!sys::fs::current_path(current))
    command.push_back("-fdebug-prefix-map=" + current.str().str() + "=.");
  command.push_back("-fdebug-prefix-map=" + getPath("") + "=");
  command.push_back(getPath(source));
  command.push_back("-o");
  command.push_back(getPath(object));

  ToolMemory *memory = ToolMemory::get();
  ToolQuestion question;
  question.add("compile C");
  if (!memory || !addCompiler(compiler, question))
    return runProgram(command);
  for (const std::string &flag : flags)
    question.add(flag);
  std::vector<std::string> own = {getPath(source)};
  for (const std::string &header : headers)
    own.push_back(getPath(header));
  question.add(source);
  for (const std::string &path : own) {
    Expected<std::string> text = readFile(path);
    if (!text)
      return text.takeError();
    question.add(*text);
  }
  if (std::optional<std::string> bytes = memory->find(question))
    return writeFile(getPath(object), *bytes);

  std::vector<std::string> withRule = command;
  const std::string rulePath = getPath("rule.d");
  withRule.insert(withRule.end(), {"-MD", "-MF", rulePath, "-MT", "rule"});
  if (Error error = runProgram(withRule)) {
    // A compiler that knows no such options may do without.
    consumeError(std::move(error));
    return runProgram(command);
  }
  Expected<std::string> rule = readFile(rulePath), bytes = readFile(getPath(object));
  if (rule && bytes && StringRef(*rule).starts_with("rule:")) {
    std::vector<std::string> files = readRule(StringRef(*rule).drop_front(strlen("rule:")));
    erase_if(files, [&](const std::string &file) { return is_contained(own, file); });
    memory->keep(question, files, *bytes);
  }
  consumeError(rule.takeError());
  consumeError(bytes.takeError());
  return Error::success();
}

} // namespace nereid
