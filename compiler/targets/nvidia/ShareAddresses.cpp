// Each number is taken for a sum of a constant and the rest, backwards through sums, products with constants
// and widenings. In 64 bits everything may wrap around. In what is widened nothing may, which LLVM knows of
// some operations: of those only unsigned ones are taken apart, as what is left without the constant is
// smaller and does not wrap around either.
//
// LLVM says of the last of a row of numbers, whose bits are all ones, `or %x, 992` where the others are
// `or disjoint (and %x, 24), 32`: what the constant sets anyway need not be masked. It is taken for one of
// them where they are many: a start of its own would be kept for as long as theirs.
//
// Rows whose distance is known only when the kernel runs, as a number of 64 bits, are taken apart the same
// way into their start and a multiple of the distance. There signed numbers are widened as well, which keep
// their sign without bits that they have beside the rest's. Each address is the one before and a step: two
// instructions in place of six, and one address alive in place of all. Loads in loops are left alone, as they
// would start one after the other.
//
// The rest is described first and made only where several addresses have it in common: the start of a row of
// addresses right before the first access, and what it is computed from as early as can be.
#include "compiler/targets/nvidia/ShareAddresses.h"

#include "compiler/targets/nvidia/InlineAssembly.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

#include <map>
#include <memory>
#include <set>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace nereid {

namespace {

constexpr unsigned globalSpace = 1;
constexpr int64_t mostOffset = (1 << 23) - 1; // of an instruction

/// What is left of a number or an address: a value as it is, or an operation on such.
struct Term {
  Value *value = nullptr; // once there is one
  Instruction *like = nullptr;
  unsigned opcode = 0;
  std::array<Term *, 2> operands = {};
};

struct Sum {
  Term *rest; // null for zero
  int64_t constant = 0;
  bool isSubset = true; // of the whole's bits, the rest's
  Value *stride = nullptr;
  int64_t multiple = 0; // of the stride
};

/// An address that an access takes, as it differs from others that begin alike.
struct Access {
  Use *use;
  int64_t constant, multiple;
};

class Addresses {
public:
  explicit Addresses(Function &function) : function(function), dominators(function), loops(dominators) {}
  void run();

private:
  SmallVector<Use *> findUses();
  void stepThroughRows(SmallVectorImpl<Use *> &uses);
  Sum takeApart(Value *value, bool isNarrow);
  Sum compute(Value *value, bool isNarrow);
  Sum computeRow(BinaryOperator &product);
  Instruction *findMasked(Instruction *op);
  Term *getLeaf(Value *value);
  Term *getTerm(Instruction *like, unsigned opcode, Term *a, Term *b = nullptr);
  Instruction *findEarliest(const Term *term);
  Value *make(Term *term);
  Value *makeAt(Term *term, Instruction *place);
  void share(Term *start, ArrayRef<Access> accesses);
  void take(const Access &access, Value *address);
  bool mayStep(Use *use, const Term *start);
  void step(Term *start, Value *stride, ArrayRef<Access> accesses);

