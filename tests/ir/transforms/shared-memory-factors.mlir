// RUN: nereid-opt %s --nereid-ttg-allocate-shared-memory | FileCheck %s

// Factors of products of warp groups in a row take turns: there is a barrier in front of each product, so that
// keeping the smallest of them apart would win nothing, and the first cache has what they leave.
// CHECK: ttg.shared = 8192 : i32
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#left = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#right = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>
#columns = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90a"} {
  tt.func @products(%x: tensor<64x32xf16, #blocked>, %y: tensor<32x64xf16, #columns>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %a0 = ttg.local_alloc %x {alignment = 512 : i32} : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #left, #smem>
    %b0 = ttg.local_alloc %y {alignment = 512 : i32} : (tensor<32x64xf16, #columns>) -> !ttg.memdesc<32x64xf16, #right, #smem>
    %d0 = ttng.warp_group_dot %a0, %b0, %c : !ttg.memdesc<64x32xf16, #left, #smem> * !ttg.memdesc<32x64xf16, #right, #smem> -> tensor<64x64xf32, #mma>
    %a1 = ttg.local_alloc %x {alignment = 512 : i32} : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #left, #smem>
    %b1 = ttg.local_alloc %y {alignment = 512 : i32} : (tensor<32x64xf16, #columns>) -> !ttg.memdesc<32x64xf16, #right, #smem>
    %d1 = ttng.warp_group_dot %a1, %b1, %d0 : !ttg.memdesc<64x32xf16, #left, #smem> * !ttg.memdesc<32x64xf16, #right, #smem> -> tensor<64x64xf32, #mma>
    tt.return %d1 : tensor<64x64xf32, #mma>
  }
}
