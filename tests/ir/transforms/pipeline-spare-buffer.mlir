// RUN: nereid-opt %s --split-input-file --nereid-ttg-pipeline-loads="target=cuda:90a num-stages=3" --canonicalize --nereid-ttg-place-product-waits --nereid-ttg-allocate-shared-memory --nereid-ttg-place-barriers | FileCheck %s

// Two rounds ahead take three buffers. A product outlasts its round, and registers leave room for one block only, so that
// a fourth costs nothing. The only product of a round gets its factors a round earlier by it. The barrier is behind it.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 256, 16]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @wide
  // CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<4x64x256xf16
  // CHECK: scf.for
  // CHECK: ttg.async_wait {num = 2 : i32}
  // CHECK: ttng.warp_group_dot
  // CHECK: ttng.warp_group_dot_wait %{{.*}} {pendings = 1 : i32}
  // CHECK: ttg.local_barrier
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: scf.yield
  tt.func public @wide(%x: tensor<128x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %y: tensor<64x256x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 256]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %c: tensor<128x256xf32, #mma>, %n: i32) -> tensor<128x256xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<128x256xf32, #mma>) : i32 {
      %u = tt.load %x : tensor<128x64x!tt.ptr<f16>, #blocked>
      %v = tt.load %y : tensor<64x256x!tt.ptr<f16>, #blocked>
      %a = ttg.local_alloc %u {alignment = 1024 : i32} : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #rows, #smem>
      %b = ttg.local_alloc %v {alignment = 1024 : i32} : (tensor<64x256xf16, #blocked>) -> !ttg.memdesc<64x256xf16, #rows, #smem>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %a, %b, %sum : !ttg.memdesc<128x64xf16, #rows, #smem> * !ttg.memdesc<64x256xf16, #rows, #smem> -> tensor<128x256xf32, #mma>
      scf.yield %d : tensor<128x256xf32, #mma>
    }
    tt.return %r : tensor<128x256xf32, #mma>
  }
}

// -----

// Of two products the first begins before the copies, so that their addresses do not hold it up. With the fourth buffer
// one barrier a round is enough, and copies start while the last round's products run.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 16]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @two
  // CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<4x64x128xf16
  // CHECK: scf.for
  // CHECK: ttg.async_wait {num = 1 : i32}
  // CHECK: ttg.local_barrier
  // CHECK: ttng.warp_group_dot
  // CHECK: ttg.async_copy_global_to_local
  // CHECK-NOT: ttg.local_barrier
  // CHECK: ttng.warp_group_dot
  // CHECK-NOT: ttg.local_barrier
  // CHECK: ttng.warp_group_dot_wait %{{.*}} {pendings = 2 : i32}
  // CHECK-NOT: ttg.local_barrier
  // CHECK: scf.yield
  tt.func public @two(%x: tensor<128x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %y: tensor<64x128x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %z: tensor<64x128x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %c: tensor<128x128xf32, #mma>, %n: i32) -> (tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c, %other = %c) -> (tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>) : i32 {
      %u = tt.load %x : tensor<128x64x!tt.ptr<f16>, #blocked>
      %v = tt.load %y : tensor<64x128x!tt.ptr<f16>, #blocked>
      %w = tt.load %z : tensor<64x128x!tt.ptr<f16>, #blocked>
      %a = ttg.local_alloc %u {alignment = 1024 : i32} : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #rows, #smem>
      %b = ttg.local_alloc %v {alignment = 1024 : i32} : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #rows, #smem>
      %e = ttg.local_alloc %w {alignment = 1024 : i32} : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #rows, #smem>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %a, %b, %sum : !ttg.memdesc<128x64xf16, #rows, #smem> * !ttg.memdesc<64x128xf16, #rows, #smem> -> tensor<128x128xf32, #mma>
      %f = ttng.warp_group_dot %a, %e, %other : !ttg.memdesc<128x64xf16, #rows, #smem> * !ttg.memdesc<64x128xf16, #rows, #smem> -> tensor<128x128xf32, #mma>
      scf.yield %d, %f : tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>
    }
    tt.return %r#0, %r#1 : tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>
  }
}

