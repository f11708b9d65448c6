// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:90a num-stages=3" --canonicalize --nereid-ttg-place-product-waits --nereid-ttg-allocate-shared-memory --nereid-ttg-place-barriers | FileCheck %s

// The left factor is read from its ring into registers. The product of the round before may go on: it is split along the
// summed axis, and each piece's registers are read when the piece before in these registers is done, while the other one
// goes on. Rows of the ring are permuted in vectors of 32 bytes, as fragments are read across them.
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#turned = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 8], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 8]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#columns = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#smem = #ttg.shared_memory
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
// CHECK: #[[ACROSS:.+]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @turned
  // CHECK-DAG: ttg.local_alloc {{.*}}x32x128xf32, #[[ACROSS]]
  // CHECK: scf.for {{.*}} iter_args(%{{.*}}, %[[SUM:[^ ,]+]] = %
  // CHECK: ttg.async_wait
  // CHECK: %[[W:.+]] = ttng.warp_group_dot_wait %{{.*}} {pendings = 1 : i32}
  // CHECK: ttg.local_barrier
  // CHECK: %[[A0:.+]] = ttg.local_load {{.*}} -> tensor<128x16xf32, #ttg.dot_op
  // CHECK: %[[B0:.+]] = ttg.memdesc_subslice %{{.*}} [0, 0] {{.*}} -> !ttg.memdesc<16x128xf32
  // CHECK: %[[D0:.+]] = ttng.warp_group_dot %[[A0]], %[[B0]], %[[W]] {{.*}}isAsync = true
  // CHECK: %[[V:.+]] = ttng.warp_group_dot_wait %[[D0]] {pendings = 1 : i32}
  // CHECK: %[[A1:.+]] = ttg.local_load {{.*}} -> tensor<128x16xf32, #ttg.dot_op
  // CHECK: %[[B1:.+]] = ttg.memdesc_subslice %{{.*}} [16, 0] {{.*}} -> !ttg.memdesc<16x128xf32
  // CHECK: %[[D1:.+]] = ttng.warp_group_dot %[[A1]], %[[B1]], %[[V]] {{.*}}isAsync = true
  // CHECK-NOT: warp_group_dot_wait
  // CHECK: scf.yield {{.*}}%[[D1]]
  // CHECK: ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
  tt.func public @turned(%x: tensor<128x32x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %y: tensor<32x128x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %c: tensor<128x128xf32, #mma>, %n: i32) -> tensor<128x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<128x128xf32, #mma>) : i32 {
      %u = tt.load %x : tensor<128x32x!tt.ptr<f32>, #blocked>
      %v = tt.load %y : tensor<32x128x!tt.ptr<f32>, #blocked>
      %t = tt.trans %v {order = array<i32: 1, 0>} : tensor<32x128xf32, #blocked> -> tensor<128x32xf32, #turned>
      %a = ttg.convert_layout %t : tensor<128x32xf32, #turned> -> tensor<128x32xf32, #left>
      %m = ttg.local_alloc %u {alignment = 1024 : i32} : (tensor<128x32xf32, #blocked>) -> !ttg.memdesc<128x32xf32, #rows, #smem>
      %b = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<128x32xf32, #rows, #smem> -> !ttg.memdesc<32x128xf32, #columns, #smem>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %a, %b, %sum : tensor<128x32xf32, #left> * !ttg.memdesc<32x128xf32, #columns, #smem> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    tt.return %r : tensor<128x128xf32, #mma>
  }
}
