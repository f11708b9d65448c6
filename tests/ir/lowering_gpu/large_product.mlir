// A product of a large tile is loops: its sums lie in the thread's memory, and 64 of them are in registers at a time, 8 rows
// and 8 columns, of which each step reads vectors. As straight code it would be 524,288 multiplications.
// RUN: nereid-lower %s cuda:90a | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#right = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90a", ttg.shared = 65536 : i32} {
  // CHECK-LABEL: define {{.*}} @kernel
  // CHECK: alloca [2048 x i32]
  tt.func public @kernel(%x: !tt.ptr<i32>) {
    %zero = arith.constant dense<0> : tensor<256x256xi32, #blocked>
    %ones = arith.constant dense<1> : tensor<256x256xi8, #blocked>
    %a = ttg.convert_layout %ones : tensor<256x256xi8, #blocked> -> tensor<256x256xi8, #left>
    %b = ttg.convert_layout %ones : tensor<256x256xi8, #blocked> -> tensor<256x256xi8, #right>
    // The factors are in shared memory in parts: a loop of one barrier before each part, and one behind.
    // CHECK: bar.warp.sync
    // CHECK: bar.warp.sync
    // CHECK-COUNT-64: phi i32
    // Four steps of two vectors each.
    // CHECK-COUNT-8: load <4 x i8>
    // CHECK-NOT: load <4 x i8>
    %c = tt.dot %a, %b, %zero {allocation.offset = 0 : i32} : tensor<256x256xi8, #left> * tensor<256x256xi8, #right> -> tensor<256x256xi32, #blocked>
    %sum = "tt.reduce"(%c) <{axis = 1 : i32}> ({
    ^bb0(%l: i32, %r: i32):
      %s = arith.addi %l, %r : i32
      tt.reduce.return %s : i32
    }) {allocation.offset = 0 : i32} : (tensor<256x256xi32, #blocked>) -> tensor<256xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    tt.return
  }
}
