// Loops that count, as scf.for, which is what later passes pipeline.
//
// A `for` counts if its variable is an integer of 32 or 64 bits that only the step changes, by an amount that
// stays the same, and is compared with a bound that stays the same, and nothing leaves the loop but its
// condition:
//
//     for (int k = 0; k < K; k += TK)         scf.for %k = 0 to K step TK
//     for (int k = K; k > 0; k -= TK)         scf.for %i = 0 to K step TK, where k is K - i
//     for (uint32 k = 0; k < K; k += TK)      scf.for %i = -2^31 to K - 2^31 step TK, where k is i + 2^31
//
// All others are scf.while. Where the amount is only known at run time it is taken to go the way that the
// comparison asks for: any other loop would not end, or overflow, which C leaves undefined. Unsigned numbers
// wrap around instead, so their amount must be known: upwards by no more than half of all numbers, a loop
// that wraps once comes back to where it wraps, and never ends; downwards by a power of two, too.
#include "compiler/frontends/triton_c/emission/Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace nereid::triton_c {

namespace {

/// What a counting `for` says, as it stands in the source.
struct Counting {
  StringRef variable;
  const Expression *bound = nullptr;
  /// Null for one.
  const Expression *amount = nullptr;
  bool descends = false;
  /// The bound itself is counted: <= and >=.
  bool includesBound = false;
};

} // namespace

static bool isName(const Expression *expression, StringRef name) {
  return expression->kind == Expression::Kind::Name && expression->text == name;
}

/// Whether an expression gives the same in each turn: it reads no memory and no variable that the loop
/// assigns.
static bool staysTheSame(const Expression *expression, const StringSet<> &assigned) {
  switch (expression->kind) {
  case Expression::Kind::Number:
    return true;
  case Expression::Kind::Name:
    return !assigned.count(expression->text);
  case Expression::Kind::Unary:
    if (expression->unary == UnaryOperator::Dereference)
      return false;
    break;
  case Expression::Kind::Call:
    if (!StringSwitch<bool>(expression->text)
             .Cases({"min", "max", "get_num_programs", "get_program_id"}, true)
             .Default(false))
      return false;
    break;
  case Expression::Kind::Binary:
  case Expression::Kind::Cast:
    break;
  default:
    return false;
  }
  return all_of(expression->operands,
                [&](const Expression *operand) { return staysTheSame(operand, assigned); });
}

/// Reads `i += n`, `i -= n`, `++i`, `i = i + n`.
static bool readStep(const Expression *step, Counting &counting) {
  if (!step || step->operands.empty() || !isName(step->operands[0], counting.variable))
    return false;
  if (step->kind == Expression::Kind::Increment) {
    counting.descends = !step->increments;
    return true;
  }
  if (step->kind != Expression::Kind::Assign)
    return false;
  const Expression *right = step->operands[1];
  std::optional<BinaryOperator> op = step->op;
  if (!op) {
    if (right->kind != Expression::Kind::Binary)
      return false;
    op = right->op;
    bool first = isName(right->operands[0], counting.variable);
    bool second = *op == BinaryOperator::Add && isName(right->operands[1], counting.variable);
    if (!first && !second)
      return false;
    right = right->operands[first ? 1 : 0];
  }
  if (*op != BinaryOperator::Add && *op != BinaryOperator::Subtract)
    return false;
  counting.descends = *op == BinaryOperator::Subtract;
  counting.amount = right;
  return true;
}

/// Reads `i < n` and `n > i`.
static bool readCondition(const Expression *condition, const Expression *step, Counting &counting) {
  if (!condition || condition->kind != Expression::Kind::Binary || !step || step->operands.empty() ||
      step->operands[0]->kind != Expression::Kind::Name)
    return false;
  counting.variable = step->operands[0]->text;
  bool first = isName(condition->operands[0], counting.variable);
  if (!first && !isName(condition->operands[1], counting.variable))
    return false;
  counting.bound = condition->operands[first ? 1 : 0];
  bool isLess = false;
  switch (*condition->op) {
  case BinaryOperator::Less:
  case BinaryOperator::LessEqual:
    isLess = first;
    break;
  case BinaryOperator::Greater:
  case BinaryOperator::GreaterEqual:
    isLess = !first;
    break;
  default:
    return false;
  }
  counting.includesBound =
      *condition->op == BinaryOperator::LessEqual || *condition->op == BinaryOperator::GreaterEqual;
  return readStep(step, counting) && counting.descends == !isLess;
}

