// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:90a num-stages=2" --canonicalize --cse --nereid-ttg-place-product-waits --nereid-ttg-allocate-shared-memory --nereid-ttg-place-barriers | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.slice<{dim = 1, parent = #blocked}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // A product, and squares of one of its factors, summed by the threads: the next round's tiles are copied meanwhile, as they go
  // where the product of the round before has read, and no threads any more.
  // CHECK-LABEL: @squares
  // CHECK: scf.for
  // CHECK: ttng.wait_barrier
  // CHECK: ttng.warp_group_dot
  // CHECK-NEXT: ttng.warp_group_dot_wait {{.*}}pendings = 1
  // CHECK: ttg.local_barrier
  // CHECK-NEXT: ttng.barrier_expect
  // CHECK-COUNT-2: ttng.async_tma_copy_global_to_local
  // CHECK: %[[X:.+]] = ttg.local_load
  // CHECK-NEXT: arith.mulf %[[X]], %[[X]]
  // CHECK: tt.reduce
  // CHECK-NOT: ttg.local_barrier
  // CHECK: scf.yield
  tt.func public @squares(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %n: i32, %c: tensor<64x64xf32, #mma>, %s: tensor<64xf16, #rows>, %a: !tt.tensordesc<tensor<64x64xf16, #tile>> {nereid.tensor_map = {base = 0 : i32, extents = "$2, $2, $2"}}, %b: !tt.tensordesc<tensor<64x64xf16, #tile>> {nereid.tensor_map = {base = 1 : i32, extents = "$2, $2, $2"}}) -> (tensor<64x64xf32, #mma>, tensor<64xf16, #rows>) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %r:2 = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %c, %squares = %s) -> (tensor<64x64xf32, #mma>, tensor<64xf16, #rows>) : i32 {
      %x = tt.descriptor_load %a[%c0, %k] : !tt.tensordesc<tensor<64x64xf16, #tile>> -> tensor<64x64xf16, #blocked>
      %y = tt.descriptor_load %b[%c0, %k] : !tt.tensordesc<tensor<64x64xf16, #tile>> -> tensor<64x64xf16, #blocked>
      %square = arith.mulf %x, %x : tensor<64x64xf16, #blocked>
      %row = "tt.reduce"(%square) <{axis = 1 : i32}> ({
      ^bb0(%p: f16, %q: f16):
        %t0 = arith.addf %p, %q : f16
        tt.reduce.return %t0 : f16
      }) : (tensor<64x64xf16, #blocked>) -> tensor<64xf16, #rows>
      %next = arith.addf %squares, %row : tensor<64xf16, #rows>
      %mx = ttg.local_alloc %x {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
      %my = ttg.local_alloc %y {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
      %t = ttg.memdesc_trans %my {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #tile, #smem> -> !ttg.memdesc<64x64xf16, #turned, #smem>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %mx, %t, %sum : !ttg.memdesc<64x64xf16, #tile, #smem> * !ttg.memdesc<64x64xf16, #turned, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d, %next : tensor<64x64xf32, #mma>, tensor<64xf16, #rows>
    }
    tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64xf16, #rows>
  }
}
