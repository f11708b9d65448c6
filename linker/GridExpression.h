// GRID: how many programs a launch runs, as a function of the kernel's arguments.
//
//     cdiv(n, BLOCK)            one dimension
//     cdiv(m, BM) * cdiv(n, BN), batch         two
//
// One to three comma-separated expressions over the kernel's integer arguments and compile-time values, with
// + - * / %, comparisons (1 or 0), `and`, `or`, `not` (or && || !), unary minus, parentheses, cdiv(a, b),
// min(a, b, …), max(a, b, …) and next_power_of_2(a), which is 0 for an `a` below 1, as Triton's is for 0.
// True and False are 1 and 0. `and` and `or` give 1 or 0, and do not compute their right side where the left
// one decides. Values are 64-bit signed integers; `/` and `%` are C's (they truncate towards zero), cdiv
// rounds up. Overflow and division by zero are errors of the call, not undefined behaviour, both in `nereid
// run`, which evaluates the expression here, and in the library, where the linker prints it as C.
#ifndef NEREID_LINKER_GRIDEXPRESSION_H
#define NEREID_LINKER_GRIDEXPRESSION_H

#include "compiler/model/Diagnostics.h"
#include "compiler/model/KernelInfo.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nereid {

class GridExpression {
public:
  /// Reads a grid, or a list of up to `mostDimensions` expressions for something else. `text` must be a view
  /// that diagnostics.addSource returned. Returns nothing after reporting what is wrong.
  static std::optional<GridExpression> parse(llvm::StringRef text, Diagnostics &diagnostics,
                                             size_t mostDimensions = 3);

  /// Reads a condition: one expression, which holds where it is not 0.
  static std::optional<GridExpression> parseCondition(llvm::StringRef text, Diagnostics &diagnostics);

  /// Checks that every name is an integer argument or an integer compile-time value of the kernel, or is said
  /// to be none of its parameters, `argument(rows)`; reports those that are not.
  bool check(llvm::ArrayRef<KernelParameter> parameters, Diagnostics &diagnostics) const;

  /// At least one.
  size_t countDimensions() const { return dimensions.size(); }

  /// The names used, in the order of their first use.
  std::vector<std::string> getNames() const;

  /// Those of them that are no parameters of the kernel, but further arguments of its C function.
  std::vector<std::string> getArguments() const;

  /// The grid for these values; dimensions that are not given are 1. Fails on a name without a value, on
  /// overflow and on division by zero. A negative or too large result is not an error here.
  llvm::Expected<std::array<int64_t, 3>> evaluate(const std::map<std::string, int64_t> &values) const;

  /// The same for any number of dimensions.
  llvm::Expected<std::vector<int64_t>> evaluateAll(const std::map<std::string, int64_t> &values) const;

  /// C statements that set grid[0] and so on. `nameToC` prints a name (a cast of an argument, or the literal
  /// of a constant); the operators become calls of the checked functions in templates/grid.c.in, which set
  /// *bad. An operand that is an operator itself goes through a variable, so that nothing nests however long
  /// the grid: C compilers bound how deep expressions may be.
  std::vector<std::string> printC(llvm::function_ref<std::string(llvm::StringRef)> nameToC) const;

  enum class Operator {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Neg,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    CDiv,
    Min,
    Max,
    NextPowerOf2,
    And,
    Or,
    Not
  };
  struct Node;

private:
  friend class ConditionReader;
  GridExpression();

  /// Operands come before what uses them, so that everything is one loop over this.
  std::vector<Node> nodes;
  /// Their indices in `nodes`.
  std::vector<size_t> dimensions;
  /// For messages.
  bool isCondition = false;

public:
  GridExpression(GridExpression &&);
  GridExpression &operator=(GridExpression &&);
  ~GridExpression();
};

} // namespace nereid

#endif // NEREID_LINKER_GRIDEXPRESSION_H
