// RUN: nereid-opt %s --nereid-ttg-convert-through-buffers | FileCheck %s

// Both factors of a product are converted. All four warps need all of the left one.
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // It is read behind the store of the right one: four times as many registers wait for less, and one barrier does for both.
  // CHECK-LABEL: @product
  // CHECK: %[[A:.+]] = ttg.local_alloc %arg0
  // CHECK-NEXT: arith.mulf
  // CHECK-NEXT: %[[B:.+]] = ttg.local_alloc
  // CHECK-DAG: ttg.local_load %[[A]]
  // CHECK-DAG: ttg.local_load %[[B]]
  // CHECK: tt.dot
  tt.func public @product(%a: tensor<16x64xf16, #rows>, %b: tensor<64x64xf16, #rows>, %c: tensor<16x64xf32, #mma>) -> tensor<16x64xf32, #mma> {
    %l = ttg.convert_layout %a : tensor<16x64xf16, #rows> -> tensor<16x64xf16, #left>
    %s = arith.mulf %b, %b : tensor<64x64xf16, #rows>
    %r = ttg.convert_layout %s : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #right>
    %d = tt.dot %l, %r, %c : tensor<16x64xf16, #left> * tensor<64x64xf16, #right> -> tensor<16x64xf32, #mma>
    tt.return %d : tensor<16x64xf32, #mma>
  }
}
