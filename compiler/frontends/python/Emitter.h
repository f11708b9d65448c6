// Walks the syntax tree of a kernel and writes its IR: an interpreter of Python in which run-time values are
// symbols.
//
// Everything that is known while compiling is computed on the spot (loops over tl.static_range run, `if` on a
// constexpr takes one branch, calls of @triton.jit functions are walked into); what is only known at run time
// becomes operations. One worked example, `acc` in
//
//     acc = 0.0
//     for k in range(0, n, BLOCK):      # n at run time
//         acc += tl.sum(tl.load(p + k + tl.arange(0, BLOCK)))
//
// is bound to an arith.constant, then, in the body, to a block argument of the scf.for, and after it to its
// result. Which names a loop carries is found by walking the body once with every name it assigns as an
// argument, and dropping those that came out as they went in (ControlFlow.cpp).
//
// The class is one, its methods are spread over files by what they walk: Names.cpp (what a name means),
// Classes.cpp, Expressions.cpp, Attributes.cpp, Calls.cpp, Statements.cpp, PlainStatements.cpp and
// ControlFlow.cpp.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EMITTER_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EMITTER_H

#include "compiler/Target.h"
#include "compiler/frontends/python/Builtins.h"
#include "compiler/frontends/python/Context.h"
#include "compiler/frontends/python/SourceModule.h"

#include "compiler/dialects/tt/Dialect.h"

#include "llvm/ADT/DenseMap.h"

#include <map>

namespace nereid::python {

/// The function being walked.
struct Frame {
  const Function *function = nullptr; // null for a module's own statements
  SourceModule *module = nullptr;
  Frame *caller = nullptr;
  /// Plain Python: assignments keep numbers as they are, every loop is run.
  bool atCompileTime = false;
  Scope locals;
  /// Variables that lost their value at the end of a block, and why.
  struct Lost {
    llvm::SMRange range;
    std::string reason;
    /// It has a value on every path, but not of one type.
    bool differs = false;
  };
  llvm::DenseMap<llvm::StringRef, Lost> lost;
  std::shared_ptr<const Scope> closure;
  std::optional<Value> returned;
  /// Where each variable was last assigned, for messages.
  llvm::DenseMap<llvm::StringRef, llvm::SMRange> assignedAt;
  /// Run-time loops around the current statement, and loops that are run while compiling.
  unsigned loopDepth = 0;
  unsigned staticLoopDepth = 0;
  /// A break or continue here ends or cuts short a loop that is run while compiling.
  bool breakable = false;
};

class Emitter : public Context {
public:
  Emitter(mlir::MLIRContext &mlirContext, Diagnostics &diagnostics, ModuleLoader &loader,
          mlir::ModuleOp module, const Target &target)
      : Context(mlirContext, diagnostics), loader(loader), module(module), target(target) {}

  ModuleLoader &loader;
  mlir::ModuleOp module;
  const Target &target;
  Frame *frame = nullptr;
  /// Whether warnings are given; not when a kernel is only looked up.
  bool warns = true;
  /// @triton.jit(debug=True): assertions are checked where the kernel runs.
  bool debug = false;
  unsigned numWarps = 4;

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
  std::optional<Value> lookupGlobal(SourceModule &module, llvm::StringRef name);
  /// What a signature names: `name` or `module.name` of this file, or `package.module:name`.
  Value lookupQualified(SourceModule &file, llvm::StringRef text);
  /// What stands in a plain function of the file under that name, `kernel` or `test_add.kernel`.
  std::optional<Value> lookupNested(SourceModule &file, llvm::StringRef name);
  std::optional<Value> lookupPythonBuiltin(llvm::StringRef name);
  /// A member of a module known to the frontend: native, or from the prelude.
  std::optional<Value> lookupMember(llvm::StringRef builtinModule, llvm::StringRef name);

  // Attributes.
  Value getAttribute(const Value &object, llvm::StringRef name);
  /// Null where there is no such attribute.
  std::optional<Value> findAttribute(const Value &object, llvm::StringRef name);
  Value getTensorSlice(const Tensor &tensor, const Value &index);

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
  bool isConstexprAnnotation(const ast::Expression *annotation, SourceModule &module);
  /// A def in a class of that name.
  Value makeMethod(SourceModule &module, const ast::FunctionDef *definition, llvm::StringRef className);

  // Statements.
  enum class Flow { Next, Returned, Break, Continue };
  /// The statements that follow the block being walked, up to the end of the function.
  struct Continuation {
    ast::Statements statements;
    const Continuation *next;
  };
  Flow execute(ast::Statements statements, const Continuation *after);
  void assign(const ast::Expression *target, const Value &value);
  /// What an assignment in a kernel makes of a value: numbers become run-time constants.
  Value decay(const Value &value);
  void setLocal(llvm::StringRef name, const Value &value);

  /// tl.device_assert and `assert` on what is only known at run time; nothing unless in debug mode.
  void emitAssertion(const Value &condition, llvm::StringRef message, const Value &mask);

  // Run-time values.
  Tensor toTensor(const Value &value);
  /// The run-time values in a value, in order, and the value again with others in their place.
  static void flatten(const Value &value, llvm::SmallVectorImpl<Tensor> &tensors);
  static Value unflatten(const Value &shape, llvm::ArrayRef<mlir::Value> &handles);
  /// Same but for the handles: the two can be merged.
  static bool haveSameType(const Value &a, const Value &b);
  static bool areSame(const Value &a, const Value &b);
  /// Names the values after the variable they were assigned to.
  void nameValue(const Value &value, llvm::StringRef name);

