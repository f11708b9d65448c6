// A refusal, which is how every floor of the frontend stops, as an error for whoever wrote the file.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_REFUSALREPORT_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_REFUSALREPORT_H

#include "compiler/frontends/python/emission/Emitter.h"
#include "compiler/model/Diagnostics.h"

namespace nereid::python {

/// Turns a refusal into an error. One inside the language's own functions is the fault of whoever called
/// them.
void report(Diagnostics &diagnostics, Refusal refusal);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_REFUSALREPORT_H
