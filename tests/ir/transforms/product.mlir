// RUN: nereid-opt %s --nereid-ttg-pipeline | FileCheck %s

// A product in full f32, which no matrix unit does. An operand is computed in the layout that it was loaded in.
// Its conversion to the layout of an operand, in which each thread would have all of the reduced axis, comes last
// and takes no memory. The product has the memory: 32 * (64 + 4) * 4 bytes for each operand, with 16 bytes of
// padding for each k.
// CHECK: #[[D:.+]] = #ttg.blocked<{sizePerThread = [4, 4]
// CHECK: ttg.shared = 17408 : i32
// CHECK-LABEL: tt.func public @product
// CHECK: %[[X:.+]] = tt.load {{.*}} : tensor<64x32x!tt.ptr<f16>, #[[LOADED:.+]]>
// CHECK: %[[WIDE:.+]] = arith.extf %[[X]] : tensor<64x32xf16, #[[LOADED]]> to tensor<64x32xf32, #[[LOADED]]>
// CHECK: %[[A:.+]] = ttg.convert_layout %[[WIDE]] : {{.*}} -> tensor<64x32xf32, #ttg.dot_op<{opIdx = 0, parent = #[[D]]}>>
// CHECK: tt.dot %[[A]], {{.*}} {allocation.offset = 0 : i32} : {{.*}} -> tensor<64x64xf32, #[[D]]>
module {
  tt.func public @product(%x: tensor<64x32x!tt.ptr<f16>>, %y: tensor<32x64x!tt.ptr<f32>>, %out: tensor<64x64x!tt.ptr<f16>>) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %a = tt.load %x : tensor<64x32x!tt.ptr<f16>>
    %wide = arith.extf %a : tensor<64x32xf16> to tensor<64x32xf32>
    %b = tt.load %y : tensor<32x64x!tt.ptr<f32>>
    %d = tt.dot %wide, %b, %zero : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    %n = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
    tt.store %out, %n : tensor<64x64x!tt.ptr<f16>>
    tt.return
  }
}
