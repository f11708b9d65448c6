// PTX as LLVM writes it has an instruction or a label a line. A register that is written once holds the same
// wherever it can be read, so an operation on such registers can be done again anywhere behind it. Lines that
// are not understood, as those of assembly in braces, are taken to write all registers in them.
#include "compiler/targets/nvidia/SinkIntoLoops.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

using namespace llvm;

namespace nereid {

namespace {

/// `@%p1 add.s32 %r1, %r2, 3;`
struct Line {
  StringRef predicate, operation;
  SmallVector<StringRef, 4> operands; // with vectors and addresses in one piece
};

/// What computes a register.
struct Definition {
  size_t line = 0;
  Line parsed;
  unsigned count = 0; // of lines that write it
};

class Sinking {
public:
  explicit Sinking(StringRef ptx);
  std::string run();

private:
  void findLoops();
  void addDefinitions(size_t line);
  std::string computeAgain(StringRef name, size_t loopBegin, unsigned depth, std::string &code);

  SmallVector<StringRef, 0> lines;
  SmallVector<std::pair<size_t, size_t>> loops; // outermost: their first and last lines
  StringMap<Definition> definitions;
  StringMap<std::string> copies; // for the line at hand
  unsigned numCopies = 0;
};

} // namespace

static StringRef withoutComment(StringRef line) { return line.take_front(line.find("//")).trim(); }

/// An instruction that is alone in its line.
static std::optional<Line> parse(StringRef text) {
  StringRef rest = withoutComment(text);
  if (!rest.consume_back(";") || rest.contains(';') || rest.starts_with(".") || rest.starts_with("{"))
    return std::nullopt;
  Line line;
  if (rest.starts_with("@")) {
    size_t end = rest.find_first_of(" \t");
    line.predicate = rest.take_front(end);
    rest = rest.drop_front(line.predicate.size()).ltrim();
  }
  line.operation = rest.take_front(rest.find_first_of(" \t"));
  rest = rest.drop_front(line.operation.size()).trim();
  unsigned depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= rest.size(); ++i) {
    if (i == rest.size() || (rest[i] == ',' && depth == 0)) {
      if (StringRef operand = rest.slice(begin, i).trim(); !operand.empty())
        line.operands.push_back(operand);
      begin = i + 1;
    } else if (StringRef("{[(").contains(rest[i])) {
      ++depth;
    } else if (StringRef("}])").contains(rest[i])) {
      if (depth-- == 0)
        return std::nullopt;
    }
  }
  return line;
}

/// The next register in a text, as `%rd12`; special ones, as `%tid.x`, have no number.
static StringRef findRegister(StringRef text, size_t from) {
  for (size_t at = text.find('%', from); at != StringRef::npos; at = text.find('%', at + 1)) {
    StringRef letters = text.drop_front(at + 1).take_while([](char c) { return isAlnum(c) || c == '_'; });
    StringRef name = text.substr(at, 1 + letters.size());
    if (name.size() > 2 && isDigit(name.back()))
      return name;
  }
  return {};
}

static void forEachRegister(StringRef text, function_ref<void(StringRef)> visit) {
  for (StringRef name = findRegister(text, 0); !name.empty();
       name = findRegister(text, name.end() - text.begin()))
    visit(name);
}

/// Whether an instruction has no result.
static bool writesNothing(StringRef operation) {
  return any_of(ArrayRef<StringRef>{"st.", "stmatrix.", "bra", "ret", "cp.async.", "red.", "bar.sync",
                                    "bar.warp.sync", "fence.", "membar."},
                [&](StringRef prefix) { return operation.starts_with(prefix); });
}

static bool isCheap(StringRef operation) {
  return is_contained({"add.s32", "add.s64", "sub.s32", "or.b32", "or.b64", "xor.b32", "xor.b64", "and.b32",
                       "shl.b32", "shl.b64", "cvt.u32.u64", "cvt.u64.u32", "cvt.s64.s32"},
                      operation);
}

