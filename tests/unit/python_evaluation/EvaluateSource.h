// Evaluates Python at compile time as the frontend does, with no kernel around it.
#ifndef NEREID_TESTS_UNIT_PYTHON_EVALUATION_EVALUATESOURCE_H
#define NEREID_TESTS_UNIT_PYTHON_EVALUATION_EVALUATESOURCE_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid::python {

/// The value that the module-level name `result` gets in a file of this text, as repr() shows it; or "error:
/// " and what is refused. The target is cuda:90.
std::string evaluateSource(llvm::StringRef source);
/// The same of one expression.
std::string evaluateExpression(llvm::StringRef expression);

} // namespace nereid::python

#endif // NEREID_TESTS_UNIT_PYTHON_EVALUATION_EVALUATESOURCE_H
