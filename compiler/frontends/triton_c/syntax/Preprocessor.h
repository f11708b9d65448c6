// The preprocessor: files to the tokens that the parser reads.
//
// It is written here although Clang's is a library. That one was tried (libclang-22-dev: 30 MB to fetch, 309
// MB installed, 4.2 MB in the binary) and does three things that this compiler can't have. It takes as long
// as a file says: twenty-four lines of `#define A1 A0 A0`, `#define A2 A1 A1`, … are 33 million tokens and so
// on without end, and nothing in it counts. It reads `0...16` as one number, as C does. And its positions
// live in a SourceManager of its own rather than in Diagnostics, which all other messages come from. What
// kernels need of C's preprocessor is little.
//
// Macros with and without parameters, `#`, `##`, __VA_ARGS__; #include, #if and its like, #error, #warning,
// #pragma once. What is spent goes to the WorkMeter. Macros are expanded as C says: arguments first, alone;
// then the body is read again with what follows, where the macro's own name is left as it is:
//
//     #define f(x) x + f(x)
//     f(1)                     becomes   1 + f(1)
#ifndef NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_PREPROCESSOR_H
#define NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_PREPROCESSOR_H

#include "compiler/frontends/triton_c/syntax/Lexer.h"
#include "compiler/frontends/types/WorkMeter.h"
#include "compiler/model/Definition.h"
#include "compiler/model/Diagnostics.h"
#include "compiler/model/FilesRead.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"

#include <deque>
#include <memory>
#include <optional>

namespace nereid::triton_c {

struct Macro {
  std::string name;
  /// Where the name stands in its definition.
  Place place;
  bool isFunction = false;
  bool isVariadic = false;
  /// Given by -D, or by the compiler itself.
  bool isPredefined = false;
  std::vector<llvm::StringRef> parameters;
  std::vector<Token> body;
  /// Being expanded: its name in what comes out of it is no macro.
  bool isDisabled = false;
};

class Preprocessor {
public:
  Preprocessor(Diagnostics &diagnostics, semantics::WorkMeter &meter, const std::vector<std::string> &folders,
               FilesRead &filesRead);

  /// A macro without parameters, before any file.
  void define(const Definition &definition);

  /// All tokens of a file and of what it includes, the last being End. Throws a Refusal.
  std::vector<Token> run(llvm::StringRef path);

  /// The macros without parameters that are whole numbers when all is read, by name.
  std::vector<std::pair<std::string, int64_t>> getIntegerMacros();

  ExpansionTable expansions;

  [[noreturn]] void fail(const Place &place, const llvm::Twine &message);
  void warn(const Place &place, const llvm::Twine &message);

private:
  /// A file that is being read, with its open #if's.
  struct File {
    File(std::string path, llvm::StringRef text) : path(std::move(path)), lexer(text) {}
    std::string path;
    Lexer lexer;
    struct Condition {
      Place place;
      bool hasTaken = false;
      bool hasElse = false;
    };
    std::vector<Condition> conditions;
  };
  /// Tokens to read before those of the file: a macro's body.
  struct Pending {
    std::vector<Token> tokens;
    size_t next = 0;
    /// Null for tokens that were only put back.
    Macro *macro = nullptr;
  };

  // Files.
  bool openFile(llvm::StringRef path, const Place *include);
  void closeFile();

  // Preprocessor.cpp: reading and expansion.
  Token read();
  Token readExpanded();
  /// From the file alone, directives done.
  Token readFile();
  void putBack(Token token);
  void leaveFinished();
  bool expand(Token &token);
  std::optional<std::vector<std::vector<Token>>> readArguments(const Macro &macro, const Token &name);
  std::vector<Token> expandAlone(const std::vector<Token> &tokens);
  void substitute(Macro &macro, const Token &use, const std::vector<std::vector<Token>> &arguments);
  Token paste(const Token &left, const Token &right);
  Token makeString(const std::vector<Token> &tokens, const Place &place);

  // Directives.cpp
  void readDirective();
  /// The tokens up to the end of the line.
  std::vector<Token> readLine();
  void define(const Token &directive, const std::vector<Token> &line);
  void addMacro(std::unique_ptr<Macro> macro);
  void include(const Token &directive, std::vector<Token> line);
  void skipGroup();
  bool evaluateCondition(const Token &directive, std::vector<Token> line);
  std::vector<Token> replaceDefined(std::vector<Token> line);

  Diagnostics &diagnostics;
  semantics::WorkMeter &meter;
  const std::vector<std::string> &folders;
  FilesRead &filesRead;
  std::vector<std::unique_ptr<File>> files;
  std::vector<Pending> pending;
  /// Below this many entries of `pending` nothing is read while an argument is expanded alone.
  size_t pendingFloor = 0;
  bool readsFile = true;
  unsigned depth = 0;
  llvm::StringMap<std::unique_ptr<Macro>> macros;
  /// Macros that were undefined or replaced; names in `expansions` are theirs.
  std::vector<std::unique_ptr<Macro>> formerMacros;
  llvm::StringSet<> onceFiles;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver made{allocator};
};

/// The value of a condition or of a macro: C's arithmetic in 64 bits. Throws a Refusal.
int64_t evaluateInteger(llvm::ArrayRef<Token> tokens, const Place &where);

} // namespace nereid::triton_c

#endif // NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_PREPROCESSOR_H
