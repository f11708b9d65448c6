// A list of what has effects, in its order, is worked off. Before each of them comes what it needs, and with
// everything that is placed what may follow at once because it needs no register more than it sets free.
//
// An operation alone seldom does: of x * s + y * t the two products take a register each before the sum gives
// them back. So before each operation with effects whole expressions are looked for that set more free than
// their result takes, all that is left to compute of it included. They are kept small: what they set free has
// to end soon.
#include "compiler/targets/nvidia/OrderForRegisters.h"

#include "compiler/targets/nvidia/InlineAssembly.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid {

namespace {

/// Lanes pass values to each other, in whatever order all of them do.
bool isShuffle(const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->getCalledFunction()->getName().starts_with("llvm.nvvm.shfl.sync.");
}

/// Assembly that computes something of its operands, and does nothing else: what a language's users and
/// lowerings write for instructions that LLVM does not know, such as products of bf16. Users may say so of
/// assembly that reads memory or a clock.
bool isOnlyArithmetic(const Instruction &instruction) {
  const InlineAsm *assembly = getInlineAssembly(instruction);
  return assembly && !assembly->hasSideEffects() &&
         !StringRef(assembly->getConstraintString()).contains("~{memory}") &&
         none_of(ArrayRef<StringRef>{"ld.", "atom.", "red.", "bar.", "barrier", "fence", "clock", "timer"},
                 [&](StringRef word) { return getAssemblyText(instruction).contains(word); });
}

bool hasPlace(const Instruction &instruction) {
  return !isOnlyArithmetic(instruction) && !isShuffle(instruction) &&
         (instruction.mayHaveSideEffects() || instruction.mayReadFromMemory() ||
          isa<AllocaInst>(instruction));
}

class BlockOrder {
public:
  /// Computes things early if more ends by that than begins; `isLate` leaves them until they are needed.
  explicit BlockOrder(BasicBlock &block, bool isLate = false);
  void run();

private:
  struct Node {
    Instruction *instruction;
    bool hasPlace = false, isPlaced = false;
    /// Operands of this block, of which each is there once; operations that use the results, or come later.
    SmallVector<unsigned, 4> operands, needed, users;
    unsigned numMissing = 0;
    /// How many of those that have places come before it.
    unsigned rank = 0;
    /// Registers of the result, and who has still to read it; more than there are where others do, too.
    int registers = 0;
    unsigned numReaders = 0;
  };

  void addEdge(unsigned before, unsigned after);
  int getRegisters(Type *type) const;
  int getGain(ArrayRef<unsigned> group) const;
  void place(unsigned node);
  void placeWhatFollows();
  void placeWithOperands(unsigned node);
  bool collectExpression(unsigned root, SmallVectorImpl<unsigned> &expression) const;
  void placeExpressions();
  size_t placeProducts(ArrayRef<unsigned> places, size_t fence);

