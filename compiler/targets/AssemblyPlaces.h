// Places for what LLVM's assemblers have to say of inline assembly.
//
// When machine code is written, assembly is only text; a message about it comes with a number, `!srcloc` of
// the call that the text came from. While an AssemblyPlaces lives, the calls of a module are numbered, and
// such messages reach the handler of the module's context as ones about the call, which know where that
// stands in the kernel's source (LLVMDiagnostics.cpp).
#ifndef NEREID_COMPILER_TARGETS_ASSEMBLYPLACES_H
#define NEREID_COMPILER_TARGETS_ASSEMBLYPLACES_H

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace nereid {

class AssemblyPlaces {
public:
  explicit AssemblyPlaces(llvm::Module &module);
  ~AssemblyPlaces();
  AssemblyPlaces(const AssemblyPlaces &) = delete;

private:
  llvm::LLVMContext &context;
};

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_ASSEMBLYPLACES_H
