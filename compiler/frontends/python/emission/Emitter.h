// Writes the IR of a kernel: what the evaluator leaves over, because it is only known at run time, becomes
// operations here. One worked example, `acc` in
//
//     acc = 0.0
//     for k in range(0, n, BLOCK):      # n at run time
//         acc += tl.sum(tl.load(p + k + tl.arange(0, BLOCK)))
//
// is bound to an arith.constant, then, in the body, to a block argument of the scf.for, and after it to its
// result. Which names a loop carries is found by walking the body first (LoopVariables.h).
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_EMITTER_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_EMITTER_H

#include "compiler/frontends/python/emission/EmissionContext.h"
#include "compiler/frontends/python/modules/ModuleEvaluator.h"

#include "compiler/dialects/tt/Dialect.h"

#include <map>

namespace nereid::python {

class Emitter final : public ModuleEvaluator, public EmissionContext {
public:
  Emitter(mlir::MLIRContext &mlirContext, Diagnostics &diagnostics, const BuiltinTable &builtins,
          ModuleLoader &loader, mlir::ModuleOp module, const Target &target, uint64_t compileLimit)
      : ModuleEvaluator(diagnostics, builtins, target, loader, compileLimit),
        EmissionContext(mlirContext, *this), module(module) {}

  using Context::fail;

  mlir::ModuleOp module;
  /// @triton.jit(debug=True): assertions are checked where the kernel runs, and the arithmetic of integers
  /// for overflow.
  bool debug = false;
  /// Not where the program says that a sum or product may wrap around.
  bool checksOverflow = true;
  unsigned numWarps = 4;

  // Operators.cpp
  Value emitNumber(const Value &number) override;
  Value emitConversion(const Value &value, const Type &type) override;
  Value emitBinary(ast::Operator op, const Value &left, const Value &right) override;
  Value emitUnary(ast::UnaryOperator op, const Value &operand) override;
  Value emitComparison(ast::CmpOp op, const Value &left, const Value &right) override;
  Value emitLogical(ast::BoolOperator op, const Value &left, const Value &right) override;
  Value emitExtremum(bool isMax, const Value &left, const Value &right) override;
  Value emitTruth(const Value &value) override;

  // TensorAttributes.cpp
  std::optional<Value> findTensorAttribute(const Value &tensor, llvm::StringRef name) override;
  Value emitSubscript(const Value &tensor, const Value &index) override;

  // Conditionals.cpp and Loops.cpp
  Value emitConditional(const ast::IfExp *node, const Value &test) override;
  Flow emitIf(const ast::If *node, const Value &test, const Continuation *after) override;
  void emitFor(const ast::For *node, const RangeObject &range) override;
  void emitWhile(const ast::While *node) override;

  // Assertions.cpp
  void emitAssertion(const Value &condition, llvm::StringRef message) override;
  /// tl.device_assert; nothing unless in debug mode.
  void emitAssertion(const Value &condition, llvm::StringRef message, const Value &mask);
  bool isUnderCondition() override;
  /// In debug mode asserts that the sum, difference or product of integers fits their type.
  void assertNoOverflow(ast::Operator op, const Value &left, const Value &right);

  // Functions.cpp
  Value callNoInline(const Function &function, const Scope &arguments) override;
  /// Fills a region of a reduction, scan or map: one block whose arguments `combine` gets, ended by Return.
  /// Gives the types that are returned; a reduction or scan must return what its elements are, the first half
  /// of `types`.
  template <typename Return>
  std::vector<Type> fillCombineRegion(mlir::Region &region, llvm::ArrayRef<Type> types, const Value &combine);

  Tensor toTensor(const Value &value);
  Tensor makeCondition(const Value &value);

private:
  void emitJoiningIf(const ast::If *node, const Tensor &condition);
  Flow emitReturningIf(const ast::If *node, const Tensor &condition, const Continuation *after);
  /// A variable with a value at the end of either branch of a run-time `if`.
  struct Merged {
    llvm::StringRef name;
    Value thenValue, elseValue;
  };
  std::vector<Merged> mergeBranches(const Scope &before, const Scope &thenScope, const Scope &elseScope,
                                    llvm::SMRange range);
  /// A noinline function for arguments of certain types and constants. While its body is walked it has no
  /// result yet.
  struct Outlined {
    tt::FuncOp callee;
    std::optional<Value> result;
  };
  std::map<std::pair<const ast::FunctionDef *, std::string>, Outlined> outlined;
};

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_EMITTER_H
