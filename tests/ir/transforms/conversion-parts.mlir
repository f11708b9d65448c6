// RUN: nereid-opt %s --split-input-file --nereid-ttg-allocate-shared-memory | FileCheck %s

// A tile of 128 KiB goes through an H200's memory as a whole, and in parts of 32 KiB through a smaller one.
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK: ttg.shared = 131072 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90a"} {
  tt.func public @convert(%x: tensor<256x128xf32, #rows>) -> tensor<256x128xf32, #columns> {
    %y = ttg.convert_layout %x : tensor<256x128xf32, #rows> -> tensor<256x128xf32, #columns>
    tt.return %y : tensor<256x128xf32, #columns>
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK: ttg.shared = 32768 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:120"} {
  tt.func public @convert(%x: tensor<256x128xf32, #rows>) -> tensor<256x128xf32, #columns> {
    %y = ttg.convert_layout %x : tensor<256x128xf32, #rows> -> tensor<256x128xf32, #columns>
    tt.return %y : tensor<256x128xf32, #columns>
  }
}
