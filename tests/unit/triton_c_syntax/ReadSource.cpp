// See ReadSource.h.
#include "tests/unit/triton_c_syntax/ReadSource.h"

#include "compiler/frontends/triton_c/syntax/Parser.h"
#include "compiler/frontends/triton_c/syntax/Preprocessor.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>

using namespace llvm;
using namespace nereid::triton_c;

namespace nereid::test {

static void show(Diagnostics &diagnostics, const Refusal &refusal, std::string &text) {
  auto line = [&](SMRange range, StringRef kind, const std::string &message) {
    Diagnostics::Position position;
    if (range.isValid())
      position = diagnostics.positionOf(range.Start);
    StringRef file = sys::path::filename(position.path);
    text += (file.empty() || file == "kernel.tc" ? "" : file.str() + ":") + std::to_string(position.line) +
            ":" + std::to_string(position.column) + ": " + kind.str() + ": " + message + "\n";
  };
  line(refusal.range, "error", refusal.message);
  for (const Refusal::Note &note : refusal.notes)
    line(note.range, "note", note.message);
}

/// Calls `use` with the preprocessed tokens; gives what was refused.
static std::string
read(const std::string &source, const ReadOptions &options,
     const std::function<void(std::vector<Token> &, Preprocessor &, semantics::WorkMeter &)> &use) {
  SmallString<128> folder;
  EXPECT_FALSE(sys::fs::createUniqueDirectory("nereid-triton-c", folder));
  auto write = [&](StringRef name, StringRef text) {
    SmallString<128> path(folder);
    sys::path::append(path, name);
    EXPECT_FALSE(sys::fs::create_directories(sys::path::parent_path(path)));
    std::ofstream(path.str().str(), std::ios::binary) << text.str();
    return path.str().str();
  };
  std::string path = write("kernel.tc", source);
  for (auto &[name, text] : options.files)
    write(name, text);
  std::string messages;
  {
    Diagnostics diagnostics;
    semantics::WorkMeter meter(options.limit, [](const Twine &reason) { throw Refusal{{}, reason.str()}; });
    std::vector<std::string> folders = {(folder + "/include").str()};
    FilesRead files;
    try {
      Preprocessor preprocessor(diagnostics, meter, folders, files);
      for (const std::string &text : options.definitions)
        preprocessor.define(*parseDefinition(diagnostics.addSource("<-D>", text), diagnostics));
      std::vector<Token> tokens = preprocessor.run(path);
      use(tokens, preprocessor, meter);
    } catch (Refusal &refusal) {
      show(diagnostics, refusal, messages);
    }
    for (const std::string &text : diagnostics.takeTexts()) {
      StringRef first = StringRef(text).split('\n').first;
      first.consume_front(path + ":");
      messages += first.str() + "\n";
    }
  }
  sys::fs::remove_directories(folder);
  return messages;
}

std::string preprocessed(const std::string &source, const ReadOptions &options) {
  std::string text;
  std::string messages = read(source, options, [&](std::vector<Token> &tokens, Preprocessor &, auto &) {
    for (const Token &token : tokens)
      if (token.kind != TokenKind::End)
        text += (text.empty() ? "" : " ") + token.text.str();
  });
  return text + (text.empty() || messages.empty() ? "" : "\n") + messages;
}

static std::string print(const Expression *expression);

static std::string printList(const std::vector<const Expression *> &list) {
  std::string text;
  for (const Expression *expression : list)
    text += (text.empty() ? "" : ", ") + print(expression);
  return text;
}

static std::string print(const TypeName &type) {
  std::string text = type.scalar ? getScalarName(*type.scalar).str() : "void";
  text += std::string(type.pointers, '*');
  return type.hasShape ? text + "[" + printList(type.shape) + "]" : text;
}

static std::string print(const Expression *e) {
  const auto &operands = e->operands;
  switch (e->kind) {
  case Expression::Kind::Number:
    return (e->literal.isFloat ? std::to_string(e->literal.number) : std::to_string(e->literal.integer)) +
           ":" + getScalarName(e->literal.type).str();
  case Expression::Kind::String:
    return "\"" + e->text + "\"";
  case Expression::Kind::Name:
    return e->text;
  case Expression::Kind::Unary:
    return "(" + std::string(1, "+-~!*^"[static_cast<int>(e->unary)]) + print(operands[0]) + ")";
  case Expression::Kind::Binary:
    return "(" + print(operands[0]) + " " + getSpelling(*e->op).str() + " " + print(operands[1]) + ")";
  case Expression::Kind::Assign:
    return "(" + print(operands[0]) + " " + (e->op ? getSpelling(*e->op).str() : "") + "= " +
           print(operands[1]) + ")";
  case Expression::Kind::Increment: {
    std::string sign = e->increments ? "++" : "--";
    return e->isPrefix ? "(" + sign + print(operands[0]) + ")" : "(" + print(operands[0]) + sign + ")";
  }
  case Expression::Kind::Conditional:
    return "(" + print(operands[0]) + " ? " + print(operands[1]) + " : " + print(operands[2]) + ")";
  case Expression::Kind::Comma:
    return "(" + printList(operands) + ")";
  case Expression::Kind::Range:
    return "{" + print(operands[0]) + " ... " + print(operands[1]) + "}";
  case Expression::Kind::Subscript: {
    std::string items;
    for (const SubscriptItem &item : e->items) {
      static const char *const names[] = {":", "newaxis", "+", "min", "max"};
      items +=
          (items.empty() ? "" : ", ") + (item.index ? print(item.index) : names[static_cast<int>(item.kind)]);
    }
    return print(operands[0]) + "[" + items + "]";
  }
  case Expression::Kind::Call:
    return e->text + (e->type ? "<" + print(*e->type) + ">" : "") + "(" + printList(operands) + ")";
  case Expression::Kind::Cast:
    return "((" + print(*e->type) + ")" + print(operands[0]) + ")";
  case Expression::Kind::MaskedDereference:
    return "(*?" + print(operands[0]) + " " + print(operands[1]) + ")";
  case Expression::Kind::SizeOf:
    return "sizeof " + (e->type ? print(*e->type) : print(operands[0]));
  }
  return "";
}

static std::string print(const Statement *s) {
  std::string body;
  for (const Statement *inner : s->body)
    body += " " + print(inner);
  std::string exits =
      std::string(s->mayBreak ? "b" : "") + (s->mayContinue ? "c" : "") + (s->mayReturn ? "r" : "");
  exits = exits.empty() ? "" : "/" + exits;
  std::string value = s->expression ? " " + print(s->expression) : "";
  switch (s->kind) {
  case Statement::Kind::Empty:
    return ";";
  case Statement::Kind::Block:
    return "{" + exits + body + " }";
  case Statement::Kind::Declare: {
    std::string text;
    for (const Declaration &declaration : s->declarations)
      text += (text.empty() ? "" : ", ") + print(declaration.type) + " " + declaration.name +
              (declaration.initial ? " = " + print(declaration.initial) : "");
    return text + ";";
  }
  case Statement::Kind::Evaluate:
    return print(s->expression) + ";";
  case Statement::Kind::If:
    return "if" + exits + value + body;
  case Statement::Kind::For:
    return "for" + exits + " (" + (s->initial ? print(s->initial) : ";") + value + ";" +
           (s->step ? " " + print(s->step) : "") + ")" + body;
  case Statement::Kind::While:
    return "while" + exits + value + body;
  case Statement::Kind::Do:
    return "do" + exits + body + " while" + value;
  case Statement::Kind::Break:
    return "break;";
  case Statement::Kind::Continue:
    return "continue;";
  case Statement::Kind::Return:
    return "return" + value + ";";
  case Statement::Kind::StaticAssert:
    return "static_assert" + value + " \"" + s->text + "\";";
  }
  return "";
}

static std::string withUnit(const std::string &source, const ReadOptions &options,
                            const std::function<std::string(const TranslationUnit &)> &use) {
  std::string text;
  std::string messages =
      read(source, options,
           [&](std::vector<Token> &tokens, Preprocessor &preprocessor, semantics::WorkMeter &meter) {
             text = use(*parse(tokens, preprocessor.expansions, meter));
           });
  return messages.empty() ? text : messages;
}

std::string parsedBody(const std::string &source) {
  return withUnit("void f() {" + source + "}", {}, [](const TranslationUnit &unit) {
    std::string text;
    for (const Statement *statement : unit.functions[0]->body->body)
      text += (text.empty() ? "" : " ") + print(statement);
    return text;
  });
}

std::string parsedExpression(const std::string &source) {
  std::string text = parsedBody(source + ";");
  return text.empty() || text.back() != ';' ? text : text.substr(0, text.size() - 1);
}

std::string parseErrors(const std::string &source, const ReadOptions &options) {
  return withUnit(source, options, [](const TranslationUnit &) { return std::string(); });
}

} // namespace nereid::test
