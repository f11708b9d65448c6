// Refusals get their chain of calls here.
#include "compiler/frontends/python/evaluation/Context.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace nereid::python {

void Context::fail(const Twine &message) { fail(range, message); }

void Context::fail(SMRange where, const Twine &message) {
  // A message may quote a value, and a value may be of any size.
  constexpr size_t longest = 2000;
  std::string text = message.str();
  if (text.size() > longest) {
    size_t end = longest;
    while (end > 0 && (text[end] & 0xC0) == 0x80)
      --end;
    text.resize(end);
    text += "…";
  }
  Refusal refusal;
  refusal.range = where.isValid() ? where : range;
  refusal.message = std::move(text);
  // Of a recursion, the calls at its ends tell enough.
  constexpr size_t inner = 6, outer = 3;
  std::vector<const CallSite *> sites;
  for (auto site = calls.rbegin(); site != calls.rend(); ++site)
    if (site->range.isValid() && (sites.empty() || sites.back()->range.Start != site->range.Start))
      sites.push_back(&*site);
  for (auto [index, site] : enumerate(sites)) {
    if (sites.size() > inner + outer + 1 && index > inner && index < sites.size() - outer)
      continue;
    std::string note = "in the call of '" + site->callee + "'";
    if (sites.size() > inner + outer + 1 && index == inner)
      note = "in " + std::to_string(sites.size() - inner - outer) + " calls more, of '" + site->callee +
             "' first";
    refusal.notes.push_back({site->range, std::move(note)});
  }
  throw refusal;
}

void Context::fail(SMRange where, const Twine &message, Refusal::Note note) {
  try {
    fail(where, message);
  } catch (Refusal &refusal) {
    if (note.range.isValid())
      refusal.notes.insert(refusal.notes.begin(), std::move(note));
    throw;
  }
}

void Context::failUnknown(const Opaque &value, StringRef use) {
  try {
    fail("'" + value.name + "' cannot be " + use + " in a kernel: " + value.reason);
  } catch (Refusal &refusal) {
    refusal.isUnknown = true;
    throw;
  }
}

void Context::warn(const Twine &message) { diagnostics.warning(range, message); }

void Context::warnOfBFloat16(StringRef other) {
  if (warnedOfBFloat16)
    return;
  warnedOfBFloat16 = true;
  // Inside the language's own functions it is the fault of whoever called them.
  SMRange where = range;
  for (auto site = calls.rbegin(); site != calls.rend() && site->range.isValid(); ++site)
    if (diagnostics.positionOf(where.Start).path.starts_with("triton/language/"))
      where = site->range;
  diagnostics.warning(where,
                      "bfloat16 and " + other +
                          " give bfloat16 here, by the rules of Triton's manual, and float32 in Triton "
                          "3.6; a cast of either says which is meant");
}

} // namespace nereid::python
