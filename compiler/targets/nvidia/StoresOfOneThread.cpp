// See StoresOfOneThread.h.
#include "compiler/targets/nvidia/StoresOfOneThread.h"

#include "compiler/targets/nvidia/PtxLines.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace nereid {

static bool readsThread(const PtxLine &line) {
  return line.operation == "mov.u32" && line.operands.size() == 2 && line.operands[1] == "%tid.x";
}

/// Whether so many stores that they are worth a try are under one condition on the thread's number.
static bool hasManyStoresOfOneThread(StringRef ptx) {
  constexpr unsigned many = 4;
  StringSet<> threads;
  StringMap<unsigned> stores; // by condition
  for (StringRef text : split(ptx, '\n')) {
    std::optional<PtxLine> line = parsePtxLine(text);
    if (!line)
      continue;
    if (readsThread(*line))
      threads.insert(line->operands[0]);
    else if (line->operation.starts_with("setp.") && line->operands.size() == 3 &&
             threads.contains(line->operands[1]) && isDigit(line->operands[2].front()))
      stores.try_emplace(line->operands[0], 0);
    else if (auto known = stores.find(line->predicate.drop_front(line->predicate.starts_with("@")));
             known != stores.end() && line->operation.starts_with("st.global") && ++known->second == many)
      return true;
  }
  return false;
}

std::string keepStoresOfOneThread(StringRef ptx) {
  constexpr StringLiteral numThreadsWord = ".reqntid ";
  unsigned numThreads = 0;
  if (size_t at = ptx.find(numThreadsWord); at != StringRef::npos)
    ptx.substr(at + numThreadsWord.size()).take_while(isDigit).getAsInteger(10, numThreads);
  if (!numThreads || !hasManyStoresOfOneThread(ptx))
    return {};
  std::string text;
  for (StringRef line : split(ptx, '\n')) {
    text += (line + "\n").str();
    if (std::optional<PtxLine> parsed = parsePtxLine(line); parsed && readsThread(*parsed))
      text += ("\tand.b32 \t" + parsed->operands[0] + ", " + parsed->operands[0] + ", " +
               Twine(PowerOf2Ceil(numThreads) - 1) + ";\n")
                  .str();
  }
  text.pop_back(); // the line's end that the text did not have
  return text;
}

} // namespace nereid
