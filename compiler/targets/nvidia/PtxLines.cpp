// See PtxLines.h.
#include "compiler/targets/nvidia/PtxLines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid {

StringRef withoutPtxComment(StringRef line) { return line.take_front(line.find("//")).trim(); }

std::optional<PtxLine> parsePtxLine(StringRef text) {
  StringRef rest = withoutPtxComment(text);
  if (!rest.consume_back(";") || rest.contains(';') || rest.starts_with(".") || rest.starts_with("{"))
    return std::nullopt;
  PtxLine line;
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

void forEachPtxRegister(StringRef text, function_ref<void(StringRef)> visit) {
  for (StringRef name = findRegister(text, 0); !name.empty();
       name = findRegister(text, name.end() - text.begin()))
    visit(name);
}

std::string renamePtxRegisters(StringRef line, function_ref<std::string(StringRef)> rename) {
  std::string renamed;
  size_t done = 0;
  forEachPtxRegister(withoutPtxComment(line), [&](StringRef name) {
    size_t at = name.begin() - line.begin();
    renamed += line.slice(done, at).str() + rename(name);
    done = at + name.size();
  });
  return renamed + line.drop_front(done).str();
}

/// Whether an instruction has no result.
static bool writesNothing(StringRef operation) {
  return any_of(ArrayRef<StringRef>{"st.", "stmatrix.", "bra", "ret", "cp.async.", "red.", "bar.sync",
                                    "bar.warp.sync", "fence.", "membar."},
                [&](StringRef prefix) { return operation.starts_with(prefix); });
}

PtxLines::PtxLines(StringRef ptx) {
  ptx.split(lines, '\n');
  findLoops();
  for (size_t i = 0; i < lines.size(); ++i)
    addDefinitions(i);
}

/// Branches back to a label of a line before.
void PtxLines::findLoops() {
  StringMap<size_t> labels;
  for (auto [i, text] : enumerate(lines)) {
    StringRef line = withoutPtxComment(text);
    if (line.consume_back(":"))
      labels[line] = i;
    std::optional<PtxLine> parsed = line.contains("bra") ? parsePtxLine(line) : std::nullopt;
    if (!parsed || !parsed->operation.starts_with("bra") || parsed->operands.empty())
      continue;
    auto label = labels.find(parsed->operands.back());
    if (label != labels.end())
      loops.push_back({label->second, i});
  }
}

void PtxLines::addDefinitions(size_t number) {
  StringRef text = withoutPtxComment(lines[number]);
  if (text.starts_with(".") || text.ends_with(":"))
    return;
  std::optional<PtxLine> line = parsePtxLine(text);
  if (line && writesNothing(line->operation))
    return;
  // Only of a simple result is it known how to compute it.
  constexpr unsigned several = 2;
  bool isSimple = line && line->predicate.empty() && !line->operands.empty() &&
                  findRegister(line->operands[0], 0) == line->operands[0];
  forEachPtxRegister(line && !line->operands.empty() ? line->operands[0] : text, [&](StringRef name) {
    PtxDefinition &definition = definitions[name];
    definition.count += isSimple ? 1 : several;
    definition.line = number;
    if (isSimple)
      definition.parsed = *line;
  });
}

const PtxDefinition *PtxLines::findOnly(StringRef name) const {
  auto it = definitions.find(name);
  return it != definitions.end() && it->second.count == 1 ? &it->second : nullptr;
}

bool PtxLines::isFixed(StringRef operand, size_t before) const {
  if (!operand.starts_with("%"))
    return true;
  const PtxDefinition *source = findOnly(operand);
  return source && source->line < before;
}

} // namespace nereid
