// RUN: nereid-opt %s --split-input-file --nereid-ttg-convert-through-buffers | FileCheck %s

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

// -----

// The left factor is computed of what the round loads, the right one goes to memory as it was loaded.
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // The latter waits for its load, so the former is stored before it.
  // CHECK-LABEL: @computed
  // CHECK: %[[S:.+]] = arith.mulf
  // CHECK-NEXT: %[[X:.+]] = tt.load
  // CHECK-NEXT: %[[A:.+]] = ttg.local_alloc %[[S]]
  // CHECK-NEXT: %[[B:.+]] = ttg.local_alloc %[[X]]
  // CHECK-NEXT: %[[L:.+]] = ttg.local_load %[[A]]
  // CHECK-NEXT: ttng.warp_group_dot %[[L]], %[[B]]
  tt.func public @computed(%a: tensor<64x64xf16, #rows>, %p: tensor<64x64x!tt.ptr<f16>, #rows>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %s = arith.mulf %a, %a : tensor<64x64xf16, #rows>
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #rows>
    %r = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #right, #smem>
    %l = ttg.convert_layout %s : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #left>
    %d = ttng.warp_group_dot %l, %r, %c : tensor<64x64xf16, #left> * !ttg.memdesc<64x64xf16, #right, #smem> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // What is computed behind that store stays there.
  // CHECK-LABEL: @loaded_first
  // CHECK: %[[X:.+]] = tt.load
  // CHECK-NEXT: ttg.local_alloc %[[X]]
  // CHECK-NEXT: %[[S:.+]] = arith.mulf
  // CHECK-NEXT: ttg.local_alloc %[[S]]
  tt.func public @loaded_first(%a: tensor<64x64xf16, #rows>, %p: tensor<64x64x!tt.ptr<f16>, #rows>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #rows>
    %r = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #right, #smem>
    %s = arith.mulf %a, %a : tensor<64x64xf16, #rows>
    %l = ttg.convert_layout %s : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #left>
    %d = ttng.warp_group_dot %l, %r, %c : tensor<64x64xf16, #left> * !ttg.memdesc<64x64xf16, #right, #smem> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }
}
