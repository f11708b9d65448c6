// RUN: nereid-opt %s --nereid-tt-rewrite-scaled-products --split-input-file --verify-diagnostics | FileCheck %s

// Each run of 32 elements along the reduced axis has a scale of its own.
// CHECK-LABEL: tt.func @scaled
// CHECK: %[[A:.+]] = tt.fp_to_fp %arg0 : tensor<16x64xf8E4M3FN> -> tensor<16x64xf32>
// CHECK: tt.expand_dims %{{.+}} {axis = 2 : i32} : tensor<16x2xf32> -> tensor<16x2x1xf32>
// CHECK: tt.broadcast %{{.+}} : tensor<16x2x1xf32> -> tensor<16x2x32xf32>
// CHECK: %[[FACTORS:.+]] = tt.reshape %{{.+}} : tensor<16x2x32xf32> -> tensor<16x64xf32>
// CHECK: %[[SCALED:.+]] = arith.mulf %[[A]], %[[FACTORS]]
// CHECK: %[[B:.+]] = tt.fp_to_fp %arg2
// CHECK: tt.dot %[[SCALED]], %[[B]], %arg3 : tensor<16x64xf32> * tensor<64x16xf32> -> tensor<16x16xf32>
tt.func @scaled(%a: tensor<16x64xf8E4M3FN>, %s: tensor<16x2xi8>, %b: tensor<64x16xf8E5M2>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<16x64xf8E4M3FN>, tensor<16x2xi8> * tensor<64x16xf8E5M2> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}
