// RUN: nereid-opt %s --nereid-ttg-rematerialize --canonicalize | FileCheck %s

#a = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.linear<{register = [[0, 128]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32], [0, 64]], block = []}>
#c = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#d = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#e = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [2, 16], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Elements are brought to where they are wanted at once.
  // CHECK-LABEL: tt.func @shapes
  // CHECK: ttg.convert_layout
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func @shapes(%x: tensor<256xf32, #a>) -> tensor<4x64xf32, #e> {
    %0 = ttg.convert_layout %x : tensor<256xf32, #a> -> tensor<256xf32, #ttg.slice<{dim = 0, parent = #b}>>
    %1 = tt.reshape %0 : tensor<256xf32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<64x4xf32, #c>
    %2 = tt.trans %1 {order = array<i32: 1, 0>} : tensor<64x4xf32, #c> -> tensor<4x64xf32, #d>
    %3 = ttg.convert_layout %2 : tensor<4x64xf32, #d> -> tensor<4x64xf32, #e>
    tt.return %3 : tensor<4x64xf32, #e>
  }
}