bool Emitter::emitCounted(const Statement *statement) {
  const Statement *body = statement->body[0];
  Counting counting;
  if (body->mayBreak || body->mayReturn || !readCondition(statement->expression, statement->step, counting))
    return false;
  std::optional<size_t> index = find(counting.variable);
  if (!index)
    return false;
  const Type type = variables[*index].type;
  if (!type.isInteger() || (type.getBits() != 32 && type.getBits() != 64))
    return false;
  StringSet<> assigned;
  findAssignedNames(body, assigned);
  if (assigned.count(counting.variable))
    return false;
  assigned.insert(counting.variable);
  if (!staysTheSame(counting.bound, assigned) ||
      (counting.amount && !staysTheSame(counting.amount, assigned)))
    return false;
  Value start = variables[*index].value;
  if (start.isUndefined())
    return false;

  PlaceScope scope(*this, statement->expression->place);
  Value bound = evaluate(counting.bound);
  Value amount = counting.amount ? evaluate(counting.amount) : Value::integer(1);
  if (bound.isBlock() || amount.isBlock() || !bound.type.isInteger() || !amount.type.isInteger())
    return false;
  // The comparison's type, in which the loop counts.
  const Type compared = getCommonType(start, bound);
  Type amountType = promote(amount.type);
  if (type.isUnsignedInteger() || compared.isUnsignedInteger()) {
    // A narrower variable would wrap around before it comes to what a wider unsigned bound may be.
    bool isNarrower = type.getBits() < compared.getBits() && compared.isUnsignedInteger();
    if (isNarrower || !amount.isConstant())
      return false;
    BigInt most = BigInt(1) << (type.getBits() - 1), by = amount.getInteger();
    if (by > most || (counting.descends && by > 0 && (by & (by - 1)) != 0))
      return false;
  } else if (!amountType.isSignedInteger() || amountType.getBits() > compared.getBits()) {
    return false;
  }
  if (amount.isConstant() && amount.getInteger() <= 0)
    return false;
  start = convert(start, compared);
  bound = convert(bound, compared);
  // What is computed for the loop's own sake may leave the type where the loop does not run.
  SaveAndRestore own(checksOverflow, false);
  if (counting.includesBound) {
    Value one = Value::integer(1, compared.getScalarKind());
    // In the type itself the sum might wrap around, where the loop would not end either.
    bool isLast = bound.isConstant() && bound.getInteger() == (counting.descends ? compared.getMinInteger()
                                                                                 : compared.getMaxInteger());
    if (isLast)
      return false;
    bound = emitArithmetic(counting.descends ? BinaryOperation::Subtract : BinaryOperation::Add, bound, one);
  }
  // Unsigned numbers count as signed ones, in the same order.
  const Type common = compared.isUnsignedInteger()
                          ? Type(compared.getBits() == 32 ? ScalarKind::Int32 : ScalarKind::Int64)
                          : compared;
  auto shift = [&](const Value &value, Type to) {
    if (compared == common)
      return convert(value, to);
    Value half = Value::integer(common.getMinInteger(), common.getScalarKind());
    return convert(emitArithmetic(BinaryOperation::Add, convert(value, common), half), to);
  };
  start = shift(start, common);
  bound = shift(bound, common);
  amount = convert(amount, common);

  mlir::OpBuilder::InsertionGuard guard(builder);
  // scf.for only counts upwards: a descending loop goes from its end to its start, and the variable is turned
  // around.
  Tensor lower = toTensor(counting.descends ? bound : start),
         upper = toTensor(counting.descends ? start : bound);
  Tensor step = toTensor(amount);
  SaveAndRestore<StringRef> unnamed(assignedName, "");
  Carried carried = findCarried(statement);
  for (size_t i = 0; i < carried.variables.size(); ++i)
    if (carried.variables[i] == *index) {
      carried.variables.erase(carried.variables.begin() + i);
      carried.initial.erase(carried.initial.begin() + i);
      break;
    }
  auto here = builder.saveInsertionPoint();
  size_t count = variables.size();
  std::vector<Value> before = takeValues();
  mlir::Block walked;
  mlir::Location counterLocation =
      mlir::NameLoc::get(builder.getStringAttr(counting.variable), getLocation());
  mlir::Value induction = walked.addArgument(lower.handle.getType(), counterLocation);
  {
    PlaceScope loopScope(*this, statement->place);
    bindArguments(carried, walked);
  }
  builder.setInsertionPointToStart(&walked);
  Value counter = Tensor{induction, common};
  if (counting.descends)
    counter =
        emitArithmetic(BinaryOperation::Add,
                       emitArithmetic(BinaryOperation::Subtract, Tensor(upper), counter), Tensor(lower));
  variables[*index].value = convert(shift(counter, compared), type);
  {
    SaveAndRestore users(checksOverflow, true);
    walkBody(statement, /*withStep=*/false);
  }
  builder.setInsertionPointToEnd(&walked);
  SmallVector<mlir::Value> next;
  for (size_t variable : carried.variables)
    next.push_back(materialize(variables[variable].value).handle);
  closeScope(count);

  SmallVector<unsigned> kept;
  SmallVector<mlir::Value> initial;
  for (unsigned i = 0; i < carried.variables.size(); ++i)
    if (next[i] != walked.getArgument(i + 1)) {
      kept.push_back(i);
      initial.push_back(carried.initial[i].handle);
    }
  builder.restoreInsertionPoint(here);
  setValues(before);
  mlir::scf::ForOp loop;
  {
    PlaceScope loopScope(*this, statement->place);
    SaveAndRestore naming(assignedName,
                          kept.empty() ? StringRef() : variables[carried.variables[kept.front()]].name);
    loop = create<mlir::scf::ForOp>(lower.handle, upper.handle, step.handle, initial);
  }
  loop.getInductionVar().setLoc(counterLocation);
  SmallVector<mlir::Value> replacements{loop.getInductionVar()};
  for (const Tensor &value : carried.initial)
    replacements.push_back(value.handle);
  for (auto [position, i] : enumerate(kept)) {
    replacements[i + 1] = loop.getRegionIterArg(position);
    loop.getRegionIterArg(position).setLoc(walked.getArgument(i + 1).getLoc());
  }
  for (auto [argument, replacement] : zip(walked.getArguments(), replacements)) {
    for (mlir::Value &value : next)
      if (value == argument)
        value = replacement;
    argument.replaceAllUsesWith(replacement);
  }
  mlir::Block *target = loop.getBody();
  if (!target->empty())
    target->back().erase();
  target->getOperations().splice(target->end(), walked.getOperations());
  builder.setInsertionPointToEnd(target);
  SmallVector<mlir::Value> yielded;
  for (unsigned i : kept)
    yielded.push_back(next[i]);
  create<mlir::scf::YieldOp>(yielded);
  builder.setInsertionPointAfter(loop);
  for (auto [result, i] : zip(loop.getResults(), kept))
    variables[carried.variables[i]].value = Tensor{result, carried.initial[i].type};

  // What the variable is after the loop. Most often nothing asks, and the operations go away.
  if (statement->initial && statement->initial->kind == Statement::Kind::Declare)
    return true;
  Value first = Tensor(lower), last = Tensor(upper), by = Tensor(step);
  Value one = Value::integer(1, common.getScalarKind());
  Value span =
      emitArithmetic(BinaryOperation::Subtract, emitArithmetic(BinaryOperation::Subtract, last, first), one);
  // Of a loop that runs the span is not negative, and may need the sign's bit.
  Tensor turns{create<mlir::arith::DivUIOp>(toTensor(span).handle, step.handle), common};
  Value distance =
      emitArithmetic(BinaryOperation::Multiply, emitArithmetic(BinaryOperation::Add, turns, one), by);
  Value end = counting.descends ? emitArithmetic(BinaryOperation::Subtract, last, distance)
                                : emitArithmetic(BinaryOperation::Add, first, distance);
  Value runs = makeComparison(*this, Comparison::Less, lower, upper);
  variables[*index].value =
      convert(shift(select(runs, end, counting.descends ? last : first), compared), type);
  return true;
}

} // namespace nereid::triton_c
