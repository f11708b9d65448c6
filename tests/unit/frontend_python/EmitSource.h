// Runs the Python frontend on source text: what the tests of this folder look at.
#ifndef NEREID_TESTS_UNIT_FRONTEND_PYTHON_EMITSOURCE_H
#define NEREID_TESTS_UNIT_FRONTEND_PYTHON_EMITSOURCE_H

#include "compiler/driver/Compiler.h"

#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace nereid::test {

struct Emission {
  /// The module, canonicalized and printed without locations; empty if the source was refused.
  std::string ir;
  /// As ir, with locations and not canonicalized.
  std::string located;
  /// Every message as `line:column: error: text`, a line each; those about the signature start with
  /// `signature:`.
  std::string messages;
  KernelInfo info;
  FilesRead files;
};

/// Compiles kernel `f` of a file that imports triton and triton.language as tl and goes on, from its fourth
/// line, with `source`. More files, by name, lie beside it. `definitions` are what follows -D.
Emission emitSource(const std::string &source, const std::string &signature,
                    const std::vector<std::pair<std::string, std::string>> &otherFiles = {},
                    const std::string &target = "cuda:90a", const std::vector<std::string> &definitions = {},
                    uint64_t compileLimit = defaultCompileLimit);

/// What python::findKernel finds in such a file.
std::optional<KernelDeclaration> findKernelInSource(const std::string &source, const std::string &kernel,
                                                    Diagnostics &diagnostics);

/// A source that is refused: the messages are what is said, and where.
struct ErrorCase {
  const char *name;
  const char *source;
  const char *signature;
  const char *messages;
};
void PrintTo(const ErrorCase &error, std::ostream *os);
void expectError(const ErrorCase &error);

} // namespace nereid::test

#endif // NEREID_TESTS_UNIT_FRONTEND_PYTHON_EMITSOURCE_H
