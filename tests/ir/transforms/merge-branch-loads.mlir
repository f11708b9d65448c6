// RUN: nereid-opt %s --nereid-tt-merge-branch-loads --canonicalize --cse | FileCheck %s

// A plain load and a masked one of the same tile are one load. What the masked one leaves out is zero.
// CHECK-LABEL: tt.func @plain_or_masked
// CHECK-SAME: %[[P:[^:]+]]: tensor<64x!tt.ptr<f16>>, %[[EVEN:[^:]+]]: i1, %[[MASK:[^:]+]]: tensor<64xi1>
// CHECK-DAG: %[[TRUE:.+]] = arith.constant dense<true>
// CHECK-DAG: %[[ZEROS:.+]] = arith.constant dense<0.0
// CHECK: %[[M:.+]] = arith.select %[[EVEN]], %[[TRUE]], %[[MASK]] : tensor<64xi1>
// CHECK: %[[X:.+]] = tt.load %[[P]], %[[M]], %[[ZEROS]]
// CHECK-NOT: scf.if
// CHECK: tt.return %[[X]]
tt.func @plain_or_masked(%p: tensor<64x!tt.ptr<f16>>, %even: i1, %mask: tensor<64xi1>) -> tensor<64xf16> {
  %zeros = arith.constant dense<0.0> : tensor<64xf16>
  %x = scf.if %even -> tensor<64xf16> {
    %a = tt.load %p : tensor<64x!tt.ptr<f16>>
    scf.yield %a : tensor<64xf16>
  } else {
    %b = tt.load %p, %mask, %zeros : tensor<64x!tt.ptr<f16>>
    scf.yield %b : tensor<64xf16>
  }
  tt.return %x : tensor<64xf16>
}

// Addresses and masks that each branch computes leave it, too. The other operations stay.
// CHECK-LABEL: tt.func @addresses_inside
// CHECK-DAG: %[[Q:.+]] = tt.addptr %{{.+}}, %{{.+}} : tensor<64x!tt.ptr<f16>>
// CHECK-DAG: %[[N:.+]] = arith.cmpi slt
// CHECK: %[[M:.+]] = arith.select %{{.+}}, %{{.+}}, %[[N]] : tensor<64xi1>
// CHECK: %[[X:.+]] = tt.load %[[Q]], %[[M]]
// CHECK: scf.if
// CHECK-NOT: tt.load
// CHECK: arith.addf %[[X]], %[[X]]
// CHECK: else
// CHECK-NOT: tt.load
// CHECK: arith.mulf %[[X]], %[[X]]
tt.func @addresses_inside(%p: tensor<64x!tt.ptr<f16>>, %even: i1, %offsets: tensor<64xi32>, %n: tensor<64xi32>) -> tensor<64xf16> {
  %x = scf.if %even -> tensor<64xf16> {
    %q = tt.addptr %p, %offsets : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
    %a = tt.load %q : tensor<64x!tt.ptr<f16>>
    %twice = arith.addf %a, %a : tensor<64xf16>
    scf.yield %twice : tensor<64xf16>
  } else {
    %mask = arith.cmpi slt, %offsets, %n : tensor<64xi32>
    %q = tt.addptr %p, %offsets : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
    %b = tt.load %q, %mask : tensor<64x!tt.ptr<f16>>
    %square = arith.mulf %b, %b : tensor<64xf16>
    scf.yield %square : tensor<64xf16>
  }
  tt.return %x : tensor<64xf16>
}

// Two masks, with no value for what the first one leaves out: any does, that of the second one as well.
// CHECK-LABEL: tt.func @two_masks
// CHECK-SAME: %{{[^:]+}}: tensor<64x!tt.ptr<f16>>, %[[C:[^:]+]]: i1, %[[ONE:[^:]+]]: tensor<64xi1>, %[[TWO:[^:]+]]: tensor<64xi1>, %[[OTHER:[^:]+]]: tensor<64xf16>
// CHECK: %[[M:.+]] = arith.select %[[C]], %[[ONE]], %[[TWO]]
// CHECK: tt.load %{{.+}}, %[[M]], %[[OTHER]]
// CHECK-NOT: scf.if
tt.func @two_masks(%p: tensor<64x!tt.ptr<f16>>, %c: i1, %one: tensor<64xi1>, %two: tensor<64xi1>, %other: tensor<64xf16>) -> tensor<64xf16> {
  %x = scf.if %c -> tensor<64xf16> {
    %a = tt.load %p, %one : tensor<64x!tt.ptr<f16>>
    scf.yield %a : tensor<64xf16>
  } else {
    %b = tt.load %p, %two, %other : tensor<64x!tt.ptr<f16>>
    scf.yield %b : tensor<64xf16>
  }
  tt.return %x : tensor<64xf16>
}

// Not where masks leave different values, where something was stored before, where each look counts, or where the
// addresses differ.
// CHECK-LABEL: tt.func @stay
// CHECK: scf.if
// CHECK: tt.load
// CHECK: else
// CHECK: tt.load
// CHECK: scf.if
// CHECK: tt.store
// CHECK: tt.load
// CHECK: else
// CHECK: tt.load
// CHECK: scf.if
// CHECK: tt.load
// CHECK: else
// CHECK: tt.load
// CHECK: scf.if
// CHECK: tt.load
// CHECK: else
// CHECK: tt.load
tt.func @stay(%p: tensor<64x!tt.ptr<f16>>, %q: tensor<64x!tt.ptr<f16>>, %c: i1, %d: i1, %e: i1, %f: i1, %one: tensor<64xi1>, %two: tensor<64xi1>) -> (tensor<64xf16>, tensor<64xf16>, tensor<64xf16>, tensor<64xf16>) {
  %zeros = arith.constant dense<0.0> : tensor<64xf16>
  %ones = arith.constant dense<1.0> : tensor<64xf16>
  %x = scf.if %c -> tensor<64xf16> {
    %a = tt.load %p, %one, %zeros : tensor<64x!tt.ptr<f16>>
    scf.yield %a : tensor<64xf16>
  } else {
    %b = tt.load %p, %two, %ones : tensor<64x!tt.ptr<f16>>
    scf.yield %b : tensor<64xf16>
  }
  %y = scf.if %d -> tensor<64xf16> {
    tt.store %q, %ones : tensor<64x!tt.ptr<f16>>
    %a = tt.load %p : tensor<64x!tt.ptr<f16>>
    scf.yield %a : tensor<64xf16>
  } else {
    %b = tt.load %p, %two, %zeros : tensor<64x!tt.ptr<f16>>
    scf.yield %b : tensor<64xf16>
  }
  %z = scf.if %e -> tensor<64xf16> {
    %a = tt.load %p {isVolatile = true} : tensor<64x!tt.ptr<f16>>
    scf.yield %a : tensor<64xf16>
  } else {
    %b = tt.load %p, %two, %zeros {isVolatile = true} : tensor<64x!tt.ptr<f16>>
    scf.yield %b : tensor<64xf16>
  }
  %w = scf.if %f -> tensor<64xf16> {
    %a = tt.load %p : tensor<64x!tt.ptr<f16>>
    scf.yield %a : tensor<64xf16>
  } else {
    %b = tt.load %q : tensor<64x!tt.ptr<f16>>
    scf.yield %b : tensor<64xf16>
  }
  tt.return %x, %y, %z, %w : tensor<64xf16>, tensor<64xf16>, tensor<64xf16>, tensor<64xf16>
}
