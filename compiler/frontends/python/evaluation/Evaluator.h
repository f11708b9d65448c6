// Walks the syntax tree of a kernel and computes it: an interpreter of Python.
//
// Everything that is known while compiling is computed on the spot: loops over tl.static_range run, `if` on a
// constexpr takes one branch, calls of @triton.jit functions are walked into. What is left over has two
// addresses: names that a function does not bind itself go to Environment, values that are only known at run
// time to RunTime. The floors above implement these two, one class on top of the other:
//
//     Evaluator  ◁  ModuleEvaluator (modules/): what names mean   ◁  Emitter (emission/): run-time values
//
// The class is one, its methods are spread over files by what they walk: Names.cpp, Expressions.cpp,
// Attributes.cpp, Calls.cpp, Functions.cpp, Classes.cpp, Statements.cpp and PlainStatements.cpp.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_EVALUATOR_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_EVALUATOR_H

#include "compiler/frontends/python/evaluation/BuiltinTable.h"
#include "compiler/frontends/python/evaluation/Context.h"
#include "compiler/frontends/python/evaluation/Environment.h"
#include "compiler/frontends/python/evaluation/GuessLog.h"
#include "compiler/frontends/python/evaluation/RunTime.h"
#include "compiler/model/Target.h"

namespace nereid::python {

class Evaluator : public Context, public Environment, public RunTime {
public:
  Evaluator(Diagnostics &diagnostics, const BuiltinTable &builtins, const Target &target,
            uint64_t compileLimit)
      : Context(diagnostics, compileLimit), builtins(builtins), target(target) {}

  const BuiltinTable &builtins;
  /// What is compiled for: kernels ask.
  const Target &target;
  Frame *frame = nullptr;
  /// Whether warnings are given; not when a kernel is only looked up.
  bool warns = true;
  /// What was taken for granted so far.
  GuessLog guessed;
  /// Of that, what configurations rest on that were listed by a call, `f = triton.autotune(…)(f)`.
  llvm::SmallVector<GuessLog::Id> guessedForConfigs;

  // Expressions.
  Value evaluate(const ast::Expression *expression);
  /// Folded if both operands are known at compile time, emitted otherwise.
  Value applyBinary(ast::Operator op, const Value &left, const Value &right);
  Value applyComparison(ast::CmpOp op, const Value &left, const Value &right);
  /// Whether a compile-time condition holds; refuses run-time values, saying what needed it.
  bool isTrue(const Value &condition, llvm::StringRef what);
  std::vector<Value> iterateValue(const Value &iterable);

  // Names.
  Value lookup(const ast::Name *name);
  std::optional<Value> lookupPythonBuiltin(llvm::StringRef name);

  // Attributes.
  Value getAttribute(const Value &object, llvm::StringRef name);
  /// Null where there is no such attribute.
  std::optional<Value> findAttribute(const Value &object, llvm::StringRef name);

  // Calls.
  Value call(const Value &callee, CallArguments arguments);
  /// The list of configurations that a call of triton.autotune passes.
  Value evaluateConfigs(const ast::Call *autotune);
  Value callFunction(std::shared_ptr<const Function> function, const CallArguments &arguments);
  /// Walks a @triton.jit function in place and returns what it returns.
  Value inlineFunction(const Function &function, Scope arguments);
  /// Matches a call with a function's parameters, evaluating defaults.
  Scope bindParameters(const Function &function, const CallArguments &arguments);
  /// Is the parameter annotated tl.constexpr?
  bool isConstexprParameter(const Function &function, const ast::Arg &parameter);
  bool isConstexprAnnotation(const ast::Expression *annotation, ModuleObject &module);

  // Functions and classes.
  Value makeFunction(ModuleObject &module, const ast::FunctionDef *definition);
  /// A def in a class of that name.
  Value makeMethod(ModuleObject &module, const ast::FunctionDef *definition, llvm::StringRef className);
  Value makeClass(ModuleObject &module, const ast::ClassDef *definition);

  // Statements.
  Flow execute(ast::Statements statements, const Continuation *after);
  /// Goes on with what follows, up to the end of the function.
  Flow executeToEnd(ast::Statements statements, const Continuation *after);
  void assign(const ast::Expression *target, const Value &value);
  /// Takes `(a, [b, *c]) = value` apart, down to targets that are no tuples and lists.
  void unpack(const ast::Expression *target, const Value &value,
              llvm::function_ref<void(const ast::Expression *, const Value &)> bind);
  /// What an assignment in a kernel makes of a value: numbers become run-time constants.
  Value decay(const Value &value);
  void setLocal(llvm::StringRef name, const Value &value);

protected:
  /// Conditions of plain functions are guessed too, as those of a module are: where the configurations of
  /// @triton.autotune are listed, functions ask for the GPU that is there.
  bool guessesInFunctions = false;

private:
  /// Calls of functions around the current one, also such as only compute a default.
  size_t callDepth = 0;

  Value evaluateConstant(const ast::Constant *constant);
  Value evaluateBoolOp(const ast::BoolOp *node);
  Value evaluateCompare(const ast::Compare *node);
  Value evaluateUnary(const ast::UnaryOp *node);
  Value evaluateConditional(const ast::IfExp *node);
  Value evaluateCall(const ast::Call *node);
  Value evaluateJoinedStr(const ast::JoinedStr *node);
  Value evaluateSubscript(const ast::Subscript *node);
  Value evaluateSequence(ast::Expressions elements);
  Value evaluateDict(const ast::Dict *node);
  Value evaluateLambda(const ast::Lambda *node);
  /// Runs the loops of a comprehension, calling `body` for each element.
  void comprehend(llvm::ArrayRef<const ast::Comprehension *> generators, llvm::function_ref<void()> body);
  [[noreturn]] void failUndefined(llvm::StringRef name);

  Flow executeStatement(const ast::Statement *statement, const Continuation *after);
  /// What only plain Python may contain; nothing for a statement that is supported nowhere.
  std::optional<Flow> executePlainPython(const ast::Statement *statement);
  [[noreturn]] void executeRaise(const ast::Raise *node);
  Flow executeTry(const ast::Try *node);
  void executeDelete(const ast::Expression *target);
  void assignElement(const ast::Subscript *target, const Value &value);
  Flow executeIf(const ast::If *node, const Continuation *after);
  Flow executeFor(const ast::For *node);
  Flow executeStaticLoop(const ast::For *node, const std::vector<Value> &elements);
  Flow executeWhile(const ast::While *node);
  void executeAssert(const ast::Assert *node);
  void executeReturn(const ast::Return *node);
};

/// What is said to be raised where a module is not there.
constexpr llvm::StringLiteral importErrorName("ImportError");

/// Ends the walk as `raise errorClass(message)` does, so that an `except` for that class takes it.
[[noreturn]] void raise(Context &context, llvm::StringRef errorClass, const llvm::Twine &message);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_EVALUATOR_H
