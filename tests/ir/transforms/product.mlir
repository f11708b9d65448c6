// RUN: nereid-opt %s --nereid-ttg-pipeline | FileCheck %s

// An operand is computed in the layout that it was loaded in. Its conversion to the layout of an operand, in
// which each thread would have all of the reduced axis, comes last and takes no memory. The product has the
// memory: 32 * (64 + 8) * 2 bytes for each operand, with 16 bytes of padding for each k.
// CHECK: #[[D:.+]] = #ttg.blocked<{sizePerThread = [4, 4]
// CHECK: ttg.shared = 9216 : i32
// CHECK-LABEL: tt.func public @product
// CHECK: %[[X:.+]] = tt.load {{.*}} : tensor<64x32x!tt.ptr<f8E5M2>, #[[LOADED:.+]]>
// CHECK: %[[WIDE:.+]] = tt.fp_to_fp %[[X]] : tensor<64x32xf8E5M2, #[[LOADED]]> -> tensor<64x32xf16, #[[LOADED]]>
// CHECK: %[[A:.+]] = ttg.convert_layout %[[WIDE]] : {{.*}} -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #[[D]]}>>
// CHECK: tt.dot %[[A]], {{.*}} {allocation.offset = 0 : i32} : {{.*}} -> tensor<64x64xf32, #[[D]]>
module {
  tt.func public @product(%x: tensor<64x32x!tt.ptr<f8E5M2>>, %y: tensor<32x64x!tt.ptr<f16>>, %out: tensor<64x64x!tt.ptr<f16>>) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %a = tt.load %x : tensor<64x32x!tt.ptr<f8E5M2>>
    %wide = tt.fp_to_fp %a : tensor<64x32xf8E5M2> -> tensor<64x32xf16>
    %b = tt.load %y : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %wide, %b, %zero : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %n = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
    tt.store %out, %n : tensor<64x64x!tt.ptr<f16>>
    tt.return
  }
}
