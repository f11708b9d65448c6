// RUN: nereid-opt %s --split-input-file --nereid-ttg-convert-through-buffers | FileCheck %s

// Pairs of sums go to a buffer by stmatrix, from which rows of eight are read at a time.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [8, 1], order = [1, 0]}>
#sums = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 256, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90a", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func public @results
  // CHECK: ttg.local_alloc
  // CHECK-NEXT: ttg.local_load
  tt.func public @results(%x: tensor<128x256xf16, #sums>) -> tensor<128x256xf16, #blocked> {
    %r = ttg.convert_layout %x : tensor<128x256xf16, #sums> -> tensor<128x256xf16, #blocked>
    tt.return %r : tensor<128x256xf16, #blocked>
  }
}

// -----

// Where there is none, a conversion's vectors of 8 bytes are of pairs that do not follow one another, so that each is
// moved before. A buffer's words of 4 bytes need no moves.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [8, 1], order = [1, 0]}>
#sums = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 256, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func public @results
  // CHECK: ttg.local_alloc
  // CHECK-NEXT: ttg.local_load
  tt.func public @results(%x: tensor<128x256xf16, #sums>) -> tensor<128x256xf16, #blocked> {
    %r = ttg.convert_layout %x : tensor<128x256xf16, #sums> -> tensor<128x256xf16, #blocked>
    tt.return %r : tensor<128x256xf16, #blocked>
  }
}
