// RUN: nereid-opt %s --nereid-ttg-convert-through-buffers="target=cuda:90" | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // One warp's sums become rows: each element would be chosen before and behind a shuffle.
  // CHECK-LABEL: @many
  // CHECK: %[[BUFFER:.+]] = ttg.local_alloc %arg0
  // CHECK: ttg.local_load %[[BUFFER]]
  tt.func public @many(%x: tensor<64x32xbf16, #mma>) -> tensor<64x32xbf16, #rows> {
    %r = ttg.convert_layout %x : tensor<64x32xbf16, #mma> -> tensor<64x32xbf16, #rows>
    tt.return %r : tensor<64x32xbf16, #rows>
  }
}
