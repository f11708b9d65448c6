// RUN: nereid-opt %s --nereid-ttg-convert-through-buffers | FileCheck %s

// A tile of 128x128 that a product's sums begin with, and a column that it is scaled with.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [2, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // The sums are 256 registers of each thread: the tile waits in memory, from before the other conversions to behind them.
  // CHECK-LABEL: @large
  // CHECK: %[[X:.+]] = tt.load
  // CHECK-NEXT: %[[M:.+]] = ttg.local_alloc %[[X]]
  // CHECK-NEXT: ttg.convert_layout %{{.+}} #ttg.dot_op
  // CHECK-NEXT: ttg.convert_layout %{{.+}} #ttg.slice
  // CHECK: %[[Y:.+]] = ttg.local_load %[[M]]
  // CHECK-NEXT: arith.extf %[[Y]]
  // CHECK: tt.dot
  tt.func public @large(%p: tensor<128x128x!tt.ptr<bf16>, #blocked>, %a: tensor<128x32xf32, #left>, %x: tensor<32x128xf32, #blocked>, %f: tensor<128xf32, #column>) -> tensor<128x128xf32, #mma> {
    %tile = tt.load %p : tensor<128x128x!tt.ptr<bf16>, #blocked>
    %b = ttg.convert_layout %x : tensor<32x128xf32, #blocked> -> tensor<32x128xf32, #right>
    %converted = ttg.convert_layout %tile : tensor<128x128xbf16, #blocked> -> tensor<128x128xbf16, #mma>
    %column = ttg.convert_layout %f : tensor<128xf32, #column> -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>>
    %expanded = tt.expand_dims %column {axis = 1 : i32} : tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<128x1xf32, #mma>
    %factor = tt.broadcast %expanded : tensor<128x1xf32, #mma> -> tensor<128x128xf32, #mma>
    %wide = arith.extf %converted : tensor<128x128xbf16, #mma> to tensor<128x128xf32, #mma>
    %sum = arith.mulf %wide, %factor : tensor<128x128xf32, #mma>
    %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<128x32xf32, #left> * tensor<32x128xf32, #right> -> tensor<128x128xf32, #mma>
    tt.return %d : tensor<128x128xf32, #mma>
  }

  // With 64 columns and a depth of 16 there are registers for all of it.
  // CHECK-LABEL: @enough
  // CHECK: tt.load
  // CHECK-NEXT: ttg.convert_layout
  // CHECK-NEXT: %[[M:.+]] = ttg.local_alloc
  // CHECK-NEXT: ttg.local_load %[[M]]
  // CHECK-NEXT: ttg.convert_layout
  tt.func public @enough(%p: tensor<128x64x!tt.ptr<bf16>, #blocked>, %a: tensor<128x16xf32, #left>, %x: tensor<16x64xf32, #blocked>, %f: tensor<128xf32, #column>) -> tensor<128x64xf32, #mma> {
    %tile = tt.load %p : tensor<128x64x!tt.ptr<bf16>, #blocked>
    %b = ttg.convert_layout %x : tensor<16x64xf32, #blocked> -> tensor<16x64xf32, #right>
    %converted = ttg.convert_layout %tile : tensor<128x64xbf16, #blocked> -> tensor<128x64xbf16, #mma>
    %column = ttg.convert_layout %f : tensor<128xf32, #column> -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>>
    %expanded = tt.expand_dims %column {axis = 1 : i32} : tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<128x1xf32, #mma>
    %factor = tt.broadcast %expanded : tensor<128x1xf32, #mma> -> tensor<128x64xf32, #mma>
    %wide = arith.extf %converted : tensor<128x64xbf16, #mma> to tensor<128x64xf32, #mma>
    %sum = arith.mulf %wide, %factor : tensor<128x64xf32, #mma>
    %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<128x16xf32, #left> * tensor<16x64xf32, #right> -> tensor<128x64xf32, #mma>
    tt.return %d : tensor<128x64xf32, #mma>
  }
}
