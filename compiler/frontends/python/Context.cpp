// Positions become MLIR locations here, and refusals get their chain of calls.
#include "compiler/frontends/python/Context.h"

#include "mlir/IR/Location.h"

using namespace llvm;

namespace nereid::python {

void Context::fail(const Twine &message) { fail(range, message); }

void Context::fail(SMRange where, const Twine &message) {
  Refusal refusal{where.isValid() ? where : range, message.str(), {}, {}};
  for (auto site = calls.rbegin(); site != calls.rend(); ++site)
    if (site->range.isValid())
      refusal.notes.push_back({site->range, "in the call of '" + site->callee + "'"});
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

void Context::warn(const Twine &message) { diagnostics.warning(range, message); }

mlir::Location Context::getLocation(SMLoc where) {
  // Columns count from 0, as in the locations that Triton writes.
  Diagnostics::Position position = where.isValid() ? diagnostics.positionOf(where) : Diagnostics::Position();
  if (!position.line)
    return builder.getUnknownLoc();
  return mlir::FileLineColLoc::get(builder.getContext(), position.path, position.line, position.column - 1);
}

mlir::Location Context::getLocation() {
  const char *where = range.isValid() ? range.Start.getPointer() : nullptr;
  if (cached.location && cached.where == where && cached.depth == calls.size() && cached.name == assignedName)
    return *cached.location;
  mlir::Location location = getLocation(range.Start);
  if (!assignedName.empty())
    location = mlir::NameLoc::get(builder.getStringAttr(assignedName), location);
  if (!calls.empty() && calls.back().location)
    location = mlir::CallSiteLoc::get(location, *calls.back().location);
  cached = {where, calls.size(), assignedName, location};
  return location;
}

} // namespace nereid::python