  Function &function;
  bool takesStrides = false;
  DominatorTree dominators;
  LoopInfo loops;
  using Key = std::tuple<Value *, unsigned, Type *, Term *, Term *>;
  std::map<Key, std::unique_ptr<Term>> terms;
  DenseMap<std::pair<Value *, unsigned>, Sum> known;
  SmallVector<WeakTrackingVH> replaced;
};

Term *Addresses::getLeaf(Value *value) {
  std::unique_ptr<Term> &term = terms[Key(value, 0, nullptr, nullptr, nullptr)];
  if (!term)
    term.reset(new Term{value});
  return term.get();
}

Term *Addresses::getTerm(Instruction *like, unsigned opcode, Term *a, Term *b) {
  auto *address = dyn_cast<GetElementPtrInst>(like);
  Type *type = address ? address->getSourceElementType() : like->getType();
  std::unique_ptr<Term> &term = terms[Key(nullptr, opcode, type, a, b)];
  if (!term)
    term.reset(new Term{nullptr, like, opcode, {a, b}});
  return term.get();
}

Sum Addresses::takeApart(Value *value, bool isNarrow) {
  if (auto it = known.find({value, isNarrow}); it != known.end())
    return it->second;
  Sum sum = compute(value, isNarrow);
  known.insert({{value, unsigned(isNarrow)}, sum});
  return sum;
}

/// Of `or %x, constant` what `%x` has beside the constant's bits, if that is at hand.
Instruction *Addresses::findMasked(Instruction *op) {
  Value *x;
  const APInt *constant;
  if (!match(op, m_Or(m_Value(x), m_APInt(constant))) || isa<Constant>(x))
    return nullptr;
  constexpr unsigned many = 7; // others
  APInt possible = ~computeKnownBits(x, function.getDataLayout()).Zero;
  for (User *user : x->users()) {
    const APInt *mask;
    if (match(user, m_And(m_Specific(x), m_APInt(mask))) && (*mask & possible) == (possible & ~*constant) &&
        user->hasNUsesOrMore(many) && dominators.dominates(cast<Instruction>(user), op))
      return cast<Instruction>(user);
  }
  return nullptr;
}

Sum Addresses::compute(Value *value, bool isNarrow) {
  Sum whole{getLeaf(value)};
  if (auto *constant = dyn_cast<ConstantInt>(value)) {
    if (constant->getBitWidth() > 64)
      return whole;
    return {nullptr, isNarrow ? int64_t(constant->getZExtValue()) : constant->getSExtValue()};
  }
  auto *op = dyn_cast<Instruction>(value);
  if (!op || op->getType()->isVectorTy())
    return whole;
  if (auto *address = dyn_cast<GetElementPtrInst>(op)) {
    Value *index = address->getNumIndices() == 1 ? address->getOperand(1) : nullptr;
    if (!index || !index->getType()->isIntegerTy(64))
      return whole;
    int64_t size = function.getDataLayout().getTypeAllocSize(address->getSourceElementType());
    Sum base = takeApart(address->getPointerOperand(), false), offset = takeApart(index, false);
    if (base.stride && offset.stride)
      offset = {getLeaf(index)};
    return {offset.rest ? getTerm(op, Instruction::GetElementPtr, base.rest, offset.rest) : base.rest,
            base.constant + offset.constant * size, true, base.stride ? base.stride : offset.stride,
            base.multiple + offset.multiple * size};
  }
  if (auto *widening = dyn_cast<ZExtInst>(op)) {
    Sum sum = takeApart(widening->getOperand(0), true);
    return {sum.rest ? getTerm(op, Instruction::ZExt, sum.rest) : nullptr, sum.constant, sum.isSubset};
  }
  if (isa<SExtInst>(op) && takesStrides) {
    // Without bits that it has beside the rest's a number keeps its sign.
    Sum sum = takeApart(op->getOperand(0), true);
    bool keepsSign =
        sum.isSubset && isUIntN(op->getOperand(0)->getType()->getIntegerBitWidth() - 1, sum.constant);
    return keepsSign && sum.rest ? Sum{getTerm(op, Instruction::SExt, sum.rest), sum.constant} : whole;
  }
  if (Instruction *masked = findMasked(op)) {
    Sum sum = takeApart(masked, isNarrow), constant = takeApart(op->getOperand(1), isNarrow);
    return {sum.rest, sum.constant + constant.constant, sum.isSubset};
  }
  bool isDisjoint = match(op, m_DisjointOr(m_Value(), m_Value()));
  if (isNarrow && !isDisjoint && !(isa<OverflowingBinaryOperator>(op) && op->hasNoUnsignedWrap()))
    return whole;
  if (isDisjoint || op->getOpcode() == Instruction::Add) {
    Sum a = takeApart(op->getOperand(0), isNarrow), b = takeApart(op->getOperand(1), isNarrow);
    if (a.stride && b.stride)
      b = {getLeaf(op->getOperand(1))};
    bool isSubset = (isDisjoint || a.constant + b.constant == 0) && a.isSubset && b.isSubset;
    Term *rest = a.rest ? a.rest : b.rest;
    if (a.rest && b.rest)
      rest = getTerm(op, isDisjoint && isSubset ? Instruction::Or : Instruction::Add, a.rest, b.rest);
    return {rest, a.constant + b.constant, isSubset, a.stride ? a.stride : b.stride, a.multiple + b.multiple};
  }
  if (auto *product = dyn_cast<BinaryOperator>(op); product && takesStrides && !isNarrow)
    if (Sum row = computeRow(*product); row.stride)
      return row;
  auto *factor = dyn_cast<ConstantInt>(op->getNumOperands() == 2 ? op->getOperand(1) : nullptr);
  bool isShift = op->getOpcode() == Instruction::Shl;
  if (!factor || !(isShift || op->getOpcode() == Instruction::Mul) || factor->getBitWidth() > 64 ||
      (isShift && factor->uge(factor->getBitWidth())))
    return whole;
  Sum sum = takeApart(op->getOperand(0), isNarrow);
  uint64_t scale = isShift    ? uint64_t(1) << factor->getZExtValue()
                   : isNarrow ? factor->getZExtValue()
                              : uint64_t(factor->getSExtValue());
  return {sum.rest ? getTerm(op, op->getOpcode(), sum.rest, getLeaf(factor)) : nullptr,
          int64_t(uint64_t(sum.constant) * scale), sum.isSubset && (isShift || !sum.constant), sum.stride,
          int64_t(uint64_t(sum.multiple) * scale)};
}

/// A row's number times the distance of rows. Without a stride if it is something else.
Sum Addresses::computeRow(BinaryOperator &product) {
  if (product.getOpcode() != Instruction::Mul || !product.getType()->isIntegerTy(64))
    return {getLeaf(&product)};
  Value *row = product.getOperand(0), *stride = product.getOperand(1);
  if (isa<SExtInst, ZExtInst>(stride))
    std::swap(row, stride);
  if (!isa<SExtInst, ZExtInst>(row) || isa<SExtInst, ZExtInst, Constant>(stride))
    return {getLeaf(&product)};
  Sum sum = takeApart(row, false);
  return {sum.rest ? getTerm(&product, Instruction::Mul, sum.rest, getLeaf(stride)) : nullptr, 0, false,
          stride, sum.constant};
}

/// The first place where all that the term needs is there.
Instruction *Addresses::findEarliest(const Term *term) {
  Instruction *latest = &*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  auto visit = [&](auto &self, const Term *part) -> void {
    if (part->value) {
      auto *op = dyn_cast<Instruction>(part->value);
      if (op && (op == latest || dominators.dominates(latest, op)))
        latest = isa<PHINode>(op) ? &*op->getParent()->getFirstNonPHIIt() : op->getNextNode();
      return;
    }
    for (const Term *operand : part->operands)
      if (operand)
        self(self, operand);
  };
  visit(visit, term);
  return latest;
}

Value *Addresses::make(Term *term) {
  if (!term->value)
    term->value = makeAt(term, findEarliest(term));
  return term->value;
}

Value *Addresses::makeAt(Term *term, Instruction *place) {
  Value *a = make(term->operands[0]), *b = term->operands[1] ? make(term->operands[1]) : nullptr;
  IRBuilder<> builder(place);
  if (auto *address = dyn_cast<GetElementPtrInst>(term->like))
    return builder.CreateGEP(address->getSourceElementType(), a, b);
  if (term->opcode == Instruction::ZExt || term->opcode == Instruction::SExt)
    return builder.CreateCast(Instruction::CastOps(term->opcode), a, term->like->getType());
  if (term->opcode == Instruction::Or)
    return builder.CreateOr(a, b, "", /*IsDisjoint=*/true);
  return builder.CreateBinOp(Instruction::BinaryOps(term->opcode), a, b);
}

/// Has an access take the address, and the constant as a part of its instruction.
void Addresses::take(const Access &access, Value *address) {
  replaced.push_back(access.use->get());
  IRBuilder<> builder(cast<Instruction>(access.use->getUser()));
  access.use->set(access.constant ? builder.CreatePtrAdd(address, builder.getInt64(access.constant))
                                  : address);
}

void Addresses::share(Term *start, ArrayRef<Access> accesses) {
  auto *first = cast<Instruction>(accesses.front().use->getUser());
  bool isFirst = all_of(accesses, [&](const Access &access) {
    auto *user = cast<Instruction>(access.use->getUser());
    return user == first || dominators.dominates(first, user);
  });
  Instruction *earliest = findEarliest(start);
  bool isInSameLoop = loops.getLoopFor(first->getParent()) == loops.getLoopFor(earliest->getParent());
  // Others that begin with this address, too, may come before the first of these uses.
  Value *address = start->value ? start->value : makeAt(start, isFirst && isInSameLoop ? first : earliest);
  for (const Access &access : accesses)
    take(access, address);
}

/// From each access, in their order, to the next.
void Addresses::step(Term *start, Value *stride, ArrayRef<Access> accesses) {
  auto *first = cast<Instruction>(accesses.front().use->getUser());
  Value *address = start->value ? start->value : makeAt(start, first);
  int64_t multiple = 0;
  std::map<int64_t, Value *> steps;
  for (const Access &access : accesses) {
    if (int64_t more = access.multiple - multiple) {
      Value *&step = steps[more];
      if (!step)
        step = IRBuilder<>(first).CreateMul(stride,
                                            ConstantInt::get(stride->getType(), more, /*IsSigned=*/true));
      address = IRBuilder<>(cast<Instruction>(access.use->getUser())).CreatePtrAdd(address, step);
      multiple = access.multiple;
    }
    take(access, address);
  }
}

/// Whether addresses of the access may be computed one from the other: outside of loops, and of stores where
/// no loop has computed them before.
bool Addresses::mayStep(Use *use, const Term *start) {
  auto *user = cast<Instruction>(use->getUser());
  const Loop *loop = loops.getLoopFor(user->getParent());
  if (!loop)
    return true;
  bool isStore = isa<StoreInst>(user) || getAssemblyText(*user).contains("st.global.");
  return isStore && loops.getLoopFor(findEarliest(start)->getParent()) == loop;
}

/// Accesses of many rows in one block. Takes those out of the list.
void Addresses::stepThroughRows(SmallVectorImpl<Use *> &uses) {
  constexpr size_t many = 8;
  takesStrides = true;
  MapVector<std::tuple<Term *, Value *, BasicBlock *>, SmallVector<Access>> groups;
  for (Use *use : uses) {
    BasicBlock *block = cast<Instruction>(use->getUser())->getParent();
    Sum sum = takeApart(use->get(), false);
    if (sum.rest && sum.stride && mayStep(use, sum.rest))
      groups[{sum.rest, sum.stride, block}].push_back({use, sum.constant, sum.multiple});
  }
  SmallPtrSet<Use *, 32> done;
  for (auto &[key, group] : groups) {
    std::set<int64_t> rows;
    for (const Access &access : group)
      rows.insert(access.multiple);
    if (rows.size() < many)
      continue;
    step(std::get<Term *>(key), std::get<Value *>(key), group);
    for (const Access &access : group)
      done.insert(access.use);
  }
  erase_if(uses, [&](Use *use) { return done.contains(use); });
  takesStrides = false;
  known.clear();
}

/// The addresses of global memory that accesses take, in their order.
SmallVector<Use *> Addresses::findUses() {
  SmallVector<Use *> uses;
  for (Instruction &user : instructions(function)) {
    auto *call = dyn_cast<CallInst>(&user);
    if (!isa<LoadInst, StoreInst>(user) && !(call && isa<InlineAsm>(call->getCalledOperand())))
      continue;
    for (Use &use : user.operands()) {
      auto *type = dyn_cast<PointerType>(use->getType());
      if (type && type->getAddressSpace() == globalSpace && isa<GetElementPtrInst>(use.get()))
        uses.push_back(&use);
    }
  }
  return uses;
}

void Addresses::run() {
  SmallVector<Use *> uses = findUses();
  stepThroughRows(uses);
  MapVector<Term *, SmallVector<Access>> groups;
  for (Use *use : uses) {
    Sum sum = takeApart(use->get(), false);
    if (sum.rest && std::abs(sum.constant) <= mostOffset)
      groups[sum.rest].push_back({use, sum.constant, 0});
  }
  for (auto &[start, group] : groups) {
    int64_t constant = group.front().constant;
    if (any_of(group, [&](const Access &access) { return access.constant != constant; }))
      share(start, group);
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
}

} // namespace

void shareAddresses(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      Addresses(function).run();
}

} // namespace nereid
