// RUN: nereid-opt %s --nereid-tt-move-reshapes | FileCheck %s

// Arithmetic between a reshape and the one that undoes it is done in the first shape.
// CHECK-LABEL: @undone(
// CHECK-NOT: tt.reshape
// CHECK-NOT: tt.expand_dims
// CHECK: %[[SUM:.+]] = arith.mulf %arg0, %{{.+}} : tensor<16x32xf32>
// CHECK: arith.truncf %[[SUM]] : tensor<16x32xf32> to tensor<16x32xf16>
// CHECK: tt.return
tt.func public @undone(%x: tensor<16x32xf32>, %scale: f32) -> tensor<16x32xf16> {
  %a = tt.reshape %x : tensor<16x32xf32> -> tensor<1x16x32xf32>
  %s = tt.splat %scale : f32 -> tensor<1x16x32xf32>
  %b = arith.mulf %a, %s : tensor<1x16x32xf32>
  %c = arith.truncf %b : tensor<1x16x32xf32> to tensor<1x16x32xf16>
  %d = tt.reshape %c : tensor<1x16x32xf16> -> tensor<16x32xf16>
  tt.return %d : tensor<16x32xf16>
}

// What others need as well, and what was never in that shape, stays.
// CHECK-LABEL: @kept(
// CHECK-COUNT-2: tt.reshape
tt.func public @kept(%x: tensor<16x32xf32>, %y: tensor<1x16x32xf32>) -> (tensor<16x32xf16>, tensor<1x16x32xf16>, tensor<16x32xf32>) {
  %a = tt.reshape %x : tensor<16x32xf32> -> tensor<1x16x32xf32>
  %b = arith.truncf %a : tensor<1x16x32xf32> to tensor<1x16x32xf16>
  %c = tt.reshape %b : tensor<1x16x32xf16> -> tensor<16x32xf16>
  %d = arith.mulf %y, %y : tensor<1x16x32xf32>
  %e = tt.reshape %d : tensor<1x16x32xf32> -> tensor<16x32xf32>
  tt.return %c, %b, %e : tensor<16x32xf16>, tensor<1x16x32xf16>, tensor<16x32xf32>
}

// What is reduced along another axis than the one of a single element does without that.
// CHECK-LABEL: @reduced(
// CHECK: %[[MOST:.+]] = "tt.reduce"(%arg0) <{axis = 1 : i32}>
// CHECK: (tensor<64x128xf32>) -> tensor<64xf32>
// CHECK: tt.expand_dims %[[MOST]] {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
// CHECK: %[[ALL:.+]] = tt.broadcast %{{.+}} : tensor<64x1xf32> -> tensor<64x128xf32>
// CHECK: %[[LESS:.+]] = arith.subf %arg0, %[[ALL]] : tensor<64x128xf32>
// CHECK: math.exp2 %[[LESS]] : tensor<64x128xf32>
// CHECK-NOT: 64x1x128
// CHECK: tt.return
tt.func public @reduced(%x: tensor<64x128xf32>) -> tensor<64x1xf32> {
  %a = tt.expand_dims %x {axis = 1 : i32} : tensor<64x128xf32> -> tensor<64x1x128xf32>
  %m = "tt.reduce"(%a) <{axis = 2 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %c = arith.maxnumf %l, %r : f32
    tt.reduce.return %c : f32
  }) : (tensor<64x1x128xf32>) -> tensor<64x1xf32>
  %n = tt.expand_dims %m {axis = 2 : i32} : tensor<64x1xf32> -> tensor<64x1x1xf32>
  %b = tt.broadcast %n : tensor<64x1x1xf32> -> tensor<64x1x128xf32>
  %d = arith.subf %a, %b : tensor<64x1x128xf32>
  %e = math.exp2 %d : tensor<64x1x128xf32>
  %s = "tt.reduce"(%e) <{axis = 2 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %c = arith.addf %l, %r : f32
    tt.reduce.return %c : f32
  }) : (tensor<64x1x128xf32>) -> tensor<64x1xf32>
  tt.return %s : tensor<64x1xf32>
}

