// The bytes of a file as the lexer wants them: UTF-8, without a byte order mark.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_SOURCETEXT_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_SOURCETEXT_H

#include "compiler/model/Diagnostics.h"

namespace nereid::python {

/// Returns a part of `text`, or a conversion that is added to `diagnostics`. Throws a SyntaxError if the
/// bytes are not text in the encoding that they say they are.
llvm::StringRef readSourceText(llvm::StringRef text, Diagnostics &diagnostics);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_SOURCETEXT_H
