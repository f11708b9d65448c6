// See Page.h.
#include "linker/Page.h"

#include "linker/Template.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nereid {

std::string escapeHTML(StringRef text) {
  std::string result;
  raw_string_ostream os(result);
  printHTMLEscaped(text, os);
  return result;
}

std::string fillPage(StringRef title, StringRef style, const std::string &body, StringRef script) {
  auto fill = [](StringRef name) { return name.empty() ? "" : fillTemplate(name, {}); };
  return fillTemplate(
      "page.html",
      {{"title", escapeHTML(title)}, {"style", fill(style)}, {"body", body}, {"script", fill(script)}});
}

} // namespace nereid
