// A syntax tree as text, one node a line:
//
//     Module
//      body: Assign 1:0-1:5
//       targets: Name 1:0-1:1 id=x ctx=Store
//       value: Constant 1:4-1:5 value=0x2
//
// Children are indented under the name of their field; absent ones and empty lists do not show. Positions are
// those of Python's `ast`: lines from 1, columns from 0 in bytes of UTF-8. tests/conformance/python_syntax
// writes the same text from Python's own trees. Floats are shown as the bits of a double in hexadecimal,
// integers in hexadecimal, bytes as b"48656c6c6f"; in text, only backslash, quote and line end are escaped.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_ASTDUMP_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_ASTDUMP_H

#include "compiler/frontends/python/syntax/Ast.h"

#include "llvm/Support/raw_ostream.h"

namespace nereid::python {

struct AstDumpOptions {
  /// Leaves out positions within f-strings: before version 3.12, Python parsed the expressions in them apart
  /// from the file, and had no exact ones.
  bool hidesFStringPositions = false;
};

void dumpAst(const ast::Module *module, llvm::raw_ostream &os, const AstDumpOptions &options = {});

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_ASTDUMP_H
