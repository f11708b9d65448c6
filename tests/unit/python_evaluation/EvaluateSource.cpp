// The evaluator of modules, completed by a run time that refuses: what the emission does in the compiler.
#include "EvaluateSource.h"

#include "compiler/frontends/python/evaluation/StandardFunctions.h"
#include "compiler/frontends/python/host/Host.h"
#include "compiler/frontends/python/modules/Importlib.h"
#include "compiler/frontends/python/modules/ModuleEvaluator.h"
#include "compiler/model/CompileRequest.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nereid::python {

namespace {

class CompileTimeEvaluator final : public ModuleEvaluator {
public:
  using ModuleEvaluator::ModuleEvaluator;

  [[noreturn]] void refuse() { fail("this is only known at run time"); }
  Value emitNumber(const Value &) override { refuse(); }
  Value emitConversion(const Value &, const Type &) override { refuse(); }
  Value emitBinary(ast::Operator, const Value &, const Value &) override { refuse(); }
  Value emitUnary(ast::UnaryOperator, const Value &) override { refuse(); }
  Value emitComparison(ast::CmpOp, const Value &, const Value &) override { refuse(); }
  Value emitLogical(ast::BoolOperator, const Value &, const Value &) override { refuse(); }
  Value emitExtremum(bool, const Value &, const Value &) override { refuse(); }
  Value emitTruth(const Value &) override { refuse(); }
  std::optional<Value> findTensorAttribute(const Value &, StringRef) override { refuse(); }
  Value emitSubscript(const Value &, const Value &) override { refuse(); }
  Value emitConditional(const ast::IfExp *, const Value &) override { refuse(); }
  Flow emitIf(const ast::If *, const Value &, const Continuation *) override { refuse(); }
  void emitFor(const ast::For *, const RangeObject &) override { refuse(); }
  void emitWhile(const ast::While *) override { refuse(); }
  void emitAssertion(const Value &, StringRef) override { refuse(); }
  bool isUnderCondition() override { return false; }
  Value callNoInline(const Function &, const Scope &) override { refuse(); }
};

const BuiltinTable &getCompileTimeBuiltins() {
  static const BuiltinTable builtins = [] {
    BuiltinTable table;
    addPythonBuiltins(table);
    addPythonMethods(table);
    addIsinstance(table);
    addStandardFunctions(table);
    addLanguageTypes(table);
    addMachineFacts(table);
    addVersions(table);
    addHostFacts(table);
    addImportlib(table);
    return table;
  }();
  return builtins;
}

} // namespace

std::string evaluateSource(StringRef source) {
  SmallString<128> path;
  if (sys::fs::createTemporaryFile("evaluate", "py", path))
    return "error: no temporary file";
  {
    std::error_code problem;
    raw_fd_ostream(path, problem) << source;
  }
  Diagnostics diagnostics;
  FilesRead files;
  ModuleLoader loader(diagnostics, {}, files);
  Target target = cantFail(Target::parse("cuda:90"));
  CompileTimeEvaluator evaluator(diagnostics, getCompileTimeBuiltins(), target, loader, defaultCompileLimit);
  std::string text;
  try {
    SourceModule *file = loader.loadFile(path);
    std::optional<Value> value = file ? evaluator.lookupGlobal(*file, "result") : std::nullopt;
    text = value ? value->repr() : "error: there is no 'result'";
    if (auto *opaque = value ? value->object<const Opaque>() : nullptr)
      text = "unknown: " + opaque->reason;
  } catch (Refusal &refusal) {
    text = "error: " + refusal.message;
  }
  sys::fs::remove(path);
  return text;
}

std::string evaluateExpression(StringRef expression) {
  return evaluateSource(
      "import math\nimport triton\nimport triton.language as tl\nresult = " + expression.str() + "\n");
}

} // namespace nereid::python