// The axis behind the one that is reduced, and positions beside the numbers. A tile that was never without the axis stays.
// CHECK-LABEL: @places(
// CHECK: "tt.reduce"(%arg0, %{{.+}}) <{axis = 0 : i32}>
// CHECK: (tensor<64x128xf32>, tensor<64x128xi32>) -> (tensor<128xf32>, tensor<128xi32>)
// CHECK: tt.expand_dims %{{.+}} {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
// CHECK: (tensor<64x1x128xf32>) -> tensor<1x128xf32>
tt.func public @places(%x: tensor<64x128xf32>, %y: tensor<64x1x128xf32>) -> (tensor<1x128xi32>, tensor<1x128xf32>) {
  %a = tt.reshape %x : tensor<64x128xf32> -> tensor<64x1x128xf32>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %q = tt.expand_dims %p {axis = 2 : i32} : tensor<64x1xi32> -> tensor<64x1x1xi32>
  %b = tt.broadcast %q : tensor<64x1x1xi32> -> tensor<64x1x128xi32>
  %m:2 = "tt.reduce"(%a, %b) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %i: i32, %k: f32, %j: i32):
    %c = arith.cmpf ogt, %l, %k : f32
    %d = arith.select %c, %l, %k : f32
    %e = arith.select %c, %i, %j : i32
    tt.reduce.return %d, %e : f32, i32
  }) : (tensor<64x1x128xf32>, tensor<64x1x128xi32>) -> (tensor<1x128xf32>, tensor<1x128xi32>)
  %s = "tt.reduce"(%y) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %k: f32):
    %c = arith.addf %l, %k : f32
    tt.reduce.return %c : f32
  }) : (tensor<64x1x128xf32>) -> tensor<1x128xf32>
  tt.return %m#1, %s : tensor<1x128xi32>, tensor<1x128xf32>
}

// A tile that is divided by what was found along its rows, back in its first shape: both happen without the axis, whatever
// else the few numbers of its rows are needed for.
// CHECK-LABEL: @scaled(
// CHECK: %[[MOST:.+]] = "tt.reduce"(%arg0) <{axis = 1 : i32}>
// CHECK-NOT: 64x1x128
// CHECK: %[[ALL:.+]] = tt.broadcast %{{.+}} : tensor<64x1xf32> -> tensor<64x128xf32>
// CHECK: %[[PART:.+]] = arith.divf %arg0, %[[ALL]] : tensor<64x128xf32>
// CHECK: %[[BYTES:.+]] = tt.fp_to_fp %[[PART]], rounding = rtne : tensor<64x128xf32> -> tensor<64x128xf8E4M3FN>
// CHECK: tt.return %[[BYTES]], %{{.+}} : tensor<64x128xf8E4M3FN>, tensor<64x1xf32>
tt.func public @scaled(%x: tensor<64x128xf32>) -> (tensor<64x128xf8E4M3FN>, tensor<64x1xf32>) {
  %a = tt.reshape %x : tensor<64x128xf32> -> tensor<64x1x128xf32>
  %m = "tt.reduce"(%a) <{axis = 2 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %c = arith.maxnumf %l, %r : f32
    tt.reduce.return %c : f32
  }) : (tensor<64x1x128xf32>) -> tensor<64x1xf32>
  %s = arith.addf %m, %m : tensor<64x1xf32>
  %n = tt.expand_dims %s {axis = 2 : i32} : tensor<64x1xf32> -> tensor<64x1x1xf32>
  %b = tt.broadcast %n : tensor<64x1x1xf32> -> tensor<64x1x128xf32>
  %d = arith.divf %a, %b : tensor<64x1x128xf32>
  %e = tt.fp_to_fp %d, rounding = rtne : tensor<64x1x128xf32> -> tensor<64x1x128xf8E4M3FN>
  %f = tt.reshape %e : tensor<64x1x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
  tt.return %f, %s : tensor<64x128xf8E4M3FN>, tensor<64x1xf32>
}
