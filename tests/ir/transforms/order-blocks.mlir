// RUN: nereid-opt %s --nereid-tt-split-over-blocks --nereid-tt-order-blocks --canonicalize --cse | FileCheck %s

module attributes {"ttg.num-ctas" = 2 : i32} {
  // All blocks load the number that the first one stores.
  // CHECK-LABEL: @counted(
  // CHECK: tt.load %arg0 : !tt.ptr<i32>
  // CHECK: ttg.cluster_barrier
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: tt.store %arg0
  tt.func public @counted(%p: !tt.ptr<i32>) {
    %one = arith.constant 1 : i32
    %n = tt.load %p : !tt.ptr<i32>
    %m = arith.addi %n, %one : i32
    tt.store %p, %m : !tt.ptr<i32>
    tt.return
  }

  // Each block changes what it has loaded.
  // CHECK-LABEL: @changed(
  // CHECK-NOT: ttg.cluster_barrier
  // CHECK: tt.return
  tt.func public @changed(%p: !tt.ptr<i32>) {
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %q = tt.addptr %ps, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %n = tt.load %q : tensor<64x!tt.ptr<i32>>
    %m = arith.addi %n, %n : tensor<64xi32>
    tt.store %q, %m : tensor<64x!tt.ptr<i32>>
    tt.return
  }

  // Through other pointers a block may reach what another one has.
  // CHECK-LABEL: @turned(
  // CHECK: tt.load
  // CHECK: ttg.cluster_barrier
  // CHECK-NEXT: tt.store
  tt.func public @turned(%p: !tt.ptr<i32>) {
    %last = arith.constant dense<63> : tensor<64xi32>
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %t = arith.subi %last, %r : tensor<64xi32>
    %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %q = tt.addptr %ps, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %o = tt.addptr %ps, %t : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %n = tt.load %q : tensor<64x!tt.ptr<i32>>
    tt.store %o, %n : tensor<64x!tt.ptr<i32>>
    tt.return
  }

  // The tile is there when the flag says so.
  // CHECK-LABEL: @told(
  // CHECK: tt.store
  // CHECK: ttg.cluster_barrier
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: tt.atomic_rmw
  tt.func public @told(%p: !tt.ptr<i32>, %flag: !tt.ptr<i32>) {
    %one = arith.constant 1 : i32
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %q = tt.addptr %ps, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %q, %r : tensor<64x!tt.ptr<i32>>
    %old = tt.atomic_rmw add, release, gpu, %flag, %one : (!tt.ptr<i32>, i32) -> i32
    tt.return
  }

  // A barrier in the kernel's source is for all of its threads.
  // CHECK-LABEL: @met(
  // CHECK: ttg.cluster_barrier
  // CHECK-NEXT: ttg.local_barrier
  tt.func public @met() {
    ttg.local_barrier
    tt.return
  }

  // A loop's store may be what its next round loads.
  // CHECK-LABEL: @rounds(
  // CHECK: scf.for
  // CHECK: ttg.cluster_barrier
  // CHECK: tt.load
  // CHECK: ttg.cluster_barrier
  // CHECK: tt.store
  tt.func public @rounds(%p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %q = tt.addptr %p, %i : !tt.ptr<i32>, i32
      %x = tt.load %q : !tt.ptr<i32>
      %next = tt.addptr %q, %c1 : !tt.ptr<i32>, i32
      tt.store %next, %x : !tt.ptr<i32>
    }
    tt.return
  }
}
