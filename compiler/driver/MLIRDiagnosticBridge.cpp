// An MLIR location is a tree: a position, wrapped in the name of a variable, in the call that inlined it,
// fused with others by a pass. The innermost position is where the message belongs, and the calls around it
// become notes.
#include "compiler/driver/MLIRDiagnosticBridge.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;

namespace nereid {

using Position = mlir::FileLineColRange;

/// Finds the position in `location`, and appends to `callers` the calls that led there, the nearest first.
static Position resolve(mlir::Location location, SmallVectorImpl<mlir::Location> &callers) {
  return TypeSwitch<mlir::LocationAttr, Position>(location)
      .Case([](mlir::FileLineColRange position) { return position; })
      .Case([&](mlir::NameLoc named) { return resolve(named.getChildLoc(), callers); })
      .Case([&](mlir::OpaqueLoc opaque) { return resolve(opaque.getFallbackLocation(), callers); })
      .Case([&](mlir::CallSiteLoc call) {
        if (Position position = resolve(call.getCallee(), callers)) {
          callers.push_back(call.getCaller());
          return position;
        }
        return resolve(call.getCaller(), callers);
      })
      .Case([&](mlir::FusedLoc fused) {
        for (mlir::Location part : fused.getLocations())
          if (Position position = resolve(part, callers))
            return position;
        return Position();
      })
      .Default(Position());
}

static SourceMgr::DiagKind getKind(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Note:
    return SourceMgr::DK_Note;
  case mlir::DiagnosticSeverity::Warning:
    return SourceMgr::DK_Warning;
  case mlir::DiagnosticSeverity::Error:
    return SourceMgr::DK_Error;
  case mlir::DiagnosticSeverity::Remark:
    return SourceMgr::DK_Remark;
  }
  llvm_unreachable("every severity is listed above");
}

MLIRDiagnosticBridge::MLIRDiagnosticBridge(mlir::MLIRContext &context, Diagnostics &diagnostics)
    : ScopedDiagnosticHandler(&context), diagnostics(diagnostics) {
  setHandler([this](mlir::Diagnostic &diagnostic) { report(diagnostic); });
}

void MLIRDiagnosticBridge::report(mlir::Diagnostic &diagnostic) {
  report(getKind(diagnostic.getSeverity()), diagnostic.getLocation(), diagnostic.str());
  for (mlir::Diagnostic &note : diagnostic.getNotes()) {
    // MLIR appends the whole operation in its generic form; a kernel author has the source line instead.
    std::string text = note.str();
    if (!StringRef(text).starts_with("see current operation"))
      report(SourceMgr::DK_Note, note.getLocation(), text);
  }
}

void MLIRDiagnosticBridge::report(SourceMgr::DiagKind kind, mlir::Location location, const Twine &message) {
  SmallVector<mlir::Location> callers;
  Position position = resolve(location, callers);
  if (!position) {
    if (kind == SourceMgr::DK_Error)
      diagnostics.error(message);
    else
      diagnostics.warning(message);
    return;
  }
  diagnostics.report(kind, position.getFilename(), position.getStartLine(), position.getStartColumn(),
                     message);
  // A caller's location may itself hold calls further out, which resolve appends to the list while it is
  // walked.
  for (size_t i = 0; i < callers.size(); ++i) {
    mlir::Location caller = callers[i];
    SmallVector<mlir::Location> further;
    if (Position from = resolve(caller, further))
      diagnostics.report(SourceMgr::DK_Note, from.getFilename(), from.getStartLine(), from.getStartColumn(),
                         "called from here");
    callers.insert(callers.begin() + i + 1, further.begin(), further.end());
  }
}

} // namespace nereid
