// RUN: nereid-opt %s --nereid-tt-hoist-conditional-loads --canonicalize | FileCheck %s

// A tile's load, its addresses and the number in them leave the condition, as masked loads. The product stays.
// CHECK-LABEL: tt.func @under_condition
// CHECK: scf.for
// CHECK: %[[C:.+]] = arith.cmpi sgt
// CHECK: %[[ROW:.+]] = tt.load %{{.+}}, %[[C]] : !tt.ptr<i32>
// CHECK: %[[P:.+]] = tt.addptr %{{.+}}, %{{.+}} : tensor<32x64x!tt.ptr<f16>>
// CHECK: %[[M:.+]] = tt.splat %[[C]] : i1 -> tensor<32x64xi1>
// CHECK: %[[MASK:.+]] = arith.andi %{{.+}}, %[[M]] : tensor<32x64xi1>
// CHECK: %[[B:.+]] = tt.load %[[P]], %[[MASK]] : tensor<32x64x!tt.ptr<f16>>
// CHECK: scf.if %[[C]]
// CHECK-NOT: tt.load
// CHECK: tt.dot %{{.+}}, %[[B]]
tt.func @under_condition(%b: tensor<32x64x!tt.ptr<f16>>, %rows: !tt.ptr<i32>, %mask: tensor<32x64xi1>, %a: tensor<64x32xf16>, %c: tensor<64x64xf32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32>) : i32 {
    %holds = arith.cmpi sgt, %i, %c5 : i32
    %next = scf.if %holds -> tensor<64x64xf32> {
      %at = tt.addptr %rows, %i : !tt.ptr<i32>, i32
      %row = tt.load %at : !tt.ptr<i32>
      %offsets = tt.splat %row : i32 -> tensor<32x64xi32>
      %p = tt.addptr %b, %offsets : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
      %tile = tt.load %p, %mask : tensor<32x64x!tt.ptr<f16>>
      %d = tt.dot %a, %tile, %sum : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    } else {
      scf.yield %sum : tensor<64x64xf32>
    }
    scf.yield %next : tensor<64x64xf32>
  }
  tt.return %r : tensor<64x64xf32>
}

// A tile or zeros: nothing is left of the condition, though it stands in the other branch.
// CHECK-LABEL: tt.func @tile_or_zeros
// CHECK: %[[ZEROS:.+]] = arith.constant dense<0.000000e+00> : tensor<32x64xf16>
// CHECK: scf.for
// CHECK: %[[NOT:.+]] = arith.cmpi sle
// CHECK: %[[M:.+]] = tt.splat %[[NOT]] : i1 -> tensor<32x64xi1>
// CHECK: %[[B:.+]] = tt.load %arg0, %[[M]], %[[ZEROS]] : tensor<32x64x!tt.ptr<f16>>
// CHECK-NOT: scf.if
// CHECK: tt.dot %{{.+}}, %[[B]]
tt.func @tile_or_zeros(%b: tensor<32x64x!tt.ptr<f16>>, %a: tensor<64x32xf16>, %c: tensor<64x64xf32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %zeros = arith.constant dense<0.000000e+00> : tensor<32x64xf16>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32>) : i32 {
    %holds = arith.cmpi sgt, %i, %c5 : i32
    %tile = scf.if %holds -> tensor<32x64xf16> {
      scf.yield %zeros : tensor<32x64xf16>
    } else {
      %loaded = tt.load %b : tensor<32x64x!tt.ptr<f16>>
      scf.yield %loaded : tensor<32x64xf16>
    }
    %d = tt.dot %a, %tile, %sum : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return %r : tensor<64x64xf32>
}

// What is loaded behind a write stays, as do loads that a product decides about, and those for no product.
// CHECK-LABEL: tt.func @stay
// CHECK: scf.for
// CHECK-NOT: tt.load
// CHECK: scf.if
// CHECK: tt.store
// CHECK: tt.load
// CHECK: scf.if
// CHECK: tt.load
// CHECK: scf.if
// CHECK: tt.load
tt.func @stay(%b: tensor<32x64x!tt.ptr<f16>>, %out: !tt.ptr<f32>, %x: tensor<64x64x!tt.ptr<f32>>, %a: tensor<64x32xf16>, %c: tensor<64x64xf32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %one = arith.constant 1.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32>) : i32 {
    %holds = arith.cmpi sgt, %i, %c5 : i32
    %next = scf.if %holds -> tensor<64x64xf32> {
      tt.store %out, %one : !tt.ptr<f32>
      %tile = tt.load %b : tensor<32x64x!tt.ptr<f16>>
      %d = tt.dot %a, %tile, %sum : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    } else {
      scf.yield %sum : tensor<64x64xf32>
    }
    %column = "tt.reduce"(%next) <{axis = 1 : i32}> ({
    ^bb0(%l: f32, %m: f32):
      %s = arith.addf %l, %m : f32
      tt.reduce.return %s : f32
    }) : (tensor<64x64xf32>) -> tensor<64xf32>
    %total = "tt.reduce"(%column) <{axis = 0 : i32}> ({
    ^bb0(%l: f32, %m: f32):
      %s = arith.addf %l, %m : f32
      tt.reduce.return %s : f32
    }) : (tensor<64xf32>) -> f32
    %large = arith.cmpf ogt, %total, %one : f32
    %more = scf.if %large -> tensor<64x64xf32> {
      %tile = tt.load %b : tensor<32x64x!tt.ptr<f16>>
      %d = tt.dot %a, %tile, %next : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    } else {
      scf.yield %next : tensor<64x64xf32>
    }
    %last = scf.if %holds -> tensor<64x64xf32> {
      %tile = tt.load %x : tensor<64x64x!tt.ptr<f32>>
      %d = arith.addf %tile, %more : tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    } else {
      scf.yield %more : tensor<64x64xf32>
    }
    scf.yield %last : tensor<64x64xf32>
  }
  tt.return %r : tensor<64x64xf32>
}

// What the loop looks up in memory often does not hold: nothing is loaded for such rounds.
// CHECK-LABEL: tt.func @looked_up
// CHECK: scf.for
// CHECK: %[[HOLDS:.+]] = tt.load
// CHECK: scf.if
// CHECK: tt.load %arg0 : tensor<32x64x!tt.ptr<f16>>
// CHECK: tt.dot
tt.func @looked_up(%b: tensor<32x64x!tt.ptr<f16>>, %names: !tt.ptr<i32>, %a: tensor<64x32xf16>, %c: tensor<64x64xf32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32>) : i32 {
    %at = tt.addptr %names, %i : !tt.ptr<i32>, i32
    %name = tt.load %at : !tt.ptr<i32>
    %holds = arith.cmpi ne, %name, %c0 : i32
    %next = scf.if %holds -> tensor<64x64xf32> {
      %tile = tt.load %b : tensor<32x64x!tt.ptr<f16>>
      %d = tt.dot %a, %tile, %sum : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    } else {
      scf.yield %sum : tensor<64x64xf32>
    }
    scf.yield %next : tensor<64x64xf32>
  }
  tt.return %r : tensor<64x64xf32>
}
