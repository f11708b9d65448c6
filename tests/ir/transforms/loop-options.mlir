// RUN: nereid-opt %s --nereid-tt-unroll-loops --nereid-tt-hoist-invariants --split-input-file --verify-diagnostics | FileCheck %s

// A loop of four rounds at a time, and one for what is left, which needs no copies ahead. A range that is empty stays so.
// CHECK-LABEL: tt.func @unroll
// CHECK: %[[TO:.+]] = arith.maxsi %arg1, %arg2
// CHECK: scf.for {{.*}} step
// CHECK-COUNT-4: tt.store
// CHECK-NOT: tt.store
// CHECK: scf.for {{.*}} to %[[TO]] step
// CHECK: tt.store
// CHECK: tt.num_stages = 1
tt.func @unroll(%p: !tt.ptr<i32>, %from: i32, %to: i32) {
  %c1 = arith.constant 1 : i32
  scf.for %i = %from to %to step %c1 : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<i32>, i32
    tt.store %q, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 4 : i32}
  tt.return
}

// -----

// Six rounds, three at a time.
// CHECK-LABEL: tt.func @known
// CHECK: scf.for
// CHECK-COUNT-3: tt.store
// CHECK-NOT: scf.for
// CHECK: tt.return
tt.func @known(%p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c6 = arith.constant 6 : i32
  scf.for %i = %c0 to %c6 step %c1 : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<i32>, i32
    tt.store %q, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 3 : i32}
  tt.return
}

// -----

tt.func @too_much(%p: !tt.ptr<i32>, %to: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-warning @+1 {{the loop is not unrolled: 1000000 rounds of it are more than 100000 operations}}
  scf.for %i = %c0 to %to step %c1 : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<i32>, i32
    tt.store %q, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 1000000 : i32}
  tt.return
}

// -----

// CHECK-LABEL: tt.func @hoist
// CHECK: arith.addi %arg1, %arg1
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.muli %arg1, %arg1
// CHECK: tt.disable_licm
tt.func @hoist(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %twice = arith.addi %n, %n : i32
    tt.store %p, %twice : !tt.ptr<i32>
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    %square = arith.muli %n, %n : i32
    tt.store %p, %square : !tt.ptr<i32>
  } {tt.disable_licm}
  tt.return
}
