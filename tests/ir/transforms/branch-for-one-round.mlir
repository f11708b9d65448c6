// Loops of one round at most become branches, as where a bound is the least of several numbers of which one is
// known.
//
// RUN: nereid-opt %s --nereid-tt-branch-for-one-round --split-input-file | FileCheck %s

// CHECK-LABEL: tt.func @one
// CHECK-NOT: scf.for
// CHECK: %[[RUNS:.+]] = arith.cmpi slt, %c0_i32, %{{.+}} : i32
// CHECK: scf.if %[[RUNS]] {
// CHECK: tt.store %{{.+}}, %c0_i32
// CHECK: }
tt.func @one(%n: i32, %p: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %rounds = arith.minsi %n, %one : i32
  scf.for %i = %zero to %rounds step %one : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}

// -----

// What it carries is what it began with where it does not run.
// CHECK-LABEL: tt.func @carried
// CHECK-NOT: scf.for
// CHECK: %[[SUM:.+]] = scf.if %{{.+}} -> (i32) {
// CHECK: %[[NEXT:.+]] = arith.addi %[[FIRST:.+]], %{{.+}} : i32
// CHECK: scf.yield %[[NEXT]]
// CHECK: } else {
// CHECK: scf.yield %[[FIRST]]
// CHECK: }
// CHECK: tt.store %{{.+}}, %[[SUM]]
tt.func @carried(%n: i32, %first: i32, %p: !tt.ptr<i32>) {
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %end = arith.minsi %n, %four : i32
  %sum = scf.for %i = %three to %end step %two iter_args(%s = %first) -> (i32) : i32 {
    %v = tt.load %p : !tt.ptr<i32>
    %next = arith.addi %s, %v : i32
    scf.yield %next : i32
  }
  tt.store %p, %sum : !tt.ptr<i32>
  tt.return
}

// -----

// Both of two in one another.
// CHECK-LABEL: tt.func @nested
// CHECK-NOT: scf.for
// CHECK: scf.if
// CHECK: scf.if
tt.func @nested(%n: i32, %m: i32, %p: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %rows = arith.andi %n, %one : i32
  %columns = arith.minsi %m, %one : i32
  scf.for %i = %zero to %rows step %one : i32 {
    scf.for %j = %zero to %columns step %one : i32 {
      %sum = arith.addi %i, %j : i32
      tt.store %p, %sum : !tt.ptr<i32>
    }
  }
  tt.return
}

// -----

// The rounds of a loop around it go on through the inner one.
// CHECK-LABEL: tt.func @inner
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.if
tt.func @inner(%n: i32, %m: i32, %p: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %columns = arith.minsi %m, %one : i32
  scf.for %i = %zero to %n step %one : i32 {
    scf.for %j = %zero to %columns step %one : i32 {
      %sum = arith.addi %i, %j : i32
      tt.store %p, %sum : !tt.ptr<i32>
    }
  }
  tt.return
}

// -----

// There may be two rounds, or nobody knows.
// CHECK-LABEL: tt.func @more
// CHECK-COUNT-4: scf.for
// CHECK-NOT: scf.if
tt.func @more(%n: i32, %p: !tt.ptr<i32>) {
  %negative = arith.constant -1 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %rounds = arith.minsi %n, %two : i32
  scf.for %i = %zero to %rounds step %one : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  %least = arith.maxsi %n, %one : i32
  scf.for %i = %zero to %least step %one : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  %end = arith.minsi %n, %one : i32
  scf.for %i = %negative to %end step %one : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  %start = arith.minsi %n, %zero : i32
  scf.for %i = %start to %end step %one : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}
