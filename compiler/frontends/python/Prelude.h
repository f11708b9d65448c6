// The source text of prelude/*.py, which the build puts into the library.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_PRELUDE_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_PRELUDE_H

#include <string>

namespace nereid::python {

/// triton.language: all files but libdevice.py.
std::string getPreludeText();
std::string getLibdeviceText();

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_PRELUDE_H
