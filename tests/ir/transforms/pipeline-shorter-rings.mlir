// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:90a num-stages=3" --canonicalize --cse --nereid-ttg-place-product-waits --nereid-ttg-allocate-shared-memory --nereid-ttg-place-barriers | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#wide = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#narrow = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>
#column = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#thin = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // A factor is made of what threads have copied and read back: there two buffers are enough, as all have read before they
  // meet for the product, and the third block that finds room by it hides the others' waits. The copies start behind that.
  // CHECK-LABEL: @computed
  // CHECK: ttg.local_alloc {{.*}}memdesc<2x64x64xf16
  // CHECK: ttg.local_alloc {{.*}}memdesc<3x64x64xf16
  // CHECK: ttg.local_alloc {{.*}}memdesc<3x64x64xf16
  // CHECK: scf.for
  // CHECK: ttg.async_wait {num = 1 : i32}
  // CHECK: ttg.local_barrier
  // CHECK: ttg.local_load {{.*}}2x64x64
  // CHECK: ttg.local_alloc
  // CHECK: ttg.local_barrier
  // CHECK-NEXT: ttng.warp_group_dot
  // CHECK-NOT: ttg.local_barrier
  // CHECK: ttg.async_copy_global_to_local {{.*}}2x64x64
  // CHECK-NOT: ttg.local_barrier
  // CHECK: scf.yield
  tt.func public @computed(%px: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %pa: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %pb: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %n: i32, %c: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %c, %t = %c) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
      %x = tt.load %px : tensor<64x64x!tt.ptr<f16>, #blocked>
      %a = tt.load %pa : tensor<64x64x!tt.ptr<f16>, #blocked>
      %b = tt.load %pb : tensor<64x64x!tt.ptr<f16>, #blocked>
      %square = arith.mulf %x, %x : tensor<64x64xf16, #blocked>
      %mx = ttg.local_alloc %square {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
      %ma = ttg.local_alloc %a {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
      %mb = ttg.local_alloc %b {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %mx, %ma, %s : !ttg.memdesc<64x64xf16, #tile, #smem> * !ttg.memdesc<64x64xf16, #tile, #smem> -> tensor<64x64xf32, #mma>
      %e = ttng.warp_group_dot %mx, %mb, %t : !ttg.memdesc<64x64xf16, #tile, #smem> * !ttg.memdesc<64x64xf16, #tile, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d, %e : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    }
    tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }

  // Three blocks are enough: that a fourth would find room does not count.
  // CHECK-LABEL: @enough
  // CHECK: ttg.local_alloc {{.*}}memdesc<3x64x128xf16
  // CHECK: ttg.local_alloc {{.*}}memdesc<3x128x8xf16
  tt.func public @enough(%px: tensor<64x128x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %pa: tensor<128x8x!tt.ptr<f16>, #column> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %n: i32, %c: tensor<64x8xf32, #narrow>) -> (tensor<64x8xf32, #narrow>, tensor<64x8xf32, #narrow>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %c, %t = %c) -> (tensor<64x8xf32, #narrow>, tensor<64x8xf32, #narrow>) : i32 {
      %x = tt.load %px : tensor<64x128x!tt.ptr<f16>, #blocked>
      %a = tt.load %pa : tensor<128x8x!tt.ptr<f16>, #column>
      %square = arith.mulf %x, %x : tensor<64x128xf16, #blocked>
      %mx = ttg.local_alloc %square {alignment = 1024 : i32} : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #tile, #smem>
      %ma = ttg.local_alloc %a {alignment = 1024 : i32} : (tensor<128x8xf16, #column>) -> !ttg.memdesc<128x8xf16, #thin, #smem>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %mx, %ma, %s : !ttg.memdesc<64x128xf16, #tile, #smem> * !ttg.memdesc<128x8xf16, #thin, #smem> -> tensor<64x8xf32, #narrow>
      %e = ttng.warp_group_dot %mx, %ma, %t : !ttg.memdesc<64x128xf16, #tile, #smem> * !ttg.memdesc<128x8xf16, #thin, #smem> -> tensor<64x8xf32, #narrow>
      scf.yield %d, %e : tensor<64x8xf32, #narrow>, tensor<64x8xf32, #narrow>
    }
    tt.return %r#0, %r#1 : tensor<64x8xf32, #narrow>, tensor<64x8xf32, #narrow>
  }

  // The copies of a round with one product start before it, in rings with all buffers.
  // CHECK-LABEL: @alone
  // CHECK: ttg.local_alloc {{.*}}memdesc<3x64x64xf16
  // CHECK: ttg.local_alloc {{.*}}memdesc<3x64x128xf16
  // CHECK: scf.for
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttng.warp_group_dot
  tt.func public @alone(%px: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %pa: tensor<64x128x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %n: i32, %c: tensor<64x128xf32, #wide>) -> tensor<64x128xf32, #wide> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %c) -> tensor<64x128xf32, #wide> : i32 {
      %x = tt.load %px : tensor<64x64x!tt.ptr<f16>, #blocked>
      %a = tt.load %pa : tensor<64x128x!tt.ptr<f16>, #blocked>
      %square = arith.mulf %x, %x : tensor<64x64xf16, #blocked>
      %mx = ttg.local_alloc %square {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
      %ma = ttg.local_alloc %a {alignment = 1024 : i32} : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #tile, #smem>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %mx, %ma, %s : !ttg.memdesc<64x64xf16, #tile, #smem> * !ttg.memdesc<64x128xf16, #tile, #smem> -> tensor<64x128xf32, #wide>
      scf.yield %d : tensor<64x128xf32, #wide>
    }
    tt.return %r : tensor<64x128xf32, #wide>
  }
}
