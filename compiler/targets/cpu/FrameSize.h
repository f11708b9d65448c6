// How much stack the functions of a module take.
//
// LLVM says that of functions that ask to be warned of it, once their code is made; while a FrameSize lives,
// all of a module's functions do, and the warnings are figures.
#ifndef NEREID_COMPILER_TARGETS_CPU_FRAMESIZE_H
#define NEREID_COMPILER_TARGETS_CPU_FRAMESIZE_H

#include <cstdint>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace nereid {

class FrameSize {
public:
  explicit FrameSize(llvm::Module &module);
  ~FrameSize();
  FrameSize(const FrameSize &) = delete;

  /// The largest, in bytes, of the functions whose code has been made.
  uint64_t getLargest() const { return largest; }

private:
  llvm::LLVMContext &context;
  uint64_t largest = 0;
};

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_CPU_FRAMESIZE_H
