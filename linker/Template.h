// The files of templates/, which are compiled into the program, and the filling in of their placeholders.
//
// A placeholder is {{word}}. There are no conditions and no loops: text that repeats is composed by the
// caller and put in as one piece, so that a template reads like the C that it becomes.
#ifndef NEREID_LINKER_TEMPLATE_H
#define NEREID_LINKER_TEMPLATE_H

#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>

namespace nereid {

/// The template `name` (`header.h` is templates/header.h.in) with every placeholder replaced. Values are not
/// searched for placeholders again. A placeholder without a value is a mistake in Nereid itself and ends the
/// program.
std::string fillTemplate(llvm::StringRef name, const std::map<std::string, std::string> &values);

} // namespace nereid

#endif // NEREID_LINKER_TEMPLATE_H
