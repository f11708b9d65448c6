// Numbers, characters and texts as C writes them.
#ifndef NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_LITERALS_H
#define NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_LITERALS_H

#include "compiler/frontends/triton_c/syntax/Token.h"
#include "compiler/model/Specialization.h"

#include <string>

namespace nereid::triton_c {

struct Literal {
  bool isFloat = false;
  uint64_t integer = 0;
  double number = 0;
  /// As C has it: the first of int, long (and, where a suffix or a base allows it, their unsigned kinds) that
  /// holds the number; double, or float or half by suffix.
  ScalarKind type = ScalarKind::Int32;
  /// A double because nothing was said.
  bool isPlainDouble = false;
};

/// A Number or a Character. Throws a Refusal.
Literal readLiteral(const Token &token);

/// What a String says, escapes done. Throws a Refusal.
std::string readString(const Token &token);

} // namespace nereid::triton_c

#endif // NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_LITERALS_H
