// RUN: split-file %s %t
// RUN: nereid-lower %t/at_end.mlir cuda:90 | FileCheck %s
// RUN: sed 's/"ttg.num-warps" = 4/"ttg.num-warps" = 1/' %t/at_end.mlir | nereid-lower - cuda:90 | FileCheck %s --check-prefix=NONE
// RUN: nereid-lower %t/before_others.mlir cuda:90 | FileCheck %s --check-prefix=NONE
// RUN: nereid-lower %t/with_barriers.mlir cuda:90 | FileCheck %s --check-prefix=NONE
// RUN: nereid-lower %t/called.mlir cuda:90 | FileCheck %s --check-prefix=NONE

// One warp runs a loop of numbers at a kernel's end: not where the block has no other, where something comes
// behind the loop, as that may load what it stores, where all threads of the block meet in it, nor in
// functions that are called, or loops that call them.
// CHECK: %[[WARP:.+]] = lshr i32 %{{.+}}, 5
// CHECK: %[[FIRST:.+]] = icmp eq i32 %[[WARP]], 0
// CHECK: br i1 %[[FIRST]], label %loop.one_warp, label %loop.behind
// CHECK: loop.behind:
// CHECK-NEXT: br label %if.end

// NONE: define {{.*}}kernel
// NONE-NOT: loop.one_warp
// NONE: loop.body
// NONE-NOT: loop.one_warp

//--- at_end.mlir
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  tt.func public @kernel(%p: !tt.ptr<i32>, %n: i32, %wanted: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.if %wanted {
      %last = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> (i32) : i32 {
        %at = tt.addptr %p, %i : !tt.ptr<i32>, i32
        %x = tt.load %at : !tt.ptr<i32>
        %next = arith.addi %sum, %x : i32
        tt.store %at, %next : !tt.ptr<i32>
        scf.yield %next : i32
      }
    }
    tt.return
  }
}
//--- before_others.mlir
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  tt.func public @kernel(%p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %at = tt.addptr %p, %i : !tt.ptr<i32>, i32
      tt.store %at, %i : !tt.ptr<i32>
    }
    %x = tt.load %p : !tt.ptr<i32>
    %end = tt.addptr %p, %n : !tt.ptr<i32>, i32
    tt.store %end, %x : !tt.ptr<i32>
    tt.return
  }
}
//--- with_barriers.mlir
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  tt.func public @kernel(%p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %at = tt.addptr %p, %i : !tt.ptr<i32>, i32
      tt.store %at, %i : !tt.ptr<i32>
      ttg.local_barrier
    }
    tt.return
  }
}
//--- called.mlir
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  tt.func private @stores(%p: !tt.ptr<i32>, %n: i32) attributes {noinline = true} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %at = tt.addptr %p, %i : !tt.ptr<i32>, i32
      tt.store %at, %i : !tt.ptr<i32>
    }
    tt.return
  }
  tt.func public @kernel(%p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      tt.call @stores(%p, %i) : (!tt.ptr<i32>, i32) -> ()
    }
    tt.return
  }
}
