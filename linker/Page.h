// HTML pages that need nothing beside themselves share the frame of templates/page.html.in: looks for light
// and dark, and tables that sort by a click.
#ifndef NEREID_LINKER_PAGE_H
#define NEREID_LINKER_PAGE_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid {

std::string escapeHTML(llvm::StringRef text);

/// A whole page. `style` and `script` name what templates it has beside the frame's own; empty for none.
std::string fillPage(llvm::StringRef title, llvm::StringRef style, const std::string &body,
                     llvm::StringRef script = "");

} // namespace nereid

#endif // NEREID_LINKER_PAGE_H
