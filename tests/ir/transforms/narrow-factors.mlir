// RUN: nereid-opt %s --nereid-ttg-narrow-factors | FileCheck %s

module {
  // What was widened is multiplied as it was, also if it is transposed between.
  // CHECK-LABEL: @widened
  // CHECK-SAME: %[[A:.+]]: tensor<32x64xbf16>, %[[B:.+]]: tensor<16x64xbf16>
  // CHECK: %[[T:.+]] = tt.trans %[[B]] {{.*}} : tensor<16x64xbf16> -> tensor<64x16xbf16>
  // CHECK: tt.dot %[[A]], %[[T]], %{{.+}} : tensor<32x64xbf16> * tensor<64x16xbf16> -> tensor<32x16xf32>
  tt.func @widened(%a: tensor<32x64xbf16>, %b: tensor<16x64xbf16>, %c: tensor<32x16xf32>) -> tensor<32x16xf32> {
    %0 = arith.extf %a : tensor<32x64xbf16> to tensor<32x64xf32>
    %1 = arith.extf %b : tensor<16x64xbf16> to tensor<16x64xf32>
    %2 = tt.trans %1 {order = array<i32: 1, 0>} : tensor<16x64xf32> -> tensor<64x16xf32>
    %3 = tt.dot %0, %2, %c, inputPrecision = tf32 : tensor<32x64xf32> * tensor<64x16xf32> -> tensor<32x16xf32>
    tt.return %3 : tensor<32x16xf32>
  }

  // Not in full f32, not of two types, and not if only one was widened.
  // CHECK-LABEL: @left
  // CHECK-COUNT-3: tt.dot {{.*}} : tensor<32x64xf32> * tensor<64x16xf32>
  tt.func @left(%a: tensor<32x64xbf16>, %b: tensor<64x16xbf16>, %h: tensor<64x16xf16>, %f: tensor<64x16xf32>, %c: tensor<32x16xf32>) -> tensor<32x16xf32> {
    %0 = arith.extf %a : tensor<32x64xbf16> to tensor<32x64xf32>
    %1 = arith.extf %b : tensor<64x16xbf16> to tensor<64x16xf32>
    %2 = arith.extf %h : tensor<64x16xf16> to tensor<64x16xf32>
    %3 = tt.dot %0, %1, %c, inputPrecision = ieee : tensor<32x64xf32> * tensor<64x16xf32> -> tensor<32x16xf32>
    %4 = tt.dot %0, %2, %3, inputPrecision = tf32 : tensor<32x64xf32> * tensor<64x16xf32> -> tensor<32x16xf32>
    %5 = tt.dot %0, %f, %4, inputPrecision = tf32 : tensor<32x64xf32> * tensor<64x16xf32> -> tensor<32x16xf32>
    tt.return %5 : tensor<32x16xf32>
  }
}
