// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:90a num-stages=5" | FileCheck %s

// A round takes 32 KiB, and three buffers leave room for a second block of four warps.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Where a round loads which tile it takes, five stages are those of both loads.
  // CHECK-LABEL: @by_a_list
  // CHECK-COUNT-2: ttg.local_alloc {{.*}} -> !ttg.memdesc<3x64x128xf16
  // CHECK: scf.for
  tt.func public @by_a_list(%list: !tt.ptr<i32>, %x: tensor<64x128x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %a: tensor<64x64xf16, #left>, %c: tensor<64x128xf32, #mma>, %n: i32) -> (tensor<64x128xf32, #mma>, tensor<64x128xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c, %other = %c) -> (tensor<64x128xf32, #mma>, tensor<64x128xf32, #mma>) : i32 {
      %at = tt.addptr %list, %i : !tt.ptr<i32>, i32
      %number = tt.load %at : !tt.ptr<i32>
      %first = arith.muli %number, %c128 : i32
      %steps = tt.splat %first : i32 -> tensor<64x128xi32, #blocked>
      %p = tt.addptr %x, %steps : tensor<64x128x!tt.ptr<f16>, #blocked>, tensor<64x128xi32, #blocked>
      %q = tt.addptr %p, %steps : tensor<64x128x!tt.ptr<f16>, #blocked>, tensor<64x128xi32, #blocked>
      %u = tt.load %p : tensor<64x128x!tt.ptr<f16>, #blocked>
      %v = tt.load %q : tensor<64x128x!tt.ptr<f16>, #blocked>
      %b = ttg.local_alloc %u {alignment = 1024 : i32} : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #rows, #smem>
      %e = ttg.local_alloc %v {alignment = 1024 : i32} : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #rows, #smem>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %a, %b, %sum : tensor<64x64xf16, #left> * !ttg.memdesc<64x128xf16, #rows, #smem> -> tensor<64x128xf32, #mma>
      %f = ttng.warp_group_dot %a, %e, %other : tensor<64x64xf16, #left> * !ttg.memdesc<64x128xf16, #rows, #smem> -> tensor<64x128xf32, #mma>
      scf.yield %d, %f : tensor<64x128xf32, #mma>, tensor<64x128xf32, #mma>
    }
    tt.return %r#0, %r#1 : tensor<64x128xf32, #mma>, tensor<64x128xf32, #mma>
  }

  // Where the loop knows, a round has all of them to arrive, and a buffer to spare.
  // CHECK-LABEL: @in_order
  // CHECK-COUNT-2: ttg.local_alloc {{.*}} -> !ttg.memdesc<6x64x128xf16
  // CHECK: scf.for
  tt.func public @in_order(%x: tensor<64x128x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %a: tensor<64x64xf16, #left>, %c: tensor<64x128xf32, #mma>, %n: i32) -> (tensor<64x128xf32, #mma>, tensor<64x128xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c, %other = %c) -> (tensor<64x128xf32, #mma>, tensor<64x128xf32, #mma>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %steps = tt.splat %first : i32 -> tensor<64x128xi32, #blocked>
      %p = tt.addptr %x, %steps : tensor<64x128x!tt.ptr<f16>, #blocked>, tensor<64x128xi32, #blocked>
      %q = tt.addptr %p, %steps : tensor<64x128x!tt.ptr<f16>, #blocked>, tensor<64x128xi32, #blocked>
      %u = tt.load %p : tensor<64x128x!tt.ptr<f16>, #blocked>
      %v = tt.load %q : tensor<64x128x!tt.ptr<f16>, #blocked>
      %b = ttg.local_alloc %u {alignment = 1024 : i32} : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #rows, #smem>
      %e = ttg.local_alloc %v {alignment = 1024 : i32} : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #rows, #smem>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %a, %b, %sum : tensor<64x64xf16, #left> * !ttg.memdesc<64x128xf16, #rows, #smem> -> tensor<64x128xf32, #mma>
      %f = ttng.warp_group_dot %a, %e, %other : tensor<64x64xf16, #left> * !ttg.memdesc<64x128xf16, #rows, #smem> -> tensor<64x128xf32, #mma>
      scf.yield %d, %f : tensor<64x128xf32, #mma>, tensor<64x128xf32, #mma>
    }
    tt.return %r#0, %r#1 : tensor<64x128xf32, #mma>, tensor<64x128xf32, #mma>
  }
}
