// A register that is written once holds the same wherever it can be read, so an operation on such registers
// can be done again anywhere behind it.
#include "compiler/targets/nvidia/SinkIntoLoops.h"

#include "compiler/targets/nvidia/PtxLines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid {

namespace {

class Sinking {
public:
  explicit Sinking(StringRef ptx);
  std::string run();

private:
  std::string computeAgain(StringRef name, size_t loopBegin, unsigned depth, std::string &code);

  PtxLines text;
  SmallVector<std::pair<size_t, size_t>> loops; // outermost: their first and last lines
  StringMap<std::string> copies;                // for the line at hand
  unsigned numCopies = 0;
};

} // namespace

static bool isCheap(StringRef operation) {
  return is_contained({"add.s32", "add.s64", "sub.s32", "or.b32", "or.b64", "xor.b32", "xor.b64", "and.b32",
                       "shl.b32", "shl.b64", "cvt.u32.u64", "cvt.u64.u32", "cvt.s64.s32"},
                      operation);
}

/// Of a cheap operation's result: the last of the types in its name is the operand's.
static bool isWide(StringRef operation) {
  return operation.split('.').second.split('.').first.ends_with("64");
}

Sinking::Sinking(StringRef ptx) : text(ptx) {
  for (auto [begin, end] : text.getLoops()) {
    while (!loops.empty() && loops.back().second >= begin) {
      begin = std::min(begin, loops.back().first);
      loops.pop_back();
    }
    loops.push_back({begin, end});
  }
}

/// The name of a register that holds what `name` does: itself, or one that lines added to `code` compute.
std::string Sinking::computeAgain(StringRef name, size_t loopBegin, unsigned depth, std::string &code) {
  const PtxDefinition *definition = text.findOnly(name);
  if (depth == 0 || !definition || definition->line >= loopBegin || !isCheap(definition->parsed.operation))
    return name.str();
  if (auto copy = copies.find(name); copy != copies.end())
    return copy->second;
  const PtxLine &line = definition->parsed;
  auto isFixed = [&](StringRef operand) { return text.isFixed(operand, definition->line); };
  if (!all_of(drop_begin(line.operands), isFixed))
    return name.str();
  SmallVector<std::string, 2> operands;
  for (StringRef operand : drop_begin(line.operands))
    operands.push_back(computeAgain(operand, loopBegin, depth - 1, code));
  std::string copy = (isWide(line.operation) ? "%sunkd" : "%sunk") + std::to_string(numCopies++);
  code += "\t" + line.operation.str() + " \t" + copy + ", " + join(operands, ", ") + ";\n";
  copies[name] = copy;
  return copy;
}

std::string Sinking::run() {
  constexpr unsigned mostOperations = 3; // behind one another
  std::string changed;
  const auto *loop = loops.begin();
  for (auto [number, line] : enumerate(text.getLines())) {
    while (loop != loops.end() && loop->second < number)
      ++loop;
    std::optional<PtxLine> parsed;
    if (loop != loops.end() && loop->first < number)
      parsed = parsePtxLine(line);
    copies.clear();
    std::string other = !parsed ? line.str() : renamePtxRegisters(line, [&](StringRef name) {
      return computeAgain(name, loop->first, mostOperations, changed);
    });
    changed += other + "\n";
  }
  changed.pop_back();
  // Declared with the kernel's other registers.
  size_t at = changed.find("\t.reg ");
  if (numCopies == 0 || at == std::string::npos)
    return join(text.getLines(), "\n");
  std::string count = std::to_string(numCopies);
  return changed.insert(at, "\t.reg .b32 \t%sunk<" + count + ">;\n\t.reg .b64 \t%sunkd<" + count + ">;\n");
}

std::string sinkIntoLoops(StringRef ptx) {
  // Functions that are called have registers of the same names.
  if (ptx.contains(".func "))
    return ptx.str();
  return Sinking(ptx).run();
}

} // namespace nereid
