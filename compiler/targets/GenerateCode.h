// LLVM's code generators behind two calls: a target machine, and a module printed as assembly or object code.
#ifndef NEREID_COMPILER_TARGETS_GENERATECODE_H
#define NEREID_COMPILER_TARGETS_GENERATECODE_H

#include "compiler/model/StageRecord.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CodeGen.h"

#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace nereid {

/// A machine for position-independent code, made after registering the one LLVM back end that it needs.
/// Returns null if this LLVM was built without that back end.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(llvm::StringRef triple, llvm::StringRef cpu,
                                                         llvm::StringRef features);

/// Gives the module the machine's triple and data layout, whatever it was built with.
void setTarget(llvm::Module &module, const llvm::TargetMachine &machine);

/// Generates code for the module (which is used up) and appends it to `output`. False if the machine cannot
/// write files of this kind; what else can go wrong is reported through the module's LLVMContext.
bool generateCode(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType kind,
                  std::string &output);

/// The module as text.
std::string printModule(const llvm::Module &module);

/// The module as text without its line tables, which become the text's line map.
void printWithLines(const llvm::Module &module, StageRecord &record);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_GENERATECODE_H
