// What a formula computes for its selection alone is found backwards from there; the rest of it others need
// anyway.
#include "compiler/targets/nvidia/SkipFormulas.h"

#include "compiler/targets/nvidia/InlineAssembly.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <optional>
#include <vector>

using namespace llvm;

namespace nereid {

namespace {

/// Whether it may be computed elsewhere, or not at all.
bool isPure(const Instruction &instruction) {
  if (isa<PHINode>(instruction) || instruction.isTerminator())
    return false;
  if (auto *call = dyn_cast<CallInst>(&instruction)) {
    auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand());
    return call->doesNotAccessMemory() && call->doesNotThrow() && !call->isConvergent() &&
           (assembly ? !assembly->hasSideEffects() : call->willReturn());
  }
  return !instruction.mayHaveSideEffects() && !instruction.mayReadFromMemory();
}

/// Whether it is computed by the units for special functions: exponentials, logarithms, reciprocals, roots.
bool isSpecial(const Instruction &instruction) {
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
    return call->getCalledFunction()->getName().contains(".approx");
  return getAssemblyText(instruction).contains(".approx");
}

/// A selection, and what is computed for one side of it alone.
struct Formula {
  SelectInst *selection;
  bool isTrueSide;
  SmallSetVector<Instruction *, 16> steps; // from the last to the first
};

class Skipper {
public:
  explicit Skipper(BasicBlock &block) : block(block) {}
  void run();

private:
  std::optional<Formula> findFormula(SelectInst &selection) const;
  bool addMissing(Value *value, const Instruction &place, SmallSetVector<Instruction *, 32> &missing) const;
  bool canJoin(const Formula &formula, const Instruction &place,
               SmallSetVector<Instruction *, 32> &missing) const;
  void hoistLoads(Instruction &place) const;
  static void skip(ArrayRef<Formula> group);

  BasicBlock &block;
};

/// The dearer side of a selection between two formulas.
std::optional<Formula> Skipper::findFormula(SelectInst &selection) const {
  constexpr unsigned fewSpecial = 2, leastSteps = 4;
  if (!selection.getCondition()->getType()->isIntegerTy(1))
    return std::nullopt;
  Formula formulas[2];
  unsigned special[2] = {0, 0};
  for (bool isTrueSide : {false, true}) {
    Formula &formula = formulas[isTrueSide];
    formula.selection = &selection;
    formula.isTrueSide = isTrueSide;
    auto add = [&](Value *value) {
      auto *instruction = dyn_cast<Instruction>(value);
      if (!instruction || instruction->getParent() != &block || !isPure(*instruction) ||
          instruction == selection.getCondition())
        return;
      if (all_of(instruction->users(), [&](User *user) {
            return user == &selection || formula.steps.contains(cast<Instruction>(user));
          }))
        formula.steps.insert(instruction);
    };
    Value *side = isTrueSide ? selection.getTrueValue() : selection.getFalseValue();
    if (!side->hasOneUse())
      continue;
    add(side);
    for (size_t i = 0; i < formula.steps.size(); ++i)
      for (Value *operand : formula.steps[i]->operands())
        add(operand);
    special[isTrueSide] = count_if(formula.steps, [](Instruction *step) { return isSpecial(*step); });
  }
  bool isTrueSide = special[true] > special[false];
  if (special[isTrueSide] < special[!isTrueSide] + fewSpecial ||
      formulas[!isTrueSide].steps.size() < leastSteps)
    return std::nullopt;
  return std::move(formulas[isTrueSide]);
}

/// Collects what `value` needs that is not computed before `place`. False if that can't be computed there.
bool Skipper::addMissing(Value *value, const Instruction &place,
                         SmallSetVector<Instruction *, 32> &missing) const {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || instruction->getParent() != &block || instruction->comesBefore(&place) ||
      missing.contains(instruction))
    return true;
  if (instruction == &place || !isPure(*instruction))
    return false;
  for (Value *operand : instruction->operands())
    if (!addMissing(operand, place, missing))
      return false;
  missing.insert(instruction);
  return true;
}

