// Reading tokens and expanding macros; directives are in Directives.cpp.
#include "compiler/frontends/triton_c/syntax/Preprocessor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace nereid::triton_c {

/// Calls of macros in arguments of calls, and files in files.
constexpr unsigned deepestExpansion = 200, deepestInclude = 64;
/// What a token costs in steps: it is read, stored and read again.
constexpr uint64_t stepsOfToken = 4;

Preprocessor::Preprocessor(Diagnostics &diagnostics, semantics::WorkMeter &meter,
                           const std::vector<std::string> &folders, FilesRead &filesRead)
    : diagnostics(diagnostics), meter(meter), folders(folders), filesRead(filesRead) {
  StringRef text = diagnostics.addSource("<predefined>", "__TRITON_C__ 1 __NEREID__ 1");
  Lexer lexer(text);
  for (Token name = lexer.next(); name.kind != TokenKind::End; name = lexer.next()) {
    auto macro = std::make_unique<Macro>();
    macro->name = name.text.str();
    macro->place = name.place;
    macro->isPredefined = true;
    macro->body = {lexer.next()};
    addMacro(std::move(macro));
  }
}

void Preprocessor::fail(const Place &place, const Twine &message) {
  throw Refusal{expansions.inFile(place).getRange(), message.str(), expansions.explain(place)};
}

void Preprocessor::warn(const Place &place, const Twine &message) {
  diagnostics.warning(expansions.inFile(place).getRange(), message);
  for (const Refusal::Note &note : expansions.explain(place))
    diagnostics.note(note.range, note.message);
}

void Preprocessor::define(const Definition &definition) {
  if (!definition.module.empty())
    throw Refusal{definition.range, "Triton-C has no modules: expected NAME=VALUE"};
  auto macro = std::make_unique<Macro>();
  macro->name = definition.name;
  macro->isPredefined = true;
  macro->place = {definition.range.Start.getPointer(), definition.range.End.getPointer(), 0};
  Lexer lexer(definition.value);
  for (Token token = lexer.next(); token.kind != TokenKind::End; token = lexer.next()) {
    // As manifests spell JSON's truth values, for all languages.
    bool isTrue = token.isName("True");
    if (isTrue || token.isName("False")) {
      token.kind = TokenKind::Number;
      token.text = isTrue ? "1" : "0";
    }
    macro->body.push_back(token);
  }
  if (macro->name == "defined")
    throw Refusal{definition.range, "'defined' cannot be the name of a macro"};
  macros[macro->name] = std::move(macro);
}

bool Preprocessor::openFile(StringRef path, const Place *include) {
  if (onceFiles.contains(path))
    return true;
  if (files.size() >= deepestInclude)
    fail(*include, "files include each other more than " + Twine(deepestInclude) + " levels deep");
  StringRef text = diagnostics.addFile(path);
  if (!text.data())
    return false;
  meter.spend(text.size() / 16 + 1);
  filesRead.addRead(path, text);
  files.push_back(std::make_unique<File>(path.str(), text));
  return true;
}

void Preprocessor::closeFile() {
  if (!files.back()->conditions.empty())
    fail(files.back()->conditions.back().place, "this condition has no #endif");
  files.pop_back();
}

std::vector<Token> Preprocessor::run(StringRef path) {
  std::vector<Token> tokens;
  if (!openFile(path, nullptr))
    throw Refusal{};
  do
    tokens.push_back(readExpanded());
  while (tokens.back().kind != TokenKind::End);
  return tokens;
}

Token Preprocessor::readFile() {
  while (true) {
    Token token = files.back()->lexer.next();
    meter.spend(stepsOfToken);
    if (token.is("#") && token.startsLine) {
      readDirective();
      continue;
    }
    if (token.kind == TokenKind::End && files.size() > 1) {
      closeFile();
      continue;
    }
    if (token.kind == TokenKind::End && !files.back()->conditions.empty())
      closeFile(); // refuses
    return token;
  }
}

void Preprocessor::leaveFinished() {
  while (pending.size() > pendingFloor && pending.back().next == pending.back().tokens.size()) {
    if (pending.back().macro)
      pending.back().macro->isDisabled = false;
    pending.pop_back();
  }
}

Token Preprocessor::read() {
  leaveFinished();
  if (pending.size() > pendingFloor) {
    meter.spend(stepsOfToken);
    return pending.back().tokens[pending.back().next++];
  }
  return readsFile ? readFile() : Token();
}

