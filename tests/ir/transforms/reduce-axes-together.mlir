// RUN: nereid-opt %s --nereid-tt-reduce-axes-together | FileCheck %s

// The greatest of each row, and of these the greatest: the greatest of all.
// CHECK-LABEL: @greatest(
// CHECK: %[[ROW:.+]] = tt.reshape %arg0 : tensor<64x128xf32> -> tensor<8192xf32>
// CHECK: %[[MOST:.+]] = "tt.reduce"(%[[ROW]]) <{axis = 0 : i32}>
// CHECK: (tensor<8192xf32>) -> f32
// CHECK-NOT: tt.reduce"
// CHECK: tt.return %[[MOST]]
tt.func public @greatest(%x: tensor<64x128xf32>) -> f32 {
  %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<64x128xf32>) -> tensor<64xf32>
  %m = "tt.reduce"(%r) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<64xf32>) -> f32
  tt.return %m : f32
}

// The first axis first, beside axes of one element, and several operands.
// CHECK-LABEL: @between(
// CHECK: %[[ONE:.+]] = tt.reshape %arg0 : tensor<1x16x32x1xf32> -> tensor<1x512x1xf32>
// CHECK: %[[TWO:.+]] = tt.reshape %arg1 : tensor<1x16x32x1xi32> -> tensor<1x512x1xi32>
// CHECK: "tt.reduce"(%[[ONE]], %[[TWO]]) <{axis = 1 : i32}>
// CHECK: -> (tensor<1x1xf32>, tensor<1x1xi32>)
// CHECK-NOT: tt.reduce"
// CHECK: tt.return
tt.func public @between(%x: tensor<1x16x32x1xf32>, %y: tensor<1x16x32x1xi32>) -> (tensor<1x1xf32>, tensor<1x1xi32>) {
  %r:2 = "tt.reduce"(%x, %y) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %c = arith.addf %a, %b : f32
    %k = arith.addi %i, %j : i32
    tt.reduce.return %c, %k : f32, i32
  }) : (tensor<1x16x32x1xf32>, tensor<1x16x32x1xi32>) -> (tensor<1x32x1xf32>, tensor<1x32x1xi32>)
  %s:2 = "tt.reduce"(%r#0, %r#1) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %c = arith.addf %a, %b : f32
    %k = arith.addi %i, %j : i32
    tt.reduce.return %c, %k : f32, i32
  }) : (tensor<1x32x1xf32>, tensor<1x32x1xi32>) -> (tensor<1x1xf32>, tensor<1x1xi32>)
  tt.return %s#0, %s#1 : tensor<1x1xf32>, tensor<1x1xi32>
}

// Not what is combined in another way, nor results that others need or that change places, nor where an axis is left
// or lies between.
// CHECK-LABEL: @kept(
// CHECK-NOT: tt.reshape
// CHECK: tt.return
tt.func public @kept(%x: tensor<8x8xf32>, %y: tensor<4x8x8xf32>, %z: tensor<8x1x8xf32>, %last: tensor<8x8x1xf32>) -> (f32, f32, tensor<8xf32>, tensor<8xf32>, tensor<1xf32>, f32, tensor<8xf32>) {
  %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<8x8xf32>) -> tensor<8xf32>
  %m = "tt.reduce"(%r) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<8xf32>) -> f32
  %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<8x8xf32>) -> tensor<8xf32>
  %t = "tt.reduce"(%s) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<8xf32>) -> f32
  %u = "tt.reduce"(%y) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<4x8x8xf32>) -> tensor<8x8xf32>
  %v = "tt.reduce"(%u) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<8x8xf32>) -> tensor<8xf32>
  %w = "tt.reduce"(%z) <{axis = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<8x1x8xf32>) -> tensor<8x1xf32>
  %o = "tt.reduce"(%w) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<8x1xf32>) -> tensor<1xf32>
  %p:2 = "tt.reduce"(%x, %x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %i: f32, %b: f32, %j: f32):
    %c = arith.addf %a, %b : f32
    %k = arith.mulf %i, %j : f32
    tt.reduce.return %c, %k : f32, f32
  }) : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %q:2 = "tt.reduce"(%p#1, %p#0) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %i: f32, %b: f32, %j: f32):
    %c = arith.addf %a, %b : f32
    %k = arith.mulf %i, %j : f32
    tt.reduce.return %c, %k : f32, f32
  }) : (tensor<8xf32>, tensor<8xf32>) -> (f32, f32)
  %i = "tt.reduce"(%last) <{axis = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<8x8x1xf32>) -> tensor<8x8xf32>
  %j = "tt.reduce"(%i) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<8x8xf32>) -> tensor<8xf32>
  tt.return %m, %t, %s, %v, %o, %q#0, %j : f32, f32, tensor<8xf32>, tensor<8xf32>, tensor<1xf32>, f32, tensor<8xf32>
}
