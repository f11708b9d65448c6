// Positions become MLIR locations here. Those of calls are only made when an operation asks for one: most
// calls that are walked while compiling emit nothing.
#include "compiler/frontends/python/emission/EmissionContext.h"

#include "mlir/IR/Location.h"

using namespace llvm;

namespace nereid::python {

mlir::Location EmissionContext::getLocation(SMLoc where) {
  // Columns count from 0, as in the locations that Triton writes.
  Diagnostics::Position position =
      where.isValid() ? source.diagnostics.positionOf(where) : Diagnostics::Position();
  if (!position.line)
    return builder.getUnknownLoc();
  return mlir::FileLineColLoc::get(builder.getContext(), position.path, position.line, position.column - 1);
}

/// With `depth` calls around it.
mlir::Location EmissionContext::makeLocation(SMRange range, StringRef name, size_t depth) {
  const void *call = getCallLocation(depth);
  mlir::Location location = getLocation(range.Start);
  if (!name.empty())
    location = mlir::NameLoc::get(builder.getStringAttr(name), location);
  if (call && namesCallees)
    location = mlir::FusedLoc::get({location}, builder.getStringAttr(source.calls[depth - 1].callee),
                                   builder.getContext());
  if (call)
    location = mlir::CallSiteLoc::get(location, mlir::Location::getFromOpaquePointer(call));
  return location;
}

const void *EmissionContext::getCallLocation(size_t depth) {
  if (!depth)
    return nullptr;
  Context::CallSite &site = source.calls[depth - 1];
  if (site.isApart)
    return nullptr;
  if (!site.location)
    site.location = makeLocation(site.range, site.assignedName, depth - 1).getAsOpaquePointer();
  return site.location;
}

mlir::Location EmissionContext::getLocation() {
  const char *where = source.range.isValid() ? source.range.Start.getPointer() : nullptr;
  const void *call = getCallLocation(source.calls.size());
  if (!cached.location || cached.where != where || cached.call != call || cached.name != source.assignedName)
    cached = {where, source.assignedName, call,
              makeLocation(source.range, source.assignedName, source.calls.size())};
  return *cached.location;
}

} // namespace nereid::python
