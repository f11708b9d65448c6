// RUN: nereid-opt %s --nereid-tt-nest-conditions --canonicalize | FileCheck %s

// A number above 1 is one above 0, and one above 2 above 1. What only these branches need is computed in the
// first, and what the second alone needs in that.
// CHECK-LABEL: tt.func @chain
// CHECK-SAME: (%[[N:.+]]: i32, %[[X:.+]]: tensor<64xi32>, %[[Y:.+]]: tensor<64xi32>)
// CHECK-NOT: muli
// CHECK: %[[FIRST:.+]] = scf.if %{{.+}} -> (tensor<64xi32>) {
// CHECK: %[[P:.+]] = arith.muli %[[X]], %[[Y]]
// CHECK: %[[A:.+]] = arith.andi %[[X]], %[[P]]
// CHECK: %[[SECOND:.+]] = scf.if %{{.+}} -> (tensor<64xi32>) {
// CHECK: %[[Q:.+]] = arith.muli %[[P]], %[[Y]]
// CHECK: %[[B:.+]] = arith.andi %[[A]], %[[Q]]
// CHECK: %[[THIRD:.+]] = scf.if %{{.+}} -> (tensor<64xi32>) {
// CHECK: %[[C:.+]] = arith.andi %[[B]], %[[P]]
// CHECK: scf.yield %[[C]]
// CHECK: scf.yield %[[B]]
// CHECK: scf.yield %[[THIRD]]
// CHECK: scf.yield %[[A]]
// CHECK: scf.yield %[[SECOND]]
// CHECK: scf.yield %[[X]]
// CHECK: tt.return %[[FIRST]]
tt.func @chain(%n: i32, %x: tensor<64xi32>, %y: tensor<64xi32>) -> tensor<64xi32> {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %p = arith.muli %x, %y : tensor<64xi32>
  %q = arith.muli %p, %y : tensor<64xi32>
  %is1 = arith.cmpi sge, %n, %c1 : i32
  %a = scf.if %is1 -> (tensor<64xi32>) {
    %and = arith.andi %x, %p : tensor<64xi32>
    scf.yield %and : tensor<64xi32>
  } else {
    scf.yield %x : tensor<64xi32>
  }
  %is2 = arith.cmpi sge, %n, %c2 : i32
  %b = scf.if %is2 -> (tensor<64xi32>) {
    %and = arith.andi %a, %q : tensor<64xi32>
    scf.yield %and : tensor<64xi32>
  } else {
    scf.yield %a : tensor<64xi32>
  }
  %is3 = arith.cmpi sge, %n, %c3 : i32
  %c = scf.if %is3 -> (tensor<64xi32>) {
    %and = arith.andi %b, %p : tensor<64xi32>
    scf.yield %and : tensor<64xi32>
  } else {
    scf.yield %b : tensor<64xi32>
  }
  tt.return %c : tensor<64xi32>
}

// An effect moves behind those of the first branch, and nothing is computed anew where there is no `else`.
// CHECK-LABEL: tt.func @effects
// CHECK: scf.if
// CHECK: tt.store %{{.+}}, %{{.+}} : !tt.ptr<i32>
// CHECK: scf.if
// CHECK: tt.store
// CHECK: } else {
// CHECK: tt.store
// CHECK-NOT: scf.if
// CHECK: tt.return
tt.func @effects(%n: i32, %p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %isAny = arith.cmpi ne, %n, %c0 : i32
  scf.if %isAny {
    tt.store %p, %n : !tt.ptr<i32>
  } else {
    tt.store %p, %c8 : !tt.ptr<i32>
  }
  %isMany = arith.cmpi sgt, %n, %c8 : i32
  scf.if %isMany {
    tt.store %p, %c0 : !tt.ptr<i32>
  }
  tt.return
}

// These stay as they are: a condition that does not follow, a store between the two, an `else` that does
// something, and a condition that needs what the first branch gives.
// CHECK-LABEL: tt.func @others
// CHECK-COUNT-8: {{^  (%.+ = )?}}scf.if
tt.func @others(%n: i32, %p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %is1 = arith.cmpi sge, %n, %c1 : i32
  %is2 = arith.cmpi sge, %n, %c2 : i32
  scf.if %is2 {
    tt.store %p, %c0 : !tt.ptr<i32>
  }
  scf.if %is1 {
    tt.store %p, %c1 : !tt.ptr<i32>
  }
  tt.store %p, %n : !tt.ptr<i32>
  scf.if %is1 {
    tt.store %p, %c2 : !tt.ptr<i32>
  }
  tt.store %p, %n : !tt.ptr<i32>
  scf.if %is2 {
    tt.store %p, %c0 : !tt.ptr<i32>
  }
  tt.store %p, %n : !tt.ptr<i32>
  scf.if %is1 {
    tt.store %p, %c0 : !tt.ptr<i32>
  }
  scf.if %is2 {
    tt.store %p, %c1 : !tt.ptr<i32>
  } else {
    tt.store %p, %c2 : !tt.ptr<i32>
  }
  %m = scf.if %is1 -> (i32) {
    tt.store %p, %c0 : !tt.ptr<i32>
    scf.yield %n : i32
  } else {
    scf.yield %c1 : i32
  }
  tt.store %p, %m : !tt.ptr<i32>
  %isM = arith.cmpi sge, %m, %c2 : i32
  scf.if %isM {
    tt.store %p, %c0 : !tt.ptr<i32>
  }
  tt.return
}
