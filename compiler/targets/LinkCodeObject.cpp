// lld keeps much of its state in globals, so only one link runs at a time, and after one that crashed none
// may follow.
#include "compiler/targets/LinkCodeObject.h"

#include "toolkits/RunTool.h"

#include "lld/Common/Driver.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace nereid {

Expected<std::string> linkCodeObject(StringRef object) {
  static std::mutex mutex;
  static bool usable = true;

  TemporaryFile input, output;
  if (Error error = input.create("o", object))
    return error;
  if (Error error = output.create("hsaco"))
    return error;
  std::string inputPath = input.getPath().str(), outputPath = output.getPath().str();
  // The first argument is the name by which lld knows which of its linkers to be.
  const char *arguments[] = {
      "ld.lld",          "-shared", "--no-undefined",  "--threads=1", "--hash-style=sysv", "--build-id=none",
      inputPath.c_str(), "-o",      outputPath.c_str()};
  std::string text;
  raw_string_ostream stream(text);

  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!usable)
      return createStringError("the linker crashed earlier and cannot be used again in this process");
    lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
    usable = result.canRunAgain;
    if (result.retCode != 0)
      return createStringError("cannot link the code object: " + StringRef(text).trim());
  }
  return output.read();
}

} // namespace nereid
