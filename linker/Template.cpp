// The table is generated from the files by EmbedTemplates.cmake.
#include "linker/Template.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace nereid {

struct EmbeddedTemplate {
  const char *name;
  const char *text;
};
static const EmbeddedTemplate embeddedTemplates[] = {
#include "linker/EmbeddedTemplates.inc"
};

std::string fillTemplate(StringRef name, const std::map<std::string, std::string> &values) {
  StringRef rest;
  for (const EmbeddedTemplate &entry : embeddedTemplates)
    if (name == entry.name)
      rest = entry.text;
  if (!rest.data())
    report_fatal_error("there is no template '" + Twine(name) + "'");

  std::string result;
  while (true) {
    auto [before, after] = rest.split("{{");
    result += before;
    if (before.size() == rest.size())
      return result;
    auto [word, following] = after.split("}}");
    auto value = values.find(word.str());
    if (value == values.end())
      report_fatal_error("the template '" + Twine(name) + "' needs a value for '" + word + "'");
    result += value->second;
    rest = following;
  }
}

} // namespace nereid
