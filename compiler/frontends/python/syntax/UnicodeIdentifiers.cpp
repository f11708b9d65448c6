// Normalization by the book (Unicode Standard Annex 15): decompose every character, sort the marks behind
// each base character by their combining class, then compose pairs again.
#include "compiler/frontends/python/syntax/UnicodeIdentifiers.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <cstdint>
#include <iterator>
#include <tuple>
#include <vector>

using namespace llvm;

namespace nereid::python {

namespace {
struct Range {
  char32_t first, last;
};
struct Decomposition {
  char32_t character;
  uint32_t place;
};
struct ClassRange {
  char32_t first, last;
  uint8_t combiningClass;
};
struct Composition {
  char32_t first, second, composed;
};
} // namespace

#include "compiler/frontends/python/syntax/UnicodeTables.inc"

// Hangul syllables are composed by arithmetic: a leading consonant, a vowel and perhaps a trailing consonant.
constexpr char32_t firstSyllable = 0xAC00, syllableCount = 11172;
constexpr char32_t firstLead = 0x1100, leadCount = 19;
constexpr char32_t firstVowel = 0x1161, vowelCount = 21;
constexpr char32_t beforeFirstTrail = 0x11A7, trailCount = 28;

char32_t readCharacter(const char *&cur) {
  unsigned char lead = *cur++;
  if (lead < 0x80)
    return lead;
  unsigned following = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  char32_t c = lead & (0x3F >> following);
  for (; following; --following)
    c = c << 6 | (static_cast<unsigned char>(*cur++) & 0x3F);
  return c;
}

void appendCharacter(std::string &text, char32_t c) {
  if (c < 0x80) {
    text += static_cast<char>(c);
    return;
  }
  unsigned following = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  text += static_cast<char>(((0xFF00 >> (following + 1)) & 0xFF) | c >> (6 * following));
  while (following--)
    text += static_cast<char>(0x80 | (c >> (6 * following) & 0x3F));
}

/// The last range that starts at or before `c`, if `c` is in it.
template <typename T> static const T *findRange(ArrayRef<T> ranges, char32_t c) {
  auto it = partition_point(ranges, [&](const T &range) { return range.first <= c; });
  return it != ranges.begin() && std::prev(it)->last >= c ? std::prev(it) : nullptr;
}

bool isIdentifierStart(char32_t c) {
  if (c < 0x80)
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  return findRange<Range>(identifierStarts, c);
}

bool isIdentifierPart(char32_t c) {
  return isIdentifierStart(c) || (c >= '0' && c <= '9') ||
         (c >= 0x80 && findRange<Range>(identifierParts, c));
}

static void decompose(std::vector<char32_t> &out, char32_t c) {
  if (c >= firstSyllable && c < firstSyllable + syllableCount) {
    char32_t index = c - firstSyllable;
    out.push_back(firstLead + index / (vowelCount * trailCount));
    out.push_back(firstVowel + index / trailCount % vowelCount);
    if (index % trailCount)
      out.push_back(beforeFirstTrail + index % trailCount);
    return;
  }
  auto it = partition_point(decompositions, [&](const Decomposition &entry) { return entry.character < c; });
  if (it == std::end(decompositions) || it->character != c) {
    out.push_back(c);
    return;
  }
  const char32_t *from = decomposed + (it->place >> 5);
  out.insert(out.end(), from, from + (it->place & 31));
}

static unsigned combiningClass(char32_t c) {
  const ClassRange *range = findRange<ClassRange>(combiningClasses, c);
  return range ? range->combiningClass : 0;
}

/// The character that two make together, or 0.
static char32_t compose(char32_t first, char32_t second) {
  if (first >= firstLead && first < firstLead + leadCount && second >= firstVowel &&
      second < firstVowel + vowelCount)
    return firstSyllable + ((first - firstLead) * vowelCount + (second - firstVowel)) * trailCount;
  if (first >= firstSyllable && first < firstSyllable + syllableCount &&
      (first - firstSyllable) % trailCount == 0 && second > beforeFirstTrail &&
      second < beforeFirstTrail + trailCount)
    return first + (second - beforeFirstTrail);
  auto it = partition_point(compositions, [&](const Composition &entry) {
    return entry.first < first || (entry.first == first && entry.second < second);
  });
  return it != std::end(compositions) && it->first == first && it->second == second ? it->composed : 0;
}

std::string normalizeIdentifier(StringRef identifier) {
  std::vector<char32_t> text;
  for (const char *cur = identifier.begin(); cur != identifier.end();)
    decompose(text, readCharacter(cur));

  // Marks keep their order within a class.
  std::vector<std::tuple<unsigned, size_t, char32_t>> marks;
  for (size_t i = 0; i <= text.size(); ++i) {
    unsigned thisClass = i == text.size() ? 0 : combiningClass(text[i]);
    if (thisClass != 0) {
      marks.push_back({thisClass, i, text[i]});
      continue;
    }
    llvm::sort(marks);
    for (size_t k = 0; k != marks.size(); ++k)
      text[i - marks.size() + k] = std::get<char32_t>(marks[k]);
    marks.clear();
  }

  // A mark joins the last base character unless a mark of its class, or of a higher one, stands between them.
  std::vector<char32_t> composed;
  size_t base = 0;
  bool hasBase = false;
  unsigned lastClass = 0;
  for (char32_t c : text) {
    unsigned thisClass = combiningClass(c);
    bool isAdjacent = hasBase && base + 1 == composed.size();
    if (hasBase && (isAdjacent || (lastClass != 0 && lastClass < thisClass))) {
      if (char32_t joined = compose(composed[base], c)) {
        composed[base] = joined;
        continue;
      }
    }
    if (thisClass == 0) {
      base = composed.size();
      hasBase = true;
    }
    lastClass = thisClass;
    composed.push_back(c);
  }

  std::string out;
  for (char32_t c : composed)
    appendCharacter(out, c);
  return out;
}

} // namespace nereid::python
