// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:90a num-stages=5" --canonicalize | FileCheck %s

// Five rounds under way take all memory for one block of four warps, and four of them do. With three buffers a second
// block finds room, which computes while this one waits.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @four_warps
  // CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<3x64x128xf16
  // CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<3x128x64xf16
  tt.func public @four_warps(%x: tensor<64x128x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %y: tensor<128x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %u = tt.load %x : tensor<64x128x!tt.ptr<f16>, #blocked>
      %v = tt.load %y : tensor<128x64x!tt.ptr<f16>, #blocked>
      %a = ttg.local_alloc %u {alignment = 1024 : i32} : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #rows, #smem>
      %b = ttg.local_alloc %v {alignment = 1024 : i32} : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #rows, #smem>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %a, %b, %sum : !ttg.memdesc<64x128xf16, #rows, #smem> * !ttg.memdesc<128x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
}
