// Writes the IR of a kernel: one walk over its syntax tree, in which variables are names of values.
//
// Variables have no memory. Each is bound to the value that it has at the point which the walk has reached;
// where paths meet, an operation of scf gives the values that differ between them. `acc` in
//
//     float acc[TM] = 0;
//     for (int k = 0; k < K; k += TK)
//       acc += *(p + k);
//
// is bound to a constant, then, in the body, to a block argument of the scf.for, and after it to its result.
//
// `break`, `continue` and `return` become truth values as well (Statements.cpp), so that control flow stays
// made of scf.
#ifndef NEREID_COMPILER_FRONTENDS_TRITON_C_EMISSION_EMITTER_H
#define NEREID_COMPILER_FRONTENDS_TRITON_C_EMISSION_EMITTER_H

#include "compiler/frontends/semantics/Arithmetic.h"
#include "compiler/frontends/semantics/OperationWriter.h"
#include "compiler/frontends/triton_c/emission/Value.h"
#include "compiler/frontends/triton_c/syntax/Ast.h"
#include "compiler/model/Diagnostics.h"
#include "compiler/model/Target.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <optional>

namespace nereid::triton_c {

class Emitter final : public OperationWriter {
public:
  Emitter(mlir::MLIRContext &context, Diagnostics &diagnostics, WorkMeter &meter, const TranslationUnit &unit,
          const ExpansionTable &expansions, const Target &target)
      : OperationWriter(context, meter), diagnostics(diagnostics), meter(meter), unit(unit),
        expansions(expansions), target(target) {}

  /// At the place that is being evaluated, with the macros that it came out of.
  [[noreturn]] void fail(const llvm::Twine &message) override { fail(place, message); }
  [[noreturn]] void fail(const Place &where, const llvm::Twine &message);
  void warn(const Place &where, const llvm::Twine &message);
  mlir::Location getLocation() override;
  mlir::Location getLocation(const Place &where, llvm::StringRef name = "");

  /// Assertions are checked where the kernel runs, and the arithmetic of signed integers for overflow.
  /// Unsigned ones may wrap around.
  bool debug = false;

  /// Locations of inlined code also say the name of the function, which line tables show.
  bool namesCallees = false;

  /// The assertions and constants outside of functions.
  void readFileScope();
  /// Walks the kernel's body, each parameter having the value given, and returns.
  void emitKernel(const Function &kernel, llvm::ArrayRef<Value> parameters);

  /// The type that a declaration names; sizes are evaluated.
  Type typeOf(const TypeName &name, bool mayBeVoid = false);
  /// A number that has to be known while compiling.
  BigInt constantOf(const Expression *expression, llvm::StringRef what);

  // Expressions.cpp
  Value evaluate(const Expression *expression);
  /// As a value of the IR.
  Tensor toTensor(const Value &value);
  Tensor evaluateTensor(const Expression *expression) { return toTensor(evaluate(expression)); }

  // Conversions.cpp
  /// Of the elements; shapes stay. `isCast` for what C only does if it is told to.
  Value convert(const Value &value, const Type &type, bool isCast = false);
  /// To a type with its shape, as an assignment does.
  Value convertToShape(const Value &value, const Type &type, bool isCast = false);
  /// C's integer promotion, and its usual arithmetic conversions.
  Type promote(const Type &type);
  Type getCommonType(const Value &a, const Value &b);
  /// A scalar or a block of truth values.
  Value toBool(const Value &value);
  /// The scalar that a branch or a loop depends on.
  Value toCondition(const Value &value, llvm::StringRef what);

