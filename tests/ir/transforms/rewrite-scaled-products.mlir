// RUN: nereid-opt %s --nereid-tt-rewrite-scaled-products | FileCheck %s
// RUN: nereid-opt %s --nereid-tt-rewrite-scaled-products=for-matrix-units | FileCheck %s --check-prefix=UNITS

// Each run of 32 elements along the reduced axis has a scale of its own.
// CHECK-LABEL: tt.func @scaled
// CHECK: %[[A:.+]] = tt.fp_to_fp %arg0 : tensor<16x64xf8E4M3FN> -> tensor<16x64xf32>
// CHECK: tt.expand_dims %{{.+}} {axis = 2 : i32} : tensor<16x2xf32> -> tensor<16x2x1xf32>
// CHECK: tt.broadcast %{{.+}} : tensor<16x2x1xf32> -> tensor<16x2x32xf32>
// CHECK: %[[FACTORS:.+]] = tt.reshape %{{.+}} : tensor<16x2x32xf32> -> tensor<16x64xf32>
// CHECK: %[[SCALED:.+]] = arith.mulf %[[A]], %[[FACTORS]]
// CHECK: %[[B:.+]] = tt.fp_to_fp %arg2
// CHECK: tt.dot %[[SCALED]], %[[B]], %arg3 : tensor<16x64xf32> * tensor<64x16xf32> -> tensor<16x16xf32>

// Matrix units multiply bf16. A scale is made of its exponent's bits alone, or NaN, before it is spread.
// UNITS-LABEL: tt.func @scaled
// UNITS: %[[A:.+]] = tt.fp_to_fp %arg0 : tensor<16x64xf8E4M3FN> -> tensor<16x64xbf16>
// UNITS: %[[CODE:.+]] = arith.extui %arg1 : tensor<16x2xi8> to tensor<16x2xi16>
// UNITS: arith.shli %[[CODE]], %{{.+}} : tensor<16x2xi16>
// UNITS: arith.select {{.*}} : tensor<16x2xi1>, tensor<16x2xi16>
// UNITS: %[[FACTORS:.+]] = tt.reshape %{{.+}} : tensor<16x2x32xbf16> -> tensor<16x64xbf16>
// UNITS: %[[SCALED:.+]] = arith.mulf %[[A]], %[[FACTORS]] : tensor<16x64xbf16>
// UNITS: tt.dot %[[SCALED]], %{{.+}}, %arg3 : tensor<16x64xbf16> * tensor<64x16xbf16> -> tensor<16x16xf32>
tt.func @scaled(%a: tensor<16x64xf8E4M3FN>, %s: tensor<16x2xi8>, %b: tensor<64x16xf8E5M2>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<16x64xf8E4M3FN>, tensor<16x2xi8> * tensor<64x16xf8E5M2> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}

// Both numbers of a byte are placed in one word. One fp16 operand makes both fp16.
// UNITS-LABEL: tt.func @pairs
// UNITS: %[[BYTES:.+]] = arith.extui %arg1 : tensor<32x16xi8> to tensor<32x16xi32>
// UNITS-COUNT-2: arith.muli %[[BYTES]]
// UNITS: tt.join %{{.+}} : tensor<32x16xf16> -> tensor<32x16x2xf16>
// UNITS: tt.trans %{{.+}} {order = array<i32: 0, 2, 1>} : tensor<32x16x2xf16> -> tensor<32x2x16xf16>
// UNITS: tt.reshape %{{.+}} : tensor<32x2x16xf16> -> tensor<64x16xf16>
// UNITS: tt.dot %arg0, %{{.+}} : tensor<16x64xf16> * tensor<64x16xf16> -> tensor<16x16xf32>
tt.func @pairs(%a: tensor<16x64xf16>, %b: tensor<32x16xi8>, %s: tensor<16x2xi8>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot_scaled %a, %b scale %s, %c lhs = fp16 rhs = e2m1 {fastMath = true} : tensor<16x64xf16> * tensor<32x16xi8>, tensor<16x2xi8> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}

// Scales that are numbers of 8 bits themselves; pairs along an axis that remains; batches.
// UNITS-LABEL: tt.func @batches
// UNITS: tt.reshape %{{.+}} : tensor<4x8x2x64xbf16> -> tensor<4x16x64xbf16>
// UNITS: %[[S:.+]] = tt.fp_to_fp %arg1 : tensor<4x16x4xf8E4M3FN> -> tensor<4x16x4xbf16>
// UNITS: tt.broadcast %{{.+}} : tensor<4x16x4x1xbf16> -> tensor<4x16x4x16xbf16>
// UNITS: tt.dot %{{.+}} : tensor<4x16x64xbf16> * tensor<4x64x16xbf16> -> tensor<4x16x16xf32>
tt.func @batches(%a: tensor<4x8x64xi8>, %s: tensor<4x16x4xf8E4M3FN>, %b: tensor<4x64x16xbf16>, %c: tensor<4x16x16xf32>) -> tensor<4x16x16xf32> {
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e2m1 rhs = bf16 {fastMath = false, lhs_k_pack = false} : tensor<4x8x64xi8>, tensor<4x16x4xf8E4M3FN> * tensor<4x64x16xbf16> -> tensor<4x16x16xf32>
  tt.return %d : tensor<4x16x16xf32>
}
