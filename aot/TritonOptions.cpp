// What begins like several options is left as it is, and refused by the parser.
#include "aot/TritonOptions.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace nereid {

static std::string spellOut(StringRef argument, ArrayRef<StringRef> options) {
  auto [name, value] = argument.split('=');
  StringRef rest = argument.drop_front(name.size());
  if (name == "-ns")
    return (Twine("--num-stages") + rest).str();
  if (name == "-on")
    return (Twine("--out-name") + rest).str();
  if (!name.starts_with("--") || name.size() < 3)
    return argument.str();
  StringRef found;
  for (StringRef option : options) {
    if (option == name)
      return argument.str();
    if (option.starts_with(name)) {
      if (!found.empty())
        return argument.str();
      found = option;
    }
  }
  return found.empty() ? argument.str() : (Twine(found) + rest).str();
}

void spellOutTritonOptions(std::vector<std::string> &arguments) {
  static constexpr StringRef ofCompile[] = {"--kernel-name", "--target",   "--num-warps",
                                            "--num-stages",  "--out-name", "--out-path",
                                            "--signature",   "--grid",     "--help"};
  static constexpr StringRef ofLink[] = {"--out", "--prefix", "--help"};
  if (arguments.empty() || (arguments[0] != "triton-compile" && arguments[0] != "triton-link"))
    return;
  bool isCompile = arguments[0] == "triton-compile";
  for (size_t i = 1; i < arguments.size() && arguments[i] != "--"; ++i)
    arguments[i] = isCompile ? spellOut(arguments[i], ofCompile) : spellOut(arguments[i], ofLink);
}

} // namespace nereid
