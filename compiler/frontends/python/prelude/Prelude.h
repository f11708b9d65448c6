// The source text of prelude/*.py, which the build puts into the library.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_PRELUDE_PRELUDE_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_PRELUDE_PRELUDE_H

#include <string>

namespace nereid::python {

/// triton.language: all files but those of the next two.
std::string getPreludeText();
std::string getLibdeviceText();
std::string getInductorText();

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_PRELUDE_PRELUDE_H
