// What the code generator needs to know of a processor: how wide its vectors are, and which few instructions
// it may count on. Everything else is left to LLVM.
#ifndef NEREID_COMPILER_LOWERING_CPU_VECTORTARGET_H
#define NEREID_COMPILER_LOWERING_CPU_VECTORTARGET_H

#include "compiler/model/Target.h"

namespace nereid::cpu {

struct VectorTarget {
  unsigned vectorBits = 128;
  unsigned numVectorRegisters = 16;
  /// llvm.fma is one instruction; without it, it is a slow call of the C library.
  bool hasFMA = false;
  /// Conversions between half and float are instructions; without them, they are calls that the C library
  /// lacks.
  bool hasHalfConversion = false;

  /// Loads and stores of bytes and of 16-bit words can be masked; without that, each lane is an access of its
  /// own.
  bool hasNarrowMasks() const { return vectorBits >= 512; }

  unsigned getLanes32() const { return vectorBits / 32; }

  static VectorTarget get(const Target &target) {
    VectorTarget result;
    if (target.arch == "x86-64-v4")
      return {512, 32, true, true};
    if (target.arch == "x86-64-v3")
      return {256, 16, true, true};
    if (target.arch == "aarch64")
      return {128, 32, true, true};
    return result;
  }
};

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_VECTORTARGET_H
