// RUN: nereid-opt %s --split-input-file --nereid-ttg-convert-through-buffers | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#quad = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#sums = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Rows that were loaded become fragments of a product.
  // CHECK-LABEL: tt.func public @fragments
  // CHECK: %[[M:.+]] = ttg.local_alloc %{{.*}} {alignment = 16 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #[[S:shared.*]], #smem>
  // CHECK-NEXT: %[[R:.+]] = ttg.local_load %[[M]] : !ttg.memdesc<64x64xf16, #[[S]], #smem> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0
  // CHECK-NEXT: tt.return %[[R]]
  tt.func public @fragments(%x: tensor<64x64xf16, #blocked>) -> tensor<64x64xf16, #left> {
    %r = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #left>
    tt.return %r : tensor<64x64xf16, #left>
  }

  // Both operands are read from the one buffer.
  // CHECK-LABEL: tt.func public @twice
  // CHECK: %[[M:.+]] = ttg.local_alloc
  // CHECK-NEXT: ttg.local_load %[[M]]
  // CHECK-NOT: ttg.local_alloc
  // CHECK: ttg.local_load %[[M]]
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @twice(%x: tensor<64x64xf16, #blocked>) -> (tensor<64x64xf16, #left>, tensor<64x64xf16, #right>) {
    %r = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #left>
    %s = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #right>
    tt.return %r, %s : tensor<64x64xf16, #left>, tensor<64x64xf16, #right>
  }

  // So is what a product has in memory.
  // CHECK-LABEL: tt.func public @filled
  // CHECK: %[[M:.+]] = ttg.local_alloc {{.*}} -> !ttg.memdesc<64x64xf16, #shared{{.*}}, #smem>
  // CHECK-NEXT: ttg.local_load %[[M]]
  // CHECK-NEXT: tt.return
  tt.func public @filled(%x: tensor<64x64xf16, #blocked>) -> (!ttg.memdesc<64x64xf16, #rows, #smem>, tensor<64x64xf16, #sums>) {
    %m = ttg.local_alloc %x {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
    %r = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #sums>
    tt.return %m, %r : !ttg.memdesc<64x64xf16, #rows, #smem>, tensor<64x64xf16, #sums>
  }

  // Results are written as the accumulator has them, and read as rows.
  // CHECK-LABEL: tt.func public @results
  // CHECK: ttg.local_alloc
  // CHECK-NEXT: ttg.local_load
  tt.func public @results(%x: tensor<64x64xf16, #sums>) -> tensor<64x64xf16, #blocked> {
    %r = ttg.convert_layout %x : tensor<64x64xf16, #sums> -> tensor<64x64xf16, #blocked>
    tt.return %r : tensor<64x64xf16, #blocked>
  }

  // Where both sides have vectors of the same width, a conversion is as good; and within a warp it needs no memory.
  // CHECK-LABEL: tt.func public @stays
  // CHECK-NOT: ttg.local_alloc
  // CHECK: tt.return
  tt.func public @stays(%x: tensor<64x64xf32, #quad>, %y: tensor<64x64xf16, #sums>) -> (tensor<64x64xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>, tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #sums, kWidth = 2}>>) {
    %r = ttg.convert_layout %x : tensor<64x64xf32, #quad> -> tensor<64x64xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>
    %s = ttg.convert_layout %y : tensor<64x64xf16, #sums> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #sums, kWidth = 2}>>
    tt.return %r, %s : tensor<64x64xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>, tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #sums, kWidth = 2}>>
  }
}

// -----

// A conversion would write vectors of 16 bytes, too, but of pairs from four of the loaded ones.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func public @two_warps
  // CHECK: ttg.local_alloc
  // CHECK-NEXT: ttg.local_load
  tt.func public @two_warps(%x: tensor<64x64xbf16, #blocked>) -> tensor<64x64xbf16, #left> {
    %r = ttg.convert_layout %x : tensor<64x64xbf16, #blocked> -> tensor<64x64xbf16, #left>
    tt.return %r : tensor<64x64xbf16, #left>
  }
}

// -----

// A batch of tiles lies in the buffer tile behind tile.
#blocked = #ttg.blocked<{sizePerThread = [1, 1, 8], threadsPerWarp = [1, 4, 8], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1, 1], instrShape = [1, 16, 8]}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: #[[BATCH:.+]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [2, 1, 0]}>
  // CHECK-LABEL: tt.func public @batch
  // CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<8x16x64xf16, #[[BATCH]], #smem>
  // CHECK-NEXT: ttg.local_load
  tt.func public @batch(%x: tensor<8x16x64xf16, #blocked>) -> tensor<8x16x64xf16, #right> {
    %r = ttg.convert_layout %x : tensor<8x16x64xf16, #blocked> -> tensor<8x16x64xf16, #right>
    tt.return %r : tensor<8x16x64xf16, #right>
  }
}

// -----

// A conversion would read vectors of 16 bytes, whose elements would have to be moved into the order of a product's instructions;
// ldmatrix reads them so.
#sums = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #sums, kWidth = 1}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func public @tf32
  // CHECK: ttg.local_alloc
  // CHECK-NEXT: ttg.local_load
  tt.func public @tf32(%x: tensor<16x64xf32, #sums>) -> tensor<16x64xf32, #left> {
    %r = ttg.convert_layout %x : tensor<16x64xf32, #sums> -> tensor<16x64xf32, #left>
    tt.return %r : tensor<16x64xf32, #left>
  }
}
