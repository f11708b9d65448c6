// RUN: nereid-opt %s --split-input-file --nereid-ttg-pipeline-loads="target=cuda:90a num-stages=2" --canonicalize --nereid-ttg-place-product-waits --nereid-ttg-allocate-shared-memory --nereid-ttg-place-barriers | FileCheck %s

// The round itself needs its product, so that none outlasts it. The next round's copies start before the product,
// to the buffer that the last round is done with.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @small
  // CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<2x64x64xf16
  // CHECK: scf.for
  // CHECK: ttg.async_wait {num = 0 : i32}
  // CHECK: ttg.local_barrier
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttng.warp_group_dot
  // CHECK: ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
  // CHECK-NOT: ttg.local_barrier
  // CHECK-NOT: ttg.async_copy_global_to_local
  // CHECK: scf.yield
  tt.func public @small(%x: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %y: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %u = tt.load %x : tensor<64x64x!tt.ptr<f16>, #blocked>
      %v = tt.load %y : tensor<64x64x!tt.ptr<f16>, #blocked>
      %a = ttg.local_alloc %u {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
      %b = ttg.local_alloc %v {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %a, %b, %sum : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      %e = math.exp2 %d : tensor<64x64xf32, #mma>
      scf.yield %e : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
}

// -----

// Two buffers of these tiles would leave a multiprocessor four warps. There is one, to which the copies go when the
// round is done with it.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @large
  // CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<1x64x256xf16
  // CHECK: scf.for
  // CHECK: ttg.async_wait {num = 0 : i32}
  // CHECK: ttg.local_barrier
  // CHECK: ttng.warp_group_dot
  // CHECK: ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
  // CHECK: ttg.local_barrier
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: scf.yield
  tt.func public @large(%x: tensor<64x256x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 256]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %y: tensor<256x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %u = tt.load %x : tensor<64x256x!tt.ptr<f16>, #blocked>
      %v = tt.load %y : tensor<256x64x!tt.ptr<f16>, #blocked>
      %a = ttg.local_alloc %u {alignment = 1024 : i32} : (tensor<64x256xf16, #blocked>) -> !ttg.memdesc<64x256xf16, #rows, #smem>
      %b = ttg.local_alloc %v {alignment = 1024 : i32} : (tensor<256x64xf16, #blocked>) -> !ttg.memdesc<256x64xf16, #rows, #smem>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %a, %b, %sum : !ttg.memdesc<64x256xf16, #rows, #smem> * !ttg.memdesc<256x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      %e = math.exp2 %d : tensor<64x64xf32, #mma>
      scf.yield %e : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
}

// -----

// Two rounds need two buffers, and all copies can start before the loop.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @halves
  // CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<2x64x64xf16
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.async_commit_group
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.async_commit_group
  // CHECK: scf.for
  // CHECK: ttg.async_wait {num = 1 : i32}
  // CHECK: ttng.warp_group_dot
  // CHECK-NOT: ttg.async_copy_global_to_local
  // CHECK: ttg.async_commit_group{{$}}
  // CHECK: scf.yield
  tt.func public @halves(%x: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %b: !ttg.memdesc<64x64xf16, #rows, #smem>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %u = tt.load %x : tensor<64x64x!tt.ptr<f16>, #blocked>
      %a = ttg.local_alloc %u {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %a, %b, %sum : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      %e = math.exp2 %d : tensor<64x64xf32, #mma>
      scf.yield %e : tensor<64x64xf32, #mma>
    } {tt.num_stages = 3 : i32}
    tt.return %r : tensor<64x64xf32, #mma>
  }
}

// -----

// The one fence is for both products' factors, so that both are stored before it.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @parts
  // CHECK: scf.for
  // CHECK: ttg.local_alloc %
  // CHECK: ttg.local_alloc %
  // CHECK: ttng.fence_async_shared
  // CHECK: ttng.warp_group_dot
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttng.warp_group_dot
  // CHECK: scf.yield
  tt.func public @parts(%x: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %a: !ttg.memdesc<64x64xf16, #rows, #smem>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %u = tt.load %x : tensor<64x64x!tt.ptr<f16>, #blocked>
      %v = arith.addf %u, %u : tensor<64x64xf16, #blocked>
      %w = arith.mulf %u, %u : tensor<64x64xf16, #blocked>
      %b = ttg.local_alloc %v {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
      %d = ttg.local_alloc %w {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
      ttng.fence_async_shared
      %e = ttng.warp_group_dot %a, %b, %sum : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      %f = ttng.warp_group_dot %a, %d, %e : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      %g = math.exp2 %f : tensor<64x64xf32, #mma>
      scf.yield %g : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
}

// -----

// A loop in a loop of two rounds: the outer one leaves the inner one's first copies alone.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @nested
  // CHECK: %[[OUTER:.+]] = ttg.local_alloc {{.*}} -> !ttg.memdesc<2x64x64xf16
  // CHECK: scf.for
  // CHECK: %[[INNER:.+]] = ttg.local_alloc {{.*}} -> !ttg.memdesc<2x64x64xf16
  // CHECK-NOT: ttg.memdesc_index %[[OUTER]]
  // CHECK: %[[BUFFER:.+]] = ttg.memdesc_index %[[INNER]]
  // CHECK: ttg.async_copy_global_to_local %{{.*}}, %[[BUFFER]]
  // CHECK: scf.for
  tt.func public @nested(%x: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %b: !ttg.memdesc<64x64xf16, #rows, #smem>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %u = tt.load %x : tensor<64x64x!tt.ptr<f16>, #blocked>
      %a = ttg.local_alloc %u {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %a, %b, %sum : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      %s = scf.for %j = %c0 to %n step %c1 iter_args(%t = %d) -> (tensor<64x64xf32, #mma>) : i32 {
        %v = tt.load %x : tensor<64x64x!tt.ptr<f16>, #blocked>
        %w = ttg.local_alloc %v {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
        ttng.fence_async_shared
        %e = ttng.warp_group_dot %w, %b, %t : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
        %f = math.exp2 %e : tensor<64x64xf32, #mma>
        scf.yield %f : tensor<64x64xf32, #mma>
      }
      scf.yield %s : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
}

// -----

// A store's own fence goes with the store, as the product's does.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @fences
  // CHECK: scf.for
  // CHECK-NOT: ttng.fence_async_shared
  // CHECK: scf.yield
  tt.func public @fences(%x: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %b: !ttg.memdesc<64x64xf16, #rows, #smem>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %u = tt.load %x : tensor<64x64x!tt.ptr<f16>, #blocked>
      %a = ttg.local_alloc %u {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
      ttng.fence_async_shared
      %e = math.exp2 %sum : tensor<64x64xf32, #mma>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %a, %b, %e : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
}

// -----

// Pairs of sums in f16 are taken apart between rounds, so that such a product ends in its round, too.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @halves
  // CHECK: scf.for
  // CHECK: %[[SUMS:.+]] = ttng.warp_group_dot {{.*}} -> tensor<64x64xf16
  // CHECK-NEXT: %[[DONE:.+]]:3 = ttng.warp_group_dot_wait %[[SUMS]], {{.*}} {pendings = 0 : i32}
  // CHECK: scf.yield %[[DONE]]#0
  tt.func public @halves(%x: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %a: !ttg.memdesc<64x64xf16, #rows, #smem>, %c: tensor<64x64xf16, #mma>, %n: i32) -> tensor<64x64xf16, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x64xf16, #mma>) : i32 {
      %v = tt.load %x : tensor<64x64x!tt.ptr<f16>, #blocked>
      %b = ttg.local_alloc %v {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
      ttng.fence_async_shared
      %d = ttng.warp_group_dot %a, %b, %sum : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf16, #mma>
      scf.yield %d : tensor<64x64xf16, #mma>
    }
    tt.return %r : tensor<64x64xf16, #mma>
  }
}
