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

} // namespace nereid
