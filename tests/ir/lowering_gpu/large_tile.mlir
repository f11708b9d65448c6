// RUN: not nereid-lower %s cuda:90a 2>&1 | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
  tt.func public @kernel(%x: !tt.ptr<i32>) {
    // 512 elements a thread are as many as there may be.
    %small = tt.make_range {start = 0 : i32, end = 65536 : i32} : tensor<65536xi32, #blocked>
    // CHECK: large_tile.mlir:[[@LINE+1]]:14: error: a tile of 131072 elements gives each thread 1024, more than the 512 that are supported: take a smaller tile or more warps
    %large = tt.make_range {start = 0 : i32, end = 131072 : i32} : tensor<131072xi32, #blocked>
    tt.return
  }
}
