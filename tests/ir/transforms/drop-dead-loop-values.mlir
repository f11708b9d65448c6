// RUN: nereid-opt %s --nereid-drop-dead-loop-values --canonicalize | FileCheck %s

// The counter only feeds itself; the pointer and the sum are used.
// CHECK-LABEL: tt.func @counter
// CHECK: scf.for {{.*}} iter_args(%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}) -> (f32, !tt.ptr<f32>)
// CHECK-NOT: arith.addi
// CHECK: tt.return
tt.func @counter(%p: !tt.ptr<f32>, %n: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%count = %c0, %sum = %zero, %q = %p) -> (i32, f32, !tt.ptr<f32>) : i32 {
    %next = arith.addi %count, %c1 : i32
    %x = tt.load %q : !tt.ptr<f32>
    %s = arith.addf %sum, %x : f32
    %q2 = tt.addptr %q, %c1 : !tt.ptr<f32>, i32
    scf.yield %next, %s, %q2 : i32, f32, !tt.ptr<f32>
  }
  tt.return %r#1 : f32
}

// A value that decides whether something is stored is needed.
// CHECK-LABEL: tt.func @decides
// CHECK: scf.for {{.*}} iter_args
tt.func @decides(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%count = %c0) -> (i32) : i32 {
    %next = arith.muli %count, %n : i32
    %c = arith.cmpi slt, %count, %c7 : i32
    scf.if %c {
      tt.store %p, %i : !tt.ptr<i32>
    }
    scf.yield %next : i32
  }
  tt.return
}