  // Operators.cpp
  Value emitBinary(BinaryOperator op, Value left, Value right);
  Value emitUnary(UnaryOperator op, const Value &operand);
  Value emitNot(const Value &value);
  /// Of truth values; both are there.
  Value emitAnd(const Value &a, const Value &b);
  Value emitOr(const Value &a, const Value &b);
  Value emitArithmetic(BinaryOperation operation, const Value &a, const Value &b);
  Value transpose(const Value &value, llvm::ArrayRef<int32_t> order = {});
  Value emitProduct(const Value &a, const Value &b, std::optional<Value> sum, llvm::StringRef name);
  Value emitMinMax(bool isMax, const Value &a, const Value &b);
  /// `assert(condition)`: nothing unless in debug mode.
  Value emitAssertion(const Expression *call);
  /// The two as they are where each element of the condition holds or does not.
  Value select(const Value &condition, Value a, Value b);

  // Calls.cpp, Builtins.cpp
  Value call(const Expression *expression);
  std::optional<Value> callBuiltin(const Expression *expression);
  /// Whether evaluating it may do something besides giving a value, or may only be done under a condition.
  bool hasEffects(const Expression *expression);
  bool isPureBuiltin(llvm::StringRef name);

  // Memory.cpp
  /// The mask under which an operation on elements of a shape runs: what the operation says, and what the
  /// arms of conditional expressions around it ask for.
  std::optional<Tensor> getMask(const Type &pointer, std::optional<Tensor> own);

  Diagnostics &diagnostics;
  WorkMeter &meter;
  const TranslationUnit &unit;
  const ExpansionTable &expansions;
  const Target &target;

private:
  struct Variable {
    llvm::StringRef name;
    Type type;
    Place place;
    Value value;
    bool isConst = false;
  };
  /// A function that is being walked.
  struct Frame {
    const Function *function;
    /// Its first variable.
    size_t base;
    Type result;
    /// Truth values, and what is returned: variables without names.
    size_t returned = 0, returnValue = 0;
    struct Loop {
      size_t broke, continued;
    };
    std::vector<Loop> loops;
  };
  /// What can be assigned to: a variable, or memory.
  struct Destination {
    std::optional<size_t> variable;
    Tensor pointer;
    std::optional<Tensor> mask;
    Type type;
  };
  /// Moves the current place for as long as it lives.
  class PlaceScope;
  /// Stands around what is walked into a region of its own, or inlined: neither this walk nor those of later
  /// passes could go down without end.
  class DepthScope;

  // Variables.cpp
  size_t declare(llvm::StringRef name, const Type &type, const Place &where, Value value,
                 bool isConst = false);
  std::optional<size_t> find(llvm::StringRef name) const;
  void closeScope(size_t size);
  void execute(const Declaration &declaration);
  void promise(const Declaration &declaration, const Value &value);
  std::vector<Value> takeValues() const;
  void setValues(llvm::ArrayRef<Value> values);
  /// The value in the IR; of a variable without one, zero.
  Tensor materialize(const Value &value);

  // Expressions.cpp
  Value evaluateNode(const Expression *expression);
  Value evaluateName(const Expression *expression);
  Value evaluateRange(const Expression *expression);
  Value evaluateSizeOf(const Expression *expression);
  Value evaluateAssignment(const Expression *expression);
  Value evaluateIncrement(const Expression *expression);
  /// Its type alone: whatever it does is thrown away.
  Type typeOfValue(const Expression *expression);

  // Memory.cpp
  Destination destinationOf(const Expression *expression);
  Value load(const Destination &destination, const Value *other = nullptr);
  void assign(const Destination &destination, const Value &value);
  static bool isDereference(const Expression *expression);

  // Subscripts.cpp
  Value evaluateSubscript(const Expression *expression);
  Value reduce(const Value &value, unsigned axis, SubscriptItem::Kind kind);

  // Conditionals.cpp
  Value evaluateConditional(const Expression *expression);
  Value evaluateLogical(const Expression *expression);
  Value evaluateMasked(const Expression *expression, const Tensor &condition);
  Value evaluateUnder(const Tensor &mask, const Expression *expression);
  /// An scf.if around both; a value that one gives, the other gives as well.
  Value emitIf(const Value &condition, llvm::function_ref<Value()> thenPart,
               llvm::function_ref<Value()> elsePart);

