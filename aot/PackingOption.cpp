// See PackingOption.h.
#include "aot/PackingOption.h"

#include "linker/Inspect.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"

using namespace llvm;

namespace nereid {

std::optional<Compression> parseCompression(StringRef word) {
  return StringSwitch<std::optional<Compression>>(word)
      .Case("speed", Compression::Speed)
      .Case("size", Compression::Size)
      .Case("none", Compression::None)
      .Default(std::nullopt);
}

PackingOptions PackingArguments::get() const {
  PackingOptions options;
  options.compression = parseCompression(compress).value_or(Compression::None);
  options.keepsStages = stages;
  return options;
}

void addPackingOptions(CLI::App &command, PackingArguments &arguments) {
  command
      .add_flag("--compress{speed}", arguments.compress,
                "Compress images for GPUs, which drivers unpack: --compress or --compress=speed such that "
                "every driver can, --compress=size more, for drivers as new as the CUDA toolkit")
      ->check([](const std::string &word) {
        return parseCompression(word) ? "" : "expected speed, size or none, not '" + word + "'";
      });
  command.add_flag("--stages", arguments.stages,
                   "Keep the stages on the way to each image, for `nereid inspect --html`");
  command.add_flag("--sizes", arguments.sizes, "Print what the library holds by kernel and target, in bytes");
}

std::string findStrayCompression(ArrayRef<std::string> arguments) {
  if (arguments.empty() || (arguments[0] != "link" && arguments[0] != "build"))
    return "";
  for (size_t i = 1; i + 1 < arguments.size() && arguments[i] != "--"; ++i)
    if (arguments[i] == "--compress" && parseCompression(arguments[i + 1]))
      return "'--compress " + arguments[i + 1] +
             "' may be meant in two ways: write '--compress=" + arguments[i + 1] + "', or './" +
             arguments[i + 1] + "' for a file";
  return "";
}

bool printSizes(ArrayRef<std::string> files, Diagnostics &diagnostics) {
  auto library = find_if(files, [](StringRef file) {
    return file.ends_with(".so") || file.ends_with(".a") || file.ends_with("_images.o");
  });
  if (library == files.end())
    return true;
  Expected<std::string> text = describeSizes(*library);
  if (!text) {
    diagnostics.error(toString(text.takeError()));
    return false;
  }
  outs() << *text;
  return true;
}

} // namespace nereid
