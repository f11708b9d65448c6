// Spaces and '#' take a backslash and '$' is doubled, which Make, Ninja and CMake all agree on.
#include "aot/DependencyFile.h"

using namespace llvm;

namespace nereid {

static void printEscaped(std::string &out, StringRef path) {
  for (char c : path) {
    if (c == ' ' || c == '#')
      out += '\\';
    else if (c == '$')
      out += '$';
    out += c;
  }
}

std::string printDependencyFile(StringRef output, ArrayRef<std::string> inputs) {
  std::string text;
  printEscaped(text, output);
  text += ':';
  for (const std::string &input : inputs) {
    text += " \\\n  ";
    printEscaped(text, input);
  }
  text += '\n';
  return text;
}

std::vector<std::string> parseDependencyFile(StringRef text) {
  std::vector<std::string> words(1);
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i], next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c == '\\' && next == '\n')
      ++i;
    else if ((c == '\\' && (next == ' ' || next == '#')) || (c == '$' && next == '$'))
      words.back() += text[++i];
    else if (c != ' ' && c != '\n')
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty())
    words.pop_back();
  // The output, with its colon.
  if (!words.empty())
    words.erase(words.begin());
  return words;
}

} // namespace nereid