  /// Fills a region of a reduction, scan or map: one block whose arguments `combine` gets, ended by Return.
  /// Gives the types that are returned; a reduction or scan must return what its elements are, the first half
  /// of `types`.
  template <typename Return>
  std::vector<Type> fillCombineRegion(mlir::Region &region, llvm::ArrayRef<Type> types, const Value &combine);

private:
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

  Value evaluateBinding(SourceModule &module, llvm::StringRef name, const SourceModule::Binding &binding);
  Value evaluateAttempt(SourceModule &module, llvm::StringRef name,
                        llvm::ArrayRef<SourceModule::Binding> bindings, size_t chosen);
  enum class Holds { Yes, No, Likely, Unlikely };
  struct Likelihood {
    bool isTrue, isCertain;
  };
  Likelihood guess(const ast::Expression *test);
  /// How often a value was taken that the file only may have: what the handler of a `try` gives where the
  /// `try` itself cannot be followed. A condition in whose evaluation this grows is not certain.
  unsigned guesses = 0;
  /// Conditions of plain functions are guessed too, as those of a module are: where the configurations of
  /// @triton.autotune are listed, functions ask for the GPU that is there.
  bool guessesInFunctions = false;
  Holds checkGuards(SourceModule &module, const SourceModule::Binding &binding);
  bool isImportable(SourceModule &module, ast::Statements statements);
  Value importModule(SourceModule &module, const ast::Import *statement, const ast::Alias *alias);
  std::optional<Value> importName(SourceModule &module, const ast::ImportFrom *statement,
                                  llvm::StringRef name);
  Value makeFunction(SourceModule &module, const ast::FunctionDef *definition);
  std::optional<Value> followTo(SourceModule &file, const ast::FunctionDef *outer,
                                const ast::FunctionDef *kernel);
  Value makeClass(SourceModule &module, const ast::ClassDef *definition);
  /// Picks `name` out of what an assignment to `target` would do with `value`.
  std::optional<Value> pickTarget(const ast::Expression *target, const Value &value, llvm::StringRef name);
  [[noreturn]] void failUndefined(llvm::StringRef name);

  Flow executeStatement(const ast::Statement *statement, const Continuation *after);
  /// What only plain Python may contain; nothing for a statement that is supported nowhere.
  std::optional<Flow> executePlainPython(const ast::Statement *statement);
  [[noreturn]] void executeRaise(const ast::Raise *node);
  Flow executeTry(const ast::Try *node);
  void executeDelete(const ast::Expression *target);
  void assignElement(const ast::Subscript *target, const Value &value);
  Flow executeToEnd(ast::Statements statements, const Continuation *after);
  Flow executeIf(const ast::If *node, const Continuation *after);
  Flow executeFor(const ast::For *node, const Continuation *after);
  Flow executeStaticLoop(const ast::For *node, const std::vector<Value> &elements);
  Flow executeWhile(const ast::While *node, const Continuation *after);
  void executeAssert(const ast::Assert *node);
  void executeReturn(const ast::Return *node);
  void emitIf(const ast::If *node, const Tensor &condition);
  Flow emitReturningIf(const ast::If *node, const Tensor &condition, const Continuation *after);
  void emitFor(const ast::For *node, const RangeObject &range);
  void emitWhile(const ast::While *node);
  Tensor makeCondition(const Value &value);
  /// A variable with a value at the end of either branch of a run-time `if`.
  struct Merged {
    llvm::StringRef name;
    Value thenValue, elseValue;
  };
  std::vector<Merged> mergeBranches(const Scope &before, const Scope &thenScope, const Scope &elseScope,
                                    llvm::SMRange range);
  /// A variable that a run-time loop may change: its value before, and where its run-time parts stand among
  /// the arguments of the loop's body.
  struct Carried {
    llvm::StringRef name;
    Value initial;
    unsigned first = 0;
    llvm::SmallVector<Tensor, 2> tensors;
    bool changes = false;
  };
  std::vector<Carried> findCarried(llvm::ArrayRef<llvm::StringRef> assigned);
  /// Gives the names of `carried` the block's arguments as values, from argument `offset` on.
  void bindCarried(std::vector<Carried> &carried, mlir::Block &block, unsigned offset);
  /// Compares the values at the end of a loop's body with those before it; marks what changed.
  void checkCarried(std::vector<Carried> &carried, const Scope &before, mlir::Block &block, unsigned offset,
                    llvm::SMRange loop);
  /// After a loop: carried names get the results, names of the body are forgotten.
  void leaveLoop(const Scope &before, const std::vector<Carried> &carried, mlir::ResultRange results,
                 llvm::SMRange loop);

  Value callNoInline(const Function &function, const Scope &arguments);

  /// A noinline function for arguments of certain types and constants. While its body is walked it has no
  /// result yet.
  struct Outlined {
    tt::FuncOp callee;
    std::optional<Value> result;
  };
  std::map<std::pair<const ast::FunctionDef *, std::string>, Outlined> outlined;
};

/// All names that statements (and the statements in them) assign, each once, in order.
llvm::SmallVector<llvm::StringRef> findAssignedNames(ast::Statements statements);
/// Whether a return statement is among them or in them.
bool containsReturn(ast::Statements statements);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EMITTER_H
