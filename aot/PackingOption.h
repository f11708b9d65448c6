// --compress, --stages and --sizes, of the commands that write libraries.
#ifndef NEREID_AOT_PACKINGOPTION_H
#define NEREID_AOT_PACKINGOPTION_H

#include "compiler/model/Diagnostics.h"
#include "linker/Link.h"

#include "llvm/ADT/ArrayRef.h"

namespace CLI {
class App;
} // namespace CLI

namespace nereid {

struct PackingArguments {
  /// `speed` or `size`; empty if it was not given.
  std::string compress;
  bool stages = false;
  bool sizes = false;

  PackingOptions get() const;
};

/// The words that `--compress=` and a manifest's "compress" take.
std::optional<Compression> parseCompression(llvm::StringRef word);

void addPackingOptions(CLI::App &command, PackingArguments &arguments);

/// What is wrong where a word that belongs behind `--compress=` is a word of its own, which is taken for a
/// file to be linked; empty if there is none. `arguments` are those of a command.
std::string findStrayCompression(llvm::ArrayRef<std::string> arguments);

/// For --sizes: prints what the library, one of the files that a link has written, holds by kernel and
/// target. Reports and returns false if it cannot be read.
bool printSizes(llvm::ArrayRef<std::string> files, Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_AOT_PACKINGOPTION_H
