// Turns a crash of the compiler into one more message.
//
// LLVM ends the process when it meets something it cannot do (report_fatal_error), and a bug in a pass may
// fault. A build of a hundred kernels must neither die of one of them nor leave without a word about which it
// was.
#ifndef NEREID_COMPILER_DRIVER_CRASHGUARD_H
#define NEREID_COMPILER_DRIVER_CRASHGUARD_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid {

class Diagnostics;

/// Calls `body`, and returns what it returns. If it crashes, reports an internal error and returns false;
/// what body had allocated is then lost. With the environment variable NEREID_CRASH set, crashes are left to
/// the debugger.
bool runGuarded(Diagnostics &diagnostics, llvm::function_ref<bool()> body);

} // namespace nereid

#endif // NEREID_COMPILER_DRIVER_CRASHGUARD_H
