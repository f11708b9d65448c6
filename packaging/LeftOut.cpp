// What LLVM's archives ask for and a package leaves out.
//
// lld registers every processor that LLVM was built for, some twenty, before each link; Nereid links AMD's
// code objects with it and nothing else. So the processors that Nereid has no code for are defined here, as
// nothing, and the linker does not fetch them from their archives. Polly is asked for by LLVM's link-time
// optimizer, which needs bitcode among lld's input; code objects are none.
#include "llvm/Plugins/PassPlugin.h"

#define NEREID_LEFT_OUT(name)                                                                                \
  extern "C" {                                                                                               \
  void LLVMInitialize##name##TargetInfo();                                                                   \
  void LLVMInitialize##name##Target();                                                                       \
  void LLVMInitialize##name##TargetMC();                                                                     \
  void LLVMInitialize##name##AsmPrinter();                                                                   \
  void LLVMInitialize##name##AsmParser();                                                                    \
  }                                                                                                          \
  void LLVMInitialize##name##TargetInfo() {}                                                                 \
  void LLVMInitialize##name##Target() {}                                                                     \
  void LLVMInitialize##name##TargetMC() {}                                                                   \
  void LLVMInitialize##name##AsmPrinter() {}                                                                 \
  void LLVMInitialize##name##AsmParser() {}
#include "packaging/LeftOutProcessors.inc"
#undef NEREID_LEFT_OUT

llvm::PassPluginLibraryInfo getPollyPluginInfo();
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "none", "0", [](llvm::PassBuilder &) {}};
}