/// Of a cheap operation's result: the last of the types in its name is the operand's.
static bool isWide(StringRef operation) {
  return operation.split('.').second.split('.').first.ends_with("64");
}

Sinking::Sinking(StringRef ptx) {
  ptx.split(lines, '\n');
  findLoops();
  for (size_t i = 0; i < lines.size(); ++i)
    addDefinitions(i);
}

/// Branches back to a label of a line before.
void Sinking::findLoops() {
  StringMap<size_t> labels;
  for (auto [i, text] : enumerate(lines)) {
    StringRef line = withoutComment(text);
    if (line.consume_back(":"))
      labels[line] = i;
    std::optional<Line> parsed = line.contains("bra") ? parse(line) : std::nullopt;
    if (!parsed || !parsed->operation.starts_with("bra") || parsed->operands.empty())
      continue;
    auto label = labels.find(parsed->operands.back());
    if (label == labels.end())
      continue;
    size_t begin = label->second;
    while (!loops.empty() && loops.back().second >= begin) {
      begin = std::min(begin, loops.back().first);
      loops.pop_back();
    }
    loops.push_back({begin, i});
  }
}

void Sinking::addDefinitions(size_t number) {
  StringRef text = withoutComment(lines[number]);
  if (text.starts_with(".") || text.ends_with(":"))
    return;
  std::optional<Line> line = parse(text);
  if (line && writesNothing(line->operation))
    return;
  // Only of a simple result is it known how to compute it.
  constexpr unsigned several = 2;
  bool isSimple = line && line->predicate.empty() && !line->operands.empty() &&
                  findRegister(line->operands[0], 0) == line->operands[0];
  forEachRegister(line && !line->operands.empty() ? line->operands[0] : text, [&](StringRef name) {
    Definition &definition = definitions[name];
    definition.count += isSimple ? 1 : several;
    definition.line = number;
    if (isSimple)
      definition.parsed = *line;
  });
}

/// The name of a register that holds what `name` does: itself, or one that lines added to `code` compute.
std::string Sinking::computeAgain(StringRef name, size_t loopBegin, unsigned depth, std::string &code) {
  auto it = definitions.find(name);
  if (depth == 0 || it == definitions.end() || it->second.count != 1 || it->second.line >= loopBegin ||
      !isCheap(it->second.parsed.operation))
    return name.str();
  if (auto copy = copies.find(name); copy != copies.end())
    return copy->second;
  const Line &line = it->second.parsed;
  auto isFixed = [&](StringRef operand) {
    if (!operand.starts_with("%"))
      return true;
    auto source = definitions.find(operand);
    return source != definitions.end() && source->second.count == 1 && source->second.line < it->second.line;
  };
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
  std::string text;
  const auto *loop = loops.begin();
  for (auto [number, line] : enumerate(lines)) {
    while (loop != loops.end() && loop->second < number)
      ++loop;
    std::optional<Line> parsed;
    if (loop != loops.end() && loop->first < number)
      parsed = parse(line);
    std::string changed;
    size_t done = 0;
    copies.clear();
    if (parsed)
      forEachRegister(line, [&](StringRef name) {
        std::string copy = computeAgain(name, loop->first, mostOperations, text);
        size_t at = name.begin() - line.begin();
        changed += line.slice(done, at).str() + copy;
        done = at + name.size();
      });
    text += changed + line.drop_front(done).str() + "\n";
  }
  text.pop_back();
  // Declared with the kernel's other registers.
  size_t at = text.find("\t.reg ");
  if (numCopies == 0 || at == std::string::npos)
    return join(lines, "\n");
  std::string count = std::to_string(numCopies);
  return text.insert(at, "\t.reg .b32 \t%sunk<" + count + ">;\n\t.reg .b64 \t%sunkd<" + count + ">;\n");
}

std::string sinkIntoLoops(StringRef ptx) {
  // Functions that are called have registers of the same names.
  if (ptx.contains(".func "))
    return ptx.str();
  return Sinking(ptx).run();
}

} // namespace nereid
