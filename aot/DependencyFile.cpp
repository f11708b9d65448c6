// Spaces and '#' take a backslash and '$' is doubled, which Make, Ninja and CMake all agree on. Backslashes
// in front of a space, or at a path's end, where one follows, are doubled. Nothing stands for the end of a
// line.
#include "aot/DependencyFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nereid {

static void printEscaped(std::string &out, StringRef path) {
  size_t backslashes = 0;
  for (char c : path) {
    if (c == ' ' || c == '\t')
      out.append(backslashes + 1, '\\');
    else if (c == '#')
      out += '\\';
    else if (c == '$')
      out += '$';
    out += c;
    backslashes = c == '\\' ? backslashes + 1 : 0;
  }
  out.append(backslashes, '\\');
}

/// A path with an end of a line in it, which Make would take for another rule.
static Error refuseLineEnds(StringRef path) {
  if (path.find_first_of("\n\r") == StringRef::npos)
    return Error::success();
  std::string shown;
  raw_string_ostream os(shown);
  printEscapedString(path, os);
  return createStringError("a dependency file cannot name '" + shown +
                           "', as there is the end of a line in it");
}

Expected<std::string> printDependencyFile(StringRef output, ArrayRef<std::string> inputs) {
  if (Error error = refuseLineEnds(output))
    return error;
  std::string text;
  printEscaped(text, output);
  text += ':';
  for (const std::string &input : inputs) {
    if (Error error = refuseLineEnds(input))
      return error;
    text += " \\\n  ";
    printEscaped(text, input);
  }
  text += '\n';
  return text;
}

std::vector<std::string> parseDependencyFile(StringRef text) {
  std::vector<std::string> words(1);
  while (!text.empty()) {
    size_t backslashes = std::min(text.find_first_not_of('\\'), text.size());
    char next = backslashes < text.size() ? text[backslashes] : '\0';
    if (next == ' ' || next == '\t' || next == '\n') {
      words.back().append(backslashes / 2, '\\');
      text = text.drop_front(backslashes);
      bool isEscaped = backslashes % 2 != 0;
      if (!isEscaped && !words.back().empty())
        words.emplace_back();
      // What stands in front of the end of a line has the rule go on.
      if (!isEscaped || next == '\n') {
        text = text.drop_front();
        continue;
      }
    } else if (next == '#' && backslashes != 0) {
      words.back().append(backslashes - 1, '\\');
      text = text.drop_front(backslashes);
    } else if (backslashes != 0) {
      words.back().append(backslashes, '\\');
      text = text.drop_front(backslashes);
      continue;
    } else if (text.starts_with("$$")) {
      text = text.drop_front();
    }
    words.back() += text.front();
    text = text.drop_front();
  }
  if (words.back().empty())
    words.pop_back();
  // The output, with its colon.
  if (!words.empty())
    words.erase(words.begin());
  return words;
}

} // namespace nereid