// -----

// Of smaller tiles another buffer would keep a block out. The copies wait for the product of the round before.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#short = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @small
  // CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<3x64x128xf16
  // CHECK: scf.for
  // CHECK: ttng.warp_group_dot_wait
  // CHECK: ttg.local_barrier
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: scf.yield
  tt.func public @small(%x: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %y: tensor<64x128x!tt.ptr<f16>, #wide> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %c: tensor<64x128xf32, #mma>, %n: i32) -> tensor<64x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x128xf32, #mma>) : i32 {
      %u = tt.load %x : tensor<64x64x!tt.ptr<f16>, #blocked>
      %v = tt.load %y : tensor<64x128x!tt.ptr<f16>, #wide>
      %a = ttg.local_alloc %u {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
      %b = ttg.local_alloc %v {alignment = 1024 : i32} : (tensor<64x128xf16, #wide>) -> !ttg.memdesc<64x128xf16, #rows, #smem>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %a, %b, %sum : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x128xf16, #rows, #smem> -> tensor<64x128xf32, #mma>
      scf.yield %d : tensor<64x128xf32, #mma>
    }
    tt.return %r : tensor<64x128xf32, #mma>
  }
}

// -----

// Of two products the first is started before the copies. What threads read in the round comes behind them.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 16]}>
#column = #ttg.slice<{dim = 0, parent = #mma}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @chain
  // CHECK: scf.for
  // CHECK: ttg.local_barrier
  // CHECK-NOT: ttg.local_load
  // CHECK: ttng.warp_group_dot
  // CHECK-NOT: ttg.local_barrier
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.async_commit_group
  // CHECK: ttg.local_load
  // CHECK: ttng.warp_group_dot_wait
  // CHECK-NOT: ttg.local_barrier
  // CHECK: scf.yield
  tt.func public @chain(%q: tensor<128x128xf16, #a>, %y: tensor<128x128x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %z: tensor<128x!tt.ptr<f32>, #line> {tt.contiguity = dense<128> : tensor<1xi32>, tt.divisibility = dense<16> : tensor<1xi32>}, %c: tensor<128x128xf32, #mma>, %n: i32) -> tensor<128x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<128x128xf32, #mma>) : i32 {
      %u = tt.load %y : tensor<128x128x!tt.ptr<f16>, #blocked>
      %w = tt.load %z : tensor<128x!tt.ptr<f32>, #line>
      %k = ttg.local_alloc %u {alignment = 1024 : i32} : (tensor<128x128xf16, #blocked>) -> !ttg.memdesc<128x128xf16, #rows, #smem>
      ttng.fence_async_shared
      %s = ttng.warp_group_dot %q, %k, %zero : tensor<128x128xf16, #a> * !ttg.memdesc<128x128xf16, #rows, #smem> -> tensor<128x128xf32, #mma>
      %l = ttg.convert_layout %w : tensor<128xf32, #line> -> tensor<128xf32, #column>
      %e = tt.expand_dims %l {axis = 0 : i32} : tensor<128xf32, #column> -> tensor<1x128xf32, #mma>
      %b = tt.broadcast %e : tensor<1x128xf32, #mma> -> tensor<128x128xf32, #mma>
      %t = arith.subf %s, %b : tensor<128x128xf32, #mma>
      %h = arith.truncf %t : tensor<128x128xf32, #mma> to tensor<128x128xf16, #mma>
      %p = ttg.convert_layout %h : tensor<128x128xf16, #mma> -> tensor<128x128xf16, #a>
      %d = ttng.warp_group_dot %p, %k, %sum : tensor<128x128xf16, #a> * !ttg.memdesc<128x128xf16, #rows, #smem> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    tt.return %r : tensor<128x128xf32, #mma>
  }
}
