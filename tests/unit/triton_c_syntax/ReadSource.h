// Runs the lower half of the Triton-C frontend on source text, and shows what it makes of it in a line.
#ifndef NEREID_TESTS_UNIT_TRITON_C_SYNTAX_READSOURCE_H
#define NEREID_TESTS_UNIT_TRITON_C_SYNTAX_READSOURCE_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nereid::test {

struct ReadOptions {
  /// What follows -D.
  std::vector<std::string> definitions = {};
  /// More files, by name, which lie beside the source.
  std::vector<std::pair<std::string, std::string>> files = {};
  uint64_t limit = 10'000'000;
};

/// The tokens after preprocessing with a space between them; or what is wrong, as `line:column: error: text`
/// and a line for each note.
std::string preprocessed(const std::string &source, const ReadOptions &options = {});

/// The syntax tree of an expression with parentheses around every operation, or what is wrong.
std::string parsedExpression(const std::string &source);

/// The statements of a function's body, each as what it is.
std::string parsedBody(const std::string &source);

/// What is wrong with a file; empty if nothing is.
std::string parseErrors(const std::string &source, const ReadOptions &options = {});

} // namespace nereid::test

#endif // NEREID_TESTS_UNIT_TRITON_C_SYNTAX_READSOURCE_H