void Preprocessor::putBack(Token token) {
  if (pending.size() > pendingFloor && pending.back().next > 0) {
    pending.back().tokens[--pending.back().next] = token;
    return;
  }
  pending.push_back({{token}, 0, nullptr});
}

Token Preprocessor::readExpanded() {
  while (true) {
    Token token = read();
    if (token.kind != TokenKind::Identifier || !expand(token))
      return token;
  }
}

/// Whether the token was a macro's name; then what it stands for comes next.
bool Preprocessor::expand(Token &token) {
  if (token.isFinal)
    return false;
  if (token.text == "__LINE__" || token.text == "__FILE__") {
    Diagnostics::Position position =
        diagnostics.positionOf(SMLoc::getFromPointer(expansions.inFile(token.place).begin));
    bool isLine = token.text == "__LINE__";
    token.kind = isLine ? TokenKind::Number : TokenKind::String;
    token.text = made.save(isLine ? Twine(position.line) : "\"" + position.path + "\"");
    return false;
  }
  auto found = macros.find(token.text);
  if (found == macros.end())
    return false;
  Macro &macro = *found->second;
  if (macro.isDisabled) {
    token.isFinal = true;
    return false;
  }
  std::vector<std::vector<Token>> arguments;
  if (macro.isFunction) {
    auto given = readArguments(macro, token);
    if (!given)
      return false;
    arguments = std::move(*given);
  }
  substitute(macro, token, arguments);
  return true;
}

/// Nothing where no parenthesis follows, and so no call.
std::optional<std::vector<std::vector<Token>>> Preprocessor::readArguments(const Macro &macro,
                                                                           const Token &name) {
  Token open = read();
  if (!open.is("(")) {
    if (open.kind != TokenKind::End || readsFile)
      putBack(open);
    return std::nullopt;
  }
  std::vector<std::vector<Token>> arguments(1);
  for (unsigned nesting = 0;;) {
    Token token = read();
    if (token.kind == TokenKind::End)
      fail(name.place, "the arguments of the macro '" + macro.name + "' do not end");
    // A name that may not be expanded here may not be where the argument ends up either.
    if (auto inner = macros.find(token.text); inner != macros.end() && inner->second->isDisabled)
      token.isFinal = true;
    if (token.is("("))
      ++nesting;
    if (token.is(")") && nesting-- == 0)
      break;
    bool isRest = macro.isVariadic && arguments.size() > macro.parameters.size() - 1;
    if (token.is(",") && nesting == 0 && !isRest)
      arguments.emplace_back();
    else
      arguments.back().push_back(token);
  }
  size_t expected = macro.parameters.size();
  if (expected == 0 && arguments.size() == 1 && arguments[0].empty())
    arguments.clear();
  if (macro.isVariadic && arguments.size() + 1 == expected)
    arguments.emplace_back();
  if (arguments.size() != expected)
    fail(name.place, "the macro '" + macro.name + "' takes " + Twine(expected) +
                         (expected == 1 ? " argument" : " arguments") + ", but is given " +
                         Twine(arguments.size()));
  return arguments;
}

std::vector<Token> Preprocessor::expandAlone(const std::vector<Token> &tokens) {
  if (none_of(tokens, [](const Token &token) { return token.kind == TokenKind::Identifier; }))
    return tokens;
  if (depth >= deepestExpansion)
    fail(tokens.front().place,
         "calls of macros are nested more than " + Twine(deepestExpansion) + " levels deep");
  SaveAndRestore deeper(depth, depth + 1);
  SaveAndRestore floor(pendingFloor, pending.size());
  SaveAndRestore file(readsFile, false);
  pending.push_back({tokens, 0, nullptr});
  std::vector<Token> result;
  for (Token token = readExpanded(); token.kind != TokenKind::End; token = readExpanded())
    result.push_back(token);
  return result;
}

Token Preprocessor::makeString(const std::vector<Token> &tokens, const Place &place) {
  std::string text = "\"";
  for (const Token &token : tokens) {
    if (token.afterSpace && text.size() > 1)
      text += ' ';
    bool escapes = token.kind == TokenKind::String || token.kind == TokenKind::Character;
    for (char c : token.text) {
      if (escapes && (c == '"' || c == '\\'))
        text += '\\';
      text += c;
    }
  }
  meter.spend(text.size() / 16);
  Token token;
  token.kind = TokenKind::String;
  token.text = made.save(text + "\"");
  token.place = place;
  return token;
}

