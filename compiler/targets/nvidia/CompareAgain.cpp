// Conditions of conditions are made again of those, some deep. See CompareAgain.h.
#include "compiler/targets/nvidia/CompareAgain.h"

#include "compiler/targets/nvidia/PtxLines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

#include <vector>

using namespace llvm;

namespace nereid {

namespace {

class Comparing {
public:
  Comparing(StringRef ptx, bool isOnlyBehindLoops) : text(ptx), isOnlyBehindLoops(isOnlyBehindLoops) {
    if (!isOnlyBehindLoops)
      findSteps();
  }
  std::string run();

private:
  void findSteps();
  const PtxDefinition *findComparison(StringRef name) const;
  bool livesLong(StringRef name, size_t use) const;
  std::string compare(StringRef name, unsigned depth);
  std::string add(const Twine &operation, const Twine &operands);

  PtxLines text;
  bool isOnlyBehindLoops;
  std::vector<size_t> steps; // the lines that begin one
  std::string changed;
  StringMap<std::string> copies; // in this block of code, since the last step began
  unsigned numCopies = 0;
};

} // namespace

static bool isPredicate(StringRef operand) {
  return operand.consume_front("%p") && !operand.empty() && all_of(operand, isDigit);
}

static bool isLogic(StringRef operation) {
  return is_contained({"and.pred", "or.pred", "xor.pred", "not.pred"}, operation);
}

/// The comparison that is true where this one is false; empty for any other instruction. Of numbers, that is
/// true if one is NaN where this one is not.
static std::string getOpposite(StringRef operation) {
  SmallVector<StringRef, 4> parts;
  operation.split(parts, '.');
  if (parts.size() != 3 || parts[0] != "setp")
    return {};
  bool isFloat = parts[2].starts_with("f") || parts[2].starts_with("bf");
  StringRef opposite = StringSwitch<StringRef>(parts[1])
                           .Case("lt", isFloat ? "geu" : "ge")
                           .Case("le", isFloat ? "gtu" : "gt")
                           .Case("gt", isFloat ? "leu" : "le")
                           .Case("ge", isFloat ? "ltu" : "lt")
                           .Case("eq", isFloat ? "neu" : "ne")
                           .Case("ne", isFloat ? "equ" : "eq")
                           .Case("ltu", "ge")
                           .Case("leu", "gt")
                           .Case("gtu", "le")
                           .Case("geu", "lt")
                           .Case("equ", "ne")
                           .Case("neu", "eq")
                           .Default("");
  return opposite.empty() ? std::string() : ("setp." + opposite + "." + parts[2]).str();
}

/// A barrier begins one, and the first store behind loads.
void Comparing::findSteps() {
  bool hasLoaded = false;
  for (auto [number, line] : enumerate(text.getLines())) {
    StringRef instruction = withoutPtxComment(line);
    hasLoaded |= instruction.contains("ld.global");
    bool stores = instruction.contains("st.global");
    if (instruction.contains("bar.sync") || (stores && hasLoaded))
      steps.push_back(number);
    hasLoaded &= !stores;
  }
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

/// Whether a loop lies between this line and such a comparison, or another step begins.
bool Comparing::livesLong(StringRef name, size_t use) const {
  const PtxDefinition *definition = findComparison(name);
  if (!definition)
    return false;
  auto next = upper_bound(steps, definition->line);
  return (next != steps.end() && *next <= use) || any_of(text.getLoops(), [&](auto loop) {
           return definition->line < loop.first && loop.second < use;
         });
}

/// The name of a new predicate that an added line computes.
std::string Comparing::add(const Twine &operation, const Twine &operands) {
  std::string name = "%again" + std::to_string(numCopies++);
  changed += ("\t" + operation + " \t" + name + ", " + operands + ";\n").str();
  return name;
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
  std::string opposite = isOnlyBehindLoops ? "" : getOpposite(line.operation), all = join(operands, ", ");
  std::string copy = opposite.empty() ? add(line.operation, all) : add("not.pred", add(opposite, all));
  copies[name] = copy;
  return copy;
}

std::string Comparing::run() {
  constexpr unsigned predicates = 6, mostOperations = 3; // but for one that the loops need
  ArrayRef<StringRef> lines = text.getLines();
  StringSet<> living;
  for (size_t number = 0; number < lines.size(); ++number)
    forEachPtxRegister(withoutPtxComment(lines[number]), [&](StringRef name) {
      if (livesLong(name, number))
        living.insert(name);
    });
  if (living.size() <= predicates)
    return {};
  for (size_t number = 0; number < lines.size(); ++number) {
    if (withoutPtxComment(lines[number]).ends_with(":") || binary_search(steps, number))
      copies.clear();
    std::string other = renamePtxRegisters(lines[number], [&](StringRef name) {
      return livesLong(name, number) ? compare(name, mostOperations) : name.str();
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

static std::string compareAgain(StringRef ptx, bool isOnlyBehindLoops) {
  // Functions that are called have registers of the same names.
  return ptx.contains(".func ") ? std::string() : Comparing(ptx, isOnlyBehindLoops).run();
}

std::string compareAgain(StringRef ptx) { return compareAgain(ptx, /*isOnlyBehindLoops=*/false); }

std::string compareAgainBehindLoops(StringRef ptx) { return compareAgain(ptx, /*isOnlyBehindLoops=*/true); }

} // namespace nereid
