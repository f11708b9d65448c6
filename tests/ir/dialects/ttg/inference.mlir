// The layouts that results must have: each operation below is accepted with the layout that keeps elements in place.
// RUN: nereid-opt %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blockedT = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#pairs = #ttg.blocked<{sizePerThread = [4, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
#linearPairs = #ttg.linear<{register = [[0, 1], [1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], warp = [[128, 0], [256, 0]], block = []}>
#rows = #ttg.slice<{dim = 1, parent = #blocked}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>

// CHECK-LABEL: @layouts
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @layouts(%m: tensor<16x32xf32, #blocked>, %l: tensor<512xf32, #line>, %v: tensor<512xf32, #linear>, %a: tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %b: tensor<32x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>, %c: tensor<32x32xf32, #mma>) {
    // CHECK: (tensor<16x32xf32, #blocked>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %0 = "tt.reduce"(%m) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      tt.reduce.return %s : f32
    }) : (tensor<16x32xf32, #blocked>) -> tensor<16xf32, #rows>
    // CHECK: tt.expand_dims %{{.*}} {axis = 1 : i32} : tensor<16xf32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<16x1xf32, #blocked>
    %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<16xf32, #rows> -> tensor<16x1xf32, #blocked>
    %2 = tt.broadcast %1 : tensor<16x1xf32, #blocked> -> tensor<16x32xf32, #blocked>
    // CHECK: tt.trans
    %3 = tt.trans %m {order = array<i32: 1, 0>} : tensor<16x32xf32, #blocked> -> tensor<32x16xf32, #blockedT>
    // CHECK: tt.join
    %4 = tt.join %l, %l : tensor<512xf32, #line> -> tensor<512x2xf32, #pairs>
    %5, %6 = tt.split %4 : tensor<512x2xf32, #pairs> -> tensor<512xf32, #line>
    // CHECK: tt.join
    %7 = tt.join %v, %v : tensor<512xf32, #linear> -> tensor<512x2xf32, #linearPairs>
    %8, %9 = tt.split %7 : tensor<512x2xf32, #linearPairs> -> tensor<512xf32, #linear>
    // Layouts that place elements alike are as good as the one expected.
    // CHECK: tt.join %{{.*}} : tensor<512xf32, #blocked{{[0-9]*}}> -> tensor<512x2xf32, #linear{{[0-9]*}}>
    %10 = tt.join %l, %l : tensor<512xf32, #line> -> tensor<512x2xf32, #linearPairs>
    // CHECK: tt.dot
    %11 = tt.dot %a, %b, %c : tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<32x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<32x32xf32, #mma>
    tt.return
  }
}
