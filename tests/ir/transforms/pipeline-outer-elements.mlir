// RUN: nereid-opt %s --nereid-ttg-pipeline-loads="target=cuda:90a num-stages=3" --canonicalize --cse --nereid-ttg-place-product-waits --nereid-ttg-allocate-shared-memory --nereid-ttg-place-barriers | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.slice<{dim = 1, parent = #blocked}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // The threads' first copies for the next tile start before this one is stored, if there is a next one. Its addresses
  // are computed once more in the round that needs them: what is kept are numbers. Only behind both loops nothing is
  // under way any more.
  // CHECK-LABEL: @tiles
  // CHECK: ttg.local_alloc {{.*}} !ttg.memdesc<3x64x64xf16
  // CHECK-COUNT-2: ttg.async_copy_global_to_local
  // CHECK: scf.for %[[I:.+]] = {{.*}} iter_args({{.*}}) -> (i32, i32, i32) : i32 {
  // CHECK: %[[MORE:.+]] = arith.cmpi slt, %[[I]]
  // CHECK: tt.addptr
  // CHECK: scf.for
  // CHECK: ttg.async_wait {num = 1 : i32}
  // CHECK: ttng.warp_group_dot
  // CHECK: scf.yield
  // CHECK: tt.addptr
  // CHECK: tt.splat %[[MORE]]
  // CHECK: ttg.local_barrier
  // CHECK-COUNT-2: ttg.async_copy_global_to_local
  // CHECK-NOT: ttg.async_wait
  // CHECK: tt.store
  // CHECK: scf.yield
  // CHECK: }
  // CHECK-NEXT: ttg.async_wait {num = 0 : i32}
  tt.func public @tiles(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pc: !tt.ptr<f32>, %b: !ttg.memdesc<64x64xf16, #rows, #smem>, %n: i32, %count: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %c4096 = arith.constant 4096 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %within = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %within2 = tt.expand_dims %within {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %offsets = tt.broadcast %within2 : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %base = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
    %out = tt.splat %pc : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    scf.for %i = %c0 to %count step %c1 : i32 {
      %first = arith.muli %i, %c4096 : i32
      %firsts = tt.splat %first : i32 -> tensor<64x64xi32, #blocked>
      %of_tile = arith.addi %firsts, %offsets : tensor<64x64xi32, #blocked>
      %p = tt.addptr %base, %of_tile : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
        %ks = tt.splat %k : i32 -> tensor<64x64xi32, #blocked>
        %q = tt.addptr %p, %ks : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
        %x = tt.load %q : tensor<64x64x!tt.ptr<f16>, #blocked>
        %mx = ttg.local_alloc %x {alignment = 1024 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
        ttng.fence_async_shared
        %d = ttng.warp_group_dot %mx, %b, %sum : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma>
        scf.yield %d : tensor<64x64xf32, #mma>
      }
      tt.store %out, %r : tensor<64x64x!tt.ptr<f32>, #mma>
    }
    tt.return
  }
}
