// What the lexer gives and the parser reads, and where it came from.
//
// A token's text stands either in a file or in the body of a macro. In the second case the user wants to hear
// of both places, the use and the definition, so such a token also names the expansion that it came out of:
//
//     #define ROWS rows + x          error: 'x' is not declared          at the place of ROWS in the last
//     line int r[16] = ROWS;              note: expanded from macro 'ROWS'    at the x of the first
//
// Arguments of a macro stay what they are: tokens of the place where the user wrote them.
#ifndef NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_TOKEN_H
#define NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_TOKEN_H

#include "compiler/frontends/triton_c/syntax/Refusal.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace nereid::triton_c {

enum class TokenKind : uint8_t {
  End,
  Identifier,
  Number,
  Character,
  String,
  Punctuator,
  /// A byte that begins nothing.
  Other
};

/// Where something stands: a piece of text that a Diagnostics owns, and the expansion that it came out of (0
/// for none).
struct Place {
  const char *begin = nullptr;
  const char *end = nullptr;
  uint32_t expansion = 0;

  llvm::SMRange getRange() const {
    return {llvm::SMLoc::getFromPointer(begin), llvm::SMLoc::getFromPointer(end)};
  }
};

struct Token {
  TokenKind kind = TokenKind::End;
  /// The first of its line.
  bool startsLine = false;
  bool afterSpace = false;
  /// The name of a macro that must not be expanded (again).
  bool isFinal = false;
  /// Most often the text of `place`, but not of what `##` and `#` made.
  llvm::StringRef text;
  Place place;

  bool is(llvm::StringRef punctuator) const { return kind == TokenKind::Punctuator && text == punctuator; }
  bool isName(llvm::StringRef name) const { return kind == TokenKind::Identifier && text == name; }
};

/// All expansions of macros, so that a place can be followed back to the file.
class ExpansionTable {
public:
  struct Expansion {
    llvm::StringRef macro;
    /// The use; perhaps in the body of another macro.
    Place use;
  };

  uint32_t add(llvm::StringRef macro, const Place &use) {
    expansions.push_back({macro, use});
    return static_cast<uint32_t>(expansions.size());
  }

  /// Where the user wrote it, or the macro that it came out of.
  Place inFile(Place place) const {
    while (place.expansion)
      place = expansions[place.expansion - 1].use;
    return place;
  }

  /// The macros that a place came out of, innermost first.
  std::vector<Refusal::Note> explain(Place place) const {
    constexpr size_t most = 8;
    std::vector<Refusal::Note> notes;
    while (place.expansion && notes.size() < most) {
      const Expansion &expansion = expansions[place.expansion - 1];
      notes.push_back({place.getRange(), "expanded from macro '" + expansion.macro.str() + "'"});
      place = expansion.use;
    }
    return notes;
  }

  /// From the first place to the last, as the file has them.
  Place span(const Place &first, const Place &last) const {
    if (first.expansion == last.expansion && first.begin <= last.end)
      return {first.begin, last.end, first.expansion};
    Place a = inFile(first), b = inFile(last);
    // They may stand in different files, where a function's body is included.
    return a.begin <= b.end && b.end - a.begin < 65536 ? Place{a.begin, b.end, 0} : a;
  }

private:
  std::vector<Expansion> expansions;
};

} // namespace nereid::triton_c

#endif // NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_TOKEN_H