Token Preprocessor::paste(const Token &left, const Token &right) {
  StringRef text = made.save(left.text + right.text);
  meter.spend(text.size() / 16 + 1);
  Lexer lexer(text);
  Token token = lexer.next();
  if (token.text != text)
    fail(left.place, "'" + left.text + "' and '" + right.text + "' do not make one token");
  token.place = left.place;
  token.afterSpace = left.afterSpace;
  token.startsLine = false;
  return token;
}

void Preprocessor::substitute(Macro &macro, const Token &use,
                              const std::vector<std::vector<Token>> &arguments) {
  uint32_t expansion = expansions.add(macro.name, use.place);
  auto parameterOf = [&](const Token &token) -> std::optional<size_t> {
    if (!macro.isFunction || token.kind != TokenKind::Identifier)
      return std::nullopt;
    auto found = find(macro.parameters, token.text);
    if (found == macro.parameters.end())
      return std::nullopt;
    return found - macro.parameters.begin();
  };
  // An argument is expanded once, however often the body names it.
  std::vector<std::optional<std::vector<Token>>> expanded(arguments.size());
  std::vector<Token> result;
  const std::vector<Token> &body = macro.body;
  auto add = [&](ArrayRef<Token> tokens, bool afterSpace) {
    meter.spend(stepsOfToken * tokens.size() + 1);
    size_t first = result.size();
    result.insert(result.end(), tokens.begin(), tokens.end());
    if (first < result.size())
      result[first].afterSpace = afterSpace;
  };
  auto own = [&](Token token) {
    token.place.expansion = expansion;
    token.startsLine = false;
    return token;
  };
  // The tokens that stand at a place of the body beside ##: arguments as they were written.
  auto unexpanded = [&](const Token &token) -> std::vector<Token> {
    if (auto index = parameterOf(token))
      return arguments[*index];
    return {own(token)};
  };
  for (size_t i = 0; i < body.size(); ++i) {
    const Token &token = body[i];
    bool pastes = i + 1 < body.size() && body[i + 1].is("##");
    if (macro.isFunction && token.is("#")) {
      size_t index = *parameterOf(body[++i]);
      add(makeString(arguments[index], own(token).place), token.afterSpace);
    } else if (pastes) {
      std::vector<Token> left = unexpanded(token);
      while (i + 2 < body.size() && body[i + 1].is("##")) {
        std::vector<Token> right = unexpanded(body[i + 2]);
        i += 2;
        if (left.empty()) {
          left = std::move(right);
        } else if (!right.empty()) {
          left.back() = paste(left.back(), right.front());
          left.insert(left.end(), right.begin() + 1, right.end());
        }
        meter.spend(stepsOfToken * left.size());
      }
      add(left, token.afterSpace);
    } else if (auto index = parameterOf(token)) {
      if (!expanded[*index])
        expanded[*index] = expandAlone(arguments[*index]);
      add(*expanded[*index], token.afterSpace);
    } else {
      add(own(token), token.afterSpace);
    }
  }
  if (!result.empty()) {
    result.front().afterSpace = use.afterSpace;
    result.front().startsLine = use.startsLine;
  }
  // Bodies that are read to their end stay where they are: what comes out of this one is still theirs.
  macro.isDisabled = true;
  pending.push_back({std::move(result), 0, &macro});
}

std::vector<std::pair<std::string, int64_t>> Preprocessor::getIntegerMacros() {
  std::vector<std::pair<std::string, int64_t>> values;
  for (auto &entry : macros) {
    const Macro &macro = *entry.second;
    if (macro.isFunction || macro.body.empty() || entry.first().starts_with("__"))
      continue;
    try {
      std::vector<Token> tokens = expandAlone(macro.body);
      // A name that is left is a variable of the kernel, and no number.
      if (none_of(tokens, [](const Token &token) { return token.kind == TokenKind::Identifier; }))
        values.push_back({macro.name, evaluateInteger(tokens, macro.place)});
    } catch (Refusal &) {
      if (meter.isExceeded())
        throw;
      // A type, a text, part of an expression.
      readsFile = true;
      pendingFloor = 0;
      depth = 0;
      pending.clear();
      for (auto &other : macros)
        other.second->isDisabled = false;
    }
  }
  sort(values);
  return values;
}

} // namespace nereid::triton_c
