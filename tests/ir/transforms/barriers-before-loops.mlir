// RUN: nereid-opt %s --nereid-ttg-allocate-shared-memory --nereid-ttg-place-barriers | FileCheck %s

// What a loop reads that was written before it.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // Rounds that only read meet once, before the first of them.
  // CHECK-LABEL: tt.func public @only_read
  // CHECK: ttg.local_alloc
  // CHECK: ttg.local_barrier
  // CHECK-NEXT: scf.for
  // CHECK-NOT: ttg.local_barrier
  // CHECK: tt.return
  tt.func public @only_read(%x: tensor<128xf32, #b>, %n: i32) -> tensor<128xf32, #b> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %m = ttg.local_alloc %x : (tensor<128xf32, #b>) -> !ttg.memdesc<128xf32, #s, #smem>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %x) -> (tensor<128xf32, #b>) : i32 {
      %y = ttg.local_load %m : !ttg.memdesc<128xf32, #s, #smem> -> tensor<128xf32, #b>
      %t = arith.addf %sum, %y : tensor<128xf32, #b>
      scf.yield %t : tensor<128xf32, #b>
    }
    tt.return %r : tensor<128xf32, #b>
  }

  // Rounds that write, too, meet in each, and need none before.
  // CHECK-LABEL: tt.func public @write
  // CHECK: ttg.local_alloc
  // CHECK-NOT: ttg.local_barrier
  // CHECK: scf.for
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  // CHECK: ttg.local_barrier
  // CHECK-NEXT: ttg.local_store
  tt.func public @write(%x: tensor<128xf32, #b>, %n: i32) -> tensor<128xf32, #b> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %m = ttg.local_alloc %x : (tensor<128xf32, #b>) -> !ttg.memdesc<128xf32, #s, #smem, mutable>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %x) -> (tensor<128xf32, #b>) : i32 {
      %y = ttg.local_load %m : !ttg.memdesc<128xf32, #s, #smem, mutable> -> tensor<128xf32, #b>
      %t = arith.addf %sum, %y : tensor<128xf32, #b>
      ttg.local_store %t, %m : tensor<128xf32, #b> -> !ttg.memdesc<128xf32, #s, #smem, mutable>
      scf.yield %t : tensor<128xf32, #b>
    }
    tt.return %r : tensor<128xf32, #b>
  }
}
