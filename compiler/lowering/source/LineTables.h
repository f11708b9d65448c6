// Line tables: what a debugger needs to say which line of Python an instruction comes from.
//
// MLIR's locations become LLVM's. A function of the module is a DISubprogram; a location is a DILocation in
// it; code of a function that the frontend inlined (a CallSiteLoc, whose callee part carries the function's
// name as the metadata of a FusedLoc) lies in a DISubprogram of its own, inlined at the call. One example,
// `scale` called in line 9 of `kernel`, with the multiplication in line 4:
//
//     !DILocation(line: 4, scope: !scale, inlinedAt: !DILocation(line: 9, scope: !kernel))
//
// Every back end turns these into its own form: DWARF in ELF, `.loc` in PTX. Where no line tables are wanted,
// all of this does nothing, so that lowerings need not ask.
#ifndef NEREID_COMPILER_LOWERING_SOURCE_LINETABLES_H
#define NEREID_COMPILER_LOWERING_SOURCE_LINETABLES_H

#include "compiler/model/SourceInfo.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugLoc.h"

#include <optional>

namespace nereid {

class LineTables {
public:
  /// PTX holds the tables as directives in its text; everything else as DWARF.
  enum class Form { DWARF, Directives };
  LineTables(llvm::Module &module, const SourceInfo &info, Form form);
  ~LineTables();
  LineTables(const LineTables &) = delete;

  /// Gives a function its name and place in the source. Its instructions may have locations from here on.
  void addFunction(llvm::Function &function, llvm::StringRef name, mlir::Location where);
  /// The location for instructions of that function; line 0 where nothing is known.
  llvm::DebugLoc get(const llvm::Function &function, mlir::Location where);
  /// Once, when all functions are there.
  void finish();

private:
  llvm::DIFile *getFile(llvm::StringRef path);
  llvm::DISubprogram *getInlined(mlir::Location callee);
  llvm::DILocation *build(mlir::Location where, llvm::DILocalScope *scope, llvm::DILocation *inlinedAt);

  llvm::Module &module;
  const SourceInfo &info;
  Form form;
  std::optional<llvm::DIBuilder> builder;
  llvm::DICompileUnit *unit = nullptr;
  llvm::StringMap<llvm::DISubprogram *> inlined;
};

} // namespace nereid

#endif // NEREID_COMPILER_LOWERING_SOURCE_LINETABLES_H