  // Statements.cpp
  void execute(const Statement *statement);
  void executeList(llvm::ArrayRef<const Statement *> list);
  void executeThenRest(const Statement *statement, llvm::ArrayRef<const Statement *> rest);
  void executeIf(const Statement *statement, llvm::ArrayRef<const Statement *> rest);
  void executeReturn(const Statement *statement);
  void checkAssertion(const Statement *statement);
  /// Whether what follows a statement is reached.
  Value reachesEnd(const Statement *statement);
  static bool alwaysLeaves(const Statement *statement);

  // Loops.cpp, CountedLoops.cpp
  /// Variables that a loop hands from one turn to the next.
  struct Carried {
    std::vector<size_t> variables;
    llvm::SmallVector<Tensor> initial;
  };
  void executeLoop(const Statement *statement);
  void emitWhile(const Statement *statement);
  bool emitCounted(const Statement *statement);
  Carried findCarried(const Statement *statement);
  void bindArguments(const Carried &carried, mlir::Block &block);
  /// The loop's body; then, of a for, its step.
  void walkBody(const Statement *statement, bool withStep);
  Value evaluateLoopCondition(const Statement *statement);

  // Calls.cpp
  Value callFunction(const Function &function, const Expression *expression);
  Value callMath(const Expression *expression);

  std::vector<Variable> variables;
  llvm::StringMap<llvm::SmallVector<size_t, 2>> variablesByName;
  std::vector<Frame> frames;
  /// Calls that are being inlined, outermost first.
  struct CallSite {
    Place place;
    llvm::StringRef callee;
    const void *location = nullptr;
  };
  std::vector<CallSite> calls;
  Place place;
  unsigned depth = 0;
  llvm::StringRef assignedName;
  /// What the arms of conditional expressions around ask for, and the variables that there were before.
  std::optional<Tensor> activeMask;
  size_t variablesBeforeArm = 0;
  llvm::StringMap<Value> fileConstants;
  llvm::StringMap<const Function *> functions;
  bool warnedOfDouble = false;
  /// Not for what the compiler itself computes, such as a loop's last value.
  bool checksOverflow = true;

  struct CachedLocation {
    const char *where = nullptr;
    llvm::StringRef name;
    const void *call = nullptr;
    std::optional<mlir::Location> location;
  } cached;
  const void *getCallLocation(size_t depth);
};

/// Two pointers, whether to const or not.
bool pointToTheSame(const Type &a, const Type &b);

/// All names that are assigned to, `++` included, below an expression or a statement, less those of variables
/// that are declared there.
void findAssignedNames(const Expression *expression, llvm::StringSet<> &names);
void findAssignedNames(const Statement *statement, llvm::StringSet<> &names);

class Emitter::PlaceScope {
public:
  PlaceScope(Emitter &emitter, const Place &place) : emitter(emitter), saved(emitter.place) {
    emitter.place = place;
  }
  ~PlaceScope() { emitter.place = saved; }
  PlaceScope(const PlaceScope &) = delete;

private:
  Emitter &emitter;
  Place saved;
};

class Emitter::DepthScope {
public:
  explicit DepthScope(Emitter &emitter) : emitter(emitter) {
    constexpr unsigned deepest = 128;
    if (++emitter.depth > deepest)
      emitter.fail(
          "branches, loops and calls are nested more than " + llvm::Twine(deepest) +
          " levels deep here; what follows a conditional 'return', 'break' or 'continue' is nested in it");
  }
  ~DepthScope() { --emitter.depth; }
  DepthScope(const DepthScope &) = delete;

private:
  Emitter &emitter;
};

} // namespace nereid::triton_c

#endif // NEREID_COMPILER_FRONTENDS_TRITON_C_EMISSION_EMITTER_H
