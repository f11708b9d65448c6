// Parses a text and shows what came of it: the tree as AstDump writes it, or the error as "line:column:
// message".
#ifndef NEREID_TESTS_UNIT_PYTHON_SYNTAX_PARSETEXT_H
#define NEREID_TESTS_UNIT_PYTHON_SYNTAX_PARSETEXT_H

#include "compiler/frontends/python/syntax/AstDump.h"
#include "compiler/frontends/python/syntax/Parser.h"

#include <string>

namespace nereid::python {

struct ParsedText {
  explicit ParsedText(std::string source) : text(diagnostics.addSource("test.py", std::move(source))) {
    module = parseModule(context, text, diagnostics);
  }

  std::string show() {
    std::string out;
    llvm::raw_string_ostream stream(out);
    if (module) {
      dumpAst(module, stream);
      return out;
    }
    diagnostics.flush(stream);
    llvm::StringRef message = llvm::StringRef(out).split('\n').first;
    if (!message.consume_front("test.py:") || diagnostics.getErrorCount() != 1)
      return "not one error at a position:\n" + out;
    auto [position, what] = message.split(" error: ");
    return (position + " " + what).str();
  }

  /// The first expression statement, or value assigned, if there is one.
  const ast::Expression *firstExpression() const {
    if (!module || module->body.empty())
      return nullptr;
    if (auto *assign = llvm::dyn_cast<ast::Assign>(module->body.front()))
      return assign->value;
    if (auto *expression = llvm::dyn_cast<ast::Expr>(module->body.front()))
      return expression->value;
    return nullptr;
  }
  const ast::Constant *firstConstant() const {
    return llvm::dyn_cast_if_present<ast::Constant>(firstExpression());
  }

  Diagnostics diagnostics;
  AstContext context;
  llvm::StringRef text;
  const ast::Module *module = nullptr;
};

inline std::string show(std::string source) { return ParsedText(std::move(source)).show(); }

} // namespace nereid::python

#endif // NEREID_TESTS_UNIT_PYTHON_SYNTAX_PARSETEXT_H
