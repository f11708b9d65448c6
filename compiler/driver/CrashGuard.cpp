// Faults are caught by llvm::CrashRecoveryContext, which jumps back here from the signal handler: no
// destructor of the frames in between runs, and so nothing that was half-way through a change is touched
// again.
#include "compiler/driver/CrashGuard.h"

#include "compiler/model/Diagnostics.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <mutex>
#include <string>

using namespace llvm;

namespace nereid {

/// What LLVM gave as the reason of a fatal error in this thread.
static thread_local std::string fatalReason;

static void handleFatalError(void *, const char *reason, bool) {
  fatalReason = reason;
  if (CrashRecoveryContext *context = CrashRecoveryContext::GetCurrent())
    context->HandleExit(EXIT_FAILURE);
  // Not in a compilation: LLVM ends the process when this returns, and leaves the message to us.
  errs() << "LLVM ERROR: " << reason << '\n';
}

bool runGuarded(Diagnostics &diagnostics, function_ref<bool()> body) {
  if (std::getenv("NEREID_CRASH"))
    return body();
  static std::once_flag installed;
  std::call_once(installed, [] {
    install_fatal_error_handler(handleFatalError);
    CrashRecoveryContext::Enable();
  });

  bool ok = false;
  fatalReason.clear();
  CrashRecoveryContext context;
  if (context.RunSafely([&] { ok = body(); }))
    return ok;
  diagnostics.error("internal compiler error: " +
                    (fatalReason.empty() ? Twine("the compiler crashed") : Twine(fatalReason)) +
                    "; this is a bug in Nereid, please report it together with the kernel and the command");
  return false;
}

} // namespace nereid
