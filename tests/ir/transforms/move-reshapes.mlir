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
