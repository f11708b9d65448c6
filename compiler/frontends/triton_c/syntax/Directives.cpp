// What begins with # on a line of its own.
#include "compiler/frontends/triton_c/syntax/Preprocessor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace nereid::triton_c {

std::vector<Token> Preprocessor::readLine() {
  std::vector<Token> line;
  Lexer &lexer = files.back()->lexer;
  while (true) {
    Lexer before = lexer;
    Token token = lexer.next();
    if (token.startsLine) {
      lexer = before;
      return line;
    }
    meter.spend(4);
    line.push_back(token);
  }
}

static bool sameBody(const Macro &a, const Macro &b) {
  return a.isFunction == b.isFunction && a.parameters == b.parameters && a.isVariadic == b.isVariadic &&
         llvm::equal(a.body, b.body, [](const Token &x, const Token &y) { return x.text == y.text; });
}

void Preprocessor::addMacro(std::unique_ptr<Macro> macro) {
  std::unique_ptr<Macro> &slot = macros[macro->name];
  if (slot) {
    if (!sameBody(*slot, *macro)) {
      warn(macro->place, "'" + macro->name + "' is defined again, and differently");
      diagnostics.note(slot->place.getRange(), "this was the definition before");
    }
    // What is being expanded may still be read.
    formerMacros.push_back(std::move(slot));
  }
  slot = std::move(macro);
}

void Preprocessor::define(const Token &directive, const std::vector<Token> &line) {
  if (line.empty() || line[0].kind != TokenKind::Identifier)
    fail(line.empty() ? directive.place : line[0].place, "expected the name of the macro after #define");
  auto macro = std::make_unique<Macro>();
  macro->name = line[0].text.str();
  macro->place = line[0].place;
  if (macro->name == "defined" || macro->name == "__LINE__" || macro->name == "__FILE__")
    fail(line[0].place, "'" + macro->name + "' cannot be the name of a macro");
  size_t at = 1;
  if (line.size() > 1 && line[1].is("(") && !line[1].afterSpace) {
    macro->isFunction = true;
    for (at = 2;; ++at) {
      if (at >= line.size())
        fail(line[1].place, "the parameters of this macro do not end");
      if (line[at].is(")") && macro->parameters.empty())
        break;
      if (line[at].is("...")) {
        macro->isVariadic = true;
        macro->parameters.push_back("__VA_ARGS__");
      } else if (line[at].kind == TokenKind::Identifier) {
        if (is_contained(macro->parameters, line[at].text))
          fail(line[at].place, "two parameters of this macro are called '" + line[at].text + "'");
        macro->parameters.push_back(line[at].text);
      } else {
        fail(line[at].place, "expected a parameter of the macro, not '" + line[at].text + "'");
      }
      ++at;
      if (at < line.size() && line[at].is(")"))
        break;
      if (at >= line.size() || !line[at].is(",") || macro->isVariadic)
        fail(line[std::min(at, line.size() - 1)].place, "expected ',' or ')' after a parameter of the macro");
    }
    ++at;
  }
  macro->body.assign(line.begin() + std::min(at, line.size()), line.end());
  const std::vector<Token> &body = macro->body;
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i].is("##") && (i == 0 || i + 1 == body.size()))
      fail(body[i].place, "## stands between two tokens");
    bool isParameter = i + 1 < body.size() && is_contained(macro->parameters, body[i + 1].text);
    if (macro->isFunction && body[i].is("#") && !isParameter)
      fail(body[i].place, "# stands before a parameter of the macro");
  }
  addMacro(std::move(macro));
}

void Preprocessor::include(const Token &directive, std::vector<Token> line) {
  if (!line.empty() && line[0].kind == TokenKind::Identifier)
    line = expandAlone(line);
  if (line.empty())
    fail(directive.place, "expected \"FILE\" or <FILE> after #include");
  std::string name;
  bool isLocal = line[0].kind == TokenKind::String;
  if (isLocal) {
    name = line[0].text.drop_front().drop_back().str();
  } else if (line[0].is("<")) {
    size_t i = 1;
    for (; i < line.size() && !line[i].is(">"); ++i)
      name += (line[i].afterSpace && i > 1 ? " " : "") + line[i].text.str();
    if (i == line.size())
      fail(line[0].place, "expected \"FILE\" or <FILE> after #include");
  } else {
    fail(line[0].place, "expected \"FILE\" or <FILE> after #include");
  }
  std::vector<std::string> candidates;
  if (sys::path::is_absolute(name)) {
    candidates.push_back(name);
  } else {
    if (isLocal) {
      SmallString<128> path(sys::path::parent_path(files.back()->path));
      sys::path::append(path, name);
      candidates.push_back(path.str().str());
    }
    for (const std::string &folder : folders) {
      SmallString<128> path(folder);
      sys::path::append(path, name);
      candidates.push_back(path.str().str());
    }
  }
  Place place = expansions.inFile(line[0].place);
  for (const std::string &path : candidates)
    if (!name.empty() && filesRead.isThere(path)) {
      if (!openFile(path, &place))
        throw Refusal{}; // Why is said already.
      return;
    }
  fail(place, "there is no file '" + name + "'" +
                  (isLocal ? " in the folder of this one" + Twine(folders.empty() ? "" : " or where -I says")
                           : Twine(" where -I says")));
}

