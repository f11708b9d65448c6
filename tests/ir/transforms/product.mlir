// RUN: nereid-opt %s --nereid-ttg-pipeline | FileCheck %s

// A product of integers, which no matrix unit does, nor ttg.local_dot. An operand is computed in the layout that it was loaded in.
// Its conversion to the layout of an operand, in which each thread would have all of the reduced axis, comes last
// and takes no memory. The product has the memory: 32 * (64 + 4) * 4 bytes for each operand, with 16 bytes of
// padding for each k.
// CHECK: #[[D:.+]] = #ttg.blocked<{sizePerThread = [4, 4]
// CHECK: ttg.shared = 17408 : i32
// CHECK-LABEL: tt.func public @product
// CHECK: %[[X:.+]] = tt.load {{.*}} : tensor<64x32x!tt.ptr<i16>, #[[LOADED:.+]]>
// CHECK: %[[WIDE:.+]] = arith.extsi %[[X]] : tensor<64x32xi16, #[[LOADED]]> to tensor<64x32xi32, #[[LOADED]]>
// CHECK: %[[A:.+]] = ttg.convert_layout %[[WIDE]] : {{.*}} -> tensor<64x32xi32, #ttg.dot_op<{opIdx = 0, parent = #[[D]]}>>
// CHECK: tt.dot %[[A]], {{.*}} {allocation.offset = 0 : i32} : {{.*}} -> tensor<64x64xi32, #[[D]]>
module {
  tt.func public @product(%x: tensor<64x32x!tt.ptr<i16>>, %y: tensor<32x64x!tt.ptr<i32>>, %out: tensor<64x64x!tt.ptr<i16>>) {
    %zero = arith.constant dense<0> : tensor<64x64xi32>
    %a = tt.load %x : tensor<64x32x!tt.ptr<i16>>
    %wide = arith.extsi %a : tensor<64x32xi16> to tensor<64x32xi32>
    %b = tt.load %y : tensor<32x64x!tt.ptr<i32>>
    %d = tt.dot %wide, %b, %zero : tensor<64x32xi32> * tensor<32x64xi32> -> tensor<64x64xi32>
    %n = arith.trunci %d : tensor<64x64xi32> to tensor<64x64xi16>
    tt.store %out, %n : tensor<64x64x!tt.ptr<i16>>
    tt.return
  }
}
