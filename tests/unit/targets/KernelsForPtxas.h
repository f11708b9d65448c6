// Kernels of which tests have ptxas choose, and what their scripts have in its place in common.
#ifndef NEREID_TESTS_UNIT_TARGETS_KERNELSFORPTXAS_H
#define NEREID_TESTS_UNIT_TARGETS_KERNELSFORPTXAS_H

#include "llvm/ADT/StringRef.h"

#include <string>

/// A kernel with a loop around `body`, and the assembly `behind` it.
inline std::string makeLoop(const std::string &body, unsigned numWarps, llvm::StringRef behind = "") {
  return "define ptx_kernel void @kernel__1(ptr addrspace(1) %p, i32 %n) #0 {\nentry:\n  br label %loop\n"
         "loop:\n  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n" +
         body +
         "  %next = add i32 %i, 1\n  %more = icmp slt i32 %next, %n\n"
         "  br i1 %more, label %loop, label %exit\nexit:\n  call void asm sideeffect \"" +
         behind.str() +
         "\", \"\"()\n  ret void\n}\nattributes #0 = { \"nvvm.minctasm\"=\"1\" \"nvvm.reqntid\"=\"" +
         std::to_string(32 * numWarps) + "\" }\n";
}

/// In a script, leaves fences out of what is chosen from.
inline constexpr const char *refuseFences = "grep -q fence.acq_rel $input && exit 1\n";

#endif // NEREID_TESTS_UNIT_TARGETS_KERNELSFORPTXAS_H
