// See SourcePosition.h.
#include "compiler/lowering/source/SourcePosition.h"

#include "llvm/ADT/TypeSwitch.h"

namespace nereid {

SourcePosition findUserPosition(mlir::Location location) {
  using Result = SourcePosition;
  return llvm::TypeSwitch<mlir::LocationAttr, Result>(location)
      // Columns count from 0 there.
      .Case([](mlir::FileLineColLoc at) {
        return Result{at.getFilename().str(), at.getLine(), at.getLine() ? at.getColumn() + 1 : 0};
      })
      .Case([](mlir::NameLoc named) { return findUserPosition(named.getChildLoc()); })
      .Case([](mlir::CallSiteLoc call) {
        SourcePosition callee = findUserPosition(call.getCallee());
        bool isLanguage = llvm::StringRef(callee.path).starts_with("triton/language/");
        return callee.line && !isLanguage ? callee : findUserPosition(call.getCaller());
      })
      .Case([](mlir::FusedLoc fused) {
        for (mlir::Location part : fused.getLocations())
          if (SourcePosition found = findUserPosition(part); found.line)
            return found;
        return Result();
      })
      .Default([](mlir::LocationAttr) { return Result(); });
}

} // namespace nereid
