// Conditions of conditions are made again of those, some deep. See CompareAgain.h.
#include "compiler/targets/nvidia/CompareAgain.h"

#include "compiler/targets/nvidia/PtxLines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace nereid {

namespace {

class Comparing {
public:
  explicit Comparing(StringRef ptx) : text(ptx) {}
  std::string run();

private:
  const PtxDefinition *findComparison(StringRef name) const;
  bool outlivesLoop(StringRef name, size_t use) const;
  std::string compare(StringRef name, unsigned depth);

  PtxLines text;
  std::string changed;
  StringMap<std::string> copies; // in this block of code
  unsigned numCopies = 0;
};

} // namespace

static bool isPredicate(StringRef operand) {
  return operand.consume_front("%p") && !operand.empty() && all_of(operand, isDigit);
}

static bool isLogic(StringRef operation) {
  return is_contained({"and.pred", "or.pred", "xor.pred", "not.pred"}, operation);
}

/// What compares for the condition, if that can be done again wherever it is known; null otherwise.
const PtxDefinition *Comparing::findComparison(StringRef name) const {
  const PtxDefinition *definition = isPredicate(name) ? text.findOnly(name) : nullptr;
  if (!definition)
    return nullptr;
  const PtxLine &line = definition->parsed;
  auto isFixed = [&](StringRef operand) { return text.isFixed(operand, definition->line); };
  bool isSimple = line.operation.starts_with("setp.") || isLogic(line.operation);
  return isSimple && all_of(drop_begin(line.operands), isFixed) ? definition : nullptr;
}

/// Whether a loop lies between this line and such a comparison.
bool Comparing::outlivesLoop(StringRef name, size_t use) const {
  const PtxDefinition *definition = findComparison(name);
  return definition && any_of(text.getLoops(),
                              [&](auto loop) { return definition->line < loop.first && loop.second < use; });
}

/// The name of a predicate that lines added compute, which is the same as `name`; or that where it can't be.
std::string Comparing::compare(StringRef name, unsigned depth) {
  if (auto copy = copies.find(name); copy != copies.end())
    return copy->second;
  const PtxDefinition *definition = findComparison(name);
  if (!definition)
    return name.str();
  const PtxLine &line = definition->parsed;
  SmallVector<std::string, 2> operands;
  for (StringRef operand : drop_begin(line.operands))
    operands.push_back(depth != 0 && isLogic(line.operation) ? compare(operand, depth - 1) : operand.str());
  std::string copy = "%again" + std::to_string(numCopies++);
  changed += "\t" + line.operation.str() + " \t" + copy + ", " + join(operands, ", ") + ";\n";
  copies[name] = copy;
  return copy;
}

std::string Comparing::run() {
  constexpr unsigned predicates = 6, mostOperations = 3; // but for one that the loops need
  ArrayRef<StringRef> lines = text.getLines();
  StringSet<> living;
  for (size_t number = 0; number < lines.size(); ++number)
    forEachPtxRegister(withoutPtxComment(lines[number]), [&](StringRef name) {
      if (outlivesLoop(name, number))
        living.insert(name);
    });
  if (living.size() <= predicates)
    return {};
  for (size_t number = 0; number < lines.size(); ++number) {
    if (withoutPtxComment(lines[number]).ends_with(":"))
      copies.clear();
    std::string other = renamePtxRegisters(lines[number], [&](StringRef name) {
      return outlivesLoop(name, number) ? compare(name, mostOperations) : name.str();
    });
    changed += other + "\n";
  }
  changed.pop_back();
  // Declared with the kernel's other registers.
  size_t at = changed.find("\t.reg ");
  if (at == std::string::npos)
    return {};
  return changed.insert(at, "\t.reg .pred \t%again<" + std::to_string(numCopies) + ">;\n");
}

std::string compareAgain(StringRef ptx) {
  // Functions that are called have registers of the same names.
  return ptx.contains(".func ") ? std::string() : Comparing(ptx).run();
}

} // namespace nereid
