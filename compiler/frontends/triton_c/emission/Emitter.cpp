// Places, messages, and the kernel as a whole.
#include "compiler/frontends/triton_c/emission/Emitter.h"

#include "compiler/dialects/tt/Dialect.h"

#include "mlir/IR/Location.h"

using namespace llvm;

namespace nereid::triton_c {

void Emitter::fail(const Place &where, const Twine &message) {
  throw Refusal{expansions.inFile(where).getRange(), message.str(), expansions.explain(where)};
}

void Emitter::warn(const Place &where, const Twine &message) {
  diagnostics.warning(expansions.inFile(where).getRange(), message);
  for (const Refusal::Note &note : expansions.explain(where))
    diagnostics.note(note.range, note.message);
}

mlir::Location Emitter::getLocation(const Place &where, StringRef name) {
  Place inFile = expansions.inFile(where);
  // Columns count from 0, as in the locations that Triton writes.
  Diagnostics::Position position =
      inFile.begin ? diagnostics.positionOf(inFile.getRange().Start) : Diagnostics::Position();
  if (!position.line)
    return builder.getUnknownLoc();
  mlir::Location location =
      mlir::FileLineColLoc::get(builder.getContext(), position.path, position.line, position.column - 1);
  return name.empty() ? location : mlir::NameLoc::get(builder.getStringAttr(name), location);
}

/// The location of the innermost call; null where nothing is inlined.
const void *Emitter::getCallLocation(size_t depth) {
  if (!depth)
    return nullptr;
  CallSite &site = calls[depth - 1];
  if (!site.location) {
    mlir::Location location = getLocation(site.place);
    if (const void *outer = getCallLocation(depth - 1))
      location = mlir::CallSiteLoc::get(location, mlir::Location::getFromOpaquePointer(outer));
    site.location = location.getAsOpaquePointer();
  }
  return site.location;
}

mlir::Location Emitter::getLocation() {
  const char *where = expansions.inFile(place).begin;
  const void *call = getCallLocation(calls.size());
  if (cached.location && cached.where == where && cached.call == call && cached.name == assignedName)
    return *cached.location;
  mlir::Location location = getLocation(place, assignedName);
  if (call && namesCallees)
    location =
        mlir::FusedLoc::get({location}, builder.getStringAttr(calls.back().callee), builder.getContext());
  if (call)
    location = mlir::CallSiteLoc::get(location, mlir::Location::getFromOpaquePointer(call));
  cached = {where, assignedName, call, location};
  return location;
}

void Emitter::readFileScope() {
  // Functions are found by name wherever in the file they stand.
  for (const auto &function : unit.functions)
    functions[function->name] = function.get();
  for (const Declaration &constant : unit.constants) {
    PlaceScope scope(*this, constant.place);
    Type type = typeOf(constant.type);
    if (type.isBlock())
      fail("a constant outside of functions must be a number, not a block");
    Value value = convert(evaluate(constant.initial), type);
    if (!value.isConstant())
      fail("the value of '" + constant.name + "' must be known while compiling");
    if (!fileConstants.try_emplace(constant.name, value).second)
      fail("'" + constant.name + "' is defined twice");
  }
  for (const Statement *assertion : unit.assertions)
    checkAssertion(assertion);
}

void Emitter::emitKernel(const Function &kernel, ArrayRef<Value> parameters) {
  frames.push_back({&kernel, 0, Type(), 0, 0, {}});
  frames.back().returned = declare("", ScalarKind::Int1, kernel.place, Value::boolean(false));
  frames.back().returnValue = frames.back().returned;
  for (auto [parameter, value] : zip(kernel.parameters, parameters))
    declare(parameter.name, value.type, parameter.place, value, parameter.type.isConst);
  execute(kernel.body);
  PlaceScope scope(*this, kernel.body->place);
  create<tt::ReturnOp>();
  frames.pop_back();
}

} // namespace nereid::triton_c