  BasicBlock &block;
  bool isLate;
  SmallVector<Node, 0> nodes;
  SmallVector<unsigned, 0> order;
  SmallVector<unsigned> following;
  unsigned numPlacesDone = 0;
  mutable SmallVector<unsigned, 0> mark; // of nodes, the last group they were seen in
  mutable unsigned groups = 0;
};

BlockOrder::BlockOrder(BasicBlock &block, bool isLate) : block(block), isLate(isLate) {
  DenseMap<const Value *, unsigned> numbers;
  std::optional<unsigned> last;
  unsigned numPlaces = 0;
  for (Instruction &instruction : block) {
    unsigned number = nodes.size();
    numbers[&instruction] = number;
    Node &node = nodes.emplace_back();
    node.instruction = &instruction;
    node.registers = getRegisters(instruction.getType());
    // Phis are there from the start.
    if (isa<PHINode>(instruction))
      continue;
    node.hasPlace = hasPlace(instruction) || instruction.isTerminator();
    for (const Value *operand : instruction.operands())
      if (auto it = numbers.find(operand); it != numbers.end())
        if (!is_contained(node.operands, it->second))
          node.operands.push_back(it->second);
    for (unsigned operand : node.operands) {
      ++nodes[operand].numReaders;
      if (!isa<PHINode>(nodes[operand].instruction))
        addEdge(operand, number);
      node.rank = std::max(node.rank, nodes[operand].rank);
    }
    if (!node.hasPlace)
      continue;
    if (last)
      addEdge(*last, number);
    last = number;
    node.rank = ++numPlaces;
  }
  for (Node &node : nodes)
    for (const User *user : node.instruction->users())
      if (auto *reader = cast<Instruction>(user); reader->getParent() != &block || isa<PHINode>(reader))
        ++node.numReaders; // and never read
  mark.assign(nodes.size(), 0);
}

void BlockOrder::addEdge(unsigned before, unsigned after) {
  if (is_contained(nodes[after].needed, before))
    return;
  nodes[after].needed.push_back(before);
  nodes[before].users.push_back(after);
  ++nodes[after].numMissing;
}

int BlockOrder::getRegisters(Type *type) const {
  constexpr unsigned bitsOfRegister = 32;
  if (type->isVoidTy() || type->isIntegerTy(1))
    return 0;
  // The parts of a structure are taken out at once, and count then.
  if (type->isStructTy() || !type->isSized())
    return 0;
  return divideCeil(block.getModule()->getDataLayout().getTypeSizeInBits(type).getKnownMinValue(),
                    bitsOfRegister);
}

/// How many registers are free when all of a group, in order, are placed, less those that were before.
int BlockOrder::getGain(ArrayRef<unsigned> group) const {
  unsigned seen = ++groups;
  int gain = 0;
  DenseMap<unsigned, unsigned> readers;
  for (unsigned number : group)
    for (unsigned operand : nodes[number].operands)
      ++readers[operand];
  for (unsigned number : group)
    mark[number] = seen;
  for (unsigned number : group)
    if (nodes[number].numReaders > readers.lookup(number))
      gain -= nodes[number].registers;
  for (auto [operand, count] : readers)
    if (mark[operand] != seen && nodes[operand].numReaders == count)
      gain += nodes[operand].registers;
  return gain;
}

void BlockOrder::place(unsigned number) {
  Node &node = nodes[number];
  node.isPlaced = true;
  order.push_back(number);
  if (node.hasPlace)
    numPlacesDone = node.rank;
  for (unsigned operand : node.operands)
    --nodes[operand].numReaders;
  for (unsigned user : node.users)
    if (--nodes[user].numMissing == 0 && !nodes[user].hasPlace)
      following.push_back(user);
}

/// Of what can be placed now, since something was placed, what takes no register more.
void BlockOrder::placeWhatFollows() {
  for (size_t i = 0; i < following.size() && !isLate; ++i)
    if (unsigned number = following[i];
        !nodes[number].isPlaced && (isa<ExtractValueInst>(nodes[number].instruction) || getGain(number) >= 0))
      place(number);
  following.clear();
}

void BlockOrder::placeWithOperands(unsigned number) {
  SmallVector<unsigned> pending{number};
  while (!pending.empty()) {
    unsigned top = pending.back();
    if (nodes[top].isPlaced) {
      pending.pop_back();
      continue;
    }
    std::optional<unsigned> missing;
    for (unsigned needed : nodes[top].needed)
      if (!nodes[needed].isPlaced && (!missing || needed < *missing))
        missing = needed;
    if (missing) {
      pending.push_back(*missing);
      continue;
    }
    pending.pop_back();
    place(top);
    placeWhatFollows();
  }
}

/// All that is left to compute for `root`, in order. False if that is much, or waits for something that has a
/// place.
bool BlockOrder::collectExpression(unsigned root, SmallVectorImpl<unsigned> &expression) const {
  constexpr size_t largest = 24;
  expression.assign(1, root);
  for (size_t i = 0; i < expression.size(); ++i)
    for (unsigned needed : nodes[expression[i]].needed) {
      if (nodes[needed].isPlaced || is_contained(expression, needed))
        continue;
      if (nodes[needed].hasPlace || expression.size() == largest)
        return false;
      expression.push_back(needed);
    }
  llvm::sort(expression);
  return true;
}

void BlockOrder::placeExpressions() {
  constexpr unsigned mostTurns = 4;
  SmallVector<unsigned> expression;
  bool isDone = false;
  for (unsigned turn = 0; turn < mostTurns && !isDone; ++turn) {
    isDone = true;
    for (unsigned root = 0; root < nodes.size(); ++root) {
      const Node &node = nodes[root];
      if (node.isPlaced || node.hasPlace || node.rank > numPlacesDone ||
          !collectExpression(root, expression) || getGain(expression) <= 0)
        continue;
      for (unsigned number : expression)
        if (!nodes[number].isPlaced)
          place(number);
      placeWhatFollows();
      isDone = false;
    }
  }
}

/// From a fence on, up to where a group of products ends; the number of that. What they read comes before
/// all of them: whatever stands between makes the hardware wait for each.
size_t BlockOrder::placeProducts(ArrayRef<unsigned> places, size_t fence) {
  size_t last = fence;
  while (last + 1 < places.size() &&
         !getAssemblyText(*nodes[places[last]].instruction).starts_with("wgmma.commit"))
    ++last;
  for (unsigned number : places.slice(fence, last + 1 - fence))
    for (unsigned needed : nodes[number].needed)
      if (!nodes[needed].hasPlace && nodes[needed].rank <= numPlacesDone)
        placeWithOperands(needed);
  for (unsigned number : places.slice(fence, last + 1 - fence))
    placeWithOperands(number);
  return last;
}

void BlockOrder::run() {
  SmallVector<unsigned> places;
  for (auto [number, node] : enumerate(nodes)) {
    if (isa<PHINode>(node.instruction))
      node.isPlaced = true;
    else if (node.hasPlace && !node.instruction->isTerminator())
      places.push_back(number);
  }
  for (size_t i = 0; i < places.size(); ++i) {
    const Instruction &instruction = *nodes[places[i]].instruction;
    if (getAssemblyText(instruction).starts_with("wgmma.fence")) {
      placeExpressions();
      i = placeProducts(places, i);
      continue;
    }
    if (instruction.mayWriteToMemory() && !isLate)
      placeExpressions();
    placeWithOperands(places[i]);
  }
  for (unsigned number = 0; number < nodes.size(); ++number)
    placeWithOperands(number); // the terminator is the last
  for (unsigned number : order)
    nodes[number].instruction->moveBefore(block, block.end());
}

} // namespace

static bool startsProducts(const BasicBlock &block) {
  return any_of(block, [](const Instruction &instruction) {
    return getAssemblyText(instruction).contains("wgmma.mma_async");
  });
}

static void orderBlocks(Module &module, function_ref<bool(const BasicBlock &)> mayOrder,
                        bool isLate = false) {
  constexpr size_t fewInstructions = 200;
  for (Function &function : module)
    for (BasicBlock &block : function)
      if (block.size() >= fewInstructions && mayOrder(block))
        BlockOrder(block, isLate).run();
}

void orderForRegisters(Module &module) {
  orderBlocks(module, [](const BasicBlock &) { return true; });
}

void orderByResults(Module &module) {
  orderBlocks(module, [](const BasicBlock &) { return true; }, /*isLate=*/true);
}

void orderBesideProducts(Module &module) { orderBlocks(module, std::not_fn(startsProducts)); }

} // namespace nereid
