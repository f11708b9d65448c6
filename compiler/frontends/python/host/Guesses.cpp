// What is assumed where it cannot be known. A condition is taken to be false, as files write the general case
// under `else` or before.
#include "compiler/frontends/python/host/Host.h"

#include "compiler/frontends/python/evaluation/GuessLog.h"
#include "compiler/frontends/python/syntax/AstWalk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace nereid::python {

/// `torch.__version__`, `parse(version("triton"))`.
static bool mentionsVersion(const ast::Expression *expression) {
  return ast::anyNode(expression, [](const ast::Node *node) {
    auto *attribute = dyn_cast<ast::Attribute>(node);
    auto *name = dyn_cast<ast::Name>(node);
    return (attribute && attribute->attr.contains_insensitive("version")) ||
           (name && name->id.contains_insensitive("version"));
  });
}

Host::Likelihood Host::guess(const ast::Expression *test, Judgement evaluate, GuessLog &log) {
  size_t mark = log.mark();
  std::string reason;
  if (auto known = evaluate(test, reason))
    return *known;
  log.forget(mark);
  auto take = [&](bool answer) -> Likelihood {
    log.make(test->range,
             quoteSource(test->range) + " is not known when kernels are compiled and is taken to be " +
                 (answer ? "True" : "False"),
             reason);
    return {answer, false};
  };
  if (auto *comparison = dyn_cast<ast::Compare>(test); comparison && mentionsVersion(comparison->left)) {
    // Of versions that are not known, those that are compared with are the older ones.
    ast::CmpOp op = comparison->ops[0];
    return take(op == ast::CmpOp::Gt || op == ast::CmpOp::GtE);
  }
  if (auto *inverted = dyn_cast<ast::UnaryOp>(test); inverted && inverted->op == ast::UnaryOperator::Not)
    return {!guess(inverted->operand, evaluate, log).isTrue, false};
  if (auto *both = dyn_cast<ast::BoolOp>(test)) {
    bool isAnd = both->op == ast::BoolOperator::And;
    std::optional<Likelihood> decided;
    for (const ast::Expression *part : both->values) {
      size_t markOfPart = log.mark();
      Likelihood likelihood = guess(part, evaluate, log);
      if (likelihood.isTrue == isAnd)
        continue;
      // A part that certainly decides leaves nothing to guess.
      if (likelihood.isCertain) {
        log.forget(mark);
        return likelihood;
      }
      if (decided)
        log.forget(markOfPart);
      else
        decided = likelihood;
    }
    return decided.value_or(Likelihood{isAnd, false});
  }
  return take(false);
}

/// Whether these statements import `triton` or `triton.language` itself.
static bool importsTriton(ast::Statements statements) {
  auto isTriton = [](StringRef module) { return module == "triton" || module == "triton.language"; };
  auto imports = [&](const ast::Node *node) {
    if (auto *import = dyn_cast<ast::Import>(node))
      return any_of(import->names, [&](const ast::Alias *alias) { return isTriton(alias->name); });
    auto *import = dyn_cast<ast::ImportFrom>(node);
    return import && !import->level && isTriton(import->module);
  };
  return any_of(statements,
                [&](const ast::Statement *statement) { return ast::anyNodeInScope(statement, imports); });
}

std::optional<bool> Host::findTritonBranch(const ast::If *conditional) {
  bool inBody = importsTriton(conditional->body);
  if (inBody == importsTriton(conditional->orelse))
    return std::nullopt;
  return inBody;
}

bool Host::isForeignModule(StringRef name) {
  static const StringRef known[] = {
      "torch",       "numpy",      "os",        "sys",        "functools", "operator", "enum",   "warnings",
      "dataclasses", "packaging",  "logging",   "contextlib", "inspect",   "re",       "random", "abc",
      "triton",      "__future__", "importlib", "copy",       "time",      "json",     "pathlib"};
  return is_contained(known, name.split('.').first);
}

/// Projects hand Triton's modules around under these names through modules of their own (`from ..compat
/// import triton, tl`), which also choose stand-ins where Triton is not installed, and need not be at hand
/// here.
std::optional<StringRef> Host::findConventionalModule(StringRef name) {
  StringRef module = StringSwitch<StringRef>(name)
                         .Case("triton", "triton")
                         .Case("tl", "triton.language")
                         .Case("libdevice", "triton.language.extra.libdevice")
                         .Default("");
  return module.empty() ? std::nullopt : std::optional(module);
}

} // namespace nereid::python
