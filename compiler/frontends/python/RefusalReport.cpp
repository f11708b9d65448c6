// See RefusalReport.h.
#include "compiler/frontends/python/RefusalReport.h"

using namespace llvm;

namespace nereid::python {

void report(Diagnostics &diagnostics, Refusal refusal) {
  if (refusal.message.empty())
    return; // A file that does not parse: its error is there already.
  auto isInternal = [&](SMRange range) {
    return range.isValid() && diagnostics.positionOf(range.Start).path.starts_with("triton/language/");
  };
  while (isInternal(refusal.range) && !refusal.notes.empty()) {
    refusal.range = refusal.notes.front().range;
    refusal.notes.erase(refusal.notes.begin());
  }
  if (refusal.range.isValid())
    diagnostics.error(refusal.range, refusal.message);
  else
    diagnostics.error(refusal.message);
  for (const Refusal::Note &note : refusal.notes)
    if (note.range.isValid() && !isInternal(note.range))
      diagnostics.note(note.range, note.message);
}

} // namespace nereid::python
