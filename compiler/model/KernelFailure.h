// How code for the CPU says that an assertion failed.
//
// Nothing there may print or end the process: the code belongs to a library in somebody's program. So a
// failed assertion fills in one record, which all threads that run programs of a call share, and the function
// returns; whoever called it sees the flag and returns too. Others look at the flag before each program and
// in loops that may wait for what never comes. The record is the last argument of an entry point
// (KernelInfo.h); the loader of generated libraries has the same struct (templates/cpu_loader.c.in).
#ifndef NEREID_COMPILER_MODEL_KERNELFAILURE_H
#define NEREID_COMPILER_MODEL_KERNELFAILURE_H

#include <cstdint>

namespace nereid {

struct KernelFailure {
  /// Atomic: 0, and 1 once an assertion failed. The first that sets it fills in the rest, which is there when
  /// the entry point has returned.
  uint32_t failed = 0;
  /// The position of the program.
  uint32_t program[3] = {0, 0, 0};
  /// Where the assertion stands, from 1; 0 if that is not known.
  uint32_t line = 0, column = 0;
  const char *file = nullptr;
  const char *message = nullptr;
};

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_KERNELFAILURE_H
