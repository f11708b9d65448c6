// RUN: nereid-opt %s --nereid-ttg-unswizzle-buffers | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>
// 16 columns of each of four rows, one by one.
#scattered = #ttg.linear<{register = [[0, 4], [0, 32], [0, 64], [0, 128], [0, 256], [1, 0], [2, 0]], lane = [[0, 8], [0, 16], [0, 1], [0, 2], [0, 0]], warp = [], block = []}>
#across = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#permuted = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
// CHECK-DAG: #[[PERMUTED:.+]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
// CHECK-DAG: #[[PLAIN:.+]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // A ring that is read by single elements of a row's neighbours: a permutation makes nothing faster.
  // CHECK-LABEL: tt.func @elements
  // CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<2x4x512xbf16, #[[PLAIN]], #smem, mutable>
  // CHECK: ttg.memdesc_index {{.*}} -> !ttg.memdesc<4x512xbf16, #[[PLAIN]], #smem, mutable, 2x4x512>
  tt.func @elements(%p: tensor<4x512x!tt.ptr<bf16>, #rows>, %i: i32) -> (tensor<4x512xbf16, #scattered>, tensor<4x512xbf16, #rows>) {
    %ring = ttg.local_alloc : () -> !ttg.memdesc<2x4x512xbf16, #permuted, #smem, mutable>
    %one = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x4x512xbf16, #permuted, #smem, mutable> -> !ttg.memdesc<4x512xbf16, #permuted, #smem, mutable, 2x4x512>
    %t = ttg.async_copy_global_to_local %p, %one : tensor<4x512x!tt.ptr<bf16>, #rows> -> <4x512xbf16, #permuted, #smem, mutable, 2x4x512>
    %a = ttg.local_load %one token %t : !ttg.memdesc<4x512xbf16, #permuted, #smem, mutable, 2x4x512> -> tensor<4x512xbf16, #scattered>
    %b = ttg.local_load %one token %t : !ttg.memdesc<4x512xbf16, #permuted, #smem, mutable, 2x4x512> -> tensor<4x512xbf16, #rows>
    tt.return %a, %b : tensor<4x512xbf16, #scattered>, tensor<4x512xbf16, #rows>
  }

  // Where a warp's lanes read four rows, plain ones would share their banks. Where all read whole vectors, nothing is to be won.
  // CHECK-LABEL: tt.func @kept
  // CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<4x512xf32, #[[PERMUTED]], #smem>
  // CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<4x512xbf16, #[[PERMUTED]], #smem>
  tt.func @kept(%x: tensor<4x512xf32, #rows>, %y: tensor<4x512xbf16, #rows>) -> (tensor<4x512xf32, #across>, tensor<4x512xbf16, #rows>) {
    %m = ttg.local_alloc %x : (tensor<4x512xf32, #rows>) -> !ttg.memdesc<4x512xf32, #permuted, #smem>
    %a = ttg.local_load %m : !ttg.memdesc<4x512xf32, #permuted, #smem> -> tensor<4x512xf32, #across>
    %n = ttg.local_alloc %y : (tensor<4x512xbf16, #rows>) -> !ttg.memdesc<4x512xbf16, #permuted, #smem>
    %b = ttg.local_load %n : !ttg.memdesc<4x512xbf16, #permuted, #smem> -> tensor<4x512xbf16, #rows>
    tt.return %a, %b : tensor<4x512xf32, #across>, tensor<4x512xbf16, #rows>
  }
}
