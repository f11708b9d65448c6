// RUN: nereid-opt %s --nereid-ttg-assign-layouts | FileCheck %s

#loaded = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#cube = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 4, 8], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
#rows = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
#b = #ttg.dot_op<{opIdx = 1, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // No load's layout spreads through what words are taken apart with: the parts are computed as they are stored, eight of a row at
  // a time.
  // CHECK: #[[VECTORS:.+]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
  // CHECK-LABEL: tt.func @decoded
  // CHECK: %[[H:.+]] = arith.sitofp {{.*}} : tensor<32x512xi32, #[[VECTORS]]>
  // CHECK: ttg.local_alloc %[[H]] : (tensor<32x512xf16, #[[VECTORS]]>)
  tt.func @decoded(%p: tensor<32x64x!tt.ptr<i32>, #loaded>) -> tensor<32x512xf16, #b> {
    %w = tt.load %p : tensor<32x64x!tt.ptr<i32>, #loaded>
    %s = ttg.convert_layout %w : tensor<32x64xi32, #loaded> -> tensor<32x64xi32, #ttg.slice<{dim = 2, parent = #cube}>>
    %e = tt.expand_dims %s {axis = 2 : i32} : tensor<32x64xi32, #ttg.slice<{dim = 2, parent = #cube}>> -> tensor<32x64x1xi32, #cube>
    %b = tt.broadcast %e : tensor<32x64x1xi32, #cube> -> tensor<32x64x8xi32, #cube>
    %c = arith.addi %b, %b : tensor<32x64x8xi32, #cube>
    %r = tt.reshape %c : tensor<32x64x8xi32, #cube> -> tensor<32x512xi32, #blocked>
    %h = arith.sitofp %r : tensor<32x512xi32, #blocked> to tensor<32x512xf16, #blocked>
    %m = ttg.local_alloc %h : (tensor<32x512xf16, #blocked>) -> !ttg.memdesc<32x512xf16, #rows, #smem>
    %k = ttg.local_load %m : !ttg.memdesc<32x512xf16, #rows, #smem> -> tensor<32x512xf16, #b>
    tt.return %k : tensor<32x512xf16, #b>
  }
}