bool Skipper::canJoin(const Formula &formula, const Instruction &place,
                      SmallSetVector<Instruction *, 32> &missing) const {
  SelectInst &selection = *formula.selection;
  if (!addMissing(selection.getCondition(), place, missing) ||
      !addMissing(formula.isTrueSide ? selection.getFalseValue() : selection.getTrueValue(), place, missing))
    return false;
  for (Instruction *step : formula.steps)
    for (Value *operand : step->operands())
      if (auto *instruction = dyn_cast<Instruction>(operand);
          instruction && !formula.steps.contains(instruction) && !addMissing(instruction, place, missing))
        return false;
  return true;
}

/// Starts the loads behind `place` before it, as far as nothing is written before them: ptxas moves none over
/// a branch.
void Skipper::hoistLoads(Instruction &place) const {
  SmallVector<Instruction *> loads;
  for (Instruction &instruction : make_range(place.getIterator(), block.end())) {
    if (instruction.mayWriteToMemory())
      break;
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (load && load->isSimple())
      loads.push_back(load);
  }
  for (Instruction *load : loads) {
    SmallSetVector<Instruction *, 32> missing;
    if (!addMissing(load->getOperand(0), place, missing))
      continue;
    for (Instruction *instruction : missing)
      instruction->moveBefore(place.getIterator());
    load->moveBefore(place.getIterator());
  }
}

/// Of a group all is computed before its first selection.
void Skipper::skip(ArrayRef<Formula> group) {
  SelectInst *place = group.front().selection;
  IRBuilder<> b(place);
  Value *any = nullptr;
  for (const Formula &formula : group) {
    Value *needed = formula.selection->getCondition();
    if (!formula.isTrueSide)
      needed = b.CreateNot(needed);
    any = any ? b.CreateOr(any, needed) : needed;
  }
  BasicBlock *before = place->getParent();
  Instruction *end = SplitBlockAndInsertIfThen(any, place->getIterator(), /*Unreachable=*/false);
  BasicBlock *then = end->getParent(), *on = end->getSuccessor(0);
  for (const Formula &formula : group) {
    SelectInst *selection = formula.selection;
    Value *other = formula.isTrueSide ? selection->getFalseValue() : selection->getTrueValue();
    auto *chosen = PHINode::Create(selection->getType(), 2, "", on->getFirstNonPHIIt());
    selection->replaceAllUsesWith(chosen);
    chosen->addIncoming(selection, then);
    chosen->addIncoming(other, before);
    for (Instruction *step : reverse(formula.steps))
      step->moveBefore(end->getIterator());
    selection->moveBefore(end->getIterator());
  }
}

void Skipper::run() {
  constexpr unsigned most = 4; // a vector's elements
  SmallVector<SelectInst *> selections;
  for (Instruction &instruction : block)
    if (auto *selection = dyn_cast<SelectInst>(&instruction))
      selections.push_back(selection);
  std::vector<std::vector<Formula>> groups;
  for (SelectInst *selection : selections) {
    std::optional<Formula> formula = findFormula(*selection);
    if (!formula)
      continue;
    SmallSetVector<Instruction *, 32> missing;
    if (!groups.empty() && groups.back().size() < most) {
      Instruction *place = groups.back().front().selection;
      if (canJoin(*formula, *place, missing)) {
        for (Instruction *instruction : missing)
          instruction->moveBefore(place->getIterator());
        groups.back().push_back(std::move(*formula));
        continue;
      }
    }
    groups.emplace_back().push_back(std::move(*formula));
  }
  if (!groups.empty())
    hoistLoads(*groups.front().front().selection);
  // From the last on, as the block ends before a group's selections.
  for (const auto &group : reverse(groups))
    skip(group);
}

} // namespace

void skipFormulas(Module &module) {
  for (Function &function : module) {
    if (any_of(instructions(function),
               [](const Instruction &instruction) { return getAssemblyText(instruction).contains("mma"); }))
      continue;
    SmallVector<BasicBlock *> blocks;
    for (BasicBlock &block : function)
      blocks.push_back(&block);
    for (BasicBlock *block : blocks)
      Skipper(*block).run();
  }
}

} // namespace nereid
