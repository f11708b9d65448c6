// RUN: nereid-lower %s cuda:90 | FileCheck %s

// LLVM is asked to leave the invariants of one loop where they are.
// CHECK-LABEL: @loops
// CHECK: br label %{{.+}}, !llvm.loop ![[LOOP:[0-9]+]]
// CHECK: ![[LOOP]] = distinct !{![[LOOP]], ![[LEAVE:[0-9]+]]}
// CHECK: ![[LEAVE]] = !{!"llvm.licm.disable"}
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @loops(%p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    } {tt.disable_licm}
    tt.return
  }
}