/// Leaves lines until the #elif, #else or #endif that ends the group, and reads that.
void Preprocessor::skipGroup() {
  File &file = *files.back();
  unsigned nesting = 0;
  while (true) {
    meter.spend(1);
    if (!file.lexer.skipToDirective())
      fail(file.conditions.back().place, "this condition has no #endif");
    Lexer before = file.lexer;
    Token name = file.lexer.next();
    if (name.startsLine) {
      file.lexer = before;
      continue;
    }
    if (name.isName("if") || name.isName("ifdef") || name.isName("ifndef")) {
      ++nesting;
    } else if (name.isName("endif")) {
      if (nesting == 0) {
        file.conditions.pop_back();
        file.lexer.skipLine();
        return;
      }
      --nesting;
    } else if (nesting == 0 && (name.isName("else") || name.isName("elif"))) {
      File::Condition &condition = file.conditions.back();
      if (condition.hasElse)
        fail(name.place, "#" + name.text + " after #else");
      if (name.isName("else"))
        condition.hasElse = true;
      if (!condition.hasTaken && (name.isName("else") || evaluateCondition(name, readLine()))) {
        condition.hasTaken = true;
        if (name.isName("else"))
          file.lexer.skipLine();
        return;
      }
    }
    file.lexer.skipLine();
  }
}

/// `defined NAME` and `defined(NAME)` as numbers, before names are replaced.
std::vector<Token> Preprocessor::replaceDefined(std::vector<Token> line) {
  std::vector<Token> result;
  for (size_t i = 0; i < line.size(); ++i) {
    if (!line[i].isName("defined")) {
      result.push_back(line[i]);
      continue;
    }
    bool parenthesized = i + 1 < line.size() && line[i + 1].is("(");
    size_t at = i + 1 + parenthesized;
    if (at >= line.size() || line[at].kind != TokenKind::Identifier ||
        (parenthesized && (at + 1 >= line.size() || !line[at + 1].is(")"))))
      fail(line[i].place, "expected 'defined NAME' or 'defined(NAME)'");
    Token number = line[i];
    number.kind = TokenKind::Number;
    number.text = macros.count(line[at].text) ? "1" : "0";
    result.push_back(number);
    i = at + parenthesized;
  }
  return result;
}

bool Preprocessor::evaluateCondition(const Token &directive, std::vector<Token> line) {
  if (line.empty())
    fail(directive.place, "#" + directive.text + " needs a condition");
  return evaluateInteger(expandAlone(replaceDefined(std::move(line))), directive.place) != 0;
}

void Preprocessor::readDirective() {
  File &file = *files.back();
  std::vector<Token> line = readLine();
  if (line.empty())
    return;
  Token name = line.front();
  line.erase(line.begin());
  auto macroName = [&]() -> StringRef {
    if (line.empty() || line[0].kind != TokenKind::Identifier)
      fail(line.empty() ? name.place : line[0].place, "expected a name after #" + name.text);
    return line[0].text;
  };
  auto begin = [&](bool holds) {
    file.conditions.push_back({name.place, holds, false});
    if (!holds)
      skipGroup();
  };
  auto textOf = [&] {
    return line.empty()
               ? std::string()
               : StringRef(line.front().place.begin, line.back().place.end - line.front().place.begin).str();
  };
  if (name.isName("define")) {
    define(name, line);
  } else if (name.isName("undef")) {
    auto found = macros.find(macroName());
    if (found != macros.end()) {
      formerMacros.push_back(std::move(found->second));
      macros.erase(found);
    }
  } else if (name.isName("if")) {
    begin(evaluateCondition(name, std::move(line)));
  } else if (name.isName("ifdef")) {
    begin(macros.count(macroName()));
  } else if (name.isName("ifndef")) {
    begin(!macros.count(macroName()));
  } else if (name.isName("elif") || name.isName("else")) {
    if (file.conditions.empty())
      fail(name.place, "#" + name.text + " without #if");
    if (file.conditions.back().hasElse)
      fail(name.place, "#" + name.text + " after #else");
    // The group before it was read, so this one is not.
    file.conditions.back().hasElse = name.isName("else");
    skipGroup();
  } else if (name.isName("endif")) {
    if (file.conditions.empty())
      fail(name.place, "#endif without #if");
    file.conditions.pop_back();
  } else if (name.isName("include")) {
    include(name, std::move(line));
  } else if (name.isName("error")) {
    fail(name.place, "#error " + textOf());
  } else if (name.isName("warning")) {
    warn(name.place, "#warning " + textOf());
  } else if (name.isName("pragma")) {
    if (!line.empty() && line[0].isName("once"))
      onceFiles.insert(file.path);
    else
      warn(name.place, "this #pragma means nothing here, and is ignored");
  } else if (name.kind != TokenKind::Number && !name.isName("line")) {
    fail(name.place, "there is no directive '#" + name.text + "'");
  }
}

} // namespace nereid::triton_c
