// Guesses are told apart by where they stand and what they say, so that one that is made for two names is
// told once.
#include "compiler/frontends/python/evaluation/GuessLog.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid::python {

static std::string shorten(StringRef text) {
  std::string line;
  for (char c : text)
    if (!isSpace(c))
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  constexpr size_t limit = 60;
  if (line.size() <= limit)
    return line;
  size_t end = limit;
  // Not in the middle of a character.
  while ((line[end] & 0xC0) == 0x80)
    --end;
  return line.substr(0, end) + "…";
}

std::string quoteSource(SMRange range) {
  const char *begin = range.Start.getPointer();
  return "'" + shorten(StringRef(begin, range.End.getPointer() - begin)) + "'";
}

void GuessLog::make(SMRange range, const Twine &message, StringRef reason) {
  std::string text = message.str();
  auto known = find_if(
      guesses, [&](const Guess &guess) { return guess.range.Start == range.Start && guess.message == text; });
  trail.push_back(static_cast<Id>(known - guesses.begin()));
  if (known == guesses.end())
    guesses.push_back({range, std::move(text), reason.str(), ""});
}

SmallVector<GuessLog::Id> GuessLog::since(size_t mark) const {
  SmallVector<Id> ids(ArrayRef(trail).drop_front(mark));
  llvm::sort(ids);
  ids.erase(llvm::unique(ids), ids.end());
  return ids;
}

void GuessLog::attribute(size_t mark, StringRef name, StringRef module, const Value &value) {
  std::string qualified = (module.empty() ? "" : module + ":").str() + name.str();
  bool isShown = value.isNumber() || value.isStr() || value.isType() || value.isNone() || value.isTuple();
  for (Id id : since(mark))
    if (guesses[id].effect.empty())
      guesses[id].effect = (isShown ? ", so that '" + name.str() + "' is " + shorten(value.repr())
                                    : ", which decides what '" + name.str() + "' is") +
                           "; -D " + qualified + "=VALUE says otherwise";
}

void GuessLog::report(size_t mark, Diagnostics &diagnostics) const {
  for (Id id : since(mark)) {
    const Guess &guess = guesses[id];
    diagnostics.warning(guess.range, guess.message + guess.effect);
    if (!guess.reason.empty())
      diagnostics.note(guess.range, guess.reason);
  }
}

} // namespace nereid::python
